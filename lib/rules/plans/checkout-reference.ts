/**
 * Whether the reference of a checkout may say who bought. A buyer may have written it, so it never
 * merges two customers who both have payments or an owner.
 */
import type { Identity } from '../identities/identities.ts'
import type { PossibleMerge } from '../identities/possible-merges.ts'
import { type Candidate, isSame } from './buyer.ts'

/** What the database knows beside the candidates, of the ids of a purchase with a reference. */
export type Elsewhere = {
  /** The customers of other sales that only an address matched: the sales are of one of the ids. */
  addressed: string[]
  /** The ids under which other sales were reported, as long as nobody is known by them. */
  untied: string[]
}

export type ReadReference = {
  /** The ids that say who bought. */
  wanted: Identity[]
  /** What has to be tied first: a possible merge is of two known customers. */
  first: Identity[] | null
  /** A manager decides whether they are one. Null if the pair is known. */
  possibleMerge: PossibleMerge | null
}

/**
 * Adds the reference of a checkout to the ids that say who bought, unless that would merge two such
 * customers, or two who are a possible merge already. The purchase itself counts for neither: its
 * events arrive in any order.
 *
 * @param said    the purchase's other ids
 * @param origins of the purchase's own referrals
 */
export const readReference = (
  said: Identity[],
  reference: Identity | null,
  candidates: Candidate[],
  { addressed, untied }: Elsewhere,
  origins: string[],
): ReadReference => {
  const alone = { wanted: said, first: null, possibleMerge: null }
  if (!reference || said.some((id) => isSame(id, reference))) return alone
  const withIds = (ids: Identity[]) =>
    candidates.filter(({ identities }) =>
      identities.some((own) => ids.some((id) => isSame(own, id))),
    )
  const payers = withIds(said)
  const [payer] = payers
  const [named] = withIds([reference])
  // The ids that the merchant reported come first.
  if (payers.length > 1) return alone
  if (payer && payer === named) return { ...alone, wanted: [...said, reference] }

  const counts = ({ hasPaid, referrals }: Candidate): boolean =>
    hasPaid || referrals.some(({ origin }) => !origins.includes(origin))
  const hasUntied = (ids: Identity[]) => ids.some(({ value }) => untied.includes(value))
  const isPair = payer !== undefined && named !== undefined && payer.pairedWith.includes(named.id)
  const payerCounts =
    (payer && counts(payer)) ||
    hasUntied(said) ||
    addressed.some((customerId) => customerId !== named?.id)
  const namedCounts = (named && counts(named)) || hasUntied([reference])
  if (!isPair && !(payerCounts && namedCounts)) return { ...alone, wanted: [...said, reference] }
  if (!payer) return { ...alone, first: said }
  if (!named) return { ...alone, first: [reference] }
  return {
    ...alone,
    possibleMerge: isPair ? null : { customerId: payer.id, namedCustomerId: named.id },
  }
}
