/** A buyer with the name of the partner who is credited, or with its card, may be the partner. */
import { selfReferralBy } from '../attribution/self-referrals.ts'
import type { Decision } from '../decisions/decide.ts'
import type { KnownFacts, RecordedSale } from './plan.ts'

/**
 * A name as it is compared: its words in any order, without case, accents and punctuation. Null for
 * a single word, which many have.
 */
const nameKey = (name: string): string | null => {
  const words =
    name
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return words.length > 1 ? words.sort().join(' ') : null
}

/** Whether a buyer has one of a partner's names. */
const isOwnName = (own: string[], buyer: string | null): boolean => {
  const key = nameKey(buyer ?? '')
  return key !== null && own.some((name) => nameKey(name) === key)
}

/**
 * The decision, held if the buyer has the partner's name, or somebody with the partner's address
 * has paid with the same card. Another person may have that name or card, so it is held also where
 * self-referrals are refused. What was recorded stays, because names and fingerprints are erased.
 */
export const holdOwnPurchase = (
  decision: Decision,
  buyer: string | null,
  { recorded, card }: Pick<KnownFacts, 'recorded' | 'card'>,
): Decision => {
  const { credit, commission, steps } = decision
  const isHeld = steps.some(({ code }) => code === 'self_referral')
  if (!credit || !commission || isHeld || credit.partner.selfReferrals === 'allow') return decision
  const { id, slug, emails, names = [] } = credit.partner
  const by =
    (recorded?.partnerId === id ? recordedAs(recorded) : null) ??
    (isOwnName(names, buyer) ? 'name' : null) ??
    (selfReferralBy(emails, card.emails) ? 'card' : null)
  return by
    ? { ...decision, steps: [...steps, { code: 'self_referral', facts: { slug, by } }] }
    : decision
}

/** What a sale is recorded as held by, if it was a name or a card. */
const recordedAs = ({ steps }: RecordedSale): 'name' | 'card' | null => {
  const by = steps.find((step) => step.code === 'self_referral')?.facts.by
  return by === 'name' || by === 'card' ? by : null
}
