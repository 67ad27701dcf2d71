/** The result of an attempt to send a payout, and the mail to its partner. */

import { newId } from '../../db/ids.ts'
import { exponentialDelay } from '../../values/backoff.ts'
import { formatMoney } from '../../values/money.ts'
import type { NoticeReason } from '../notices/notices.ts'
import type { TransferOutcome } from '../stripe/transfers.service.ts'
import type { AttemptResult } from './transfer.service.ts'
import type { DuePayout, TransferResult } from './transfers.queries.ts'

const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
/** Five retries in the first hour, then one an hour. */
const BACKOFF_MS = { first: 2 * MINUTE_MS, max: HOUR_MS }

export const pauseAfter = ({ attempts }: DuePayout): number =>
  exponentialDelay(attempts, BACKOFF_MS)

/**
 * Stripe's code for an amount below what it transfers:
 * https://docs.stripe.com/error-codes#amount-too-small
 */
const TOO_SMALL = 'amount_too_small'

/** The mail to the partner about a payout that was sent or has failed. */
const mailOf = (
  portalUrl: string,
  payout: DuePayout,
  outcome: TransferOutcome,
): TransferResult['mail'] => {
  if (outcome.kind !== 'sent' && outcome.kind !== 'refused') return null
  const details = {
    partnerName: payout.partnerName,
    programName: payout.programName,
    amount: formatMoney(payout.amountCents, payout.currency),
    portalUrl,
  }
  return outcome.kind === 'sent'
    ? { id: newId(), details: { ...details, method: 'stripe' } }
    : { id: newId(), details: { ...details, reason: outcome.message } }
}

/** The result of a payout that was not attempted. */
export const postponed = (payout: DuePayout, pauseMs: number): TransferResult => {
  const { id, keyVersion, attempts, isKeyUsed } = payout
  const nextAttemptAt = new Date(Date.now() + pauseMs)
  const nothing = {
    transferId: null,
    reversedCents: 0,
    error: null,
    failureCode: null,
    isUnreachable: null,
    mail: null,
  }
  return {
    id,
    keyVersion,
    attempts,
    outcome: isKeyUsed ? 'later' : 'untried',
    nextAttemptAt,
    ...nothing,
  }
}

/** The outcomes about which managers are mailed. An unclear one is retried. */
const PROBLEMS: Partial<Record<TransferOutcome['kind'], NoticeReason>> = {
  refused: 'failed',
  no_funds: 'insufficient_funds',
  locked_out: 'key_rejected',
}

export const resultOf = (
  portalUrl: string,
  payout: DuePayout,
  { outcome, keyVersion, isUnreachable }: AttemptResult,
): TransferResult => {
  const pauseMs = pauseAfter(payout)
  const waiting: TransferResult = {
    ...postponed(payout, pauseMs),
    outcome: 'later',
    keyVersion,
    isUnreachable,
  }
  // Nothing was asked for with its key: it is as it was before the lease.
  if (outcome.kind === 'postponed') return { ...postponed(payout, pauseMs), isUnreachable }
  if (outcome.kind === 'canceled') return { ...waiting, outcome: 'canceled' }
  const mail = mailOf(portalUrl, payout, outcome)
  if (outcome.kind === 'sent') {
    const { transferId, reversedCents } = outcome
    return { ...waiting, outcome: 'sent', transferId, reversedCents, mail }
  }
  const failed = { ...waiting, error: outcome.message, problem: PROBLEMS[outcome.kind] }
  if (outcome.kind === 'refused') {
    const { code } = outcome
    const isFinal = { ...failed, outcome: 'failed', failureCode: code } as const
    // The payout's balance waits until it is large enough, and nobody has to act.
    return code === TOO_SMALL
      ? { ...isFinal, problem: undefined, mail: null }
      : { ...isFinal, mail }
  }
  if (outcome.kind !== 'no_funds') return failed
  return { ...failed, outcome: 'spent', nextAttemptAt: new Date(Date.now() + HOUR_MS) }
}
