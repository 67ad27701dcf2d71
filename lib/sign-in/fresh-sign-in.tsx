/** "Confirm it’s you": the response to a form that needs a recent sign-in. */
import type { Context, MiddlewareHandler } from 'hono'
import { every } from 'hono/combine'
import { createMiddleware } from 'hono/factory'
import type { Child } from 'hono/jsx'
import type { WorkspaceEnv } from '../auth/access.ts'
import { FRESH_HOURS, isFresh } from '../auth/fresh-sign-in.ts'
import { isPasskeyMissing } from '../auth/passkey-for-payouts.ts'
import type { AuthService, PasskeyState, SessionEnv } from '../auth/session.ts'
import { rpc } from '../http/rpc/rpc.ts'
import { type Fields, form } from '../http/validate.ts'
import * as m from '../languages/messages.ts'
import { renderPage, returnPath } from '../pages/layout/render.tsx'
import { readerFor, t, textsOf } from '../pages/layout/text.ts'
import { LinkInstead, PASSKEY_SCRIPTS, PasskeyButton } from '../pages/parts/passkeys.tsx'
import { linkTo, strong } from '../pages/parts/tags.tsx'
import { PASSKEY_WAIT_HOURS } from './passkeys/passkeys.ts'

/** Secret fields, which no page shows again. */
const SECRET_FIELDS = ['key', 'secret']

/** How the person can confirm: by a mailed link or a passkey, or only by a passkey. */
type Way = Awaited<ReturnType<AuthService['startConfirmation']>> | { onlyPasskey: PasskeyState }

type Shown = {
  email: string
  way: Way
  /** The URL of the form and its values; null if it has a secret, which must be typed again. */
  repeat: { isGet: boolean; action: string; fields: Fields } | null
  /** The page with the form. */
  back: string
}

const hours = String(FRESH_HOURS)

const Instruction = ({ email, way }: Pick<Shown, 'email' | 'way'>) => {
  if (way === 'passkey') return <p>{t(m.confirm_passkey_or_link, { hours, email, strong })}</p>
  if (typeof way === 'object') {
    const link = linkTo('/auth/passkeys')
    return (
      <>
        <p>{t(m.payouts_passkey_required)}</p>
        {way.onlyPasskey === 'none' && (
          <p>{t(m.payouts_passkey_none, { link, hours: String(PASSKEY_WAIT_HOURS) })}</p>
        )}
        {way.onlyPasskey === 'waits' && <p>{t(m.payouts_passkey_waits, { link })}</p>}
      </>
    )
  }
  const link = (content: Child) => (
    <a href="/sign-in/code" target="_blank" rel="noopener">
      {content}
    </a>
  )
  return (
    <p>
      {t(way === 'mailed' ? m.confirm_link_sent : m.confirm_links_on_way, {
        hours,
        email,
        strong,
        link,
      })}
    </p>
  )
}

/** Send the form again, after a link or a passkey has confirmed. */
const Buttons = ({ way, back }: Pick<Shown, 'way' | 'back'>) => {
  const cancel = <a href={back}>{t(m.cancel)}</a>
  if (typeof way === 'object')
    return way.onlyPasskey === 'counts' ? <PasskeyButton>{cancel}</PasskeyButton> : <p>{cancel}</p>
  const proceed = (
    <button type="submit" class={way === 'passkey' ? 'quiet' : undefined}>
      {t(m.confirm_continue)}
    </button>
  )
  return way === 'passkey' ? (
    <PasskeyButton>
      {proceed} {cancel}
    </PasskeyButton>
  ) : (
    <>
      {proceed} {cancel}
    </>
  )
}

