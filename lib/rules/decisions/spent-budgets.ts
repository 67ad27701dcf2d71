/** Budgets among reports that are decided together: each spends what those before it have left. */
import type { Facts, PartnerTerms } from '../attribution/attribution.ts'
import type { Decision } from './decide.ts'

/** By program and month: what decided reports earn, in the currency of the budget. */
export type Spent = Map<string, number>

const keyOf = ({ programId, budget }: PartnerTerms): string => `${programId} ${budget?.month}`

/** Adds what a report earns. */
export const spend = (spent: Spent, { credit, commission }: Decision): void => {
  const { partner } = credit ?? {}
  if (!commission || commission.currency !== partner?.budget?.currency) return
  const key = keyOf(partner)
  spent.set(key, (spent.get(key) ?? 0) + Number(commission.amountCents))
}

type WithTerms = Pick<Facts, 'click' | 'customerPartner' | 'code'>

/** The facts of a report, which were loaded before the reports were saved. */
export const afterSpent = <F extends WithTerms>(facts: F, spent: Spent): F => {
  if (spent.size === 0) return facts
  const { click, customerPartner, code } = facts
  const after = (partner: PartnerTerms): PartnerTerms => {
    const { budget } = partner
    const more = spent.get(keyOf(partner)) ?? 0
    return budget
      ? { ...partner, budget: { ...budget, spentCents: budget.spentCents + more } }
      : partner
  }
  return {
    ...facts,
    click: click && { ...click, partner: after(click.partner) },
    customerPartner: customerPartner && after(customerPartner),
    code: code && { ...code, partner: code.partner && after(code.partner) },
  }
}
