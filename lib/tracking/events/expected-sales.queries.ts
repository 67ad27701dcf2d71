/** Sales that a payment processor is expected to report: see expected-sales.ts. */
import { type SqlBool, sql } from 'kysely'
import { EXPECTED_HOURS } from '../../rules/purchases/expected-sales.ts'
import { SALE_EXPECTED } from '../../rules/purchases/processors.ts'

/** A sale that was saved in the same batch. */
type SavedSale = {
  workspaceId: string
  saleId: string
  clickId: string | null
  /** What was paid with tax, if a processor has reported the sale. */
  grossCents: number | null
}

const hasStep = (event: string, code: string) =>
  sql`${sql.ref(`${event}.steps`)} @> ${sql.lit(JSON.stringify([{ code }]))}`

/** The predicate of events_expected_idx. */
const isExpected = (event: string) =>
  sql<SqlBool>`(${hasStep(event, SALE_EXPECTED)} and not ${hasStep(event, 'expected_sale_received')})`

/**
 * Whether an event, `e`, is a sale reported before a time, which the processor has not reported
 * yet.
 */
export const isExpectedBefore = (workspaceId: string, time: Date) =>
  sql<SqlBool>`(e.workspace_id = ${workspaceId} and ${isExpected('e')} and e.occurred_at < ${time}::timestamptz)`

/**
 * How many sales the processor should have reported before a time, as a query.
 * @param limit the count stops there
 */
export const countExpectedQuery = (workspaceId: string, time: Date, limit: number) => sql<number>`
  (select count(*)::int from (select from events e where ${isExpectedBefore(workspaceId, time)} limit ${limit}) expected)`

/**
 * Notes that an expected sale and a processor's are one purchase by their looks, when either is
 * saved: the same customer or click, currency, and gross or net amount. Each of a processor's sales
 * is that of one expected sale. It earns nothing and takes nothing away: it only shows managers
 * which sales are missing.
 *
 * A statement of the batch that saves the sale, after the sale. May be repeated. The function that
 * saves reports does the same.
 */
export const noteReceived = ({
  workspaceId,
  saleId,
  clickId,
  grossCents,
}: SavedSale) => sql<unknown>`
  select note_received(${workspaceId}, ${saleId}, ${clickId}, ${grossCents}, ${EXPECTED_HOURS})`
