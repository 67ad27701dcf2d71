/** Operations on the rows of a workspace, as most endpoints have them. */
import * as z from 'zod'
import type { ErrorCode } from '../lib/http/errors.ts'
import { Page } from '../lib/http/lists.ts'
import { BODY_ERRORS, byApiKey, bySession, errors, json, MANAGER_ERRORS, workspace } from './shared.ts'

type Path = Record<string, z.ZodType>

export const id = { id: z.uuid() }
export const path = (more: Path = {}) => ({ path: z.object({ ...workspace, ...more }) })

/** Members may read, and so may programs with an API key. */
const byReader = [...byApiKey, ...bySession]
const READER_ERRORS = ['invalid_api_key', 'not_signed_in', 'not_found'] as const

export const list = (summary: string, rows: z.ZodType, query: z.ZodObject = Page, more?: Path) => ({
  summary,
  security: byReader,
  requestParams: { ...path(more), query },
  responses: { 200: { description: 'A page.', ...json(rows) }, ...errors('invalid_query', ...READER_ERRORS) },
})

export const get = (summary: string, row: z.ZodType, more: Path = id) => ({
  summary,
  security: byReader,
  requestParams: path(more),
  responses: { 200: { description: 'The row.', ...json(row) }, ...errors(...READER_ERRORS) },
})

/** The same for what people may read, and programs may not. */
export const membersOnly = <Operation extends { responses: object }>(operation: Operation) => {
  const { 401: _, ...responses } = operation.responses as Record<number, object>
  return { ...operation, security: bySession, responses: { ...responses, ...errors('not_signed_in') } }
}

/** The same for a list that only managers may see. */
export const managersOnly = <Operation extends { responses: object }>(operation: Operation) => ({
  ...operation,
  security: bySession,
  responses: { ...operation.responses, ...errors('invalid_query', ...MANAGER_ERRORS) },
})

export const post = (
  summary: string,
  body: z.ZodType,
  row: z.ZodType,
  names: Path = {},
  ...more: ErrorCode[]
) => ({
  summary,
  security: bySession,
  requestParams: path(names),
  requestBody: { required: true, ...json(body) },
  responses: {
    201: { description: 'The row that was made.', ...json(row) },
    ...errors(...BODY_ERRORS, ...MANAGER_ERRORS, ...more),
  },
})

export const patch = (summary: string, body: z.ZodType, row: z.ZodType, ...more: ErrorCode[]) => ({
  summary,
  description: 'What is not named stays as it is.',
  security: bySession,
  requestParams: path(id),
  requestBody: { required: true, ...json(body) },
  responses: {
    200: { description: 'The row as it is now.', ...json(row) },
    ...errors(...BODY_ERRORS, ...MANAGER_ERRORS, ...more),
  },
})

export const remove = (summary: string, names: Path = id, ...more: ErrorCode[]) => ({
  summary,
  security: bySession,
  requestParams: path(names),
  responses: { 204: { description: 'Done.' }, ...errors(...MANAGER_ERRORS, ...more) },
})

export const AT = '/api/workspaces/{workspace}'
