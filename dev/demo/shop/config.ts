/** What any merchant is given to integrate Tributary, and the address of Stripe. */
export type ShopConfig = {
  tributaryUrl: string
  stripeUrl: string
  /** A promotion code of a partner's coupon, accepted on Stripe's checkout page. */
  promotionCode: string
  workspace: string
  programId: string
  apiKey: string
  partnerSlug: string
  /** Who can open the dashboard. */
  managerEmail: string
}
