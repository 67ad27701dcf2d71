/**
 * The code that carries a sign-in from where the link was opened to the browser that asked: whoever
 * has the code, the link or the browser alone gets nowhere.
 */
import { describe, expect, inject, test } from 'vitest'
import { useDatabase } from '../support/merchant.ts'
import { cookieOf, newestLink, press, signIn, somebody, submit, whoIs } from '../support/people.ts'

const database = useDatabase()
const url = (path: string) => `${inject('baseUrl')}${path}`

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const APP =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148'

/** A browser at an address, which keeps its cookies. */
const newBrowser = (address: string = crypto.randomUUID(), agent = CHROME) => {
  const jar = new Map<string, string>()
  const headers = () => ({
    'CF-Connecting-IP': address,
    'User-Agent': agent,
    Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
  })
  const keep = async (sent: Promise<Response>) => {
    const answer = await sent
    for (const pair of cookieOf(answer).split('; ').filter(Boolean)) {
      const [name = '', ...value] = pair.split('=')
      jar.set(name, value.join('='))
    }
    return { status: answer.status, to: answer.headers.get('Location'), html: await answer.text() }
  }
  return {
    address,
    ask: (email: string) =>
      keep(submit(url('/sign-in'), { email, next: '/app?from=code' }, headers())),
    open: (link: URL) => keep(fetch(link, { headers: headers() })),
    show: async (link: URL) => {
      const { status, html } = await keep(
        submit(url('/auth/code'), Object.fromEntries(link.searchParams), headers()),
      )
      return {
        status,
        html,
        code: /<p class="code">\s*(\d{3}) (\d{3})/.exec(html)?.slice(1).join('') ?? '',
      }
    },
    press: (link: URL) => keep(press(link, headers())),
    type: (code: string) => keep(submit(url('/sign-in/code'), { code }, headers())),
    state: () => keep(fetch(url('/sign-in/code'), { headers: headers() })),
    whoIs: () => whoIs(headers().Cookie),
  }
}

/**
 * Somebody whose phone and computer are in one network, where a link was asked for at the computer.
 */
const atHome = async () => {
  const email = somebody()
  const computer = newBrowser()
  const app = newBrowser(computer.address, APP)
  await computer.ask(email)
  return { email, computer, app, link: await newestLink(email) }
}

/** Another code of six digits. */
const wrong = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

describe('a link that is opened elsewhere', () => {
  test('says so on both devices, and signs in the one that presses', async () => {
    const { email, computer, app, link } = await atHome()
    expect((await computer.open(link)).html).not.toContain('Another browser')
    const opened = await app.open(link)
    expect(opened.html).toContain('The link was requested in Chrome on Windows.')
    expect(opened.html).toContain('the browser inside an app')
    expect((await app.press(link)).to).toBe('/app?from=code')
    expect([await app.whoIs(), await computer.whoIs()]).toEqual([email, null])
    const told = await computer.state()
    expect(told.html).toContain('you are signed in in another browser')
    expect(told.html).not.toContain('name="code"')
    expect((await app.state()).html).toContain('has not asked for a link')
  })

  test('shows a code that signs in the browser that asked, once, and ends the link', async () => {
    const { email, computer, app, link } = await atHome()
    const { code } = await app.show(link)
    expect(code).toMatch(/^\d{6}$/)
    expect((await computer.state()).html).toContain('Enter the code that is shown there.')
    expect((await computer.type(`${code.slice(0, 3)} ${code.slice(3)}`)).to).toBe('/app?from=code')
    expect(await computer.whoIs()).toBe(email)
    expect((await computer.state()).html).toContain('You are signed in in this browser.')
    expect([(await app.press(link)).status, (await app.show(link)).status]).toEqual([400, 400])
    expect((await computer.type(code)).status).toBe(400)
  })

  test('shows a code from another network only if the browser that asked is known to the person', async () => {
    const email = somebody()
    const [computer, phone] = [newBrowser(), newBrowser()]
    await computer.ask(email)
    const link = await newestLink(email)
    expect((await phone.open(link)).html).toContain('copy the link from the email')
    expect(await phone.show(link)).toMatchObject({ status: 400, code: '' })
    await computer.press(link)

    await computer.ask(email)
    const next = await newestLink(email)
    expect((await phone.open(next)).html).toContain('Show code')
    expect((await computer.type((await phone.show(next)).code)).status).toBe(303)
  })
})

