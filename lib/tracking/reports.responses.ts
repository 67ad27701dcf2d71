import * as z from 'zod'
import { timestamp } from '../http/common.responses.ts'

/** POST /api/track/lead and /api/track/sale. */
export const TrackingResponse = z
  .strictObject({
    eventId: z.uuid().nullable().meta({ description: 'null if the event is not attributed.' }),
    attributed: z.boolean(),
  })
  .meta({ id: 'TrackingResponse' })
export type TrackingResponse = z.infer<typeof TrackingResponse>

/** POST /api/track/click. */
export const ClickResponse = z
  .strictObject({ clickId: z.string(), expiresAt: timestamp })
  .meta({ id: 'Click' })
export type ClickResponse = z.infer<typeof ClickResponse>
