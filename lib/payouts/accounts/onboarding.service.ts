/** Connects partners' Stripe accounts, by Stripe's hosted onboarding. */
import { connect, type Db } from '../../db/connection.ts'
import { newToken } from '../../db/ids.ts'
import type { DatabaseEnv } from '../../db/neon.ts'
import { sha256 } from '../../platform/sha256.ts'
import { timeWords } from '../../values/time-words.ts'
import { effectiveFrom } from '../details/payment-details.ts'
import type { OnboardingRequest, Refused } from '../payouts.rpc.ts'
import type { ConnectEnv } from '../stripe/client.service.ts'
import { type Connect, connectWith } from '../stripe/connect.service.ts'
import { ConnectError, orIfFailed } from '../stripe/failures.service.ts'
import {
  bindPayoutAccount,
  confirmHeldAccount,
  disconnectAccount,
  type Moment,
  type NewHold,
  type Platform,
} from './account-changes.queries.ts'
import { loadKnownAccount, saveReadings } from './account-checks.queries.ts'
import {
  type Holder,
  intendPayoutAccount,
  loadOnboarding,
  noteUnreachable,
  type PayoutAccount,
  withdrawIntent,
} from './accounts.queries.ts'

export type OnboardingEnv = DatabaseEnv &
  ConnectEnv & {
    SECRETS_KEY: string
    /** Tributary's address, for links in mails. */
    PUBLIC_URL: string
  }

const momentOf = ({ PUBLIC_URL }: OnboardingEnv): Moment => ({
  now: new Date(),
  portalUrl: new URL('/portal', PUBLIC_URL).href,
})

/** The hold of an account that turns out to replace another one. */
const newHold = async (
  { PUBLIC_URL }: OnboardingEnv,
  workspaceId: string,
  now: Date,
): Promise<NewHold> => {
  const token = newToken()
  const effectiveAt = effectiveFrom(now)
  return {
    effectiveAt,
    heldUntil: timeWords(effectiveAt),
    tokenHash: await sha256(token),
    confirmUrl: new URL(
      `/portal/connect/confirm?workspace=${workspaceId}&token=${token}`,
      PUBLIC_URL,
    ).href,
  }
}

const NO_RESPONSE = 'Stripe did not respond. Please try again in a minute.'
const NOT_SET_UP = 'This program does not pay by Stripe yet. Please contact the merchant.'
const MERCHANTS_KEY = 'Stripe rejects this program’s key. Please contact the merchant.'
const NO_PARTNER = 'Only approved partners can connect an account.'
const PAYOUT_IN_FLIGHT =
  'A payout to this account is in progress. Disconnect the account after it has arrived.'
const NAMES = new Intl.DisplayNames('en', { type: 'region' })
const cannotReach = (country: string): string =>
  `This program cannot send money to ${NAMES.of(country) ?? country} with Stripe. Your earnings are kept. Please ask the merchant how else you can be paid.`
const CHANGED = 'The account was changed at the same time. Please try again.'

/** Calls Stripe, and turns its errors into refusals with a message. */
export const refusing = async <T>(
  work: () => Promise<T>,
  messages: { lockedOut: (message: string) => string; refused: (message: string) => string },
): Promise<T | Refused> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error
    const { kind, message } = error.failure
    if (kind === 'locked_out') return { refused: messages.lockedOut(message) }
    return { refused: kind === 'refused' ? messages.refused(message) : NO_RESPONSE }
  }
}

/** Delays between attempts to create an account: the key is in use, or the response was lost. */
const DELAYS_MS = [300, 900]
/** The longest time for retries, while the partner waits for the page. */
const MAX_RETRY_MS = 5_000

/** Creates the account of an intent at Stripe, idempotently. @throws {ConnectError} */
const createAccount = async (
  stripe: Connect,
  holder: Holder,
  intent: PayoutAccount,
): Promise<string> => {
  const started = Date.now()
  const request = {
    email: holder.email,
    country: intent.country,
    metadata: { workspace_id: holder.workspaceId, payout_account_id: intent.id },
    idempotencyKey: `account_${intent.id}`,
  }
  for (const pause of DELAYS_MS) {
    try {
      return await stripe.createAccount(request)
    } catch (error) {
      const isUnclear = error instanceof ConnectError && error.failure.kind === 'unclear'
      if (!isUnclear || Date.now() - started > MAX_RETRY_MS) throw error
    }
    await new Promise((resume) => setTimeout(resume, pause))
  }
  return stripe.createAccount(request)
}

/** Creates and saves the account of an intent. @returns null if it can no longer be used */
const makeAccount = async (
  db: Db,
  stripe: Connect,
  holder: Holder,
  {
    intent,
    platform,
    moment,
    hold,
  }: { intent: PayoutAccount; platform: Platform; moment: Moment; hold: NewHold },
): Promise<string | null> => {
  try {
    const account = await createAccount(stripe, holder, intent)
    return (await bindPayoutAccount(db, intent, account, platform, moment, hold)) ? account : null
  } catch (error) {
    if (error instanceof ConnectError && error.failure.kind === 'refused')
      await withdrawIntent(db, intent.id)
    throw error
  }
}

