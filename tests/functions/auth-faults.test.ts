import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { type Inbox, startInbox } from '../../dev/fakes/inbox.ts'
import type { Workers } from '../../dev/runtime/workers.ts'
import { type Fault, startFaultyDatabase } from '../support/faulty-database.ts'
import { send, useDatabase } from '../support/merchant.ts'
import {
  askForLink,
  cookieOf,
  fromSomewhere,
  newestLink,
  press,
  signIn,
  somebody,
  submit,
  whoIs,
} from '../support/people.ts'
import { RESEND_API_KEY } from '../support/secrets.ts'
import { startOwnWorkers } from '../support/workers.ts'

const database = useDatabase()
let faulty: Awaited<ReturnType<typeof startFaultyDatabase>>
let inbox: Inbox
let workers: Workers
let place: { baseUrl: string; inboxUrl: string }
beforeAll(async () => {
  const { SQL_ENDPOINT } = inject('database')
  ;[faulty, inbox] = await Promise.all([startFaultyDatabase(SQL_ENDPOINT), startInbox()])
  workers = await startOwnWorkers(['auth', 'mailer', 'dashboard', 'portal', 'manage'], {
    SQL_ENDPOINT: faulty.url,
    RESEND_API_KEY,
    RESEND_URL: inbox.url,
  })
  place = { baseUrl: workers.url.origin, inboxUrl: inbox.url }
})
afterAll(async () => {
  await workers.stop()
  await Promise.all([faulty.stop(), inbox.stop()])
})

/** Nobody else uses these Workers, so every fetch is the one that is looked at. */
const EVERYBODY = ['']
const plan = (...faults: (Fault | null)[]) => faulty.plan(EVERYBODY, faults)
const fetches = () => faulty.fetches(EVERYBODY)
beforeEach(() => plan())

const down = () => plan(...Array<Fault>(60).fill('wake_500'))

describe('database round trips', () => {
  test('2 to create a link, 1 to show it, 7 to 8 to redeem it, 1 to read a session, 2 to end it', async () => {
    const email = somebody()
    const link = await askForLink(email, place)
    expect(fetches()).toBe(2)
    plan()
    for (const method of ['GET', 'HEAD', 'GET']) await (await fetch(link, { method })).text()
    expect(fetches()).toBe(3)
    plan()
    const cookie = cookieOf(await press(link))
    expect(fetches()).toBe(8)
    const again = await askForLink(email, place)
    plan()
    await press(again)
    expect(fetches()).toBe(7)
    plan()
    expect(await whoIs(cookie, place.baseUrl)).toBe(email)
    expect(fetches()).toBe(1)
    plan()
    await submit(`${place.baseUrl}/auth/sign-out`, {}, { Cookie: cookie })
    expect(fetches()).toBe(2)
  })

  test('none for a forged cookie, an unknown cookie or an invalid email address', async () => {
    expect(await whoIs('tributary.session=forged.forged', place.baseUrl)).toBeNull()
    expect(await whoIs('theme=dark', place.baseUrl)).toBeNull()
    await submit(`${place.baseUrl}/sign-in`, { email: 'nobody' })
    await submit(`${place.baseUrl}/auth/confirm`, { token: '' })
    expect(fetches()).toBe(0)
  })
})

const FAULTS: Fault[] = ['cut_before', 'cut_after', 'wake_500', 'shutdown_57P01']

describe('a database that fails once', { tags: 'thorough' }, () => {
  test.each(FAULTS)('with %s does not affect a request for a link', async (fault) => {
    const email = somebody()
    plan(fault)
    const link = await askForLink(email, place)
    const rows = await database.query(
      `select 1 from sign_in.verifications where value like '%' || $1 || '%'`,
      [email],
    )
    expect(rows).toHaveLength(1)
    expect((await press(link)).status).toBe(303)
  })

  // The statements of using a link for the first time, in their order.
  const STEPS = ['read', 'find', 'take', 'clear', 'who', 'person', 'session', 'browser']
  test.each(FAULTS.flatMap((fault) => STEPS.map((step, index) => ({ fault, step, index }))))(
    'with $fault while a link is redeemed ($step) signs in at most once',
    async ({ fault, index }) => {
      const email = somebody()
      const link = await askForLink(email, place)
      plan(...Array<null>(index).fill(null), fault)
      const first = await press(link)
      plan()
      const second = await press(link)

      expect([303, 400]).toContain(first.status)
      expect(second.status).toBe(400)
      const sessions = await database.query(
        'select 1 from sign_in.sessions s join sign_in.users u on u.id = s.user_id where u.email = $1',
        [email],
      )
      expect(sessions).toHaveLength(first.status === 303 ? 1 : 0)
      // Only the answer to the statement that takes the link can't be asked for again.
      if (STEPS[index] !== 'take') expect(first.status).toBe(303)
    },
  )
})

