/**
 * Sends the facts of a random merchant to the system, each as the merchant, its manager or Stripe
 * does.
 */
import { createMerchant, type useDatabase } from '../support/merchant.ts'
import {
  checkoutSession,
  invoice,
  invoicePayment,
  oldInvoice,
  refund,
  seconds,
  stripeEvent,
  useStripe,
} from '../support/stripe.ts'
import { type Fact, type Partner, PROGRAM_OF, type Settings, type Terms } from './facts.ts'

type Database = ReturnType<typeof useDatabase>

const HOUR = 3_600

/** What else Stripe says of a discount. */
const DISCOUNT = {
  object: 'discount',
  promotion_code: null,
  subscription: null,
  start: 1_700_000_000,
  end: null,
}

const columns = ({ reward, interval, months, attribution, knownCustomers, lateDays }: Terms) => ({
  reward: 'percent' in reward ? reward : { amountCents: BigInt(reward.flatCents), currency: 'USD' },
  reward_interval: interval,
  reward_duration_months: months,
  attribution,
  attribute_known_customers: knownCustomers,
  late_lead_days: lateDays,
})

export const openShop = async (
  database: Database,
  { terms, groupPercent, salesFrom }: Settings,
) => {
  const merchant = await createMerchant({ program: columns(terms.A) })
  const { seed, workspace, programId } = merchant
  const programs = {
    A: programId,
    B: await seed.addProgram(workspace.id, columns(terms.B)),
  }
  const groups = {
    A: await seed.addGroup(workspace.id, programs.A, { saleReward: { percent: groupPercent } }),
    B: await seed.addGroup(workspace.id, programs.B, { saleReward: { percent: groupPercent } }),
  }
  for (const slug of ['leo', 'nora'] as const)
    await seed.addPartner(workspace.id, programs[PROGRAM_OF[slug]], { slug })
  const rows = await database.query<{ slug: Partner; id: string }>(
    'select slug, id from partners where workspace_id = $1',
    [workspace.id],
  )
  const partners = Object.fromEntries(rows.map(({ slug, id }) => [slug, id])) as Record<
    Partner,
    string
  >
  for (const { slug, id } of rows) await seed.addCoupon(workspace.id, id, slug.toUpperCase())
  const manager = await merchant.asManager()
  // Chosen before all payments; an edit would count from now on.
  await database.query('update workspaces set sales_from = $2 where id = $1', [
    workspace.id,
    salesFrom,
  ])
  return {
    merchant,
    manager,
    programs,
    groups,
    partners,
    stripe: await useStripe(merchant),
    start: seconds(),
  }
}
type Shop = Awaited<ReturnType<typeof openShop>>

/**
 * Sends a fact as the merchant, its manager or Stripe does.
 * @param clicks the ids of clicks by their names
 */
export const deliver = async (shop: Shop, fact: Fact, clicks: Map<string, string>) => {
  const { merchant, manager, programs, groups, partners, stripe, start } = shop
  const clickId = (name: string | null) => (name === null ? null : clicks.get(name))
  const at = Math.round(start + fact.at * HOUR)
  const event = (type: string, object: Record<string, unknown>) =>
    stripe.deliver(stripeEvent(type, object, { created: at }))

  switch (fact.kind) {
    case 'lead': {
      const { id, customer, address, click } = fact
      return merchant.lead({
        ...{
          externalId: id,
          customerExternalId: customer,
          customerEmail: address,
          clickId: clickId(click),
        },
      })
    }
    case 'import': {
      const { customer, address, partner, startedAt } = fact
      const row = {
        customerExternalId: customer,
        customerEmail: address,
        partnerEmail: `${partner}@partner.example`,
        startedAt:
          startedAt === null ? null : new Date((start + startedAt * HOUR) * 1000).toISOString(),
      }
      return manager.post('/customers/import', { rows: [row] })
    }
    case 'report': {
      const { id, customer, cents, click } = fact
      return merchant.sale({
        ...{
          externalId: id,
          customerExternalId: customer,
          amountCents: cents,
          clickId: clickId(click),
        },
      })
    }
    case 'checkout': {
      const { id, gross, net, subscription, address, click, coupon, ...fields } = fact
      return event(
        'checkout.session.completed',
        checkoutSession({
          id,
          ...{ invoice: fields.invoice, payment_intent: fields.payment, customer: fields.customer },
          ...{ subscription, mode: subscription ? 'subscription' : 'payment', created: at },
          ...{ amount_total: gross, total_details: { amount_tax: gross - net } },
          payment_status: gross === 0 ? 'no_payment_required' : 'paid',
          customer_details: { email: address, name: 'A buyer' },
          client_reference_id: clickId(click),
          metadata: fields.metadata,
          discounts: coupon ? [{ coupon: coupon.toUpperCase(), promotion_code: null }] : [],
        }),
      )
    }
    case 'invoice': {
      const { id, gross, net, payment, subscription, address, coupon, metadata, customer, reason } =
        fact
      const fields = {
        ...{ id, customer, customer_email: address, metadata, created: at },
        ...{ amount_paid: gross, total: gross, total_excluding_tax: net },
        billing_reason: reason,
        discounts: coupon
          ? [{ ...DISCOUNT, id: `di_${id}`, customer, coupon: { id: coupon.toUpperCase() } }]
          : [],
        status_transitions: { paid_at: at },
      }
      return event(
        'invoice.paid',
        payment === null
          ? invoice({
              ...fields,
              parent: { type: 'subscription_details', subscription_details: { subscription } },
            })
          : oldInvoice({ ...fields, payment_intent: payment, charge: null, subscription }),
      )
    }
    case 'link':
      return event('invoice_payment.paid', invoicePayment(fact.invoice, fact.payment))
    case 'refund':
      return event(
        'refund.created',
        refund({ id: fact.id, payment_intent: fact.payment, amount: fact.cents }),
      )
    case 'asked':
      return merchant.refund({
        externalId: fact.id,
        saleExternalId: fact.sale,
        amountCents: fact.cents,
      })
    case 'terms': {
      const { reward, interval, months, attribution, knownCustomers, lateDays } = fact.terms
      return manager.patch(`/programs/${programs[fact.program]}`, {
        reward:
          'percent' in reward
            ? { kind: 'percent', percent: reward.percent }
            : { kind: 'flat', amountCents: reward.flatCents, currency: 'USD' },
        rewardInterval: interval,
        rewardDurationMonths: months,
        ...{ attribution, attributeKnownCustomers: knownCustomers, lateLeadDays: lateDays },
      })
    }
    case 'group':
      return manager.patch(`/partners/${partners[fact.partner]}`, {
        groupId: fact.isIn ? groups[PROGRAM_OF[fact.partner]] : null,
      })
    case 'ban':
      return manager.patch(`/partners/${partners[fact.partner]}`, {
        status: fact.isBanned ? 'banned' : 'approved',
      })
    case 'click':
      throw new Error('Clicks are made before.')
  }
}

/** Makes the clicks of a history, each at its time. @returns their ids by their names */
export const makeClicks = async (
  database: Database,
  { merchant, programs }: Shop,
  facts: Fact[],
) => {
  const clicks = new Map<string, string>()
  for (const fact of facts) {
    if (fact.kind !== 'click') continue
    const id = await merchant.click(fact.partner, programs[PROGRAM_OF[fact.partner]])
    await database.query(
      `update clicks set created_at = created_at + $2 * interval '1 hour', expires_at = expires_at + $2 * interval '1 hour'
       where id = $1`,
      [id, fact.at],
    )
    clicks.set(fact.id, id)
  }
  return clicks
}
