/** Random merchants: their terms, their buyers, and everything that these do, as facts. */
import fc from 'fast-check'
import type { Fact, Partner, Program, Settings, Terms } from './facts.ts'

const PARTNERS: Partner[] = ['maya', 'leo', 'nora']
const partner = fc.constantFrom(...PARTNERS)
/** Values that are rather simple after shrinking: the first one. */
const rarely = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 2 })

const terms: fc.Arbitrary<Terms> = fc.record({
  reward: fc.constantFrom<Terms['reward']>({ percent: 20 }, { percent: 5 }, { flatCents: 1_000 }),
  interval: fc.constantFrom('recurring', 'one-time'),
  months: fc.constantFrom(null, 1, 12),
  attribution: fc.constantFrom('last', 'last', 'first'),
  knownCustomers: fc.boolean(),
  lateDays: fc.constantFrom(0, 1),
})

/**
 * How a buyer is known: under the merchant's id and Stripe's, which facts tie; under one of them;
 * or under the merchant's id and an address, which Stripe's events have too, and which may be the
 * id.
 */
const kinds = ['tied', 'stripe', 'own', 'address', 'mail'] as const

const report = fc.record({
  /** Under an order id, which the checkout or invoice carries, or under Stripe's id. */
  as: fc.constantFrom('order', 'stripe', 'untied', 'untied'),
  by: fc.constantFrom('own', 'stripe'),
  via: rarely(partner),
})

const purchase = fc.record({
  person: fc.nat(1),
  what: fc.constantFrom('checkout', 'subscribe', 'subscribe', 'renew', 'renew', 'renew', 'trial'),
  hasCheckout: fc.boolean(),
  /** Whether the buyer types the other's address. */
  typesOther: fc.constantFrom(false, true, true),
  via: rarely(partner),
  coupon: rarely(partner),
  tie: fc.constantFrom('metadata', 'metadata', 'invoice', null),
  isOld: fc.boolean(),
  isProration: fc.constantFrom(false, false, true),
  taxCents: fc.constantFrom(0, 900),
  refundPercent: fc.constantFrom(null, null, 25, 100),
  report: rarely(report),
  /** Refunds that the merchant reports, in per cent of what was paid; 0 is of all that is left. */
  asked: fc.constantFrom<number[]>([], [], [], [25], [0], [25, 50], [60, 60], [10, 0]),
  askedAs: fc.nat(2),
})

const importing = fc.record({
  kind: fc.constant('import' as const),
  person: fc.nat(1),
  by: fc.constantFrom('own', 'stripe', 'stripe'),
  partner,
  startedDaysAgo: fc.constantFrom(null, 10, 400),
})

const action = fc.oneof(
  fc.record({
    kind: fc.constant('lead' as const),
    person: fc.nat(1),
    by: fc.constantFrom('own', 'stripe'),
    via: fc.option(partner, { freq: 8 }),
    /** Hours ago. */
    clicked: fc.constantFrom(30, 10, 2_400),
  }),
  importing,
  importing,
  fc.record({
    kind: fc.constant('order' as const),
    person: fc.nat(1),
    by: fc.constantFrom('own', 'stripe'),
    via: fc.option(partner, { freq: 3 }),
  }),
  fc.record({
    kind: fc.constant('terms' as const),
    program: fc.constantFrom<Program>('A', 'B'),
    terms,
  }),
  fc.record({ kind: fc.constant('group' as const), partner, isIn: fc.boolean() }),
  fc.record({ kind: fc.constant('ban' as const), partner, isBanned: fc.boolean() }),
)

/** What a merchant and its buyers do: before now, now, and after now. */
export const plot = fc.record({
  settings: fc.record<Settings>({
    terms: fc.record({ A: terms, B: terms }),
    groupPercent: fc.constant(30),
    salesFrom: fc.constantFrom('both', 'both', 'stripe', 'api'),
  }),
  people: fc.tuple(fc.constantFrom(...kinds), fc.constantFrom(...kinds)),
  past: fc.array(purchase, { maxLength: 3 }),
  actions: fc.array(action, { maxLength: 6 }),
  future: fc.array(purchase, { minLength: 1, maxLength: 4 }),
  /** The order of arrival, and what arrives again. */
  keys: fc.array(fc.nat(99), { minLength: 40, maxLength: 40 }),
  repeats: fc.array(fc.nat(99), { maxLength: 4 }),
})
export type Plot = typeof plot extends fc.Arbitrary<infer T> ? T : never
type Purchase = Plot['past'][number]

