// @module-tag sampled
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { account, addPartners, bodyOf, programOf, report, terms } from '../support/account.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { SEEDS, timesOver } from '../support/thorough.ts'

const database = useDatabase()

test('any history of reports, with repeats, leaves the account that the rules say', async () => {
  await fc.assert(
    fc.asyncProperty(
      terms,
      fc.array(report, { minLength: 1, maxLength: 14 }),
      async (terms, history) => {
        const merchant = await createMerchant({
          program: programOf(terms),
          group: { leadReward: { amountCents: 500n, currency: 'USD' } },
        })
        const names = await addPartners(merchant)

        for (const [at, event] of history.entries()) {
          const { kind, externalId } = event
          const { status, body } = await merchant[kind](bodyOf(event, names))
          expect(status).toBe(200)
          const { events } = account(terms, history.slice(0, at + 1))
          expect(body.attributed).toBe(events.get(`${kind} ${externalId}`)?.credited !== null)
        }
        const expected = account(terms, history)

        const commissions = await database.query<{ entry: string }>(
          `select e.kind || ' ' || e.external_id || ' ' || p.slug as entry
         from commissions c join events e on e.id = c.event_id join partners p on p.id = c.partner_id
         where c.workspace_id = $1 group by e.id, p.slug having sum(c.amount_cents) <> 0`,
          [merchant.workspace.id],
        )
        const owners = await database.query<{ external_id: string; slug: string }>(
          'select cu.external_id, p.slug from customers cu join partners p on p.id = cu.partner_id where cu.workspace_id = $1',
          [merchant.workspace.id],
        )
        expect(commissions.map(({ entry }) => entry).sort()).toEqual(expected.commissions)
        expect(Object.fromEntries(owners.map((row) => [row.external_id, row.slug]))).toEqual(
          expected.owners,
        )
      },
    ),
    { seed: SEEDS[0], numRuns: timesOver({ quick: 8, thorough: 60, exhaustive: 1_000 }) },
  )
}, 240_000)
