/**
 * What the balance at Stripe covers: it is read before a run claims, and a large payout holds up no
 * small one.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { beginRun } from '../../lib/payouts/runs/begin-run.queries.ts'
import { Unavailable } from '../../lib/platform/unavailable.ts'
import { coverOf, type Due, type PayoutOrder } from '../../lib/tenancy/settings/funds.ts'
import { payDue } from '../../lib/upkeep/pay-due.service.ts'
import { type Payer, usePayouts } from '../support/payouts.ts'

const world = usePayouts()
beforeEach(() => void world.hoursLater(0))

/** Dollars, of partners a, b, c and so on. */
const dollars = (...amounts: number[]): Due[] =>
  amounts.map((cents, index) => ({
    id: String.fromCharCode(97 + index),
    currency: 'USD',
    amountCents: BigInt(cents),
  }))

describe('what is covered', () => {
  const covered = (due: Due[], cents: number, order: PayoutOrder, waiting: Due[] = []): string => {
    const cover = coverOf(due, { available: new Map([['USD', BigInt(cents)]]), waiting, order })
    const ranges = cover.USD
    if (!ranges) return 'all'
    return due
      .filter(({ id, amountCents }) =>
        ranges.some(
          ({ fromCents, fromId, toCents, toId }) =>
            (amountCents > BigInt(fromCents) ||
              (amountCents === BigInt(fromCents) && id >= fromId)) &&
            (amountCents < BigInt(toCents) || (amountCents === BigInt(toCents) && id <= toId)),
        ),
      )
      .map(({ id }) => id)
      .join('')
  }

  test.each([
    { case: 'everything, to the cent', due: [10, 20], cents: 30, smallest: 'all', largest: 'all' },
    { case: 'a cent is missing', due: [10, 20], cents: 29, smallest: 'a', largest: 'b' },
    {
      case: 'of equal amounts, as many as fit',
      due: [10, 10, 10],
      cents: 25,
      smallest: 'ab',
      largest: 'bc',
    },
    {
      case: 'what fits beside the largest',
      due: [5, 10, 40, 70, 100],
      cents: 116,
      smallest: 'abc',
      largest: 'bae',
    },
    { case: 'nothing for no money', due: [10, 20], cents: 0, smallest: '', largest: '' },
    { case: 'nothing for a negative balance', due: [10, 20], cents: -1, smallest: '', largest: '' },
    {
      case: 'the small beside one that is too large',
      due: [10, 1_000],
      cents: 500,
      smallest: 'a',
      largest: 'a',
    },
  ])('$case', ({ due, cents, smallest, largest }) => {
    const sorted = [...largest].sort().join('')
    expect(covered(dollars(...due), cents, 'smallest_first')).toBe(smallest)
    expect(covered(dollars(...due), cents, 'largest_first')).toBe(
      largest === 'all' ? 'all' : sorted,
    )
  })

  test.each([
    { case: 'waits and can be sent, so its money is not available', waiting: [300], covers: '' },
    {
      case: 'waits and is too large to be sent, so it takes nothing away',
      waiting: [1_000],
      covers: 'all',
    },
  ])('a payout $case', ({ waiting, covers }) => {
    expect(covered(dollars(300), 500, 'smallest_first', dollars(...waiting))).toBe(covers)
  })

  test('a currency that Stripe does not list has no money, and takes none of another', () => {
    const euros = { id: 'a', currency: 'EUR', amountCents: 1n }
    const available = new Map([['USD', 10n]])
    expect(
      coverOf([euros, ...dollars(10)], { available, waiting: [], order: 'smallest_first' }),
    ).toEqual({
      EUR: [],
    })
  })

  test('the ranges of a largest-first run stay few, however many balances there are', () => {
    const due = Array.from({ length: 5_000 }, (_, index) => ({
      id: String(index).padStart(4, '0'),
      currency: 'USD',
      amountCents: BigInt(1 + ((index * 7_919) % 100_003)),
    }))
    const all = due.reduce((sum, { amountCents }) => sum + amountCents, 0n)
    const available = new Map([['USD', all / 3n]])
    const ranges = coverOf(due, { available, waiting: [], order: 'largest_first' }).USD ?? []
    expect(ranges.length).toBeGreaterThan(1)
    expect(ranges.length).toBeLessThan(60)
  })
})

