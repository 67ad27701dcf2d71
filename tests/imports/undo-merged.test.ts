/** Undoing an import of customers who have turned out to be one since. */
import { expect, test } from 'vitest'
import { LEO, MAYA } from '../support/imports.ts'
import { type Merchant, useDatabase } from '../support/merchant.ts'
import { createUndoing, newImport, present } from '../support/undo.ts'

const database = useDatabase()

/** A purchase without a payment names both ids. */
const merge = ({ workspace }: Merchant) =>
  database.query(
    `select tie_customers($1, '[{"kind": "external", "value": "user_1"}, {"kind": "stripe", "value": "cus_1"}]', 'purchase', 'cs_1',
                          uuidv7(), now())`,
    [workspace.id],
  )
/** A customer whom the merchant reported an hour ago. */
const seen = async (merchant: Merchant) => {
  await merchant.lead({ externalId: 'user_1', clickId: await merchant.click() })
  await database.query(
    "update events set occurred_at = occurred_at - interval '1 hour' where workspace_id = $1",
    [merchant.workspace.id],
  )
}
const user = { customerExternalId: 'user_1' }
const stripe = { customerExternalId: 'cus_1' }

test('an import of two customers who were merged since is not undone', async () => {
  const { merchant, customers, undo } = await createUndoing()
  const ours = newImport()
  await customers(
    [user, stripe].map((row) => ({ ...row, partnerEmail: MAYA })),
    ours,
  )
  await merge(merchant)
  const made = await present(database, merchant)
  const { status, body } = await undo(ours.importId)
  expect([status, body.dependents?.customers.count]).toEqual([409, 2])
  expect(await present(database, merchant)).toEqual(made)
})

test('a customer into whom one of an earlier import was merged lost the start that this one had', async () => {
  const { merchant, customers, undo } = await createUndoing()
  const [first, second] = [newImport(), newImport()]
  await seen(merchant)
  await customers([{ ...stripe, partnerEmail: MAYA, startedAt: '2024-01-01' }], first)
  await customers([{ ...user, partnerEmail: LEO }], second)
  await merge(merchant)
  const made = await present(database, merchant)
  const { status, body } = await undo(second.importId)
  expect([status, body.dependents?.customers.count]).toEqual([409, 1])
  expect(await present(database, merchant)).toEqual(made)
})

test('a customer into whom one was merged before the import returns to what it was after the merge', async () => {
  const { merchant, customers, undo } = await createUndoing()
  const ours = newImport()
  await seen(merchant)
  await customers([{ ...stripe, partnerEmail: MAYA, startedAt: '2024-01-01' }])
  await merge(merchant)
  const before = await present(database, merchant)
  await customers([{ ...user, partnerEmail: LEO, startedAt: '2025-01-01' }], ours)
  expect((await undo(ours.importId)).body).toMatchObject({ undone: { customers: 1 } })
  expect(await present(database, merchant)).toEqual(before)
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

test('a customer who is in a possible merge loses the import’s partner, and stays for the manager who decides', async () => {
  const { merchant, customers, undo } = await createUndoing()
  const ours = newImport()
  await customers(
    [user, stripe].map((row) => ({ ...row, partnerEmail: MAYA })),
    ours,
  )
  await database.query(
    `insert into possible_merges (id, workspace_id, customer_id, named_customer_id, checkout_id, created_at)
     select uuidv7(), a.workspace_id, a.id, b.id, 'cs_1', now()
     from customers a join customers b on b.workspace_id = a.workspace_id and b.id > a.id where a.workspace_id = $1`,
    [merchant.workspace.id],
  )
  expect((await undo(ours.importId)).body).toMatchObject({ undone: { customers: 2 } })
  const manager = await merchant.asManager()
  const { body } = await manager.get('/possible-merges')
  expect(body.data).toMatchObject([
    { status: 'open', customer: { partnerId: null }, namedCustomer: { partnerId: null } },
  ])
  const [{ id } = { id: '' }] = body.data as { id: string }[]
  expect((await manager.post(`/possible-merges/${id}/merge`)).status).toBe(200)
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})
