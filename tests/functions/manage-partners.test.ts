import { expect, test } from 'vitest'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

type Partner = {
  id: string
  email: string
  slug: string
  name: string | null
  groupId: string | null
  status: string
  link: string
  coupons: { couponId: string; couponLabel: string | null }[]
}

/** The partners that a query finds, by their slugs. */
const list = async (merchant: Merchant, query = '') => {
  const { status, body } = await merchant.get(`/partners?${query}`)
  if (status !== 200) throw new Error(JSON.stringify(body))
  const { data, nextCursor } = body as unknown as { data: Partner[]; nextCursor: string | null }
  return { partners: data, slugs: data.map(({ slug }) => slug), nextCursor }
}

/** A merchant with a manager who has signed in, and one more partner, whose id is given. */
const createTeam = async () => {
  const merchant = await createMerchant({ group: { name: 'Gold' } })
  const id = await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, {
    slug: 'Zoë-50%_Off',
    name: 'Zoë O’Neill',
    email: 'zoe@partner.example',
  })
  const manager = await merchant.asManager()
  return { merchant, manager, id }
}

test('shows a partner with its link and coupons', async () => {
  const { merchant, manager, id } = await createTeam()
  await manager.post(`/partners/${id}/coupons`, { couponId: 'promo_1', couponLabel: 'ZOE20' })
  expect((await merchant.get(`/partners/${id}`)).body).toEqual({
    id,
    programId: merchant.programId,
    email: 'zoe@partner.example',
    name: 'Zoë O’Neill',
    slug: 'Zoë-50%_Off',
    groupId: null,
    reward: null,
    status: 'approved',
    link: 'https://shop.example/?via=Zo%C3%AB-50%25_Off',
    minimumPayoutCents: null,
    documentsReceivedAt: null,
    payoutAccount: null,
    coupons: [{ couponId: 'promo_1', couponLabel: 'ZOE20' }],
  })
})

test('shows the status of the account that a partner has connected, in lists too, and not that of a former one', async () => {
  const { merchant, id } = await createTeam()
  await database.query(
    `insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, pays_bank, created_at,
                                  disconnected_at)
     values (gen_random_uuid(), $1, 'zoe@partner.example', 'FR', 'acct_old', 'enabled', true, now(), now()),
            (gen_random_uuid(), $1, 'zoe@partner.example', 'DE', 'acct_now', 'restricted', false, now(), null)`,
    [merchant.workspace.id],
  )
  const payoutAccount = {
    status: 'restricted',
    country: 'DE',
    stripeAccountId: 'acct_now',
    paysBank: false,
  }
  expect((await merchant.get(`/partners/${id}`)).body).toMatchObject({ payoutAccount })
  expect((await list(merchant, 'query=zoe')).partners).toMatchObject([{ payoutAccount }])
  expect((await list(merchant, 'query=maya')).partners).toMatchObject([{ payoutAccount: null }])
})

test('lists each partner once, newest first, with pagination', async () => {
  const merchant = await createMerchant()
  const rows = Array.from({ length: 5 }, (_, index) => ({
    email: `p${index}@partner.example`,
    slug: `p${index}`,
  }))
  await merchant
    .as(await merchant.manager())
    .post('/partners/import', { programId: merchant.programId, rows })
  const seen: string[] = []
  let cursor: string | null = ''
  for (let turn = 0; cursor !== null && turn < 9; turn++) {
    const page = await list(merchant, `limit=2${cursor && `&cursor=${cursor}`}`)
    seen.push(...page.slugs)
    cursor = page.nextCursor
  }
  expect(seen.sort()).toEqual(['maya', 'p0', 'p1', 'p2', 'p3', 'p4'])
})

