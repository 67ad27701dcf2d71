/**
 * Reading a program page by page: what interrupts it, what changes meanwhile, and who else reads.
 */
import { expect, test, vi } from 'vitest'
import { oldProgram } from '../../../dev/fakes/sources/program.ts'
import { recognise } from '../../../islands/import/rules/reading/columns.ts'
import { collectRows } from '../../../islands/import/rules/reading/records.ts'
import { sourceRecords } from '../../../islands/import/rules/source.ts'
import type { SourceRow } from '../../../lib/imports/sources/source-rows.ts'
import { during } from '../../support/killed.ts'
import { expectRead, useOwnSources } from '../../support/own-sources.ts'
import { repeating } from '../../support/repeated.ts'
import { everyNth } from '../../support/thorough.ts'

const { query, url, start, read } = useOwnSources()

test('a program is read to its end, the token is deleted, and nothing is asked twice', async () => {
  const started = await start()
  expect(await read()).toMatchObject({ failed: 0, isMore: false })
  await expectRead(started)
  expect((await started.source())?.progress).toEqual({
    customers: { read: 350, total: 350, pages: 4, isDone: true },
    coupons: { read: 63, total: 63, pages: 1, isDone: true },
    rewards: { read: 2, total: 2, pages: 1, isDone: true },
    commissions: { read: 0, total: 0, pages: 1, isDone: true },
    partners: { read: 250, total: 250, pages: 3, isDone: true },
  })
  const paths = started.account.requests.map(({ path }) => path)
  expect(new Set(paths).size).toBe(paths.length)
  expect(paths).toHaveLength(10)
  expect(await read()).toBeNull()
})

test('a repeated lease reads the program at once, not after the lease', async () => {
  const started = await start()
  const other = await start()
  await repeating('update import_sources', () => read({ MAX_FETCHES: '5' }))
  expect([started, other].map(({ account }) => account.requests.length)).toEqual([1, 0])
  expect(await query('select version from import_sources order by version')).toEqual([
    { version: 0 },
    { version: 1 },
  ])
  await read()
  await expectRead(started)
  await expectRead(other)
})

test.each(everyNth(3, ['tolt', 'firstpromoter', 'dub'] as const))(
  'a program of %s is read to its end too',
  { tags: 'sampled' },
  async (platform) => {
    // A hundred coupons are a full page.
    const program = oldProgram({ partners: 400, links: 450, customers: 130, commissions: 150 })
    const started = await start(program, platform, { accountId: 'account_1' })
    expect(await read()).toMatchObject({ failed: 0, isMore: false })
    expect(await started.source()).toMatchObject({ isRead: true, ciphertext: null })
    const rows = Map.groupBy(await started.rows(), (row) => row.split(' ')[0] ?? '')
    expect(rows.get('partners')).toHaveLength(400)
    expect(rows.get('coupons')).toHaveLength(100)
    expect(rows.get('groups') ?? []).toEqual(
      platform === 'dub' ? ['groups grp_Default', 'groups grp_VIP'] : [],
    )
    expect(rows.get('rewards') ?? []).toHaveLength(platform === 'dub' ? 2 : 0)
    expect(rows.get('customers')).toHaveLength(130)
    // Of commissions, those that are not paid, if nothing else says what a partner is owed.
    const unpaid = program.commissions.filter(({ state }) => /pending|due/.test(state)).length
    expect(rows.get('commissions') ?? []).toHaveLength(platform === 'firstpromoter' ? 0 : unpaid)
    expect((await started.source())?.progress.commissions).toMatchObject({ read: 150 })
    // As the lines of a file: coupons and groups have come to their partners.
    const stored = await query<{ row: SourceRow }>(
      `select row from import_source_rows where source_id = $1 and resource <> 'history'`,
      [started.id],
    )
    const { headers, records } = sourceRecords(stored.map(({ row }) => row))
    const collector = collectRows({ ...recognise(headers), inCents: true, zone: 'UTC' }, null)
    for (const record of records) collector.add(record)
    const { partners } = collector.rows()
    expect(new Set(partners.map(({ group }) => group))).toEqual(new Set(['Default', 'VIP']))
    const couponOf = ({ email, couponId }: (typeof partners)[number]) =>
      couponId && `${email} ${couponId}`
    expect(partners.flatMap((one) => couponOf(one) ?? []).toSorted()).toEqual(
      platform === 'firstpromoter'
        ? program.coupons
            .filter(({ isArchived, isManual }) => !isArchived && !isManual)
            .flatMap(({ partnerId, externalId }) => {
              const email = program.partners.find(({ id }) => id === partnerId)?.email
              return email ? [`${email} ${externalId}`] : []
            })
            .toSorted()
        : [],
    )
  },
)