/** Fourteen partners who are owed 10.00, and one who is owed 1,000.00. */
const addFifteen = async (payer: Payer) => {
  for (let index = 0; index < 14; index++) {
    await payer.addPartner({ slug: `small-${index}`, owed: [{ amountCents: 1_000 }] })
  }
  return payer.addPartner({ slug: 'large', owed: [{ amountCents: 100_000 }] })
}

const setOrder = (payer: Payer, order: PayoutOrder) =>
  world.query('update workspaces set payout_order = $2 where id = $1', [payer.workspaceId, order])

const sums = (payer: Payer) => Object.values(payer.sent()).flat().sort()

test('with euros in the balance and dollars owed, nothing is claimed: the preview says so, and so does the run', async () => {
  const payer = await world.createPayer()
  const maya = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 5_000 }] })
  world.stripe().setBalance('usd', 0, payer.key)
  world.stripe().setBalance('eur', 100_000, payer.key)
  const skipped = [
    { partnerId: maya.id, currency: 'USD', amountCents: 5_000, code: 'insufficient_funds' },
  ]

  const preview = await payer.run({ dryRun: true })
  expect(preview).toMatchObject({ payouts: [], skipped })
  expect(preview.available).toContainEqual({ currency: 'EUR', amountCents: 100_000 })
  expect(await payer.run()).toMatchObject({ payouts: [], skipped })

  // The balance can be paid by bank instead, and a later top-up pays it no second time.
  expect((await payer.run({ method: 'manual' })).payouts).toMatchObject([{ amountCents: 5_000 }])
  world.stripe().setBalance('usd', 100_000, payer.key)
  await payer.run()
  expect(payer.sent()).toEqual({})
  expect(await world.violations()).toEqual([])
})

test('one payout of 1,000 that is not covered leaves fourteen of 10 to be paid at once', async () => {
  const payer = await world.createPayer()
  const large = await addFifteen(payer)
  world.stripe().setBalance('usd', 50_000, payer.key)
  const preview = await payer.run({ dryRun: true })
  expect(preview.payouts).toHaveLength(14)

  const { payouts, skipped } = await payer.run()

  expect(payouts.map(({ status }) => status)).toEqual(Array.from({ length: 14 }, () => 'paid'))
  expect(skipped).toEqual([
    { partnerId: large.id, currency: 'USD', amountCents: 100_000, code: 'insufficient_funds' },
  ])
  expect(skipped).toEqual(preview.skipped)
  world.stripe().setBalance('usd', 100_000, payer.key)
  await payer.run()
  expect(sums(payer)).toHaveLength(15)
  expect(await world.violations()).toEqual([])
})

test('one payout of 1,000 that was claimed, and for which there is no money any more, holds up none of fourteen of 10', async () => {
  const payer = await world.createPayer()
  await addFifteen(payer)
  world.changeFundsAtTransfer(payer.key, 'usd', 50_000)
  const { payouts } = await payer.run()
  expect(payouts).toHaveLength(15)
  expect(sums(payer)).toEqual(Array.from({ length: 14 }, () => '1000 usd'))

  // It waits, and takes no money away from what becomes due later.
  await payer.addPartner({ slug: 'later', owed: [{ amountCents: 2_000 }] })
  await payer.run()
  expect(sums(payer)).toContain('2000 usd')
  expect(sums(payer)).not.toContain('100000 usd')
})

