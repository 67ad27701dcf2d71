/**
 * A workspace never loses its last manager: a second one is asked for, and it is handed over, left
 * and recovered safely.
 */
import { execFile } from 'node:child_process'
import { describe, expect, inject, test } from 'vitest'
import { ROOT } from '../../dev/root.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { browse, openPages } from '../support/pages.ts'
import { openSession } from '../support/people.ts'

const database = useDatabase()

const ONE_MANAGER = 'This workspace has one manager.'

const addressOf = (merchant: Merchant, name: string) => `${name}@${merchant.workspace.slug}.example`

const membersOf = (merchant: Merchant) =>
  database.query<{ email: string; role: string }>(
    'select email, role from members where workspace_id = $1 order by id',
    [merchant.workspace.id],
  )

const auditOf = async (merchant: Merchant) =>
  (await database.audit(merchant)).map(({ action, details }) => ({ action, details }))

test('a second manager is asked for until one has signed in, and only managers are asked', async () => {
  const merchant = await createMerchant()
  const pages = await openPages(merchant)
  const member = await openPages(merchant, 'member')
  expect((await pages.get('')).text).toContain(ONE_MANAGER)
  expect((await member.get('')).text).not.toContain(ONE_MANAGER)
  const second = addressOf(merchant, 'second')
  await pages.post('/members', { email: second, role: 'manager' })
  expect((await pages.get('')).text).toContain(ONE_MANAGER)
  await openSession(second)
  expect((await pages.get('')).text).not.toContain(ONE_MANAGER)
})

describe('handing over', () => {
  test('to somebody who has signed in is done at once, and the former manager leaves or stays', async () => {
    for (const stay of [true, false]) {
      const merchant = await createMerchant()
      const pages = await openPages(merchant)
      const heir = addressOf(merchant, 'heir')
      await openSession(heir)
      expect((await pages.get('/members')).html).toContain('/members/hand-over"')
      expect((await pages.get('/members/hand-over')).status).toBe(200)
      const done = await pages.post('/members/hand-over', {
        email: heir,
        ...(stay && { stay: 'on' }),
      })
      const base = `/app/${merchant.workspace.slug}`
      expect([done.status, done.location]).toEqual([303, stay ? base : '/app?done=left'])
      expect(await membersOf(merchant)).toEqual([
        ...(stay ? [{ email: addressOf(merchant, 'manager'), role: 'member' }] : []),
        { email: heir, role: 'manager' },
      ])
      expect(await auditOf(merchant)).toMatchObject([
        { action: 'member.invited', details: { email: heir, role: 'manager' } },
        { action: stay ? 'member.changed' : 'member.removed' },
      ])
    }
  })

  test('to an address that never signed in, which may be wrong, keeps the manager until it has', async () => {
    const merchant = await createMerchant()
    const pages = await openPages(merchant)
    const heir = addressOf(merchant, 'heir')
    const waits = await pages.post('/members/hand-over', { email: heir })
    expect(waits.text).toContain(`${heir} is a manager now, and has never signed in.`)
    const left = await pages.post('/leave', {})
    expect([left.status, left.text]).toEqual([409, expect.stringContaining('last manager')])
    expect(await membersOf(merchant)).toHaveLength(2)
    await openSession(heir)
    expect((await pages.post('/members/hand-over', { email: heir })).location).toBe(
      '/app?done=left',
    )
    expect(await membersOf(merchant)).toEqual([{ email: heir, role: 'manager' }])
  })

  test.each([
    { case: 'no address', email: 'ann' },
    { case: 'the own address', email: 'manager' },
  ])('to $case is refused', async ({ email }) => {
    const merchant = await createMerchant()
    const typed = email === 'manager' ? addressOf(merchant, email) : email
    const refused = await (await openPages(merchant)).post('/members/hand-over', { email: typed })
    expect([refused.status, refused.html]).toEqual([
      400,
      expect.stringContaining('id="email-error"'),
    ])
    expect(await membersOf(merchant)).toHaveLength(1)
  })

  test('is for managers', async () => {
    const pages = await openPages(await createMerchant(), 'member')
    expect((await pages.get('/members/hand-over')).status).toBe(403)
    expect((await pages.post('/members/hand-over', { email: 'eve@evil.example' })).status).toBe(403)
  })
})

