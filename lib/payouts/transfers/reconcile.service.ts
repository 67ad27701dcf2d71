/**
 * Compares Stripe's transfers with payouts. A database that was restored from a backup lacks what
 * was sent since, and would pay it again. Its cursor of the transfers is as old, so it reads all
 * that it has lost. Each run does so before it requests transfers, and the cron once a day.
 */

import { type Budget, hasLeft, withDb } from '../../db/budget.service.ts'
import { log } from '../../http/logging.ts'
import { type Connect, connectWith } from '../stripe/connect.service.ts'
import { ConnectError } from '../stripe/failures.service.ts'
import {
  findReading,
  listUnread,
  type Progress,
  type Reading,
  saveOwners,
  saveTransfers,
} from './reconcile.queries.ts'
import { alarm, type Gate, type PayoutEnv, READING_FETCHES } from './send.service.ts'
import { ourTransfer } from './transfer-metadata.ts'

/** Accounts that are read per page. */
const MAX_ACCOUNTS = 5
/** Workspaces per run of the cron. */
const MAX_DAILY = 5

type Reconciling = {
  env: PayoutEnv
  workspaceId: string
  stripe: Connect
  now: Date
  budget: Budget
  sent: Set<string>
  /** The ids of transfers that became payouts. */
  adopted: Set<string>
}

/** Saves a page, and reports what it shows. @returns the accounts to read */
const savePage = async (
  { env, workspaceId, now, budget, sent, adopted }: Reconciling,
  transfers: Parameters<typeof saveTransfers>[2],
  progress: Progress,
) => {
  const page = await withDb(env, budget, (db) =>
    saveTransfers(db, workspaceId, transfers, progress, now),
  )
  alarm(page.alarms)
  for (const id of page.sent) sent.add(id)
  for (const { transferId } of page.adopted) adopted.add(transferId)
  if (page.adopted.length)
    log('error', {
      job: 'payouts',
      error: 'transfers unknown to the database',
      workspaceId,
      adopted: page.adopted.length,
    })
  return page
}

/** Finds the owners of unknown transfers, and adopts these. @returns whether none are left */
const adoptRest = async (
  reconciling: Reconciling,
  accounts: string[],
  progress: Progress,
): Promise<boolean> => {
  const { env, workspaceId, stripe, now, budget } = reconciling
  let left = accounts
  let adopted = 0
  do {
    const next = left.slice(0, MAX_ACCOUNTS)
    budget.fetches -= next.length
    const owners = await Promise.all(
      next.map(async (account) => ({ account, ...(await stripe.readOwner(account)) })),
    )
    if (owners.length) await withDb(env, budget, (db) => saveOwners(db, workspaceId, owners, now))
    const page = await savePage(reconciling, [], progress)
    left = page.unreadAccounts
    adopted = page.adopted.length
  } while ((left.length > 0 || adopted > 0) && hasLeft(budget))
  return left.length === 0 && adopted === 0
}

/** Reads transfers to the end of a reading. @returns false if the budget does not suffice */
const readToEnd = async (reconciling: Reconciling, reading: Reading): Promise<boolean> => {
  const { workspaceId, stripe, budget } = reconciling
  let { newest, cursor } = reading
  do {
    budget.fetches--
    const { transfers, hasMore } = await stripe.listTransfers(reading.since, cursor)
    newest ??= transfers[0]?.createdAt ?? null
    cursor = hasMore ? (transfers.at(-1)?.id ?? null) : null
    const ours = transfers.flatMap((transfer) => ourTransfer(transfer, workspaceId) ?? [])
    const page = await savePage(reconciling, ours, { newest, cursor })
    const isRest = page.adopted.length > 0 || page.unreadAccounts.length > 0
    if (isRest && !(await adoptRest(reconciling, page.unreadAccounts, { newest, cursor })))
      return false
  } while (cursor && hasLeft(budget))
  return cursor === null
}

/** Reads all transfers of a workspace. @returns whether that was possible */
const readAll = async (
  env: PayoutEnv,
  workspaceId: string,
  rest: Pick<Reconciling, 'now' | 'budget' | 'sent' | 'adopted'>,
): Promise<boolean> => {
  const { budget } = rest
  const reading = await withDb(env, budget, (db) => findReading(db, workspaceId))
  const stripe = await connectWith(env, workspaceId, reading?.ciphertext)
  // Without a working key, nothing can be requested, and nothing is sent.
  if (!reading || !stripe) return true
  const reconciling = { env, workspaceId, stripe, ...rest }
  try {
    if (!(await readToEnd(reconciling, reading))) return false
    // A reading that began before this run lacks the transfers since.
    if (reading.cursor === null) return true
    const next =
      hasLeft(budget) && (await withDb(env, budget, (db) => findReading(db, workspaceId)))
    return next ? await readToEnd(reconciling, next) : false
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error
    return error.failure.kind === 'locked_out'
  }
}

const reconcile = async (
  env: PayoutEnv,
  workspaceId: string,
  now: Date,
  budget: Budget,
): ReturnType<Gate> => {
  const [sent, adopted] = [new Set<string>(), new Set<string>()]
  const isReady = await readAll(env, workspaceId, { now, budget, sent, adopted })
  return { isReady, sent, hasAdopted: adopted.size > 0 }
}

/** The gate of a run, which reads the transfers of each workspace that it comes to. */
export const createGate = (env: PayoutEnv, now: Date, budget: Budget): Gate => {
  const opened = new Map<string, ReturnType<Gate>>()
  return (workspaceId) => {
    const isOpen = opened.get(workspaceId) ?? reconcile(env, workspaceId, now, budget)
    opened.set(workspaceId, isOpen)
    return isOpen
  }
}

/** Reads the transfers that were not read within the last day. @returns of how many workspaces */
export const reconcileDaily = async (
  env: PayoutEnv,
  gate: Gate,
  now: Date,
  budget: Budget,
): Promise<number> => {
  if (!hasLeft(budget)) return 0
  const ids = await withDb(env, budget, (db) => listUnread(db, now, MAX_DAILY))
  for (const id of ids) if (hasLeft(budget) && budget.fetches > READING_FETCHES) await gate(id)
  return ids.length
}
