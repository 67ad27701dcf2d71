import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { signEvent } from '../../dev/fakes/inbox/account.ts'
import { type Inbox, startInbox } from '../../dev/fakes/inbox.ts'
import { connect } from '../../lib/db/connection.ts'
import { mailKey } from '../../lib/mail/outbox/mail-key.ts'
import { saveMailResults } from '../../lib/mail/outbox/queue.queries.ts'
import { throughResend } from '../../lib/mail/transport/resend.service.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'
import { RESEND_BULK_WEBHOOK_SECRET, RESEND_WEBHOOK_SECRET } from '../support/secrets.ts'

const database = useDatabase()
const url = () => `${inject('baseUrl')}/api/webhooks/resend`

let merchant: Merchant
let inbox: Inbox
beforeAll(async () => {
  merchant = await createMerchant()
  inbox = await startInbox()
})
afterAll(() => inbox.stop())

/** A partner, a user with the same address, and a mail to both that was sent. */
const addMail = async (state = 'attempts = 1, sent_at = now()') => {
  const email = `${crypto.randomUUID()}@partner.example`
  const partnerId = await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, {
    slug: email.slice(0, 8),
    email,
  })
  await database.query(
    `insert into sign_in.users (id, name, email, email_verified, created_at, updated_at) values (uuidv7(), '', $1, true, now(), now())`,
    [email],
  )
  const [mail] = await database.query<{ id: string }>(
    `insert into mails (id, workspace_id, kind, recipient, partner_id, details, created_at, next_attempt_at)
     values (uuidv7(), $1, 'moved', $2, $3, '{}', now(), now()) returning id`,
    [merchant.workspace.id, email, partnerId],
  )
  const id = mail?.id ?? ''
  await database.query(`update mails set ${state} where id = $1`, [id])
  return { id, email, partnerId }
}

const eventOf = (
  type: string,
  { id, email }: { id: string; email: string },
  at: string,
  more = {},
) => ({
  type: `email.${type}`,
  created_at: at,
  data: {
    email_id: crypto.randomUUID(),
    to: [email],
    subject: 'Hello',
    tags: { mail: id },
    ...more,
  },
})

const send = (event: object, secret = RESEND_WEBHOOK_SECRET) =>
  fetch(url(), signEvent(event, secret, new Date()))

const look = async ({ id, email }: { id: string; email: string }) => {
  const [row] = await database.query<Record<string, unknown>>(
    `select m.status, m.delivery_reason as reason, m.last_error as error, m.key_version as "keyVersion", m.sent_at is not null as "isSent",
            u.mail_problem as problem,
            exists (select from mail_optouts o where o.workspace_id = m.workspace_id and o.email = m.recipient) as "isOptedOut"
     from mails m join sign_in.users u on u.email = $2 where m.id = $1`,
    [id, email],
  )
  return row
}

const [T1, T2, T3] = [
  '2026-11-20T10:00:00.000Z',
  '2026-11-20T10:00:01.000Z',
  '2026-11-21T10:00:00.000Z',
]
const BOUNCE = {
  bounce: { message: 'No such user\0 \u202e here', type: 'Permanent', subType: 'General' },
}

