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
  mapOperations,
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

const described: ZodOpenApiPathsObject = {
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
}

/** Operations that create something, and take an Idempotency-Key. */
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
    '/commissions/bulk',
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
].map((path) => `post ${path}`)

for (const name of [...REPEATABLE, ...PASSKEY_TO_PAY, ...Object.keys(ANY_SESSION)]) {
  const [method, path = ''] = name.split(' ') as ['get' | 'post' | 'patch' | 'delete', string]
  if (!described[path]?.[method]) throw new Error(`There is no operation ${name}.`)
}

/** A change that a session may make only after a recent sign-in. */
const isFreshOnly = (name: string, { security = [] }: ZodOpenApiOperationObject): boolean =>
  !name.startsWith('get ') &&
  !(name in ANY_SESSION) &&
  security.some((scheme) => 'session' in scheme)

/** The public API, from the schemas that validate requests and check responses in tests. */
export const paths: ZodOpenApiPathsObject = mapOperations(described, (described, method, path) => {
  const name = `${method} ${path}`
  const route = routeOf(method, path)
  const roles = ROUTE_ROLES.get(route) ?? ALL
  let operation = described
  if (isFreshOnly(name, operation)) operation = freshly(operation)
  if (PASSKEY_TO_PAY.includes(name)) operation = byPasskey(operation)
  if (REPEATABLE.includes(name)) operation = repeatable(operation)
  if (roles !== ALL) operation = byRoles(operation, roles)
  if (EXPENSIVE_ROUTES.includes(route)) operation = expensively(operation)
  return operation
})
