import { requireManager } from '../lib/auth/access.ts'
import { type AuthService, session } from '../lib/auth/session.ts'
import { createApp } from '../lib/http/app.ts'
import { notFound } from '../lib/http/found.ts'
import { noteForLog } from '../lib/http/logging.ts'
import { type NudgeEnv, nudgeAfterChanges } from '../lib/http/nudge.service.ts'
import { rpc } from '../lib/http/rpc.ts'
import { body } from '../lib/http/validate.ts'
import { loadCustomerImport, saveCustomerImport } from '../lib/imports/customer-import.queries.ts'
import {
  correctResults,
  decideCustomerImport,
  isCustomerRow,
  MAX_CUSTOMER_ROWS,
  summarizeCustomers,
} from '../lib/imports/customer-import.ts'
import type { CustomerImportResponse } from '../lib/imports/imports.responses.ts'
import { CustomerImport, IMPORT_MAX_BYTES, limitRows } from '../lib/imports/imports.schemas.ts'
import { readCustomerRow } from '../lib/imports/rows.schemas.ts'
import type { ReferralsService } from '../lib/purchases/purchases.rpc.ts'
import { auditEntry } from '../lib/workspace/audit.queries.ts'

type Bindings = NudgeEnv<'WEBHOOKS'>['Bindings'] & { AUTH: AuthService; STRIPE_WEBHOOK: ReferralsService }

/** POST /api/workspaces/:workspace/customers/import: assigns customers to partners. Spec, section 4.4. */
export default createApp<Bindings>()
  .use(nudgeAfterChanges('WEBHOOKS'))
  .post(
    '/api/workspaces/:workspace/customers/import',
    session(),
    body(CustomerImport, { maxBytes: IMPORT_MAX_BYTES, precheck: limitRows(MAX_CUSTOMER_ROWS) }),
    async (c) => {
      const { programId = null, options, rows: input } = c.req.valid('json')
      const { db, now, user } = c.var
      const rows = input.map((row) => readCustomerRow(row, programId, now))
      const good = rows.filter(isCustomerRow)
      const target = { address: c.req.param('workspace'), email: user.email, programId }

      const loaded = await loadCustomerImport(db, target, good)
      noteForLog(c, { workspaceId: loaded.workspace?.id })
      const workspace = requireManager(loaded.workspace)
      if (programId !== null && !loaded.facts.programIds.has(programId)) throw notFound('program')

      const { mapped, results } = decideCustomerImport(rows, loaded.facts)
      const summary = summarizeCustomers(results)
      if (options?.dryRun || rows.length === 0) return c.json<CustomerImportResponse>({ summary, results })

      const { saved, lateIds } = await saveCustomerImport(db, {
        workspaceId: workspace.id,
        customers: mapped,
        audit: auditEntry(db, {
          workspaceId: workspace.id,
          actor: user.email,
          action: 'customers.imported',
          subjectId: programId,
          details: { rows: rows.length, ...summary },
          now,
        }).compile(),
        now,
      })
      const late = [...new Set([...loaded.lateIds, ...lateIds])]
      if (late.length > 0) {
        await rpc('stripe-webhook', c.env.STRIPE_WEBHOOK.replanCustomers(workspace.id, late))
      }
      const corrected = correctResults(results, saved)
      return c.json<CustomerImportResponse>({ summary: summarizeCustomers(corrected), results: corrected })
    },
  )
