/** Passkeys: a mailbox or an old session is not enough to pay, where the workspace says so. */
import { describe, expect, inject, test } from 'vitest'
import { WORKSPACE } from '../../api/operations.ts'
import { PASSKEY_TO_PAY } from '../../api/passkey-to-pay.ts'
import { paths } from '../../api/paths.ts'
import dashboard from '../../functions/dashboard.tsx'
import { newId } from '../../lib/db/ids.ts'
import { createAuthenticator } from '../support/authenticator.ts'
import { createMerchant, errorShape, type Merchant, useDatabase } from '../support/merchant.ts'
import {
  addPasskey,
  askPasskeys,
  challengeOf,
  confirmWith,
  endWait,
  sendPasskey,
} from '../support/passkeys.ts'
import { fromSomewhere, openSession, somebody, submit } from '../support/people.ts'

const database = useDatabase()
const url = (path: string) => `${inject('baseUrl')}${path}`
const device = () => createAuthenticator(inject('baseUrl'))

const age = (email: string, interval = '13 hours') =>
  database.query(
    `update sign_in.sessions set created_at = created_at - $1::interval, passkey_at = passkey_at - $1::interval
     where user_id = (select id from sign_in.users where email = $2)`,
    [interval, email],
  )

/** The notices about passkeys to an address. */
const mailsAbout = (email: string) =>
  database.query<{ kind: string; details: Record<string, string> }>(
    `select kind, details from mails where recipient = $1 and kind in ('passkey', 'workspace_notice') order by id`,
    [email],
  )

/** Whether a passkey confirms a session at present. */
const isConfirmed = async (email: string) => {
  const rows = await database.query(
    `select s.id from sign_in.sessions s join sign_in.users u on u.id = s.user_id
     where u.email = $1 and s.passkey_at is not null`,
    [email],
  )
  return rows.length > 0
}

/** Somebody whose passkey counts. */
const openPerson = async (authenticator = device()) => {
  const email = somebody()
  const cookie = await openSession(email)
  await addPasskey(cookie, authenticator)
  await endWait(database, email)
  return { email, cookie, passkey: authenticator }
}

/** A merchant whose manager has a passkey that counts, and signed in now. */
const openOffice = async () => {
  const merchant = await createMerchant()
  const cookie = await merchant.manager()
  const email = `manager@${merchant.workspace.slug}.example`
  const passkey = await addPasskey(cookie)
  await endWait(database, email)
  return {
    merchant,
    cookie,
    email,
    passkey,
    caller: merchant.as(cookie),
    base: `/app/${merchant.workspace.slug}`,
  }
}

const requirePasskey = (merchant: Merchant) =>
  database.query('update workspaces set payouts_require_passkey = true where id = $1', [
    merchant.workspace.id,
  ])

