/**
 * How the shop sells through Stripe. It reports none of these sales: Stripe tells Tributary itself, by webhooks. What
 * the shop does for its partners is one line, `client_reference_id`, and not even that when a coupon says whose the
 * buyer is.
 */
import { setTimeout as pause } from 'node:timers/promises'
import Stripe from 'stripe'
import { STRIPE_PATH } from '../../fakes/stripe/pages/layout.ts'
import type { ShopConfig } from './config.ts'
import { CURRENCY, findPlan, type Plan } from './plans.ts'
import type { Invoice } from './store.ts'

/** What a buyer has paid on Stripe's page. */
export type Purchase = { email: string; subscription: string; invoice: Invoice }

/** An event of Stripe's, and whether its endpoints have taken it. */
export type Told = { id: string; type: string; pending: boolean }

/** A page goes out without the last event rather than later than this. */
const PATIENCE_MS = 3_000
const POLL_MS = 100

const idOf = (reference: string | { id: string } | null): string | null =>
  typeof reference === 'object' ? (reference?.id ?? null) : reference

/** Stripe, as the shop's backend sees it. A real shop gives the client nothing but its secret key. */
export const createStripe = ({ stripeUrl }: ShopConfig) => {
  const { hostname: host, port } = new URL(stripeUrl)
  const stripe = new Stripe('sk_test_pine_notes', { host, port, protocol: 'http', telemetry: false })

  /** The events about an invoice and what is paid with it, oldest first. */
  const eventsOf = async (invoice: string): Promise<Told[]> => {
    const { data } = await stripe.events.list({ limit: 100 })
    return data
      .filter(({ data: { object } }) =>
        [Reflect.get(object, 'id'), Reflect.get(object, 'invoice')].includes(invoice),
      )
      .map(({ id, type, pending_webhooks }) => ({ id, type, pending: pending_webhooks > 0 }))
      .reverse()
  }

  return {
    /**
     * Opens a checkout, on which a code is taken too.
     *
     * @param clickId the partner's click, when the snippet has one
     * @returns the page to which the buyer goes
     */
    openCheckout: async (
      plan: Plan,
      {
        clickId,
        email,
        shopUrl,
      }: { clickId: string | undefined; email: string | undefined; shopUrl: string },
    ): Promise<string> => {
      const { url } = await stripe.checkout.sessions.create({
        mode: 'subscription',
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: CURRENCY,
              unit_amount: plan.priceCents,
              recurring: { interval: 'month' },
              product_data: { name: `Pine Notes ${plan.name}` },
            },
          },
        ],
        allow_promotion_codes: true,
        ...(clickId && { client_reference_id: clickId }),
        ...(email && { customer_email: email }),
        metadata: { plan: plan.id },
        success_url: `${shopUrl}/stripe/thanks?session={CHECKOUT_SESSION_ID}`,
        cancel_url: `${shopUrl}/pricing`,
      })
      if (!url) throw new Error('Stripe opened a checkout without a page.')
      return url
    },

    /** What was paid in a checkout; null when nothing was, or there is no such checkout. */
    findPurchase: async (session: string): Promise<Purchase | null> => {
      const found = await stripe.checkout.sessions.retrieve(session).catch(() => null)
      const plan = findPlan(found?.metadata?.plan)
      const [subscription, id] = [idOf(found?.subscription ?? null), idOf(found?.invoice ?? null)]
      if (found?.status !== 'complete' || !plan || !subscription || !id) return null
      return {
        email: found.customer_details?.email ?? '',
        subscription,
        invoice: {
          id,
          plan,
          eventName: 'subscription',
          paidCents: found.amount_total ?? 0,
          paidAt: new Date(found.created * 1_000),
          told: { by: 'stripe' },
        },
      }
    },

    /** Has Stripe renew a subscription now, which it would do by itself in a month. The real one can't be told to. */
    renew: async (subscription: string, plan: Plan): Promise<Invoice> => {
      await fetch(`${stripeUrl}${STRIPE_PATH}/subscriptions/${subscription}/renew`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        redirect: 'manual',
      })
      const { latest_invoice } = await stripe.subscriptions.retrieve(subscription, {
        expand: ['latest_invoice'],
      })
      if (!latest_invoice || typeof latest_invoice === 'string')
        throw new Error('Stripe has renewed nothing.')
      const { id, amount_paid: paidCents, created } = latest_invoice
      return {
        id,
        plan,
        eventName: 'renewal',
        paidCents,
        paidAt: new Date(created * 1_000),
        told: { by: 'stripe' },
      }
    },

    /** What Stripe tells of an invoice, once its endpoints have taken it all. */
    waitForEvents: async (invoice: string): Promise<Told[]> => {
      const deadline = Date.now() + PATIENCE_MS
      for (;;) {
        const told = await eventsOf(invoice)
        if (Date.now() > deadline || !told.some(({ pending }) => pending)) return told
        await pause(POLL_MS)
      }
    },
  }
}
export type StripeShop = ReturnType<typeof createStripe>
