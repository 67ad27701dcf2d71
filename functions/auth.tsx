import { WorkerEntrypoint } from 'cloudflare:workers'
import type { Context } from 'hono'
import { createAuth, LINK_MINUTES } from '../lib/auth/better-auth.ts'
import { type AuthBindings, type AuthContext, openAuth } from '../lib/auth/context.ts'
import { isSecure } from '../lib/auth/cookies.ts'
import { readSessions } from '../lib/auth/ready.queries.ts'
import type { AuthService } from '../lib/auth/session.ts'
import { connect } from '../lib/db/connection.ts'
import { createApp } from '../lib/http/app.ts'
import { noSuchEndpoint } from '../lib/http/base-app.ts'
import { ApiError, errorResponse, toApiError } from '../lib/http/errors.ts'
import { NO_EMAIL } from '../lib/http/fields.ts'
import { noteForLog } from '../lib/http/logging.ts'
import { callerKey, isWithinLimit, limitRate } from '../lib/http/rate-limit.ts'
import { body, form } from '../lib/http/validate.ts'
import type { Language } from '../lib/languages/languages.ts'
import { inEnglish } from '../lib/languages/message.ts'
import * as m from '../lib/languages/messages.ts'
import { limitedMailbox } from '../lib/mail/transport/address.ts'
import { noticeFor } from '../lib/pages/layout/parts.tsx'
import { errorPage, noSuchPage, renderPage } from '../lib/pages/layout/render.tsx'
import { readerFor, textsOf } from '../lib/pages/layout/text.ts'
import {
  ConfirmPage,
  linksOnTheWay,
  MailSentPage,
  MailsOnTheWayPage,
  SignInPage,
} from '../lib/sign-in/pages.tsx'
import { readPasskeyState } from '../lib/sign-in/passkeys/passkeys.service.ts'
import { badLink, browserOf, enter, limitCaller } from '../lib/sign-in/replies.tsx'
import {
  findSession,
  readLink,
  redeemLink,
  sendLink,
  signOut,
} from '../lib/sign-in/requests/links.ts'
import { safePath } from '../lib/sign-in/requests/next-url.ts'
import { requestLink } from '../lib/sign-in/requests/request-link.ts'
import { askingBrowser } from '../lib/sign-in/requests/requesting-browser.ts'
import { LinkRequest } from '../lib/sign-in/requests/sign-in.schemas.ts'
import { readEmail } from '../lib/values/emails.ts'
import accounts from './auth/accounts.tsx'
import code from './auth/code.tsx'
import language from './auth/language.ts'
import passkeys from './auth/passkeys.tsx'
import sessions from './auth/sessions.tsx'

/** Mails a link, whether or not the address is known. @throws {ApiError} `try_again` */
const mailLink = async (c: AuthContext, email: string, next: string) => {
  // The rate limiter stops bursts before the database counts the links of a mailbox.
  const mayMail = await isWithinLimit(c.env.RATE_LIMIT, `to ${limitedMailbox(email)}`)
  const { setCookie, ...asking } = await browserOf(c)
  const request = {
    db: c.var.db,
    now: c.var.now,
    env: c.env,
    url: c.req.url,
    asking,
    language: readerFor(c).language,
  }
  const limited = { outcome: 'on_the_way', logged: 'on_the_way', problem: null } as const
  const served = mayMail ? await requestLink(c, request, email, next) : limited
  if (served.outcome === 'mailed' && setCookie) c.header('Set-Cookie', setCookie, { append: true })
  noteForLog(c, { outcome: `link_${served.logged}` })
  return served
}

/** Reports that a link was mailed, or that earlier links are on their way. */
const showMailed = (
  c: Context,
  email: string,
  next: string,
  { outcome, problem }: Awaited<ReturnType<typeof mailLink>>,
) => {
  const children =
    outcome === 'mailed' ? (
      <MailSentPage email={email} next={next} problem={problem} />
    ) : (
      <MailsOnTheWayPage email={email} />
    )
  return renderPage(c, { title: m.check_email, children })
}

const DONE = { everywhere: m.signed_out_everywhere }

/** Whether to respond with JSON instead of a page. */
const isApi = (c: Context): boolean =>
  c.req.path.startsWith('/api/') ||
  c.req.path === '/readyz' ||
  c.req.header('Content-Type')?.startsWith('application/json') === true

