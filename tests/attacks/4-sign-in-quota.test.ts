import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { applySchema } from '../../cli/schema.ts'
import { seeder } from '../../dev/demo/seed.ts'
import { type Inbox, startInbox } from '../../dev/fakes/inbox.ts'
import type { Workers } from '../../dev/runtime/workers.ts'
import { openOwnDatabase } from '../support/own-database.ts'
import { newestLink, press, somebody, submit } from '../support/people.ts'
import { RESEND_API_KEY } from '../support/secrets.ts'
import { startOwnWorkers } from '../support/workers.ts'

// What is counted is of a whole installation, so this has a database of its own, with the settings
// of a deployment.
const DEFAULTS = {
  UNKNOWN_DAILY_SIGN_INS: '',
  NETWORK_DAILY_SIGN_INS: '',
  MAILBOX_DAILY_SIGN_INS: '',
}
let own: Awaited<ReturnType<typeof openOwnDatabase>>
let inbox: Inbox
let workers: Workers
let baseUrl: string
beforeAll(async () => {
  own = await openOwnDatabase('sign_in_quota')
  // For the roles, which have the name of the database.
  await applySchema(own.database.DATABASE_URL)
  inbox = await startInbox()
  workers = await startOwnWorkers(['auth', 'mailer'], {
    ...own.database,
    ...DEFAULTS,
    RESEND_API_KEY,
    RESEND_URL: inbox.url,
  })
  baseUrl = workers.url.origin
})
beforeEach(async () => {
  await query('delete from sign_in.request_counts')
  await query('delete from mail_usage')
  inbox.account.subscribe({ daily: 100, perSecond: 1_000 })
})
afterAll(async () => {
  await workers.stop()
  await inbox.stop()
  await own.stop()
})

const query = <Row extends Record<string, unknown>>(
  text: string,
  values: unknown[] = [],
): Promise<Row[]> => own.pool.query<Row>(text, values)

const setUsed = (used: number) =>
  query(
    `insert into mail_usage (account, day, sent, daily_used, reported_at) values ('personal', current_date, 0, $1, now())
     on conflict (account) do update set daily_used = excluded.daily_used, reported_at = excluded.reported_at`,
    [used],
  )
/** Waits until what the last answer has said is saved, which is after the response. */
const untilNoted = () =>
  expect
    .poll(
      async () =>
        (await query<{ daily_used: number }>('select daily_used from mail_usage'))[0]?.daily_used,
      {
        timeout: 60_000,
      },
    )
    .toBe(inbox.mails().length)

let networks = 0
/** Somebody in a network of its own. */
const elsewhere = () => ({ 'CF-Connecting-IP': `203.0.${++networks}.7` })
const ask = async (email: string, headers: Record<string, string> = elsewhere()) => {
  const answer = await submit(`${baseUrl}/sign-in`, { email }, headers)
  const text = (await answer.text()).replaceAll(email, 'EMAIL').replace(/Request [0-9a-f-]{36}/, '')
  return { status: answer.status, text, cookies: answer.headers.getSetCookie() }
}
const arrived = (email: string) => inbox.mails(email).length
const untilArrived = (email: string, count = 1) =>
  expect.poll(() => arrived(email), { timeout: 60_000 }).toBe(count)

/** A partner of a workspace that the operator trusts, who has never signed in. */
const newPartner = async () => {
  const email = somebody('partner')
  const seed = seeder(own.database)
  const { id } = await seed.addWorkspace()
  await seed.addPartner(id, await seed.addProgram(id), { slug: 'maya', email })
  return email
}

test('strangers of many networks spend a quarter of the free quota at most, and people who are known sign in after that', async () => {
  await setUsed(0)
  const strangers = Array.from({ length: 40 }, () => somebody('stranger'))
  const answers = []
  for (const email of strangers) answers.push(await ask(email))
  const mailed = strangers.filter((email) => arrived(email) > 0)
  expect(mailed).toHaveLength(25)
  // Nobody can tell from the answer who was mailed.
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(new Set(answers.map(({ status, cookies }) => `${status} ${cookies.length}`)).size).toBe(1)

  const partner = await newPartner()
  expect((await ask(partner)).text).toBe(answers[0]?.text)
  await untilArrived(partner)
  await untilNoted()
  expect((await press(await newestLink(partner, inbox.url))).status).toBe(303)
})

