import { describe, expect, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { importer } from '../support/imports.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'
import { everyNth } from '../support/thorough.ts'

const database = useDatabase()

type Row = Record<string, unknown> & { id: string }

const rows = async (merchant: Pick<Merchant, 'get'>, path: string): Promise<Row[]> => {
  const { status, body } = await merchant.get(path)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return (body as unknown as { data: Row[] }).data
}

/**
 * A merchant with a sale and a lead of its own partner, and an imported partner who is still owed
 * something.
 */
const createLedger = async () => {
  const merchant = await createMerchant({
    group: { leadReward: { amountCents: 300n, currency: 'EUR' } },
  })
  const clickId = await merchant.click()
  await merchant.lead({
    externalId: 'user_1',
    clickId,
    customerEmail: 'Ann@Example.com',
    customerName: 'Ann',
  })
  const sale = await merchant.sale({ externalId: 'inv_1', customerExternalId: 'user_1', clickId })
  const imports = await importer(merchant)
  await imports.partners(
    [{ email: 'old@partner.example', slug: 'old', openingBalanceCents: 812_000 }],
    {
      importOpeningBalances: true,
    },
  )
  await imports.customers([
    { customerExternalId: 'cus_1', partnerEmail: 'old@partner.example', startedAt: '2025-01-31' },
  ])
  const [old] = await rows(merchant, '/partners?slug=old')
  const [maya] = await rows(merchant, '/partners?slug=maya')
  return { merchant, eventId: sale.body.eventId, old: old?.id, maya: maya?.id }
}

describe('GET /commissions', () => {
  test('lists commissions with their event and the time they become payable', async () => {
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
        hold: null,
        adjustment: null,
        bonus: null,
      },
      expect.objectContaining({
        kind: 'sale',
        amountCents: 980,
        status: 'pending',
        partnerId: maya,
        customerExternalId: 'user_1',
        eventId,
      }),
      expect.objectContaining({
        kind: 'lead',
        amountCents: 300,
        currency: 'EUR',
        status: 'pending',
      }),
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
    expect(await kinds('status=payable')).toEqual(['sale', 'lead', 'opening_balance'])
  })

  test('continues after the cursor', async () => {
    const { merchant } = await createLedger()
    const first = (await merchant.get('/commissions?limit=2')).body
    const rest = (await merchant.get(`/commissions?limit=2&cursor=${first.nextCursor}`)).body
    expect(rest).toMatchObject({ data: [{ kind: 'lead' }], nextCursor: null })
  })

  /**
   * Puts a partner's commissions of one currency into a payout, which Stripe has paid or not.
   * @returns its id
   */
  const payOut = async (
    { workspace }: Merchant,
    partnerId: string | undefined,
    currency: string,
  ) => {
    const id = newId()
    await database.query(
      `with run as (
         insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at, claimed_at)
         values ($5, $1, 'manual', now(), 'test', now(), now()) returning id
       ), payout as (
         insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, created_at, next_attempt_at)
         select $2, $1, run.id, p.program_id, p.id, $4, sum(c.amount_cents), now(), now()
         from run, partners p join commissions c on c.partner_id = p.id and c.currency = $4 where p.id = $3 group by run.id, p.id
       )
       update commissions set payout_id = $2 where partner_id = $3 and currency = $4`,
      [workspace.id, id, partnerId, currency, newId()],
    )
    return id
  }

  test.each(everyNth(3, ['held', 'pending', 'payable', 'processing', 'paid']))(
    'pages through the commissions by status=%s without losing or repeating one',
    { tags: 'sampled' },
    async (status) => {
      const { merchant, maya, old } = await createLedger()
      if (status !== 'pending') await database.age(merchant, '31 days')
      if (status === 'held') {
        await database.query(
          `insert into commission_holds (commission_id, workspace_id, reason, note, held_by, created_at)
         select id, workspace_id, 'manual', 'A test', 'test', now() from commissions where workspace_id = $1`,
          [merchant.workspace.id],
        )
      }
      if (status === 'processing' || status === 'paid') {
        await payOut(merchant, old, 'USD')
        await payOut(merchant, maya, 'USD')
        await payOut(merchant, maya, 'EUR')
        if (status === 'paid')
          await database.query('update payouts set paid_at = now() where workspace_id = $1', [
            merchant.workspace.id,
          ])
      }
      const kinds: unknown[] = []
      for (let next = ''; kinds.length < 9; ) {
        const { body } = await merchant.get(`/commissions?status=${status}&limit=1${next}`)
        const { data, nextCursor } = body as unknown as { data: Row[]; nextCursor: string | null }
        kinds.push(...data.map(({ kind }) => kind))
        if (nextCursor === null) break
        next = `&cursor=${nextCursor}`
      }
      const byTime = status === 'pending' ? ['sale', 'lead'] : ['sale', 'lead', 'opening_balance']
      const byPayout = ['lead', 'sale', 'opening_balance']
      const byId = ['opening_balance', 'sale', 'lead']
      const expected = {
        held: byId,
        pending: byTime,
        payable: byTime,
        processing: byPayout,
        paid: byPayout,
      }
      expect(kinds).toEqual(expected[status as keyof typeof expected])
    },
  )

  test('a cursor whose payout was canceled meanwhile is refused, since the rest of the list would be missing', async () => {
    const { merchant, maya, old } = await createLedger()
    await payOut(merchant, old, 'USD')
    const payout = await payOut(merchant, maya, 'USD')
    const { nextCursor } = (await merchant.get('/commissions?status=processing&limit=1')).body
    await database.query('update commissions set payout_id = null where payout_id = $1', [payout])
    const { status, body } = await merchant.get(
      `/commissions?status=processing&limit=1&cursor=${nextCursor}`,
    )
    expect([status, body]).toMatchObject([400, { error: { code: 'invalid_query' } }])
  })
})

