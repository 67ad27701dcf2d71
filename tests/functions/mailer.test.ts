import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { applySchema } from '../../cli/schema.ts'
import { seeder } from '../../dev/demo/seed.ts'
import { type Inbox, startInbox } from '../../dev/fakes/inbox.ts'
import { startSqlEndpoint } from '../../dev/runtime/sql-endpoint.ts'
import type { Workers } from '../../dev/runtime/workers.ts'
import { connect } from '../../lib/db/connection.ts'
import { unsubscribeUrl } from '../../lib/mail/mailings/unsubscribe.ts'
import { retryMail } from '../../lib/mail/mails.queries.ts'
import type { MailKind, MailStatus } from '../../lib/mail/mails.ts'
import { invitationMail } from '../../lib/mail/outbox/outbox.queries.ts'
import { sendDue } from '../../lib/mail/outbox/send-due.service.ts'
import { chooseSenders } from '../../lib/mail/transport/transport.service.ts'
import type { Senders, Transport } from '../../lib/mail/transport/transport.ts'
import { createDatabase, dropDatabase, TEMPLATE } from '../support/databases.ts'
import { type Fault, startFaultyDatabase } from '../support/faulty-database.ts'
import { RESEND_API_KEY } from '../support/secrets.ts'
import { startOwnWorkers } from '../support/workers.ts'

// A run takes whatever is due, so these Workers have a database of their own, and an inbox.
const DATABASE = 'mailer_test'
let client: pg.Client
let endpoint: Awaited<ReturnType<typeof startSqlEndpoint>>
let faulty: Awaited<ReturnType<typeof startFaultyDatabase>>
let inbox: Inbox
let workers: Workers
let env: { DATABASE_URL: string; SQL_ENDPOINT: string }
let sending: typeof env & { MAX_FETCHES: string }

beforeAll(async () => {
  const databaseUrl = await createDatabase(inject('database').DATABASE_URL, DATABASE, TEMPLATE)
  // For the roles, which have the name of the database.
  await applySchema(databaseUrl)
  client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  endpoint = await startSqlEndpoint({ databaseUrl, keepPlans: true })
  faulty = await startFaultyDatabase(endpoint.url)
  inbox = await startInbox()
  env = { DATABASE_URL: databaseUrl, SQL_ENDPOINT: faulty.url }
  sending = { ...env, MAX_FETCHES: '45' }
  workers = await startOwnWorkers(['mailer'], { ...env, RESEND_API_KEY, RESEND_URL: inbox.url })
})
beforeEach(async () => {
  await client.query('delete from mails; delete from mail_usage')
  inbox.plan()
  faulty.plan(STATEMENTS, [])
  workers.takeLogs()
})
afterAll(async () => {
  await workers.stop()
  await inbox.stop()
  await faulty.stop()
  await endpoint.stop()
  await client.end()
  await dropDatabase(inject('database').DATABASE_URL, DATABASE)
})

const run = () => workers.runCron('mailer')

/** Both streams by one transport, which takes no batches. */
const sendersOf = (transport: Transport): Senders => {
  const sender = { transport, account: 'personal' } as const
  return { personal: sender, bulk: sender }
}

test('the cron folds totals, and removes clicks thirty days after they have expired', async () => {
  const seed = seeder(env)
  const { id: workspaceId } = await seed.addWorkspace()
  const partnerId = await seed.addPartner(workspaceId, await seed.addProgram(workspaceId), {
    slug: 'maya',
  })
  await client.query(
    `insert into clicks (id, workspace_id, partner_id, created_at, expires_at)
     select 'clk_' || days, $1, $2, now() - interval '90 days', now() - days * interval '1 day' from unnest(array[0, 29, 31]) days`,
    [workspaceId, partnerId],
  )
  await run()
  const { rows: kept } = await client.query('select id from clicks order by id')
  expect(kept).toEqual([{ id: 'clk_0' }, { id: 'clk_29' }])
  expect(workers.takeLogs().join('\n')).toMatch(/"job":"upkeep".*"folded":3,"clicks":1/)
  await run()
  const { rows } = await client.query(
    `select clicks::int, ended_clicks::int as ended from totals where of_id = $1 and dimension = 'all' and unit = 'month'`,
    [partnerId],
  )
  expect(rows).toEqual([{ clicks: 3, ended: 1 }])
})

test('a cron that has sent as many mails as it may leaves everything else to the next one', async () => {
  const seed = seeder(env)
  const { id: workspaceId } = await seed.addWorkspace()
  const partnerId = await seed.addPartner(workspaceId, await seed.addProgram(workspaceId), {
    slug: 'maya',
  })
  await client.query(
    `insert into clicks (id, workspace_id, partner_id, created_at, expires_at) values ('clk_later', $1, $2, now(), now())`,
    [workspaceId, partnerId],
  )
  await client.query(
    `insert into mails (id, workspace_id, kind, recipient, details, created_at, next_attempt_at)
     select uuidv7(), $1, 'invitation', 'p' || n || '@partner.example',
            '{"workspaceName": "Acme", "role": "member", "invitedBy": "ann@example.com", "url": "https://tributary.example"}', now(), now()
     from generate_series(1, 60) n`,
    [workspaceId],
  )
  const jobs = async () => {
    await run()
    return workers.takeLogs().map((line) => JSON.parse(line).job)
  }
  expect([await jobs(), await jobs()]).toEqual([['mailer'], ['mailer', 'upkeep']])
})

