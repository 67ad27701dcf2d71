// @module-tag thorough
import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { clientTypes } from '../../api/client-types.ts'
import { openapi } from '../../api/openapi.ts'
import { CLIENT_TYPES } from '../../api/reference.ts'
import { ROOT } from '../../dev/root.ts'
import { runWorkers } from '../../dev/runtime/workerd.ts'
import { createClientProject } from '../support/client-project.ts'
import { sharedSystem } from '../support/shared-system.ts'

const run = promisify(execFile)

test('the client’s types are those of the OpenAPI document: npm run docs writes them', async () => {
  const types = await readFile(CLIENT_TYPES, 'utf8')
  expect(clientTypes(JSON.parse(JSON.stringify(openapi())))).toBe(types)
})

/** A merchant's backend, as the README shows it. */
const BACKEND = `
import { createTributary, readClickId, TributaryError, verifyWebhook } from '@tributary/client'
const [url, apiKey, workspace, run, clickId] = process.argv.slice(2)
const tributary = createTributary({ url, apiKey, workspace })
const request = new Request('https://shop.example/', { headers: { cookie: 'tributary_click=' + clickId } })
const click = readClickId(request)
const lead = await tributary.track.lead({ externalId: 'user_' + run, clickId: click })
const sale = { externalId: 'inv_' + run, customerExternalId: 'user_' + run, amountCents: 4900, clickId: click }
const copies = await Promise.all(Array.from({ length: 8 }, () => tributary.track.sale(sale)))
const changed = await tributary.track.sale({ ...sale, amountCents: 1 })
const refused = await tributary.track.sale({ ...sale, amountCents: 0 }).catch((error) => error)
const read = async (id) => (await tributary.api.GET('/events/{id}', { params: { path: { id } } })).data
const data = await read(copies[0].eventId)
const part = { externalId: 'part_' + run, saleExternalId: sale.externalId, amountCents: 1000 }
const parts = await Promise.all(Array.from({ length: 8 }, () => tributary.track.refund(part)))
const afterPart = await read(copies[0].eventId)
const rest = await tributary.track.refund({ externalId: 'rest_' + run, saleExternalId: sale.externalId })
const afterRest = await read(copies[0].eventId)
const early = await tributary.track.refund({ externalId: 'early_' + run, saleExternalId: 'late_' + run })
const late = await tributary.track.sale({ ...sale, externalId: 'late_' + run })
const other = await tributary.track.refund({ ...part, externalId: 'other_' + run, currency: 'EUR' }).catch((error) => error)
const { results } = await tributary.track.batch([
  { kind: 'sale', ...sale, externalId: 'batch_' + run, occurredAt: new Date().toISOString() },
  { kind: 'sale', ...sale, amountCents: 0 },
  { kind: 'sale', ...sale, amountCents: 2 },
])
const list = await tributary.api.GET('/events', { params: { query: { kind: 'sale', externalId: sale.externalId } } })
console.log(JSON.stringify({
  batch: results.map((result) => ('error' in result ? result.error.code : result.idempotencyMismatch)),
  lead, copies, changed, partner: data.partner.slug, earned: data.commission.amountCents, events: list.data.data.length,
  refused: refused instanceof TributaryError && { code: refused.code, docUrl: refused.docUrl, requestId: refused.requestId },
  functions: [typeof verifyWebhook], refundsCounted: new Set(parts.map(({ eventId }) => eventId)).size, otherCurrency: other.code,
  reversed: [afterPart, afterRest, await read(late.eventId)].map(({ commission }) => commission.reversedCents),
  attributed: [parts[0], rest, early, late].map(({ attributed }) => attributed),
  events_: [copies[0].eventId, parts[0].eventId, rest.eventId, late.eventId],
}))
`

/** What an editor checks, with the strictest settings. */
const TYPED = `
import { createTributary, type Sale, TributaryError, verifyWebhook } from '@tributary/client'
const tributary = createTributary({ url: 'https://track.example.com', apiKey: 'k', workspace: 'acme' })
export const use = async (request: Request) => {
  const sale: Sale = { externalId: 'i', customerExternalId: 'u', amountCents: 1, clickId: undefined }
  const recorded: boolean = (await tributary.track.sale(sale)).attributed
  const { data } = await tributary.api.GET('/partners', { params: { query: { limit: 1 } } })
  const slug: string | undefined = data?.data[0]?.slug
  const type: string = (await verifyWebhook(request, 'whsec_')).type
  // @ts-expect-error a sale needs an amount
  await tributary.track.sale({ externalId: 'i', customerExternalId: 'u' })
  // @ts-expect-error there is no such path
  await tributary.api.GET('/nothing')
  return [recorded, slug, type, new TributaryError('internal', '', { retryable: true }).requestId?.length]
}
`

let project = ''
beforeAll(async () => {
  project = await createClientProject('client-project')
})

