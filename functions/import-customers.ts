import { auditEntry } from '../lib/audit/audit.queries.ts'
import { failuresByRole, requireRoleOf } from '../lib/auth/access.ts'
import { requireFreshSignIn } from '../lib/auth/fresh-sign-in.ts'
import { type AuthService, session } from '../lib/auth/session.ts'
import { createApp } from '../lib/http/app.ts'
import { notFound } from '../lib/http/found-or-404.ts'
import { noteForLog } from '../lib/http/logging.ts'
import { type NudgeEnv, nudgeAfterChanges } from '../lib/http/rpc/nudge.service.ts'
import { rpc } from '../lib/http/rpc/rpc.ts'
import { body } from '../lib/http/validate.ts'
import {
  type CustomerResult,
  decideCustomerImport,
  isCustomerRow,
  MAX_CUSTOMER_ROWS,
  summarizeCustomers,
} from '../lib/imports/customers/customer-import.ts'
import { loadCustomerImport } from '../lib/imports/customers/load-customers.queries.ts'
import { saveCustomerImport } from '../lib/imports/customers/save-customers.queries.ts'
import { importCall } from '../lib/imports/import-calls.queries.ts'
import type { CustomerImportResponse } from '../lib/imports/imports.responses.ts'
import { CustomerImport, IMPORT_MAX_BYTES, limitRows } from '../lib/imports/imports.schemas.ts'
import { readCustomerRow } from '../lib/imports/rows.schemas.ts'
import { importUndone } from '../lib/imports/undo.service.ts'
import { lostRace } from '../lib/platform/unavailable.ts'
import type { ReferralsService } from '../lib/tracking/reports/purchases.rpc.ts'

type Bindings = NudgeEnv<'WEBHOOKS'>['Bindings'] & {
  AUTH: AuthService
  STRIPE_WEBHOOK: ReferralsService
}

/**
 * Attempts. A concurrent copy of the call, or an undo of the import, conflicts at most once. Then
 * the stored response of the copy is returned.
 */
const ROUNDS = 3

/** POST /api/workspaces/:workspace/customers/import: assigns customers to partners. Spec, 4.4. */
export default createApp<Bindings>()
  .use(nudgeAfterChanges('WEBHOOKS'))
  .post(
    '/api/workspaces/:workspace/customers/import',
    session(),
    failuresByRole(),
    body(CustomerImport, { maxBytes: IMPORT_MAX_BYTES, precheck: limitRows(MAX_CUSTOMER_ROWS) }),
    async (c) => {
      const request = c.req.valid('json')
      const { programId = null, options, rows: input } = request
      const keepOwners = options?.keepOwners ?? false
      const { db, now, user } = c.var
      const rows = input.map((row) => readCustomerRow(row, programId, now))
      const good = rows.filter(isCustomerRow)
      const target = { address: c.req.param('workspace'), email: user.email, programId }
      const saves = !options?.dryRun && rows.length > 0
      if (saves) requireFreshSignIn(c.var.signedInAt, now)
      const call = saves ? await importCall('customers', request.importId, request) : null
      const answer = (results: CustomerResult[]): CustomerImportResponse => ({
        summary: summarizeCustomers(results),
        results,
      })
      const planAgain = async (workspaceId: string, customerIds: string[]): Promise<void> => {
        if (customerIds.length === 0) return
        await rpc('stripe-webhook', c.env.STRIPE_WEBHOOK.replanCustomers(workspaceId, customerIds))
      }

      for (let round = 0; round < ROUNDS; round++) {
        const loaded = await loadCustomerImport(db, target, good, call)
        noteForLog(c, { workspaceId: loaded.workspace?.id })
        const workspace = requireRoleOf(c, loaded.workspace)
        if (programId !== null && !loaded.facts.programIds.has(programId)) throw notFound('program')
        if (loaded.isUndone) throw importUndone()
        if (loaded.answer) {
          await planAgain(workspace.id, loaded.lateIds)
          return c.json(answer(loaded.answer.results), 200, { 'Idempotent-Replayed': 'true' })
        }

        const { mapped, results } = decideCustomerImport(rows, loaded.facts, keepOwners)
        const decided = answer(results)
        if (!call) return c.json(decided)

        const saved = await saveCustomerImport(db, {
          workspaceId: workspace.id,
          customers: mapped,
          results,
          keepOwners,
          call,
          audit: auditEntry(db, {
            id: call.id,
            workspaceId: workspace.id,
            actor: user.email,
            action: 'customers.imported',
            subjectId: programId,
            details: { rows: rows.length, ...decided.summary, ...(keepOwners && { keepOwners }) },
            now,
          }).compile(),
          now,
        })
        if (!saved) continue
        await planAgain(workspace.id, [...new Set([...loaded.lateIds, ...saved.lateIds])])
        return c.json(answer(saved.results))
      }
      throw lostRace('the customers of this import')
    },
  )