test('a mail has the text that is in force when it is sent, also if it was queued before', async () => {
  const { id: workspaceId } = await seeder(env).addWorkspace()
  const details = {
    partnerName: null,
    programName: '<b>{amount}</b>',
    link: 'https://shop.example/?via=maya',
    portalUrl: 'https://track.example/portal',
  }
  await client.query(
    `insert into mails (id, workspace_id, kind, recipient, occasion, details, created_at, next_attempt_at)
     values (uuidv7(), $1, 'welcome', 'text@partner.example', '', $2, now(), now()),
            (uuidv7(), $1, 'welcome', 'try@shop.example', 'test', $2, now(), now())`,
    [workspaceId, details],
  )
  await client.query(
    `insert into mail_texts (workspace_id, kind, subject, intro, version, change_id)
     values ($1, 'welcome', null, $2, 1, gen_random_uuid())`,
    [workspaceId, 'Hi {partnerName}!\nWe are {programName}.'],
  )
  await run()
  const [mail] = inbox.mails('text@partner.example')
  expect(mail?.subject).toBe('You are a partner of <b>{amount}</b>')
  expect(inbox.mails('try@shop.example')).toMatchObject([
    { subject: 'Test: You are a partner of <b>{amount}</b>', text: mail?.text },
  ])
  expect(mail?.text).toMatch(/^Hi!\nWe are <b>\{amount\}<\/b>\.\n\nYour link:/)
  expect(mail?.html).toContain('<p>Hi!<br/>We are <bdi>&lt;b&gt;{amount}&lt;/b&gt;</bdi>.</p>')
})

/** A mail about the move to a partner of a merchant, and an invitation of somebody who is none. */
const queueMoved = async (slug: string, { workspaceId = '', invite = false } = {}) => {
  const seed = seeder(env)
  const workspace = workspaceId || (await seed.addWorkspace()).id
  const programId = await seed.addProgram(workspace)
  const email = `${slug}-${crypto.randomUUID()}@moved.example`
  const partnerId = await seed.addPartner(workspace, programId, { slug, email })
  const details = {
    partnerName: 'Maya',
    programName: 'Friends',
    workspaceName: 'Pine Notes',
    link: 'https://pine.example/?via=maya',
    portalUrl: 'https://track.example/portal',
  }
  const { rows } = await client.query<{ id: string }>(
    `insert into mails (id, workspace_id, kind, recipient, partner_id, details, created_at, next_attempt_at)
     values (uuidv7(), $1, 'moved', $2, $3, $4, now(), now()) returning id`,
    [workspace, email, partnerId, details],
  )
  const guest = `guest-${email}`
  if (invite) {
    await client.query(
      `with a as (
         insert into applications (id, workspace_id, program_id, email, name, promotion, answers, invited_at, invited_by)
         values (uuidv7(), $1, $2, $3, '', '', '[]', now(), 'ann@pine.example'))
       insert into mails (id, workspace_id, program_id, kind, recipient, details, created_at, next_attempt_at)
       values (uuidv7(), $1, $2, 'partner_invitation', $3, $4, now(), now())`,
      [
        workspace,
        programId,
        guest,
        { ...details, invitedBy: null, url: 'https://track.example/join' },
      ],
    )
  }
  return { email, guest, partnerId, programId, workspaceId: workspace, mailId: rows[0]?.id ?? '' }
}

const ban = (partnerId: string) =>
  client.query(`update partners set status = 'banned' where id = $1`, [partnerId])