describe('confirming with a passkey', () => {
  test('makes an old session recent', async () => {
    const { caller, cookie, email, passkey } = await openOffice()
    await age(email)
    const member = { email: 'new@example.com', role: 'member' }
    expect((await caller.post('/members', member)).body).toEqual(
      errorShape('fresh_sign_in_required'),
    )
    expect(await confirmWith(cookie, passkey)).toBe(200)
    expect((await caller.post('/members', member)).status).toBe(201)
    await age(email)
    expect((await caller.post('/members', member)).body).toEqual(
      errorShape('fresh_sign_in_required'),
    )
  })

  test.each([
    { case: 'for another origin', lies: { origin: 'https://evil.example' } },
    { case: 'for another relying party', lies: { host: 'evil.example' } },
    { case: 'without verifying the user', lies: { isVerified: false } },
    {
      case: 'with another challenge',
      lies: { challenge: Buffer.from('other').toString('base64url') },
    },
    { case: 'of another ceremony', lies: { type: 'webauthn.create' } },
    { case: 'with a counter that went back', lies: { counter: 1 } },
    { case: 'with a signature of something else', lies: { signature: 'MEUCIQ' } },
  ])('a response $case is refused', async ({ lies }) => {
    const { email, cookie, passkey } = await openPerson()
    const answer = await askPasskeys(
      cookie,
      'confirm',
      passkey.sign(await challengeOf(cookie), lies),
    )
    expect(await answer.json()).toEqual(errorShape('conflict'))
    expect(await isConfirmed(email)).toBe(false)
    expect(await confirmWith(cookie, passkey)).toBe(200)
  })

  test('a recorded response is refused, as is one for a challenge that was failed', async () => {
    const { email, cookie, passkey } = await openPerson()
    const challenge = await challengeOf(cookie)
    const response = passkey.sign(challenge)
    expect((await askPasskeys(cookie, 'confirm', response)).status).toBe(200)
    await database.query(
      'update sign_in.sessions set passkey_at = null, passkey_id = null where passkey_id is not null and user_id = (select id from sign_in.users where email = $1)',
      [email],
    )
    expect((await askPasskeys(cookie, 'confirm', response)).status).toBe(409)
    const next = await challengeOf(cookie)
    expect((await askPasskeys(cookie, 'confirm', response)).status).toBe(409)
    // The attempt has used up its challenge.
    expect((await askPasskeys(cookie, 'confirm', passkey.sign(next))).status).toBe(409)
    expect(await isConfirmed(email)).toBe(false)
  })

  test('of six copies at once, one is accepted', async () => {
    const { cookie, passkey } = await openPerson(
      createAuthenticator(inject('baseUrl'), { counter: 0 }),
    )
    const response = passkey.sign(await challengeOf(cookie))
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => askPasskeys(cookie, 'confirm', response)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409])
  })

  test('a challenge is for one session, for five minutes', async () => {
    const { email, cookie, passkey } = await openPerson()
    const other = await openSession(email)
    await challengeOf(other)
    const response = passkey.sign(await challengeOf(cookie))
    expect((await askPasskeys(other, 'confirm', response)).status).toBe(409)
    await database.query(
      `update sign_in.passkey_challenges c set expires_at = now() - interval '1 second'
       from sign_in.sessions s join sign_in.users u on u.id = s.user_id where s.id = c.session_id and u.email = $1`,
      [email],
    )
    expect((await askPasskeys(cookie, 'confirm', response)).status).toBe(409)
    expect(await isConfirmed(email)).toBe(false)
  })

  test('a passkey of somebody else, or a removed one, is refused', async () => {
    const eve = await openPerson()
    const ann = await openPerson()
    const response = eve.passkey.sign(await challengeOf(ann.cookie))
    expect((await askPasskeys(ann.cookie, 'confirm', response)).status).toBe(409)
    const [found] = await database.query<{ id: string }>(
      'select id from sign_in.passkeys where credential_id = $1',
      [ann.passkey.id],
    )
    const remove = (cookie: string) =>
      submit(
        url('/auth/passkeys/remove'),
        { passkey: found?.id ?? '' },
        { ...fromSomewhere(), Cookie: cookie },
      )
    // Somebody else can't remove it.
    await remove(eve.cookie)
    expect(await confirmWith(ann.cookie, ann.passkey)).toBe(200)
    const open = await challengeOf(ann.cookie)
    await remove(ann.cookie)
    expect((await askPasskeys(ann.cookie, 'confirm', ann.passkey.sign(open))).status).toBe(409)
    // What it had confirmed ends with it.
    expect(await isConfirmed(ann.email)).toBe(false)
    expect((await mailsAbout(ann.email)).map(({ details }) => details.change)).toEqual([
      'added',
      'removed',
    ])
  })

  test('guesses are limited', async () => {
    const { cookie, passkey } = await openPerson()
    const from = fromSomewhere()
    const guess = () =>
      fetch(url('/auth/passkeys/confirm'), {
        method: 'POST',
        headers: { ...from, 'Content-Type': 'application/json', Cookie: cookie },
        body: JSON.stringify(passkey.sign({ challenge: 'guess' })),
      })
    const statuses: number[] = []
    for (let n = 0; n < 40; n++) statuses.push((await guess()).status)
    expect(statuses).toContain(429)
  })

  test('nobody is asked or heard without a session', async () => {
    const answer = await fetch(url('/auth/passkeys'), { redirect: 'manual' })
    expect(answer.headers.get('Location')).toBe('/sign-in?next=%2Fauth%2Fpasskeys')
    const asked = await fetch(url('/auth/passkeys/options'), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...fromSomewhere() },
      body: JSON.stringify({ purpose: 'confirm' }),
      redirect: 'manual',
    })
    expect(asked.status).toBe(303)
  })
})

