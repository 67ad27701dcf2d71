import { describe, expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { changeRole, removeMember } from '../../lib/tenancy/members/members.queries.ts'
import { createMerchant, errorShape, type Merchant, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'
import { openSession, signIn } from '../support/people.ts'

const database = useDatabase()

type Member = { id: string; email: string; role: string; createdAt: string }

const open = async (merchant: Merchant) => {
  const as = await merchant.asManager()
  const list = async () => ((await as.get('/members')).body as unknown as { data: Member[] }).data
  const idOf = async (email: string) => (await list()).find((member) => member.email === email)?.id
  return { ...as, list, idOf, email: `manager@${merchant.workspace.slug}.example` }
}

const audit = async (merchant: Merchant, action: string) =>
  (await database.audit(merchant)).filter((entry) => entry.action === action)

describe('POST /members', () => {
  test('gives access immediately and sends the invitation', async () => {
    const merchant = await createMerchant()
    const members = await open(merchant)
    const email = `ann@new.${merchant.workspace.slug}.example`
    const { status, body } = await members.post('/members', {
      email: ` ${email.toUpperCase()} `,
      role: 'member',
    })

    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(String),
      email,
      role: 'member',
      payoutMails: true,
      createdAt: expect.any(String),
    })
    expect(await members.list()).toHaveLength(2)
    expect(
      await database.query('select kind, recipient, details from mails where workspace_id = $1', [
        merchant.workspace.id,
      ]),
    ).toEqual([
      {
        kind: 'invitation',
        recipient: email,
        details: {
          workspaceName: 'A merchant',
          role: 'member',
          invitedBy: members.email,
          url: `${inject('baseUrl')}/sign-in?next=%2Fapp%2F${merchant.workspace.slug}`,
        },
      },
    ])
    expect(await audit(merchant, 'member.invited')).toEqual([
      {
        actor: members.email,
        action: 'member.invited',
        subject_id: body.id,
        details: { email, role: 'member' },
      },
    ])
    expect((await merchant.as(await signIn(email)).get('/programs')).status).toBe(200)
  })

  test('refuses an existing member; eight concurrent invitations create one member, one mail and one notice', async () => {
    const merchant = await createMerchant()
    const members = await open(merchant)
    const email = `ann@new.${merchant.workspace.slug}.example`
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => members.post('/members', { email, role: 'manager' })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)])
    expect(answers.find(({ status }) => status === 409)?.body).toEqual(errorShape('conflict'))
    expect(await audit(merchant, 'member.invited')).toHaveLength(1)
    const mails = await database.query<{ kind: string }>(
      'select kind from mails where workspace_id = $1 order by kind',
      [merchant.workspace.id],
    )
    expect(mails.map(({ kind }) => kind)).toEqual(['invitation', 'workspace_notice'])
  })

  test.each([
    { case: 'no address', body: { role: 'member' } },
    { case: 'no email address', body: { email: 'ann', role: 'member' } },
    { case: 'two addresses', body: { email: 'a@x.example, b@x.example', role: 'member' } },
    {
      case: 'a header in the address',
      body: { email: 'a@x.example\nBcc: b@x.example', role: 'member' },
    },
    { case: 'no role', body: { email: 'ann@x.example' } },
    { case: 'an unknown role', body: { email: 'ann@x.example', role: 'owner' } },
  ])('refuses $case with 400', async ({ body }) => {
    const members = await open(await createMerchant())
    expect(await members.post('/members', body)).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_body' } },
    })
  })
})

