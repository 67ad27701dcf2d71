/** Somebody who has another person's session: the owner sees it, and ends it. */
import { describe, expect, inject, test } from 'vitest'
import { useDatabase } from '../support/merchant.ts'
import {
  askForLink,
  cookieOf,
  fromSomewhere,
  press,
  somebody,
  submit,
  whoIs,
} from '../support/people.ts'

const database = useDatabase()
const url = (path: string) => `${inject('baseUrl')}${path}`

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'

const signInBy = async (email: string, browser: string): Promise<string> =>
  cookieOf(await press(await askForLink(email), { ...fromSomewhere(), 'User-Agent': browser }))

const sessionsPage = async (cookie: string) =>
  (await fetch(url('/auth/sessions'), { headers: { Cookie: cookie } })).text()

const sessionsOf = (email: string) =>
  database.query<{
    id: string
    user_agent: string | null
    ip_address: string | null
    token: string
  }>(
    `select s.* from sign_in.sessions s join sign_in.users u on u.id = s.user_id where u.email = $1 order by s.created_at`,
    [email],
  )

const end = (cookie: string, session: string) =>
  submit(url('/auth/sessions/sign-out'), { session }, { Cookie: cookie })

describe('a session in a foreign browser', () => {
  test('is listed in plain words, and ended alone', async () => {
    const email = somebody()
    const own = await signInBy(email, FIREFOX)
    const thief = await signInBy(email, IPHONE)
    const page = await sessionsPage(own)
    expect(page).toMatch(/Firefox on Linux[\s\S]*This browser[\s\S]*Safari on iPhone/)

    const [, theirs] = await sessionsOf(email)
    const answer = await end(own, theirs?.id ?? '')
    expect({ status: answer.status, to: answer.headers.get('Location') }).toEqual({
      status: 303,
      to: '/auth/sessions?done=signed_out',
    })
    expect(await whoIs(thief)).toBeNull()
    expect(await whoIs(own)).toBe(email)
    expect(await sessionsPage(own)).not.toContain('iPhone')
  })

  test('ends with all others by “Sign out everywhere”', async () => {
    const email = somebody()
    const cookies = [await signInBy(email, FIREFOX), await signInBy(email, IPHONE)]
    const [own = ''] = cookies
    const other = await signInBy(somebody(), FIREFOX)
    const answer = await submit(url('/auth/sessions/sign-out-everywhere'), {}, { Cookie: own })
    expect({ status: answer.status, to: answer.headers.get('Location') }).toEqual({
      status: 303,
      to: '/sign-in?done=everywhere',
    })
    expect(answer.headers.getSetCookie().join()).toContain('tributary.session=; Max-Age=0')
    expect(await Promise.all(cookies.map((cookie) => whoIs(cookie)))).toEqual([null, null])
    expect(await whoIs(other)).not.toBeNull()
    const after = await fetch(url('/sign-in?done=everywhere'))
    expect(await after.text()).toContain('You are signed out in all browsers.')
  })
})

test('nobody ends the session of another person, nor one by a made-up id', async () => {
  const [ann, eve] = [somebody('ann'), somebody('eve')]
  const victim = await signInBy(ann, FIREFOX)
  const attacker = await signInBy(eve, IPHONE)
  const [session] = await sessionsOf(ann)
  for (const id of [session?.id ?? '', '', 'x', "' or true --", '\0']) {
    expect((await end(attacker, id)).status).toBe(303)
  }
  expect(await whoIs(victim)).toBe(ann)
  expect(await whoIs(attacker)).toBe(eve)
})

test('no other site, and nobody who is signed out, ends a session or sees the list', async () => {
  const email = somebody()
  const cookie = await signInBy(email, FIREFOX)
  for (const path of ['/auth/sessions/sign-out', '/auth/sessions/sign-out-everywhere']) {
    const foreign = await submit(url(path), {}, { Cookie: cookie, Origin: 'https://evil.example' })
    expect(foreign.status).toBe(403)
    const anonymous = await submit(url(path), {})
    expect(anonymous.headers.get('Location')).toBe('/sign-in?next=%2Fauth%2Fsessions')
  }
  const list = await fetch(url('/auth/sessions'), { redirect: 'manual' })
  expect(list.headers.get('Location')).toBe('/sign-in?next=%2Fauth%2Fsessions')
  expect(await whoIs(cookie)).toBe(email)
})

test('the list gives away no token, and only what is shown of a browser is stored', async () => {
  const email = somebody()
  const cookie = await signInBy(email, `${IPHONE} <script>alert(1)</script> jo@private.example`)
  const [session] = await sessionsOf(email)
  expect(session).toMatchObject({ user_agent: 'Safari on iPhone', ip_address: '' })
  const page = await sessionsPage(cookie)
  expect(page).not.toContain(session?.token)
  expect(page).not.toMatch(/alert\(1\)|private\.example/)
})

test('a session that has ended after 30 days without use, or after 90, is not listed', async () => {
  const email = somebody()
  const cookies = [await signInBy(email, FIREFOX), await signInBy(email, IPHONE)]
  const [, old] = await sessionsOf(email)
  await database.query(
    `update sign_in.sessions set created_at = created_at - interval '90 days' where id = $1`,
    [old?.id],
  )
  expect(await sessionsPage(cookies[0] ?? '')).not.toContain('iPhone')
})
