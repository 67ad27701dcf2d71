/** The form with which a manager records a refund of a sale. */
import type { Context } from 'hono'
import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { newId } from '../../lib/db/ids.ts'
import { createRoutes } from '../../lib/http/app.ts'
import type { ErrorDetail } from '../../lib/http/errors.ts'
import { found } from '../../lib/http/found.ts'
import { rpc } from '../../lib/http/rpc.ts'
import { type Checked, type Fields, form } from '../../lib/http/validate.ts'
import { formatMoney } from '../../lib/money.ts'
import { checkForm } from '../../lib/pages/forms.ts'
import { money } from '../../lib/pages/money.tsx'
import { Problem } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { refundedCentsOf } from '../../lib/purchases/hand-refund.queries.ts'
import type { CreditsService } from '../../lib/purchases/purchases.rpc.ts'
import { type EventRow, findEvent } from '../../lib/tracking/events.queries.ts'
import { HandRefund } from '../../lib/tracking/events.schemas.ts'
import { PartField, readPart } from './part-field.tsx'
import { ReasonField } from './reason-field.tsx'

type Props = {
  path: string
  event: RefundableSale
  leftCents: bigint
  fields?: Fields
  errors?: ErrorDetail[] | undefined
  message?: string | undefined
}

/** Amount and reason. A form that is submitted twice refunds once. */
const RefundPage = ({ path, event, leftCents, fields = {}, errors, message }: Props) => (
  <>
    <p>
      <a href={path}>Event {event.externalId}</a>
    </p>
    <h1>Refund sale</h1>
    <Problem message={message} errors={errors} />
    <p>
      Records what you returned to the buyer, and reverses that part of the commission. It moves no money.
      Stripe reports its refunds itself.
    </p>
    <form method="post" action={`${path}/refund`}>
      <input type="hidden" name="externalId" value={fields.externalId ?? newId()} />
      <PartField
        label={`Refunded amount (${event.currency})`}
        hint={`Leave it empty to refund all that is left: ${money(leftCents, event.currency)}.`}
        fields={fields}
        errors={errors}
      />
      <ReasonField label="Reason for the refund" fields={fields} errors={errors} />
      <p>
        <button type="submit" class="danger">
          Record refund
        </button>
      </p>
    </form>
  </>
)

const readRefund = (fields: Fields, currency: string): Checked<HandRefund> => {
  const { externalId, reason = '' } = fields
  const { amountCents, problems } = readPart(fields, currency)
  return checkForm(HandRefund, { input: { externalId, reason, amountCents }, problems })
}

const SAVED_BEFORE =
  'This form was already submitted with other values, and that refund was saved. Open the sale again to record another one.'

type Env = WorkspaceEnv & { Bindings: { CREDITS: CreditsService } }

type RefundableSale = EventRow & { amountCents: bigint; currency: string }

/** The sale of the URL. @throws {ApiError} `not_found`, also for a lead or a refund */
const readSale = (c: Context<Env>): Promise<RefundableSale> =>
  found('event', c.req.param('id') ?? '', async (id) => {
    const event = await findEvent(c.var.db, c.var.workspace.id, id)
    if (event?.kind !== 'sale' || event.amountCents === null || event.currency === null) return undefined
    const { amountCents, currency } = event
    return { ...event, amountCents, currency }
  })

type Refused = { fields: Fields; errors: ErrorDetail[]; message?: string }

/** Renders the form, with what was refused of it. */
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
  return renderPage(c, { title: 'Refund sale', section: '/events', children }, status)
}

/** GET and POST /app/:workspace/events/:id/refund. */
export default createRoutes<Env>()
  .get('/app/:workspace/events/:id/refund', managersOnly(), async (c) => show(c, await readSale(c)))
  .post('/app/:workspace/events/:id/refund', managersOnly(), form(), async (c) => {
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
        ? `Only ${formatMoney(leftCents, currency)} of this sale is left. Enter at most that.`
        : 'Nothing of this sale is left to refund.'
      return show(c, event, { fields, errors: [{ path: 'amount', message }] }, 400)
    }
    return c.redirect(`/app/${workspace.slug}/events/${event.id}?done=refunded`, 303)
  })