test('a page of another site neither asks nor confirms', async () => {
  const { email, cookie, passkey } = await openPerson()
  const response = passkey.sign(await challengeOf(cookie))
  for (const [path, body] of [
    ['options', { purpose: 'confirm' }],
    ['confirm', response],
  ] as const) {
    const answer = await fetch(url(`/auth/passkeys/${path}`), {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Cookie: cookie,
        'Sec-Fetch-Site': 'cross-site',
      },
      body: JSON.stringify(body),
    })
    expect(await answer.json()).toEqual(errorShape('cross_site_request'))
  }
  expect(await isConfirmed(email)).toBe(false)
})

describe('adding a passkey', () => {
  test('by a session of 13 hours ago is refused', async () => {
    const email = somebody()
    const cookie = await openSession(email)
    const challenge = await challengeOf(cookie, 'add')
    await age(email)
    const answer = await askPasskeys(cookie, 'options', { purpose: 'add' })
    expect(await answer.json()).toEqual(errorShape('fresh_sign_in_required'))
    expect((await sendPasskey(cookie, device().register(challenge))).status).toBe(403)
  })

  test('whoever reads the mailbox adds one that confirms nothing for 72 hours, and the person is mailed', async () => {
    const email = somebody()
    const cookie = await openSession(email)
    const passkey = await addPasskey(cookie)
    const asked = await askPasskeys(cookie, 'options', { purpose: 'confirm' })
    expect(await asked.json()).toEqual(errorShape('conflict'))
    expect((await mailsAbout(email))[0]).toMatchObject({
      kind: 'passkey',
      details: { change: 'added', name: 'Laptop', countsFrom: expect.stringMatching(/UTC$/) },
    })
    await database.query(
      `update sign_in.passkeys set counts_from = now() + interval '1 minute'
       where credential_id = $1`,
      [passkey.id],
    )
    expect((await askPasskeys(cookie, 'options', { purpose: 'confirm' })).status).toBe(409)
    await endWait(database, email)
    expect(await confirmWith(cookie, passkey)).toBe(200)
  })

  test('while another one counts, without confirming with it, waits too', async () => {
    const { cookie, passkey } = await openPerson()
    const added = await addPasskey(cookie)
    const response = added.sign(await challengeOf(cookie))
    expect((await askPasskeys(cookie, 'confirm', response)).status).toBe(409)
    expect(await confirmWith(cookie, passkey)).toBe(200)
    const second = await addPasskey(cookie)
    expect(await confirmWith(cookie, second)).toBe(200)
  })

  test.each([
    { case: 'of another origin', lies: { origin: 'https://evil.example' } },
    { case: 'of another relying party', lies: { host: 'evil.example' } },
    { case: 'that did not verify the user', lies: { isVerified: false } },
    { case: 'of another challenge', lies: { challenge: 'other' } },
  ])('a response $case is refused', async ({ lies }) => {
    const cookie = await openSession(somebody())
    const response = device().register(await challengeOf(cookie, 'add'), lies)
    expect((await sendPasskey(cookie, response)).status).toBe(409)
  })

  test('a recorded response adds nothing, not even to another account', async () => {
    const [cookie, other] = [await openSession(somebody()), await openSession(somebody())]
    const response = device().register(await challengeOf(cookie, 'add'))
    expect((await sendPasskey(cookie, response)).status).toBe(303)
    expect((await sendPasskey(cookie, response)).status).toBe(409)
    await challengeOf(other, 'add')
    expect((await sendPasskey(other, response)).status).toBe(409)
    // The same device, with a challenge of its own: the credential is somebody's.
    const taken = device()
    await addPasskey(cookie, taken)
    expect((await sendPasskey(other, taken.register(await challengeOf(other, 'add')))).status).toBe(
      409,
    )
  })

  test('a person has ten at most, and nothing that is no response makes one', async () => {
    const cookie = await openSession(somebody())
    for (const text of [null, 'x', {}, { id: 'x' }])
      expect((await sendPasskey(cookie, text)).status).toBe(409)
    for (let n = 0; n < 10; n++) await addPasskey(cookie)
    const response = device().register(await challengeOf(cookie, 'add'))
    expect((await sendPasskey(cookie, response)).status).toBe(409)
  })

  test('an erased person has none left', async () => {
    const { email } = await openPerson()
    const left = () =>
      database.query(
        `select p.id from sign_in.passkeys p left join sign_in.users u on u.id = p.user_id
         where u.email = $1 or u.id is null`,
        [email],
      )
    expect(await left()).toHaveLength(1)
    await database.query('select erase_sign_ins($1)', [[email]])
    expect(await left()).toEqual([])
  })
})

