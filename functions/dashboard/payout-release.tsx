import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { found } from '../../lib/http/found.ts'
import { formatMoney } from '../../lib/money.ts'
import { PartnerName } from '../../lib/pages/ledger.tsx'
import { ConfirmForm, Problem } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { findPayout, type PayoutRow } from '../../lib/payouts/payouts.queries.ts'
import { releasePayout } from '../../lib/payouts/reversals.queries.ts'
import { isUndecided, releaseRefusalOf } from '../../lib/payouts/reversals.ts'

const PATH = '/app/:workspace/payouts/:id/release'

/** Asks whether the partner is to be paid again. */
const ReleasePage = ({ base, payout }: { base: string; payout: PayoutRow }) => {
  const run = `${base}/payouts/runs/${payout.runId}`
  const refusal =
    releaseRefusalOf(payout) ?? (isUndecided(payout) ? undefined : 'Its commissions are payable already.')
  return (
    <>
      <h1>Release the commissions of this payout?</h1>
      <Problem message={refusal} />
      <p>
        {formatMoney(payout.amountCents, payout.currency)} to{' '}
        <PartnerName base={base} id={payout.partnerId} name={payout.partnerName} slug={payout.partnerSlug} />,
        transfer <code>{payout.transferId}</code>.
      </p>
      {refusal ? (
        <p>
          <a href={run}>Back to the payout run</a>
        </p>
      ) : (
        <>
          <p>
            The transfer was reversed in Stripe. If the partner is still owed this amount, release its
            commissions, and the next payout run pays them again. If not, leave the payout as it is.
          </p>
          <ConfirmForm button="Release commissions" cancel={run} />
        </>
      )}
    </>
  )
}

const releasePage = (base: string, payout: PayoutRow) =>
  ({
    title: 'Reversed payout',
    section: '/payouts',
    children: <ReleasePage base={base} payout={payout} />,
  }) as const

/** /app/:workspace/payouts/:id/release: makes the commissions of a reversed payout payable again. Managers only. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, managersOnly(), async (c) => {
    const { db, workspace } = c.var
    const payout = await found('payout', c.req.param('id'), (id) => findPayout(db, workspace.id, id))
    return renderPage(c, releasePage(`/app/${workspace.slug}`, payout))
  })
  .post(PATH, managersOnly(), async (c) => {
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const payout = await found('payout', c.req.param('id'), (id) => releasePayout(db, actOf(c), id))
    if (releaseRefusalOf(payout)) return renderPage(c, releasePage(base, payout), 409)
    return c.redirect(`${base}/payouts/runs/${payout.runId}?done=released`, 303)
  })
