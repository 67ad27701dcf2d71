/** Payout runs, the passing days, and what both say of everybody. */
import { expect } from 'vitest'
import { type Books, type RunResult, sorted } from './merchant.ts'
import { type Asked, type Currency, MONEY, type Partner, type Payout } from './terms.ts'
import { inParallel } from './world.ts'

export const runsOf = (books: Books) => {
  const { world, model, manager, key, all, line, lineOf, cron } = books
  const { askedNow, bodyOf, comparePreview, comparePayouts, claimAndSend } = books
  /** A day of the calendar begins, with the first minute of the scheduled jobs. */
  const startDay = async (day: string, before: () => void = () => {}): Promise<void> => {
    await world.setClock(new Date(`${day}T00:00:20Z`))
    before()
    await cron()
  }

  return {
    /** Shows what a run would pay, by the API. */
    preview: async (wanted: Omit<Asked, 'at'>): Promise<RunResult> => {
      const asked = askedNow(wanted)
      if (asked.method === 'stripe') model.readAccounts(asked)
      const result = await manager.post<RunResult>('/payouts/run', {
        ...bodyOf(asked),
        dryRun: true,
      })
      comparePreview(result, asked)
      return result
    },

    /**
     * Runs payouts by the API, by Stripe with money for all that it claims.
     * @returns the payouts of the model
     */
    run: async (
      wanted: Omit<Asked, 'at'>,
      more: object = {},
    ): Promise<{ runId: string; made: Payout[] }> => {
      const asked = askedNow(wanted)
      if (asked.method === 'stripe') model.readAccounts(asked)
      const skipped = model.due(asked).filter(({ code }) => code !== null)
      const made = asked.method === 'stripe' ? claimAndSend(asked) : model.claim(asked)
      const { runId } = await manager.post<RunResult>('/payouts/run', { ...bodyOf(asked), ...more })
      await comparePayouts(runId ?? '', made)
      if (asked.method === 'stripe') model.notify(skipped)
      return { runId: runId ?? '', made }
    },

    startDay,

    /** Lets the days pass in which nobody does anything, up to the beginning of one. */
    sleepUntil: async (day: string): Promise<void> => {
      const end = Date.parse(day)
      while (world.now().getTime() < end)
        await startDay(new Date(world.now().getTime() + 86_400_000).toISOString().slice(0, 10))
    },

    /**
     * What both say of everybody now: balances and their codes, the ledger, and Stripe's own books.
     */
    compareBooks: async (): Promise<void> => {
      const at = world.now()
      const rows = await all<RunResult['skipped'][number]>('/balances')
      expect(sorted(rows.map((one) => line(one, one.code)))).toEqual(
        sorted(model.due({ at, method: 'stripe' }).map((one) => lineOf(one, one.code))),
      )
      expect(await world.query('select * from verify_ledger()')).toEqual([])
      const books = world
        .stripe()
        .transfers(key)
        .map(
          (one) =>
            `${one.destination} ${one.amount - one.amount_reversed} ${one.currency.toUpperCase()}`,
        )
      const sent = model.payouts.filter(({ method, paidAt }) => method === 'stripe' && paidAt)
      expect(sorted(books)).toEqual(
        sorted(
          sent.map(
            ({ account, cents, reversedCents, currency }) =>
              `${account} ${cents - reversedCents} ${currency}`,
          ),
        ),
      )
    },

    /** Compares the portal and the statement of each partner. */
    comparePartners: async (partners: Partner[], month: string): Promise<void> => {
      const end = new Date(`${month}-01T00:00:00Z`)
      end.setUTCMonth(end.getUTCMonth() + 1)
      const at = world.now()
      const plain = (cents: number, currency: Currency) =>
        (cents / 10 ** MONEY[currency].decimals).toFixed(MONEY[currency].decimals)
      await inParallel(partners, async (partner) => {
        const { balances } = await manager.get<{
          balances: { currency: Currency; closingCents: number }[]
        }>(`/partners/${partner.id}/statement?month=${month}`)
        const closing = Object.fromEntries(
          balances.map(({ currency, closingCents }) => [currency, closingCents]),
        )
        for (const currency of Object.keys(MONEY) as Currency[])
          expect([partner.slug, currency, closing[currency] ?? 0]).toEqual([
            ...[partner.slug, currency, model.closing(partner, currency, end)],
          ])
      })
      await inParallel(
        partners.filter((_, index) => index % 5 === 0),
        async (partner) => {
          const { text } = await world.pages(partner.person.address, '/portal').get('')
          const both = model.partners.filter(({ person }) => person === partner.person)
          for (const own of both)
            for (const currency of Object.keys(MONEY) as Currency[]) {
              const { held, ...rest } = model.shownTo(own, currency, at)
              if (![held, ...Object.values(rest)].some(Boolean)) continue
              // With codes where the page has several currencies.
              const symbol = new Intl.NumberFormat('en', { style: 'currency', currency })
                .format(0)
                .replace(/[\d.]/g, '')
              const numbers = (before: string, after: string) =>
                Object.entries({ ...(held && { 'In review': held }), ...rest })
                  .map(([label, cents]) => {
                    const name = `${label[0]?.toUpperCase()}${label.slice(1)}`
                    const amount = plain(cents, currency)
                    return amount.startsWith('-')
                      ? `${name} -${before}${amount.slice(1)}${after}`
                      : `${name} ${before}${amount}${after}`
                  })
                  .join(' ')
              const shown = text.replaceAll(',', '')
              const withCodes = numbers('', ` ${currency}`)
              expect(shown).toContain(shown.includes(withCodes) ? withCodes : numbers(symbol, ''))
            }
        },
      )
    },
  }
}
