/** Pages: answered as HTML under a strict policy, to people whom a missing session leads to the sign-in page. */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { Child } from 'hono/jsx'
import { memberWorkspace, type Workspace } from '../data/workspaces.ts'
import { requireManager } from '../http/access.ts'
import { ApiError, ERRORS, toApiError } from '../http/errors.ts'
import { readSession, type SessionEnv } from '../http/session.ts'
import { Layout, type LayoutProps } from './layout.tsx'

/** The app of pages for someone who has signed in; below /app/:workspace, `workspace` is there too. */
export type PageEnv = SessionEnv & { Variables: { workspace: Workspace } }

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

/** Answers with a page. `user` and `workspace` come from the request, where it has them. */
export const renderPage = (
  c: Context,
  page: LayoutProps,
  status: 200 | 400 | 401 | 403 | 404 | 409 | 429 | 500 | 503 = 200,
) => {
  c.header('Content-Security-Policy', POLICY)
  c.header('Referrer-Policy', 'same-origin')
  const markup = <Layout user={c.get('user')} workspace={c.get('workspace')} {...page} />
  return c.html(`<!doctype html>${markup}`, status)
}

/** The page for an error. */
export const errorPage = (error: Error, c: Context) => {
  const { code, message, retryAfter } = toApiError(error)
  if (retryAfter !== undefined) c.header('Retry-After', String(retryAfter))
  const children: Child = (
    <>
      <h1>{ERRORS[code][0] === 404 ? 'Not found' : 'That did not work'}</h1>
      <p>{message}</p>
      <p>
        <a href="/app">To your workspaces</a>
      </p>
      <p class="hint">Request {c.get('requestId')}</p>
    </>
  )
  return renderPage(c, { title: 'Error', children }, ERRORS[code][0] as 404)
}

/** Lets in whoever is signed in, for `c.var.user`, and sends everybody else to the sign-in page and back. */
export const signedIn = () =>
  createMiddleware<SessionEnv>(async function signedIn(c, next) {
    const user = await readSession(c)
    if (!user) {
      const { pathname, search } = new URL(c.req.url)
      return c.redirect(`/sign-in?next=${encodeURIComponent(pathname + search)}`, 303)
    }
    c.set('user', user)
    return next()
  })

/** Finds the workspace of the address for its member, as `c.var.workspace`. @throws {ApiError} `not_found` */
export const inWorkspace = () =>
  createMiddleware<PageEnv>(async function inWorkspace(c, next) {
    const address = c.req.param('workspace') ?? ''
    const workspace = await memberWorkspace(c.var.db, address, c.var.user.email).executeTakeFirst()
    if (!workspace)
      throw new ApiError('not_found', 'There is no such workspace, or you are not a member of it.')
    c.set('workspace', workspace)
    await next()
  })

/** Lets only managers on. @throws {ApiError} `manager_required` */
export const managersOnly = () =>
  createMiddleware<PageEnv>(async function managersOnly(c, next) {
    requireManager(c.var.workspace)
    await next()
  })
