/** Emails to many partners at once, from the list. */
import { describe, expect, inject, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { formsOf, openPages } from '../support/pages.ts'

const database = useDatabase()

const TEXT = {
  subject: 'News from {programName}',
  intro: 'Hello {partnerName},\r\n\r\nWe have <b>news</b>.',
}

const chosen = (ids: string[]) => Object.fromEntries(ids.map((id) => [`choice-${id}`, 'on']))

/** A merchant with the partners ann and ben, and its manager. */
const createMailer = async () => {
  const merchant = await createMerchant()
  const { seed, workspace, programId } = merchant
  const add = (slug: string, more: { status?: 'approved' | 'banned'; email?: string } = {}) =>
    seed.addPartner(workspace.id, programId, {
      slug,
      email: `${slug}@${workspace.slug}.example`,
      ...more,
    })
  const [ann, ben] = [await add('ann'), await add('ben')]
  const pages = await openPages(merchant)
  const send = (fields: Record<string, string>) => pages.post('/partners/mail/send', fields)
  return {
    merchant,
    pages,
    ann,
    ben,
    add,
    /** Sends the form of the preview. */
    send,
    mail: (ids: string[], changes: Record<string, string> = {}) =>
      send({ ...chosen(ids), ...TEXT, formId: newId(), ...changes }),
    preview: (ids: string[], changes: Record<string, string> = {}) =>
      pages.post('/partners/mail/preview', { ...chosen(ids), ...TEXT, ...changes }),
    unsubscribe: (slug: string) =>
      database.query(
        'insert into mail_optouts (workspace_id, email, created_at) values ($1, $2, now())',
        [workspace.id, `${slug}@${workspace.slug}.example`],
      ),
  }
}

const mailsOf = ({ workspace }: Merchant) =>
  database.query<{ recipient: string; occasion: string; details: Record<string, unknown> }>(
    `select recipient, occasion, details from mails where workspace_id = $1 and kind = 'message' order by id`,
    [workspace.id],
  )
const recipientsOf = async (merchant: Merchant) =>
  (await mailsOf(merchant)).map(({ recipient }) => recipient.split('@')[0])
const entriesOf = async (merchant: Merchant) =>
  (await database.audit(merchant)).filter(({ action }) => action === 'partners.mailed')

test('a manager writes an email, reads how it arrives, and sends it once', async () => {
  const { merchant, pages, ann, ben, send } = await createMailer()
  const base = `/app/${merchant.workspace.slug}/partners/mail`
  expect((await pages.get('/partners')).html).toContain(`formaction="${base}"`)
  const form = await pages.post('/partners/mail', chosen([ann, ben]))
  expect(form.text).toContain('Email to 2 partners')
  expect(form.html).toContain('value="News from {programName}"')

  const [composed] = formsOf(form.html).filter(({ action }) => action === `${base}/preview`)
  const shown = await pages.post('/partners/mail/preview', { ...composed?.fields, ...TEXT })
  expect(shown.text).toContain('Send this email to 2 partners?')
  expect(shown.html).toContain('We have &lt;b&gt;news&lt;/b&gt;.')
  expect(shown.text).toContain('Sent by A merchant (manager@')
  expect(shown.html).toContain('/unsubscribe/...')
  expect(await mailsOf(merchant)).toEqual([])

  const [confirmed] = formsOf(shown.html).filter(({ action }) => action === `${base}/send`)
  const fields = { ...confirmed?.fields }
  const sent = await Promise.all([send(fields), send(fields)])
  for (const { status, location } of sent) {
    expect(status).toBe(303)
    expect(location).toMatch(/\/mails\?done=mailed$/)
  }
  expect((await send(fields)).status).toBe(303)
  expect(await recipientsOf(merchant)).toEqual(['ann', 'ben'])
  const [mail] = await mailsOf(merchant)
  expect(mail).toMatchObject({
    occasion: fields.formId,
    details: {
      partnerName: null,
      workspaceName: 'A merchant',
      sentBy: `manager@${merchant.workspace.slug}.example`,
      portalUrl: `${inject('baseUrl')}/portal`,
    },
  })
  expect(await entriesOf(merchant)).toMatchObject([
    { subject_id: fields.formId, details: { subject: TEXT.subject, recipients: 2 } },
  ])
  expect((await pages.get('/audit')).text).toContain('sent “News from {programName}” to 2 partners')
  expect((await pages.get('/mails?done=mailed')).text).toContain('Message to partners')
})

test('the text goes back to the form, as it was written', async () => {
  const { pages, ann, preview } = await createMailer()
  const { html } = await preview([ann], { subject: 'A "quoted" subject' })
  const [confirmed] = formsOf(html).filter(({ action }) => action.endsWith('/send'))
  const again = await pages.post('/partners/mail', { ...confirmed?.fields })
  expect(again.html).toContain('value="A &quot;quoted&quot; subject"')
  expect(again.html).toContain(
    'Hello {partnerName},\n\nWe have &lt;b&gt;news&lt;/b&gt;.</textarea>',
  )
})

describe('the preview says who gets none, and none gets any', () => {
  test('who is banned, unsubscribed or another’s', async () => {
    const { merchant, ann, ben, add, preview, mail, unsubscribe } = await createMailer()
    const zoe = await add('zoe', { status: 'banned' })
    const wrong = await add('wrong', { email: 'no address' })
    const theirs = await createMailer()
    await unsubscribe('ben')
    // Of another workspace, which does not count here.
    await theirs.unsubscribe('ann')
    await database.query('insert into mail_optouts values ($1, $2, now())', [
      theirs.merchant.workspace.id,
      `ann@${merchant.workspace.slug}.example`,
    ])
    const all = [ann, ben, zoe, wrong, theirs.ann]
    const { text } = await preview(all)
    expect(text).toContain('Send this email to 1 partner?')
    expect(text).toContain('3 partners will not get it')
    expect(text).toMatch(/1 partner: banned \( zoe \)/)
    expect(text).toMatch(/1 partner: unsubscribed from your messages \( ben \)/)
    expect(text).toMatch(/1 partner: no valid email address \( wrong \)/)
    expect((await mail(all)).status).toBe(303)
    expect(await recipientsOf(merchant)).toEqual(['ann'])
    expect(await mailsOf(theirs.merchant)).toEqual([])
  })

  test('who has unsubscribed since the preview', async () => {
    const { merchant, ann, ben, send, preview, unsubscribe } = await createMailer()
    const { html } = await preview([ann, ben])
    await unsubscribe('ann')
    const [confirmed] = formsOf(html).filter(({ action }) => action.endsWith('/send'))
    await send({ ...confirmed?.fields })
    expect(await recipientsOf(merchant)).toEqual(['ben'])
  })

  test('and without anybody left there is nothing to send', async () => {
    const { merchant, ann, preview, mail, unsubscribe } = await createMailer()
    await unsubscribe('ann')
    const { text, html } = await preview([ann])
    expect(text).toContain('Nobody gets this email')
    expect(html).not.toContain('Send to')
    expect((await mail([ann])).text).toContain('Nobody gets this email')
    expect(await mailsOf(merchant)).toEqual([])
    expect(await entriesOf(merchant)).toEqual([])
  })
})

test('a workspace sends three within 24 hours, also at once, and another one its own', async () => {
  const { merchant, ann, mail } = await createMailer()
  const theirs = await createMailer()
  const answers = await database.whileUncommitted(
    'select from workspaces where id = $1 for no key update',
    [merchant.workspace.id],
    () => Promise.all(Array.from({ length: 5 }, () => mail([ann]))),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([303, 303, 303, 429, 429])
  const refused = answers.find(({ status }) => status === 429)
  expect(refused?.text).toContain('You have sent 3 emails to partners within 24 hours.')
  expect(refused?.html).toContain('value="News from {programName}"')
  expect(await mailsOf(merchant)).toHaveLength(3)
  expect(await entriesOf(merchant)).toHaveLength(3)
  expect((await theirs.mail([theirs.ann])).status).toBe(303)
  await database.query(
    `update mailings set created_at = created_at - interval '1 day' where workspace_id = $1`,
    [merchant.workspace.id],
  )
  expect((await mail([ann])).status).toBe(303)
})

test('a form of another workspace sends nothing here', async () => {
  const [ours, theirs] = [await createMailer(), await createMailer()]
  const formId = newId()
  await theirs.mail([theirs.ann], { formId })
  expect((await ours.mail([ours.ann], { formId })).status).toBe(429)
  expect(await mailsOf(ours.merchant)).toEqual([])
  expect(await mailsOf(theirs.merchant)).toHaveLength(1)
})

test.each([
  ['no subject', { subject: '' }, 'subject'],
  ['a subject of two lines', { subject: 'a\nb' }, 'subject'],
  ['a subject that is too long', { subject: 'x'.repeat(151) }, 'subject'],
  ['no text', { intro: ' ' }, 'intro'],
  ['a text that is too long', { intro: 'x'.repeat(2_001) }, 'intro'],
  ['a placeholder that there is none of', { intro: 'You have earned {amount}.' }, 'intro'],
  ['a brace that is not closed', { subject: 'Hello {partnerName' }, 'subject'],
])('%s is refused beside its field', async (_case, changes, field) => {
  const { merchant, ann, preview, mail } = await createMailer()
  for (const answer of [await preview([ann], changes), await mail([ann], changes)]) {
    expect(answer.status).toBe(400)
    expect(answer.html).toContain(`id="${field}-error"`)
    expect(answer.html).toContain(`name="choice-${ann}"`)
  }
  expect(await mailsOf(merchant)).toEqual([])
})

test('members, forms without a choice or with too many, and without a form’s id send nothing', async () => {
  const { merchant, pages, ann, mail } = await createMailer()
  const member = await openPages(merchant, 'member')
  const many = Array.from({ length: 501 }, () => newId())
  for (const path of ['', '/preview', '/send']) {
    const fields = { ...chosen([ann]), ...TEXT, formId: newId() }
    expect((await member.post(`/partners/mail${path}`, fields)).status).toBe(403)
    for (const ids of [[], ['x'], many])
      expect((await pages.post(`/partners/mail${path}`, { ...TEXT, ...chosen(ids) })).status).toBe(
        400,
      )
  }
  expect((await mail([ann], { formId: 'x' })).status).toBe(400)
  expect(await mailsOf(merchant)).toEqual([])
})

test('500 partners get it, with the longest text', async () => {
  const { merchant, mail } = await createMailer()
  const { workspace, programId } = merchant
  const rows = await database.query<{ id: string }>(
    `insert into partners (id, workspace_id, program_id, email, slug, slug_key)
     select uuidv7(), $1, $2, 'many-' || n || '@partner.example', 'many-' || n, 'many-' || n from generate_series(1, 500) n returning id`,
    [workspace.id, programId],
  )
  const ids = rows.map(({ id }) => id)
  expect((await mail(ids, { intro: '🦊'.repeat(1_000) })).status).toBe(303)
  expect(await mailsOf(merchant)).toHaveLength(500)
})
