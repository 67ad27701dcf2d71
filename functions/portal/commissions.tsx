import type { SessionEnv } from '../../lib/auth/session.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { COMMISSION_KIND_NAMES } from '../../lib/pages/ledger.tsx'
import { money } from '../../lib/pages/money.tsx'
import { Table } from '../../lib/pages/parts.tsx'
import { Day, ProgramName } from '../../lib/pages/portal.tsx'
import { type OwnCommission, readOwnCommissions } from '../../lib/portal/lists.queries.ts'
import { maskCustomer } from '../../lib/portal/mask.ts'
import { CommissionQuery } from '../../lib/portal/portal.schemas.ts'
import { type CommissionState, CommissionStatus, PaymentDate } from './commission-status.tsx'
import { type List, readList, renderList } from './list.tsx'

const stateOf = (commission: OwnCommission): CommissionState => ({
  payableAt: commission.payableAt,
  payoutId: commission.payoutId,
  paidAt: commission.paidAt,
  isHeld: commission.isHeld,
  holdReason: commission.holdReason,
  holdNote: commission.holdNote,
  isReversed: commission.reversedCents === commission.amountCents,
})

const Row = ({
  commission,
  hasManyPrograms,
  now,
}: {
  commission: OwnCommission
  hasManyPrograms: boolean
  now: Date
}) => {
  const { kind, amountCents: cents, currency, reversedCents: reversed, eventId } = commission
  const state = stateOf(commission)
  return (
    <tr>
      <td>
        <Day at={commission.createdAt} />
      </td>
      {hasManyPrograms && <ProgramName name={commission.program} />}
      <td>
        {eventId ? (
          <a href={`/portal/events/${eventId}`}>{COMMISSION_KIND_NAMES[kind]}</a>
        ) : (
          COMMISSION_KIND_NAMES[kind]
        )}{' '}
        {commission.customer && maskCustomer(commission.customer)}
        {commission.adjustmentReason && <small>{commission.adjustmentReason}</small>}
      </td>
      <td class="number">
        {money(cents, currency)}
        {reversed ? <small>{money(reversed, currency)} reversed</small> : null}
      </td>
      <td>
        <CommissionStatus state={state} now={now} />
      </td>
      <td class="words">
        <PaymentDate state={state} now={now} />
        {state.paidAt && reversed
          ? `. The reversal is ${reversed > 0n ? 'deducted from' : 'added to'} another payout.`
          : ''}
      </td>
    </tr>
  )
}

const CommissionTable = ({ list, now }: { list: List<OwnCommission>; now: Date }) => (
  <Table
    caption="Commissions"
    head={[
      'Created',
      ...(list.hasManyPrograms ? ['Program'] : []),
      'Type',
      { number: 'Amount' },
      'Status',
      'Payment',
    ]}
  >
    {list.data.map((commission) => (
      <Row commission={commission} hasManyPrograms={list.hasManyPrograms} now={now} />
    ))}
  </Table>
)

const OF_ONE_PAYOUT = (
  <p>
    The commissions in one of your <a href="/portal/payouts">payouts</a>.{' '}
    <a href="/portal/commissions">Show all commissions</a>
  </p>
)

const OF_ALL = (
  <p>
    Your earnings from sales and leads. A commission is pending during the holding period for refunds, then
    payable with the next payout. Events without a commission are listed under{' '}
    <a href="/portal/events">Sales and leads</a>, with the reason.
  </p>
)

/** GET /portal/commissions: a partner's commissions, with reversals and payment. */
export default createRoutes<SessionEnv>().get('/portal/commissions', async (c) => {
  const { db, now, user } = c.var
  const list = await readList(c, CommissionQuery, (filter, { payout }) =>
    readOwnCommissions(db, user.email, { ...filter, payoutId: payout }),
  )
  const { payout } = list.query
  return renderList(c, {
    title: 'Commissions',
    at: '/portal/commissions',
    list,
    intro: payout ? OF_ONE_PAYOUT : OF_ALL,
    empty: payout
      ? 'This payout has no commissions of yours.'
      : 'No commissions yet. Share your link to earn the first one.',
    children: <CommissionTable list={list} now={now} />,
  })
})
