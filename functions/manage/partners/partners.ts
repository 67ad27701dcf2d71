import { actOf, freshWriter, reader } from '../../../lib/auth/access.ts'
import { idempotent } from '../../../lib/auth/idempotency/idempotent.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import { page } from '../../../lib/http/lists.ts'
import { body, query } from '../../../lib/http/validate.ts'
import { changePartner } from '../../../lib/partners/changes/change-partner.queries.ts'
import { addPartner, creationError } from '../../../lib/partners/changes/new-partner.service.ts'
import { newAddress, partnerError } from '../../../lib/partners/changes/partner-changes.service.ts'
import { partnerResponse } from '../../../lib/partners/lists/partner-response.ts'
import { findPartner, listPartners } from '../../../lib/partners/lists/partners.queries.ts'
import {
  NewPartner,
  PartnerChange,
  PartnerQuery,
} from '../../../lib/partners/lists/partners.schemas.ts'
import { earnedQuery } from '../../../lib/totals/balances.queries.ts'
import { earnedResponse } from '../../../lib/tracking/ledger/earned-response.ts'

/** GET and POST /partners, GET and PATCH /partners/:id, and its balances. Design, section 12. */
export default createRoutes()
  .get('/api/workspaces/:workspace/partners', reader(), query(PartnerQuery), async (c) => {
    const { db, workspace } = c.var
    const { limit, slug, ...filter } = c.req.valid('query')
    const partners = await listPartners(db, workspace.id, {
      ...filter,
      slugKey: slug,
      limit: limit + 1,
    })
    return c.json(page(partners, limit, partnerResponse))
  })
  .post(
    '/api/workspaces/:workspace/partners',
    freshWriter(),
    body(NewPartner),
    idempotent(),
    async (c) => {
      const wanted = c.req.valid('json')
      const created = await addPartner(c, wanted)
      if (!('partner' in created)) throw creationError(created, wanted)
      return c.json(partnerResponse(created.partner), created.outcome === 'created' ? 201 : 200)
    },
  )
  .get('/api/workspaces/:workspace/partners/:id', reader(), async (c) => {
    const { db, workspace } = c.var
    const partner = await found('partner', c.req.param('id'), (id) =>
      findPartner(db, workspace.id, id),
    )
    return c.json(partnerResponse(partner))
  })
  .get('/api/workspaces/:workspace/partners/:id/balances', reader(), async (c) => {
    const { db, now, workspace } = c.var
    const partner = await found('partner', c.req.param('id'), (id) =>
      findPartner(db, workspace.id, id),
    )
    const { rows } = await earnedQuery(workspace.id, now, partner.id).execute(db)
    return c.json({ data: rows.map(earnedResponse) })
  })
  .patch(
    '/api/workspaces/:workspace/partners/:id',
    freshWriter(),
    body(PartnerChange),
    async (c) => {
      const { email, ...changes } = c.req.valid('json')
      const address = email === undefined ? undefined : newAddress(c, email)
      const update = await found('partner', c.req.param('id'), (id) =>
        changePartner(c.var.db, actOf(c), id, changes, address),
      )
      if (update.outcome !== 'done') throw partnerError(update, changes.slug)
      return c.json(partnerResponse(update.partner))
    },
  )
