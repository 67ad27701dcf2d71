/**
 * What Tributary asks a merchant's Stripe account for, as a Connect platform: accounts of partners by the second
 * version of Stripe's API, and transfers to them. Nothing else calls Stripe.
 */
import Stripe from 'stripe'
import { formatMoney } from '../../money.ts'
import { toStripe } from '../../purchases/stripe/amounts.ts'
import { type PayoutAccountStatus, transferGroup, transferKey } from '../payouts.ts'
import { ConnectError, type Failure, failureOf } from './failures.service.ts'

export type ConnectEnv = {
  /** Where Stripe's API is, when it isn't at Stripe. */
  STRIPE_URL?: string
}

/** A payout as Stripe is told of it. */
export type TransferRequest = {
  payoutId: string
  keyVersion: number
  /** The partner's. */
  account: string
  /** Minor units of ISO 4217. */
  amountCents: bigint
  currency: string
  metadata: { payout_id: string; workspace_id: string; partner_id: string }
}

/** What became of a transfer, as far as Stripe has said. */
export type TransferOutcome = { kind: 'sent'; transferId: string } | Failure

/** An account to be made. What Stripe is told must be the same at each try under one key. */
export type AccountRequest = {
  email: string
  /** ISO 3166, upper case. */
  country: string
  metadata: Record<string, string>
  idempotencyKey: string
}

/** A way into one Stripe account. All but createTransfer throw a ConnectError for whatever goes wrong. */
export type Connect = ReturnType<typeof connectTo>

/** Stripe answers within a second or two; a Worker's whole run has less than a minute. */
const CALL_TIMEOUT_MS = 8_000
/** The most that Stripe gives at once. Of one payout there is one transfer, or very few. */
const PAGE = 100

/**
 * Fetches an answer for the package, which never comes to an end with one that is JSON but no object, such as a
 * proxy's `null`: that is made into none at all.
 */
const fetchAnswer = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
  const response = await fetch(url, init)
  const headers = new Headers(response.headers)
  // What is read is unpacked already.
  headers.delete('Content-Encoding')
  headers.delete('Content-Length')
  const text = await response.text()
  return new Response(text.trimStart().startsWith('{') ? text : '', { status: response.status, headers })
}

/** An address of Stripe's API as the package takes it. */
const locate = (url: string | undefined) => {
  if (!url) return {}
  const { hostname: host, port, protocol } = new URL(url)
  return { host, port, protocol: protocol === 'http:' ? ('http' as const) : ('https' as const) }
}

type Capability = Stripe.V2.Core.Account.Configuration.Recipient.Capabilities.StripeBalance.StripeTransfers

/** How an account is, by the capability to be sent transfers. Whether it was fit before, Stripe doesn't say. */
export const statusOf = (closed: boolean, transfers: Capability | undefined): PayoutAccountStatus => {
  if (closed) return 'closed'
  if (!transfers) return 'onboarding'
  const { status, status_details: details } = transfers
  if (status === 'active') return 'enabled'
  // No answer of the partner's changes that: what is left is another account.
  if (status === 'rejected' || status === 'unsupported') return 'closed'
  if (details.some(({ resolution }) => resolution === 'provide_info')) return 'onboarding'
  const isUnderReview = details.some(
    ({ code }) => code === 'determining_status' || code === 'requirements_pending_verification',
  )
  return status === 'pending' || isUnderReview ? 'in_review' : 'restricted'
}

/** An id in an answer. A proxy's `{}` is an answer too. @throws when it has none */
const idIn = ({ id }: { id?: unknown }): string => {
  if (typeof id === 'string' && id !== '') return id
  throw new Error('Stripe’s answer has no id.')
}

/** Does something at Stripe. @throws {ConnectError} */
const told = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw new ConnectError(failureOf(error))
  }
}

/**
 * Opens a way into the Stripe account of a key.
 *
 * @example
 * ```ts
 * const outcome = await connectTo(env, key).createTransfer({ payoutId, keyVersion: 1, account, ... })
 * ```
 */
