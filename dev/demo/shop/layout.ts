/** The layout of all pages: head with the snippet, demo bar, header, footer. */
import { html, raw } from 'hono/html'
import type { ShopConfig } from './config.ts'
import type { Customer } from './store.ts'

/** Markup made with `html`, which escapes interpolated values. */
export type Html = ReturnType<typeof html>

export type Page = { title: string; body: Html }

type PageContext = {
  config: ShopConfig
  path: string
  nonce: string | undefined
  customer: Customer | undefined
}

/**
 * Shows whether this browser remembers a click. `ready` is the snippet's promise of the click id.
 */
const CLICK_STATE = `addEventListener('DOMContentLoaded', async () => {
  const clickId = await window.tributary?.ready
  document.querySelector('#click-state').textContent = clickId
    ? 'This browser remembers the click ' + clickId.slice(0, 12) + '…'
    : window.tributary ? 'This browser remembers no click.' : 'The snippet is blocked in this browser.'
})`

/** A whole page. */
export const layout = (
  { title, body }: Page,
  { config, path, nonce, customer }: PageContext,
): Html => {
  const link = (href: string, text: string) =>
    html`<a href="${href}"${path === href ? html` aria-current="page"` : ''}>${text}</a>`

  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Pine Notes</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/shop.css">
<link rel="stylesheet" href="/demo.css">
<script defer src="${config.tributaryUrl}/via.js" data-program="${config.programId}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${demoStrip(config, nonce)}
<header class="site">
  <a class="brand" href="/"><img src="/icon.svg" alt="" width="28" height="28">Pine Notes</a>
  <nav aria-label="Main">
    ${link('/pricing', 'Pricing')}
    ${customer ? link('/account', 'Account') : link('/sign-up', 'Sign up')}
  </nav>
</header>
<main id="main">
${body}
</main>
<footer class="site">
  <p>Pine Notes is not a real company: it is the demo shop of Tributary. It charges nothing, and all its data is lost when it stops.</p>
</footer>
</body>
</html>
`
}

/** A page with a message only. */
export const messagePage = (title: string, text: string): Page => ({
  title,
  body: html`<div class="narrow"><h1>${title}</h1><p class="lead">${text}</p><p><a class="button" href="/">To the home page</a></p></div>`,
})

const demoStrip = (config: ShopConfig, nonce: string | undefined): Html => html`
<aside class="demo-strip" aria-label="About this demo">
  <p><strong class="demo-label">Demo</strong> <span id="click-state" role="status">Checking for a click…</span></p>
  <p class="demo-links">
    <a href="/?via=${config.partnerSlug}">Maya’s link</a>
    <a href="/?via=leo">Leo’s link</a>
  </p>
  <form method="post" action="/start-over"><button class="link">Start over</button></form>
  <script nonce="${nonce}">${raw(CLICK_STATE)}</script>
</aside>`
