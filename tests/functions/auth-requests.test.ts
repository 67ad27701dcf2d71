import { describe, expect, inject, test } from 'vitest'
import { errorShape, send } from '../support/merchant.ts'
import {
  askForLink,
  fromSomewhere,
  mailsTo,
  newestLink,
  press,
  signIn,
  somebody,
  submit,
  whoIs,
} from '../support/people.ts'

const url = (path: string) => `${inject('baseUrl')}${path}`

describe('requesting a link', () => {
  test('returns the same response for known and unknown addresses', async () => {
    const [known, unknown] = [somebody('known'), somebody('other')]
    await signIn(known)
    const answer = async (email: string) => {
      const { status, headers, ...page } = await submit(url('/sign-in'), { email }).then(
        async (response) => ({
          status: response.status,
          headers: Object.fromEntries(response.headers),
          text: (await response.text()).replaceAll(email, 'EMAIL'),
        }),
      )
      // The browser's cookie is random.
      const cookie = headers['set-cookie']?.replace(/browser=\w{32};/, 'browser=RANDOM;')
      return {
        status,
        headers: {
          ...headers,
          'set-cookie': cookie,
          'x-request-id': '',
          date: '',
          'content-length': '',
        },
        ...page,
      }
    }
    expect(await answer(unknown)).toEqual(await answer(known))
  })

  test.each([
    '',
    'ann',
    'ann@',
    '@example.com',
    'ann@example.com, bob@example.com',
    'a\r\nBcc: b@x.example',
    'a\0@x.example',
  ])('with the invalid address %j shows the form with an error', async (email) => {
    const answer = await submit(url('/sign-in'), { email })
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('Must be an email address')
    const json = await send(url('/api/auth/sign-in/magic-link'), {
      body: { email },
      headers: fromSomewhere(),
    })
    expect({ status: json.status, code: json.body.error?.code }).toEqual({
      status: 400,
      code: 'invalid_body',
    })
  })

  test('of an address that the mail provider refuses shows the form with an error, each time', async () => {
    const email = `ann-${crypto.randomUUID()}@münchen`
    for (let attempt = 0; attempt < 6; attempt++) {
      const answer = await submit(url('/sign-in'), { email })
      expect(answer.status).toBe(400)
      expect(await answer.text()).toContain('No mail can be sent to this address')
    }
    const json = await send(url('/api/auth/sign-in/magic-link'), {
      body: { email },
      headers: fromSomewhere(),
    })
    expect(json).toMatchObject({ status: 400, body: errorShape('invalid_body') })
  })

  test('by a form that is not in UTF-8 is refused, because the address would be another', async () => {
    const answer = await fetch(url('/sign-in'), {
      method: 'POST',
      headers: {
        ...fromSomewhere(),
        Origin: inject('baseUrl'),
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: 'email=a%FFn@example.com',
    })
    expect([answer.status, await answer.text()]).toEqual([
      400,
      expect.stringContaining('not in UTF-8'),
    ])
  })

  test('sends at most five unused links to an address', async () => {
    const email = somebody()
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => submit(url('/sign-in'), { email })),
    )
    const pages = await Promise.all(answers.map((answer) => answer.text()))
    expect(pages.filter((page) => page.includes('A sign-in link is on its way'))).toHaveLength(5)
    expect(pages.filter((page) => page.includes('Several sign-in links were sent'))).toHaveLength(3)
    const json = await send(url('/api/auth/sign-in/magic-link'), {
      body: { email },
      headers: fromSomewhere(),
    })
    expect(json.status).toBe(429)
    expect(json.headers.get('Retry-After')).toBe('600')
    expect(await mailsTo(email)).toHaveLength(5)

    expect((await press(await newestLink(email))).status).toBe(303)
    await askForLink(email)
  })

  test('is limited per IP address, for pages and JSON', async () => {
    const here = fromSomewhere()
    // The window may end between two of them: each half is over the limit of ten.
    const CALLS = 24
    const statuses = await Promise.all(
      Array.from(
        { length: CALLS },
        async () => (await submit(url('/sign-in'), { email: somebody() }, here)).status,
      ),
    )
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(4)
    const answers = await Promise.all(
      Array.from({ length: CALLS }, () =>
        send(url('/api/auth/sign-in/magic-link'), { body: { email: somebody() }, headers: here }),
      ),
    )
    const json = answers.find(({ status }) => status === 429)
    expect(json?.headers.get('Retry-After')).toBe('10')
    expect(json?.body).toEqual(errorShape('rate_limited'))
  })
})

