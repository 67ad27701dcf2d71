/** Applications by the API: what managers and backends read and decide. */
import { describe, expect, inject, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { type Answer, createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { browse, fieldsOf, openPages } from '../support/pages.ts'
import { openSession } from '../support/people.ts'

const database = useDatabase()

type Application = { id: string; email: string; status: string }

/** Somebody who has applied, as the page saves it. */
const addApplication = async (
  { workspace, programId }: Merchant,
  name: string,
  columns: object = {},
) => {
  const email = `${name.toLowerCase()}@${workspace.slug}.example`
  const id = newId()
  const values = {
    id,
    workspace_id: workspace.id,
    program_id: programId,
    email,
    name,
    promotion: 'I review apps.',
    answers: '[]',
    applied_at: '2026-01-02T03:04:05.000Z',
    ...columns,
  }
  await database.query(
    `insert into applications (${Object.keys(values)}) values (${Object.keys(values).map((_, index) => `$${index + 1}`)})`,
    Object.values(values),
  )
  return { id, email, path: `/applications/${id}` }
}

const INVITED = {
  name: '',
  promotion: '',
  applied_at: null,
  invited_at: '2026-01-01T00:00:00.000Z',
  invited_by: 'ann@shop.example',
}
const REJECTED = {
  outcome: 'rejected',
  decided_at: '2026-01-03T00:00:00.000Z',
  decided_by: 'ann@shop.example',
  reason: 'Too small',
  is_blocked: true,
}

const rowsOf = ({ body }: Answer) => body.data as unknown as Application[]

describe('GET /applications', () => {
  test('has what people wrote, what was decided, and nothing else', async () => {
    const merchant = await createMerchant()
    const ann = await addApplication(merchant, 'Ann', {
      site_url: 'https://ann.example',
      answers: JSON.stringify([{ question: 'Where?', answer: 'Chile' }]),
    })
    const ida = await addApplication(merchant, 'Ida', INVITED)
    const bob = await addApplication(merchant, 'Bob', REJECTED)
    const common = {
      programId: merchant.programId,
      siteUrl: null,
      answers: [],
      agreementVersion: null,
      invitedAt: null,
      invitedBy: null,
      groupId: null,
      decidedAt: null,
      decidedBy: null,
      reason: null,
      blocked: false,
      partnerId: null,
    }
    const applied = { appliedAt: '2026-01-02T03:04:05.000Z', promotion: 'I review apps.' }
    expect((await merchant.get('/applications')).body).toEqual({
      data: [
        {
          ...common,
          ...applied,
          id: bob.id,
          email: bob.email,
          name: 'Bob',
          status: 'rejected',
          decidedAt: REJECTED.decided_at,
          decidedBy: REJECTED.decided_by,
          reason: 'Too small',
          blocked: true,
        },
        {
          ...common,
          id: ida.id,
          email: ida.email,
          name: null,
          status: 'invited',
          promotion: null,
          appliedAt: null,
          invitedAt: INVITED.invited_at,
          invitedBy: INVITED.invited_by,
        },
        {
          ...common,
          ...applied,
          id: ann.id,
          email: ann.email,
          name: 'Ann',
          status: 'applied',
          siteUrl: 'https://ann.example',
          answers: [{ question: 'Where?', answer: 'Chile' }],
        },
      ],
      nextCursor: null,
    })
    const [, , last] = rowsOf(await merchant.get('/applications'))
    expect((await merchant.get(ann.path)).body).toEqual(last)
  })

  test('is filtered by status and program, page by page, as the export and the page are', async () => {
    const merchant = await createMerchant()
    const other = await merchant.seed.addProgram(merchant.workspace.id)
    const ann = await addApplication(merchant, 'Ann')
    const bob = await addApplication(merchant, 'Bob', REJECTED)
    const ida = await addApplication(merchant, 'Ida', INVITED)
    const zoe = await addApplication(merchant, 'Zoe', { program_id: other })
    const idsIn = async (query: string) =>
      rowsOf(await merchant.get(`/applications?${query}`)).map(({ id }) => id)
    const pages = await openPages(merchant)
    for (const { query, ids } of [
      { query: '', ids: [zoe.id, ida.id, bob.id, ann.id] },
      { query: 'status=applied', ids: [zoe.id, ann.id] },
      { query: 'status=invited', ids: [ida.id] },
      { query: 'status=rejected', ids: [bob.id] },
      { query: 'status=approved', ids: [] },
      { query: `programId=${merchant.programId}`, ids: [ida.id, bob.id, ann.id] },
      { query: `programId=${merchant.programId.toUpperCase()}&status=applied`, ids: [ann.id] },
      { query: `programId=${newId()}`, ids: [] },
    ]) {
      expect([query, await idsIn(query)]).toEqual([query, ids])
      const file = String((await merchant.get(`/export/applications.csv?${query}`)).body.text)
      const [header, ...rows] = file.trimEnd().split('\r\n')
      expect(rows.map((row) => row.slice(1, 37))).toEqual(ids)
      const fields = Object.keys((await merchant.get(ann.path)).body)
      expect(JSON.parse(`[${header}]`).sort()).toEqual(fields.sort())
      const { html } = await pages.get(`/applications?${query}`)
      expect([...html.matchAll(/applications\/([0-9a-f-]{36})/g)].map(([, id]) => id)).toEqual(ids)
    }

    const first = (await merchant.get('/applications?limit=3')).body
    expect(rowsOf({ body: first } as Answer)).toHaveLength(3)
    const rest = await merchant.get(`/applications?limit=3&cursor=${first.nextCursor}`)
    expect([rowsOf(rest).map(({ id }) => id), rest.body.nextCursor]).toEqual([[ann.id], null])
    for (const query of ['status=banned', 'status=', 'programId=x', 'cursor=x', 'limit=0'])
      expect([query, (await merchant.get(`/applications?${query}`)).status]).toEqual([query, 400])
  })
})

/** A merchant with a group, and how its manager and a key of it decide. */
const createDeciding = async () => {
  const merchant = await createMerchant({ group: {} })
  const [group] = await database.query<{ id: string }>(
    'select id from groups where workspace_id = $1',
    [merchant.workspace.id],
  )
  const key = await merchant.seed.addApiKey(merchant.workspace.id, { scopes: ['write'] })
  return {
    merchant,
    groupId: group?.id,
    manager: await merchant.asManager(),
    backend: merchant.withHeaders({ Authorization: `Bearer ${key}` }),
    mails: async () =>
      database.query<{ kind: string; recipient: string; details: Record<string, unknown> }>(
        'select kind, recipient, details from mails where workspace_id = $1 order by id',
        [merchant.workspace.id],
      ),
    log: async () =>
      (await database.audit(merchant)).map(({ action, actor, details }) => ({
        action,
        actor,
        details,
      })),
  }
}

/** Accepts an invitation on the page, in a session of the address. */
const accept = async ({ programId }: Merchant, email: string) => {
  const page = browse(await openSession(email), inject('baseUrl'), `/join/${programId}`)
  const fields = fieldsOf((await page.get('/apply')).html)
  expect((await page.post('/apply', { ...fields, name: 'Eve' })).status).toBe(303)
}

const result = ({ status, body }: Answer) => [status, body.error?.code ?? body.status]

describe('POST /applications/:id/approve', () => {
  test('by a backend makes a partner in the group, with a mail of no person and audit entries', async () => {
    const { merchant, groupId, backend, mails, log } = await createDeciding()
    const { path, email } = await addApplication(merchant, 'Ann')
    const { status, body } = await backend.post(`${path}/approve`, { groupId })
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        email,
        status: 'approved',
        decidedBy: expect.stringMatching(/^API key "/),
      }),
    ])
    expect((await merchant.get(`/partners/${body.partnerId}`)).body).toMatchObject({
      email,
      name: 'Ann',
      groupId,
      status: 'approved',
    })
    expect(await mails()).toEqual([
      { kind: 'welcome', recipient: email, details: expect.objectContaining({ sentBy: null }) },
    ])
    expect((await log()).map(({ action, actor }) => [action, actor])).toEqual([
      ['partner.created', body.decidedBy],
      ['application.approved', body.decidedBy],
    ])
    expect((await backend.post(`${path}/approve`, { groupId })).body).toEqual(body)
    expect(await mails()).toHaveLength(1)
  })

  test('of somebody who has not answered makes a partner without a name, in the group of the invitation', async () => {
    const { merchant, groupId, manager } = await createDeciding()
    const { path, email } = await addApplication(merchant, 'Ida', { ...INVITED, group_id: groupId })
    const { body } = await manager.post(`${path}/approve`, {})
    expect((await merchant.get(`/partners/${body.partnerId}`)).body).toMatchObject({
      email,
      name: null,
      groupId,
    })
  })

  test('refuses what was rejected, and groups of others', async () => {
    const [{ merchant, manager, log }, theirs] = [await createDeciding(), await createDeciding()]
    const ann = await addApplication(merchant, 'Ann')
    const bob = await addApplication(merchant, 'Bob', REJECTED)
    expect(result(await manager.post(`${bob.path}/approve`, {}))).toEqual([409, 'conflict'])
    for (const { groupId, answer } of [
      { groupId: theirs.groupId, answer: [404, 'not_found'] },
      { groupId: newId(), answer: [404, 'not_found'] },
      { groupId: 'x', answer: [400, 'invalid_body'] },
      { groupId: 5, answer: [400, 'invalid_body'] },
    ])
      expect(result(await manager.post(`${ann.path}/approve`, { groupId }))).toEqual(answer)
    expect(result(await manager.post(`${ann.path}/approve`, { group: null }))).toEqual([
      400,
      'invalid_body',
    ])
    expect(rowsOf(await merchant.get('/applications?status=approved'))).toEqual([])
    expect(await log()).toEqual([])
  })

  test('of two managers and a backend that decide at the same moment, the others read that it was decided', async () => {
    const { merchant, manager, backend } = await createDeciding()
    for (let round = 0; round < 6; round++) {
      const { path, email } = await addApplication(merchant, `Ann${round}`)
      const answers = await Promise.all([
        manager.post(`${path}/reject`, { reason: 'A' }),
        backend.post(`${path}/reject`, { reason: 'B' }),
        backend.post(`${path}/approve`, {}),
        manager.delete(path),
      ])
      const done = answers.filter(({ status }) => status < 300)
      for (const { status } of answers) expect([200, 204, 404, 409]).toContain(status)
      expect(done.length).toBeGreaterThan(0)
      const { status, body } = await merchant.get(path)
      const partners = rowsOf(await merchant.get(`/partners?email=${email}`))
      expect(partners).toHaveLength(body.status === 'approved' ? 1 : 0)
      if (answers[3]?.status === 204) expect(status).toBe(404)
      else expect(done.map((one) => one.body.status)).toEqual([body.status])
    }
  })
})

