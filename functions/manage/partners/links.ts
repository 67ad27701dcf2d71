import { actOf, freshWriter, reader } from '../../../lib/auth/access.ts'
import { idempotent } from '../../../lib/auth/idempotency/idempotent.ts'
import { changeById, readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { found, notFound } from '../../../lib/http/found-or-404.ts'
import { body } from '../../../lib/http/validate.ts'
import { slugError } from '../../../lib/partners/changes/partner-changes.service.ts'
import { addLink, linksOf, releaseLink } from '../../../lib/partners/links/links.queries.ts'
import { linkResponse } from '../../../lib/partners/lists/partner-response.ts'
import type { CountedLinkResponse } from '../../../lib/partners/lists/partners.responses.ts'
import { NewLink } from '../../../lib/partners/lists/partners.schemas.ts'
import { findUnstorable } from '../../../lib/values/json.ts'

const PARTNERS = '/api/workspaces/:workspace/partners'

/** The links of a partner: GET, POST and DELETE /partners/:id/links. */
export default createRoutes()
  .get(`${PARTNERS}/:id/links`, reader(), async (c) => {
    const links = await readById(c, 'partner', linksOf)
    return c.json<{ data: CountedLinkResponse[] }>({
      data: links.map((link) => ({
        ...linkResponse(link),
        clicks: link.clicks,
        sales: link.sales,
      })),
    })
  })
  .post(`${PARTNERS}/:id/links`, freshWriter(), body(NewLink), idempotent(), async (c) => {
    const { slug } = c.req.valid('json')
    const added = await changeById(c, 'partner', addLink, slug)
    if (!('link' in added)) throw slugError(added, slug)
    return c.json(linkResponse(added.link), added.outcome === 'added' ? 201 : 200)
  })
  .delete(`${PARTNERS}/:id/links/:slug`, freshWriter(), async (c) => {
    const { slug } = c.req.param()
    // Postgres cannot store such a text, so no link has it.
    const isText = findUnstorable(slug) === null
    const result = await found('partner', c.req.param('id'), async (id) =>
      isText ? releaseLink(c.var.db, actOf(c), id, slug) : 'not_found',
    )
    if (result === 'not_found') throw notFound('link')
    if (result === 'is_main')
      throw new ApiError(
        'conflict',
        'This is the partner’s main link. Give the partner another slug first: this one is kept as a further link.',
      )
    return c.body(null, 204)
  })
