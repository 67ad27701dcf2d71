import { actOf, member } from '../../../lib/auth/access.ts'
import { expensive } from '../../../lib/auth/expensive/expensive.ts'
import { requireFreshSignIn } from '../../../lib/auth/fresh-sign-in.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { found } from '../../../lib/http/found.ts'
import { body } from '../../../lib/http/validate.ts'
import type { ImportUndoResponse } from '../../../lib/imports/imports.responses.ts'
import { ImportUndoRequest } from '../../../lib/imports/imports.schemas.ts'
import { undoImport } from '../../../lib/imports/undo.service.ts'
import { KEPT_KINDS, UNDO_REASONS } from '../../../lib/imports/undo.ts'

/**
 * POST /imports/:id/undo: takes back what an import has made. Imports themselves are Workers of
 * their own.
 */
export default createRoutes().post(
  '/api/workspaces/:workspace/imports/:id/undo',
  member(),
  expensive(),
  body(ImportUndoRequest),
  async (c) => {
    const { dryRun = false, includeChanged = false, cursor } = c.req.valid('json')
    if (!dryRun) requireFreshSignIn(c.var.signedInAt, c.var.now)
    const importId = c.req.param('id').toLowerCase()
    const step = await found('import', importId, (id) =>
      undoImport(c.var.db, actOf(c), {
        importId: id,
        cursor: cursor ?? undefined,
        dryRun: dryRun ?? false,
        withChanged: includeChanged ?? false,
      }),
    )
    const { balances, amountCents, ...undone } = step.undone
    const response: ImportUndoResponse = {
      importId,
      undone: {
        ...undone,
        openingBalances: {
          count: balances,
          sums: balances > 0 ? [{ currency: 'USD', amountCents }] : [],
        },
      },
      kept: step.kept.map(({ kind, reason, count }) => ({
        kind: KEPT_KINDS[kind],
        code: reason,
        count,
      })),
      rows: step.rows.map(({ kind, id, reason, partner, customer }) => ({
        kind: KEPT_KINDS[kind],
        id,
        partnerEmail: partner,
        customerExternalId: customer,
        code: reason,
        message: `${UNDO_REASONS[reason]}.`,
      })),
      nextCursor: step.nextCursor,
    }
    return c.json(response)
  },
)