test('whether the installation is ready is limited per IP address, apart from sign-in', async () => {
  const here = fromSomewhere()
  const ask = () => send(url('/readyz'), { headers: here })
  expect(await ask()).toMatchObject({ status: 200, body: { databaseMs: expect.any(Number) } })
  const answers = await Promise.all(Array.from({ length: 14 }, ask))
  const limited = answers.filter(({ status }) => status === 429)
  expect(limited.length).toBeGreaterThanOrEqual(4)
  expect(limited[0]?.body).toEqual(errorShape('rate_limited'))
  expect((await submit(url('/sign-in'), { email: somebody() }, here)).status).toBe(200)
})

describe('the auth Worker', () => {
  const ELSEWHERE = [
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
  ]
  test.each(ELSEWHERE)('refuses cross-site requests: %o', async (headers) => {
    const cookie = await signIn(somebody())
    const link = await askForLink(somebody())
    const sent = { ...fromSomewhere(), ...headers, Cookie: cookie }
    expect((await submit(url('/sign-in'), { email: somebody() }, sent)).status).toBe(403)
    expect((await press(link, sent)).status).toBe(403)
    expect((await submit(url('/auth/sign-out'), {}, sent)).status).toBe(403)
    const json = await send(url('/api/auth/sign-out'), { body: {}, headers: sent })
    expect(json.body).toEqual(errorShape('cross_site_request'))
    expect(await whoIs(cookie)).not.toBeNull()
    expect((await press(link)).status).toBe(303)
  })

  test('serves no other route of Better Auth', async () => {
    const link = await askForLink(somebody())
    const token = link.searchParams.get('token')
    for (const path of [
      `magic-link/verify?token=${token}`,
      'ok',
      'error',
      'list-sessions',
      'sign-up/email',
    ]) {
      const { status, body } = await send(url(`/api/auth/${path}`))
      expect({ path, status, body }).toEqual({ path, status: 404, body: errorShape('not_found') })
    }
    expect((await send(url('/api/auth/update-user'), { body: { name: 'x' } })).status).toBe(404)
    expect((await press(link)).status).toBe(303)
  })

  test('returns an error page for an unknown path', async () => {
    for (const answer of [await fetch(url('/auth/nothing')), await fetch(url('/auth/sign-out'))]) {
      expect(answer.status).toBe(404)
      expect(await answer.text()).toContain('<h1>Not found</h1>')
    }
  })

  test('forbids framing, caching, scripts and referrers on its pages', async () => {
    const link = await askForLink(somebody())
    for (const page of [url('/sign-in'), link, url('/auth/confirm')]) {
      const { headers } = await fetch(page)
      expect(headers.get('Content-Security-Policy')).toContain(
        "script-src 'self'; style-src 'self'",
      )
      expect(headers.get('Content-Security-Policy')).toContain("frame-ancestors 'none'")
      expect(headers.get('Referrer-Policy')).toBe('same-origin')
      expect(headers.get('Cache-Control')).toBe('no-store')
    }
  })

  test.each([
    { case: 'a form of a megabyte', body: `email=${'a'.repeat(1_000_000)}`, status: 413 },
    { case: 'a form with a broken escape', body: 'email=%ZZ%&next=%', status: 400 },
    { case: 'a form that is none', body: '{"email": "ann@example.com"}', status: 400 },
  ])('takes $case', async ({ body, status }) => {
    const answer = await fetch(url('/sign-in'), {
      method: 'POST',
      body,
      headers: { ...fromSomewhere(), 'Content-Type': 'application/x-www-form-urlencoded' },
    })
    expect(answer.status).toBe(status)
  })
})
