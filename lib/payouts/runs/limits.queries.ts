/** The limits of payout runs, as conditions of SQL: see limits.ts. */
import { type RawBuilder, sql } from 'kysely'
import { NO_LIMITS, type RunLimits, type Total } from './limits.ts'

/**
 * Whether a run's limits let it claim the commission `c`, as further conditions. What was recorded
 * after the preview counts only if it reduces the payout. An id of version 7 has the time at which
 * its row was recorded.
 */
export const isWithinLimits = ({
  previewedAt,
  excludeCommissionIds,
}: RunLimits = NO_LIMITS): RawBuilder<unknown> => sql`
        ${
          previewedAt
            ? sql`and (c.amount_cents < 0 or coalesce(uuid_extract_timestamp(c.id), c.created_at)
                                              < ${previewedAt}::timestamptz + interval '1 millisecond')`
            : sql``
        }
        ${
          excludeCommissionIds.length > 0
            ? sql`and coalesce(c.reverses_id, c.id) <> all (${sql.val(excludeCommissionIds)}::uuid[])`
            : sql``
        }`

/** Totals as a run keeps them. */
export const totalsJson = (totals: Total[]): string =>
  JSON.stringify(Object.fromEntries(totals.map(({ currency, ...total }) => [currency, total])))

/** Whether a sum and a count of payouts in a currency exceed the totals that a run keeps. */
export const exceeds = (
  { currency, cents, count }: Record<'currency' | 'cents' | 'count', RawBuilder<unknown>>,
  totals: RawBuilder<unknown>,
) => sql`(${cents} > coalesce((${totals} -> ${currency}::text ->> 'amountCents')::bigint, 0)
          or ${count} > coalesce((${totals} -> ${currency}::text ->> 'count')::bigint, 0))`

/**
 * Whether the payouts of a page, `b`, with those that the run has made before, stay within what was
 * previewed and below the maximum. Both were checked when the run began: this holds whatever is
 * recorded while it claims.
 */
export const isWithinTotals = (runId: string): RawBuilder<unknown> => sql`(
  select (r.expected is null or not ${exceeds(
    { currency: sql`b.currency`, cents: sql`b.cents + made.cents`, count: sql`b.nth + made.count` },
    sql`r.expected`,
  )})
     and b.cents + made.cents <= coalesce((r.max_amount_cents ->> b.currency::text)::bigint, b.cents + made.cents)
  from payout_runs r, lateral (
    select coalesce(sum(p.amount_cents), 0) as cents, count(*) as count from payouts p
    where p.workspace_id = r.workspace_id and p.run_id = r.id and p.currency = b.currency) made
  where r.id = ${runId})`
