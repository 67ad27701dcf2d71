/** What another platform paid for customers: shown to their partner, and never in the ledger. */
import { describe, expect, inject, test } from 'vitest'
import { LEO, MAYA } from '../support/imports.ts'
import { type Merchant, useDatabase } from '../support/merchant.ts'
import { browse } from '../support/pages.ts'
import { openSession } from '../support/people.ts'
import { createUndoing, newImport } from '../support/undo.ts'

const database = useDatabase()

const PRIOR = { priorCommissions: 12, priorAmountCents: 9_650, priorCurrency: 'eur' }
const row = (more: object = {}) => ({ customerExternalId: 'cus_1', partnerEmail: MAYA, ...more })
const priors = async ({ workspace }: Merchant) =>
  database.query<{ id: string; prior: object | null }>(
    'select id, prior from customers where workspace_id = $1 order by external_id',
    [workspace.id],
  )
const portal = async (email: string) =>
  (await browse(await openSession(email), inject('baseUrl'), '/portal').get('')).text

test('it is stored with the customer, shown to managers and the partner, and owed to nobody', async () => {
  const { merchant, customers } = await createUndoing()
  const email = `maya-${merchant.workspace.slug}@partner.example`
  await database.query('update partners set email = $2 where id = $1', [merchant.partnerId, email])
  await customers([
    row({ partnerEmail: email, ...PRIOR }),
    row({
      partnerEmail: email,
      customerExternalId: 'cus_2',
      priorCommissions: 1,
      priorAmountCents: 350,
      priorCurrency: 'EUR',
    }),
    row({ partnerEmail: email, customerExternalId: 'cus_3', priorAmountCents: 500 }),
    row({ partnerEmail: email, customerExternalId: 'cus_4' }),
    row({
      partnerEmail: email,
      customerExternalId: 'cus_5',
      priorAmountCents: 0,
      priorCurrency: 'GBP',
    }),
  ])
  const { body } = await merchant.get('/customers?externalId=cus_1')
  expect(body.data).toMatchObject([
    {
      prior: {
        partnerId: merchant.partnerId,
        commissions: 12,
        amountCents: 9_650,
        currency: 'EUR',
      },
    },
  ])
  const text = await portal(email)
  expect(text).toContain(
    'Before the move 100.00 EUR for 2 customers (13 commissions) 5.00 USD for 1 customer',
  )
  expect(text).not.toContain('GBP')
  expect(text).toContain('It is not part of your earnings here.')
  expect(await database.counts(merchant)).toMatchObject({ commissions: 0 })
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

test('a later import changes it, one without it leaves it, and a repeat changes nothing', async () => {
  const { merchant, customers } = await createUndoing()
  const statuses = async (more: object) =>
    (await customers([row(more)])).body.results.map(({ status }) => status)
  expect(await statuses(PRIOR)).toEqual(['created'])
  expect(await statuses(PRIOR)).toEqual(['unchanged'])
  expect(await statuses({})).toEqual(['unchanged'])
  expect(await statuses({ ...PRIOR, priorCommissions: 13 })).toEqual(['updated'])
  expect(await priors(merchant)).toMatchObject([{ prior: { commissions: 13, amountCents: 9_650 } }])
  // It stays with the partner who was paid, and is not shown to the next one.
  expect(await statuses({ partnerEmail: LEO })).toEqual(['updated'])
  expect(await priors(merchant)).toMatchObject([
    { prior: { partnerId: merchant.partnerId, commissions: 13 } },
  ])
})

test.each([
  { case: 'a negative number', fields: { priorCommissions: -1 } },
  { case: 'a part of a commission', fields: { priorCommissions: 1.5 } },
  { case: 'a negative amount', fields: { priorAmountCents: -1 } },
  { case: 'a text', fields: { priorAmountCents: '5' } },
  { case: 'a currency that is none', fields: { priorAmountCents: 5, priorCurrency: 'XXY' } },
])('$case is an error of its row', async ({ fields }) => {
  const { customers } = await createUndoing()
  const { body } = await customers([
    row(fields),
    row({ customerExternalId: 'cus_2', priorCurrency: '' }),
  ])
  expect(body.results).toMatchObject([
    { status: 'error', code: 'prior_invalid' },
    { status: 'created' },
  ])
})

describe('it goes', () => {
  test('with the undo of its import, which brings back what was there', async () => {
    const { merchant, customers, undo } = await createUndoing()
    await customers([row({ priorCommissions: 1 }), row({ customerExternalId: 'cus_2' })])
    const before = await priors(merchant)
    const ours = newImport()
    await customers([row(PRIOR), row({ customerExternalId: 'cus_2', ...PRIOR })], ours)
    expect((await priors(merchant)).map(({ prior }) => prior)).not.toContain(null)
    expect((await undo(ours.importId)).body.undone.customers).toBe(2)
    expect(await priors(merchant)).toEqual(before)
  })

  test('with an erasure of the customer, and is in the exports of personal data before', async () => {
    const { merchant, customers, undo } = await createUndoing()
    await customers([row({ priorCommissions: 1 })])
    const ours = newImport()
    await customers([row(PRIOR)], ours)
    const [customer] = await priors(merchant)
    const manager = await merchant.asManager()
    const { body } = await manager.get(`/customers/${customer?.id}/personal-data`)
    expect((body.data as Record<string, unknown>).customers).toMatchObject([
      { prior: { commissions: 12, amountCents: 9_650, currency: 'EUR' } },
    ])
    const ofPartner = await manager.get(`/partners/${merchant.partnerId}/personal-data`)
    expect((ofPartner.body.data as Record<string, unknown>).beforeTheMove).toEqual([
      { customer: 'cus_1', commissions: 12, amountCents: 9_650, currency: 'EUR' },
    ])
    expect((await manager.post(`/customers/${customer?.id}/erase`, {})).status).toBeLessThan(300)
    expect(await priors(merchant)).toMatchObject([{ prior: null }])
    const [call] = await database.query<{ former: object[] }>(
      `select former from import_calls where workspace_id = $1 and former <> '[]'`,
      [merchant.workspace.id],
    )
    expect(call?.former).toEqual([expect.not.objectContaining({ prior: expect.anything() })])
    await undo(ours.importId)
    expect(await priors(merchant)).toMatchObject([{ prior: null }])
  })
})

test('of two customers who turn out to be one, what the later import says stays', async () => {
  const { merchant, customers } = await createUndoing()
  await customers([row({ customerExternalId: 'user_1', ...PRIOR })])
  await customers([row({ customerExternalId: 'user_2', priorCommissions: 2 })])
  await database.query(
    `select tie_customers($1, '[{"kind": "external", "value": "user_1"}, {"kind": "external", "value": "user_2"}]', 'lead', 'x', uuidv7(), now())`,
    [merchant.workspace.id],
  )
  const rows = await priors(merchant)
  expect(rows.filter(({ prior }) => prior !== null)).toMatchObject([{ prior: { commissions: 2 } }])
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})