const ConfirmIdentity = ({ email, way, repeat, back }: Shown) => (
  <>
    <h1>{t(m.confirm_identity)}</h1>
    <Instruction {...{ email, way }} />
    {!repeat && <p>{t(m.confirm_secret_not_kept, { link: linkTo(back) })}</p>}
    {repeat ? (
      <form method={repeat.isGet ? 'get' : 'post'} action={repeat.action}>
        {Object.entries(repeat.fields).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <Buttons {...{ way, back }} />
      </form>
    ) : (
      way === 'passkey' && (
        <form method="get" action={back}>
          <PasskeyButton />
        </form>
      )
    )}
    {way === 'passkey' && <LinkInstead next={back} />}
    <p class="hint">
      {typeof way === 'object' ? t(m.payouts_passkey_why, { hours }) : t(m.confirm_why, { hours })}
    </p>
  </>
)

/** Renders a page, for managers or for partners. */
type Render = (
  c: Context,
  page: { title: string; children: Child; scripts: string[] },
) => Response | Promise<Response>

const startConfirmation = (c: Context<SessionEnv>, back: string): Promise<Way> => {
  const headers = new Headers({ Cookie: c.req.header('Cookie') ?? '' })
  for (const name of ['User-Agent', 'CF-Connecting-IP']) {
    const value = c.req.header(name)
    if (value) headers.set(name, value)
  }
  const { language } = readerFor(c)
  return rpc('auth', c.env.AUTH.startConfirmation(headers, c.req.url, back, language))
}

/** The state of the person's passkeys, if only a passkey can confirm. */
const readPasskey = async (c: Context<SessionEnv>): Promise<Way> => {
  const headers = new Headers({ Cookie: c.req.header('Cookie') ?? '' })
  return { onlyPasskey: await rpc('auth', c.env.AUTH.passkeyState(headers, c.req.url)) }
}

type Ask = { fields: Fields; render: Render; needsPasskey: boolean }

const askToConfirm = async (c: Context<SessionEnv>, { fields, render, needsPasskey }: Ask) => {
  const back = returnPath(c)
  const way = needsPasskey ? await readPasskey(c) : await startConfirmation(c, back)
  const hasSecret = SECRET_FIELDS.some((name) => name in fields)
  const { pathname, search } = new URL(c.req.url)
  const isGet = c.req.method === 'GET'
  const asked = isGet ? c.req.query() : fields
  const repeat = hasSecret ? null : { isGet, action: pathname + search, fields: asked }
  const children = <ConfirmIdentity email={c.var.user.email} {...{ way, repeat, back }} />
  return render(c, { title: textsOf(c)(m.confirm_identity), children, scripts: PASSKEY_SCRIPTS })
}

type Asking = {
  /** Renders the page with the status 403. */
  render: Render
  /** Whether the request must be confirmed first. */
  isMissing: (c: Context) => boolean
  /** Whether only a passkey can confirm it. */
  needsPasskey: boolean
}

/** Asks to confirm, and keeps the values of the form. A form without fields may have no body. */
const confirmed = ({ render, isMissing, needsPasskey }: Asking) => {
  const keepForm = every(
    form(),
    createMiddleware<SessionEnv>(async function keepForm(c) {
      const fields = (c.req.valid as (target: 'form') => Fields)('form')
      return askToConfirm(c, { fields, render, needsPasskey })
    }),
  ) as MiddlewareHandler<SessionEnv>
  return createMiddleware<SessionEnv>(async function confirmed(c, next) {
    if (!isMissing(c)) return next()
    if (c.req.header('Content-Type')) return keepForm(c, next)
    return askToConfirm(c, { fields: {}, render, needsPasskey })
  })
}

/** Asks for confirmation, on a page with the status 403, if the sign-in is old. */
export const confirmIdentity = (render: Render) =>
  confirmed({
    render,
    isMissing: (c) => !isFresh(c.var.signedInAt, c.var.now),
    needsPasskey: false,
  })

const confirmMember = confirmIdentity((c, page) => renderPage(c, page, 403))

const confirmPasskey = confirmed({
  render: (c, page) => renderPage(c, page, 403),
  isMissing: (c) => isPasskeyMissing(c as Context<WorkspaceEnv>),
  needsPasskey: true,
})

/** Asks to confirm with a passkey, after the form was read: its change needs one. */
export const askForPasskey = <E extends WorkspaceEnv>(c: Context<E>, fields: Fields) =>
  askToConfirm(c as unknown as Context<SessionEnv>, {
    fields,
    render: (c, page) => renderPage(c, page, 403),
    needsPasskey: true,
  })

/** Asks for confirmation if the sign-in is old. For forms, after the role was checked. */
export const freshMembersOnly = () => every(confirmMember) as MiddlewareHandler<WorkspaceEnv>

/** Requires confirmation by a passkey if payouts need one. For forms that pay, after the role. */
export const confirmedByPasskey = () => every(confirmPasskey) as MiddlewareHandler<WorkspaceEnv>
