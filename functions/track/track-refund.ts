import { apiKey } from '../../lib/auth/keys/api-keys.ts'
import type { ReportQueues } from '../../lib/http/rpc/nudge.service.ts'
import { createTrackingApp } from '../../lib/http/tracking-app.ts'
import { body } from '../../lib/http/validate.ts'
import { RefundEvent } from '../../lib/tracking/refunds/refund.schemas.ts'
import { recordRefund } from '../../lib/tracking/refunds/refund.service.ts'
import type { ReportsService } from '../../lib/tracking/reports/purchases.rpc.ts'
import { purchasesOf } from '../../lib/tracking/reports/purchases.service.ts'

type Bindings = ReportQueues['Bindings'] & { STRIPE_WEBHOOK: ReportsService }

/** POST /api/track/refund: records a refund of a sale, and reverses its share of the commission. */
export default createTrackingApp<Bindings>().post(
  '/api/track/refund',
  apiKey(),
  body(RefundEvent),
  (c) => recordRefund(c, c.req.valid('json'), purchasesOf('stripe-webhook', c.env.STRIPE_WEBHOOK)),
)
