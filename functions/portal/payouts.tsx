import type { SessionEnv } from '../../lib/auth/session.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { formatMoney } from '../../lib/money.ts'
import { Status } from '../../lib/pages/ledger.tsx'
import { Table } from '../../lib/pages/parts.tsx'
import { Day, ProgramName } from '../../lib/pages/portal.tsx'
import { counted } from '../../lib/plural.ts'
import { type OwnPayout, readOwnPayouts } from '../../lib/portal/lists.queries.ts'
import { PortalQuery } from '../../lib/portal/portal.schemas.ts'
import { readList, renderList } from './list.tsx'

/** What is off a payout, or comes on top of it: what was taken back, less what was given again. */
const corrections = ({ reversedCents: reversed, currency }: OwnPayout): string => {
  if (!reversed) return ''
  return reversed > 0n
    ? `, less ${formatMoney(reversed, currency)} taken back`
    : `, and ${formatMoney(-reversed, currency)} that was taken back before`
}

/** What a payout is made of, with the way to it; one that has let go of that has none. */
const MadeOf = ({ payout }: { payout: OwnPayout }) => (
  <>
    <a href={`/portal/commissions?payout=${payout.id}`}>
      {counted(Number(payout.commissions ?? 0n), 'commission')}
    </a>
    {corrections(payout)}
  </>
)

/** How a payout stands. */
const Story = ({ payout }: { payout: OwnPayout }) => {
  switch (payout.status) {
    case 'paid':
      return payout.paidAt ? (
        <>
          Paid on <Day at={payout.paidAt} />, for <MadeOf payout={payout} />.
        </>
      ) : null
    case 'processing':
      return (
        <>
          On its way, for <MadeOf payout={payout} />.
          {payout.stripeAccountId && ' If it can’t be sent at once, it is tried again.'}
        </>
      )
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

const PayoutTable = ({ payouts, isOfMany }: { payouts: OwnPayout[]; isOfMany: boolean }) => (
  <Table
    caption="Payouts"
    head={[
      'Made',
      ...(isOfMany ? ['Program'] : []),
      { number: 'Amount' },
      'By',
      'Status',
      'What became of it',
    ]}
  >
    {payouts.map((payout) => (
      <tr>
        <td>
          <Day at={payout.createdAt} />
        </td>
        {isOfMany && <ProgramName name={payout.program} />}
        <td class="number">{formatMoney(payout.amountCents, payout.currency)}</td>
        <td>{payout.stripeAccountId ? 'Stripe' : 'Bank transfer'}</td>
        <td>
          <Status status={payout.status} />
        </td>
        <td class="words">
          <Story payout={payout} />
        </td>
      </tr>
    ))}
  </Table>
)

/** GET /portal/payouts: what a partner was paid, what is on its way, and why something failed. */
export default createRoutes<SessionEnv>().get('/portal/payouts', async (c) => {
  const { db, user } = c.var
  const list = await readList(c, PortalQuery, (filter) => readOwnPayouts(db, user.email, filter))
  return renderList(c, {
    title: 'Payouts',
    at: '/portal/payouts',
    list,
    intro: null,
    empty: 'Nothing was paid yet. Payable commissions go out with the merchant’s next payout.',
    children: <PayoutTable payouts={list.data} isOfMany={list.isOfMany} />,
  })
})
