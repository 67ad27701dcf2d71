/** Access to a workspace: by a person's role (lib/auth/roles), or by an API key's scopes. */
import type { Context, MiddlewareHandler, Next } from 'hono'
import { every } from 'hono/combine'
import { createMiddleware } from 'hono/factory'
import { matchedRoutes } from 'hono/route'
import type { Act } from '../audit/audit.queries.ts'
import { ApiError } from '../http/errors.ts'
import { noteForLog } from '../http/logging.ts'
import { Unavailable } from '../platform/unavailable.ts'
import type { ApiKeyScope } from '../tenancy/keys/api-keys.ts'
import {
  keyWorkspace,
  memberWorkspace,
  type Workspace,
} from '../tenancy/workspaces/workspaces.queries.ts'
import { freshSignIn, isFresh } from './fresh-sign-in.ts'
import { apiKey, insufficientScope, invalidApiKey, type KeyEnv } from './keys/api-keys.ts'
import type { Roles } from './roles/role-sets.ts'
import { includesRole, ROUTE_ROLES } from './roles/roles.ts'
import { type SessionEnv, session } from './session.ts'

/** The app of the endpoints and pages of one workspace. */
export type WorkspaceEnv = SessionEnv & {
  Variables: {
    workspace: Workspace
    /** The actor for the audit log: an email address, or `API key "<name>"`. */
    actor: string
    /** Set for a request with an Idempotency-Key: see `idempotent`. */
    firstId?: string
    /** The secret that such a request returns once: see `idempotentSecret`. */
    secret?: string
    /** Whether the response is streamed. */
    isStreamed?: boolean
  }
}

const address = (c: Context): string => c.req.param('workspace') ?? ''

/** The same error for missing and for other workspaces, so that nobody can probe for them. */
const workspaceNotFound = () =>
  new ApiError('not_found', 'This workspace does not exist, or you are not a member of it.')

/**
 * Requires one of these roles.
 *
 * @throws {ApiError} `not_found` without a workspace, `manager_required` without the role
 */
export const requireRole = <W extends Pick<Workspace, 'role'>>(
  workspace: W | undefined,
  roles: Roles,
): W => {
  if (!workspace) throw workspaceNotFound()
  if (!includesRole(roles, workspace.role)) {
    const [, other] = roles
    throw new ApiError(
      'manager_required',
      `Only managers of this workspace${other ? `, and members with the role ${other},` : ''} can do this.`,
    )
  }
  return workspace
}

/** The roles of the route that handles a request; null if there is none, which is a 404. */
const rolesOf = (c: Context): Roles | null => {
  const route = matchedRoutes(c).find(({ method }) => method !== 'ALL')
  if (!route) return null
  const roles = ROUTE_ROLES.get(`${route.method} ${route.path}`)
  if (!roles) throw new Error(`lib/auth/roles does not say who may ${route.method} ${route.path}.`)
  return roles
}

/**
 * Requires a role of the route, in a handler that reads the workspace with its facts.
 * @throws {ApiError} as `requireRole`
 */
export const requireRoleOf = <W extends Pick<Workspace, 'role'>>(
  c: Context,
  workspace: W | undefined,
): W => requireRole(workspace, rolesOf(c) ?? [])

/** Requires a role of the route. @throws {ApiError} `manager_required` */
export const byRole = () =>
  createMiddleware<WorkspaceEnv>(async function byRole(c, next) {
    const roles = rolesOf(c)
    if (roles) requireRole(c.var.workspace, roles)
    await next()
  })

/**
 * Replaces a failure by that of a missing role. For handlers that read the role with their facts:
 * only people with the role learn what is wrong with a request.
 * @throws {ApiError} as `requireRole`
 */
export const failuresByRole = () =>
  createMiddleware<SessionEnv>(async function failuresByRole(c, next) {
    await next()
    if (!(c.error instanceof ApiError)) return
    const { db, user } = c.var
    requireRoleOf(c, await memberWorkspace(db, address(c), user.email).executeTakeFirst())
  })

/** The workspace, actor and time of a request, for the audit log. */
export const actOf = (c: Pick<Context<WorkspaceEnv>, 'var'>): Act => ({
  workspaceId: c.var.workspace.id,
  actor: c.var.actor,
  now: c.var.now,
  firstId: c.var.firstId,
})

