// @module-tag sampled
/**
 * Random histories of terms and of purchases: each sale earns what the terms of its time say,
 * whatever was received when.
 */
import fc from 'fast-check'
import { expect, inject, test } from 'vitest'
import { connect } from '../../../lib/db/connection.ts'
import { changePartner } from '../../../lib/partners/changes/change-partner.queries.ts'
import { changeGroup } from '../../../lib/programs/groups.queries.ts'
import { changeProgram } from '../../../lib/programs/programs.queries.ts'
import { permutations } from '../../support/permutations.ts'
import {
  deliver,
  earlier,
  paidCheckout,
  paidInvoice,
  type Shop,
  saved,
  useShops,
} from '../../support/shops.ts'
import { stripeId } from '../../support/stripe.ts'
import { SEEDS, timesOver } from '../../support/thorough.ts'

const { database, openShop, earned } = useShops()

/** Each has a program of its own. */
const HISTORIES = timesOver({ quick: 2, thorough: 20, exhaustive: 200 })

/** One change of terms, as the API takes it. */
type Change =
  | { of: 'program'; percent: number; holdingDays: number }
  | { of: 'group'; percent: number | null }
  | { of: 'partner'; inGroup: boolean; own: number | null; status: 'approved' | 'banned' }

/**
 * A change with its time, in milliseconds after the start. Few times, so that changes and payments
 * share seconds.
 */
type Edit = Change & { at: number }
type Sale = {
  paidAt: number
  reportedAs: 'invoice' | 'checkout' | 'invoice and report' | 'report and invoice'
}

const time = fc.integer({ min: 0, max: 24 }).map((quarter) => quarter * 250)
const percent = fc.integer({ min: 1, max: 50 })
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({
    of: fc.constant('program' as const),
    percent,
    holdingDays: fc.integer({ min: 0, max: 40 }),
  }),
  fc.record({ of: fc.constant('group' as const), percent: fc.option(percent) }),
  fc.record({
    of: fc.constant('partner' as const),
    inGroup: fc.boolean(),
    own: fc.option(percent),
    status: fc.constantFrom('approved' as const, 'approved' as const, 'banned' as const),
  }),
)
const edits = fc
  .uniqueArray(fc.tuple(change, time), {
    minLength: 1,
    maxLength: 7,
    selector: ([{ of }, at]) => `${of} ${at}`,
  })
  .map((all): Edit[] => all.map(([one, at]) => ({ ...one, at })).sort((a, b) => a.at - b.at))
const sale: fc.Arbitrary<Sale> = fc.record({
  paidAt: fc.integer({ min: 0, max: 7 }),
  reportedAs: fc.constantFrom('invoice', 'checkout', 'invoice and report', 'report and invoice'),
})

/** The last change of a kind before a time. */
const last = <K extends Change['of']>(all: Edit[], of: K, before: number) =>
  all.findLast((edit): edit is Extract<Edit, { of: K }> => edit.of === of && edit.at < before)

/** The model: what a sale of 100.00 that was paid in a second earns. */
const account = (all: Edit[], second: number): number => {
  const [from, to] = [second * 1_000, second * 1_000 + 1_000]
  const partner = last(all, 'partner', to)
  const isActive = [from + 1, to].some((time) => last(all, 'partner', time)?.status !== 'banned')
  if (!isActive) return 0
  const program = last(all, 'program', to) ?? { percent: 20 }
  const group = last(all, 'group', to) ?? { percent: 50 }
  const ofGroup = partner?.inGroup ? group.percent : null
  return 100 * (partner?.own ?? ofGroup ?? program.percent)
}

/** Makes the changes at their times. */
const makeChanges = async ({ merchant, partnerId, groupId }: Shop, all: Edit[], start: number) => {
  const db = connect(inject('database'))
  for (const { at, ...one } of all) {
    const now = new Date(start * 1_000 + at)
    const act = { workspaceId: merchant.workspace.id, actor: 'ann@x.example', now }
    const reward = (share: number) => ({ kind: 'percent' as const, basisPoints: share * 100 })
    if (one.of === 'program') {
      const { percent, holdingDays } = one
      await changeProgram(db, act, merchant.programId, { reward: reward(percent), holdingDays })
    } else if (one.of === 'group') {
      await changeGroup(db, act, groupId, {
        saleReward: one.percent === null ? null : reward(one.percent),
      })
    } else {
      await changePartner(db, act, partnerId, {
        groupId: one.inGroup ? groupId : null,
        reward: one.own === null ? null : reward(one.own),
        status: one.status,
      })
    }
  }
}

test('each sale earns by the terms of the second in which it was paid, in any history of changes and any order of events, received twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      edits,
      fc.array(sale, { minLength: 1, maxLength: 4 }),
      fc.nat(23),
      async (all, sales, order) => {
        const shop = await openShop()
        const { merchant, stripe } = shop
        const clickId = await merchant.click()
        await database.query(
          "update clicks set created_at = created_at - interval '2 hours' where workspace_id = $1",
          [merchant.workspace.id],
        )
        const start = earlier()
        await makeChanges(shop, all, start)

        const orders = permutations(
          sales.map((one) => ({ ...one, id: stripeId('in'), customer: stripeId('cus') })),
        )
        const received = orders[order % orders.length] ?? []
        for (const { id, customer, paidAt, reportedAs } of received) {
          const at = start + paidAt
          const amounts = { amount_paid: 10_000, total: 10_000, total_excluding_tax: 10_000 }
          const report = () =>
            saved(
              merchant.sale({
                externalId: id,
                customerExternalId: customer,
                amountCents: 10_000,
                clickId,
              }),
            )
          const invoice = () => deliver(stripe, paidInvoice({ id, customer, ...amounts }, at))
          const coupon = { amount_total: 10_000, payment_intent: id, customer }
          const subscribed = { ...coupon, mode: 'subscription', invoice: id, payment_intent: null }
          const steps = {
            checkout: [() => deliver(stripe, paidCheckout(at, coupon))],
            invoice: [invoice, () => deliver(stripe, paidCheckout(at, subscribed))],
            'report and invoice': [report, invoice],
            'invoice and report': [invoice, report],
          }[reportedAs]
          for (const step of [...steps, ...steps]) await step()
        }

        for (const { id, ...one } of received) {
          expect({ ...one, cents: await earned(merchant, id) }).toEqual({
            ...one,
            cents: account(all, one.paidAt),
          })
        }
      },
    ),
    { seed: SEEDS[0], numRuns: HISTORIES, endOnFailure: true },
  )
}, 240_000)
