/** The texts of managers' scripts: which ones a script has, and sentences with counts and lists. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readCatalogs } from '../../dev/compile-languages.mjs'
import { ROOT } from '../../dev/root.ts'
import { buildIslands } from '../../dev/runtime/build-islands.ts'
import { inEnglish } from '../../lib/languages/message.ts'
import * as m from '../../lib/languages/messages.ts'

test('a script has no message that only pages name', async () => {
  const named = new Set(
    globSync('{islands,lib}/**/*.ts', {
      cwd: ROOT,
      exclude: ['lib/languages/messages.ts'],
    }).flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\bm\.(\w+)/g)].map(([, key]) => key),
    ),
  )
  const others = [...readCatalogs().values()]
    .flatMap((messages) => [...messages])
    .filter(([key, [text = '']]) => !named.has(key) && text.length > 30 && !text.includes('{'))
  expect(others.length).toBeGreaterThan(400)
  const scripts = await buildIslands()
  expect(scripts.map(({ name }) => name)).toContain('import.js')
  expect(
    scripts.flatMap(({ name, code }) =>
      others.flatMap(([key, [text = '']]) => (code.includes(text) ? `${name}: ${key}` : [])),
    ),
  ).toEqual([])
})

test.each([
  {
    says: inEnglish(m.import_failure, { count: 1, rows: '12', rest: 0, message: 'No.' }),
    is: 'Row 12: No.',
  },
  {
    says: inEnglish(m.import_failure, { count: 8, rows: '12, 40', rest: 6, message: 'No.' }),
    is: 'Rows 12, 40 and 6 more: No.',
  },
  {
    says: inEnglish(m.import_banned, { customers: 1, partners: 1, emails: 'a@x.example', rest: 0 }),
    is: '1 customer of 1 banned partner, so their later sales are credited to nobody: a@x.example.',
  },
  {
    says: inEnglish(m.import_of_status, { kind: 'ended', count: 1, words: 'banned' }),
    is: 'Import 1 partner who was rejected or no longer active (banned)',
  },
  {
    says: inEnglish(m.import_left_archived, { count: 1, names: 'OLD' }),
    is: '1 archived coupon: OLD',
  },
  {
    says: inEnglish(m.import_list_state, {
      list: 'Coupons',
      state: 'partly',
      read: 1_200,
      total: 3_400,
    }),
    is: 'Coupons: 1,200 of 3,400 read',
  },
  {
    says: inEnglish(m.import_reading_title, {
      platform: 'Dub',
      into: 'program',
      programName: '{x} <b>',
    }),
    is: 'Reading Dub into {x} <b>',
  },
  {
    says: inEnglish(m.import_reading_title, { platform: 'Dub', into: 'unknown', programName: '' }),
    is: 'Reading Dub into a program',
  },
  {
    says: inEnglish(m.import_retrying, { why: 'busy', seconds: 1 }),
    is: 'The server is busy. Retrying in 1 second.',
  },
])('$is', ({ says, is }) => {
  expect(says).toBe(is)
})
