/** What is due to partners, and what is not paid, as managers read it. */
import { sql } from 'kysely'
import { allSums, balances } from './claims.queries.ts'
import { presentMethod } from './methods.queries.ts'
import type { SkipCode } from './payouts.ts'

/** Balances of one currency that a run would pay, or skip for one reason. */
export type BalanceTotal = {
  currency: string
  /** null if a run would pay them. */
  code: SkipCode | null
  /** Negative for what partners owe. */
  amountCents: bigint
  partners: number
}

/**
 * The payable balances of a workspace by currency and by why a run would skip them, as a query. Partners' balances are not
 * netted against each other. Whether the money suffices is not known here.
 */
export const balanceTotalsQuery = (workspaceId: string, now: Date) => {
  const scope = {
    workspaceId,
    programId: null,
    method: presentMethod(workspaceId),
    cutoffAt: now,
    cover: null,
  }
  return sql<BalanceTotal>`
    select b.currency, b.code, sum(b.amount_cents)::bigint as "amountCents", count(distinct b.partner_id)::int as partners
    from (${balances(scope, allSums(scope))}) b
    group by b.currency, b.code order by b.currency, b.code`
}
