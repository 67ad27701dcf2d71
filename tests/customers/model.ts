/**
 * The rules as an account of facts: who is who, whose each sale is, and what it earns. Written from
 * the specification, and sharing no code with the system: it sees all facts at once, with their
 * times. The order of their arrival matters only where a rule says so.
 */
import {
  customerIds,
  type Fact,
  ofKind,
  type Partner,
  PROGRAM_OF,
  type Program,
  type Settings,
} from './facts.ts'
import { readOwners } from './owners.ts'
import type { Sale } from './sales.ts'

/**
 * The facts but for those that say nothing new: a report under an id that was reported, and an
 * import of what is known.
 */
const withoutRepeats = (settings: Settings, arrived: Fact[]): Fact[] => {
  const facts: Fact[] = []
  for (const fact of arrived) {
    if (isReport(fact) && facts.some((other) => other.kind === fact.kind && other.id === fact.id))
      continue
    if (fact.kind === 'import' && isImported(readOwners(settings, facts), fact)) continue
    facts.push(fact)
  }
  return facts
}

const isReport = (fact: Fact): fact is Extract<Fact, { kind: 'lead' | 'report' }> =>
  fact.kind === 'lead' || fact.kind === 'report'

const isImported = (
  { customerOf, referrals }: ReturnType<typeof readOwners>,
  { customer, partner, startedAt }: Extract<Fact, { kind: 'import' }>,
): boolean => {
  const moving = referrals(customerOf(customer), Number.POSITIVE_INFINITY).filter(
    (one) => one.isImport || !one.isFirst,
  )
  const last = moving.at(-1)
  const started = moving.findLast((one) => one.startedAt !== null)
  return (
    last?.isImport === true &&
    last.partner === partner &&
    (startedAt === null ||
      (started?.startedAt === startedAt && PROGRAM_OF[started.partner] === PROGRAM_OF[partner]))
  )
}

/**
 * @param arrived in the order of their arrival
 * @returns each purchase's sale, as "partner cents"; the pairs that look alike, and whether one of
 *   each is held; and the function that finds a purchase by any of its ids
 */
