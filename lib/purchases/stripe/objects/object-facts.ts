import type { Fact } from '../../../rules/purchases/facts.ts'

/** What an object of Stripe's says. See `ProcessorEvent`. */
export type ObjectFacts = {
  customer?: string | null
  email?: string | null
  keys: (string | null)[]
  facts: Fact[]
}
