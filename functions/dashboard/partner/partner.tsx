import type { Context } from 'hono'
import type * as z from 'zod'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { changeById, readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { ApiError } from '../../../lib/http/errors.ts'
import { found, notFound } from '../../../lib/http/found-or-404.ts'
import { checked, form } from '../../../lib/http/validate.ts'
import { inEnglish } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { readPartnerPage } from '../../../lib/overview/partner-page.queries.ts'
import { checkForm } from '../../../lib/pages/forms/forms.ts'
import { buildLink } from '../../../lib/pages/forms/link-builder.tsx'
import { MINIMUM_CURRENCY } from '../../../lib/pages/forms/program-fields.tsx'
import { keepRules, readReward } from '../../../lib/pages/forms/read-reward.ts'
import { noticeFor } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import {
  changePartner,
  type NewAddress,
} from '../../../lib/partners/changes/change-partner.queries.ts'
import {
  newAddress,
  partnerError,
  slugError,
} from '../../../lib/partners/changes/partner-changes.service.ts'
import { addCoupon, removeCoupon } from '../../../lib/partners/links/coupons.queries.ts'
import { NewCoupon } from '../../../lib/partners/links/coupons.schemas.ts'
import { addLink, releaseLink } from '../../../lib/partners/links/links.queries.ts'
import { findPartner } from '../../../lib/partners/lists/partners.queries.ts'
import { NewLink, PartnerChange } from '../../../lib/partners/lists/partners.schemas.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import { saveAdjustment } from '../../../lib/tracking/ledger/adjustments.queries.ts'
import { parseMoney } from '../../../lib/values/money.ts'
import { readPeriod } from '../../../lib/values/periods.ts'
import { ALREADY_SAVED, readAdjustment } from '../commissions/adjustment-form.tsx'
import type { Refused } from './partner-forms.tsx'
import { ReleaseLinkPage } from './partner-links.tsx'
import { PartnerPage } from './partner-page.tsx'

const DONE = {
  created: m.partners_added_link_works,
  exists: m.partners_address_partner_already,
  saved: m.partners_saved,
  adjusted: m.partners_earnings_adjusted_adjustment,
  banned: m.partners_banned_links_no,
  approved: m.partners_reinstated_links_work,
  link_added: m.partners_link_added,
  link_already_added: m.partners_already_link,
  link_main: m.partners_main_link_changed,
  link_released: m.partners_link_released_another,
  moved: m.partners_address_changed_partner,
  added: m.partners_coupon_added,
  already_added: m.partners_already_coupon,
  note_added: m.partners_note_added,
  note_deleted: m.partners_note_deleted,
  removed: m.partners_coupon_removed_new,
}

/** Renders the partner's page, with the rejected form if there is one. */
const showPartner = async (
  c: Context<WorkspaceEnv>,
  refused?: Refused,
  status: 200 | 400 | 409 = 200,
) => {
  const { db, now, workspace } = c.var
  const { period, problem } = readPeriod(c.req.query(), now)
  const read = await found('partner', c.req.param('id') ?? '', (id) =>
    readPartnerPage(db, workspace.id, id, period, now),
  )
  const { name, email, siteUrl } = read.partner
  const slugs = read.links.map(({ slug }) => slug)
  const built =
    c.req.method === 'GET' ? buildLink(c.req.query(), { siteUrl, slugs }, inEnglish) : undefined
  const done = refused ? undefined : noticeFor(DONE, c.req.query('done'))
  const children = (
    <PartnerPage {...read} {...{ period, problem, refused, built, workspace, now, done }} />
  )
  return renderSection(
    c,
    '/partners',
    name ?? email,
    children,
    built?.errors || problem ? 400 : status,
  )
}

const done = (c: Context<WorkspaceEnv>, code: keyof typeof DONE) =>
  c.redirect(`/app/${c.var.workspace.slug}/partners/${c.req.param('id')}?done=${code}`, 303)

/** @returns why the change was refused, or null */
const change = async (
  c: Context<WorkspaceEnv>,
  changes: Omit<z.output<typeof PartnerChange>, 'email'>,
  address?: NewAddress,
): Promise<ApiError | null> => {
  const update = await changeById(c, 'partner', changePartner, changes, address)
  return update.outcome === 'done' ? null : partnerError(update, changes.slug)
}

const PATH = '/app/:workspace/partners/:id'

/** /app/:workspace/partners/:id: one partner (spec section 4.5). */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, (c) => showPartner(c))
  .post(PATH, freshMembersOnly(), form(), async (c) => {
    const fields = c.req.valid('form')
    // A blank field clears the value.
    const documentsReceived = fields.documentsReceived !== undefined
    const { name = null, groupId = null, minimumPayoutCents: minimum } = fields
    const minimumPayoutCents = minimum === undefined ? null : parseMoney(minimum, MINIMUM_CURRENCY)
    const problems =
      minimum !== undefined && minimumPayoutCents === null
        ? [{ path: 'minimumPayoutCents', message: textsOf(c)(m.partners_enter_amount_such) }]
        : []
    const own = readReward('reward', fields)
    const { data, errors } = checkForm(PartnerChange, {
      input: { name, groupId, reward: own.reward, documentsReceived, minimumPayoutCents },
      problems: [...own.problems, ...problems],
    })
    if (errors) return showPartner(c, { form: 'partner', fields, errors }, 400)
    const saved = await readById(c, 'partner', findPartner)
    const reward = keepRules(data.reward ?? null, saved.reward)
    const refusal = await change(c, { ...data, reward })
    if (refusal) throw refusal
    return done(c, 'saved')
  })
  .post(`${PATH}/status`, freshMembersOnly(), form(), async (c) => {
    const fields = c.req.valid('form')
    const { data, errors } = checked(PartnerChange.required({ status: true }), {
      status: fields.status,
    })
    if (errors) return showPartner(c, { form: null, fields, errors }, 400)
    const refusal = await change(c, data)
    if (refusal) throw refusal
    return done(c, data.status)
  })
  .post(`${PATH}/address`, freshMembersOnly(), form(), async (c) => {
    const fields = c.req.valid('form')
    const { data, errors } = checked(PartnerChange.required({ email: true }), {
      email: fields.email ?? '',
    })
    if (errors) return showPartner(c, { form: 'address', fields, errors }, 400)
    const refusal = await change(c, {}, newAddress(c, data.email))
    if (!refusal) return done(c, 'moved')
    const refused = [{ path: 'email', message: refusal.message }]
    return showPartner(c, { form: 'address', fields, errors: refused }, 409)
  })
  .post(`${PATH}/links`, freshMembersOnly(), form(), async (c) => {
    const fields = c.req.valid('form')
    const { data, errors } = checked(NewLink, { slug: fields.slug ?? '' })
    if (errors) return showPartner(c, { form: 'link', fields, errors }, 400)
    const added = await changeById(c, 'partner', addLink, data.slug)
    if ('link' in added) return done(c, `link_${added.outcome}`)
    const refused = [{ path: 'slug', message: slugError(added, data.slug).message }]
    return showPartner(c, { form: 'link', fields, errors: refused }, 409)
  })
  .post(`${PATH}/links/main`, freshMembersOnly(), form(), async (c) => {
    const fields = c.req.valid('form')
    const { data, errors } = checked(PartnerChange.required({ slug: true }), {
      slug: fields.slug ?? '',
    })
    if (errors) return showPartner(c, { form: null, fields, errors }, 400)
    const refusal = await change(c, { slug: data.slug })
    if (!refusal) return done(c, 'link_main')
    return showPartner(c, { form: null, fields, errors: [], message: refusal.message }, 409)
  })
  .get(`${PATH}/links/release`, async (c) => {
    const { workspace } = c.var
    const partner = await readById(c, 'partner', findPartner)
    const path = `/app/${workspace.slug}/partners/${partner.id}`
    const children = (
      <ReleaseLinkPage path={path} partner={partner} slug={c.req.query('slug') ?? ''} />
    )
    return renderSection(c, '/partners', m.partners_release_link, children)
  })
  .post(`${PATH}/links/release`, freshMembersOnly(), form(), async (c) => {
    const fields = c.req.valid('form')
    const { data, errors } = checked(NewLink, { slug: fields.slug ?? '' })
    if (errors) return showPartner(c, { form: null, fields, errors }, 400)
    const result = await changeById(c, 'partner', releaseLink, data.slug)
    if (result !== 'is_main') return done(c, 'link_released')
    const message = textsOf(c)(m.partners_main_link_now)
    return showPartner(c, { form: null, fields, errors: [], message }, 409)
  })
  .post(`${PATH}/adjust`, freshMembersOnly(), form(), async (c) => {
    const fields = c.req.valid('form')
    const { data, errors } = readAdjustment(fields, { partnerId: c.req.param('id') })
    if (errors) return showPartner(c, { form: 'adjustment', fields, errors }, 400)
    const saved = await saveAdjustment(c.var.db, actOf(c), data)
    if (!('commission' in saved))
      throw notFound(saved.outcome === 'missing' ? saved.missing : 'partner')
    if (saved.isMismatch)
      return showPartner(
        c,
        { form: 'adjustment', fields, errors: [], message: textsOf(c)(ALREADY_SAVED) },
        409,
      )
    return done(c, 'adjusted')
  })
  .post(`${PATH}/coupons`, freshMembersOnly(), form(), async (c) => {
    const fields = c.req.valid('form')
    const { couponId = '', couponLabel } = fields
    const { data, errors } = checked(NewCoupon, { couponId, couponLabel })
    if (errors) return showPartner(c, { form: 'coupon', fields, errors }, 400)
    const added = await changeById(c, 'partner', addCoupon, data)
    if (added.outcome !== 'taken') return done(c, added.outcome)
    const message = textsOf(c)(m.partners_another_partner_coupon)
    const taken = [{ path: 'couponId', message }]
    return showPartner(c, { form: 'coupon', fields, errors: taken, holder: added.holder }, 409)
  })
  .post(`${PATH}/coupons/remove`, freshMembersOnly(), form(), async (c) => {
    const fields = c.req.valid('form')
    const { data, errors } = checked(NewCoupon, { couponId: fields.couponId ?? '' })
    if (errors) return showPartner(c, { form: null, fields, errors }, 400)
    const { couponId } = data
    await changeById(c, 'partner', removeCoupon, couponId)
    return done(c, 'removed')
  })
