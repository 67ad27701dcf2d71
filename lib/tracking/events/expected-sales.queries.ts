/** Sales that a payment processor is expected to report: see expected-sales.ts. */
import { type SqlBool, sql } from 'kysely'
import { SALE_EXPECTED } from '../../rules/purchases/processors.ts'

const hasStep = (event: string, code: string) =>
  sql`${sql.ref(`${event}.steps`)} @> ${sql.lit(JSON.stringify([{ code }]))}`

/** The predicate of events_expected_idx. */
const isExpected = (event: string) =>
  sql<SqlBool>`(${hasStep(event, SALE_EXPECTED)} and not ${hasStep(event, 'expected_sale_received')})`

/** Whether an event, `e`, is a sale before a time that the processor has not reported yet. */
export const isExpectedBefore = (workspaceId: string, time: Date) =>
  sql<SqlBool>`(e.workspace_id = ${workspaceId} and ${isExpected('e')} and e.occurred_at < ${time}::timestamptz)`

/**
 * How many sales the processor should have reported before a time, as a query.
 * @param limit the count stops there
 */
export const countExpectedQuery = (workspaceId: string, time: Date, limit: number) => sql<number>`
  (select count(*)::int from (select from events e where ${isExpectedBefore(workspaceId, time)} limit ${limit}) expected)`
