/** Components of the overview. */
import { html } from 'hono/html'
import { type Html, STRIPE_PATH } from './layout.ts'

/** The most entries shown per section. */
export const MAX_SHOWN = 50

export const time = (seconds: number): Html => {
  const at = new Date(seconds * 1_000).toISOString()
  return html`<time datetime="${at}">${at.slice(0, 10)} ${at.slice(11, 19)}</time>`
}

/** A button with its own form. @param about its object, for screen readers */
export const button = (
  path: string,
  text: string,
  about: string,
  fields: Record<string, string> = {},
): Html =>
  html`<form method="post" action="${STRIPE_PATH}${path}">${Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}<button aria-label="${text}: ${about}">${text}</button></form>`

export const entry = (text: Html, buttons: Html[]): Html =>
  html`<li><div>${text}</div><div class="inline">${buttons}</div></li>`

export const section = (
  title: string,
  items: Html[],
  none: string,
): Html => html`<section class="card">
<h2>${title}</h2>
${items.length ? html`<ul class="list">${items}</ul>` : html`<p>${none}</p>`}
</section>`
