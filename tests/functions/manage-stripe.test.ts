import { describe, expect, inject, test, vi } from 'vitest'
import { decryptSecret } from '../../lib/platform/secrets.ts'
import { CONNECT_EVENTS, STRIPE_EVENTS } from '../../lib/purchases/stripe/objects/event-types.ts'
import { askAs } from '../support/in-process.ts'
import {
  type Answer,
  createMerchant,
  errorShape,
  type Merchant,
  useDatabase,
} from '../support/merchant.ts'
import { addReceived } from '../support/received.ts'
import { SECRETS_KEY, signingSecret } from '../support/secrets.ts'

const database = useDatabase()

const createSetup = async () => {
  const merchant = await createMerchant()
  const manager = await merchant.asManager()
  const add = (secret: unknown, purpose?: string) =>
    manager.post('/stripe/secrets', { secret, purpose })
  return { merchant, manager, add }
}

const statuses = (answers: Answer[]) => answers.map(({ status }) => status).sort()

const kept = ({ workspace }: Pick<Merchant, 'workspace'>) =>
  database.query<{ slot: number; ciphertext: string; last4: string }>(
    'select * from stripe_secrets where workspace_id = $1 order by slot',
    [workspace.id],
  )

const actions = async (merchant: Merchant) =>
  (await database.audit(merchant)).map(({ action }) => action)

describe('GET /stripe', () => {
  test('returns the URL and event types, and no times before the first event', async () => {
    const { merchant, manager } = await createSetup()
    const { status, body } = await manager.get('/stripe')
    expect(status).toBe(200)
    expect(body).toEqual({
      webhookUrl: `${inject('baseUrl')}/api/webhooks/stripe/${merchant.workspace.slug}`,
      events: STRIPE_EVENTS,
      connectEvents: CONNECT_EVENTS,
      key: null,
      secrets: [],
      firstEventAt: null,
      lastEventAt: null,
      missingEvents: [],
    })
  })

  test('returns when the first and the last event were received', async () => {
    const { merchant, manager } = await createSetup()
    const days = [1, 2, 3].map((day) => new Date(Date.UTC(2026, 0, day)))
    for (const received_at of days) await addReceived(merchant.workspace.id, { received_at })
    expect((await manager.get('/stripe')).body).toMatchObject({
      firstEventAt: '2026-01-01T00:00:00.000Z',
      lastEventAt: '2026-01-03T00:00:00.000Z',
      missingEvents: [],
    })
  })
})

