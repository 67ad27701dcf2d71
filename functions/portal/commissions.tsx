import type { SessionEnv } from '../../lib/auth/session.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { formatMoney } from '../../lib/money.ts'
import { Table } from '../../lib/pages/parts.tsx'
import { Day, ProgramName } from '../../lib/pages/portal.tsx'
import { type OwnCommission, readOwnCommissions } from '../../lib/portal/lists.queries.ts'
import { maskCustomer } from '../../lib/portal/mask.ts'
import { CommissionQuery } from '../../lib/portal/portal.schemas.ts'
import { type List, readList, renderList } from './list.tsx'
import { type Standing, StandingStatus, WhenPaid } from './standing.tsx'

const PURPOSE = { sale: 'Sale', lead: 'Lead', opening_balance: 'Opening balance', reversal: 'Reversal' }

const standingOf = (commission: OwnCommission): Standing => ({
  payableAt: commission.payableAt,
  payoutId: commission.payoutId,
  paidAt: commission.paidAt,
  isReversed: commission.reversedCents === commission.amountCents,
})

const Row = ({ commission, isOfMany, now }: { commission: OwnCommission; isOfMany: boolean; now: Date }) => {
  const { kind, amountCents: cents, currency, reversedCents: reversed, eventId } = commission
  const standing = standingOf(commission)
  return (
    <tr>
      <td>
        <Day at={commission.createdAt} />
      </td>
      {isOfMany && <ProgramName name={commission.program} />}
      <td>
        {eventId ? <a href={`/portal/events/${eventId}`}>{PURPOSE[kind]}</a> : PURPOSE[kind]}{' '}
        {commission.customer && maskCustomer(commission.customer)}
      </td>
      <td class="number">
        {formatMoney(cents, currency)}
        {reversed ? <small>{formatMoney(reversed, currency)} taken back</small> : null}
      </td>
      <td>
        <StandingStatus standing={standing} now={now} />
      </td>
      <td class="words">
        <WhenPaid standing={standing} now={now} />
        {standing.paidAt && reversed ? '; what was taken back comes off another payout' : ''}
      </td>
    </tr>
  )
}

const CommissionTable = ({ list, now }: { list: List<OwnCommission>; now: Date }) => (
  <Table
    caption="Commissions"
    head={[
      'Earned',
      ...(list.isOfMany ? ['Program'] : []),
      'For',
      { number: 'Amount' },
      'Status',
      'When it is paid',
    ]}
  >
    {list.data.map((commission) => (
      <Row commission={commission} isOfMany={list.isOfMany} now={now} />
    ))}
  </Table>
)

const OF_ONE_PAYOUT = (
  <p>
    What one of your <a href="/portal/payouts">payouts</a> is made of.{' '}
    <a href="/portal/commissions">Show all commissions</a>
  </p>
)

const OF_ALL = (
  <p>
    What your sales and leads have earned you. A commission is pending while its sale may be refunded, then
    payable, and goes out with the next payout. What was refunded is taken back. What earned you nothing
    stands in <a href="/portal/events">Sales and leads</a>, with the reason.
  </p>
)

/** GET /portal/commissions: what a partner has earned, when it is paid, and what was taken back of it. */
export default createRoutes<SessionEnv>().get('/portal/commissions', async (c) => {
  const { db, now, user } = c.var
  const list = await readList(c, CommissionQuery, (filter, { payout }) =>
    readOwnCommissions(db, user.email, { ...filter, payoutId: payout }),
  )
  const { payout } = list.asked
  return renderList(c, {
    title: 'Commissions',
    at: '/portal/commissions',
    list,
    intro: payout ? OF_ONE_PAYOUT : OF_ALL,
    empty: payout ? 'No commission of yours is in this payout.' : 'Nothing was earned yet.',
    children: <CommissionTable list={list} now={now} />,
  })
})
