/**
 * One manager, or whoever has a manager's session, who wants to pay more alone than the workspace
 * allows.
 */
import pg from 'pg'
import { describe, expect, inject, test, vi } from 'vitest'
import { addApprover } from '../support/approvers.ts'
import { type Merchant, useDatabase } from '../support/merchant.ts'
import { browse } from '../support/pages.ts'
import { openSession } from '../support/people.ts'
import { createOwing } from '../support/runs.ts'

const database = useDatabase()

type Manager = Awaited<ReturnType<Merchant['asManager']>>

/**
 * A merchant who owes 8,120.00 to Leo and 50.50 to Ann, and lets one manager pay 8,150.00 alone.
 */
const createShop = async (aboveCents: number | null = 815_000) => {
  const merchant = await createOwing()
  const { id, slug } = merchant.workspace
  const email = (name: string) => `${name}@${slug}.example`
  const mia = await merchant.asManager()
  await database.query('update workspaces set approval_above_cents = $2 where id = $1', [
    id,
    aboveCents,
  ])
  const partners = await database.query<{ id: string; slug: string }>(
    'select id, slug from partners where workspace_id = $1',
    [id],
  )
  const idOf = (name: string) => partners.find(({ slug }) => slug === name)?.id ?? ''
  return {
    merchant,
    id,
    slug,
    email,
    mia,
    /** A session of a person who may be a manager. */
    sign: async (name: string) => merchant.as(await openSession(email(name))),
    /** A manager for some days. */
    colleague: async (name: string) => {
      await addApprover(database.query, id, email(name))
      return merchant.as(await openSession(email(name)))
    },
    pay: (who: Manager, leavesOut: string[] = [], more: object = {}) =>
      who.post('/payouts/run', {
        method: 'manual',
        excludePartnerIds: leavesOut.map(idOf),
        ...more,
      }),
    notices: () =>
      database.query<{ notice: string; recipient: string; what: string | null }>(
        `select details ->> 'notice' as notice, recipient, details ->> 'what' as what from mails
         where workspace_id = $1 and kind = 'workspace_notice' order by id`,
        [id],
      ),
  }
}

