import { apiKey } from '../lib/auth/api-keys.ts'
import type { ReportQueues } from '../lib/http/nudge.service.ts'
import { rpc } from '../lib/http/rpc.ts'
import { createTrackingApp } from '../lib/http/tracking-app.ts'
import { body } from '../lib/http/validate.ts'
import type { ReportsService } from '../lib/purchases/purchases.rpc.ts'
import { RefundEvent } from '../lib/tracking/refund.schemas.ts'
import { recordRefund } from '../lib/tracking/refund.service.ts'

type Bindings = ReportQueues['Bindings'] & { STRIPE_WEBHOOK: ReportsService }

/** POST /api/track/refund: records what was refunded of a sale, and reverses its part of the commission. */
export default createTrackingApp<Bindings>().post('/api/track/refund', apiKey(), body(RefundEvent), (c) =>
  recordRefund(c, c.req.valid('json'), (workspaceId, refund) =>
    rpc('stripe-webhook', c.env.STRIPE_WEBHOOK.joinReport(workspaceId, refund)),
  ),
)
