/** Where reading goes on, and when. */
import { expect, test } from 'vitest'
import { DUB } from '../../../lib/imports/sources/platforms/dub.ts'
import { FIRSTPROMOTER } from '../../../lib/imports/sources/platforms/firstpromoter.ts'
import { REWARDFUL } from '../../../lib/imports/sources/platforms/rewardful.ts'
import {
  isEndless,
  keptOf,
  NOTHING_READ,
  placeAfter,
  placeToContinue,
} from '../../../lib/imports/sources/progress.ts'
import { delayAfterFailure, delayAfterRefusal } from '../../../lib/imports/sources/schedule.ts'
import type { SourceRow } from '../../../lib/imports/sources/source-rows.ts'

const rows = (count: number) => Array.from({ length: count }, () => ({}) as SourceRow)
const before = (total: number | null) => ({ ...NOTHING_READ, total, pages: 1 })

test.each([
  { case: 'the next page', cursor: '3', page: { next: '4', total: 500 }, total: 500, place: '4' },
  {
    case: 'the next page of a list that has grown',
    cursor: '3',
    page: { next: '4', total: 503 },
    total: 500,
    place: '4',
  },
  {
    case: 'the page before, when a row was removed',
    cursor: '3',
    page: { next: '4', total: 499 },
    total: 500,
    place: '2',
  },
  {
    case: 'two pages back, when more than a page was removed',
    cursor: '3',
    page: { next: '4', total: 399 },
    total: 500,
    place: '1',
  },
  {
    case: 'the first page, when almost everything was',
    cursor: '5',
    page: { next: '6', total: 1 },
    total: 5_000,
    place: '1',
  },
  {
    case: 'the page before, when a row was removed before the last page',
    cursor: '5',
    page: { next: null, total: 499 },
    total: 500,
    place: '4',
  },
  {
    case: 'the next page, if nothing was read before',
    cursor: null,
    page: { next: '2', total: 199 },
    total: 200,
    place: '2',
  },
  {
    case: 'the next page, if the platform counts nothing',
    cursor: '3',
    page: { next: '4', total: null },
    total: 500,
    place: '4',
  },
])('goes on with $case', ({ cursor, page, total, place }) => {
  const after = placeAfter(
    REWARDFUL,
    REWARDFUL.imported,
    { resource: 'customers', cursor },
    { rows: rows(100), ...page },
    before(total),
  )
  expect(after).toEqual({ resource: 'customers', cursor: place })
})

test.each([
  { case: 'the next list', resource: 'customers', place: { resource: 'coupons', cursor: null } },
  { case: 'nothing', resource: 'partners', place: null },
] as const)('after the last page of a list comes $case', ({ resource, place }) => {
  const after = (page: { next: string | null; total: number | null }, count = 3) =>
    placeAfter(
      REWARDFUL,
      REWARDFUL.imported,
      { resource, cursor: '9' },
      { rows: rows(count), ...page },
      before(803),
    )
  expect(after({ next: null, total: 803 })).toEqual(place)
  expect(after({ next: null, total: 900 }, 0)).toEqual(place)
})

test('an estimated total is no reason to read the first page again', () => {
  const page = { rows: rows(100), next: '2', total: 100 }
  const after = placeAfter(
    REWARDFUL,
    REWARDFUL.imported,
    { resource: 'partners', cursor: null },
    page,
    {
      ...NOTHING_READ,
      total: 500,
    },
  )
  expect(after).toEqual({ resource: 'partners', cursor: '2' })
})

test('a list that was emptied ends', () => {
  const after = placeAfter(
    REWARDFUL,
    REWARDFUL.imported,
    { resource: 'partners', cursor: '1' },
    { rows: [], next: null, total: 0 },
    before(5),
  )
  expect(after).toBeNull()
})

test('a list may have two million rows, and no more', () => {
  expect(isEndless({ ...NOTHING_READ, pages: 19_999 })).toBe(false)
  expect(isEndless({ ...NOTHING_READ, pages: 20_000 })).toBe(true)
})

