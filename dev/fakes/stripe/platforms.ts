/**
 * Platforms: what each merchant's account has of Connect. By their keys they see nothing of each other's, and so the
 * tests of many merchants share one fake.
 */
import type Stripe from 'stripe'
import type { Connected } from './accounts.ts'
import { Refusal } from './errors.ts'
import type { StripeFailure } from './failures.ts'
import { accountOfKey } from './keys.ts'
import { type Collection, createCollection } from './store.ts'

export type Platform = {
  /** Its own account's. */
  id: string
  accounts: Collection<Connected>
  transfers: Collection<Stripe.Transfer>
  /** What it has to send, by currency, where somebody has set it or sent some. */
  balances: Map<string, number>
  /** How its next transfers fail. */
  failures: (StripeFailure | null)[]
}

/** More than any test sends, and few enough digits to be shown. */
const PLENTY = 50_000_000_000

const createPlatform = (id: string): Platform => ({
  id,
  accounts: createCollection<Connected>('account'),
  transfers: createCollection<Stripe.Transfer>('transfer'),
  balances: new Map(),
  failures: [],
})

/** All platforms that have ever called. */
export const createPlatforms = () => {
  const all = new Map<string, Platform>()
  const revoked = new Set<string>()
  const standard = new Map<string, number>()

  const byId = (id: string): Platform => {
    const platform = all.get(id) ?? createPlatform(id)
    all.set(id, platform)
    return platform
  }

  return {
    of: (key: string): Platform => byId(accountOfKey(key)),
    find: (id: string): Platform | undefined => all.get(id),
    list: (): Platform[] => [...all.values()],

    /** A connected account and the platform that it belongs to. @throws when there is none */
    owning: (accountId: string): { platform: Platform; account: Connected } => {
      for (const platform of all.values()) {
        const account = platform.accounts.find(accountId)
        if (account) return { platform, account }
      }
      throw new Refusal(404, { code: 'resource_missing', message: `No such account: '${accountId}'` })
    },

    revoke: (key: string): void => void revoked.add(key),
    isRevoked: (key: string): boolean => revoked.has(key),

    balanceOf: ({ balances }: Platform, currency: string): number =>
      balances.get(currency) ?? standard.get(currency) ?? PLENTY,
    /** Sets what a platform has to send, or what each has, when it isn't said which. */
    setBalance: (currency: string, amount: number, platform?: Platform): void => {
      const code = currency.toLowerCase()
      if (platform) return void platform.balances.set(code, amount)
      standard.set(code, amount)
      for (const { balances } of all.values()) balances.delete(code)
    },
    /** The currencies that something is known of. */
    currenciesOf: ({ balances }: Platform): string[] => [
      ...new Set(['usd', ...standard.keys(), ...balances.keys()]),
    ],
  }
}
export type Platforms = ReturnType<typeof createPlatforms>