/** @throws {ConnectError} */
const updateStatus = async (
  db: Db,
  stripe: Connect,
  workspaceId: string,
  id: string,
  askedAt: string,
) => {
  const { status, paysBank } = await stripe.readAccount(id)
  await saveReadings(db, [{ workspaceId, stripeAccountId: id, status, paysBank, askedAt }])
  return status
}

/**
 * Starts or continues a partner's onboarding. Saves each step before the next.
 *
 * @throws {Unavailable} a retry continues with the same account
 */
export const startOnboarding = async (
  env: OnboardingEnv,
  request: OnboardingRequest,
): Promise<{ url: string } | Refused> => {
  const { workspaceId, email, country, returnUrl, refreshUrl } = request
  const holder = { workspaceId, email }
  const db = connect(env)
  const { key, isPartner, account } = await loadOnboarding(db, holder)
  if (!isPartner) return { refused: NO_PARTNER }
  if (!key) return { refused: NOT_SET_UP }
  // A country is final at Stripe, so the one that was chosen first counts.
  const { country: actual } =
    account?.status !== 'closed' && account?.stripeAccountId ? account : { country }
  if (key.countries && !key.countries.includes(actual)) {
    await noteUnreachable(db, holder, actual, new Date())
    return { refused: cannotReach(actual) }
  }
  const stripe = await connectWith(env, workspaceId, key.ciphertext)
  if (!stripe) return { refused: MERCHANTS_KEY }

  const link = (id: string) => stripe.accountLink({ account: id, returnUrl, refreshUrl })
  const begin = async () => {
    const intent = await intendPayoutAccount(db, holder, country)
    const make = async () => {
      const moment = momentOf(env)
      const hold = await newHold(env, workspaceId, moment.now)
      return makeAccount(db, stripe, holder, { intent, platform: key, moment, hold })
    }
    const id = intent.stripeAccountId ?? (await make())
    return id === null ? { refused: CHANGED } : { url: await link(id) }
  }
  const beginAnew = async ({ id }: PayoutAccount) => {
    const outcome = await disconnectAccount(db, { ...holder, id }, momentOf(env))
    return outcome === 'payout_in_flight' ? { refused: PAYOUT_IN_FLIGHT } : begin()
  }

  return refusing(
    async () => {
      if (account?.status === 'closed') return beginAnew(account)
      try {
        return await begin()
      } catch (error) {
        const isRefused = error instanceof ConnectError && error.failure.kind === 'refused'
        if (!isRefused || !account?.stripeAccountId) throw error
        // The account may have been closed without an event.
        const known = await loadKnownAccount(db, workspaceId, account.stripeAccountId)
        const status =
          known &&
          (await updateStatus(db, stripe, workspaceId, account.stripeAccountId, known.askedAt))
        if (status !== 'closed') throw error
        return beginAnew(account)
      }
    },
    { lockedOut: () => MERCHANTS_KEY, refused: (message) => `Stripe refuses: ${message}` },
  )
}

/**
 * Reads an account's status from Stripe, and saves it. Unknown accounts, and those that the
 * workspace's key cannot read, are ignored: a repeat would not help.
 *
 * @throws {Unavailable}
 * @throws {ConnectError} if Stripe returned no status
 */
export const refreshAccount = async (
  env: OnboardingEnv,
  workspaceId: string,
  stripeAccountId: string,
): Promise<void> => {
  const db = connect(env)
  const known = await loadKnownAccount(db, workspaceId, stripeAccountId)
  const stripe = await connectWith(env, workspaceId, known?.ciphertext)
  if (!known || !stripe) return
  try {
    await updateStatus(db, stripe, workspaceId, stripeAccountId, known.askedAt)
  } catch (error) {
    if (error instanceof ConnectError && error.failure.kind === 'locked_out') return
    throw error
  }
}

/** Where owners of Express accounts sign in: https://docs.stripe.com/connect/express-dashboard */
const STRIPE_SIGN_IN = 'https://connect.stripe.com/express_login'

/**
 * The address of a partner's dashboard at Stripe; of Stripe's sign-in if the merchant's key may not
 * create links; null if the partner has no account.
 */
export const openDashboard = async (
  env: OnboardingEnv,
  { workspaceId, email }: Holder,
): Promise<string | null> => {
  const { key, account } = await loadOnboarding(connect(env), { workspaceId, email })
  if (!account?.stripeAccountId) return null
  const stripe = await connectWith(env, workspaceId, key?.ciphertext)
  return stripe
    ? orIfFailed(stripe.dashboardLink(account.stripeAccountId), STRIPE_SIGN_IN)
    : STRIPE_SIGN_IN
}

export const disconnect = async (
  env: OnboardingEnv,
  workspaceId: string,
  email: string,
): Promise<{ disconnected: boolean } | Refused> => {
  const outcome = await disconnectAccount(connect(env), { workspaceId, email }, momentOf(env))
  if (outcome === 'payout_in_flight') return { refused: PAYOUT_IN_FLIGHT }
  return { disconnected: outcome === 'disconnected' }
}

export const confirmAccount = async (
  env: OnboardingEnv,
  holder: Holder,
  token: string,
): Promise<boolean> => confirmHeldAccount(connect(env), holder, await sha256(token), new Date())
