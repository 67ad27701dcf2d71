/**
 * Whoever signs up: by which they could make workspaces without end, and mail anybody from the
 * installation's own sender.
 */

import { execFile } from 'node:child_process'
import { describe, expect, inject, test } from 'vitest'
import { ROOT } from '../../dev/root.ts'
import { connect } from '../../lib/db/connection.ts'
import { newId } from '../../lib/db/ids.ts'
import type { MailKind, MailStatus } from '../../lib/mail/mails.ts'
import { releaseMails } from '../../lib/mail/outbox/held-mails.queries.ts'
import { dailyMails } from '../../lib/mail/outbox/new-workspace-mails.ts'
import { outboxContent } from '../../lib/mail/texts/templates.tsx'
import { TEMPLATE, withDatabase } from '../support/databases.ts'
import { fold } from '../support/fold.ts'
import { askAs } from '../support/in-process.ts'
import { createMerchant, errorShape, useDatabase } from '../support/merchant.ts'
import { signIn, somebody, submit } from '../support/people.ts'
import { everyNth } from '../support/thorough.ts'

const database = useDatabase()
const db = () => connect(inject('database'))

const createAs = (email: string, bindings: Parameters<typeof askAs>[4]) =>
  askAs(
    'manage',
    email,
    '/api/workspaces',
    {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'Ann', slug: `shop-${newId().slice(-12)}` }),
    },
    bindings,
  )

describe('a new workspace', () => {
  test.each(everyNth(3, ['', 'false', 'TRUE', ' true', 'yes']))(
    'is closed by ALLOW_SIGNUP="%s"',
    { tags: 'sampled' },
    async (ALLOW_SIGNUP) => {
      await createMerchant()
      const closed = await createAs('ann@shop.example', { ALLOW_SIGNUP })
      expect(closed.status).toBe(403)
      expect(await closed.json()).toEqual(errorShape('signup_closed'))
    },
  )

  test('of a new installation is its owner’s, not that of whoever comes first', async () => {
    const tryIt = async (DATABASE_URL: string) => {
      const bindings = { DATABASE_URL, ALLOW_SIGNUP: 'false', OWNER_EMAIL: ' Ada@ＳＨＯＰ.example' }
      const create = (email: string) => createAs(email, bindings)
      const page = async (email: string) =>
        (await askAs('dashboard', email, '/app', {}, bindings)).text()
      for (const stranger of [
        'eve@shop.example',
        'ada+1@shop.example',
        'ada@shop.example.evil.example',
      ]) {
        expect((await create(stranger)).status).toBe(403)
        expect(await page(stranger)).toContain('Sign-up is closed on this installation.')
      }
      expect(await page('ada@shop.example')).toContain('name="slug"')
      const answers = await Promise.all(Array.from({ length: 8 }, () => create('ada@shop.example')))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(403)])
      expect((await create('ada@shop.example')).status).toBe(403)
    }
    await withDatabase('new_installation', tryIt, TEMPLATE)
  })

  test.each(['', 'Ada', undefined])('is nobody’s with the owner %j', (OWNER_EMAIL) =>
    withDatabase(
      `no_owner_${String(OWNER_EMAIL).toLowerCase()}`,
      async (DATABASE_URL) => {
        for (const email of ['', 'ada', 'ada@shop.example'])
          expect(
            (await createAs(email, { DATABASE_URL, ALLOW_SIGNUP: 'false', OWNER_EMAIL })).status,
          ).toBe(403)
      },
      TEMPLATE,
    ),
  )

  test('lets one person create three workspaces when sign-up is open, also concurrently', async () => {
    const email = `${newId()}@shop.example`
    const create = (address: string) => createAs(address, { ALLOW_SIGNUP: 'true' })
    const answers = await Promise.all(Array.from({ length: 8 }, () => create(email)))
    expect(answers.map(({ status }) => status).sort()).toEqual([
      201,
      201,
      201,
      ...Array(5).fill(409),
    ])
    expect(await answers.find(({ status }) => status === 409)?.json()).toEqual(
      errorShape('conflict'),
    )
    expect((await create(`other-${email}`)).status).toBe(201)
  })
})

