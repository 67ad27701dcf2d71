/** Merchants whose purchases Stripe reports. */
import { expect } from 'vitest'
import { createMerchant, type useDatabase } from './merchant.ts'
import { type StripeObject, seconds, stripeEvent, useStripe } from './stripe.ts'

/** A merchant with the partner "maya", whose Stripe account reports to it. */
export const openStripeShop = async (
  { query }: Pick<ReturnType<typeof useDatabase>, 'query'>,
  options: Parameters<typeof createMerchant>[0] = {},
) => {
  const merchant = await createMerchant(options)
  const stripe = await useStripe(merchant)
  return {
    merchant,
    /** Delivers an event, which has to be received. */
    deliver: async (type: string, object: StripeObject, created = seconds()) => {
      expect((await stripe.deliver(stripeEvent(type, object, { created }))).status).toBe(200)
    },
    /** A click of an hour ago. */
    clickBefore: async (): Promise<string> => {
      const clickId = await merchant.click()
      await query(`update clicks set created_at = created_at - interval '1 hour' where id = $1`, [
        clickId,
      ])
      return clickId
    },
    /** Whom each sale credits, why, and what it earns in all, oldest first. */
    sales: () =>
      query<{
        external_id: string
        slug: string | null
        attributed_by: string | null
        earned: number | null
      }>(
        `select e.external_id, p.slug, e.attributed_by,
                (select sum(c.amount_cents)::int from commissions c where c.event_id = e.id) as earned
         from events e left join partners p on p.id = e.partner_id where e.workspace_id = $1 order by e.id`,
        [merchant.workspace.id],
      ),
  }
}
