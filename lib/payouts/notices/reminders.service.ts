/** Mails partners who are owed money, and who have to do something before Stripe can pay them. */

import { type Budget, type BudgetEnv, hasLeft, withDb } from '../../db/budget.service.ts'
import type { Db } from '../../db/connection.ts'
import type { ConnectDetails } from '../../mail/outbox/details.ts'
import { type ConnectMailKind, mailPartners } from '../../mail/outbox/outbox.queries.ts'
import { formatMoney } from '../../values/money.ts'
import type { RunScope } from '../balances/due.queries.ts'
import { leaseKeys } from '../transfers/stripe-keys.queries.ts'
import { listPeopleToRemind, listUnnotified, type UnnotifiedPartner } from './reminders.queries.ts'

export type ReminderEnv = BudgetEnv & {
  /** Tributary's address, for links in mails. */
  PUBLIC_URL: string
}

/** Mails per statement, as for imports. */
const PAGE = 500
/** The limit per run of the cron, so that no run reads all workspaces. */
const MAX_WORKSPACES = 10

const detailsOf = (env: ReminderEnv, partner: UnnotifiedPartner): ConnectDetails => ({
  partnerName: partner.partnerName,
  programName: partner.programName,
  amount: partner.amounts
    .map(({ amountCents, currency }) => formatMoney(amountCents, currency))
    .join(' and '),
  portalUrl: new URL('/portal', env.PUBLIC_URL).href,
  problem: partner.problem,
})

/** Mails people page by page, until the list is empty. @returns how many */
const mailAll = async (
  env: ReminderEnv,
  budget: Budget,
  { workspaceId, kind, now }: { workspaceId: string; kind: ConnectMailKind; now: Date },
  list: (db: Db) => Promise<(UnnotifiedPartner & { occasion?: string })[]>,
): Promise<number> => {
  let count = 0
  while (hasLeft(budget)) {
    const people = await withDb(env, budget, list)
    if (people.length === 0) break
    const mails = people.map(({ occasion = '', ...partner }) => ({
      partnerId: partner.partnerId,
      recipient: partner.email,
      occasion,
      details: detailsOf(env, partner),
    }))
    await withDb(env, budget, (db) => mailPartners(db, workspaceId, kind, mails, now))
    count += people.length
  }
  return count
}

/** Mails the partners whom a run skips for lack of a usable account, each once. */
export const notifyUnconnected = async (
  env: ReminderEnv,
  run: RunScope,
  now: Date,
  budget: Budget,
): Promise<void> => {
  const { workspaceId } = run
  await mailAll(env, budget, { workspaceId, kind: 'connect_account', now }, (db) =>
    listUnnotified(db, run, PAGE),
  )
}

/** Reminds partners once per occasion. Checks each workspace with Stripe hourly. @returns mails */
export const remindPartners = async (
  env: ReminderEnv,
  now: Date,
  budget: Budget,
): Promise<number> => {
  if (!hasLeft(budget)) return 0
  const keys = await withDb(env, budget, (db) => leaseKeys(db, 'reminded_at', now, MAX_WORKSPACES))
  let count = 0
  for (const { workspaceId } of keys)
    count += await mailAll(env, budget, { workspaceId, kind: 'connect_reminder', now }, (db) =>
      listPeopleToRemind(db, workspaceId, now, PAGE),
    )
  return count
}
