import * as z from 'zod'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { readById } from '../../../lib/auth/rows.ts'
import type { Db } from '../../../lib/db/connection.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { ErrorDetail } from '../../../lib/http/errors.ts'
import { rpc } from '../../../lib/http/rpc/rpc.ts'
import { checked, type Fields, form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Submit } from '../../../lib/pages/forms/buttons.tsx'
import { Checkbox, Field } from '../../../lib/pages/forms/fields.tsx'
import { LinkLine, Problem } from '../../../lib/pages/layout/parts.tsx'
import { renderPage } from '../../../lib/pages/layout/render.tsx'
import { type Shown, t, textsOf } from '../../../lib/pages/layout/text.ts'
import { creditRefusalOf, creditRefusals } from '../../../lib/rules/attribution/hand-credits.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import { findEvidence } from '../../../lib/tracking/checks/uncredited.queries.ts'
import {
  creditReason,
  type Evidence,
  evidenceWords,
} from '../../../lib/tracking/checks/uncredited.ts'
import { type EventRow, findEvent } from '../../../lib/tracking/events/events.queries.ts'
import { NewCredit } from '../../../lib/tracking/events/events.schemas.ts'
import { findNamedPartners } from '../../../lib/tracking/events/hand-credits.queries.ts'
import type { CreditsService } from '../../../lib/tracking/reports/purchases.rpc.ts'
import { ReasonField } from '../fields/correction-fields.tsx'

type Props = { action: string; fields?: Fields | undefined; errors?: ErrorDetail[] | undefined }

/** Partner, reason, and whether the customer's partner changes. */
export const CreditForm = ({ action, fields = {}, errors }: Props) => (
  <form method="post" action={action}>
    <p>{t(m.events_credit_effect)}</p>
    <Field
      label={t(m.events_credit_to)}
      name="partner"
      hint={t(m.events_credit_hint)}
      maxlength={320}
      autocomplete="off"
      value={fields.partner}
      errors={errors}
    />
    <ReasonField label={t(m.events_credit_reason)} fields={fields} errors={errors} />
    <Checkbox
      label={t(m.events_credit_customer)}
      name="customer"
      checked={fields.customer !== undefined}
    />
    <Submit>{t(m.events_credit_title)}</Submit>
  </form>
)

type CreditPageProps = Props & {
  /** The event's page. */
  path: string
  event: EventRow
  evidence?: Evidence | undefined
  message?: Shown | undefined
}

const CreditPage = ({ path, event, evidence, message, errors, ...form }: CreditPageProps) => (
  <>
    <LinkLine href={path}>{t(m.events_title, { externalId: event.externalId })}</LinkLine>
    <h1>{t(m.events_credit_title)}</h1>
    <Problem message={message} errors={errors} />
    {evidence && <p>{evidenceWords(t, evidence, event.occurredAt)}</p>}
    <CreditForm errors={errors} {...form} />
  </>
)

/** Fields for the partner of the evidence: by slug, unless the slug exists in several programs. */
const fieldsFor = async (db: Db, workspaceId: string, evidence: Evidence): Promise<Fields> => {
  const { partner } = evidence
  if (!partner?.isActive) return {}
  const named = await findNamedPartners(db, workspaceId, partner.slug)
  const isOnly = named.length === 1 && named[0]?.id === partner.id
  return { partner: isOnly ? partner.slug : partner.id, reason: creditReason(evidence) }
}

type Env = WorkspaceEnv & { Bindings: { CREDITS: CreditsService } }

const TITLE = { title: m.events_credit_title, section: '/events' } as const

/**
 * /app/:workspace/events/:id/credit: the form, prefilled with the best evidence if no partner is
 * credited.
 */
export default createRoutes<Env>()
  .get('/app/:workspace/events/:id/credit', async (c) => {
    const { db, workspace } = c.var
    const event = await readById(c, 'event', findEvent)
    const path = `/app/${workspace.slug}/events/${event.id}`
    const evidence = (await findEvidence(db, workspace.id, [event.id])).get(event.id)
    const refusal = event.kind === 'refund' ? 'refund' : creditRefusalOf(event.steps)
    const message = refusal ? creditRefusals[refusal] : undefined
    const fields = evidence && (await fieldsFor(db, workspace.id, evidence))
    const form = { path, event, evidence, message, fields, action: `${path}/credit` }
    return renderPage(c, { ...TITLE, children: <CreditPage {...form} /> })
  })
  .post('/app/:workspace/events/:id/credit', freshMembersOnly(), form(), async (c) => {
    const t = textsOf(c)
    const { db, workspace } = c.var
    const fields = c.req.valid('form')
    const event = await readById(c, 'event', findEvent)
    const path = `/app/${workspace.slug}/events/${event.id}`
    const refuse = (errors: ErrorDetail[], message?: Shown) => {
      const form = { path, event, fields, errors, message, action: `${path}/credit` }
      return renderPage(c, { ...TITLE, children: <CreditPage {...form} /> }, message ? 409 : 400)
    }

    const name = (fields.partner ?? '').trim()
    const partners = name ? await partnersNamed(db, workspace.id, name) : []
    if (name && partners.length !== 1) {
      const message = partners.length ? t(m.events_several_partners) : t(m.events_no_such_partner)
      return refuse([{ path: 'partner', message }])
    }
    const { reason = '', customer } = fields
    const partnerId = partners[0]?.id ?? null
    const { data, errors } = checked(NewCredit, {
      partnerId,
      reason,
      customer: customer !== undefined,
    })
    if (errors) return refuse(errors)
    const outcome = await rpc('stripe-webhook', c.env.CREDITS.creditEvent(actOf(c), event.id, data))
    if (outcome === 'partner_missing')
      return refuse([{ path: 'partner', message: t(m.events_no_partner_id) }])
    if (outcome !== 'credited') return refuse([], creditRefusals[outcome])
    return c.redirect(path, 303)
  })

/** The partners with this slug, email address or id. The credit itself checks the workspace. */
const partnersNamed = async (
  db: Db,
  workspaceId: string,
  name: string,
): Promise<{ id: string }[]> =>
  z.uuid().safeParse(name).success ? [{ id: name }] : findNamedPartners(db, workspaceId, name)
