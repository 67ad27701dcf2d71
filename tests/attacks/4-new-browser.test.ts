/**
 * Somebody who reads another person's mailbox signs in as that person: the owner is told once, and
 * signs out everywhere.
 */
import { expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { clearExpired } from '../../lib/people/retention.queries.ts'
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

/** A browser, which keeps its cookies. */
const newBrowser = (agent = FIREFOX) => {
  const jar = new Map<string, string>()
  const headers = () => ({
    ...fromSomewhere(),
    'User-Agent': agent,
    Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
  })
  const keep = (answer: Response) => {
    for (const pair of cookieOf(answer).split('; ')) {
      const [name = '', ...value] = pair.split('=')
      jar.set(name, value.join('='))
    }
    return answer
  }
  return {
    jar,
    signIn: async (email: string) => keep(await press(await askForLink(email), headers())),
    signOut: async () => keep(await submit(url('/auth/sign-out'), {}, headers())),
  }
}

const noticesTo = (email: string) =>
  database.query<{ kind: string; details: Record<string, string>; workspace_id: string | null }>(
    'select kind, details, workspace_id from mails where recipient = $1 order by id',
    [email],
  )

test('the first sign-in of a person is not mailed, one in another browser is, once', async () => {
  const email = somebody()
  const [own, thief] = [
    newBrowser(),
    newBrowser('Mozilla/5.0 (Windows NT 10.0) Chrome/140.0 Safari/537.36'),
  ]
  await own.signIn(email)
  await own.signOut()
  await own.signIn(email)
  expect(await noticesTo(email)).toEqual([])

  await thief.signIn(email)
  await thief.signOut()
  await thief.signIn(email)
  expect(await noticesTo(email)).toEqual([
    {
      kind: 'new_browser',
      workspace_id: null,
      details: {
        browser: 'Chrome on Windows',
        signedInAt: expect.stringMatching(/^\d+ \w+ \d{4}, \d\d:\d\d UTC$/),
        url: url('/auth/sessions'),
      },
    },
  ])
})

test('a browser is known by its own cookie only: not by one that is made up, nor by a copy of the header', async () => {
  const email = somebody()
  const own = newBrowser()
  await own.signIn(email)
  const name = 'tributary.browser'
  const value = own.jar.get(name) ?? ''
  expect(value).toMatch(/^[0-9A-Za-z]{32}$/)
  for (const forged of [
    '',
    'x',
    value.toLowerCase().replace(/./, '_'),
    `${value}'`,
    'A'.repeat(32),
  ]) {
    const thief = newBrowser()
    thief.jar.set(name, forged)
    await thief.signIn(email)
  }
  expect(await noticesTo(email)).toHaveLength(5)
})

test('the cookie of a browser says nothing about who used it, and is stored as a hash', async () => {
  const [ann, eve] = [somebody('ann'), somebody('eve')]
  const shared = newBrowser()
  await newBrowser().signIn(eve)
  const answer = await shared.signIn(ann)
  expect(answer.headers.getSetCookie()[1]).toMatch(
    /^tributary\.browser=\w{32}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Lax$/,
  )
  const value = shared.jar.get('tributary.browser') ?? ''
  await shared.signIn(eve)
  expect(shared.jar.get('tributary.browser')).toBe(value)
  // Known to be Ann's, it is new to Eve.
  expect([await noticesTo(ann), await noticesTo(eve)].map(({ length }) => length)).toEqual([0, 1])
  expect(await database.query('select 1 from sign_in.browsers where hash = $1', [value])).toEqual(
    [],
  )
})

test('two links opened at the same moment in a new browser are mailed, each for its own session', async () => {
  const email = somebody()
  await newBrowser().signIn(email)
  const links = [await askForLink(email), await askForLink(email)]
  const answers = await Promise.all(links.map((link) => press(link)))
  expect(await Promise.all(answers.map((answer) => whoIs(cookieOf(answer))))).toEqual([
    email,
    email,
  ])
  expect(await noticesTo(email)).toHaveLength(2)
})

test('a browser is forgotten 400 days after its last sign-in, and a sign-in after that is mailed', async () => {
  const email = somebody()
  const own = newBrowser()
  await own.signIn(email)
  const ofPerson = 'user_id = (select id from sign_in.users where email = $1)'
  const [kept] = await database.query<{ days: number }>(
    `select extract(day from expires_at - now())::int as days from sign_in.browsers where ${ofPerson}`,
    [email],
  )
  expect(kept?.days).toBe(399)
  // Older than what other tests leave, so that only this row is due.
  const old = new Date(Date.now() - 5_000 * 86_400_000)
  await database.query(`update sign_in.browsers set expires_at = $2 where ${ofPerson}`, [
    email,
    new Date(old.getTime() - 1),
  ])
  await clearExpired(connect(inject('database')), old, 100)
  expect(await database.query(`select 1 from sign_in.browsers where ${ofPerson}`, [email])).toEqual(
    [],
  )
  await own.signIn(email)
  expect(await noticesTo(email)).toHaveLength(1)
})
