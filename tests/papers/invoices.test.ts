import { expect, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { returnPayout } from '../../lib/payouts/corrections/returned-payouts.queries.ts'
import { noteReversal, releasePayout } from '../../lib/payouts/corrections/reversals.queries.ts'
import { changeRun } from '../../lib/payouts/runs/manual-runs.queries.ts'
import { type Payer, usePayouts } from '../support/payouts.ts'

const world = usePayouts()

/**
 * A merchant who issues invoices, with partners who agreed to them unless `agreed` says otherwise.
 */
const createBilling = async (names: string[], agreed = names) => {
  const payer = await world.createPayer()
  await world.query('update workspaces set self_billing = true where id = $1', [payer.workspaceId])
  const partners = new Map<string, string>()
  for (const slug of names) {
    const { id, email } = await payer.addPartner({ slug, owed: [{ amountCents: 1_000 }] })
    partners.set(slug, id)
    await world.query(
      `insert into payees (workspace_id, email, name, city, country, self_billing_since, updated_at)
       values ($1, $2, $3, 'Berlin', 'DE', case when $4 then now() end, now())`,
      [payer.workspaceId, email, `${slug} Ltd`, agreed.includes(slug)],
    )
  }
  return { payer, partners }
}

const invoicesOf = ({ workspaceId }: Payer) =>
  world.query<{ number: number; supplier: string; customer: string; cents: number }>(
    `select i.number::int, i.supplier ->> 'name' as supplier, i.customer ->> 'name' as customer, po.amount_cents::int as cents
     from invoices i join payouts po on po.id = i.payout_id where i.workspace_id = $1 order by i.number`,
    [workspaceId],
  )

test('a transfer issues an invoice for each partner who agreed, numbered from 1 in each workspace', async () => {
  const { payer, partners } = await createBilling(['ann', 'bob', 'eve'], ['ann', 'bob'])
  const other = await createBilling(['zoe'])
  await payer.run()
  await other.payer.run()
  expect(await invoicesOf(payer)).toMatchObject([
    { number: 1, cents: 1_000 },
    { number: 2, cents: 1_000 },
  ])
  expect((await invoicesOf(payer)).map(({ supplier }) => supplier).sort()).toEqual([
    'ann Ltd',
    'bob Ltd',
  ])
  expect(await invoicesOf(other.payer)).toMatchObject([{ number: 1, supplier: 'zoe Ltd' }])

  await payer.earn(partners.get('ann') ?? '', { amountCents: 700 })
  await payer.run()
  expect((await invoicesOf(payer)).at(-1)).toMatchObject({
    number: 3,
    supplier: 'ann Ltd',
    cents: 700,
  })
  expect(await world.violations()).toEqual([])
})

test('no invoice where the merchant has not switched them on', async () => {
  const { payer } = await createBilling(['ann'])
  await world.query('update workspaces set self_billing = false where id = $1', [payer.workspaceId])
  expect((await payer.run()).payouts).toMatchObject([{ status: 'paid' }])
  expect(await invoicesOf(payer)).toEqual([])
})

test('a payout that Stripe refuses takes no number', async () => {
  const { payer } = await createBilling(['ann', 'bob'])
  const [account] = await world.query<{ id: string }>(
    `select stripe_account_id as id from payout_accounts where workspace_id = $1 and email like 'ann@%'`,
    [payer.workspaceId],
  )
  world.stripe().closeAccount(account?.id ?? '')
  await payer.run()
  expect(await invoicesOf(payer)).toMatchObject([{ number: 1, supplier: 'bob Ltd' }])
})

test('a run by bank issues its invoices when it is confirmed, and not while it can be undone', async () => {
  const { payer } = await createBilling(['ann', 'bob'])
  const { runId } = await payer.run({ method: 'manual' })
  const to = (status: 'paid' | 'processing' | 'confirmed') =>
    changeRun(
      connect(world.env()),
      { workspaceId: payer.workspaceId, actor: 'manager@shop.example', now: new Date() },
      runId ?? '',
      status,
      'https://tributary.example/portal',
    )
  for (const status of ['paid', 'processing', 'paid'] as const) await to(status)
  expect(await invoicesOf(payer)).toEqual([])
  await to('confirmed')
  await to('confirmed')
  expect(await invoicesOf(payer)).toMatchObject([{ number: 1 }, { number: 2 }])
  expect(await world.violations()).toEqual([])
})

test('runs at once leave no gap and no number twice', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `p${index}`)
  const { payer } = await createBilling(names)
  await Promise.all([payer.run(), payer.run(), payer.run()].map((run) => run.catch(() => {})))
  await payer.run()
  expect((await invoicesOf(payer)).map(({ number }) => number)).toEqual(
    names.map((_, index) => index + 1),
  )
  expect(await world.violations()).toEqual([])
})

