/** A buyer with the name of the partner who is credited may be the partner. */
import type { Decision } from '../decisions/decide.ts'
import type { RecordedSale } from './plan.ts'

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
 * The decision, with its commission held if the buyer has the partner's name. Another person may
 * have that name, so it is held also where the program refuses self-referrals. What was recorded
 * stays, because names are erased.
 */
export const holdOwnName = (
  decision: Decision,
  buyer: string | null,
  recorded: RecordedSale | null,
): Decision => {
  const { credit, commission, steps } = decision
  const isHeld = steps.some(({ code }) => code === 'self_referral')
  if (!credit || !commission || isHeld) return decision
  const { id, slug, selfReferrals, names = [] } = credit.partner
  const was =
    recorded?.partnerId === id &&
    recorded.steps.some((step) => step.code === 'self_referral' && step.facts.by === 'name')
  if (selfReferrals === 'allow' || !(was || isOwnName(names, buyer))) return decision
  return { ...decision, steps: [...steps, { code: 'self_referral', facts: { slug, by: 'name' } }] }
}
