import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import type { ErrorDetail } from '../../lib/http/errors.ts'
import { found } from '../../lib/http/found.ts'
import { type Fields, form } from '../../lib/http/validate.ts'
import { formatMoney } from '../../lib/money.ts'
import { checkForm } from '../../lib/pages/forms.ts'
import { PartnerName } from '../../lib/pages/ledger.tsx'
import { Field, Problem } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { findPayout, type PayoutRow } from '../../lib/payouts/payouts.queries.ts'
import { PayoutReturn } from '../../lib/payouts/payouts.schemas.ts'
import { returnPayout } from '../../lib/payouts/returned.queries.ts'
import { isReturnable, returnRefusalOf } from '../../lib/payouts/returned.ts'

const PATH = '/app/:workspace/payouts/:id/return'

type Props = { base: string; payout: PayoutRow; fields?: Fields; errors?: ErrorDetail[] | undefined }

/** Asks why a payout came back. */
const ReturnPage = ({ base, payout, fields = {}, errors }: Props) => {
  const run = `${base}/payouts/runs/${payout.runId}`
  const refusal = isReturnable(payout) ? undefined : returnRefusalOf(payout, '')
  return (
    <>
      <h1>Returned payout</h1>
      <Problem message={refusal ?? undefined} errors={errors} labels={{ reason: 'Reason' }} />
      <p>
        {formatMoney(payout.amountCents, payout.currency)} to{' '}
        <PartnerName base={base} id={payout.partnerId} name={payout.partnerName} slug={payout.partnerSlug} />,{' '}
        <span class="nowrap">{payout.reference}</span>.
      </p>
      {refusal ? (
        <p>
          <a href={run}>Back to the payout run</a>
        </p>
      ) : (
        <form method="post">
          <p>
            If your bank or payment service sent this payout back, its commissions are payable again, and the
            next payout run pays them. This cannot be undone.
          </p>
          <Field
            label="Reason"
            name="reason"
            hint="The partner reads it by email and in the portal. For example: The account is closed."
            required
            maxlength={500}
            autocomplete="off"
            value={fields.reason}
            errors={errors}
          />
          <div class="actions">
            <button type="submit">Mark as returned</button>
            <a href={run}>Cancel</a>
          </div>
        </form>
      )}
    </>
  )
}

const returnPage = (props: Props) =>
  ({ title: 'Returned payout', section: '/payouts', children: <ReturnPage {...props} /> }) as const

/** /app/:workspace/payouts/:id/return: reports that a payout by bank came back. Managers only. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, managersOnly(), async (c) => {
    const { db, workspace } = c.var
    const payout = await found('payout', c.req.param('id'), (id) => findPayout(db, workspace.id, id))
    return renderPage(c, returnPage({ base: `/app/${workspace.slug}`, payout }))
  })
  .post(PATH, managersOnly(), form(), async (c) => {
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const fields = c.req.valid('form')
    const { data, errors } = checkForm(PayoutReturn, { input: { reason: fields.reason ?? '' } })
    if (errors) {
      const payout = await found('payout', c.req.param('id'), (id) => findPayout(db, workspace.id, id))
      return renderPage(c, returnPage({ base, payout, fields, errors }), 400)
    }
    const { reason } = data
    const portalUrl = new URL('/portal', c.req.url).href
    const payout = await found('payout', c.req.param('id'), (id) =>
      returnPayout(db, actOf(c), id, { reason, portalUrl }),
    )
    if (returnRefusalOf(payout, reason)) return renderPage(c, returnPage({ base, payout }), 409)
    return c.redirect(`${base}/payouts/runs/${payout.runId}?done=returned`, 303)
  })
