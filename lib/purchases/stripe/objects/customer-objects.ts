/** Reads who a customer is, and which coupons apply to it, from the objects of Stripe's events. */
import type { DiscountFact, IdentityFact } from '../../../rules/purchases/facts.ts'
import type { ObjectFacts } from './object-facts.ts'
import type { Customer, Discount, Subscription } from './objects.schemas.ts'

/** The promotion code of a discount, and the coupon behind it. */
export const couponsOf = (discount: Discount): string[] =>
  [discount.promotion_code, discount.coupon ?? discount.source?.coupon ?? null].filter(
    (id) => id !== null,
  )

const identityOf = (customer: string | null, id: string | null): IdentityFact[] =>
  customer && id ? [{ kind: 'identity', customer, customerExternalId: id }] : []

const discountOf = (
  discount: Discount,
  {
    customer = discount.customer,
    subscription = discount.subscription,
  }: Partial<Pick<Discount, 'customer' | 'subscription'>> = {},
): DiscountFact[] => {
  const [coupon, promotionCode] = [
    discount.coupon ?? discount.source?.coupon ?? null,
    discount.promotion_code,
  ]
  if (!customer || (!coupon && !promotionCode)) return []
  return [
    {
      kind: 'discount',
      id: discount.id ?? null,
      customer,
      subscription,
      coupon,
      promotionCode,
      start: discount.start.toISOString(),
      end: discount.end?.toISOString() ?? null,
    },
  ]
}

export const readDiscount = (discount: Discount): ObjectFacts => ({
  customer: discount.customer,
  keys: [],
  facts: discountOf(discount),
})

export const readCustomer = ({ id, email, metadata, discount }: Customer): ObjectFacts => ({
  customer: id,
  email,
  keys: [],
  facts: [
    ...identityOf(id, metadata.customerExternalId),
    ...(discount ? discountOf(discount, { customer: id }) : []),
  ],
})

export const readSubscription = ({
  id,
  customer,
  metadata,
  ...subscription
}: Subscription): ObjectFacts => ({
  customer,
  keys: [],
  facts: [
    ...identityOf(customer, metadata.customerExternalId),
    ...[subscription.discount, ...(subscription.discounts ?? [])].flatMap((discount) =>
      discount && 'start' in discount ? discountOf(discount, { customer, subscription: id }) : [],
    ),
  ],
})
