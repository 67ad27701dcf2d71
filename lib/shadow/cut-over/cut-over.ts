/** A cut-over ends a shadow run, and takes over what the other platform still owes partners. */

/** Why a partner's balance cannot be taken over, and what to do. */
export const REFUSALS = {
  no_partner:
    'These commissions name no partner. Upload them with the partner’s address, or leave them out.',
  partner_not_found:
    'No partner of this program has this address. Import the partner, or leave it out.',
  partner_banned: 'The partner is banned here. Leave it out, or approve the partner.',
  has_opening_balance: 'The partner has an opening balance already. Leave it out.',
  too_large: 'The balance exceeds the maximum amount of a commission. Leave it out.',
} as const
type RefusalCode = keyof typeof REFUSALS

/** Why nothing is cut over while a platform is read, or after that has failed. */
const UNREAD =
  'The other platform’s commissions are not read to the end, so what it owes is not known. Wait for the reading, continue it, or discard it.'

/** Why a cut-over is refused after a discarded reading, with an earlier upload without ids. */
const MIXED =
  'Some commissions were read by API, and a file without the platform’s ids was uploaded before, so some may be counted twice. Read the other platform by its API to the end.'

/** Why it is not known what the other platform owes; null if it is. */
export const whyUnread = ({
  isUnread,
  isMixed,
}: {
  isUnread: boolean
  isMixed: boolean
}): string | null => (isUnread ? UNREAD : isMixed ? MIXED : null)

export const isUnreadMessage = (message: string): boolean => message === UNREAD || message === MIXED

/** The balance that the other platform owes one partner in one currency. */
export type OwedBalance = {
  /** null of commissions that name no partner. */
  email: string | null
  partnerId: string | null
  currency: string
  /** Minor units. Negative if the partner owes it. */
  amountCents: bigint
  /** null if it can be taken over. */
  code: RefusalCode | null
}

export type CutOverSum = { currency: string; partners: number; amountCents: number }

/** The stored result of a cut-over. */
export type CutOverResult = { id: string; sums: CutOverSum[]; leftOut: number; by: string }

/** The sums of the balances that are taken over, by currency. */
export const sumsOf = (balances: OwedBalance[]): CutOverSum[] => {
  const byCurrency = Map.groupBy(
    balances.filter(({ code }) => code === null),
    ({ currency }) => currency,
  )
  return [...byCurrency]
    .map(([currency, of]) => ({
      currency,
      partners: of.length,
      amountCents: Number(of.reduce((sum, { amountCents }) => sum + amountCents, 0n)),
    }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1))
}

/** Whether the sums equal those of the preview. */
export const areSameSums = (a: CutOverSum[], b: CutOverSum[]): boolean => {
  const text = (sums: CutOverSum[]) =>
    JSON.stringify(
      sums.map(({ currency, partners, amountCents }) => [currency, partners, amountCents]).sort(),
    )
  return text(a) === text(b)
}

/** Shown to the partner for balances that are no opening balance. */
export const BALANCE_REASON = 'Balance taken over from the previous platform'
