/** Sends payouts: one transfer at Stripe for each, whatever is interrupted. Design, section 7. */

import { type Budget, type BudgetEnv, hasLeft, withDb } from '../../db/budget.service.ts'
import { newId } from '../../db/ids.ts'
import { log } from '../../http/logging.ts'
import type { AccountReading } from '../accounts/account-checks.queries.ts'
import { keyState } from '../payouts.ts'
import { type Connect, connectWith } from '../stripe/connect.service.ts'
import { type AttemptResult, tryTransfer } from './transfer.service.ts'
import { HOUR_MS, pauseAfter, postponed, resultOf } from './transfer-results.service.ts'
import {
  type DuePayout,
  leasePayouts,
  listStopped,
  saveTransferResults,
  type TransferResult,
} from './transfers.queries.ts'
import type { FoundTransfer } from './unexpected-transfers.queries.ts'

export type PayoutEnv = BudgetEnv & {
  SECRETS_KEY: string
  STRIPE_URL?: string
  /** Tributary's address, for links in mails. */
  PUBLIC_URL: string
}

/**
 * Reads the transfers of a workspace, once per run: see reconcile.service.ts.
 *
 * @returns whether runs may begin, and new transfers be requested; which payouts turn out to be
 *   sent; and whether payouts were adopted, so that others may have been canceled
 */
export type Gate = (
  workspaceId: string,
) => Promise<{ isReady: boolean; sent: ReadonlySet<string>; hasAdopted: boolean }>

/** A gate takes at least: the cursor, a page of transfers, and saving it. */
export const READING_FETCHES = 3

/** A Worker can have six open connections; one is reserved for the database. */
const MAX_CONCURRENT = 5
/** Leasing a page, checking which of it were canceled, and saving its results. */
const FETCHES_PER_PAGE = 3
/** At most: the transfer, a look-up, and the account or the balance after a refusal. */
const FETCHES_PER_FIRST = 3
/** At most: a look-up, and a new key version, or whether it was canceled, before that. */
const FETCHES_PER_TRANSFER = 2 + FETCHES_PER_FIRST
const MAX_PAGE = 50
/** Longer than a Worker takes for one page, timeouts included. */
const LEASE_MS = 120_000

const MINUTE_MS = 60_000

/** What the attempts of this run show about other payouts. */
type Learned = {
  /** How long the transfers of a workspace are paused. */
  pauses: Map<string, number>
  /** The most that is left in a workspace and currency, after a refusal for lack of funds. */
  funds: Map<string, bigint>
}

const fundsOf = ({ workspaceId, currency }: DuePayout): string => `${workspaceId} ${currency}`

/**
 * What is left after a refusal for lack of funds: Stripe's balance, and always less than was
 * refused. So a large payout does not delay smaller ones, and unaffordable ones are not tried.
 */
const leftAfter = async (
  stripe: Connect,
  { amountCents, currency }: DuePayout,
): Promise<bigint> => {
  const available = await stripe.available().catch(() => null)
  const leftCents = available ? (available.get(currency) ?? 0n) : amountCents
  return leftCents < amountCents ? leftCents : amountCents - 1n
}

const NO_FUNDS = 'Your Stripe balance does not cover this payout.'

const LOCKED_OUT = 'The workspace has no working Stripe key.'

/** Clients for the workspaces' Stripe accounts, each created once. */
const createConnections = (env: PayoutEnv) => {
  const opened = new Map<string, Promise<Connect | null>>()
  return ({ workspaceId, encryptedKey }: DuePayout): Promise<Connect | null> => {
    const connection = opened.get(workspaceId) ?? connectWith(env, workspaceId, encryptedKey)
    opened.set(workspaceId, connection)
    return connection
  }
}

const learn = async (
  stripe: Connect,
  payout: DuePayout,
  { kind }: AttemptResult['outcome'],
  { learned, budget }: Sending,
): Promise<void> => {
  const leftCents = learned.funds.get(fundsOf(payout))
  if (kind === 'sent' && leftCents !== undefined)
    learned.funds.set(fundsOf(payout), leftCents - payout.amountCents)
  if (kind === 'no_funds') {
    budget.fetches--
    learned.funds.set(fundsOf(payout), await leftAfter(stripe, payout))
  }
  if (kind === 'unclear' || kind === 'locked_out') learned.pauses.set(payout.workspaceId, MINUTE_MS)
}

/** The state of an account that Stripe refused to pay; undefined if Stripe does not answer. */
const readRefused = async (
  stripe: Connect,
  { workspaceId, stripeAccountId, askedAt }: DuePayout,
  budget: Budget,
): Promise<AccountReading | undefined> => {
  budget.fetches--
  const state = await stripe.readAccount(stripeAccountId).catch(() => null)
  return state ? { workspaceId, stripeAccountId, ...state, askedAt } : undefined
}

type Sending = {
  portalUrl: string
  budget: Budget
  learned: Learned
  gate: Gate
  /** The workspaces whose gate was asked. */
  asked: Set<string>
  /** The current time, in the time of the run. */
  clock: () => Date
}

/** How many next payouts fit concurrently. Two fetches remain: `findStopped` and the results. */
const affordable = (payouts: DuePayout[], budget: Budget, asked: ReadonlySet<string>): number => {
  let fetches = budget.fetches - 2
  const asking = new Set<string>()
  const isOver = payouts.findIndex(({ mayBeSent, workspaceId }) => {
    if (!asked.has(workspaceId) && !asking.has(workspaceId)) fetches -= READING_FETCHES
    asking.add(workspaceId)
    fetches -= mayBeSent ? FETCHES_PER_TRANSFER : FETCHES_PER_FIRST
    return fetches < 0
  })
  return Math.min(MAX_CONCURRENT, isOver < 0 ? payouts.length : isOver)
}

