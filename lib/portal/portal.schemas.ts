/** Query and path parameters of the portal's pages. */
import * as z from 'zod'

/** Rows per page. On a phone, each row is a paragraph. */
export const PORTAL_ROWS = 25

/** GET /portal/events and /portal/payouts. */
export const PortalQuery = z.object({
  program: z.uuid().optional(),
  cursor: z.uuid().optional(),
})

/** GET /portal/commissions, optionally of one payout. */
export const CommissionQuery = PortalQuery.extend({ payout: z.uuid().optional() })

/** Postgres rejects an id that is not a UUID. */
export const PortalEventId = z.uuid()
