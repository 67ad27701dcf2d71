/** What operations share: security, errors, and the usual forms of a list, a read and a change. */
import * as z from 'zod'
import type {
  ZodOpenApiOperationObject,
  ZodOpenApiPathsObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi'
import type { Roles } from '../lib/auth/roles/role-sets.ts'
import { ErrorResponse, listOf } from '../lib/http/common.responses.ts'
import { ERROR_STATUS, type ErrorCode } from '../lib/http/errors.ts'
import { Page } from '../lib/http/lists.ts'
import type { ApiKeyScope } from '../lib/tenancy/keys/api-keys.ts'
import { ERROR_REFERENCE } from './error-reference.ts'
import { SAMPLE_WORKSPACE } from './sample-values.ts'

type Parameters = Record<string, z.ZodType>

export const WORKSPACE = '/api/workspaces/{workspace}'

const workspace = {
  workspace: z
    .string()
    .meta({ description: 'The slug or id of the workspace.', example: SAMPLE_WORKSPACE }),
}
export const id = { id: z.uuid() }

/** The route of an operation, as Hono names it. */
export const routeOf = (method: string, path: string): string =>
  `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`

/** The path parameters of an endpoint below a workspace. */
export const path = (more: Parameters = {}) => ({ path: z.object({ ...workspace, ...more }) })

/** An API key with a scope. The document states it, as OpenAPI 3.1 allows of any scheme. */
export const byApiKey = (scope: ApiKeyScope) => [{ apiKey: [scope] }]
export const bySession = [{ session: [] }]
const byReader = [...byApiKey('read'), ...bySession]

export const BODY_ERRORS = ['invalid_body', 'body_too_large', 'unsupported_media_type'] as const
export const SESSION_ERRORS = ['not_signed_in', 'cross_site_request'] as const
export const MANAGER_ERRORS = [...SESSION_ERRORS, 'manager_required', 'not_found'] as const
/** Members read with their session, backends with an API key. */
const READER_ERRORS = [
  'invalid_api_key',
  'insufficient_scope',
  'not_signed_in',
  'not_found',
] as const

type Operation = ZodOpenApiOperationObject

/** Changes each operation of the document. */
export const mapOperations = (
  paths: ZodOpenApiPathsObject,
  change: (operation: Operation, method: string, path: string) => Operation,
): ZodOpenApiPathsObject =>
  Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries<Operation>(item as Record<string, Operation>).map(([method, operation]) => [
          method,
          change(operation, method, path),
        ]),
      ),
    ]),
  )

const described = (operation: Operation, sentence: string): Operation => ({
  ...operation,
  description: [operation.description, sentence].filter(Boolean).join(' '),
})

/** An operation that is limited by the budget of expensive requests. */
export const expensively = (operation: Operation): Operation =>
  described(
    operation,
    'Limited to 10 calls in ten seconds and 2 at once, together with the other expensive requests of the workspace.',
  )

/** An operation that only these roles may call. */
export const byRoles = (operation: Operation, roles: Roles): Operation =>
  described(operation, `For people with the role ${roles.join(' or ')}.`)

/** An operation that may also fail with these errors. A status has all of their descriptions. */
const alsoFailing = (operation: Operation, ...codes: ErrorCode[]): Operation => {
  const responses = { ...operation.responses }
  for (const [status, more] of Object.entries(failures(codes)) as ['400', Failure][]) {
    const former: { description?: string } = responses[status] ?? {}
    const description = [former.description, more.description].filter(Boolean).join('\n\n')
    responses[status] = { ...more, ...former, description }
  }
  return { ...operation, responses }
}

/** An operation that needs a recent sign-in of a person with a session. */
export const freshly = (operation: Operation): Operation =>
  alsoFailing(operation, 'fresh_sign_in_required')

/** An operation that needs a passkey, where payouts do. */
export const byPasskey = (operation: Operation): Operation =>
  alsoFailing(operation, 'passkey_required')

const idempotencyKey = z
  .string()
  .regex(/^[\x20-\x7e]{1,255}$/)
  .optional()
  .meta({
    description:
      'Makes the request repeatable for 24 hours: the same key and body get the same response, and create nothing more.',
  })

/** An operation that takes an Idempotency-Key. */
export const repeatable = (operation: Operation): Operation => ({
  ...alsoFailing(operation, 'invalid_idempotency_key', 'idempotency_key_reused'),
  requestParams: {
    ...operation.requestParams,
    header: z.object({ 'Idempotency-Key': idempotencyKey }),
  },
})

export const json = (schema: z.core.$ZodType) => ({ content: { 'application/json': { schema } } })

type Failure = { description: string } & ReturnType<typeof json>

const failures = (codes: ErrorCode[]): Record<string, Failure> => {
  const byStatus = Map.groupBy(codes, (code) => ERROR_STATUS[code])
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => {
      const sentences = group.map((code) => `\`${code}\`: ${ERROR_REFERENCE[code].when}`)
      return [String(status), { description: sentences.join('\n\n'), ...json(ErrorResponse) }]
    }),
  )
}

/** The error responses of an operation, by status. Any operation may be rate limited or fail. */
export const errors = (...codes: ErrorCode[]): ZodOpenApiResponsesObject =>
  failures([...codes, 'rate_limited', 'internal', 'try_again'])

