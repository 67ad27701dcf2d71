/** Previews and makes the cut-over of a shadow run. */
import { sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import type { ProgramMode } from '../../rules/programs/mode.ts'
import { scheduleBegins } from '../../rules/programs/schedules.ts'
import { mailManualEarning } from '../../tracking/ledger/manual-earnings.queries.ts'
import { MAX_AMOUNT_CENTS } from '../../values/money.ts'
import { lockProgram } from '../mode.queries.ts'
import {
  BALANCE_REASON,
  type CutOverResult,
  type CutOverSum,
  type OwedBalance,
} from './cut-over.ts'

type Scope = {
  workspaceId: string
  programId: string
  /** Addresses whose balances are not taken over; '' of commissions that name no partner. */
  leaveOut: string[]
}

/**
 * The debts of the other platform by partner and currency, and why one cannot be taken over:
 * `OwedBalance`. A partner is found by its address, or a former one.
 */
const owed = ({ workspaceId, programId, leaveOut }: Scope) => sql`
  select min(f.email) as email, f.partner_id, f.currency, sum(f.cents)::bigint as cents,
         case when min(f.email) is null then 'no_partner' when f.partner_id is null then 'partner_not_found'
              when min(f.status) = 'banned' then 'partner_banned'
              when f.currency = 'USD' and sum(f.cents) > 0 and exists (
                select from commissions c where c.partner_id = f.partner_id and c.kind = 'opening_balance') then 'has_opening_balance'
              when abs(sum(f.cents)) > ${MAX_AMOUNT_CENTS} then 'too_large' end as code
  from (
    select u.email, u.currency, u.cents, p.id as partner_id, p.status
    from (
      select partner_email as email, currency::text as currency, sum(amount_cents) as cents from platform_commissions
      where workspace_id = ${workspaceId} and program_id = ${programId} and state in ('pending', 'due')
        and coalesce(partner_email, '') not in (select jsonb_array_elements_text(${JSON.stringify(leaveOut)}::jsonb))
      group by partner_email, currency) u
    left join lateral (
      select p.id, p.status from partners p where p.program_id = ${programId} and p.email = u.email
      union all
      select p.id, p.status from former_partner_addresses a join partners p on p.id = a.partner_id
      where a.program_id = ${programId} and a.email = u.email
        and not exists (select from partners n where n.program_id = ${programId} and n.email = u.email)
      limit 1) p on true) f
  group by f.partner_id, case when f.partner_id is null then f.email end, f.currency
  having sum(f.cents) <> 0`

/** The balances that a cut-over would take over, and those that it would not. */
export const listOwed = async (db: Db, scope: Scope): Promise<OwedBalance[]> => {
  const { rows } = await sql<OwedBalance>`
    select email, partner_id as "partnerId", currency, cents as "amountCents", code from (${owed(scope)}) o
    order by code nulls last, abs(cents) desc, email`.execute(db)
  return rows
}

/**
 * The last shadow run of a program.
 *
 * @property isUnread whether a reading of the other platform is unfinished
 * @property isMixed whether rows without ids count beside those of a discarded reading
 */
export type LastRun = {
  mode: ProgramMode
  endedAt: Date | null
  result: CutOverResult | null
  isUnread: boolean
  isMixed: boolean
}

/** Whether a reading of the other platform's commissions is unfinished: its debts are unknown. */
const isUnread = (programId: string) =>
  sql<boolean>`exists (select from import_sources where program_id = ${programId} and purpose = 'shadow' and read_at is null)`

/** Whether rows without ids, of an earlier file, count beside rows read by API: see `supersede`. */
const isMixed = (programId: string) => sql<boolean>`(
  exists (select from shadow_runs where program_id = ${programId} and ended_at is null and api_since is not null)
  and exists (select from platform_commissions where program_id = ${programId} and key like 'hash:%' and state in ('pending', 'due')))`

const lastRunQuery = (workspaceId: string, programId: string) => sql<LastRun>`
  select g.mode, r.ended_at as "endedAt", r.cut_over as result, ${isUnread(programId)} as "isUnread",
         ${isMixed(programId)} as "isMixed"
  from programs g join shadow_runs r on r.program_id = g.id
  where g.workspace_id = ${workspaceId} and g.id = ${programId}
  order by r.started_at desc limit 1`

export const readLastRun = async (
  db: Db,
  workspaceId: string,
  programId: string,
): Promise<LastRun | undefined> => (await lastRunQuery(workspaceId, programId).execute(db)).rows[0]

/**
 * Cuts a program over, in full or not at all: ends the shadow run, and inserts what the other
 * platform owes, payable now. A positive balance in USD is the partner's opening balance, any other
 * an adjustment. Does nothing if a balance is refused, or the sums differ from those expected.
 * Idempotent.
 *
 * @returns the run after that
 */
export const cutOver = async (
  db: Db,
  act: Act,
  scope: Scope,
  expected: CutOverSum[],
): Promise<LastRun | undefined> => {
  const { workspaceId, actor, now } = act
  const { programId, leaveOut } = scope
  const result: CutOverResult = { id: newId(), sums: expected, leftOut: leaveOut.length, by: actor }
  const isThis = sql<boolean>`exists (
    select from shadow_runs where program_id = ${programId} and cut_over ->> 'id' = ${result.id})`
  const end = sql<unknown>`
    with owed as materialized (${owed(scope)}), sums as (
      select coalesce(jsonb_agg(jsonb_build_object('currency', currency, 'partners', partners, 'amountCents', cents) order by currency), '[]')
               as found
      from (select currency, count(*) as partners, sum(cents) as cents from owed group by currency) s
    ), ended as (
      update shadow_runs r set ended_at = greatest(clock_timestamp(), r.started_at), cut_over = ${JSON.stringify(result)}::jsonb
      from sums
      where r.workspace_id = ${workspaceId} and r.program_id = ${programId} and r.ended_at is null
        and not ${isUnread(programId)} and not ${isMixed(programId)} and not exists (select from owed where code is not null) and sums.found = ${JSON.stringify(expected)}::jsonb
      returning r.program_id
    ), live as (
      update programs g set mode = 'live', payout_schedule_since = ${scheduleBegins(now)}
      from ended where g.id = ended.program_id returning g.id
    )
    select ${mailManualEarning(act, 'cut_over', {
      program: sql`live.id`,
      partner: sql`null::text`,
      cents: sql`(s ->> 'amountCents')::bigint`,
      currency: sql`s ->> 'currency'`,
    })}
    from live, jsonb_array_elements(${JSON.stringify(expected)}::jsonb) s`
  const balances = sql<unknown>`
    insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents, currency, payable_at, created_at)
    select uuidv7(), ${workspaceId}::uuid, ${programId}::uuid, o.partner_id, 'opening_balance', o.cents, o.currency,
           ${now}::timestamptz, ${now}::timestamptz
    from (${owed(scope)}) o
    where ${isThis} and o.currency = 'USD' and o.cents > 0 and o.code is null
    order by o.partner_id on conflict do nothing`
  const adjustments = sql<unknown>`
    with adjustment as (
      insert into adjustments (commission_id, workspace_id, external_id, reason, created_by, body_hash)
      select uuidv7(), ${workspaceId}::uuid, 'cut-over ' || ${result.id} || ' ' || o.partner_id || ' ' || o.currency, ${BALANCE_REASON}, ${actor}, ''
      from (${owed(scope)}) o
      where ${isThis} and not (o.currency = 'USD' and o.cents > 0) and o.code is null
      on conflict do nothing returning commission_id, external_id
    )
    insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents, currency, payable_at, created_at)
    select a.commission_id, ${workspaceId}::uuid, ${programId}::uuid, o.partner_id, 'adjustment', o.cents, o.currency,
           ${now}::timestamptz, ${now}::timestamptz
    from (${owed(scope)}) o join adjustment a on a.external_id = 'cut-over ' || ${result.id} || ' ' || o.partner_id || ' ' || o.currency`
  const [, , , , , , [run]] = await db.batch([
    ...lockProgram(db, workspaceId, programId),
    end.compile(db),
    // Those of other currencies first: an opening balance refuses another one of its partner.
    adjustments.compile(db),
    balances.compile(db),
    auditEntry(db, {
      ...act,
      action: 'program.cut_over',
      subjectId: programId,
      details: {
        balances: expected.reduce((sum, { partners }) => sum + partners, 0),
        sums: expected,
        leftOut: leaveOut.length,
      },
      when: isThis,
    }).compile(),
    lastRunQuery(workspaceId, programId).compile(db),
  ])
  return run
}
