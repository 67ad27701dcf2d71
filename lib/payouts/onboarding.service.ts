/** How a partner connects a Stripe account of its own, by Stripe's hosted pages. */
import { connect, type DatabaseEnv, type Db } from '../db/connection.ts'
import { decryptSecret, encryptSecret } from '../secrets.ts'
import {
  bindPayoutAccount,
  disconnectAccount,
  findOrphan,
  type Holder,
  intendPayoutAccount,
  loadKnownAccount,
  loadOnboarding,
  type PayoutAccount,
  type Platform,
  saveAccountStatus,
  withdrawIntent,
} from './accounts.queries.ts'
import type { EncryptedKey, OnboardingRequest, Refused } from './payouts.rpc.ts'
import { type Connect, type ConnectEnv, connectTo } from './stripe/connect.service.ts'
import { ConnectError } from './stripe/failures.service.ts'

export type OnboardingEnv = DatabaseEnv & ConnectEnv & { SECRETS_KEY: string }

const SILENT = 'Stripe did not answer. Please try again in a minute.'
const NOT_SET_UP = 'This program does not pay by Stripe yet. Please ask whoever runs it.'
const MERCHANTS_KEY = 'Stripe does not take this program’s key. Please tell whoever runs it.'
const NO_PARTNER = 'Only a partner whose program works with it can connect an account.'
const UNDER_WAY = 'A payout to this account is under way. Please disconnect it once that has arrived.'
const CHANGED = 'Something was changed here at the same moment. Please try again.'

/** Runs what asks Stripe; what goes wrong there is said in words. */
const inWords = async <T>(
  work: () => Promise<T>,
  words: { lockedOut: (message: string) => string; refused: (message: string) => string },
): Promise<T | Refused> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error
    const { kind, message } = error.failure
    if (kind === 'locked_out') return { refused: words.lockedOut(message) }
    return { refused: kind === 'refused' ? words.refused(message) : SILENT }
  }
}

/** Test mode has accounts of its own, under the same Stripe account. */
const isLive = (key: string): boolean => /^[a-z]+_live_/.test(key)

/**
 * Asks Stripe whose key it is, and encrypts it. When the workspace has had a key before, and partners are connected
 * still, their accounts must be there under this one.
 */
export const encryptKey = async (
  env: OnboardingEnv,
  workspaceId: string,
  key: string,
): Promise<EncryptedKey | Refused> =>
  inWords(
    async () => {
      const stripe = connectTo(env, key)
      const { id } = await stripe.platform()
      const orphan = await findOrphan(connect(env), workspaceId)
      if (orphan && (await stripe.readAccount(orphan)).status === 'closed') {
        return { refused: 'Your partners are connected under another Stripe account, or in its other mode.' }
      }
      const ciphertext = await encryptSecret(env.SECRETS_KEY, workspaceId, key)
      return { ciphertext, stripeAccountId: id, livemode: isLive(key) }
    },
    {
      lockedOut: (message) => `Stripe does not take this key: ${message}`,
      refused: (message) => `Stripe refuses: ${message}`,
    },
  )

/** Pauses after which an account is asked for again: somebody else may be at it, or the answer got lost. */
const PAUSES_MS = [300, 900]
/** Longer than that, nobody waits for a page. */
const PATIENCE_MS = 5_000

/** Makes the account of an intent at Stripe, once, however often it is asked for. @throws {ConnectError} */
const createAccount = async (stripe: Connect, holder: Holder, intent: PayoutAccount): Promise<string> => {
  const started = Date.now()
  const request = {
    email: holder.email,
    country: intent.country,
    metadata: { workspace_id: holder.workspaceId, payout_account_id: intent.id },
    idempotencyKey: `account_${intent.id}`,
  }
  for (const pause of PAUSES_MS) {
    try {
      return await stripe.createAccount(request)
    } catch (error) {
      const isUnclear = error instanceof ConnectError && error.failure.kind === 'unclear'
      if (!isUnclear || Date.now() - started > PATIENCE_MS) throw error
    }
    await new Promise((resume) => setTimeout(resume, pause))
  }
  return stripe.createAccount(request)
}

