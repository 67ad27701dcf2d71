import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import { EXPENSIVE_ROUTES } from '../lib/auth/expensive/expensive-routes.ts'
import { ALL } from '../lib/auth/roles/role-sets.ts'
import { ROUTE_ROLES } from '../lib/auth/roles/roles.ts'
import { ANY_SESSION } from './any-session.ts'
import {
  byPasskey,
  byRoles,
  expensively,
  freshly,
  repeatable,
  routeOf,
  WORKSPACE,
} from './operations.ts'
import { PASSKEY_TO_PAY } from './passkey-to-pay.ts'
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

const takesSession = ({ security = [] }: ZodOpenApiOperationObject): boolean =>
  security.some((scheme) => 'session' in scheme)

/**
 * Says of each change that a session may make that it needs a recent sign-in, but for those of
 * `ANY_SESSION`.
 */
const withFreshSignIn = (all: ZodOpenApiPathsObject): ZodOpenApiPathsObject => {
  const names = new Set(Object.keys(ANY_SESSION))
  const marked = { ...all }
  for (const [path, item] of Object.entries(all)) {
    for (const method of ['post', 'put', 'patch', 'delete'] as const) {
      const operation = item[method]
      if (!operation || names.delete(`${method} ${path}`) || !takesSession(operation)) continue
      marked[path] = { ...marked[path], [method]: freshly(operation) }
    }
  }
  if (names.size > 0) throw new Error(`There is no operation ${[...names].join(', ')}.`)
  return marked
}

const withPasskeys = (all: ZodOpenApiPathsObject): ZodOpenApiPathsObject => {
  const marked = { ...all }
  for (const name of PASSKEY_TO_PAY) {
    const [method, path = ''] = name.split(' ') as ['get' | 'post' | 'patch' | 'delete', string]
    const operation = marked[path]?.[method]
    if (!operation) throw new Error(`There is no operation ${name}.`)
    marked[path] = { ...marked[path], [method]: byPasskey(operation) }
  }
  return marked
}

const withBudgets = (all: ZodOpenApiPathsObject): ZodOpenApiPathsObject =>
  Object.fromEntries(
    Object.entries(all).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => {
          const isExpensive = EXPENSIVE_ROUTES.includes(routeOf(method, path))
          return [method, isExpensive ? expensively(operation) : operation]
        }),
      ),
    ]),
  )

const withRoles = (all: ZodOpenApiPathsObject): ZodOpenApiPathsObject =>
  Object.fromEntries(
    Object.entries(all).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => {
          const roles = ROUTE_ROLES.get(routeOf(method, path)) ?? ALL
          return [method, roles === ALL ? operation : byRoles(operation, roles)]
        }),
      ),
    ]),
  )

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
export const paths: ZodOpenApiPathsObject = withBudgets(
  withRoles(
    withIdempotencyKeys(
      withPasskeys(
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
      ),
    ),
  ),
)
