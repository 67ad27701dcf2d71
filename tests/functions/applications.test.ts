/**
 * Applications: the public page, what people send, what managers decide, and the terms that
 * partners accept.
 */
import { describe, expect, inject, test } from 'vitest'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { browse, fieldsOf, openPages } from '../support/pages.ts'
import { openSession } from '../support/people.ts'

const database = useDatabase()

const PAGE = {
  isOpen: 'on',
  intro: 'Write about us.\nWe pay well.',
  question0: 'How many readers do you have?',
  question1: 'Where are they?',
  agreement: 'No spam.\n\nNo ads on our name.',
}

const ANSWERS = {
  name: 'Ann Lee',
  siteUrl: 'https://ann.example/blog',
  promotion: 'I review apps.',
  answer0: '12,000',
  answer1: 'Chile',
}

/** A merchant whose page is open. */
const open = async (settings: Record<string, string> = PAGE, group?: object) => {
  const merchant = await createMerchant(group ? { group } : {})
  const pages = await openPages(merchant)
  const saved = await pages.post(`/programs/${merchant.programId}/applications`, settings)
  expect(saved.status).toBe(303)
  return { merchant, pages }
}

let people = 0

/** Somebody who is signed in, at the merchant's page. */
const createApplicant = async (
  { programId }: Merchant,
  email = `applicant-${people++}-${programId}@x.example`,
) => {
  const { get, post } = browse(await openSession(email), inject('baseUrl'), `/join/${programId}`)
  const apply = async (fields: Record<string, string> = ANSWERS) =>
    post('/apply', { ...fieldsOf((await get('/apply')).html), ...fields })
  const accepting = () => apply({ ...ANSWERS, accepts: 'on' })
  return { email, get, post, apply, accepting }
}

type Row = {
  id: string
  status: string
  partner_id: string | null
  is_blocked: boolean
  decided_by: string | null
}

const applicationsOf = async ({ workspace }: Merchant) =>
  database.query<Row>(
    'select id, status, partner_id, is_blocked, decided_by from applications where workspace_id = $1 order by id',
    [workspace.id],
  )

const partnerOf = async ({ programId }: Merchant, email: string) =>
  (
    await database.query<{
      id: string
      name: string
      group_id: string | null
      mails: string[] | null
    }>(
      `select p.id, p.name, p.group_id, (select array_agg(m.kind) from mails m where m.partner_id = p.id) as mails
       from partners p where p.program_id = $1 and p.email = $2`,
      [programId, email],
    )
  )[0]

const auditOf = async ({ workspace }: Merchant, id: string) =>
  (
    await database.query<{ action: string }>(
      'select action from audit_entries where workspace_id = $1 and subject_id = $2 order by id',
      [workspace.id, id],
    )
  ).map(({ action }) => action)

describe('the public page', () => {
  test('says what partners earn, and takes applications while it is open', async () => {
    const { merchant, pages } = await open()
    const nobody = browse(null, inject('baseUrl'), `/join/${merchant.programId}`)
    const shown = await nobody.get('')
    expect(shown.status).toBe(200)
    for (const text of ['20% of each sale', 'We pay well.', 'No ads on our name.', 'Apply'])
      expect(shown.text).toContain(text)
    expect(shown.html).not.toContain('@')
    expect(await nobody.get('/apply')).toMatchObject({
      status: 303,
      location: `/sign-in?next=${encodeURIComponent(`/join/${merchant.programId}/apply`)}`,
    })

    const { isOpen: _, ...closed } = PAGE
    await pages.post(`/programs/${merchant.programId}/applications`, closed)
    expect((await nobody.get('')).text).toContain(
      'takes no applications at present. Ask the merchant on shop.example whether you can join.',
    )
    const applicant = await createApplicant(merchant)
    expect(
      (await applicant.post('/apply', { ...ANSWERS, accepts: 'on', version: '1' })).status,
    ).toBe(409)
    expect(await applicationsOf(merchant)).toEqual([])
  })

  test('does not exist before it was saved, nor under any other name', async () => {
    const { programId } = await createMerchant()
    for (const name of [programId, crypto.randomUUID(), 'x', '%00', "'", '__proto__'])
      for (const path of ['', '/apply'])
        expect(
          (
            await browse(
              await openSession(`x-${programId}@x.example`),
              inject('baseUrl'),
              '/join',
            ).get(`/${name}${path}`)
          ).status,
        ).toBe(404)
  })

  test('names what is missing, keeps what was typed, and saves nothing', async () => {
    const { merchant } = await open()
    const applicant = await createApplicant(merchant)
    for (const [field, value] of Object.entries({
      name: '',
      promotion: ' ',
      answer1: '',
      siteUrl: 'javascript:alert(1)',
      accepts: '',
    })) {
      const { status, html } = await applicant.apply({ ...ANSWERS, accepts: 'on', [field]: value })
      expect([field, status]).toEqual([field, 400])
      expect(html).toContain(`href="#${field}"`)
      if (field !== 'name') expect(html).toContain('value="Ann Lee"')
    }
    const long = await applicant.apply({ ...ANSWERS, accepts: 'on', promotion: 'x'.repeat(2_001) })
    expect(long.status).toBe(400)
    expect(await applicationsOf(merchant)).toEqual([])
  })
})

