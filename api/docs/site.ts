/** Every file of /docs: pages, the guides as markdown, the search index, and /llms.txt. */
import { readFile } from 'node:fs/promises'
import { html } from 'hono/html'
import { ROOT } from '../../dev/root.ts'
import type { Document } from '../document.ts'
import { errorsPage } from '../errors-page.ts'
import { consolePage } from './console-page.ts'
import { GUIDES, SECTIONS } from './guides.ts'
import { docsPage } from './layout.ts'
import { render, type Section } from './markdown.ts'
import { referencePage } from './reference-page.ts'
import { scalarScript } from './scalar.ts'

/** Enough to find a section, and little to load. */
const MAX_INDEXED_CHARACTERS = 600

type Page = { name: string; title: string; sections: Section[] }

/** The search index. */
type SearchIndex = { url: string; page: string; heading: string; text: string }[]

const indexOf = (pages: Page[]): SearchIndex =>
  pages.flatMap(({ name, title, sections }) =>
    sections.map(({ heading, id, text }) => ({
      url: `/docs/${name}#${id}`,
      page: title,
      heading,
      text: text.slice(0, MAX_INDEXED_CHARACTERS),
    })),
  )

const startPage = (): string =>
  docsPage({
    name: '',
    title: 'Docs',
    headings: [],
    hasMarkdown: false,
    body: String(html`<h1>Tributary docs</h1>
<p>Add the <a href="/docs/snippet">tracking snippet</a> to your site, report sales with the <a href="/docs/client">client</a> or the <a href="/docs/api">API</a>, or let <a href="/docs/stripe">Stripe</a> report them. <a href="/docs/guide-test-your-integration">Test your integration</a> before you go live. The <a href="/docs/reference">API reference</a> describes every endpoint, and the <a href="/docs/console">console</a> sends requests.</p>
${SECTIONS.map(
  ({ title, guides }) => html`<h2>${title}</h2>
<ul>${guides.map(({ name, label, summary }) => html`<li><a href="/docs/${name}">${label}</a>: ${summary}</li>`)}</ul>`,
)}`),
  })

const llms = (): string => {
  const lines = SECTIONS.flatMap(({ title, guides }) => [
    `\n## ${title}\n`,
    ...guides.map(({ name, label, summary }) => `- [${label}](/docs/${name}.md): ${summary}`),
  ])
  return `# Tributary

> Runs partner referral programs: credits each sale and lead to the partner who referred it, and pays partners.

The API is described by [OpenAPI](/openapi.json).
${lines.join('\n')}
`
}

/** @returns the text of each file of the docs, by its path below public/ */
export const docsSite = async (document: Document): Promise<Record<string, string>> => {
  const files: Record<string, string> = {}
  const pages: Page[] = []
  for (const { name, file } of GUIDES) {
    const markdown = await readFile(ROOT + file, 'utf8')
    const { title, html, headings, sections } = render(markdown, file)
    pages.push({ name, title, sections })
    const chapters = headings.filter(({ depth }) => depth === 2)
    const page = { name, title, body: html, headings: chapters, hasMarkdown: true }
    files[`docs/${name}.html`] = docsPage(page)
    files[`docs/${name}.md`] = markdown
  }
  const { body, headings, sections } = referencePage(document)
  const reference = {
    name: 'reference',
    title: 'API reference',
    body,
    headings,
    hasMarkdown: false,
  }
  files['docs/reference.html'] = docsPage(reference)
  files['docs/console.html'] = consolePage()
  files['docs/scalar.js'] = scalarScript()
  files['docs/errors.html'] = docsPage(errorsPage())
  files['docs/index.html'] = startPage()
  const all = [...pages, { name: 'reference', title: reference.title, sections }]
  files['docs/search.json'] = JSON.stringify(indexOf(all))
  files['llms.txt'] = llms()
  return files
}
