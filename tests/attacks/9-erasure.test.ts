/**
 * After an erasure, no column of any table holds the person's address, and the ledger is as it was.
 */
import { expect, inject, test } from 'vitest'
import { placesOf as find } from '../support/erasure.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { signIn } from '../support/people.ts'
import { addPayout, createPartner } from '../support/portal.ts'
import { checkoutSession, invoice, stripeEvent, stripeId, useStripe } from '../support/stripe.ts'
import { basilLine, pageOf } from '../support/stripe-lines.ts'

const database = useDatabase()

const placesOf = (text: string) => find(database.query, text)

const ledger = ({ workspace }: Pick<Merchant, 'workspace'>) =>
  database.query(
    `select kind, amount_cents, currency, partner_id, customer_id, event_id from commissions where workspace_id = $1 order by id`,
    [workspace.id],
  )
const violations = ({ workspace }: Pick<Merchant, 'workspace'>) => database.violations(workspace.id)

/**
 * A customer who is known under an address by a lead, sales, a checkout, a guest's checkout and an
 * import.
 */
const createCustomer = async () => {
  const merchant = await createMerchant()
  const address = `jo.${merchant.workspace.slug}@buyer.example`
  const name = `Jo ${merchant.workspace.slug}`
  const clickId = await merchant.click()
  await database.query(
    `update clicks set landing_url = 'https://shop.example/jo/' || $2, referrer = 'https://mail.example/' || $2 where id = $1`,
    [clickId, address],
  )
  const customerExternalId = `Jo.${merchant.workspace.slug}@Buyer.example`
  await merchant.lead({
    externalId: address,
    customerExternalId,
    customerEmail: address,
    customerName: name,
    metadata: { address },
    clickId,
  })
  await merchant.sale({
    customerExternalId,
    clickId,
    metadata: { contact: { email: address, name } },
  })
  await merchant.refund({ externalId: address, amountCents: 100, metadata: { address } })
  const stripe = await useStripe(merchant)
  const customer = stripeId('cus')
  await stripe.deliver(
    stripeEvent(
      'checkout.session.completed',
      checkoutSession({
        payment_intent: stripeId('pi'),
        customer,
        metadata: { customerExternalId },
        customer_details: { email: address, name },
      }),
    ),
  )
  await stripe.deliver(
    stripeEvent(
      'invoice.paid',
      invoice({ id: stripeId('in'), customer, customer_email: address, customer_name: name }),
    ),
  )
  const rows = [
    { customerExternalId: customer, customerEmail: address, partnerEmail: 'maya@partner.example' },
  ]
  const manager = await merchant.asManager()
  await manager.post('/customers/import', { rows })
  const [{ id } = { id: '' }] = await database.query<{ id: string }>(
    'select id from customers where workspace_id = $1 and merged_into is null',
    [merchant.workspace.id],
  )
  return { merchant, manager, address, name, clickId, customer, stripe, customerExternalId, id }
}

test('a customer’s address and name are in no table after an erasure, and the ledger is as it was', async () => {
  const { merchant, manager, address, name, id } = await createCustomer()
  const reason = `${address.toUpperCase()} asked for it.`
  const sale = await merchant.explainReport('sale', 'inv_1')
  const credit = { partnerId: merchant.partnerId, reason }
  expect((await manager.post(`/events/${sale?.id}/credit`, credit)).status).toBe(200)
  const adjustment = { ...credit, amountCents: 100, currency: 'USD', externalId: 'adj_1' }
  expect((await manager.post('/commissions', adjustment)).status).toBe(201)
  const before = await ledger(merchant)
  expect(before.length).toBeGreaterThan(2)
  expect((await placesOf(address)).length).toBeGreaterThan(5)

  const { status, body } = await manager.post(`/customers/${id}/erase`)
  expect({ status, body }).toEqual({ status: 200, body: { id, erasedAt: expect.any(String) } })
  expect(await placesOf(address)).toEqual([])
  expect(await placesOf(name)).toEqual([])
  expect(await ledger(merchant)).toEqual(before)
  expect(await violations(merchant)).toEqual([])
  expect((await database.audit(merchant)).at(-1)).toMatchObject({
    action: 'customer.erased',
    subject_id: id,
    details: {},
  })
})

