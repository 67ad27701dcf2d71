/** What an event of Stripe's led to: stable codes and facts, which are stored, and the words for them. */
import { formatMoney } from '../money.ts'

type SaleFacts = { externalId: string; amountCents: number; currency: string }

/** What an event led to. Amounts are minor units. */
export type StripeOutcome =
  /** The event made a sale that is credited to a partner, or credited one that was there. */
  | { code: 'sale_credited'; facts: SaleFacts & { slug: string } }
  /** The event made a sale, and there is nobody to credit it to. */
  | { code: 'sale_not_credited'; facts: SaleFacts }
  /** The sale is there already, and stays as it is. */
  | { code: 'nothing_changed'; facts: { externalId: string } }
  /** The sale's commission was taken back, or given again, in part or whole. The amount has its sign. */
  | { code: 'commission_changed'; facts: SaleFacts & { slug: string } }
  /** Nothing was paid, so nothing was sold; but the customer belongs to a partner from now on. */
  | { code: 'customer_kept'; facts: { slug: string } }
  /** Nothing was paid, so nothing is earned. */
  | { code: 'nothing_paid'; facts: Record<string, never> }
  /** It is about a payment of which nothing else is known yet. */
  | { code: 'no_sale'; facts: Record<string, never> }
  /** It is of no interest. */
  | { code: 'ignored'; facts: Record<string, never> }

/** An outcome in words that a partner manager understands. */
export const explainOutcome = (outcome: StripeOutcome | null): string => {
  if (outcome === null) return 'Received but not processed yet. Stripe will send it again.'
  const { code, facts } = outcome
  switch (code) {
    case 'sale_credited':
      return `The sale ${facts.externalId} of ${formatMoney(facts.amountCents, facts.currency)} is credited to “${facts.slug}”.`
    case 'sale_not_credited':
      return `The sale ${facts.externalId} of ${formatMoney(facts.amountCents, facts.currency)} is recorded without a partner.`
    case 'nothing_changed':
      return `The sale ${facts.externalId} was already recorded. Nothing changed.`
    case 'commission_changed':
      return facts.amountCents < 0
        ? `${formatMoney(-facts.amountCents, facts.currency)} of the commission of “${facts.slug}” for ${facts.externalId} was reversed.`
        : `${formatMoney(facts.amountCents, facts.currency)} of the commission of “${facts.slug}” for ${facts.externalId} was reinstated.`
    case 'customer_kept':
      return `Nothing was paid yet. The customer belongs to “${facts.slug}”, who is credited with later payments.`
    case 'nothing_paid':
      return 'Nothing was paid, so there is nothing to credit.'
    case 'no_sale':
      return 'The sale for this event has not been received yet. The event is applied when it is.'
    case 'ignored':
      return 'This type of event is ignored.'
  }
}
