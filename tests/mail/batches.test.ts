import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { seeder } from '../../dev/demo/seed.ts'
import { type Inbox, startInbox } from '../../dev/fakes/inbox.ts'
import { startSqlEndpoint } from '../../dev/runtime/sql-endpoint.ts'
import type { Clock } from '../../lib/mail/outbox/clock.ts'
import { type SendEnv, sendDue } from '../../lib/mail/outbox/send-due.service.ts'
import { chooseSenders } from '../../lib/mail/transport/transport.service.ts'
import type { Senders } from '../../lib/mail/transport/transport.ts'
import { createDatabase, dropDatabase, TEMPLATE } from '../support/databases.ts'
import { repeating } from '../support/repeated.ts'

// A run takes whatever is due, so it has a database of its own.
const DATABASE = 'mail_batches_test'
let client: pg.Client
let endpoint: Awaited<ReturnType<typeof startSqlEndpoint>>
let env: SendEnv
let inbox: Inbox
/** Simulated: nothing waits. */
let time = Date.now()
const clock: Clock = {
  now: () => time,
  sleep: async (seconds) => {
    time += seconds * 1_000
  },
}

beforeAll(async () => {
  const databaseUrl = await createDatabase(inject('database').DATABASE_URL, DATABASE, TEMPLATE)
  client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  endpoint = await startSqlEndpoint({ databaseUrl, keepPlans: true })
  env = { DATABASE_URL: databaseUrl, SQL_ENDPOINT: endpoint.url, MAX_FETCHES: '9000' }
})
beforeEach(async () => {
  time = Date.now()
  inbox = await startInbox(clock.now)
  await client.query('delete from mails; delete from mail_usage')
})
afterEach(() => inbox.stop())
afterAll(async () => {
  await endpoint.stop()
  await client.end()
  await dropDatabase(inject('database').DATABASE_URL, DATABASE)
})

const queue = async (count: number, change = (address: string): string => address) => {
  const { id } = await seeder(env).addWorkspace()
  const addresses = Array.from({ length: count }, (_, n) =>
    change(`p${n}-${crypto.randomUUID()}@partner.example`),
  )
  await client.query(
    `insert into mails (id, workspace_id, kind, recipient, details, created_at, next_attempt_at)
     select uuidv7(), $1, 'moved', recipient, $3, now(), now() - interval '1 hour' from unnest($2::text[]) recipient`,
    [
      id,
      addresses,
      {
        partnerName: null,
        programName: 'Friends of Pine Notes',
        link: 'https://pine.example/?via=maya',
        portalUrl: 'https://track.example/portal',
      },
    ],
  )
  return addresses
}

const senders = (): Senders =>
  chooseSenders({
    MAIL_FROM: 'Pine <pine@example.com>',
    RESEND_API_KEY: 're_test',
    RESEND_URL: inbox.url,
  })
const run = (settings: Partial<SendEnv> = {}, own = senders()) =>
  sendDue({ ...env, ...settings }, own, 600_000, clock)
