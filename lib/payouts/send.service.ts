/** Sends payouts: a transfer at Stripe for each, made once, whatever is cut off where. Design, section 7. */
import { exponentialDelay } from '../backoff.ts'
import { newId } from '../db/ids.ts'
import { formatMoney } from '../money.ts'
import { decryptSecret } from '../secrets.ts'
import { ask, type Budget, type BudgetEnv, hasLeft } from './budget.service.ts'
import { refreshAccount } from './onboarding.service.ts'
import { type Connect, connectTo, type TransferOutcome } from './stripe/connect.service.ts'
import { type AttemptResult, tryTransfer } from './transfer.service.ts'
import {
  type DuePayout,
  leasePayouts,
  saveTransferResults,
  type TransferResult,
} from './transfers.queries.ts'

export type PayoutEnv = BudgetEnv & {
  SECRETS_KEY: string
  /** Where Stripe's API is, when it isn't at Stripe. */
  STRIPE_URL?: string
  /** Where people reach Tributary, as mails say. */
  PUBLIC_URL: string
}

/** Workers hold six connections open at a time; one is left for the database. */
const AT_ONCE = 5
/** A page is taken and written down. */
const FETCHES_PER_PAGE = 2
/** To ask how an account is: its key, Stripe, and writing it down. */
const FETCHES_PER_LOOK = 3
/** At most: looked for, begun anew, tried and looked for again, and then a look at the account that was refused. */
const FETCHES_PER_TRANSFER = 4 + FETCHES_PER_LOOK
const MAX_PAGE = 50
/** Longer than a Worker works on one page: its time is over by then, whatever the last transfers wait for. */
const LEASE_MS = 120_000

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Five retries in the first hour, then one an hour. */
const BACKOFF_MS = { first: 2 * MINUTE_MS, max: HOUR_MS }

/** What stands in the way of a whole workspace's transfers, or of those in one currency, and how long they wait. */
type Obstacles = Map<string, number>

const addObstacle = (
  obstacles: Obstacles,
  { workspaceId, currency }: DuePayout,
  outcome: AttemptResult['outcome'],
): void => {
  if (outcome?.kind === 'no_funds') obstacles.set(`${workspaceId} ${currency}`, HOUR_MS)
  if (outcome?.kind === 'unclear' || outcome?.kind === 'locked_out') obstacles.set(workspaceId, MINUTE_MS)
}

/** How long a payout has to wait for the sake of what others met with, or undefined. */
const obstructionOf = ({ workspaceId, currency }: DuePayout, obstacles: Obstacles): number | undefined =>
  obstacles.get(workspaceId) ?? obstacles.get(`${workspaceId} ${currency}`)

const LOCKED_OUT: TransferOutcome = { kind: 'locked_out', message: 'There is no key of Stripe that works.' }

