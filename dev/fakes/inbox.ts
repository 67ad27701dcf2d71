/**
 * The dev inbox: a fake of Resend's API that keeps mails instead of sending them, and shows them at
 * /dev/mail.
 */
import { createServer } from 'node:http'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { NONCE, secureHeaders } from 'hono/secure-headers'
import { type Listening, listen } from '../runtime/ports.ts'
import { type Account, createAccount } from './inbox/account.ts'
import { listPage, mailPage } from './inbox/pages.ts'
import { createResend, errorReply, type InboxMail } from './inbox/resend.ts'

/** The path of the pages, here and at Tributary's public URL. */
export const INBOX_PATH = '/dev/mail'

/** The most mails kept: several large imports' worth of welcome mails. */
const MAX_MAILS = 20_000
/** The most mails listed; `?to=` finds the others. */
const MAX_SHOWN = 200

/** A failure to inject into a request. */
export type InboxFailure =
  /** An API error; `retryAfter` in seconds. The mail is not accepted. */
  | { status: 403 | 422 | 429 | 500; name: string; retryAfter?: number }
  /** No response. The mail is not accepted. */
  | 'silence'
  /** The mail is accepted, and the connection is closed before the response. */
  | 'cut_after'
  /** A proxy responds with an HTML page. The mail is not accepted. */
  | 'garbage'

export type Inbox = Listening & {
  /** The mails received, newest first. */
  mails: (to?: string) => InboxMail[]
  /** Makes the next requests fail, in order; null lets one succeed. */
  plan: (...failures: (InboxFailure | null)[]) => void
  /** The number of API calls. */
  calls: () => number
  /** What its account may do, and what it reports. */
  account: Account
}

/**
 * Whether a request names this machine. A page of another site, whose own name was made to lead
 * here (DNS rebinding), would otherwise read sign-in links.
 */
const isLocal = (host = ''): boolean =>
  ['127.0.0.1', 'localhost', '[::1]'].includes(host.toLowerCase().replace(/:\d+$/, ''))

/** Makes the links of a framed mail open in a new tab. */
const openOutside = (markup: string): string =>
  markup.replace('<head>', '<head><base target="_blank">')

const PAGE_HEADERS = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    styleSrc: [NONCE],
    frameSrc: ["'self'"],
    frameAncestors: ["'none'"],
  },
  strictTransportSecurity: false,
})

/** A mail's markup is untrusted: no scripts, no external resources. */
const MAIL_POLICY =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"

/**
 * Starts an inbox on a free port.
 *
 * `POST /emails` and `POST /emails/batch` are Resend's. `GET /mails.json?to=address` lists the
 * mails received, newest first: `id, to, from, subject, text, html, at`. `/dev/mail` shows them.
 * The list is also at `/dev/mail/mails.json`, for callers that reach the pages only.
 *
 * @param now the account's time, in milliseconds
 */
export const startInbox = async (now: () => number = Date.now): Promise<Inbox> => {
  const kept: InboxMail[] = []
  const failures: (InboxFailure | null)[] = []
  let calls = 0
  const account = createAccount(now)
  const resend = createResend({
    refusal: account.refusal,
    keep: (mail) => {
      kept.unshift(mail)
      kept.length = Math.min(kept.length, MAX_MAILS)
      account.accept(mail)
    },
  })
  const mails = (to?: string): InboxMail[] =>
    to === undefined
      ? [...kept]
      : kept.filter((mail) => mail.to.toLowerCase() === to.trim().toLowerCase())

  const app = new Hono<{ Bindings: HttpBindings }>()
    .use(async (c, next) => {
      if (!isLocal(c.req.header('Host')))
        return c.text('The dev inbox is at 127.0.0.1 and localhost only.', 421)
      await next()
    })
    .on('POST', ['/emails', '/emails/batch'], async (c) => {
      calls++
      const body = await c.req.text()
      const failure = failures.shift()
      if (failure === 'silence') await new Promise(() => {})
      if (failure === 'garbage') return c.html('<html>One moment, please</html>', 502)
      if (failure && typeof failure === 'object') {
        if (failure.retryAfter !== undefined) c.header('Retry-After', String(failure.retryAfter))
        return c.json(
          errorReply(failure.status, failure.name, 'Simulated failure.').body,
          failure.status,
        )
      }
      const handle = c.req.path === '/emails' ? resend.one : resend.batch
      const reply = account.request() ?? handle(c.req.raw.headers, body)
      for (const [name, value] of Object.entries(account.headers())) c.header(name, value)
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
        : c.text('No such mail.', 404)
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
    account,
  }
}
