// @module-tag sampled
/**
 * Random merchants, whose buyers are known under the merchant's ids, Stripe's, addresses or several
 * of them, end with the ledger that the rules give, in whatever order and however often the facts
 * arrive. The model knows who is who.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Merchant, useDatabase } from '../support/merchant.ts'
import { SEEDS, timesOver } from '../support/thorough.ts'
import { deliver, makeClicks, openShop } from './deliver.ts'
import type { Fact, Settings } from './facts.ts'
import { plot, writeFacts } from './merchants.ts'
import { account } from './model.ts'

const database = useDatabase()

const HISTORIES = timesOver({ quick: 4, thorough: 24, exhaustive: 1_000 })
/** Concurrent histories, each in a workspace of its own. */
const AT_ONCE = 4

/**
 * The ledger: the partner and the net earnings of each purchase, under whichever of its ids, and
 * which ones are held.
 */
const readLedger = async ({ workspace }: Merchant, purchaseOf: (id: string) => string) => {
  const rows = await database.query<{
    id: string
    slug: string | null
    cents: number
    held: boolean
  }>(
    `select e.external_id as id, p.slug,
            (select coalesce(sum(c.amount_cents), 0) from commissions c where c.event_id = e.id)::int as cents,
            exists (select from commission_holds h join commissions c on c.id = h.commission_id
                    where c.event_id = e.id and h.resolved_at is null) as held
     from events e left join partners p on p.id = e.partner_id
     where e.workspace_id = $1 and e.kind = 'sale' order by e.id`,
    [workspace.id],
  )
  const partsOf = (name: string) => rows.filter(({ id }) => purchaseOf(id) === name)
  const names = [...new Set(rows.map(({ id }) => purchaseOf(id)))]
  const sales = names.map((name) => {
    const slugs = [...new Set(partsOf(name).map(({ slug }) => slug ?? 'nobody'))]
    return [
      name,
      `${slugs.join(' and ')} ${partsOf(name).reduce((sum, { cents }) => sum + cents, 0)}`,
    ]
  })
  const held = names.filter((name) => partsOf(name).some((part) => part.held))
  return { sales: Object.fromEntries(sales), held: new Set(held) }
}

const words = (fact: object) =>
  Object.entries(fact)
    .filter(([, value]) => value !== null && value !== false)
    .map(([key, value]) => (key === 'kind' ? value : `${key} ${JSON.stringify(value)}`))
    .join(', ')

/** The history as a list of steps, to read when it fails. */
const describe = (settings: Settings, clicks: Fact[], arrived: Fact[]) =>
  [
    words(settings),
    ...clicks.map(words),
    ...arrived.map((fact, index) => `${index + 1}. ${words(fact)}`),
  ].join('\n')

test.each(SEEDS)(
  `${HISTORIES} random merchants and their buyers end with the ledger that the rules give (seed %i)`,
  async (seed) => {
    const history = fc.asyncProperty(plot, async (given) => {
      const { clicks, arrived } = writeFacts(given)
      const { settings } = given
      const expected = account(settings, [...clicks, ...arrived])
      const shop = await openShop(database, settings)
      const clickIds = await makeClicks(database, shop, clicks)
      const history = describe(settings, clicks, arrived)
      for (const [index, fact] of arrived.entries()) {
        const { status, body } = await deliver(shop, fact, clickIds)
        expect(status, `step ${index + 1}: ${JSON.stringify(body)}\n${history}`).toBe(200)
      }
      const { sales, held } = await readLedger(shop.merchant, expected.purchaseOf)
      expect(sales, history).toEqual(expected.sales)
      // A late lead takes the place of another reason.
      const late = [...expected.late]
      expect(
        late.filter((name) => !held.delete(name)),
        history,
      ).toEqual([])
      // What looked alike once may still be held after one of the two has lost its commission.
      const wrong = expected.alike.filter(({ names, isHeld }) => {
        const count = names.filter((name) => held.delete(name)).length
        return isHeld && !names.some((name) => expected.late.has(name)) ? count !== 1 : count > 1
      })
      expect({ wrong, held: [...held] }, history).toEqual({ wrong: [], held: [] })
      expect(await database.violations(shop.merchant.workspace.id), history).toEqual([])
    })
    // The same ones in each run; SEED=7 plays others.
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) =>
        fc.assert(history, { numRuns: HISTORIES / AT_ONCE, seed: seed + index }),
      ),
    )
  },
  3_600_000,
)
