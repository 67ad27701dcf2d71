/**
 * An undo beside what arrives at the same moment: nothing is half taken back, and nobody who is
 * gone is credited.
 */
import { describe, expect, test } from 'vitest'
import { FAULTS, type Fault } from '../support/faulty-database.ts'
import { useFaultyWorkers } from '../support/faulty-workers.ts'
import { importer, LEO, MAYA, partnerRows } from '../support/imports.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { everyNth } from '../support/thorough.ts'
import { createUndoing, newImport, present, undoer } from '../support/undo.ts'

const database = useDatabase()
const faulty = useFaultyWorkers('manage', 'auth')

const ALL = { sendWelcomeEmail: true, importOpeningBalances: true }
const customerRows = (count: number, partnerEmail: string) =>
  Array.from({ length: count }, (_, n) => ({ customerExternalId: `cus_${n}`, partnerEmail }))

test('eight undos at once take everything back once, and say the same', async () => {
  const { merchant, partners, customers, undo } = await createUndoing()
  const before = await present(database, merchant)
  const ours = newImport()
  await partners(partnerRows(40), ALL, ours)
  await customers(customerRows(40, 'p0@partner.example'), ours)
  const answers = await Promise.all(Array.from({ length: 8 }, () => undo(ours.importId)))
  for (const { status, body } of answers) {
    expect(status).toBe(200)
    expect(body).toMatchObject({
      undone: { partners: 40, customers: 40, openingBalances: { count: 40 }, mails: 40 },
    })
  }
  expect(await present(database, merchant)).toEqual(before)
  expect(
    (await database.audit(merchant)).filter(({ action }) => action === 'import.undone'),
  ).toHaveLength(1)
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

test('calls of the import that arrive during its undo are saved before and taken back, or refused', async () => {
  const { merchant, partners, customers, undo } = await createUndoing()
  const before = await present(database, merchant)
  const ours = newImport()
  await partners(partnerRows(5), ALL, ours)
  const calls = await Promise.all([
    ...Array.from({ length: 6 }, (_, n) =>
      partners(partnerRows(10, `q${n}-`), n % 2 ? ALL : {}, ours),
    ),
    ...Array.from({ length: 6 }, (_, n) =>
      customers(
        customerRows(5, LEO).map((row) => ({
          ...row,
          customerExternalId: `c${n}-${row.customerExternalId}`,
        })),
        ours,
      ),
    ),
    undo(ours.importId),
  ])
  expect(calls.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
  expect((await undo(ours.importId)).status).toBe(200)
  expect(await present(database, merchant)).toEqual(before)
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

/** An undo that waits to be committed. */
const UNDO = "select undo_import($1, $2, 'manager@x.example', 20, now())"

test('a sale that was decided before the undo and arrives during it credits nobody', async () => {
  const { merchant, partners, undo } = await createUndoing()
  const ours = newImport()
  await partners(partnerRows(1), ALL, ours)
  const clickId = await merchant.click('p-0')
  // The undo is on its way until somebody waits for it: the report, which was decided by what was
  // there before.
  const { body } = await database.whileUncommitted(
    UNDO,
    [merchant.workspace.id, ours.importId],
    () => merchant.sale({ clickId }),
  )
  expect(body).toMatchObject({ attributed: false })
  expect((await undo(ours.importId)).body).toMatchObject({ undone: { partners: 1 } })
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

test('a sale to a new customer of the import that arrives during its undo credits nobody', async () => {
  const { merchant, partners, customers } = await createUndoing({
    program: { attribute_known_customers: true },
  })
  const ours = newImport()
  await partners(partnerRows(1), {}, ours)
  await customers(customerRows(1, 'p0@partner.example'), ours)
  const { body } = await database.whileUncommitted(
    UNDO,
    [merchant.workspace.id, ours.importId],
    () => merchant.sale({ customerExternalId: 'cus_0' }),
  )
  expect(body).toMatchObject({ attributed: false })
  expect((await present(database, merchant)).customers).toEqual([])
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

test('an undo that waits for a sale of one of its partners changes nothing', async () => {
  const { merchant, partners, undo } = await createUndoing()
  const ours = newImport()
  await partners(partnerRows(3), ALL, ours)
  const [partner] = await database.query<{ id: string }>(
    'select id from partners where workspace_id = $1 and slug = $2',
    [merchant.workspace.id, 'p-0'],
  )
  const before = await present(database, merchant)
  const answer = await database.whileUncommitted(
    `insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, partner_id,
                         attributed_by, steps, occurred_at)
     select uuidv7(), workspace_id, 'lead', 'x', 'lead', 'x', id, 'click', '[]', now() from partners where id = $1`,
    [partner?.id],
    () => undo(ours.importId),
  )
  expect([answer.status, answer.body.dependents?.partners.count]).toEqual([409, 1])
  expect(await present(database, merchant)).toEqual(before)
})

test('an import that was decided before the undo gives no customer to a partner who is gone', async () => {
  const { merchant, partners, customers } = await createUndoing()
  const ours = newImport()
  await partners(partnerRows(1), {}, ours)
  const { body } = await database.whileUncommitted(
    UNDO,
    [merchant.workspace.id, ours.importId],
    () => customers([{ customerExternalId: 'cus_1', partnerEmail: 'p0@partner.example' }]),
  )
  expect(body.results).toMatchObject([{ status: 'partner_not_found' }])
  expect((await present(database, merchant)).customers).toEqual([])
})

test('an import that found a customer before the undo, which removes it, creates it again', async () => {
  const { merchant, customers, undo } = await createUndoing()
  const ours = newImport()
  await customers(customerRows(1, LEO), ours)
  const { status } = await database.whileUncommitted(
    UNDO,
    [merchant.workspace.id, ours.importId],
    () => customers(customerRows(1, MAYA), newImport()),
  )
  expect(status).toBe(200)
  expect((await present(database, merchant)).customers).toMatchObject([{ external_id: 'cus_0' }])
  expect((await undo(ours.importId)).body).toMatchObject({ undone: { customers: 1 } })
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

test('a call of customers that waits for the undo of its import is refused', async () => {
  const { merchant, customers } = await createUndoing()
  const ours = newImport()
  await customers(customerRows(1, LEO), ours)
  const { status } = await database.whileUncommitted(
    UNDO,
    [merchant.workspace.id, ours.importId],
    () => customers(customerRows(2, LEO), ours),
  )
  expect(status).toBe(409)
  expect((await present(database, merchant)).customers).toEqual([])
})

test('two imports of one customer, undone at once: both go, or the earlier one stays', async () => {
  const { merchant, customers, undo } = await createUndoing()
  const before = await present(database, merchant)
  const [a, b] = [newImport(), newImport()]
  await customers(customerRows(5, MAYA), a)
  await customers(customerRows(5, LEO), b)
  const [first, second] = await Promise.all([undo(a.importId), undo(b.importId)])
  expect(second.status).toBe(200)
  if (first.status === 409) expect((await undo(a.importId)).status).toBe(200)
  expect(await present(database, merchant)).toEqual(before)
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

test.each(everyNth(2, [1, 2]))(
  'sales, payout runs and imports beside an undo: all of it is gone, or nothing (round %i)',
  { tags: 'sampled' },
  async () => {
    const { merchant, partners, customers, undo } = await createUndoing({ manualPayouts: true })
    const manager = await merchant.asManager()
    const ours = newImport()
    await partners(partnerRows(30), ALL, ours)
    const clicks = await Promise.all(Array.from({ length: 10 }, (_, n) => merchant.click(`p-${n}`)))
    const sales = clicks.map((clickId, n) =>
      merchant.sale({ externalId: `inv_${n}`, customerExternalId: `user_${n}`, clickId }),
    )
    const [undone] = await Promise.all([
      undo(ours.importId),
      ...sales,
      manager.patch(`/partners/${(await present(database, merchant)).partners.at(-1)?.id}`, {
        name: 'New',
      }),
      customers(customerRows(20, 'p20@partner.example')),
      manager.post('/payouts/run', { method: 'manual' }),
    ])
    expect([200, 409]).toContain(undone.status)
    for (const sale of await Promise.all(sales)) expect(sale.status).toBe(200)
    const left = await database.query<{ events: number; status: string; undone: boolean }>(
      `select (select count(*)::int from events e where e.partner_id = p.id) + (select count(*)::int from customers c where c.partner_id = p.id) as events,
            p.undone_at is not null as undone from partners p where p.workspace_id = $1`,
      [merchant.workspace.id],
    )
    const gone = left.filter((partner) => partner.undone)
    expect(gone.filter(({ events }) => events > 0)).toEqual([])
    expect(gone).toHaveLength(undone.status === 200 ? 30 : 0)
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  },
)

/**
 * A merchant whose manager has signed in elsewhere, with an import, and whose fetches are counted
 * and failed from here on.
 */
const createWatched = async () => {
  const merchant = await createMerchant()
  const ours = newImport()
  const { partners, customers, cookie } = await importer(merchant)
  await partners(partnerRows(10), ALL, ours)
  await customers(customerRows(10, 'p0@partner.example'), ours)
  const [, session = ''] = cookie.split('=')
  const token = decodeURIComponent(session).split('.')[0] ?? ''
  const elsewhere = await undoer({ ...merchant, asManager: merchant.asManager })
  const path = `${faulty.baseUrl()}/api/workspaces/${merchant.workspace.slug}/imports/${ours.importId}/undo`
  const undo = async (body: object = {}) =>
    fetch(path, {
      method: 'POST',
      headers: { Cookie: cookie, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
  return {
    merchant,
    undo,
    elsewhere: () => elsewhere(ours.importId),
    ...faulty.watch([merchant.workspace.id, merchant.workspace.slug, token].filter(Boolean)),
  }
}

const LASTING: Fault[] = ['cut_before', 'cut_after', 'half']
/** Before it, the member and the budget are read. */
const BEFORE = [null, null]
const UNDONE = { partners: 10, customers: 10, mails: 10, openingBalances: { count: 10 } }

test('an undo makes 4 database round trips, and so does a preview', async () => {
  const { undo, plan, fetches } = await createWatched()
  plan()
  expect((await undo({ dryRun: true })).status).toBe(200)
  expect(fetches()).toBe(4)
  plan()
  expect((await undo()).status).toBe(200)
  expect(fetches()).toBe(4)
})

describe.concurrent('an undo over a database that fails', { tags: 'thorough' }, () => {
  test.each(FAULTS)('that meets %s once takes everything back once', async (fault) => {
    const { merchant, undo, plan } = await createWatched()
    plan(...BEFORE, fault)
    const answer = await undo()
    expect([answer.status, await answer.json()]).toMatchObject([200, { undone: UNDONE }])
    expect((await present(database, merchant)).partners).toHaveLength(1)
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  })

  test.each(LASTING)(
    'that meets %s for good answers 503, and a repeat takes everything back once',
    async (fault) => {
      const { merchant, undo, plan, elsewhere } = await createWatched()
      plan(...BEFORE, ...Array<Fault>(20).fill(fault))
      const failed = await undo()
      expect(failed.status).toBe(503)
      expect(failed.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/)
      plan()
      expect((await elsewhere()).body).toMatchObject({ undone: UNDONE })
      expect((await present(database, merchant)).partners).toHaveLength(1)
      expect(await database.violations(merchant.workspace.id)).toEqual([])
    },
  )
})
