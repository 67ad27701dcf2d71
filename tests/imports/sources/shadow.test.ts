/** The commissions of a shadow run, read from each platform by its API. */
import { expect, test } from 'vitest'
import { oldProgram } from '../../../dev/fakes/sources/program.ts'
import { connect } from '../../../lib/db/connection.ts'
import { newId } from '../../../lib/db/ids.ts'
import type { ReadRow } from '../../../lib/imports/commissions/platform-commissions.ts'
import type { PlatformId } from '../../../lib/imports/sources/source.ts'
import { listSources, removeSource } from '../../../lib/imports/sources/sources.queries.ts'
import { compareRun } from '../../../lib/shadow/comparison/comparison.service.ts'
import { makeCutOver, previewCutOver } from '../../../lib/shadow/cut-over/cut-over.service.ts'
import { uploadCommissions } from '../../../lib/shadow/upload.service.ts'
import { during } from '../../support/killed.ts'
import { useOwnSources } from '../../support/own-sources.ts'
import { everyNth } from '../../support/thorough.ts'

const { query, url, start, read, database } = useOwnSources()

const PROGRAM = (commissions = 250) =>
  oldProgram({ partners: 20, links: 30, customers: 40, commissions })
const OPTIONS = { purpose: 'shadow', accountId: 'account_1' } as const
const shadow = (program = PROGRAM(), platform: PlatformId = 'rewardful') =>
  start(program, platform, OPTIONS)
type Started = Awaited<ReturnType<typeof shadow>>

const stored = ({ merchant }: Pick<Started, 'merchant'>) =>
  query<{ key: string; state: string; cents: string; currency: string }>(
    'select key, state, amount_cents as cents, currency from platform_commissions where program_id = $1 order by key',
    [merchant.programId],
  )

const actOf = ({ merchant, actor }: Started) => ({
  workspaceId: merchant.workspace.id,
  actor,
  now: new Date(),
})

test.each(everyNth(2, ['rewardful', 'tolt', 'firstpromoter', 'dub'] as const))(
  'all commissions of %s are read, with their states and amounts, and nothing else',
  { tags: 'sampled' },
  async (platform) => {
    const program = PROGRAM()
    const started = await shadow(program, platform)
    expect(await read()).toMatchObject({ failed: 0, isMore: false })
    expect(await started.source()).toMatchObject({ isRead: true, ciphertext: null })
    expect((await started.source())?.progress).toEqual({
      commissions: expect.objectContaining({ read: 250, isDone: true }),
    })
    expect(started.account.requests.every(({ path }) => path.startsWith('/commissions'))).toBe(true)
    expect(await started.rows()).toEqual([])
    const rows = await stored(started)
    const sums = (all: { state: string; cents: number }[]) =>
      Object.fromEntries(
        [...Map.groupBy(all, ({ state }) => state)].map(([state, of]) => [
          state,
          of.reduce((sum, { cents }) => sum + cents, 0),
        ]),
      )
    expect(sums(rows.map(({ state, cents }) => ({ state, cents: Number(cents) })))).toEqual(
      sums(program.commissions),
    )
    const [partners] = await query<{ n: number }>(
      'select count(distinct partner_email)::int as n from platform_commissions where program_id = $1',
      [started.merchant.programId],
    )
    expect(partners?.n).toBe(20)
  },
)

test('killed at each of its fetches, it reads all commissions, each once', {
  tags: 'sampled',
}, async () => {
  const uncut = await shadow()
  const { fetches } = await during(null, url(), read)
  expect(await stored(uncut)).toHaveLength(250)
  for (const place of everyNth(3, [...Array(fetches).keys()])) {
    const started = await shadow()
    const cut = { victim: 'process', isCarriedOut: place % 2 === 0, place } as const
    expect(await during(cut, url(), read)).toMatchObject({ end: 'killed' })
    await started.expire()
    await read()
    expect(await started.source()).toMatchObject({ isRead: true })
    expect(await stored(started)).toHaveLength(250)
  }
})

test('a second reading changes what the platform has changed, and only that is compared again', async () => {
  const program = PROGRAM()
  const started = await shadow(program)
  await read()
  const { programId } = started.merchant
  await query('update platform_commissions set compared_at = now() where program_id = $1', [
    programId,
  ])
  for (const commission of program.commissions.slice(0, 8)) commission.state = 'paid'
  program.commissions.push({
    ...PROGRAM(251).commissions[250],
  } as (typeof program.commissions)[number])
  const { id } = await started.give()
  expect(id).not.toBe(started.id)
  await read()
  expect(await stored(started)).toHaveLength(251)
  const again = await query<{ state: string }>(
    'select state from platform_commissions where program_id = $1 and compared_at is null',
    [programId],
  )
  // Six of eight were not paid, and one is new.
  expect(again).toEqual(Array(7).fill({ state: 'paid' }))
})