test('an invoice keeps its parties, whatever they are called later, and cannot be changed', async () => {
  const { payer } = await createBilling(['ann'])
  await payer.run()
  await world.query(`update payees set name = 'Another' where workspace_id = $1`, [
    payer.workspaceId,
  ])
  expect(await invoicesOf(payer)).toMatchObject([{ supplier: 'ann Ltd' }])
  await expect(
    world.query('update invoices set number = 7 where workspace_id = $1', [payer.workspaceId]),
  ).rejects.toThrow('immutable')
})

const creditsOf = ({ workspaceId }: Payer) =>
  world.query<{ number: number; invoice: number; cents: number; reason: string }>(
    `select n.number::int, i.number::int as invoice, n.amount_cents::int as cents, n.reason
     from credit_notes n join invoices i on i.id = n.invoice_id where n.workspace_id = $1 order by n.number`,
    [workspaceId],
  )

const payoutOf = async (partnerId: string | undefined) => {
  const [payout] = await world.query<{ id: string; transferId: string }>(
    'select id, transfer_id as "transferId" from payouts where partner_id = $1 order by id desc limit 1',
    [partnerId],
  )
  return { id: payout?.id ?? '', transferId: payout?.transferId ?? '' }
}

test('what is reversed of a transfer is credited once, in part and in full, and paying it again is another invoice', async () => {
  const { payer, partners } = await createBilling(['ann', 'bob', 'eve'], ['ann', 'bob'])
  await payer.run()
  const db = connect(world.env())
  const reverse = async (slug: string, reversedCents: number) => {
    const { id: payoutId, transferId } = await payoutOf(partners.get(slug))
    await noteReversal(db, payer.workspaceId, { transferId, payoutId, reversedCents }, new Date())
  }
  const invoices = await invoicesOf(payer)
  const numberOf = (slug: string) =>
    invoices.find(({ supplier }) => supplier === `${slug} Ltd`)?.number
  for (const cents of [300, 300, 1_000, 300]) await reverse('ann', cents)
  await Promise.all([reverse('bob', 1_000), reverse('bob', 1_000), reverse('eve', 1_000)])
  expect(await creditsOf(payer)).toEqual([
    { number: 1, invoice: numberOf('ann'), cents: 300, reason: 'reversed' },
    { number: 2, invoice: numberOf('ann'), cents: 700, reason: 'reversed' },
    { number: 3, invoice: numberOf('bob'), cents: 1_000, reason: 'reversed' },
  ])
  const act = { workspaceId: payer.workspaceId, actor: 'manager@shop.example', now: new Date() }
  await releasePayout(db, act, (await payoutOf(partners.get('ann'))).id)
  await payer.run()
  expect((await invoicesOf(payer)).at(-1)).toMatchObject({
    number: 3,
    supplier: 'ann Ltd',
    cents: 1_000,
  })
  expect(await creditsOf(payer)).toHaveLength(3)
  expect(await world.violations()).toEqual([])
})

test('a payout that the bank returns is credited in full, also once invoices are switched off, and a credit note cannot be changed', async () => {
  const { payer, partners } = await createBilling(['ann'])
  const { runId } = await payer.run({ method: 'manual' })
  const db = connect(world.env())
  const act = { workspaceId: payer.workspaceId, actor: 'manager@shop.example', now: new Date() }
  const portalUrl = 'https://tributary.example/portal'
  for (const status of ['paid', 'confirmed'] as const)
    await changeRun(db, act, runId ?? '', status, portalUrl)
  await world.query('update workspaces set self_billing = false where id = $1', [payer.workspaceId])
  const { id } = await payoutOf(partners.get('ann'))
  for (const _ of ['once', 'twice'])
    await returnPayout(db, act, id, { reason: 'The account is closed.', portalUrl })
  expect(await creditsOf(payer)).toEqual([
    { number: 1, invoice: 1, cents: 1_000, reason: 'returned' },
  ])
  await expect(world.query('update credit_notes set number = 7')).rejects.toThrow('immutable')
  expect(await world.violations()).toEqual([])

  await world.query('alter table credit_notes disable trigger all')
  await world.query('delete from credit_notes where workspace_id = $1', [payer.workspaceId])
  await world.query('alter table credit_notes enable trigger all')
  expect((await world.violations()).map(({ invariant }) => invariant)).toEqual([
    'credit notes are numbered without gaps',
    'an invoice is credited with what came back of its payout',
  ])
})
