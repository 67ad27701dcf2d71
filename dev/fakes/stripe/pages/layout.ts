/** The layout that the fake's pages share. */
import { html } from 'hono/html'
import { fromStripe } from '../../../../lib/stripe/amounts.ts'
import { formatMoney } from '../../../../lib/values/money.ts'

export type Html = ReturnType<typeof html>

/** The path of the pages, here and at Tributary's public URL. */
export const STRIPE_PATH = '/dev/stripe'

/** Escaped like text when inserted, so it must not contain quotes or `>`. */
const STYLE = `
:root {
  color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif;
  --line: light-dark(#d5d9e0, #3b4250); --muted: light-dark(#566070, #aab4c4); --accent: light-dark(#4b45c6, #b0adff);
  --on-accent: light-dark(#fff, #14132e); --card: light-dark(#fff, #1c212b); --alert: light-dark(#a3261b, #ffb4a8);
}
body { margin: 0; background: light-dark(#f5f6f8, #12161d); color: light-dark(#1a1f29, #e8ecf3); overflow-wrap: anywhere }
main { max-width: 62rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; display: grid; gap: 1.5rem; grid-template-columns: minmax(0, 1fr) }
h1, h2, p, ul, dl, dd { margin: 0; padding: 0 }
h1 { font-size: 1.6rem; line-height: 1.2 }
h2 { font-size: 1.15rem }
a { color: var(--accent) }
.notice { padding: .5rem 1rem; border-bottom: 1px dashed var(--accent); font-size: .9rem }
.card { padding: 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 10px; display: grid; gap: .9rem; grid-template-columns: minmax(0, 1fr) }
.pay { display: grid; gap: 1.5rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); align-items: start }
.row { display: flex; justify-content: space-between; gap: 1rem }
.row dd { font-variant-numeric: tabular-nums; white-space: nowrap }
.total { border-top: 1px solid var(--line); padding-top: .6rem; font-weight: 600 }
.muted, small { color: var(--muted); font-size: .9rem }
label { font-weight: 600 }
form.card label { margin-bottom: -.6rem }
ul.needs { padding-left: 1.25rem }
form { display: grid; gap: .6rem }
.inline { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center }
.inline input { flex: 1 1 9rem }
input { box-sizing: border-box; width: 100%; padding: .6rem .75rem; border: 1px solid light-dark(#8089a0, #7b869c); border-radius: 7px; background: light-dark(#fff, #141922); color: inherit; font: inherit }
input[readonly] { background: light-dark(#f0f1f4, #232935); color: var(--muted) }
button { padding: .5rem .9rem; border: 1px solid var(--accent); border-radius: 7px; background: transparent; color: var(--accent); font: inherit; font-weight: 600; cursor: pointer }
button.main { padding: .75rem; background: var(--accent); color: var(--on-accent) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.alert { color: var(--alert); font-weight: 600 }
.list { list-style: none; display: grid; gap: 0 }
.list li { padding: .8rem 0; border-top: 1px solid var(--line); display: grid; gap: .5rem; grid-template-columns: minmax(0, 1fr) }
@media (min-width: 46rem) { .list li { grid-template-columns: minmax(0, 1fr) auto; align-items: center } }
code { font: .85rem/1.5 ui-monospace, Menlo, Consolas, monospace }
.status { padding: 0 .5rem; border: 1px solid currentcolor; border-radius: 99px; font-size: .85rem; white-space: nowrap }
`

/** A whole page. */
export const layout = (
  title: string,
  nonce: string | undefined,
  body: Html,
): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<aside class="notice" aria-label="About this page">This is a fake of Stripe for local use. No card is charged, and nothing leaves this machine.</aside>
<main>
${body}
</main>
</body>
</html>
`

/** Formats one of Stripe's amounts. */
export const money = (amount: number | null, currency: string | null): string => {
  const code = (currency ?? 'usd').toUpperCase()
  return formatMoney(fromStripe(amount ?? 0, code), code)
}
