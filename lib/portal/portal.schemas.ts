/** What the addresses of the portal's pages may ask for. */
import * as z from 'zod'
import { PERIODS, type PeriodDays } from '../periods.ts'

/** How many rows a page of the portal shows: on a phone, each is a paragraph. */
export const PORTAL_ROWS = 25

/** The lists. */
export const PortalQuery = z.object({
  program: z.uuid().optional(),
  cursor: z.uuid().optional(),
})

/** The commissions: all of them, or what one payout is made of. */
export const CommissionQuery = PortalQuery.extend({ payout: z.uuid().optional() })

/** What names one event of a partner in an address. Postgres would refuse an id that is no UUID. */
export const PortalEventId = z.uuid()

/** How far the charts look back: what isn't offered is taken for the shortest. */
export const periodIn = (text: string | undefined): PeriodDays =>
  PERIODS.find((days) => String(days) === text) ?? PERIODS[0]
