// @module-tag sampled
/**
 * What a purchase would have earned is decided with all that Stripe told about it, under whichever
 * of its ids that arrived.
 */
import { expect, test } from 'vitest'
import { orders } from '../../support/permutations.ts'
import { deliver, paidInvoice, saved, useShops } from '../../support/shops.ts'
import {
  checkoutSession,
  invoicePayment,
  seconds,
  stripeEvent,
  stripeId,
} from '../../support/stripe.ts'

const { openShop } = useShops()

/**
 * What a manager asks, and by how much the ledger would differ: Maya has the click, and Leo the
 * customer.
 */
const CHANGES = [
  { terms: { attribution: 'first' }, differences: { leo: 980, maya: -980 } },
  { terms: { reward: { kind: 'percent', percent: 10 } }, differences: { maya: -490 } },
]

test('a what-if knows the checkout of a purchase, in any order of the report of its payment and Stripe’s events', async () => {
  for (const order of orders(['report', 'checkout', 'invoice', 'payment'] as const)) {
    const { merchant, stripe, manager } = await openShop()
    await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, { slug: 'leo' })
    const clickId = await merchant.click()
    const [customer, paid, payment] = [stripeId('cus'), stripeId('in'), stripeId('pi')]
    await saved(
      manager.post('/customers/import', {
        rows: [
          {
            customerExternalId: customer,
            partnerEmail: 'leo@partner.example',
            startedAt: '2026-01-01T00:00:00Z',
          },
        ],
      }),
    )
    const at = seconds()
    const steps = {
      report: () =>
        saved(
          merchant.sale({ externalId: payment, customerExternalId: customer, amountCents: 4_900 }),
        ),
      checkout: () =>
        deliver(
          stripe,
          stripeEvent(
            'checkout.session.completed',
            checkoutSession({
              customer,
              mode: 'subscription',
              invoice: paid,
              amount_total: 4_900,
              client_reference_id: clickId,
              created: at,
            }),
            { created: at },
          ),
        ),
      invoice: () => deliver(stripe, paidInvoice({ id: paid, customer }, at)),
      payment: () =>
        deliver(stripe, stripeEvent('invoice_payment.paid', invoicePayment(paid, payment))),
    }
    for (const step of order) await steps[step]()

    for (const { terms, differences } of CHANGES) {
      const { body } = await manager.post(`/programs/${merchant.programId}/what-if`, terms)
      const { currencies } = body as unknown as {
        currencies: { partners: { slug: string; differenceCents: number }[] }[]
      }
      const found =
        currencies[0]?.partners.map(({ slug, differenceCents }) => [slug, differenceCents]) ?? []
      expect({ order, terms, differences: Object.fromEntries(found) }).toEqual({
        order,
        terms,
        differences,
      })
    }
  }
})
