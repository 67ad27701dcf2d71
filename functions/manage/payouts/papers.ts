import * as z from 'zod'
import { recordExport } from '../../../lib/audit/audit.queries.ts'
import { actOf, member, reader } from '../../../lib/auth/access.ts'
import { expensive } from '../../../lib/auth/expensive/expensive.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import { query } from '../../../lib/http/validate.ts'
import { yearCsv } from '../../../lib/papers/csv.ts'
import { StatementQuery, YearQuery } from '../../../lib/papers/papers.schemas.ts'
import { listPaidInYear } from '../../../lib/papers/payout-years.queries.ts'
import { sendCsv, sendStatement, statementOf } from '../../../lib/papers/statement.service.ts'
import type {
  PayoutYearResponse,
  StatementResponse,
} from '../../../lib/papers/statements.responses.ts'
import { pageOfPartners } from '../../../lib/payouts/balances/balances.ts'

const Year = z.coerce.number().int().min(2000).max(2999)

const PARTNERS = '/api/workspaces/:workspace/partners'

const PAYOUT_YEARS = '/api/workspaces/:workspace/payout-years'

/** Partners' statements, and the payments of a year by partner. */
export default createRoutes()
  .get(`${PARTNERS}/:id/statement`, reader(), expensive(), query(StatementQuery), async (c) => {
    const { db, now, workspace } = c.var
    const { month, format } = c.req.valid('query')
    const statement = await found('partner', c.req.param('id'), (partnerId) =>
      statementOf(
        db,
        { of: { workspaceId: workspace.id }, partnerId, month, now },
        format === 'csv' ? undefined : 0,
      ),
    )
    if (format === 'csv') {
      const details = { month: statement.month.key }
      await recordExport(db, actOf(c), {
        action: 'statement.exported',
        subjectId: statement.partner.id,
        details,
      })
      return sendStatement(c, statement)
    }
    return c.json({
      partnerId: statement.partner.id,
      month: statement.month.key,
      balances: statement.balances.map(({ currency, openingCents, sums, closingCents }) => ({
        currency,
        openingCents: Number(openingCents),
        sums: sums.map(({ kind, cents }) => ({ kind, amountCents: Number(cents) })),
        closingCents: Number(closingCents),
      })),
    } satisfies StatementResponse)
  })
  .get(`${PAYOUT_YEARS}/:year`, member(), expensive(), query(YearQuery), async (c) => {
    const { db, workspace } = c.var
    const { data: year } = Year.safeParse(c.req.param('year'))
    if (year === undefined)
      throw new ApiError('not_found', 'There is no such year. Use four digits, such as 2026.')
    const { format, cursor, limit } = c.req.valid('query')
    if (format === 'csv') {
      await recordExport(db, actOf(c), {
        action: 'payout_year.exported',
        subjectId: null,
        details: { year },
      })
      return sendCsv(
        c,
        yearCsv(year, await listPaidInYear(db, workspace.id, year)),
        `payouts-${year}`,
      )
    }
    const paid = await listPaidInYear(db, workspace.id, year, { cursor, limit: limit + 1 })
    const { data, nextCursor } = pageOfPartners(paid, limit)
    return c.json({
      year,
      data: data.map(({ partnerId: _, ...row }) => ({
        ...row,
        stripeCents: Number(row.stripeCents),
        manualCents: Number(row.manualCents),
        returnedCents: Number(row.returnedCents),
        netCents: Number(row.netCents),
      })),
      nextCursor,
    } satisfies PayoutYearResponse)
  })