test('an event shows its customer’s current external id', async () => {
  const { merchant, eventId } = await createLedger()
  const lost = await merchant.sale({ externalId: 'inv_2', customerExternalId: 'cus_1' })
  expect(lost.body.attributed).toBe(false)
  await database.query(
    `update customers set external_id = 'user_2' where external_id = 'user_1' and workspace_id = $1`,
    [merchant.workspace.id],
  )
  const own = { id: expect.any(String), externalId: 'user_1', email: 'ann@example.com' }
  expect(await merchant.explain(eventId)).toMatchObject({ customer: own })
  const reported = { id: expect.any(String), externalId: 'cus_1' }
  expect(await merchant.explainReport('sale', 'inv_2')).toMatchObject({ customer: reported })
})

describe('reversals', () => {
  /**
   * Adds a row to the ledger of the merchant's sale, after the pattern of its commission.
   * @returns its id
   */
  const addRow = async (
    { workspace }: Pick<Merchant, 'workspace'>,
    row: { cents: number; reverses?: string; replaces?: string },
  ) => {
    const [added] = await database.query<{ id: string }>(
      `insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind,
                                reverses_id, replaces_id, amount_cents, currency, payable_at, created_at)
       select $2, workspace_id, program_id, partner_id, customer_id, event_id, reward_id,
              case when $3::uuid is null then 'sale' else 'reversal' end, $3, $4, $5, currency, payable_at, now()
       from commissions where workspace_id = $1 and kind = 'sale' and replaces_id is null returning id`,
      [workspace.id, newId(), row.reverses ?? null, row.replaces ?? null, row.cents],
    )
    if (!added) throw new Error('There is no sale to add to.')
    if (row.replaces) {
      await database.query(
        `update events set commission_id = $2 where workspace_id = $1 and kind = 'sale'`,
        [workspace.id, added.id],
      )
    }
    return added.id
  }

  const createSale = async () => {
    const { merchant, eventId } = await createLedger()
    const [sale] = await rows(merchant, '/commissions?kind=sale')
    if (!sale) throw new Error('The sale earned nothing.')
    const shown = async () => {
      const { commission } = await merchant.explain(eventId)
      return [commission?.id, commission?.amountCents, commission?.reversedCents]
    }
    return { merchant, eventId, id: sale.id, shown }
  }

  test('has a reversal row, and the event shows the net amount', async () => {
    const { merchant, eventId, id, shown } = await createSale()
    expect(await shown()).toEqual([id, 980, 0])
    await addRow(merchant, { cents: -490, reverses: id })
    await addRow(merchant, { cents: -490, reverses: id })
    expect(await shown()).toEqual([id, 980, 980])
    await addRow(merchant, { cents: 300, reverses: id })
    expect(await shown()).toEqual([id, 980, 680])
    expect(await rows(merchant, '/commissions?kind=reversal')).toMatchObject(
      [300, -490, -490].map((amountCents) => ({
        kind: 'reversal',
        amountCents,
        reversesId: id,
        eventId,
      })),
    )
    expect(await rows(merchant, `/events?externalId=inv_1`)).toHaveLength(1)
  })

  test('that was replaced: the event shows the current commission', async () => {
    const { merchant, eventId, id, shown } = await createSale()
    await addRow(merchant, { cents: -980, reverses: id })
    const second = await addRow(merchant, { cents: 500, replaces: id })
    expect(await shown()).toEqual([second, 500, 0])
    await addRow(merchant, { cents: -500, reverses: second })
    const third = await addRow(merchant, { cents: 700, replaces: second })
    await addRow(merchant, { cents: -70, reverses: third })
    expect(await shown()).toEqual([third, 700, 70])
    expect(await rows(merchant, `/events?externalId=inv_1`)).toHaveLength(1)
    const all = await rows(merchant, `/commissions?eventId=${eventId}`)
    expect(all.reduce((sum, { amountCents }) => sum + Number(amountCents), 0)).toBe(630)
  })

  test('reduces the earnings on the pages', async () => {
    const { merchant, eventId, id } = await createSale()
    await addRow(merchant, { cents: -490, reverses: id })
    const pages = await openPages(merchant)
    expect((await pages.get('')).text).toContain('4.90 USD Pending')
    expect((await pages.get('/events')).text).toContain('Earned 9.80 USD, 4.90 USD reversed')
    expect((await pages.get(`/events/${eventId}`)).text).toContain(
      '$4.90 was reversed, leaving $4.90.',
    )
    expect((await pages.get('/commissions?kind=reversal')).text).toContain('-$4.90')
    await addRow(merchant, { cents: -490, reverses: id })
    expect((await pages.get('/events')).text).toContain('Earned 9.80 USD, fully reversed')
  })
})

