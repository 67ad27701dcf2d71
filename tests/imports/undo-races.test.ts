/**
 * An undo beside what arrives at the same moment: nothing is half taken back, and nobody who is
 * gone is credited.
 */
import { describe, expect, test } from 'vitest'
import { FAULTS, type Fault } from '../support/faulty-database.ts'
import { useFaultyWorkers } from '../support/faulty-workers.ts'
import { importer, LEO, MAYA, partnerRows } from '../support/imports.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { sampled } from '../support/thorough.ts'
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
      kept: [],
    })
  }
  expect(await present(database, merchant)).toEqual(before)
  expect(
    (await database.audit(merchant)).filter(({ action }) => action === 'import.undone'),
  ).toHaveLength(2)
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
  expect((await undo(ours.importId)).body.kept).toEqual([])
  expect(await present(database, merchant)).toEqual(before)
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

test('a sale that was decided before the undo and arrives during it credits nobody', async () => {
  const { merchant, partners, undo } = await createUndoing()
  const ours = newImport()
  await partners(partnerRows(1), ALL, ours)
  const clickId = await merchant.click('p-0')
  // The undo is on its way until somebody waits for it: the report, which was decided by what was
  // there before.
  const [call] = await database.query<{ id: string }>(
    'select audit_id as id from import_calls where workspace_id = $1',
    [merchant.workspace.id],
  )
  await database.query('select begin_undo($1, $2, now())', [merchant.workspace.id, ours.importId])
  const { body } = await database.whileUncommitted(
    "select undo_import_call($1, $2, uuidv7(), 'manager@x.example', false, now())",
    [merchant.workspace.id, call?.id],
    () => merchant.sale({ clickId }),
  )
  expect(body).toMatchObject({ attributed: false })
  expect((await undo(ours.importId)).body).toMatchObject({ undone: { partners: 1 }, kept: [] })
  expect(await database.violations(merchant.workspace.id)).toEqual([])
})

test('an import that was decided before the undo gives no customer to a partner who is gone', async () => {
  const { merchant, partners, customers } = await createUndoing()
  const ours = newImport()
  await partners(partnerRows(1), {}, ours)
  const [call] = await database.query<{ id: string }>(
    'select audit_id as id from import_calls where workspace_id = $1',
    [merchant.workspace.id],
  )
  await database.query('select begin_undo($1, $2, now())', [merchant.workspace.id, ours.importId])
  const { body } = await database.whileUncommitted(
    "select undo_import_call($1, $2, uuidv7(), 'manager@x.example', false, now())",
    [merchant.workspace.id, call?.id],
    () => customers([{ customerExternalId: 'cus_1', partnerEmail: 'p0@partner.example' }]),
  )
  expect(body.results).toMatchObject([{ status: 'partner_not_found' }])
  expect((await present(database, merchant)).customers).toEqual([])
})

/**
 * A merchant's import of 3 partners and 3 customers of Leo, whose undo has begun, and its calls,
 * the first one first.
 */
const createBegun = async () => {
  const made = await createUndoing()
  const { merchant, partners, customers } = made
  const ours = newImport()
  await partners(partnerRows(3), ALL, ours)
  await customers(customerRows(3, LEO), ours)
  const calls = await database.query<{ id: string }>(
    'select audit_id as id from import_calls where workspace_id = $1 order by 1',
    [merchant.workspace.id],
  )
  await database.query('select begin_undo($1, $2, now())', [merchant.workspace.id, ours.importId])
  return { ...made, ours, calls: calls.map(({ id }) => id) }
}

test.each(['partners', 'customers'] as const)(
  'an import that found %s before the undo creates them again after it',
  async (kind) => {
    const { merchant, partners, customers, calls } = await createBegun()
    const again = async () => {
      const { body } = await (kind === 'partners'
        ? partners(partnerRows(3), ALL)
        : customers(customerRows(3, LEO)))
      return body.results.map(({ status }) => status)
    }
    const statuses = await database.whileUncommitted(
      "select undo_import_call($1, $2, uuidv7(), 'manager@x.example', false, now())",
      [merchant.workspace.id, calls[kind === 'partners' ? 0 : 1]],
      again,
    )
    expect(statuses).toEqual(['created', 'created', 'created'])
    const there = await present(database, merchant)
    expect([there.partners.length, there.customers.length]).toEqual([5, 3])
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  },
)

test('an import that found a customer before the undo, which returns it to its partner, moves it again', async () => {
  const { merchant, customers, undo } = await createUndoing()
  const row = { customerExternalId: 'cus_1', partnerEmail: LEO }
  await customers([{ ...row, partnerEmail: MAYA }])
  const ours = newImport()
  await customers([row], ours)
  const calls = await database.query<{ id: string }>(
    'select audit_id as id from import_calls where workspace_id = $1 and import_id = $2',
    [merchant.workspace.id, ours.importId],
  )
  await database.query('select begin_undo($1, $2, now())', [merchant.workspace.id, ours.importId])
  const { body } = await database.whileUncommitted(
    "select undo_import_call($1, $2, uuidv7(), 'manager@x.example', false, now())",
    [merchant.workspace.id, calls[0]?.id],
    () => customers([row]),
  )
  expect(body.results).toMatchObject([{ status: 'updated' }])
  expect((await undo(ours.importId)).body).toMatchObject({ undone: { customers: 1 }, kept: [] })
})

