/** Pages: answered as HTML under a strict policy, to people whom a missing session leads to the sign-in page. */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { Child } from 'hono/jsx'
import { readSession, type SessionEnv } from '../auth/session.ts'
import { createApp } from '../http/app.ts'
import { ApiError, ERROR_STATUS, toApiError } from '../http/errors.ts'
import { Layout, type LayoutProps } from './layout.tsx'

/** Nothing runs or loads but our own files, and nobody frames us or gets our forms. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/**
 * Answers with a page. `user` and `workspace` come from the request, where it has them. The title says so when
 * something is wrong: it is what a screen reader reads first.
 */
export const renderPage = (
  c: Context,
  page: LayoutProps,
  status: 200 | 400 | 401 | 403 | 404 | 409 | 429 | 500 | 503 = 200,
) => {
  c.header('Content-Security-Policy', POLICY)
  c.header('Referrer-Policy', 'same-origin')
  const title = status >= 400 ? `Error: ${page.title}` : page.title
  const markup = <Layout user={c.get('user')} workspace={c.get('workspace')} {...page} title={title} />
  return c.html(`<!doctype html>${markup}`, status)
}

/** The page for an error. */
export const errorPage = (error: Error, c: Context) => {
  const { code, message, retryAfter } = toApiError(error)
  if (retryAfter !== undefined) c.header('Retry-After', String(retryAfter))
  const title = ERROR_STATUS[code] === 404 ? 'Not found' : 'That did not work'
  const [home, back] = /^\/portal(\/|$)/.test(c.req.path)
    ? ['/portal', 'To the partner portal']
    : ['/app', 'To your workspaces']
  const children: Child = (
    <>
      <h1>{title}</h1>
      <p>{message}</p>
      <p>
        <a href={home}>{back}</a>
      </p>
      <p class="hint">Request {c.get('requestId')}</p>
    </>
  )
  return renderPage(c, { title, home, children }, ERROR_STATUS[code] as 404)
}

/** The error for an address that no page has. */
export const noSuchPage = () => new ApiError('not_found', 'There is no such page.')

/** The app of a Worker that answers with pages, errors too. */
export const createPages = () =>
  createApp()
    .onError(errorPage)
    .notFound((c) => errorPage(noSuchPage(), c))

/** Where to go on after signing in: to the page that was asked for, or to that of the form, which is none itself. */
const wayBack = (c: Context): string => {
  const asked = new URL(c.req.url)
  const form = c.req.method === 'POST' ? URL.parse(c.req.header('Referer') ?? '') : null
  const { pathname, search } = form?.origin === asked.origin ? form : asked
  return pathname + search
}

/** Lets in whoever is signed in, for `c.var.user`, and sends everybody else to the sign-in page and back. */
export const signedIn = () =>
  createMiddleware<SessionEnv>(async function signedIn(c, next) {
    const user = await readSession(c)
    if (!user) {
      return c.redirect(`/sign-in?next=${encodeURIComponent(wayBack(c))}`, 303)
    }
    c.set('user', user)
    return next()
  })
