/** What a platform has paid for each customer, added up page by page. */
import { describe, expect, test } from 'vitest'
import type { OldCommission, OldProgram } from '../../../dev/fakes/sources/program.ts'
import { oldProgram } from '../../../dev/fakes/sources/program.ts'
import { PLATFORM_IDS, type PlatformId } from '../../../lib/imports/sources/source.ts'
import { during } from '../../support/killed.ts'
import { useOwnSources } from '../../support/own-sources.ts'

const { query, url, start, read } = useOwnSources()

const program = () => oldProgram({ partners: 20, links: 30, customers: 90, commissions: 350 })
const OPTIONS = { accountId: 'account_1' }

type History = {
  firstCommissionAt: string | null
  prior: Record<string, { commissions: number; amountCents: number }>
}

/**
 * What a customer's row has to say, by the program's commissions. FirstPromoter names no currency:
 * it is that of the account.
 */
const expectedOf = (old: OldProgram, platform: PlatformId = 'rewardful'): Map<string, History> => {
  const histories = new Map<string, History>()
  const counts = ({ customer, partnerId, state }: OldCommission) =>
    customer?.partnerId === partnerId &&
    !customer.isDeactivated &&
    (customer.customerId ?? customer.email) !== null &&
    state !== 'voided'
  for (const { customer, state, cents, soldAt, ...commission } of old.commissions.filter(counts)) {
    const currency = platform === 'firstpromoter' ? 'USD' : commission.currency
    const key = customer?.id ?? ''
    const history = histories.get(key) ?? { firstCommissionAt: null, prior: {} }
    if (history.firstCommissionAt === null || soldAt < history.firstCommissionAt)
      history.firstCommissionAt = soldAt
    if (state === 'paid') {
      const { commissions = 0, amountCents = 0 } = history.prior[currency] ?? {}
      history.prior[currency] = { commissions: commissions + 1, amountCents: amountCents + cents }
    }
    histories.set(key, history)
  }
  return histories
}

type Started = Awaited<ReturnType<typeof start>>

/** What the customers' rows say; sums of nothing are left out. */
const historiesOf = async ({
  id,
  account,
}: Pick<Started, 'id' | 'account'>): Promise<Map<string, History>> => {
  const rows = await query<{ id: string; row: History }>(
    `select row_id as id, row from import_source_rows where source_id = $1 and resource = 'customers' and row ? 'prior'`,
    [id],
  )
  // FirstPromoter's ids are numbers.
  const ids = new Map(
    account.program.customers.flatMap((customer) => [
      [customer.id, customer.id],
      [String(Number(customer.id.slice(-12)) + 1), customer.id],
    ]),
  )
  return new Map(
    rows
      .map(({ id: rowId, row: { firstCommissionAt = null, prior } }): [string, History] => [
        ids.get(rowId) ?? rowId,
        {
          firstCommissionAt,
          prior: Object.fromEntries(
            Object.entries(prior).filter(([, { commissions }]) => commissions > 0),
          ),
        },
      ])
      .filter(([, { firstCommissionAt }]) => firstCommissionAt !== null),
  )
}

const expectHistories = async (started: Started, platform?: PlatformId) => {
  expect(await started.source()).toMatchObject({ isRead: true })
  expect(await historiesOf(started)).toEqual(expectedOf(started.account.program, platform))
  const entries = await query(
    `select from import_source_rows where source_id = $1 and resource = 'history'`,
    [started.id],
  )
  expect(entries).toEqual([])
}

describe.each(PLATFORM_IDS)('%s', (platform: PlatformId) => {
  test('what was paid is added up by customer and currency, and the first commission is the start', async () => {
    const started = await start(program(), platform, OPTIONS)
    await read()
    await expectHistories(started, platform)
    const histories = [...expectedOf(started.account.program, platform).values()]
    // The program has all kinds.
    expect(histories.length).toBeGreaterThan(30)
    const several = histories.some(({ prior }) => Object.keys(prior).length === 2)
    expect(several).toBe(platform !== 'firstpromoter')
    expect(histories.some(({ prior }) => Object.keys(prior).length === 0)).toBe(true)
    expect((await started.source())?.progress.commissions).toMatchObject({
      read: 350,
      isDone: true,
    })
  })
})

test('killed at each of its fetches, it counts each commission once', async () => {
  const small = () => oldProgram({ partners: 5, links: 5, customers: 10, commissions: 250 })
  const { fetches } = await during(null, url(), async () => {
    await start(small())
    return read()
  })
  for (let place = 0; place < fetches; place += 3) {
    const started = await start(small())
    await during({ victim: 'process', isCarriedOut: place % 2 === 0, place }, url(), read)
    await started.expire()
    await read()
    await expectHistories(started)
  }
})

test('commissions that are read twice, because the list has moved, count once, and as they were the last time', async () => {
  const old = program()
  const started = await start(old, 'rewardful')
  const late = oldProgram({
    partners: 20,
    links: 30,
    customers: 90,
    commissions: 390,
  }).commissions.slice(350)
  let pages = 0
  started.account.hooks.onRequest = ({ pathname }) => {
    if (pathname !== '/commissions') return
    pages++
    if (pages !== 2) return
    // Newer ones draw 40 of the first page onto the second; some of them were voided or paid
    // meanwhile.
    old.commissions.push(...late)
    const again = old.commissions.slice(250, 290)
    for (const commission of again.filter(({ state }) => state === 'paid'))
      commission.state = 'voided'
    for (const commission of again.filter(({ state }) => state === 'due')) commission.state = 'paid'
  }
  await read()
  // Those that came later were not on a page that was read after.
  old.commissions.splice(350)
  const voidedStart = new Set(
    old.commissions
      .slice(250, 290)
      .flatMap(({ state, customer }) => (state === 'voided' ? [customer?.id] : [])),
  )
  const sums = (all: Map<string, History>) =>
    [...all].filter(([id]) => !voidedStart.has(id)).sort(([a], [b]) => (a < b ? -1 : 1))
  expect(sums(await historiesOf(started))).toEqual(sums(expectedOf(old)))
  const total = (all: Map<string, History>) =>
    [...all.values()].reduce((sum, { prior }) => sum + (prior.USD?.amountCents ?? 0), 0)
  expect(total(await historiesOf(started))).toBe(total(expectedOf(old)))
})

test('commissions that are read anew after a failure are not added to what was counted', async () => {
  const old = program()
  const started = await start(old, 'firstpromoter', OPTIONS)
  started.account.plan(null, null, null, null, { status: 401 })
  await read()
  expect(await started.source()).toMatchObject({ resource: 'commissions', hasFailed: true })
  const entries = `select from import_source_rows where source_id = $1 and resource = 'history'`
  expect(await query(entries, [started.id])).toHaveLength(200)
  expect((await historiesOf(started)).size).toBeGreaterThan(20)
  await started.give()
  expect((await historiesOf(started)).size).toBe(0)
  expect(await query(entries, [started.id])).toEqual([])
  await read()
  await expectHistories(started, 'firstpromoter')
})
