import { html, raw } from 'hono/html'
import { SECTIONS } from './guides.ts'
import type { Heading } from './markdown.ts'

export type DocsPage = {
  /** The path below /docs/; blank for the start page. */
  name: string
  title: string
  /** Safe HTML. */
  body: string
  headings: Heading[]
  /** Whether the page also exists as markdown. */
  hasMarkdown: boolean
}

const REFERENCE = [
  { name: 'reference', label: 'API reference' },
  { name: 'console', label: 'API console' },
  { name: 'errors', label: 'Errors' },
]

/** The navigation: guides, and pages that are made from the OpenAPI document. */
const NAVIGATION = SECTIONS.map(({ title, guides }, index) => ({
  title,
  links: index === 0 ? [...guides, ...REFERENCE] : guides,
}))

/** A page of /docs. It is static: islands/docs.ts fills in the reader's own values. */
export const docsPage = ({ name, title, body, headings, hasMarkdown }: DocsPage): string =>
  String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Tributary</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/app.css">
<link rel="stylesheet" href="/docs.css">
${hasMarkdown ? html`<link rel="alternate" type="text/markdown" href="/docs/${name}.md">` : ''}
<script type="module" src="/docs.js"></script>
<script type="module" src="/app.js"></script>
</head>
<body class="docs">
<a class="skip" href="#main">Skip to content</a>
<header class="site">
  <a class="brand" href="/docs/"><img src="/icon.svg" alt="" width="24" height="24">Tributary docs</a>
  <div class="search" role="search" hidden>
    <label class="hidden" for="search">Search the docs</label>
    <input id="search" type="search" role="combobox" placeholder="Search (press /)" autocomplete="off" aria-expanded="false" aria-controls="found" aria-autocomplete="list">
    <ul id="found" role="listbox" aria-label="Search results" hidden></ul>
  </div>
  <a class="open" href="/app">Open the app</a>
</header>
<div class="columns">
<details class="contents" open>
<summary>Contents</summary>
<nav aria-label="Docs">
${NAVIGATION.map(
  ({ title, links }) => html`<h2>${title}</h2>
<ul>${links.map(
    (link) =>
      html`<li><a href="/docs/${link.name}"${link.name === name ? raw(' aria-current="page"') : ''}>${link.label}</a></li>`,
  )}</ul>`,
)}
</nav>
</details>
<main id="main" tabindex="-1">
<p class="reader" hidden><label for="program">Your program in the samples</label> <select id="program"></select></p>
${raw(body)}
${hasMarkdown ? html`<p class="source"><a href="/docs/${name}.md">This page as markdown</a></p>` : ''}
</main>
<nav class="here" aria-label="On this page">
${
  headings.length > 2
    ? html`<h2>On this page</h2>
<ul>${headings.map(({ text, id }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul>`
    : ''
}
</nav>
</div>
</body>
</html>
`)
