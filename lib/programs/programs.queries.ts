/** Programs, with their rewards. */
import { sql } from 'kysely'
import { type Act, auditEntry } from '../audit/audit.queries.ts'
import { diff, type Patch } from '../audit/diff.ts'
import { asColumns, asFields } from '../db/columns.ts'
import type { Db } from '../db/connection.ts'
import { idOf, newId } from '../db/ids.ts'
import type { PageRequest } from '../db/page-request.ts'
import { type Bonus, type BonusTerms, bonusesOf } from '../rules/bonuses/bonuses.ts'
import type { ProgramMode } from '../rules/programs/mode.ts'
import {
  changedDays,
  DEFAULT_DAYS,
  nextOccurrence,
  type Schedule,
  scheduleBegins,
} from '../rules/programs/schedules.ts'
import { PROGRAM_DEFAULTS, type ProgramTerms } from './programs.ts'
import { newReward, rewardOf, rewardTerms } from './rewards.queries.ts'
import { updateTerms } from './terms.queries.ts'

export type Program = Omit<ProgramTerms, 'bonuses'> & {
  id: string
  bonuses: Bonus[]
  /** When its schedule starts to pay. */
  payoutScheduleSince: Date
  mode: ProgramMode
  createdAt: Date
}

/** The columns of the terms, without the reward, which is a row of its own. */
const COLUMNS = {
  name: 'name',
  siteUrl: 'site_url',
  rewardInterval: 'reward_interval',
  rewardDurationMonths: 'reward_duration_months',
  oneTimeMinimumCents: 'one_time_minimum_cents',
  oneTimePer: 'one_time_per',
  rewardShipping: 'reward_shipping',
  creditOutOfBand: 'credit_out_of_band',
  holdingDays: 'holding_days',
  netDays: 'net_days',
  attributionDays: 'attribution_days',
  attribution: 'attribution',
  attributeKnownCustomers: 'attribute_known_customers',
  lateLeadDays: 'late_lead_days',
  trustedAttribution: 'trusted_attribution',
  selfReferrals: 'self_referrals',
  unverifiedAddresses: 'unverified_addresses',
  minimumPayoutCents: 'minimum_payout_cents',
  manualEarningsNoticeCents: 'manual_earnings_notice_cents',
  payoutSchedule: 'payout_schedule',
  payoutDays: 'payout_days',
  reviewDays: 'review_days',
} as const

/** Those that have json. */
const JSON_COLUMNS = {
  tiers: 'tiers',
  bonuses: 'bonuses',
  monthlyBudget: 'monthly_budget',
} as const

const selectPrograms = (db: Db, workspaceId: string) =>
  db
    .selectFrom('programs as p')
    .where('p.workspace_id', '=', workspaceId)
    .select(asFields('p', { ...COLUMNS, ...JSON_COLUMNS }))
    .select(['p.id', 'p.mode', 'p.payout_schedule_since as payoutScheduleSince'])
    .select(['p.created_at as createdAt', rewardOf('p.reward_id').as('reward')])

type Row = Awaited<ReturnType<ReturnType<typeof selectPrograms>['execute']>>[number]

const toProgram = ({ reward, ...row }: Row): Program => {
  if (!reward) throw new Error('Unreachable: each program has a reward.')
  return {
    ...row,
    reward: rewardTerms(reward),
    bonuses: (row.bonuses ?? []).map((bonus) => ({ ...bonus, since: new Date(bonus.since) })),
    oneTimeMinimumCents: Number(row.oneTimeMinimumCents),
    minimumPayoutCents: Number(row.minimumPayoutCents),
    manualEarningsNoticeCents: Number(row.manualEarningsNoticeCents),
    payoutDays: row.payoutDays ?? DEFAULT_DAYS[row.payoutSchedule],
  }
}

/** @param id a UUID */
export const findProgram = async (
  db: Db,
  workspaceId: string,
  id: string,
): Promise<Program | undefined> => {
  const row = await selectPrograms(db, workspaceId).where('p.id', '=', id).executeTakeFirst()
  return row && toProgram(row)
}

/** The programs of a workspace, newest first. */
export const listPrograms = async (
  db: Db,
  workspaceId: string,
  { cursor, limit }: PageRequest,
): Promise<Program[]> => {
  const programs = selectPrograms(db, workspaceId).orderBy('p.id', 'desc').limit(limit)
  const rows = await (cursor ? programs.where('p.id', '<', cursor) : programs).execute()
  return rows.map(toProgram)
}

export const programColumns = <Terms extends Partial<ProgramTerms>>(terms: Terms) => ({
  ...asColumns(COLUMNS, terms),
  ...asColumns(JSON_COLUMNS, {
    tiers: json(terms.tiers),
    bonuses: json(terms.bonuses),
    monthlyBudget: json(terms.monthlyBudget),
  }),
})

/** Written as text: see Json in lib/db/columns.ts. */
const json = (value: object | null | undefined) => value && JSON.stringify(value)

/** Written together, so that concurrent changes never mix two schedules. */
const newSchedule = ({ payoutSchedule, payoutDays }: Schedule, now: Date) => ({
  payout_schedule: payoutSchedule,
  payout_days: payoutDays,
  payout_schedule_since: scheduleBegins(now),
})