export const account = (settings: Settings, arrived: Fact[]) => {
  const facts = withoutRepeats(settings, arrived)
  const {
    purchaseOf,
    customerOf,
    sales,
    clicked,
    isActive,
    isInGroup,
    isFirstIn,
    termsOf,
    ...owners
  } = readOwners(settings, facts)
  const { firstOf, isUnseen, ownClick, ownCredit, referrals, isLate, findOwner, ownerAt } = owners

  /**
   * The customer whose address the merchant has reported, maybe as its id, by an import until then,
   * or by a report.
   */
  const byAddress = (address: string, at: number): string | null => {
    const reported = facts.find(
      (fact) => (fact.kind !== 'import' || fact.at <= at) && names(fact, address),
    )
    const [id] = reported ? customerIds(reported) : []
    return id ? customerOf(id) : null
  }
  const names = (fact: Fact, address: string): boolean =>
    (fact.kind === 'import' || (isReport(fact) && clicked([fact.click], fact.at) !== null)) &&
    (fact.customer === address || ('address' in fact && fact.address === address))
  /** When a customer's address was named, if a report named it, and not an import alone. */
  const namedAt = (customer: string): number | null => {
    const naming = facts.filter(
      (fact) =>
        'customer' in fact &&
        customerOf(fact.customer ?? '') === customer &&
        names(fact, ('address' in fact && fact.address) || (fact.customer ?? '')) &&
        (('address' in fact && fact.address) || fact.customer?.includes('@')),
    )
    return naming.some(isReport) ? Math.min(...naming.map(({ at }) => at)) : null
  }

  const credited = new Map<string, Partner | null>()
  const rewarded: {
    customer: string
    program: Program
    subscription: string | null
    at: number
  }[] = []

  /**
   * Whose purchase it is: the customer of its ids, or else of its address; and when that was named,
   * if only that says so.
   */
  const findBuyer = (sale: Sale): { buyer: string | null; named: number | null } => {
    const { customer } = sale
    const isAtStripe = sale.checkout !== null || sale.invoice !== null
    const hasCredit = ownCredit(sale) && !isUnseen(sale)
    const own = { buyer: customer, named: null }
    if (!isAtStripe || hasCredit || (customer && ownerAt(customer, sale.at, sale))) return own
    const other = byAddress(sale.invoice?.address ?? sale.checkout?.address ?? '', sale.at)
    if (!other || !findOwner(other, sale.at, undefined, namedAt(other)).partner) return own
    return { buyer: other, named: namedAt(other) }
  }

  /** Sales that are held because a report came late, if they earn. */
  const late = new Set<string>()

  const creditOf = (sale: Sale, { buyer, named }: ReturnType<typeof findBuyer>): Partner | null => {
    const { partner: owner, reportedAt } = buyer
      ? findOwner(buyer, sale.at, undefined, named)
      : { partner: null, reportedAt: null }
    const active = (partner: Partner | null) =>
      partner && isActive(partner, sale.termsAt) ? partner : null
    const before = firstOf(sale)
    if (sale.isStripes && before) {
      const imported =
        buyer && owner
          ? referrals(buyer, sale.at).filter(({ isImport, at }) => isImport && at > before.at)
          : []
      if (imported.length === 0 && late.has(before.name)) late.add(sale.name)
      return active(imported.at(-1)?.partner ?? credited.get(before.name) ?? null)
    }
    const credit = () => {
      if (reportedAt !== null && isLate(reportedAt, sale.at)) late.add(sale.name)
      return active(owner)
    }
    // What earns as it is reported has no coupon.
    const own = sale.isStripes ? ownCredit(sale) : ownClick(sale)
    if (sale.isStripes && isUnseen(sale)) return owner ? credit() : (own?.partner ?? null)
    if (own?.by === 'coupon') return own.partner
    if (own) {
      const isKept =
        owner &&
        isFirstIn(own.partner, sale.termsAt) &&
        PROGRAM_OF[owner] === PROGRAM_OF[own.partner]
      return (isKept && active(owner)) || own.partner
    }
    if (sale.isStripes) return credit()
    const terms = owner && termsOf(PROGRAM_OF[owner], sale.termsAt)
    return terms?.knownCustomers || (terms && reportedAt !== null && terms.lateDays > 0)
      ? credit()
      : null
  }

  const earns = (sale: Sale, buyer: string | null, partner: Partner): number => {
    const program = PROGRAM_OF[partner]
    const terms = termsOf(program, sale.termsAt)
    const isAlone =
      ofKind(sale.facts, 'report').some(({ id }) => id.startsWith('order')) && !sale.isStripes
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
    if (first !== null && terms.months !== null && sale.at >= first + terms.months * 30 * 24)
      return 0
    const reward = isInGroup(partner, sale.termsAt)
      ? { percent: settings.groupPercent }
      : terms.reward
    if ('percent' in reward) return Math.floor((sale.net * reward.percent + 50) / 100)
    // A one-time reward is for the customer, not for the period. The first payment of a
    // subscription is no change of it.
    const isChange = rewarded.some(
      (one) => one.customer === (buyer ?? '') && one.subscription === sale.subscription,
    )
    return sale.isStripes &&
      sale.invoice?.reason === 'subscription_update' &&
      isChange &&
      terms.interval === 'recurring'
      ? 0
      : Math.min(reward.flatCents, sale.net)
  }

  const results: Record<string, string> = {}
  const accounted: (Sale & { buyer: string | null; earns: boolean })[] = []
  for (const sale of sales) {
    const found = findBuyer(sale)
    const { buyer } = found
    if (!sale.isSale) continue
    const partner = creditOf(sale, found)
    credited.set(sale.name, partner)
    const earned = partner ? earns(sale, buyer, partner) : 0
    if (earned === 0) late.delete(sale.name)
    if (partner && earned > 0)
      rewarded.push({
        customer: buyer ?? '',
        program: PROGRAM_OF[partner],
        subscription: sale.subscription,
        at: sale.at,
      })
    accounted.push({ ...sale, buyer, earns: earned > 0 })
    // The two may be the same refund. What the merchant reports is without tax.
    const asked =
      sale.net > 0 ? Math.floor((2 * sale.gross * sale.asked + sale.net) / (2 * sale.net)) : 0
    const back = Math.min(Math.max(sale.refunded, asked), sale.gross)
    const left = earned - Math.floor((2 * earned * back + sale.gross) / (2 * sale.gross))
    results[sale.name] = partner ? `${partner} ${left}` : 'nobody 0'
  }

  /** Whether an order of the merchant's looks like a purchase at Stripe: one of the two is held. */
  const isAlike = (
    order: (typeof accounted)[number],
    purchase: (typeof accounted)[number],
  ): boolean =>
    !order.isStripes &&
    purchase.isStripes &&
    !purchase.facts.some(isReport) &&
    [purchase.gross, purchase.net].includes(order.net) &&
    ((order.buyer !== null && order.buyer === purchase.buyer) ||
      (ownClick(order)?.id ?? 'none') === ownClick(purchase)?.id)
  const alike = accounted.flatMap((order) =>
    accounted
      .filter((other) => isAlike(order, other))
      .map((other) => ({ names: [order.name, other.name], isHeld: order.earns && other.earns })),
  )
  return { sales: results, alike, late, purchaseOf, customerOf }
}
