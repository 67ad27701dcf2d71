/** Who may call the imports, and with which program. Spec, section 5. */
import { afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { everything, partnerRows } from '../support/imports.ts'
import {
  createMerchant,
  errorShape,
  type Merchant,
  send,
  useDatabase,
} from '../support/merchant.ts'

const database = useDatabase()

// All is refused here, and leaves nothing behind, so two merchants do for every test.
let merchant: Merchant
let other: Merchant
let before: unknown[]
const rows = () => Promise.all([everything(database, merchant), everything(database, other)])
beforeAll(async () => {
  ;[merchant, other] = await Promise.all([createMerchant(), createMerchant()])
  before = await rows()
})
afterEach(async () => {
  expect(await rows()).toEqual(before)
})

const url = (workspace: string, path: string) =>
  `${inject('baseUrl')}/api/workspaces/${workspace}${path}`

describe.each([
  { path: '/partners/import', row: partnerRows(1)[0] },
  {
    path: '/customers/import',
    row: { customerExternalId: 'cus_1', partnerEmail: 'maya@partner.example' },
  },
])('$path requires a session with the manager role', ({ path, row }) => {
  test.each([
    { who: 'nobody', headers: async () => ({}), status: 401, code: 'not_signed_in' },
    {
      who: 'a forged cookie',
      headers: async () => ({
        Cookie: (await merchant.manager()).replace(/.$/, 'x').replace(/=./, '=x'),
      }),
      status: 401,
      code: 'not_signed_in',
    },
    {
      who: 'an API key',
      headers: async () => ({ Authorization: `Bearer ${merchant.apiKey}` }),
      status: 401,
      code: 'not_signed_in',
    },
    {
      who: 'a member',
      headers: async () => ({ Cookie: await merchant.member() }),
      status: 403,
      code: 'manager_required',
    },
    {
      who: 'a stranger',
      headers: async () => ({ Cookie: await merchant.stranger() }),
      status: 404,
      code: 'not_found',
    },
    {
      who: 'another workspace’s manager',
      headers: async () => ({ Cookie: await other.manager() }),
      status: 404,
      code: 'not_found',
    },
    {
      who: 'a page of another site',
      headers: async () => ({ Cookie: await merchant.manager(), 'Sec-Fetch-Site': 'cross-site' }),
      status: 403,
      code: 'cross_site_request',
    },
    {
      who: 'an older browser’s page of another site',
      headers: async () => ({ Cookie: await merchant.manager(), Origin: 'https://evil.example' }),
      status: 403,
      code: 'cross_site_request',
    },
  ])('not $who: $status $code', async ({ headers, status, code }) => {
    const answer = await send(url(merchant.workspace.slug, path), {
      body: { programId: merchant.programId, rows: [row] },
      headers: await headers(),
    })
    expect({ status: answer.status, body: answer.body }).toEqual({ status, body: errorShape(code) })
  })

  test('a program of another workspace is 404, as is an unknown one', async () => {
    const manager = await merchant.asManager()
    for (const programId of [other.programId, crypto.randomUUID()]) {
      for (const options of [{}, { dryRun: true }]) {
        const { status, body } = await manager.post(path, { programId, options, rows: [row] })
        expect({ status, body }).toEqual({ status: 404, body: errorShape('not_found') })
      }
    }
  })

  test('an unknown workspace is 404', async () => {
    for (const workspace of ['no-such-workspace', crypto.randomUUID(), '%00', 'a%2Fb']) {
      const { status } = await send(url(workspace, path), {
        body: { programId: merchant.programId, rows: [] },
        headers: { Cookie: await merchant.manager() },
      })
      expect({ workspace, status }).toEqual({ workspace, status: 404 })
    }
  })
})
