/**
 * The client for a merchant's Stripe account as a Connect platform: partners' accounts (API v2) and transfers to them.
 */
import type Stripe from 'stripe'
import { deliverableAddress } from '../../mail/address.ts'
import { formatMoney } from '../../money.ts'
import { fromStripe, toStripe } from '../../purchases/stripe/amounts.ts'
import { transferGroup, transferKey } from '../payouts.ts'
import type { ListedTransfer, TransferMetadata } from '../transfer-metadata.ts'
import { type AccountState, paysBankOf, statusOf } from './account-state.ts'
import { type ConnectEnv, stripeOf } from './client.service.ts'
import { ConnectError, type Failure, failureOf } from './failures.service.ts'

/** The parameters of a transfer. */
export type TransferRequest = {
  payoutId: string
  keyVersion: number
  /** The partner's. */
  account: string
  /** Minor units of ISO 4217. */
  amountCents: bigint
  currency: string
  metadata: TransferMetadata
}

/** The outcome of a transfer. */
export type TransferOutcome = ({ kind: 'sent' } & Transfer) | Failure

/** A transfer that was made. */
type Transfer = {
  transferId: string
  /** What was reversed of it since, in minor units of ISO 4217. */
  reversedCents: number
}

/** The parameters of an account. They must be the same for each attempt with one idempotency key. */
export type AccountRequest = {
  email: string
  /** ISO 3166, upper case. */
  country: string
  metadata: Record<string, string>
  idempotencyKey: string
}

/** A client for one Stripe account. All methods but createTransfer throw a ConnectError. */
export type Connect = ReturnType<typeof connectTo>

/** A page waits for it. */
const LOOK_TIMEOUT_MS = 2_000
/** Stripe's maximum. A payout has one transfer, or very few. */
const PAGE = 100

/** The id in a response. @throws if it has none, as a proxy's `{}` */
export const idIn = ({ id }: { id?: unknown }): string => {
  if (typeof id === 'string' && id !== '') return id
  throw new Error('Stripe’s response has no id.')
}

/** The address in a response. @throws if it has none */
const addressIn = ({ url }: { url: string }): string => {
  const { href, protocol } = new URL(url)
  if (/^https?:$/.test(protocol)) return href
  throw new Error('Stripe’s response has no address.')
}

const transferIn = (transfer: { id: string; currency: string; amount_reversed: number }): Transfer => ({
  transferId: idIn(transfer),
  // A proxy may leave it out.
  reversedCents: fromStripe(Number(transfer.amount_reversed) || 0, transfer.currency.toUpperCase()),
})

const listedIn = (transfer: Stripe.Transfer): ListedTransfer => {
  const { amount, created, currency: code, destination, metadata, transfer_group: group } = transfer
  const currency = code.toUpperCase()
  return {
    id: idIn(transfer),
    account: typeof destination === 'string' ? destination : (destination?.id ?? ''),
    amountCents: fromStripe(amount, currency),
    reversedCents: transferIn(transfer).reversedCents,
    currency,
    createdAt: new Date(created * 1_000),
    group: group ?? null,
    metadata: metadata ?? {},
  }
}

/** Calls Stripe. @throws {ConnectError} */
const call = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw new ConnectError(failureOf(error))
  }
}

/**
 * Creates a client for the Stripe account of a key.
 *
 * @example
 * ```ts
 * const outcome = await connectTo(env, key).createTransfer({ payoutId, keyVersion: 1, account, ... })
 * ```
 */
