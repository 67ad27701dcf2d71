import type { Context } from 'hono'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { newId } from '../../../lib/db/ids.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import { rpc } from '../../../lib/http/rpc/rpc.ts'
import { type Checked, type Fields, form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { DangerButton } from '../../../lib/pages/forms/buttons.tsx'
import { checkForm } from '../../../lib/pages/forms/forms.ts'
import { LinkLine, Problem } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { type Shown, t, textsOf } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import { refundedCentsOf } from '../../../lib/purchases/corrections/hand-refund.queries.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import { type EventRow, findEvent } from '../../../lib/tracking/events/events.queries.ts'
import { HandRefund } from '../../../lib/tracking/events/events.schemas.ts'
import type { CreditsService } from '../../../lib/tracking/reports/purchases.rpc.ts'
import { formatMoney } from '../../../lib/values/money.ts'
import { PartField, ReasonField, readPart } from '../fields/correction-fields.tsx'

type Props = {
  path: string
  event: RefundableSale
  leftCents: bigint
  fields?: Fields
  errors?: ErrorDetail[] | undefined
  message?: Shown | undefined
}

/** Amount and reason. A form that is submitted twice refunds once. */
const RefundPage = ({ path, event, leftCents, fields = {}, errors, message }: Props) => (
  <>
    <LinkLine href={path}>{t(m.events_title, { externalId: event.externalId })}</LinkLine>
    <h1>{t(m.events_refund_sale)}</h1>
    <Problem message={message} errors={errors} />
    <p>{t(m.events_refund_effect)}</p>
    <form method="post" action={`${path}/refund`}>
      <input type="hidden" name="externalId" value={fields.externalId ?? newId()} />
      <PartField
        label={t(m.events_refunded_amount, { currency: event.currency })}
        hint={t(m.events_refund_hint, { amount: money(leftCents, event.currency) })}
        fields={fields}
        errors={errors}
      />
      <ReasonField label={t(m.events_refund_reason)} fields={fields} errors={errors} />
      <p>
        <DangerButton>{t(m.events_record_refund)}</DangerButton>
      </p>
    </form>
  </>
)

const readRefund = (fields: Fields, currency: string): Checked<HandRefund> => {
  const { externalId, reason = '' } = fields
  const { amountCents, problems } = readPart(fields, currency)
  return checkForm(HandRefund, { input: { externalId, reason, amountCents }, problems })
}

const SAVED_BEFORE = m.events_refund_already_saved

type Env = WorkspaceEnv & { Bindings: { CREDITS: CreditsService } }

type RefundableSale = EventRow & { amountCents: bigint; currency: string }

/** The sale of the URL. @throws {ApiError} `not_found`, also for a lead or a refund */
const readSale = (c: Context<Env>): Promise<RefundableSale> =>
  found('event', c.req.param('id') ?? '', async (id) => {
    const event = await findEvent(c.var.db, c.var.workspace.id, id)
    if (event?.kind !== 'sale' || event.amountCents === null || event.currency === null)
      return undefined
    const { amountCents, currency } = event
    return { ...event, amountCents, currency }
  })

type Refused = { fields: Fields; errors: ErrorDetail[]; message?: Shown }

/** Renders the form, with the errors if it was rejected. */
const show = async (
  c: Context<Env>,
  event: RefundableSale,
  refused?: Refused,
  status: 200 | 400 | 409 = 200,
) => {
  const { db, workspace } = c.var
  const leftCents = event.amountCents - (await refundedCentsOf(db, workspace.id, event.id))
  const path = `/app/${workspace.slug}/events/${event.id}`
  const children = <RefundPage {...{ path, event, leftCents, ...refused }} />
  return renderSection(c, '/events', m.events_refund_sale, children, status)
}

/** /app/:workspace/events/:id/refund: records a refund of a sale. */
export default createRoutes<Env>()
  .get('/app/:workspace/events/:id/refund', async (c) => show(c, await readSale(c)))
  .post('/app/:workspace/events/:id/refund', freshMembersOnly(), form(), async (c) => {
    const t = textsOf(c)
    const { workspace, actor } = c.var
    const fields = c.req.valid('form')
    const event = await readSale(c)
    const { currency, externalId: saleExternalId } = event
    const { data, errors } = readRefund(fields, currency)
    if (errors) return show(c, event, { fields, errors }, 400)
    const { externalId, amountCents = null, reason } = data
    const requested = { amountCents, currency, byHand: { reason, by: actor } }
    const report = { externalId, saleExternalId, requested, eventName: 'refund', metadata: null }
    const result = await rpc('stripe-webhook', c.env.CREDITS.refundByHand(actOf(c), report))
    if (result.outcome === 'saved_before')
      return show(c, event, { fields, errors: [], message: SAVED_BEFORE }, 409)
    if (result.outcome === 'exceeds') {
      const { leftCents } = result
      const message = leftCents
        ? t(m.events_only_left, { amount: formatMoney(leftCents, currency) })
        : t(m.events_nothing_left)
      return show(c, event, { fields, errors: [{ path: 'amount', message }] }, 400)
    }
    return c.redirect(`/app/${workspace.slug}/events/${event.id}?done=refunded`, 303)
  })