describe('splits a run', () => {
  test('by leaving partners out: what was paid alone in seven days counts', async () => {
    const { mia, pay, id } = await createShop()
    expect((await pay(mia, ['ann'])).body.status).toBe('processing')
    const rest = await pay(mia)
    expect(rest.body).toMatchObject({ status: 'awaiting_approval', payouts: [] })
    await mia.post(`/payout-runs/${rest.body.runId}/decline`)
    await database.query(
      `update payout_runs set created_at = created_at - interval '7 days' where workspace_id = $1`,
      [id],
    )
    expect((await pay(mia)).body.status).toBe('processing')
  })

  test('by a maximum, and then by program', async () => {
    const { mia, pay, merchant } = await createShop()
    expect((await pay(mia, [], { maxAmountCents: { USD: 812_000 } })).body.payouts).not.toEqual([])
    expect((await pay(mia, [], { programId: merchant.programId })).body.status).toBe(
      'awaiting_approval',
    )
  })

  test('into runs that are started at once', async () => {
    const { mia, pay, id } = await createShop()
    const key = `hashtextextended($1 || ' payouts', 0)`
    const other = new pg.Client({ connectionString: inject('database').DATABASE_URL })
    await other.connect()
    await other.query('begin')
    await other.query(`select pg_advisory_xact_lock(${key})`, [id])
    const both = Promise.all([pay(mia, ['ann']), pay(mia, ['leo'])])
    // Neither has begun: each waits for whoever pays from the workspace at the time.
    await vi.waitFor(
      async () =>
        expect(
          await database.query(
            `select from pg_locks where locktype = 'advisory' and not granted
             and (classid::bigint << 32 | objid::bigint) = ${key}`,
            [id],
          ),
        ).toHaveLength(2),
      { timeout: 60_000 },
    )
    await other.query('commit')
    await other.end()
    const statuses = (await both).map(({ body }) => body.status)
    expect(statuses.sort()).toEqual(['awaiting_approval', 'processing'])
  })

  test('while one of its own has not claimed anything yet', async () => {
    const { mia, pay, id } = await createShop()
    const first = await pay(mia, ['ann'])
    // As if the request had ended before.
    await database.query(
      `with freed as (update commissions set payout_id = null where workspace_id = $1 returning id)
       select count(*) from freed`,
      [id],
    )
    await database.query('delete from payouts where run_id = $1', [first.body.runId])
    await database.query(
      'update payout_runs set claimed_at = null, claim_cursor = null where id = $1',
      [first.body.runId],
    )
    expect((await pay(mia, ['leo'])).body.status).toBe('awaiting_approval')
  })

  test('and what a run may pay does not grow after it was begun', async () => {
    const { mia, pay } = await createShop()
    const { body } = await pay(mia, ['leo'], {
      previewedAt: new Date().toISOString(),
      expected: [{ currency: 'USD', amountCents: 99_999_999, count: 100 }],
    })
    expect((await mia.get(`/payout-runs/${body.runId}`)).body).toMatchObject({
      expected: [{ currency: 'USD', amountCents: 5_050, count: 1 }],
    })
  })

  test('but what another manager has approved does not count', async () => {
    const { mia, pay, colleague } = await createShop(10_000)
    const ben = await colleague('ben')
    const { runId } = (await pay(mia, ['ann'])).body
    expect((await ben.post(`/payout-runs/${runId}/approve`)).status).toBe(200)
    expect((await pay(mia, ['leo'])).body.status).toBe('processing')
  })

  test('but what was canceled does not count, nor what another manager has declined', async () => {
    const { mia, pay, colleague } = await createShop()
    const ben = await colleague('ben')
    const first = await pay(mia, ['ann'])
    await mia.patch(`/payout-runs/${first.body.runId}`, { status: 'canceled' })
    const all = await pay(mia)
    expect(all.body.status).toBe('awaiting_approval')
    expect((await ben.post(`/payout-runs/${all.body.runId}/decline`)).status).toBe(200)
    expect((await pay(mia, ['ann'])).body.status).toBe('processing')
  })
})

test('approves its own run: another one has to, on the page too', async () => {
  const { mia, pay, id, email, merchant, slug } = await createShop(100)
  await addApprover(database.query, id, email('manager'))
  const { runId } = (await pay(mia)).body
  expect((await mia.post(`/payout-runs/${runId}/approve`)).status).toBe(409)
  const page = await browse(await merchant.manager()).get(`/${slug}/payouts/runs/${runId}`)
  expect(page.text).toContain('You started it, so you can only decline it.')
  expect(page.html).not.toContain('Approve run')
  expect((await mia.get(`/payout-runs/${runId}`)).body).toMatchObject({ approvedBy: null })
})

