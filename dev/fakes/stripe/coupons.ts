/** Coupons, promotion codes and discounts. */
import { Hono } from 'hono'
import type Stripe from 'stripe'
import * as z from 'zod'
import { later } from './dates.ts'
import { invalidParam, invalidRequest } from './errors.ts'
import { currency, decimal, flag, integer, metadata, readParams, text } from './params.ts'
import { answer, readable } from './routes.ts'
import { idOf, newId, type Store } from './store.ts'

type CouponParams = { id?: string | undefined; name?: string | undefined } & (
  | { percentOff: number }
  | { amountOff: number; currency: string }
) & { duration?: Stripe.Coupon.Duration; months?: number | undefined }

/** Creates a coupon. @throws when the id is taken */
export const addCoupon = (store: Store, params: CouponParams): Stripe.Coupon => {
  const { id = newId('').slice(1, 9), name = null, duration = 'once', months = null } = params
  if (store.coupons.find(id))
    throw invalidParam('id', 'Coupon already exists.', 'resource_already_exists')
  return store.coupons.add({
    id,
    object: 'coupon',
    amount_off: 'amountOff' in params ? params.amountOff : null,
    created: store.seconds(),
    currency: 'amountOff' in params ? params.currency : null,
    duration,
    duration_in_months: months,
    livemode: false,
    max_redemptions: null,
    metadata: {},
    name,
    percent_off: 'percentOff' in params ? params.percentOff : null,
    redeem_by: null,
    times_redeemed: 0,
    valid: true,
  })
}

/** Creates a promotion code. @throws when an active one has the same code, ignoring case */
export const addPromotionCode = (
  store: Store,
  code: string,
  couponId: string,
): Stripe.PromotionCode => {
  const coupon = store.coupons.named(couponId, 'promotion[coupon]')
  if (findPromotionCode(store, code)) {
    throw invalidParam('code', `An active promotion code with code ${code} already exists.`)
  }
  return store.promotionCodes.add({
    id: newId('promo'),
    object: 'promotion_code',
    active: true,
    code,
    created: store.seconds(),
    customer: null,
    customer_account: null,
    expires_at: null,
    livemode: false,
    max_redemptions: null,
    metadata: {},
    promotion: { coupon: coupon.id, type: 'coupon' },
    restrictions: {
      first_time_transaction: false,
      minimum_amount: null,
      minimum_amount_currency: null,
    },
    times_redeemed: 0,
  })
}

/** The active promotion code, ignoring case. */
export const findPromotionCode = (store: Store, code: string): Stripe.PromotionCode | undefined =>
  store.promotionCodes
    .list()
    .find((one) => one.active && one.code.toLowerCase() === code.trim().toLowerCase())

/** A coupon's discount on an amount. */
export const discountCents = (
  { percent_off, amount_off, currency }: Stripe.Coupon,
  amount: number,
  paidIn: string,
): number => {
  if (percent_off !== null) return Math.round((amount * percent_off) / 100)
  return amount_off !== null && currency === paidIn ? Math.min(amount_off, amount) : 0
}

/** When a discount that starts now ends; null for never. */
const endOf = ({ duration, duration_in_months }: Stripe.Coupon, start: number): number | null =>
  duration === 'repeating' && duration_in_months ? later(start, 'month', duration_in_months) : null

/** Redeems a coupon for what a checkout sold. */
export const redeem = (
  store: Store,
  { coupon, promotion_code }: Stripe.Checkout.Session.Discount,
  sold: { session: string; customer: string | null; subscription: string | null },
): Stripe.Discount => {
  const code = store.promotionCodes.find(idOf(promotion_code))
  const used = store.coupons.get(idOf(coupon) ?? idOf(code?.promotion.coupon) ?? '')
  if (code) code.times_redeemed++
  used.times_redeemed++
  const start = store.seconds()
  return store.discounts.add({
    id: newId('di'),
    object: 'discount',
    checkout_session: sold.session,
    customer: sold.customer,
    customer_account: null,
    end: endOf(used, start),
    invoice: null,
    invoice_item: null,
    promotion_code: code?.id ?? null,
    source: { coupon: used.id, type: 'coupon' },
    start,
    subscription: sold.subscription,
    subscription_item: null,
  })
}

/** The coupons applied to a checkout, directly or by promotion code. */
export const couponsOf = (store: Store, { discounts }: Stripe.Checkout.Session): Stripe.Coupon[] =>
  (discounts ?? []).map(({ coupon, promotion_code }) =>
    store.coupons.get(
      idOf(coupon) ?? idOf(store.promotionCodes.find(idOf(promotion_code))?.promotion.coupon) ?? '',
    ),
  )

export const couponRoutes = (store: Store) =>
  new Hono()
    .post('/v1/coupons', async (c) => {
      const {
        percent_off,
        amount_off,
        currency: paidIn,
        duration_in_months,
        ...rest
      } = await readParams(c, {
        id: text.optional(),
        name: text.optional(),
        percent_off: decimal.pipe(z.number().gt(0).max(100)).optional(),
        amount_off: integer.pipe(z.int().min(1)).optional(),
        currency: currency.optional(),
        duration: z.enum(['forever', 'once', 'repeating']).optional(),
        duration_in_months: integer.pipe(z.int().min(1)).optional(),
      })
      const shared = { ...rest, duration: rest.duration ?? 'once', months: duration_in_months }
      if ((rest.duration === 'repeating') !== (duration_in_months !== undefined)) {
        throw invalidParam(
          'duration_in_months',
          'You must pass duration_in_months when, and only when, `duration` is `repeating`.',
        )
      }
      if (percent_off !== undefined && amount_off === undefined) {
        return answer(c, store, addCoupon(store, { ...shared, percentOff: percent_off }))
      }
      if (amount_off !== undefined && percent_off === undefined && paidIn) {
        return answer(
          c,
          store,
          addCoupon(store, { ...shared, amountOff: amount_off, currency: paidIn }),
        )
      }
      throw invalidRequest('Must provide percent_off or amount_off, and currency with amount_off.')
    })
    .post('/v1/promotion_codes', async (c) => {
      const { code, promotion } = await readParams(c, {
        code: text.optional(),
        promotion: z.strictObject({ type: z.literal('coupon'), coupon: text }),
      })
      return answer(
        c,
        store,
        addPromotionCode(store, code ?? newId('').slice(1, 9), promotion.coupon),
      )
    })
    .post('/v1/promotion_codes/:id', async (c) => {
      const code = store.promotionCodes.get(c.req.param('id'))
      const { active = code.active, metadata: more } = await readParams(c, {
        active: flag.optional(),
        metadata: metadata.optional(),
      })
      return answer(
        c,
        store,
        Object.assign(code, { active, metadata: { ...code.metadata, ...more } }),
      )
    })
    .route('/', readable(store, '/v1/coupons', store.coupons))
    .route(
      '/',
      readable(store, '/v1/promotion_codes', store.promotionCodes, {
        active: (code, wanted) => String(code.active) === wanted,
        code: (code, wanted) => code.code.toLowerCase() === wanted.toLowerCase(),
        coupon: (code, wanted) => idOf(code.promotion.coupon) === wanted,
      }),
    )
