/** Whether the cron of payouts would find something to do. */
import type { RawBuilder } from 'kysely'
import { anyExists } from '../db/due.queries.ts'
import { shadowRunsToCompare } from '../shadow/upkeep.queries.ts'
import { dailyAccounts } from './account-checks.queries.ts'
import { unfinishedCancels } from './cancel.queries.ts'
import { anyNotices, duePreviews } from './notices.queries.ts'
import { PREVIEW_MS } from './notices.ts'
import { dueOccurrences, unclaimedRuns } from './open-runs.queries.ts'
import { unreadTransfers } from './reconcile.queries.ts'
import { workspacesToRemind } from './reminders.queries.ts'
import { resolvedPayouts } from './resolution.queries.ts'
import { keysToAsk } from './stripe-keys.queries.ts'
import { duePayouts } from './transfers.queries.ts'

/** Whether one of its steps has something to do, as a condition: see `payDue`. */
export const hasDueWork = (now: Date): RawBuilder<unknown> =>
  anyExists([
    dueOccurrences(now),
    unclaimedRuns,
    duePayouts(now),
    ...unfinishedCancels,
    dailyAccounts(now),
    keysToAsk(now),
    unreadTransfers(now),
    resolvedPayouts(now),
    workspacesToRemind(now),
    anyNotices(now),
    duePreviews(now, PREVIEW_MS),
    shadowRunsToCompare(now),
  ])