/** The account of an intent: made at Stripe and written down. @returns null when it is of no use any more */
const makeAccount = async (
  db: Db,
  stripe: Connect,
  holder: Holder,
  { intent, platform }: { intent: PayoutAccount; platform: Platform },
): Promise<string | null> => {
  try {
    const account = await createAccount(stripe, holder, intent)
    return (await bindPayoutAccount(db, intent, account, platform)) ? account : null
  } catch (error) {
    if (error instanceof ConnectError && error.failure.kind === 'refused') await withdrawIntent(db, intent.id)
    throw error
  }
}

/** Writes down how Stripe says an account is. @throws {ConnectError} */
const look = async (db: Db, stripe: Connect, workspaceId: string, id: string, askedAt: string) => {
  const { status } = await stripe.readAccount(id)
  await saveAccountStatus(db, { workspaceId, stripeAccountId: id, status, askedAt })
  return status
}

/**
 * Begins or continues a partner's onboarding. Each step is written down before the next, so that whoever comes back
 * goes on with the same account.
 *
 * @throws {Unavailable} the same call again goes on
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
  const secretKey = await decryptSecret(env.SECRETS_KEY, workspaceId, key.ciphertext)
  if (secretKey === null) return { refused: MERCHANTS_KEY }
  const stripe = connectTo(env, secretKey)

  const link = (id: string) => stripe.accountLink({ account: id, returnUrl, refreshUrl })
  const begin = async () => {
    const intent = await intendPayoutAccount(db, holder, country)
    const id = intent.stripeAccountId ?? (await makeAccount(db, stripe, holder, { intent, platform: key }))
    return id === null ? { refused: CHANGED } : { url: await link(id) }
  }
  const beginAnew = async ({ id }: PayoutAccount) => {
    const isFree = (await disconnectAccount(db, { ...holder, id }, new Date())) !== null
    return isFree ? begin() : { refused: UNDER_WAY }
  }

  return inWords(
    async () => {
      if (account?.status === 'closed') return beginAnew(account)
      try {
        return await begin()
      } catch (error) {
        const isRefused = error instanceof ConnectError && error.failure.kind === 'refused'
        if (!isRefused || !account?.stripeAccountId) throw error
        // There is no way into an account that was closed without our hearing of it.
        const known = await loadKnownAccount(db, workspaceId, account.stripeAccountId)
        const status = known && (await look(db, stripe, workspaceId, account.stripeAccountId, known.askedAt))
        if (status !== 'closed') throw error
        return beginAnew(account)
      }
    },
    { lockedOut: () => MERCHANTS_KEY, refused: (message) => `Stripe refuses: ${message}` },
  )
}

/**
 * Asks Stripe how a partner's account is, and writes that down. Nothing comes of an account that nobody knows, nor of
 * one that the workspace's key opens no more: Stripe telling again would change nothing about that.
 *
 * @throws {Unavailable}
 * @throws {ConnectError} when Stripe has not said how it is
 */
export const refreshAccount = async (
  env: OnboardingEnv,
  workspaceId: string,
  stripeAccountId: string,
): Promise<void> => {
  const db = connect(env)
  const known = await loadKnownAccount(db, workspaceId, stripeAccountId)
  const key = known?.ciphertext && (await decryptSecret(env.SECRETS_KEY, workspaceId, known.ciphertext))
  if (!known || !key) return
  try {
    await look(db, connectTo(env, key), workspaceId, stripeAccountId, known.askedAt)
  } catch (error) {
    if (error instanceof ConnectError && error.failure.kind === 'locked_out') return
    throw error
  }
}

/** Lets go of a partner's account, unless a payout to it is under way. @throws {Unavailable} */
export const disconnect = async (
  env: OnboardingEnv,
  workspaceId: string,
  email: string,
): Promise<{ disconnected: boolean } | Refused> => {
  const disconnected = await disconnectAccount(connect(env), { workspaceId, email }, new Date())
  return disconnected === null ? { refused: UNDER_WAY } : { disconnected }
}