test('a mail about the move and an invitation are from the merchant, and end with one click for the workspace', async () => {
  const { email, guest, workspaceId, programId } = await queueMoved('maya', { invite: true })
  const brand = (program: string, workspace: string, verifiedAt: Date | null) =>
    client.query(
      `insert into brands (program_id, workspace_id, support_email, support_email_verified_at, version, change_id)
       values ($1, $2, 'help@pine.example', $3, 1, uuidv7())`,
      [program, workspace, verifiedAt],
    )
  await brand(programId, workspaceId, new Date())
  const unverified = await queueMoved('eva')
  await brand(unverified.programId, unverified.workspaceId, null)
  await run()
  expect(inbox.mails(unverified.email)).toMatchObject([{ replyTo: null }])
  const [moved] = inbox.mails(email)
  const [invitation] = inbox.mails(guest)
  for (const mail of [moved, invitation]) {
    expect(mail).toMatchObject({
      from: 'A merchant via Tributary <tributary@example.com>',
      replyTo: 'help@pine.example',
    })
    const [, url = ''] = /^<(.*)>$/.exec(mail?.headers['List-Unsubscribe'] ?? '') ?? []
    expect(url).toMatch(/^https:\/\/track\.example\/unsubscribe\//)
    expect(mail?.headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click')
    expect(mail?.text).toContain(`\nUnsubscribe from such emails of Pine Notes:\n${url}\n`)
  }
  expect(moved?.headers['List-Unsubscribe']).not.toBe(invitation?.headers['List-Unsubscribe'])

  const other = await queueMoved('leo', { workspaceId, invite: true })
  await client.query('insert into mail_optouts select $1, unnest($2::text[]), now()', [
    workspaceId,
    [other.email, other.guest],
  ])
  await run()
  expect(counts([other.email, other.guest])).toEqual([0, 0])
})

describe('a partner who was banned gets no mail about the move', () => {
  const withheld = {
    status: 'failed',
    attempts: 0,
    last_error: 'Not sent: the partner was banned.',
  }

  test('that was queued before, by whatever way the ban came', async () => {
    const { email, partnerId } = await queueMoved('ann')
    await ban(partnerId)
    await run()
    expect(counts([email])).toEqual([0])
    expect(await look(email)).toMatchObject(withheld)
  })

  test('that a manager retries afterwards', async () => {
    const { email, partnerId, workspaceId, mailId } = await queueMoved('ann')
    inbox.plan({ status: 422, name: 'validation_error' })
    await run()
    expect(await look(email)).toMatchObject({ status: 'failed', attempts: 1 })
    await ban(partnerId)
    const act = { workspaceId, actor: 'ann@pine.example', now: new Date() }
    expect(await retryMail(connect(env), act, mailId)).toMatchObject({ status: 'queued' })
    await run()
    expect(counts([email])).toEqual([0])
    expect(await look(email)).toMatchObject(withheld)
  })

  test('that waits for another attempt, whose first one is unknown', async () => {
    const { email, partnerId } = await queueMoved('ann')
    inbox.plan({ status: 500, name: 'application_error' })
    await run()
    await ban(partnerId)
    await client.query('update mails set next_attempt_at = now()')
    await run()
    expect(counts([email])).toEqual([0])
    expect(await look(email)).toMatchObject({ ...withheld, attempts: 1 })
  })

  test('that is leased already, nor does one who unsubscribes then', async () => {
    const [first, banned, ended] = [
      await queueMoved('ann'),
      await queueMoved('ben'),
      await queueMoved('cem'),
    ]
    const sent: string[] = []
    const sendDuring = (during: () => Promise<unknown>) => {
      const transport: Transport = async ({ to }) => {
        sent.push(to)
        await during()
        return { kind: 'sent', waitSeconds: 0 }
      }
      return sendDue(sending, sendersOf(transport), 20_000)
    }
    await sendDuring(async () => {
      if (sent.length > 1) return
      const partners = [first, banned, ended].filter(({ email }) => email !== sent[0])
      await ban(partners[0]?.partnerId ?? '')
      await client.query('insert into mail_optouts values ($1, $2, now())', [
        partners[1]?.workspaceId,
        partners[1]?.email,
      ])
    })
    expect(sent).toHaveLength(1)
    const states = await client.query(
      `select status, last_error as why from mails where sent_at is null order by why`,
    )
    expect(states.rows).toEqual([
      { status: 'failed', why: 'Not sent: the partner was banned.' },
      { status: 'failed', why: 'Not sent: the recipient has unsubscribed from such emails.' },
    ])
  })

  test('and still gets those about payouts and its account', async () => {
    const { partnerId, workspaceId, email } = await queueMoved('ann')
    await ban(partnerId)
    await client.query(
      `insert into mails (id, workspace_id, kind, recipient, partner_id, details, created_at, next_attempt_at)
       values (uuidv7(), $1, 'payout_account', $2, $3, $4, now(), now())`,
      [
        workspaceId,
        email,
        partnerId,
        {
          partnerName: null,
          workspaceName: 'Pine',
          change: 'disconnected',
          portalUrl: 'https://track.example/portal',
        },
      ],
    )
    await run()
    expect(inbox.mails(email)).toMatchObject([
      { subject: 'Your Stripe account for payouts from Pine was disconnected', headers: {} },
    ])
  })
})

test('a message has what its manager wrote, and a signed link and headers to unsubscribe; who has unsubscribed gets none', async () => {
  const seed = seeder(env)
  const { id: workspaceId } = await seed.addWorkspace()
  const programId = await seed.addProgram(workspaceId)
  const { rows } = await client.query<{ id: string }>(
    `insert into mailings (id, workspace_id, subject, content, created_at)
     values (uuidv7(), $1, 'News for {partnerName}', E'Hello {partnerName},\n\nnews.', now()) returning id`,
    [workspaceId],
  )
  const details = {
    partnerName: 'Maya',
    programName: 'Friends',
    workspaceName: 'Pine Notes',
    sentBy: 'ann@pine.example',
    portalUrl: 'https://track.example/portal',
  }
  const queue = async (slug: string) => {
    const email = `${slug}@message.example`
    const partnerId = await seed.addPartner(workspaceId, programId, { slug, email })
    await client.query(
      `insert into mails (id, workspace_id, kind, recipient, partner_id, occasion, details, created_at, next_attempt_at)
       values (uuidv7(), $1, 'message', $2, $3, $4, $5, now(), now()),
              (uuidv7(), $1, 'connect_account', 'payout-' || $2, $3, '', $5::jsonb || '{"amount": "1.00 USD"}', now(), now())`,
      [workspaceId, email, partnerId, rows[0]?.id, details],
    )
    return { email, partnerId }
  }
  const [maya, leo] = [await queue('maya'), await queue('leo')]
  await client.query('insert into mail_optouts values ($1, $2, now()), ($1, $3, now())', [
    workspaceId,
    leo.email,
    `payout-${leo.email}`,
  ])
  await run()
  const [mail] = inbox.mails(maya.email)
  const key = await client.query<{ key: string }>('select key from unsubscribe_key')
  const url = await unsubscribeUrl(
    key.rows[0]?.key ?? '',
    maya.partnerId,
    'https://track.example/portal',
  )
  expect(mail?.subject).toBe('News for Maya')
  expect(mail?.text).toBe(
    `Hello Maya,\n\nnews.\n\nSent by Pine Notes (ann@pine.example).\n\nUnsubscribe from such emails of Pine Notes:\n${url}\n`,
  )
  expect(mail?.html).toContain(`<a href="${url}"`)
  expect(mail?.headers).toEqual({
    'List-Unsubscribe': `<${url}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  })
  expect(inbox.mails(leo.email)).toEqual([])
  // Nobody unsubscribes from what is about money.
  expect(inbox.mails(`payout-${leo.email}`)).toMatchObject([{ headers: {} }])
  const stateOf = async () =>
    (
      await client.query(
        `select status, attempts, last_error as error from mails where kind = 'message' and recipient = $1`,
        [leo.email],
      )
    ).rows
  const withheld = {
    status: 'failed',
    attempts: 0,
    error: 'Not sent: the recipient has unsubscribed from such emails.',
  }
  expect(await stateOf()).toEqual([withheld])
  // As a manager who retries it.
  await client.query(
    `update mails set failed_at = null, last_error = null, next_attempt_at = now() where recipient = $1`,
    [leo.email],
  )
  await run()
  expect(inbox.mails(leo.email)).toEqual([])
  expect(await stateOf()).toEqual([withheld])

  // Without its text, a message is not sent with another one.
  const { email } = await queue('zoe')
  await client.query('delete from mailings')
  await run()
  expect(inbox.mails(email)).toEqual([])
  const { rows: lost } = await client.query(
    'select status, last_error as error from mails where recipient = $1',
    [email],
  )
  expect(lost).toEqual([
    { status: 'failed', error: 'invalid_details: The text of this mail was removed.' },
  ])
})

test('a mail of a program has the brand that is in force when it is sent; one about an account has none', async () => {
  const seed = seeder(env)
  const { id: workspaceId } = await seed.addWorkspace()
  const [programId, otherId] = [
    await seed.addProgram(workspaceId),
    await seed.addProgram(workspaceId),
  ]
  const [partnerId, other] = [
    await seed.addPartner(workspaceId, programId, { slug: 'maya' }),
    await seed.addPartner(workspaceId, otherId, { slug: 'maya' }),
  ]
  const details = {
    programName: 'Pine Friends',
    workspaceName: 'Pine Notes',
    applicantName: 'Ann',
    invitedBy: 'ann@pine.example',
    amount: '1.00 USD',
    url: 'https://track.example/join',
    link: 'https://shop.example/?via=maya',
    portalUrl: 'https://track.example/portal',
  }
  const queued = [
    ['welcome', partnerId, null],
    ['connect_account', partnerId, null],
    ['partner_invitation', null, programId],
    ['application_rejected', null, programId],
    ['bank_refused', partnerId, null],
    ['moved', other, null],
    ['connect_reminder', null, null],
  ]
  for (const [kind, partner, program] of queued)
    await client.query(
      `insert into mails (id, workspace_id, kind, recipient, partner_id, program_id, details, created_at, next_attempt_at)
       values (uuidv7(), $1, $2, $2 || '@brand.example', $3, $4, $5, now(), now())`,
      [workspaceId, kind, partner, program, details],
    )
  await client.query(
    `insert into brands (program_id, workspace_id, logo_url, accent_color, support_email, version, change_id)
     values ($1, $2, 'https://cdn.pine-notes.com/logo.png', '#ffd400', 'help@pine-notes.com', 1, gen_random_uuid())`,
    [programId, workspaceId],
  )
  await client.query(
    `insert into applications (id, workspace_id, program_id, email, name, promotion, answers, applied_at, language)
     values (uuidv7(), $1, $2, 'application_rejected@brand.example', 'Ann', 'Blog', '[]', now(), 'de')`,
    [workspaceId, programId],
  )
  await run()
  expect(inbox.mails('application_rejected@brand.example')[0]?.html).toContain('<html lang="de"')
  const branded = queued.flatMap(([kind]) => {
    const [mail] = inbox.mails(`${kind}@brand.example`)
    expect([kind, mail?.text?.includes('Pine')]).toEqual([kind, true])
    const shows = [
      mail?.html?.includes('<img src="https://cdn.pine-notes.com/logo.png" alt="Pine Friends"'),
    ]
    shows.push(
      /\n\n(Questions\? Write to|Fragen\? Schreiben Sie an) help@pine-notes\.com\.\n$/.test(
        mail?.text ?? '',
      ),
    )
    expect([kind, shows[0]]).toEqual([kind, shows[1]])
    return shows[0] ? [kind] : []
  })
  expect(branded).toEqual([
    'welcome',
    'connect_account',
    'partner_invitation',
    'application_rejected',
  ])
})

test('a mail says what the partner earns when it is sent: by its group, its language, and not while another platform pays', async () => {
  const seed = seeder(env)
  const { id: workspaceId } = await seed.addWorkspace()
  const programId = await seed.addProgram(workspaceId, {
    reward: { percent: 20 },
    reward_duration_months: 12,
  })
  const groupId = await seed.addGroup(workspaceId, programId, {
    saleReward: {
      percent: 12.5,
      rules: [
        {
          name: '<i>Annual</i> plans',
          when: { all: [{ fact: 'billingInterval', in: ['year'] }] },
          pay: { kind: 'percent', basisPoints: 3_000 },
        },
      ],
    },
    leadReward: { amountCents: 1_250n, currency: 'EUR' },
  })
  const shadowId = await seed.addProgram(workspaceId, { mode: 'shadow', shadow_since: new Date() })
  const partners = [
    await seed.addPartner(workspaceId, programId, { slug: 'maya' }),
    await seed.addPartner(workspaceId, programId, { slug: 'noor', groupId }),
    await seed.addPartner(workspaceId, shadowId, { slug: 'sam' }),
  ]
  await client.query(`update partners set language = 'de' where id = $1`, [partners[1]])
  await client.query(
    `insert into applications (id, workspace_id, program_id, email, name, promotion, answers, invited_at, invited_by, group_id)
     values (uuidv7(), $1, $2, 'guest@reward.example', '', '', '[]', now(), 'ann@pine.example', $3)`,
    [workspaceId, programId, groupId],
  )
  const details = {
    programName: 'Friends',
    workspaceName: 'Pine Notes',
    link: 'https://shop.example/?via=maya',
    portalUrl: 'https://track.example/portal',
    url: 'https://track.example/join',
  }
  const queued = [
    ['moved', 'maya', partners[0], null],
    ['welcome', 'noor', partners[1], null],
    ['welcome', 'sam', partners[2], null],
    ['partner_invitation', 'guest', null, programId],
    ['application_rejected', 'nobody', null, programId],
  ]
  for (const [kind, name, partner, program] of queued)
    await client.query(
      `insert into mails (id, workspace_id, kind, recipient, partner_id, program_id, details, created_at, next_attempt_at)
       values (uuidv7(), $1, $2, $3, $4, $5, $6, now(), now())`,
      [
        workspaceId,
        kind,
        `${name}@reward.example`,
        partner,
        program,
        { ...details, applicantName: 'Jo' },
      ],
    )
  await run()
  const said = (name: string) =>
    (inbox.mails(`${name}@reward.example`)[0]?.text ?? 'no mail')
      .split('\n\n')
      .filter((paragraph) =>
        /^(What you earn|In addition|Was Sie|Außerdem|no mail)/.test(paragraph),
      )
  expect({ maya: said('maya'), noor: said('noor'), guest: said('guest') }).toEqual({
    maya: [
      'What you earn: 20% of each sale. A customer’s sales earn for 12 months after the first.',
    ],
    noor: [
      'Was Sie verdienen: 30 % für „<i>Annual</i> plans“, 12,5 % für alles andere. Verkäufe an einen Kunden werden 12 Monate lang ab dem ersten vergütet.',
      'Außerdem: 12,50 EUR für jeden Lead.',
    ],
    guest: [
      'What you earn: 30% for “<i>Annual</i> plans”, 12.5% for everything else. A customer’s sales earn for 12 months after the first.',
      'In addition: 12.50 EUR for each lead.',
    ],
  })
  expect(inbox.mails('guest@reward.example')[0]?.html).toContain(
    'What you earn: <bdi>30% for “&lt;i&gt;Annual&lt;/i&gt; plans”, ',
  )
  expect([said('sam'), said('nobody')]).toEqual([[], []])
})

test('the cron removes what names people once it is due, a thousand rows of a kind per run, and leaves the rest', async () => {
  const { id: workspaceId } = await seeder(env).addWorkspace()
  await client.query(
    `insert into mails (id, workspace_id, kind, recipient, details, created_at, next_attempt_at, sent_at)
     select uuidv7(), $1, 'invitation', 'jo@shop.example', '{}', now(), now(), now() - interval '1 day' * case when n <= 1100 then 91 else 89 end
     from generate_series(1, 1105) n`,
    [workspaceId],
  )
  await client.query(
    `insert into processor_events (id, workspace_id, processor, processor_event_id, type, livemode, customer, email, keys, facts, occurred_at, received_at)
     select uuidv7(), $1, 'stripe', 'evt_' || days, 'invoice.paid', true, 'cus_1', 'jo@buyer.example', array['in_' || days],
            '[{"customer": "cus_1", "email": "jo@buyer.example", "name": "Jo",
               "lines": [{"productId": "a", "metadata": {"for": "jo@buyer.example"}}, {"productId": "b"}]}]', now() - interval '1 day' * days, now()
     from unnest(array[547, 549]) days`,
    [workspaceId],
  )
  await client.query(
    `insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, metadata, steps, occurred_at, report_occurred_at)
     select uuidv7(), $1, 'lead', 'lead_' || days, 'lead', 'user_1', '{"email": "jo@buyer.example"}', '[]', now() - interval '1 day' * days, now()
     from unnest(array[395, 397]) days`,
    [workspaceId],
  )
  await client.query(
    `insert into sign_in.verifications (id, identifier, value, mailbox, next, expires_at, created_at, updated_at)
     select uuidv7(), 'link ' || minutes, '{"email": "jo@shop.example"}', 'jo@shop.example', '/app', now() + interval '1 minute' * minutes, now(), now()
     from unnest(array[-1, 9]) minutes`,
  )
  const named = async () => {
    const { rows } = await client.query(
      `select (select count(*)::int from mails where workspace_id = $1 and recipient <> '') as mails,
              (select count(*)::int from processor_events where workspace_id = $1 and facts::text like '%jo@%') as purchases,
              (select jsonb_agg(distinct facts #> '{0,lines,1}') from processor_events where workspace_id = $1) as lines,
              (select count(*)::int from events where workspace_id = $1 and metadata is not null) as metadata,
              (select count(*)::int from sign_in.verifications where mailbox = 'jo@shop.example') as links`,
      [workspaceId],
    )
    return rows[0]
  }
  await run()
  const lines = [{ productId: 'b' }]
  expect(await named()).toEqual({ mails: 105, purchases: 1, lines, metadata: 1, links: 1 })
  await run()
  await run()
  expect(await named()).toEqual({ mails: 5, purchases: 1, lines, metadata: 1, links: 1 })
  const logged = workers.takeLogs().filter((line) => line.includes('"job":"retention"'))
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([
    { mails: 1_000, purchases: 1, metadata: 1, expired: 1 },
    { mails: 100, purchases: 0, metadata: 0, expired: 0 },
  ])
})

const newWorkspace = async () => (await seeder(env).addWorkspace()).id

/** Puts mails into the outbox, each to an address of its own. @returns the addresses */
const queue = async (
  count: number,
  {
    workspaceId,
    kind = 'moved',
    details = {},
  }: { workspaceId?: string; kind?: MailKind; details?: object } = {},
): Promise<string[]> => {
  const workspace = workspaceId ?? (await newWorkspace())
  const addresses = Array.from({ length: count }, () => `p-${crypto.randomUUID()}@partners.example`)
  await client.query(
    `insert into mails (id, workspace_id, kind, recipient, details, created_at, next_attempt_at)
     select uuidv7(), $1, $4, recipient, $3, now(), now() - interval '1 second' from unnest($2::text[]) recipient`,
    [
      workspace,
      addresses,
      {
        partnerName: null,
        programName: 'Friends of Pine Notes',
        link: 'https://pine.example/?via=maya',
        portalUrl: 'https://track.example/portal',
        amount: '49.00 USD',
        ...details,
      },
      kind,
    ],
  )
  return addresses
}

const queueOne = async (details?: object): Promise<string> =>
  (await queue(1, details && { details }))[0] ?? ''

type Row = {
  status: MailStatus
  attempts: number
  last_error: string | null
  first_attempt_at: Date | null
  dueIn: number
}

/** A mail as it stands in the outbox, with the seconds until it is due. */
const look = async (recipient: string): Promise<Row> => {
  const { rows } = await client.query<Row>(
    `select case when sent_at is not null then 'sent' when failed_at is not null then 'failed'
                 when attempts > 0 then 'retrying' else 'queued' end as status,
            attempts, last_error, first_attempt_at,
            extract(epoch from next_attempt_at - now())::float as "dueIn"
     from mails where recipient = $1`,
    [recipient],
  )
  const [row] = rows
  if (!row) throw new Error(`No mail to ${recipient}.`)
  return row
}

/** How several mails are, in the order of the alphabet. */
const statuses = async (addresses: string[]): Promise<string[]> => {
  const found: string[] = []
  for (const address of addresses) found.push((await look(address)).status)
  return found.sort()
}

/** Lets time pass for all mails. */
const age = async (interval: string) => {
  await client.query(
    'update mails set next_attempt_at = next_attempt_at - $1::interval, first_attempt_at = first_attempt_at - $1::interval',
    [interval],
  )
  await client.query('update mail_usage set exhausted_until = exhausted_until - $1::interval', [
    interval,
  ])
}

const counts = (addresses: string[]) => addresses.map((address) => inbox.mails(address).length)
const ONCE = (addresses: string[]) => addresses.map(() => 1)

/**
 * Texts in the two statements of a run: the one that leases mails, and the one that saves the
 * results.
 */
const STATEMENTS = ['candidates', 'jsonb_to_recordset']
const failClaim = (...faults: Fault[]) => faulty.plan(STATEMENTS, faults)
const failMarks = (...faults: Fault[]) => faulty.plan(STATEMENTS, [null, ...faults])
/** As often as a run tries to write something down. */
const FOR_GOOD = Array<Fault>(6).fill('cut_before')

describe('a run', () => {
  test('sends each mail that is due once, and the next run nothing', async () => {
    const addresses = await queue(3)
    await run()
    await run()
    expect(counts(addresses)).toEqual([1, 1, 1])
    const [address = ''] = addresses
    expect(await look(address)).toMatchObject({ status: 'sent', attempts: 1, last_error: null })
    expect(inbox.mails(address)).toMatchObject([
      {
        subject: 'Friends of Pine Notes: we’ve moved the partner program Friends of Pine Notes',
        from: 'A merchant via Tributary <tributary@example.com>',
      },
    ])
  })

  test('leaves alone what a new workspace holds, and sends it once the workspace is trusted', async () => {
    const workspaceId = await newWorkspace()
    await client.query('update workspaces set trusted_at = null where id = $1', [workspaceId])
    const addresses = await queue(2, { workspaceId })
    const [known] = await queue(1)
    await run()
    expect(counts([...addresses, known ?? ''])).toEqual([0, 0, 1])
    await client.query('update workspaces set trusted_at = now() where id = $1', [workspaceId])
    await run()
    expect(counts(addresses)).toEqual([1, 1])
    expect(workers.takeLogs().join('\n')).toMatch(/"job":"held".*"released":2/)
  })

  test('leaves alone what is due later', async () => {
    const address = await queueOne()
    await age('-1 minute')
    await run()
    expect(inbox.mails(address)).toEqual([])
  })

  const invite = async (workspaceId: string): Promise<string> => {
    const recipient = `i-${crypto.randomUUID()}@pine.example`
    const act = { workspaceId, actor: 'ann@pine.example', now: new Date() }
    await invitationMail(act, recipient, {
      workspaceName: 'Pine',
      role: 'member',
      invitedBy: act.actor,
      url: 'https://track.example/',
    }).execute(connect(env))
    return recipient
  }

  test('makes at most 40 requests for mails, and the rest goes with the next', async () => {
    const workspaceId = await newWorkspace()
    const addresses: string[] = []
    for (let time = 0; time < 41; time++) addresses.push(await invite(workspaceId))
    await run()
    expect(counts(addresses).reduce((sum, count) => sum + count)).toBe(40)
    await run()
    expect(counts(addresses)).toEqual(ONCE(addresses))
  })

  test('and another one at once never send one mail twice', async () => {
    const addresses = await queue(100)
    await Promise.all([run(), run(), run()])
    expect(counts(addresses)).toEqual(ONCE(addresses))
    expect(inbox.mails(addresses[0])).toHaveLength(1)
  })

  test('sends invitations first, also of who has a large import, but not so many that nothing else goes', async () => {
    const workspaceId = await newWorkspace()
    const large = await queue(60, { workspaceId })
    const eager = await newWorkspace()
    const many: string[] = []
    for (let time = 0; time < 45; time++) many.push(await invite(eager))
    const one = await invite(workspaceId)
    await run()
    expect(counts([one])).toEqual([1])
    // Three quarters of 40 requests, and of those that the bulk mails, sent by one request, have
    // left.
    expect(counts(many).filter(Boolean)).toHaveLength(32)
    expect(counts(large).filter(Boolean)).toHaveLength(11)
  })

  test('lets a small workspace’s mails go between those of a large import, and invitations before both', async () => {
    const large = await queue(60)
    const small = await queue(2)
    const recipient = await invite(await newWorkspace())
    await run()
    expect(counts(small)).toEqual([1, 1])
    expect(inbox.mails(recipient)).toHaveLength(1)
    const places = new Map(inbox.mails().map(({ to }, index) => [to, 62 - index]))
    expect(places.get(recipient)).toBe(0)
    expect(small.filter((address) => (places.get(address) ?? 40) < 40)).toEqual(small)
    expect(counts(large)).toEqual(ONCE(large))
  })

  test('lets mails of another kind go between those of a large import, of the same workspace too', async () => {
    const workspaceId = await newWorkspace()
    await queue(60, { workspaceId })
    const [recipient = ''] = await queue(1, { workspaceId, kind: 'connect_account' })
    await run()
    expect(inbox.mails(recipient)).toMatchObject([
      { subject: 'You have earned 49.00 USD from Friends of Pine Notes' },
    ])
  })

  test('takes two fetches to the database, whatever it sends', async () => {
    await queue(20)
    await run()
    expect(faulty.fetches(STATEMENTS)).toBe(2)
  })

  test('logs one line of JSON without an address, and none when nothing was due', async () => {
    const [address = ''] = await queue(2)
    inbox.plan({ status: 500, name: 'application_error' })
    await run()
    await run()
    const lines = workers.takeLogs()
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      {
        level: 'info',
        job: 'mailer',
        ms: expect.any(Number),
        sent: 1,
        retried: 1,
        failed: 0,
        waiting: 0,
      },
    ])
    expect(lines.join()).not.toContain(address)
  })
})

describe('a run that is killed after sending and before writing it down', () => {
  test('says so in the log, and leads to a second try once its lease is over, and to one mail', async () => {
    const addresses = await queue(3)
    failMarks(...FOR_GOOD)
    await run().catch(() => {})
    expect(counts(addresses)).toEqual([1, 1, 1])
    expect(await look(addresses[0] ?? '')).toMatchObject({ status: 'retrying', attempts: 1 })
    const [line = '{}'] = workers.takeLogs().filter((entry) => entry.startsWith('{'))
    expect(JSON.parse(line)).toMatchObject({
      level: 'error',
      job: 'mailer',
      error: 'The database did not answer.',
    })

    await run()
    // within the lease nobody else takes them
    expect((await look(addresses[0] ?? '')).status).toBe('retrying')

    await age('5 minutes')
    await run()
    expect(counts(addresses)).toEqual([1, 1, 1])
    expect(await look(addresses[0] ?? '')).toMatchObject({ status: 'sent', attempts: 2 })
  })

  test('ends in one mail, too, when the template has changed in between', async () => {
    const address = await queueOne()
    failMarks(...FOR_GOOD)
    await run().catch(() => {})
    await client.query(`update mails set details = details || '{"programName": "Another name"}'`)
    await age('5 minutes')
    await run()
    expect(inbox.mails(address)).toHaveLength(1)
    expect((await look(address)).status).toBe('sent')
  })

  test('is not followed by another try a day later, when the transport has forgotten the mail', async () => {
    const address = await queueOne()
    failMarks(...FOR_GOOD)
    await run().catch(() => {})
    await age('23 hours 1 minute')
    await run()
    expect(inbox.mails(address)).toHaveLength(1)
    expect(await look(address)).toMatchObject({
      status: 'failed',
      last_error: expect.stringContaining('it may have been sent'),
    })
  })
})

test.each<Fault>(['cut_before', 'cut_after', 'half', 'wake_500', 'shutdown_57P01'])(
  'a run whose last statement meets %s once writes it down all the same',
  async (fault) => {
    const addresses = await queue(2)
    failMarks(fault)
    await run()
    expect(counts(addresses)).toEqual([1, 1])
    expect(await look(addresses[0] ?? '')).toMatchObject({ status: 'sent', attempts: 1 })
  },
)

test('a run asks again which mails it has taken, and sends them', async () => {
  const addresses = await queue(2)
  failClaim('cut_after', 'cut_after')
  await run()
  expect(counts(addresses)).toEqual([1, 1])
  expect(await look(addresses[0] ?? '')).toMatchObject({ status: 'sent', attempts: 1 })
})

test('a run whose mails were taken, but never arrived, leaves them to the run after the lease', async () => {
  const addresses = await queue(2)
  failClaim('cut_after', 'cut_after', 'cut_after')
  await run()
  expect(counts(addresses)).toEqual([0, 0])
  await age('5 minutes')
  await run()
  expect(counts(addresses)).toEqual([1, 1])
})

describe('a mail that', () => {
  test('is refused has failed at once, with the reason, and holds up no other', async () => {
    const addresses = await queue(2)
    inbox.plan({ status: 422, name: 'validation_error' })
    await run()
    expect(await statuses(addresses)).toEqual(['failed', 'sent'])
    const { rows } = await client.query('select last_error from mails where failed_at is not null')
    expect(rows).toEqual([{ last_error: 'validation_error: Simulated failure.' }])
  })

  test('is addressed to nobody or to two is not sent at all', async () => {
    const address = await queueOne()
    const hostile = `${address},all@victims.example`
    await client.query('update mails set recipient = $1', [hostile])
    await run()
    expect(await look(hostile)).toMatchObject({
      status: 'failed',
      last_error: expect.stringMatching(/^invalid_address/),
    })
    expect(inbox.mails(hostile)).toEqual([])
  })

  test('lacks what its template needs has failed, and holds up no other', async () => {
    const broken = await queueOne({ link: '' })
    const address = await queueOne()
    await run()
    expect(await look(broken)).toMatchObject({
      status: 'failed',
      last_error: expect.stringContaining('lack link'),
    })
    expect(inbox.mails(address)).toHaveLength(1)
  })

  test.each([
    { status: 500 as const, name: 'application_error' },
    'garbage' as const,
    'cut_after' as const,
  ])('meets %j is tried again after about a minute, and arrives once', async (failure) => {
    const address = await queueOne()
    inbox.plan(failure)
    await run()
    const { dueIn, ...row } = await look(address)
    expect(row).toMatchObject({ status: 'retrying', attempts: 1, last_error: expect.any(String) })
    expect(dueIn).toBeGreaterThan(50)
    expect(dueIn).toBeLessThan(75)

    await age('75 seconds')
    await run()
    expect(inbox.mails(address)).toHaveLength(1)
    expect(await look(address)).toMatchObject({ status: 'sent', attempts: 2, last_error: null })
  })

  test('never succeeds is tried eight times, then waits for a manager', async () => {
    const address = await queueOne()
    const pauses: number[] = []
    for (let attempt = 1; attempt <= 8; attempt++) {
      inbox.plan({ status: 500, name: 'application_error' })
      await run()
      const { status, dueIn } = await look(address)
      expect(status).toBe(attempt < 8 ? 'retrying' : 'failed')
      if (attempt < 8) pauses.push(dueIn)
      await age(`${Math.ceil(dueIn) + 1} seconds`)
    }
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b))
    expect(await look(address)).toMatchObject({
      attempts: 8,
      last_error: expect.stringMatching(/^application_error/),
    })
    await run()
    expect(inbox.mails(address)).toEqual([])
  })
})

describe('a transport that', () => {
  test('asks for a long pause ends the run, costs no mail a try, and says why', async () => {
    const addresses = await queue(5)
    inbox.plan({ status: 429, name: 'rate_limit_exceeded', retryAfter: 30 })
    const before = inbox.calls()
    await run()
    expect(inbox.calls() - before).toBe(1)
    for (const address of addresses) {
      const { dueIn, ...row } = await look(address)
      expect(row).toEqual({
        status: 'queued',
        attempts: 0,
        first_attempt_at: null,
        last_error: 'rate_limit_exceeded: Simulated failure.',
      })
      expect(dueIn).toBeGreaterThan(20)
    }
    await age('30 seconds')
    await run()
    expect(counts(addresses)).toEqual([1, 1, 1, 1, 1])
  })

  test('asks for a second is waited for', async () => {
    const addresses = await queue(3)
    inbox.plan(null, { status: 429, name: 'rate_limit_exceeded', retryAfter: 1 })
    await run()
    expect(counts(addresses)).toEqual([1, 1, 1])
  })

  test('has no quota left makes mails wait for as many days as it takes', async () => {
    const address = await queueOne()
    for (let day = 0; day < 3; day++) {
      inbox.plan({ status: 429, name: 'daily_quota_exceeded' })
      await run()
      expect(await look(address)).toMatchObject({ status: 'queued', attempts: 0 })
      await age('24 hours')
    }
    await run()
    expect((await look(address)).status).toBe('sent')
  })

  test('isn’t set up makes mails wait, with what to do about it', async () => {
    const address = await queueOne()
    const nowhere = chooseSenders({ MAIL_FROM: 'Tributary <tributary@example.com>' })
    expect(await sendDue(sending, nowhere, 45_000)).toMatchObject({
      sent: 0,
      waiting: 1,
      code: 'no_transport',
    })
    expect(await look(address)).toMatchObject({
      status: 'queued',
      last_error: 'no_transport: No transport: set RESEND_API_KEY or bind EMAIL.',
    })
  })

  test('answers with what Postgres can’t hold does not keep the others from being written down', async () => {
    const addresses = await queue(2)
    const outcomes = [
      { kind: 'refused' as const, code: 'odd', message: `\0\uD800${'👩'.repeat(400)}` },
    ]
    const transport: Transport = async () => outcomes.pop() ?? { kind: 'sent', waitSeconds: 0 }
    await sendDue(sending, sendersOf(transport), 45_000)
    expect(await statuses(addresses)).toEqual(['failed', 'sent'])
  })

  test('takes long has as many mails as fit into the run, and the rest is as it was', async () => {
    const addresses = await queue(3)
    const start = Date.now()
    const clock = { late: false }
    const now = Date.now
    Date.now = () => now() + (clock.late ? 46_000 : 0)
    const slow = async () => {
      clock.late = true
      return { kind: 'sent' as const, waitSeconds: 0 }
    }
    await sendDue(sending, sendersOf(slow), 45_000).finally(() => {
      Date.now = now
    })
    expect(Date.now() - start).toBeLessThan(10_000)
    expect(await statuses(addresses)).toEqual(['queued', 'queued', 'sent'])
  })
})

test('nobody reaches the mailer by HTTP: the router has no way to it', async () => {
  expect((await fetch(new URL('/mailer', workers.url))).status).toBe(404)
})