describe('raises the limit', () => {
  test.each([
    { case: 'to a higher sum', sum: 99_999_999 },
    { case: 'by removing it', sum: null },
  ])('$case: it waits for another manager, and everybody is mailed', async ({ sum }) => {
    const { mia, colleague, email, notices, pay } = await createShop()
    const ben = await colleague('ben')
    const { status, body } = await mia.patch('/settings', {
      approvalAboveCents: sum,
      manualPayouts: true,
    })
    const { limitRequest } = body as unknown as { limitRequest: { id: string } }
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        approvalAboveCents: 815_000,
        limitRequest: { approvalAboveCents: sum, requestedBy: email('manager') },
      },
    })
    const path = `/settings/limit-requests/${limitRequest.id}`
    expect((await mia.post(`${path}/approve`)).status).toBe(409)
    expect((await pay(mia)).body.status).toBe('awaiting_approval')
    const what = sum === null ? null : String(sum)
    const toBoth = (notice: string) =>
      ['ben', 'manager'].map((name) => ({ notice, recipient: email(name), what }))
    expect(await notices()).toEqual(toBoth('limit_requested'))
    expect((await ben.post(`${path}/approve`)).body).toMatchObject({
      approvalAboveCents: sum,
      limitRequest: null,
    })
    expect(await notices()).toEqual([...toBoth('limit_requested'), ...toBoth('limit_approved')])
    expect((await ben.post(`${path}/approve`)).status).toBe(404)
  })

  test('on the page, where another manager can decline it', async () => {
    const { merchant, colleague, email, slug, mia } = await createShop()
    await colleague('ben')
    const [pages, others] = [await merchant.manager(), await openSession(email('ben'))].map(
      (cookie) => browse(cookie),
    )
    if (!pages || !others) throw new Error('Nobody is signed in.')
    const settings = {
      manualPayouts: 'on',
      payoutOrder: 'smallest_first',
      salesFrom: 'both',
      mode: 'live',
    }
    const asked = await pages.post(`/${slug}/settings`, {
      ...settings,
      approvalAboveCents: '999999',
    })
    expect(asked.location).toContain('done=asked')
    const own = await pages.get(`/${slug}/settings`)
    expect(own.text).toContain('asked for the limit 999999.00')
    expect(own.text).toContain('another manager has to approve it')
    expect(own.html).not.toContain('Approve limit')
    const [, id] = /limit-requests\/([0-9a-f-]+)\/decline/.exec(own.html) ?? []
    expect((await pages.post(`/${slug}/settings/limit-requests/${id}/approve`, {})).status).toBe(
      409,
    )
    expect((await others.get(`/${slug}/settings`)).html).toContain('Approve limit')
    const declined = await others.post(`/${slug}/settings/limit-requests/${id}/decline`, {})
    expect(declined.location).toContain('done=decline')
    expect((await mia.get('/settings')).body).toMatchObject({
      approvalAboveCents: 815_000,
      limitRequest: null,
    })
    expect((await pages.get(`/${slug}/audit`)).text).toContain('declined a higher limit')
  })

  test('by replacing what another manager is about to approve', async () => {
    const { mia, colleague } = await createShop()
    const ben = await colleague('ben')
    const ask = async (sum: number) =>
      (
        (await mia.patch('/settings', { approvalAboveCents: sum })).body as unknown as {
          limitRequest: { id: string }
        }
      ).limitRequest.id
    const modest = await ask(900_000)
    expect(await ask(900_000)).toBe(modest)
    await ask(99_999_999)
    expect((await ben.post(`/settings/limit-requests/${modest}/approve`)).status).toBe(404)
    expect((await mia.get('/settings')).body).toMatchObject({ approvalAboveCents: 815_000 })
  })

  test('but a lower limit, and the first one, need nobody', async () => {
    const { mia } = await createShop(null)
    for (const sum of [900_000, 1_000])
      expect((await mia.patch('/settings', { approvalAboveCents: sum })).body).toMatchObject({
        approvalAboveCents: sum,
        limitRequest: null,
      })
  })

  test('but the only manager can, 72 hours after asking', async () => {
    const { mia, id } = await createShop()
    const asked = (await mia.patch('/settings', { approvalAboveCents: null })).body as unknown as {
      limitRequest: { id: string }
    }
    const path = `/settings/limit-requests/${asked.limitRequest.id}/approve`
    expect((await mia.post(path)).status).toBe(409)
    await database.query(
      `update approval_limit_requests set requested_at = requested_at - interval '72 hours' where workspace_id = $1`,
      [id],
    )
    expect((await mia.post(path)).body).toMatchObject({
      approvalAboveCents: null,
      limitRequest: null,
    })
  })
})