test('a list that the token may not read, and can be done without, is left out after three refusals', async () => {
  const program = oldProgram({ partners: 5, links: 5, customers: 5, commissions: 5 })
  const started = await start(program, 'dub', {
    forbidden: ['/groups', '/discount-codes', '/rewards'],
  })
  while (!(await started.source())?.isRead) {
    await started.expire()
    await read({ MAX_FETCHES: '5' })
  }
  expect(await started.source()).toMatchObject({ isRead: true, hasFailed: false, failure: null })
  const refused = started.account.requests.filter(({ path }) =>
    /groups|discount-codes|rewards/.test(path),
  )
  expect(refused).toHaveLength(9)
  expect(
    await query(
      'select row from import_source_rows where source_id = $1 and row ->> $2 = $3 order by row_id',
      [started.id, 'reason', 'refused'],
    ),
  ).toEqual([
    { row: { kind: 'left_out', id: 'refused coupons', reason: 'refused', name: 'coupons' } },
    { row: { kind: 'left_out', id: 'refused groups', reason: 'refused', name: 'groups' } },
    { row: { kind: 'left_out', id: 'refused rewards', reason: 'refused', name: 'rewards' } },
  ])
})

test.each([
  { case: 'another list', forbidden: ['/customers'], failure: 'refused_403' },
  { case: 'the token itself', status: 401, failure: 'refused_401' },
])('nothing is read without $case', async ({ forbidden = [], status, failure }) => {
  const program = oldProgram({ partners: 5, links: 5, customers: 5 })
  const started = await start(program, 'dub', { forbidden })
  if (status) started.account.plan(null, { status })
  while (!(await started.source())?.hasFailed) {
    await started.expire()
    await read({ MAX_FETCHES: '5' })
  }
  expect(await started.source()).toMatchObject({ isRead: false, failure })
})

test('runs of few fetches go on where the one before has ended', async () => {
  const started = await start()
  for (let runs = 0; (await started.source())?.isRead === false; runs++) {
    expect(runs).toBeLessThan(10)
    const { isMore } = (await read({ MAX_FETCHES: '8' })) ?? {}
    expect(isMore || (await started.source())?.isRead).toBe(true)
  }
  await expectRead(started)
  expect(started.account.requests).toHaveLength(10)
})

test('killed at each of its fetches, before and after it, it reads everything all the same', async () => {
  const program = oldProgram({ partners: 120, links: 150, customers: 130 })
  const uncut = await start(program)
  const { fetches } = await during(null, url(), read)
  await expectRead(uncut)
  for (let place = 0; place < fetches; place++) {
    const started = await start(program)
    const isCarriedOut = place % 2 === 0
    expect(await during({ victim: 'process', isCarriedOut, place }, url(), read)).toMatchObject({
      end: 'killed',
    })
    await started.expire()
    await read()
    await expectRead(started)
    // Of all pages, one at most is read twice.
    expect(started.account.requests.length).toBeLessThanOrEqual(8)
  }
})

test('rows that are removed and added while it reads hide no other ones', async () => {
  const program = oldProgram({ partners: 10, links: 10, customers: 600 })
  const started = await start(program)
  const late = oldProgram({ partners: 10, links: 10, customers: 3, name: 'late' }).customers
  started.account.hooks.onRequest = ({ pathname }, count) => {
    if (pathname !== '/referrals') return
    // The newest, which are on the pages that were read.
    if (count === 3) program.customers.splice(-40, 30)
    if (count === 5)
      program.customers.push(...late.slice(0, 3).map((row, n) => ({ ...row, id: `late-${n}` })))
    if (count === 6) program.customers.splice(-200, 130)
  }
  await read()
  const rows = await started.rows()
  const missing = program.customers.filter(
    ({ id, state }) =>
      state !== 'visitor' && !id.startsWith('late') && !rows.includes(`customers ${id}`),
  )
  expect(missing).toEqual([])
  expect(await started.source()).toMatchObject({ isRead: true })
})

