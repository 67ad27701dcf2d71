/** The inbox's pages at /dev/mail: the list, and a single mail. */
import { html } from 'hono/html'
import type { InboxMail } from './resend.ts'

type Html = ReturnType<typeof html>

const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { width: 100%; border-collapse: collapse }
th, td { padding: .4rem .6rem .4rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid GrayText; overflow-wrap: anywhere }
time { white-space: nowrap }
.mail { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)) }
iframe { box-sizing: border-box; width: 100%; height: 36rem; border: 1px solid GrayText; background: Canvas }
pre { margin: 0; padding: 1rem; border: 1px solid GrayText; white-space: pre-wrap; overflow-wrap: anywhere }
`

const layout = (title: string, nonce: string | undefined, body: Html): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`

const time = (at: Date): Html =>
  html`<time datetime="${at.toISOString()}">${at.toISOString().slice(11, 19)}</time>`

/** The list of mails, newest first. @param to the recipient that it is filtered by, if any */
export const listPage = (
  mails: InboxMail[],
  to: string | undefined,
  nonce: string | undefined,
): Html =>
  layout(
    'Sent mail',
    nonce,
    html`<main>
<h1>Sent mail${to && html` to ${to}`}</h1>
<p>No mail leaves this machine. Everything Tributary sends is kept here until it stops.
${to && html`<a href="/dev/mail">All mail</a>`}</p>
${
  mails.length === 0
    ? html`<p>No mail yet.</p>`
    : html`<table>
<thead><tr><th scope="col">To</th><th scope="col">Subject</th><th scope="col">Sent (UTC)</th></tr></thead>
<tbody>${mails.map(
        (mail) => html`<tr>
<td><a href="/dev/mail?to=${encodeURIComponent(mail.to)}">${mail.to}</a></td>
<td><a href="/dev/mail/${mail.id}"><bdi>${mail.subject}</bdi></a></td>
<td>${time(mail.at)}</td>
</tr>`,
      )}</tbody>
</table>`
}
</main>`,
  )

/** A single mail: its HTML in a sandboxed frame, and its text. */
export const mailPage = (mail: InboxMail, nonce: string | undefined): Html =>
  layout(
    mail.subject,
    nonce,
    html`<main>
<p><a href="/dev/mail">All mail</a></p>
<h1><bdi>${mail.subject}</bdi></h1>
<p>From ${mail.from}<br>To ${mail.to}<br>Sent at ${time(mail.at)} UTC</p>
<div class="mail">
<section><h2>HTML</h2><iframe title="The mail’s HTML" src="/dev/mail/${mail.id}/html" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe></section>
<section><h2>Text</h2><pre dir="auto">${mail.text}</pre></section>
</div>
</main>`,
  )
