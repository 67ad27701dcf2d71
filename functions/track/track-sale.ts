import { apiKey } from '../../lib/auth/keys/api-keys.ts'
import type { ReportQueues } from '../../lib/http/rpc/nudge.service.ts'
import { createTrackingApp } from '../../lib/http/tracking-app.ts'
import { body } from '../../lib/http/validate.ts'
import type { ReportsService } from '../../lib/tracking/reports/purchases.rpc.ts'
import { purchasesOf } from '../../lib/tracking/reports/purchases.service.ts'
import { recordReport } from '../../lib/tracking/reports/report.service.ts'
import { SALE_MAX_BYTES, SaleEvent } from '../../lib/tracking/reports/reports.schemas.ts'

type Bindings = ReportQueues['Bindings'] & { STRIPE_WEBHOOK: ReportsService }

/** POST /api/track/sale: records a sale and its commission. Spec, section 4.1. */
export default createTrackingApp<Bindings>().post(
  '/api/track/sale',
  apiKey(),
  body(SaleEvent, { maxBytes: SALE_MAX_BYTES }),
  (c) => recordReport(c, c.req.valid('json'), purchasesOf('stripe-webhook', c.env.STRIPE_WEBHOOK)),
)
