/** A program's monthly budget: what is above it is held. docs/budgets.md. */
import type { Money } from '../../values/money.ts'

/** What the commissions of a calendar month may come to. */
export type MonthlyBudget = { amountCents: number; currency: string }

/** A month's budget, and what the program's commissions of the month come to, less reversals. */
export type BudgetUse = {
  /** In UTC: 2026-11. */
  month: string
  budgetCents: number
  currency: string
  spentCents: number
}

/** Whether a commission of the month is above the budget. Other currencies have none. */
export const exceedsBudget = (
  { amountCents, currency }: Money,
  budget: BudgetUse | null,
): boolean =>
  budget !== null &&
  budget.currency === currency &&
  BigInt(budget.spentCents) + amountCents > BigInt(budget.budgetCents)
