// @module-tag thorough
/**
 * A connection keeps the plans of what database functions, triggers and foreign keys run, and
 * Workers' connections are pooled: a plan may be of the first minute of an installation, and be
 * used when its tables have grown. See docs/adr/2-planner-settings.md.
 */
import type pg from 'pg'
import { expect, test } from 'vitest'
import { TEMPLATE, withDatabase } from '../support/databases.ts'
import { CALLS } from '../support/function-calls.ts'
import { addRows } from '../support/many-rows.ts'
import { rowsReadSoFar } from '../support/rows-read.ts'

const MANY = 1_000
/** More rows than any of the calls needs, and far fewer than any table has. */
const MAX_ROWS = 120
/**
 * The most are some 600, many of them of catalogs. A look-up by each partner in turn takes
 * thousands.
 */
const MAX_BLOCKS = 900
/**
 * Catalogs are read again when another connection has changed them, as the tests of other files do:
 * then it is measured again.
 */
const TRIES = 5

/** Functions that read no table. */
const PURE = [
  'addresses_alike',
  'assert_unchanged',
  'identity_lock_key',
  'import_results',
  'erase_list',
  'erase_mentions',
  'erase_mentions_in',
  'erase_text',
  'erase_texts',
  'first_event_id',
  'is_counted',
  'is_matchable',
  'keep_adjustment',
  'keep_audit_entry',
  'leave_out',
  'lock_address',
  'lock_click',
  'lock_identities',
  'page_of',
  'parts_of_total',
  'purchase_id_kind',
  'referrer_of',
  'refuse_update',
  'slug_look',
  'tier_period',
  'total',
  'utc_day',
  'without_metadata',
]
/**
 * Functions that read as much as there is: of the installation, for an operator, all customers of a
 * partner whose address changes, what names a person at an erasure, and, of a program with a budget,
 * the differences of totals that are not folded yet.
 */
const READ_ALL = [
  'budget_use',
  'rebuild_totals',
  'verify_ledger',
  'note_partner_address',
  'erase_from_audit',
  'erase_from_texts',
]

/**
 * The statement that checks a foreign key, as Postgres writes it: each constraint has a plan of its
 * own, to the same end.
 */
const FOREIGN_KEYS = `
  select distinct on (name, columns) format('a row refers to %s (%s)', name, columns) as what,
         format('prepare "%s (%s)" (%s) as select 1 from only %s x where %s for key share of x', name, columns, types, name, conditions) as prepared,
         format('select %s from %s limit 1', texts, name) as example,
         format('%s (%s)', name, columns) as statement
  from pg_constraint c,
    lateral (select c.confrelid::regclass::text as name, string_agg(a.attname, ', ' order by place) as columns,
                    string_agg(format_type(a.atttypid, a.atttypmod), ', ' order by place) as types,
                    string_agg(format('quote_nullable(%s)', a.attname), ' || '', '' || ' order by place) || ' as values' as texts,
                    string_agg(format('%I = $%s', a.attname, place), ' and ' order by place) as conditions
             from unnest(c.confkey) with ordinality k (attnum, place)
             join pg_attribute a on a.attrelid = c.confrelid and a.attnum = k.attnum) k
  where c.contype = 'f' and c.connamespace = 'public'::regnamespace`

type Read = { rows: number; blocks: number; of: Record<string, number> }

const explain = (statement: string) =>
  `explain (analyze, buffers, timing off, format json) ${statement}`

/** Runs a statement, and rolls it back. Adds the functions that it calls. */
const measure = async (
  client: pg.Client,
  statement: string,
  called: Set<string>,
): Promise<Read> => {
  await client.query('select pg_stat_force_next_flush()')
  await client.query('begin')
  try {
    const { rows } = await client.query(explain(statement))
    await client.query('set constraints all immediate')
    const plan = rows[0]?.['QUERY PLAN'][0].Plan
    const { total, of } = await rowsReadSoFar(client)
    const functions = await client.query<{ name: string }>(
      'select funcname as name from pg_stat_xact_user_functions',
    )
    for (const { name } of functions.rows) called.add(name)
    return { rows: total, blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], of }
  } finally {
    await client.query('rollback')
  }
}

const foreignKeyChecks = async (client: pg.Client): Promise<Record<string, string>> => {
  const { rows } = await client.query<Record<string, string>>(FOREIGN_KEYS)
  const checks: Record<string, string> = {}
  for (const { what, prepared, example, statement } of rows) {
    await client.query(prepared ?? '')
    const { rows: found } = await client.query<{ values: string }>(example ?? '')
    if (found[0]) checks[what ?? ''] = `execute "${statement}" (${found[0].values})`
  }
  return checks
}

const isLittle = ({ rows, blocks }: Read) => rows <= MAX_ROWS && blocks <= MAX_BLOCKS

const measureAll = async (
  client: pg.Client,
  statements: Record<string, string>,
  called: Set<string>,
) => {
  const measured: Record<string, Read> = {}
  for (const [what, statement] of Object.entries(statements)) {
    for (let tries = 0; tries < TRIES && !(measured[what] && isLittle(measured[what])); tries++) {
      measured[what] = await measure(client, statement, called).catch((error: Error) => {
        throw new Error(`${what}: ${error.message}`, { cause: error })
      })
    }
  }
  return measured
}

const tooMuch = (measured: Record<string, Read>) =>
  Object.entries(measured).filter(([, read]) => !isLittle(read))

const functionsOf = async (client: pg.Client): Promise<string[]> => {
  const { rows } = await client.query<{ name: string }>(
    // A procedure commits by itself, and only calls functions.
    `select proname as name from pg_proc where pronamespace in ('public'::regnamespace, 'sign_in'::regnamespace) and prokind <> 'p'`,
  )
  return rows.map(({ name }) => name)
}

test.each([
  { plans: 'plans for tables without statistics', few: 5, statistics: '' },
  { plans: 'plans for small tables with statistics', few: 10, statistics: 'analyze' },
])('$plans read no more when the tables have grown', async ({ few, statistics }) => {
  await withDatabase(
    `kept_plans_${few}`,
    async (url, client) => {
      await addRows(url, 1, few)
      await client.query(statistics)
      await client.query(`set plan_cache_mode = force_generic_plan; set track_functions = 'all'`)
      const statements = { ...CALLS, ...(await foreignKeyChecks(client)) }
      const called = new Set([...PURE, ...READ_ALL])
      await measureAll(client, statements, called)
      await addRows(url, few + 1, MANY)

      const kept = await measureAll(client, statements, called)
      await client.query('discard plans')
      const made = await measureAll(client, statements, called)
      expect({ kept: tooMuch(kept), made: tooMuch(made) }).toEqual({ kept: [], made: [] })
      // A new function needs a call in tests/support/function-calls.ts.
      expect([...called].toSorted()).toEqual((await functionsOf(client)).toSorted())
    },
    TEMPLATE,
  )
})
