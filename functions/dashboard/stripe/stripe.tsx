import type { Context } from 'hono'
import { actOf } from '../../../lib/auth/access.ts'
import { changeById, readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { page } from '../../../lib/http/lists.ts'
import { checked, form } from '../../../lib/http/validate.ts'
import { inEnglish } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { noticeFor } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { readFilters } from '../../../lib/pages/tables/filters.tsx'
import {
  findStripeKey,
  removeStripeKey,
} from '../../../lib/payouts/transfers/stripe-keys.queries.ts'
import {
  NewStripeKey,
  NewStripeSecret,
  StripeEventQuery,
} from '../../../lib/purchases/stripe/settings.schemas.ts'
import {
  KEY_IN_USE,
  KEY_OF_OTHER_ACCOUNT,
  listMissingEvents,
  SECRETS_FULL,
  type StripeEnv,
  storeKey,
  storeSecret,
  webhookUrl,
} from '../../../lib/purchases/stripe/settings.service.ts'
import { readStripe } from '../../../lib/purchases/stripe/setup.queries.ts'
import {
  findStripeSecret,
  removeStripeSecret,
} from '../../../lib/purchases/stripe/signing-secrets.queries.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import { changeSettings, MODE_IN_USE } from '../../../lib/tenancy/settings/settings.queries.ts'
import { SettingsChange } from '../../../lib/tenancy/settings/settings.schemas.ts'
import { RemoveKeyPage } from './stripe-key.tsx'
import { type Refused, RemoveSecretPage, StripePage } from './stripe-pages.tsx'

const DONE = {
  added: m.stripe_signing_secret_added,
  there_already: m.stripe_signing_secret_already,
  removed: m.stripe_signing_secret_removed,
  key_set: m.stripe_key_saved_partners,
  key_removed: m.stripe_key_removed_stripe,
}

/** The URL's parameters without the notice: the filters. */
const withoutDone = ({ done: _, ...filters }: Readonly<Record<string, string>>) => filters

/** Renders the page, with the reason if a secret or key was rejected. */
const showStripe = async (
  c: Context<StripeEnv>,
  refused?: Refused,
  status: 200 | 400 | 409 = 200,
) => {
  const { db, workspace } = c.var
  const { fields, data, errors: filterErrors } = readFilters(c, StripeEventQuery)
  const { limit = 0, ...filter } = data ?? {}
  const setup = await readStripe(db, workspace.id, { ...filter, limit: data ? limit + 1 : 0 })
  const listed = setup.key ? await listMissingEvents(c) : { own: [], connected: [] }
  const own = new Set([...listed.own, ...setup.missingEvents])
  const children = (
    <StripePage
      base={`/app/${workspace.slug}`}
      webhookUrl={webhookUrl(c)}
      setup={setup}
      missing={{ ...listed, own: [...own] }}
      events={page(setup.events, limit)}
      url={c.req.url}
      filters={withoutDone(fields)}
      filterErrors={filterErrors}
      refused={refused}
      done={refused ? undefined : noticeFor(DONE, c.req.query('done'))}
    />
  )
  return renderSection(c, '/stripe', m.by_stripe, children, filterErrors ? 400 : status)
}

const done = (c: Context<StripeEnv>, code: keyof typeof DONE) =>
  c.redirect(`/app/${c.var.workspace.slug}/stripe?done=${code}`, 303)

/** The workspace's Stripe key. @throws {ApiError} `not_found` */
const foundKey = async ({ var: { db, workspace } }: Context<StripeEnv>) => {
  const key = await findStripeKey(db, workspace.id)
  if (!key) throw new ApiError('not_found', inEnglish(m.stripe_workspace_no_stripe))
  return key
}

const PATH = '/app/:workspace/stripe'

/** /app/:workspace/stripe: webhook, signing secrets, key and received events. Managers only. */
export default createRoutes<StripeEnv>()
  .get(PATH, (c) => showStripe(c))
  .post(PATH, freshMembersOnly(), form(), async (c) => {
    const { secret = '', purpose, salesFrom, mode } = c.req.valid('form')
    const { data, errors } = checked(NewStripeSecret, { secret, purpose })
    const chosen = checked(SettingsChange, { salesFrom, mode })
    if (errors || chosen.errors) {
      return showStripe(c, { errors: [...(errors ?? []), ...(chosen.errors ?? [])] }, 400)
    }
    // Before the secret is stored, because events may arrive immediately afterwards.
    const settings = await changeSettings(c.var.db, actOf(c), chosen.data, c.req.url)
    if (!settings) return showStripe(c, { errors: [{ path: 'mode', message: MODE_IN_USE }] }, 409)
    const stored = await storeSecret(c, data)
    if (stored.outcome === 'full') return showStripe(c, { message: SECRETS_FULL }, 409)
    return done(c, stored.outcome)
  })
  .get(`${PATH}/secrets/:id/remove`, async (c) => {
    const { workspace } = c.var
    const secret = await readById(c, 'signing secret', findStripeSecret)
    const children = <RemoveSecretPage base={`/app/${workspace.slug}`} secret={secret} />
    return renderSection(c, '/stripe', m.stripe_remove_secret_title, children)
  })
  .post(`${PATH}/secrets/:id/remove`, freshMembersOnly(), async (c) => {
    await changeById(c, 'signing secret', removeStripeSecret)
    return done(c, 'removed')
  })
  .post(`${PATH}/key`, freshMembersOnly(), form(), async (c) => {
    const { data, errors } = checked(NewStripeKey, { key: c.req.valid('form').key ?? '' })
    if (errors) return showStripe(c, { errors }, 400)
    const stored = await storeKey(c, data.key)
    if (stored.outcome === 'other_account')
      return showStripe(c, { message: KEY_OF_OTHER_ACCOUNT }, 409)
    if (stored.outcome === 'refused') {
      return showStripe(c, { errors: [{ path: 'key', message: stored.reason }] }, 400)
    }
    return done(c, 'key_set')
  })
  .get(`${PATH}/key/remove`, async (c) => {
    const children = (
      <RemoveKeyPage base={`/app/${c.var.workspace.slug}`} stripeKey={await foundKey(c)} />
    )
    return renderSection(c, '/stripe', m.stripe_remove_key_title, children)
  })
  .post(`${PATH}/key/remove`, freshMembersOnly(), async (c) => {
    await foundKey(c)
    const outcome = await removeStripeKey(c.var.db, actOf(c))
    return outcome === 'payouts_in_flight'
      ? showStripe(c, { message: KEY_IN_USE }, 409)
      : done(c, 'key_removed')
  })