describe('approves by a second mailbox', () => {
  test('that was invited for it: it was no manager 72 hours before', async () => {
    const { mia, pay, sign, email, notices, colleague } = await createShop()
    await mia.post('/members', { email: email('second'), role: 'manager' })
    const second = await sign('second')
    const run = (await pay(mia)).body.runId
    expect((await second.post(`/payout-runs/${run}/approve`)).status).toBe(409)
    expect(await notices()).toEqual([
      { notice: 'manager_added', recipient: email('manager'), what: email('second') },
    ])
    const ben = await colleague('ben')
    expect((await ben.post(`/payout-runs/${run}/approve`)).body).toMatchObject({
      approvedBy: email('ben'),
    })
    expect((await notices()).filter(({ notice }) => notice === 'run_approved')).toEqual(
      ['ben', 'manager', 'second'].map((name) => ({
        notice: 'run_approved',
        recipient: email(name),
        what: '8,170.50 USD',
      })),
    )
  })

  test.each([
    {
      case: 'of a member who was made a manager',
      prepare: `update members set role = 'member' where email = $1`,
      change: true,
    },
    {
      case: 'of a manager who has signed in since',
      prepare: 'update sign_in.users set created_at = now() where email = $1',
      change: false,
    },
    {
      case: 'of a manager for 71 hours',
      prepare: `update members set role_since = now() - interval '71 hours' where email = $1`,
      change: false,
    },
  ])('$case', async ({ prepare, change }) => {
    const { mia, colleague, pay, email, slug } = await createShop()
    const ben = await colleague('ben')
    await database.query(prepare, [email('ben')])
    const members = (await mia.get('/members')).body as unknown as {
      data: { id: string; email: string }[]
    }
    const member = members.data.find((one) => one.email === email('ben'))
    if (change) await mia.patch(`/members/${member?.id}`, { role: 'manager' })
    const run = (await pay(mia)).body.runId
    expect((await ben.post(`/payout-runs/${run}/approve`)).status).toBe(409)
    const page = await browse(await openSession(email('ben'))).get(`/${slug}/payouts/runs/${run}`)
    expect(page.text).toContain('less than 72 hours before this run was begun')
    expect(page.html).not.toContain('Approve run')
    await mia.patch('/settings', { approvalAboveCents: null })
    const { limitRequest } = (await mia.get('/settings')).body as unknown as {
      limitRequest: { id: string }
    }
    expect((await ben.post(`/settings/limit-requests/${limitRequest.id}/approve`)).status).toBe(409)
  })

  test('or gets the others out of the way: they are mailed, also who wanted no mails', async () => {
    const { mia, colleague, email, notices, id } = await createShop()
    await colleague('ben')
    await database.query('update members set payout_mails = false where workspace_id = $1', [id])
    const members = (await mia.get('/members')).body as unknown as {
      data: { id: string; email: string }[]
    }
    const member = members.data.find((one) => one.email === email('ben'))
    await mia.patch(`/members/${member?.id}`, { role: 'member' })
    expect(await notices()).toEqual(
      ['ben', 'manager'].map((name) => ({
        notice: 'manager_removed',
        recipient: email(name),
        what: email('ben'),
      })),
    )
  })
})

