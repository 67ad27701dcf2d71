/**
 * Wherever the portal sends a partner to the merchant, it names the support address, or else the
 * first manager's.
 */
import { expect, inject, test } from 'vitest'
import { MAX_OWN_LINKS } from '../../lib/partners/links/links.queries.ts'
import { addSupport, SUPPORT } from '../support/brands.ts'
import { createConnecting } from '../support/connecting.ts'
import { useDatabase } from '../support/merchant.ts'
import { browse } from '../support/pages.ts'
import { addPayout, createPartner } from '../support/portal.ts'

const database = useDatabase()

/** A partner, and another one whose program's support address is nowhere to be seen. */
const start = async (options: Parameters<typeof createPartner>[0] = {}) => {
  const [partner, other] = await Promise.all([createPartner(options), createPartner()])
  await addSupport(database, other.merchant.programId, 'other@x.example')
  return { ...partner, portal: browse(await partner.cookie(), inject('baseUrl'), '/portal') }
}

const LINK = `<a href="mailto:${encodeURIComponent(SUPPORT)}"><bdi>${SUPPORT}</bdi></a>`

test('a reversed payout', async () => {
  const partner = await start()
  const { portal, merchant } = partner
  const id = await addPayout(database, partner, 980, { outcome: 'paid_at' })
  await database.query(
    'update payouts set reversed_cents = amount_cents, reversed_at = now() where id = $1',
    [id],
  )
  const text = async () => (await portal.get('/payouts')).text
  expect(await text()).toContain('Ask the merchant whether it is paid again.')
  await merchant.manager()
  expect(await text()).toContain(
    `Ask the merchant ( manager@${merchant.workspace.slug}.example ) whether it is paid again.`,
  )
  await addSupport(database, merchant.programId)
  expect(await text()).toContain(`Ask the merchant ( ${SUPPORT} ) whether it is paid again.`)
  expect((await portal.get('/payouts')).html).toContain(`(${LINK})`)
  expect((await portal.get('')).html).toContain(LINK)
})

test('links of which there are too many, in the page and in a refusal', async () => {
  const { portal, merchant, workspaceId, partnerId } = await start()
  await database.query(
    `insert into links (id, workspace_id, program_id, partner_id, slug, slug_key, created_at)
     select uuidv7(), $1, $2, $3, 'more-' || n, 'more-' || n, now() from generate_series(1, $4::int) n`,
    [workspaceId, merchant.programId, partnerId, MAX_OWN_LINKS],
  )
  expect((await portal.get('/links')).text).toContain('Ask the merchant to release one')
  await addSupport(database, merchant.programId)
  expect((await portal.get('/links')).text).toContain(
    `Ask the merchant (${SUPPORT}) to release one`,
  )
  const refused = await portal.post('/links', { program: merchant.programId, slug: 'one-more' })
  expect([refused.status, refused.text]).toEqual([
    409,
    expect.stringContaining(`(${SUPPORT}) to release one`),
  ])
})

test('a new address that another partner has', async () => {
  const { portal, merchant, email, workspaceId } = await start()
  await addSupport(database, merchant.programId)
  const to = `taken-${email}`
  expect((await portal.post('/address', { email: to })).status).toBe(200)
  const [mail] = await database.query<{ url: string }>(
    `select details->>'url' as url from mails where kind = 'address_link' and recipient = $1`,
    [to],
  )
  const token = new URL(mail?.url ?? '').searchParams.get('token') ?? ''
  await merchant.seed.addPartner(workspaceId, merchant.programId, { slug: 'taken', email: to })
  const refused = await portal.post('/address/confirm', { token })
  expect([refused.status, refused.text]).toEqual([
    400,
    expect.stringContaining(`or ask the merchant (${SUPPORT}).`),
  ])
  expect(refused.text).not.toContain('other@x.example')
})

test('payment details without a choice', async () => {
  const { portal, merchant, workspaceId, email } = await start({ manualPayouts: true })
  const another = await createPartner()
  await another.merchant.seed.addPartner(another.workspaceId, another.merchant.programId, {
    slug: 'too',
    email,
  })
  await addSupport(database, another.merchant.programId, 'another@x.example')
  await database.query(
    `update workspaces set iban_payouts = false, paypal_payouts = false, wise_payouts = false where id = $1`,
    [workspaceId],
  )
  const text = async () => (await portal.get(`/payment?workspace=${workspaceId}`)).text
  expect(await text()).toContain('Ask the merchant how you are paid.')
  await addSupport(database, merchant.programId)
  expect(await text()).toContain(`Ask the merchant ( ${SUPPORT} ) how you are paid.`)
})

test('a merchant who has not set up payouts, and a country that cannot be paid', async () => {
  const { pages, connect, merchant, workspaceId, email, manager, key } = await createConnecting({
    hasKey: false,
  })
  const refused = async () => (await connect()).text
  const boss = `manager@${merchant.workspace.slug}.example`
  expect((await pages.get('')).text).toContain(`Ask the merchant ( ${boss} ) when that will be.`)
  expect(await refused()).toContain(`Please contact the merchant. Questions? Write to ${boss}`)
  await addSupport(database, merchant.programId)
  expect(await refused()).toContain(`Please contact the merchant. Questions? Write to ${SUPPORT}`)
  expect((await manager.put('/stripe/key', { key })).status).toBe(200)
  await database.query(`insert into unreachable_people values ($1, $2, 'KE', now())`, [
    workspaceId,
    email,
  ])
  expect((await pages.get('')).text).toContain(
    `Ask the merchant ( ${SUPPORT} ) how else you can be paid.`,
  )
})

test('the page of a sale', async () => {
  const { portal, merchant } = await start()
  const { body } = await merchant.sale({ clickId: await merchant.click('ann') })
  const text = async () => (await portal.get(`/events/${body.eventId}`)).text
  expect(await text()).not.toContain('Questions?')
  await addSupport(database, merchant.programId)
  expect(await text()).toContain(`Questions? Write to ${SUPPORT}`)
})
