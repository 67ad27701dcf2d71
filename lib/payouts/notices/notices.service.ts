/** Mails managers about payout runs: previews and reports of scheduled ones, problems of all. */

import { type Budget, hasLeft, withDb } from '../../db/budget.service.ts'
import { describeError, log } from '../../http/logging.ts'
import type { PayoutRunDetails } from '../../mail/outbox/details.ts'
import type { RunScope } from '../balances/due.queries.ts'
import { readFunds, UNKNOWN } from '../runs/funds.service.ts'
import type { PayoutEnv } from '../transfers/send.service.ts'
import {
  type DueNotice,
  type DuePreview,
  listDueNotices,
  listDuePreviews,
  mailNotice,
  mailPreview,
  readOutcome,
  readPreview,
} from './notices.queries.ts'
import { type CodeTotal, isWorthReporting, PREVIEW_MS, problemsIn, sumsOf } from './notices.ts'

/** Per run of the cron. Each takes a few fetches. */
const MAX_MAILS = 10

type About = Pick<DueNotice, 'workspaceName' | 'programName' | 'slug'>

/** The details of a mail. @param page of the workspace's payouts */
const detailsOf = (
  { PUBLIC_URL }: PayoutEnv,
  { workspaceName, programName, slug }: About,
  page: string,
  at: Date | null,
  totals: CodeTotal[],
): PayoutRunDetails => ({
  workspaceName,
  programName,
  day: at?.toISOString().slice(0, 10) ?? null,
  sums: sumsOf(totals),
  messages: [],
  url: new URL(`/app/${slug}/payouts${page}`, PUBLIC_URL).href,
})

/** Mails all managers what a run that waits for approval would pay. */
const notifyApprovers = async (
  env: PayoutEnv,
  run: DueNotice,
  now: Date,
  budget: Budget,
): Promise<void> => {
  const { id, sendsAt, toApprove } = run
  const totals = Object.entries(toApprove ?? {}).map(([currency, { amountCents, count }]) => ({
    code: 'payable',
    currency,
    payouts: count,
    amountCents: BigInt(amountCents),
  }))
  const details = detailsOf(env, run, `/runs/${id}`, sendsAt, totals)
  const mail = toApprove && { kind: 'payout_approval' as const, details, isForAll: true }
  await withDb(env, budget, (db) => mailNotice(db, run, [], mail, now))
}

/** Mails the outcome of a run, or a problem in it. */
const notify = async (env: PayoutEnv, run: DueNotice, now: Date, budget: Budget): Promise<void> => {
  const { id, scheduledFor, sendsAt, reasons } = run
  if (reasons.every((reason) => reason === 'approval'))
    return notifyApprovers(env, run, now, budget)
  const { totals, skipped, messages } = await withDb(env, budget, (db) => readOutcome(db, run))
  const isReport = reasons.includes('report')
  const isReview = !isReport && reasons.includes('review')
  const paid = isReview ? totals.map((total) => ({ ...total, code: 'payable' })) : totals
  const all = isReport || isReview ? [...paid, ...skipped] : totals
  const at = isReview ? sendsAt : scheduledFor
  const details = { ...detailsOf(env, run, `/runs/${id}`, at, all), messages }
  // Managers know of a run that one of them stopped, but not that something of it was sent.
  const isWorth =
    (!run.isStopped || reasons.includes('found_sent')) &&
    (!(isReport || isReview) || isWorthReporting(all, ['payable', 'paid', 'processing', 'failed']))
  const kind = isReport ? 'payout_report' : isReview ? 'payout_review' : 'payout_problem'
  const mail = { kind, details } as const
  await withDb(env, budget, (db) =>
    mailNotice(db, run, isReport ? problemsIn(all) : [], isWorth ? mail : null, now),
  )
}

/** Mails a preview of a scheduled run. */
const preview = async (
  env: PayoutEnv,
  due: DuePreview,
  now: Date,
  budget: Budget,
): Promise<void> => {
  const { workspaceId, programId, at } = due
  const scope: RunScope = { workspaceId, programId, method: 'stripe', cutoffAt: at, cover: null }
  // A preview without the balance is better than none.
  const { cover } = await readFunds(env, scope, budget).catch(() => UNKNOWN)
  const totals = await withDb(env, budget, (db) => readPreview(db, { ...scope, cover }))
  const details = detailsOf(env, due, '', at, totals)
  const mail = isWorthReporting(totals, ['payable'])
    ? { kind: 'payout_preview' as const, details }
    : null
  await withDb(env, budget, (db) => mailPreview(db, due, mail, now))
}

/** Sends managers the mails that are due. @returns how many runs and programs they are about */
export const notifyManagers = async (
  env: PayoutEnv,
  now: Date,
  budget: Budget,
): Promise<number> => {
  let count = 0
  const each = async <T>(due: T[], work: (one: T) => Promise<void>) => {
    for (const one of due) {
      if (!hasLeft(budget)) return
      // One that fails does not stop the others.
      await work(one)
        .then(() => count++)
        .catch((error: Error) => log('error', { job: 'payout mails', ...describeError(error) }))
    }
  }
  if (!hasLeft(budget)) return 0
  const notices = await withDb(env, budget, (db) => listDueNotices(db, now, MAX_MAILS))
  await each(notices, (run) => notify(env, run, now, budget))
  if (!hasLeft(budget)) return count
  const previews = await withDb(env, budget, (db) =>
    listDuePreviews(db, now, PREVIEW_MS, MAX_MAILS),
  )
  await each(previews, (due) => preview(env, due, now, budget))
  return count
}