describe('a database that is down', () => {
  test('returns 503 from pages and JSON alike, and signs nobody in', async () => {
    const email = somebody()
    const cookie = await signIn(email, place)
    const link = await askForLink(email, place)
    const { baseUrl } = place
    const asks: (() => Promise<Response>)[] = [
      () => submit(`${baseUrl}/sign-in`, { email: somebody() }),
      () => press(link),
      () => submit(`${baseUrl}/auth/sign-out`, {}, { Cookie: cookie }),
      () => fetch(`${baseUrl}/api/auth/get-session`, { headers: { Cookie: cookie } }),
      () => fetch(`${baseUrl}/app`, { headers: { Cookie: cookie }, redirect: 'manual' }),
    ]
    for (const ask of asks) {
      down()
      const answer = await ask()
      expect({ status: answer.status, cookies: answer.headers.getSetCookie() }).toEqual({
        status: 503,
        cookies: [],
      })
      expect(answer.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/)
      expect(await answer.text()).not.toMatch(/select|insert|wake|postgres/i)
    }
    plan()
    expect(await whoIs(cookie, baseUrl)).toBe(email)
    expect((await press(link)).status).toBe(303)
  })
})

describe('a mail that can’t be sent', () => {
  test('returns 503, and does not count against the next request', async () => {
    const email = somebody()
    // More often than an address may have unused links: those that were not sent don't count.
    for (let time = 0; time < 6; time++) {
      inbox.plan(
        ...Array<{ status: 500; name: string }>(4).fill({
          status: 500,
          name: 'internal_server_error',
        }),
      )
      const answer = await submit(`${place.baseUrl}/sign-in`, { email })
      expect(answer.status).toBe(503)
      expect(await answer.text()).toContain('The mail could not be sent. Try again')
      expect(answer.headers.get('Retry-After')).toBe('60')
    }
    expect(workers.takeLogs().join()).toMatch(/"cause":"[^"]+"/)
    inbox.plan()
    expect((await press(await askForLink(email, place))).status).toBe(303)
  })
})

test('logs contain no token, cookie or email address', async () => {
  workers.takeLogs()
  const email = somebody()
  const link = await askForLink(email, { ...place, next: '/app/secret-place' })
  await (await fetch(link)).text()
  const cookie = cookieOf(await press(link))
  await press(link)
  await submit(`${place.baseUrl}/auth/sign-out`, {}, { Cookie: cookie })
  const lines = workers.takeLogs().join('\n')
  expect(lines).toContain('"route":"/auth/confirm"')
  for (const secret of [
    link.searchParams.get('token') ?? 'none',
    ...cookie.split('; ').map((pair) => pair.split('=')[1] ?? 'none'),
    email,
    'secret-place',
  ])
    expect(lines).not.toContain(secret)
})

describe('on https', () => {
  const at = (path: string, init?: RequestInit) =>
    workers.fetchAt(`https://tributary.example${path}`, { redirect: 'manual', ...init })
  const submitAt = (
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ) =>
    at(path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { ...fromSomewhere(), ...headers },
    })

  test('links use https, and the cookie is Secure, HttpOnly and host-only', async () => {
    const email = somebody()
    expect(
      (await submitAt('/sign-in', { email }, { 'X-Forwarded-Host': 'evil.example' })).status,
    ).toBe(200)
    const link = await newestLink(email, place.inboxUrl)
    expect(link.origin).toBe('https://tributary.example')

    const answer = await submitAt('/auth/confirm', Object.fromEntries(link.searchParams))
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-tributary\.session=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
      ),
      expect.stringMatching(
        /^__Host-tributary\.browser=\w{32}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
      ),
    ])
    const cookie = cookieOf(answer)
    const page = async (path: string, value: string) =>
      (await at(path, { headers: { Cookie: value } })).status
    expect(await page('/app', cookie)).toBe(200)
    // Without its prefix it may have been planted.
    expect(await page('/app', cookie.replace('__Host-', ''))).toBe(303)

    const out = await submitAt('/auth/sign-out', {}, { Cookie: cookie })
    expect(out.headers.getSetCookie()).toEqual([
      '__Host-tributary.session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure',
    ])
    expect(await page('/app', cookie)).toBe(303)
  })

  test('plain http is redirected to https before anything is read', async () => {
    for (const method of ['GET', 'POST']) {
      const answer = await workers.fetchAt('http://tributary.example/sign-in?next=/app', {
        method,
        redirect: 'manual',
      })
      expect({ status: answer.status, to: answer.headers.get('Location') }).toEqual({
        status: 308,
        to: 'https://tributary.example/sign-in?next=/app',
      })
    }
  })
})

test('a secret that is too short signs nobody in', async () => {
  const weak = await startOwnWorkers(['auth'], { AUTH_SECRET: 'short' })
  try {
    const { status, body } = await send(`${weak.url.origin}/api/auth/get-session`)
    expect({ status, code: body.error?.code }).toEqual({ status: 500, code: 'internal' })
  } finally {
    await weak.stop()
  }
})
