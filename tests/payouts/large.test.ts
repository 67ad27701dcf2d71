// @module-tag thorough
/** Large balances are claimed in pages, as a payout that grows, and let go in pages. */
import { type RawBuilder, sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { freeing } from '../../lib/payouts/balances/freeing.queries.ts'
import { cancelOfRun, cancelRun } from '../../lib/payouts/corrections/cancel.queries.ts'
import { beginRun } from '../../lib/payouts/runs/begin-run.queries.ts'
import { claimPage, growPayout } from '../../lib/payouts/runs/claims.queries.ts'
import { payDue } from '../../lib/upkeep/pay-due.service.ts'
import { usePayouts } from '../support/payouts.ts'

const world = usePayouts({ changesSchema: true })
const db = () => connect(world.env())
const PAGE = { partners: 10, commissions: 2 }

/** A partner with seven commissions of 100, and a run that has claimed two of them. */
const stage = async () => {
  const payer = await world.createPayer()
  const owed = Array.from({ length: 7 }, () => ({ amountCents: 100 }))
  const maya = await payer.addPartner({ slug: 'maya', owed })
  const now = new Date()
  const scope = {
    workspaceId: payer.workspaceId,
    programId: null,
    method: 'stripe' as const,
    cutoffAt: now,
    cover: {},
  }
  const begun = await beginRun(db(), scope, { actor: 'a manager', now })
  const run = { ...scope, id: begun?.id ?? '' }
  expect(await claimPage(db(), run, PAGE, now)).toBe('growing')
  const payout = async () =>
    (
      await world.query(
        'select amount_cents::int as cents, claimed_at is not null as claimed, status from payouts where run_id = $1',
        [run.id],
      )
    )[0]
  return {
    payer,
    maya,
    run,
    now,
    payout,
    act: { workspaceId: payer.workspaceId, actor: 'a manager', now },
  }
}

test('a balance of more commissions than a page becomes one payout, which is not sent before it is whole', async () => {
  const { payer, maya, run, now, payout } = await stage()
  expect(await payout()).toEqual({ cents: 200, claimed: false, status: 'processing' })
  expect(await world.violations()).toEqual([])

  // Nobody else takes the rest, and nothing is sent.
  const other = await payer.run()
  expect(other).toMatchObject({ payouts: [], skipped: [] })
  expect(payer.sent()).toEqual({})

  await growPayout(db(), run, now, 2)
  expect(await payout()).toEqual({ cents: 400, claimed: false, status: 'processing' })
  expect(await claimPage(db(), run, PAGE, now)).toBe('growing')
  // The cron finishes what was interrupted.
  await payDue(world.env())
  expect(payer.sent()).toEqual({ [maya.account ?? '']: ['700 usd'] })
  expect(await world.violations()).toEqual([])
})

test('a payout that a refund has left nothing of while it grew is canceled, and the balance carried forward', async () => {
  const { payer, maya, payout } = await stage()
  for (const id of maya.commissions) await payer.reverse(id)
  await payDue(world.env())
  expect(await payout()).toMatchObject({ status: 'canceled' })
  expect(payer.sent()).toEqual({})
  expect(await world.violations()).toEqual([])
})

test('a run that is canceled while a payout of it grows lets go what it has claimed', async () => {
  const { payer, maya, run, now, act } = await stage()
  expect(await cancelRun(db(), act, run.id)).toMatchObject({ status: 'canceled' })
  await growPayout(db(), run, now, 2)
  expect(await claimPage(db(), run, PAGE, now)).toBe('all')
  expect(await world.violations()).toEqual([])
  await payer.run()
  expect(payer.sent()).toEqual({ [maya.account ?? '']: ['700 usd'] })
})

/**
 * Lets Postgres believe that tables are empty, as an analyze leaves them that ran before the rows
 * were committed.
 */
const forgetSizes = async (...tables: string[]) => {
  for (const table of tables) {
    await world.query(
      `select pg_restore_relation_stats('schemaname', 'public', 'relname', $1::text, 'reltuples', 0::real,
                                        'relpages', (pg_relation_size($1::regclass) / 8192)::int)`,
      [table],
    )
  }
}

/**
 * A canceled run by bank of so many payouts, of so many commissions each, in tables that Postgres
 * believes to be empty.
 */
const stageUnknownSize = async (payouts: number, commissions = 1): Promise<string> => {
  const payer = await world.createPayer()
  const { id } = await payer.addPartner({ slug: 'maya' })
  await world.query('truncate payouts, commissions cascade')
  const [run] = await world.query<{ id: string }>(
    `with run as (
       insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at, claimed_at, canceled_at,
                                is_canceling, needs_approval)
       select uuidv7(), workspace_id, 'manual', now(), 'a manager', now(), now(), now(), true, false from partners where id = $1
       returning id, workspace_id
     ), made as (
       insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, number, created_at, next_attempt_at)
       -- A run has one payout per partner and currency.
       select uuidv7(), p.workspace_id, run.id, p.program_id, p.id,
              chr(65 + i / 676) || chr(65 + i / 26 % 26) || chr(65 + i % 26), 100, i, now(), now()
       from run, partners p, generate_series(1, $2::int) i where p.id = $1
       returning id, workspace_id, program_id, partner_id, currency
     ), earned as (
       insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents, currency, payable_at, created_at, payout_id)
       select uuidv7(), workspace_id, program_id, partner_id, 'adjustment', 100, currency, now(), now(), id
       from made, generate_series(1, $3::int)
     )
     select id from run`,
    [id, payouts, commissions],
  )
  await forgetSizes('payouts', 'commissions')
  return run?.id ?? ''
}

type Plan = { Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }

/** Carries a statement out. @returns the blocks that it read */
const blocksOf = async (text: string, parameters: readonly unknown[]): Promise<number> => {
  const [row] = await world.query<{ 'QUERY PLAN': Plan[] }>(
    `explain (analyze, buffers, format json) ${text}`,
    [...parameters],
  )
  const plan = row?.['QUERY PLAN'][0]?.Plan
  return (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)
}
const blocks = (statement: RawBuilder<unknown>): Promise<number> => {
  const { sql: text, parameters } = statement.compile(db())
  return blocksOf(text, parameters)
}

test('a page of a run is canceled by reading it once, whatever sizes Postgres plans by: it read all payouts per payout', async () => {
  const PAYOUTS = 1_000
  const runId = await stageUnknownSize(PAYOUTS)
  // Some tens per row: the indexes.
  expect(await blocks(cancelOfRun(runId, new Date()))).toBeLessThan(100 * PAYOUTS)
  const [free] = freeing(db(), sql`p.run_id = ${runId}`)
  expect(await blocksOf(free.sql, free.parameters)).toBeLessThan(100 * PAYOUTS)
  expect(await world.query('select from commissions where payout_id is not null')).toEqual([])
})

test('the pages in which a run of many commissions is canceled do not grow: each is within one try’s time', async () => {
  const [PAYOUTS, EACH, PAGE_SIZE] = [1_000, 6, 2_000]
  const runId = await stageUnknownSize(PAYOUTS, EACH)
  const [free, end] = freeing(db(), sql`p.run_id = ${runId}`)
  await blocks(cancelOfRun(runId, new Date()))
  const pages: number[] = []
  const left = async () => {
    const [row] = await world.query<{ left: number }>(
      'select count(*)::int as left from commissions where payout_id is not null',
    )
    return row?.left ?? 0
  }
  while ((await left()) > 0)
    pages.push(
      (await blocksOf(free.sql, free.parameters)) + (await blocksOf(end.sql, end.parameters)),
    )
  expect(pages).toHaveLength((PAYOUTS * EACH) / PAGE_SIZE)
  for (const page of pages) expect(page).toBeLessThan(100 * PAGE_SIZE)
  // None takes notably more than the one before, whatever was let go before it.
  for (const [place, page] of pages.slice(1).entries())
    expect(page).toBeLessThan(1.1 * (pages[place] ?? 0))
})

type Payer = Awaited<ReturnType<typeof world.createPayer>>

/**
 * Adds so many connected partners to a merchant, who are owed so many commissions of 100 each,
 * payable now or in some days.
 */
const addPartners = async (
  payer: Payer,
  partners: number,
  { commissions = 1, inDays = 0 } = {},
) => {
  await payer.addPartner({ slug: 'maya' })
  await world.query(
    `with made as (
       insert into partners (id, workspace_id, program_id, email, slug, slug_key, status, created_at)
       select uuidv7(), p.workspace_id, p.program_id, 'p' || i || '@partner.example', 'p' || i, 'p' || i, 'approved', now()
       from partners p, generate_series(1, $2::int) i where p.workspace_id = $1
       returning id, workspace_id, program_id, email, slug
     ), connected as (
       insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, created_at)
       select uuidv7(), workspace_id, email, 'DE', 'acct_' || slug, 'enabled', now() - interval '4 days' from made
     )
     insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents, currency, payable_at, created_at)
     select uuidv7(), workspace_id, program_id, id, 'adjustment', 100, 'USD', now() + $4::int * interval '1 day', now() from made, generate_series(1, $3::int)`,
    [payer.workspaceId, partners, commissions, inDays],
  )
  return payer
}

/**
 * A merchant who owes so many connected partners 100 each, in tables that Postgres believes to be
 * empty.
 */
const stagePartners = async (partners: number) => {
  await world.query('truncate workspaces cascade')
  const payer = await addPartners(await world.createPayer(), partners)
  await forgetSizes('partners', 'payout_accounts', 'commissions')
  return payer
}

/**
 * Does some work.
 * @returns its statements, one list per fetch of the database, and its calls of Stripe
 */
const fetchesOf = async (work: () => Promise<unknown>) => {
  const real = fetch
  const statements: Statement[][] = []
  let calls = 0
  vi.stubGlobal('fetch', (async (input, init) => {
    if (String(input).startsWith(world.stripe().url)) calls++
    else {
      const body = JSON.parse(String(init?.body)) as Statement | { queries: Statement[] }
      statements.push('queries' in body ? body.queries : [body])
    }
    return real(input, init)
  }) satisfies typeof fetch)
  await work().finally(() => vi.unstubAllGlobals())
  return { statements, calls }
}
type Statement = { query: string; params: unknown[] }

/**
 * The statements of a preview for so many partners whose accounts are to be read, with the blocks
 * that each reads.
 */
const statementsOf = async (partners: number) => {
  const payer = await stagePartners(partners)
  await world.query(`update payout_accounts set status = 'in_review' where workspace_id = $1`, [
    payer.workspaceId,
  ])
  // So few fetches that it reads some of them only.
  const { statements, calls } = await fetchesOf(() =>
    payer.run({ dryRun: true }, { MAX_FETCHES: '45' }),
  )
  expect(statements.length + calls).toBeLessThan(45)
  const read: number[] = []
  for (const { query, params } of statements.flat()) {
    read.push(await blocksOf(query, params))
  }
  return read
}

test('a preview of 500 partners makes as many fetches as one of 50', async () => {
  const few = await stagePartners(50)
  const ofFew = await fetchesOf(() => few.run({ dryRun: true }))
  const many = await stagePartners(500)
  const ofMany = await fetchesOf(() => many.run({ dryRun: true }))
  const count = ({ statements, calls }: typeof ofFew) => [statements.length, calls]
  expect(count(ofMany)).toEqual(count(ofFew))
  expect(ofMany.statements.length).toBeLessThan(6)
})

test('a preview of 500 partners reads ten times what one of 50 reads: it read all partners again for each account', async () => {
  const few = await statementsOf(50)
  const many = await statementsOf(500)
  expect(many).toHaveLength(few.length)
  for (const [index, blocks] of many.entries())
    expect(blocks).toBeLessThan(15 * (few[index] ?? 0) + 1_000)
})

type Answer = { results: { rows: [string][] }[] }

/**
 * Does work of one batch that locks, and then changes something.
 * @returns the blocks that the change read
 */
const blocksOfBatch = async (work: () => Promise<unknown>) => {
  const real = fetch
  let read = 0
  vi.stubGlobal('fetch', (async (input, init) => {
    const { queries } = JSON.parse(String(init?.body)) as { queries: Statement[] }
    const [lock, change, ...rest] = queries
    const explained = {
      ...change,
      query: `explain (analyze, buffers, format json) ${change?.query}`,
    }
    const response = await real(input, {
      ...init,
      body: JSON.stringify({ queries: [lock, explained, ...rest] }),
    })
    const { results } = (await response.clone().json()) as Answer
    const [plan]: Plan[] = JSON.parse(results[1]?.rows[0]?.[0] ?? '[]')
    read = (plan?.Plan['Shared Hit Blocks'] ?? 0) + (plan?.Plan['Shared Read Blocks'] ?? 0)
    return response
  }) satisfies typeof fetch)
  await work().finally(() => vi.unstubAllGlobals())
  return read
}

/**
 * A run of so many partners, of five commissions of 100 each, filled after the last analyze, when
 * nothing was payable.
 */
const stageRun = async (partners: number, terms: Parameters<typeof world.createPayer>[0] = {}) => {
  await world.query('truncate workspaces cascade')
  await addPartners(await world.createPayer(), 1, { commissions: 200, inDays: 30 })
  await world.query('analyze')
  const payer = await addPartners(await world.createPayer(terms), partners, { commissions: 5 })
  const now = new Date()
  const { workspaceId } = payer
  const scope = {
    workspaceId,
    programId: null,
    method: 'stripe' as const,
    cutoffAt: now,
    cover: {},
  }
  const run = { ...scope, id: (await beginRun(db(), scope, { actor: 'a manager', now }))?.id ?? '' }
  const payouts = () =>
    world.query('select amount_cents::int as cents from payouts where run_id = $1', [run.id])
  return { payer, run, now, payouts }
}

/** The blocks that a page of 100 partners reads among so many. */
const blocksOfPage = async (partners: number) => {
  const { run, now, payouts } = await stageRun(partners)
  const read = await blocksOfBatch(() =>
    claimPage(db(), run, { partners: 100, commissions: 600 }, now),
  )
  expect(await payouts()).toHaveLength(100)
  return read
}

/**
 * The blocks that the first page of a large balance reads, and the next one, among so many
 * partners.
 */
const blocksOfLarge = async (partners: number) => {
  const { run, now, payouts } = await stageRun(partners)
  const first = await blocksOfBatch(() =>
    claimPage(db(), run, { partners: 1, commissions: 3 }, now),
  )
  expect(await payouts()).toEqual([{ cents: 300 }])
  const next = await blocksOfBatch(() => growPayout(db(), run, now, 3))
  expect(await payouts()).toEqual([{ cents: 500 }])
  return { first, next }
}

/**
 * The blocks that a page of 100 people reads who are below the minimum in each of two programs, and
 * above it in both.
 */
const blocksOfPeople = async (partners: number) => {
  const { payer, run, now, payouts } = await stageRun(partners, { minimum_payout_cents: 600 })
  await world.query(
    `with other as (
       insert into programs select p.* from programs o, jsonb_populate_record(o, jsonb_build_object('id', uuidv7(), 'name', 'Other')) p
       where o.id = $1 returning id
     ), made as (
       insert into partners (id, workspace_id, program_id, email, slug, slug_key, status, created_at)
       select uuidv7(), p.workspace_id, other.id, p.email, p.slug, p.slug_key, p.status, now()
       from other, partners p where p.program_id = $1 and p.slug <> 'maya'
       returning id, workspace_id, program_id
     )
     insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents, currency, payable_at, created_at)
     select uuidv7(), workspace_id, program_id, id, 'adjustment', 100, 'USD', $2::timestamptz - interval '1 hour', now()
     from made, generate_series(1, 2)`,
    [payer.programId, now],
  )
  const read = await blocksOfBatch(() =>
    claimPage(db(), run, { partners: 100, commissions: 600 }, now),
  )
  expect(await payouts()).toHaveLength(100)
  return read
}

test('a page of a run reads its own partners, in a workspace that was filled after the last analyze: it read all commissions for each', async () => {
  const few = await blocksOfPage(200)
  const many = await blocksOfPage(2_000)
  expect(many).toBeLessThan(1.5 * few)
})

test('the pages of a large balance read that of one partner, in a workspace that was filled after the last analyze: they read all commissions', async () => {
  const few = await blocksOfLarge(200)
  const many = await blocksOfLarge(2_000)
  expect(many.first).toBeLessThan(1.5 * few.first)
  expect(many.next).toBeLessThan(1.5 * few.next)
})

test('what people are due in other programs is read for them alone, in a workspace that was filled after the last analyze', async () => {
  const few = await blocksOfPeople(200)
  const many = await blocksOfPeople(2_000)
  expect(many).toBeLessThan(1.5 * few)
})
