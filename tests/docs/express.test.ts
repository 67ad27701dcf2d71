// @module-tag thorough
/**
 * docs/guide-express.md, followed as it is written: its files, its command, and what it promises of
 * retries.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeAll, expect, inject, test, vi } from 'vitest'
import { ROOT } from '../../dev/root.ts'
import { listen } from '../../dev/runtime/ports.ts'
import { createClientProject } from '../support/client-project.ts'
import { filesOf, samplesOf } from '../support/guides.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()
const WAIT = { timeout: 60_000, interval: 50 }

let project = ''
let merchant: Merchant
beforeAll(async () => {
  project = await createClientProject('express-shop')
  await symlink(
    join(ROOT, 'node_modules/express'),
    join(project, 'node_modules/express'),
    'junction',
  )
  merchant = await createMerchant()
  const files = filesOf('express', { baseUrl: inject('baseUrl'), ...merchant })
  expect([...files.keys()]).toEqual(['.env', 'server.js'])
  for (const [file, code] of files) await writeFile(join(project, file), code)
})

let shop: ChildProcess | undefined
const stopShop = async () => {
  if (!shop || shop.exitCode !== null || shop.signalCode !== null) return
  const exited = once(shop, 'exit')
  shop.kill('SIGKILL')
  await exited
}
afterEach(stopShop)

const freePort = async (): Promise<number> => {
  const { url, stop } = await listen(createServer())
  await stop()
  return Number(new URL(url).port)
}

/** Runs the guide's last command. @param env overrides the guide's .env */
const startShop = async (env: Record<string, string> = {}) => {
  await stopShop()
  const command = samplesOf('express')
    .findLast(({ language }) => language === 'sh')
    ?.code.trim()
  const [node, ...args] = command?.split(' ') ?? []
  expect(node).toBe('node')
  const port = await freePort()
  const settings = { ...process.env, PORT: String(port), ...env }
  shop = spawn(process.execPath, args, { cwd: project, env: settings, stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  await vi.waitFor(() => fetch(url), WAIT)
  return url
}

/** Submits a form of the shop. @returns where it leads */
const submit = async (url: string, form: Record<string, string> = {}, cookie = '') => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { Cookie: cookie },
    body: new URLSearchParams(form),
    redirect: 'manual',
  })
  expect(response.status).toBeLessThan(400)
  return response.headers.get('Location')
}

const reported = (kind: 'sale' | 'lead' | 'refund', externalId: string) =>
  vi.waitFor(async () => {
    const event = await merchant.explainReport(kind, externalId)
    expect(event).toBeDefined()
    return event
  }, WAIT)

const query = (sql: string) => {
  const db = new DatabaseSync(join(project, 'shop.db'), { timeout: 5000 })
  const rows = db.prepare(sql).all()
  db.close()
  return rows
}

test('what happens while Tributary can’t be reached is reported after a restart, once, however often it is sent', async () => {
  const clickId = await merchant.click()

  const offline = await startShop({ TRIBUTARY_URL: `http://127.0.0.1:${await freePort()}` })
  const tag = `<script defer src="${inject('baseUrl')}/via.js" data-program="${merchant.programId}"></script>`
  expect(await (await fetch(offline)).text()).toContain(tag)
  const cookie = `theme=dark; tributary_click=${clickId}`
  expect(await submit(`${offline}/users`, { email: 'ada@example.com' }, cookie)).toBe('/users/1')
  expect(await submit(`${offline}/users/1/orders`)).toBe('/orders/1')
  expect(await merchant.explainReport('lead', 'user-1')).toBeUndefined()

  const online = await startShop()
  expect(await reported('lead', 'user-1')).toMatchObject({
    attributed: true,
    customer: { email: 'ada@example.com' },
  })
  expect(await reported('sale', 'order-1')).toMatchObject({
    attributedBy: 'click',
    amountCents: 4900,
    currency: 'USD',
    customer: { externalId: 'user-1' },
    commission: { amountCents: 980, reversedCents: 0 },
  })

  // As while the merchant looks at the file with another program.
  const other = new DatabaseSync(join(project, 'shop.db'), { timeout: 5000 })
  other.exec('begin immediate')
  setTimeout(() => other.close(), 200)
  await submit(`${online}/orders/1/refunds`)
  expect(await reported('refund', 'refund-1')).toMatchObject({
    attributed: true,
    amountCents: 1000,
  })
  expect(await reported('sale', 'order-1')).toMatchObject({ commission: { reversedCents: 200 } })

  // As after an answer that was lost.
  await stopShop()
  const counts = await database.counts(merchant)
  query('update reports set done_at = null')
  await startShop()
  const pending = 'select count(*) as count from reports where done_at is null or error is not null'
  await vi.waitFor(() => expect(query(pending)).toEqual([{ count: 0 }]), WAIT)
  expect(await database.counts(merchant)).toEqual(counts)
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

test('a report that is refused is kept with its error, and those after it are sent', async () => {
  const shopUrl = await startShop()
  const id = (await submit(`${shopUrl}/users`, { email: `${'long'.repeat(100)}@example.com` }))
    ?.split('/')
    .at(-1)
  await submit(`${shopUrl}/users/${id}/orders`)
  const [order] = query('select max(id) as id from orders')
  expect(await reported('sale', `order-${order?.id}`)).toMatchObject({ attributed: false })
  expect(query('select kind, error from reports where error is not null')).toEqual([
    { kind: 'lead', error: expect.stringContaining('customerEmail') },
  ])
})
