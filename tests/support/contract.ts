/** Checks responses of the API against the schemas that the OpenAPI document is built from. */
import type * as z from 'zod'
import { paths } from '../../api/paths.ts'

/**
 * `mediaTypes`: none for an empty body. `schema`: of the first, which is JSON where there is JSON.
 */
type Documented = { description: string; mediaTypes: string[]; schema: z.ZodType | null }
type Operation = {
  name: string
  path: RegExp
  method: string
  responses: Record<string, Documented>
}

type Response = { status: number; contentType: string | null; body: string }

const documented = (response: object): Documented => {
  const { description = '', content = {} } = response as {
    description?: string
    content?: Record<string, { schema: z.ZodType }>
  }
  const [first] = Object.values(content)
  return { description, mediaTypes: Object.keys(content), schema: first?.schema ?? null }
}

/** Every operation of the document. */
export const operations: Operation[] = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { responses }]: [string, { responses: object }]) => ({
    name: `${method.toUpperCase()} ${path}`,
    path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    method: method.toUpperCase(),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [status, documented(response)]),
    ),
  })),
)

const parseJson = (text: string): { json?: unknown; error?: string } => {
  try {
    return { json: JSON.parse(text) }
  } catch {
    return { error: `the body is not JSON: ${text.slice(0, 100)}` }
  }
}

/**
 * How a response differs from what the document says of its operation, or null. Undocumented paths
 * are not checked.
 */
export const violationOf = (
  method: string,
  pathname: string,
  response: Response,
): string | null => {
  const operation = operations.find((one) => one.method === method && one.path.test(pathname))
  if (!operation) return null
  const { status, contentType, body } = response
  const violation = (reason: string) => `${operation.name} answered ${status}: ${reason}`

  const expected = operation.responses[status]
  if (!expected) return violation(`the document does not list this status. ${body.slice(0, 200)}`)
  const { description, mediaTypes, schema } = expected
  if (mediaTypes.length === 0) return body === '' ? null : violation('the body must be empty')
  if (!mediaTypes.some((mediaType) => contentType?.startsWith(mediaType)))
    return violation(`${contentType} instead of ${mediaTypes.join(' or ')}`)
  if (!schema || !contentType?.startsWith('application/json')) return null

  const { json, error } = parseJson(body)
  if (error) return violation(error)
  const result = schema.safeParse(json)
  if (!result.success) {
    const issues = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
    return violation(issues.join('; '))
  }
  const code = status >= 400 && (json as { error: { code: string } }).error.code
  return code && !description.includes(`\`${code}\``)
    ? violation(`the document does not list the code ${code}`)
    : null
}

/** The `fetch` of tests: see check-contract.ts. */
export type CheckedFetch = typeof fetch & { unchecked?: typeof fetch }

/** For tests that replace the API with a stand-in, whose responses need not be complete. */
export const uncheckedFetch = (): typeof fetch => (fetch as CheckedFetch).unchecked ?? fetch

const found: string[] = []

/** The violations found since the last call. Tests that expect an error may have caught theirs. */
export const takeViolations = (): string[] => found.splice(0)

/**
 * Checks a response, which can still be read afterwards.
 * @throws {Error} naming what differs from the document
 */
export const checkResponse = async (
  method: string,
  url: string,
  response: globalThis.Response,
): Promise<void> => {
  const { pathname } = new URL(url)
  if (!pathname.startsWith('/api/')) return
  const violation = violationOf(method, pathname, {
    status: response.status,
    contentType: response.headers.get('Content-Type'),
    body: await response.clone().text(),
  })
  if (violation === null) return
  found.push(violation)
  throw new Error(violation)
}
