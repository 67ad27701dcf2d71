import { describe, expect, inject, test } from 'vitest'
import { LINK_MINUTES, SESSION_DAYS } from '../../lib/auth/better-auth.ts'
import { createMerchant, send, useDatabase } from '../support/merchant.ts'
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

const database = useDatabase()

const url = (path: string) => `${inject('baseUrl')}${path}`

describe('a link', () => {
  test('signs in a new user and redirects to the next page', async () => {
    const email = somebody()
    const link = await askForLink(email, { next: '/app/acme?tab=1' })
    expect(link.origin).toBe(inject('baseUrl'))
    expect(await (await fetch(link)).text()).toContain('<button type="submit">Sign in</button>')

    const answer = await press(link)
    expect({ status: answer.status, to: answer.headers.get('Location') }).toEqual({
      status: 303,
      to: '/app/acme?tab=1',
    })
    expect(await whoIs(cookieOf(answer))).toBe(email)
  })

  test('normalizes the email address', async () => {
    const email = somebody()
    await submit(url('/sign-in'), { email: `  ${email.toUpperCase()} ` })
    expect(await whoIs(cookieOf(await press(await newestLink(email))))).toBe(email)
  })

  test('and the session work over JSON too', async () => {
    const email = somebody()
    const asked = await send(url('/api/auth/sign-in/magic-link'), {
      body: { email },
      headers: fromSomewhere(),
    })
    expect({ status: asked.status, body: asked.body }).toEqual({
      status: 200,
      body: { status: true },
    })
    const cookie = cookieOf(await press(await newestLink(email)))
    const { body } = await send(url('/api/auth/sign-out'), {
      body: {},
      headers: { Cookie: cookie },
    })
    expect(body).toEqual({ success: true })
    expect(await whoIs(cookie)).toBeNull()
  })

  test('is not redeemed by GET requests, such as those of mail scanners', async () => {
    const link = await askForLink(somebody())
    for (const method of ['GET', 'HEAD', 'GET', 'OPTIONS'])
      await (await fetch(link, { method })).text()
    expect((await press(link)).status).toBe(303)
  })

  test('names the email address until it is used', async () => {
    const email = somebody()
    const link = await askForLink(email)
    expect(await (await fetch(link)).text()).toContain(email)
    await press(link)
    const used = await fetch(link)
    expect(used.status).toBe(400)
    expect(await used.text()).not.toContain(email)
  })

  test('keeps the session of another person in the browser, and ends the previous one of the same person', async () => {
    const [ann, eve] = [somebody('ann'), somebody('eve')]
    const cookie = await signIn(ann)
    const swapped = await press(await askForLink(eve), { ...fromSomewhere(), Cookie: cookie })
    expect(await whoIs(cookieOf(swapped))).toBe(eve)
    expect(await whoIs(cookie)).toBe(ann)
    await press(await askForLink(ann), { ...fromSomewhere(), Cookie: cookie })
    expect(await whoIs(cookie)).toBeNull()
  })

  test('works once', async () => {
    const link = await askForLink(somebody())
    await press(link)
    const again = await press(link)
    expect({ status: again.status, cookies: again.headers.getSetCookie() }).toEqual({
      status: 400,
      cookies: [],
    })
    expect(await again.text()).toContain('Invalid sign-in link')
  })

  test('signs in exactly one of six concurrent requests', async () => {
    const link = await askForLink(somebody())
    const answers = await Promise.all(Array.from({ length: 6 }, () => press(link)))
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 400, 400, 400, 400, 400])
  })

  test('creates one user when two first links are redeemed concurrently', async () => {
    const email = somebody()
    const links = [await askForLink(email), await askForLink(email)]
    const cookies = (await Promise.all(links.map((link) => press(link)))).map(cookieOf)
    expect(await Promise.all(cookies.map((cookie) => whoIs(cookie)))).toEqual([email, email])
    expect(
      await database.query('select 1 from sign_in.users where email = $1', [email]),
    ).toHaveLength(1)
  })

  test(`expires after ${LINK_MINUTES} minutes, and is deleted when the next one is created`, async () => {
    const [old, fresh] = [somebody('old'), somebody('fresh')]
    const [oldLink, freshLink] = [await askForLink(old), await askForLink(fresh)]
    await database.query(
      `update sign_in.verifications set expires_at = expires_at - $1::interval where value like '%' || $2 || '%'`,
      [`${LINK_MINUTES} minutes`, old],
    )
    expect((await press(oldLink)).status).toBe(400)

    const forgotten = await askForLink(old)
    await database.query(
      `update sign_in.verifications set expires_at = now() - interval '1 second' where value like '%' || $1 || '%'`,
      [old],
    )
    await askForLink(somebody())
    const left = await database.query(
      `select 1 from sign_in.verifications where value like '%' || $1 || '%'`,
      [old],
    )
    expect(left).toEqual([])
    expect((await press(forgotten)).status).toBe(400)
    expect((await press(freshLink)).status).toBe(303)
  })

  test.each([
    '',
    'x',
    'A'.repeat(32),
    'a'.repeat(10_000),
    "'; drop table sign_in.users; --",
    '\0',
    '💥',
  ])('that is forged, %j, is refused', async (token) => {
    const answer = await submit(url('/auth/confirm'), { token })
    expect({ status: answer.status, cookies: answer.headers.getSetCookie() }).toEqual({
      status: 400,
      cookies: [],
    })
    const page = await fetch(url(`/auth/confirm?token=${encodeURIComponent(token)}`))
    expect(page.status).toBe(400)
  })

  test('uses the host of the request, whatever the headers say', async () => {
    const email = somebody()
    await submit(
      url('/sign-in'),
      { email },
      { ...fromSomewhere(), 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example' },
    )
    expect((await newestLink(email)).origin).toBe(inject('baseUrl'))
  })

  test('redirects only within this site', async () => {
    const link = await askForLink(somebody(), { next: '//evil.example' })
    link.searchParams.set('next', '/\\evil.example')
    expect((await press(link)).headers.get('Location')).toBe('/app')
  })
})