describe('an application', () => {
  test('waits for a manager, who approves it into a group: the applicant is a partner with a link and a mail', async () => {
    const { merchant, pages } = await open(PAGE, {})
    const applicant = await createApplicant(merchant)
    expect((await applicant.accepting()).status).toBe(303)
    expect((await applicant.get('/apply')).text).toContain('Your application has been sent')
    expect(
      (await browse(await openSession(applicant.email), inject('baseUrl'), '/portal').get('')).text,
    ).toContain('Waiting for an answer')
    expect((await pages.get('')).text).toContain('1 application waits')

    const [application] = await applicationsOf(merchant)
    expect((await pages.get('/applications?status=applied')).html).toContain(
      `/applications/${application?.id}`,
    )
    const path = `/applications/${application?.id}`
    const shown = await pages.get(path)
    for (const text of [
      applicant.email,
      'How many readers do you have?',
      '12,000',
      'Chile',
      'Accepted version 1',
    ])
      expect(shown.text).toContain(text)
    const [group] = await database.query<{ id: string }>(
      'select id from groups where program_id = $1',
      [merchant.programId],
    )
    expect((await pages.post(`${path}/approve`, { groupId: group?.id ?? '' })).status).toBe(303)

    const partner = await partnerOf(merchant, applicant.email)
    expect(partner).toMatchObject({ name: 'Ann Lee', group_id: group?.id, mails: ['welcome'] })
    expect(await applicationsOf(merchant)).toEqual([
      expect.objectContaining({
        status: 'approved',
        partner_id: partner?.id,
        decided_by: `manager@${merchant.workspace.slug}.example`,
      }),
    ])
    expect(
      await database.query('select version from agreement_acceptances where partner_id = $1', [
        partner?.id,
      ]),
    ).toEqual([{ version: 1 }])
    expect((await applicant.get('/apply')).text).toContain('You are a partner already')
    expect((await pages.post(`${path}/reject`, {})).status).toBe(409)
    expect((await pages.post(`${path}/delete`, {})).status).toBe(409)
    expect(await auditOf(merchant, application?.id ?? '')).toEqual(['application.approved'])
  })

  test('is approved at once where the page says so', async () => {
    const { merchant } = await open({ isOpen: 'on', approves: 'on' })
    const applicant = await createApplicant(merchant)
    expect((await applicant.apply({ name: 'Ann Lee', promotion: 'Blog' })).status).toBe(303)
    expect(await partnerOf(merchant, applicant.email)).toMatchObject({
      name: 'Ann Lee',
      mails: ['welcome'],
    })
    expect(await applicationsOf(merchant)).toEqual([
      expect.objectContaining({ status: 'approved', decided_by: null }),
    ])
  })

  test('keeps the language in which it was made for the mails about it', async () => {
    const { merchant, pages } = await open()
    const applicant = await createApplicant(merchant)
    const fields = { ...fieldsOf((await applicant.get('/apply')).html), ...ANSWERS, accepts: 'on' }
    await applicant.post('/apply', fields, { 'Accept-Language': 'pt-BR' })
    const languageIn = async (table: string) =>
      (await database.query(`select language from ${table} where email = $1`, [applicant.email]))[0]
    expect(await languageIn('applications')).toEqual({ language: 'pt' })
    await pages.post(`/applications/${(await applicationsOf(merchant))[0]?.id}/approve`, {})
    expect(await languageIn('partners')).toEqual({ language: 'pt' })
  })

  test('that was rejected can be sent again, unless the address is blocked', async () => {
    const { merchant, pages } = await open({ isOpen: 'on' })
    const applicant = await createApplicant(merchant)
    const send = () => applicant.apply({ name: 'Ann', promotion: 'Blog' })
    await send()
    const path = `/applications/${(await applicationsOf(merchant))[0]?.id}`
    const mails = () =>
      database.query(
        `select recipient, program_id, details from mails where workspace_id = $1 and kind = 'application_rejected'`,
        [merchant.workspace.id],
      )
    const rejection = { reason: 'Too small', sendsMail: 'on' }
    for (let copy = 0; copy < 2; copy++)
      expect((await pages.post(`${path}/reject`, rejection)).status).toBe(303)
    expect(await mails()).toEqual([
      {
        recipient: applicant.email,
        program_id: merchant.programId,
        details: expect.objectContaining({ reason: 'Too small', applicantName: 'Ann' }),
      },
    ])
    expect((await applicant.get('/apply')).text).toContain('You can apply again')

    await send()
    expect(await applicationsOf(merchant)).toMatchObject([{ status: 'applied', decided_by: null }])
    await pages.post(`${path}/reject`, { blocks: 'on' })
    expect((await applicant.get('/apply')).text).toMatch(
      /You can’t apply.* ask the merchant \( manager@/,
    )
    expect((await applicant.post('/apply', { name: 'Ann', promotion: 'Blog' })).status).toBe(409)
    expect(await applicationsOf(merchant)).toMatchObject([{ status: 'rejected', is_blocked: true }])
    expect(await mails()).toHaveLength(1)

    expect((await pages.post(`${path}/delete`, {})).status).toBe(303)
    expect(await applicationsOf(merchant)).toEqual([])
    expect((await send()).status).toBe(303)
  })

  test('of a partner, or of somebody who is banned, is not taken', async () => {
    const { merchant } = await open({ isOpen: 'on', approves: 'on' })
    const maya = await createApplicant(merchant, 'maya@partner.example')
    expect((await maya.get('/apply')).text).toContain('You are a partner already')
    expect((await maya.post('/apply', { name: 'Maya', promotion: 'x' })).status).toBe(409)
    await database.query(`update partners set status = 'banned' where id = $1`, [
      merchant.partnerId,
    ])
    expect((await maya.get('/apply')).text).toMatch(
      /You can’t apply.* ask the merchant \( manager@/,
    )
    expect((await maya.post('/apply', { name: 'Maya', promotion: 'x' })).status).toBe(409)
    expect(await applicationsOf(merchant)).toEqual([])
  })

  test('is for one workspace’s managers to decide', async () => {
    const [{ merchant }, theirs] = [await open({ isOpen: 'on' }), await open({ isOpen: 'on' })]
    await (await createApplicant(merchant)).apply({ name: 'Ann', promotion: 'Blog' })
    const [application] = await applicationsOf(merchant)
    const path = `/applications/${application?.id}`
    expect((await theirs.pages.get(path)).status).toBe(404)
    const member = await openPages(merchant, 'member')
    expect((await member.get(path)).html.match(/method="post"/g)).toHaveLength(1)
    expect((await member.get(`/programs/${merchant.programId}/applications`)).status).toBe(403)
    for (const action of ['approve', 'reject', 'delete']) {
      expect((await theirs.pages.post(`${path}/${action}`, {})).status).toBe(404)
      expect((await member.post(`${path}/${action}`, {})).status).toBe(403)
    }
    expect(
      (await theirs.pages.post(`/programs/${merchant.programId}/applications`, PAGE)).status,
    ).toBe(404)
    const foreign = await theirs.merchant.seed.addGroup(
      theirs.merchant.workspace.id,
      theirs.merchant.programId,
      {},
    )
    const pages = await openPages(merchant)
    expect((await pages.post(`${path}/approve`, { groupId: foreign })).status).toBe(404)
    expect((await pages.post(`${path}/approve`, { groupId: 'x' })).status).toBe(400)
    const settings = { ...PAGE, groupId: foreign }
    expect(
      (await pages.post(`/programs/${merchant.programId}/applications`, settings)).status,
    ).toBe(400)
    expect(await applicationsOf(merchant)).toEqual([application])
  })

  test('that many copies send and many managers approve makes one partner and one mail', async () => {
    const { merchant, pages } = await open()
    const applicant = await createApplicant(merchant)
    const form = { ...fieldsOf((await applicant.get('/apply')).html), ...ANSWERS, accepts: 'on' }
    const sent = await Promise.all(Array.from({ length: 8 }, () => applicant.post('/apply', form)))
    expect(sent.map(({ status }) => status)).toEqual(Array(8).fill(303))
    const [application, ...others] = await applicationsOf(merchant)
    expect(others).toEqual([])
    const path = `/applications/${application?.id}/approve`
    const approved = await Promise.all(Array.from({ length: 8 }, () => pages.post(path, {})))
    expect(approved.map(({ status }) => status)).toEqual(Array(8).fill(303))
    expect(await partnerOf(merchant, applicant.email)).toMatchObject({ mails: ['welcome'] })
    expect(await auditOf(merchant, application?.id ?? '')).toEqual(['application.approved'])
  })

  test('that is approved and rejected at the same moment has one of the two outcomes', async () => {
    const { merchant, pages } = await open({ isOpen: 'on' })
    for (let round = 0; round < 8; round++) {
      const applicant = await createApplicant(merchant)
      await applicant.apply({ name: 'Ann', promotion: 'Blog' })
      const application = (await applicationsOf(merchant)).at(-1)
      const path = `/applications/${application?.id}`
      await Promise.all([pages.post(`${path}/reject`, {}), pages.post(`${path}/approve`, {})])
      const after = (await applicationsOf(merchant)).at(-1)
      const partner = await partnerOf(merchant, applicant.email)
      expect(partner?.id ?? null).toBe(after?.partner_id)
      expect(after?.status).toBe(partner ? 'approved' : 'rejected')
      expect(await auditOf(merchant, application?.id ?? '')).toEqual([
        `application.${after?.status}`,
      ])
    }
  })
})

describe('invitations', () => {
  const invite = async (
    pages: Awaited<ReturnType<typeof openPages>>,
    fields: Record<string, string>,
  ) =>
    pages.post('/applications/invite', {
      ...fieldsOf((await pages.get('/applications/invite')).html),
      ...fields,
    })
  const mailsOf = ({ workspace }: Merchant) =>
    database.query<{ recipient: string; url: string }>(
      `select recipient, details ->> 'url' as url from mails
       where program_id is not null and workspace_id = $1 and kind = 'partner_invitation' order by recipient`,
      [workspace.id],
    )

  test('make partners of those who accept, also while the program takes no applications, in their group', async () => {
    const merchant = await createMerchant({ group: {} })
    const pages = await openPages(merchant)
    const [group] = await database.query<{ id: string }>(
      'select id from groups where program_id = $1',
      [merchant.programId],
    )
    const [ann, bob] = ['ann', 'bob'].map((name) => `${name}-${merchant.workspace.slug}@x.example`)
    const emails = `${ann}, ${bob?.toUpperCase()}\n${ann};maya@partner.example`
    const sent = await invite(pages, { emails, groupId: group?.id ?? '' })
    expect(sent.text).toContain('2 people invited. 1 person is a partner already.')
    const url = `${inject('baseUrl')}/join/${merchant.programId}/apply`
    expect(await mailsOf(merchant)).toEqual([
      { recipient: ann, url },
      { recipient: bob, url },
    ])
    const again = await invite(pages, { emails })
    expect(again.text).toContain('0 people invited. 2 people were invited within the last day')
    expect(await mailsOf(merchant)).toHaveLength(2)
    expect((await pages.get('/applications?status=invited')).text).toContain(ann)
    expect((await pages.get('')).text).not.toContain('application waits')

    const applicant = await createApplicant(merchant, ann)
    expect((await applicant.get('/apply')).text).toContain('You are invited')
    expect((await applicant.apply({ name: 'Ann Lee' })).status).toBe(303)
    expect(await partnerOf(merchant, ann ?? '')).toMatchObject({
      name: 'Ann Lee',
      group_id: group?.id,
      mails: ['welcome'],
    })
    const stranger = await createApplicant(merchant)
    expect((await stranger.get('/apply')).text).toContain('takes no applications')

    const waiting = (await applicationsOf(merchant)).find(({ status }) => status === 'invited')
    expect((await pages.post(`/applications/${waiting?.id}/delete`, {})).status).toBe(303)
    expect((await (await createApplicant(merchant, bob)).get('/apply')).text).toContain(
      'takes no applications',
    )
  })

  test('end with a rejection: whoever applies again waits for a manager', async () => {
    const { merchant, pages } = await open({ isOpen: 'on' })
    const applicant = await createApplicant(merchant)
    await invite(pages, { emails: applicant.email })
    const [invited] = await applicationsOf(merchant)
    expect((await pages.post(`/applications/${invited?.id}/reject`, {})).status).toBe(303)
    await applicant.apply({ name: 'Ann', promotion: 'Blog' })
    expect(await applicationsOf(merchant)).toMatchObject([{ status: 'applied', partner_id: null }])
    expect((await invite(pages, { emails: applicant.email })).text).toContain(
      '1 person has applied',
    )
  })

  test('that are sent twice at the same moment are mailed once', async () => {
    const { merchant, pages } = await open({ isOpen: 'on' })
    const emails = Array.from(
      { length: 20 },
      (_, n) => `p${n}-${merchant.workspace.slug}@x.example`,
    ).join('\n')
    await Promise.all(Array.from({ length: 8 }, () => invite(pages, { emails })))
    expect(await mailsOf(merchant)).toHaveLength(20)
  })

  test('are for managers, to addresses, for groups of the program', async () => {
    const [{ merchant, pages }, theirs] = [
      await open({ isOpen: 'on' }),
      await open({ isOpen: 'on' }),
    ]
    const many = Array.from({ length: 101 }, (_, n) => `p${n}@x.example`).join(' ')
    for (const emails of ['', 'no address', 'a@x.example, b@', many])
      expect((await invite(pages, { emails })).status).toBe(400)
    const foreign = await theirs.merchant.seed.addGroup(
      theirs.merchant.workspace.id,
      theirs.merchant.programId,
      {},
    )
    for (const target of [
      { groupId: foreign },
      { programId: theirs.merchant.programId },
      { programId: 'x' },
    ])
      expect((await invite(pages, { emails: 'a@x.example', ...target })).status).toBe(400)
    const member = await openPages(merchant, 'member')
    expect((await member.post('/applications/invite', { emails: 'a@x.example' })).status).toBe(403)
    expect(await mailsOf(merchant)).toEqual([])
    expect(await applicationsOf(merchant)).toEqual([])
  })
})

describe('terms', () => {
  test('have versions, of which the portal asks partners to accept the newest', async () => {
    const { merchant, pages } = await open({ isOpen: 'on', agreement: 'Be kind.' })
    const save = (agreement: string) =>
      pages.post(`/programs/${merchant.programId}/applications`, { isOpen: 'on', agreement })
    const maya = browse(await openSession('maya@partner.example'), inject('baseUrl'), '/portal')
    const accepted = () =>
      database.query(
        'select version from agreement_acceptances where partner_id = $1 order by version',
        [merchant.partnerId],
      )
    const mine = async () => {
      const { html } = await maya.get('/terms')
      const form = html.split('<form').find((part) => part.includes(merchant.partnerId)) ?? ''
      return form ? fieldsOf(`<form${form}`) : null
    }
    const first = await mine()
    expect(first).toEqual({ partnerId: merchant.partnerId, version: '1' })
    await save('Be kind.')
    await save('Be very kind.')
    expect((await maya.post('/terms', first ?? {})).status).toBe(400)
    expect(await accepted()).toEqual([])

    const second = await mine()
    for (let copy = 0; copy < 2; copy++)
      expect((await maya.post('/terms', second ?? {})).status).toBe(303)
    expect(await accepted()).toEqual([{ version: 2 }])
    expect(await mine()).toBeNull()
    await save('')
    expect(await mine()).toBeNull()
    expect(
      (await browse(null, inject('baseUrl'), '/join').get(`/${merchant.programId}`)).text,
    ).not.toContain('Terms')

    const other = browse(await openSession('zoe@x.example'), inject('baseUrl'), '/portal')
    for (const fields of [
      { ...second },
      { partnerId: 'x', version: '2' },
      { partnerId: merchant.partnerId, version: 'x' },
      {},
    ])
      expect((await other.post('/terms', fields as Record<string, string>)).status).toBe(400)
  })

  test('that change while somebody applies are shown again', async () => {
    const { merchant, pages } = await open()
    const applicant = await createApplicant(merchant)
    const fields = fieldsOf((await applicant.get('/apply')).html)
    await pages.post(`/programs/${merchant.programId}/applications`, {
      ...PAGE,
      agreement: 'New terms',
    })
    const { status, text } = await applicant.post('/apply', {
      ...fields,
      ...ANSWERS,
      accepts: 'on',
    })
    expect(status).toBe(409)
    expect(text).toContain('New terms')
    expect(await applicationsOf(merchant)).toEqual([])
  })

  test('that managers change at the same moment are versions of their own', async () => {
    const { merchant, pages } = await open()
    const save = (_: unknown, index: number) =>
      pages.post(`/programs/${merchant.programId}/applications`, {
        ...PAGE,
        agreement: `Terms ${index}`,
      })
    const saved = await Promise.all(Array.from({ length: 8 }, save))
    expect(saved.map(({ status }) => status)).toEqual(Array(8).fill(303))
    const versions = await database.query(
      'select version from agreements where program_id = $1 order by version',
      [merchant.programId],
    )
    expect(versions).toHaveLength(9)
  })
})
