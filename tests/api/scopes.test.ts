/** The scopes that the OpenAPI document names are those that the endpoints ask for. */
import { expect, inject, test } from 'vitest'
import { openapi } from '../../api/openapi.ts'
import { API_KEY_SCOPES } from '../../lib/tenancy/keys/api-keys.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'

useDatabase()

const NO_ID = '0192f000-0000-7000-8000-000000000001'

type Operation = {
  security: { apiKey?: string[]; session?: string[] }[]
  requestBody?: { content: Record<string, { example?: unknown }> }
}
const paths = openapi().paths as unknown as Record<string, Record<string, Operation>>

/** All operations that need a key or a session. */
const OPERATIONS = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, { security, requestBody }]) => {
    if (security.length === 0) return []
    // Only reports have to be valid: their bodies are checked before the key.
    const isReport = path.startsWith('/api/track/')
    const body = isReport ? requestBody?.content['application/json']?.example : {}
    const scopes = security.flatMap(({ apiKey = [] }) => apiKey)
    return [{ name: `${method} ${path}`, path, method: method.toUpperCase(), body, scopes }]
  }),
)

test('a key needs the scope that the document names, and no other', async () => {
  const merchant = await createMerchant()
  const manager = await merchant.asManager()
  const keyWith = async (scopes: string[]): Promise<string> =>
    (await manager.post('/api-keys', { name: scopes.join(), scopes })).body.key as string
  const only = new Map<string, string>()
  const without = new Map<string, string>()
  for (const scope of API_KEY_SCOPES) {
    only.set(scope, await keyWith([scope]))
    without.set(scope, await keyWith(API_KEY_SCOPES.filter((other) => other !== scope)))
  }
  const all = await keyWith([...API_KEY_SCOPES])

  const codeFor = async (
    { path, method, body }: (typeof OPERATIONS)[number],
    key = '',
  ): Promise<string | undefined> => {
    const target = path
      .replace('{workspace}', merchant.workspace.slug)
      .replaceAll(/\{\w+\}/g, NO_ID)
    const response = await fetch(inject('baseUrl') + target, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(method !== 'GET' && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return response.ok ? undefined : JSON.parse(text).error.code
  }

  const wrong: string[] = []
  for (const operation of OPERATIONS) {
    const { name, scopes } = operation
    const [scope] = scopes
    if (scopes.length > 1) wrong.push(`${name}: names several scopes`)
    if (scope === undefined) {
      const code = await codeFor(operation, all)
      if (code !== 'not_signed_in') wrong.push(`${name}: ${code} with a key of all scopes`)
      continue
    }
    const refused = await codeFor(operation, without.get(scope))
    if (refused !== 'insufficient_scope') wrong.push(`${name}: ${refused} without ${scope}`)
    const code = await codeFor(operation, only.get(scope))
    if (/^(insufficient_scope|invalid_api_key|not_signed_in)$/.test(code ?? ''))
      wrong.push(`${name}: ${code} with ${scope} alone`)
  }
  expect(wrong).toEqual([])
})
