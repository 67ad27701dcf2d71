/**
 * The books of a merchant by the documentation: what was earned, paid, and came back, and who was
 * mailed.
 */
import { createDues } from './due.ts'
import {
  type Asked,
  type Currency,
  DAY_MS,
  type Due,
  type Earning,
  isHeld,
  type Partner,
  type Payout,
  type Program,
  payableFrom,
  sum,
} from './terms.ts'

/** Above so much in a day, what is made payable by hand is mailed: one mail for five minutes. */
const MAILED_ABOVE_CENTS = 10_000
const WINDOW_MS = 5 * 60_000

export const createModel = (managers: string[]) => {
  const partners: Partner[] = []
  const earnings: Earning[] = []
  const payouts: Payout[] = []
  /** What the merchant has at Stripe. */
  const balance: Record<Currency, number> = { USD: 0, EUR: 0, KWD: 0 }
  /** The mails that were due: kind and recipient. */
  const mails: string[] = []
  /** The least that Stripe transfers. */
  const least: Partial<Record<Currency, number>> = {}
  const settings = {
    requireDocuments: false,
    order: 'smallest_first' as 'smallest_first' | 'largest_first',
  }

  const madeByHand = new Map<string, number>()
  const mailedWindows = new Set<string>()
  let waits = false

  const mail = (kind: string, recipient: string) => void mails.push(`${kind} ${recipient}`)

  const { openOf, due, dueSince } = createDues({ earnings, settings })

  return {
    partners,
    earnings,
    payouts,
    balance,
    mails,
    mail,
    settings,
    least,
    due,

    earn: (
      partner: Partner,
      earned: Pick<Earning, 'kind' | 'currency' | 'cents' | 'at'> & Partial<Earning>,
    ): Earning => {
      const earning: Earning = {
        partner,
        payableAt: payableFrom(earned.at, partner.program),
        hold: null,
        reverses: null,
        payout: null,
        sale: null,
        ...earned,
      }
      earnings.push(earning)
      return earning
    },

    /** What a manager makes payable, of which all managers are mailed. */
    byHand: (program: Program, cents: number, at: Date): void => {
      if (cents <= 0) return
      const day = at.toISOString().slice(0, 10)
      const today = (madeByHand.get(day) ?? 0) + cents
      madeByHand.set(day, today)
      const window = `${program.key} ${Math.floor(at.getTime() / WINDOW_MS)}`
      if (today <= MAILED_ABOVE_CENTS || mailedWindows.has(window)) return
      mailedWindows.add(window)
      waits = true
      for (const manager of managers) mail('manual_earnings', manager)
    },

    /** Whether such a mail waits. Asked once. */
    takesMinutes: (): boolean => {
      const before = waits
      waits = false
      return before
    },

    /** Reverses so much of an earning: payable when it was, and held with it. */
    reverse: (reverses: Earning, cents: number, at: Date): void => {
      if (cents === 0) return
      const { partner, currency, payableAt } = reverses
      const reversal = {
        kind: 'reversal',
        cents: -cents,
        hold: null,
        payout: null,
        sale: null,
      } as const
      earnings.push({ ...reversal, partner, currency, payableAt, at, reverses })
    },

    /** What refunds and rejections have left of an earning. */
    leftOf: (earning: Earning): number =>
      earning.cents +
      sum(earnings.filter(({ reverses }) => reverses === earning).map(({ cents }) => cents)),

    /** The accounts that cannot be paid of people who are owed something are read again. */
    readAccounts: ({ at, program }: Pick<Asked, 'at' | 'program'>): void => {
      const owed = new Set(openOf({ at, program: program ?? null }).map(({ partner }) => partner))
      for (const { person, isBanned } of owed)
        if (!isBanned && person.account && person.account.known !== 'enabled')
          person.account.known = person.account.is
    },

    /** Makes the payouts of a run, none of them sent. */
    claim: (asked: Asked): Payout[] => {
      const open = openOf(asked)
      const made = due(asked)
        .filter(({ code }) => code === null)
        .map(({ partner, currency, cents }): Payout => {
          const payout: Payout = {
            ...{ id: '', partner, currency, cents, method: asked.method, status: 'processing' },
            account: asked.method === 'stripe' ? (partner.person.account?.id ?? null) : null,
            ...{ reversedCents: 0, paidAt: null, backAt: null },
          }
          for (const one of open)
            if (one.partner === partner && one.currency === currency) one.payout = payout
          return payout
        })
      payouts.push(...made)
      return made
    },

    /** A run that is claimed mails each partner without a usable account once. */
    notify: (skipped: Due[]): void => {
      for (const { partner, code } of skipped) {
        if (partner.isNotified || (code !== 'not_connected' && code !== 'account_restricted'))
          continue
        partner.isNotified = true
        mail('connect_account', partner.person.address)
      }
    },

    /** Sends a payout: by Stripe the money leaves the balance. */
    pay: (payout: Payout, at: Date): void => {
      Object.assign(payout, { status: 'paid', paidAt: at })
      if (payout.method === 'stripe') {
        balance[payout.currency] -= payout.cents
        mail('payout_sent', payout.partner.person.address)
      }
    },

    /** Ends a payout, and lets go of its earnings. */
    letGo: (
      payout: Payout,
      status: 'failed' | 'canceled' | 'returned' | 'reversed',
      at: Date,
    ): void => {
      Object.assign(payout, { status, backAt: payout.paidAt ? at : null })
      for (const one of earnings) if (one.payout === payout) one.payout = null
    },

    /**
     * The reminders of a day: 3, 10, 30 days after money became payable that lacks an account, then
     * every 30.
     */
    remind: (at: Date): void => {
      const lacking = due({ at, method: 'stripe' }).filter(
        ({ code }) => code === 'not_connected' || code === 'account_restricted',
      )
      for (const [person, own] of Map.groupBy(lacking, ({ partner }) => partner.person)) {
        const since = Math.min(...own.map((one) => dueSince(one, at).getTime()))
        const days = (at.getTime() - since) / DAY_MS
        const numbers = [3, 10, 30, 60, 90].filter((number) => number <= days)
        if (numbers.length === 0) continue
        const occasion = `${new Date(since).toISOString().slice(0, 10)}/${numbers.length}`
        const isQuiet = person.reminders.some(
          (one) => one.occasion === occasion || one.at.getTime() > at.getTime() - 2 * DAY_MS,
        )
        if (isQuiet) continue
        person.reminders.push({ occasion, at })
        mail('connect_reminder', person.address)
      }
    },

    /** What a partner's portal shows in a currency. */
    shownTo: (partner: Partner, currency: Currency, at: Date) => {
      const own = earnings.filter((one) => one.partner === partner && one.currency === currency)
      const add = (isCounted: (one: Earning) => boolean) =>
        sum(own.filter(isCounted).map(({ cents }) => cents))
      return {
        held: add((one) => !one.payout && isHeld(one)),
        pending: add((one) => !one.payout && !isHeld(one) && one.payableAt > at),
        payable: add((one) => !one.payout && !isHeld(one) && one.payableAt <= at),
        processing: add((one) => one.payout?.status === 'processing'),
        paid: add((one) => one.payout?.status === 'paid' || one.payout?.status === 'reversed'),
      }
    },

    /** What a partner is owed at the end of a month, and so what its statement closes with. */
    closing: (partner: Partner, currency: Currency, end: Date): number => {
      const ofPartner = <T extends { partner: Partner; currency: Currency }>(one: T) =>
        one.partner === partner && one.currency === currency
      const paid = payouts.filter(ofPartner)
      return (
        sum(earnings.filter((one) => ofPartner(one) && one.at < end).map(({ cents }) => cents)) -
        sum(paid.filter(({ paidAt }) => paidAt && paidAt < end).map(({ cents }) => cents)) +
        sum(paid.filter(({ backAt }) => backAt && backAt < end).map(({ cents }) => cents))
      )
    },
  }
}
