/** Checks that a key may do what payouts need, without creating anything at Stripe. */
import Stripe from 'stripe'
import { type ConnectEnv, idIn, stripeOf } from './client.service.ts'
import { ConnectError, failureOf } from './failures.service.ts'

/**
 * Whether a key is named as one of live mode, such as `rk_live_...`. Test mode has its own
 * accounts, under the same Stripe account.
 */
export const isNamedLive = (key: string): boolean => /^[a-z]+_live_/.test(key)

const otherMode = (livemode: boolean): string =>
  `Stripe reports that this key is for its ${livemode ? 'live' : 'test'} mode, although it is named as one for ${livemode ? 'test' : 'live'} mode. Create another key in Stripe, under API keys.`

/**
 * The Stripe account of a usable key, and whether it may read what was bought and what is sold; or
 * why the key cannot be used, as sentences.
 */
type KeyCheck =
  | { account: string; readsLines: boolean; readsProducts: boolean }
  | { reason: string }

/** The permissions that payouts need, as Stripe's dashboard names them. Write implies read. */
const PERMISSIONS = {
  balance: '“Balance” (Read)',
  transfers: '“Transfers” (Write)',
  accounts: '“Accounts” (Write)',
  accountLinks: '“Account links” (Write)',
}
type Probe = keyof typeof PERMISSIONS

/** No account has this id. */
const NOBODY = 'acct_1NoSuchAccount0000'
const ANY_URL = 'https://example.com'

/**
 * The calls of a payout. Those that write are such that Stripe refuses them once it has checked the
 * permission: https://docs.stripe.com/keys/restricted-api-keys
 */
const probesOf = (stripe: Stripe): Record<Probe, () => Promise<unknown>> => ({
  balance: () => stripe.balance.retrieve(),
  transfers: () => stripe.transfers.create({ amount: 1, currency: 'usd', destination: NOBODY }),
  // Without an address and responsibilities, and in no country.
  accounts: () =>
    stripe.v2.core.accounts.create({
      dashboard: 'express',
      identity: { country: 'zz' },
      configuration: {
        recipient: { capabilities: { stripe_balance: { stripe_transfers: { requested: true } } } },
      },
    }),
  accountLinks: () =>
    stripe.v2.core.accountLinks.create({
      account: NOBODY,
      use_case: {
        type: 'account_onboarding',
        account_onboarding: { return_url: ANY_URL, refresh_url: ANY_URL },
      },
    }),
})

/** Stripe's messages name the permission, as `'rak_transfer_write'` or `('transfer_write')`. */
const PERMISSION_NAME = /'((?:rak_)?[a-z_]+_(?:read|write))'/
/** Stripe's errors for accounts that are not platforms: https://docs.stripe.com/error-codes */
const NO_PLATFORM_CODES = new Set(['platform_account_required', 'accounts_v2_access_blocked'])
const NO_PLATFORM_WORDS = /signed up for Connect|Only Stripe Connect platforms/

const CONNECT_OFF =
  'Connect is not turned on in this Stripe account. Turn it on at https://dashboard.stripe.com/connect, and save the key again.'

const isError = (error: unknown): error is Stripe.errors.StripeError =>
  error instanceof Stripe.errors.StripeError

const isConnectOff = (error: Stripe.errors.StripeError): boolean =>
  NO_PLATFORM_CODES.has(error.code ?? '') || NO_PLATFORM_WORDS.test(error.message)

/** Whether a key lacks a permission. Stripe answers 403 about unknown accounts too, with a code. */
const lacksPermission = ({ statusCode, code }: Stripe.errors.StripeError): boolean =>
  statusCode === 403 && code !== 'account_invalid'

type Finding = { missing: string } | 'connect_off' | 'other_mode' | null

/** Whether an answer of Stripe says that it is of a mode. A proxy may leave it out. */
const isOfMode = (answer: unknown, isLive: boolean): boolean =>
  typeof answer === 'object' &&
  answer !== null &&
  'livemode' in answer &&
  answer.livemode === isLive

/** What a call shows about the key. @throws {ConnectError} a bad key, or no answer */
const findIn = async (
  probe: Probe,
  call: () => Promise<unknown>,
  isLive: boolean,
): Promise<Finding> => {
  try {
    const answer = await call()
    return isOfMode(answer, !isLive) ? 'other_mode' : null
  } catch (error) {
    const failure = failureOf(error)
    if (!isError(error) || failure.kind === 'unclear') throw new ConnectError(failure)
    if (isConnectOff(error)) return 'connect_off'
    if (lacksPermission(error)) {
      const [, name] = PERMISSION_NAME.exec(error.message) ?? []
      return { missing: name ? `${PERMISSIONS[probe]}, ${name}` : PERMISSIONS[probe] }
    }
    if (failure.kind === 'locked_out') throw new ConnectError(failure)
    return null
  }
}

/**
 * The id of a key's own account. A restricted key may lack the permission to read it; Stripe's
 * refusal then names the account: "... on account 'acct_...'".
 */
const accountOf = async (stripe: Stripe): Promise<string | { missing: string }> => {
  try {
    return idIn(await stripe.accounts.retrieveCurrent())
  } catch (error) {
    if (!isError(error) || !lacksPermission(error)) throw new ConnectError(failureOf(error))
    const [, id] = /on account '(acct_[A-Za-z0-9]+)'/.exec(error.message) ?? []
    return id ?? { missing: '“All Connect resources” (Read), accounts_kyc_basic_read' }
  }
}

/** What a key may read that payouts do not need: lines are those of invoices and checkouts. */
const mayRead = async (
  stripe: Stripe,
): Promise<{ readsLines: boolean; readsProducts: boolean }> => {
  const [invoices, checkouts, products] = await Promise.allSettled([
    stripe.invoices.list({ limit: 1 }),
    stripe.checkout.sessions.list({ limit: 1 }),
    stripe.products.list({ limit: 1 }),
  ])
  return {
    readsLines: invoices.status === 'fulfilled' && checkouts.status === 'fulfilled',
    readsProducts: products.status === 'fulfilled',
  }
}

/** Checks a key with a payout's calls. @throws {ConnectError} rejected, or without an answer */
export const checkKey = async (env: ConnectEnv, key: string): Promise<KeyCheck> => {
  const stripe = stripeOf(env, key)
  const account = await accountOf(stripe)
  const probes = probesOf(stripe)
  const isLive = isNamedLive(key)
  const findings = await Promise.all([
    findIn('balance', probes.balance, isLive),
    findIn('transfers', probes.transfers, isLive),
    findIn('accounts', probes.accounts, isLive),
    findIn('accountLinks', probes.accountLinks, isLive),
  ])
  const missing = [account, ...findings].flatMap((finding) =>
    typeof finding === 'object' && finding ? [finding.missing] : [],
  )
  if (missing.length > 0 || typeof account !== 'string') {
    return {
      reason: `This key lacks permissions that payouts need: ${missing.join('; ')}. Add them to the key in Stripe, under API keys.`,
    }
  }
  if (findings.includes('other_mode')) return { reason: otherMode(!isLive) }
  if (findings.includes('connect_off')) return { reason: CONNECT_OFF }
  return { account, ...(await mayRead(stripe)) }
}