/** Bodies by which operations are tried that need a passkey by what they say. */
const BODIES: Record<string, object> = {
  '/payouts/run': { method: 'stripe' },
  '/payout-runs/{id}': { status: 'paid' },
  '/programs': {
    name: 'x',
    siteUrl: 'https://x.example',
    reward: { kind: 'percent', percent: 10 },
    rewardInterval: 'one-time',
    payoutSchedule: 'weekly',
  },
  '/programs/{id}': { payoutSchedule: 'weekly' },
  '/programs/{id}/cut-over': {},
  '/settings': { payoutsRequirePasskey: false },
}

const FORMS = [
  ...new Set(
    dashboard.routes
      .filter(({ method, path }) => method === 'POST' && path.startsWith('/app/:workspace/'))
      .map(({ path }) => path),
  ),
]

/** The forms that ask for a passkey where payouts do, whatever is in them. */
const PAYING_FORMS = [
  '/app/:workspace/payouts/new',
  '/app/:workspace/payouts/runs/:id',
  '/app/:workspace/payouts/runs/:id/send',
  '/app/:workspace/payouts/runs/:id/export',
  '/app/:workspace/payouts/runs/:id/approve',
  '/app/:workspace/payouts/runs/:id/resolve',
  '/app/:workspace/payouts/runs/:id/wise-template',
  '/app/:workspace/payouts/:id/release',
  '/app/:workspace/payouts/:id/resolve',
  '/app/:workspace/payouts/:id/return',
  '/app/:workspace/programs/:id/shadow/cut-over',
  '/app/:workspace/members',
  '/app/:workspace/members/:id',
  '/app/:workspace/members/:id/remove',
  '/app/:workspace/members/hand-over',
  // Without its checkbox, it switches the requirement off.
  '/app/:workspace/settings',
]

const FIELDS: Record<string, Record<string, string>> = {
  '/app/:workspace/payouts/new': { method: 'stripe' },
  '/app/:workspace/payouts/runs/:id': { status: 'paid' },
  '/app/:workspace/members': { email: 'eve@evil.example', role: 'manager' },
  '/app/:workspace/members/hand-over': { email: 'eve@evil.example' },
}