test('eight runs at once read each page once', async () => {
  const started = await start()
  await Promise.all(Array.from({ length: 8 }, () => read({ MAX_FETCHES: '30' }, 1_000)))
  while (!(await started.source())?.isRead) await read()
  await expectRead(started)
  expect(started.account.requests).toHaveLength(10)
})

test('a run whose lease has ended saves nothing over the one that reads on', async () => {
  const started = await start()
  let isTaken = false
  started.account.hooks.onRequest = async (_, count) => {
    if (count !== 2 || isTaken) return
    isTaken = true
    await started.expire()
    // Another Worker reads to the end while this page is on its way.
    await read()
  }
  await read({ MAX_FETCHES: '20' })
  await expectRead(started)
})

test.each(
  everyNth(3, [
    { failure: 'garbage', code: 'garbage' },
    { failure: 'cut', code: 'unreachable' },
    { failure: 'redirect', code: 'redirect' },
    { failure: { status: 500 }, code: 'status_500' },
    { failure: { status: 403 }, code: 'refused_403' },
  ] as const),
)(
  'after $code, reading goes on later, from the same page',
  { tags: 'sampled' },
  async ({ failure, code }) => {
    const started = await start()
    started.account.plan(null, null, failure)
    await read({}, 500)
    const between = await started.source()
    if (!between?.isRead) {
      expect(between).toMatchObject({
        failure: code,
        failures: 1,
        cursor: '3',
        resource: 'customers',
      })
      await started.expire()
      await read()
    }
    await expectRead(started)
  },
)

test('a token that is revoked meanwhile ends it: the token is deleted, and the reason and the rows stay', async () => {
  const started = await start()
  started.account.plan(null, null, { status: 401 })
  expect(await read()).toMatchObject({ pages: 2, failed: 1, isMore: false })
  expect(await started.source()).toMatchObject({
    hasFailed: true,
    ciphertext: null,
    failure: 'refused_401',
  })
  expect(await started.rows()).toHaveLength(200)
})

test('with a token again, one that has failed goes on from its page, whoever gives it', async () => {
  const started = await start()
  started.account.plan(null, null, { status: 401 })
  await read()
  await query(
    `update import_sources set created_at = created_at - interval '3 days' where id = $1`,
    [started.id],
  )
  const { merchant } = started
  await merchant.seed.addMember(merchant.workspace.id, 'other@manager.example', 'manager')
  // The request that tries the token is one of its own.
  started.account.requests.splice(0)
  const all = await Promise.allSettled(
    Array.from({ length: 8 }, () => started.give(started.token, 'other@manager.example')),
  )
  expect(all.filter(({ status }) => status === 'fulfilled')).toMatchObject([
    { value: { id: started.id, startedBy: 'other@manager.example', cursor: '3', failure: null } },
  ])
  started.account.requests.splice(0)
  await read()
  await expectRead(started)
  expect(started.account.requests).toHaveLength(8)
  const audit = await query<{ details: object }>(
    `select details from audit_entries where workspace_id = $1 and details ->> 'isContinued' = 'true'`,
    [merchant.workspace.id],
  )
  expect(audit).toEqual([{ details: { platform: 'rewardful', isContinued: true } }])
})

test('a list that is not counted is read anew after a failure, and its rows are there once', async () => {
  const program = oldProgram({ partners: 120, links: 150, customers: 250 })
  const started = await start(program, 'firstpromoter', { accountId: 'account_1' })
  started.account.plan(null, null, { status: 401 })
  await read()
  program.customers.splice(0, 30)
  await started.give()
  await read()
  const rows = await started.rows()
  expect(rows).toHaveLength(120 + 30 + 220)
  expect((await started.source())?.progress.customers).toMatchObject({ read: 220, isDone: true })
})

test('a failed reading of another account gives way, with its rows', async () => {
  const started = await start()
  started.account.plan(null, { status: 401 })
  await read()
  await query(`update import_sources set account = 'other' where id = $1`, [started.id])
  const { id } = await started.give()
  expect(id).not.toBe(started.id)
  expect(await started.rows()).toEqual([])
})

