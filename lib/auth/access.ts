/** Who may do what in a workspace: managers everything, members and API keys some reading. */
import type { Context, MiddlewareHandler } from 'hono'
import { every } from 'hono/combine'
import { createMiddleware } from 'hono/factory'
import { ApiError } from '../http/errors.ts'
import type { Act } from '../workspace/audit.queries.ts'
import { keyWorkspace, memberWorkspace, type Workspace } from '../workspace/workspaces.queries.ts'
import { apiKey, invalidApiKey, type KeyEnv } from './api-keys.ts'
import { type SessionEnv, session } from './session.ts'

/** The app of endpoints and pages of one workspace, which the caller may use. */
export type WorkspaceEnv = SessionEnv & { Variables: { workspace: Workspace } }

/** The error for a workspace that isn't there, or isn't the caller's: which of them is nobody's business. */
const workspaceNotFound = () =>
  new ApiError('not_found', 'There is no such workspace, or you are not a member of it.')

/** Lets a manager pass. @throws {ApiError} `not_found` for no workspace, `manager_required` for a member */
export const requireManager = <W extends { role: string }>(workspace: W | undefined): W => {
  if (!workspace) throw workspaceNotFound()
  if (workspace.role !== 'manager') {
    throw new ApiError('manager_required', 'Only a manager of this workspace may do this.')
  }
  return workspace
}

/** What a request does to its workspace, for the audit log: by whom, and when. */
export const actOf = (c: Pick<Context<WorkspaceEnv>, 'var'>): Act => ({
  workspaceId: c.var.workspace.id,
  actor: c.var.user.email,
  now: c.var.now,
})

const address = (c: Context): string => c.req.param('workspace') ?? ''

/** Finds the workspace of the address for its member, for `c.var.workspace`. @throws {ApiError} `not_found` */
export const inWorkspace = () =>
  createMiddleware<WorkspaceEnv>(async function inWorkspace(c, next) {
    const workspace = await memberWorkspace(c.var.db, address(c), c.var.user.email).executeTakeFirst()
    if (!workspace) throw workspaceNotFound()
    c.set('workspace', workspace)
    await next()
  })

/** Lets only managers on. @throws {ApiError} `manager_required` */
export const managersOnly = () =>
  createMiddleware<WorkspaceEnv>(async function managersOnly(c, next) {
    requireManager(c.var.workspace)
    await next()
  })

/** Finds the workspace of the address for an API key of it, for `c.var.workspace`. */
const keyHolder = createMiddleware<WorkspaceEnv & KeyEnv>(async function keyHolder(c, next) {
  const access = await keyWorkspace(c.var.db, address(c), c.var.apiKeyHash)
  if (access.outcome === 'unknown_key') throw invalidApiKey()
  if (access.outcome === 'other_workspace') {
    throw new ApiError(
      'not_found',
      'This API key does not belong to that workspace. Use the slug or id of its own.',
    )
  }
  c.set('workspace', access.workspace)
  await next()
})

/**
 * Asks for a member of the workspace in the address, for `c.var.user` and `c.var.workspace`: what people read and
 * programs don't.
 *
 * @throws {ApiError} `not_signed_in`, `not_found` (also for strangers)
 */
export const member = () => every(session(), inWorkspace()) as MiddlewareHandler<WorkspaceEnv>

/**
 * Asks for a manager of the workspace in the address, for `c.var.user` and `c.var.workspace`.
 *
 * @throws {ApiError} `not_signed_in`, `not_found` (also for strangers), `manager_required`
 */
export const manager = () =>
  every(session(), inWorkspace(), managersOnly()) as MiddlewareHandler<WorkspaceEnv>

/**
 * Asks for someone who may read the workspace in the address: a member of it, or an API key of it, for
 * `c.var.workspace`.
 *
 * @throws {ApiError} `invalid_api_key`, `not_signed_in`, `not_found` (also for strangers and other workspaces' keys)
 */
export const reader = (): MiddlewareHandler<WorkspaceEnv> => {
  const byKey = every(apiKey(), keyHolder)
  const bySession = every(session(), inWorkspace())
  // Whoever sends neither is told of the key: browsers have pages.
  const isPerson = (c: Context) => !c.req.header('Authorization') && c.req.header('Cookie')
  return (c, next) => (isPerson(c) ? bySession : byKey)(c, next)
}
