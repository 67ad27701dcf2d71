/** "Confirm it’s you": what a form that needs a recent sign-in answers to an older one. */
import type { Context, MiddlewareHandler } from 'hono'
import { every } from 'hono/combine'
import { createMiddleware } from 'hono/factory'
import type { Child } from 'hono/jsx'
import { managersOnly, type WorkspaceEnv } from '../auth/access.ts'
import { FRESH_HOURS, isFresh } from '../auth/fresh-sign-in.ts'
import type { SessionEnv } from '../auth/session.ts'
import { rpc } from '../http/rpc.ts'
import { type Fields, form } from '../http/validate.ts'
import * as m from '../languages/messages.ts'
import { renderPage, returnPath } from './render.tsx'
import { linkTo, strong } from './tags.tsx'
import { readerFor, t, textsOf } from './text.ts'

/** Fields that hold secrets, which no page shows again. */
const SECRET_FIELDS = ['key', 'secret']

type Shown = {
  email: string
  isMailed: boolean
  /** The URL of the form, and what was typed; null if it has a secret, which is typed again. */
  repeat: { isGet: boolean; action: string; fields: Fields } | null
  /** The page with the form. */
  back: string
}

const ConfirmIdentity = ({ email, isMailed, repeat, back }: Shown) => (
  <>
    <h1>{t(m.confirm_identity)}</h1>
    <p>
      {t(isMailed ? m.confirm_link_sent : m.confirm_links_on_way, {
        hours: String(FRESH_HOURS),
        email,
        strong,
        link: (content) => (
          <a href="/sign-in/code" target="_blank" rel="noopener">
            {content}
          </a>
        ),
      })}
    </p>
    {repeat ? (
      <form method={repeat.isGet ? 'get' : 'post'} action={repeat.action}>
        {Object.entries(repeat.fields).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <button type="submit">{t(m.confirm_continue)}</button> <a href={back}>{t(m.cancel)}</a>
      </form>
    ) : (
      <p>{t(m.confirm_secret_not_kept, { link: linkTo(back) })}</p>
    )}
    <p class="hint">{t(m.confirm_why, { hours: String(FRESH_HOURS) })}</p>
  </>
)

/** A page, and what it is shown with: that of managers, or of partners. */
type Render = (c: Context, page: { title: string; children: Child }) => Response | Promise<Response>

const askToConfirm = async (c: Context<SessionEnv>, fields: Fields, render: Render) => {
  const back = returnPath(c)
  const headers = new Headers({ Cookie: c.req.header('Cookie') ?? '' })
  for (const name of ['User-Agent', 'CF-Connecting-IP']) {
    const value = c.req.header(name)
    if (value) headers.set(name, value)
  }
  const { language } = readerFor(c)
  const outcome = await rpc('auth', c.env.AUTH.sendLink(headers, c.req.url, back, language))
  const hasSecret = SECRET_FIELDS.some((name) => name in fields)
  const { pathname, search } = new URL(c.req.url)
  const isGet = c.req.method === 'GET'
  const asked = isGet ? c.req.query() : fields
  const repeat = hasSecret ? null : { isGet, action: pathname + search, fields: asked }
  const children = (
    <ConfirmIdentity email={c.var.user.email} isMailed={outcome === 'mailed'} repeat={repeat} back={back} />
  )
  return render(c, { title: textsOf(c)(m.confirm_identity), children })
}

/**
 * Asks whoever signed in long ago to confirm, and keeps what was typed. A form without fields may have no body.
 *
 * @param render renders the page with the status 403
 */
export const confirmIdentity = (render: Render) => {
  /** Reads the form, to keep what was typed. */
  const keepForm = every(
    form(),
    createMiddleware<SessionEnv>(async function keepForm(c) {
      return askToConfirm(c, (c.req.valid as (target: 'form') => Fields)('form'), render)
    }),
  ) as MiddlewareHandler<SessionEnv>
  return createMiddleware<SessionEnv>(async function confirmIdentity(c, next) {
    if (isFresh(c.var.signedInAt, c.var.now)) return next()
    return c.req.header('Content-Type') ? keepForm(c, next) : askToConfirm(c, {}, render)
  })
}

const confirmMember = confirmIdentity((c, page) => renderPage(c, page, 403))

/** Asks whoever signed in long ago to confirm, members too. For forms. */
export const freshMembersOnly = () => every(confirmMember) as MiddlewareHandler<WorkspaceEnv>

/** Refuses everyone but managers, and asks those to confirm who signed in long ago. For forms. @throws {ApiError} `manager_required` */
export const freshManagersOnly = () => every(managersOnly(), confirmMember) as MiddlewareHandler<WorkspaceEnv>
