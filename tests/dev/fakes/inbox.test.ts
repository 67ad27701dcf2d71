import { once } from 'node:events'
import { get } from 'node:http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { seeder } from '../../../dev/demo/seed.ts'
import { newestLink } from '../../../dev/demo/sign-in.ts'
import { type Inbox, startInbox } from '../../../dev/fakes/inbox.ts'
import { connect } from '../../../lib/db/connection.ts'
import { invitationMail } from '../../../lib/mail/outbox/outbox.queries.ts'
import { sharedSystem } from '../../support/shared-system.ts'

let inbox: Inbox
beforeAll(async () => {
  inbox = await startInbox()
})
afterAll(() => inbox.stop())

const MAIL = {
  from: 'Pine <pine@example.com>',
  to: ['maya@partners.example'],
  subject: 'Hello',
  html: '<html><head></head><body><a href="https://pine.example/">Hello</a></body></html>',
  text: 'Hello',
}

const post = async (body: unknown, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${inbox.url}/emails`, {
    method: 'POST',
    headers: { Authorization: 'Bearer re_test', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: answer.status, body: (await answer.json()) as { id?: string; name?: string } }
}

test('a sign-in link is found though the notice of an earlier sign-in was mailed after it', async () => {
  const link = 'http://127.0.0.1:8787/auth/confirm?token=1'
  const to = ['noticed@partners.example']
  await post({ ...MAIL, to, text: `Sign in: ${link}` })
  await post({ ...MAIL, to, text: 'You signed in from a new browser.' })
  expect((await newestLink('noticed@partners.example', inbox.url)).href).toBe(link)
})

describe('the inbox refuses what Resend refuses', () => {
  test.each([
    { case: 'no API key', headers: { Authorization: '' }, status: 401, name: 'missing_api_key' },
    {
      case: 'an API key of another service',
      headers: { Authorization: 'Bearer sk_1' },
      status: 403,
      name: 'invalid_api_key',
    },
    {
      case: 'an empty idempotency key',
      headers: { 'Idempotency-Key': '' },
      status: 400,
      name: 'invalid_idempotency_key',
    },
    {
      case: 'an idempotency key that is too long',
      headers: { 'Idempotency-Key': 'k'.repeat(257) },
      status: 400,
      name: 'invalid_idempotency_key',
    },
    { case: 'no user agent', headers: { 'User-Agent': '' }, status: 403, name: 'security_error' },
  ])('$case', async ({ headers, status, name }) => {
    expect(await post(MAIL, headers)).toMatchObject({ status, body: { name, statusCode: status } })
  })

  test.each([
    { case: 'no sender', body: { ...MAIL, from: undefined }, name: 'missing_required_field' },
    { case: 'no recipient', body: { ...MAIL, to: [] }, name: 'missing_required_field' },
    { case: 'no subject', body: { ...MAIL, subject: '' }, name: 'missing_required_field' },
    {
      case: 'neither HTML nor text',
      body: { ...MAIL, html: '', text: '' },
      name: 'missing_required_field',
    },
    {
      case: 'a sender that is no email address',
      body: { ...MAIL, from: 'Pine' },
      name: 'validation_error',
    },
    {
      case: 'a recipient that is no email address',
      body: { ...MAIL, to: 'maya' },
      name: 'validation_error',
    },
    {
      case: 'a recipient with non-ASCII letters',
      body: { ...MAIL, to: 'mäya@a.example' },
      name: 'validation_error',
    },
    {
      case: 'two recipients in one',
      body: { ...MAIL, to: 'a@a.example,b@b.example' },
      name: 'validation_error',
    },
    {
      case: 'fifty-one recipients',
      body: { ...MAIL, to: Array(51).fill('a@a.example') },
      name: 'validation_error',
    },
    {
      case: 'a subject of two lines',
      body: { ...MAIL, subject: 'a\nBcc: b@b.example' },
      name: 'validation_error',
    },
    {
      case: 'a subject that is no string',
      body: { ...MAIL, subject: 7 },
      name: 'validation_error',
    },
    { case: 'a list instead of a mail', body: [MAIL], name: 'validation_error' },
  ])('$case', async ({ body, name }) => {
    expect(await post(body)).toMatchObject({ status: 422, body: { name } })
  })

  test('a body that is no JSON', async () => {
    expect(await post('{')).toMatchObject({ status: 400, body: { name: 'validation_error' } })
  })
})

test('the same idempotency key with the same body replays the response; with another body it is refused', async () => {
  const to = 'twice@partners.example'
  const headers = { 'Idempotency-Key': 'twice' }
  const first = await post({ ...MAIL, to }, headers)
  expect(first).toMatchObject({ status: 200, body: { id: expect.any(String) } })
  expect(await post({ ...MAIL, to }, headers)).toEqual(first)
  expect(await post({ ...MAIL, to, text: 'Bye' }, headers)).toMatchObject({
    status: 409,
    body: { name: 'invalid_idempotent_request' },
  })
  expect(inbox.mails(to)).toHaveLength(1)
})

test('a refused mail doesn’t use up its idempotency key', async () => {
  const headers = { 'Idempotency-Key': 'second-thoughts' }
  await post({ ...MAIL, to: 'maya' }, headers)
  expect((await post(MAIL, headers)).status).toBe(200)
})

describe('the received mail', () => {
  test('is listed newest first, for all addresses or one', async () => {
    for (const subject of ['one', 'two']) await post({ ...MAIL, to: 'Ann@Pine.example', subject })
    await post({ ...MAIL, to: 'leo@pine.example' })
    for (const path of ['/mails.json', '/dev/mail/mails.json']) {
      const mails = await fetch(`${inbox.url}${path}?to=ann@pine.example`).then((answer) =>
        answer.json(),
      )
      expect(mails).toMatchObject([
        {
          to: 'Ann@Pine.example',
          subject: 'two',
          from: MAIL.from,
          text: 'Hello',
          html: MAIL.html,
          at: expect.any(String),
        },
        { subject: 'one' },
      ])
      const all = (await fetch(`${inbox.url}${path}`).then((answer) => answer.json())) as {
        to: string
      }[]
      expect(all[0]?.to).toBe('leo@pine.example')
    }
  })

  test('is shown on pages, with its markup escaped and its HTML sandboxed', async () => {
    const { body } = await post({
      ...MAIL,
      to: 'eve@pine.example',
      subject: '<script>',
      text: '</pre><script>',
    })
    const list = await fetch(`${inbox.url}/dev/mail?to=eve@pine.example`)
    expect(list.headers.get('Content-Security-Policy')).toContain("default-src 'none'")
    const [mail] = inbox.mails('eve@pine.example')
    expect(mail?.id).toBe(body.id)
    expect(await list.text()).toContain(
      `<a href="/dev/mail/${body.id}"><bdi>&lt;script&gt;</bdi></a>`,
    )

    const page = await fetch(`${inbox.url}/dev/mail/${body.id}`).then((answer) => answer.text())
    expect(page).toContain('&lt;/pre&gt;&lt;script&gt;')
    expect(page).toContain(`src="/dev/mail/${body.id}/html" sandbox=`)

    const html = await fetch(`${inbox.url}/dev/mail/${body.id}/html`)
    expect(html.headers.get('Content-Security-Policy')).toMatch(/^sandbox /)
    expect(await html.text()).toContain('<base target="_blank">')
  })

  test.each(['/dev/mail/none', '/dev/mail/none/html'])('isn’t found at %s', async (path) => {
    expect((await fetch(`${inbox.url}${path}`)).status).toBe(404)
  })
})

test('with npm start, a mail of the outbox is at Tributary’s /dev/mail within seconds', {
  tags: 'thorough',
}, async () => {
  const { demo, output } = await sharedSystem()
  expect(output).toContain(`${demo.baseUrl}/dev/mail`)
  const env = { DATABASE_URL: demo.databaseUrl, SQL_ENDPOINT: demo.sqlEndpoint ?? '' }
  const { id } = await seeder(env).addWorkspace()
  const act = { workspaceId: id, actor: 'ann@pine.example', now: new Date() }
  const details = {
    workspaceName: 'Pine',
    role: 'member',
    invitedBy: act.actor,
    url: demo.baseUrl,
  } as const
  await invitationMail(act, 'leo@pine.example', details).execute(connect(env))
  await vi.waitFor(
    async () => {
      const page = await fetch(`${demo.baseUrl}/dev/mail?to=leo@pine.example`).then((answer) =>
        answer.text(),
      )
      expect(page).toContain('You are invited to Pine')
    },
    { timeout: 60_000 },
  )
  expect((await fetch(`${demo.baseUrl}/dev/mailbox`)).status).toBe(404)
})

test.each([
  { host: 'localhost:8787', status: 200 },
  { host: '[::1]:8787', status: 200 },
  { host: 'rebound.evil.example', status: 421 },
  { host: '127.0.0.1.evil.example:8787', status: 421 },
])(
  'a page of a site whose name leads here can’t read the mails: $host gets $status',
  async ({ host, status }) => {
    for (const path of ['/mails.json', '/dev/mail']) {
      const [answer] = await once(
        get(`${inbox.url}${path}`, { headers: { Host: host } }),
        'response',
      )
      answer.resume()
      expect(answer.statusCode).toBe(status)
    }
  },
)
