import { html } from 'hono/html'
import { ERROR_STATUS, type ErrorCode } from '../lib/http/errors.ts'
import type { DocsPage } from './docs/layout.ts'
import { ERROR_REFERENCE } from './error-reference.ts'

const code = (text: string) =>
  text.split('`').map((part, index) => (index % 2 ? html`<code>${part}</code>` : part))

/** The page of errors, to which `docUrl` links, with a section per code. */
export const errorsPage = (): DocsPage => ({
  name: 'errors',
  title: 'Errors',
  headings: [],
  hasMarkdown: false,
  body: String(html`<h1>Errors</h1>
<p>Every error is <code>{"error": {"code", "message", "details", "requestId", "docUrl"}}</code>. Codes are stable; messages are for people and may change.</p>
${Object.entries(ERROR_REFERENCE).map(
  ([name, { when, remedy }]) => html`<section id="${name}">
<h2><code>${name}</code> <small>${ERROR_STATUS[name as ErrorCode]}</small></h2>
<p>${code(when)}<br>${code(remedy)}</p>
</section>
`,
)}`),
})
