/** The dev inbox: plays Resend's API for the mailer, and keeps what it was given instead of sending it. */
import { createServer } from 'node:http'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { NONCE, secureHeaders } from 'hono/secure-headers'
import { type Listening, listen } from '../runtime/ports.ts'
import { listPage, mailPage } from './inbox/pages.ts'
import { createResend, type InboxMail, refusal } from './inbox/resend.ts'

/** Where the pages are, here and at Tributary's own address. */
export const INBOX_PATH = '/dev/mail'

/** The most that is kept: an import's welcome mails, several times over. */
const MAX_MAILS = 20_000
/** The most that the list shows; `?to=` finds the rest. */
const MAX_SHOWN = 200

/** What may go wrong with a request to Resend. */
export type InboxFailure =
  /** An error of the API; `retryAfter` in seconds. The mail is not taken. */
  | { status: 403 | 422 | 429 | 500; name: string; retryAfter?: number }
  /** Nobody ever answers. The mail is not taken. */
  | 'silence'
  /** The mail is taken, and the connection is cut before the answer. */
  | 'cut_after'
  /** A proxy answers with a page of its own. The mail is not taken. */
  | 'garbage'

export type Inbox = Listening & {
  /** What arrived, newest first. */
  mails: (to?: string) => InboxMail[]
  /** Gives the next requests failure, in order; null lets one pass. */
  plan: (...failures: (InboxFailure | null)[]) => void
  /** How many times the API was called. */
  calls: () => number
}

/** The links of a mail that is shown in a frame open outside of it. */
const openOutside = (markup: string): string => markup.replace('<head>', '<head><base target="_blank">')

const PAGE_HEADERS = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: [NONCE],
    frameSrc: ["'self'"],
    frameAncestors: ["'none'"],
  },
  strictTransportSecurity: false,
})

/** A mail is anybody's markup: it runs and loads nothing, wherever it is opened. */
const MAIL_POLICY =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"

/**
 * Starts an inbox on a free port.
 *
 * `POST /emails` is Resend's; `GET /mails.json?to=address` lists what arrived, newest first: `id, to, from,
 * subject, text, html, at`; `/dev/mail` shows it. The list is at `/dev/mail/mails.json` too, which is reachable
 * where only the pages are.
 */
export const startInbox = async (): Promise<Inbox> => {
  const kept: InboxMail[] = []
  const failures: (InboxFailure | null)[] = []
  let calls = 0
  const resend = createResend((mail) => {
    kept.unshift(mail)
    kept.length = Math.min(kept.length, MAX_MAILS)
  })
  const mails = (to?: string): InboxMail[] =>
    to === undefined ? [...kept] : kept.filter((mail) => mail.to.toLowerCase() === to.trim().toLowerCase())

  const app = new Hono<{ Bindings: HttpBindings }>()
    .post('/emails', async (c) => {
      calls++
      const body = await c.req.text()
      const failure = failures.shift()
      if (failure === 'silence') await new Promise(() => {})
      if (failure === 'garbage') return c.html('<html>One moment, please</html>', 502)
      if (failure && typeof failure === 'object') {
        if (failure.retryAfter !== undefined) c.header('Retry-After', String(failure.retryAfter))
        return c.json(refusal(failure.status, failure.name, 'As it was told.').body, failure.status)
      }
      const reply = resend(c.req.raw.headers, body)
      if (failure === 'cut_after') c.env.outgoing.destroy()
      return c.json(reply.body, reply.status)
    })
    .on('GET', ['/mails.json', `${INBOX_PATH}/mails.json`], (c) => c.json(mails(c.req.query('to'))))
    .get(INBOX_PATH, PAGE_HEADERS, (c) => {
      const to = c.req.query('to')
      return c.html(listPage(mails(to).slice(0, MAX_SHOWN), to, c.get('secureHeadersNonce')))
    })
    .get(`${INBOX_PATH}/:id`, PAGE_HEADERS, (c) => {
      const mail = kept.find(({ id }) => id === c.req.param('id'))
      return mail
        ? c.html(mailPage(mail, c.get('secureHeadersNonce')))
        : c.text('There is no such mail.', 404)
    })
    .get(`${INBOX_PATH}/:id/html`, (c) => {
      const mail = kept.find(({ id }) => id === c.req.param('id'))
      c.header('Content-Security-Policy', MAIL_POLICY)
      return mail?.html ? c.html(openOutside(mail.html)) : c.text('This mail has no HTML.', 404)
    })

  const listening = await listen(createServer(getRequestListener(app.fetch)))
  return {
    ...listening,
    mails,
    plan: (...next) => {
      failures.splice(0, failures.length, ...next)
    },
    calls: () => calls,
  }
}