const states = async () => {
  const { rows } = await client.query<{ status: string; count: number }>(
    'select status, count(*)::int from mails group by 1 order by 1',
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}
/** How often each address was mailed. */
const arrived = (addresses: string[]) => addresses.map((address) => inbox.mails(address).length)
const once = (addresses: string[]) => addresses.map(() => 1)
/** Makes what waits due, and whole leases end. */
const later = (interval: string) =>
  client.query(`update mails set next_attempt_at = next_attempt_at - $1::interval`, [interval])

describe('many bulk mails', () => {
  test('are sent by one request, but for the first, whose answer says what the quota is', async () => {
    inbox.account.subscribe({ perSecond: 5, monthly: 50_000 })
    const addresses = await queue(60)
    expect(await run()).toMatchObject({ sent: 60, waiting: 0 })
    expect(inbox.calls()).toBe(2)
    expect(arrived(addresses)).toEqual(once(addresses))
    const { rows } = await client.query('select daily_used, monthly_used from mail_usage')
    expect(rows).toEqual([{ daily_used: null, monthly_used: 60 }])
    await queue(9)
    await run()
    expect(inbox.calls()).toBe(2 + 9)
  })

  test('whose outcome is unknown are repeated together, and arrive once', async () => {
    const addresses = await queue(30)
    inbox.plan(null, 'cut_after')
    expect(await run()).toMatchObject({ sent: 1, retried: 29 })
    const { rows } = await client.query(
      'select distinct batch_id, next_attempt_at, attempts from mails where sent_at is null',
    )
    expect(rows).toMatchObject([{ batch_id: expect.any(String), attempts: 1 }])
    const others = await queue(20)
    await later('2 minutes')
    expect(await run()).toMatchObject({ sent: 49 })
    expect(arrived([...addresses, ...others])).toEqual(once([...addresses, ...others]))
  })

  test('of a run that died before it saved their results are repeated together, changed or not, and arrive once', async () => {
    await client.query(
      `insert into mail_usage (account, day, sent, reported_at) values ('personal', current_date, 0, now())`,
    )
    for (const change of ['', `details = details || '{"programName": "Another name"}',`]) {
      const addresses = await queue(30)
      await run()
      await client.query(
        `update mails set ${change} sent_at = null, next_attempt_at = now() - interval '1 hour' where recipient = any($1)`,
        [addresses],
      )
      // Two runs at once: one of them repeats the batch.
      const tallies = await Promise.all([run(), run()])
      expect(tallies.reduce((sum, tally) => sum + (tally?.sent ?? 0), 0)).toBe(30)
      expect(arrived(addresses)).toEqual(once(addresses))
    }
    expect(await states()).toEqual({ sent: 60 })
  })

  test('of a repeated lease are sent at once: as a new batch, and as one that is sent again', async () => {
    const addresses = await queue(30)
    inbox.plan(null, 'cut_after')
    expect(await repeating('update mails', () => run())).toMatchObject({ sent: 1, retried: 29 })
    const unsent = 'select distinct batch_id, attempts from mails where sent_at is null'
    const before = await client.query(unsent)
    expect(before.rows).toMatchObject([{ batch_id: expect.any(String), attempts: 1 }])

    await later('2 minutes')
    inbox.plan('cut_after')
    expect(await repeating('update mails', () => run())).toMatchObject({ retried: 29 })
    expect((await client.query(unsent)).rows).toEqual([{ ...before.rows[0], attempts: 2 }])
    await later('10 minutes')
    expect(await run()).toMatchObject({ sent: 29 })
    expect(arrived(addresses)).toEqual(once(addresses))
  })

  test('of which the provider refuses one are sent one by one, and that one has failed', async () => {
    const addresses = await queue(12, (address) => address.replace(/^p7-/, 'ü7-'))
    expect(await run()).toMatchObject({ sent: 11, failed: 1 })
    expect(arrived(addresses)).toEqual(
      addresses.map((address) => (address.startsWith('ü') ? 0 : 1)),
    )
  })

  test('wait, if the provider is too busy, for as long as it says', async () => {
    await queue(12)
    inbox.plan(
      null,
      { status: 429, name: 'rate_limit_exceeded', retryAfter: 1 },
      { status: 429, name: 'rate_limit_exceeded', retryAfter: 60 },
    )
    expect(await run()).toMatchObject({ sent: 1, waiting: 11, code: 'rate_limit_exceeded' })
    const { rows } = await client.query(
      'select distinct batch_id, attempts from mails where sent_at is null',
    )
    expect(rows).toEqual([{ batch_id: null, attempts: 0 }])
    await later('61 seconds')
    expect(await run()).toMatchObject({ sent: 11 })
  })
})

describe('the provider’s quota', () => {
  test('of the free plan is learnt from its answers: the outbox stops at the reserve, and goes on when there is room', async () => {
    inbox.account.subscribe({ daily: 100, perSecond: 5 })
    const addresses = await queue(90)
    expect(await run()).toMatchObject({ sent: 70, waiting: 20, code: 'quota_reserve' })
    const { rows } = await client.query(
      'select distinct last_error, attempts from mails where sent_at is null',
    )
    expect(rows).toEqual([
      {
        attempts: 0,
        last_error:
          'quota_reserve: The rest of the mail provider’s quota is kept for sign-in links.',
      },
    ])
    // Sign-in links go out all the same: they may use what is left.
    const { transport } = senders().personal
    const link = {
      id: crypto.randomUUID(),
      to: 'maya@partner.example',
      subject: 'Sign in',
      html: '',
      text: 'Link',
    }
    expect(await transport(link, { timeoutMs: 5_000 })).toMatchObject({
      kind: 'sent',
      used: { daily: 71 },
    })
    await later('1 hour')
    expect(await run()).toMatchObject({ sent: 0, waiting: 20 })
    time += 24 * 3_600_000
    expect(await run()).toMatchObject({ sent: 20 })
    expect(arrived(addresses)).toEqual(once(addresses))
  })

  test('that is used up ends the run, and nobody asks again for ten minutes', async () => {
    inbox.account.subscribe({ daily: 5, perSecond: 5 })
    await queue(12)
    expect(await run({ MAIL_DAILY_QUOTA: '1000' })).toMatchObject({
      sent: 1,
      waiting: 11,
      code: 'daily_quota_exceeded',
    })
    const calls = inbox.calls()
    await later('1 hour')
    expect(await run({ MAIL_DAILY_QUOTA: '1000' })).toMatchObject({
      sent: 0,
      waiting: 11,
      code: 'quota_exhausted',
    })
    expect(inbox.calls()).toBe(calls)
  })
})

test('5,000 mails are sent in under 15 minutes on a paid plan, at 5 requests a second of which one is left to sign-in, and a second each', {
  tags: 'thorough',
}, async () => {
  inbox.account.subscribe({ perSecond: 5, monthly: 50_000 })
  await queue(5_000)
  const { bulk, personal } = senders()
  const outcomes: string[] = []
  const slow =
    <Args extends unknown[], Result extends { kind: string }>(
      send: (...args: Args) => Promise<Result>,
    ) =>
    async (...args: Args) => {
      time += 1_000
      const outcome = await send(...args)
      outcomes.push(outcome.kind)
      return outcome
    }
  const paced = { ...bulk, transport: slow(bulk.transport), batch: bulk.batch && slow(bulk.batch) }
  const start = time
  let sent = 0
  // As a nudged mailer does, by rounds of 18 seconds. Its requests of a run stay below those of the
  // paid plan.
  for (let rounds = 0; rounds < 24 && sent < 5_000; rounds++)
    sent += (await sendDue(env, { personal, bulk: paced }, 18_000, clock))?.sent ?? 0
  expect(sent).toBe(5_000)
  expect(new Set(outcomes)).toEqual(new Set(['sent']))
  expect(outcomes.length).toBeLessThan(60)
  expect((time - start) / 60_000).toBeLessThan(15)
})
