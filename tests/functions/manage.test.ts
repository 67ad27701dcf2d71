import { describe, expect, inject, test } from 'vitest'
import {
  createMerchant,
  errorShape,
  type Merchant,
  send,
  useDatabase,
} from '../support/merchant.ts'

const database = useDatabase()

const url = (path: string) => `${inject('baseUrl')}${path}`

describe('another workspace', () => {
  test('has no access: its key works in its own workspace only, and other ids are not found', async () => {
    const [merchant, stranger] = await Promise.all([createMerchant(), createMerchant()])
    const { body } = await merchant.sale({ clickId: await merchant.click() })
    const read = (workspace: string, reader: Merchant, path = `/events/${body.eventId}`) =>
      send(url(`/api/workspaces/${workspace}${path}`), {
        headers: { Authorization: `Bearer ${reader.apiKey}` },
      })

    expect((await read(merchant.workspace.slug, merchant)).status).toBe(200)
    expect((await read(merchant.workspace.id, merchant)).status).toBe(200)
    for (const answer of [
      await read(merchant.workspace.slug, stranger),
      await read(merchant.workspace.id, stranger),
      await read(stranger.workspace.slug, stranger),
      await read(merchant.workspace.slug, stranger, '/events'),
      await read('no-such-workspace', stranger),
    ]) {
      expect(answer.status).toBe(404)
      expect(answer.body).toEqual(errorShape('not_found'))
    }
    expect((await read(stranger.workspace.slug, stranger, '/events')).body).toEqual({
      data: [],
      nextCursor: null,
    })
  })

  test('may use the same external ids', async () => {
    const [merchant, stranger] = await Promise.all([createMerchant(), createMerchant()])
    const ours = await merchant.sale({ clickId: await merchant.click() })
    const theirs = await stranger.sale({ clickId: await stranger.click() })
    expect(theirs.body.attributed).toBe(true)
    expect(theirs.body.eventId).not.toBe(ours.body.eventId)
    expect(theirs.headers.has('Idempotency-Mismatch')).toBe(false)
  })
})

describe('GET /api/workspaces/:workspace/events', () => {
  test('lists newest first, with pagination', async () => {
    const merchant = await createMerchant()
    for (let index = 0; index < 5; index++) await merchant.sale({ externalId: `inv_${index}` })
    const seen: unknown[] = []
    let cursor: unknown = null
    do {
      const { body } = await merchant.get(`/events?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
      const page = body as unknown as { data: { externalId: string }[]; nextCursor: string | null }
      seen.push(page.data.map((event) => event.externalId))
      cursor = page.nextCursor
    } while (cursor)
    expect(seen).toEqual([['inv_4', 'inv_3'], ['inv_2', 'inv_1'], ['inv_0']])
  })

  test('filters by kind, externalId, partnerId and attributed', async () => {
    const merchant = await createMerchant()
    const clickId = await merchant.click()
    await merchant.sale({ externalId: 'with', clickId })
    await merchant.sale({ externalId: 'without' })
    await merchant.lead({ externalId: 'with', clickId })
    const event = await merchant.explainReport('sale', 'with')
    const partnerId = (event?.partner as { id?: string } | null)?.id
    const list = async (query: string) => {
      const { body } = await merchant.get(`/events?${query}`)
      return (body as unknown as { data: { kind: string; externalId: string }[] }).data.map(
        ({ kind, externalId }) => `${kind} ${externalId}`,
      )
    }
    expect(await list('kind=lead')).toEqual(['lead with'])
    expect(await list('externalId=with')).toEqual(['lead with', 'sale with'])
    expect(await list('attributed=false')).toEqual(['sale without'])
    expect(await list('attributed=true&kind=sale')).toEqual(['sale with'])
    expect(await list(`partnerId=${partnerId}`)).toEqual(['lead with', 'sale with'])
  })

  test.each([
    'limit=0',
    'limit=201',
    'limit=x',
    'cursor=x',
    'kind=click',
    'attributed=maybe',
    'partnerId=maya',
  ])('refuses %s with 400', async (query) => {
    const merchant = await createMerchant()
    const { status, body } = await merchant.get(`/events?${query}`)
    expect({ status, code: body.error?.code }).toEqual({ status: 400, code: 'invalid_query' })
  })

  test('shows the customer of an unattributed event too, when the customer is known', async () => {
    const merchant = await createMerchant()
    await merchant.lead({
      externalId: 'user_1',
      clickId: await merchant.click(),
      customerEmail: 'ann@example.com',
    })
    await merchant.sale({ externalId: 'direct', customerExternalId: 'user_1' })
    expect(await merchant.explainReport('sale', 'direct')).toMatchObject({
      attributed: false,
      customer: { id: expect.any(String), externalId: 'user_1', email: 'ann@example.com' },
    })
  })

  test('shows a pending commission as payable after its holding days', async () => {
    const merchant = await createMerchant()
    const { body } = await merchant.sale({ clickId: await merchant.click() })
    expect((await merchant.explain(body.eventId)).commission?.status).toBe('pending')
    await database.age(merchant, '30 days')
    expect((await merchant.explain(body.eventId)).commission?.status).toBe('payable')
  })
})
