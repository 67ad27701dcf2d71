/** API keys, and the account that each belongs to. */
import { createHash } from 'node:crypto'

const CREDENTIALS = /^(Bearer |Basic )(\S+)$/i

export const isTestKey = (key: string): boolean => /^(?:sk|rk)_test_\w+$/.test(key)

/** The permissions that the fake checks, by Stripe's names without `rak_`. Write implies read. */
export type Permission =
  | 'accounts_kyc_basic_read'
  | 'account_link_write'
  | 'balance_read'
  | 'checkout_session_read'
  | 'connected_account_read'
  | 'connected_account_write'
  | 'credit_note_read'
  | 'invoice_read'
  | 'product_read'
  | 'transfer_read'
  | 'transfer_write'
  | 'webhook_read'

/** What ends the name of a key, and says what it may not do. */
const SUFFIX = /_(?:from_[a-z]{2}|live|noconnect|noplatform|webhooks|rolled\d*|lacks_[a-z_]+)$/

const suffixesOf = (key: string): string[] => {
  const [suffix] = SUFFIX.exec(key) ?? []
  return suffix ? [suffix, ...suffixesOf(key.slice(0, -suffix.length))] : []
}

/**
 * Whether a key has a permission. A secret key has all. A restricted one reads webhook endpoints
 * with the suffix `_webhooks` only; it may do nothing about Connect with `_noconnect`, and all but
 * some with `_lacks_transfer_write` or `_lacks_transfer_write_and_balance_read`. Without the
 * permission to read, it cannot write either.
 */
export const mayUse = (key: string, permission: Permission): boolean => {
  const suffixes = suffixesOf(key)
  if (!key.startsWith('rk_')) return true
  if (permission === 'webhook_read') return suffixes.includes('_webhooks')
  if (suffixes.includes('_noconnect')) return false
  const lacked = suffixes.flatMap((suffix) => suffix.replace(/^_lacks_/, '').split('_and_'))
  return !lacked.some(
    (name) => permission === name || permission === name.replace(/_read$/, '_write'),
  )
}

/** The country of a key's account: the United States, or another by the suffix `_from_de`. */
export const countryOf = (key: string): string => {
  const from = suffixesOf(key).find((suffix) => suffix.startsWith('_from_'))
  return from ? from.slice(-2).toUpperCase() : 'US'
}

/** Whether the account of a key has not turned on Connect, by the suffix `_noplatform`. */
export const isNoPlatform = (key: string): boolean => suffixesOf(key).includes('_noplatform')

/** Whether a key is of live mode, although its name says test, by the suffix `_live`. */
export const isLiveKey = (key: string): boolean => suffixesOf(key).includes('_live')

/** The secret key in an Authorization header, Bearer or Basic. */
export const keyOf = (authorization = ''): string | undefined => {
  const [, scheme, value = ''] = CREDENTIALS.exec(authorization) ?? []
  if (!scheme) return undefined
  return scheme.trim().toLowerCase() === 'bearer' ? value : atob(value).split(':')[0]
}

/**
 * The id of the account that a key belongs to. `sk_test_a`, `rk_test_a`, `sk_test_a_rolled2` (its
 * replacement) and `rk_test_a_noconnect` (restricted) are keys of one account.
 */
export const accountOfKey = (key: string): string => {
  const suffixes = suffixesOf(key).join('').length
  const name = key.slice(0, key.length - suffixes).replace(/^(?:sk|rk)_test_/, '')
  return `acct_1${createHash('sha256').update(name).digest('hex').slice(0, 15)}`
}

/** A key as error messages show it. */
export const masked = (key: string): string => `${key.slice(0, 8)}****`