describe('has the schedule begin the run', () => {
  /** A run that a schedule has begun, which waits; its program pays on that day. */
  const beginScheduled = async ({ id, merchant }: Awaited<ReturnType<typeof createShop>>) => {
    const [run] = await database.query<{ id: string }>(
      `insert into payout_runs (id, workspace_id, program_id, method, cutoff_at, scheduled_for, created_at, needs_approval,
                                expected)
       values (uuidv7(), $1, $2, 'stripe', now(), now(), now(), true, '{"USD": {"amountCents": 817050, "count": 2}}')
       returning id`,
      [id, merchant.programId],
    )
    return `/payout-runs/${run?.id}`
  }

  test('and approves it alone: two people have to, whoever they are, and all managers are mailed', async () => {
    const shop = await createShop()
    const { mia, colleague, email, notices, id, slug } = shop
    await addApprover(database.query, id, email('manager'))
    const ben = await colleague('ben')
    const path = await beginScheduled(shop)
    const first = {
      status: 'awaiting_approval',
      firstApprovedBy: email('manager'),
      approvedBy: null,
    }
    expect(await mia.post(`${path}/approve`)).toMatchObject({ status: 200, body: first })
    for (const _ of ['again', 'and again'])
      expect(await mia.post(`${path}/approve`)).toMatchObject({ status: 200, body: first })
    const to = (notice: string) =>
      ['ben', 'manager'].map((name) => ({ notice, recipient: email(name), what: '8,170.50 USD' }))
    expect(await notices()).toEqual(to('run_approved_first'))
    const page = await browse(await openSession(email('manager'))).get(
      `/${slug}/payouts/runs/${path.slice(13)}`,
    )
    expect(page.text).toContain('1 of 2 approvals')
    expect(page.text).toContain('You approved this run. Another manager has to approve it, too.')
    expect(page.html).not.toContain('Approve run')
    const list = await browse(await openSession(email('ben'))).get(`/${slug}/payouts`)
    expect(list.text).toContain('1 of 2 approvals')
    expect((await ben.post(`${path}/approve`)).body).toMatchObject({
      firstApprovedBy: email('manager'),
      approvedBy: email('ben'),
    })
    expect(await notices()).toEqual([...to('run_approved_first'), ...to('run_approved')])
  })

  test('at once with another one: one is the first, the other the second', async () => {
    const shop = await createShop()
    const people = [
      await shop.colleague('ben'),
      await shop.colleague('cleo'),
      await shop.colleague('ben'),
    ]
    const path = await beginScheduled(shop)
    await Promise.all(people.map((one) => one.post(`${path}/approve`)))
    const { firstApprovedBy, approvedBy } = (await shop.mia.get(path)).body
    expect([firstApprovedBy, approvedBy].sort()).toEqual([shop.email('ben'), shop.email('cleo')])
  })

  test('and approves with a mailbox that was invited for it, as the first or as the second', async () => {
    const shop = await createShop()
    const ben = await shop.colleague('ben')
    await shop.mia.post('/members', { email: shop.email('second'), role: 'manager' })
    const second = await shop.sign('second')
    const path = await beginScheduled(shop)
    expect((await second.post(`${path}/approve`)).status).toBe(409)
    expect((await ben.post(`${path}/approve`)).status).toBe(200)
    expect((await second.post(`${path}/approve`)).status).toBe(409)
    expect((await shop.mia.get(path)).body).toMatchObject({
      status: 'awaiting_approval',
      approvedBy: null,
    })
  })

  test('with the approval of somebody who may approve no more: it does not count', async () => {
    const shop = await createShop()
    const [ben, cleo, dan] = [
      await shop.colleague('ben'),
      await shop.colleague('cleo'),
      await shop.colleague('dan'),
    ]
    const path = await beginScheduled(shop)
    await ben.post(`${path}/approve`)
    await database.query(`update members set role = 'member' where email = $1`, [shop.email('ben')])
    expect((await cleo.post(`${path}/approve`)).body).toMatchObject({
      status: 'awaiting_approval',
      firstApprovedBy: shop.email('cleo'),
    })
    expect((await dan.post(`${path}/approve`)).body).toMatchObject({
      approvedBy: shop.email('dan'),
    })
  })

  test('and is declined by anybody who may approve, before or after the first approval', async () => {
    const shop = await createShop()
    const ben = await shop.colleague('ben')
    const path = await beginScheduled(shop)
    await ben.post(`${path}/approve`)
    expect((await shop.mia.post(`${path}/decline`)).body).toMatchObject({
      status: 'declined',
      declinedBy: shop.email('manager'),
    })
    expect((await ben.post(`${path}/approve`)).status).toBe(409)
  })

  test('and is the only manager: it waits, as a run of its own does', async () => {
    const shop = await createShop()
    await addApprover(database.query, shop.id, shop.email('manager'))
    const path = await beginScheduled(shop)
    await shop.mia.post(`${path}/approve`)
    expect((await shop.mia.post(`${path}/approve`)).body).toMatchObject({
      status: 'awaiting_approval',
    })
    expect((await shop.mia.post(`${path}/decline`)).status).toBe(200)
  })

  test('and the database lets no Worker approve it by one', async () => {
    const shop = await createShop()
    await shop.colleague('ben')
    const path = await beginScheduled(shop)
    const approve = (first: string) =>
      database.query(
        `update payout_runs set first_approved_at = now(), first_approved_by = $3, approved_at = now(), approved_by = $2
         where id = $1`,
        [path.slice(13), shop.email('ben'), first],
      )
    await expect(approve(shop.email('ben'))).rejects.toThrow('payout_runs_two_approvals_check')
  })
})
