import { actOf, reader, writer } from '../../lib/auth/access.ts'
import { idempotent } from '../../lib/auth/idempotent.ts'
import { isEmail } from '../../lib/emails.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { ApiError } from '../../lib/http/errors.ts'
import { found, notFound } from '../../lib/http/found.ts'
import { page } from '../../lib/http/lists.ts'
import { body, query } from '../../lib/http/validate.ts'
import { earnedQuery } from '../../lib/totals/balances.queries.ts'
import { earnedResponse } from '../../lib/totals/earned-response.ts'
import { changePartner } from '../../lib/workspace/change-partner.queries.ts'
import { createPartner } from '../../lib/workspace/new-partner.queries.ts'
import { newAddress, partnerError, slugError } from '../../lib/workspace/partner-changes.service.ts'
import { partnerResponse } from '../../lib/workspace/partner-response.ts'
import { findPartner, listPartners } from '../../lib/workspace/partners.queries.ts'
import { NewPartner, PartnerChange, PartnerQuery } from '../../lib/workspace/partners.schemas.ts'

/** GET and POST /partners, GET and PATCH /partners/:id, and its balances. Design, section 12. */
export default createRoutes()
  .get('/api/workspaces/:workspace/partners', reader(), query(PartnerQuery), async (c) => {
    const { db, workspace } = c.var
    const { limit, slug, ...filter } = c.req.valid('query')
    const partners = await listPartners(db, workspace.id, { ...filter, slugKey: slug, limit: limit + 1 })
    return c.json(page(partners, limit, partnerResponse))
  })
  .post('/api/workspaces/:workspace/partners', writer(), body(NewPartner), idempotent(), async (c) => {
    const { db, workspace, actor } = c.var
    const { couponId, sendWelcomeEmail, onSlugTaken, name, slug, groupId, ...target } = c.req.valid('json')
    const sentBy = isEmail(actor) ? actor : null
    const portalUrl = new URL('/portal', c.req.url).href
    const created = await createPartner(db, actOf(c), {
      ...target,
      name: name ?? null,
      slug: slug ?? null,
      groupId: groupId ?? null,
      coupon: couponId ? { id: couponId, label: null } : null,
      suffixTaken: onSlugTaken === 'suffix',
      welcome: sendWelcomeEmail ? { workspaceName: workspace.name, sentBy, portalUrl } : null,
    })
    if ('partner' in created) {
      return c.json(partnerResponse(created.partner), created.outcome === 'created' ? 201 : 200)
    }
    if (created.outcome === 'slug_taken') throw slugError(created, slug ?? '')
    if (created.outcome === 'coupon_taken') {
      throw new ApiError(
        'coupon_taken',
        `Another partner has the coupon "${couponId}". Remove it there first.`,
      )
    }
    throw notFound(created.outcome === 'group_not_found' ? 'group' : 'program')
  })
  .get('/api/workspaces/:workspace/partners/:id', reader(), async (c) => {
    const { db, workspace } = c.var
    const partner = await found('partner', c.req.param('id'), (id) => findPartner(db, workspace.id, id))
    return c.json(partnerResponse(partner))
  })
  .get('/api/workspaces/:workspace/partners/:id/balances', reader(), async (c) => {
    const { db, now, workspace } = c.var
    const partner = await found('partner', c.req.param('id'), (id) => findPartner(db, workspace.id, id))
    const { rows } = await earnedQuery(workspace.id, now, partner.id).execute(db)
    return c.json({ data: rows.map(earnedResponse) })
  })
  .patch('/api/workspaces/:workspace/partners/:id', writer(), body(PartnerChange), async (c) => {
    const { email, ...changes } = c.req.valid('json')
    const address = email === undefined ? undefined : newAddress(c, email)
    const update = await found('partner', c.req.param('id'), (id) =>
      changePartner(c.var.db, actOf(c), id, changes, address),
    )
    if (update.outcome !== 'done') throw partnerError(update, changes.slug)
    return c.json(partnerResponse(update.partner))
  })
