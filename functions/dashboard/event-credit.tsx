/** The form with which a manager credits an event by hand. */
import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import type { ErrorDetail } from '../../lib/http/errors.ts'
import { found } from '../../lib/http/found.ts'
import { rpc } from '../../lib/http/rpc.ts'
import { checked, type Fields, form } from '../../lib/http/validate.ts'
import { Checkbox, Field } from '../../lib/pages/fields.tsx'
import { Problem } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import type { CreditsService } from '../../lib/purchases/purchases.rpc.ts'
import { findEvent } from '../../lib/tracking/events.queries.ts'
import { NewCredit } from '../../lib/tracking/events.schemas.ts'
import { findNamedPartners } from '../../lib/tracking/hand-credits.queries.ts'
import { creditRefusals } from '../../lib/tracking/hand-credits.ts'
import { ReasonField } from './reason-field.tsx'

type Props = { action: string; fields?: Fields; errors?: ErrorDetail[] | undefined }

/** Partner, reason, and whether the customer moves. */
export const CreditForm = ({ action, fields = {}, errors }: Props) => (
  <form method="post" action={action}>
    <p>
      The event is decided again with the partner that you name. What it earned before is reversed; what was
      paid of it already is deducted from the next payout.
    </p>
    <Field
      label="Credit to"
      name="partner"
      hint="The partner’s slug or email address. Leave it empty to credit nobody."
      maxlength={320}
      autocomplete="off"
      value={fields.partner}
      errors={errors}
    />
    <ReasonField label="Reason for the credit" fields={fields} errors={errors} />
    <Checkbox
      label="The customer belongs to this partner from now on"
      name="customer"
      checked={fields.customer !== undefined}
    />
    <p>
      <button type="submit">Credit event</button>
    </p>
  </form>
)

type Env = WorkspaceEnv & { Bindings: { CREDITS: CreditsService } }

/** POST /app/:workspace/events/:id/credit. */
export default createRoutes<Env>().post(
  '/app/:workspace/events/:id/credit',
  managersOnly(),
  form(),
  async (c) => {
    const { db, workspace } = c.var
    const fields = c.req.valid('form')
    const event = await found('event', c.req.param('id'), (id) => findEvent(db, workspace.id, id))
    const base = `/app/${workspace.slug}/events/${event.id}`
    const refuse = (errors: ErrorDetail[], message?: string) => {
      const children = (
        <>
          <p>
            <a href={base}>Event {event.externalId}</a>
          </p>
          <h1>Credit event</h1>
          <Problem message={message} errors={errors} />
          <CreditForm action={`${base}/credit`} fields={fields} errors={errors} />
        </>
      )
      return renderPage(c, { title: 'Credit event', section: '/events', children }, message ? 409 : 400)
    }

    const name = (fields.partner ?? '').trim()
    const partners = name ? await findNamedPartners(db, workspace.id, name) : []
    if (name && partners.length !== 1) {
      const message = partners.length
        ? 'Several programs have such a partner. Open the partner’s page to find its email address, or use the API.'
        : 'No partner has this slug or email address.'
      return refuse([{ path: 'partner', message }])
    }
    const { reason = '', customer } = fields
    const partnerId = partners[0]?.id ?? null
    const { data, errors } = checked(NewCredit, { partnerId, reason, customer: customer !== undefined })
    if (errors) return refuse(errors)
    const outcome = await rpc('stripe-webhook', c.env.CREDITS.creditEvent(actOf(c), event.id, data))
    if (outcome === 'partner_missing') return refuse([{ path: 'partner', message: 'No such partner.' }])
    if (outcome !== 'credited') return refuse([], creditRefusals[outcome])
    return c.redirect(base, 303)
  },
)
