/**
 * Platforms: each merchant's connected accounts, transfers and balances. Platforms are isolated by
 * API key, so many merchants can share one fake.
 */
import type Stripe from 'stripe'
import type { Connected } from './accounts.ts'
import { StripeError } from './errors.ts'
import type { StripeFailure } from './failures.ts'
import { accountOfKey } from './keys.ts'
import { type Collection, createCollection } from './store.ts'

export type Platform = {
  /** The id of its own account. */
  id: string
  accounts: Collection<Connected>
  transfers: Collection<Stripe.Transfer>
  /** Balances by currency, once set or changed by a transfer. */
  balances: Map<string, number>
  /** How its next transfers fail. */
  failures: (StripeFailure | null)[]
}

/** The default balance: more than any test sends, and short enough to display. */
const PLENTY = 50_000_000_000

const createPlatform = (id: string): Platform => ({
  id,
  accounts: createCollection<Connected>('account'),
  transfers: createCollection<Stripe.Transfer>('transfer'),
  balances: new Map(),
  failures: [],
})

/** All platforms that have called the API. */
export const createPlatforms = () => {
  const all = new Map<string, Platform>()
  const revoked = new Set<string>()
  const standard = new Map<string, number>()
  const minimums = new Map<string, number>()

  const byId = (id: string): Platform => {
    const platform = all.get(id) ?? createPlatform(id)
    all.set(id, platform)
    return platform
  }

  return {
    of: (key: string): Platform => byId(accountOfKey(key)),
    find: (id: string): Platform | undefined => all.get(id),
    list: (): Platform[] => [...all.values()],

    /** A connected account and its platform. @throws when there is none */
    owning: (accountId: string): { platform: Platform; account: Connected } => {
      for (const platform of all.values()) {
        const account = platform.accounts.find(accountId)
        if (account) return { platform, account }
      }
      throw new StripeError(404, {
        code: 'resource_missing',
        message: `No such account: '${accountId}'`,
      })
    },

    revoke: (key: string): void => void revoked.add(key),
    isRevoked: (key: string): boolean => revoked.has(key),

    /** The least amount that is transferred of a currency. */
    minimumOf: (currency: string): number => minimums.get(currency) ?? 1,
    setMinimum: (currency: string, amount: number): void =>
      void minimums.set(currency.toLowerCase(), amount),

    balanceOf: ({ balances }: Platform, currency: string): number =>
      balances.get(currency) ?? standard.get(currency) ?? PLENTY,
    /** Sets the balance of one platform, or of all. */
    setBalance: (currency: string, amount: number, platform?: Platform): void => {
      const code = currency.toLowerCase()
      if (platform) return void platform.balances.set(code, amount)
      standard.set(code, amount)
      for (const { balances } of all.values()) balances.delete(code)
    },
    /** The currencies with a balance. */
    currenciesOf: ({ balances }: Platform): string[] => [
      ...new Set(['usd', ...standard.keys(), ...balances.keys()]),
    ],
  }
}
export type Platforms = ReturnType<typeof createPlatforms>
