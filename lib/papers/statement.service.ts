/** Reads and sends a statement, for the API, managers' pages and the portal. */
import type { Context } from 'hono'
import type { Db } from '../db/connection.ts'
import { monthOf, sumUp } from '../rules/statements/statements.ts'
import { statementCsv } from './csv.ts'
import { readStatement } from './statements.queries.ts'

/** A statement has as many lines as its reader shows; a CSV file this many, of about 100 bytes. */
const MAX_CSV_LINES = 100_000

type Request = {
  of: { workspaceId: string } | { email: string }
  /** A UUID. */
  partnerId: string
  /** A key, such as `2026-10`; this month if undefined. */
  month: string | undefined
  now: Date
}

/** @param lines at most; all by default @returns undefined if there is no such partner */
export const statementOf = async (db: Db, request: Request, lines = MAX_CSV_LINES) => {
  const { of, partnerId, now } = request
  const month = monthOf(request.month ?? now.toISOString().slice(0, 7))
  const read = month && (await readStatement(db, of, partnerId, month, lines))
  return read
    ? { month, partner: read.partner, balances: sumUp(read.sums), lines: read.lines }
    : undefined
}
export type StatementData = NonNullable<Awaited<ReturnType<typeof statementOf>>>

export const sendCsv = (c: Context, text: string, name: string): Response =>
  c.body(text, 200, {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="${name}.csv"`,
    'Cache-Control': 'private, no-store',
  })

export const sendStatement = (c: Context, { month, balances, lines }: StatementData): Response =>
  sendCsv(c, statementCsv(month, balances, lines), `statement-${month.key}`)
