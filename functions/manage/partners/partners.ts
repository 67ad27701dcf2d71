import { freshWriter, reader } from '../../../lib/auth/access.ts'
import { idempotent } from '../../../lib/auth/idempotency/idempotent.ts'
import { changeById, readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
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

const PARTNERS = '/api/workspaces/:workspace/partners'

/** GET and POST /partners, GET and PATCH /partners/:id, and its balances. Design, section 12. */
export default createRoutes()
  .get(PARTNERS, reader(), query(PartnerQuery), async (c) => {
    const { db, workspace } = c.var
    const { limit, slug, ...filter } = c.req.valid('query')
    const partners = await listPartners(db, workspace.id, {
      ...filter,
      slugKey: slug,
      limit: limit + 1,
    })
    return c.json(page(partners, limit, partnerResponse))
  })
  .post(PARTNERS, freshWriter(), body(NewPartner), idempotent(), async (c) => {
    const wanted = c.req.valid('json')
    const created = await addPartner(c, wanted)
    if (!('partner' in created)) throw creationError(created, wanted)
    return c.json(partnerResponse(created.partner), created.outcome === 'created' ? 201 : 200)
  })
  .get(`${PARTNERS}/:id`, reader(), async (c) => {
    const partner = await readById(c, 'partner', findPartner)
    return c.json(partnerResponse(partner))
  })
  .get(`${PARTNERS}/:id/balances`, reader(), async (c) => {
    const { db, now, workspace } = c.var
    const partner = await readById(c, 'partner', findPartner)
    const { rows } = await earnedQuery(workspace.id, now, partner.id).execute(db)
    return c.json({ data: rows.map(earnedResponse) })
  })
  .patch(`${PARTNERS}/:id`, freshWriter(), body(PartnerChange), async (c) => {
    const { email, ...changes } = c.req.valid('json')
    const address = email === undefined ? undefined : newAddress(c, email)
    const update = await changeById(c, 'partner', changePartner, changes, address)
    if (update.outcome !== 'done') throw partnerError(update, changes.slug)
    return c.json(partnerResponse(update.partner))
  })
