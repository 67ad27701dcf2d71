/**
 * Shadow mode: nothing that a program decides meanwhile can be paid, by whatever way money goes
 * out.
 */
import { expect, inject, test } from 'vitest'
import { WEBHOOK_TYPES } from '../../lib/webhooks/types.ts'
import { createMerchant, errorShape, type Merchant, useDatabase } from '../support/merchant.ts'
import { openSession } from '../support/people.ts'
import { checkoutSession, refund, stripeEvent, stripeId, useStripe } from '../support/stripe.ts'

const database = useDatabase()

/** A merchant whose program runs in shadow mode. */
const createShadowed = async (options: Parameters<typeof createMerchant>[0] = {}) => {
  const merchant = await createMerchant({ manualPayouts: true, ...options })
  const api = await merchant.asManager()
  const started = await api.patch(`/programs/${merchant.programId}`, { mode: 'shadow' })
  expect(started.status, JSON.stringify(started.body)).toBe(200)
  return { ...merchant, api }
}

const commissionsOf = ({ workspace }: Merchant) =>
  database.query<{ kind: string; cents: string; never: boolean }>(
    `select kind, amount_cents as cents, payable_at = never() as never from commissions where workspace_id = $1 order by id`,
    [workspace.id],
  )

test('a manager starts a shadow run, once, and only the cut-over ends it', async () => {
  const merchant = await createMerchant()
  const { programId, workspace } = merchant
  const change = { mode: 'shadow' }
  const path = `/programs/${programId}`
  expect((await merchant.as(await merchant.member()).patch(path, change)).status).toBe(403)
  expect((await merchant.as(await merchant.stranger()).patch(path, change)).status).toBe(404)
  expect(
    (await (await createMerchant()).asManager().then((other) => other.patch(path, change))).status,
  ).toBe(404)
  const api = await merchant.asManager()
  expect((await api.get(path)).body.mode).toBe('live')
  const answers = await Promise.all(Array.from({ length: 8 }, () => api.patch(path, change)))
  expect(answers.map(({ status, body }) => [status, body.mode])).toEqual(
    Array(8).fill([200, 'shadow']),
  )
  expect(await api.patch(path, { mode: 'live' })).toMatchObject({
    status: 409,
    body: errorShape('conflict'),
  })
  expect((await api.patch(path, { mode: 'test' })).status).toBe(400)
  expect((await api.patch(path, { holdingDays: 3 })).body).toMatchObject({
    mode: 'shadow',
    holdingDays: 3,
  })
  const started = (await database.audit(merchant)).filter(
    ({ action }) => action === 'program.shadow_started',
  )
  expect(started).toEqual([
    {
      actor: expect.any(String),
      action: 'program.shadow_started',
      subject_id: programId,
      details: {},
    },
  ])
  expect(await database.violations(workspace.id)).toEqual([])
})

