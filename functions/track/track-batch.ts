import { apiKey } from '../../lib/auth/keys/api-keys.ts'
import type { ReportQueues } from '../../lib/http/rpc/nudge.service.ts'
import { createTrackingApp } from '../../lib/http/tracking-app.ts'
import { body } from '../../lib/http/validate.ts'
import {
  BATCH_MAX_BYTES,
  BatchRequest,
  limitEvents,
} from '../../lib/tracking/reports/batch.schemas.ts'
import { recordBatch } from '../../lib/tracking/reports/batch.service.ts'
import type { ReportsService } from '../../lib/tracking/reports/purchases.rpc.ts'
import { purchasesOf } from '../../lib/tracking/reports/purchases.service.ts'

type Bindings = ReportQueues['Bindings'] & { STRIPE_WEBHOOK: ReportsService }

const batch = body(BatchRequest, {
  maxBytes: BATCH_MAX_BYTES,
  precheck: limitEvents,
  checksRows: true,
})

/**
 * POST /api/track/batch: records up to 500 sales and leads in order. Each has a result of its own.
 */
export default createTrackingApp<Bindings>().post('/api/track/batch', apiKey(), batch, (c) =>
  recordBatch(c, c.req.valid('json').events, purchasesOf('stripe-webhook', c.env.STRIPE_WEBHOOK)),
)