test('commissions whose state changes while they are read are there once, in either state', async () => {
  const program = PROGRAM()
  const started = await shadow(program)
  started.account.hooks.onRequest = (_, count) => {
    if (count === 2) for (const commission of program.commissions) commission.state = 'paid'
    if (count === 3) program.commissions.splice(-30, 20)
  }
  await read()
  const rows = await stored(started)
  const missing = program.commissions.filter(({ id }) => !rows.some(({ key }) => key === id))
  expect(missing).toEqual([])
  expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length)
})

test('eight runs at once, and an upload beside them, end with each commission once', async () => {
  const started = await shadow()
  const [row] = PROGRAM().commissions
  await Promise.all([
    ...Array.from({ length: 8 }, () => read({ MAX_FETCHES: '30' }, 1_000)),
    uploadCommissions(connect(database()), actOf(started), started.merchant.programId, [
      {
        row: {
          ...{
            id: row?.id ?? '',
            state: 'pending',
            amountCents: 2_000,
            currency: 'USD',
            saleAmountCents: null,
          },
          ...{ saleIds: [], customerExternalId: null, customerEmail: null, partnerEmail: null },
          soldAt: new Date(),
        },
      },
    ]),
  ])
  while (!(await started.source())?.isRead) await read()
  expect(await stored(started)).toHaveLength(250)
  expect(started.account.requests).toHaveLength(3)
})

test('rows of a file without ids count no more once the platform is read', async () => {
  const started = await shadow(PROGRAM(3))
  await query(
    `insert into platform_commissions (id, workspace_id, program_id, key, state, amount_cents, currency, sale_ids, sold_at, created_at, compared_at)
     values ($1, $2, $3, 'hash:1', 'due', 900, 'USD', '{}', now(), now(), now())`,
    [newId(), started.merchant.workspace.id, started.merchant.programId],
  )
  await read()
  expect((await stored(started)).find(({ key }) => key === 'hash:1')).toMatchObject({
    state: 'voided',
  })
})

const withoutId = (amountCents = 900, id: string | null = null): ReadRow => ({
  row: {
    ...{ id, state: 'due', amountCents, currency: 'USD', saleAmountCents: null, saleIds: [] },
    ...{ customerExternalId: null, customerEmail: null, partnerEmail: null, soldAt: new Date() },
  },
})
const REQUIRED = { code: 'commission_id_required' }

test('once a reading is started a file without ids is refused, for as long as what it reads is there', async () => {
  const started = await shadow(PROGRAM(3))
  const { merchant } = started
  const { programId, workspace } = merchant
  const upload = (...rows: ReadRow[]) =>
    uploadCommissions(connect(database()), actOf(started), programId, rows)
  await expect(upload(withoutId())).rejects.toMatchObject(REQUIRED)

  // Nothing was read when it is discarded.
  const source = async () => (await listSources(connect(database()), workspace.id))[0]
  const discard = async () => {
    const found = await source()
    if (found) await removeSource(connect(database()), actOf(started), found)
  }
  await discard()
  expect((await upload(withoutId())).summary).toMatchObject({ created: 1 })

  await started.give()
  await expect(upload(withoutId(1))).rejects.toMatchObject(REQUIRED)
  await read()
  const stored_ = await stored(started)
  expect(stored_.filter(({ key }) => !key.startsWith('hash:'))).toHaveLength(3)
  const [known] = stored_
  const good = withoutId(901, known?.key ?? '')
  await expect(upload(good, withoutId(2))).rejects.toMatchObject(REQUIRED)
  expect(await stored(started)).toEqual(stored_)
  expect((await upload(good)).summary).toMatchObject({ updated: 1 })
  await discard()
  await expect(upload(withoutId(3))).rejects.toMatchObject(REQUIRED)
  const audited = await query(
    `select from audit_entries where workspace_id = $1 and action = 'program.commissions_uploaded'`,
    [workspace.id],
  )
  expect(audited).toHaveLength(2)
})

test('of files without ids that are uploaded while a reading starts, none counts once everything is read', async () => {
  const started = await shadow(PROGRAM(3))
  const { programId, workspace } = started.merchant
  const [source] = await listSources(connect(database()), workspace.id)
  if (source) await removeSource(connect(database()), actOf(started), source)
  const uploads = Array.from({ length: 8 }, (_, n) =>
    uploadCommissions(connect(database()), actOf(started), programId, [withoutId(n + 1)]),
  )
  const ends = await Promise.allSettled([started.give(), ...uploads])
  for (const end of ends) if (end.status === 'rejected') expect(end.reason).toMatchObject(REQUIRED)
  await read()
  const counting = (await stored(started)).filter(
    ({ key, state }) => key.startsWith('hash:') && state !== 'voided',
  )
  expect(counting).toEqual([])
})