describe('whose mails go out at once', () => {
  const isTrusted = async (email: string, ALLOW_SIGNUP: string, DATABASE_URL?: string) => {
    const answer = await createAs(email, {
      ALLOW_SIGNUP,
      OWNER_EMAIL: 'ada@shop.example',
      ...(DATABASE_URL && { DATABASE_URL }),
    })
    const { id } = (await answer.json()) as { id: string }
    return `select trusted_at is not null as trusted from workspaces where id = '${id}'`
  }

  test('is not a workspace that anybody may create', async () => {
    const [row] = await database.query(await isTrusted(`${newId()}@shop.example`, 'true'))
    expect(row).toEqual({ trusted: false })
  })

  test('is not the first workspace either, if sign-up is open and a stranger is faster', () =>
    withDatabase(
      'first_of_a_stranger',
      async (url, client) => {
        const { rows } = await client.query(await isTrusted('eve@evil.example', 'true', url))
        expect(rows).toEqual([{ trusted: false }])
      },
      TEMPLATE,
    ))

  test.each(['true', 'false'])('is the owner’s workspace, also with ALLOW_SIGNUP="%s"', (allowed) =>
    withDatabase(
      `first_${allowed}`,
      async (url, client) => {
        const { rows } = await client.query(await isTrusted('ada@shop.example', allowed, url))
        expect(rows).toEqual([{ trusted: true }])
      },
      TEMPLATE,
    ),
  )
})

/** A merchant who has just signed up, and partners that it imports with a welcome mail. */
const createNewcomer = async () => {
  const merchant = await createMerchant()
  const { id: workspaceId, slug } = merchant.workspace
  await database.query('update workspaces set trusted_at = null where id = $1', [workspaceId])
  const manager = await merchant.asManager()
  const strangers = (count: number) =>
    Array.from({ length: count }, (_, n) => `stranger-${n}-${newId().slice(-8)}@elsewhere.example`)
  const welcome = (addresses: string[]) =>
    manager.post('/partners/import', {
      programId: merchant.programId,
      options: { sendWelcomeEmail: true },
      rows: addresses.map((email) => ({ email })),
    })
  const mails = () =>
    database.query<{
      recipient: string
      status: MailStatus
      kind: MailKind
      details: Record<string, unknown>
    }>('select recipient, status, kind, details from mails where workspace_id = $1 order by id', [
      workspaceId,
    ])
  const statuses = async () => (await mails()).map(({ status }) => status).sort()
  const sell = async (more: object = {}) => {
    await merchant.sale({ externalId: newId(), clickId: await merchant.click(), ...more })
    await fold(database, merchant)
  }
  return { merchant, manager, workspaceId, slug, strangers, welcome, mails, statuses, sell }
}

const TODAY = new Date()
const TOMORROW = new Date(TODAY.getTime() + 86_400_000)