test('the packed client, installed into an empty project, reports to Tributary and reads its API', async () => {
  const { demo } = await sharedSystem()
  const clicked = await fetch(`${demo.baseUrl}/api/track/click`, {
    method: 'POST',
    body: JSON.stringify({ programId: demo.programId, slug: demo.partnerSlug }),
  })
  const { clickId } = (await clicked.json()) as { clickId: string }
  await writeFile(join(project, 'backend.js'), BACKEND)
  const id = crypto.randomUUID()
  const args = ['backend.js', demo.baseUrl, demo.apiKey, demo.workspace, id, clickId]
  const { stdout } = await run(process.execPath, args, { cwd: project })
  const said = JSON.parse(stdout)

  const { eventId } = said.copies[0]
  expect(eventId).toMatch(/^[0-9a-f-]{36}$/)
  const { events_: events, ...rest } = said
  const first = { eventId, attributed: true, idempotencyMismatch: false }
  expect(rest).toEqual({
    batch: [false, 'invalid_body', true],
    lead: { eventId: expect.any(String), attributed: true, idempotencyMismatch: false },
    copies: Array(8).fill(first),
    changed: { ...first, idempotencyMismatch: true },
    partner: demo.partnerSlug,
    earned: 980,
    events: 1,
    refused: {
      code: 'invalid_body',
      docUrl: `${demo.baseUrl}/docs/errors#invalid_body`,
      requestId: expect.any(String),
    },
    functions: ['function'],
    refundsCounted: 1,
    otherCurrency: 'currency_mismatch',
    // 20% of 10.00 and of 49.00.
    reversed: [200, 980, 980],
    attributed: [true, true, false, true],
  })
  for (const event of events) {
    const headers = { Cookie: demo.partnerCookie }
    const shown = await fetch(`${demo.baseUrl}/portal/events/${event}`, { headers })
    expect(shown.status).toBe(200)
    expect(await shown.text()).toMatch(/refund/i)
  }
  const client = new pg.Client({ connectionString: demo.databaseUrl })
  await client.connect()
  expect((await client.query('select * from verify_ledger()')).rows).toEqual([])
  await client.end()
})

/** A Worker of a merchant. */
const WORKER = `
import { createTributary, readClickId, verifyWebhook } from '@tributary/client'
export default {
  async fetch(request, env) {
    if (request.method === 'POST') return Response.json(await verifyWebhook(request, env.SECRET, { now: new Date(1614265330000) }))
    const tributary = createTributary({ url: env.URL, apiKey: env.KEY, workspace: env.WORKSPACE })
    const clickId = readClickId(request)
    const sale = await tributary.track.sale({ externalId: env.ID, customerExternalId: env.ID, amountCents: 100, clickId })
    const { data } = await tributary.api.GET('/events', { params: { query: { externalId: env.ID } } })
    return Response.json({ clickId, sale, events: data.data.length })
  },
}
`

test('the packed client works in a Worker', async () => {
  const { demo } = await sharedSystem()
  await writeFile(join(project, 'worker.js'), WORKER)
  const entryPoints = [join(project, 'worker.js')]
  const { outputFiles } = await build({ entryPoints, bundle: true, format: 'esm', write: false })
  const bindings = {
    URL: demo.baseUrl,
    KEY: demo.apiKey,
    WORKSPACE: demo.workspace,
    ID: crypto.randomUUID(),
    SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  }
  const script = outputFiles[0]?.text ?? ''
  const shop = { name: 'shop', script, compatibilityDate: '2026-10-01', bindings }
  const workers = await runWorkers([shop], () => {})
  try {
    const url = await workers.urlOf('shop')
    const answer = await fetch(url, { headers: { cookie: 'tributary_click=clk_unknown' } })
    expect(await answer.json()).toEqual({
      clickId: 'clk_unknown',
      sale: { eventId: null, attributed: false, idempotencyMismatch: false },
      events: 1,
    })
    // The vector of the Standard Webhooks libraries.
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    }
    const verified = await fetch(url, { method: 'POST', headers, body: '{"test": 2432232314}' })
    expect(await verified.json()).toEqual({ test: 2432232314 })
  } finally {
    await workers.stop()
  }
})

test('the packed client has types for strict projects, and nothing but its module, types, license and README', async () => {
  await writeFile(join(project, 'typed.ts'), TYPED)
  const flags = [
    '--strict',
    '--noEmit',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--lib',
    'es2022,dom',
  ]
  const tsc = `${ROOT}node_modules/typescript/bin/tsc`
  await run(
    process.execPath,
    [tsc, ...flags, '--exactOptionalPropertyTypes', '--types', '', 'typed.ts'],
    {
      cwd: project,
    },
  ).catch(({ stdout }) => expect(stdout).toBe(''))
  const files = await readdir(join(project, 'node_modules/@tributary/client'), { recursive: true })
  const names = files.filter((name) => !name.endsWith('.d.ts')).sort()
  expect(names).toEqual(['LICENSE', 'README.md', 'dist', 'dist/client.js', 'package.json'])
})