test.each([
  ['email=ZOE@partner.example', ['Zoë-50%_Off'], 'the address in any case'],
  ['email=zoe', [], 'no part of an address'],
  [`slug=${encodeURIComponent(' zoË-50%_OFF')}`, ['Zoë-50%_Off'], 'the slug in any case'],
  ['slug=zoë', [], 'no part of a slug'],
  ['status=approved', ['Zoë-50%_Off', 'maya'], 'a status'],
  ['status=banned', [], 'another status'],
  ['query=O’NEILL', ['Zoë-50%_Off'], 'part of a name'],
  ['query=ZOË', ['Zoë-50%_Off'], 'part of a name or slug, beyond ASCII'],
  ['query=ZOE%CC%88-50', ['Zoë-50%_Off'], 'part of a slug, as a Mac writes it'],
  ['query=Partner.EXAMPLE', ['Zoë-50%_Off', 'maya'], 'part of an address, in another case'],
  ['query=partner.example', ['Zoë-50%_Off', 'maya'], 'part of an address'],
  ['query=%2550%25_', [], 'a pattern, which is none'],
  ['query=50%25_', ['Zoë-50%_Off'], 'what would be a pattern'],
  ['query=m_ya', [], 'one more of those'],
  ['query=%5C', [], 'a backslash'],
  ['groupId=01890a5d-ac96-774b-bcce-b302099a8057', [], 'a group that is not there'],
])('finds by %s: %s (%s)', async (query, slugs) => {
  const { merchant } = await createTeam()
  expect((await list(merchant, query)).slugs).toEqual(slugs)
})

test('filters by program and by group', async () => {
  const { merchant, manager, id } = await createTeam()
  const other = await merchant.seed.addProgram(merchant.workspace.id)
  const group = await merchant.seed.addGroup(merchant.workspace.id, merchant.programId)
  await manager.patch(`/partners/${id}`, { groupId: group.toUpperCase() })
  expect((await list(merchant, `programId=${other}`)).slugs).toEqual([])
  expect((await list(merchant, `programId=${merchant.programId}`)).slugs).toEqual([
    'Zoë-50%_Off',
    'maya',
  ])
  expect((await list(merchant, `groupId=${group}`)).slugs).toEqual(['Zoë-50%_Off'])
})

test('refuses a blank filter', async () => {
  const merchant = await createMerchant()
  for (const query of ['email=', 'email=%20', 'slug=', 'query=%20', 'status=', 'programId=']) {
    expect((await merchant.get(`/partners?${query}`)).status).toBe(400)
  }
})

test('changes name, group and status, and keeps absent fields', async () => {
  const { merchant, manager, id } = await createTeam()
  const group = await merchant.seed.addGroup(merchant.workspace.id, merchant.programId, {
    name: 'Silver',
  })
  expect((await manager.patch(`/partners/${id}`, { name: '  Zoë  ' })).body).toMatchObject({
    name: 'Zoë',
  })
  expect((await manager.patch(`/partners/${id}`, { groupId: group })).body).toMatchObject({
    name: 'Zoë',
    groupId: group,
  })
  expect((await manager.patch(`/partners/${id}`, { status: 'banned' })).body).toMatchObject({
    groupId: group,
    status: 'banned',
  })
  expect(
    (await manager.patch(`/partners/${id}`, { groupId: null, name: null })).body,
  ).toMatchObject({
    name: null,
    groupId: null,
    status: 'banned',
  })
  const actor = `manager@${merchant.workspace.slug}.example`
  const email = 'zoe@partner.example'
  const entry = (details: object) => ({
    action: 'partner.changed',
    actor,
    subject_id: id,
    details: { email, ...details },
  })
  expect(await database.audit(merchant)).toEqual([
    entry({ name: { from: 'Zoë O’Neill', to: 'Zoë' } }),
    entry({ group: { from: null, to: 'Silver' } }),
    entry({ status: { from: 'approved', to: 'banned' } }),
    entry({ name: { from: 'Zoë', to: null }, group: { from: 'Silver', to: null } }),
  ])
})

test('an update that changes nothing is not logged', async () => {
  const { merchant, manager, id } = await createTeam()
  for (const body of [{}, { status: 'approved' }, { name: 'Zoë O’Neill', groupId: null }]) {
    expect((await manager.patch(`/partners/${id}`, body)).status).toBe(200)
  }
  expect(await database.audit(merchant)).toEqual([])
})

