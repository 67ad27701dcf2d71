/**
 * The rules as an account of facts: who is who, whose each sale is, and what it earns. Written from the specification,
 * and sharing no code with the system: it sees all facts at once, with their times, and not the order of their arrival.
 */

import {
  customerIds,
  type Fact,
  given,
  ofKind,
  type Partner,
  PROGRAM_OF,
  type Program,
  purchaseIds,
  type Settings,
} from './facts.ts'
import { type Sale, saleOf } from './sales.ts'

/** Which of the things are one, after so many statements that some of them are. @returns each thing's representative */
const unite = (statements: string[][]) => {
  const parents = new Map<string, string>()
  const find = (thing: string): string => {
    const parent = parents.get(thing) ?? thing
    return parent === thing ? thing : find(parent)
  }
  for (const [first, ...rest] of statements)
    for (const other of rest) if (first) parents.set(find(other), find(first))
  return find
}

type Referral = {
  at: number
  partner: Partner
  clickedAt: number | null
  isImport: boolean
  isFirst: boolean
}

/** @returns each purchase's sale, as "partner cents", and the function that finds a purchase by any of its ids */
export const account = (settings: Settings, facts: Fact[]) => {
  const clicks = new Map(ofKind(facts, 'click').map((click) => [click.id, click]))
  const purchaseOf = unite(facts.map(purchaseIds))
  const names = new Set(facts.flatMap(purchaseIds).map(purchaseOf))
  const factsOf = (name: string) =>
    facts.filter((fact) => purchaseIds(fact).some((id) => purchaseOf(id) === name))
  const customerOf = unite([
    ...facts.map(customerIds),
    ...[...names].map((name) => factsOf(name).flatMap(customerIds)),
  ])

  // The terms of a time: the latest ones that were set by then.
  const latest = <Value>(kind: Fact['kind'], at: number, first: Value, read: (fact: Fact) => Value | null) =>
    facts
      .filter((fact) => fact.kind === kind && fact.at <= at)
      .sort((a, b) => a.at - b.at)
      .reduce((value, fact) => read(fact) ?? value, first)
  const isActive = (partner: Partner, at: number) =>
    !latest('ban', at, false, (fact) =>
      fact.kind === 'ban' && fact.partner === partner ? fact.isBanned : null,
    )
  const isInGroup = (partner: Partner, at: number) =>
    latest('group', at, false, (fact) =>
      fact.kind === 'group' && fact.partner === partner ? fact.isIn : null,
    )
  const termsOf = (program: Program, at: number) =>
    latest('terms', at, settings.terms[program], (fact) =>
      fact.kind === 'terms' && fact.program === program ? fact.terms : null,
    )

  /** The partner whose link was followed, if the click counts at that time. */
  const clicked = (ids: (string | null)[], at: number) => {
    const [click] = given(...ids)
      .flatMap((id) => clicks.get(id) ?? [])
      .sort((a, b) => b.at - a.at)
    return click && at - click.at < 90 * 24 && isActive(click.partner, at) ? click : null
  }

  const sales = [...names]
    .flatMap((name) => saleOf(name, factsOf(name)) ?? [])
    .map((sale) => ({ ...sale, customer: sale.customer && customerOf(sale.customer) }))
    .sort((a, b) => a.at - b.at)

  /** Whose coupon or link was used for the purchase itself, or for the trial before it. */
  const ownCredit = (sale: Sale) => {
    const isFirst = sales.every((other) => other.subscription !== sale.subscription || other.at >= sale.at)
    const trial =
      sale.subscription !== null && isFirst
        ? ofKind(facts, 'checkout').find(
            ({ subscription, gross }) => subscription === sale.subscription && gross === 0,
          )
        : undefined
    const checkout = sale.checkout ?? trial
    const coupons = given(checkout?.coupon, sale.invoice?.coupon) as Partner[]
    const coupon = coupons.find((partner) => isActive(partner, sale.at))
    if (coupon) return { partner: coupon, by: 'coupon' as const, clickedAt: null }
    const reported = ofKind(sale.facts, 'report').map(({ click }) => click)
    const click = clicked([checkout?.click ?? null, ...reported], sale.at)
    return click && { partner: click.partner, by: 'click' as const, clickedAt: click.at }
  }

  const { attribution } = settings
  const referrals = (customer: string, until: number): Referral[] =>
    [
      ...facts.flatMap((fact): (Referral & { customer: string })[] => {
        if (fact.kind === 'import') return [{ ...fact, clickedAt: null, isImport: true, isFirst: false }]
        if (fact.kind === 'lead') {
          const click = clicked([fact.click], fact.at)
          if (!click) return []
          const { at, customer } = fact
          const { partner } = click
          return [
            { customer, at, partner, clickedAt: click.at, isImport: false, isFirst: attribution === 'first' },
          ]
        }
        if (fact.kind !== 'checkout' || fact.gross > 0) return []
        const partner = fact.coupon ?? clicked([fact.click], fact.at)?.partner
        const [id] = customerIds(fact)
        if (!partner || !id || !isActive(partner, fact.at)) return []
        return [{ customer: id, at: fact.at, partner, clickedAt: null, isImport: false, isFirst: true }]
      }),
      ...sales.flatMap((sale) => {
        const own = ownCredit(sale)
        if (!own || !sale.customer) return []
        const at = sale.checkout?.at ?? sale.at
        // A report may follow the payment of something else; a checkout follows its own click.
        const clickedAt = sale.isStripes ? null : own.clickedAt
        return [
          {
            ...own,
            clickedAt,
            customer: sale.customer,
            at,
            isImport: false,
            isFirst: attribution === 'first',
          },
        ]
      }),
    ]
      .filter((referral) => customerOf(referral.customer) === customer && referral.at <= until)
      .sort((a, b) => a.at - b.at)

  const ownerAt = (customer: string, at: number): Partner | null => {
    const owner = referrals(customer, at).reduce<Partner | null>(
      (before, { partner, isImport, isFirst }) => (before && isFirst && !isImport ? before : partner),
      null,
    )
    const late = referrals(customer, Number.POSITIVE_INFINITY).find(
      ({ clickedAt }) => clickedAt !== null && clickedAt <= at,
    )
    return owner ?? late?.partner ?? null
  }

  /** By the Stripe customers that a paid invoice has bound by its address. */
  const bound = new Map<string, string>()
  /** The customer whose address the merchant has reported. */
  const byAddress = (address: string): string | null => {
    const reported = facts.find(
      (fact) => (fact.kind === 'lead' || fact.kind === 'import') && fact.address === address,
    )
    const [id] = reported ? customerIds(reported) : []
    return id ? customerOf(id) : null
  }

  const credited = new Map<string, Partner | null>()
  const rewarded: { customer: string; program: Program; at: number }[] = []

  /** Whose purchase it is: the customer of its ids, or else of its address. */
  const buyerOf = (sale: Sale): string | null => {
    const customer = sale.customer && (bound.get(sale.customer) ?? sale.customer)
    if (!sale.isStripes || ownCredit(sale) || (customer && ownerAt(customer, sale.at))) return customer
    const other = byAddress(sale.invoice?.address ?? sale.checkout?.address ?? '')
    if (!other || !ownerAt(other, sale.at)) return customer
    if (sale.invoice && sale.customer) bound.set(sale.customer, other)
    return other
  }

  const creditOf = (sale: Sale, buyer: string | null): Partner | null => {
    const own = ownCredit(sale)
    const owner = buyer ? ownerAt(buyer, sale.at) : null
    const active = (partner: Partner | null) => (partner && isActive(partner, sale.at) ? partner : null)
    if (own?.by === 'coupon') return own.partner
    if (own) {
      const isKept = attribution === 'first' && owner && PROGRAM_OF[owner] === PROGRAM_OF[own.partner]
      return (isKept && active(owner)) || own.partner
    }
    if (!sale.isStripes) return settings.knownCustomers ? active(owner) : null
    const before = sales.find(
      (other) => sale.subscription !== null && other.subscription === sale.subscription && other.at < sale.at,
    )
    if (!before) return active(owner)
    const imported = buyer
      ? referrals(buyer, sale.at).filter(({ isImport, at }) => isImport && at > before.at)
      : []
    return active(imported.at(-1)?.partner ?? credited.get(before.name) ?? null)
  }

  const earns = (sale: Sale, buyer: string | null, partner: Partner): number => {
    const program = PROGRAM_OF[partner]
    const terms = termsOf(program, sale.at)
    const isAlone = ofKind(sale.facts, 'report').some(({ id }) => id.startsWith('order')) && !sale.isStripes
    if (settings.salesFrom === 'stripe' && isAlone) return 0
    const [imported] = ofKind(facts, 'import')
      .filter((fact) => customerOf(fact.customer) === buyer && PROGRAM_OF[fact.partner] === program)
      .filter((fact) => fact.at <= sale.at && fact.startedAt !== null)
      .sort((a, b) => b.at - a.at)
    const starts = [
      ...(imported ? [imported.startedAt ?? 0] : []),
      ...rewarded
        .filter((one) => one.customer === (buyer ?? '') && one.program === program)
        .map(({ at }) => at),
    ]
    const first = starts.length ? Math.min(...starts) : null
    if (first !== null && terms.interval === 'one-time') return 0
    if (first !== null && terms.months !== null && sale.at >= first + terms.months * 30 * 24) return 0
    const reward = isInGroup(partner, sale.at) ? { percent: settings.groupPercent } : terms.reward
    if ('percent' in reward) return Math.floor((sale.net * reward.percent + 50) / 100)
    return sale.invoice?.isProration ? 0 : Math.min(reward.flatCents, sale.net)
  }

  const results: Record<string, string> = {}
  for (const sale of sales) {
    const buyer = buyerOf(sale)
    const partner = creditOf(sale, buyer)
    credited.set(sale.name, partner)
    const earned = partner ? earns(sale, buyer, partner) : 0
    if (partner && earned > 0)
      rewarded.push({ customer: buyer ?? '', program: PROGRAM_OF[partner], at: sale.at })
    const back = Math.min(sale.refunded, sale.gross)
    const left = earned - Math.floor((2 * earned * back + sale.gross) / (2 * sale.gross))
    results[sale.name] = partner ? `${partner} ${left}` : 'nobody 0'
  }
  return { sales: results, purchaseOf, customerOf }
}
