/**
 * Several accounts in one browser: switching between them, signing out of one or all, and no more
 * of them than are allowed.
 */
import { describe, expect, inject, test } from 'vitest'
import { createMerchant, errorShape, send, useDatabase } from '../support/merchant.ts'
import { askForLink, fromSomewhere, press, somebody, submit, whoIs } from '../support/people.ts'

const database = useDatabase()
const url = (path: string) => `${inject('baseUrl')}${path}`

/** A browser, which keeps its cookies. */
const newBrowser = () => {
  const jar = new Map<string, string>()
  const headers = () => ({
    ...fromSomewhere(),
    Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
  })
  const keep = async (sent: Promise<Response>) => {
    const answer = await sent
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      if (/Max-Age=0/.test(cookie)) jar.delete(name)
      else jar.set(name, value)
    }
    return {
      status: answer.status,
      to: answer.headers.get('Location'),
      clears: answer.headers.get('Clear-Site-Data'),
      html: await answer.text(),
    }
  }
  const post = (path: string, fields: Record<string, string> = {}, more = {}) =>
    keep(submit(url(path), fields, { ...headers(), ...more }))
  return {
    jar,
    post,
    signIn: async (email: string) => keep(press(await askForLink(email), headers())),
    accounts: () => keep(fetch(url('/auth/accounts'), { headers: headers() })),
    switchTo: async (email: string, next = '/app') =>
      post('/auth/accounts/switch', { session: await sessionOf(email), next }),
    whoIs: () => whoIs(headers().Cookie),
  }
}

const sessionOf = async (email: string): Promise<string> => {
  const [row] = await database.query<{ id: string }>(
    `select s.id from sign_in.sessions s join sign_in.users u on u.id = s.user_id where u.email = $1
     order by s.created_at desc limit 1`,
    [email],
  )
  return row?.id ?? ''
}

const sessionCount = async (email: string) =>
  (
    await database.query(
      'select 1 from sign_in.sessions s join sign_in.users u on u.id = s.user_id where u.email = $1',
      [email],
    )
  ).length

const twoAccounts = async () => {
  const [ann, bob, browser] = [somebody('ann'), somebody('bob'), newBrowser()]
  await browser.signIn(ann)
  await browser.signIn(bob)
  return { ann, bob, browser }
}

describe('a browser with two accounts', () => {
  test('uses the one signed in last, switches, and opens the page that is named, on this site', async () => {
    const { ann, bob, browser } = await twoAccounts()
    expect(await browser.whoIs()).toBe(bob)
    const page = await browser.accounts()
    expect(page.html).toContain(`You use this browser as <strong>${bob}</strong>`)
    expect(page.html).toContain(`Switch<span class="hidden"> to ${ann}</span>`)
    expect((await browser.switchTo(ann, '/app/acme/import')).to).toBe('/app/acme/import')
    expect(await browser.whoIs()).toBe(ann)
    expect((await browser.switchTo(bob, '//evil.example')).to).toBe('/app')
    expect(await browser.whoIs()).toBe(bob)
  })

  test('signs out of one, keeping what imports have stored, and of all', async () => {
    const { ann, bob, browser } = await twoAccounts()
    const out = await browser.post('/auth/sign-out')
    expect([out.to, out.clears]).toEqual(['/auth/accounts', null])
    expect([await browser.whoIs(), await sessionCount(bob), await sessionCount(ann)]).toEqual([
      null,
      0,
      1,
    ])
    await browser.switchTo(ann)
    await browser.signIn(bob)
    expect(
      (await browser.post('/auth/accounts/sign-out', { session: await sessionOf(ann) })).to,
    ).toBe('/auth/accounts?done=signed_out')
    expect([await browser.whoIs(), await sessionCount(ann)]).toEqual([bob, 0])
    await browser.signIn(ann)
    const all = await browser.post('/auth/accounts/sign-out-all')
    expect([all.to, all.clears]).toEqual(['/sign-in', '"storage"'])
    expect([await sessionCount(ann), await sessionCount(bob)]).toEqual([0, 0])
    expect([...browser.jar.keys()]).toEqual(['tributary.browser'])
  })

  test('has each person once, also after signing in again', async () => {
    const { ann, bob, browser } = await twoAccounts()
    await browser.signIn(bob)
    await browser.signIn(ann)
    expect([await browser.whoIs(), await sessionCount(ann), await sessionCount(bob)]).toEqual([
      ann,
      1,
      1,
    ])
  })
})

test('a browser has five accounts at most: the oldest is signed out', async () => {
  const browser = newBrowser()
  const people = Array.from({ length: 6 }, (_, index) => somebody(`p${index}`))
  for (const email of people) await browser.signIn(email)
  expect(await Promise.all(people.map(sessionCount))).toEqual([0, 1, 1, 1, 1, 1])
  expect((await browser.accounts()).html.match(/\/auth\/accounts\/switch/g)).toHaveLength(4)
})

describe('nobody', () => {
  test('switches to a session of another browser, or by a page of another site', async () => {
    const { ann, browser } = await twoAccounts()
    const other = newBrowser()
    const eve = somebody('eve')
    await other.signIn(eve)
    expect((await other.switchTo(ann)).to).toBe('/auth/accounts?done=gone')
    expect((await other.post('/auth/accounts/switch', { session: "x' or 1=1" })).to).toContain(
      'gone',
    )
    await other.post('/auth/accounts/sign-out', { session: await sessionOf(ann) })
    expect([await other.whoIs(), await sessionCount(ann)]).toEqual([eve, 1])
    const foreign = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }
    for (const path of ['switch', 'sign-out', 'sign-out-all']) {
      const session = await sessionOf(ann)
      expect((await browser.post(`/auth/accounts/${path}`, { session }, foreign)).status).toBe(403)
    }
    expect(await sessionCount(ann)).toBe(1)
  })

  test('makes an account up in the cookie, or keeps one whose session has ended', async () => {
    const { ann, bob, browser } = await twoAccounts()
    const value = browser.jar.get('tributary.others') ?? ''
    browser.jar.set('tributary.others', `${value.slice(0, -6)}abcdef!${'x'.repeat(5_000)}!a.b`)
    expect((await browser.accounts()).html).not.toContain(ann)
    browser.jar.set('tributary.others', value)
    await database.query('delete from sign_in.sessions where id = $1', [await sessionOf(ann)])
    expect((await browser.accounts()).html).not.toContain(ann)
    expect(await browser.whoIs()).toBe(bob)
  })
})

test('a page that was opened by somebody else does nothing as whoever is signed in now', async () => {
  const merchant = await createMerchant()
  const cookie = await merchant.manager()
  const imports = (user: string) =>
    send(url(`/api/workspaces/${merchant.workspace.slug}/partners/import`), {
      body: { programId: merchant.programId, rows: [{ email: 'new@partner.example' }] },
      headers: { Cookie: cookie, 'Tributary-User': user },
    })
  expect(await imports(crypto.randomUUID())).toMatchObject({
    status: 401,
    body: errorShape('not_signed_in'),
  })
  expect(
    await database.query('select 1 from partners where workspace_id = $1 and slug <> $2', [
      merchant.workspace.id,
      'maya',
    ]),
  ).toEqual([])
  const page = await (
    await fetch(url(`/app/${merchant.workspace.slug}/import`), { headers: { Cookie: cookie } })
  ).text()
  const user = /data-user="([^"]+)"/.exec(page)?.[1] ?? ''
  expect((await imports(user)).status).toBe(200)
})
