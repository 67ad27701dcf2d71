// @module-tag thorough
import { describe, expect, test } from 'vitest'
import type { Fault } from '../support/faulty-database.ts'
import { useFaultyManage } from '../support/faulty-manage.ts'
import { useDatabase } from '../support/merchant.ts'

const database = useDatabase()
const { createMerchant, watch } = useFaultyManage()

/**
 * A partner "ann" who has the coupon OLD, the further link old and a note, and a manager whose
 * calls go through a database that fails as planned.
 */
const createWatched = async () => {
  const merchant = await createMerchant()
  const { id: workspaceId, slug } = merchant.workspace
  const email = `manager@${slug}.example`
  await merchant.seed.addMember(workspaceId, email)
  const partnerId = await merchant.seed.addPartner(workspaceId, merchant.programId, {
    slug: 'ann',
    email: `ann@${slug}.example`,
  })
  const { plan, left, ...watched } = watch([workspaceId, slug], email)
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => (await watched.call(method, `/${slug}/partners/${partnerId}${path}`, body, headers)).status
  await call('POST', '/coupons', { couponId: 'OLD' })
  await call('POST', '/links', { slug: 'old' })
  await call('POST', '/notes', { content: 'Old.' })
  const [note] = await database.query<{ id: string }>(
    'select id from partner_notes where partner_id = $1',
    [partnerId],
  )
  const state = async () => {
    const [row] = await database.query(
      `select status, slug, split_part(email, '@', 1) as mailbox,
              array(select l.slug from links l where l.partner_id = p.id order by 1) as links,
              array(select coupon_id from coupon_aliases a where a.partner_id = p.id order by 1) as coupons,
              array(select content from partner_notes n where n.partner_id = p.id order by n.id) as notes,
              array(select action from audit_entries e where e.workspace_id = p.workspace_id order by e.id offset 3) as log
       from partners p where id = $1`,
      [partnerId],
    )
    return row
  }
  return { call, state, plan, left, slug, noteId: note?.id }
}
type Watched = Awaited<ReturnType<typeof createWatched>>

const BEFORE = {
  status: 'approved',
  slug: 'ann',
  mailbox: 'ann',
  links: ['old'],
  coupons: ['OLD'],
  notes: ['Old.'],
}

const CHANGES = [
  {
    change: 'a ban',
    status: 200,
    again: 200,
    send: ({ call }: Watched) => call('PATCH', '', { status: 'banned' }),
    after: { ...BEFORE, status: 'banned', log: ['partner.changed'] },
  },
  {
    change: 'a coupon added',
    status: 201,
    again: 200,
    send: ({ call }: Watched) => call('POST', '/coupons', { couponId: 'NEW' }),
    after: { ...BEFORE, coupons: ['NEW', 'OLD'], log: ['coupon.added'] },
  },
  {
    change: 'a coupon removed',
    status: 204,
    again: 404,
    send: ({ call }: Watched) => call('DELETE', '/coupons/OLD'),
    after: { ...BEFORE, coupons: [], log: ['coupon.removed'] },
  },
  {
    change: 'another slug',
    status: 200,
    again: 200,
    send: ({ call }: Watched) => call('PATCH', '', { slug: 'new' }),
    after: { ...BEFORE, slug: 'new', links: ['ann', 'old'], log: ['partner.changed'] },
  },
  {
    change: 'a former slug again',
    status: 200,
    again: 200,
    send: ({ call }: Watched) => call('PATCH', '', { slug: 'old' }),
    after: { ...BEFORE, slug: 'old', links: ['ann'], log: ['partner.changed'] },
  },
  {
    change: 'another address',
    status: 200,
    again: 200,
    reads: 3,
    send: ({ call, slug }: Watched) => call('PATCH', '', { email: `new@${slug}.example` }),
    after: { ...BEFORE, mailbox: 'new', log: ['partner.address_changed'] },
  },
  {
    change: 'a link added',
    status: 201,
    again: 200,
    send: ({ call }: Watched) => call('POST', '/links', { slug: 'new' }),
    after: { ...BEFORE, links: ['new', 'old'], log: ['link.added'] },
  },
  {
    change: 'a link released',
    status: 204,
    again: 404,
    send: ({ call }: Watched) => call('DELETE', '/links/old'),
    after: { ...BEFORE, links: [], log: ['link.released'] },
  },
  {
    change: 'a note added',
    status: 201,
    again: 201,
    // Without a key, a repeat adds another note.
    send: ({ call }: Watched) =>
      call('POST', '/notes', { content: 'New.' }, { 'Idempotency-Key': 'note-1' }),
    after: { ...BEFORE, notes: ['Old.', 'New.'], log: ['note.added'] },
  },
  {
    change: 'a note deleted',
    status: 204,
    again: 404,
    send: ({ call, noteId }: Watched) => call('DELETE', `/notes/${noteId}`),
    after: { ...BEFORE, notes: [], log: ['note.deleted'] },
  },
]

const LOSING: Fault[] = ['cut_before', 'cut_after', 'half', 'empty', 'shutdown_57P01', 'own_twin']

/** Membership and the read come first, then the write. */
const untilWrite = (reads = 2) => Array.from({ length: reads }, () => null)

describe('a change whose response was lost is applied and logged once', () => {
  test.concurrent.each(LOSING.flatMap((fault) => CHANGES.map((change) => ({ ...change, fault }))))(
    '$change: $fault',
    async ({ fault, send, status, after, reads }) => {
      const watched = await createWatched()
      watched.plan(...untilWrite(reads), fault)
      expect(await send(watched)).toBe(status)
      expect(watched.left()).toBe(0)
      expect(await watched.state()).toEqual(after)
    },
  )
})

describe('an unconfirmed change returns 503, and a retry has the same result', () => {
  test.concurrent.each(CHANGES)('$change', async ({ send, again, after, reads }) => {
    const watched = await createWatched()
    watched.plan(...untilWrite(reads), 'cut_after', 'cut_after', 'cut_after')
    expect(await send(watched)).toBe(503)
    expect(await send(watched)).toBe(again)
    expect(await watched.state()).toEqual(after)
  })
})