describe('what the provider reports of a mail', () => {
  test('is its state, in the API, the list and on the partner’s page', async () => {
    const mail = await addMail()
    expect((await send(eventOf('delivered', mail, T1))).status).toBe(200)
    expect(await look(mail)).toMatchObject({
      status: 'delivered',
      problem: null,
      isOptedOut: false,
    })
    await send(eventOf('bounced', mail, T2, BOUNCE))
    expect(await look(mail)).toMatchObject({
      status: 'bounced',
      problem: 'bounced',
      isOptedOut: false,
    })

    const manager = await merchant.asManager()
    const { body } = await manager.get(`/mails?partnerId=${mail.partnerId}&status=bounced`)
    const reason = expect.stringContaining('No such user')
    expect(body).toMatchObject({
      data: [
        { id: mail.id, status: 'bounced', deliveryReason: reason, deliveryAt: T2, lastError: null },
      ],
    })
    const pages = await openPages(merchant)
    const list = await pages.get(`/mails?status=bounced&partnerId=${mail.partnerId}`)
    expect(list.text).toMatch(/bounced.*No such user/)
    const page = await pages.get(`/partners/${mail.partnerId}`)
    expect(page.text).toMatch(
      /bounced The last email to this address bounced.*The provider says: No such user/,
    )
    expect((await manager.post(`/mails/${mail.id}/retry`)).status).toBe(409)
  })

  test.each<{ case: string; events: [string, string][]; is: object }>([
    {
      case: 'twice is the same as once',
      events: [
        ['bounced', T1],
        ['bounced', T1],
      ],
      is: { status: 'bounced', problem: 'bounced' },
    },
    {
      case: 'late does not undo a later stage',
      events: [
        ['complained', T3],
        ['delivered', T1],
      ],
      is: { status: 'complained', problem: 'complained', isOptedOut: true },
    },
    {
      case: 'out of order ends as in order',
      events: [
        ['delivered', T2],
        ['bounced', T1],
      ],
      is: { status: 'bounced', problem: null },
    },
    {
      case: 'as suppressed is no bounce',
      events: [['suppressed', T1]],
      is: { status: 'suppressed', problem: 'suppressed' },
    },
    {
      case: 'as opened, clicked or sent is ignored',
      events: [
        ['opened', T1],
        ['sent', T1],
      ],
      is: { status: 'sent' },
    },
  ])('$case', async ({ events, is }) => {
    const mail = await addMail()
    for (const [type, at] of events) expect((await send(eventOf(type, mail, at))).status).toBe(200)
    expect(await look(mail)).toMatchObject(is)
  })

  test('eight at once, twice each, end in the latest stage', async () => {
    const mail = await addMail()
    const types = ['delivered', 'bounced', 'complained', 'delivered']
    const all = [...types, ...types].map((type, index) =>
      send(eventOf(type, mail, index % 2 ? T1 : T2)),
    )
    expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([200]))
    expect(await look(mail)).toMatchObject({ status: 'complained', isOptedOut: true })
  })

  test('proves that the provider has accepted a mail whose response was lost, also one that was given up', async () => {
    for (const state of ['attempts = 1', 'attempts = 8, failed_at = now()']) {
      const mail = await addMail(state)
      await send(eventOf('delivered', mail, T1))
      expect(await look(mail)).toMatchObject({ status: 'delivered', error: null })
    }
  })

  test('as failed can be sent again, under another key, whoever saves the run’s result later', async () => {
    const mail = await addMail('attempts = 1')
    const failed = eventOf('failed', mail, T1, { failed: { reason: 'reached_daily_quota' } })
    await send(failed)
    const late = {
      id: mail.id,
      attempts: 1,
      keyVersion: 0,
      outcome: 'sent',
      nextAttemptAt: null,
      error: null,
      batchId: null,
    } as const
    await saveMailResults(
      connect(inject('database')),
      [late],
      { personal: null, bulk: null },
      new Date(),
    )
    const is = {
      status: 'failed',
      error: 'failed: reached_daily_quota',
      keyVersion: 1,
      problem: null,
    }
    expect(await look(mail)).toMatchObject(is)
    expect((await (await merchant.asManager()).post(`/mails/${mail.id}/retry`)).status).toBe(200)
    await send(failed)
    await send(eventOf('delivered', mail, T2))
    expect(await look(mail)).toMatchObject({ status: 'queued', keyVersion: 1 })
    await send(eventOf('delivered', { ...mail, id: mailKey(mail.id, 1) }, T2))
    expect(await look(mail)).toMatchObject({ status: 'delivered' })
  })

  test('of the account for bulk mail says nothing of sign-in links', async () => {
    const mail = await addMail()
    await send(eventOf('complained', mail, T1), RESEND_BULK_WEBHOOK_SECRET)
    expect(await look(mail)).toMatchObject({
      status: 'complained',
      problem: null,
      isOptedOut: true,
    })
  })

  test('under an id that is unknown, none or another table’s changes no mail, and is answered', async () => {
    const mail = await addMail()
    const event = (id: unknown) => ({
      ...eventOf('bounced', mail, T1),
      data: { to: [mail.email], tags: { mail: id } },
    })
    for (const id of [crypto.randomUUID(), "x' or true", '', 7, null, merchant.workspace.id])
      expect((await send(event(id))).status).toBe(200)
    expect(await look(mail)).toMatchObject({ status: 'sent' })
  })

  test('of an address, when its suppression is lifted, ends the problem', async () => {
    const mail = await addMail()
    const of = (type: string, created_at: string) => ({
      type,
      created_at,
      data: { id: 'x', email: mail.email },
    })
    await send(of('suppression.added', T1))
    expect(await look(mail)).toMatchObject({ status: 'sent', problem: 'suppressed' })
    await send(of('suppression.removed', T2))
    await send(of('suppression.added', T1))
    expect(await look(mail)).toMatchObject({ problem: null })
  })
})

