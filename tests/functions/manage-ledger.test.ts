import { describe, expect, test } from 'vitest'
import { importer } from '../support/imports.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

type Row = Record<string, unknown> & { id: string }

const rows = async (merchant: Pick<Merchant, 'get'>, path: string): Promise<Row[]> => {
  const { status, body } = await merchant.get(path)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return (body as unknown as { data: Row[] }).data
}

/** A merchant with a sale and a lead of its own partner, and an imported partner who is still owed something. */
const createLedger = async () => {
  const merchant = await createMerchant({ group: { leadReward: { amountCents: 300n, currency: 'EUR' } } })
  const clickId = await merchant.click()
  await merchant.lead({
    externalId: 'user_1',
    clickId,
    customerEmail: 'Ann@Example.com',
    customerName: 'Ann',
  })
  const sale = await merchant.sale({ externalId: 'inv_1', customerExternalId: 'user_1', clickId })
  const imports = await importer(merchant)
  await imports.partners([{ email: 'old@partner.example', slug: 'old', openingBalanceCents: 812_000 }], {
    importOpeningBalances: true,
  })
  await imports.customers([
    { customerExternalId: 'cus_1', partnerEmail: 'old@partner.example', startedAt: '2025-01-31' },
  ])
  const [old] = await rows(merchant, '/partners?slug=old')
  const [maya] = await rows(merchant, '/partners?slug=maya')
  return { merchant, eventId: sale.body.eventId, old: old?.id, maya: maya?.id }
}

describe('GET /commissions', () => {
  test('shows what was earned, by what, and when it is payable', async () => {
    const { merchant, eventId, old, maya } = await createLedger()
    expect(await rows(merchant, '/commissions')).toEqual([
      {
        id: expect.any(String),
        kind: 'opening_balance',
        amountCents: 812_000,
        currency: 'USD',
        status: 'payable',
        payableAt: expect.any(String),
        createdAt: expect.any(String),
        partnerId: old,
        customerExternalId: null,
        eventId: null,
        reversesId: null,
        payoutId: null,
      },
      expect.objectContaining({
        kind: 'sale',
        amountCents: 980,
        status: 'pending',
        partnerId: maya,
        customerExternalId: 'user_1',
        eventId,
      }),
      expect.objectContaining({ kind: 'lead', amountCents: 300, currency: 'EUR', status: 'pending' }),
    ])
  })

  test('filters by partner, customer, event, status and kind', async () => {
    const { merchant, eventId, maya, old } = await createLedger()
    const kinds = async (query: string) =>
      (await rows(merchant, `/commissions?${query}`)).map(({ kind }) => kind)
    expect(await kinds(`partnerId=${maya}`)).toEqual(['sale', 'lead'])
    expect(await kinds(`partnerId=${old}&status=payable`)).toEqual(['opening_balance'])
    expect(await kinds('customerExternalId=user_1')).toEqual(['sale', 'lead'])
    expect(await kinds('customerExternalId=user_2')).toEqual([])
    expect(await kinds(`eventId=${eventId}`)).toEqual(['sale'])
    expect(await kinds('status=pending')).toEqual(['sale', 'lead'])
    expect(await kinds('status=payable')).toEqual(['opening_balance'])
    expect(await kinds('kind=lead')).toEqual(['lead'])
    for (const none of ['status=processing', 'status=paid', 'kind=reversal']) {
      expect(await kinds(none)).toEqual([])
    }
    await database.age(merchant, '30 days')
    expect(await kinds('status=payable')).toEqual(['opening_balance', 'sale', 'lead'])
  })

  test('goes on where the page before ended', async () => {
    const { merchant } = await createLedger()
    const first = (await merchant.get('/commissions?limit=2')).body
    const rest = (await merchant.get(`/commissions?limit=2&cursor=${first.nextCursor}`)).body
    expect(rest).toMatchObject({ data: [{ kind: 'lead' }], nextCursor: null })
  })
})

describe('GET /customers', () => {
  test('shows to whom a customer belongs, and how it came', async () => {
    const { merchant, old, maya } = await createLedger()
    expect(await rows(merchant, '/customers')).toEqual([
      {
        id: expect.any(String),
        externalId: 'cus_1',
        email: null,
        name: null,
        partnerId: old,
        importedAt: expect.any(String),
        startedAt: '2025-01-31T00:00:00.000Z',
      },
      {
        id: expect.any(String),
        externalId: 'user_1',
        email: 'ann@example.com',
        name: 'Ann',
        partnerId: maya,
        importedAt: null,
        startedAt: null,
      },
    ])
  })

  test('filters by externalId, email and partner', async () => {
    const { merchant, old } = await createLedger()
    const ids = async (query: string) =>
      (await rows(merchant, `/customers?${query}`)).map(({ externalId }) => externalId)
    expect(await ids('externalId=cus_1')).toEqual(['cus_1'])
    expect(await ids('externalId=CUS_1')).toEqual([])
    expect(await ids('email=ANN@example.com%20')).toEqual(['user_1'])
    expect(await ids(`partnerId=${old}`)).toEqual(['cus_1'])
  })
})