test('what an erased customer bought is kept, without the metadata of its lines', async () => {
  const { merchant, manager, stripe, customer, id } = await createCustomer()
  const lines = pageOf([basilLine('pro', { metadata: { for: 'Jo' } }), basilLine('seats')])
  const paid = invoice({ customer, lines })
  await stripe.deliver(stripeEvent('invoice.paid', paid))
  await manager.post(`/customers/${id}/erase`)
  const [event] = await database.query(
    `select facts -> 0 -> 'lines' as lines from processor_events
     where workspace_id = $1 and keys @> array[$2]`,
    [merchant.workspace.id, paid.id],
  )
  expect(event?.lines).toMatchObject([{ productId: 'prod_pro' }, { productId: 'prod_seats' }])
  expect(JSON.stringify(event)).not.toContain('metadata')
})

test('an erased customer’s renewals are credited as before', async () => {
  const { merchant, manager, stripe, customer, id } = await createCustomer()
  await manager.post(`/customers/${id}/erase`)
  const renewal = stripeId('in')
  await stripe.deliver(
    stripeEvent('invoice.paid', invoice({ id: renewal, customer, customer_email: null })),
  )
  expect(await merchant.explainReport('sale', renewal)).toMatchObject({
    attributed: true,
    partner: { slug: 'maya' },
  })
  expect(await violations(merchant)).toEqual([])
})

test('an export of a customer has what is known of it, before an erasure', async () => {
  const { manager, address, name, id } = await createCustomer()
  const { status, body } = await manager.get(`/customers/${id}/personal-data`)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    person: 'customer',
    data: {
      customers: expect.arrayContaining([expect.objectContaining({ email: address, name })]),
      identities: expect.arrayContaining([
        expect.objectContaining({ kind: 'email', value: address }),
      ]),
      events: expect.arrayContaining([
        expect.objectContaining({
          metadata: { address },
          landingUrl: `https://shop.example/jo/${address}`,
        }),
      ]),
      stripeEvents: expect.arrayContaining([expect.objectContaining({ email: address })]),
    },
  })
})

test('a partner’s address and name are in no table after an erasure, but in the invoices that the merchant must keep', async () => {
  const partner = await createPartner()
  const { merchant, email, partnerId, workspaceId } = partner
  const name = `Ann ${merchant.workspace.slug}`
  const manager = await merchant.asManager()
  await manager.patch(`/partners/${partnerId}`, { name })
  await partner.cookie()
  await manager.post(`/partners/${partnerId}/notes`, { content: `${name} writes from ${email}.` })
  // The second time in a browser of its own, which is mailed.
  await signIn(email)
  await signIn(email)
  await database.query(
    `insert into payees (workspace_id, email, name, updated_at) values ($1, $2, $3, now())`,
    [workspaceId, email, name],
  )
  await database.query(
    `insert into mails (id, workspace_id, kind, recipient, partner_id, details, created_at, next_attempt_at)
     values (uuidv7(), $1, 'moved', $2, $3, jsonb_build_object('partnerName', $4::text), now(), now() + interval '1 day')`,
    [workspaceId, email, partnerId, name],
  )
  await database.query(
    `insert into former_partner_addresses (program_id, email, partner_id, until) values ($1, 'old.' || $2, $3, now())`,
    [merchant.programId, email, partnerId],
  )
  await addPayout(database, partner, 1_000, { outcome: 'paid_at' })
  const before = [await ledger(merchant), await violations(merchant)]
  expect((await placesOf(email)).length).toBeGreaterThan(4)

  expect((await manager.get(`/partners/${partnerId}/personal-data`)).body).toMatchObject({
    person: 'partner',
    data: {
      partners: [expect.objectContaining({ email, name })],
      notes: [expect.objectContaining({ content: `${name} writes from ${email}.` })],
      mails: [expect.objectContaining({ recipient: email })],
      formerAddresses: [expect.objectContaining({ email: `old.${email}` })],
    },
  })
  const { status, body } = await manager.post(`/partners/${partnerId}/erase`)
  expect({ status, body }).toEqual({
    status: 200,
    body: { id: partnerId, erasedAt: expect.any(String) },
  })
  expect(await placesOf(email)).toEqual([])
  expect(await placesOf(name)).toEqual([])
  expect([await ledger(merchant), await violations(merchant)]).toEqual(before)
  expect((await manager.get(`/partners/${partnerId}`)).body).toMatchObject({
    status: 'banned',
    name: null,
  })
})