describe('where payouts require a passkey', () => {
  test('a session that a mailed link has begun pays nothing, and does everything else', async () => {
    const { caller, cookie, merchant, passkey } = await openOffice()
    await requirePasskey(merchant)
    const refused = async () => {
      const names: string[] = []
      for (const [path, item] of Object.entries(paths)) {
        for (const method of ['get', 'post', 'put', 'patch', 'delete'] as const) {
          const security = item[method]?.security ?? []
          const end = path.replace(WORKSPACE, '')
          if (!path.startsWith(WORKSPACE) || !security.some((scheme) => 'session' in scheme))
            continue
          const ids = end.replace('/programs/{id}', `/programs/${merchant.programId}`)
          const query =
            end.endsWith('/export') && method === 'get' ? '?format=sepa&currency=EUR' : ''
          const target = ids.replaceAll(/\{\w+\}/g, newId()) + query
          const answer = await caller[method](
            target,
            method === 'get' ? undefined : (BODIES[end] ?? {}),
          )
          if (answer.body.error?.code === 'passkey_required') names.push(`${method} ${path}`)
        }
      }
      return names.sort()
    }
    expect(await refused()).toEqual(PASSKEY_TO_PAY.toSorted())
    expect((await caller.post('/payouts/run', { dryRun: true })).status).toBe(200)
    expect(
      (await caller.patch('/settings', { manualPayouts: true, payoutsRequirePasskey: true }))
        .status,
    ).toBe(200)
    expect(
      (
        await caller.patch(`/programs/${merchant.programId}`, {
          holdingDays: 20,
          payoutSchedule: 'manual',
        })
      ).status,
    ).toBe(200)
    expect((await caller.patch(`/payout-runs/${newId()}`, { status: 'canceled' })).status).toBe(404)

    expect(await confirmWith(cookie, passkey)).toBe(200)
    expect(await refused()).toEqual([])
  })

  test('nor do the pages pay, which ask for the passkey and keep what was typed', async () => {
    const { base, cookie, merchant, passkey } = await openOffice()
    await requirePasskey(merchant)
    const send = (path: string, fields: Record<string, string> = {}) =>
      submit(url(base + path), fields, { ...fromSomewhere(), Cookie: cookie })
    const id = newId()
    const pathOf = (route: string) =>
      route
        .replace('/app/:workspace', '')
        .replace('/programs/:id', `/programs/${merchant.programId}`)
        .replaceAll(/:\w+(\{.*?\})?/g, id)
    const asked: string[] = []
    for (const route of FORMS) {
      const fields = FIELDS[route] ?? {}
      const answer = await send(pathOf(route), fields)
      const page = await answer.text()
      if (answer.status !== 403 || !page.includes('This needs a passkey')) continue
      asked.push(route)
      expect(page).toContain('data-passkey="confirm"')
      expect(page).not.toContain('confirmation-link')
      for (const [name, value] of Object.entries(fields))
        expect(page).toContain(`name="${name}" value="${value}"`)
    }
    expect(asked.sort()).toEqual(PAYING_FORMS.toSorted())

    // A program that pays by itself, and when.
    const typed = {
      name: 'Weekly',
      siteUrl: 'https://x.example',
      'reward.kind': 'percent',
      'reward.percent': '10',
      rewardInterval: 'one-time',
      holdingDays: '30',
      attribution: 'last',
      selfReferrals: 'hold',
      reviewDays: '0',
      payoutWeekday: '1',
    }
    for (const path of ['/programs/new', `/programs/${merchant.programId}`]) {
      const weekly = await send(path, { ...typed, payoutSchedule: 'weekly' })
      expect({ path, status: weekly.status }).toEqual({ path, status: 403 })
      expect((await send(path, { ...typed, payoutSchedule: 'manual' })).status).toBe(303)
    }

    for (const path of [`/payouts/${id}/cancel`, `/payouts/runs/${id}/decline`])
      expect({ path, status: (await send(path)).status }).toEqual({ path, status: 404 })
    expect((await send(`/payouts/runs/${id}`, { status: 'canceled' })).status).toBe(404)
    expect(await confirmWith(cookie, passkey)).toBe(200)
    for (const route of PAYING_FORMS)
      expect((await send(pathOf(route), FIELDS[route])).status).not.toBe(403)
  })

  test('the setting is switched on and off with a passkey only, by the API and on the page', async () => {
    const { base, caller, cookie, email, passkey } = await openOffice()
    const on = { payoutsRequirePasskey: true }
    const page = () =>
      submit(
        url(`${base}/settings`),
        {
          payoutOrder: 'smallest_first',
          salesFrom: 'both',
          mode: 'live',
          payoutsRequirePasskey: 'on',
        },
        { ...fromSomewhere(), Cookie: cookie },
      )
    expect((await caller.patch('/settings', on)).body).toEqual(errorShape('passkey_required'))
    expect((await page()).status).toBe(403)
    await confirmWith(cookie, passkey)
    expect((await page()).status).toBe(303)
    expect((await caller.get('/settings')).body).toMatchObject(on)
    await age(email)
    const fresh = await openSession(email)
    expect(fresh).not.toBe(cookie)
    await database.query(
      `update sign_in.sessions set created_at = now() where user_id = (select id from sign_in.users where email = $1)`,
      [email],
    )
    const off = { payoutsRequirePasskey: false }
    expect((await caller.patch('/settings', off)).body).toEqual(errorShape('passkey_required'))
    await confirmWith(cookie, passkey)
    expect((await caller.patch('/settings', off)).body).toMatchObject(off)
  })

  test('who has no passkey is led to the page that adds one', async () => {
    const merchant = await createMerchant()
    await requirePasskey(merchant)
    const cookie = await merchant.manager()
    const send = () =>
      submit(
        url(`/app/${merchant.workspace.slug}/payouts/new`),
        {},
        { ...fromSomewhere(), Cookie: cookie },
      )
    expect(await (await send()).text()).toContain('<a href="/auth/passkeys">Add a passkey</a>')
    await addPasskey(cookie)
    const page = await (await send()).text()
    expect(page).toContain('Yours does not count yet.')
    expect(page).not.toContain('data-passkey="confirm"')
  })

  test('all managers are mailed of a passkey that was added by mail alone, and any of them removes it', async () => {
    const { caller, cookie, email, merchant } = await openOffice()
    await requirePasskey(merchant)
    const thief = `second@${merchant.workspace.slug}.example`
    await merchant.seed.addMember(merchant.workspace.id, thief, 'manager')
    const stolen = await openSession(thief)
    await addPasskey(stolen)
    const notices = (await mailsAbout(email)).filter(({ kind }) => kind === 'workspace_notice')
    expect(notices).toMatchObject([{ details: { notice: 'passkey_added', person: thief } }])

    const page = await (
      await fetch(url(`/app/${merchant.workspace.slug}/members`), { headers: { Cookie: cookie } })
    ).text()
    const [, action = ''] = /action="([^"]+\/passkeys\/[^"]+)"/.exec(page) ?? []
    const asMember = await submit(
      url(action),
      {},
      { ...fromSomewhere(), Cookie: await merchant.member() },
    )
    expect(asMember.status).toBe(403)
    const elsewhere = await createMerchant()
    const foreign = action.replace(merchant.workspace.slug, elsewhere.workspace.slug)
    const asOther = await submit(
      url(foreign),
      {},
      { ...fromSomewhere(), Cookie: await elsewhere.manager() },
    )
    expect(asOther.status).toBe(404)
    const removed = await submit(url(action), {}, { ...fromSomewhere(), Cookie: cookie })
    expect(removed.headers.get('Location')).toContain('done=passkey_removed')
    expect((await mailsAbout(thief)).at(-1)).toMatchObject({
      details: { change: 'removed', by: email },
    })
    const { body } = await caller.get('/audit')
    expect(body.data).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ action: 'member.passkey_removed', actor: email }),
        expect.objectContaining({ action: 'member.passkey_added', actor: thief }),
      ]),
    )
    // One that counts is nobody's to remove but its person's.
    await addPasskey(stolen)
    const [waiting] = await database.query<{ id: string }>(
      `select p.id from sign_in.passkeys p join sign_in.users u on u.id = p.user_id where u.email = $1`,
      [thief],
    )
    await endWait(database, thief)
    const counting = action.replace(/[^/]+\/remove$/, `${waiting?.id}/remove`)
    expect((await submit(url(counting), {}, { ...fromSomewhere(), Cookie: cookie })).status).toBe(
      404,
    )
  })
})
