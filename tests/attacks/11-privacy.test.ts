/**
 * Issue 15, number 11: what is stored about people is written down, also what a later change adds.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ROOT } from '../../dev/root.ts'
import { useDatabase } from '../support/merchant.ts'

const database = useDatabase()
const page = readFileSync(`${ROOT}docs/privacy.md`, 'utf8')

test('docs/privacy.md names every table of the database, and no other', async () => {
  const tables = await database.query<{ name: string }>(
    `select case n.nspname when 'public' then c.relname else n.nspname || '.' || c.relname end as name
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('public', 'sign_in') and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  )
  const names = tables.map(({ name }) => name)
  const [, stored = ''] = page.split('## What is stored')
  const [section = ''] = stored.split('\n## ')
  const named = [...section.matchAll(/`((?:sign_in\.)?[a-z_]+)`/g)].map(([, name]) => name ?? '')
  expect(names.filter((name) => !named.includes(name))).toEqual([])
  expect(named.filter((name) => !names.includes(name))).toEqual([])
})

test.each([
  'MAIL_RETENTION_DAYS',
  'STRIPE_RETENTION_DAYS',
  'METADATA_RETENTION_DAYS',
  'CLICK_RETENTION_DAYS',
])('and says what %s does', (setting) => {
  expect(page).toContain(setting)
})

test.each([
  { what: 'what a merchant writes into its own notice', heading: /^## .*(notice|policy)/im },
  { what: 'what the snippet stores, and when consent is needed', heading: /consent/i },
  { what: 'how a person is exported and erased', heading: /^## Export and erase/m },
])('and has $what', ({ heading }) => {
  expect(page).toMatch(heading)
})