describe('a signing secret', () => {
  test('is stored encrypted, and listed by its last four characters', async () => {
    const { merchant, manager, add } = await createSetup()
    const secret = signingSecret()
    const last4 = secret.slice(-4)
    const { status, body } = await add(` ${secret}\n`)
    const purpose = 'account'
    expect([status, body]).toEqual([
      201,
      { id: expect.any(String), purpose, last4, createdAt: expect.any(String) },
    ])
    expect((await manager.get('/stripe')).body.secrets).toEqual([body])

    const rows = await kept(merchant)
    expect(await decryptSecret(SECRETS_KEY, merchant.workspace.id, rows[0]?.ciphertext ?? '')).toBe(
      secret,
    )
    const log = await database.audit(merchant)
    expect(JSON.stringify([rows, log])).not.toContain(secret.slice(6, -4))
    const actor = `manager@${merchant.workspace.slug}.example`
    expect(log).toEqual([
      { actor, action: 'stripe_secret.added', subject_id: body.id, details: { last4, purpose } },
    ])
  })

  test('is stored once per workspace', async () => {
    const [ours, theirs] = await Promise.all([createSetup(), createSetup()])
    const secret = signingSecret()
    const first = await ours.add(secret)
    const again = await ours.add(secret)
    expect([again.status, again.body]).toEqual([200, first.body])
    expect((await theirs.add(secret)).status).toBe(201)
    expect(await actions(ours.merchant)).toEqual(['stripe_secret.added'])
  })

  test('can be stored beside three others, two of each endpoint, and after one is removed', async () => {
    const { merchant, manager, add } = await createSetup()
    const { body } = await add(signingSecret())
    const others = [signingSecret(), signingSecret(), signingSecret()]
    for (const [at, secret] of others.entries()) {
      expect((await add(secret, at ? 'connected_accounts' : 'account')).status).toBe(201)
    }
    const fifth = signingSecret()
    expect(await add(fifth)).toMatchObject({ status: 409, body: errorShape('conflict') })
    for (const secret of others) expect((await add(secret)).status).toBe(200)

    expect((await manager.delete(`/stripe/secrets/${body.id}`)).status).toBe(204)
    expect((await manager.delete(`/stripe/secrets/${body.id}`)).status).toBe(404)
    expect((await add(fifth)).status).toBe(201)
    const { secrets } = (await manager.get('/stripe')).body
    expect(secrets).toMatchObject(
      [fifth, ...others.reverse()].map((secret) => ({ last4: secret.slice(-4) })),
    )
    expect(await actions(merchant)).toEqual([
      ...Array(4).fill('stripe_secret.added'),
      'stripe_secret.removed',
      'stripe_secret.added',
    ])
  })

  test('of eight added concurrently, two are stored', async () => {
    const { merchant, add } = await createSetup()
    const answers = await Promise.all(Array.from({ length: 8 }, () => add(signingSecret())))
    expect(statuses(answers)).toEqual([201, 201, 409, 409, 409, 409, 409, 409])
    expect((await kept(merchant)).map(({ slot }) => slot)).toEqual([1, 2])
    expect(await actions(merchant)).toHaveLength(2)
  })

  test('added eight times concurrently takes one slot', async () => {
    const { merchant, add } = await createSetup()
    const secret = signingSecret()
    const answers = await Promise.all(Array.from({ length: 8 }, () => add(secret)))
    expect(statuses(answers)).toEqual([200, 200, 200, 200, 200, 200, 200, 201])
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(await kept(merchant)).toHaveLength(1)
    expect(await actions(merchant)).toHaveLength(1)
  })

  test('removed eight times concurrently is removed once', async () => {
    const { merchant, manager, add } = await createSetup()
    const { body } = await add(signingSecret())
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => manager.delete(`/stripe/secrets/${body.id}`)),
    )
    expect(answers.every(({ status }) => status === 204 || status === 404)).toBe(true)
    expect(await actions(merchant)).toEqual(['stripe_secret.added', 'stripe_secret.removed'])
  })

  test.each([
    ['none', undefined],
    ['nothing', ''],
    ['a number', 7],
    ['null', null],
    ['an API key', 'sk_live_51H4xxxxxxxxxxxxxxxxxxxxxx'],
    ['a secret without an end', 'whsec_'],
    ['a secret of two lines', `${signingSecret()}\n${signingSecret()}`],
    ['a secret with a NUL', `${signingSecret()}\0`],
    ['a secret that is too long', `whsec_${'x'.repeat(201)}`],
    ['a list', [signingSecret()]],
  ])('is not %s', async (_case, secret) => {
    const { merchant, add } = await createSetup()
    const { status, body } = await add(secret)
    expect([status, body.error?.code]).toEqual([400, 'invalid_body'])
    // A mistyped secret is nearly the secret.
    const words = String(secret).match(/\w{20,}/g) ?? []
    for (const word of words) expect(JSON.stringify(body)).not.toContain(word)
    expect(await kept(merchant)).toEqual([])
  })

  test('that cannot be encrypted is not stored, and gets 503', async () => {
    const { merchant } = await createSetup()
    const secret = signingSecret()
    const answer = await askAs(
      'manage',
      `manager@${merchant.workspace.slug}.example`,
      `/api/workspaces/${merchant.workspace.slug}/stripe/secrets`,
      {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ secret }),
      },
      {
        STRIPE_WEBHOOK: { addSecret: () => Promise.reject(new Error('The Worker is not there.')) },
      },
    )
    expect([answer.status, await answer.json()]).toEqual([503, errorShape('try_again')])
    expect(await kept(merchant)).toEqual([])
    expect(JSON.stringify(vi.mocked(console.log).mock.calls)).not.toContain(secret)
  })
})