export const list = (
  summary: string,
  row: z.ZodType,
  query: z.ZodObject = Page,
  more?: Parameters,
): Operation => ({
  summary,
  security: byReader,
  requestParams: { ...path(more), query },
  responses: {
    200: { description: 'A page.', ...json(listOf(row)) },
    ...errors('invalid_query', ...READER_ERRORS),
  },
})

export const get = (summary: string, row: z.ZodType, more: Parameters = id): Operation => ({
  summary,
  security: byReader,
  requestParams: path(more),
  responses: { 200: { description: 'The resource.', ...json(row) }, ...errors(...READER_ERRORS) },
})

/** An operation that needs a member's session: API keys are refused. */
export const membersOnly = (operation: Operation): Operation => {
  const { '401': _, '403': __, ...responses } = operation.responses ?? {}
  return {
    ...operation,
    security: bySession,
    responses: { ...responses, ...errors('not_signed_in') },
  }
}

/** A change that an API key with the scope `write` may also make. */
export const byWriter = (operation: Operation): Operation => ({
  ...operation,
  security: [...byApiKey('write'), ...bySession],
  responses: {
    ...operation.responses,
    ...errors(
      'invalid_api_key',
      'not_signed_in',
      'insufficient_scope',
      'manager_required',
      'cross_site_request',
    ),
  },
})

/** A resource that needs a manager's session. */
export const byManager = (operation: Operation): Operation => {
  const { '401': _, '403': __, '404': ___, ...responses } = operation.responses ?? {}
  return {
    ...operation,
    security: bySession,
    responses: { ...responses, ...errors(...MANAGER_ERRORS) },
  }
}

/** A list that needs a manager's session. */
export const managersOnly = (operation: Operation): Operation => ({
  ...operation,
  security: bySession,
  responses: { ...operation.responses, ...errors('invalid_query', ...MANAGER_ERRORS) },
})

export const post = (
  summary: string,
  body: z.ZodType,
  row: z.ZodType,
  names: Parameters = {},
  ...more: ErrorCode[]
): Operation => ({
  summary,
  security: bySession,
  requestParams: path(names),
  requestBody: { required: true, ...json(body) },
  responses: {
    201: { description: 'The created resource.', ...json(row) },
    ...errors(...BODY_ERRORS, ...MANAGER_ERRORS, ...more),
  },
})

export const patch = (
  summary: string,
  body: z.ZodType,
  row: z.ZodType,
  ...more: ErrorCode[]
): Operation => ({
  summary,
  description: 'Omitted fields keep their values.',
  security: bySession,
  requestParams: path(id),
  requestBody: { required: true, ...json(body) },
  responses: {
    200: { description: 'The updated resource.', ...json(row) },
    ...errors(...BODY_ERRORS, ...MANAGER_ERRORS, ...more),
  },
})

/** Replaces a resource that always exists. */
export const put = (
  summary: string,
  body: z.ZodType,
  row: z.ZodType,
  {
    names = {},
    description,
    ...more
  }: { names?: Parameters; description: string; also?: ErrorCode[] },
): Operation => ({
  summary,
  description,
  security: bySession,
  requestParams: path(names),
  requestBody: { required: true, ...json(body) },
  responses: {
    200: { description: 'The updated resource.', ...json(row) },
    ...errors(...BODY_ERRORS, ...MANAGER_ERRORS, ...(more.also ?? [])),
  },
})

/** A creation that returns 200 if the resource exists. @param exists what 200 means */
export const unlessExists = (operation: Operation, exists: string): Operation => {
  const { '201': created, ...responses } = operation.responses ?? {}
  return {
    ...operation,
    responses: { 200: { ...created, description: exists }, 201: created, ...responses },
  }
}

/** An operation with another response of 200. */
export const returning = (
  operation: Operation,
  description: string,
  schema: z.ZodType,
): Operation => ({
  ...operation,
  responses: { ...operation.responses, 200: { description, ...json(schema) } },
})

/** A request with a body that changes nothing. */
export const ask = (
  summary: string,
  body: z.ZodType,
  answer: z.ZodType,
  description: string,
): Operation => ({
  summary,
  description,
  security: byReader,
  requestParams: path(id),
  requestBody: { required: true, ...json(body) },
  responses: {
    200: { description: 'The answer.', ...json(answer) },
    ...errors(...BODY_ERRORS, ...READER_ERRORS, 'cross_site_request'),
  },
})

/** A change without a body. May be repeated. */
export const act = (summary: string, row: z.ZodType): Operation => ({
  summary,
  security: bySession,
  requestParams: path(id),
  responses: {
    200: { description: 'The updated resource.', ...json(row) },
    ...errors(...MANAGER_ERRORS, 'conflict'),
  },
})

/** The same with a body. */
export const actWith = (summary: string, body: z.ZodType, row: z.ZodType): Operation => ({
  ...act(summary, row),
  requestBody: { required: true, ...json(body) },
  responses: {
    ...act(summary, row).responses,
    ...errors(...BODY_ERRORS, ...MANAGER_ERRORS, 'conflict'),
  },
})

export const remove = (
  summary: string,
  names: Parameters = id,
  ...more: ErrorCode[]
): Operation => ({
  summary,
  security: bySession,
  requestParams: path(names),
  responses: { 204: { description: 'Done.' }, ...errors(...MANAGER_ERRORS, ...more) },
})