export const connectTo = (env: ConnectEnv, key: string) => {
  const stripe = stripeOf(env, key)

  return {
    /** The Stripe account of the key. */
    platform: () =>
      call(async () => {
        const account = await stripe.accounts.retrieveCurrent()
        return { id: idIn(account), country: account.country }
      }),

    /**
     * The countries (ISO 3166) to which an account in a country may transfer, with the recipient agreement where that is
     * across a border: https://docs.stripe.com/api/country_specs/object
     */
    transferCountries: (country: string): Promise<string[]> =>
      call(async () => {
        const { supported_transfer_countries: countries } = await stripe.countrySpecs.retrieve(country)
        const codes = countries.filter((code) => /^[A-Z]{2}$/.test(code))
        if (codes.length === 0) throw new Error('Stripe’s response has no countries.')
        return codes
      }),

    /** The available balance by currency, in minor units of ISO 4217. It may be negative. */
    available: (): Promise<Map<string, bigint>> =>
      call(async () => {
        const { available } = await stripe.balance.retrieve()
        return new Map(
          available.map(({ amount, currency }) => {
            const code = currency.toUpperCase()
            return [code, BigInt(fromStripe(amount, code))]
          }),
        )
      }),

    /** The enabled webhook endpoints of the account, and their event types. */
    endpoints: (): Promise<{ url: string; events: string[] }[]> =>
      call(async () => {
        const { data } = await stripe.webhookEndpoints.list({ limit: PAGE }, { timeout: LOOK_TIMEOUT_MS })
        return data
          .filter(({ status }) => status === 'enabled')
          .map(({ url, enabled_events: events }) => ({ url, events }))
      }),

    /** Creates an account that can receive transfers once its owner has completed onboarding. @returns its id */
    createAccount: ({ email, country, metadata, idempotencyKey }: AccountRequest): Promise<string> =>
      call(async () =>
        idIn(
          await stripe.v2.core.accounts.create(
            {
              contact_email: deliverableAddress(email) ?? email,
              // Shown in Stripe's dashboard. Not the partner's name, which may change between attempts.
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

    /** The address of Stripe's onboarding page. It works once, for some minutes. */
    accountLink: (link: { account: string; returnUrl: string; refreshUrl: string }): Promise<string> =>
      call(async () =>
        addressIn(
          await stripe.v2.core.accountLinks.create({
            account: link.account,
            use_case: {
              type: 'account_onboarding',
              account_onboarding: { return_url: link.returnUrl, refresh_url: link.refreshUrl },
            },
          }),
        ),
      ),

    /** The address of an account's own dashboard at Stripe. It works once. */
    dashboardLink: (account: string): Promise<string> =>
      call(async () => addressIn(await stripe.accounts.createLoginLink(account))),

    /** The state of an account. One that Stripe does not know is closed. */
    readAccount: async (id: string): Promise<AccountState> => {
      try {
        return await call(async () => {
          const account = await stripe.v2.core.accounts.retrieve(id, { include: ['configuration.recipient'] })
          idIn(account)
          const balance = account.configuration?.recipient?.capabilities?.stripe_balance
          return {
            status: statusOf(account.closed === true, balance?.stripe_transfers),
            paysBank: paysBankOf(balance?.payouts?.status),
          }
        })
      } catch (error) {
        if (error instanceof ConnectError && error.failure.kind === 'refused' && error.failure.isAccount) {
          return { status: 'closed', paysBank: null }
        }
        throw error
      }
    },

    /** Creates the transfer of a payout, once per key version. Never throws. */
    createTransfer: async (request: TransferRequest): Promise<TransferOutcome> => {
      const { payoutId, keyVersion, account, amountCents, currency, metadata } = request
      const amount = toStripe(amountCents, currency)
      if (amount === null) {
        const message = `Stripe can’t send ${formatMoney(amountCents, currency)}: it supports whole units of ${currency} only.`
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
        return { kind: 'sent', ...transferIn(transfer) }
      } catch (error) {
        return failureOf(error)
      }
    },

    /**
     * A page of the account's transfers, newest first: those since a time, older than a transfer. Of something else that the
     * merchant uses Stripe for, too.
     */
    listTransfers: (
      since: Date,
      olderThan: string | null,
    ): Promise<{ transfers: ListedTransfer[]; hasMore: boolean }> =>
      call(async () => {
        const { data, has_more: hasMore } = await stripe.transfers.list({
          limit: PAGE,
          created: { gte: Math.floor(since.getTime() / 1_000) },
          ...(olderThan && { starting_after: olderThan }),
        })
        return { transfers: data.map(listedIn), hasMore: hasMore === true && data.length > 0 }
      }),

    /** The address and the country of an account's owner; null for what Stripe does not say, or no longer. */
    readOwner: async (id: string): Promise<{ email: string | null; country: string | null }> => {
      try {
        return await call(async () => {
          const account = await stripe.v2.core.accounts.retrieve(id, { include: ['identity'] })
          return {
            email: account.contact_email?.toLowerCase() ?? null,
            country: account.identity?.country?.toUpperCase() ?? null,
          }
        })
      } catch (error) {
        if (error instanceof ConnectError && error.failure.kind === 'refused')
          return { email: null, country: null }
        throw error
      }
    },

    /** The transfer of a payout, or null. A transfer that was reversed since counts. */
    findTransfer: (payoutId: string): Promise<Transfer | null> =>
      call(async () => {
        const { data } = await stripe.transfers.list({ transfer_group: transferGroup(payoutId), limit: PAGE })
        const transfer = data.find(({ metadata }) => metadata?.payout_id === payoutId)
        return transfer ? transferIn(transfer) : null
      }),
  }
}
