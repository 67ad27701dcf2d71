import * as z from 'zod'
import { ErrorResponse, timestamp } from '../../http/common.responses.ts'

/** POST /api/track/lead and /api/track/sale. These two fields and no others: spec, section 2. */
export const TrackingResponse = z
  .strictObject({
    eventId: z.uuid().nullable().meta({ description: 'null if the event is not attributed.' }),
    attributed: z.boolean(),
  })
  .meta({ id: 'TrackingResponse' })
export type TrackingResponse = z.infer<typeof TrackingResponse>

/** POST /api/track/batch: an answer to each report, in the same order. */
export const BatchResponse = z
  .strictObject({
    results: z.array(
      z.union([
        TrackingResponse,
        ErrorResponse.meta({
          description:
            'This report was not recorded, or that is not known: send it again if the code is `try_again`.',
        }),
      ]),
    ),
  })
  .meta({ id: 'BatchResponse' })
export type BatchResponse = z.infer<typeof BatchResponse>

/** POST /api/track/click. */
export const ClickResponse = z
  .strictObject({
    clickId: z.string().meta({
      description:
        'What the visitor keeps. For visitors with clicks of several programs, their ids joined by `_`.',
    }),
    expiresAt: timestamp.meta({ description: 'When the program’s click expires.' }),
    maxAge: z.int().meta({ description: 'Seconds for which the visitor keeps it.' }),
  })
  .meta({ id: 'Click' })
export type ClickResponse = z.infer<typeof ClickResponse>
