import type { SessionEnv } from '../../lib/auth/session.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { Merchant } from '../../lib/pages/brand.tsx'
import { Status } from '../../lib/pages/ledger.tsx'
import { money } from '../../lib/pages/money.tsx'
import { Table } from '../../lib/pages/parts.tsx'
import { Day, ProgramName } from '../../lib/pages/portal.tsx'
import type { BankStatus } from '../../lib/payouts/banks.ts'
import type { OwnPayout } from '../../lib/payouts/own-payouts.queries.ts'
import { asSentence } from '../../lib/payouts/returned.ts'
import { counted } from '../../lib/plural.ts'
import { readOwnPayouts } from '../../lib/portal/lists.queries.ts'
import { PortalQuery } from '../../lib/portal/portal.schemas.ts'
import { readList, renderList } from './list.tsx'

/** Reversals of earnings in a payout, net of reinstatements, and reversals of deductions. */
const corrections = ({
  reversedCents: reversed,
  reversedDeductionsCents: deductions,
  currency,
}: OwnPayout): string =>
  [
    reversed && reversed > 0n ? `, less ${money(reversed, currency)} reversed` : '',
    reversed && reversed < 0n ? `, plus ${money(-reversed, currency)} reinstated` : '',
    deductions ? `, plus ${money(deductions, currency)} of reversed deductions` : '',
  ].join('')

/** A link to the payout's commissions. */
const Commissions = ({ payout }: { payout: OwnPayout }) => (
  <>
    <a href={`/portal/commissions?payout=${payout.id}`}>
      {counted(Number(payout.commissions ?? 0n), 'commission')}
    </a>
    {corrections(payout)}
  </>
)

/** Where the money of a paid payout is. Stripe bundles transfers, so its own payout may be of another amount. */
const Arrival = ({ payout: { bankStatus, stripeAccountId }, at }: { payout: OwnPayout; at: Date }) => {
  if (!stripeAccountId) {
    return (
      <>
        Paid outside Stripe on <Day at={at} />
      </>
    )
  }
  if (bankStatus === 'paid') {
    return (
      <>
        Paid on <Day at={at} />, and paid out to your bank since
      </>
    )
  }
  return (
    <>
      Sent to your Stripe account on <Day at={at} />
      {bankStatus === 'on_its_way' && ', and on its way to your bank'}
    </>
  )
}

/** The label of a paid payout, by where its money is. */
const BANK_LABELS: Record<BankStatus, { status: string; label: string }> = {
  on_its_way: { status: 'processing', label: 'on its way to your bank' },
  paid: { status: 'paid', label: 'paid' },
  refused: { status: 'failed', label: 'refused by your bank' },
}

const StatusLabel = ({ payout: { status, bankStatus, stripeAccountId } }: { payout: OwnPayout }) => {
  if (bankStatus) return <Status {...BANK_LABELS[bankStatus]} />
  if (status === 'paid' && !stripeAccountId) return <Status status="paid" label="paid outside Stripe" />
  // Whether it arrived is not known.
  if (status === 'paid' && stripeAccountId)
    return <Status status="paid" label="sent to your Stripe account" />
  return <Status status={status} />
}

/** The state of a payout, with its date or reason. */
const Outcome = ({ payout }: { payout: OwnPayout }) => {
  switch (payout.status) {
    case 'paid':
      return payout.paidAt ? (
        <>
          <Arrival payout={payout} at={payout.paidAt} />, for <Commissions payout={payout} />.
          {payout.bankStatus === 'refused' && (
            <>
              {' '}
              Your bank refused it, and the money is in your Stripe account.{' '}
              <a href={`/portal/connect/dashboard?workspace=${payout.workspaceId}`}>Fix it at Stripe</a>.
            </>
          )}
          {payout.reversedAtStripeCents > 0n &&
            ` The merchant reversed ${money(payout.reversedAtStripeCents, payout.currency)} of it.`}
        </>
      ) : null
    case 'processing':
      return (
        <>
          Processing, for <Commissions payout={payout} />.
          {payout.stripeAccountId && ' A failed transfer is retried automatically.'}
        </>
      )
    case 'canceling':
      return (
        <>
          The merchant is canceling it. If it was sent already, it is paid. Otherwise its commissions are
          payable again.
        </>
      )
    case 'failed':
      return (
        <>
          {payout.reason ?? 'Stripe could not send it to your account.'} Its commissions are payable again,
          with a later payout. <a href="/portal">Check your account</a>, or ask{' '}
          <Merchant at={[payout.contact]} />.
        </>
      )
    case 'reversed':
      return (
        <>
          The merchant reversed this transfer.{' '}
          {payout.releasedAt ? (
            'Its commissions are payable again, with a later payout.'
          ) : (
            <>
              It was for <Commissions payout={payout} />. Ask <Merchant at={[payout.contact]} /> whether it is
              paid again.
            </>
          )}
        </>
      )
    case 'returned':
      return (
        <>
          Returned by your bank: {asSentence(payout.returnReason ?? '')} Its commissions are payable again,
          with a later payout.{' '}
          <a href={`/portal/payment?workspace=${payout.workspaceId}`}>Check your payment details</a>, or ask{' '}
          <Merchant at={[payout.contact]} />.
        </>
      )
    default:
      return <>The merchant canceled it before it was sent. Its commissions are payable again.</>
  }
}

const PayoutTable = ({ payouts, hasManyPrograms }: { payouts: OwnPayout[]; hasManyPrograms: boolean }) => (
  <Table
    caption="Payouts"
    head={[
      'Created',
      'Reference',
      ...(hasManyPrograms ? ['Program'] : []),
      { number: 'Amount' },
      'Method',
      'Status',
      'Details',
    ]}
  >
    {payouts.map((payout) => (
      <tr>
        <td>
          <Day at={payout.createdAt} />
        </td>
        <td>{payout.reference}</td>
        {hasManyPrograms && <ProgramName name={payout.program} />}
        <td class="number">{money(payout.amountCents, payout.currency)}</td>
        <td>{payout.stripeAccountId ? 'Stripe' : 'Outside Stripe'}</td>
        <td>
          <StatusLabel payout={payout} />
        </td>
        <td class="words">
          <Outcome payout={payout} />
        </td>
      </tr>
    ))}
  </Table>
)

/** GET /portal/payouts: a partner's payouts and their status. */
export default createRoutes<SessionEnv>().get('/portal/payouts', async (c) => {
  const { db, user } = c.var
  const list = await readList(c, PortalQuery, (filter) => readOwnPayouts(db, user.email, filter))
  return renderList(c, {
    title: 'Payouts',
    at: '/portal/payouts',
    list,
    intro: null,
    empty: 'No payouts yet. Payable commissions are paid with the merchant’s next payout.',
    children: <PayoutTable payouts={list.data} hasManyPrograms={list.hasManyPrograms} />,
  })
})
