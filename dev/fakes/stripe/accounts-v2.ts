/** Connected accounts in v2 of the API. */
import { Hono } from 'hono'
import * as z from 'zod'
import { type Connected, dueOf, type Requirement, transfersOf } from './accounts.ts'
import { needs, platformsOnly } from './authentication.ts'
import type { Connect } from './connect.ts'
import { transferCountriesOf } from './country-specs.ts'
import type { ApiEnv } from './env.ts'
import { invalidRequest } from './errors.ts'
import { missingFrom, readJson } from './json.ts'
import { countryOf } from './keys.ts'
import { createAccount, type Include, include, NewAccount } from './new-account.ts'
import type { Platform } from './platforms.ts'

const transfers = (account: Connected) => {
  const status = transfersOf(account)
  const details = {
    active: [],
    pending: [{ code: 'determining_status', resolution: 'no_resolution' }],
    restricted: [{ code: 'requirements_past_due', resolution: 'provide_info' }],
    rejected: [{ code: 'rejected_other', resolution: 'contact_stripe' }],
  }
  return { status, status_details: details[status] }
}

/** Whether Stripe pays out to the account's bank. */
const payouts = (account: Connected) =>
  account.refused && transfersOf(account) === 'active'
    ? {
        status: 'restricted',
        status_details: [{ code: 'requirements_past_due', resolution: 'provide_info' }],
      }
    : transfers(account)

const recipient = (account: Connected) =>
  account.recipient
    ? {
        applied: true,
        capabilities: {
          stripe_balance: { stripe_transfers: transfers(account), payouts: payouts(account) },
        },
      }
    : null

const requirement = ({ v2 }: Requirement) => ({
  awaiting_action_from: 'user',
  description: v2,
  errors: [],
  impact: {
    restricts_capabilities: [
      {
        capability: 'stripe_balance.stripe_transfers',
        configuration: 'recipient',
        deadline: { status: 'past_due' },
      },
    ],
  },
  minimum_deadline: { status: 'past_due' },
  requested_reasons: [{ code: 'routine_onboarding' }],
})

const requirements = (account: Connected) => {
  const entries = dueOf(account).map(requirement)
  return {
    entries,
    summary: entries.length ? { minimum_deadline: { status: 'past_due', time: null } } : null,
  }
}

/** An account. Parts that are not included are null, and most parts of a closed account. */
const accountV2 = (account: Connected, includes: readonly Include[]) => {
  const closed = account.standing === 'closed'
  const has = (name: Include) => !closed && includes.includes(name)
  const configured = includes.some((name) => name.startsWith('configuration.')) && !closed
  return {
    id: account.id,
    object: 'v2.core.account',
    applied_configurations: closed || !account.recipient ? [] : ['recipient'],
    closed,
    configuration: configured
      ? {
          customer: null,
          merchant: null,
          recipient: has('configuration.recipient') ? recipient(account) : null,
        }
      : null,
    contact_email: closed ? null : account.email,
    contact_phone: null,
    created: account.created.toISOString(),
    dashboard: closed ? null : account.dashboard,
    defaults: has('defaults')
      ? {
          currency: null,
          locales: null,
          profile: null,
          responsibilities: {
            fees_collector: account.feesCollector,
            losses_collector: account.lossesCollector,
            requirements_collector: 'stripe',
          },
        }
      : null,
    display_name: closed ? null : account.name,
    future_requirements: has('future_requirements') ? { entries: [], summary: null } : null,
    identity: has('identity')
      ? {
          attestations: null,
          business_details: null,
          country: account.country,
          entity_type: account.entityType,
          individual: null,
        }
      : null,
    livemode: false,
    metadata: closed ? {} : account.metadata,
    requirements: has('requirements') ? requirements(account) : null,
  }
}

/** One of a platform's accounts. @throws when there is none with this id */
export const accountOf = (platform: Platform, id: string): Connected => {
  const account = platform.accounts.find(id)
  if (account) return account
  throw missingFrom('account', id)
}

export const accountV2Routes = (connect: Connect) =>
  new Hono<ApiEnv>()
    .use('/v2/core/accounts/*', needs('connected_account_read'))
    .post('/v2/core/accounts', needs('connected_account_write'), platformsOnly(), async (c) => {
      const params = await readJson(c, NewAccount)
      const country = params.identity?.country
      if (country && !transferCountriesOf(countryOf(c.var.key)).includes(country)) {
        throw invalidRequest(
          `Funds can't be sent to accounts located in ${country} because it's restricted outside of your platform's region.`,
        )
      }
      const account = createAccount(c.var.platform, params, connect.now())
      connect.emitCreated(c.var.platform, account)
      return c.json(accountV2(account, params.include))
    })
    .get('/v2/core/accounts/:id', async (c) => {
      const params = await readJson(c, z.strictObject({ include }))
      return c.json(accountV2(accountOf(c.var.platform, c.req.param('id')), params.include))
    })
    .post('/v2/core/accounts/:id/close', needs('connected_account_write'), async (c) => {
      await readJson(
        c,
        z.strictObject({ applied_configurations: z.array(z.literal('recipient')).optional() }),
      )
      const account = accountOf(c.var.platform, c.req.param('id'))
      connect.step(account.id, 'close')
      return c.json(accountV2(account, []))
    })