/** Facts whose time is that of their arrival. */
const NOW = 0

/**
 * The facts of a plot: clicks, and deliveries in the order of their arrival, with the times of what
 * is reported now.
 */
export const writeFacts = ({ people, past, actions, future, keys, repeats }: Plot) => {
  const clicks: Fact[] = []
  const deliveries: Fact[] = []
  const subscriptions: number[][] = [[], []]
  let count = 0

  const idOf = (person: number, by: 'own' | 'stripe'): string => {
    const isStripes = people[person] === 'stripe' || (people[person] === 'tied' && by === 'stripe')
    if (people[person] === 'mail') return `${person}@example.com`
    return isStripes ? `cus_${person}` : `user_${person}`
  }
  const addressOf = (person: number): string | null =>
    people[person] === 'address' ? `${person}@example.com` : null
  /** Whether an import by Stripe's id gives the person an owner. */
  const isOwned = (person: number): boolean =>
    actions.some(
      (action) =>
        action.kind === 'import' &&
        action.person === person &&
        idOf(person, action.by) === `cus_${person}`,
    )
  const click = (partner: Partner | null, hoursAgo: number): string | null => {
    if (partner === null) return null
    const id = `click_${clicks.length}`
    // No two at once.
    clicks.push({ kind: 'click', id, partner, at: -hoursAgo - clicks.length / 100 })
    return id
  }

  const buy = (purchase: Purchase, at: number) => {
    const { person, tie, hasCheckout, isOld, report } = purchase
    const kind = people[person]
    const number = count++
    const own = subscriptions[person] ?? []
    const isFree = kind === 'address' || kind === 'mail'
    // Only who has an owner: an address that binds nobody.
    const typesOther = purchase.typesOther && at > 0 && isOwned(person)
    const address = `${typesOther ? 1 - person : person}@example.com`
    // A buyer without a Stripe customer buys once, in a checkout that names the merchant's id.
    const what = kind === 'own' ? 'checkout' : purchase.what
    const isRenewal = what === 'renew' && own.length > 0
    if (what === 'subscribe' || what === 'trial' || (what === 'renew' && !isRenewal))
      own.push(number)
    const subscription = what === 'checkout' ? null : `sub_${own.at(-1)}`
    const user = kind === 'tied' || kind === 'own' ? `user_${person}` : null
    const isTied = (by: typeof tie) => (kind === 'own' ? by === 'metadata' : tie === by)
    const via = isFree || isRenewal ? null : click(purchase.via, 30)
    const coupon = isFree ? null : purchase.coupon
    const order = report?.as === 'order' ? `order_${number}` : undefined
    const common = {
      customer: kind === 'own' ? null : `cus_${person}`,
      subscription,
      address: isFree || typesOther ? address : `typed_${person}@example.com`,
    }
    // No two purchases cost the same, so that none is taken for another.
    const gross = what === 'trial' ? 0 : (number + 1) * 2_000
    const amount = { gross, net: gross === 0 ? 0 : gross - purchase.taxCents }
    const hasInvoice = subscription !== null && what !== 'trial'
    const invoice = hasInvoice ? `in_${number}` : null
    const payment = `pi_${number}`
    // A renewal may be the first that is seen of a subscription, and the first payment an upgrade
    // from a free plan.
    const planned = what === 'subscribe' ? 'subscription_create' : 'subscription_cycle'
    const reason = purchase.isProration ? 'subscription_update' : planned
    const isAtCheckout = !hasInvoice || (hasCheckout && what === 'subscribe')
    if (isAtCheckout)
      deliveries.push({
        kind: 'checkout',
        at,
        id: `cs_${number}`,
        ...{ invoice, payment: hasInvoice || what === 'trial' ? null : payment },
        ...{ ...common, ...amount, click: via, coupon },
        metadata: {
          ...(user && isTied('metadata') && { customerExternalId: user }),
          ...(order && !invoice && { externalId: order }),
        },
      })
    if (invoice) {
      deliveries.push({
        kind: 'invoice',
        at: at + 0.01,
        id: invoice,
        payment: isOld ? payment : null,
        reason,
        ...{ ...common, ...amount, customer: `cus_${person}` },
        coupon: isAtCheckout ? null : coupon,
        metadata: {
          ...(user && isTied('invoice') && { customerExternalId: user }),
          ...(order && { externalId: order }),
        },
      })
      if (!isOld) deliveries.push({ kind: 'link', at: at + 0.01, invoice, payment })
    }
    if (what === 'trial') return
    const known = [payment, ...(invoice ? [invoice] : [])]
    if (report && (kind !== 'address' || report.as !== 'stripe')) {
      const isUntied = report.as === 'untied'
      const id = isUntied ? `order_untied${number}` : (order ?? invoice ?? payment)
      const reporter = kind === 'address' ? `cus_${person}` : idOf(person, report.by)
      const viaReport = isFree || isRenewal ? null : isUntied && via ? via : click(report.via, 25)
      const cents = isUntied && report.by === 'own' ? amount.net : gross
      deliveries.push({ kind: 'report', at: NOW, id, customer: reporter, cents, click: viaReport })
      known.push(id)
    }
    for (const [index, percent] of purchase.asked.entries()) {
      const sale = known[purchase.askedAs % known.length] ?? payment
      const cents = percent ? (gross * percent) / 100 : null
      deliveries.push({ kind: 'asked', at: at + 0.5, id: `asked_${number}_${index}`, sale, cents })
    }
    if (purchase.refundPercent) {
      const cents = (gross * purchase.refundPercent) / 100
      deliveries.push({ kind: 'refund', at: at + 0.5, id: `re_${number}`, payment, cents })
    }
  }

  for (const [index, purchase] of past.entries()) buy(purchase, -20 + index * 2)
  for (const [index, action] of actions.entries()) {
    if (action.kind === 'lead') {
      const { person } = action
      const customer = idOf(person, action.by)
      const clickId = click(action.via, action.clicked)
      deliveries.push({
        kind: 'lead',
        at: NOW,
        id: `lead_${index}`,
        customer,
        address: addressOf(person),
        click: clickId,
      })
    } else if (action.kind === 'import') {
      const { person, partner, startedDaysAgo } = action
      const startedAt = startedDaysAgo === null ? null : -24 * startedDaysAgo
      const customer = idOf(person, action.by)
      deliveries.push({
        kind: 'import',
        at: NOW,
        customer,
        address: addressOf(person),
        partner,
        startedAt,
      })
    } else if (action.kind === 'order') {
      const customer = idOf(action.person, action.by)
      const cents = 1_111 + 2_000 * index
      deliveries.push({
        kind: 'report',
        at: NOW,
        id: `order_a${index}`,
        customer,
        cents,
        click: click(action.via, 30),
      })
    } else {
      deliveries.push({ ...action, at: NOW })
    }
  }
  const isEdit = ({ kind }: { kind: string }) =>
    kind === 'terms' || kind === 'group' || kind === 'ban'
  // Which terms count for a sale that is reported before it is paid is not worth a rule.
  const hasEdits = actions.some(({ kind }) => kind === 'terms' || kind === 'group')
  for (const [index, purchase] of future.entries())
    buy(hasEdits ? { ...purchase, report: null } : purchase, 2 + index * 2)

  // What has not happened yet has not arrived.
  const keyOf = (fact: Fact, key: number) => (fact.at > 0 ? 100 + key : key)
  const order = deliveries
    .map((fact, index) => ({ fact, key: keyOf(fact, keys[index % keys.length] ?? 0) }))
    .sort((a, b) => a.key - b.key)
    .map(({ fact }) => fact)
  for (const repeat of repeats) {
    const position = repeat % order.length
    const again = order[position]
    if (again && !isEdit(again))
      order.splice(position + (repeat % (order.length - position)) + 1, 0, again)
  }
  // What is reported now has the time of its arrival.
  const arrived = order.map((fact, index) =>
    fact.at === NOW ? { ...fact, at: (index + 1) / 1e6 } : fact,
  )
  return { clicks, arrived }
}
