/** A partner's statement of a month: rules about months, and its sums. */

/** A month in UTC, half-open. */
export type Month = { key: string; start: Date; end: Date }

const KEY = /^(\d{4})-(0[1-9]|1[0-2])$/

/** The month of a key such as `2026-10`; null for anything else. */
export const monthOf = (key: string): Month | null => {
  const [, year, month] = KEY.exec(key) ?? []
  if (!year || !month) return null
  const [y, m] = [Number(year), Number(month)]
  return { key, start: new Date(Date.UTC(y, m - 1)), end: new Date(Date.UTC(y, m)) }
}

/** The keys of the months from now back to the one of `since`, at most 36. */
export const monthsSince = (since: Date, now: Date): string[] => {
  const keys: string[] = []
  for (let back = 0; back < MOST_MONTHS; back++) {
    const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - back))
    if (back > 0 && start.getTime() + MONTH_MS < since.getTime()) break
    keys.push(start.toISOString().slice(0, 7))
  }
  return keys
}

const MOST_MONTHS = 36
/** The longest month. */
const MONTH_MS = 31 * 86_400_000

/** What changes a partner's balance. Payouts are negative, and count when they were paid. */
export const ENTRY_KINDS = [
  'sale',
  'lead',
  'opening_balance',
  'adjustment',
  'bonus',
  'reversal',
  'payout',
  'returned_payout',
] as const
export type EntryKind = (typeof ENTRY_KINDS)[number]

/** Kinds as one entry and as the sum of several. */
export const ENTRY_WORDS: Record<EntryKind, { one: string; sum: string }> = {
  sale: { one: 'Sale', sum: 'Sales' },
  lead: { one: 'Lead', sum: 'Leads' },
  opening_balance: { one: 'Opening balance', sum: 'Opening balances' },
  bonus: { one: 'Bonus', sum: 'Bonuses' },
  adjustment: { one: 'Adjustment', sum: 'Adjustments' },
  reversal: { one: 'Reversal', sum: 'Reversals' },
  payout: { one: 'Payout', sum: 'Payouts' },
  returned_payout: { one: 'Payout that came back', sum: 'Payouts that came back' },
}

/** The sum of a kind in a currency; `before` the month, or in it. */
export type EntrySum = { currency: string; kind: EntryKind; beforeCents: bigint; cents: bigint }

/** A balance by what changed it. */
export type CurrencyStatement = {
  currency: string
  openingCents: bigint
  sums: { kind: EntryKind; cents: bigint }[]
  closingCents: bigint
}

/** A statement, one part per currency. Kinds without an entry in the month are left out. */
export const sumUp = (entries: EntrySum[]): CurrencyStatement[] =>
  [...Map.groupBy(entries, ({ currency }) => currency)].map(([currency, own]) => {
    const openingCents = own.reduce((sum, { beforeCents }) => sum + beforeCents, 0n)
    const sums = ENTRY_KINDS.flatMap((kind) => {
      const cents = own.reduce((sum, entry) => sum + (entry.kind === kind ? entry.cents : 0n), 0n)
      return cents === 0n ? [] : [{ kind, cents }]
    })
    return {
      currency,
      openingCents,
      sums,
      closingCents: sums.reduce((sum, { cents }) => sum + cents, openingCents),
    }
  })