test('a partner with money due is not erased, and the answer says what to do', async () => {
  const merchant = await createMerchant()
  const clickId = await merchant.click()
  await merchant.sale({ clickId })
  const manager = await merchant.asManager()
  const [{ id } = { id: '' }] = (await merchant.get('/partners')).body.data as { id: string }[]
  const { status, body } = await manager.post(`/partners/${id}/erase`)
  expect({ status, code: body.error?.code }).toEqual({ status: 409, code: 'conflict' })
  expect(body.error?.message).toContain('adjust the balance to zero')
  expect((await merchant.get(`/partners/${id}`)).body).toMatchObject({
    email: 'maya@partner.example',
    status: 'approved',
  })

  const adjusted = await manager.post('/commissions', {
    externalId: 'write-off',
    partnerId: id,
    amountCents: -980,
    currency: 'USD',
    reason: 'Waived.',
  })
  expect(adjusted.status).toBe(201)
  expect((await manager.post(`/partners/${id}/erase`)).status).toBe(200)
})

test('nor is one whose failed payout has not let all of its commissions go yet', async () => {
  const partner = await createPartner({ program: { holding_days: 0 } })
  const { merchant, partnerId, workspaceId } = partner
  const { body } = await merchant.sale({ clickId: await merchant.click('ann') })
  const payout = await addPayout(database, partner, 980, {
    outcome: 'failed_at',
    eventIds: [body.eventId ?? ''],
  })
  await database.query('update payouts set is_freeing = true where id = $1', [payout])
  const manager = await merchant.asManager()
  expect((await manager.post(`/partners/${partnerId}/erase`)).status).toBe(409)
  expect(await database.violations(workspaceId)).toEqual([])
})

test('a person whom another workspace knows keeps the account there', async () => {
  const partner = await createPartner()
  const { merchant, email, partnerId } = partner
  await partner.cookie()
  const other = await createMerchant()
  await other.seed.addPartner(other.workspace.id, other.programId, { slug: 'ann', email })
  await (await merchant.asManager()).post(`/partners/${partnerId}/erase`)
  expect((await placesOf(email)).sort()).toEqual(
    expect.arrayContaining(['partners.email', 'users.email']),
  )
  const rows = await database.query('select from partners where workspace_id = $1 and email = $2', [
    merchant.workspace.id,
    email,
  ])
  expect(rows).toEqual([])
})

test.each(['customers', 'partners'])(
  'members, API keys and strangers cannot read or erase the data of %s',
  async (kind) => {
    const merchant = await createMerchant()
    const clickId = await merchant.click()
    await merchant.lead({ externalId: 'user_1', clickId })
    const [{ id } = { id: '' }] = (await merchant.get(`/${kind}`)).body.data as { id: string }[]
    const other = await (await createMerchant()).asManager()
    const member = merchant.as(await merchant.member())
    const stranger = merchant.as(await merchant.stranger())
    for (const [who, status] of [
      [member, 403],
      [stranger, 404],
      [other, 404],
    ] as const) {
      expect((await who.get(`/${kind}/${id}/personal-data`)).status).toBe(status)
      expect((await who.post(`/${kind}/${id}/erase`)).status).toBe(status)
    }
    expect((await merchant.get(`/${kind}/${id}/personal-data`)).status).toBe(401)
  },
)

test('the page asks first, and erases', async () => {
  const { merchant, id, address } = await createCustomer()
  const call = async (method: string) =>
    fetch(`${inject('baseUrl')}/app/${merchant.workspace.slug}/customers/${id}/personal-data`, {
      method,
      redirect: 'manual',
      headers: { Cookie: await merchant.manager(), Origin: new URL(inject('baseUrl')).origin },
    })
  const shown = await call('GET')
  expect(await shown.text()).toContain('Erase customer')
  expect(await placesOf(address)).not.toEqual([])
  expect((await call('POST')).status).toBe(303)
  expect(await placesOf(address)).toEqual([])
})