test('a platform that accepts the connection and never answers is a failure, and is read on from its page', async () => {
  const started = await start()
  const real = fetch
  const gone = new AbortController()
  const signals: unknown[] = []
  vi.stubGlobal('fetch', (input: string, init: RequestInit) => {
    if (!String(input).startsWith(url())) return real(input, init)
    signals.push(init.signal)
    return real(input, { ...init, signal: gone.signal })
  })
  started.account.plan(null, 'hang')
  // In place of the ten seconds: the request has arrived, and nothing comes.
  started.account.hooks.onRequest = (_, count) => {
    if (count === 2) gone.abort(new DOMException('', 'TimeoutError'))
  }
  await read({ MAX_FETCHES: '9' }).finally(() => vi.unstubAllGlobals())
  expect(signals.every((signal) => signal instanceof AbortSignal)).toBe(true)
  expect(await started.source()).toMatchObject({
    failure: 'timeout',
    failures: 1,
    cursor: '2',
    isRead: false,
  })
  await started.expire()
  await read()
  await expectRead(started)
})

test('a platform that fails again and again is given up', async () => {
  const started = await start()
  started.account.plan(...Array.from({ length: 20 }, () => ({ status: 503 })))
  for (let attempt = 1; attempt <= 11; attempt++) {
    expect(await started.source()).toMatchObject({ hasFailed: false, failures: attempt - 1 })
    await started.expire()
    // Reading and saving once, and no wait for the next attempt.
    await read({ MAX_FETCHES: '5' })
  }
  expect(await started.source()).toMatchObject({
    hasFailed: true,
    ciphertext: null,
    failure: 'status_503',
    failures: 11,
  })
})

test('a limit is kept: reading waits until the platform allows the next request', async () => {
  const started = await start(undefined, 'rewardful', { limit: { most: 5, windowMs: 1_000 } })
  expect(await read()).toMatchObject({ pages: 10, failed: 0 })
  await expectRead(started)
})

test('a long limit is left to a later run', async () => {
  const started = await start()
  started.account.plan(null, { status: 429, headers: { 'RateLimit-Reset': '300' } })
  expect(await read()).toMatchObject({ pages: 1, limited: 1, isMore: false })
  expect(await started.source()).toMatchObject({
    isDue: false,
    isRead: false,
    cursor: '2',
    failures: 0,
  })
})

test('one that is discarded while it reads leaves nothing behind', async () => {
  const started = await start()
  started.account.hooks.onRequest = async (_, count) => {
    if (count === 3) await query('delete from import_sources where id = $1', [started.id])
  }
  expect(await read()).toMatchObject({ pages: 2 })
  expect(await started.source()).toBeUndefined()
  expect(await started.rows()).toEqual([])
  expect(started.account.requests).toHaveLength(3)
})

test.each([
  {
    case: 'the manager who has started it was removed',
    change: 'delete from members where email = $1',
    code: 'manager_removed',
  },
  {
    case: 'the manager is a member only',
    change: `update members set role = 'member' where email = $1`,
    code: 'manager_removed',
  },
  {
    case: 'it has taken a day',
    change: `update import_sources set created_at = created_at - interval '25 hours' where started_by = $1`,
    code: 'too_long',
  },
  {
    case: 'the token is one of another workspace',
    change: `update import_sources set ciphertext = ciphertext || 'x' where started_by = $1`,
    code: 'token_unreadable',
  },
])('it ends without a request if $case', async ({ change, code }) => {
  const started = await start()
  await query(change, [started.actor])
  await read()
  expect(await started.source()).toMatchObject({ hasFailed: true, ciphertext: null, failure: code })
  expect(started.account.requests).toEqual([])
})

test('a token that is copied to another workspace is worth nothing there', async () => {
  const [one, other] = [await start(), await start()]
  await query(
    'update import_sources set ciphertext = (select ciphertext from import_sources where id = $1) where id = $2',
    [one.id, other.id],
  )
  await read()
  expect(await other.source()).toMatchObject({ failure: 'token_unreadable' })
  await expectRead(one)
})

test('a small program does not wait for a large one of another workspace', async () => {
  const large = await start(oldProgram({ partners: 100, links: 100, customers: 5_000 }))
  const small = await start(oldProgram({ partners: 5, links: 5, customers: 5 }))
  while (!(await small.source())?.isRead) await read({ MAX_FETCHES: '20' })
  expect((await large.source())?.isRead).toBe(false)
  expect(large.account.requests.length).toBeLessThanOrEqual(20)
})
