/** What partners earn for milestones, computed anew, and compared with the ledger. */
import { expect } from 'vitest'
import type { History } from './world.ts'

type Milestone =
  | { by: 'netSales'; currency: string; atLeastCents: number }
  | { by: 'customers' | 'sales'; atLeast: number }
type Bonus = {
  name: string
  milestone: Milestone
  pays: { amountCents: number; currency: string }
}

/** A bonus of a program, and when its milestone was added. */
export type AddedBonus = Bonus & { since: Date }

/** A milestone that a partner has reached, by when it was at the latest, and whether it earned anything. */
export type Reached = AddedBonus & { partnerId: string; foundAt: Date; isEarned: boolean }

const dollars = (amountCents: number) => ({ amountCents, currency: 'USD' })
const sales = (atLeast: number): Milestone => ({ by: 'sales', atLeast })

/** Lists of bonuses. Most sales are of 10.00 to 50.00. */
export const BONUSES: Bonus[][] = [
  [],
  [
    { name: 'First sale', milestone: sales(1), pays: dollars(500) },
    { name: 'Two customers', milestone: { by: 'customers', atLeast: 2 }, pays: dollars(900) },
  ],
  [
    { name: 'First sale', milestone: sales(1), pays: { amountCents: 444, currency: 'EUR' } },
    {
      name: 'Net sales',
      milestone: { by: 'netSales', currency: 'USD', atLeastCents: 4_000 },
      pays: dollars(1_000),
    },
  ],
  [
    { name: 'First sale', milestone: sales(3), pays: dollars(700) },
    {
      name: 'Net sales',
      milestone: { by: 'netSales', currency: 'EUR', atLeastCents: 2_000 },
      pays: dollars(1_000),
    },
  ],
]

/** A milestone that a list has in common with the one before keeps its time. */
export const setBonuses = async (history: History, programId: string, list: Bonus[]) => {
  const bonuses = list.map(({ milestone, ...bonus }) => ({ ...bonus, ...milestone }))
  const { status } = await history.manage('PATCH', `/programs/${programId}`, { bonuses })
  expect(status).toBe(200)
  const before = history.bonuses.get(programId) ?? []
  const added = list.map((bonus) => {
    const same = before.find(
      ({ name, milestone }) =>
        name === bonus.name && JSON.stringify(milestone) === JSON.stringify(bonus.milestone),
    )
    return { ...bonus, since: same?.since ?? new Date() }
  })
  history.bonuses.set(programId, added)
}

type Sale = {
  partnerId: string
  customer: string | null
  at: Date
  currency: string
  leftCents: number
}

/** The sales that count. */
const salesOf = ({ query }: History) =>
  query<Sale>(
    `select partner_id as "partnerId", customer_id as customer, occurred_at as at, currency,
            (amount_cents - returned_cents)::int as "leftCents"
     from events e
     where workspace_id = $1 and kind = 'sale' and partner_id is not null and not is_duplicate
       and not exists (select from jsonb_array_elements(e.steps) step where step ->> 'code' in
                       ('same_purchase', 'sale_expected_from_stripe', 'commission_rejected'))
       and (e.steps::text !~ '"self_referral"' or exists (
         select from commission_holds h where h.commission_id = e.commission_id and h.resolution = 'released' and h.resolved_by <> ''))`,
  )

const reaches = (milestone: Milestone, sales: Sale[]): boolean => {
  if (milestone.by === 'netSales') {
    const counted = sales.filter(({ currency }) => currency === milestone.currency)
    return counted.reduce((sum, { leftCents }) => sum + leftCents, 0) >= milestone.atLeastCents
  }
  const left = sales.filter(({ leftCents }) => leftCents > 0)
  if (milestone.by === 'sales') return left.length >= milestone.atLeast
  const customers = new Set(left.flatMap(({ customer }) => customer ?? []))
  return customers.size >= milestone.atLeast
}

/** Whether the first milestone takes as much as the second one, or more. */
const covers = ({ milestone: a }: Bonus, { milestone: b }: Bonus): boolean => {
  if (a.by === 'netSales')
    return b.by === 'netSales' && a.currency === b.currency && a.atLeastCents >= b.atLeastCents
  return a.by === b.by && a.atLeast >= b.atLeast
}

