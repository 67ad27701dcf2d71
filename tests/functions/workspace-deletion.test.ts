/**
 * Deleting a workspace: scheduled by a manager, canceled by any, refused while money is under way,
 * and done 30 days later.
 */
import { describe, expect, inject, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { createMerchant, type Merchant, send, useDatabase } from '../support/merchant.ts'
import { browse, openPages } from '../support/pages.ts'
import { openSession, somebody, whoIs } from '../support/people.ts'
import { createPartner } from '../support/portal.ts'

const database = useDatabase()

const IN_30_DAYS = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)

/** A live workspace without any sales, its manager's pages, and what is stored of its deletion. */
const createLive = async () => {
  const merchant = await createMerchant()
  const { id, slug } = merchant.workspace
  await database.query(`update workspaces set mode = 'live' where id = $1`, [id])
  const pages = await openPages(merchant)
  return {
    merchant,
    id,
    slug,
    pages,
    schedule: () => pages.post('/deletion', { slug }),
    state: async () =>
      (
        await database.query(
          'select deletes_at is not null as due, deletion_by from workspaces where id = $1',
          [id],
        )
      )[0],
    notices: () =>
      database.query<{ recipient: string; notice: string }>(
        `select recipient, details ->> 'notice' as notice from mails where workspace_id = $1 and kind = 'workspace_notice' order by id`,
        [id],
      ),
  }
}

/** Makes the deletion due, and erases until it is done. */
const erase = async (id: string) => {
  await database.query(
    `update workspaces set deletes_at = now() - interval '1 second' where id = $1`,
    [id],
  )
  for (let calls = 0; calls < 50; calls++) {
    await database.query('select erase_workspaces(now(), 500)')
    const [left] = await database.query<{ due: boolean }>(
      'select deletes_at is not null as due from workspaces where id = $1',
      [id],
    )
    if (!left?.due) return
  }
}

const managerOf = ({ workspace }: Merchant) => `manager@${workspace.slug}.example`

