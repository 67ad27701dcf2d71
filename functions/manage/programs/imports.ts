import { actOf, member } from '../../../lib/auth/access.ts'
import { expensive } from '../../../lib/auth/expensive/expensive.ts'
import { requireFreshSignIn } from '../../../lib/auth/fresh-sign-in.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import { body } from '../../../lib/http/validate.ts'
import type { ImportUndoResponse } from '../../../lib/imports/imports.responses.ts'
import { ImportUndoRequest } from '../../../lib/imports/imports.schemas.ts'
import { previewUndo, undoImport } from '../../../lib/imports/undo.queries.ts'
import { importInUse } from '../../../lib/imports/undo.service.ts'

/**
 * POST /imports/:id/undo: deletes everything that an import created, or nothing. Imports are
 * Workers of their own.
 */
export default createRoutes().post(
  '/api/workspaces/:workspace/imports/:id/undo',
  member(),
  expensive(),
  body(ImportUndoRequest),
  async (c) => {
    const { dryRun } = c.req.valid('json')
    if (!dryRun) requireFreshSignIn(c.var.signedInAt, c.var.now)
    const importId = c.req.param('id').toLowerCase()
    const undo = await found('import', importId, (id) =>
      dryRun ? previewUndo(c.var.db, c.var.workspace.id, id) : undoImport(c.env, actOf(c), id),
    )
    if ('dependents' in undo) throw importInUse(undo.dependents)
    const { balances, amountCents, ...undone } = undo.undone
    const response: ImportUndoResponse = {
      importId,
      undone: {
        ...undone,
        openingBalances: {
          count: balances,
          sums: balances > 0 ? [{ currency: 'USD', amountCents }] : [],
        },
      },
    }
    return c.json(response)
  },
)
