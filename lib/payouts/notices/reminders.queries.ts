/** Partners with money due that Stripe cannot pay for a reason that they can change. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import type { ConnectDetails } from '../../mail/outbox/details.ts'
import { allSums, balances, openOf, type RunScope } from '../balances/due.queries.ts'
import { type Reminder, remindersAt } from './reminders.ts'

const isResolvable = sql`b.code in ('not_connected', 'account_restricted')`

export type UnnotifiedPartner = {
  partnerId: string
  email: string
  partnerName: string | null
  programName: string
  problem: ConnectDetails['problem']
  amounts: { currency: string; amountCents: number }[]
}

/** Partners whom a run skips for lack of a usable account, and who were not mailed about it. */
export const listUnnotified = async (
  db: Db,
  scope: RunScope,
  limit: number,
): Promise<UnnotifiedPartner[]> => {
  const { rows } = await sql<UnnotifiedPartner>`
    select b.partner_id as "partnerId", p.email, p.name as "partnerName", g.name as "programName",
           min(b.code) as problem,
           jsonb_agg(jsonb_build_object('currency', b.currency, 'amountCents', b.amount_cents) order by b.currency) as amounts
    from (${balances(scope, allSums(scope))}) as b
    join partners p on p.id = b.partner_id
    join programs g on g.id = b.program_id
    where ${isResolvable}
      and not exists (
        select from mails m
        where m.workspace_id = ${scope.workspaceId} and m.partner_id = b.partner_id and m.kind = 'connect_account')
    group by b.partner_id, p.email, p.name, g.name
    order by b.partner_id
    limit ${limit}`.execute(db)
  return rows
}

/** A person to remind, with the sums of all programs of the workspace. */
export type PersonToRemind = UnnotifiedPartner & { occasion: string }

/** The least time between two reminders of a person. Shorter than the intervals of a series. */
const QUIET_MS = 2 * 86_400_000

/**
 * People whom a run would skip now, and whose money has been due long enough for a reminder that
 * they have not had. Money is due since the balance was last zero or less.
 */
export const listPeopleToRemind = async (
  db: Db,
  workspaceId: string,
  now: Date,
  limit: number,
): Promise<PersonToRemind[]> => {
  const scope: RunScope = {
    workspaceId,
    programId: null,
    method: 'stripe',
    cutoffAt: now,
    cover: null,
  }
  const reminders: Reminder[] = remindersAt(now)
  const { rows } = await sql<PersonToRemind>`
    with unpaid as materialized (
      select b.partner_id, b.currency, b.amount_cents, b.code, p.email, p.name, g.name as program
      from (${balances(scope, allSums(scope))}) as b
      join partners p on p.id = b.partner_id
      join programs g on g.id = b.program_id
      where ${isResolvable}
    ), dated as (
      select unpaid.*, due.since
      from unpaid cross join lateral (
        with sums as (
          select c.payable_at, sum(c.amount_cents) over (order by c.payable_at) as cents
          from ${openOf(sql`unpaid.partner_id`, scope)} c where c.currency = unpaid.currency)
        select min(payable_at) as since from sums
        where payable_at > coalesce((select max(payable_at) from sums where cents <= 0), '-infinity')) due
    ), people as (
      select email, min(since) as since, (array_agg(partner_id order by since, partner_id))[1] as partner_id,
             (array_agg(name order by since, partner_id))[1] as name, min(code) as code,
             case when count(distinct partner_id) = 1 then min(program) end as program
      from dated group by email
    ), reminded as (
      select people.*, to_char(since at time zone 'UTC', 'YYYY-MM-DD') || '/' || due.number as occasion
      from people cross join lateral (
        select max(r.number) as number
        from jsonb_to_recordset(${JSON.stringify(reminders)}::jsonb) as r(number integer, "dueSince" timestamptz)
        where people.since <= r."dueSince") due
      where due.number is not null
    )
    select r.partner_id as "partnerId", r.email, r.name as "partnerName", coalesce(r.program, w.name) as "programName",
           r.code as problem, r.occasion,
           (select jsonb_agg(jsonb_build_object('currency', s.currency, 'amountCents', s.cents) order by s.currency)
            from (select currency, sum(amount_cents) as cents from unpaid where unpaid.email = r.email group by 1) s) as amounts
    from reminded r join workspaces w on w.id = ${workspaceId}
    where not exists (
      select from partners p join mails m on m.partner_id = p.id and m.kind = 'connect_reminder' and m.payout_id is null
      where p.workspace_id = ${workspaceId} and p.email = r.email
        and (m.occasion = r.occasion or m.created_at > ${new Date(now.getTime() - QUIET_MS)}))
    order by r.email
    limit ${limit}`.execute(db)
  return rows
}
