/**
 * A member's email address changes once links to the old and to the new address are confirmed, and
 * by nothing less.
 */
import { describe, expect, test } from 'vitest'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { browse, openPages } from '../support/pages.ts'
import { openSession, somebody, whoIs } from '../support/people.ts'

const database = useDatabase()

/** A manager who wants another address. */
const createMover = async () => {
  const merchant = await createMerchant()
  const { slug, id } = merchant.workspace
  const from = `manager@${slug}.example`
  const to = somebody('new')
  const cookie = await merchant.manager()
  const pages = await openPages(merchant)
  /** Asks for the links. @returns the tokens that the two addresses were mailed */
  const request = async (address = to) => {
    const sent = await pages.post('/address', { email: address })
    expect([sent.status, sent.text]).toEqual([200, expect.stringContaining('Check both mailboxes')])
    const tokenOf = async (recipient: string) => {
      const [mail] = await database.query<{ url: string }>(
        `select details->>'url' as url from mails where kind = 'member_address' and recipient = $1 order by id desc limit 1`,
        [recipient],
      )
      return new URL(mail?.url ?? '').searchParams.get('token') ?? ''
    }
    return { old: await tokenOf(from), new: await tokenOf(address) }
  }
  const members = () =>
    database.query<{ email: string }>(
      'select email from members where workspace_id = $1 order by id',
      [id],
    )
  return { merchant, slug, from, to, cookie, pages, request, members }
}

describe('a new address', () => {
  test.each(['old', 'new'] as const)(
    'is used once both links are confirmed, the %s one first',
    async (first) => {
      const { merchant, slug, from, to, cookie, pages, request, members } = await createMover()
      const second = await createMerchant()
      await second.seed.addMember(second.workspace.id, from, 'member')
      const tokens = await request()
      const [one, other] = first === 'old' ? [tokens.old, tokens.new] : [tokens.new, tokens.old]
      expect((await pages.get(`/address/confirm?token=${one}`)).text).toContain(
        `you sign in with ${to} instead of ${from}`,
      )
      for (const _ of [1, 2]) {
        expect((await pages.post('/address/confirm', { token: one })).text).toContain(
          `that was sent to ${first === 'old' ? to : from}, too`,
        )
      }
      expect((await pages.get(`/address/confirm?token=${one}`)).text).toContain('One link left')
      expect(await members()).toEqual([{ email: from }])

      expect((await pages.post('/address/confirm', { token: other })).text).toContain(
        'Address changed',
      )
      expect(await members()).toEqual([{ email: to }])
      expect(
        await database.query('select email from members where workspace_id = $1', [
          second.workspace.id,
        ]),
      ).toEqual([{ email: to }])
      const moved = browse(await openSession(to))
      expect((await moved.get(`/${slug}/members`)).text).toContain(to)
      // The old address belongs to nobody here, so its account is gone.
      expect(await whoIs(cookie)).toBeNull()
      for (const shop of [merchant, second]) {
        expect((await database.audit(shop)).at(-1)).toMatchObject({
          actor: from,
          action: 'member.address_changed',
          details: { from, to },
        })
      }
    },
  )

  test('is not used by the link to either address alone, by another session, nor by a partner’s form', async () => {
    const { merchant, slug, from, to, request, members, cookie } = await createMover()
    const tokens = await request()
    const eve = browse(await openSession(to))
    expect((await eve.post(`/${slug}/address/confirm`, { token: tokens.new })).status).toBe(404)
    const member = await openPages(merchant, 'member')
    for (const token of [tokens.old, tokens.new])
      expect((await member.post('/address/confirm', { token })).text).toContain('has expired')
    await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, {
      slug: 'own',
      email: from,
    })
    const portal = browse(cookie, undefined, '/portal')
    for (const token of [tokens.old, tokens.new])
      expect((await portal.post('/address/confirm', { token })).text).toContain('has expired')
    expect((await members()).map(({ email }) => email)).toContain(from)
  })

  test('is canceled by either link, and neither works then', async () => {
    const { pages, request, members, from } = await createMover()
    for (const side of ['old', 'new'] as const) {
      const tokens = await request()
      await pages.post('/address/confirm', { token: tokens.new })
      expect((await pages.post('/address/cancel', { token: tokens[side] })).text).toContain(
        'Change canceled',
      )
      for (const token of [tokens.old, tokens.new])
        expect((await pages.post('/address/confirm', { token })).status).toBe(400)
    }
    expect(await members()).toEqual([{ email: from }])
  })

  test('that another member has is refused, and so are a fourth request and an old sign-in', async () => {
    const { merchant, pages, request, members, from, to } = await createMover()
    await merchant.seed.addMember(merchant.workspace.id, to, 'member')
    const tokens = await request()
    const taken = await pages.post('/address/confirm', { token: tokens.old })
    expect([taken.status, taken.text]).toEqual([
      400,
      expect.stringContaining('belongs to another member'),
    ])
    await request()
    await request()
    expect((await pages.post('/address', { email: to })).text).toContain(
      'several links have been sent',
    )
    for (const email of ['nonsense', from])
      expect((await pages.post('/address', { email })).status).toBe(400)
    await database.query(
      `update sign_in.sessions set created_at = created_at - interval '13 hours'
      where user_id = (select id from sign_in.users where email = $1)`,
      [from],
    )
    expect((await pages.post('/address', { email: to })).text).toContain('Confirm it’s you')
    expect((await members()).map(({ email }) => email)).toEqual([from, to])
  })

  test('changes once when both links are pressed eight times at once', async () => {
    const { merchant, pages, request, members, to } = await createMover()
    const tokens = await request()
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        pages.post('/address/confirm', { token: index % 2 ? tokens.old : tokens.new }),
      ),
    )
    expect(await members()).toEqual([{ email: to }])
    const changes = (await database.audit(merchant)).filter(
      ({ action }) => action === 'member.address_changed',
    )
    expect(changes).toHaveLength(1)
  })

  test('lets nobody approve a payout run of their own, nor one of a schedule twice', async () => {
    const { merchant, pages, request, to, from } = await createMover()
    await database.query(
      `insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at, needs_approval)
       values (uuidv7(), $1, 'stripe', now(), $2, now(), true)`,
      [merchant.workspace.id, from],
    )
    await database.query(
      `insert into payout_runs (id, workspace_id, method, cutoff_at, scheduled_for, created_at, needs_approval,
                                first_approved_at, first_approved_by)
       values (uuidv7(), $1, 'stripe', now(), now(), now(), true, now(), $2)`,
      [merchant.workspace.id, from],
    )
    const tokens = await request()
    for (const token of [tokens.old, tokens.new]) await pages.post('/address/confirm', { token })
    expect(
      await database.query(
        'select created_by, first_approved_by from payout_runs where workspace_id = $1 order by id',
        [merchant.workspace.id],
      ),
    ).toEqual([
      { created_by: to, first_approved_by: null },
      { created_by: null, first_approved_by: to },
    ])
  })
})
