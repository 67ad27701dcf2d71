/**
 * The cut-over: all or nothing, once, with what the other platform owes, and nothing of what was
 * decided in shadow mode.
 */
import { expect, inject, test } from 'vitest'
import { createMerchant, errorShape, type Merchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

const createShadowed = async () => {
  const merchant = await createMerchant({ manualPayouts: true, program: { holding_days: 0 } })
  const api = await merchant.asManager()
  expect((await api.patch(`/programs/${merchant.programId}`, { mode: 'shadow' })).status).toBe(200)
  const emailOf = async (slug: string) => {
    const email = `${slug}@${merchant.workspace.slug}.example`
    await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, { slug, email })
    return email
  }
  return {
    ...merchant,
    api,
    ann: await emailOf('ann'),
    bob: await emailOf('bob'),
    upload: (rows: object[]) =>
      api.post(`/programs/${merchant.programId}/shadow/commissions`, { rows }),
    cutOver: (body: object = {}) => api.post(`/programs/${merchant.programId}/cut-over`, body),
    pay: () => api.post('/payouts/run', { method: 'manual' }),
  }
}

let count = 0
const row = (partnerEmail: string | null, amountCents: number, of: object = {}) => ({
  id: `cm_${++count}`,
  state: 'due',
  amountCents,
  currency: 'USD',
  partnerEmail,
  soldAt: '2026-10-01',
  ...of,
})

const earned = ({ workspace }: Merchant) =>
  database.query(
    `select p.slug, c.kind, c.amount_cents::int as cents, c.currency, c.payable_at = never() as never
     from commissions c join partners p on p.id = c.partner_id where c.workspace_id = $1 order by p.slug, c.currency, c.kind`,
    [workspace.id],
  )

test('takes over what is unpaid, by partner and currency, and pays it with what is earned from then on', async () => {
  const merchant = await createShadowed()
  const { ann, bob, upload, cutOver, pay, workspace, programId, api } = merchant
  await merchant.sale({ externalId: 'before', clickId: await merchant.click('ann') })
  await upload([
    row(ann, 1_000),
    row(ann.toUpperCase(), 500, { state: 'pending' }),
    row(ann, 9_999, { state: 'paid' }),
    row(ann, 9_999, { state: 'voided' }),
    row(ann, 700, { currency: 'EUR' }),
    row(bob, 300),
    row(bob, -1_000),
  ])
  const preview = await cutOver({ dryRun: true })
  expect(preview.body).toMatchObject({
    cutOverAt: null,
    refused: [],
    sums: [
      { currency: 'EUR', partners: 1, amountCents: 700 },
      { currency: 'USD', partners: 2, amountCents: 800 },
    ],
  })
  expect(await cutOver({ expected: [] })).toMatchObject({
    status: 409,
    body: errorShape('preview_changed'),
  })
  expect((await api.get(`/programs/${programId}`)).body.mode).toBe('shadow')

  const answers = await Promise.all(
    Array.from({ length: 8 }, () => cutOver({ expected: preview.body.sums })),
  )
  expect(answers.map(({ status, body }) => [status, body.sums])).toEqual(
    Array(8).fill([200, preview.body.sums]),
  )
  expect(new Set(answers.map(({ body }) => body.cutOverAt)).size).toBe(1)
  expect((await cutOver()).headers.get('Idempotent-Replayed')).toBe('true')
  expect((await api.get(`/programs/${programId}`)).body.mode).toBe('live')
  expect(await earned(merchant)).toEqual([
    { slug: 'ann', kind: 'adjustment', cents: 700, currency: 'EUR', never: false },
    { slug: 'ann', kind: 'opening_balance', cents: 1_500, currency: 'USD', never: false },
    { slug: 'ann', kind: 'sale', cents: 980, currency: 'USD', never: true },
    { slug: 'bob', kind: 'adjustment', cents: -700, currency: 'USD', never: false },
  ])
  const audited = (await database.audit(merchant)).filter(
    ({ action }) => action === 'program.cut_over',
  )
  expect(audited).toHaveLength(1)
  expect(audited[0]?.details).toMatchObject({ balances: 3 })

  // From then on the program pays. What it decided before is never paid, nor is its refund
  // deducted.
  await merchant.sale({
    externalId: 'after',
    customerExternalId: 'user_2',
    clickId: await merchant.click('ann'),
  })
  await merchant.refund({ externalId: 'r1', saleExternalId: 'before' })
  const { body } = await pay()
  expect(body.payouts).toMatchObject([
    { currency: 'EUR', amountCents: 700 },
    { currency: 'USD', amountCents: 2_480 },
  ])
  expect(body.skipped).toMatchObject([{ code: 'negative_balance', amountCents: -700 }])
  expect((await api.patch(`/programs/${programId}`, { mode: 'shadow' })).status).toBe(409)
  expect(await database.violations(workspace.id)).toEqual([])
})

