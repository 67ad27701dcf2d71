/** The page that the link at the foot of messages leads to. */
import { expect, inject, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { unsubscribeToken } from '../../lib/mail/mailings/unsubscribe.ts'
import { useDatabase } from '../support/merchant.ts'
import { browse, openPages } from '../support/pages.ts'
import { fromSomewhere } from '../support/people.ts'
import { createPartner } from '../support/portal.ts'

const database = useDatabase()

const tokenOf = async (partnerId: string) => {
  const [row] = await database.query<{ key: string }>('select key from unsubscribe_key')
  return unsubscribeToken(row?.key ?? '', partnerId)
}

/** A partner, and the page of its link for somebody who has not signed in. */
const createReader = async () => {
  const partner = await createPartner()
  const path = `/unsubscribe/${await tokenOf(partner.partnerId)}`
  const page = browse(null, inject('baseUrl'), path)
  return {
    ...partner,
    path,
    page,
    post: (body: string | FormData, headers: Record<string, string> = {}) =>
      fetch(inject('baseUrl') + path, {
        method: 'POST',
        body,
        headers: { ...fromSomewhere(), ...headers },
        redirect: 'manual',
      }),
    optOuts: async () =>
      (
        await database.query<{ email: string }>(
          'select email from mail_optouts where workspace_id = $1',
          [partner.workspaceId],
        )
      ).map(({ email }) => email),
    log: async () =>
      (await database.audit(partner.merchant)).map(({ action, actor, subject_id }) => [
        action,
        actor,
        subject_id,
      ]),
  }
}

test('opening the link changes nothing; its button unsubscribes, and another one subscribes again', async () => {
  const { page, optOuts, log, email, partnerId, merchant } = await createReader()
  const opened = await page.get('')
  expect(opened.status).toBe(200)
  expect(opened.text).toContain('A merchant sends you messages, invitations and news of a move.')
  expect(opened.html).not.toContain(email)
  expect(await optOuts()).toEqual([])

  const done = await page.post('', {})
  expect(done.status).toBe(200)
  expect(done.text).toContain('You have unsubscribed')
  expect(await optOuts()).toEqual([email])
  expect((await page.get('')).text).toContain('You have unsubscribed')
  expect((await page.post('', {})).status).toBe(200)
  expect(await log()).toEqual([['partner.unsubscribed', email, partnerId]])

  expect((await page.post('/undo', {})).text).toContain('You have subscribed again')
  expect(await optOuts()).toEqual([])
  expect((await page.post('/undo', {})).status).toBe(200)
  expect((await log()).map(([action]) => action)).toEqual([
    'partner.unsubscribed',
    'partner.subscribed',
  ])
  const { text } = await (await openPages(merchant)).get(`/partners/${partnerId}`)
  expect(text).toContain('unsubscribed from messages, invitations and news of a move')
})

test.each([
  {
    case: 'a mail provider’s one click, as RFC 8058 writes it',
    body: 'List-Unsubscribe=One-Click',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  },
  {
    case: 'one from a page of a mail program',
    body: 'List-Unsubscribe=One-Click',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      Origin: 'https://mail.example',
      'Sec-Fetch-Site': 'cross-site',
    },
  },
  { case: 'one without a body', body: '', headers: {} },
])('$case unsubscribes without a redirect', async ({ body, headers }) => {
  const { post, optOuts, email } = await createReader()
  expect((await post(body, headers)).status).toBe(200)
  expect(await optOuts()).toEqual([email])
})

test('one click in parts (multipart/form-data) unsubscribes', async () => {
  const { post, optOuts, email } = await createReader()
  const form = new FormData()
  form.set('List-Unsubscribe', 'One-Click')
  expect((await post(form)).status).toBe(200)
  expect(await optOuts()).toEqual([email])
})

test('eight clicks at once are one, with one audit entry', async () => {
  const { post, optOuts, log, email, partnerId } = await createReader()
  const answers = await database.whileUncommitted(
    'select from partners where id = $1 for no key update',
    [partnerId],
    () => Promise.all(Array.from({ length: 8 }, () => post('List-Unsubscribe=One-Click'))),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
  expect(await optOuts()).toEqual([email])
  expect(await log()).toHaveLength(1)
})

test('it withdraws the messages that wait, and leaves those that were tried, other mails and other people’s', async () => {
  const { merchant, page, email, partnerId, workspaceId } = await createReader()
  const { seed, programId } = merchant
  const second = await seed.addPartner(workspaceId, await seed.addProgram(workspaceId), {
    slug: 'ann',
    email,
  })
  const other = await seed.addPartner(workspaceId, programId, {
    slug: 'ben',
    email: `ben.${email}`,
  })
  const add = (
    name: string,
    partner: string,
    more: { kind?: string; attempts?: number; sentAt?: Date } = {},
  ) =>
    database.query(
      `insert into mails (id, workspace_id, kind, recipient, partner_id, occasion, details, created_at, next_attempt_at, attempts, sent_at)
       values (uuidv7(), $1, $2, $3, $4, $5, '{}', now(), now() + interval '1 day', $6, $7)`,
      [
        workspaceId,
        more.kind ?? 'message',
        email,
        partner,
        name,
        more.attempts ?? 0,
        more.sentAt ?? null,
      ],
    )
  await add('waits', partnerId)
  await add('of another program', second)
  await add('tried', partnerId, { attempts: 1 })
  await add('sent', partnerId, { sentAt: new Date() })
  await add('payout', partnerId, { kind: 'connect_reminder' })
  await add('other', other)
  await page.post('', {})
  const left = await database.query<{ occasion: string }>(
    'select occasion from mails where workspace_id = $1 order by id',
    [workspaceId],
  )
  expect(left.map(({ occasion }) => occasion)).toEqual(['tried', 'sent', 'payout', 'other'])
})

test('a link that is not ours is not found, and changes nothing', async () => {
  const [reader, other] = [await createReader(), await createReader()]
  const forged = reader.path.replace(reader.partnerId, other.partnerId)
  const unknown = `/unsubscribe/${await tokenOf(newId())}`
  for (const path of [
    forged,
    unknown,
    `/unsubscribe/${reader.partnerId}`,
    '/unsubscribe/%00',
    '/unsubscribe/x.y',
  ]) {
    const page = browse(null, inject('baseUrl'), path)
    for (const answer of [
      await page.get(''),
      await page.post('', {}),
      await page.post('/undo', {}),
    ]) {
      expect(answer.status).toBe(404)
      expect(answer.html).toContain('<h1>')
    }
  }
  expect(await reader.optOuts()).toEqual([])
  expect(await other.optOuts()).toEqual([])
})

test('it is the person who unsubscribes, in all programs of the workspace and in no other, and at a later address too', async () => {
  const { merchant, page, email, partnerId, optOuts } = await createReader()
  const manager = await merchant.asManager()
  await page.post('', {})
  const moved = `moved-${email}`
  expect((await manager.patch(`/partners/${partnerId}`, { email: moved })).status).toBe(200)
  expect(await optOuts()).toEqual([moved])
  expect((await page.get('')).text).toContain('You have unsubscribed')
  expect((await manager.get(`/partners/${partnerId}/personal-data`)).body).toMatchObject({
    data: { unsubscribed: [{ createdAt: expect.any(String) }] },
  })
  expect((await manager.post(`/partners/${partnerId}/erase`)).status).toBe(200)
  expect(await optOuts()).toEqual([])
})
