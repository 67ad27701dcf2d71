/** Shops whose terms change, and purchases that Stripe reports with times before and after that. */
import { expect } from 'vitest'
import { createMerchant, type Merchant, useDatabase } from './merchant.ts'
import {
  checkoutSession,
  invoice,
  type StripeAccount,
  seconds,
  stripeEvent,
  useStripe,
} from './stripe.ts'

/** An hour ago: whatever a test changes was changed later. */
export const earlier = () => seconds() - 3_600
/** An hour from now: whatever a test changes was changed earlier. */
export const later = () => seconds() + 3_600

export const paidInvoice = (fields: Record<string, unknown>, paidAt: number) =>
  stripeEvent('invoice.paid', invoice({ status_transitions: { paid_at: paidAt }, ...fields }), {
    created: paidAt,
  })

/** A paid checkout with the partner's coupon. */
export const paidCheckout = (paidAt: number, fields: Record<string, unknown> = {}) =>
  stripeEvent(
    'checkout.session.completed',
    checkoutSession({ discounts: [{ coupon: 'MAYA10' }], created: paidAt, ...fields }),
    { created: paidAt },
  )

export const deliver = async (stripe: StripeAccount, event: ReturnType<typeof stripeEvent>) =>
  expect((await stripe.deliver(event)).status).toBe(200)

export const saved = async (answer: Promise<{ status: number }>) =>
  expect((await answer).status).toBe(200)

/** Called once by a test file, at its top. */
export const useShops = () => {
  const database = useDatabase()

  /** A merchant with a group of other rewards, and a partner whose id is known. */
  const openShop = async (program: Parameters<typeof createMerchant>[0] = {}) => {
    const merchant = await createMerchant(program)
    const groupId = await merchant.seed.addGroup(merchant.workspace.id, merchant.programId, {
      saleReward: { percent: 50 },
    })
    const [partner] = await database.query<{ id: string }>(
      'select id from partners where workspace_id = $1',
      [merchant.workspace.id],
    )
    const partnerId = partner?.id ?? ''
    await merchant.seed.addCoupon(merchant.workspace.id, partnerId, 'MAYA10')
    return {
      merchant,
      stripe: await useStripe(merchant),
      manager: await merchant.asManager(),
      groupId,
      partnerId,
    }
  }

  /** What a sale has earned in all. */
  const earned = async ({ workspace }: Merchant, externalId: string) =>
    (
      await database.query<{ cents: number }>(
        `select coalesce(sum(c.amount_cents), 0)::int as cents from events e left join commissions c on c.event_id = e.id
         where e.workspace_id = $1 and e.external_id = $2`,
        [workspace.id, externalId],
      )
    )[0]?.cents

  return { database, openShop, earned }
}
export type Shop = Awaited<ReturnType<ReturnType<typeof useShops>['openShop']>>