test.each([
  ['a field that it doesn’t know', { state: 'banned' }],
  ['another status', { status: 'pending' }],
  ['a group that is no id', { groupId: 'Gold' }],
  ['a name that is too long', { name: 'x'.repeat(256) }],
  ['a name of two lines', { name: 'a\nb' }],
  ['a NUL', { name: 'a\0' }],
  ['a half of a character', { name: '\ud800' }],
  ['no object', []],
])('refuses a change with %s', async (_case, body) => {
  const { manager, id } = await createTeam()
  const answer = await manager.patch(`/partners/${id}`, body)
  expect([answer.status, answer.body.error?.code]).toEqual([400, 'invalid_body'])
})

test('a group of another program or workspace is not found', async () => {
  const [{ merchant, manager, id }, theirs] = await Promise.all([createTeam(), createTeam()])
  const program = await merchant.seed.addProgram(merchant.workspace.id)
  for (const groupId of [
    await merchant.seed.addGroup(merchant.workspace.id, program),
    await theirs.merchant.seed.addGroup(theirs.merchant.workspace.id, theirs.merchant.programId),
    crypto.randomUUID(),
  ]) {
    const { status, body } = await manager.patch(`/partners/${id}`, { name: 'X', groupId })
    expect([status, body.error?.code]).toEqual([404, 'not_found'])
  }
  expect((await manager.get(`/partners/${id}`)).body).toMatchObject({
    name: 'Zoë O’Neill',
    groupId: null,
  })
})

test('a ban disables a partner’s link and clicks until the partner is approved again', async () => {
  const { merchant, manager } = await createTeam()
  const [maya] = (await list(merchant, 'slug=maya')).partners
  const clickId = await merchant.click()
  await manager.patch(`/partners/${maya?.id}`, { status: 'banned' })
  await expect(merchant.click()).rejects.toThrow('partner_not_found')
  expect((await merchant.sale({ externalId: 'a', clickId })).body.attributed).toBe(false)
  await manager.patch(`/partners/${maya?.id}`, { status: 'approved' })
  expect((await merchant.sale({ externalId: 'b', clickId })).body.attributed).toBe(true)
})

test('a ban cancels an unsent welcome mail', async () => {
  const { merchant, manager } = await createTeam()
  const rows = ['ann', 'ben'].map((slug) => ({ email: `${slug}@partner.example`, slug }))
  const options = { sendWelcomeEmail: true }
  await manager.post('/partners/import', { programId: merchant.programId, options, rows })
  const [ann] = (await list(merchant, 'slug=ann')).partners
  await manager.patch(`/partners/${ann?.id}`, { status: 'banned' })
  const { body } = await manager.get('/mails')
  expect(body.data).toMatchObject([
    { to: 'ben@partner.example', status: 'queued' },
    { to: 'ann@partner.example', status: 'failed', lastError: 'Not sent: the partner was banned.' },
  ])
})

test('the mark that documents were received is set once, kept by other changes, and taken away', async () => {
  const { merchant, manager, id } = await createTeam()
  const mark = async (documentsReceived: boolean) =>
    (await manager.patch(`/partners/${id}`, { documentsReceived })).body.documentsReceivedAt
  const first = await mark(true)
  expect(first).toEqual(expect.any(String))
  expect(await mark(true)).toBe(first)
  expect((await manager.patch(`/partners/${id}`, { name: 'Zoe' })).body.documentsReceivedAt).toBe(
    first,
  )
  expect(await mark(false)).toBeNull()
  const entries = (await database.audit(merchant)).filter(
    ({ action }) => action === 'partner.changed',
  )
  expect(
    entries.map(({ details }) => (details as Record<string, unknown>).documentsReceived),
  ).toEqual([{ from: false, to: true }, undefined, { from: true, to: false }])
})
