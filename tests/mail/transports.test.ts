import { createServer } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Inbox, type InboxFailure, startInbox } from '../../dev/fakes/inbox.ts'
import { listen } from '../../dev/runtime/ports.ts'
import { type Stream, streamOf } from '../../lib/mail/outbox/streams.ts'
import {
  chooseSenders,
  chooseTransport,
  type TransportEnv,
} from '../../lib/mail/transport/transport.service.ts'
import type { EmailBinding, Mail } from '../../lib/mail/transport/transport.ts'

const MAIL_FROM = 'Tributary <tributary@example.com>'
const LIMITS = { timeoutMs: 1_000 }
const newMail = (changes: Partial<Mail> = {}): Mail => ({
  id: crypto.randomUUID(),
  to: 'maya@partners.example',
  subject: 'Hello',
  html: '<p>Hello</p>',
  text: 'Hello',
  ...changes,
})

describe('Resend', () => {
  let inbox: Inbox
  beforeAll(async () => {
    inbox = await startInbox()
  })
  beforeEach(() => inbox.plan())
  afterAll(() => inbox.stop())
  const resend = (RESEND_API_KEY = 're_test') =>
    chooseTransport({ MAIL_FROM, RESEND_API_KEY, RESEND_URL: inbox.url })

  test('receives the mail unchanged, from the installation’s sender', async () => {
    const mail = newMail({
      to: 'as-it-is@partners.example',
      headers: { 'List-Unsubscribe': '<https://a.example>' },
    })
    expect(await resend()(mail, LIMITS)).toEqual({ kind: 'sent', waitSeconds: 0 })
    const { id: _, ...content } = mail
    expect(inbox.mails(mail.to)).toMatchObject([{ ...content, from: MAIL_FROM, replyTo: null }])
  })

  test('names the merchant of a mail before the installation, and where replies go', async () => {
    const mail = newMail({
      to: 'of-pine@partners.example',
      merchant: 'Pine Notes',
      replyTo: 'help@pine.example',
    })
    expect(await resend()(mail, LIMITS)).toMatchObject({ kind: 'sent' })
    expect(inbox.mails(mail.to)).toMatchObject([
      { from: 'Pine Notes via Tributary <tributary@example.com>', replyTo: 'help@pine.example' },
    ])
  })

  test('sends a mail once, however often it is requested, also if the mail has changed in between', async () => {
    const mail = newMail({ to: 'once@partners.example' })
    for (const subject of ['Hello', 'Hello', 'Hello anew'])
      expect(await resend()({ ...mail, subject }, LIMITS)).toMatchObject({ kind: 'sent' })
    expect(inbox.mails(mail.to)).toHaveLength(1)
  })

  test.each<{ failure: InboxFailure; outcome: object }>([
    {
      failure: { status: 422, name: 'validation_error' },
      outcome: { kind: 'refused', code: 'validation_error' },
    },
    {
      failure: { status: 429, name: 'rate_limit_exceeded', retryAfter: 7 },
      outcome: { kind: 'paused', code: 'rate_limit_exceeded', seconds: 7 },
    },
    {
      failure: { status: 429, name: 'rate_limit_exceeded' },
      outcome: { kind: 'paused', seconds: 2 },
    },
    {
      failure: { status: 429, name: 'daily_quota_exceeded', retryAfter: 1 },
      outcome: { kind: 'paused', seconds: 3_600 },
    },
    {
      failure: { status: 403, name: 'validation_error' },
      outcome: { kind: 'paused', code: 'validation_error', seconds: 600 },
    },
    {
      failure: { status: 422, name: 'invalid_from_address' },
      outcome: { kind: 'paused', seconds: 600 },
    },
    {
      failure: { status: 500, name: 'application_error' },
      outcome: { kind: 'retry', code: 'application_error' },
    },
    { failure: 'garbage', outcome: { kind: 'retry', code: 'http_502' } },
    { failure: 'cut_after', outcome: { kind: 'retry', code: 'unreachable' } },
    { failure: 'silence', outcome: { kind: 'retry', code: 'timeout' } },
  ])('$failure means $outcome', async ({ failure, outcome }) => {
    inbox.plan(failure)
    expect(await resend()(newMail(), LIMITS)).toMatchObject(outcome)
  })

  test.each([
    { case: 'an invalid address', changes: { to: 'maya' } },
    { case: 'a subject of two lines', changes: { subject: 'a\nb' } },
  ])('refuses $case permanently', async ({ changes }) => {
    expect(await resend()(newMail(changes), LIMITS)).toMatchObject({
      kind: 'refused',
      code: 'validation_error',
    })
  })

  test('reports an invalid key as a fault of the transport, not of the mail', async () => {
    expect(await resend('wrong')(newMail(), LIMITS)).toMatchObject({
      kind: 'paused',
      code: 'invalid_api_key',
    })
  })

  test('is paused when rate limited, and its redirects are not followed', async () => {
    const server = createServer((request, response) =>
      request.headers['idempotency-key'] === 'moved'
        ? response.writeHead(307, { Location: inbox.url }).end()
        : response.writeHead(200, { 'ratelimit-remaining': '0', 'ratelimit-reset': '1' }).end('{}'),
    )
    const { url, stop } = await listen(server)
    const transport = chooseTransport({ MAIL_FROM, RESEND_API_KEY: 're_test', RESEND_URL: url })
    expect(await transport(newMail(), LIMITS)).toEqual({ kind: 'sent', waitSeconds: 1 })
    expect(await transport(newMail({ id: 'moved' }), LIMITS)).toMatchObject({ kind: 'retry' })
    await stop()
  })
})

