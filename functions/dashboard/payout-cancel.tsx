import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { found } from '../../lib/http/found.ts'
import { formatMoney } from '../../lib/money.ts'
import { PartnerName } from '../../lib/pages/ledger.tsx'
import { Problem } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { cancelPayout } from '../../lib/payouts/cancel.queries.ts'
import { cancelRefusalOf } from '../../lib/payouts/cancel.ts'
import { findPayout, type PayoutRow } from '../../lib/payouts/payouts.queries.ts'
import type { PayoutMethod } from '../../lib/payouts/payouts.ts'

const PATH = '/app/:workspace/payouts/:id/cancel'

/** What canceling does, by how the payout is paid. */
const EFFECT: Record<PayoutMethod, string> = {
  stripe:
    'Nothing is sent from then on. If an earlier attempt may have succeeded, it takes up to a day until that is certain. Then its commissions are payable again.',
  manual:
    'Cancel it only if your bank will not pay it: its line may be in a file that you have downloaded. Its commissions are payable again.',
}

/** Asks whether a payout is to be canceled. */
const CancelPage = ({ base, payout }: { base: string; payout: PayoutRow }) => {
  const run = `${base}/payouts/runs/${payout.runId}`
  const refusal =
    cancelRefusalOf(payout) ?? (payout.status === 'processing' ? undefined : 'It is canceled already.')
  return (
    <>
      <h1>Cancel this payout?</h1>
      <Problem message={refusal} />
      <p>
        {formatMoney(payout.amountCents, payout.currency)} to{' '}
        <PartnerName base={base} id={payout.partnerId} name={payout.partnerName} slug={payout.partnerSlug} />.
      </p>
      {refusal ? (
        <p>
          <a href={run}>Back to the payout run</a>
        </p>
      ) : (
        <form method="post">
          <p>{EFFECT[payout.method]}</p>
          <p class="actions">
            <button type="submit" class="danger">
              Cancel payout
            </button>{' '}
            <a href={run}>Keep payout</a>
          </p>
        </form>
      )}
    </>
  )
}

const cancelPage = (base: string, payout: PayoutRow) =>
  ({
    title: 'Cancel a payout',
    section: '/payouts',
    children: <CancelPage base={base} payout={payout} />,
  }) as const

/** /app/:workspace/payouts/:id/cancel: cancels a payout that was not sent. Managers only. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, managersOnly(), async (c) => {
    const { db, workspace } = c.var
    const payout = await found('payout', c.req.param('id'), (id) => findPayout(db, workspace.id, id))
    return renderPage(c, cancelPage(`/app/${workspace.slug}`, payout))
  })
  .post(PATH, managersOnly(), async (c) => {
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const payout = await found('payout', c.req.param('id'), (id) => cancelPayout(db, actOf(c), id))
    if (cancelRefusalOf(payout)) return renderPage(c, cancelPage(base, payout), 409)
    const done = payout.status === 'canceling' ? 'payout_canceling' : 'payout_canceled'
    return c.redirect(`${base}/payouts/runs/${payout.runId}?done=${done}`, 303)
  })
