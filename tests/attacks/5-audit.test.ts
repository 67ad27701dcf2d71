/**
 * Somebody moves money, and wants that nobody notices: the audit log has it, keeps it, and those
 * concerned are mailed.
 */
import { describe, expect, test } from 'vitest'
import { importer } from '../support/imports.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { signIn } from '../support/people.ts'
import { createPartner } from '../support/portal.ts'

const database = useDatabase()

describe('the entries', () => {
  test.each([
    ['its actor', "update audit_entries set actor = 'bob@shop.example'"],
    ['its action', "update audit_entries set action = 'coupon.added'"],
    ['what it is about', 'update audit_entries set subject_id = null'],
    ['its details', "update audit_entries set details = '{}'"],
    ['its time', "update audit_entries set created_at = created_at - interval '1 year'"],
    ['its workspace', 'update audit_entries set workspace_id = gen_random_uuid()'],
    ['it', 'delete from audit_entries'],
  ])('nobody with access to the tables can change %s', async (_what, statement) => {
    const merchant = await createMerchant()
    await (await merchant.asManager()).post('/api-keys', { name: 'mine' })
    const before = await database.audit(merchant)
    expect(before).toMatchObject([{ action: 'api_key.created' }])
    await expect(
      database.query(`${statement} where workspace_id = $1`, [merchant.workspace.id]),
    ).rejects.toThrow('never changed or deleted')
    expect(await database.audit(merchant)).toEqual(before)
  })

  test('an erasure replaces addresses, and nothing else of an entry', async () => {
    const partner = await createPartner()
    const { merchant, email, partnerId, workspaceId } = partner
    const manager = await merchant.asManager()
    await manager.patch(`/partners/${partnerId}`, { name: 'Ann' })
    await database.query(
      `insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
       values (uuidv7(), $1, $2, 'payout_account.connected', null, '{"stripeAccountId": "acct_1"}', now())`,
      [workspaceId, email],
    )
    const rows = () =>
      database.query(
        `select id, actor, action, subject_id, details, created_at from audit_entries where workspace_id = $1 order by id`,
        [workspaceId],
      )
    const [changed, connected] = await rows()
    expect(changed).toMatchObject({ action: 'partner.changed', details: { email } })
    expect((await manager.post(`/partners/${partnerId}/erase`)).status).toBe(200)
    const marker = `erased-${partnerId}@erased.invalid`
    const after = await rows()
    expect(after.slice(0, 2)).toEqual([
      { ...changed, details: { email: marker } },
      { ...connected, actor: marker },
    ])
    expect(after.slice(2)).toMatchObject([{ action: 'partner.erased' }])
  })

  test.each([
    { case: 'a manager', isRemoved: false },
    { case: 'a former manager', isRemoved: true },
  ])(
    '$case who has herself erased as a partner is still named in what she did as one',
    async ({ isRemoved }) => {
      const merchant = await createMerchant()
      const manager = await merchant.asManager()
      const eve = `eve@${merchant.workspace.slug}.example`
      const { body } = await manager.post('/members', { email: eve, role: 'manager' })
      await database.query(
        `insert into audit_entries (id, workspace_id, actor, action, details, created_at)
       values (uuidv7(), $1, $2, 'payout_run.begun', '{"method": "manual"}', now())`,
        [merchant.workspace.id, eve],
      )
      if (isRemoved) expect((await manager.delete(`/members/${body.id}`)).status).toBe(204)
      const partnerId = await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, {
        slug: 'eve',
        email: eve,
      })
      const before = await database.audit(merchant)
      expect((await manager.post(`/partners/${partnerId}/erase`)).status).toBe(200)
      expect((await database.audit(merchant)).slice(0, before.length)).toEqual(before)
    },
  )

  test('an address that only begins or ends like the erased one stays', async () => {
    const { merchant, email, partnerId } = await createPartner()
    const manager = await merchant.asManager()
    const others = [`jo${email}`, `jo.${email}`, `${email}.org`, email.replace('@', '@x.')]
    const reason = `Like (${email}), <${email.toUpperCase()}>, mailto:${email}.`
    const adjustment = { partnerId: merchant.partnerId, amountCents: 100, currency: 'USD' }
    await manager.post('/commissions', {
      ...adjustment,
      externalId: 'adj_1',
      reason: [reason, ...others].join(' '),
    })
    expect((await manager.post(`/partners/${partnerId}/erase`)).status).toBe(200)
    const mark = `erased-${partnerId}@erased.invalid`
    const left = [`Like (${mark}), <${mark}>, mailto:${mark}.`, ...others].join(' ')
    const [entry] = await database.audit(merchant)
    const rows = await database.query('select reason from adjustments where workspace_id = $1', [
      merchant.workspace.id,
    ])
    expect([entry?.details.reason, rows]).toEqual([left, [{ reason: left }]])
  })

  test('an erasure cannot put one person in the place of another', async () => {
    const merchant = await createMerchant()
    await expect(
      database.query(
        `select erase_from_audit($1, array[gen_random_uuid()], '{eve@evil.example}', '{bob@shop.example}')`,
        [merchant.workspace.id],
      ),
    ).rejects.toThrow('erased-')
  })
})