describe('a request is refused', () => {
  const event = eventOf('bounced', { id: crypto.randomUUID(), email: 'a@b.example' }, T1)
  const signed = (
    change: (init: ReturnType<typeof signEvent>) => object = () => ({}),
    at = new Date(),
  ) => {
    const init = signEvent(event, RESEND_WEBHOOK_SECRET, at)
    return fetch(url(), { ...init, ...change(init) })
  }
  const without = (name: string) => (init: ReturnType<typeof signEvent>) => ({
    headers: Object.fromEntries(Object.entries(init.headers).filter(([key]) => key !== name)),
  })
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)

  test.each([
    { case: 'without a signature', request: () => signed(without('svix-signature')) },
    { case: 'without an id', request: () => signed(without('svix-id')) },
    { case: 'with another body', request: () => signed(() => ({ body: '{}' })) },
    { case: 'signed long ago', request: () => signed(undefined, minutesAgo(6)) },
    { case: 'signed in the future', request: () => signed(undefined, minutesAgo(-6)) },
    {
      case: 'signed with another secret',
      request: () => send(event, `whsec_${btoa('somebody else’s'.slice(0, 12))}`),
    },
  ])('$case', async ({ request }) => {
    const answer = await request()
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { code: 'invalid_signature' } })
  })

  test('that is signed but no JSON, or too large; one of another form is answered and ignored', async () => {
    const at = new Date()
    const headersOf = (text: string) => ({
      'svix-id': 'msg_1',
      'svix-timestamp': String(Math.floor(at.getTime() / 1_000)),
      'svix-signature': new Webhook(RESEND_WEBHOOK_SECRET).sign('msg_1', at, text),
    })
    const post = (text: string) =>
      fetch(url(), { method: 'POST', headers: headersOf(text), body: text })
    expect((await post('no JSON')).status).toBe(400)
    expect((await post(`"${'x'.repeat(300_000)}"`)).status).toBe(413)
    for (const text of [
      'null',
      '[]',
      '{"type":"email.bounced"}',
      '{"type":"domain.created","data":{}}',
    ])
      expect((await post(text)).status).toBe(200)
  })
})

test('the fake provider reports as Resend does: a bounce suppresses the address, and later mails are accepted and reported as suppressed', async () => {
  inbox.account.listen({ url: url(), secret: RESEND_WEBHOOK_SECRET })
  const transport = throughResend({
    from: 'Pine <pine@pine.example>',
    apiKey: 're_test',
    url: inbox.url,
  })
  const [first, second] = [await addMail(), await addMail()]
  const sendTo = async (mail: { id: string }, to: string) =>
    transport(
      { id: mail.id, to, subject: 'Hello', html: '<p>Hello</p>', text: 'Hello' },
      { timeoutMs: 5_000 },
    )
  expect(await sendTo(first, first.email)).toMatchObject({ kind: 'sent' })
  const [received] = inbox.mails(first.email)
  if (!received) throw new Error('The inbox has no mail.')
  await inbox.account.settled()
  expect(await look(first)).toMatchObject({ status: 'delivered' })
  inbox.account.report('bounced', received)
  await sendTo(second, first.email)
  await inbox.account.settled()
  expect(await look(first)).toMatchObject({ status: 'bounced', problem: 'bounced' })
  expect(await look(second)).toMatchObject({ status: 'suppressed', problem: 'suppressed' })
  expect(inbox.account.suppressed.has(first.email)).toBe(true)
})