test('an import whose customers another one creates before it names them', async () => {
  const { customers, undo } = await createUndoing()
  const [first, second] = [newImport(), newImport()]
  const rows = customerRows(3, LEO)
  const lock = `import ${second.importId}`
  const isWaiting = async () => {
    const waiting = await database.query(
      `select from pg_locks where locktype = 'advisory' and not granted
         and (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0)`,
      [lock],
    )
    return waiting.length > 0
  }
  // The second one has read that there are none.
  const { later } = await database.whileLocked(lock, async () => {
    const later = customers(rows, second)
    while (!(await isWaiting())) await new Promise((resolve) => setTimeout(resolve, 5))
    await customers(rows, first)
    return { later }
  })
  expect((await later).body.results.map(({ status }) => status)).toEqual(Array(3).fill('unchanged'))
  const kept = [{ kind: 'customer', code: 'named_later', count: 3 }]
  expect((await undo(first.importId)).body).toMatchObject({ undone: { customers: 0 }, kept })
  await undo(second.importId)
  expect((await undo(first.importId)).body).toMatchObject({ undone: { customers: 3 }, kept: [] })
})

test('a call of customers that waits for the begin of its undo is refused', async () => {
  const { merchant, customers } = await createUndoing()
  const ours = newImport()
  const { status } = await database.whileUncommitted(
    'select begin_undo($1, $2, now())',
    [merchant.workspace.id, ours.importId],
    () => customers(customerRows(1, LEO), ours),
  )
  expect(status).toBe(409)
  expect((await present(database, merchant)).customers).toEqual([])
})

test.each([1, 2, 3])(
  'imports that name the rows of an import during its undo: what their answers say is there (round %i)',
  async () => {
    const { merchant, partners, customers, undo } = await createUndoing()
    const ours = newImport()
    await partners(partnerRows(40), ALL, ours)
    await customers(customerRows(40, LEO), ours)
    const [undone, ...answers] = await Promise.all([
      undo(ours.importId),
      ...Array.from({ length: 3 }, (_, n) => partners(partnerRows(20 + n), n > 0 ? ALL : {})),
      ...Array.from({ length: 3 }, (_, n) => customers(customerRows(20 + n, LEO))),
    ])
    expect([undone, ...answers].map(({ status }) => status)).toEqual([
      200,
      ...answers.map(() => 200),
    ])
    const there = await present(database, merchant)
    expect(there.partners.map(({ slug }) => slug).sort()).toEqual(
      ['leo', 'maya', ...partnerRows(22).map(({ slug }) => slug)].sort(),
    )
    expect(there.customers.map(({ external_id }) => external_id).sort()).toEqual(
      customerRows(22, LEO)
        .map(({ customerExternalId }) => customerExternalId)
        .sort(),
    )
    expect(await database.violations(merchant.workspace.id)).toEqual([])
  },
)

test.each([1, 2])(
  'sales, payout runs and imports beside an undo: each partner is gone, or has all of its money (round %i)',
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
    expect(undone.status).toBe(200)
    for (const sale of await Promise.all(sales)) expect(sale.status).toBe(200)
    const left = await database.query<{ events: number; status: string; undone: boolean }>(
      `select (select count(*)::int from events e where e.partner_id = p.id) + (select count(*)::int from customers c where c.partner_id = p.id) as events,
            p.undone_at is not null as undone from partners p where p.workspace_id = $1`,
      [merchant.workspace.id],
    )
    expect(left.filter(({ events, undone }) => undone && events > 0)).toEqual([])
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

const STEPS = [
  { step: 'the mark', before: [null, null, null] },
  { step: 'the first call', before: [null, null, null, null] },
  { step: 'the last call', before: [null, null, null, null, null] },
]
const LASTING: Fault[] = ['cut_before', 'cut_after', 'half', 'silence_after']
const OTHERS = FAULTS.filter((fault) => !LASTING.includes(fault))
const everyStep = (faultsAt: (step: number) => readonly Fault[]) =>
  STEPS.flatMap((step, index) => faultsAt(index).map((fault) => ({ ...step, fault })))
const UNDONE = { partners: 10, customers: 10, mails: 10, openingBalances: { count: 10 } }

test('an undo makes 5 database round trips, a preview 4, and each 1 for each call of the import', async () => {
  const { undo, plan, fetches } = await createWatched()
  plan()
  expect((await undo({ dryRun: true })).status).toBe(200)
  expect(fetches()).toBe(6)
  plan()
  expect((await undo()).status).toBe(200)
  expect(fetches()).toBe(7)
})

describe.concurrent('an undo over a database that fails', { tags: 'thorough' }, () => {
  test.each(everyStep((step) => sampled(LASTING, OTHERS, step)))(
    'when $step meets $fault once, the retry takes everything back once',
    async ({ before, fault }) => {
      const { merchant, undo, plan } = await createWatched()
      plan(...before, fault)
      const answer = await undo()
      expect([answer.status, await answer.json()]).toMatchObject([
        200,
        { undone: UNDONE, kept: [] },
      ])
      expect((await present(database, merchant)).partners).toHaveLength(1)
      expect(await database.violations(merchant.workspace.id)).toEqual([])
    },
  )

  test.each(everyStep(() => LASTING))(
    'when $step meets $fault for good, the caller hears 503, and a repeat goes on',
    async ({ before, fault }) => {
      const { merchant, undo, plan, elsewhere } = await createWatched()
      plan(...before, ...Array<Fault>(20).fill(fault))
      const failed = await undo()
      expect(failed.status).toBe(503)
      expect(failed.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/)
      plan()
      const { body } = await elsewhere()
      expect(body).toMatchObject({ undone: UNDONE, kept: [] })
      expect((await present(database, merchant)).partners).toHaveLength(1)
      expect(await database.violations(merchant.workspace.id)).toEqual([])
    },
  )
})
