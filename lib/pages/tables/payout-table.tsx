import type { Message } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import { resolvableFrom } from '../../payouts/corrections/resolution.ts'
import { asSentence, isReturnable } from '../../payouts/corrections/returned-payouts.ts'
import { isUndecided } from '../../payouts/corrections/reversals.ts'
import type { BankStatus } from '../../payouts/details/banks.ts'
import type { PayoutRow } from '../../payouts/payouts.queries.ts'
import { Time } from '../layout/parts.tsx'
import { t } from '../layout/text.ts'
import { money } from '../parts/money.tsx'
import { METHOD_NAMES } from '../parts/payouts.tsx'
import { code, hidden } from '../parts/tags.tsx'
import { PartnerOf, Status } from './ledger.tsx'
import { type Sorting, sortable, Table } from './table.tsx'

type CancelingProps = { base: string; payout: PayoutRow; mayPay: boolean }

/** The progress of canceling a payout. */
const Canceling = ({ base, payout, mayPay }: CancelingProps) => {
  const { id, reference, lookedUpUntil, lastError, unreachableSince } = payout
  if (!lookedUpUntil) return <>{t(m.payouts_being_released)}</>
  if (unreachableSince && resolvableFrom(payout)) {
    return (
      <>
        {t(m.payouts_unreachable, {
          time: () => <Time at={unreachableSince} />,
          error: lastError ?? '',
        })}{' '}
        {mayPay ? (
          <a href={`${base}/payouts/${id}/resolve`}>
            {t(m.payouts_decide_sent, { reference, hidden })}
          </a>
        ) : (
          t(m.payouts_manager_decides_sent)
        )}
      </>
    )
  }
  return (
    <>
      {t(m.payouts_looked_up, { time: () => <Time at={lookedUpUntil} /> })}
      {lastError && ` ${lastError}`}
    </>
  )
}

/** Why a payout is retried, or why it failed. */
const note = ({ status, lastError: error }: PayoutRow): string => {
  if (!error) return ''
  if (status === 'processing') return t(m.payouts_retrying, { error })
  return status === 'failed' ? t(m.payouts_failed_note, { error }) : ''
}

/** Where the money of a transfer is, for managers. */
const BANK_NOTES: Record<BankStatus, Message> = {
  on_its_way: m.payouts_on_its_way,
  paid: m.payouts_paid_out,
  refused: m.payouts_bank_refused,
}

/** The reversed amount of a payout's transfer, and a manager's options. */
const Reversal = ({ base, payout, mayPay }: CancelingProps) => {
  const { id, status, reversedCents, currency, releasedAt } = payout
  if (reversedCents === 0n) return null
  if (status !== 'reversed')
    return <> {t(m.payouts_part_reversed, { amount: money(reversedCents, currency) })}</>
  if (releasedAt) return <> {t(m.payouts_reversed_released)}</>
  return (
    <>
      {' '}
      {t(m.payouts_reversed_in_stripe)}{' '}
      {mayPay ? (
        <a href={`${base}/payouts/${id}/release`}>{t(m.payouts_release_commissions)}</a>
      ) : (
        t(m.payouts_manager_decides_again)
      )}
    </>
  )
}

type ResolvedProps = { payout: PayoutRow }

/** A manager's decision without Stripe, and a transfer that should not exist. */
const Resolved = ({ payout: { resolutionReason, paidAt, foundTransferId } }: ResolvedProps) => {
  return (
    <>
      {resolutionReason !== null && (
        <>
          {' '}
          {t(paidAt ? m.payouts_marked_sent : m.payouts_marked_not_sent, {
            reason: asSentence(resolutionReason),
          })}
        </>
      )}
      {foundTransferId && (
        <> {t(m.payouts_found_transfer, { transferId: foundTransferId, code })}</>
      )}
    </>
  )
}

/** Why the bank returned a payout, or the link that reports a return. */
const Return = ({ base, payout, mayPay }: { base: string; payout: PayoutRow; mayPay: boolean }) => {
  if (payout.returnReason !== null)
    return <> {t(m.payouts_returned_by_bank, { reason: asSentence(payout.returnReason) })}</>
  if (!mayPay || !isReturnable(payout)) return null
  return (
    <a href={`${base}/payouts/${payout.id}/return`}>
      {t(m.payouts_mark_returned, { reference: payout.reference, hidden })}
    </a>
  )
}

/** A payout's amount, linked to its commissions unless they have been released. */
const Amount = ({ base, payout }: { base: string; payout: PayoutRow }) => {
  const amount = money(payout.amountCents, payout.currency)
  const hasCommissions =
    ['processing', 'canceling', 'paid'].includes(payout.status) || isUndecided(payout)
  if (!hasCommissions) return <span>{amount}</span>
  return <a href={`${base}/commissions?payoutId=${payout.id}`}>{amount}</a>
}

type PayoutTableProps = {
  base: string
  of?: 'partner' | 'run'
  payouts: PayoutRow[]
  /**
   * Whether the reader may cancel and return payouts, and release the commissions of reversed ones.
   */
  mayPay?: boolean
  /** Sorts by the time of creation. */
  byTime?: Sorting
}

/** @param of what all payouts share, which gets no column */
export const PayoutTable = ({ base, of, payouts, mayPay = false, byTime }: PayoutTableProps) => (
  <Table
    caption={t(m.nav_payouts)}
    head={[
      ...(of === 'run' ? [] : [sortable(t(m.created_column), byTime)]),
      ...(of === 'partner' ? [] : [t(m.partner)]),
      { number: t(m.amount_column) },
      t(m.status),
      ...(of === 'run' ? [] : [t(m.method_column)]),
      t(m.balance_paid),
      t(m.reference_column),
      t(m.payouts_note),
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
            <PartnerOf base={base} row={payout} />
          </td>
        )}
        <td class="number">
          <Amount base={base} payout={payout} />
        </td>
        <td>
          <Status status={payout.status} />
        </td>
        {of !== 'run' && <td>{t(METHOD_NAMES[payout.method])}</td>}
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
          {payout.status === 'canceling' && (
            <Canceling base={base} payout={payout} mayPay={mayPay} />
          )}
          <Resolved payout={payout} />
          {mayPay && payout.status === 'processing' && (
            <>
              {' '}
              <a href={`${base}/payouts/${payout.id}/cancel`}>{t(m.cancel)}</a>
            </>
          )}
          {payout.bankStatus && <> {t(BANK_NOTES[payout.bankStatus])}</>}
          <Reversal base={base} payout={payout} mayPay={mayPay} />
          <Return base={base} payout={payout} mayPay={mayPay} />
        </td>
      </tr>
    ))}
  </Table>
)
