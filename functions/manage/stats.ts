import { reader } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { ApiError } from '../../lib/http/errors.ts'
import { query } from '../../lib/http/validate.ts'
import { readLandingStats } from '../../lib/totals/landing-stats.queries.ts'
import { readStats, type StatsRow } from '../../lib/totals/stats.queries.ts'
import type { StatsResponse } from '../../lib/totals/stats.responses.ts'
import { StatsQuery } from '../../lib/totals/stats.schemas.ts'
import { isLandingBy, type StatsBy } from '../../lib/totals/stats.ts'
import { lengthOf, MAX_RANGE_DAYS, rangeOf } from '../../lib/values/days.ts'

const sum = (rows: StatsRow[], column: 'clicks' | 'leads' | 'customers' | 'sales'): number =>
  Number(rows.reduce((total, row) => total + row[column], 0n))

/** Merges the rows of one key. */
const statsOf = (
  by: StatsBy,
  key: string | null,
  rows: StatsRow[],
): StatsResponse['data'][number] => ({
  day: by === 'day' ? key : null,
  partnerId: by === 'partner' ? key : null,
  programId: by === 'program' ? key : null,
  landingPage: by === 'landingPage' ? key : null,
  referrer: by === 'referrer' ? key : null,
  sub: by === 'sub' ? key : null,
  clicks: sum(rows, 'clicks'),
  leads: sum(rows, 'leads'),
  customers: isLandingBy(by) ? null : sum(rows, 'customers'),
  sales: sum(rows, 'sales'),
  amounts: rows.flatMap(({ currency, revenueCents, earnedCents }) =>
    currency === null
      ? []
      : { currency, revenueCents: Number(revenueCents), commissionCents: Number(earnedCents) },
  ),
})

/** GET /stats: figures of a period by day, partner, program, landing page, referrer or sub. */
export default createRoutes().get(
  '/api/workspaces/:workspace/stats',
  reader(),
  query(StatsQuery),
  async (c) => {
    const { db, now, workspace } = c.var
    const { from, to, by, cursor, limit, ...filter } = c.req.valid('query')
    const range = rangeOf({ ...(from && { from }), ...(to && { to }) }, now)
    const length = lengthOf(range)
    if (length < 1 || length > MAX_RANGE_DAYS) {
      const message = `The period from ${range.from} to ${range.to} must have 1 to ${MAX_RANGE_DAYS} days.`
      throw new ApiError('invalid_query', message)
    }
    const page = { cursor: by === 'partner' ? cursor : undefined, limit: limit + 1 }
    const rows = isLandingBy(by)
      ? await readLandingStats(db, workspace.id, { ...filter, ...range, by }, limit)
      : await readStats(db, workspace.id, { ...filter, ...range, by }, page)
    const keys = [...new Set(rows.map(({ key }) => key))]
    const shown = by === 'partner' ? keys.slice(0, limit) : keys
    const data = shown.map((key) => {
      const own = rows.filter((row) => row.key === key)
      return statsOf(by, key, own)
    })
    const nextCursor = keys.length > shown.length ? (shown.at(-1) ?? null) : null
    return c.json<StatsResponse>({ ...range, data, nextCursor })
  },
)
