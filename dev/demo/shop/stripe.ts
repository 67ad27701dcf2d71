/**
 * Sales through Stripe. The shop doesn't report them: Stripe does, by webhooks. All that the shop
 * does is to put its own customer id into the checkout's metadata, by which Tributary recognizes
 * the customer of the lead.
 */
import { setTimeout as pause } from 'node:timers/promises'
import Stripe from 'stripe'
import { STRIPE_PATH } from '../../fakes/stripe/pages/layout.ts'
import type { ShopConfig } from './config.ts'
import { CURRENCY, findPlan, type Plan, SETUP } from './plans.ts'
import type { Customer, StripeBuyer, StripeInvoice } from './store.ts'

/** A completed purchase on Stripe's page. */
export type Purchase = { email: string; subscription: string; invoice: StripeInvoice }

/** Who goes to the checkout: a customer of the shop, or a guest. */
export type Visitor = { customer: Customer | undefined; clickId: string | undefined }

/** A Stripe event, and whether deliveries are pending. */
export type StripeEvent = { id: string; type: string; pending: boolean }

/** The page doesn't wait longer for deliveries. */
const MAX_WAIT_MS = 3_000
const POLL_MS = 100

const idOf = (reference: string | { id: string } | null): string | null =>
  typeof reference === 'object' ? (reference?.id ?? null) : reference

/**
 * What a checkout session says about its buyer. The lead has brought a customer's click; the
 * checkout brings a newer one, and the click of a guest, who has no id yet.
 */
const buyerOf = ({ customer, clickId }: Visitor): Stripe.Checkout.SessionCreateParams => {
  if (!customer) return clickId ? { client_reference_id: clickId } : {}
  const { id, email, stripe } = customer
  const isNewer = clickId !== undefined && clickId !== customer.clickId
  return {
    ...(stripe ? { customer: stripe.id } : { customer_email: email }),
    metadata: { customerExternalId: id, ...(isNewer && { tributary_click: clickId }) },
  }
}

const SETUP_ITEM: Stripe.Checkout.SessionCreateParams.LineItem = {
  quantity: 1,
  price_data: {
    currency: CURRENCY,
    unit_amount: SETUP.priceCents,
    product_data: { name: `Pine Notes ${SETUP.name}` },
  },
}

/** The shop's Stripe client. A real shop passes only its secret key. */
export const createStripe = ({ stripeUrl }: ShopConfig) => {
  const { hostname: host, port } = new URL(stripeUrl)
  const stripe = new Stripe('sk_test_pine_notes', {
    host,
    port,
    protocol: 'http',
    telemetry: false,
  })

  /** The events about an invoice, its payment and its refunds, oldest first. */
  const eventsOf = async (invoice: string): Promise<StripeEvent[]> => {
    const { data } = await stripe.events.list({ limit: 100 })
    const paidBy = data.flatMap((event) =>
      event.type === 'invoice_payment.paid' && idOf(event.data.object.invoice) === invoice
        ? (idOf(event.data.object.payment.payment_intent ?? null) ?? [])
        : [],
    )
    const isAbout = (object: object) =>
      ['id', 'invoice', 'payment_intent'].some((field) =>
        [invoice, ...paidBy].includes(Reflect.get(object, field)),
      )
    return data
      .filter((event) => isAbout(event.data.object))
      .map(({ id, type, pending_webhooks }) => ({ id, type, pending: pending_webhooks > 0 }))
      .reverse()
  }

  return {
    /** Creates a checkout session that accepts promotion codes. @returns the URL of its page */
    openCheckout: async (
      { plan, hasSetup }: { plan: Plan; hasSetup: boolean },
      visitor: Visitor,
      shopUrl: string,
    ): Promise<string> => {
      const buyer = buyerOf(visitor)
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
          ...(hasSetup ? [SETUP_ITEM] : []),
        ],
        allow_promotion_codes: true,
        ...buyer,
        metadata: { ...buyer.metadata, plan: plan.id },
        success_url: `${shopUrl}/stripe/thanks?session={CHECKOUT_SESSION_ID}`,
        cancel_url: `${shopUrl}/pricing`,
      })
      if (!url) throw new Error('The checkout session has no URL.')
      return url
    },

    /** The purchase of a checkout session; null if it is unknown or not completed. */
    findPurchase: async (session: string): Promise<Purchase | null> => {
      const found = await stripe.checkout.sessions.retrieve(session).catch(() => null)
      const plan = findPlan(found?.metadata?.plan)
      const [subscription, id] = [idOf(found?.subscription ?? null), idOf(found?.invoice ?? null)]
      const buyer = idOf(found?.customer ?? null)
      if (found?.status !== 'complete' || !plan || !subscription || !id || !buyer) return null
      return {
        email: found.customer_details?.email ?? '',
        subscription,
        invoice: {
          id,
          plan,
          eventName: 'subscription',
          paidCents: found.amount_total ?? 0,
          paidAt: new Date(found.created * 1_000),
          reported: {
            by: 'stripe',
            buyer: {
              id: buyer,
              customerExternalId: found.metadata?.customerExternalId ?? null,
              clickId: found.metadata?.tributary_click ?? found.client_reference_id,
            },
          },
        },
      }
    },

    /** Renews a subscription now, instead of in a month. Only possible at the fake. */
    renew: async (subscription: string, plan: Plan, buyer: StripeBuyer): Promise<StripeInvoice> => {
      await fetch(`${stripeUrl}${STRIPE_PATH}/subscriptions/${subscription}/renew`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        redirect: 'manual',
      })
      const { latest_invoice } = await stripe.subscriptions.retrieve(subscription, {
        expand: ['latest_invoice'],
      })
      if (!latest_invoice || typeof latest_invoice === 'string')
        throw new Error('Stripe renewed nothing.')
      const { id, amount_paid: paidCents, created } = latest_invoice
      return {
        id,
        plan,
        eventName: 'renewal',
        paidCents,
        paidAt: new Date(created * 1_000),
        reported: { by: 'stripe', buyer },
      }
    },

    /** The events of an invoice, once all are delivered. */
    waitForEvents: async (invoice: string): Promise<StripeEvent[]> => {
      const deadline = Date.now() + MAX_WAIT_MS
      for (;;) {
        const events = await eventsOf(invoice)
        if (Date.now() > deadline || !events.some(({ pending }) => pending)) return events
        await pause(POLL_MS)
      }
    },
  }
}
export type StripeShop = ReturnType<typeof createStripe>