describe('leaving', () => {
  test('is possible for a member, and not for the last manager', async () => {
    const merchant = await createMerchant()
    const member = await openPages(merchant, 'member')
    expect((await member.get('/leave')).text).toContain('You lose access immediately')
    expect((await member.post('/leave', {})).location).toBe('/app?done=left')
    expect((await member.get('')).status).toBe(404)
    const pages = await openPages(merchant)
    expect((await pages.get('/leave')).text).toContain('Hand over the workspace')
    expect((await pages.post('/leave', {})).status).toBe(409)
  })

  test('of all managers at once leaves one', async () => {
    const merchant = await createMerchant()
    await merchant.manager()
    const emails = Array.from({ length: 7 }, (_, index) => addressOf(merchant, `m${index}`))
    for (const email of emails)
      await merchant.seed.addMember(merchant.workspace.id, email, 'manager')
    const people = [addressOf(merchant, 'manager'), ...emails]
    const cookies = await Promise.all(people.map((email) => openSession(email)))
    const left = await Promise.all(
      cookies.map((cookie) => browse(cookie).post(`/${merchant.workspace.slug}/leave`, {})),
    )
    expect(left.map(({ status }) => status).sort()).toEqual([...Array(7).fill(303), 409])
    expect(await membersOf(merchant)).toMatchObject([{ role: 'manager' }])
  })
})

describe('recovery by the operator', () => {
  const recover = (...args: string[]) =>
    new Promise<string>((resolve) => {
      const env = { ...process.env, DATABASE_URL: inject('database').DATABASE_URL }
      const script = ['cli/workspace-recover.ts', ...args]
      execFile(process.execPath, script, { cwd: ROOT, env }, (_error, out, problem) =>
        resolve(out + problem),
      )
    })

  test('makes somebody a manager, with an audit entry and a mail to the others, once', async () => {
    const merchant = await createMerchant()
    const { slug, id } = merchant.workspace
    await merchant.manager()
    const rescuer = addressOf(merchant, 'rescuer')
    expect(await recover(slug.toUpperCase(), ` ${rescuer.toUpperCase()}`)).toContain(
      `${rescuer} is now a manager of A merchant`,
    )
    expect(await recover(id, rescuer)).toContain('is already a manager of A merchant')
    expect(await membersOf(merchant)).toContainEqual({ email: rescuer, role: 'manager' })
    expect(await database.audit(merchant)).toMatchObject([
      { actor: 'operator', action: 'member.recovered', details: { email: rescuer } },
    ])
    const mails = await database.query(
      'select kind, recipient, details from mails where workspace_id = $1',
      [id],
    )
    expect(mails).toEqual([
      {
        kind: 'workspace_notice',
        recipient: addressOf(merchant, 'manager'),
        details: { workspaceName: 'A merchant', notice: 'manager_recovered', person: rescuer },
      },
    ])
    const pages = browse(await openSession(rescuer))
    expect((await pages.get(`/${slug}/audit`)).text).toContain(
      `made ${rescuer} a manager, to recover the workspace`,
    )
  })

  test('makes a member a manager, and refuses what it does not know', async () => {
    const merchant = await createMerchant()
    await merchant.member()
    const member = addressOf(merchant, 'member')
    expect(await recover(merchant.workspace.slug, 'nobody')).toContain(
      '"nobody" is not an email address',
    )
    expect(await recover('no-such-shop', member)).toContain(
      'No workspace has the slug or id "no-such-shop"',
    )
    expect(await recover(merchant.workspace.slug)).toContain(
      'Name the database, the workspace and the person',
    )
    expect(await membersOf(merchant)).toEqual([{ email: member, role: 'member' }])
    expect(await recover(merchant.workspace.slug, member)).toContain('is now a manager')
    expect(await membersOf(merchant)).toEqual([{ email: member, role: 'manager' }])
  })
})
