/** Holds of commissions: see lib/rules/steps/holds.ts. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** Whether the hold `h` is of the commission `c`, or of the commission that it reverses. */
export const isHoldOfCommission = sql<SqlBool>`
  h.workspace_id = c.workspace_id and h.commission_id = coalesce(c.reverses_id, c.id)`

/** Whether the joined hold `h` exists and is not resolved. */
export const isOpenHold = sql<boolean>`(h.commission_id is not null and h.resolved_at is null)`

/** Whether the commission `c` is held, without a join. */
export const isHeld = sql<SqlBool>`exists (
  select from commission_holds h where ${isHoldOfCommission} and h.resolved_at is null)`

/** Limits commissions, `c`, to the held and their reversals. A join would read all reversals. */
export const isHeldOrReverses = (workspaceId: string): RawBuilder<SqlBool> => sql`c.id in (
  select o.commission_id from commission_holds o where o.workspace_id = ${workspaceId} and o.resolved_at is null
  union all
  select r.id from commission_holds o
  cross join lateral (select id from commissions where reverses_id = o.commission_id offset 0) r
  where o.workspace_id = ${workspaceId} and o.resolved_at is null)`
