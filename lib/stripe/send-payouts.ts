/** Sends payouts: a transfer at Stripe for each, made once, whatever is cut off where. Design, section 7. */
import { connect, type DatabaseEnv } from '../data/connection.ts'
import { newId } from '../data/ids.ts'
import {
  type DuePayout,
  markTransfers,
  renewAttempt,
  type TransferMark,
  takePayouts,
} from '../data/transfers.ts'
import { formatMoney } from '../domain/money.ts'
import { isKeyForgotten } from '../domain/payouts.ts'
import { type Connect, connectTo, type TransferOutcome } from './connect.ts'
import { refreshAccount } from './onboarding.ts'
import { openSecret } from './secrets.ts'

export type PayoutEnv = DatabaseEnv & {
  SECRETS_KEY: string
  /** Where Stripe's API is, when it isn't at Stripe. */
  STRIPE_URL?: string
  /** Where people reach Tributary, as mails say. */
  PUBLIC_URL: string
  /** How many fetches one run may make. */
  MAX_FETCHES: string
}

/** How many fetches a run may still make, and when it must come to its end. */
export type Budget = { fetches: number; endsAt: number }

/** Workers hold six connections open at a time; one is left for the database. */
const AT_ONCE = 5
/** What one page is written down with, if each takes its first try. */
const FETCHES_PER_PAGE = 2
/** A transfer may need Stripe to be asked for an older one first, and a new attempt to be written down. */
const FETCHES_PER_TRANSFER = 1
const MAX_PAGE = 50
/** Longer than a Worker works on one page. */
const LEASE_MS = 120_000

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Six tries in the first hour, then one an hour. */
const pauseAfter = (tries: number): number => Math.min(MINUTE_MS * 2 ** tries, HOUR_MS)

/** What stands in the way of a whole workspace's transfers, or of those in one currency. */
const obstacleOf = ({ workspaceId, currency }: DuePayout, outcome: TransferOutcome): string | null => {
  if (outcome.kind === 'no_funds') return `${workspaceId} ${currency}`
  return outcome.kind === 'unclear' || outcome.kind === 'locked_out' ? workspaceId : null
}

const isObstructed = ({ workspaceId, currency }: DuePayout, obstacles: Set<string>): boolean =>
  obstacles.has(workspaceId) || obstacles.has(`${workspaceId} ${currency}`)

const LOCKED_OUT: TransferOutcome = { kind: 'locked_out', message: 'There is no key of Stripe that works.' }

/** Looks for the transfer of a payout. */
const find = async (stripe: Connect, payoutId: string): Promise<TransferOutcome | null> => {
  try {
    const transfer = await stripe.findTransfer(payoutId)
    return transfer && { kind: 'sent', transferId: transfer.id }
  } catch (error) {
    return {
      kind: 'unclear',
      message: `Stripe could not be asked for the transfer: ${(error as Error).message}`,
    }
  }
}

/**
 * Makes the transfer of a payout, or finds it. A key that Stripe may have forgotten is never used again: the transfer
 * is looked for, and if there is none, there is another attempt. Before a refusal is believed for good, it is looked
 * for too: what has failed was never sent.
 */
const transfer = async (
  env: PayoutEnv,
  stripe: Connect,
  payout: DuePayout,
  now: Date,
): Promise<{ outcome: TransferOutcome; attempt: number }> => {
  const { id, workspaceId, partnerId, stripeAccountId, amountCents, currency } = payout
  let { attempt } = payout
  if (isKeyForgotten(payout.attemptedAt, now)) {
    const found = await find(stripe, id)
    if (found) return { outcome: found, attempt }
    if (!(await renewAttempt(connect(env), payout, now))) {
      return { outcome: { kind: 'unclear', message: 'Another run is at it.' }, attempt }
    }
    attempt += 1
  }
  const outcome = await stripe.createTransfer({
    payoutId: id,
    attempt,
    account: stripeAccountId,
    amountCents,
    currency,
    metadata: { payout_id: id, workspace_id: workspaceId, partner_id: partnerId },
  })
  // Stripe may keep an error of its own under the key, though the transfer was made: the second time we look.
  const isDoubtful = outcome.kind === 'refused' || (outcome.kind === 'unclear' && payout.tries > 1)
  return { outcome: (isDoubtful && (await find(stripe, id))) || outcome, attempt }
}

/** What a partner is told of a payout. */
const mailOf = (env: PayoutEnv, payout: DuePayout, outcome: TransferOutcome): TransferMark['mail'] => {
  if (outcome.kind !== 'sent' && outcome.kind !== 'refused') return null
  const details = {
    partnerName: payout.partnerName,
    programName: payout.programName,
    amount: formatMoney(payout.amountCents, payout.currency),
    portalUrl: new URL('/portal', env.PUBLIC_URL).href,
  }
  return outcome.kind === 'sent'
    ? { id: newId(), details: { ...details, method: 'stripe' } }
    : { id: newId(), details: { ...details, reason: outcome.message } }
}

