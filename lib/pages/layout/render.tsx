/** HTML pages: a strict content security policy, error pages, and a redirect to sign in. */

import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { Child } from 'hono/jsx'
import { readSession, type SessionEnv } from '../../auth/session.ts'
import { type Brand, logoOrigins } from '../../brand/brand.ts'
import { createApp } from '../../http/app.ts'
import { ApiError, ERROR_STATUS, toApiError } from '../../http/errors.ts'
import { sayIn } from '../../languages/api-sentences.ts'
import * as m from '../../languages/messages.ts'
import { renderFor } from '../parts/money.tsx'
import { accentRules } from './brand.tsx'
import { Layout, type LayoutProps } from './layout.tsx'
import { LinkLine } from './parts.tsx'
import { isTranslated, readerFor, type Shown, textsOf } from './text.ts'

type Allowed = {
  hasFrames: boolean
  /** The origins of logos. */
  logos: string[]
  /** The nonce of the page's style sheet, if it has one. */
  nonce: string | undefined
}

/**
 * Only our own files run or load, except programs' logos. No other site frames our pages, and forms
 * post only to us.
 */
const policy = ({ hasFrames, logos, nonce }: Allowed): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    nonce ? `style-src 'self' 'nonce-${nonce}'` : "style-src 'self'",
    ["img-src 'self' data:", ...logos].join(' '),
    "connect-src 'self'",
    ...(hasFrames ? ["frame-src 'self'"] : []),
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')

type PageProps = Omit<LayoutProps, 'title' | 'style' | 'language' | 'path'> & {
  title: Shown
  /** Where the page opens in another language; by default, the requested path. */
  path?: string
  hasFrames?: boolean
  /** The brands of the programs on the page. */
  brands?: readonly Brand[] | undefined
}

/**
 * Renders a page. `user` and `workspace` default to those of the request. The title of an error
 * page names the error, because screen readers announce the title first. A page with `hasFrames`
 * may frame ours; one with `brands` shows their logos and colours.
 */
export const renderPage = (
  c: Context,
  { hasFrames = false, brands = [], path = returnPath(c), ...page }: PageProps,
  status: 200 | 400 | 401 | 403 | 404 | 409 | 429 | 500 | 503 = 200,
) => {
  const rules = accentRules(brands)
  const style = rules ? { rules, nonce: crypto.randomUUID() } : undefined
  c.header(
    'Content-Security-Policy',
    policy({ hasFrames, logos: logoOrigins(brands), nonce: style?.nonce }),
  )
  c.header('Referrer-Policy', 'same-origin')
  const reader = readerFor(c)
  const t = textsOf(c)
  const own = typeof page.title === 'string' ? page.title : t(page.title)
  const title = status >= 400 ? t(m.error_title, { title: own }) : own
  const markup = (
    <Layout
      user={c.get('user')}
      workspace={c.get('workspace')}
      {...page}
      language={reader.language}
      path={isTranslated(c) ? path : undefined}
      style={style}
      title={title}
    />
  )
  c.header('Vary', 'Accept-Language', { append: true })
  return c.html(`<!doctype html>${renderFor(reader, markup)}`, status)
}

/** Renders a page of a section of the workspace. */
export const renderSection = (
  c: Context,
  section: LayoutProps['section'],
  title: Shown,
  children: Child,
  status?: Parameters<typeof renderPage>[2],
) => renderPage(c, { title, section, children }, status)

export const errorPage = (error: Error, c: Context) => {
  const { code, message, retryAfter } = toApiError(error)
  if (retryAfter !== undefined) c.header('Retry-After', String(retryAfter))
  const t = textsOf(c)
  const title = t(ERROR_STATUS[code] === 404 ? m.not_found : m.went_wrong)
  const [home, back] = /^\/(portal|join|unsubscribe)(\/|$)/.test(c.req.path)
    ? ['/portal', m.go_to_portal]
    : ['/app', m.go_to_workspaces]
  const children: Child = (
    <>
      <h1>{title}</h1>
      <p>{sayIn(readerFor(c).language, message)}</p>
      <LinkLine href={home}>{t(back)}</LinkLine>
      <p class="hint">{t(m.request_id, { id: c.get('requestId') })}</p>
    </>
  )
  return renderPage(c, { title, home, children }, ERROR_STATUS[code] as 404)
}

export const noSuchPage = () => new ApiError('not_found', 'This page does not exist.')

/** A Hono app whose errors are pages. */
export const createPages = <Bindings extends object = object>() =>
  createApp<Bindings>()
    .onError(errorPage)
    .notFound((c) => errorPage(noSuchPage(), c))

/**
 * The path to return to after sign-in: the requested page or, for a POST, the page with the form.
 */
export const returnPath = (c: Context): string => {
  const asked = new URL(c.req.url)
  const form = c.req.method === 'POST' ? URL.parse(c.req.header('Referer') ?? '') : null
  const { pathname, search } = form?.origin === asked.origin ? form : asked
  return pathname + search
}

/** Sets `c.var.user`, or redirects to the sign-in page, which returns to this page. */
export const signedIn = () =>
  createMiddleware<SessionEnv>(async function signedIn(c, next) {
    const user = await readSession(c)
    if (!user) {
      return c.redirect(`/sign-in?next=${encodeURIComponent(returnPath(c))}`, 303)
    }
    c.set('user', user)
    return next()
  })