test('nothing happens while partners do not match; they are imported, or left out', async () => {
  const merchant = await createShadowed()
  const { ann, bob, upload, cutOver, api, programId, workspace } = merchant
  await database.query(
    "update partners set status = 'banned', terms_since = now() where email = $1",
    [bob],
  )
  await database.query(
    `insert into former_partner_terms (workspace_id, partner_id, until, status)
     select workspace_id, id, terms_since, 'approved' from partners where email = $1`,
    [bob],
  )
  await upload([
    row(ann, 100),
    row(bob, 200),
    row('new@partner.example', 300),
    row(null, 400),
    row('gone@partner.example', 500),
  ])
  const refused = await cutOver()
  expect(refused.body).toMatchObject({ cutOverAt: null })
  expect((refused.body.refused as { code: string }[]).map(({ code }) => code).sort()).toEqual([
    'no_partner',
    'partner_banned',
    'partner_not_found',
    'partner_not_found',
  ])
  expect((await api.get(`/programs/${programId}`)).body.mode).toBe('shadow')
  await api.post('/partners/import', {
    programId,
    rows: [{ email: 'new@partner.example', slug: 'new' }],
  })
  const done = await cutOver({ leaveOut: [bob, '', 'GONE@partner.example'] })
  expect(done.body).toMatchObject({
    refused: [],
    sums: [{ currency: 'USD', partners: 2, amountCents: 400 }],
  })
  expect(done.body.cutOverAt).not.toBeNull()
  expect((await earned(merchant)).map(({ slug, cents }) => [slug, cents])).toEqual([
    ['ann', 100],
    ['new', 300],
  ])
  expect(await database.violations(workspace.id)).toEqual([])
})

test('only managers who signed in of late cut over, and only their own program', async () => {
  const merchant = await createShadowed()
  const path = `/programs/${merchant.programId}/cut-over`
  const dryRun = { dryRun: true }
  expect((await merchant.as(await merchant.member()).post(path, dryRun)).status).toBe(403)
  expect((await merchant.as(await merchant.stranger()).post(path, dryRun)).status).toBe(404)
  expect(
    (await (await createMerchant()).asManager().then((other) => other.post(path, dryRun))).status,
  ).toBe(404)
  const key = await merchant.seed.addApiKey(merchant.workspace.id, { scopes: ['write'] })
  expect(
    (await merchant.withHeaders({ Authorization: `Bearer ${key}` }).post(path, dryRun)).status,
  ).toBe(401)
  const live = await merchant.seed.addProgram(merchant.workspace.id)
  expect((await merchant.api.post(`/programs/${live}/cut-over`, dryRun)).status).toBe(409)
  await database.query(
    `update sign_in.sessions s set created_at = now() - interval '2 days' from sign_in.users u where u.id = s.user_id and u.email = $1`,
    [`manager@${merchant.workspace.slug}.example`],
  )
  expect(await merchant.api.post(path, {})).toMatchObject({
    status: 403,
    body: errorShape('fresh_sign_in_required'),
  })
})

test('sales, refunds and corrections around a cut-over are of the time at which they took place', async () => {
  const merchant = await createShadowed()
  const { cutOver, workspace, api, programId } = merchant
  const clickId = await merchant.click('ann')
  const sell = (n: number, of: object = {}) =>
    merchant.sale({ externalId: `s${n}`, customerExternalId: `c${n}`, clickId, ...of })
  const shadowed = new Date()
  await Promise.all([...Array.from({ length: 8 }, (_, n) => sell(n)), cutOver()])
  // Received after the cut-over, and paid before it.
  const late = await sell(20, { occurredAt: shadowed.toISOString() })
  expect((await merchant.explain(late.body.eventId)).commission?.status).toBe('shadow')
  const fresh = await sell(21)
  expect((await merchant.explain(fresh.body.eventId)).commission?.status).toBe('payable')
  // A sale of shadow mode that a manager credits to another partner was paid to the first one by
  // the other platform.
  const [bob] = await database.query<{ id: string }>(
    "select id from partners where program_id = $1 and slug = 'bob'",
    [programId],
  )
  const credited = await api.post(`/events/${late.body.eventId}/credit`, {
    partnerId: bob?.id,
    reason: 'His customer',
    customer: false,
  })
  expect(credited.status).toBe(200)
  expect((await merchant.explain(late.body.eventId)).commission?.status).toBe('shadow')
  const runs = await database.query<{ ended: Date }>(
    'select ended_at as ended from shadow_runs where program_id = $1',
    [programId],
  )
  const [wrong] = await database.query(
    `select count(*)::int as rows from commissions where workspace_id = $1 and kind = 'sale' and replaces_id is null
       and (payable_at = never()) <> (created_at < $2)`,
    [workspace.id, runs[0]?.ended],
  )
  expect(wrong).toEqual({ rows: 0 })
  expect(await database.violations(workspace.id)).toEqual([])
})

test('the page previews, leaves out and cuts over without JavaScript', async () => {
  const merchant = await createShadowed()
  const { ann, upload, workspace, programId } = merchant
  await upload([row(ann, 1_250), row('gone@partner.example', 500)])
  const cookie = await merchant.manager()
  const url = `${inject('baseUrl')}/app/${workspace.slug}/programs/${programId}/shadow`
  const get = async (path: string) => (await fetch(`${url}${path}`, { headers: { cookie } })).text()
  const refused = await get('/cut-over')
  expect(refused).toContain('gone@partner.example')
  expect(refused).not.toContain('class="danger"')
  const preview = await get('/cut-over?leaveOut=gone%40partner.example')
  expect(preview).toMatch(/\$12\.50 of 1 partner/)
  const field = (name: string) =>
    (new RegExp(`name="${name}" value="([^"]*)"`).exec(preview)?.[1] ?? '').replaceAll(
      '&quot;',
      '"',
    )
  const response = await fetch(`${url}/cut-over`, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      cookie,
      origin: new URL(url).origin,
      'Content-Type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({
      leaveOut: field('leaveOut'),
      expected: field('expected'),
    }).toString(),
  })
  expect(response.status).toBe(303)
  expect(await get('?done=cut_over')).toMatch(/Cut over\. The program is live\./)
  expect((await earned(merchant)).map(({ cents }) => cents)).toEqual([1_250])
})
