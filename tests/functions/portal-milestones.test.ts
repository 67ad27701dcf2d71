import { expect, inject, test } from 'vitest'
import { checkBonuses } from '../../lib/bonuses/check.service.ts'
import { newBudget } from '../../lib/db/budget.service.ts'
import { fold } from '../support/fold.ts'
import { useDatabase } from '../support/merchant.ts'
import { browse } from '../support/pages.ts'
import { createPartner } from '../support/portal.ts'

const database = useDatabase()

const env = { ...inject('database'), MAX_FETCHES: '1000' }

test('a partner sees its tier, what is missing to the next, and bonuses earned and to come', async () => {
  const { merchant, workspaceId, partnerId, cookie } = await createPartner()
  const manager = await merchant.asManager()
  const tiers = {
    by: 'netSales',
    currency: 'USD',
    period: 'year',
    levels: [
      { name: 'Silver', atLeastCents: 10_000 },
      { name: 'Gold', atLeastCents: 100_000 },
    ],
  }
  const pays = { amountCents: 25_000, currency: 'USD' }
  await manager.patch(`/programs/${merchant.programId}`, {
    tiers,
    bonuses: [
      { by: 'customers', atLeast: 1, name: 'First one', pays },
      { by: 'customers', atLeast: 10, name: 'First ten', pays },
    ],
  })
  const pages = browse(await cookie(), inject('baseUrl'), '/portal')
  const fresh = (await pages.get('')).text
  expect(fresh).toContain('Your tier No tier yet $100.00 to “Silver”')
  expect(fresh).toContain('$250.00 for 1 customer (“First one”)')

  const clickId = await merchant.click('ann')
  await merchant.sale({ clickId, amountCents: 21_000 })
  await fold(database, merchant)
  await checkBonuses(env, new Date(), newBudget(env, 20_000))
  await database.query(
    `update events set occurred_at = now() - interval '3 days' where workspace_id = $1`,
    [workspaceId],
  )
  const { text } = await pages.get('')
  expect(text).toContain('Your tier Silver $790.00 to “Gold”')
  expect(text).toContain(
    '$210.00 in net sales in the last 365 days, up to yesterday and less refunds.',
  )
  expect(text).toContain('All tiers “Silver” from $100.00 “Gold” from $1,000.00')
  expect(text).toMatch(
    /Bonuses \$250\.00 for “First one”, earned on .+? \$250\.00 for 10 customers \(“First ten”\)/,
  )

  await database.query(`update events set returned_cents = amount_cents where workspace_id = $1`, [
    workspaceId,
  ])
  await database.query('select check_bonuses(array[$1]::uuid[])', [partnerId])
  await checkBonuses(env, new Date(), newBudget(env, 20_000))
  const undone = (await pages.get('')).text
  expect(undone).toContain('No tier yet')
  expect(undone).not.toContain('earned on')
  expect(undone).toContain('$250.00 for 1 customer (“First one”)')

  await database.query(`update partners set status = 'banned' where id = $1`, [partnerId])
  expect((await pages.get('')).text).not.toContain('Your tier')
})

test('a bonus that a manager took back in part or as a whole is not to come again', async () => {
  const { merchant, cookie } = await createPartner()
  const manager = await merchant.asManager()
  const pays = { amountCents: 25_000, currency: 'USD' }
  const bonuses = [{ by: 'customers', atLeast: 1, name: 'First one', pays }]
  await manager.patch(`/programs/${merchant.programId}`, { bonuses })
  await merchant.sale({ clickId: await merchant.click('ann') })
  await fold(database, merchant)
  await checkBonuses(env, new Date(), newBudget(env, 20_000))
  const { body } = await merchant.get('/commissions?kind=bonus')
  const [bonus] = (body as { data: { id: string }[] }).data
  const pages = browse(await cookie(), inject('baseUrl'), '/portal')
  const takeBack = async (fields: object) => {
    const reverse = `/commissions/${bonus?.id}/reverse`
    expect((await manager.post(reverse, { reason: 'Agreed', ...fields })).status).toBe(201)
    return (await pages.get('')).text
  }
  const inPart = await takeBack({ amountCents: 5_000, externalId: 'part' })
  expect(inPart).toContain('$200.00 for “First one”, earned on')
  expect(inPart).not.toContain('for 1 customer')
  expect(await takeBack({})).not.toMatch(/Bonuses|for 1 customer/)
})
