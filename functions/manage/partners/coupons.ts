import { actOf, freshWriter, reader } from '../../../lib/auth/access.ts'
import { idempotent } from '../../../lib/auth/idempotency/idempotent.ts'
import { changeById, readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { ApiError } from '../../../lib/http/errors.ts'
import { found, notFound } from '../../../lib/http/found-or-404.ts'
import { Page, page } from '../../../lib/http/lists.ts'
import { body, query } from '../../../lib/http/validate.ts'
import {
  addCoupon,
  type CouponRow,
  listCoupons,
  removeCoupon,
} from '../../../lib/partners/links/coupons.queries.ts'
import type { CouponResponse } from '../../../lib/partners/links/coupons.responses.ts'
import { NewCoupon } from '../../../lib/partners/links/coupons.schemas.ts'
import { findPartner } from '../../../lib/partners/lists/partners.queries.ts'
import { findUnstorable } from '../../../lib/values/json.ts'

const couponResponse = ({ couponId, couponLabel }: CouponRow): CouponResponse => ({
  couponId,
  couponLabel,
})

const PARTNERS = '/api/workspaces/:workspace/partners'

/** The coupon aliases of a partner. Spec, section 4.5; design, section 12. */
export default createRoutes()
  .get(`${PARTNERS}/:id/coupons`, reader(), query(Page), async (c) => {
    const { db, workspace } = c.var
    const { cursor, limit } = c.req.valid('query')
    const { id } = await readById(c, 'partner', findPartner)
    const coupons = await listCoupons(db, workspace.id, id, { cursor, limit: limit + 1 })
    return c.json(page(coupons, limit, couponResponse))
  })
  .post(`${PARTNERS}/:id/coupons`, freshWriter(), body(NewCoupon), idempotent(), async (c) => {
    const coupon = c.req.valid('json')
    const added = await changeById(c, 'partner', addCoupon, coupon)
    if (added.outcome === 'taken') {
      throw new ApiError(
        'coupon_taken',
        `The coupon "${coupon.couponId}" belongs to ${added.holder ? `the partner "${added.holder.slug}"` : 'another partner'}. Remove it there first.`,
      )
    }
    return c.json(couponResponse(added.coupon), added.outcome === 'added' ? 201 : 200)
  })
  .delete(`${PARTNERS}/:id/coupons/:couponId`, freshWriter(), async (c) => {
    const { couponId } = c.req.param()
    // Postgres cannot store such an ID, so no coupon has it.
    const isText = findUnstorable(couponId) === null
    const result = await found('partner', c.req.param('id'), async (id) =>
      isText ? removeCoupon(c.var.db, actOf(c), id, couponId) : 'not_held',
    )
    if (result === 'not_held') throw notFound('coupon')
    return c.body(null, 204)
  })