test('nothing is cut over while a part that was read counts beside a file without ids', async () => {
  const started = await shadow(PROGRAM(150))
  const { programId, workspace } = started.merchant
  const db = connect(database())
  await query(
    `insert into platform_commissions (id, workspace_id, program_id, key, state, amount_cents, currency, sale_ids, sold_at, created_at)
     values ($1, $2, $3, 'hash:1', 'due', 900, 'USD', '{}', now(), now())`,
    [newId(), workspace.id, programId],
  )
  started.account.plan(null, { status: 401 })
  await read()
  expect(await stored(started)).toHaveLength(101)
  const [source] = await listSources(db, workspace.id)
  if (source) await removeSource(db, actOf(started), source)
  const { refused, unread } = await previewCutOver(db, workspace.id, { programId, leaveOut: [] })
  expect(unread).toContain('counted twice')
  const leaveOut = [...new Set(refused.map(({ email }) => email ?? ''))]
  const cut = () => makeCutOver(db, actOf(started), { programId, leaveOut, expected: null })
  await expect(cut()).rejects.toMatchObject({ code: 'conflict', message: unread })
  await started.give()
  await read()
  expect(await cut()).toMatchObject({ isRepeat: false })
})

test('an import and a shadow run of one program are read side by side', async () => {
  const started = await shadow(PROGRAM(3))
  const { programId, workspace } = started.merchant
  await query(
    `insert into import_sources (id, workspace_id, program_id, purpose, platform, started_by, created_at, resource, progress, next_attempt_at, read_at)
     values ($1, $2, $3, 'import', 'dub', 'x', now(), 'partners', '{}', now(), now())`,
    [newId(), workspace.id, programId],
  )
  await read()
  expect(await started.source()).toMatchObject({ isRead: true })
})

test('nothing is cut over while the platform is read, or after that has failed', async () => {
  const started = await shadow(PROGRAM(150))
  const { programId, workspace } = started.merchant
  const db = connect(database())
  const cut = () => makeCutOver(db, actOf(started), { programId, leaveOut: [], expected: null })
  await expect(cut()).rejects.toMatchObject({ code: 'conflict' })
  started.account.plan(null, { status: 401 })
  await read()
  expect(await stored(started)).toHaveLength(100)
  await expect(cut()).rejects.toMatchObject({ code: 'conflict' })
  const preview = await previewCutOver(db, workspace.id, { programId, leaveOut: [] })
  expect(preview).toMatchObject({ unread: expect.stringContaining('not read to the end') })
  await started.give()
  await read()
  expect(await stored(started)).toHaveLength(150)
  const read_ = await previewCutOver(db, workspace.id, { programId, leaveOut: [] })
  expect(read_).toMatchObject({ unread: null })
  const leaveOut = [...new Set(read_.refused.map(({ email }) => email ?? ''))]
  expect(
    await makeCutOver(db, actOf(started), { programId, leaveOut, expected: null }),
  ).toMatchObject({
    isRepeat: false,
  })
  // The program is live: there is no shadow run to read for.
  await expect(started.give()).rejects.toMatchObject({ code: 'conflict' })
})

test('a program that is no longer in shadow mode is not read on', async () => {
  const started = await shadow()
  const { programId } = started.merchant
  await query(`update shadow_runs set ended_at = now() where program_id = $1`, [programId])
  await query(`update programs set mode = 'live' where id = $1`, [programId])
  await read()
  expect(await started.source()).toMatchObject({
    hasFailed: true,
    failure: 'not_in_shadow',
    ciphertext: null,
  })
  expect(await stored(started)).toEqual([])
  expect(started.account.requests).toEqual([])
})

test('what was read is compared with our sales', async () => {
  const program = PROGRAM(4)
  for (const commission of program.commissions)
    commission.soldAt = new Date(Date.now() + 1_000).toISOString()
  const started = await shadow(program)
  await read()
  const { programId, workspace } = started.merchant
  const run = { workspaceId: workspace.id, programId, now: new Date() }
  while (await compareRun(connect(database()), run, newId(), () => true));
  const found = await query<{ outcome: string }>(
    'select outcome from shadow_comparisons where program_id = $1',
    [programId],
  )
  // One of four is voided.
  expect(found).toEqual(Array(3).fill({ outcome: 'only_there' }))
})
