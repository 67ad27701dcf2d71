/** Whether the cron of payouts would find something to do. */
import type { RawBuilder } from 'kysely'
import { BONUS_CHECKS } from '../bonuses/checks.queries.ts'
import { anyExists } from '../db/due.queries.ts'
import { dailyAccounts } from '../payouts/accounts/account-checks.queries.ts'
import { unfinishedCancels } from '../payouts/corrections/cancel.queries.ts'
import { resolvedPayouts } from '../payouts/corrections/resolution.queries.ts'
import { anyNotices, duePreviews } from '../payouts/notices/notices.queries.ts'
import { PREVIEW_MS } from '../payouts/notices/notices.ts'
import { dueOccurrences, unclaimedRuns } from '../payouts/runs/open-runs.queries.ts'
import { dueKeys } from '../payouts/transfers/stripe-keys.queries.ts'
import { duePayouts } from '../payouts/transfers/transfers.queries.ts'
import { shadowRunsToCompare } from '../shadow/upkeep.queries.ts'
import { dueTiers } from './move-partners.queries.ts'

/** Whether one of its steps has something to do, as a condition: see `payDue`. */
export const hasDueWork = (now: Date): RawBuilder<unknown> =>
  anyExists([
    dueOccurrences(now),
    unclaimedRuns,
    duePayouts(now),
    ...unfinishedCancels,
    dailyAccounts(now),
    dueKeys('countries_read_at', now),
    dueKeys('transfers_read_at', now),
    resolvedPayouts(now),
    dueKeys('reminded_at', now),
    anyNotices(now),
    duePreviews(now, PREVIEW_MS),
    BONUS_CHECKS,
    shadowRunsToCompare(now),
    dueTiers(now),
  ])
