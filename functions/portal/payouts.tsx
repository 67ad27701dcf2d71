import { listOwnPayouts, type OwnPayout } from '../../lib/data/portal-lists.ts'
import { formatMoney } from '../../lib/domain/money.ts'
import { payoutStatus } from '../../lib/domain/payouts.ts'
import { counted } from '../../lib/domain/plural.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { page } from '../../lib/http/lists.ts'
import { PORTAL_ROWS, PortalQuery } from '../../lib/http/portal-schemas.ts'
import type { SessionEnv } from '../../lib/http/session.ts'
import { readFilters } from '../../lib/pages/filters.tsx'
import { Status } from '../../lib/pages/ledger.tsx'
import { NextPage, Table } from '../../lib/pages/parts.tsx'
import { Day, renderPortal } from '../../lib/pages/portal.tsx'
import { noSuchPage } from '../../lib/pages/render.tsx'

const statusOf = ({ paid_at: paidAt, failed_at: failedAt, canceled_at: canceledAt }: OwnPayout) =>
  payoutStatus({ paidAt, failedAt, canceledAt })

/** What a payout is made of, or what became of that. */
const madeOf = ({ commissions, reversed_cents: reversed, currency }: OwnPayout): string => {
  const earned = counted(Number(commissions ?? 0n), 'commission')
  return reversed ? `${earned}, less ${formatMoney(reversed, currency)} taken back` : earned
}

/** How a payout stands. */
const Story = ({ payout }: { payout: OwnPayout }) => {
  switch (statusOf(payout)) {
    case 'paid':
      return payout.paid_at ? (
        <>
          Paid on <Day at={payout.paid_at} />, for {madeOf(payout)}.
        </>
      ) : null
    case 'processing':
      return <>On its way, for {madeOf(payout)}. If it can’t be sent at once, it is tried again.</>
    case 'failed':
      return (
        <>
          {payout.reason ?? 'Stripe could not send it to your account.'} What it was for is payable again, and
          goes out with a later payout. <a href="/portal">See how your account is</a>.
        </>
      )
    default:
      return <>The merchant took it back before it was sent. What it was for is payable again.</>
  }
}

/** GET /portal/payouts: what a partner was paid, what is on its way, and why something failed. */
export default createRoutes<SessionEnv>().get('/portal/payouts', async (c) => {
  const { db, user } = c.var
  const { data } = readFilters(c, PortalQuery)
  if (!data) throw noSuchPage()
  const rows = await listOwnPayouts(db, user.email, { cursor: data.cursor, limit: PORTAL_ROWS + 1 })
  const { data: payouts, nextCursor } = page(rows, PORTAL_ROWS)
  const children = (
    <>
      <h1>Payouts</h1>
      {payouts.length > 0 ? (
        <Table
          caption="Payouts"
          head={['Made', 'Program', { number: 'Amount' }, 'By', 'Status', 'What became of it']}
        >
          {payouts.map((payout) => (
            <tr>
              <td>
                <Day at={payout.created_at} />
              </td>
              <td>{payout.program}</td>
              <td class="number">{formatMoney(payout.amount_cents, payout.currency)}</td>
              <td>{payout.stripe_account_id ? 'Stripe' : 'Bank transfer'}</td>
              <td>
                <Status status={statusOf(payout)} />
              </td>
              <td class="words">
                <Story payout={payout} />
              </td>
            </tr>
          ))}
        </Table>
      ) : (
        <p class="empty">
          {data.cursor
            ? 'There are no more.'
            : 'Nothing was paid yet. Payable commissions go out with the merchant’s next payout.'}
        </p>
      )}
      <NextPage url={c.req.url} cursor={nextCursor} />
    </>
  )
  return renderPortal(c, { title: 'Payouts', at: '/portal/payouts', children })
})