/** The settings by which money leaves automatically. Managers are mailed when they change. */
const PAYOUT_SETTINGS = [
  'payoutSchedule',
  'payoutDays',
  'reviewDays',
  'manualEarningsNoticeCents',
] as const satisfies (keyof ProgramTerms)[]

/**
 * Mails all managers, the acting one included, that one of these settings has changed.
 *
 * @param id    of the change: a repeat mails nothing
 * @param since when a new schedule starts to pay; null if the schedule is unchanged
 */
const mailSettings = (
  db: Db,
  { workspaceId, actor, now }: Act,
  id: string,
  program: ProgramTerms,
  since: Date | null,
) => {
  const next = since && nextOccurrence({ ...program, payoutScheduleSince: since }, now)
  const more = JSON.stringify({ programName: program.name })
  return sql<unknown>`
    select mail_managers(${workspaceId}, 'payout_settings', ${actor}, null, ${next?.toISOString().slice(0, 10) ?? null}, null,
                           ${`settings ${id}`}, ${now}::timestamptz, ${more}::jsonb)`.compile(db)
}

/** @param mode `shadow` starts a shadow run with the program */
export const createProgram = async (
  db: Db,
  act: Act,
  terms: ProgramTerms,
  mode: ProgramMode = 'live',
): Promise<Program> => {
  const [id, rewardId] = [idOf(act), idOf(act, 1)]
  const stored = { ...terms, bonuses: bonusesOf(terms.bonuses, [], act.now) }
  await db.batch([
    newReward(db, act, rewardId, terms.reward).compile(),
    db
      .insertInto('programs')
      .values({
        id,
        workspace_id: act.workspaceId,
        reward_id: rewardId,
        ...programColumns(stored),
        // Only of a program that has had bonuses are they checked.
        ...(stored.bonuses.length === 0 && { bonuses: null }),
        payout_schedule_since: scheduleBegins(act.now),
        mode,
        shadow_since: mode === 'shadow' ? act.now : null,
        created_at: act.now,
      })
      .onConflict((conflict) => conflict.doNothing())
      .compile(),
    auditEntry(db, {
      ...act,
      action: 'program.created',
      subjectId: id,
      details: { name: terms.name, ...(mode === 'shadow' && { mode }) },
    }).compile(),
    ...(terms.payoutSchedule !== 'manual' ||
    terms.manualEarningsNoticeCents > PROGRAM_DEFAULTS.manualEarningsNoticeCents
      ? [mailSettings(db, act, id, terms, scheduleBegins(act.now))]
      : []),
    ...(mode === 'shadow'
      ? [
          db
            .insertInto('shadow_runs')
            .values({ workspace_id: act.workspaceId, program_id: id, started_at: act.now })
            .onConflict((conflict) => conflict.doNothing())
            .compile(),
        ]
      : []),
  ])
  return { ...stored, id, payoutScheduleSince: scheduleBegins(act.now), mode, createdAt: act.now }
}

/**
 * The requested values. `payoutDays` of null stands for the schedule's default days. So does
 * undefined, if the schedule changes.
 */
type ProgramPatch = Patch<Omit<ProgramTerms, 'payoutDays' | 'bonuses'>> & {
  bonuses?: BonusTerms[] | undefined
  payoutDays?: number[] | null | undefined
}

/**
 * Updates the fields that differ. A changed reward is a new row, because commissions refer to the
 * former one. Concurrent updates: the last write of each field wins.
 *
 * @returns undefined if the workspace has no such program
 */
export const changeProgram = async (
  db: Db,
  act: Act,
  id: string,
  patch: ProgramPatch,
): Promise<Program | undefined> => {
  const before = await findProgram(db, act.workspaceId, id)
  if (!before) return undefined
  const {
    id: _id,
    createdAt: _createdAt,
    mode: _mode,
    payoutScheduleSince: _since,
    ...terms
  } = before
  const changes = diff<Omit<Program, 'id' | 'createdAt' | 'mode' | 'payoutScheduleSince'>>(terms, {
    ...patch,
    bonuses: patch.bonuses && bonusesOf(patch.bonuses, terms.bonuses, act.now),
    payoutDays: changedDays(terms, patch),
  })
  if (!changes) return before

  const { reward, payoutSchedule, payoutDays } = changes.changed
  const after = { ...before, ...changes.changed }
  const rewardId = reward && newId()
  const isOtherSchedule = payoutSchedule !== undefined || payoutDays !== undefined
  await db.batch([
    ...(rewardId ? [newReward(db, act, rewardId, reward).compile()] : []),
    updateTerms(db, act, 'programs', [id], {
      ...programColumns(changes.changed),
      reward_id: rewardId,
      ...(isOtherSchedule && newSchedule(after, act.now)),
    }),
    auditEntry(db, {
      ...act,
      action: 'program.changed',
      subjectId: id,
      details: changes.log,
    }).compile(),
    ...(PAYOUT_SETTINGS.some((setting) => setting in changes.changed)
      ? [mailSettings(db, act, newId(), after, isOtherSchedule ? scheduleBegins(act.now) : null)]
      : []),
  ])
  return { ...after, ...(isOtherSchedule && { payoutScheduleSince: scheduleBegins(act.now) }) }
}
