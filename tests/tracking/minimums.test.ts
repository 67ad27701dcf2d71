/** The smallest sale for a one-time reward, and the largest reward for a sale. */
import { expect, test } from 'vitest'
import { codes, createMerchant } from '../support/merchant.ts'

test('a paid trial of 1.00 does not use up a one-time reward, and the first full payment earns it', async () => {
  const merchant = await createMerchant({
    program: { reward_interval: 'one-time', one_time_minimum_cents: 500 },
  })
  const clickId = await merchant.click()
  for (const [externalId, amountCents] of [
    ['trial', 100],
    ['first', 4_900],
    ['second', 4_900],
  ] as const) {
    const { body } = await merchant.sale({ externalId, amountCents, clickId })
    expect(body).toMatchObject({ attributed: true })
  }
  const trial = await merchant.explainReport('sale', 'trial')
  expect(codes(trial)).toEqual(['click', 'program_reward', 'below_one_time_minimum'])
  expect(trial?.commission).toBeNull()
  expect((await merchant.explainReport('sale', 'first'))?.commission).toMatchObject({
    amountCents: 980,
  })
  expect(codes(await merchant.explainReport('sale', 'second'))).toContain(
    'one_time_already_rewarded',
  )
})

test('a flat reward of 10.00 earns 0.50 for a sale of 0.50, and all of it for a sale in another currency', async () => {
  const merchant = await createMerchant({
    program: { reward: { amountCents: 1_000n, currency: 'USD' } },
  })
  const clickId = await merchant.click()
  await merchant.sale({ externalId: 'small', amountCents: 50, clickId })
  await merchant.sale({ externalId: 'yen', amountCents: 50, currency: 'JPY', clickId })
  const small = await merchant.explainReport('sale', 'small')
  expect(small?.commission).toMatchObject({ amountCents: 50, currency: 'USD' })
  expect(codes(small)).toEqual(['click', 'program_reward', 'reward_capped', 'commission_created'])
  const yen = await merchant.explainReport('sale', 'yen')
  expect(yen?.commission).toMatchObject({ amountCents: 1_000, currency: 'USD' })
})
