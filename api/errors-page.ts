import { html } from 'hono/html'
import { ERRORS } from '../lib/http/errors.ts'

const code = (text: string) =>
  text.split('`').map((part, index) => (index % 2 ? html`<code>${part}</code>` : part))

/** The page that an error's `docUrl` leads to: one section per code, from the very table that answers are made with. */
export const errorsPage = (): string =>
  String(html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Errors · Tributary</title>
<style>
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
  body { max-width: 42rem; margin: 2rem auto; padding: 0 1rem }
  h2 { margin-bottom: 0 }
  :target { background: color-mix(in srgb, Highlight 20%, transparent) }
</style>
<h1>Errors</h1>
<p>Every error is <code>{"error": {"code", "message", "details", "requestId", "docUrl"}}</code>. The code is stable; the message is for people.</p>
${Object.entries(ERRORS).map(
  ([name, [status, when, remedy]]) => html`<section id="${name}">
<h2><code>${name}</code> <small>${status}</small></h2>
<p>${code(when)}<br>${code(remedy)}</p>
</section>
`,
)}
</html>
`)