/** What a partner is told of a payout. */
const mailOf = (portalUrl: string, payout: DuePayout, outcome: TransferOutcome): TransferResult['mail'] => {
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

/** What is written down of a payout that was not attempted. */
const postponed = ({ id, keyVersion }: DuePayout, pauseMs: number): TransferResult => {
  const nextAttemptAt = new Date(Date.now() + pauseMs)
  return { id, keyVersion, outcome: 'later', transferId: null, error: null, nextAttemptAt, mail: null }
}

/** What is written down of a try. */
const resultOf = (
  portalUrl: string,
  payout: DuePayout,
  { outcome, keyVersion }: AttemptResult,
): TransferResult => {
  const waiting = { ...postponed(payout, exponentialDelay(payout.attempts, BACKOFF_MS)), keyVersion }
  if (!outcome) return waiting
  const mail = mailOf(portalUrl, payout, outcome)
  if (outcome.kind === 'sent') return { ...waiting, outcome: 'sent', transferId: outcome.transferId, mail }
  const failed = { ...waiting, error: outcome.message }
  if (outcome.kind === 'refused') return { ...failed, outcome: 'failed', mail }
  if (outcome.kind !== 'no_funds') return failed
  return { ...failed, outcome: 'spent', nextAttemptAt: new Date(Date.now() + HOUR_MS) }
}

/** The ways into the workspaces' Stripe accounts, each opened once. */
const createConnections = (env: PayoutEnv) => {
  const opened = new Map<string, Promise<Connect | null>>()
  const open = async ({ workspaceId, encryptedKey }: DuePayout): Promise<Connect | null> => {
    const key = encryptedKey && (await decryptSecret(env.SECRETS_KEY, workspaceId, encryptedKey))
    return key ? connectTo(env, key) : null
  }
  return (payout: DuePayout): Promise<Connect | null> => {
    const connection = opened.get(payout.workspaceId) ?? open(payout)
    opened.set(payout.workspaceId, connection)
    return connection
  }
}

/** A run of the sender. */
type Sending = {
  portalUrl: string
  budget: Budget
  obstacles: Obstacles
  /** The time as it is now, by the clock of whoever began the run. */
  clock: () => Date
}

/**
 * Sends the payouts of a page, as many at a time as the budget surely allows. What Stripe says of one may speak against
 * others: without money in a currency, no more of it is tried, and where Stripe can't be reached, nothing.
 */
const sendPage = async (env: PayoutEnv, page: DuePayout[], sending: Sending): Promise<TransferResult[]> => {
  const { portalUrl, budget, obstacles, clock } = sending
  const connectionOf = createConnections(env)

  const send = async (payout: DuePayout): Promise<TransferResult> => {
    const obstruction = obstructionOf(payout, obstacles)
    if (obstruction !== undefined) return postponed(payout, obstruction)
    const stripe = await connectionOf(payout)
    const attempt = stripe
      ? await tryTransfer(env, stripe, payout, { now: clock(), budget })
      : { outcome: LOCKED_OUT, keyVersion: payout.keyVersion }
    addObstacle(obstacles, payout, attempt.outcome)
    // So that the next run leaves this partner out, who sees why.
    if (attempt.outcome?.kind === 'refused' && attempt.outcome.isAccount) {
      budget.fetches -= FETCHES_PER_LOOK
      await refreshAccount(env, payout.workspaceId, payout.stripeAccountId).catch(() => {})
    }
    return resultOf(portalUrl, payout, attempt)
  }

  const results: TransferResult[] = []
  const left = [...page]
  while (left.length) {
    // One is left for writing down the page.
    const atOnce = Math.min(AT_ONCE, Math.floor((budget.fetches - 1) / FETCHES_PER_TRANSFER))
    if (atOnce < 1 || !hasLeft(budget)) return [...results, ...left.map((payout) => postponed(payout, 0))]
    results.push(...(await Promise.all(left.splice(0, atOnce).map(send))))
  }
  return results
}

/** How many payouts fit into what is left of a budget. */
const pageSize = (budget: Budget): number =>
  hasLeft(budget) ? Math.min(MAX_PAGE, budget.fetches - FETCHES_PER_PAGE - FETCHES_PER_TRANSFER + 1) : 0

/**
 * Sends what is due, in pages, as long as the budget lasts. Each page is written down before Stripe is called, and
 * after. Cut off in between, it is sent again under the same keys, and Stripe answers what it answered.
 *
 * @param workspaceId sends all of this workspace's that are on their way; null sends what is due of any
 * @throws {Unavailable} what was sent meanwhile is found out by whoever sends it next
 */
export const sendPayouts = async (
  env: PayoutEnv,
  { workspaceId, now, budget }: { workspaceId: string | null; now: Date; budget: Budget },
): Promise<Record<TransferResult['outcome'], number>> => {
  const start = Date.now()
  const sending: Sending = {
    // Here, because nothing may be sent that can't be written down.
    portalUrl: new URL('/portal', env.PUBLIC_URL).href,
    budget,
    obstacles: new Map(),
    clock: () => new Date(now.getTime() + Date.now() - start),
  }
  const tally = { sent: 0, failed: 0, spent: 0, later: 0 }
  for (let limit = pageSize(budget); limit > 0; limit = pageSize(budget)) {
    const leaseEnd = new Date(Date.now() + LEASE_MS)
    const page = await ask(env, budget, (db) => leasePayouts(db, { workspaceId, now, leaseEnd, limit }))
    if (page.length === 0) break
    const results = await sendPage(env, page, sending)
    const sentAfterFailure = await ask(env, budget, (db) => saveTransferResults(db, results, new Date()))
    if (sentAfterFailure.length) {
      console.log(
        JSON.stringify({ level: 'error', job: 'payouts', error: 'sent after it failed', sentAfterFailure }),
      )
    }
    for (const { outcome } of results) tally[outcome]++
  }
  return tally
}
