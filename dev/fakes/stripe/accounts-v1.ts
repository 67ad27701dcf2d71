/** Accounts in v1 of the API: connected accounts, and the platform's own. */
import { Hono } from 'hono'
import type Stripe from 'stripe'
import { type Connected, dueOf, transfersOf } from './accounts.ts'
import { needs } from './authentication.ts'
import { NO_ADDRESS } from './customers.ts'
import type { ApiEnv } from './env.ts'
import { invalidRequest, StripeError } from './errors.ts'
import { countryOf } from './keys.ts'
import { readParams } from './params.ts'
import { answer } from './routes.ts'
import { listOf, type Store } from './store.ts'

const NO_REQUIREMENTS: Stripe.Account.FutureRequirements = {
  alternatives: [],
  current_deadline: null,
  currently_due: [],
  disabled_reason: null,
  errors: [],
  eventually_due: [],
  past_due: [],
  pending_verification: [],
}

const SETTINGS: Stripe.Account.Settings = {
  branding: { icon: null, logo: null, primary_color: null, secondary_color: null },
  card_issuing: { tos_acceptance: { date: null, ip: null } },
  card_payments: {
    decline_on: { avs_failure: true, cvc_failure: true },
    statement_descriptor_prefix: null,
    statement_descriptor_prefix_kana: null,
    statement_descriptor_prefix_kanji: null,
  },
  dashboard: { display_name: null, timezone: 'Etc/UTC' },
  payments: {
    statement_descriptor: null,
    statement_descriptor_kana: null,
    statement_descriptor_kanji: null,
    statement_descriptor_prefix_kana: null,
    statement_descriptor_prefix_kanji: null,
  },
}

const profile = (name: string | null): Stripe.Account.BusinessProfile => ({
  annual_revenue: null,
  estimated_worker_count: null,
  mcc: null,
  minority_owned_business_designation: null,
  name,
  product_description: null,
  specified_commercial_transactions_act_url: null,
  support_address: NO_ADDRESS,
  support_email: null,
  support_phone: null,
  support_url: null,
  url: null,
})

const disabledReason = (account: Connected): Stripe.Account.Requirements.DisabledReason | null => {
  if (account.standing === 'rejected') return 'rejected.other'
  if (transfersOf(account) === 'pending') return 'requirements.pending_verification'
  return transfersOf(account) === 'active' ? null : 'requirements.past_due'
}

/** A connected account, created by either version of the API. */
export const accountV1 = (account: Connected): Stripe.Account => {
  const { id, email, name, country, created, dashboard, metadata } = account
  const active = account.recipient && transfersOf(account) === 'active'
  const due = dueOf(account).map(({ v1 }) => v1)
  return {
    id,
    object: 'account',
    business_profile: profile(name),
    business_type: account.entityType,
    capabilities: account.recipient ? { transfers: active ? 'active' : 'inactive' } : {},
    charges_enabled: false,
    controller: {
      fees: { payer: account.feesCollector === 'stripe' ? 'account' : account.feesCollector },
      is_controller: true,
      losses: { payments: account.lossesCollector },
      requirement_collection: 'stripe',
      stripe_dashboard: { type: dashboard ?? 'none' },
      type: 'application',
    },
    ...(country && { country }),
    created: Math.floor(created.getTime() / 1_000),
    default_currency: 'usd',
    details_submitted: account.progress === 'finished',
    email,
    external_accounts: listOf([], `/v1/accounts/${id}/external_accounts`),
    future_requirements: NO_REQUIREMENTS,
    metadata,
    payouts_enabled: active && !account.refused,
    requirements: {
      ...NO_REQUIREMENTS,
      currently_due: due,
      disabled_reason: disabledReason(account),
      eventually_due: due,
      past_due: due,
    },
    settings: SETTINGS,
    tos_acceptance: { date: null, ip: null, user_agent: null },
    type: dashboard === 'express' ? 'express' : 'none',
  }
}

/** A platform's own account. */
const ownAccount = (id: string, country: string): Stripe.Account => ({
  id,
  object: 'account',
  business_profile: profile('A merchant'),
  business_type: 'company',
  capabilities: { card_payments: 'active', transfers: 'active' },
  charges_enabled: true,
  controller: { type: 'account' },
  country,
  created: 1_700_000_000,
  default_currency: 'usd',
  details_submitted: true,
  email: 'merchant@example.com',
  external_accounts: listOf([], `/v1/accounts/${id}/external_accounts`),
  future_requirements: NO_REQUIREMENTS,
  metadata: {},
  payouts_enabled: true,
  requirements: NO_REQUIREMENTS,
  settings: SETTINGS,
  tos_acceptance: { date: 1_700_000_000, ip: null, user_agent: null },
  type: 'standard',
})

/** The key has no access to the account. */
export const noAccess = (id: string): StripeError =>
  new StripeError(403, {
    code: 'account_invalid',
    message: `The provided key does not have access to account '${id}' (or that account does not exist). Application access may have been revoked.`,
  })

/**
 * `GET /v1/account`, the platform's own, `GET /v1/accounts/:id`, and links to the dashboards of
 * accounts.
 */
export const accountV1Routes = (store: Store, dashboardOf: (account: string) => string) =>
  new Hono<ApiEnv>()
    .get('/v1/account', needs('accounts_kyc_basic_read'), async (c) => {
      await readParams(c, {})
      return answer(c, store, ownAccount(c.var.platform.id, countryOf(c.var.key)))
    })
    .get('/v1/accounts', needs('connected_account_read'), async (c) => {
      await readParams(c, {})
      const connected = c.var.platform.accounts
        .list()
        .filter(({ standing }) => standing !== 'closed')
      return answer(c, store, listOf(connected.map(accountV1), '/v1/accounts'))
    })
    .post('/v1/accounts/:id/login_links', needs('connected_account_write'), async (c) => {
      await readParams(c, {})
      const id = c.req.param('id')
      const account = c.var.platform.accounts.find(id)
      if (!account || account.standing === 'closed') throw noAccess(id)
      if (account.progress !== 'finished') {
        throw invalidRequest(
          'Cannot create a login link for an account that has not completed onboarding.',
        )
      }
      return answer(c, store, {
        object: 'login_link',
        created: store.seconds(),
        url: dashboardOf(id),
      })
    })
    .get('/v1/accounts/:id', needs('connected_account_read'), async (c) => {
      await readParams(c, {})
      const id = c.req.param('id')
      const { platform } = c.var
      if (id === platform.id) return answer(c, store, ownAccount(id, countryOf(c.var.key)))
      const account = platform.accounts.find(id)
      if (!account || account.standing === 'closed') throw noAccess(id)
      return answer(c, store, accountV1(account))
    })