describe('PATCH and DELETE /members/:id', () => {
  test('turn a manager’s mails about payouts off and on, by API and by page, with an audit entry each', async () => {
    const merchant = await createMerchant()
    const members = await open(merchant)
    const id = await members.idOf(members.email)
    const off = await members.patch(`/members/${id}`, { payoutMails: false })
    expect(off).toMatchObject({ status: 200, body: { id, role: 'manager', payoutMails: false } })
    expect(await members.patch(`/members/${id}`, { payoutMails: false })).toMatchObject({
      body: off.body,
    })
    expect(await members.list()).toMatchObject([{ payoutMails: false }])
    const pages = await openPages(merchant)
    expect((await pages.get(`/members/${id}`)).text).toContain('Email about payouts')
    await pages.post(`/members/${id}`, { role: 'manager', payoutMails: 'on' })
    expect(await members.list()).toMatchObject([{ role: 'manager', payoutMails: true }])
    await pages.post(`/members/${id}`, { role: 'manager' })
    expect(await members.list()).toMatchObject([{ role: 'manager', payoutMails: false }])
    const changes = (await audit(merchant, 'member.changed')).map(({ details }) => details)
    expect(changes.map((change) => (change as { payoutMails: object }).payoutMails)).toEqual([
      { from: true, to: false },
      { from: false, to: true },
      { from: true, to: false },
    ])
  })

  test('change access immediately', async () => {
    const merchant = await createMerchant()
    const members = await open(merchant)
    const colleague = merchant.as(await merchant.member())
    const id = await members.idOf(`member@${merchant.workspace.slug}.example`)

    expect((await colleague.get('/members')).status).toBe(403)
    const promoted = await members.patch(`/members/${id}`, { role: 'manager' })
    expect(promoted).toMatchObject({ status: 200, body: { id, role: 'manager' } })
    expect((await colleague.get('/members')).status).toBe(200)

    expect(await members.delete(`/members/${id}`)).toMatchObject({ status: 204 })
    expect((await colleague.get('/members')).status).toBe(404)
    expect(await members.delete(`/members/${id}`)).toMatchObject({ status: 404 })
    expect(await audit(merchant, 'member.changed')).toMatchObject([
      { subject_id: id, details: { role: { from: 'member', to: 'manager' } } },
    ])
    expect(await audit(merchant, 'member.removed')).toMatchObject([{ subject_id: id }])
  })

  test('withdraw an unsent invitation', async () => {
    const merchant = await createMerchant()
    const members = await open(merchant)
    const email = `ann@new.${merchant.workspace.slug}.example`
    const invited = () => database.query('select 1 from mails where recipient = $1', [email])
    for (let time = 0; time < 3; time++) {
      expect(await members.post('/members', { email, role: 'member' })).toMatchObject({
        status: 201,
      })
      expect(await invited()).toHaveLength(1)
      await members.delete(`/members/${await members.idOf(email)}`)
      expect(await invited()).toEqual([])
    }
  })

  test('keep the last manager', async () => {
    const merchant = await createMerchant()
    const members = await open(merchant)
    await merchant.member()
    const id = await members.idOf(members.email)
    for (const refused of [
      await members.patch(`/members/${id}`, { role: 'member' }),
      await members.delete(`/members/${id}`),
    ]) {
      expect(refused).toMatchObject({ status: 409, body: errorShape('conflict') })
    }
    expect(await members.patch(`/members/${id}`, { role: 'manager' })).toMatchObject({
      status: 200,
    })
    expect(await audit(merchant, 'member.changed')).toEqual([])
    expect(await audit(merchant, 'member.removed')).toEqual([])
  })

  test('allow a manager to leave who is not the last', async () => {
    const merchant = await createMerchant()
    const members = await open(merchant)
    const second = `second@${merchant.workspace.slug}.example`
    await merchant.seed.addMember(merchant.workspace.id, second, 'manager')
    const id = await members.idOf(members.email)
    // The address may be a typing error.
    expect(await members.delete(`/members/${id}`)).toMatchObject({ status: 409 })
    await openSession(second)
    expect(await members.delete(`/members/${id}`)).toMatchObject({ status: 204 })
    expect(await members.get('/members')).toMatchObject({ status: 404 })
  })

  test.each([
    { what: 'demoted', action: 'member.changed', change: changeRole },
    { what: 'removed', action: 'member.removed', change: removeMember },
  ])('when all managers are $what concurrently, one remains', async ({ action, change }) => {
    const merchant = await createMerchant()
    const members = await open(merchant)
    const { id: workspaceId, slug } = merchant.workspace
    for (let index = 0; index < 7; index++) {
      await merchant.seed.addMember(workspaceId, `m${index}@${slug}.example`, 'manager')
      await openSession(`m${index}@${slug}.example`)
    }
    const act = { workspaceId, actor: members.email, now: new Date() }

    // Past the endpoints, which let nobody in who is no manager any more.
    const outcomes = await Promise.all(
      (await members.list()).map(({ id }) =>
        change(connect(inject('database')), act, id, 'member'),
      ),
    )
    expect(outcomes.filter((update) => update?.outcome === 'last_manager')).toHaveLength(1)
    const left = await database.query(
      `select id from members where workspace_id = $1 and role = 'manager'`,
      [workspaceId],
    )
    expect(left).toHaveLength(1)
    expect(await audit(merchant, action)).toHaveLength(7)
  })

  test.each([{}, { role: 'owner' }, { role: null }, { role: 'member', email: 'x@x.example' }, []])(
    'refuse %j with 400',
    async (body) => {
      const members = await open(await createMerchant())
      const id = await members.idOf(members.email)
      expect(await members.patch(`/members/${id}`, body)).toMatchObject({ status: 400 })
    },
  )
})

test('GET /members lists newest first, page by page', async () => {
  const merchant = await createMerchant()
  const members = await open(merchant)
  for (const name of ['a', 'b'])
    await merchant.seed.addMember(merchant.workspace.id, `${name}@x.example`, 'member')
  const { body } = await members.get('/members?limit=2')
  const first = body as unknown as { data: Member[]; nextCursor: string }
  expect(first.data.map(({ email }) => email)).toEqual(['b@x.example', 'a@x.example'])
  const next = await members.get(`/members?limit=2&cursor=${first.nextCursor}`)
  expect(next.body).toMatchObject({
    data: [{ email: members.email, role: 'manager' }],
    nextCursor: null,
  })
})
