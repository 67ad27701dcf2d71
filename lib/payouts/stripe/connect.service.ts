/** The client for a merchant's Stripe account as a Connect platform: accounts (v2), transfers. */
import { deliverableAddress } from '../../mail/transport/address.ts'
import { decryptSecret } from '../../platform/secrets.ts'
import { fromStripe } from '../../stripe/amounts.ts'
import { type AccountState, paysBankOf, statusOf } from './account-state.ts'
import { type ConnectEnv, idIn, stripeOf } from './client.service.ts'
import { ConnectError, call } from './failures.service.ts'
import { transfersOf } from './transfers.service.ts'

/** The parameters of an account, which must be the same for one idempotency key. */
export type AccountRequest = {
  email: string
  /** ISO 3166, upper case. */
  country: string
  metadata: Record<string, string>
  idempotencyKey: string
}

/**
 * The client for a workspace's stored key; null without one, or if it cannot be decrypted.
 * @param ciphertext the encrypted key
 */
export const connectWith = async (
  env: ConnectEnv & { SECRETS_KEY: string },
  workspaceId: string,
  ciphertext: string | null | undefined,
): Promise<Connect | null> => {
  const key = ciphertext ? await decryptSecret(env.SECRETS_KEY, workspaceId, ciphertext) : null
  return key === null ? null : connectTo(env, key)
}

/** A client for one Stripe account. All methods but createTransfer throw a ConnectError. */
export type Connect = ReturnType<typeof connectTo>

const LOOK_TIMEOUT_MS = 2_000
/** Stripe's maximum. */
const PAGE = 100

/** The address in a response. @throws if it has none */
const addressIn = ({ url }: { url: string }): string => {
  const { href, protocol } = new URL(url)
  if (/^https?:$/.test(protocol)) return href
  throw new Error('Stripe’s response has no address.')
}

/** A client for the Stripe account of a key. */
export const connectTo = (env: ConnectEnv, key: string) => {
  const stripe = stripeOf(env, key)

  return {
    ...transfersOf(stripe),

    platform: () =>
      call(async () => {
        const account = await stripe.accounts.retrieveCurrent()
        return { id: idIn(account), country: account.country }
      }),

    /**
     * The countries (ISO 3166) to which an account in a country may transfer, with the recipient
     * agreement where that is across a border: https://docs.stripe.com/api/country_specs/object
     */
    transferCountries: (country: string): Promise<string[]> =>
      call(async () => {
        const { supported_transfer_countries: countries } =
          await stripe.countrySpecs.retrieve(country)
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
        const { data } = await stripe.webhookEndpoints.list(
          { limit: PAGE },
          { timeout: LOOK_TIMEOUT_MS },
        )
        return data
          .filter(({ status }) => status === 'enabled')
          .map(({ url, enabled_events: events }) => ({ url, events }))
      }),

    /** Creates an account, which receives transfers after onboarding. @returns its id */
    createAccount: ({
      email,
      country,
      metadata,
      idempotencyKey,
    }: AccountRequest): Promise<string> =>
      call(async () =>
        idIn(
          await stripe.v2.core.accounts.create(
            {
              contact_email: deliverableAddress(email) ?? email,
              // Shown in Stripe's dashboard. Not the partner's name, which may change between
              // attempts.
              display_name: email,
              dashboard: 'express',
              identity: { country: country.toLowerCase() },
              configuration: {
                recipient: {
                  capabilities: { stripe_balance: { stripe_transfers: { requested: true } } },
                },
              },
              defaults: {
                responsibilities: {
                  fees_collector: 'application',
                  losses_collector: 'application',
                },
              },
              metadata,
            },
            { idempotencyKey },
          ),
        ),
      ),

    /** The address of Stripe's onboarding page. It works once, for some minutes. */
    accountLink: (link: {
      account: string
      returnUrl: string
      refreshUrl: string
    }): Promise<string> =>
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
          const account = await stripe.v2.core.accounts.retrieve(id, {
            include: ['configuration.recipient'],
          })
          idIn(account)
          const balance = account.configuration?.recipient?.capabilities?.stripe_balance
          return {
            status: statusOf(account.closed === true, balance?.stripe_transfers),
            paysBank: paysBankOf(balance?.payouts?.status),
          }
        })
      } catch (error) {
        if (
          error instanceof ConnectError &&
          error.failure.kind === 'refused' &&
          error.failure.isAccount
        ) {
          return { status: 'closed', paysBank: null }
        }
        throw error
      }
    },

    /** The address and the country of an account's owner; null for what Stripe does not report. */
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
  }
}
