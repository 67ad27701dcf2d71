/** What is due to whom, and why a run skips it: docs/payouts.md, "What a run pays". */
import {
  type AccountState,
  type Asked,
  CURRENCIES,
  type Currency,
  type Due,
  type Earning,
  isHeld,
  MONEY,
  type Person,
  sum,
} from './terms.ts'

type Books = {
  earnings: Earning[]
  settings: { requireDocuments: boolean; order: 'smallest_first' | 'largest_first' }
}

const BY_HAND = new Set<Earning['kind']>(['adjustment', 'opening_balance'])

export const createDues = ({ earnings, settings }: Books) => {
  /** What a run may claim. */
  const openOf = ({ at, previewedAt, program = null }: Omit<Asked, 'method'>): Earning[] =>
    earnings.filter(
      (one) =>
        one.payout === null &&
        !isHeld(one) &&
        (program === null || one.partner.program === program) &&
        (one.cents < 0
          ? one.payableAt <= at
          : one.payableAt <= (previewedAt ?? at) && one.at <= (previewedAt ?? at)),
    )

  const sumsOf = (open: Earning[]): Omit<Due, 'code'>[] =>
    [...Map.groupBy(open, ({ partner }) => partner)].flatMap(([partner, own]) =>
      CURRENCIES.map((currency) => ({
        partner,
        currency,
        cents: sum(own.filter((one) => one.currency === currency).map(({ cents }) => cents)),
      })).filter(({ cents }) => cents !== 0),
    )

  const wantedBy = (person: Person, at: Date) =>
    person.wants.filter(({ from }) => from <= at).at(-1)?.method ?? 'stripe'

  const ACCOUNT_CODES: Record<AccountState, string | null> = {
    onboarding: 'not_connected',
    closed: 'not_connected',
    in_review: 'account_in_review',
    restricted: 'account_restricted',
    enabled: null,
  }

  /** Why Stripe cannot pay somebody. */
  const stripeCodeOf = (
    { partner, currency, cents }: Omit<Due, 'code'>,
    isMostlyByHand: boolean,
    at: Date,
  ) => {
    const { person, tooSmall } = partner
    if (wantedBy(person, at) !== 'stripe') return 'other_method'
    if (person.isUnreachable) return 'country_not_supported'
    const code = ACCOUNT_CODES[person.account?.known ?? 'onboarding']
    if (code) return code
    if ((person.account?.heldUntil ?? at) > at) return 'account_changed'
    if ((person.account?.newUntil ?? at) > at && isMostlyByHand) return 'account_new'
    if (cents % MONEY[currency].step !== 0) return 'amount_too_fine'
    return cents <= (tooSmall[currency] ?? 0) ? 'amount_too_small' : null
  }

  /**
   * Those of the balances, in the merchant's order, that the money covers: what does not fit is
   * passed over.
   */
  const covered = (due: Due[], money: Partial<Record<Currency, number>>): Set<Due> => {
    const left = { ...money }
    const ordered = due.toSorted((a, b) => a.cents - b.cents)
    if (settings.order === 'largest_first') ordered.reverse()
    return new Set(
      ordered.filter(({ currency, cents }) => {
        const had = left[currency]
        if (had === undefined) return true
        if (had < cents) return false
        left[currency] = had - cents
        return true
      }),
    )
  }

  /** Every balance, and why a run skips it. */
  const due = (asked: Asked): Due[] => {
    const { at, previewedAt, method, exclude = [], funds, maximum } = asked
    const everywhere = sumsOf(openOf({ ...asked, program: null }))
    /** What is due to a person in all programs, which minimums are compared with. */
    const dueTo = (person: Person, currency: Currency) =>
      sum(
        everywhere
          .filter(
            (one) => one.partner.person === person && one.currency === currency && one.cents > 0,
          )
          .filter(({ partner }) => !partner.isBanned && !exclude.includes(partner))
          .map(({ cents }) => cents),
      )
    const codeOf = (balance: Omit<Due, 'code'>): string | null => {
      const { partner, currency, cents } = balance
      if (cents < 0) return 'negative_balance'
      if (partner.isBanned) return 'partner_banned'
      if (exclude.includes(partner)) return 'excluded'
      if (dueTo(partner.person, currency) < (partner.minimumCents ?? partner.program.minimumCents))
        return 'below_minimum'
      if (settings.requireDocuments && !partner.hasDocuments) return 'documents_missing'
      const own = openOf(asked).filter(
        (one) => one.partner === partner && one.currency === currency,
      )
      const byHand = own.filter(({ kind, reverses }) => BY_HAND.has(reverses?.kind ?? kind))
      const isMostlyByHand = sum(byHand.map(({ cents }) => cents)) * 2 > cents
      return method === 'stripe' ? stripeCodeOf(balance, isMostlyByHand, previewedAt ?? at) : null
    }
    const all: Due[] = sumsOf(openOf(asked)).map((one) => ({ ...one, code: codeOf(one) }))
    const limits: [string, Asked['funds']][] = [
      ['insufficient_funds', funds],
      ['over_maximum', maximum],
    ]
    for (const [code, money] of limits) {
      const payable = all.filter((one) => one.code === null)
      const fits = covered(payable, money ?? {})
      for (const one of payable) if (!fits.has(one)) one.code = code
    }
    return all
  }

  /** Since when a balance has been positive without a break. */
  const dueSince = ({ partner, currency }: Due, at: Date): Date => {
    const own = openOf({ at })
      .filter((one) => one.partner === partner && one.currency === currency)
      .toSorted((a, b) => a.payableAt.getTime() - b.payableAt.getTime())
    let total = 0
    let since: Date | null = null
    for (const [day, group] of Map.groupBy(own, ({ payableAt }) => payableAt.getTime())) {
      total += sum(group.map(({ cents }) => cents))
      if (total <= 0) since = null
      else since ??= new Date(day)
    }
    return since ?? at
  }

  return { openOf, due, dueSince }
}
