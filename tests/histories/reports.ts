/** What buyers do on the site, and the merchant's backend reports. */
import fc from 'fast-check'
import { seconds } from '../support/stripe.ts'
import {
  addressOf,
  anyOf,
  clickOf,
  currency,
  maybe,
  person,
  program,
  step,
  which,
} from './steps.ts'
import { paymentsOf } from './stripe.ts'
import { COUPONS, type History, SLUGS } from './world.ts'

const newSale = ({ sales, untied }: History, who: string): string => {
  const id = `order_${sales.length}`
  sales.push(id)
  untied.push({ id, who, at: Date.now() })
  return id
}

const hours = fc.constantFrom(null, null, 1, 200)
const ago = (hoursAgo: number | null) =>
  hoursAgo && { occurredAt: new Date(Date.now() - hoursAgo * 3_600_000 + 7).toISOString() }

/** What is bought: nothing that is named, one product, or several. */
const basket = fc.constantFrom<string[] | null>(
  null,
  null,
  ['book'],
  ['course', 'mug'],
  ['mug', 'book', 'book'],
)

/** The lines of a sale: the first takes what is left of its amount. */
const linesOf = (products: string[] | null, cents: number) =>
  products && {
    lines: products.map((productId, i) => ({
      productId,
      quantity: i + 1,
      amountCents: i === 0 ? cents - 700 * (products.length - 1) : 700,
    })),
  }

const country = fc.constantFrom(null, 'DE', 'FR')

type Fresh = {
  who: string
  isSale: boolean
  click: number | null
  hoursAgo: number | null
  products: string[] | null
}
const fresh = fc.record<Fresh>({
  ...{ who: person, isSale: fc.boolean(), click: maybe(which), hoursAgo: hours },
  products: basket,
})

export const reportSteps = {
  clicked: step<{ slug: string; program: number }>(
    'a link is followed',
    { slug: fc.constantFrom(...SLUGS), program },
    async (history, { slug, program }) => {
      const { body } = await history.report('click', {
        programId: history.programOf(program),
        slug,
      })
      if (typeof body.clickId === 'string') history.clicks.push(body.clickId)
    },
  ),
  led: step<
    { who: string; id: number; click: number | null; isStripes: boolean } & {
      address: string | null
      isVerified: boolean
    }
  >(
    'a lead is reported',
    {
      ...{ who: person, id: fc.nat(9), click: maybe(which), isStripes: fc.boolean() },
      ...{ address: maybe(person), isVerified: fc.boolean() },
    },
    (history, { who, id, click, isStripes, address, isVerified }) =>
      history.report('lead', {
        externalId: id < 5 ? who : `lead_${id}`,
        customerExternalId: isStripes ? history.customerOf(who) : who,
        ...(address && { customerEmail: addressOf(address), emailVerified: isVerified }),
        clickId: clickOf(history, click),
      }),
  ),
  sold: step<{
    who: string
    cents: number
    click: number | null
    currency: string
    hoursAgo: number | null
    products: string[] | null
    country: string | null
  }>(
    'a sale is reported',
    {
      ...{
        who: person,
        cents: fc.constantFrom(1_000, 4_900, 3_333),
        click: maybe(which),
        currency,
      },
      hoursAgo: hours,
      ...{ products: basket, country },
    },
    (history, { who, cents, click, currency, hoursAgo, products, country }) =>
      history.report('sale', {
        ...{
          externalId: newSale(history, who),
          customerExternalId: who,
          amountCents: cents,
          currency,
        },
        clickId: clickOf(history, click),
        ...(country && { customerCountry: country }),
        ...linesOf(products, cents),
        ...ago(hoursAgo),
      }),
  ),
  batched: step<{ repeats: number[]; fresh: Fresh[] }>(
    'a batch is reported, with reports that were sent before',
    {
      repeats: fc.array(which, { maxLength: 3 }),
      fresh: fc.array(fresh, { minLength: 1, maxLength: 3 }),
    },
    (history, { repeats, fresh }) => {
      const events = fresh.map(({ who, isSale, click, hoursAgo, products }) => ({
        kind: isSale ? 'sale' : 'lead',
        externalId: isSale ? newSale(history, who) : who,
        customerExternalId: who,
        ...(isSale && { amountCents: 2_500, ...linesOf(products, 2_500) }),
        clickId: clickOf(history, click),
        ...ago(hoursAgo),
      }))
      const before = repeats.flatMap((index) => anyOf(history.reports, index) ?? [])
      history.reports.push(...events)
      return history.reportBatch([...before.slice(1), ...events, ...before.slice(0, 1)])
    },
  ),
  named: step<{ who: string; slug: string | null; coupon: string }>(
    'a sale is reported that names a partner',
    {
      who: person,
      slug: fc.option(fc.constantFrom(...SLUGS)),
      coupon: fc.constantFrom(...COUPONS),
    },
    (history, { who, slug, coupon }) =>
      history.report('sale', {
        ...{ externalId: newSale(history, who), customerExternalId: who, amountCents: 2_000 },
        ...(slug ? { partnerSlug: slug } : { couponCode: coupon }),
      }),
  ),
  reportedAsStripes: step<{ who: string; which: number; click: number | null }>(
    'a payment at Stripe is reported by its id',
    { who: person, which, click: maybe(which) },
    async (history, { who, which, click }) => {
      const payment = anyOf(paymentsOf(history), which)
      if (!payment) return
      const { id, invoice, cents, currency } = payment
      await history.report('sale', {
        ...{ externalId: invoice ?? id, customerExternalId: who, amountCents: cents, currency },
        clickId: clickOf(history, click),
      })
    },
  ),
  returned: step<{ which: number; isStripes: boolean; cents: number | null }>(
    'a refund is reported',
    { which, isStripes: fc.boolean(), cents: fc.constantFrom(null, 500, 5_000) },
    async (history, { which, isStripes, cents }) => {
      const payment = anyOf(history.payments, which)
      const sale = isStripes ? (payment?.invoice ?? payment?.id) : anyOf(history.sales, which)
      if (!sale) return
      const refund = { externalId: `asked_${seconds()}`, saleExternalId: sale }
      await history.report('refund', { ...refund, ...(cents && { amountCents: cents }) })
    },
  ),
}
