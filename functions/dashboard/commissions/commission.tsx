import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { changeById, readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { found, notFound } from '../../../lib/http/found-or-404.ts'
import { checked, form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { noticeFor } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import { holdCommission } from '../../../lib/tracking/holds/place-hold.queries.ts'
import { saveAdjustment } from '../../../lib/tracking/ledger/adjustments.queries.ts'
import { findCommission } from '../../../lib/tracking/ledger/commissions.queries.ts'
import { NewHold } from '../../../lib/tracking/ledger/commissions.schemas.ts'
import { reverseCommission } from '../../../lib/tracking/refunds/manual-reversals.queries.ts'
import { ALREADY_SAVED, readAdjustment } from './adjustment-form.tsx'
import { CommissionPage, type RefusedForm } from './commission-page.tsx'
import { readReversal } from './reversal-form.tsx'

const DONE = {
  adjusted: m.commissions_adjusted_notice,
  reversed: m.commissions_reversed_notice,
  held: m.commissions_held_notice,
}

const REVERSAL_SAVED = m.commissions_reversal_already_saved

/** The commission of the URL. @throws {ApiError} `not_found` */
const read = (c: Context<WorkspaceEnv>) => readById(c, 'commission', findCommission)

/** Renders the page, with the rejected form if there is one. */
const show = async (
  c: Context<WorkspaceEnv>,
  refused?: RefusedForm,
  status: 200 | 400 | 409 = 200,
) => {
  const { now, workspace } = c.var
  const commission = await read(c)
  const done = refused ? undefined : noticeFor(DONE, c.req.query('done'))
  const children = <CommissionPage {...{ workspace, commission, now, done, refused }} />
  return renderSection(c, '/commissions', m.commission, children, status)
}

const PATH = '/app/:workspace/commissions/:id'

/** /app/:workspace/commissions/:id: one commission, which managers hold, reverse and adjust. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, (c) => show(c))
  .post(`${PATH}/hold`, form(), async (c) => {
    const fields = c.req.valid('form')
    const { data, errors } = checked(NewHold, { note: fields.note ?? '' })
    if (errors) return show(c, { form: 'hold', fields, errors }, 400)
    const { commission, refusal } = await changeById(c, 'commission', holdCommission, data.note)
    if (refusal) return show(c, { form: 'hold', fields, errors: [], message: refusal }, 409)
    return c.redirect(`/app/${c.var.workspace.slug}/commissions/${commission.id}?done=held`, 303)
  })
  .post(`${PATH}/reverse`, freshMembersOnly(), form(), async (c) => {
    const fields = c.req.valid('form')
    const { id, currency } = await read(c)
    const { data, errors } = readReversal(fields, currency)
    if (errors) return show(c, { form: 'reversal', fields, errors }, 400)
    const saved = await found('commission', id, (uuid) =>
      reverseCommission(c.var.db, actOf(c), uuid, data),
    )
    const message =
      saved.outcome === 'refused' ? saved.refusal : saved.isMismatch ? REVERSAL_SAVED : undefined
    if (message) return show(c, { form: 'reversal', fields, errors: [], message }, 409)
    return c.redirect(`/app/${c.var.workspace.slug}/commissions/${id}?done=reversed`, 303)
  })
  .post(`${PATH}/adjust`, freshMembersOnly(), form(), async (c) => {
    const fields = c.req.valid('form')
    const { id: commissionId, partnerId } = await read(c)
    const { data, errors } = readAdjustment(fields, { partnerId, commissionId })
    if (errors) return show(c, { form: 'adjustment', fields, errors }, 400)
    const saved = await saveAdjustment(c.var.db, actOf(c), data)
    if (!('commission' in saved))
      throw notFound(saved.outcome === 'missing' ? saved.missing : 'partner')
    if (saved.isMismatch)
      return show(c, { form: 'adjustment', fields, errors: [], message: ALREADY_SAVED }, 409)
    return c.redirect(
      `/app/${c.var.workspace.slug}/commissions/${saved.commission.id}?done=adjusted`,
      303,
    )
  })