describe('a session', () => {
  test('ends on the server: after sign-out, the old cookie is invalid', async () => {
    const merchant = await createMerchant()
    const cookie = await merchant.manager()
    const other = await signIn(`manager@${merchant.workspace.slug}.example`)
    const answer = await submit(url('/auth/sign-out'), {}, { Cookie: cookie })

    expect({ status: answer.status, to: answer.headers.get('Location') }).toEqual({
      status: 303,
      to: '/sign-in',
    })
    expect(answer.headers.getSetCookie()).toEqual([
      'tributary.session=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
    ])
    expect(await whoIs(cookie)).toBeNull()
    expect(
      (await fetch(url('/app'), { headers: { Cookie: cookie }, redirect: 'manual' })).status,
    ).toBe(303)
    expect(await whoIs(other)).toBe(`manager@${merchant.workspace.slug}.example`)
  })

  test('can’t be forged: a token without our signature is refused', async () => {
    const cookie = await signIn(somebody())
    const [name, value = ''] = cookie.split('=')
    const [token, signature = ''] = decodeURIComponent(value).split('.')
    const other = decodeURIComponent((await signIn(somebody())).split('=')[1] ?? '').split('.')[1]
    for (const forged of [
      `${token}`,
      `${token}.`,
      `${token}.${other}`,
      `x.${signature}`,
      `${token}.%`,
      '"',
      'x=y',
    ]) {
      expect(await whoIs(`${name}=${encodeURIComponent(forged)}`)).toBeNull()
      expect(await whoIs(`${name}=${forged}`)).toBeNull()
    }
    expect(await whoIs(cookie)).not.toBeNull()
  })

  test(`expires after ${SESSION_DAYS} days without use, and is renewed daily`, async () => {
    const email = somebody()
    const cookie = await signIn(email)
    const age = (interval: string) =>
      database.query(
        `update sign_in.sessions set expires_at = expires_at - $1::interval
         where user_id = (select id from sign_in.users where email = $2)`,
        [interval, email],
      )
    const ask = () => send(url('/api/auth/get-session'), { headers: { Cookie: cookie } })

    expect((await ask()).headers.getSetCookie()).toEqual([])
    await age('25 hours')
    expect((await ask()).headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^tributary\.session=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/,
      ),
    ])
    expect((await ask()).headers.getSetCookie()).toEqual([])
    await age(`${SESSION_DAYS} days`)
    expect(await whoIs(cookie)).toBeNull()
  })
})
