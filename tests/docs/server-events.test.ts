/**
 * docs/guide-server-events.md: its Worker in workerd, its command, and events as a platform sends
 * them.
 */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { parse } from 'smol-toml'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { runWorkers } from '../../dev/runtime/workerd.ts'
import { createClientProject } from '../support/client-project.ts'
import { filesOf, samplesOf } from '../support/guides.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'

const run = promisify(execFile)
const database = useDatabase()

let merchant: Merchant
let workers: Awaited<ReturnType<typeof runWorkers>>
let url: URL
let secret = ''
beforeAll(async () => {
  const project = await createClientProject('server-events')
  merchant = await createMerchant()
  const files = filesOf('server-events', { baseUrl: inject('baseUrl'), ...merchant })
  expect([...files.keys()]).toEqual(['wrangler.toml', '.dev.vars', 'worker.js'])
  const main = join(project, 'worker.js')
  await writeFile(main, files.get('worker.js') ?? '')
  const { outputFiles } = await build({
    entryPoints: [main],
    bundle: true,
    format: 'esm',
    write: false,
  })
  const settings = parse(files.get('wrangler.toml') ?? '') as {
    name: string
    compatibility_date: string
    vars: object
  }
  const secrets = (files.get('.dev.vars') ?? '').trim().split('\n')
  const bindings = {
    ...settings.vars,
    ...Object.fromEntries(secrets.map((line) => line.split('='))),
  }
  secret = bindings.SOURCE_SECRET
  const script = outputFiles[0]?.text ?? ''
  const worker = {
    name: settings.name,
    script,
    compatibilityDate: settings.compatibility_date,
    bindings,
  }
  workers = await runWorkers([worker], () => {})
  url = new URL(await workers.urlOf('events'))
})
afterAll(() => workers.stop())

const post = async (event: object, authorization = `Bearer ${secret}`) => {
  const headers = { Authorization: authorization }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(event) })
  return response.status
}

const track = (event: string, properties: object, messageId = 'm-2') =>
  post({ type: 'track', event, messageId, userId: 'user-7', properties })

test('the command of the guide reports a sale, which is credited to nobody without a click', async () => {
  const command =
    samplesOf('server-events').findLast(({ language }) => language === 'sh')?.code ?? ''
  const { stdout } = await run('sh', ['-c', command.replace('http://localhost:8787', url.origin)])
  expect(stdout).toMatch(/^HTTP\/1.1 204/)
  const sale = await merchant.explainReport('sale', 'test-order-1')
  expect(sale).toMatchObject({
    attributed: false,
    amountCents: 4950,
    steps: [{ code: 'no_click' }],
  })
})

test('a sign-up, an order and its refund count once, however often and in whatever order they are delivered', async () => {
  const tributary_click = await merchant.click()
  for (const _delivery of [1, 2]) {
    expect(await track('Order Refunded', { order_id: '7', total: 10, currency: 'USD' })).toBe(204)
    const order = { order_id: '7', total: 58.8, tax: 9.8, currency: 'USD', tributary_click }
    expect(await track('Order Completed', order)).toBe(204)
    expect(await track('Signed Up', { email: 'ada@example.com', tributary_click })).toBe(204)
  }
  expect(await merchant.explainReport('lead', 'user-7')).toMatchObject({ attributed: true })
  expect(await merchant.explainReport('sale', '7')).toMatchObject({
    attributedBy: 'click',
    amountCents: 4900,
    customer: { externalId: 'user-7' },
    commission: { amountCents: 980, reversedCents: 200 },
  })
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

test.each([
  { case: 'yen have no cents', amount: 4900, currency: 'JPY', cents: 4900 },
  {
    case: 'a price that is no sum of binary fractions',
    amount: 19.99,
    currency: 'USD',
    cents: 1999,
  },
  { case: 'dinars have three decimals', amount: 1.234, currency: 'KWD', cents: 1234 },
])('$case', async ({ amount, currency, cents }) => {
  const order_id = `in-${currency}`
  expect(await track('Order Completed', { order_id, total: amount, currency })).toBe(204)
  expect(await merchant.explainReport('sale', order_id)).toMatchObject({
    amountCents: cents,
    currency,
  })
})

test('others are refused, other events are ignored, and what can’t succeed isn’t asked for again', async () => {
  expect(
    await post({ type: 'track', event: 'Signed Up', userId: 'thief', properties: {} }, 'Bearer x'),
  ).toBe(401)
  expect(await merchant.explainReport('lead', 'thief')).toBeUndefined()
  expect(await post({ type: 'page', userId: 'user-7' })).toBe(204)
  expect(await track('constructor', {})).toBe(204)
  expect(await track('Order Completed', { order_id: '8', total: 0, currency: 'USD' })).toBe(400)
  expect(await track('Order Completed', { order_id: '8' })).toBe(400)
})