describe('opening balances, which are payable at once', () => {
  const rows = (count: number, prefix: string, openingBalanceCents = 1_000) =>
    Array.from({ length: count }, (_, n) => ({
      email: `${prefix}${n}@partner.example`,
      openingBalanceCents,
    }))

  /** A merchant with two more managers and a member, and the import of the first one. */
  const createOffice = async () => {
    const merchant = await createMerchant()
    const { partners } = await importer(merchant)
    const address = (name: string) => `${name}@${merchant.workspace.slug}.example`
    for (const name of ['ben', 'cora'])
      await merchant.seed.addMember(merchant.workspace.id, address(name), 'manager')
    await merchant.seed.addMember(merchant.workspace.id, address('mike'), 'member')
    const mails = () =>
      database.query<{ recipient: string; details: Record<string, unknown> }>(
        `select recipient, details, next_attempt_at - created_at > interval '5 minutes' as "isLater"
         from mails where workspace_id = $1 and kind = 'opening_balances' order by recipient, next_attempt_at`,
        [merchant.workspace.id],
      )
    return {
      merchant,
      address,
      mails,
      importing: (list: object[], options = OPENING) => partners(list, options),
    }
  }
  const OPENING = { importOpeningBalances: true }

  test('an entry has how many, what they are worth and which ones', async () => {
    const { merchant, importing } = await createOffice()
    await importing([...rows(2, 'a', 1_234), { email: 'none@partner.example' }])
    const commissions = await database.query<{ id: string }>(
      'select id from commissions where workspace_id = $1 order by id',
      [merchant.workspace.id],
    )
    expect(await database.audit(merchant)).toMatchObject([
      {
        action: 'partners.imported',
        details: {
          openingBalances: {
            count: 2,
            sums: [{ currency: 'USD', amountCents: 2_468 }],
            ids: commissions.map(({ id }) => id),
          },
        },
      },
    ])
  })

  test('the list says how much, and an entry of its own which ones', async () => {
    const { merchant, importing } = await createOffice()
    await importing(rows(3, 'a'))
    const manager = await merchant.asManager()
    const { data } = (await manager.get('/audit')).body as {
      data: { id: string; details: object }[]
    }
    expect(data[0]?.details).toMatchObject({
      openingBalances: { count: 3, sums: [{ currency: 'USD', amountCents: 3_000 }] },
    })
    expect(data[0]?.details).not.toHaveProperty('openingBalances.ids')
    const { status, body } = await manager.get(`/audit/${data[0]?.id}`)
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { id: data[0]?.id, details: { openingBalances: { ids: { length: 3 } } } },
    })
    const stranger = await (await createMerchant()).asManager()
    expect((await stranger.get(`/audit/${data[0]?.id}`)).status).toBe(404)
  })

  test('all managers are mailed once about an import of many calls, with its sums', async () => {
    const { address, mails, importing } = await createOffice()
    await importing(rows(2, 'a'))
    await Promise.all(['b', 'c', 'd'].map((prefix) => importing(rows(3, prefix, 100))))
    const details = { importedBy: address('manager'), balances: 11, amountCents: 2_900 }
    expect(await mails()).toEqual([
      { recipient: address('ben'), details: expect.objectContaining(details), isLater: false },
      { recipient: address('cora'), details: expect.objectContaining(details), isLater: false },
      { recipient: address('manager'), details: expect.objectContaining(details), isLater: false },
    ])
  })

  test('what follows after the mail was sent is in a second one, however often: a small import hides no large one', async () => {
    const { merchant, address, mails, importing } = await createOffice()
    await importing(rows(1, 'a', 1))
    await database.query(
      `update mails set attempts = 1, sent_at = now() where workspace_id = $1 and recipient = $2`,
      [merchant.workspace.id, address('ben')],
    )
    await importing(rows(5, 'b', 1_000_000))
    await importing(rows(5, 'c', 1_000_000))
    expect(await mails()).toMatchObject([
      { recipient: address('ben'), details: { balances: 1, amountCents: 1 }, isLater: false },
      {
        recipient: address('ben'),
        details: { balances: 10, amountCents: 10_000_000 },
        isLater: true,
      },
      {
        recipient: address('cora'),
        details: { balances: 11, amountCents: 10_000_001 },
        isLater: false,
      },
      {
        recipient: address('manager'),
        details: { balances: 11, amountCents: 10_000_001 },
        isLater: false,
      },
    ])
  })

  test('an import that creates no balance, a dry run and a repeat are not mailed', async () => {
    const { mails, importing } = await createOffice()
    await importing(rows(2, 'a'), { importOpeningBalances: false })
    await importing(rows(2, 'a'))
    await importing([{ email: 'none@partner.example' }])
    await importing(rows(2, 'b'), { ...OPENING, dryRun: true } as typeof OPENING)
    expect(await mails()).toEqual([])
  })

  test('a manager alone is mailed about the own import, which may be of a stolen session', async () => {
    const merchant = await createMerchant()
    const { partners } = await importer(merchant)
    expect((await partners(rows(1, 'a'), OPENING)).status).toBe(200)
    expect(
      await database.query('select kind, recipient from mails where workspace_id = $1', [
        merchant.workspace.id,
      ]),
    ).toEqual([
      { kind: 'opening_balances', recipient: `manager@${merchant.workspace.slug}.example` },
    ])
  })
})

