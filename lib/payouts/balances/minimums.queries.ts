/**
 * The minimum of a payout, as SQL. It is compared with all that is due to a person, because
 * partners of several programs are one person.
 */
import { type RawBuilder, sql } from 'kysely'

type Scope = {
  workspaceId: string
  id?: string | undefined
  excludePartnerIds: string[]
  /** The commissions of the partner `o`, of any program, that may be claimed, as a subquery. */
  open: RawBuilder<unknown>
}

/** The minimum of the partner `p`, in minor units of every currency. Expects its program as `g`. */
const minimum = sql`coalesce(p.minimum_payout_cents, g.minimum_payout_cents)`

/**
 * The sum due to the person of the partner `p` in other programs, in the currency of the balance
 * `s`, with what this run, or another of the same scheduled time, has already claimed.
 */
const dueElsewhere = ({ workspaceId, id, excludePartnerIds, open }: Scope) => sql`
  (select coalesce(sum(greatest(own.cents, 0) + claimed.cents), 0)
   from partners o
   cross join lateral (
     select coalesce(sum(c.amount_cents), 0) as cents from ${open} c
     where c.currency = s.currency) own
   cross join lateral (
     select coalesce(sum(q.amount_cents), 0) as cents from payouts q
     where ${id ?? null}::uuid is not null and q.partner_id = o.id and q.currency = s.currency
       and q.failed_at is null and q.canceled_at is null
       and q.run_id in (select r.id from payout_runs r join payout_runs mine on mine.id = ${id ?? null}::uuid
                        where r.id = mine.id or (r.workspace_id = mine.workspace_id
                                                 and r.scheduled_for = mine.scheduled_for))) claimed
   where o.workspace_id = ${workspaceId} and o.email = p.email and o.id <> p.id and o.status = 'approved'
     and not exists (select from programs s where s.id = o.program_id and s.mode = 'shadow')
     and o.id <> all (${sql.val(excludePartnerIds)}::uuid[]))`

/** Whether the balance `s` of partner `p` is below the minimum. Only then reads other programs. */
export const isBelowMinimum = (scope: Scope) =>
  sql`s.amount_cents < ${minimum} and s.amount_cents + ${dueElsewhere(scope)} < ${minimum}`
