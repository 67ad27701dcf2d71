/** Endpoints, their secrets and their deliveries, by API and page. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMerchant, errorShape, useDatabase } from '../support/merchant.ts'
import { fieldsOf, openPages } from '../support/pages.ts'
import { addEndpoint, type Receiver, startReceiver } from '../support/webhooks.ts'

const database = useDatabase()
let receiver: Receiver
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(() => receiver.stop())

const endpoint = (fields: Record<string, unknown> = {}) => ({
  url: receiver.url,
  types: ['sale.created'],
  ...fields,
})

describe('/webhook-endpoints', () => {
  test('an endpoint is added with its secret, changed, disabled, enabled and removed, and the audit log has all of it', async () => {
    const merchant = await createMerchant()
    const manager = await merchant.asManager()
    const { status, body } = await manager.post(
      '/webhook-endpoints',
      endpoint({ description: 'Billing' }),
    )
    const { secret, ...shown } = body
    expect({ status, secret }).toEqual({
      status: 201,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    })
    const path = `/webhook-endpoints/${body.id}`
    expect((await manager.get(path)).body).toEqual(shown)
    expect((await manager.get('/webhook-endpoints')).body.data).toEqual([shown])
    const [row] = await database.query<{ text: string }>(
      'select e::text as text from webhook_endpoints e where id = $1',
      [body.id],
    )
    expect(row?.text).not.toContain(String(secret).slice(6))

    expect(
      (await manager.patch(path, { types: ['payout.paid', 'sale.created'] })).body.types,
    ).toEqual(['sale.created', 'payout.paid'])
    expect((await manager.patch(path, { enabled: false })).body).toMatchObject({
      status: 'disabled',
      disabledReason: 'manager',
    })
    expect((await manager.post(`${path}/test`)).status).toBe(409)
    expect((await manager.patch(path, { enabled: true })).body.status).toBe('enabled')
    expect((await manager.patch(path, {})).status).toBe(200)
    expect((await manager.delete(path)).status).toBe(204)
    for (const answer of [
      await manager.get(path),
      await manager.delete(path),
      await manager.patch(path, { enabled: true }),
    ])
      expect({ status: answer.status, body: answer.body }).toEqual({
        status: 404,
        body: errorShape('not_found'),
      })
    expect((await database.audit(merchant)).map(({ action }) => action)).toEqual([
      'webhook_endpoint.created',
      ...Array(3).fill('webhook_endpoint.changed'),
      'webhook_endpoint.removed',
    ])
  })

  test('a backend manages endpoints with a key that has the scope write, and no other key does', async () => {
    const merchant = await createMerchant()
    const key = (scopes: ('read' | 'write' | 'track')[]) =>
      merchant.seed.addApiKey(merchant.workspace.id, { scopes })
    const by = async (scopes: ('read' | 'write' | 'track')[]) =>
      merchant
        .withHeaders({ Authorization: `Bearer ${await key(scopes)}` })
        .post('/webhook-endpoints', endpoint())
    expect((await by(['write'])).status).toBe(201)
    expect((await by(['read', 'track'])).body).toEqual(errorShape('insufficient_scope'))
  })

  test.each([
    ['a URL of a private network', { url: 'https://10.0.0.1/' }],
    ['http to another machine', { url: 'http://example.com/' }],
    ['no URL', { url: 'nowhere' }],
    ['no type', { types: [] }],
    ['an unknown type', { types: ['sale.deleted'] }],
    ['a type that nobody subscribes to', { types: ['webhook.test'] }],
    ['a field that does not exist', { secret: 'whsec_x' }],
  ])('refuses %s', async (_, fields) => {
    const merchant = await createMerchant()
    const manager = await merchant.asManager()
    const answer = await manager.post('/webhook-endpoints', endpoint(fields))
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 400,
      body: { error: { ...errorShape('invalid_body').error, details: expect.any(Array) } },
    })
  })

  test.each([
    ['HTTPS://Example.COM', 'https://example.com/'],
    ['https:example.com/hooks', 'https://example.com/hooks'],
    ['https://example.com/a\r\nX-Injected: 1', 'https://example.com/aX-Injected:%201'],
    ['https://bücher.example.com:443/', 'https://xn--bcher-kva.example.com/'],
  ])(
    '%j is kept as %s, so that mails and pages name the host that requests go to',
    async (given, url) => {
      const manager = await (await createMerchant()).asManager()
      const { status, body } = await manager.post('/webhook-endpoints', endpoint({ url: given }))
      expect({ status, url: body.url }).toEqual({ status: 201, url })
      const changed = await manager.patch(`/webhook-endpoints/${body.id}`, { url: `${given}?2` })
      expect(changed.body.url).toBe(`${url}?2`)
    },
  )

  test('eight at once beyond the limit of ten leave ten', async () => {
    const merchant = await createMerchant()
    const manager = await merchant.asManager()
    for (let count = 0; count < 6; count++) await manager.post('/webhook-endpoints', endpoint())
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => manager.post('/webhook-endpoints', endpoint())),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([
      201, 201, 201, 201, 409, 409, 409, 409,
    ])
    expect(((await manager.get('/webhook-endpoints')).body.data as unknown[]).length).toBe(10)
  })
})

describe('/webhook-deliveries', () => {
  test('each shows its payload, its requests and the answers, and is sent again with the same id and body', async () => {
    const merchant = await createMerchant()
    await addEndpoint(merchant, receiver, { types: ['sale.created'] })
    await merchant.sale({ clickId: await merchant.click() })
    const manager = await merchant.asManager()
    const delivered = async () => {
      const { body } = await manager.get('/webhook-deliveries?status=delivered')
      return (body.data as { id: string; eventId: string }[])[0]
    }
    await expect.poll(delivered).toBeDefined()
    const { id = '', eventId } = (await delivered()) ?? {}
    const sent = () => receiver.received.filter((request) => request.id === eventId)
    const { body } = await manager.get(`/webhook-deliveries/${id}`)
    expect(body).toMatchObject({
      type: 'sale.created',
      payload: sent()[0]?.body,
      tries: [{ status: 204, error: null, response: '' }],
    })
    expect((await manager.post(`/webhook-deliveries/${id}/resend`)).body).toMatchObject({
      deliveredAt: null,
    })
    await expect.poll(() => sent().length).toBe(2)
    expect(new Set(sent().map((request) => request.body)).size).toBe(1)
    await expect
      .poll(
        async () =>
          ((await manager.get(`/webhook-deliveries/${id}`)).body.tries as unknown[]).length,
      )
      .toBe(2)
  })

  test('all since a time are sent again, or only those that failed', async () => {
    const merchant = await createMerchant()
    const { id } = await addEndpoint(merchant, receiver, { types: ['sale.created'] })
    await database.query(
      `with added as (
         insert into webhook_events (id, workspace_id, type, subject_id, created_at, payload)
         select uuidv7(), $1, 'sale.created', uuidv7(), now() - n * interval '1 hour', '{}' from generate_series(1, 6) n returning *)
       insert into webhook_deliveries (id, workspace_id, event_id, endpoint_id, created_at, next_attempt_at, delivered_at, failed_at, tries)
       select uuidv7(created_at - now()), $1, id, $2, created_at, now() + interval '1 day',
              case when created_at > now() - interval '3 hours 30 minutes' then now() end,
              case when created_at > now() - interval '3 hours 30 minutes' then null else now() end, '[]' from added`,
      [merchant.workspace.id, id],
    )
    const manager = await merchant.asManager()
    const since = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
    const resend = async (fields: object) =>
      (await manager.post(`/webhook-endpoints/${id}/resend`, fields)).body
    expect(await resend({ since: since(4.5), onlyFailed: true })).toEqual({
      resent: 1,
      continueFrom: null,
    })
    await expect
      .poll(async () => (await manager.get('/webhook-deliveries?status=delivered')).body.data)
      .toHaveLength(4)
    expect(await resend({ since: since(5.5) })).toEqual({ resent: 5, continueFrom: null })
    await expect
      .poll(async () => (await manager.get('/webhook-deliveries?status=delivered')).body.data)
      .toHaveLength(5)
  })
})

describe('the pages', () => {
  test('an endpoint is added, tested, rotated, disabled and removed without JavaScript', async () => {
    const merchant = await createMerchant()
    const pages = await openPages(merchant)
    expect((await pages.get('/webhooks')).text).toContain('No endpoints yet')
    const refused = await pages.post('/webhooks', {
      url: 'https://192.168.1.1/',
      'sale.created': 'on',
    })
    expect({
      status: refused.status,
      says: refused.text.includes('not one of a private network'),
    }).toEqual({
      status: 400,
      says: true,
    })
    const created = await pages.post('/webhooks', { ...fieldsOf(refused.html), url: receiver.url })
    const [, secret = ''] = /(whsec_[A-Za-z0-9+/=]+)</.exec(created.html) ?? []
    receiver.trust(secret)
    const [, id] = /webhooks\/([0-9a-f-]{36})/.exec(created.html) ?? []
    expect(created.status).toBe(200)

    const tested = await pages.post(`/webhooks/${id}/test`, {})
    const [, delivery] = /deliveries\/([0-9a-f-]{36})/.exec(tested.location ?? '') ?? []
    await expect
      .poll(async () => (await pages.get(`/webhooks/deliveries/${delivery}`)).text)
      .toContain('HTTP 204. Delivered.')
    expect((await pages.get('/webhooks/deliveries?status=delivered')).text).toContain(
      'webhook.test',
    )
    expect((await pages.post(`/webhooks/deliveries/${delivery}/resend`, {})).status).toBe(303)
    expect(
      (await pages.post(`/webhooks/${id}/resend`, { since: '2026-01-01T00:00' })).location,
    ).toContain('done=resent')
    expect((await pages.post(`/webhooks/${id}/resend`, { since: 'yesterday' })).status).toBe(400)
    // After more than one request resends, the form has the time to go on from.
    const rest = await pages.get(`/webhooks/${id}?done=partly&since=2026-11-01T10:20`)
    expect(rest.html).toContain('value="2026-11-01T10:20"')
    expect(rest.text).toContain(receiver.url)

    expect(
      (await pages.post(`/webhooks/${id}/rotate-secret`, { overlapHours: '2' })).text,
    ).toContain('shown only once')
    expect((await pages.post(`/webhooks/${id}/rotate-secret`, { overlapHours: '' })).status).toBe(
      400,
    )
    expect((await pages.get(`/webhooks/${id}`)).text).toContain(
      'The former secret signs requests too',
    )
    await pages.post(`/webhooks/${id}/disable`, {})
    expect((await pages.get('/webhooks')).text).toContain('disabled')
    await pages.post(`/webhooks/${id}/enable`, {})
    const changed = await pages.post(`/webhooks/${id}`, {
      url: receiver.url,
      description: 'Billing',
      'payout.paid': 'on',
    })
    expect(changed.location).toContain('done=saved')
    expect((await pages.get('/webhooks')).text).toContain('Billing payout.paid')
    expect((await pages.get(`/webhooks/${id}/remove`)).text).toContain(receiver.url)
    await pages.post(`/webhooks/${id}/remove`, {})
    expect((await pages.get('/webhooks')).text).toContain('No endpoints yet')
    expect((await pages.get(`/webhooks/${id}`)).status).toBe(404)
  })

  test('members see none of it', async () => {
    const merchant = await createMerchant()
    const pages = await openPages(merchant, 'member')
    for (const path of ['/webhooks', '/webhooks/deliveries'])
      expect((await pages.get(path)).status).toBe(403)
  })
})
