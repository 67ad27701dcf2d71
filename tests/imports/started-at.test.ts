import { describe, expect, test } from 'vitest'
import { createWithLeo, customersOf as customersIn, LEO, MAYA } from '../support/imports.ts'
import { codes, type createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()
const customersOf = (merchant: Merchant) => customersIn(database, merchant)

describe('startedAt: a migration does not restart the reward period', () => {
  const monthsAgo = (months: number): string => {
    const date = new Date()
    date.setUTCDate(1)
    date.setUTCMonth(date.getUTCMonth() - months)
    return date.toISOString()
  }
  const mapped = async (
    program: NonNullable<Parameters<typeof createMerchant>[0]>['program'],
    startedAt?: string,
  ) => {
    const world = await createWithLeo({ program: { attribute_known_customers: true, ...program } })
    await world.customers([{ customerExternalId: 'user_1', partnerEmail: MAYA, startedAt }])
    return world
  }
  /** The steps of one more sale of the mapped customer. */
  const renew = async (merchant: Merchant, sale: object = {}) => {
    const { body } = await merchant.sale({ externalId: crypto.randomUUID(), ...sale })
    return codes(await merchant.explain(body.eventId))
  }

  test.each([
    { case: 'eleven months ago, of twelve', startedAt: monthsAgo(11), last: 'commission_created' },
    {
      case: 'thirteen months ago, of twelve',
      startedAt: monthsAgo(13),
      last: 'past_reward_duration',
    },
    { case: 'not given', startedAt: undefined, last: 'commission_created' },
  ])('a recurring reward counts its months from it: $case', async ({ startedAt, last }) => {
    const { merchant } = await mapped({ reward_duration_months: 12 }, startedAt)
    expect((await renew(merchant))?.at(-1)).toBe(last)
  })

  test('a one-time reward was already given', async () => {
    const { merchant } = await mapped({ reward_interval: 'one-time' }, '2025-01-31T10:00:00')
    expect((await renew(merchant))?.at(-1)).toBe('one_time_already_rewarded')
    const [customer] = await customersOf(merchant)
    expect(customer).toMatchObject({ start: new Date('2025-01-31T10:00:00Z'), sameProgram: true })
  })

  test('the earlier of startedAt and the first sale commission counts', async () => {
    const { merchant, customers } = await mapped({ reward_duration_months: 12 })
    await renew(merchant)
    await customers([
      { customerExternalId: 'user_1', partnerEmail: MAYA, startedAt: monthsAgo(13) },
    ])
    expect((await renew(merchant))?.at(-1)).toBe('past_reward_duration')
  })

  test('startedAt does not apply to another program', async () => {
    const { merchant } = await mapped({ reward_interval: 'one-time' }, '2025-01-31')
    const second = await merchant.seed.addProgram(merchant.workspace.id, {
      reward_interval: 'one-time',
    })
    await merchant.seed.addPartner(merchant.workspace.id, second, { slug: 'zoe' })
    const clickId = await merchant.click('zoe', second)
    expect((await renew(merchant, { clickId }))?.at(-1)).toBe('commission_created')
  })

  test('a later mapping without startedAt keeps it, and one with startedAt replaces it', async () => {
    const { merchant, customers } = await mapped({}, '2025-01-31')
    await customers([{ customerExternalId: 'user_1', partnerEmail: LEO }])
    expect(await customersOf(merchant)).toMatchObject([
      { start: new Date('2025-01-31'), partner: LEO },
    ])
    const { body } = await customers([
      { customerExternalId: 'user_1', partnerEmail: LEO, startedAt: '2025-03-01T00:30:00+01:00' },
    ])
    expect(body.summary.updated).toBe(1)
    expect(await customersOf(merchant)).toMatchObject([{ start: new Date('2025-02-28T23:30:00Z') }])
  })
})
