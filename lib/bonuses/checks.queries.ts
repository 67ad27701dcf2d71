/** Loads the partners whose bonuses are to be checked, and saves what they earn. */
import { sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { withDates } from '../db/json-rows.ts'
import type { Bonus, StoredBonus } from '../rules/bonuses/bonuses.ts'
import type { BonusCommission, Figures, FiguresOf, ReachedBonus } from '../rules/bonuses/check.ts'
import { isHeld } from '../tracking/holds/holds.queries.ts'

/** A partner whose sales have changed. */
export type BonusCheck = {
  partnerId: string
  /** Of the row: another change of its sales increments it. A removed row begins again with 0. */
  revision: number
  /** When the row was added, to the microsecond. */
  since: string
  /** Whether the partner can earn: it is approved, and no test partner. */
  isActive: boolean
  /** When the last shadow run of its program ended. Null if there was none. */
  liveSince: Date | null
  bonuses: Bonus[]
  holdingDays: number
  netDays: number | null
  reached: ReachedBonus[]
}

type CommissionJson = Omit<BonusCommission, 'leftCents' | 'reversedCents'> &
  Record<'leftCents' | 'reversedCents', number>
type ReachedJson = Omit<ReachedBonus, 'since' | 'foundAt' | 'commission'> &
  Record<'since' | 'foundAt', string> & { commission: CommissionJson | null }
type CheckRow = Omit<BonusCheck, 'bonuses' | 'reached'> & {
  bonuses: StoredBonus[] | null
  reached: ReachedJson[]
}

/** The partners to check. */
export const BONUS_CHECKS = sql`select from bonus_checks`

/** What was reversed of a commission, `c`, but by managers. */
const REVERSED = sql`(
  select coalesce(-sum(r.amount_cents), 0) from commissions r
  where r.reverses_id = c.id and not exists (select from adjustments a where a.commission_id = r.id))`

const LEFT = sql`(
  select c.amount_cents + coalesce(sum(r.amount_cents), 0) from commissions r where r.reverses_id = c.id)`

const isPending = (now: Date) =>
  sql`c.payout_id is null and (c.payable_at > ${now}::timestamptz or ${isHeld})`

const IS_REJECTED = sql`exists (
  select from commission_holds h where h.commission_id = c.id and h.resolution = 'rejected')`

/** Those that have waited longest. */
export const loadChecks = async (db: Db, limit: number, now: Date): Promise<BonusCheck[]> => {
  const { rows } = await sql<CheckRow>`
    select b.partner_id as "partnerId", b.revision, b.since::text as since, g.bonuses, g.holding_days as "holdingDays", g.net_days as "netDays",
           p.status = 'approved' and not p.is_test and p.undone_at is null as "isActive",
           (select max(s.ended_at) from shadow_runs s where s.program_id = g.id) as "liveSince",
           coalesce((
             select jsonb_agg(jsonb_build_object(
               'name', r.name, 'milestone', r.milestone, 'since', r.since, 'foundAt', coalesce(o.created_at, r.since), 'commission', (
                 select jsonb_build_object(
                   'id', c.id, 'isPending', ${isPending(now)}, 'isRejected', ${IS_REJECTED},
                   'leftCents', ${LEFT}, 'reversedCents', ${REVERSED})
                 from commissions c where c.id = r.commission_id)))
             from partner_bonuses r left join commissions o on o.id = r.commission_id
             where r.partner_id = b.partner_id), '[]') as reached
    from (select * from bonus_checks order by since, partner_id limit ${limit}) b
    join partners p on p.id = b.partner_id join programs g on g.id = p.program_id`.execute(db)
  return rows.map(({ bonuses, reached, ...row }) => ({
    ...row,
    bonuses: (bonuses ?? []).map((bonus) => ({ ...bonus, since: new Date(bonus.since) })),
    reached: reached.map(({ commission, ...one }) => ({
      ...withDates(one, 'since', 'foundAt'),
      commission: commission && {
        ...commission,
        leftCents: BigInt(commission.leftCents),
        reversedCents: BigInt(commission.reversedCents),
      },
    })),
  }))
}

export type WantedFigures = FiguresOf & { partnerId: string }

/** What the sales of partners come to, in the order of the request. */
export const loadFigures = async (db: Db, wanted: WantedFigures[]): Promise<Figures[]> => {
  if (wanted.length === 0) return []
  const { rows } = await sql<Record<keyof Figures, bigint>>`
    select f.net_cents as "netCents", f.customers, f.sales
    from jsonb_to_recordset(${JSON.stringify(wanted.map((one, at) => ({ ...one, at })))}::jsonb)
           as w (at integer, "partnerId" uuid, currency text, before timestamptz)
    cross join lateral partner_figures(w."partnerId", '-infinity', coalesce(w.before, 'infinity'), w.currency) f
    order by w.at`.execute(db)
  return rows.map(({ netCents, customers, sales }) => ({
    netCents: Number(netCents),
    customers: Number(customers),
    sales: Number(sales),
  }))
}

/** A milestone that is reached. */
export type NewlyReached = Pick<ReachedBonus, 'name' | 'milestone' | 'since'> & {
  partnerId: string
  /** What it earns; null of one that was reached before it was added. */
  earned: { id: string; amountCents: number; currency: string; payableAt: Date } | null
}

/** What is reversed of a bonus, if negative, or reinstated. */
export type BonusReversal = { id: string; commissionId: string; amountCents: bigint }

/**
 * Saves what the checks have found, and removes them. A check is skipped whose partner's sales have
 * changed since it was loaded.
 *
 * @returns how many rows of the ledger were added
 * @throws a conflict if a commission is not as it was loaded
 */
export const saveChecks = async (
  db: Db,
  checks: BonusCheck[],
  found: { reached: NewlyReached[]; reversals: BonusReversal[] },
  now: Date,
): Promise<number> => {
  const marks = JSON.stringify(
    checks.map(({ partnerId, revision, since }) => ({ partnerId, revision, since })),
  )
  const reached = JSON.stringify(
    found.reached.map(({ earned, ...one }) => ({ ...one, ...earned, isEarned: earned !== null })),
  )
  const reversals = JSON.stringify(
    found.reversals.map((one) => ({ ...one, amountCents: Number(one.amountCents) })),
  )
  const [, , , rows] = await db.batch([
    // In the order of fold_totals.
    sql`
      select from bonus_checks
      where partner_id in (select (m ->> 'partnerId')::uuid from jsonb_array_elements(${marks}::jsonb) m)
      order by partner_id for update`.compile(db),
    sql`
      select from commissions
      where id in (select (r ->> 'commissionId')::uuid from jsonb_array_elements(${reversals}::jsonb) r)
      order by id for no key update`.compile(db),
    sql`
      select assert_unchanged(bool_and(not ${IS_REJECTED} and case
        when r."amountCents" < 0 then ${isPending(now)} and ${LEFT} = -r."amountCents"
        else ${REVERSED} = r."amountCents" end))
      from jsonb_to_recordset(${reversals}::jsonb) as r ("commissionId" uuid, "amountCents" bigint)
      join commissions c on c.id = r."commissionId"
      having count(*) > 0`.compile(db),
    sql<{ id: string }>`
      with checked as (
        delete from bonus_checks b
        using jsonb_to_recordset(${marks}::jsonb) as m ("partnerId" uuid, revision integer, since timestamptz)
        where b.partner_id = m."partnerId" and b.revision = m.revision and b.since = m.since
        returning b.partner_id
      ), found as (
        select f.*, p.workspace_id, p.program_id
        from jsonb_to_recordset(${reached}::jsonb)
               as f ("partnerId" uuid, name text, milestone jsonb, since timestamptz, "isEarned" boolean,
                     id uuid, "amountCents" bigint, currency text, "payableAt" timestamptz)
        join checked on checked.partner_id = f."partnerId" join partners p on p.id = f."partnerId"
      ), reached as (
        insert into partner_bonuses as b (partner_id, name, workspace_id, milestone, since, commission_id)
        select "partnerId", name, workspace_id, milestone, since, case when "isEarned" then id end from found
        on conflict (partner_id, name) do update
          set milestone = excluded.milestone, since = excluded.since, commission_id = excluded.commission_id
          where b.commission_id is null and b.since < excluded.since
        returning b.commission_id
      )
      insert into commissions (id, workspace_id, program_id, partner_id, kind, reverses_id, amount_cents, currency,
                               payable_at, created_at)
      select f.id, f.workspace_id, f.program_id, f."partnerId", 'bonus', null::uuid, f."amountCents", f.currency,
             f."payableAt", ${now}::timestamptz
      from found f join reached r on r.commission_id = f.id
      union all
      select r.id, c.workspace_id, c.program_id, c.partner_id, 'reversal', c.id, r."amountCents", c.currency,
             c.payable_at, ${now}::timestamptz
      from jsonb_to_recordset(${reversals}::jsonb) as r (id uuid, "commissionId" uuid, "amountCents" bigint)
      join commissions c on c.id = r."commissionId" join checked on checked.partner_id = c.partner_id
      returning id`.compile(db),
  ])
  return rows.length
}