/** Sign-in by email: pages, and the same endpoints in JSON under /api/auth. */
const app = createApp()
  .onError((error, c) => (isApi(c) ? errorResponse(c, toApiError(error)) : errorPage(error, c)))
  .notFound((c) => (isApi(c) ? errorResponse(c, noSuchEndpoint(c)) : errorPage(noSuchPage(), c)))
  .get('/readyz', openAuth(), async (c) => {
    await limitRate(c.env.RATE_LIMIT, `ready ${callerKey(c)}`)
    // The first query may wake the database, so only the second is timed.
    await readSessions(c.var.db)
    const start = Date.now()
    await readSessions(c.var.db)
    const databaseMs = Date.now() - start
    if (!(await c.env.MAILER.hasTransport()))
      throw new ApiError(
        'try_again',
        'No mail can be sent, so nobody can sign in: the mailer has no transport.',
      )
    return c.json({ databaseMs })
  })
  .get('/sign-in', openAuth(), (c) => {
    const next = safePath(c.req.query('next'))
    const done = noticeFor(DONE, c.req.query('done'))
    const t = textsOf(c)
    return renderPage(c, {
      title: t(m.sign_in),
      children: <SignInPage next={next} done={done && t(done)} />,
    })
  })
  .post('/sign-in', openAuth(), form(), async (c) => {
    await limitCaller(c)
    const { email: typed, ...fields } = c.req.valid('form')
    const next = safePath(fields.next)
    const t = textsOf(c)
    const email = readEmail(typed)
    if (!email) {
      const page = <SignInPage next={next} email={typed} problem={NO_EMAIL} />
      return renderPage(c, { title: t(m.sign_in), children: page }, 400)
    }
    const served = await mailLink(c, email, next)
    if (served.outcome === 'refused') {
      const page = <SignInPage next={next} email={typed} problem={t(m.undeliverable)} />
      return renderPage(c, { title: t(m.sign_in), children: page }, 400)
    }
    return showMailed(c, email, next, served)
  })
  // For a signed-in person who prefers a link to a passkey.
  .post('/auth/confirmation-link', openAuth(), form(), async (c) => {
    await limitCaller(c)
    const next = safePath(c.req.valid('form').next)
    const session = await findSession(c.var, c.req.header('Cookie'))
    if (!session) return c.redirect(`/sign-in?next=${encodeURIComponent(next)}`, 303)
    const { email } = session.user
    return showMailed(c, email, next, await mailLink(c, email, next))
  })
  .get('/auth/confirm', openAuth(), async (c) => {
    const { token = '' } = c.req.query()
    const link = await readLink(c, token)
    if (!link) return badLink(c)
    const children = (
      <ConfirmPage
        email={link.email}
        token={token}
        ask={link.ask}
        userAgent={c.req.header('User-Agent')}
      />
    )
    // Drops the other parameters: a person who forwards the link may have changed them.
    const path = `/auth/confirm?token=${encodeURIComponent(token)}`
    return renderPage(c, { title: textsOf(c)(m.sign_in), path, children })
  })
  .post('/auth/confirm', openAuth(), form(), async (c) => {
    await limitCaller(c)
    const signedIn = await redeemLink(c, c.req.valid('form').token ?? '')
    return signedIn ? enter(c, signedIn) : badLink(c)
  })
  .route('/', code)
  .route('/', accounts)
  .route('/', sessions)
  .route('/', passkeys)
  .route('/', language)
  .post('/api/auth/sign-in/magic-link', openAuth(), body(LinkRequest), async (c) => {
    const { email, next } = c.req.valid('json')
    await limitCaller(c)
    const { outcome } = await mailLink(c, email, next)
    if (outcome === 'mailed') return c.json({ status: true })
    if (outcome === 'refused')
      throw new ApiError('invalid_body', `email: ${inEnglish(m.undeliverable)}`)
    throw new ApiError('rate_limited', linksOnTheWay(email, inEnglish), {
      retryAfter: LINK_MINUTES * 60,
    })
  })
  .get('/api/auth/get-session', openAuth(), async (c) => {
    const session = await findSession(c.var, c.req.header('Cookie'))
    if (!session) return c.json(null)
    for (const cookie of session.setCookie) c.header('Set-Cookie', cookie, { append: true })
    return c.json({ user: session.user, session: { expiresAt: session.expiresAt } })
  })
  .post('/api/auth/sign-out', openAuth(), async (c) => {
    c.header('Set-Cookie', await signOut(c))
    return c.json({ success: true })
  })

/** The session of another Worker's request. */
const sessionOf = (env: AuthBindings, headers: Headers, url: string) => {
  const secure = isSecure(url)
  const auth = createAuth({ db: connect(env), secret: env.AUTH_SECRET, secure })
  return findSession({ auth, secure }, headers.get('Cookie'))
}

/** The auth Worker: pages and endpoints over HTTP. */
export default class Auth extends WorkerEntrypoint<AuthBindings> {
  override fetch(request: Request) {
    return app.fetch(request, this.env, this.ctx)
  }
}

/** The session, over RPC for the other Workers. */
export class Sessions extends WorkerEntrypoint<AuthBindings> implements AuthService {
  async getSession(headers: Headers, url: string): ReturnType<AuthService['getSession']> {
    const session = await sessionOf(this.env, headers, url)
    if (!session) return null
    const { user, signedInAt, passkeyAt, setCookie } = session
    return { user, signedInAt, passkeyAt, setCookie }
  }

  async passkeyState(headers: Headers, url: string): ReturnType<AuthService['passkeyState']> {
    const session = await sessionOf(this.env, headers, url)
    if (!session) throw new Error('There is no session.')
    return readPasskeyState({ db: connect(this.env), now: new Date(), url, session })
  }

  async startConfirmation(
    headers: Headers,
    url: string,
    next: string,
    language: Language,
  ): ReturnType<AuthService['startConfirmation']> {
    const session = await sessionOf(this.env, headers, url)
    if (!session) throw new Error('There is no session.')
    const [db, now] = [connect(this.env), new Date()]
    if ((await readPasskeyState({ db, now, url, session })) === 'counts') return 'passkey'
    const settings = { secret: this.env.AUTH_SECRET, secure: isSecure(url) }
    const { setCookie: _, ...asking } = await askingBrowser(headers, settings)
    const request = {
      db,
      now,
      env: this.env,
      url,
      asking,
      language,
    }
    const outcome = await sendLink(request, session.user.email, safePath(next))
    if (outcome === 'refused') throw new Error('The address of a session is not deliverable.')
    return outcome
  }
}
