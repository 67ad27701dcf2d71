// @module-tag sampled
/**
 * Who has no right to call an endpoint learns that, and nothing of what is wrong with the request.
 */
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { paths } from '../../api/paths.ts'
import { newId } from '../../lib/db/ids.ts'
import {
  createMerchant,
  errorShape,
  type Merchant,
  send,
  useDatabase,
} from '../support/merchant.ts'
import { timesOver } from '../support/thorough.ts'

useDatabase()

let merchant: Merchant
let stranger: string
let member: string
beforeAll(async () => {
  merchant = await createMerchant()
  ;[stranger, member] = await Promise.all([merchant.stranger(), merchant.member()])
})

/** Each endpoint of a workspace, and whether it takes a body. */
const ENDPOINTS = Object.entries(paths)
  .filter(([path]) => path.startsWith('/api/workspaces/{workspace}/'))
  .flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]: [string, object]) => ({
      path,
      method: method.toUpperCase(),
      hasBody: 'requestBody' in operation,
    })),
  )
const WITH_BODY = ENDPOINTS.filter(({ hasBody }) => hasBody)

const urlOf = (path: string) =>
  inject('baseUrl') +
  path.replace('{workspace}', merchant.workspace.slug).replaceAll(/\{[^}]+\}/g, newId())

const BAD_BODY = { what: 'another shape', body: JSON.stringify({ nonsense: true }) }
const MORE_BAD_BODIES = [
  { what: 'no JSON', body: '{' },
  { what: 'text', body: 'x', type: 'text/plain' },
  {
    what: 'too many rows',
    body: JSON.stringify({ programId: newId(), rows: Array(1_001).fill({}) }),
  },
  { what: 'too much', body: JSON.stringify({ rows: 'x'.repeat(1024 * 1024) }) },
]
const BAD_BODIES = timesOver<{ what: string; body: string; type?: string }[]>({
  quick: [BAD_BODY],
  thorough: [BAD_BODY, ...MORE_BAD_BODIES],
  exhaustive: [BAD_BODY, ...MORE_BAD_BODIES],
})

test('the document has endpoints with a body', () => {
  expect(WITH_BODY.length).toBeGreaterThan(40)
})

describe.each(BAD_BODIES)(
  'a stranger’s request with $what',
  ({ body, type = 'application/json' }) => {
    test('is answered as one for an unknown workspace, at every endpoint', async () => {
      for (const { method, path } of WITH_BODY) {
        const answer = await send(urlOf(path), {
          method,
          body,
          headers: { Cookie: stranger, 'Content-Type': type },
        })
        expect({ method, path, status: answer.status, body: answer.body }).toEqual({
          method,
          path,
          status: 404,
          body: errorShape('not_found'),
        })
      }
    })
  },
)

test('a stranger’s query is not validated either', async () => {
  for (const { path } of ENDPOINTS.filter(({ method }) => method === 'GET')) {
    const answer = await send(`${urlOf(path)}?limit=many&cursor=%00&sort=x`, {
      method: 'GET',
      headers: { Cookie: stranger },
    })
    expect({ path, status: answer.status }).toEqual({ path, status: 404 })
  }
})

describe.each(BAD_BODIES)('a member’s import with $what', ({ body, type = 'application/json' }) => {
  test.each(['/partners/import', '/customers/import'])(
    'is refused for the role: %s',
    async (path) => {
      const answer = await send(urlOf(`/api/workspaces/{workspace}${path}`), {
        method: 'POST',
        body,
        headers: { Cookie: member, 'Content-Type': type },
      })
      expect({ status: answer.status, body: answer.body }).toEqual({
        status: 403,
        body: errorShape('manager_required'),
      })
    },
  )
})
