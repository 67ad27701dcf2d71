import { inject, vi } from 'vitest'
import { ENDLESS_BUDGETS } from '../../dev/runtime/workers.ts'
import dashboard from '../../functions/dashboard.tsx'
import manage from '../../functions/manage.ts'
import portal from '../../functions/portal.tsx'
import type { Act } from '../../lib/audit/audit.queries.ts'
import type { NudgesService } from '../../lib/http/rpc/nudges.rpc.ts'
import type { EndpointsService } from '../../lib/http/rpc/webhooks.rpc.ts'
import {
  disconnect,
  refreshAccount,
  startOnboarding,
} from '../../lib/payouts/accounts/onboarding.service.ts'
import type { PayoutsService } from '../../lib/payouts/payouts.rpc.ts'
import { saveKey } from '../../lib/payouts/transfers/keys.service.ts'
import { decryptSecret, encryptSecret } from '../../lib/platform/secrets.ts'
import { urlRefusal } from '../../lib/platform/url.ts'
import type { NewSecret } from '../../lib/purchases/stripe/signing-secrets.queries.ts'
import { addSecret } from '../../lib/purchases/stripe/signing-secrets.service.ts'
import type { StripeService } from '../../lib/purchases/stripe/stripe.rpc.ts'
import { checkResponse } from './contract.ts'
import { asZone } from './databases.ts'
import { checkLines } from './log-lines.ts'
import { SECRETS_KEY } from './secrets.ts'

/** Bindings that replace those of wrangler.toml or of the shared Workers. */
type Bindings = {
  DATABASE_URL?: string
  SQL_ENDPOINT?: string
  ALLOW_SIGNUP?: string
  OWNER_EMAIL?: string | undefined
  EXPENSIVE_REQUESTS?: string
  EXPENSIVE_AT_ONCE?: string
  STRIPE_WEBHOOK?: Partial<StripeService>
  PAYOUTS?: Partial<PayoutsService>
  OUTBOX?: NudgesService
}

/** The payouts Worker's service for accounts and keys, run in this process. */
export const payoutsHere = (env: { SQL_ENDPOINT?: string; STRIPE_URL?: string } = {}) => {
  const { DATABASE_URL, SQL_ENDPOINT } = inject('database')
  const all = {
    DATABASE_URL: asZone(DATABASE_URL, 'pay'),
    SQL_ENDPOINT,
    STRIPE_URL: inject('stripeUrl'),
    SECRETS_KEY,
    PUBLIC_URL: inject('baseUrl'),
    ...env,
  }
  return {
    saveKey: (act, key) => saveKey(all, act, key),
    startOnboarding: (request) => startOnboarding(all, request),
    refreshAccount: (workspaceId, accountId) => refreshAccount(all, workspaceId, accountId),
    disconnect: (workspaceId, email) => disconnect(all, workspaceId, email),
  } satisfies Partial<PayoutsService>
}

/**
 * The webhooks Worker's service, run in this process. It nudges nobody: what a test queues waits
 * until the test runs the Worker.
 */
export const webhooksHere: EndpointsService = {
  nudge: async () => {},
  urlRefusal: async (url) => urlRefusal(url, true),
  newSecret: async (workspaceId) => {
    const secret = `whsec_${crypto.getRandomValues(Buffer.alloc(32)).toString('base64')}`
    return { secret, ciphertext: await encryptSecret(SECRETS_KEY, workspaceId, secret) }
  },
  seal: (workspaceId, text) => encryptSecret(SECRETS_KEY, workspaceId, text),
  unseal: (workspaceId, sealed) => decryptSecret(SECRETS_KEY, workspaceId, sealed),
}

/** What is done after a response is not waited for. */
const CONTEXT = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} }

const APPS = { manage, dashboard, portal }

/**
 * Sends a request to a Worker's app in this process, as a signed-in person: for settings and
 * databases that the shared Workers don't have.
 */
export const askAs = async (
  worker: keyof typeof APPS,
  email: string,
  path: string,
  init: RequestInit = {},
  bindings: Bindings = {},
): Promise<Response> => {
  // The apps log each request. Tests that look at the log find it in `console.log`'s calls.
  vi.spyOn(console, 'log').mockImplementation((line) => checkLines([String(line)]))
  const user = { id: crypto.randomUUID(), email, name: '' }
  const { SQL_ENDPOINT = inject('database').SQL_ENDPOINT } = bindings
  const pay = {
    DATABASE_URL: asZone(inject('database').DATABASE_URL, 'pay'),
    SQL_ENDPOINT,
    SECRETS_KEY,
  }
  const env = {
    ...inject('database'),
    AUTH: { getSession: async () => ({ user, signedInAt: new Date(), setCookie: [] }) },
    STRIPE_WEBHOOK: {
      addSecret: (act: Act, secret: NewSecret) => addSecret(pay, act, secret),
    },
    PAYOUTS: payoutsHere({ SQL_ENDPOINT }),
    WEBHOOKS: webhooksHere,
    OUTBOX: { nudge: async () => {} },
    PAYOUT_QUEUE: { nudge: async () => {} },
    RATE_LIMIT: { limit: async () => ({ success: true }) },
    FAILURE_LIMIT: { limit: async () => ({ success: true }) },
    ALLOW_SIGNUP: 'true',
    ...ENDLESS_BUDGETS,
    ...bindings,
    DATABASE_URL: asZone(bindings.DATABASE_URL ?? inject('database').DATABASE_URL, 'pages'),
  }
  const headers = { Cookie: 'tributary.session=any', ...init.headers }
  const url = `http://tributary.example${path}`
  const response = await APPS[worker].request(url, { ...init, headers }, env, CONTEXT)
  await checkResponse(init.method ?? 'GET', url, response)
  return response
}