/** Whether a person has signed in recently. API keys and old sessions may not move money. */
export const isFreshPerson = (c: Context<WorkspaceEnv>): boolean => {
  const signedInAt: Date | undefined = c.var.signedInAt
  return signedInAt !== undefined && isFresh(signedInAt, c.var.now)
}

/**
 * Continues the request, and checks its access again after an unexpected failure: the workspace may
 * have been deleted meanwhile.
 */
const withAccess = async (c: Context, next: Next, check: () => Promise<unknown>): Promise<void> => {
  await next()
  if (c.error && !(c.error instanceof ApiError || c.error instanceof Unavailable)) await check()
}

/** Sets `c.var.workspace` from the URL, for its members. @throws {ApiError} `not_found` */
export const inWorkspace = () =>
  createMiddleware<WorkspaceEnv>(async function inWorkspace(c, next) {
    const { db, user } = c.var
    const find = async () => {
      const workspace = await memberWorkspace(db, address(c), user.email).executeTakeFirst()
      if (!workspace) throw workspaceNotFound()
      return workspace
    }
    const workspace = await find()
    c.set('workspace', workspace)
    c.set('actor', c.var.user.email)
    noteForLog(c, { workspaceId: workspace.id })
    await withAccess(c, next, find)
  })

/** Sets `c.var.workspace` to that of a key with the scope. A workspace in the URL must match. */
const keyHolder = (scope: ApiKeyScope) =>
  createMiddleware<WorkspaceEnv & KeyEnv>(async function keyHolder(c, next) {
    const named = c.req.param('workspace') ?? null
    const find = async () => {
      const access = await keyWorkspace(c.var.db, named, c.var.apiKeyHash, c.var.now)
      if (access.outcome === 'unknown_key') throw invalidApiKey()
      if (access.outcome === 'other_workspace') {
        throw new ApiError(
          'not_found',
          'This API key belongs to another workspace. Use the slug or ID of its own workspace.',
        )
      }
      return access
    }
    const access = await find()
    noteForLog(c, {
      actor: `key ${access.keyId}`,
      keyHash: undefined,
      workspaceId: access.workspace.id,
    })
    if (!access.scopes.includes(scope)) throw insufficientScope(scope)
    c.set('workspace', access.workspace)
    c.set('actor', `API key "${access.keyName}"`)
    await withAccess(c, next, find)
  })

/**
 * Requires a member of the workspace in the URL, with a role of the route. Sets `c.var.user` and
 * `c.var.workspace`.
 *
 * @throws {ApiError} `not_signed_in`, `not_found` (also for non-members), `manager_required`
 */
export const member = () =>
  every(session(), inWorkspace(), byRole()) as MiddlewareHandler<WorkspaceEnv>

/** As `member`, with a recent sign-in. @throws {ApiError} also `fresh_sign_in_required` */
export const freshMember = () =>
  every(session(), inWorkspace(), byRole(), freshSignIn()) as MiddlewareHandler<WorkspaceEnv>

const personOr = (
  bySession: MiddlewareHandler,
  scope: ApiKeyScope,
): MiddlewareHandler<WorkspaceEnv> => {
  const byKey = every(apiKey(), keyHolder(scope))
  // Without credentials, the error is that for an API key. People use the pages.
  const isPerson = (c: Context) => !c.req.header('Authorization') && c.req.header('Cookie')
  return (c, next) => (isPerson(c) ? bySession : byKey)(c, next)
}

/**
 * Requires a member, or an API key with the scope `read`. Sets `c.var.workspace`.
 *
 * @throws {ApiError} `invalid_api_key`, `insufficient_scope`, and as `member`
 */
export const reader = () => personOr(member(), 'read')

/**
 * Requires an API key with the scope `read`. Sets `c.var.workspace`.
 * @throws {ApiError} `invalid_api_key`, `insufficient_scope`, `rate_limited`
 */
export const keyReader = () => every(apiKey(), keyHolder('read')) as MiddlewareHandler<WorkspaceEnv>

/** As `keyReader`, with the scope `write`. */
export const keyWriter = () =>
  every(apiKey(), keyHolder('write')) as MiddlewareHandler<WorkspaceEnv>

/**
 * Requires a member, or an API key with the scope `write`. Not for endpoints that move money or
 * give access. @throws {ApiError} as `reader`
 */
export const writer = () => personOr(member(), 'write')

/** As `writer`, for a recent sign-in of a person. @throws {ApiError} `fresh_sign_in_required` */
export const freshWriter = () => personOr(freshMember(), 'write')
