/** What a history's ledger says, against what took place at Stripe. */
import { balancesQuery } from '../../lib/payouts/balances/due.queries.ts'
import type { History } from './world.ts'

/** Sales that are credited by a coupon with which nothing of their purchase was made. */
export const findWrongCoupons = async ({ query, coupons, workspaces }: History) => {
  const sales = await query<{ id: string; coupon: string; names: string[] }>(
    `select e.id, e.external_id as sale, step -> 'facts' ->> 'couponId' as coupon,
            array(select name from processor_events p
                  join processor_events o on o.workspace_id = p.workspace_id and o.keys && p.keys
                  cross join jsonb_array_elements(o.facts) fact
                  cross join unnest(array[fact ->> 'id', fact ->> 'subscription']) name
                  where p.event_id = e.id and name is not null) as names
     from events e cross join jsonb_array_elements(e.steps) step
     where e.workspace_id = any($2) and $1 <> '' and e.kind = 'sale' and e.attributed_by = 'coupon' and step ->> 'code' = 'coupon'`,
    workspaces,
  )
  return sales.filter(
    ({ coupon, names }) => !names.some((name) => coupons.get(name)?.includes(coupon)),
  )
}

/**
 * What the cron has left unpaid of the programs whose schedule was due, what it has paid of those
 * without one, and what it has claimed and not sent.
 *
 * @param from when it ran last
 */
export const findUnpaid = async (history: History, from: Date) => {
  const now = new Date()
  const programs = await history.query<{ id: string; schedule: string }>(
    `select id, payout_schedule as schedule from programs where workspace_id = $1 and payout_schedule <> 'manual' and mode <> 'shadow'`,
  )
  const firstOfMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()))
  const due = programs.filter(({ schedule }) => schedule === 'weekly' || firstOfMonth > from)
  const left = await Promise.all(
    due.map(async ({ id: programId }) => {
      const { workspaceId } = history.payer
      const scope = {
        workspaceId,
        programId,
        method: 'stripe' as const,
        cutoffAt: now,
        cover: null,
      }
      return (await balancesQuery(scope).execute(history.db())).rows.filter(
        ({ code }) => code === null,
      )
    }),
  )
  return {
    left: left.flat(),
    unasked: await history.query(
      `select o.id from payouts o join programs g on g.id = o.program_id
       where o.workspace_id = $1 and o.created_at = $2 and g.payout_schedule = 'manual'`,
      now,
    ),
    unsent: await history.query(
      `select o.id from payouts o join payout_runs r on r.id = o.run_id
       where o.workspace_id = $1 and r.method = 'stripe' and o.next_attempt_at <= $2 and o.paid_at is null and o.failed_at is null
         and o.canceled_at is null and o.released_at is null`,
      now,
    ),
  }
}

/** Sales and leads whose tier is by something else than what is kept of their partner's day. */
export const findOtherTiers = ({ query }: History) =>
  query<{ id: string; facts: object }>(
    `select e.external_id as id, step -> 'facts' as facts
     from events e cross join jsonb_array_elements(e.steps) step cross join lateral (select step -> 'facts') t (facts)
     left join tier_figures f on f.partner_id = e.partner_id and f.day = (t.facts ->> 'day')::date
       and f.measure = t.facts ->> 'by' and f.period = t.facts ->> 'period'
       and f.currency = coalesce(t.facts ->> 'currency', '')
     where e.workspace_id = $1 and step ->> 'code' = 'tier' and f.reached is distinct from (t.facts ->> 'reached')::bigint`,
  )

/** What there is of what an import has made: partners, referrals, addresses and balances. */
export const findLeftOf = ({ query }: History, importId: string) =>
  query<{ kind: string; id: string }>(
    `with calls as (
       select i.*, a.details, a.created_at from import_calls i join audit_entries a on a.id = i.audit_id
       where i.workspace_id = $1 and i.import_id = $2)
     select 'partner' as kind, p.id::text from calls join partners p on p.id = any(calls.made) where p.undone_at is null
     union all
     select 'referral', r.origin from calls
       join referrals r on r.workspace_id = $1 and r.origin like 'import ' || calls.audit_id || '%'
     union all
     select 'balance', b.id::text
     from calls, jsonb_array_elements_text(calls.details #> '{openingBalances,ids}') m
       join commissions b on b.id = m.value::uuid
     where b.amount_cents + (select coalesce(sum(amount_cents), 0) from commissions where reverses_id = b.id) <> 0
     order by 1, 2`,
    importId,
  )