describe('mailing strangers from a new workspace', () => {
  test('is held: welcome mails and invitations, but not to people who have signed in', async () => {
    const { manager, merchant, strangers, welcome, mails } = await createNewcomer()
    const known = somebody()
    await signIn(known)
    const [ann = '', eve = ''] = strangers(2)
    await welcome([ann, known])
    await manager.post('/members', { email: eve, role: 'member' })
    const found = (await mails()).map(({ recipient, status }) => ({ recipient, status }))
    expect(found.toSorted((a, b) => a.recipient.localeCompare(b.recipient))).toEqual(
      [
        { recipient: ann, status: 'held' },
        { recipient: eve, status: 'held' },
        { recipient: known, status: 'queued' },
      ].toSorted((a, b) => a.recipient.localeCompare(b.recipient)),
    )
    expect(await manager.get('/mails?status=held')).toMatchObject({
      status: 200,
      body: {
        data: [
          { status: 'held', nextAttemptAt: null },
          { status: 'held', nextAttemptAt: null },
        ],
      },
    })
    for (const path of ['mails', 'import']) {
      const page = await fetch(`${inject('baseUrl')}/app/${merchant.workspace.slug}/${path}`, {
        headers: { Cookie: await merchant.manager() },
      })
      expect(await page.text()).toContain('are held until the first sale is credited to a partner')
    }
  })

  test('is not made possible by time, nor by sales that are credited to nobody', async () => {
    const { strangers, welcome, statuses, sell } = await createNewcomer()
    await welcome(strangers(2))
    await sell({ clickId: undefined })
    await releaseMails(db(), 50, TOMORROW)
    expect(await statuses()).toEqual(['held', 'held'])
  })

  test('is limited by day after the first credited sale, also by concurrent runs', async () => {
    const { strangers, welcome, statuses, sell } = await createNewcomer()
    await welcome(strangers(5))
    await sell()
    await Promise.all(Array.from({ length: 4 }, () => releaseMails(db(), 2, TODAY)))
    await releaseMails(db(), 2, TODAY)
    expect(await statuses()).toEqual(['held', 'held', 'held', 'queued', 'queued'])
    await welcome(strangers(1))
    await releaseMails(db(), 2, TOMORROW)
    expect((await statuses()).filter((status) => status === 'queued')).toHaveLength(4)
    await releaseMails(db(), 2, TOMORROW)
    expect((await statuses()).filter((status) => status === 'held')).toHaveLength(2)
  })

  test('is unlimited once the operator says so', async () => {
    const { merchant, workspaceId, slug, strangers, welcome, statuses } = await createNewcomer()
    await welcome(strangers(3))
    const trust = (name: string) =>
      new Promise<string>((resolve) => {
        const env = { ...process.env, DATABASE_URL: inject('database').DATABASE_URL }
        execFile(
          process.execPath,
          ['cli/workspace-trust.ts', name],
          { cwd: ROOT, env },
          (_error, out, problem) => resolve(out + problem),
        )
      })
    expect(await trust('no-such-shop')).toContain('No workspace has the slug or id "no-such-shop".')
    expect(await trust(slug.toUpperCase())).toContain('may mail people who have never signed in')
    expect(await trust(workspaceId)).toContain('is already trusted')
    await releaseMails(db(), 0, TODAY)
    await welcome(strangers(1))
    expect(await statuses()).toEqual(['queued', 'queued', 'queued', 'queued'])
    expect(
      (await database.audit(merchant)).filter(({ action }) => action === 'workspace.trusted'),
    ).toMatchObject([{ actor: 'operator', details: {} }])
  })

  test('goes on for somebody who signs in meanwhile', async () => {
    const { strangers, welcome, mails } = await createNewcomer()
    const [ann = '', eve = ''] = strangers(2)
    await welcome([ann, eve])
    await signIn(ann)
    const statusOf = new Map((await mails()).map(({ recipient, status }) => [recipient, status]))
    expect([statusOf.get(ann), statusOf.get(eve)]).toEqual(['queued', 'held'])
  })

  test('by an invitation tells the manager that the mail waits', async () => {
    const { merchant, slug, strangers } = await createNewcomer()
    const [ann = ''] = strangers(1)
    const invited = await submit(
      `${inject('baseUrl')}/app/${slug}/members`,
      { email: ann, role: 'member' },
      { Cookie: await merchant.manager() },
    )
    expect(invited.headers.get('Location')).toBe(`/app/${slug}/members?done=invited_held`)
  })

  test('never holds the link that a partner has asked for', async () => {
    const { merchant, workspaceId, mails } = await createNewcomer()
    await database.query(
      `insert into mails (id, workspace_id, kind, recipient, partner_id, details, created_at, next_attempt_at)
       values (uuidv7(), $1, 'address_link', $2, $3, '{}', now(), now())`,
      [workspaceId, somebody(), merchant.partnerId],
    )
    expect(await mails()).toMatchObject([{ kind: 'address_link', status: 'queued' }])
  })
})

test('a welcome mail has the merchant’s words as text, and says which verified address sent it', async () => {
  const { manager, merchant, slug, strangers, welcome, mails } = await createNewcomer()
  const lure =
    '<a href="https://evil.example">Stripe account verification required</a> https://evil.example'
  await manager.patch(`/programs/${merchant.programId}`, {
    name: lure,
    siteUrl: 'https://evil.example/verify?account=1',
  })
  await welcome(strangers(1))
  const [mail] = await mails()
  const { html, text } = outboxContent({ kind: 'moved', details: mail?.details ?? {} })
  const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)
  expect(links).toEqual([`${inject('baseUrl')}/portal`])
  expect(html).toContain('&lt;a href=')
  expect(text).toContain('\nhttps://evil.example/verify?account=1&via=stranger')
  expect(text).toContain(`Sent by A merchant (manager@${slug}.example).`)
})

test.each(['-1', '1.5', 'many', '1e9'])(
  'the daily limit %j stops the mailer instead of lifting it',
  (setting) => {
    expect(() => dailyMails({ NEW_WORKSPACE_DAILY_MAILS: setting })).toThrow(
      'must be a whole number',
    )
    expect(dailyMails({})).toBe(50)
  },
)