export const connectTo = (env: ConnectEnv, key: string) => {
  const stripe = new Stripe(key, {
    ...locate(env.STRIPE_URL),
    httpClient: Stripe.createFetchHttpClient(fetchAnswer),
    timeout: CALL_TIMEOUT_MS,
    // Whoever calls knows when to try again, and counts the calls.
    maxNetworkRetries: 0,
    telemetry: false,
  })

  return {
    /** Whose key it is. */
    platform: () =>
      told(async () => {
        const account = await stripe.accounts.retrieveCurrent()
        return { id: idIn(account) }
      }),

    /** Makes an account that can be sent transfers, once its owner has told Stripe enough. @returns its id */
    createAccount: ({ email, country, metadata, idempotencyKey }: AccountRequest): Promise<string> =>
      told(async () =>
        idIn(
          await stripe.v2.core.accounts.create(
            {
              contact_email: email,
              // By which the merchant knows it in Stripe's dashboard. A name might have changed at the next try.
              display_name: email,
              dashboard: 'express',
              identity: { country: country.toLowerCase() },
              configuration: {
                recipient: { capabilities: { stripe_balance: { stripe_transfers: { requested: true } } } },
              },
              defaults: {
                responsibilities: { fees_collector: 'application', losses_collector: 'application' },
              },
              metadata,
            },
            { idempotencyKey },
          ),
        ),
      ),

    /** The address of Stripe's page for an account's owner. It works once, for some minutes. */
    accountLink: (link: { account: string; returnUrl: string; refreshUrl: string }): Promise<string> =>
      told(async () => {
        const { url } = await stripe.v2.core.accountLinks.create({
          account: link.account,
          use_case: {
            type: 'account_onboarding',
            account_onboarding: { return_url: link.returnUrl, refresh_url: link.refreshUrl },
          },
        })
        const { href, protocol } = new URL(url)
        if (!/^https?:$/.test(protocol)) throw new Error('Stripe’s answer has no address.')
        return href
      }),

    /** How a partner's account is now. One that Stripe doesn't know, or not any more, is closed. */
    readAccount: async (id: string): Promise<{ status: PayoutAccountStatus }> => {
      try {
        return await told(async () => {
          const account = await stripe.v2.core.accounts.retrieve(id, { include: ['configuration.recipient'] })
          idIn(account)
          const capabilities = account.configuration?.recipient?.capabilities
          return {
            status: statusOf(account.closed === true, capabilities?.stripe_balance?.stripe_transfers),
          }
        })
      } catch (error) {
        if (error instanceof ConnectError && error.failure.kind === 'refused' && error.failure.isAccount) {
          return { status: 'closed' }
        }
        throw error
      }
    },

    /** Makes the transfer of a payout, once per key version. It never throws. */
    createTransfer: async (request: TransferRequest): Promise<TransferOutcome> => {
      const { payoutId, keyVersion, account, amountCents, currency, metadata } = request
      const amount = toStripe(amountCents, currency)
      if (amount === null) {
        const message = `Stripe can’t send ${formatMoney(amountCents, currency)}: it counts ${currency} in whole units.`
        return { kind: 'refused', code: 'amount_too_fine', message, isAccount: false }
      }
      try {
        const transfer = await stripe.transfers.create(
          {
            amount,
            currency: currency.toLowerCase(),
            destination: account,
            transfer_group: transferGroup(payoutId),
            metadata,
          },
          { idempotencyKey: transferKey(payoutId, keyVersion) },
        )
        return { kind: 'sent', transferId: idIn(transfer) }
      } catch (error) {
        return failureOf(error)
      }
    },

    /** The transfer of a payout, if there is one. One that somebody has reversed since was sent all the same. */
    findTransfer: (payoutId: string): Promise<{ id: string } | null> =>
      told(async () => {
        const { data } = await stripe.transfers.list({ transfer_group: transferGroup(payoutId), limit: PAGE })
        const transfer = data.find(({ metadata }) => metadata?.payout_id === payoutId)
        return transfer ? { id: idIn(transfer) } : null
      }),
  }
}