describe('POST /applications/:id/reject', () => {
  test('keeps the reason, mails it if that is wanted, and blocks for good', async () => {
    const { merchant, backend, mails, log } = await createDeciding()
    const ann = await addApplication(merchant, 'Ann')
    const bob = await addApplication(merchant, 'Bob')
    const rejection = { reason: '  Too small\nSorry ', sendEmail: true, block: true }
    const { status, body } = await backend.post(`${ann.path}/reject`, rejection)
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        status: 'rejected',
        reason: 'Too small\nSorry',
        blocked: true,
        partnerId: null,
      }),
    ])
    expect((await backend.post(`${ann.path}/reject`, rejection)).body).toEqual(body)
    expect((await backend.post(`${bob.path}/reject`, { reason: null })).body).toMatchObject({
      status: 'rejected',
      reason: null,
      blocked: false,
    })
    const program = (await merchant.get(`/programs/${merchant.programId}`)).body
    expect(await mails()).toEqual([
      {
        kind: 'application_rejected',
        recipient: ann.email,
        details: { applicantName: 'Ann', programName: program.name, reason: 'Too small\nSorry' },
      },
    ])
    expect((await log()).map(({ action, details }) => [action, details])).toEqual([
      [
        'application.rejected',
        { email: ann.email, reason: 'Too small\nSorry', blocks: true, mailed: true },
      ],
      ['application.rejected', { email: bob.email, reason: null, blocks: false, mailed: false }],
    ])
  })

  test('refuses another rejection, what was approved, and a mail to somebody who has not applied', async () => {
    const { merchant, manager, mails } = await createDeciding()
    const bob = await addApplication(merchant, 'Bob', REJECTED)
    const same = { reason: 'Too small', block: true }
    expect(result(await manager.post(`${bob.path}/reject`, same))).toEqual([200, 'rejected'])
    for (const other of [{}, { ...same, reason: 'Other' }, { ...same, block: false }])
      expect(result(await manager.post(`${bob.path}/reject`, other))).toEqual([409, 'conflict'])

    const ida = await addApplication(merchant, 'Ida', INVITED)
    expect(result(await manager.post(`${ida.path}/reject`, { sendEmail: true }))).toEqual([
      409,
      'conflict',
    ])
    expect(await mails()).toEqual([])
    expect(result(await manager.post(`${ida.path}/reject`, {}))).toEqual([200, 'rejected'])

    const ann = await addApplication(merchant, 'Ann')
    await manager.post(`${ann.path}/approve`, {})
    expect(result(await manager.post(`${ann.path}/reject`, {}))).toEqual([409, 'conflict'])
    for (const wrong of [
      { reason: 'x'.repeat(2_001) },
      { reason: 5 },
      { block: 'yes' },
      { blocks: true },
    ])
      expect(result(await manager.post(`${ann.path}/reject`, wrong))).toEqual([400, 'invalid_body'])
  })
})