describe('Cloudflare’s binding', () => {
  const cloudflare = (send: EmailBinding['send'], from = MAIL_FROM) =>
    chooseTransport({ MAIL_FROM: from, EMAIL: { send } })
  const failing = (code: unknown) =>
    cloudflare(() => Promise.reject(Object.assign(new Error('As configured.'), { code })))

  test.each([
    { from: 'Tributary <t@example.com>', is: { name: 'Tributary', email: 't@example.com' } },
    { from: '"Pine, Notes" <t@example.com>', is: { name: 'Pine, Notes', email: 't@example.com' } },
    { from: '<t@example.com>', is: 't@example.com' },
    { from: 't@example.com', is: 't@example.com' },
  ])('receives the mail from the sender $from', async ({ from, is }) => {
    const send = vi.fn<EmailBinding['send']>(async () => ({ messageId: 'x' }))
    const mail = newMail({ headers: { 'List-Unsubscribe': '<https://a.example>' } })
    expect(await cloudflare(send, from)(mail, LIMITS)).toEqual({ kind: 'sent', waitSeconds: 0 })
    const { id: _, ...content } = mail
    expect(send).toHaveBeenCalledExactlyOnceWith({ ...content, from: is })
  })

  test('names the merchant of a mail before the installation, and where replies go', async () => {
    const send = vi.fn<EmailBinding['send']>(async () => ({ messageId: 'x' }))
    const { id, ...content } = newMail({ replyTo: 'help@pine.example' })
    await cloudflare(send)({ id, ...content, merchant: 'Pine Notes' }, LIMITS)
    expect(send).toHaveBeenCalledExactlyOnceWith({
      ...content,
      from: { name: 'Pine Notes via Tributary', email: 'tributary@example.com' },
    })
  })

  test.each([
    { code: 'E_RECIPIENT_SUPPRESSED', outcome: { kind: 'refused' } },
    { code: 'E_RECIPIENT_NOT_ALLOWED', outcome: { kind: 'refused' } },
    { code: 'E_VALIDATION_ERROR', outcome: { kind: 'refused' } },
    { code: 'E_RATE_LIMIT_EXCEEDED', outcome: { kind: 'paused', seconds: 60 } },
    { code: 'E_DAILY_LIMIT_EXCEEDED', outcome: { kind: 'paused', seconds: 3_600 } },
    { code: 'E_SENDER_NOT_VERIFIED', outcome: { kind: 'paused', seconds: 600 } },
    { code: 'E_DELIVERY_FAILED', outcome: { kind: 'retry' } },
    { code: 'E_INTERNAL_SERVER_ERROR', outcome: { kind: 'retry' } },
    { code: undefined, outcome: { kind: 'retry', code: 'unreachable' } },
    { code: 7, outcome: { kind: 'retry', code: 'unreachable' } },
  ])('$code means $outcome', async ({ code, outcome }) => {
    expect(await failing(code)(newMail(), LIMITS)).toMatchObject({
      message: 'As configured.',
      ...outcome,
    })
  })

  test('that does not respond is retried later', async () => {
    expect(
      await cloudflare(() => new Promise(() => {}))(newMail(), { timeoutMs: 20 }),
    ).toMatchObject({
      kind: 'retry',
    })
  })
})

