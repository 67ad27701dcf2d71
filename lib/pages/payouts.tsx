/** Payouts and payout runs, as several pages show them. */

import { formatMoney } from '../money.ts'
import type { BankStatus } from '../payouts/banks.ts'
import type { PayoutRow } from '../payouts/payouts.queries.ts'
import type { PayoutMethod, PayoutStatus, SkipCode } from '../payouts/payouts.ts'
import { resolvableFrom } from '../payouts/resolution.ts'
import { asSentence, isReturnable } from '../payouts/returned.ts'
import { isUndecided } from '../payouts/reversals.ts'
import { countPayouts, type Run } from '../payouts/runs.queries.ts'
import { counted } from '../plural.ts'
import { PartnerName, Status } from './ledger.tsx'
import { Table, Time } from './parts.tsx'

/** Payout methods. */
export const METHOD_NAMES: Record<PayoutMethod, string> = { stripe: 'Stripe', manual: 'Bank transfer' }

/** Why a run skips a balance, and what happens to it. */
export const SKIP_REASONS: Record<SkipCode, string> = {
  documents_missing: 'Documents are not marked as received.',
  other_method: 'Chose PayPal, Wise or an IBAN. Pay with a run by bank transfer.',
  not_connected: 'Has not connected a Stripe account. Partners are emailed about this, and reminded.',
  account_in_review: 'Stripe is reviewing the partner’s account. Nobody needs to do anything.',
  account_restricted:
    'Stripe needs more information from the partner, who gives it from the portal. Partners are emailed about this, and reminded.',
  partner_banned: 'Banned.',
  below_minimum: 'Below the program’s minimum payout.',
  negative_balance:
    'Reversals and deductions exceed earnings. The partner owes this, which is deducted from later earnings.',
  excluded: 'Left out of this run.',
  over_maximum: 'Above the maximum of this run. A later run pays it.',
  country_not_supported:
    'Stripe does not transfer from your country to the partner’s. Pay with a run by bank transfer.',
  amount_too_small: 'Stripe refused an amount this small. It is paid with later earnings.',
  amount_too_fine:
    'Stripe transfers this currency in larger units. It waits until the balance is a whole number of them: adjust it, or pay by bank transfer.',
  insufficient_funds: 'Not covered by your Stripe balance. Top it up, or a later run pays it.',
}

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
  if (status !== 'reversed') return <> {formatMoney(reversedCents, currency)} reversed in Stripe.</>
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
  const amount = formatMoney(payout.amountCents, payout.currency)
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
}: {
  base: string
  of?: 'partner' | 'run'
  payouts: PayoutRow[]
  /** Whether the reader may cancel payouts, release the commissions of a reversed one, and mark one as returned. */
  isManager?: boolean
}) => (
  <Table
    caption="Payouts"
    head={[
      ...(of === 'run' ? [] : ['Created']),
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

/** Sums by currency, such as "49.00 USD, 1,200 JPY". */
export const moneySums = (amounts: { currency: string; amountCents: bigint | number }[]): string =>
  [...Map.groupBy(amounts, ({ currency }) => currency)]
    .map(([currency, parts]) =>
      formatMoney(
        parts.reduce((sum, { amountCents }) => sum + BigInt(amountCents), 0n),
        currency,
      ),
    )
    .join(', ')

/** Asks for what a method needs before a run can start. @param base the workspace's path */
export const NeedsSetup = ({ base, method }: { base: string; method: PayoutMethod }) =>
  method === 'stripe' ? (
    <p class="hint">
      To pay with Stripe, <a href={`${base}/stripe#paying`}>add a key of your Stripe account</a> first. Until
      then, partners cannot connect theirs.
    </p>
  ) : (
    <p class="hint">
      To pay by bank transfer, <a href={`${base}/settings`}>turn it on in the settings</a> first.
    </p>
  )

const count = (run: Run, status: PayoutStatus, words: string): string[] => {
  const payouts = countPayouts(run, status)
  return payouts > 0 ? [`${payouts.toLocaleString('en')} ${words}`] : []
}

/** A run's progress, such as "412 of 500 payouts sent, 3 failed". */
export const runProgress = (run: Run): string => {
  if (run.status === 'awaiting_approval') return 'Waits for approval'
  if (run.status === 'declined') return 'Declined'
  if (!run.claimedAt && !run.canceledAt) return `Preparing: ${counted(countPayouts(run), 'payout')} so far`
  const all = countPayouts(run)
  if (all === 0) return 'No payouts due'
  if (run.status === 'review') return `In review: ${counted(all, 'payout')}`
  const sent = countPayouts(run, 'paid').toLocaleString('en')
  const done = run.method === 'manual' ? 'paid' : 'sent'
  return [
    `${sent} of ${counted(all, 'payout')} ${done}`,
    ...count(run, 'failed', 'failed'),
    ...count(run, 'canceling', 'being canceled'),
    ...count(run, 'canceled', 'canceled'),
    ...count(run, 'reversed', 'reversed'),
    ...count(run, 'returned', 'returned'),
  ].join(', ')
}
