import type { SessionEnv } from '../../lib/auth/session.ts'
import { createRoutes } from '../../lib/http/app.ts'
import * as m from '../../lib/languages/messages.ts'
import { COMMISSION_KIND_NAMES } from '../../lib/languages/names.ts'
import { Day, ProgramName } from '../../lib/pages/layout/portal.tsx'
import { t, textsOf } from '../../lib/pages/layout/text.ts'
import { money } from '../../lib/pages/parts/money.tsx'
import { linkTo } from '../../lib/pages/parts/tags.tsx'
import { Table } from '../../lib/pages/tables/table.tsx'
import { type OwnCommission, readOwnCommissions } from '../../lib/portal/lists.queries.ts'
import { CommissionQuery } from '../../lib/portal/portal.schemas.ts'
import { maskCustomer } from '../../lib/values/mask-customer.ts'
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

type RowProps = { commission: OwnCommission; hasManyPrograms: boolean; now: Date }

const Row = ({ commission, hasManyPrograms, now }: RowProps) => {
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
          <a href={`/portal/events/${eventId}`}>{t(COMMISSION_KIND_NAMES[kind])}</a>
        ) : (
          t(COMMISSION_KIND_NAMES[kind])
        )}{' '}
        {commission.customer && maskCustomer(commission.customer)}
        {commission.adjustmentReason && <small>{commission.adjustmentReason}</small>}
        {commission.bonusName && <small>{commission.bonusName}</small>}
      </td>
      <td class="number">
        {money(cents, currency)}
        {reversed ? (
          <small>{t(m.amount_reversed, { amount: money(reversed, currency) })}</small>
        ) : null}
      </td>
      <td>
        <CommissionStatus state={state} now={now} />
      </td>
      <td class="words">
        <PaymentDate state={state} now={now} reversedCents={reversed ?? 0n} />
      </td>
    </tr>
  )
}

const CommissionTable = ({ list, now }: { list: List<OwnCommission>; now: Date }) => (
  <Table
    caption={t(m.nav_commissions)}
    head={[
      t(m.created_column),
      ...(list.hasManyPrograms ? [t(m.program)] : []),
      t(m.type_column),
      { number: t(m.amount_column) },
      t(m.status),
      t(m.payment_column),
    ]}
  >
    {list.data.map((commission) => (
      <Row commission={commission} hasManyPrograms={list.hasManyPrograms} now={now} />
    ))}
  </Table>
)

const Intro = ({ ofPayout }: { ofPayout: boolean }) => (
  <p>
    {ofPayout
      ? t(m.commissions_of_payout, {
          payouts: linkTo('/portal/payouts'),
          all: linkTo('/portal/commissions'),
        })
      : t(m.commissions_intro, { events: linkTo('/portal/events') })}
  </p>
)

/** GET /portal/commissions: a partner's commissions, with reversals and payment. */
export default createRoutes<SessionEnv>().get('/portal/commissions', async (c) => {
  const { db, now, user } = c.var
  const list = await readList(c, CommissionQuery, (filter, { payout }) =>
    readOwnCommissions(db, user.email, { ...filter, payoutId: payout }),
  )
  const { payout } = list.query
  const t = textsOf(c)
  return renderList(c, {
    title: t(m.nav_commissions),
    at: '/portal/commissions',
    list,
    intro: <Intro ofPayout={payout !== undefined} />,
    empty: t(payout ? m.no_commissions_of_payout : m.no_commissions),
    children: <CommissionTable list={list} now={now} />,
  })
})
