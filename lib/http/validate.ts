/**
 * Validation of requests by zod: JSON bodies, query strings and forms. An invalid body or query
 * gets our error shape. An invalid form is shown again with its errors.
 */
import type { HonoRequest, MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { every } from 'hono/combine'
import { en } from 'zod/locales'
import * as z from 'zod/mini'
import { findUnstorable } from '../values/json.ts'
import type { BaseEnv } from './base-app.ts'
import { ApiError, type ErrorDetail } from './errors.ts'

/** The largest body of a tracking call, in bytes: 16 KiB of metadata, and ample other fields. */
const MAX_BODY_BYTES = 64 * 1024

// zod/mini loads no messages, unlike zod.
z.config(en())

type Options = {
  /** The largest body that the endpoint accepts, in bytes. */
  maxBytes?: number
  /** Checks the parsed body before the schema does, for too many rows. */
  precheck?: (body: unknown) => void
  /** The handler checks the rows by `checked`, one by one. */
  checksRows?: boolean
  /** Accepts `text/plain` too, which browsers send to other sites without a preflight. */
  plainText?: boolean
}

/** The errors in a response, each cut to a readable length. */
const MAX_DETAILS = 20
const MAX_MESSAGE_LENGTH = 2_000

type InvalidCode = 'invalid_body' | 'invalid_query'

const cut = (text: string): string => text.slice(0, MAX_MESSAGE_LENGTH)

/** The error about an invalid body, query or row of a body. */
export const invalid = (code: InvalidCode, errors: ErrorDetail[]) => {
  const details = errors
    .slice(0, MAX_DETAILS)
    .map(({ path, message }) => ({ path: cut(path), message: cut(message) }))
  const sentences = details.map(({ path, message }) => (path ? `${path}: ${message}` : message))
  return new ApiError(code, cut(sentences.join('; ')), { details })
}

const toDetails = ({ issues }: Pick<z.core.$ZodError, 'issues'>): ErrorDetail[] =>
  issues.map(({ path, message }) => ({ path: path.join('.'), message }))

export type Checked<Data> = { data: Data; errors?: never } | { data?: never; errors: ErrorDetail[] }

/** Checks an input whose errors the caller presents, such as a form that is shown again. */
export const checked = <S extends z.core.$ZodType<object>>(
  schema: S,
  input: unknown,
): Checked<z.output<S>> => {
  const unstorable = findUnstorable(input)
  return unstorable ? { errors: [unstorable] } : parsed(schema, input)
}

const parsed = <S extends z.core.$ZodType<object>>(
  schema: S,
  input: unknown,
): Checked<z.output<S>> => {
  const result = z.safeParse(schema, input)
  return result.success ? { data: result.data } : { errors: toDetails(result.error) }
}

const mediaType = (header: string | undefined): string | undefined =>
  header?.split(';')[0]?.trim().toLowerCase()

/** Refuses a body that is too large, before it is read. @throws {ApiError} `body_too_large` */
export const limitBody = (maxBytes: number) =>
  bodyLimit({
    maxSize: maxBytes,
    onError: () => {
      throw new ApiError('body_too_large', `The body is larger than ${maxBytes} bytes. Send less.`)
    },
  })

const readJson = async (request: HonoRequest, plainText: boolean): Promise<unknown> => {
  const type = mediaType(request.header('Content-Type'))
  if (type !== 'application/json' && !(plainText && type === 'text/plain')) {
    throw new ApiError(
      'unsupported_media_type',
      'Send JSON, with the header "Content-Type: application/json".',
    )
  }
  try {
    return JSON.parse(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(
        await request.arrayBuffer(),
      ),
    )
  } catch {
    throw invalid('invalid_body', [{ path: '', message: 'The body is not JSON in UTF-8.' }])
  }
}

const valid = <T>(code: InvalidCode, { data, errors }: Checked<T>): T => {
  if (errors) throw invalid(code, errors)
  return data
}

/**
 * Validates the JSON body against a schema, for `c.req.valid('json')`.
 *
 * @throws {ApiError} `unsupported_media_type`, `body_too_large`, `invalid_body`
 * @example
 * ```ts
 * app.post('/api/track/sale', body(SaleEvent), (c) => c.json(c.req.valid('json')))
 * ```
 */
export const body = <S extends z.core.$ZodType<object>>(
  schema: S,
  { plainText = false, maxBytes = MAX_BODY_BYTES, checksRows = false, precheck }: Options = {},
) =>
  every(limitBody(maxBytes), async function readBody(c, next) {
    const input = await readJson(c.req, plainText)
    precheck?.(input)
    const check = checksRows ? parsed : checked
    c.req.addValidatedData('json', valid('invalid_body', check(schema, input)))
    await next()
  }) as MiddlewareHandler<BaseEnv, string, { in: { json: z.input<S> }; out: { json: z.output<S> } }>

/**
 * Validates the query string against a schema, for `c.req.valid('query')`. Of a parameter given
 * more than once, the first value counts.
 *
 * @throws {ApiError} `invalid_query`
 */
export const query = <S extends z.core.$ZodType<object>>(schema: S) =>
  async function readQuery(c, next) {
    const values = Object.entries(c.req.queries()).map(([name, [value]]) => [name, value])
    const input = Object.fromEntries(values)
    c.req.addValidatedData('query', valid('invalid_query', checked(schema, input)))
    await next()
  } as MiddlewareHandler<
    BaseEnv,
    string,
    { in: { query: z.input<S> }; out: { query: z.output<S> } }
  >

/** The fields of a form by name, trimmed. Blank ones are absent. */
export type Fields = Readonly<Record<string, string>>

/**
 * Reads a page's form, for `c.req.valid('form')`. `checked` validates the fields.
 *
 * @throws {ApiError} `unsupported_media_type`, `body_too_large`, `invalid_body`
 */
export const form = ({ maxBytes = MAX_BODY_BYTES }: Pick<Options, 'maxBytes'> = {}) => {
  const read: MiddlewareHandler<BaseEnv> = async (c, next) => {
    if (mediaType(c.req.header('Content-Type')) !== 'application/x-www-form-urlencoded') {
      throw new ApiError('unsupported_media_type', 'Send this form from its page.')
    }
    const entries = [...new URLSearchParams(await c.req.text())]
    // Bytes that are not UTF-8 become this character, and different addresses could become the
    // same.
    if (entries.flat().some((text) => text.includes('\uFFFD'))) {
      throw new ApiError('invalid_body', 'This form is not in UTF-8. Send it from its page.')
    }
    const fields = entries.map(([name, value]) => [name, value.trim()])
    c.req.addValidatedData('form', Object.fromEntries(fields.filter(([, value]) => value !== '')))
    await next()
  }
  return every(limitBody(maxBytes), read) as MiddlewareHandler<
    BaseEnv,
    string,
    { in: { form: Fields }; out: { form: Fields } }
  >
}
