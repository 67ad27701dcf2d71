/** The outcomes of processor events: stored, stable codes and facts, and their explanations. */
import { formatMoney, type MoneyFormat } from '../../values/money.ts'
import type { Mode } from './processors.ts'

type SaleFacts = { externalId: string; amountCents: number; currency: string }

/** Why an event does not count. Each delivery is read again: the reason may be gone. */
export type Refusal =
  /** The event is of the mode that the workspace is not for. */
  | { code: 'wrong_mode'; facts: { mode: Mode } }
  /** The event is of an account connected to the merchant's, so it is no sale of the merchant. */
  | { code: 'connected_account'; facts: { account: string } }
  /** The event is of the merchant's account, and is signed for connected accounts. */
  | { code: 'wrong_secret'; facts: Record<string, never> }
  /** The event is not in a form that is understood. */
  | { code: 'unreadable'; facts: { reason: string } }

export const REFUSAL_CODES: Refusal['code'][] = [
  'wrong_mode',
  'connected_account',
  'wrong_secret',
  'unreadable',
]

/** Amounts are minor units. */
export type EventOutcome =
  | Refusal
  /** A sale was recorded or updated, and is credited to a partner. */
  | { code: 'sale_credited'; facts: SaleFacts & { slug: string } }
  /** A sale was recorded or updated, and no partner is credited. */
  | { code: 'sale_not_credited'; facts: SaleFacts }
  /** The sale was recorded before, and is unchanged. */
  | { code: 'nothing_changed'; facts: { externalId: string } }
  /** A commission was reversed (negative amount) or reinstated, in part or in whole. */
  | { code: 'commission_changed'; facts: SaleFacts & { slug: string } }
  /** Nothing was paid yet, but the customer was referred by a partner. */
  | { code: 'customer_kept'; facts: { slug: string } }
  /** Sales earn as the merchant reports them by API, so this payment is no sale of its own. */
  | { code: 'sale_expected_from_api'; facts: Record<string, never> }
  /** Nothing was paid. */
  | { code: 'nothing_paid'; facts: Record<string, never> }
  /** The event concerns a payment that is not known yet. */
  | { code: 'no_sale'; facts: Record<string, never> }
  /** A payment that may belong to an invoice or checkout: applied then if neither arrives. */
  | { code: 'waiting'; facts: { until: string } }
  /** A return in another currency than the sale's: it counts once its payment's amount is known. */
  | { code: 'waiting_for_payment'; facts: SaleFacts }
  /** The event says something of a customer that its payments may depend on. */
  | { code: 'customer_noted'; facts: Record<string, never> }
  /** The event type is not used. */
  | { code: 'ignored'; facts: Record<string, never> }

/** The explanation of an outcome, for partner managers. @param money formats its amounts */
export const explainOutcome = (
  outcome: EventOutcome | null,
  money: MoneyFormat = formatMoney,
): string => {
  if (outcome === null) return 'Received but not processed yet. It will be sent again.'
  const { code, facts } = outcome
  switch (code) {
    case 'sale_credited':
      return `The sale ${facts.externalId} of ${money(facts.amountCents, facts.currency)} is credited to “${facts.slug}”.`
    case 'sale_not_credited':
      return `The sale ${facts.externalId} of ${money(facts.amountCents, facts.currency)} is recorded without a partner.`
    case 'nothing_changed':
      return `The sale ${facts.externalId} was already recorded. Nothing changed.`
    case 'commission_changed':
      return facts.amountCents < 0
        ? `${money(-facts.amountCents, facts.currency)} of the commission of “${facts.slug}” for ${facts.externalId} was reversed.`
        : `${money(facts.amountCents, facts.currency)} of the commission of “${facts.slug}” for ${facts.externalId} was reinstated.`
    case 'customer_kept':
      return `Nothing was paid yet. The customer belongs to “${facts.slug}”, who is credited with later payments.`
    case 'sale_expected_from_api':
      return 'Sales of this workspace are reported by API, so this payment is not recorded as a sale.'
    case 'nothing_paid':
      return 'Nothing was paid, so nothing is credited.'
    case 'no_sale':
      return 'The sale for this event has not been received yet. The event is applied when it is.'
    case 'waiting':
      return 'The payment may belong to an invoice or a checkout. If neither is received within 15 minutes, it is a sale of its own.'
    case 'waiting_for_payment':
      return `${money(facts.amountCents, facts.currency)} was returned of the sale ${facts.externalId}, which is in another currency. It counts once the payment’s own event is received.`
    case 'customer_noted':
      return 'The customer’s details are recorded, for its payments.'
    case 'wrong_mode':
      return `The event is of ${facts.mode} mode, and this workspace is not. It does not count.`
    case 'connected_account':
      return `The event is of the connected account ${facts.account}, not of your own. It does not count.`
    case 'wrong_secret':
      return 'The event is of your own account, and is signed with a secret for connected accounts. It does not count. Remove the secret, add it for your own account, and resend the event.'
    case 'unreadable':
      return `The event cannot be read: ${facts.reason}. It does not count.`
    case 'ignored':
      return 'This type of event is ignored.'
  }
}
