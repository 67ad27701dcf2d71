/** The table of payouts, with what became of each and what a manager can do about it. */

import type { BankStatus } from '../payouts/banks.ts'
import type { PayoutRow } from '../payouts/payouts.queries.ts'
import { resolvableFrom } from '../payouts/resolution.ts'
import { asSentence, isReturnable } from '../payouts/returned.ts'
import { isUndecided } from '../payouts/reversals.ts'
import { PartnerName, Status } from './ledger.tsx'
import { money } from './money.tsx'
import { type Sorting, sortable, Table, Time } from './parts.tsx'
import { METHOD_NAMES } from './payouts.tsx'

/** How far the canceling of a payout has come. */
const Canceling = ({ base, payout, isManager }: { base: string; payout: PayoutRow; isManager: boolean }) => {
  const { id, reference, lookedUpUntil, lastError, unreachableSince } = payout
  if (!lookedUpUntil) return <>Canceled. Its commissions are being released.</>
  if (unreachableSince && resolvableFrom(payout)) {
    return (
      <>
        Nothing more is sent. Stripe could not be asked since <Time at={unreachableSince} /> whether an
        earlier attempt succeeded. {lastError}{' '}
        {isManager ? (
          <a href={`${base}/payouts/${id}/resolve`}>
            Decide whether it was sent<span class="hidden"> {reference}</span>
          </a>
        ) : (
          'A manager can decide that.'
        )}
      </>
    )
  }
  return (
    <>
      Nothing more is sent. An earlier attempt may have succeeded: Stripe is asked until{' '}
      <Time at={lookedUpUntil} />, then its commissions are payable again.{lastError && ` ${lastError}`}
    </>
  )
}

/** Why a payout is retried, or why it failed. */
const note = ({ status, lastError: error }: PayoutRow): string => {
  if (!error) return ''
  if (status === 'processing') return `Retrying automatically: ${error}`
  return status === 'failed' ? `${error} Its commissions are payable again.` : ''
}

/** Where the money of a transfer is, for managers. */
const BANK_NOTES: Record<BankStatus, string> = {
  on_its_way: ' On its way to the partner’s bank.',
  paid: ' Paid out to the partner’s bank since.',
  refused: ' The partner’s bank refused it: the partner fixes that at Stripe.',
}

/** What was reversed of a payout's transfer, and what a manager can do about it. */
const Reversal = ({ base, payout, isManager }: { base: string; payout: PayoutRow; isManager: boolean }) => {
  const { id, status, reversedCents, currency, releasedAt } = payout
  if (reversedCents === 0n) return null
  if (status !== 'reversed') return <> {money(reversedCents, currency)} reversed in Stripe.</>
  if (releasedAt) return <> Reversed in Stripe. Its commissions are payable again.</>
  return (
    <>
      {' '}
      Reversed in Stripe.{' '}
      {isManager ? (
        <a href={`${base}/payouts/${id}/release`}>Release commissions</a>
      ) : (
        'A manager decides whether it is paid again.'
      )}
    </>
  )
}

/** What a manager decided without Stripe, and whether that was wrong. */
const Resolved = ({ payout: { resolutionReason, paidAt, foundTransferId } }: { payout: PayoutRow }) => {
  if (resolutionReason === null) return null
  return (
    <>
      {' '}
      Marked as {paidAt ? 'sent' : 'not sent'} by a manager: {asSentence(resolutionReason)}
      {foundTransferId && (
        <>
          {' '}
          Stripe has since reported the transfer <code>{foundTransferId}</code>: reverse it there, or deduct
          the amount from what the partner earns.
        </>
      )}
    </>
  )
}

/** Why the bank returned a payout, or how a manager reports that it did. */
const Return = ({ base, payout, isManager }: { base: string; payout: PayoutRow; isManager: boolean }) => {
  if (payout.returnReason !== null)
    return <> Returned by the bank: {asSentence(payout.returnReason)} Its commissions are payable again.</>
  if (!isManager || !isReturnable(payout)) return null
  return (
    <a href={`${base}/payouts/${payout.id}/return`}>
      Mark as returned<span class="hidden"> {payout.reference}</span>
    </a>
  )
}

/** A payout's amount, linked to its commissions unless they have been released. */
const Amount = ({ base, payout }: { base: string; payout: PayoutRow }) => {
  const amount = money(payout.amountCents, payout.currency)
  const hasCommissions = ['processing', 'canceling', 'paid'].includes(payout.status) || isUndecided(payout)
  if (!hasCommissions) return <span>{amount}</span>
  return <a href={`${base}/commissions?payoutId=${payout.id}`}>{amount}</a>
}

/** A table of payouts. @param of what all payouts share, which gets no column */
export const PayoutTable = ({
  base,
  of,
  payouts,
  isManager = false,
  byTime,
}: {
  base: string
  of?: 'partner' | 'run'
  payouts: PayoutRow[]
  /** Whether the reader may cancel payouts, release the commissions of a reversed one, and mark one as returned. */
  isManager?: boolean
  /** Sorts by when they were created. */
  byTime?: Sorting
}) => (
  <Table
    caption="Payouts"
    head={[
      ...(of === 'run' ? [] : [sortable('Created', byTime)]),
      ...(of === 'partner' ? [] : ['Partner']),
      { number: 'Amount' },
      'Status',
      ...(of === 'run' ? [] : ['Method']),
      'Paid',
      'Reference',
      'Note',
    ]}
  >
    {payouts.map((payout) => (
      <tr>
        {of !== 'run' && (
          <td>
            <a href={`${base}/payouts/runs/${payout.runId}`}>
              <Time at={payout.createdAt} />
            </a>
          </td>
        )}
        {of !== 'partner' && (
          <td class="name">
            <PartnerName
              base={base}
              id={payout.partnerId}
              name={payout.partnerName}
              slug={payout.partnerSlug}
            />
          </td>
        )}
        <td class="number">
          <Amount base={base} payout={payout} />
        </td>
        <td>
          <Status status={payout.status} />
        </td>
        {of !== 'run' && <td>{METHOD_NAMES[payout.method]}</td>}
        <td>{payout.paidAt && <Time at={payout.paidAt} />}</td>
        <td class="nowrap">{payout.reference}</td>
        <td
          class={
            payout.lastError ||
            payout.reversedAt ||
            payout.returnedAt ||
            payout.cancelRequestedAt ||
            payout.resolvedAt
              ? 'words'
              : undefined
          }
        >
          {payout.transferId ? <code>{payout.transferId}</code> : note(payout)}
          {payout.status === 'canceling' && <Canceling base={base} payout={payout} isManager={isManager} />}
          <Resolved payout={payout} />
          {isManager && payout.status === 'processing' && (
            <>
              {' '}
              <a href={`${base}/payouts/${payout.id}/cancel`}>Cancel</a>
            </>
          )}
          {payout.bankStatus && BANK_NOTES[payout.bankStatus]}
          <Reversal base={base} payout={payout} isManager={isManager} />
          <Return base={base} payout={payout} isManager={isManager} />
        </td>
      </tr>
    ))}
  </Table>
)