test('a stranger’s network gets ten links a day; after that, known addresses alone are mailed, and the answers and their pages are the same', async () => {
  const here = elsewhere()
  const strangers = Array.from({ length: 13 }, () => somebody('stranger'))
  const [known, unknown] = [await newPartner(), somebody('stranger')]
  for (const email of strangers.slice(0, 10)) await ask(email, here)
  // Beyond the limit per second, which is the same for all.
  await query(`update sign_in.request_counts set requests = 10 where key like 'from %'`)
  expect(strangers.filter((email) => arrived(email) > 0)).toHaveLength(10)

  const neighbor = { 'CF-Connecting-IP': here['CF-Connecting-IP'].replace(/\d+$/, '200') }
  const pages = []
  for (const email of [known, unknown]) {
    const { text, cookies } = await ask(email, neighbor)
    const cookie = cookies.map((one) => one.split(';')[0]).join('; ')
    const state = async () =>
      (
        await (
          await fetch(`${baseUrl}/sign-in/code`, { headers: { ...neighbor, Cookie: cookie } })
        ).text()
      ).replaceAll(email, 'EMAIL')
    await expect.poll(state, { timeout: 60_000 }).toContain('A sign-in link was sent to')
    pages.push([text, await state()])
  }
  expect(pages[0]).toEqual(pages[1])
  await untilArrived(known)
  await untilNoted()
  expect(arrived(unknown)).toBe(0)
  const kept = await query<{ key: string }>('select key from sign_in.request_counts')
  const addresses = kept.filter(({ key }) => /\d\.(7|200)$|@/.test(key))
  expect(addresses).toEqual([])
})

test('a person’s own browser is mailed when strangers have used up all that they may, and is told that mail to the address bounces', async () => {
  const email = await newPartner()
  await ask(email)
  await untilArrived(email)
  await untilNoted()
  const cookies = (await press(await newestLink(email, inbox.url))).headers.getSetCookie()
  const browser = cookies.find((one) => one.includes('tributary.browser'))?.split(';')[0] ?? ''
  await query(`update sign_in.users set mail_problem = 'bounced' where email = $1`, [email])
  await setUsed(75)
  const stranger = await ask(email)
  expect(stranger.text).not.toContain('bounced.')
  expect(stranger.text).toContain('No link arrives where mail to the address bounces')
  const ours = await ask(email, { ...elsewhere(), Cookie: browser })
  await untilArrived(email, 3)
  await untilNoted()
  expect(ours.text).toContain(
    'The last email to this address bounced. If no link arrives, ask the merchant',
  )
  // Another’s browser is told nothing of it.
  const other = await newPartner()
  await query(
    `insert into sign_in.users (id, name, email, email_verified, created_at, updated_at, mail_problem)
                   values (uuidv7(), '', $1, true, now(), now(), 'bounced')`,
    [other],
  )
  expect((await ask(other, { ...elsewhere(), Cookie: browser })).text).not.toContain('bounced.')
})

describe('when the provider’s quota is gone', () => {
  test('everybody is told so, known or not, and nobody asks the provider again for some minutes', async () => {
    inbox.account.subscribe({ daily: 0 })
    const [known, unknown] = [await newPartner(), somebody('stranger')]
    const first = await ask(unknown)
    expect(first.status).toBe(503)
    expect(first.text).toMatch(
      /This installation has reached its email limit, so it sends no sign-in links for now\. .*Try again after \d\d:\d\d \(UTC\)/,
    )
    await expect
      .poll(async () => (await query('select exhausted_until from mail_usage')).length)
      .toBe(1)
    const calls = inbox.calls()
    const [a, b] = [await ask(known), await ask(unknown)]
    expect([a.status, a.text]).toEqual([b.status, b.text])
    expect(inbox.calls()).toBe(calls)
    const json = await fetch(`${baseUrl}/api/auth/sign-in/magic-link`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: baseUrl, ...elsewhere() },
      body: JSON.stringify({ email: known }),
    })
    expect(json.status).toBe(503)
    expect(Number(json.headers.get('Retry-After'))).toBeGreaterThan(500)

    await query(`update mail_usage set exhausted_until = now() - interval '1 second'`)
    inbox.account.subscribe({ daily: 1_000 })
    expect((await ask(known)).status).toBe(200)
    await untilArrived(known)
    await untilNoted()
  })
})

test('where sign-up is open, a partner that a workspace has added is a stranger until the operator trusts it', async () => {
  const email = await newPartner()
  await query(
    `update workspaces set trusted_at = null where id = (select workspace_id from partners where email = $1)`,
    [email],
  )
  await setUsed(75)
  await ask(email)
  const known = await newPartner()
  await ask(known)
  await untilArrived(known)
  expect(arrived(email)).toBe(0)
})