test('a program may begin in shadow mode', async () => {
  const merchant = await createMerchant()
  const api = await merchant.asManager()
  const terms = {
    name: 'Moved',
    siteUrl: 'https://shop.example',
    reward: { kind: 'percent', percent: 20 },
    rewardInterval: 'recurring',
  }
  expect((await api.post('/programs', { ...terms, mode: 'shadow' })).body.mode).toBe('shadow')
  expect((await api.post('/programs', { ...terms, mode: null })).body.mode).toBe('live')
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

test('what a sale earns in shadow mode is in no balance, payout, statement, sum, webhook or promise, nor is its refund', async () => {
  const merchant = await createShadowed({ program: { holding_days: 0 } })
  const { api, workspace, programId, partnerId } = merchant
  await database.query(
    `insert into webhook_endpoints (id, workspace_id, url, description, types, ciphertext, created_at)
     values (uuidv7(), $1, 'https://backend.example/webhooks', '', $2, 'x', now())`,
    [workspace.id, WEBHOOK_TYPES],
  )
  const { body } = await merchant.sale({ clickId: await merchant.click() })
  expect(body.attributed).toBe(true)
  await merchant.refund({ amountCents: 900 })

  expect(await commissionsOf(merchant)).toEqual([
    { kind: 'sale', cents: '980', never: true },
    { kind: 'reversal', cents: '-180', never: true },
  ])
  const event = await merchant.explain(body.eventId)
  expect(event.commission).toMatchObject({ status: 'shadow', payableAt: null, amountCents: 980 })
  expect(event.steps.at(-1)?.text ?? '').not.toMatch(/payable from/)
  expect(event.steps.map(({ text }) => text).join(' ')).toContain(
    'in shadow mode: another platform pays it',
  )
  const listed = async (status: string) =>
    ((await api.get(`/commissions?status=${status}`)).body.data as unknown[]).length
  for (const status of ['pending', 'payable', 'held', 'processing', 'paid'])
    expect(await listed(status), status).toBe(0)
  expect(await listed('shadow')).toBe(2)
  expect((await api.get('/balances')).body).toMatchObject({ data: [] })
  expect((await api.get(`/partners/${partnerId}/balances`)).body).toEqual({ data: [] })

  const run = (fields: object) => api.post('/payouts/run', { method: 'manual', ...fields })
  expect((await run({ dryRun: true })).body).toMatchObject({ payouts: [], skipped: [], totals: {} })
  expect((await run({})).body).toMatchObject({ payouts: [], skipped: [] })
  expect((await run({ programId })).status).toBe(409)

  const month = new Date().toISOString().slice(0, 7)
  expect((await api.get(`/partners/${partnerId}/statement?month=${month}`)).body).toMatchObject({
    balances: [],
  })
  const [sums] = await database.query(
    'select coalesce(sum(earned_cents), 0)::int as earned, coalesce(sum(open_cents), 0)::int as open from total_deltas where workspace_id = $1',
    [workspace.id],
  )
  expect(sums).toEqual({ earned: 0, open: 0 })
  const queued = await database.query(
    'select type, subject_id from webhook_events where workspace_id = $1 order by id',
    [workspace.id],
  )
  expect(queued.map(({ type }) => type)).toEqual(['sale.created', 'refund.created'])

  const email = `maya@${workspace.slug}.example`
  await database.query('update partners set email = $2 where id = $1', [partnerId, email])
  const cookie = await openSession(email)
  for (const path of [
    '/portal',
    '/portal/commissions',
    '/portal/events',
    `/portal/events/${body.eventId}`,
  ]) {
    const page = await (await fetch(`${inject('baseUrl')}${path}`, { headers: { cookie } })).text()
    expect(
      page.match(/.{80}(\$9\.80|\$8\.00|Payable from|You earned|Earned).{80}/s)?.[0],
      path,
    ).toBeUndefined()
    if (path !== '/portal/commissions')
      expect(page, path).toMatch(/other platform|another platform/)
  }
  expect(await database.violations(workspace.id)).toEqual([])
})

test('a refund that Stripe reports before its sale is in no balance either', async () => {
  const merchant = await createShadowed()
  const stripe = await useStripe(merchant)
  const payment = stripeId('pi')
  await stripe.deliver(
    stripeEvent('refund.created', refund({ payment_intent: payment, amount: 4_900 })),
  )
  const session = checkoutSession({
    payment_intent: payment,
    client_reference_id: await merchant.click(),
  })
  await stripe.deliver(stripeEvent('checkout.session.completed', session))
  expect(await commissionsOf(merchant)).toEqual([
    { kind: 'sale', cents: '980', never: true },
    { kind: 'reversal', cents: '-980', never: true },
  ])
  expect((await merchant.get(`/partners/${merchant.partnerId}/balances`)).body).toEqual({
    data: [],
  })
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

test('the database itself pays nothing that was earned in shadow mode', async () => {
  const merchant = await createShadowed()
  const { workspace, programId, partnerId } = merchant
  await merchant.sale({ clickId: await merchant.click() })
  const run = `insert into payout_runs (id, workspace_id, program_id, method, cutoff_at, created_by, created_at)
               values (uuidv7(), $1, $2, 'manual', now(), 'm', now())`
  await expect(database.query(run, [workspace.id, programId])).rejects.toThrow(/shadow mode/)
  await database.query(run, [workspace.id, null])
  const payout = `insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, created_at, next_attempt_at)
                  select uuidv7(), workspace_id, id, $2, $3, 'USD', 980, now(), now() from payout_runs where workspace_id = $1`
  await expect(database.query(payout, [workspace.id, programId, partnerId])).rejects.toThrow(
    /shadow mode/,
  )
  await expect(
    database.query('update commissions set payable_at = now() where workspace_id = $1', [
      workspace.id,
    ]),
  ).rejects.toThrow(/immutable/)
  await expect(
    database.query('update commissions set payout_id = uuidv7() where workspace_id = $1', [
      workspace.id,
    ]),
  ).rejects.toThrow(/commissions_never_payable_check/)
  // Whoever inserts one says when it is payable, and is overruled.
  await database.query(
    `insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind, replaces_id,
                              amount_cents, currency, payable_at, created_at)
     select uuidv7(), workspace_id, program_id, partner_id, customer_id, event_id, reward_id, 'sale', id, 1, 'USD', now(), now()
     from commissions where workspace_id = $1`,
    [workspace.id],
  )
  expect((await commissionsOf(merchant)).map(({ never }) => never)).toEqual([true, true])
})

test('a program that owes partners something, or is paying them, does not start a shadow run', async () => {
  const merchant = await createMerchant({ manualPayouts: true, program: { holding_days: 0 } })
  const { programId, workspace } = merchant
  const api = await merchant.asManager()
  const start = () => api.patch(`/programs/${programId}`, { mode: 'shadow' })
  await merchant.sale({ clickId: await merchant.click() })
  expect((await start()).body.error?.message).toMatch(/is not paid/)
  const { body } = await api.post('/payouts/run', { method: 'manual' })
  expect((await start()).body.error?.message).toMatch(/run of this program has not ended/)
  await api.patch(`/payout-runs/${body.runId}`, { status: 'paid' })
  expect((await start()).status).toBe(200)
  expect(await database.violations(workspace.id)).toEqual([])
  // What the bank returns meanwhile is owed from before, and waits.
  await api.patch(`/payout-runs/${body.runId}`, { status: 'confirmed' })
  const [payout] = body.payouts as { id: string }[]
  expect(
    (await api.post(`/payouts/${payout?.id}/return`, { reason: 'Account closed' })).status,
  ).toBe(200)
  const preview = await api.post('/payouts/run', { method: 'manual', dryRun: true })
  expect(preview.body).toMatchObject({
    payouts: [],
    skipped: [{ code: 'program_in_shadow', amountCents: 980 }],
  })
  expect((await api.post('/payouts/run', { method: 'manual' })).body).toMatchObject({ payouts: [] })
  expect(await database.violations(workspace.id)).toEqual([])
})

test('managers add nothing to what partners of a program in shadow mode are owed', async () => {
  const merchant = await createShadowed()
  const { api, programId, partnerId, workspace } = merchant
  const adjustment = {
    externalId: 'bonus',
    partnerId,
    amountCents: 500,
    currency: 'USD',
    reason: 'Bonus',
  }
  expect(await api.post('/commissions', adjustment)).toMatchObject({
    status: 409,
    body: errorShape('conflict'),
  })
  const rows = [{ email: 'new@partner.example', openingBalanceCents: 5_000 }]
  const importing = (options: object) => api.post('/partners/import', { programId, rows, options })
  expect((await importing({ importOpeningBalances: true, dryRun: true })).status).toBe(409)
  expect((await importing({ importOpeningBalances: true })).status).toBe(409)
  expect((await importing({})).body).toMatchObject({ summary: { created: 1 } })
  await merchant.sale({ clickId: await merchant.click() })
  const [commission] = (await api.get('/commissions')).body.data as { id: string }[]
  const reversal = { externalId: 'half', amountCents: 400, reason: 'Half of it' }
  expect((await api.post(`/commissions/${commission?.id}/reverse`, reversal)).status).toBe(201)
  expect((await commissionsOf(merchant)).map(({ never }) => never)).toEqual([true, true])
  expect(await database.violations(workspace.id)).toEqual([])
})

test('of two programs of a workspace the one in shadow mode is not paid, and the other one is', async () => {
  const merchant = await createMerchant({ manualPayouts: true, program: { holding_days: 0 } })
  const { seed, workspace, programId } = merchant
  const api = await merchant.asManager()
  const other = await seed.addProgram(workspace.id, {
    holding_days: 0,
    minimum_payout_cents: 1_500,
  })
  const [maya] = await database.query<{ email: string }>(
    'select email from partners where id = $1',
    [merchant.partnerId],
  )
  await seed.addPartner(workspace.id, other, { slug: 'maya-two', email: maya?.email ?? '' })
  await api.patch(`/programs/${programId}`, { mode: 'shadow' })
  await merchant.sale({ externalId: 'a', customerExternalId: 'a', clickId: await merchant.click() })
  const sold = async (externalId: string) =>
    merchant.sale({
      externalId,
      customerExternalId: externalId,
      clickId: await merchant.click('maya-two', other),
    })
  await sold('b')
  const run = () => api.post('/payouts/run', { method: 'manual' })
  // What the other platform pays is not due here, so it does not help to reach a minimum.
  expect((await run()).body).toMatchObject({
    payouts: [],
    skipped: [{ code: 'below_minimum', amountCents: 980 }],
  })
  // A customer of the program in shadow mode who moves earns there from then on, and is paid.
  await merchant.sale({
    externalId: 'c',
    customerExternalId: 'a',
    clickId: await merchant.click('maya-two', other),
  })
  expect((await run()).body).toMatchObject({ payouts: [{ amountCents: 1_960 }] })
  // And the other way round.
  await merchant.sale({ externalId: 'd', customerExternalId: 'b', clickId: await merchant.click() })
  expect((await run()).body).toMatchObject({ payouts: [] })
  expect((await commissionsOf(merchant)).map(({ never }) => never)).toEqual([
    true,
    false,
    false,
    true,
  ])
  expect(await database.violations(workspace.id)).toEqual([])
})

test('sales that are reported while a shadow run starts are all paid, or never', async () => {
  const merchant = await createMerchant({ manualPayouts: true, program: { holding_days: 0 } })
  const { workspace, programId } = merchant
  const api = await merchant.asManager()
  const clickId = await merchant.click()
  const sell = (n: number) =>
    merchant.sale({ externalId: `s${n}`, customerExternalId: `c${n}`, clickId })
  const start = () => api.patch(`/programs/${programId}`, { mode: 'shadow' })
  await Promise.all([start(), ...Array.from({ length: 8 }, (_, n) => sell(n)), start()])
  for (let n = 0; (await start()).status !== 200; n++) {
    // Sales came first, so they are live, and are paid before another attempt.
    expect(n).toBeLessThan(5)
    const { body } = await api.post('/payouts/run', { method: 'manual' })
    await api.patch(`/payout-runs/${body.runId}`, { status: 'paid' })
  }
  const before = await commissionsOf(merchant)
  expect(before).toHaveLength(8)
  expect((await api.post('/payouts/run', { method: 'manual' })).body).toMatchObject({ payouts: [] })
  expect(await database.violations(workspace.id)).toEqual([])
})

test('a claim that meets a shadow run which starts pays everything before it, or nothing', async () => {
  const merchant = await createMerchant({ manualPayouts: true, program: { holding_days: 0 } })
  const { workspace, programId } = merchant
  const api = await merchant.asManager()
  await merchant.sale({ clickId: await merchant.click() })
  const answers = await database.whileLocked(`${workspace.id} payouts`, async () => {
    const waiting = [
      api.post('/payouts/run', { method: 'manual' }),
      ...Array.from({ length: 4 }, () => api.patch(`/programs/${programId}`, { mode: 'shadow' })),
    ]
    return { waiting: Promise.all(waiting) }
  })
  const [run, ...starts] = await answers.waiting
  expect(run?.status).toBe(200)
  // Owed or being paid, in whatever order they came.
  expect(starts.map(({ status }) => status)).toEqual([409, 409, 409, 409])
  expect(await database.violations(workspace.id)).toEqual([])
})