describe('who was here, and what they took', () => {
  test('a sign-in is in the audit log of each workspace of the person, and of no other', async () => {
    const merchant = await createMerchant()
    const second = await createMerchant()
    const other = await createMerchant()
    await other.manager()
    const email = `eve@${merchant.workspace.slug}.example`
    await merchant.seed.addMember(merchant.workspace.id, email, 'manager')
    await second.seed.addMember(second.workspace.id, email, 'member')
    await signIn(email)
    for (const [one, role] of [
      [merchant, 'manager'],
      [second, 'member'],
    ] as const)
      expect(await database.audit(one)).toEqual([
        expect.objectContaining({
          actor: email,
          action: 'member.signed_in',
          details: { role, browser: expect.any(String) },
        }),
      ])
    expect(await database.audit(other)).toEqual([])
  })

  test('whoever downloads personal data, statements, lists of payouts and years is in it; a look at them is not', async () => {
    const { merchant, partnerId } = await createPartner({ manualPayouts: true })
    const manager = await merchant.asManager()
    await merchant.lead({ externalId: 'user_1', clickId: await merchant.click() })
    const [{ id: customerId } = { id: '' }] = (await merchant.get('/customers')).body.data as {
      id: string
    }[]
    const { body } = await manager.post('/payouts/run', { method: 'manual' })
    const exportsOf = async () =>
      (await database.audit(merchant))
        .filter(({ action }) => action.endsWith('.exported'))
        .map(({ action, subject_id: id, details }) => [action, id, details])
    await manager.get(`/partners/${partnerId}/statement?month=2026-10`)
    await manager.get('/payout-years/2026')
    expect(await exportsOf()).toEqual([])

    for (const path of [
      `/customers/${customerId}/personal-data`,
      `/partners/${partnerId}/personal-data`,
      `/partners/${partnerId}/statement?month=2026-10&format=csv`,
      `/payout-runs/${body.runId}/export`,
      '/payout-years/2026?format=csv',
    ])
      expect((await manager.get(path)).status).toBe(200)
    expect(await exportsOf()).toEqual([
      ['personal_data.exported', customerId, { person: 'customer' }],
      ['personal_data.exported', partnerId, { person: 'partner' }],
      ['statement.exported', partnerId, { month: '2026-10' }],
      ['payout_run.exported', body.runId, { format: 'csv', payouts: 0 }],
      ['payout_year.exported', null, { year: 2026 }],
    ])
  })
})
