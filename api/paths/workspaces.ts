import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { AuditEntryResponse } from '../../lib/audit/audit.responses.ts'
import { AuditQuery } from '../../lib/audit/audit.schemas.ts'
import { listOf } from '../../lib/http/common.responses.ts'
import { ApiKeyResponse, CreatedApiKeyResponse } from '../../lib/tenancy/keys/api-keys.responses.ts'
import { NewApiKey, Rotation } from '../../lib/tenancy/keys/api-keys.schemas.ts'
import { MemberResponse } from '../../lib/tenancy/members/members.responses.ts'
import { MemberChange, NewMember } from '../../lib/tenancy/members/members.schemas.ts'
import { SettingsResponse } from '../../lib/tenancy/settings/settings.responses.ts'
import { SettingsChange } from '../../lib/tenancy/settings/settings.schemas.ts'
import { WorkspaceResponse } from '../../lib/tenancy/workspaces/workspaces.responses.ts'
import { NewWorkspace } from '../../lib/tenancy/workspaces/workspaces.schemas.ts'
import {
  act,
  BODY_ERRORS,
  bySession,
  errors,
  get,
  id,
  json,
  list,
  managersOnly,
  patch,
  path,
  post,
  remove,
  SESSION_ERRORS,
  WORKSPACE,
} from '../operations.ts'

export const workspaces: ZodOpenApiPathsObject = {
  '/api/workspaces': {
    get: {
      summary: 'List your workspaces',
      security: bySession,
      responses: {
        200: { description: 'All of them.', ...json(listOf(WorkspaceResponse)) },
        ...errors(...SESSION_ERRORS),
      },
    },
    post: {
      summary: 'Create a workspace and become its manager',
      security: bySession,
      requestBody: { required: true, ...json(NewWorkspace) },
      responses: {
        201: { description: 'The created resource.', ...json(WorkspaceResponse) },
        ...errors(...BODY_ERRORS, ...SESSION_ERRORS, 'signup_closed', 'conflict'),
      },
    },
  },
  [`${WORKSPACE}/members`]: {
    get: managersOnly(list('List members', MemberResponse)),
    post: post('Invite a member by email', NewMember, MemberResponse, {}, 'conflict'),
  },
  [`${WORKSPACE}/members/{id}`]: {
    patch: patch('Change a member’s role', MemberChange, MemberResponse, 'conflict'),
    delete: remove('Remove a member', id, 'conflict'),
  },
  [`${WORKSPACE}/api-keys`]: {
    get: managersOnly(list('List API keys', ApiKeyResponse)),
    post: post('Create an API key', NewApiKey, CreatedApiKeyResponse),
  },
  [`${WORKSPACE}/api-keys/{id}/rotate`]: {
    post: post(
      'Rotate an API key: replace it with a new one, with an overlap',
      Rotation,
      CreatedApiKeyResponse,
      id,
      'not_found',
      'conflict',
    ),
  },
  [`${WORKSPACE}/api-keys/{id}`]: { delete: remove('Revoke an API key immediately') },
  [`${WORKSPACE}/settings`]: {
    get: get('Read the settings of the workspace', SettingsResponse, {}),
    patch: {
      ...patch(
        'Change the settings of the workspace',
        SettingsChange,
        SettingsResponse,
        'conflict',
      ),
      requestParams: path(),
    },
  },
  [`${WORKSPACE}/settings/limit-requests/{id}/approve`]: {
    post: act('Approve a request for a higher limit of payout runs', SettingsResponse),
  },
  [`${WORKSPACE}/settings/limit-requests/{id}/decline`]: {
    post: act('Decline a request for a higher limit of payout runs', SettingsResponse),
  },
  [`${WORKSPACE}/audit`]: {
    get: managersOnly(
      list(
        'List the audit log, without the IDs of imported opening balances',
        AuditEntryResponse,
        AuditQuery,
      ),
    ),
  },
  [`${WORKSPACE}/audit/{id}`]: {
    get: managersOnly(get('Read an entry of the audit log', AuditEntryResponse)),
  },
}
