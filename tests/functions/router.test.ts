import { describe, expect, inject, test } from 'vitest'
import importCustomers from '../../functions/import-customers.ts'
import importPartners from '../../functions/import-partners.ts'
import manage from '../../functions/manage.ts'
import resendWebhook from '../../functions/resend-webhook.ts'
import trackBatch from '../../functions/track/track-batch.ts'
import trackClick from '../../functions/track/track-click.ts'
import trackLead from '../../functions/track/track-lead.ts'
import trackRefund from '../../functions/track/track-refund.ts'
import trackSale from '../../functions/track/track-sale.ts'
import { createMerchant, errorShape, send } from '../support/merchant.ts'

const url = (path: string) => `${inject('baseUrl')}${path}`

describe('every response', () => {
  test('for an unknown path is a 404 in the error shape', async () => {
    for (const path of [
      '/',
      '/api',
      '/api/track',
      '/api/track/sale/',
      '/api/workspaces/x',
      '/nothing',
    ]) {
      const { status, body } = await send(url(path), { body: {} })
      expect({ path, status, body }).toEqual({ path, status: 404, body: errorShape('not_found') })
    }
    expect((await send(url('/api/track/sale'))).status).toBe(404)
    expect((await send(url('/cron'), { body: {} })).status).toBe(404)
  })

  test('carries security headers, is not cached, and names a request id that the caller can’t choose', async () => {
    const merchant = await createMerchant()
    const sale = await merchant.sale({}, { 'X-Request-Id': 'mine' })
    const nothing = await send(url('/nothing'), { headers: { 'X-Request-Id': 'mine' } })
    for (const { headers } of [sale, nothing]) {
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
      expect(headers.get('Content-Security-Policy')).toContain("default-src 'none'")
      expect(headers.get('Cache-Control')).toBe('no-store')
      expect(headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/)
    }
  })

  test('with an error links to its section of the errors page', async () => {
    const { body } = await send(url('/api/track/sale'), { body: {} })
    const { hash, href } = new URL(body.error?.docUrl ?? '')
    const page = await (await fetch(href)).text()
    expect(page).toContain(`id="${hash.slice(1)}"`)
  })
})

describe('a static file', () => {
  test.each([
    { path: '/via.js', type: 'text/javascript' },
    { path: '/openapi.json', type: 'application/json' },
    { path: '/docs/errors', type: 'text/html' },
  ])('is $path', async ({ path, type }) => {
    const { status, headers } = await fetch(url(path))
    expect(status).toBe(200)
    expect(headers.get('Content-Type')).toContain(type)
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
  })

  test('the snippet may be loaded by any site, and is kept for an hour', async () => {
    const { headers } = await fetch(url('/via.js'))
    expect(headers.get('Cross-Origin-Resource-Policy')).toBe('cross-origin')
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(headers.get('Cache-Control')).toContain('max-age=3600')
  })

  test('the API’s description names every endpoint of the API, and no other', async () => {
    const { paths } = (await (await fetch(url('/openapi.json'))).json()) as {
      paths: Record<string, object>
    }
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map(
        (method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      ),
    )
    const apps = [
      trackBatch,
      trackClick,
      trackLead,
      trackRefund,
      trackSale,
      manage,
      importPartners,
      importCustomers,
      resendWebhook,
    ]
    const served = apps.flatMap(({ routes }) =>
      routes
        .filter(({ method }) => method !== 'ALL')
        .map(({ method, path }) => `${method} ${path}`),
    )
    // The apps of these Workers can't be loaded outside of workerd.
    const sources = '/api/workspaces/:workspace/import-sources'
    served.push(
      'POST /api/webhooks/stripe/:workspace',
      'POST /api/workspaces/:workspace/payouts/run',
      ...[`GET ${sources}`, `POST ${sources}`, `GET ${sources}/:id`, `DELETE ${sources}/:id`],
      `GET ${sources}/:id/rows`,
    )
    expect(described.sort()).toEqual([...new Set(served)].sort())
  })
})