test('what is not covered is not tried one by one', async () => {
  const payer = await world.createPayer()
  for (let index = 0; index < 30; index++) {
    await payer.addPartner({ slug: `partner-${index}`, owed: [{ amountCents: 3_000 - index }] })
  }
  world.changeFundsAtTransfer(payer.key, 'usd', 100)
  const before = world.stripe().calls()
  await payer.run()
  expect(world.stripe().calls() - before).toBeLessThan(15)
  expect(payer.sent()).toEqual({})
})

test.each([
  { order: 'smallest_first' as const, pays: ['100 usd', '200 usd', '300 usd'] },
  { order: 'largest_first' as const, pays: ['200 usd', '500 usd'] },
])('the setting $order decides who is paid', async ({ order, pays }) => {
  const payer = await world.createPayer()
  for (const amountCents of [100, 200, 300, 500]) {
    await payer.addPartner({ slug: `partner-${amountCents}`, owed: [{ amountCents }] })
  }
  await setOrder(payer, order)
  world.stripe().setBalance('usd', 700, payer.key)
  const preview = await payer.run({ dryRun: true })
  expect(preview.payouts.map(({ amountCents }) => `${amountCents} usd`).sort()).toEqual(pays)
  await payer.run()
  expect(sums(payer)).toEqual(pays)
})

const beginScheduled = async (payer: Payer): Promise<string> => {
  const now = new Date()
  const { workspaceId } = payer
  const scope = {
    workspaceId,
    programId: null,
    method: 'stripe',
    cutoffAt: now,
    cover: null,
  } as const
  return (await beginRun(connect(world.env()), scope, { actor: 'a manager', now }))?.id ?? ''
}

test('a run that was interrupted leaves out the same balances when it continues, although there is money now', async () => {
  const payer = await world.createPayer()
  await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 100 }] })
  const leo = await payer.addPartner({ slug: 'leo', owed: [{ amountCents: 900 }] })
  const runId = await beginScheduled(payer)
  world.stripe().setBalance('usd', 500, payer.key)
  // It read the balance, and has claimed nothing when it is interrupted.
  const real = fetch
  const cut: typeof fetch = async (input, init) => {
    if (String(init?.body ?? '').includes('claim_cursor')) throw new TypeError('fetch failed')
    return real(input, init)
  }
  globalThis.fetch = cut
  await payDue(world.env()).finally(() => {
    globalThis.fetch = real
  })
  const [run] = await world.query('select cover, claimed_at from payout_runs where id = $1', [
    runId,
  ])
  expect(run).toEqual({ cover: { USD: [expect.anything()] }, claimed_at: null })

  world.stripe().setBalance('usd', 5_000, payer.key)
  await payDue(world.env())
  expect(sums(payer)).toEqual(['100 usd'])
  // The next run pays the rest.
  await payer.run()
  expect(payer.sent()[leo.account ?? '']).toEqual(['900 usd'])
})

test('when Stripe does not report the balance, no run begins, and one of a schedule waits for the next minute', async () => {
  const payer = await world.createPayer()
  await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 100 }] })
  world.stripe().plan({ status: 503 })
  await expect(payer.run()).rejects.toThrow(Unavailable)
  expect(
    await world.query('select from payout_runs where workspace_id = $1', [payer.workspaceId]),
  ).toEqual([])
  world.stripe().plan({ status: 503 })
  // A preview said nothing of that, as if the balance covered everything.
  expect(await payer.run({ dryRun: true })).toMatchObject({
    available: null,
    unread: ['balance'],
    payouts: [{ amountCents: 100 }],
  })
  const known = await payer.run({ dryRun: true })
  expect([known.unread, known.available === null]).toEqual([[], false])
  expect(await payer.run({ dryRun: true, method: 'manual' })).toMatchObject({
    available: null,
    unread: [],
  })

  await beginScheduled(payer)
  world.stripe().plan({ status: 503 })
  await payDue(world.env())
  expect(payer.sent()).toEqual({})
  await payDue(world.env())
  expect(sums(payer)).toEqual(['100 usd'])
})
