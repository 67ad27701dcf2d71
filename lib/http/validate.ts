/**
 * What comes in: bodies read within a limit and parsed once, queries, and forms, all checked by zod. What a program
 * sends is refused in our own shape, and a form is shown again with what is wrong with it.
 */
import type { MiddlewareHandler } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { every } from 'hono/combine'
import type * as z from 'zod'
import { findUnstorable } from '../json.ts'
import type { AppEnv } from './app.ts'
import { ApiError, type ErrorDetail } from './errors.ts'

/** The most that a tracking call may send, in bytes: metadata of 16 KiB and every other field many times over. */
const MAX_BODY_BYTES = 64 * 1024

type Options = {
  /** The most that the endpoint takes, in bytes. */
  maxBytes?: number
  /** Looks at the parsed body before each part of it is: throws when there is too much of it. */
  precheck?: (body: unknown) => void
  /** Takes `text/plain` too: what a browser may send across sites without asking first. */
  plainText?: boolean
}

/** A body can have more mistakes, and longer names, than anybody reads. */
const MAX_DETAILS = 20
const MAX_MESSAGE_LENGTH = 2_000

type InvalidCode = 'invalid_body' | 'invalid_query'

const cut = (text: string): string => text.slice(0, MAX_MESSAGE_LENGTH)

const invalid = (code: InvalidCode, mistakes: ErrorDetail[]) => {
  const details = mistakes
    .slice(0, MAX_DETAILS)
    .map(({ path, message }) => ({ path: cut(path), message: cut(message) }))
  const sentences = details.map(({ path, message }) => (path ? `${path}: ${message}` : message))
  return new ApiError(code, cut(sentences.join('; ')), { details })
}

/** What a schema makes of an input, or what is wrong with it. */
export type Checked<Data> = { data: Data; errors?: never } | { data?: never; errors: ErrorDetail[] }

/** Checks an input that is refused in words of its caller's own, such as a form that is shown again. */
export const checked = <S extends z.ZodType<object>>(schema: S, input: unknown): Checked<z.output<S>> => {
  const unstorable = findUnstorable(input)
  if (unstorable) return { errors: [unstorable] }

  const result = schema.safeParse(input)
  if (result.success) return { data: result.data }
  return { errors: result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })) }
}

const check = <S extends z.ZodType<object>>(code: InvalidCode, schema: S, input: unknown): z.output<S> => {
  const { data, errors } = checked(schema, input)
  if (errors) throw invalid(code, errors)
  return data
}

const parse = async (request: Request): Promise<unknown> => {
  try {
    return JSON.parse(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(await request.arrayBuffer()),
    )
  } catch {
    throw invalid('invalid_body', [{ path: '', message: 'The body is not JSON in UTF-8.' }])
  }
}

const mediaType = (header: string | undefined): string | undefined =>
  header?.split(';')[0]?.trim().toLowerCase()

const isJson = (header: string | undefined, plainText: boolean): boolean => {
  const type = mediaType(header)
  return type === 'application/json' || (plainText && type === 'text/plain')
}

/** Refuses a body that is too large, before it is read. @throws {ApiError} `body_too_large` */
export const limitBody = (maxBytes: number) =>
  bodyLimit({
    maxSize: maxBytes,
    onError: () => {
      throw new ApiError('body_too_large', `The body is larger than ${maxBytes} bytes. Send less.`)
    },
  })

/**
 * Validates the JSON body against a schema, for `c.req.valid('json')`.
 * Hono's own validator would answer a malformed body and a wrong Content-Type in its own words.
 *
 * @throws {ApiError} `unsupported_media_type`, `body_too_large`, `invalid_body`
 * @example
 * ```ts
 * app.post('/api/track/sale', body(SaleEvent), (c) => c.json(c.req.valid('json')))
 * ```
 */
export const body = <S extends z.ZodType<object>>(
  schema: S,
  { plainText = false, maxBytes = MAX_BODY_BYTES, precheck }: Options = {},
) => {
  const validate: MiddlewareHandler<AppEnv> = async (c, next) => {
    if (!isJson(c.req.header('Content-Type'), plainText)) {
      throw new ApiError(
        'unsupported_media_type',
        'Send JSON, with the header "Content-Type: application/json".',
      )
    }
    const parsed = await parse(c.req.raw)
    precheck?.(parsed)
    c.req.addValidatedData('json', check('invalid_body', schema, parsed))
    await next()
  }
  return every(limitBody(maxBytes), validate) as MiddlewareHandler<
    AppEnv,
    string,
    { in: { json: z.input<S> }; out: { json: z.output<S> } }
  >
}

/** Validates the query string against a schema, for `c.req.valid('query')`. @throws {ApiError} `invalid_query` */
export const query = <S extends z.ZodType<object>>(schema: S) =>
  (async (c, next) => {
    c.req.addValidatedData('query', check('invalid_query', schema, c.req.query()))
    await next()
  }) as MiddlewareHandler<AppEnv, string, { in: { query: z.input<S> }; out: { query: z.output<S> } }>

/** The fields of a form by name, without surrounding space. One that was left blank is not there. */
export type Fields = Readonly<Record<string, string>>

/**
 * Reads a page's form, for `c.req.valid('form')`. What the fields mean is checked by `checked`.
 *
 * @throws {ApiError} `unsupported_media_type`, `body_too_large`
 */
export const form = () => {
  const read: MiddlewareHandler<AppEnv> = async (c, next) => {
    if (mediaType(c.req.header('Content-Type')) !== 'application/x-www-form-urlencoded') {
      throw new ApiError('unsupported_media_type', 'Send this form from its page.')
    }
    const fields = [...new URLSearchParams(await c.req.text())].map(([name, value]) => [name, value.trim()])
    c.req.addValidatedData('form', Object.fromEntries(fields.filter(([, value]) => value !== '')))
    await next()
  }
  return every(limitBody(MAX_BODY_BYTES), read) as MiddlewareHandler<
    AppEnv,
    string,
    { in: { form: Fields }; out: { form: Fields } }
  >
}