describe('DELETE /applications/:id', () => {
  test('deletes what is not approved, once', async () => {
    const { merchant, backend, log } = await createDeciding()
    for (const columns of [{}, INVITED, REJECTED]) {
      const { path, id } = await addApplication(merchant, 'Bob', columns)
      expect((await backend.delete(path)).status).toBe(204)
      expect(result(await backend.delete(path))).toEqual([404, 'not_found'])
      expect((await database.audit(merchant)).at(-1)).toMatchObject({
        action: 'application.deleted',
        subject_id: id,
      })
    }
    const { path } = await addApplication(merchant, 'Ann')
    await backend.post(`${path}/approve`, {})
    expect(result(await backend.delete(path))).toEqual([409, 'conflict'])
    expect((await merchant.get(path)).body.status).toBe('approved')
    expect((await log()).filter(({ action }) => action === 'application.deleted')).toHaveLength(3)
  })
})

describe('POST /invitations', () => {
  test('by a backend says what became of each address, and mails in the name of the workspace', async () => {
    const { merchant, groupId, backend, mails, log } = await createDeciding()
    const ann = await addApplication(merchant, 'Ann')
    const bob = await addApplication(merchant, 'Bob', REJECTED)
    const ida = await addApplication(merchant, 'Ida', { ...INVITED, invited_at: new Date() })
    const zoe = await addApplication(merchant, 'Zoe', { ...REJECTED, is_blocked: false })
    const eve = `eve@${merchant.workspace.slug}.example`
    const wanted = {
      programId: merchant.programId,
      groupId,
      emails: [
        eve,
        ann.email,
        bob.email,
        'Maya@Partner.example',
        ida.email,
        zoe.email,
        ` ${eve.toUpperCase()} `,
      ],
    }
    const { status, body } = await backend.post('/invitations', wanted)
    expect([status, body]).toEqual([
      201,
      {
        summary: { invited: 2, invitedBefore: 1, partners: 1, applied: 1, blocked: 1 },
        results: [
          { email: eve, status: 'invited', applicationId: expect.any(String) },
          { email: ann.email, status: 'applied', applicationId: ann.id },
          { email: bob.email, status: 'blocked', applicationId: bob.id },
          { email: 'maya@partner.example', status: 'partner', applicationId: null },
          { email: ida.email, status: 'invited_before', applicationId: ida.id },
          { email: zoe.email, status: 'invited', applicationId: zoe.id },
        ],
      },
    ])
    const [invited] = (body.results as unknown as { applicationId: string }[]) ?? []
    const { body: application } = await merchant.get(`/applications/${invited?.applicationId}`)
    expect(application).toMatchObject({
      email: eve,
      status: 'invited',
      groupId,
      invitedBy: expect.stringMatching(/^API key "/),
    })
    expect(
      (await mails()).map(({ kind, recipient, details }) => [kind, recipient, details.invitedBy]),
    ).toEqual([eve, zoe.email].map((email) => ['partner_invitation', email, null]))
    expect(await log()).toEqual([
      { action: 'application.invited', actor: application.invitedBy, details: { invited: 2 } },
    ])
    const again = await backend.post('/invitations', wanted)
    expect([again.status, again.body.summary]).toEqual([
      200,
      { invited: 0, invitedBefore: 3, partners: 1, applied: 1, blocked: 1 },
    ])
    expect(await mails()).toHaveLength(2)

    // Who accepts is welcomed by nobody, as no person has invited.
    await accept(merchant, eve)
    const welcome = (await mails()).find(({ kind }) => kind === 'welcome')
    expect([welcome?.recipient, welcome?.details.sentBy]).toEqual([eve, null])
  })

  test('of an approved person whose address has changed since invites nobody', async () => {
    const { merchant, manager, mails } = await createDeciding()
    const { path, email } = await addApplication(merchant, 'Ann')
    const { partnerId } = (await manager.post(`${path}/approve`, {})).body
    await manager.patch(`/partners/${partnerId}`, { email: `new-${email}` })
    const { body } = await manager.post('/invitations', {
      programId: merchant.programId,
      emails: [email],
    })
    expect(body.results).toMatchObject([{ email, status: 'partner' }])
    expect((await mails()).filter(({ kind }) => kind === 'partner_invitation')).toEqual([])
  })

  test('refuses what is no address, more than 100, and programs and groups of others', async () => {
    const [{ merchant, manager, mails }, theirs] = [await createDeciding(), await createDeciding()]
    const { programId } = merchant
    const emails = ['a@x.example']
    const many = Array.from({ length: 101 }, (_, n) => `p${n}@x.example`)
    for (const { wrong, answer } of [
      { wrong: { programId, emails: [] }, answer: [400, 'invalid_body'] },
      { wrong: { programId, emails: ['a@x.example', 'b@'] }, answer: [400, 'invalid_body'] },
      { wrong: { programId, emails: many }, answer: [400, 'invalid_body'] },
      { wrong: { programId, emails: 'a@x.example' }, answer: [400, 'invalid_body'] },
      { wrong: { emails }, answer: [400, 'invalid_body'] },
      { wrong: { programId: 'x', emails }, answer: [400, 'invalid_body'] },
      { wrong: { programId, groupId: 'x', emails }, answer: [400, 'invalid_body'] },
      { wrong: { programId: theirs.merchant.programId, emails }, answer: [404, 'not_found'] },
      { wrong: { programId, groupId: theirs.groupId, emails }, answer: [404, 'not_found'] },
    ])
      expect([wrong, result(await manager.post('/invitations', wrong))]).toEqual([wrong, answer])
    expect(await mails()).toEqual([])
    const whole = await manager.post('/invitations', {
      programId,
      groupId: null,
      emails: many.slice(1),
    })
    expect([whole.status, whole.body.summary]).toMatchObject([201, { invited: 100 }])
    expect(await mails()).toHaveLength(100)
  })
})