const NONE: ReadonlySet<string> = new Set()

/**
 * Sends the payouts of a page, as many concurrently as the budget allows, but for those that are
 * canceled meanwhile. A failure may pause others: without funds in a currency, those in it that are
 * too large for what is left; if Stripe cannot be reached, all of the workspace.
 */
const sendPage = async (
  env: PayoutEnv,
  page: DuePayout[],
  sending: Sending,
): Promise<TransferResult[]> => {
  const { portalUrl, budget, learned, gate, asked, clock } = sending
  const connectionOf = createConnections(env)

  /** The result of a payout that is not worth an attempt, by what others have shown. */
  const waiting = (payout: DuePayout): TransferResult | null => {
    const pause = learned.pauses.get(payout.workspaceId)
    if (pause !== undefined) return postponed(payout, pause)
    const leftCents = learned.funds.get(fundsOf(payout))
    return leftCents !== undefined && leftCents < payout.amountCents && !payout.isCanceling
      ? { ...postponed(payout, HOUR_MS), error: NO_FUNDS }
      : null
  }

  const send = async (leased: DuePayout, stopped: ReadonlySet<string>): Promise<TransferResult> => {
    if (stopped.has(leased.id) && !leased.isCanceling) return postponed(leased, 0)
    const stripe = await connectionOf(leased)
    if (!stripe) {
      const isUnreachable = leased.isKeyUsed && keyState(leased.keyUsedAt, clock()) === 'forgotten'
      const later = postponed(leased, pauseAfter(leased))
      return { ...later, error: LOCKED_OUT, isUnreachable: isUnreachable || null }
    }
    const { isReady, sent, hasAdopted } = await gate(leased.workspaceId)
    asked.add(leased.workspaceId)
    // The lease may be older than the gate's reading.
    const isKeyUsed = leased.isKeyUsed || sent.has(leased.id)
    const payout = { ...leased, isKeyUsed, mayBeSent: leased.mayBeSent || isKeyUsed || hasAdopted }
    const attempt = await tryTransfer(env, stripe, payout, { now: clock(), budget, isReady })
    await learn(stripe, payout, attempt.outcome, sending)
    const result = resultOf(portalUrl, payout, attempt)
    if (attempt.outcome.kind !== 'refused' || !attempt.outcome.isAccount) return result
    // The next run then skips this partner, and the portal shows why.
    return { ...result, reading: await readRefused(stripe, payout, budget) }
  }

  /** Null if the database does not answer: nothing more is sent, and what was sent is saved. */
  const findStopped = (payouts: DuePayout[]): Promise<ReadonlySet<string> | null> => {
    const ids = payouts.map(({ id }) => id)
    return withDb(env, budget, (db) => listStopped(db, ids)).catch(() => null)
  }

  const results: TransferResult[] = []
  let left = page
  for (let isLeasedNow = true; left.length > 0; isLeasedNow = false) {
    results.push(...left.flatMap((payout) => waiting(payout) ?? []))
    left = left.filter((payout) => !waiting(payout))
    const next = left.slice(0, affordable(left, budget, asked))
    const stopped = isLeasedNow || next.length === 0 ? NONE : await findStopped(next)
    if (next.length === 0 || !stopped || !hasLeft(budget))
      return [...results, ...left.map((payout) => postponed(payout, 0))]
    results.push(...(await Promise.all(next.map((payout) => send(payout, stopped)))))
    left = left.slice(next.length)
  }
  return results
}

/** Logs unexpected transfers. Managers are mailed: see unexpected-transfers.queries.ts. */
export const alarm = (found: FoundTransfer[]): void => {
  for (const one of found)
    log('error', { job: 'payouts', error: 'sent after it had ended', ...one })
}

const pageSize = (budget: Budget): number =>
  hasLeft(budget)
    ? Math.min(MAX_PAGE, budget.fetches - FETCHES_PER_PAGE - FETCHES_PER_TRANSFER + 1)
    : 0

/**
 * Sends due payouts in pages, within the budget. Each page is saved before and after Stripe's
 * calls. An interrupted page is repeated with the same idempotency keys, so Stripe returns the same
 * transfers.
 *
 * @param workspaceId null for all workspaces
 * @throws {Unavailable} the next attempt finds the transfers that were made
 */
export const sendPayouts = async (
  env: PayoutEnv,
  {
    workspaceId,
    now,
    budget,
    gate,
  }: { workspaceId: string | null; now: Date; budget: Budget; gate: Gate },
): Promise<Record<TransferResult['outcome'], number>> => {
  const start = Date.now()
  const leaseId = newId()
  const sending: Sending = {
    // Parsed first: an invalid URL must fail before anything is sent.
    portalUrl: new URL('/portal', env.PUBLIC_URL).href,
    budget,
    learned: { pauses: new Map(), funds: new Map() },
    gate,
    asked: new Set<string>(),
    clock: () => new Date(now.getTime() + Date.now() - start),
  }
  const tally = { sent: 0, failed: 0, spent: 0, untried: 0, later: 0, canceled: 0 }
  for (let limit = pageSize(budget); limit > 0; limit = pageSize(budget)) {
    const lease = { id: leaseId, end: new Date(Date.now() + LEASE_MS) }
    const page = await withDb(env, budget, (db) =>
      leasePayouts(db, { workspaceId, now, lease, limit }),
    )
    if (page.length === 0) break
    const results = await sendPage(env, page, sending)
    const found = await withDb(env, budget, (db) => saveTransferResults(db, results, new Date()))
    alarm(found)
    for (const { outcome } of results) tally[outcome]++
  }
  return tally
}