describe('a deletion', () => {
  test('is scheduled by typing the slug, shown on every page, mailed to all managers, and canceled by any of them', async () => {
    const { merchant, id, slug, pages, schedule, state, notices } = await createLive()
    const second = `second@${slug}.example`
    await merchant.seed.addMember(id, second, 'manager')
    const member = await openPages(merchant, 'member')
    expect((await pages.get('/settings')).html).toContain(`/app/${slug}/deletion"`)
    const shown = await pages.get('/deletion')
    for (const list of ['partners', 'customers', 'events', 'commissions', 'payouts', 'audit'])
      expect(shown.html).toContain(`/api/workspaces/${slug}/export/${list}.csv"`)
    const refused = await pages.post('/deletion', { slug: 'other' })
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('Type the slug of this workspace'),
    ])
    expect(await state()).toEqual({ due: false, deletion_by: null })

    expect((await schedule()).location).toBe(`/app/${slug}/deletion?done=scheduled`)
    expect(await state()).toEqual({ due: true, deletion_by: managerOf(merchant) })
    expect((await pages.get('/deletion')).text).toContain(`is deleted after ${IN_30_DAYS}`)
    expect((await member.get('')).text).toContain(`This workspace is deleted after ${IN_30_DAYS}`)
    expect((await member.get('/deletion')).status).toBe(403)
    expect((await member.post('/deletion/cancel', {})).status).toBe(403)
    // Everything works as before.
    expect((await merchant.sale({})).status).toBe(200)

    const other = browse(await openSession(second))
    await other.post(`/${slug}/deletion`, { slug })
    expect(await state()).toEqual({ due: true, deletion_by: managerOf(merchant) })
    expect((await other.post(`/${slug}/deletion/cancel`, {})).location).toBe(
      `/app/${slug}/deletion?done=canceled`,
    )
    await other.post(`/${slug}/deletion/cancel`, {})
    expect(await state()).toEqual({ due: false, deletion_by: null })
    expect(await notices()).toEqual(
      ['deletion_scheduled', 'deletion_canceled'].flatMap((notice) =>
        [managerOf(merchant), second].sort().map((recipient) => ({ recipient, notice })),
      ),
    )
    expect((await database.audit(merchant)).map(({ action, actor }) => [action, actor])).toEqual([
      ['workspace.deletion_scheduled', managerOf(merchant)],
      ['workspace.deletion_canceled', second],
    ])
  })

  test('is scheduled once by eight forms at once', async () => {
    const { merchant, schedule, notices } = await createLive()
    await Promise.all(Array.from({ length: 8 }, schedule))
    expect(await notices()).toHaveLength(1)
    expect(await database.audit(merchant)).toHaveLength(1)
  })

  const commission = (cents: number, payable: string) => `
    insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents, currency, payable_at, created_at)
    values (uuidv7(), $1, $2, $3, 'opening_balance', ${cents}, 'USD', now() + interval '${payable}', now())`
  const run = (columns: string, values: string) => `
    insert into payout_runs (id, workspace_id, program_id, cutoff_at, created_by, created_at, ${columns})
    select uuidv7(), $1::uuid, $2::uuid, now(), 'ada@shop.example', now(), ${values} where $3::uuid is not null`
  test.each([
    {
      case: 'a payable balance',
      sql: commission(500, '-1 day'),
      says: 'Partners have earned money',
    },
    {
      case: 'a pending balance',
      sql: commission(500, '10 days'),
      says: 'Partners have earned money',
    },
    {
      case: 'a run that is not confirmed',
      sql: run('method, claimed_at', `'manual', now()`),
      says: 'A payout run is not complete',
    },
    {
      case: 'a run that claims',
      sql: run('method', `'stripe'`),
      says: 'A payout run is not complete',
    },
    {
      case: 'a payout on its way',
      sql: `with r as (${run('method, claimed_at', `'stripe', now()`)} returning id)
            insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, next_attempt_at, created_at)
            select uuidv7(), $1, id, $2, $3, 'USD', 500, now(), now() from r`,
      says: 'Payouts are on their way',
    },
  ])('is refused with $case, and by the erasure, which calls it off', async ({ sql, says }) => {
    const { merchant, id, pages, schedule, state, notices } = await createLive()
    const before = await createLive()
    for (const each of [{ id, merchant }, before])
      await (each === before ? before.schedule() : Promise.resolve())
    for (const each of [merchant, before.merchant])
      await database.query(sql, [each.workspace.id, each.programId, each.partnerId])
    const refused = await schedule()
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining(says)])
    expect((await pages.get('/deletion')).html).not.toContain('Schedule deletion')
    expect([await state(), await notices()]).toEqual([{ due: false, deletion_by: null }, []])

    await erase(before.id)
    expect(await before.state()).toEqual({ due: false, deletion_by: null })
    expect((await before.notices()).map(({ notice }) => notice)).toEqual([
      'deletion_scheduled',
      'deletion_called_off',
    ])
    expect((await database.audit(before.merchant)).at(-1)).toMatchObject({
      action: 'workspace.deletion_called_off',
    })
  })

  test('is not refused for what partners owe, a test partner, or a workspace for tests', async () => {
    const live = await createLive()
    const { merchant } = live
    const values = [merchant.workspace.id, merchant.programId, merchant.partnerId]
    await database.query(commission(500, '-1 day'), values)
    await database.query('update partners set is_test = true where id = $1', [merchant.partnerId])
    expect((await live.schedule()).status).toBe(303)
    await database.query(
      `update workspaces set mode = 'test', deletes_at = null, deletion_by = null where id = $1`,
      [live.id],
    )
    await database.query('update partners set is_test = false where id = $1', [merchant.partnerId])
    expect((await live.schedule()).status).toBe(303)
  })
})

describe('a workspace that is deleted', () => {
  test('is gone with its people, keys and links, and people who are known elsewhere stay', async () => {
    const { merchant, id, slug, pages, schedule } = await createLive()
    const partner = await createPartner()
    const shared = somebody('shared')
    await merchant.seed.addMember(id, shared, 'manager')
    const elsewhere = await createMerchant()
    await elsewhere.seed.addMember(elsewhere.workspace.id, shared, 'member')
    await merchant.seed.addPartner(id, merchant.programId, { slug: 'leo', email: partner.email })
    const [manager, sharedCookie] = [await merchant.manager(), await openSession(shared)]
    const portal = await openSession(partner.email)
    const sole = somebody('sole')
    await merchant.seed.addPartner(id, merchant.programId, { slug: 'sole', email: sole })
    const soleCookie = await openSession(sole)
    await merchant.click()
    await schedule()
    await erase(id)

    expect(await database.query('select id from workspaces where id = $1', [id])).toEqual([])
    expect(
      await database.query('select slug, deleted_by from deleted_workspaces where id = $1', [id]),
    ).toEqual([{ slug, deleted_by: managerOf(merchant) }])
    expect((await merchant.sale({})).status).toBe(401)
    const click = await send(`${inject('baseUrl')}/api/track/click`, {
      body: { programId: merchant.programId, slug: 'maya' },
      headers: { 'CF-Connecting-IP': newId() },
    })
    expect(click.status).toBe(404)
    expect((await pages.get('')).location).toContain('/sign-in')
    expect([await whoIs(manager), await whoIs(soleCookie)]).toEqual([null, null])
    expect([await whoIs(sharedCookie), await whoIs(portal)]).toEqual([shared, partner.email])
    expect((await browse(sharedCookie).get(`/${elsewhere.workspace.slug}`)).status).toBe(200)
    const violations = await database.violations(partner.merchant.workspace.id)
    expect(violations).toEqual([])
  })
})
