// @module-tag thorough
/** The year of the demo: some of everything, in a sound ledger, the same every time. */
import { expect, test } from 'vitest'
import { addYear } from '../../dev/demo/year.ts'
import { TEMPLATE, withDatabase } from '../support/databases.ts'

const PEOPLE = { manager: 'ada@pine-notes.example', member: 'ben@pine-notes.example' }
const NOW = new Date('2026-11-20T12:00:00Z')

const COUNTS = `
  select (select count(*) from partners)::int as partners, (select count(*) from clicks)::int as clicks,
         (select count(*) from events where kind = 'sale')::int as sales, (select count(*) from events where kind = 'lead')::int as leads,
         (select count(*) from events where partner_id is null)::int as uncredited,
         (select count(*) from payouts where status = 'paid')::int as payouts,
         (select count(*) from applications where status = 'applied')::int as waiting,
         (select sum(amount_cents) from commissions)::int as cents, (select count(*) from total_deltas)::int as unfolded`

test(
  'has some of everything, in a sound ledger, and is the same every time',
  () =>
    withDatabase(
      'year',
      async (databaseUrl, client) => {
        const added = [1, 2].map(() => addYear(databaseUrl, PEOPLE, NOW))
        expect((await Promise.all(added)).sort()).toEqual([false, true])
        expect(await addYear(databaseUrl, PEOPLE, NOW)).toBe(false)
        expect((await client.query('select * from verify_ledger()')).rows).toEqual([])
        expect((await client.query(COUNTS)).rows).toEqual([
          {
            partners: 60,
            clicks: 12_771,
            sales: 1_435,
            leads: 755,
            uncredited: 84,
            payouts: 111,
            waiting: 5,
            cents: 772_325,
            unfolded: 0,
          },
        ])
      },
      TEMPLATE,
    ),
  120_000,
)