test('without a transport, nothing is sent, and the reason names the missing setting', async () => {
  expect(await chooseTransport({ MAIL_FROM })(newMail(), LIMITS)).toMatchObject({
    kind: 'paused',
    message: 'No transport: set RESEND_API_KEY or bind EMAIL.',
  })
})

test('Resend is preferred, because it deduplicates mails', async () => {
  const send = vi.fn<EmailBinding['send']>()
  const inbox = await startInbox()
  const both = { MAIL_FROM, RESEND_API_KEY: 're_test', RESEND_URL: inbox.url, EMAIL: { send } }
  await chooseTransport(both)(newMail(), LIMITS)
  expect(inbox.mails()).toHaveLength(1)
  expect(send).not.toHaveBeenCalled()
  await inbox.stop()
})

test('bulk mail has a sender and an account of its own, if they are set, and those of all mail otherwise', async () => {
  const inbox = await startInbox()
  const env = { MAIL_FROM, RESEND_API_KEY: 're_test', RESEND_URL: inbox.url }
  const own = { ...env, MAIL_FROM_BULK: 'News <news@example.com>', RESEND_BULK_API_KEY: 'refused' }
  const sameAccount = { ...own, RESEND_BULK_API_KEY: '' }
  const from = async (of: TransportEnv, stream: Stream) => {
    const { transport, account } = chooseSenders(of)[stream]
    const outcome = await transport(newMail(), LIMITS)
    return [account, outcome.kind === 'sent' ? inbox.mails()[0]?.from : outcome.kind]
  }
  expect(await from(env, 'bulk')).toEqual(['personal', MAIL_FROM])
  expect(await from(own, 'personal')).toEqual(['personal', MAIL_FROM])
  expect(await from(own, 'bulk')).toEqual(['bulk', 'paused'])
  expect(await from(sameAccount, 'bulk')).toEqual(['personal', own.MAIL_FROM_BULK])
  await inbox.stop()
})

test('the quota that Resend’s answers name is learnt, and a batch counts all of its mails', async () => {
  const inbox = await startInbox()
  const { transport, batch } = chooseSenders({
    MAIL_FROM,
    RESEND_API_KEY: 're_test',
    RESEND_URL: inbox.url,
  }).bulk
  inbox.account.subscribe({ perSecond: 1_000, daily: 4, monthly: 50 })
  const used = (daily: number) => ({
    kind: 'sent',
    waitSeconds: 0,
    used: { daily, monthly: daily },
  })
  expect(await transport(newMail(), LIMITS)).toEqual(used(1))
  const three = [newMail(), newMail(), newMail({ to: 'third@partners.example' })]
  expect(await batch?.('batch-1', three, LIMITS)).toEqual(used(4))
  expect(inbox.mails('third@partners.example')).toHaveLength(1)
  // The answer is replayed, and nothing is sent twice, also if the batch has changed.
  expect(await batch?.('batch-1', three, LIMITS)).toMatchObject({ kind: 'sent' })
  expect(await batch?.('batch-1', three.slice(1), LIMITS)).toMatchObject({ kind: 'sent' })
  expect(inbox.mails()).toHaveLength(4)
  const code = 'daily_quota_exceeded'
  expect(await transport(newMail(), LIMITS)).toMatchObject({
    kind: 'paused',
    code,
    seconds: 3_600,
    used: { daily: 4 },
  })
  await inbox.stop()
})

test('a batch with one invalid mail is refused as a whole', async () => {
  const inbox = await startInbox()
  const { batch } = chooseSenders({
    MAIL_FROM,
    RESEND_API_KEY: 're_test',
    RESEND_URL: inbox.url,
  }).bulk
  const refused = { kind: 'refused', code: 'validation_error' }
  expect(await batch?.('key', [newMail(), newMail({ to: 'maya' })], LIMITS)).toMatchObject(refused)
  expect(inbox.mails()).toEqual([])
  await inbox.stop()
})

test.each([
  {
    stream: 'bulk',
    kinds: ['moved', 'welcome', 'message', 'partner_invitation', 'payout_sent', 'connect_account'],
  },
  {
    stream: 'personal',
    kinds: ['new_browser', 'address_link', 'address_changed', 'payment_details', 'payout_account'],
  },
  {
    stream: 'personal',
    kinds: ['invitation', 'payout_report', 'opening_balances', 'webhook_disabled'],
  },
] as const)('mails of the kinds $kinds are $stream', ({ stream, kinds }) => {
  expect(new Set(kinds.map(streamOf))).toEqual(new Set([stream]))
})
