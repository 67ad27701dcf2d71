/**
 * What Stripe reports of its customers beside their purchases: their ids at the merchant, and their
 * discounts.
 */
import fc from 'fast-check'
import { seconds } from '../support/stripe.ts'
import { addressOf, anyOf, maybe, person, step, which } from './steps.ts'
import { delivery, renew, subscriptionOf } from './stripe.ts'
import { COUPONS, type Delivery, type DiscountObject } from './world.ts'

export const customerSteps = {
  named: step<{ who: string; as: string | null } & Delivery>(
    'Stripe’s customer gets an id of the merchant',
    { who: person, as: maybe(person), ...delivery },
    (history, { who, as, ...arrives }) =>
      history.happen(
        'customer.updated',
        {
          ...{ id: history.customerOf(who), object: 'customer', email: addressOf(who) },
          metadata: { customerExternalId: as ?? who },
        },
        arrives,
      ),
  ),
  discounted: step<
    {
      who: string
      coupon: string
      which: number
      change: string
      isOfCustomer: boolean
      isBilled: boolean
    } & Delivery
  >(
    'a discount begins, changes or ends',
    {
      ...{ who: person, coupon: fc.constantFrom(...COUPONS), which, isOfCustomer: fc.boolean() },
      ...{
        isBilled: fc.boolean(),
        change: fc.constantFrom('created', 'created', 'updated', 'deleted'),
        ...delivery,
      },
    },
    async (history, { who, coupon, which, change, isOfCustomer, isBilled, ...arrives }) => {
      const inForce = history.discounts.get(who) ?? []
      const known = anyOf(inForce, which)
      if (!known && change !== 'created') return
      const discount: DiscountObject = {
        ...{ object: 'discount', checkout_session: null, customer: history.customerOf(who) },
        ...{ coupon: { id: coupon, object: 'coupon', name: coupon }, promotion_code: null },
        ...{ invoice: null, invoice_item: null, start: seconds() },
        subscription: isOfCustomer ? null : subscriptionOf(history, who, false),
        ...(change !== 'created' && known),
        id: change !== 'created' && known ? known.id : history.idOf(`di_${who}_${seconds()}`),
        end: change === 'deleted' ? seconds() : null,
      }
      const others = inForce.filter(({ id }) => id !== discount.id)
      history.discounts.set(who, change === 'deleted' ? others : [...others, discount])
      await history.happen(`customer.discount.${change}`, discount, arrives)
      if (!isBilled) return
      const bill = {
        who,
        isOld: false,
        isProration: false,
        isTied: false,
        currency: 'USD',
        coupon: null,
      }
      await renew(history, {
        ...bill,
        isPaidTwice: false,
        isUntied: false,
        ...arrives,
        late: (arrives.late * 7) % 5,
      })
    },
  ),
}
