/**
 * What managers do of which it matters what has arrived by then: partners, coupons, and decisions
 * about single events.
 */
import fc from 'fast-check'
import { newId } from '../../lib/db/ids.ts'
import { sendImport, undoWhole, withOne, withPartner } from './acts.ts'
import { anyOf, clickOf, maybe, person, program, step, which } from './steps.ts'
import { keepingImport } from './terms.ts'
import { COUPONS, emailOf, type History, SLUGS } from './world.ts'

const slug = fc.constantFrom(...SLUGS)

const coupons = (history: History) =>
  history.query<{ partner: string; coupon: string }>(
    'select partner_id as partner, coupon_id as coupon from coupon_aliases where workspace_id = $1 order by 2',
  )

export const managerSteps = {
  partnersImported: step<{
    slugs: string[]
    program: number
    balances: boolean
    completes: boolean
  }>(
    'partners are imported',
    {
      slugs: fc.subarray([...SLUGS], { minLength: 1 }),
      program,
      balances: fc.boolean(),
      completes: fc.boolean(),
    },
    (history, { slugs, program, balances, completes }) =>
      sendImport(history, '/partners/import', {
        programId: history.programOf(program),
        rows: slugs.map((slug) => ({
          email: emailOf(slug),
          slug,
          couponId: `${slug}-x`,
          openingBalanceCents: 500,
        })),
        options: { importOpeningBalances: balances, completeExisting: completes },
      }),
  ),
  customersImported: keepingImport,
  importedAgain: step<{ which: number }>(
    'an import is sent again',
    { which },
    async (history, { which }) => anyOf(history.imports, which)?.repeat(),
  ),
  undone: step<{ which: number }>('an import is undone', { which }, async (history, { which }) => {
    const one = anyOf(history.imports, which)
    return one && undoWhole(history, one.id)
  }),
  readdressed: step<{ which: number; slug: string }>(
    'a partner’s address is corrected',
    { which, slug },
    withPartner((history, { id }, { slug }) =>
      history.manage('PATCH', `/partners/${id}`, { email: emailOf(slug) }),
    ),
  ),
  renamed: step<{ which: number; slug: string }>(
    'a partner gets another slug',
    { which, slug },
    withPartner((history, { id }, { slug }) =>
      history.manage('PATCH', `/partners/${id}`, { slug }),
    ),
  ),
  erased: step<{ which: number }>(
    'a partner is erased',
    { which },
    withPartner((history, { id }) => history.manage('POST', `/partners/${id}/erase`, {})),
  ),
  monthCapped: step<{ program: number; percent: number }>(
    'what a partner earns in a month is capped',
    { program, percent: fc.constantFrom(20, 80) },
    (history, { program, percent }) =>
      history.manage('PATCH', `/programs/${history.programOf(program)}`, {
        reward: {
          ...{ kind: 'percent', percent },
          caps: [{ per: 'partner_month', amountCents: 3_000, currency: 'USD' }],
        },
      }),
  ),
  couponAdded: step<{ which: number; couponId: string }>(
    'a partner gets a coupon',
    { which, couponId: fc.constantFrom(...COUPONS) },
    withPartner((history, { id }, { couponId }) =>
      history.manage('POST', `/partners/${id}/coupons`, { couponId }),
    ),
  ),
  couponRemoved: step<{ which: number }>(
    'a coupon is removed',
    { which },
    async (history, { which }) => {
      const one = anyOf(await coupons(history), which)
      return one && history.manage('DELETE', `/partners/${one.partner}/coupons/${one.coupon}`)
    },
  ),
  couponMoved: step<{ which: number; partner: number }>(
    'a coupon moves to another partner',
    { which, partner: which },
    async (history, { which, partner }) => {
      const one = anyOf(await coupons(history), which)
      const to = anyOf(await history.partners(), partner)
      if (!one || !to) return
      await history.manage('DELETE', `/partners/${one.partner}/coupons/${one.coupon}`)
      await history.manage('POST', `/partners/${to.id}/coupons`, { couponId: one.coupon })
    },
  ),
  customerErased: step<{ which: number }>(
    'a customer is erased',
    { which },
    withOne(
      'select id from customers where workspace_id = $1 and merged_into is null order by id',
      (history, id) => history.manage('POST', `/customers/${id}/erase`, {}),
    ),
  ),
  refundedByHand: step<{ which: number; amountCents: number | null }>(
    'a manager records a refund',
    { which, amountCents: fc.constantFrom(null, 300) },
    async (history, { which, amountCents }) => {
      const sales = await history.query<{ id: string; currency: string }>(
        "select external_id as id, currency from events where workspace_id = $1 and kind = 'sale' order by 1",
      )
      const sale = anyOf(sales, which)
      if (!sale) return
      await history.refundByHand({
        ...{ externalId: newId(), saleExternalId: sale.id, eventName: 'refund', metadata: null },
        requested: { amountCents, currency: amountCents === null ? null : sale.currency },
      })
    },
  ),
  credited: step<{ which: number; partner: number | null; customer: boolean }>(
    'an event is credited by hand',
    { which, partner: maybe(which), customer: fc.boolean() },
    withOne(
      'select id from events where workspace_id = $1 order by kind, external_id',
      async (history, id, { partner, customer }) => {
        const partnerId = partner === null ? null : anyOf(await history.partners(), partner)?.id
        return history.manage('POST', `/events/${id}/credit`, {
          partnerId,
          reason: 'It was theirs.',
          customer,
        })
      },
    ),
  ),
  corrected: step<{ which: number; click: number; who: string }>(
    'a reported sale is corrected',
    { which, click: which, who: person },
    async (history, { which, click, who }) => {
      const sale = anyOf(history.sales, which)
      const clickId = which % 2 ? clickOf(history, click) : null
      return sale && history.correct(sale, clickId ? { clickId } : { customerExternalId: who })
    },
  ),
}