describe('GET /customers', () => {
  test('shows a customer’s partner and origin', async () => {
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
        prior: null,
        identities: [
          {
            ...{ kind: 'stripe', value: 'cus_1', source: 'import', evidence: null },
            text: 'Imported.',
          },
        ],
      },
      {
        id: expect.any(String),
        externalId: 'user_1',
        email: 'ann@example.com',
        name: 'Ann',
        partnerId: maya,
        importedAt: null,
        startedAt: null,
        prior: null,
        identities: [
          { kind: 'external', value: 'user_1', text: 'Reported by your lead user_1.' },
          { kind: 'email', value: 'ann@example.com', text: 'Reported by your lead user_1.' },
        ].map((identity) => ({ source: 'lead', evidence: 'user_1', ...identity })),
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

test('an event of another workspace is not found', async () => {
  const [ours, theirs] = await Promise.all([createLedger(), createLedger()])
  const manager = await ours.merchant.asManager()
  expect(await manager.get(`/events/${theirs.eventId}`)).toMatchObject({
    status: 404,
    body: { error: { code: 'not_found' } },
  })
})

test('filtering by ids of another workspace returns nothing', async () => {
  const [ours, theirs] = await Promise.all([createLedger(), createLedger()])
  for (const path of [
    `/commissions?partnerId=${theirs.maya}`,
    `/commissions?eventId=${theirs.eventId}`,
    `/customers?partnerId=${theirs.old}`,
    `/events?partnerId=${theirs.maya}`,
  ]) {
    expect(await rows(ours.merchant, path)).toEqual([])
  }
  const [customer] = await rows(theirs.merchant, '/customers')
  expect((await ours.merchant.get(`/customers/${customer?.id}`)).status).toBe(404)
  const cursor = (await rows(theirs.merchant, '/commissions'))[0]?.id
  for (const { partnerId } of await rows(ours.merchant, `/commissions?cursor=${cursor}`)) {
    expect([ours.maya, ours.old]).toContain(partnerId)
  }
})

test('GET /audit lists changes newest first, with pagination', async () => {
  const { merchant, old } = await createLedger()
  const manager = await merchant.asManager()
  await manager.patch(`/partners/${old}`, { status: 'banned' })
  const first = (await manager.get('/audit?limit=2')).body as unknown as {
    data: Row[]
    nextCursor: string
  }
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
  /**
   * A merchant with three mails: one that could not be delivered, one that was sent, one that
   * waits.
   */
  const createMailer = async () => {
    const merchant = await createMerchant()
    const imports = await importer(merchant)
    const emails = ['failed', 'sent', 'queued'].map((name) => `${name}@partner.example`)
    await imports.partners(
      emails.map((email) => ({ email })),
      { sendWelcomeEmail: true },
    )
    const mark = (recipient: string, change: string) =>
      database.query(
        `update mails set ${change}, attempts = 5 where workspace_id = $1 and recipient = $2`,
        [merchant.workspace.id, recipient],
      )
    await mark(
      'failed@partner.example',
      `failed_at = now(), sent_at = null, last_error = 'No such mailbox.'`,
    )
    await mark('sent@partner.example', 'sent_at = now(), failed_at = null')
    const manager = merchant.as(imports.cookie)
    const byEmail = Object.fromEntries(
      (await rows(manager, '/mails')).map((mail) => [mail.to, mail.id]),
    )
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
    expect(await rows(manager, '/mails?status=sent')).toMatchObject([
      { to: 'sent@partner.example' },
    ])
    expect(await rows(manager, '/mails')).toHaveLength(3)
  })

  test('GET /mails lists those to one partner, and none to another workspace’s', async () => {
    const [{ manager }, others] = await Promise.all([createMailer(), createMailer()])
    const [partner] = await rows(manager, '/partners?email=sent@partner.example')
    const toPartner = await rows(manager, `/mails?partnerId=${partner?.id}`)
    expect(toPartner).toMatchObject([{ to: 'sent@partner.example' }])
    expect(await rows(others.manager, `/mails?partnerId=${partner?.id}`)).toEqual([])
  })

  test('POST /mails/:id/retry queues a failed mail once, however often it is called', async () => {
    const { manager, idOf } = await createMailer()
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => manager.post(`/mails/${idOf('failed')}/retry`)),
    )
    for (const { status, body } of answers) {
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { status: 'queued', failedAt: null },
      })
    }
    const retried = (await rows(manager, '/audit')).filter(
      ({ action }) => action === 'mail.retried',
    )
    expect(retried).toMatchObject([{ details: { recipient: 'failed@partner.example' } }])
  })

  test('a sent mail is refused, and one of another workspace is not found', async () => {
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
