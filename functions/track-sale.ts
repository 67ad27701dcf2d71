import { apiKey } from '../lib/auth/api-keys.ts'
import { createApp } from '../lib/http/app.ts'
import { body } from '../lib/http/validate.ts'
import { recordReport } from '../lib/tracking/report.service.ts'
import { SaleEvent } from '../lib/tracking/reports.schemas.ts'

/** POST /api/track/sale: records a sale, and the commission that it earns. Spec, section 4.1. */
export default createApp().post('/api/track/sale', apiKey(), body(SaleEvent), (c) =>
  recordReport(c, c.req.valid('json')),
)
