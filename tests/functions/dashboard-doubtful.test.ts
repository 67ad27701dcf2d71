/**
 * What managers see of late leads, and of what only an address credits. docs/decisions.md, "By an
 * address alone".
 */
import { expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { continueReplans } from '../../lib/purchases/apply/late.service.ts'
import { openShop } from '../support/buyers.ts'
import { useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'
import { everyNth } from '../support/thorough.ts'

const database = useDatabase()

const HOUR = 3_600
const HEADING = 'Late leads and unverified addresses'

test('the page of checks counts late leads and credits by unverified addresses, by partner', async () => {
  const shop = await openShop(database, { program: { late_lead_days: 7 } })
  const pages = await openPages(shop.merchant)
  expect((await pages.get('/checks')).text).not.toContain(HEADING)

  const [late, early, verified] = [shop.buyer(), shop.buyer(), shop.buyer()]
  const clickId = await late.click('maya', 2)
  await late.invoice({ at: -HOUR })
  await late.lead({ clickId })
  await early.lead({ clickId: await early.click('leo') })
  await early.invoice({ at: 60 })
  await verified.lead({ clickId: await verified.click('leo'), emailVerified: true })
  await verified.invoice({ at: 60 })
  expect((await pages.get('')).text).toContain('3 recent sales are credited by little evidence')
  const { text } = await pages.get('/checks')
  expect(text).toContain(HEADING)
  expect(text).toMatch(/maya\s*1\s*1\s*leo\s*0\s*1/)
})

test('the page of held commissions and the portal say why, and the event’s steps do', async () => {
  const shop = await openShop(database, {
    program: { late_lead_days: 7, unverified_addresses: 'hold' },
  })
  const pages = await openPages(shop.merchant)
  const [late, early] = [shop.buyer(), shop.buyer()]
  const clickId = await late.click('maya', 2)
  await late.checkout({ at: -HOUR, metadata: { customerExternalId: late.id('user') } })
  await late.lead({ clickId })
  await early.lead({ clickId: await early.click() })
  await early.checkout({ at: 60 })
  const { text } = await pages.get('/commissions/held')
  expect(text).toContain('A lead that was received after the payment')
  expect(text).toContain(
    'Only an email address that a lead named says that this customer is the partner’s',
  )
  const explanation = async (id: string) =>
    (await shop.merchant.explainReport('sale', id))?.steps.map((step) => step.text).join(' ')
  expect(await explanation(late.id('pi'))).toMatch(
    /was reported only on .*held for a manager’s review/,
  )
  expect(await explanation(early.id('pi'))).toMatch(
    /nobody has verified it\. .*unverified address credits/,
  )
})

test.each(everyNth(2, ['with a click', 'without one']))(
  'a lead that verifies the address later, %s, releases the commission',
  { tags: 'sampled' },
  async (how) => {
    const shop = await openShop(database, { program: { unverified_addresses: 'hold' } })
    const buyer = shop.buyer()
    const clickId = await buyer.click()
    await buyer.lead({ clickId })
    await buyer.invoice({ at: 60 })
    const held = async () =>
      (await shop.manager.get('/commissions?status=held')).body.data as {
        hold: { reason: string }
      }[]
    expect((await held()).map(({ hold }) => hold.reason)).toEqual(['unverified_address'])

    await buyer.lead({
      ...{
        externalId: buyer.id('verified'),
        customerExternalId: buyer.id('user'),
        emailVerified: true,
      },
      clickId: how === 'with a click' ? clickId : null,
    })
    await continueReplans(() => connect(inject('database')), new Date())
    expect(await held()).toEqual([])
    const steps = (await shop.merchant.explainReport('sale', buyer.id('in')))?.steps ?? []
    expect(steps[0]?.facts).toMatchObject({ byAddress: 'verified' })
    expect(await database.violations(shop.merchant.workspace.id)).toEqual([])
  },
)

test('a lead that verifies another address, or one of another customer, releases nothing', async () => {
  const shop = await openShop(database, { program: { unverified_addresses: 'hold' } })
  const [buyer, thief] = [shop.buyer(), shop.buyer()]
  await buyer.lead({ clickId: await buyer.click() })
  await buyer.invoice({ at: 60 })
  const user = { externalId: buyer.id('verified'), customerExternalId: buyer.id('user') }
  await buyer.lead({ ...user, customerEmail: `other-${buyer.address}`, emailVerified: true })
  await thief.lead({ customerEmail: buyer.address, emailVerified: true })
  await continueReplans(() => connect(inject('database')), new Date())
  expect((await shop.manager.get('/commissions?status=held')).body.data).toHaveLength(1)
})

test('the setting is a field of the API and of the program’s page, and each change is in the audit log', async () => {
  const { merchant, manager } = await openShop(database)
  const path = `/programs/${merchant.programId}`
  const refused = await manager.patch(path, { unverifiedAddresses: 'refuse' })
  expect(refused).toMatchObject({ status: 400, body: { error: { code: 'invalid_body' } } })
  expect((await manager.patch(path, { unverifiedAddresses: 'hold' })).body).toMatchObject({
    unverifiedAddresses: 'hold',
  })
  const pages = await openPages(merchant)
  expect((await pages.get(path)).text).toContain('Credits by an unverified address')
  expect((await pages.get('/audit')).text).toContain('unverified addresses')
})
