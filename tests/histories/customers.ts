/** What Stripe reports of its customers beside their purchases: their ids at the merchant, and their discounts. */
import fc from 'fast-check'
import { seconds } from '../support/stripe.ts'
import { addressOf, person, step } from './steps.ts'
import { delivery, discountOf, subscriptionOf } from './stripe.ts'
import { COUPONS, type Delivery } from './world.ts'

export const customerSteps = {
  named: step<{ who: string; as: string | null } & Delivery>(
    'Stripe’s customer gets an id of the merchant',
    { who: person, as: fc.option(person, { freq: 1 }), ...delivery },
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
  discounted: step<{ who: string; coupon: string; change: string; isOfCustomer: boolean } & Delivery>(
    'a discount begins, changes or ends',
    {
      ...{ who: person, coupon: fc.constantFrom(...COUPONS), isOfCustomer: fc.boolean() },
      ...{ change: fc.constantFrom('created', 'created', 'updated', 'deleted'), ...delivery },
    },
    async (history, { who, coupon, change, isOfCustomer, ...arrives }) => {
      const id = discountOf(history, who, coupon)
      const discount = history.discounts.get(id) ?? {
        ...{ id, object: 'discount', checkout_session: null, customer: history.customerOf(who) },
        ...{ coupon: { id: coupon, object: 'coupon', name: coupon }, promotion_code: null },
        ...{ invoice: null, invoice_item: null, start: seconds(), end: null },
        subscription: isOfCustomer ? null : subscriptionOf(history, who, false),
      }
      if (change === 'created') history.discounts.set(id, discount)
      else if (change === 'deleted') history.discounts.delete(id)
      const end = change === 'deleted' ? seconds() : null
      await history.happen(`customer.discount.${change}`, { ...discount, end }, arrives)
    },
  ),
}