describe('GET /stripe/events', () => {
  type Row = { id: string; type: string; outcome: { code: string; text: string } | null }
  const list = async ({ get }: { get: (path: string) => Promise<Answer> }, query = '') =>
    (await get(`/stripe/events${query}`)).body as unknown as {
      data: Row[]
      nextCursor: string | null
    }

  test('lists received events and their outcomes', async () => {
    const { merchant, manager } = await createSetup()
    await merchant.sale({ externalId: 'in_1' })
    const sale = await merchant.explainReport('sale', 'in_1')
    const at = new Date('2026-05-01T10:00:00Z')
    const facts = { externalId: 'in_1', slug: 'maya', amountCents: 4_900, currency: 'USD' }
    await addReceived(merchant.workspace.id, {
      processor_event_id: 'evt_1',
      occurred_at: at,
      received_at: at,
      event_id: sale?.id ?? null,
      outcome: { code: 'sale_credited', facts },
    })
    await addReceived(merchant.workspace.id, {
      type: 'refund.created',
      livemode: false,
      outcome: null,
    })
    const { data, nextCursor } = await list(manager)
    expect(nextCursor).toBeNull()
    expect(data).toEqual([
      expect.objectContaining({
        type: 'refund.created',
        livemode: false,
        eventId: null,
        outcome: null,
      }),
      {
        id: expect.any(String),
        stripeId: 'evt_1',
        type: 'invoice.paid',
        livemode: true,
        occurredAt: at.toISOString(),
        receivedAt: at.toISOString(),
        eventId: sale?.id,
        outcome: {
          code: 'sale_credited',
          text: 'The sale in_1 of 49.00 USD is credited to “maya”.',
          facts,
        },
      },
    ])
    expect((await list(manager, '?externalId=in_1')).data).toEqual([data[1]])
    expect((await list(manager, '?externalId=in_2')).data).toEqual([])
    expect((await list(manager, '?type=refund.created')).data).toEqual([data[0]])
    expect((await list(manager, '?type=refund.created&externalId=in_1')).data).toEqual([])
  })

  test('continues after the previous page, within the workspace', async () => {
    const [ours, theirs] = await Promise.all([createSetup(), createSetup()])
    for (let n = 0; n < 3; n++) await addReceived(ours.merchant.workspace.id)
    const cursor = await addReceived(theirs.merchant.workspace.id)
    const first = await list(ours.manager, '?limit=2')
    const rest = await list(ours.manager, `?limit=2&cursor=${first.nextCursor}`)
    expect([first.data.length, rest.data.length, rest.nextCursor]).toEqual([2, 1, null])
    expect((await list(theirs.manager, `?cursor=${first.nextCursor}`)).data).toEqual([])
    expect((await list(ours.manager, `?cursor=${cursor}`)).data).toHaveLength(3)
  })

  test.each([
    'type=',
    'type=%00',
    'externalId=',
    'externalId=%00',
    'cursor=x',
    'limit=0',
    'limit=201',
  ])('refuses ?%s', async (query) => {
    const { manager } = await createSetup()
    const { status, body } = await manager.get(`/stripe/events?${query}`)
    expect([status, body.error?.code]).toEqual([400, 'invalid_query'])
  })

  test.each(['%F0%9F%A6%8A', '%ED%A0%80', "' or 1=1--", '%', '%F0%9F'])(
    'finds nothing under a hostile %s',
    async (value) => {
      const { manager } = await createSetup()
      for (const name of ['type', 'externalId']) {
        expect((await list(manager, `?${name}=${value}`)).data).toEqual([])
      }
    },
  )
})
