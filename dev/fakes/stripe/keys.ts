/** API keys, and the account that each belongs to. */
import { createHash } from 'node:crypto'

const CREDENTIALS = /^(Bearer |Basic )(\S+)$/i

export const isTestKey = (key: string): boolean => /^(?:sk|rk)_test_\w+$/.test(key)

/** A restricted key without permissions for Connect, by the suffix `_noconnect`. */
export const isRestricted = (key: string): boolean => /_noconnect$/.test(key)

/** Whether a key may read webhook endpoints: a secret key, or a restricted one with the suffix `_webhooks`. */
export const mayReadWebhooks = (key: string): boolean => /^sk_|_webhooks$/.test(key)

/** The secret key in an Authorization header, Bearer or Basic. */
export const keyOf = (authorization = ''): string | undefined => {
  const [, scheme, value = ''] = CREDENTIALS.exec(authorization) ?? []
  if (!scheme) return undefined
  return scheme.trim().toLowerCase() === 'bearer' ? value : atob(value).split(':')[0]
}

/**
 * The id of the account that a key belongs to. `sk_test_a`, `rk_test_a`, `sk_test_a_rolled2` (its replacement) and
 * `rk_test_a_noconnect` (restricted) are keys of one account.
 */
export const accountOfKey = (key: string): string => {
  const name = key.replace(/^(?:sk|rk)_test_/, '').replace(/_(?:noconnect|webhooks|rolled\d*)$/, '')
  return `acct_1${createHash('sha256').update(name).digest('hex').slice(0, 15)}`
}

/** A key as error messages show it. */
export const masked = (key: string): string => `${key.slice(0, 8)}****`