/** What is written down of a try. @param outcome null when there was none, because of what others met with */
const markOf = (
  env: PayoutEnv,
  payout: DuePayout,
  { outcome, attempt }: { outcome: TransferOutcome | null; attempt: number },
): TransferMark => {
  const at = (pauseMs: number) => new Date(Date.now() + pauseMs)
  const mark = { id: payout.id, attempt, transferId: null, error: null, mail: null }
  if (!outcome) return { ...mark, outcome: 'later', nextAttemptAt: at(MINUTE_MS) }
  const told = { ...mark, mail: mailOf(env, payout, outcome) }
  if (outcome.kind === 'sent') {
    return { ...told, outcome: 'sent', transferId: outcome.transferId, nextAttemptAt: at(0) }
  }
  const error = outcome.message
  if (outcome.kind === 'refused') return { ...told, outcome: 'failed', error, nextAttemptAt: at(0) }
  if (outcome.kind === 'no_funds') return { ...mark, outcome: 'spent', error, nextAttemptAt: at(HOUR_MS) }
  return { ...mark, outcome: 'later', error, nextAttemptAt: at(pauseAfter(payout.tries)) }
}

/** The ways into the workspaces' Stripe accounts, each opened once. */
const createConnections = (env: PayoutEnv) => {
  const opened = new Map<string, Promise<Connect | null>>()
  const open = async ({ workspaceId, sealedKey }: DuePayout): Promise<Connect | null> => {
    const key = sealedKey && (await openSecret(env.SECRETS_KEY, workspaceId, sealedKey))
    return key ? connectTo(env, key) : null
  }
  return (payout: DuePayout): Promise<Connect | null> => {
    const connection = opened.get(payout.workspaceId) ?? open(payout)
    opened.set(payout.workspaceId, connection)
    return connection
  }
}

/**
 * Sends the payouts of a page, some at a time. What Stripe says of one may speak against others: without money in a
 * currency, no more of it is tried, and where Stripe can't be reached, nothing.
 */
const sendPage = async (env: PayoutEnv, page: DuePayout[], now: Date, obstacles: Set<string>) => {
  const connectionOf = createConnections(env)
  const marks: TransferMark[] = []
  const refused: DuePayout[] = []
  const send = async (payout: DuePayout): Promise<void> => {
    const { attempt } = payout
    if (isObstructed(payout, obstacles)) {
      marks.push(markOf(env, payout, { outcome: null, attempt }))
      return
    }
    const stripe = await connectionOf(payout)
    const tried = stripe ? await transfer(env, stripe, payout, now) : { outcome: LOCKED_OUT, attempt }
    const obstacle = obstacleOf(payout, tried.outcome)
    if (obstacle) obstacles.add(obstacle)
    if (tried.outcome.kind === 'refused' && tried.outcome.isAccount) refused.push(payout)
    marks.push(markOf(env, payout, tried))
  }
  for (let start = 0; start < page.length; start += AT_ONCE) {
    await Promise.all(page.slice(start, start + AT_ONCE).map(send))
  }
  return { marks, refused }
}

/** How many payouts fit into what is left of a budget. */
const pageSize = ({ fetches, endsAt }: Budget): number =>
  Date.now() >= endsAt
    ? 0
    : Math.min(MAX_PAGE, Math.floor((fetches - FETCHES_PER_PAGE) / FETCHES_PER_TRANSFER))

/**
 * Sends what is due, in pages, as long as the budget lasts. Each page is written down before Stripe is called, and
 * after. Cut off in between, it is sent again under the same keys, and Stripe answers what it answered.
 *
 * @param workspaceId sends all of this workspace's that are on their way; null sends what is due of any
 * @throws {DatabaseUnavailable} what was sent meanwhile is found out by whoever sends it next
 */
export const sendPayouts = async (
  env: PayoutEnv,
  { workspaceId, now, budget }: { workspaceId: string | null; now: Date; budget: Budget },
): Promise<Record<TransferMark['outcome'], number>> => {
  const tally = { sent: 0, failed: 0, spent: 0, later: 0 }
  const obstacles = new Set<string>()
  for (let limit = pageSize(budget); limit > 0; limit = pageSize(budget)) {
    const leaseEnd = new Date(Date.now() + LEASE_MS)
    const page = await takePayouts(connect(env), { workspaceId, now, leaseEnd, limit })
    if (page.length === 0) break
    const { marks, refused } = await sendPage(env, page, now, obstacles)
    const sentInVain = await markTransfers(connect(env), marks, new Date())
    if (sentInVain.length) {
      console.log(
        JSON.stringify({ level: 'error', job: 'payouts', error: 'sent after it failed', sentInVain }),
      )
    }
    // So that the next run leaves these out, and their partners see why.
    for (const payout of refused) {
      await refreshAccount(env, payout.workspaceId, payout.stripeAccountId).catch(() => {})
    }
    for (const { outcome } of marks) tally[outcome]++
    budget.fetches -= FETCHES_PER_PAGE + page.length * FETCHES_PER_TRANSFER + 2 * refused.length
  }
  return tally
}
