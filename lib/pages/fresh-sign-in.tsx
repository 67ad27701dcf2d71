/** "Confirm it’s you": what a form that needs a recent sign-in answers to an older one. */
import type { Context, MiddlewareHandler } from 'hono'
import { every } from 'hono/combine'
import { createMiddleware } from 'hono/factory'
import { managersOnly, type WorkspaceEnv } from '../auth/access.ts'
import { FRESH_HOURS, isFresh } from '../auth/fresh-sign-in.ts'
import { rpc } from '../http/rpc.ts'
import { type Fields, form } from '../http/validate.ts'
import * as m from '../languages/messages.ts'
import { renderPage, returnPath } from './render.tsx'
import { linkTo, strong } from './tags.tsx'
import { t } from './text.ts'

/** Fields that hold secrets, which no page shows again. */
const SECRET_FIELDS = ['key', 'secret']

type Shown = {
  email: string
  isMailed: boolean
  /** The URL of the form, and what was typed; null if it has a secret, which is typed again. */
  repeat: { action: string; fields: Fields } | null
  /** The page with the form. */
  back: string
}

const ConfirmIdentity = ({ email, isMailed, repeat, back }: Shown) => (
  <>
    <h1>{t(m.layout_confirm_identity)}</h1>
    <p>
      {t(isMailed ? m.layout_link_sent : m.layout_links_on_way, {
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
      <form method="post" action={repeat.action}>
        {Object.entries(repeat.fields).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <button type="submit">{t(m.layout_continue)}</button> <a href={back}>{t(m.cancel)}</a>
      </form>
    ) : (
      <p>{t(m.layout_secret_not_kept, { link: linkTo(back) })}</p>
    )}
    <p class="hint">{t(m.layout_fresh_sign_in_hint, { hours: String(FRESH_HOURS) })}</p>
  </>
)

const askToConfirm = async (c: Context<WorkspaceEnv>, fields: Fields) => {
  const back = returnPath(c)
  const headers = new Headers({ Cookie: c.req.header('Cookie') ?? '' })
  for (const name of ['User-Agent', 'CF-Connecting-IP']) {
    const value = c.req.header(name)
    if (value) headers.set(name, value)
  }
  const outcome = await rpc('auth', c.env.AUTH.sendLink(headers, c.req.url, back))
  const hasSecret = SECRET_FIELDS.some((name) => name in fields)
  const { pathname, search } = new URL(c.req.url)
  const repeat = hasSecret ? null : { action: pathname + search, fields }
  const children = (
    <ConfirmIdentity email={c.var.user.email} isMailed={outcome === 'mailed'} repeat={repeat} back={back} />
  )
  return renderPage(c, { title: m.layout_confirm_identity, children }, 403)
}

/** Reads the form, to keep what was typed. */
const keepForm = every(
  form(),
  createMiddleware<WorkspaceEnv>(async function keepForm(c) {
    return askToConfirm(c, (c.req.valid as (target: 'form') => Fields)('form'))
  }),
) as MiddlewareHandler<WorkspaceEnv>

/** Answers a form with "Confirm it’s you" if the sign-in is too old. A form without fields may have no body. */
const confirmIdentity = createMiddleware<WorkspaceEnv>(async function confirmIdentity(c, next) {
  if (isFresh(c.var.signedInAt, c.var.now)) return next()
  return c.req.header('Content-Type') ? keepForm(c, next) : askToConfirm(c, {})
})

/** Asks whoever signed in long ago to confirm, members too. For forms. */
export const freshMembersOnly = () => confirmIdentity

/** Refuses everyone but managers, and asks those to confirm who signed in long ago. For forms. @throws {ApiError} `manager_required` */
export const freshManagersOnly = () => every(managersOnly(), confirmIdentity)
