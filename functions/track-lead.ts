import { apiKey } from '../lib/auth/api-keys.ts'
import { createApp } from '../lib/http/app.ts'
import { body } from '../lib/http/validate.ts'
import { recordReport } from '../lib/tracking/report.service.ts'
import { LeadEvent } from '../lib/tracking/reports.schemas.ts'

/** POST /api/track/lead: records a lead, its customer, and the commission if the group has a lead reward. Spec, section 4.2. */
export default createApp().post('/api/track/lead', apiKey(), body(LeadEvent), (c) =>
  recordReport(c, c.req.valid('json')),
)
