import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { freshly, repeatable, WORKSPACE } from './operations.ts'
import { applications } from './paths/applications.ts'
import { imports } from './paths/imports.ts'
import { ledger } from './paths/ledger.ts'
import { mails } from './paths/mails.ts'
import { papers } from './paths/papers.ts'
import { payouts } from './paths/payouts.ts'
import { programs } from './paths/programs.ts'
import { reports } from './paths/reports.ts'
import { shadow } from './paths/shadow.ts'
import { stripe } from './paths/stripe.ts'
import { tracking } from './paths/tracking.ts'
import { webhooks } from './paths/webhooks.ts'
import { workspaces } from './paths/workspaces.ts'

/** What pays, or changes keys or members. */
const FRESH = {
  put: ['/stripe/key'],
  patch: ['/members/{id}', '/payout-runs/{id}'],
  delete: ['/members/{id}', '/api-keys/{id}', '/stripe/key', '/stripe/secrets/{id}'],
  post: [
    '/members',
    '/api-keys',
    '/api-keys/{id}/rotate',
    '/stripe/secrets',
    '/payouts/run',
    ...['release', 'cancel', 'resolve', 'return'].map((action) => `/payouts/{id}/${action}`),
    ...['approve', 'decline', 'send', 'resolve', 'wise-template'].map(
      (action) => `/payout-runs/{id}/${action}`,
    ),
    ...['approve', 'decline'].map((action) => `/settings/limit-requests/{id}/${action}`),
  ],
} as const

const withFreshSignIn = (all: ZodOpenApiPathsObject): ZodOpenApiPathsObject => {
  const marked = { ...all }
  for (const [method, ends] of Object.entries(FRESH) as [keyof typeof FRESH, readonly string[]][]) {
    for (const end of ends) {
      const path = `${WORKSPACE}${end}`
      const operation = marked[path]?.[method]
      if (!operation) throw new Error(`There is no operation ${method} ${path}.`)
      marked[path] = { ...marked[path], [method]: freshly(operation) }
    }
  }
  return marked
}

/** What creates something, and takes an Idempotency-Key. */
const REPEATABLE = [
  '/api/workspaces',
  ...[
    '/programs',
    '/programs/{id}/groups',
    '/partners',
    '/partners/{id}/links',
    '/partners/{id}/coupons',
    '/partners/{id}/notes',
    '/invitations',
    '/commissions',
    '/commissions/{id}/reverse',
    '/members',
    '/api-keys',
    '/api-keys/{id}/rotate',
    '/stripe/secrets',
    '/webhook-endpoints',
    '/webhook-endpoints/{id}/rotate-secret',
    '/webhook-endpoints/{id}/test',
    '/payouts/run',
  ].map((end) => `${WORKSPACE}${end}`),
]

const withIdempotencyKeys = (all: ZodOpenApiPathsObject): ZodOpenApiPathsObject => {
  const marked = { ...all }
  for (const path of REPEATABLE) {
    const operation = marked[path]?.post
    if (!operation) throw new Error(`There is no operation post ${path}.`)
    marked[path] = { ...marked[path], post: repeatable(operation) }
  }
  return marked
}

/** The public API, from the schemas that validate requests and check responses in tests. */
export const paths: ZodOpenApiPathsObject = withIdempotencyKeys(
  withFreshSignIn({
    ...tracking,
    ...ledger,
    ...programs,
    ...shadow,
    ...applications,
    ...payouts,
    ...papers,
    ...stripe,
    ...webhooks,
    ...workspaces,
    ...mails,
    ...reports,
    ...imports,
  }),
)
