/** What the caps of a reward are to leave of what a sale earns, computed anew. */
import type { Cap } from '../rules/rewards/caps.ts'
import type { Step } from '../rules/steps/steps.ts'
import { formatMoney } from '../values/money.ts'

/** The cap that was applied to a sale, by the step that says so. */
export type AppliedCap = Extract<Step, { code: 'cap_applied' }>['facts']

type Capped = {
  amountCents: number
  currency: string
  caps: Cap[] | null
  /** What earlier sales of the customer earned the partner; null if no cap asks for it. */
  earnedBefore: number | null
}

/**
 * Why the caps can't have left the commission of a sale, in a sentence for an operator; null if they
 * can. What others had earned in the month when it was decided is not kept: it earns at most the cap.
 */
export const checkCaps = (
  externalId: string,
  applied: AppliedCap | null,
  { amountCents, currency, caps, earnedBefore }: Capped,
): string | null => {
  const rooms = (caps ?? [])
    .filter((cap) => cap.currency === currency)
    .map((cap) =>
      cap.per === 'customer' ? Math.max(0, cap.amountCents - (earnedBefore ?? 0)) : cap.amountCents,
    )
  const most = Math.min(applied?.beforeCents ?? amountCents, ...rooms)
  const isLeft = applied?.per === 'partner_month' ? amountCents <= most : amountCents === most
  if (isLeft && (applied?.leftCents ?? amountCents) === amountCents) return null
  return `${externalId}: the caps of its reward leave ${formatMoney(most, currency)}. The ledger has a commission of ${formatMoney(amountCents, currency)}.`
}