test('another workspace’s partners, events and customers are no filter either', async () => {
  const [ours, theirs] = await Promise.all([createLedger(), createLedger()])
  for (const path of [
    `/commissions?partnerId=${theirs.maya}`,
    `/commissions?eventId=${theirs.eventId}`,
    `/customers?partnerId=${theirs.old}`,
    `/events?partnerId=${theirs.maya}`,
  ]) {
    expect(await rows(ours.merchant, path)).toEqual([])
  }
  const cursor = (await rows(theirs.merchant, '/commissions'))[0]?.id
  for (const { partnerId } of await rows(ours.merchant, `/commissions?cursor=${cursor}`)) {
    expect([ours.maya, ours.old]).toContain(partnerId)
  }
})

test('GET /audit tells who changed what, newest first, page by page', async () => {
  const { merchant, old } = await createLedger()
  const manager = await merchant.asManager()
  await manager.patch(`/partners/${old}`, { status: 'banned' })
  const first = (await manager.get('/audit?limit=2')).body as unknown as { data: Row[]; nextCursor: string }
  const actor = `manager@${merchant.workspace.slug}.example`
  expect(first.data).toMatchObject([
    {
      actor,
      action: 'partner.changed',
      subjectId: old,
      details: { email: 'old@partner.example', status: { from: 'approved', to: 'banned' } },
    },
    { actor, action: 'customers.imported', details: { rows: 1, created: 1 } },
  ])
  expect(await rows(manager, `/audit?cursor=${first.nextCursor}`)).toMatchObject([
    { actor, action: 'partners.imported', details: { rows: 1, created: 1 } },
  ])
})

describe('mails', () => {
  /** A merchant with three mails: one that could not be delivered, one that was sent, one that waits. */
  const createMailer = async () => {
    const merchant = await createMerchant()
    const imports = await importer(merchant)
    const emails = ['failed', 'sent', 'queued'].map((name) => `${name}@partner.example`)
    await imports.partners(
      emails.map((email) => ({ email })),
      { sendWelcomeEmail: true },
    )
    const mark = (recipient: string, change: string) =>
      database.query(`update mails set ${change}, attempts = 5 where workspace_id = $1 and recipient = $2`, [
        merchant.workspace.id,
        recipient,
      ])
    await mark('failed@partner.example', `failed_at = now(), sent_at = null, last_error = 'No such mailbox.'`)
    await mark('sent@partner.example', 'sent_at = now(), failed_at = null')
    const manager = merchant.as(imports.cookie)
    const byEmail = Object.fromEntries((await rows(manager, '/mails')).map((mail) => [mail.to, mail.id]))
    return { merchant, manager, idOf: (name: string) => byEmail[`${name}@partner.example`] }
  }

  test('GET /mails lists them by their status', async () => {
    const { manager } = await createMailer()
    const [failed] = await rows(manager, '/mails?status=failed')
    expect(failed).toMatchObject({
      kind: 'moved',
      to: 'failed@partner.example',
      status: 'failed',
      attempts: 5,
      lastError: 'No such mailbox.',
      nextAttemptAt: null,
      sentAt: null,
      failedAt: expect.any(String),
    })
    expect(await rows(manager, '/mails?status=sent')).toMatchObject([{ to: 'sent@partner.example' }])
    expect(await rows(manager, '/mails')).toHaveLength(3)
  })

  test('POST /mails/:id/retry sends a failed one again, once, however often it is asked for', async () => {
    const { manager, idOf } = await createMailer()
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => manager.post(`/mails/${idOf('failed')}/retry`)),
    )
    for (const { status, body } of answers) {
      expect({ status, body }).toMatchObject({ status: 200, body: { status: 'queued', failedAt: null } })
    }
    const retried = (await rows(manager, '/audit')).filter(({ action }) => action === 'mail.retried')
    expect(retried).toMatchObject([{ details: { recipient: 'failed@partner.example' } }])
  })

  test('one that was sent is refused, and one of another workspace is not found', async () => {
    const [ours, theirs] = await Promise.all([createMailer(), createMailer()])
    const sent = await ours.manager.post(`/mails/${ours.idOf('sent')}/retry`)
    expect([sent.status, sent.body.error?.code]).toEqual([409, 'conflict'])
    for (const id of [theirs.idOf('failed'), crypto.randomUUID(), 'x', '%00']) {
      const { status, body } = await ours.manager.post(`/mails/${id}/retry`)
      expect([status, body.error?.code]).toEqual([404, 'not_found'])
    }
    expect(await rows(theirs.manager, '/mails?status=failed')).toHaveLength(1)
  })
})
