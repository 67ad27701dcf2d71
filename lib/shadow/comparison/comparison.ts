/** The comparison of some customers' sales: matched one to one, with the outcome of each. */
import {
  compareSale,
  type HereFacts,
  type Outcome,
  type Reason,
  type ThereFacts,
} from './compare.ts'
import { matchSales } from './match.ts'

export type ComparedSale = {
  /** A stable id: that of the commission, or else of the sale. */
  id: string
  bucket: string
  eventId: string | null
  platformCommissionId: string | null
  /** The day of the sale of ours, in UTC; else that of the commission. */
  day: string
  hereAt: Date | null
  outcome: Outcome
  reason: Reason | null
  hereCents: bigint | null
  hereCurrency: string | null
  thereCents: bigint | null
  thereCurrency: string | null
  /** The partner that Tributary credits. */
  partnerId: string | null
}

export type HereInBucket = HereFacts & { partnerId: string | null }

/** Compares sales and commissions of some customers. `newestAt` is the newest uploaded time. */
export const compareSales = (
  heres: readonly HereInBucket[],
  theres: readonly ThereFacts[],
  newestAt: Date | null,
): ComparedSale[] => {
  const pairs = matchSales(heres, theres)
  const hereOf = new Map(heres.map((here) => [here.id, here]))
  const thereOf = new Map(theres.map((there) => [there.id, there]))
  const matched = new Set(pairs.flatMap(({ hereId, thereId }) => [hereId, thereId]))
  const all: [HereInBucket | null, ThereFacts | null][] = [
    ...pairs.map(({ hereId, thereId }): [HereInBucket | null, ThereFacts | null] => [
      hereOf.get(hereId) ?? null,
      thereOf.get(thereId) ?? null,
    ]),
    ...heres.filter(({ id }) => !matched.has(id)).map((here): [HereInBucket, null] => [here, null]),
    ...theres
      .filter(({ id }) => !matched.has(id))
      .map((there): [null, ThereFacts] => [null, there]),
  ]
  return all.flatMap(([here, there]) => {
    const isSecond =
      here === null && there !== null && there.eventId !== null && hereOf.has(there.eventId)
    const compared = compareSale(here, there, newestAt, isSecond)
    if (!compared) return []
    const isThere = there !== null && compared.outcome !== 'only_here'
    const isHere = here !== null && compared.outcome !== 'only_there'
    const at = here?.at ?? there?.at
    return [
      {
        id: there?.id ?? here?.id ?? '',
        bucket: here?.customer ?? there?.customer ?? '',
        eventId: here?.id ?? null,
        platformCommissionId: there?.id ?? null,
        day: at?.toISOString().slice(0, 10) ?? '',
        hereAt: here?.at ?? null,
        ...compared,
        hereCents: isHere ? here.earnsCents : null,
        hereCurrency: isHere ? here.earnsCurrency : null,
        thereCents: isThere ? there.amountCents : null,
        thereCurrency: isThere ? there.currency : null,
        partnerId: here?.partnerId ?? null,
      },
    ]
  })
}