type Recorded = {
  partnerId: string
  name: string
  /** null for a milestone that was reached before its bonus was added */
  amountCents: number | null
  currency: string | null
  /** What the check has reversed, or a rejection. */
  undoneCents: number
  byHandCents: number
  isPending: boolean
  isRejected: boolean
}

const recordedBonuses = ({ query }: History) =>
  query<Recorded>(
    `select b.partner_id as "partnerId", b.name, c.amount_cents::int as "amountCents", c.currency,
            coalesce(r.undone, 0)::int as "undoneCents", coalesce(r.by_hand, 0)::int as "byHandCents",
            coalesce(c.payout_id is null and (c.payable_at > $2 or exists (
              select from commission_holds h where h.commission_id = c.id and h.resolved_at is null)), false) as "isPending",
            exists (select from commission_holds h where h.commission_id = c.id and h.resolution = 'rejected') as "isRejected"
     from partner_bonuses b left join commissions c on c.id = b.commission_id
     left join lateral (
       select -sum(r.amount_cents) filter (where a.commission_id is null) as undone,
              -sum(r.amount_cents) filter (where a.commission_id is not null) as by_hand
       from commissions r left join adjustments a on a.commission_id = r.id where r.reverses_id = c.id) r on true
     where b.workspace_id = $1`,
    new Date(),
  )

const keyOf = ({ partnerId, name }: { partnerId: string; name: string }) => `${partnerId} ${name}`

/** Notes what partners have newly reached: each milestone once, unless it is changed unearned. */
const noteReached = async (history: History, sales: Sale[]): Promise<void> => {
  const partners = await history.query<{ id: string; programId: string; liveSince: Date | null }>(
    `select id, program_id as "programId",
            (select max(ended_at) from shadow_runs r where r.program_id = p.program_id) as "liveSince"
     from partners p
     where workspace_id = $1 and status = 'approved' and not is_test and undone_at is null`,
  )
  const found = [...history.reached.values()]
  for (const { id: partnerId, programId, liveSince } of partners) {
    const own = sales.filter((sale) => sale.partnerId === partnerId)
    for (const bonus of history.bonuses.get(programId) ?? []) {
      const key = keyOf({ partnerId, name: bonus.name })
      const known = history.reached.get(key)
      if (known && (known.isEarned || known.since >= bonus.since)) continue
      if (!reaches(bonus.milestone, own)) continue
      const from = liveSince && liveSince > bonus.since ? liveSince : bonus.since
      const former = own.filter(({ at }) => at < from)
      const isFormer =
        reaches(bonus.milestone, former) ||
        found.some(
          (one) => one.partnerId === partnerId && one.foundAt < bonus.since && covers(one, bonus),
        )
      const foundAt = isFormer ? bonus.since : new Date()
      history.reached.set(key, { ...bonus, partnerId, foundAt, isEarned: !isFormer })
    }
  }
}

/** What is to be reversed of an earned bonus, of which `before` was recorded. */
const undoneCents = (stands: boolean, before: Recorded | undefined): number => {
  if (!before) return 0
  if (before.isRejected) return before.undoneCents
  if (stands) return 0
  return before.isPending ? (before.amountCents ?? 0) - before.byHandCents : before.undoneCents
}

/** Runs the check of the milestones, and compares it with what was to be earned and reversed. */
export const checkMilestones = async (history: History): Promise<void> => {
  if (history.bonuses.size === 0) return
  const before = new Map((await recordedBonuses(history)).map((one) => [keyOf(one), one]))
  await history.checkBonuses()
  const sales = await salesOf(history)
  await noteReached(history, sales)
  const expected = [...history.reached].map(([key, { milestone, pays, isEarned, ...reached }]) => {
    const own = sales.filter(({ partnerId }) => partnerId === reached.partnerId)
    return {
      key,
      ...(isEarned ? pays : { amountCents: null, currency: null }),
      undoneCents: isEarned ? undoneCents(reaches(milestone, own), before.get(key)) : 0,
    }
  })
  const recorded = (await recordedBonuses(history)).map((one) => ({
    key: keyOf(one),
    amountCents: one.amountCents,
    currency: one.currency,
    undoneCents: one.undoneCents,
  }))
  const inOrder = <T extends { key: string }>(list: T[]) =>
    list.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  expect(inOrder(recorded), 'bonuses').toEqual(inOrder(expected))
}