test.each([
  { failures: 1, seconds: 2 },
  { failures: 4, seconds: 60 },
  { failures: 10, seconds: 7_200 },
  { failures: 11, seconds: null },
])(
  'after $failures failures in a row, the next attempt is after $seconds s',
  ({ failures, seconds }) => {
    expect(delayAfterFailure(failures, 0)).toBe(seconds)
  },
)

test.each([
  { status: 401, failures: 1, seconds: null },
  { status: 403, failures: 1, seconds: 2 },
  { status: 404, failures: 2, seconds: 5 },
  { status: 403, failures: 3, seconds: null },
])(
  'a refusal with $status, $failures in a row, is repeated after $seconds s',
  ({ status, failures, seconds }) => {
    expect(delayAfterRefusal(status, failures, 0)).toBe(seconds)
  },
)

test.each([
  { case: 'from its page', platform: REWARDFUL, total: 500, cursor: '4' },
  {
    case: 'anew, if the list is paged by number and not counted',
    platform: FIRSTPROMOTER,
    total: null,
    cursor: null,
  },
  { case: 'after its last row', platform: DUB, total: null, cursor: '4' },
])('after a failure, reading goes on $case', ({ platform, total, cursor }) => {
  const progress = { commissions: { ...NOTHING_READ, pages: 3, total } }
  expect(placeToContinue(platform, { resource: 'commissions', cursor: '4' }, progress)).toEqual({
    resource: 'commissions',
    cursor,
  })
})

test('an import keeps what is not paid and what each commission says of its customer, a shadow run keeps every commission that could be uploaded, each once', () => {
  const commission = (id: string, more: object = {}): SourceRow =>
    ({
      ...{
        kind: 'commission',
        id,
        state: 'paid',
        amountCents: 100,
        currency: 'USD',
        saleAmountCents: -1,
      },
      ...{ saleExternalId: 'ch_1', customerExternalId: 'a\nb', customerEmail: 'x', partnerId: '1' },
      ...{ partnerEmail: ' Maya@Partner.example', soldAt: '2026-01-01T00:00:00.000Z' },
      ...(more as object),
    }) as SourceRow
  const page = [
    commission('1'),
    commission('2', { state: 'due' }),
    commission('2', { state: 'due' }),
  ]
  const kept = keptOf(DUB, 'import', page)
  expect(kept).toMatchObject({ rows: [{ id: '2' }], commissions: [] })
  expect(kept.history.map(({ id, row }) => ({ id, ...row }))).toMatchObject([
    { id: '1', isPaid: true, cents: 100, at: '2026-01-01T00:00:00.000Z' },
    { id: '2', isPaid: false, cents: 0, at: '2026-01-01T00:00:00.000Z' },
  ])
  // Rewardful's partners say what they are owed.
  expect(keptOf(REWARDFUL, 'import', page)).toMatchObject({ rows: [], history: kept.history })
  const odd = [
    commission('3', { currency: 'XXQ' }),
    commission('4', { amountCents: 100_000_000_000_000 }),
    commission('x'.repeat(256)),
  ]
  const { rows, history, commissions } = keptOf(DUB, 'shadow', [...page, ...odd])
  expect(rows).toEqual(
    odd.map(({ id }) => ({ kind: 'left_out', id, reason: 'unreadable', name: id })),
  )
  expect(history).toEqual([])
  expect(commissions.map(({ key, state }) => `${key} ${state}`)).toEqual(['1 paid', '2 due'])
  expect(commissions[0]).toEqual({
    ...{
      key: '1',
      state: 'paid',
      amountCents: 100,
      currency: 'USD',
      saleAmountCents: null,
      saleIds: ['ch_1'],
    },
    ...{ customerExternalId: null, customerEmail: null, partnerEmail: 'maya@partner.example' },
    soldAt: new Date('2026-01-01'),
  })
})
