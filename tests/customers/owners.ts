/**
 * Who is who in a history, and whose each customer is at a time: part of the model, see model.ts.
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

/**
 * Which of the things are one, after so many statements that some of them are.
 * @returns each thing's representative
 */
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

/** In hours. */
const FIVE_MINUTES = 1 / 12

const numbers = (...values: (number | null | undefined)[]): number[] =>
  values.filter((value) => value !== null && value !== undefined)

type Referral = {
  at: number
  partner: Partner
  clickedAt: number | null
  isImport: boolean
  startedAt: number | null
  isFirst: boolean
}

/** What is known after all facts. */
export const readOwners = (settings: Settings, facts: Fact[]) => {
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
  const latest = <Value>(
    kind: Fact['kind'],
    at: number,
    first: Value,
    read: (fact: Fact) => Value | null,
  ) =>
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
    .flatMap((name) => saleOf(name, factsOf(name), settings) ?? [])
    .map((sale) => ({ ...sale, customer: sale.customer && customerOf(sale.customer) }))
    .sort((a, b) => a.at - b.at)

  /** Through whose link a purchase was made, as its checkout or the merchant's report says. */
  const ownClick = (sale: Sale) => {
    const reported = ofKind(sale.facts, 'report').map(({ click }) => click)
    return byClick([sale.checkout?.click ?? null, ...reported], sale)
  }
  const byClick = (ids: (string | null)[], { termsAt }: Sale) => {
    const click = clicked(ids, termsAt)
    return (
      click && { id: click.id, partner: click.partner, by: 'click' as const, clickedAt: click.at }
    )
  }
  const byCoupon = (code: Partner | null | undefined, { termsAt }: Sale) =>
    code && isActive(code, termsAt)
      ? { partner: code, by: 'coupon' as const, clickedAt: null }
      : null

  /** The first sale of its subscription, of a later one. */
  const firstOf = (sale: Sale): Sale | undefined =>
    sales.find(
      (other) =>
        sale.subscription !== null &&
        other.subscription === sale.subscription &&
        other.at < sale.at,
    )

  /** Whose coupon or link the trial before it was begun with. */
  const trialCredit = (sale: Sale) => {
    if (sale.subscription === null || settings.salesFrom === 'api' || firstOf(sale)) return null
    const trial = ofKind(facts, 'checkout').find(
      ({ subscription, gross }) => subscription === sale.subscription && gross === 0,
    )
    return trial ? (byCoupon(trial.coupon, sale) ?? byClick([trial.click], sale)) : null
  }

  /** Whether it is a renewal of a subscription whose beginning is not known. */
  const isUnseen = (sale: Sale): boolean =>
    sale.invoice?.reason === 'subscription_cycle' && !firstOf(sale) && !trialCredit(sale)

  /**
   * Whose coupon or link was used for the purchase itself, or for the trial before it. A renewal's
   * say nothing.
   */
  const ownCredit = (sale: Sale) => {
    if (firstOf(sale) && settings.salesFrom !== 'api') return null
    const own =
      byCoupon(sale.checkout?.coupon, sale) ??
      byCoupon(sale.invoice?.coupon, sale) ??
      ownClick(sale)
    return trialCredit(sale) ?? own
  }

  const isFirstIn = (partner: Partner, at: number) =>
    termsOf(PROGRAM_OF[partner], at).attribution === 'first'
  const referrals = (customer: string, until: number, except?: Sale): Referral[] =>
    [
      ...facts.flatMap((fact): (Referral & { customer: string })[] => {
        if (fact.kind === 'import')
          return [{ ...fact, clickedAt: null, isImport: true, isFirst: false }]
        if (fact.kind === 'lead') {
          const click = clicked([fact.click], fact.at)
          if (!click) return []
          const { at, customer } = fact
          const { partner } = click
          const isFirst = isFirstIn(partner, at)
          return [
            {
              customer,
              at,
              partner,
              clickedAt: click.at,
              isImport: false,
              startedAt: null,
              isFirst,
            },
          ]
        }
        if (fact.kind !== 'checkout' || fact.gross > 0) return []
        const coupon = fact.coupon && isActive(fact.coupon, fact.at) ? fact.coupon : null
        const click = coupon ? null : clicked([fact.click], fact.at)
        const partner = coupon ?? click?.partner
        const [id] = customerIds(fact)
        if (!partner || !id) return []
        return [
          {
            customer: id,
            at: fact.at,
            partner,
            clickedAt: null,
            isImport: false,
            startedAt: null,
            isFirst: true,
          },
        ]
      }),
      ...sales.flatMap((sale) => {
        const own = ownCredit(sale)
        if (!own || !sale.customer || sale === except) return []
        const at = sale.referredAt
        const isRenewal = sale.invoice?.reason === 'subscription_cycle' && !trialCredit(sale)
        const isFirst = isRenewal || isFirstIn(own.partner, sale.termsAt)
        // A report may follow the payment of something else; a checkout follows its own click.
        const clickedAt = sale.checkout || sale.invoice ? null : own.clickedAt
        return [
          {
            ...own,
            clickedAt,
            customer: sale.customer,
            at,
            isImport: false,
            startedAt: null,
            isFirst,
          },
        ]
      }),
    ]
      .filter((referral) => customerOf(referral.customer) === customer && referral.at <= until)
      .sort((a, b) => a.at - b.at)

  /**
   * Whether what was reported later counts for a partner's payment: minutes later as if before, and
   * days later if the program says so.
   */
  const isInTime = (reportedAt: number, partner: Partner, at: number): boolean =>
    reportedAt - at <= Math.max(FIVE_MINUTES, 24 * termsOf(PROGRAM_OF[partner], at).lateDays)
  const isLate = (reportedAt: number, at: number): boolean => reportedAt - at > FIVE_MINUTES

  /**
   * The owner, and when it was reported if that was only later.
   * @param namedAt when its address was named, if only that says who it is
   */
  const findOwner = (
    customer: string,
    at: number,
    except?: Sale,
    namedAt: number | null = null,
  ) => {
    const known = referrals(customer, at, except).reduce<Partner | null>(
      (before, { partner, isImport, isFirst }) =>
        before && isFirst && !isImport ? before : partner,
      null,
    )
    const late = referrals(customer, Number.POSITIVE_INFINITY, except).find(
      ({ clickedAt, at: referredAt, partner }) =>
        clickedAt !== null && clickedAt <= at && isInTime(referredAt, partner, at),
    )
    const partner = known ?? late?.partner ?? null
    if (!partner || (namedAt !== null && !isInTime(namedAt, partner, at)))
      return { partner: null, reportedAt: null }
    const times = [...numbers(known ? null : late?.at, namedAt)].filter((time) => time > at)
    return { partner, reportedAt: times.length ? Math.max(...times) : null }
  }
  const ownerAt = (customer: string, at: number, except?: Sale): Partner | null =>
    findOwner(customer, at, except).partner

  return {
    purchaseOf,
    customerOf,
    sales,
    clicked,
    isActive,
    isInGroup,
    isFirstIn,
    termsOf,
    firstOf,
    isUnseen,
    ownClick,
    ownCredit,
    referrals,
    isLate,
    findOwner,
    ownerAt,
  }
}