describe('an attacker', () => {
  test('who asks for a victim’s link, and has the victim open it, is never given a code', async () => {
    const victim = somebody('victim')
    const own = newBrowser()
    await own.ask(victim)
    await own.press(await newestLink(victim))
    const attacker = newBrowser()
    await attacker.ask(victim)
    const link = await newestLink(victim)
    const opened = await own.open(link)
    expect(opened.html).toContain('Another browser')
    expect(opened.html).not.toContain('Show code')
    expect(await own.show(link)).toMatchObject({ status: 400, code: '' })
    expect((await attacker.type('000000')).status).toBe(400)
    expect(await attacker.whoIs()).toBeNull()
  })

  test('who has the code cannot use it in another browser, also with a session of its own', async () => {
    const { computer, app, link, email } = await atHome()
    const { code } = await app.show(link)
    const attacker = newBrowser(computer.address)
    expect((await attacker.type(code)).status).toBe(400)
    await attacker.ask(somebody('eve'))
    expect((await attacker.type(code)).status).toBe(400)
    expect(await attacker.whoIs()).toBeNull()
    expect((await computer.type(code)).status).toBe(303)
    expect(await computer.whoIs()).toBe(email)
  })

  test('guesses five times at most, six at once too, and the right code is refused then', async () => {
    const { computer, app, link } = await atHome()
    const { code } = await app.show(link)
    const guesses = await Promise.all(Array.from({ length: 6 }, () => computer.type(wrong(code))))
    expect(guesses.map(({ status }) => status)).toEqual(Array(6).fill(400))
    expect(
      await database.query('select attempts from sign_in.asks where token_hash = $1', [
        await hashOf(link),
      ]),
    ).toEqual([{ attempts: 5 }])
    expect((await computer.type(code)).status).toBe(400)
    expect((await app.press(link)).status).toBe(303)
  })

  test('has no new attempts by another code of the same link, which is used by itself', async () => {
    const { email, computer, app, link } = await atHome()
    await app.show(link)
    await database.query('update sign_in.asks set attempts = 5 where email = $1', [email])
    expect((await computer.type((await app.show(link)).code)).status).toBe(400)
    expect((await app.press(link)).status).toBe(303)
  })

  test.each(['', '12345', '1234567', 'abcdef', '１２３４５６', '000000'])(
    'gets nothing by typing %j',
    async (typed) => {
      const { computer } = await atHome()
      expect((await computer.type(typed)).status).toBe(400)
      expect(await computer.whoIs()).toBeNull()
    },
  )

  test('who copies the database learns neither code nor network', async () => {
    const { computer, app, link } = await atHome()
    const { code } = await app.show(link)
    const [row] = await database.query<Record<string, unknown>>(
      'select * from sign_in.asks where token_hash = $1',
      [await hashOf(link)],
    )
    const stored = JSON.stringify(row)
    expect(stored).not.toContain(code)
    expect(stored).not.toContain(computer.address)
  })
})

test('a code ends with its link, and five of the right ones at once sign in one session', async () => {
  const { computer, app, link, email } = await atHome()
  const { code } = await app.show(link)
  const typed = await Promise.all(Array.from({ length: 5 }, () => computer.type(code)))
  expect(typed.filter(({ status }) => status === 303)).toHaveLength(1)
  await database.query(
    `update sign_in.asks set expires_at = now() - interval '1 second' where email = $1`,
    [email],
  )
  expect((await computer.state()).html).toContain('has not asked for a link')
  const late = await atHome()
  const shown = await late.app.show(late.link)
  await database.query(
    `update sign_in.asks set expires_at = now() - interval '1 second' where email = $1`,
    [late.email],
  )
  expect((await late.computer.type(shown.code)).status).toBe(400)
})

describe('a code that has signed in', () => {
  type Guard = 'the link was used' | 'the code was spent' | 'the link is gone'

  /**
   * Signs in by a code, and undoes all in the database that refuses the code from then on, but for
   * one guard.
   */
  const usedWithOnly = async (guard: Guard) => {
    const { computer, app, link } = await atHome()
    const { code } = await app.show(link)
    const hash = await hashOf(link)
    const [before] = await database.query<{ id: string; codeHash: string }>(
      'select id, code_hash as "codeHash" from sign_in.asks where token_hash = $1',
      [hash],
    )
    const [kept] = await database.query<Record<string, unknown>>(
      'select * from sign_in.verifications where identifier = $1',
      [hash],
    )
    expect((await computer.type(code)).status).toBe(303)
    const undo: Record<Guard, () => Promise<unknown>> = {
      'the link was used': () =>
        database.query(
          'update sign_in.asks set used_at = null, used_in = null, used_by_hash = null where id = $1',
          [before?.id],
        ),
      'the code was spent': () =>
        database.query('update sign_in.asks set code_hash = $2 where id = $1', [
          before?.id,
          before?.codeHash,
        ]),
      'the link is gone': () =>
        database.query(
          `insert into sign_in.verifications
           select (jsonb_populate_record(null::sign_in.verifications, $1::jsonb || jsonb_build_object('identifier', token_hash))).*
           from sign_in.asks where id = $2`,
          [JSON.stringify(kept), before?.id],
        ),
    }
    for (const [name, act] of Object.entries(undo)) if (name !== guard) await act()
    return { computer, code }
  }
  const sessionsOf = (email: string | null) =>
    database.query(
      'select s.id from sign_in.sessions s join sign_in.users u on u.id = s.user_id where u.email = $1',
      [email],
    )

  test.each<Guard>(['the link was used', 'the code was spent', 'the link is gone'])(
    'is refused from then on, one after the other and at once, for each reason alone: %s',
    async (guard) => {
      const { computer, code } = await usedWithOnly(guard)
      const email = await computer.whoIs()
      expect(await sessionsOf(email)).toHaveLength(1)
      expect((await computer.type(code)).status).toBe(400)
      const atOnce = await Promise.all(Array.from({ length: 3 }, () => computer.type(code)))
      expect(atOnce.map(({ status }) => status)).toEqual([400, 400, 400])
      expect(await sessionsOf(email)).toHaveLength(1)
    },
  )
})

test('a sign-in by code in a browser that is new to the person is mailed, as any other', async () => {
  const { email, computer, app, link } = await atHome()
  await signIn(email)
  await computer.type((await app.show(link)).code)
  expect(
    await database.query(`select 1 from mails where recipient = $1 and kind = 'new_browser'`, [
      email,
    ]),
  ).toHaveLength(1)
})

const hashOf = async (link: URL) => {
  const bytes = new TextEncoder().encode(link.searchParams.get('token') ?? '')
  return Buffer.from(await crypto.subtle.digest('SHA-256', bytes)).toString('hex')
}
