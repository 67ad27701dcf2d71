/** Mails partners who are owed money, and who have to do something before Stripe can pay them. */

import { type Budget, type BudgetEnv, hasLeft, withDb } from '../../db/budget.service.ts'
import type { ConnectDetails } from '../../mail/outbox/details.ts'
import { mailPartners } from '../../mail/outbox/outbox.queries.ts'
import { formatMoney } from '../../values/money.ts'
import type { RunScope } from '../balances/due.queries.ts'
import {
  leaseWorkspacesToRemind,
  listPeopleToRemind,
  listUnnotified,
  type UnnotifiedPartner,
} from './reminders.queries.ts'

export type ReminderEnv = BudgetEnv & {
  /** Tributary's address, for links in mails. */
  PUBLIC_URL: string
}

/** Mails per statement, as for imports. */
const PAGE = 500
/** Per run of the cron, so that no run looks at all workspaces. */
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

/** Mails the partners whom a run skips for lack of a usable account, each once. */
export const notifyUnconnected = async (
  env: ReminderEnv,
  run: RunScope,
  now: Date,
  budget: Budget,
): Promise<void> => {
  while (hasLeft(budget)) {
    const partners = await withDb(env, budget, (db) => listUnnotified(db, run, PAGE))
    if (partners.length === 0) return
    const mails = partners.map((partner) => ({
      partnerId: partner.partnerId,
      recipient: partner.email,
      details: detailsOf(env, partner),
    }))
    await withDb(env, budget, (db) =>
      mailPartners(db, run.workspaceId, 'connect_account', mails, now),
    )
  }
}

/** Reminds the people of a workspace who are due, each once per occasion. @returns how many */
const remindWorkspace = async (
  env: ReminderEnv,
  workspaceId: string,
  now: Date,
  budget: Budget,
) => {
  let count = 0
  while (hasLeft(budget)) {
    const people = await withDb(env, budget, (db) => listPeopleToRemind(db, workspaceId, now, PAGE))
    if (people.length === 0) break
    const mails = people.map((person) => ({
      partnerId: person.partnerId,
      recipient: person.email,
      occasion: person.occasion,
      details: detailsOf(env, person),
    }))
    await withDb(env, budget, (db) => mailPartners(db, workspaceId, 'connect_reminder', mails, now))
    count += people.length
  }
  return count
}

/**
 * Reminds partners of workspaces that pay by Stripe. Each workspace is looked at once an hour.
 * @returns how many mails
 */
export const remindPartners = async (
  env: ReminderEnv,
  now: Date,
  budget: Budget,
): Promise<number> => {
  if (!hasLeft(budget)) return 0
  const workspaces = await withDb(env, budget, (db) =>
    leaseWorkspacesToRemind(db, now, MAX_WORKSPACES),
  )
  let count = 0
  for (const workspaceId of workspaces)
    count += await remindWorkspace(env, workspaceId, now, budget)
  return count
}
