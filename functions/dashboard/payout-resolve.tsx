import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import type { ErrorDetail } from '../../lib/http/errors.ts'
import { found } from '../../lib/http/found.ts'
import { type Fields, form } from '../../lib/http/validate.ts'
import { formatMoney } from '../../lib/money.ts'
import { checkForm } from '../../lib/pages/forms.ts'
import { PartnerName } from '../../lib/pages/ledger.tsx'
import { Field, Problem, Time } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { findPayout, type PayoutRow } from '../../lib/payouts/payouts.queries.ts'
import { PayoutResolution } from '../../lib/payouts/payouts.schemas.ts'
import { transferGroup } from '../../lib/payouts/payouts.ts'
import { resolvePayout } from '../../lib/payouts/resolution.queries.ts'
import { resolutionRefusalOf, unresolvableReason } from '../../lib/payouts/resolution.ts'

const PATH = '/app/:workspace/payouts/:id/resolve'

type Props = {
  base: string
  payout: PayoutRow
  refusal: string | null
  fields?: Fields
  errors?: ErrorDetail[] | undefined
}

/** Asks whether a payout was sent. */
const ResolvePage = ({ base, payout, refusal, fields = {}, errors }: Props) => {
  const run = `${base}/payouts/runs/${payout.runId}`
  return (
    <>
      <h1>Was this payout sent?</h1>
      <Problem message={refusal ?? undefined} errors={errors} labels={{ reason: 'Reason' }} />
      <p>
        {formatMoney(payout.amountCents, payout.currency)} to{' '}
        <PartnerName base={base} id={payout.partnerId} name={payout.partnerName} slug={payout.partnerSlug} />,{' '}
        {payout.reference}.
      </p>
      {refusal ? (
        <p>
          <a href={run}>Back to the payout run</a>
        </p>
      ) : (
        <form method="post">
          <p>
            Stripe could not be asked since {payout.unreachableSince && <Time at={payout.unreachableSince} />}
            . {payout.lastError} If your Stripe account still exists, set a working key of it instead: the
            payout is then looked up.
          </p>
          <p>
            Otherwise find out whether there is a transfer with the group{' '}
            <code>{transferGroup(payout.id)}</code>: in Stripe’s dashboard or your last export, from Stripe’s
            support, or from the partner. This cannot be undone.
          </p>
          <ul>
            <li>
              Sent: the payout is paid, and the partner is emailed. If it was not sent, the partner loses it.
            </li>
            <li>
              Not sent: its commissions are payable again, and the next run pays them. If it was sent, the
              partner is paid twice.
            </li>
          </ul>
          <Field
            label="Reason"
            name="reason"
            hint="How you know. For example: The partner’s Stripe account shows no such payment."
            required
            maxlength={500}
            autocomplete="off"
            value={fields.reason}
            errors={errors}
          />
          <div class="actions">
            <button type="submit" name="outcome" value="not_sent" class="danger">
              Mark as not sent
            </button>
            <button type="submit" name="outcome" value="sent" class="quiet">
              Mark as sent
            </button>
            <a href={run}>Cancel</a>
          </div>
        </form>
      )}
    </>
  )
}

const resolvePage = (props: Props) =>
  ({ title: 'Unclear payout', section: '/payouts', children: <ResolvePage {...props} /> }) as const

/** /app/:workspace/payouts/:id/resolve: decides whether a payout was sent, when Stripe cannot be asked. Managers only. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, managersOnly(), async (c) => {
    const { db, workspace, now } = c.var
    const payout = await found('payout', c.req.param('id'), (id) => findPayout(db, workspace.id, id))
    const refusal = unresolvableReason(payout, now)
    return renderPage(c, resolvePage({ base: `/app/${workspace.slug}`, payout, refusal }))
  })
  .post(PATH, managersOnly(), form(), async (c) => {
    const { db, workspace, now } = c.var
    const base = `/app/${workspace.slug}`
    const fields = c.req.valid('form')
    const input = { outcome: fields.outcome, reason: fields.reason ?? '' }
    const { data, errors } = checkForm(PayoutResolution, { input })
    if (errors) {
      const payout = await found('payout', c.req.param('id'), (id) => findPayout(db, workspace.id, id))
      const refusal = unresolvableReason(payout, now)
      return renderPage(c, resolvePage({ base, payout, refusal, fields, errors }), 400)
    }
    const portalUrl = new URL('/portal', c.req.url).href
    const payout = await found('payout', c.req.param('id'), (id) =>
      resolvePayout(db, actOf(c), id, { ...data, portalUrl }),
    )
    const refusal = resolutionRefusalOf(payout, data, now)
    if (refusal) return renderPage(c, resolvePage({ base, payout, refusal }), 409)
    return c.redirect(`${base}/payouts/runs/${payout.runId}?done=resolved_${data.outcome}`, 303)
  })
