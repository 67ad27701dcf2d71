/**
 * A partner who buys through the own link earns nothing unseen, whatever spelling of the own
 * address the purchase names.
 */
import fc from 'fast-check'
import { describe, expect, inject, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { replanCustomer } from '../../lib/purchases/apply/replan.service.ts'
import { selfReferralBy } from '../../lib/rules/attribution/self-referrals.ts'
import { readEmail } from '../../lib/values/emails.ts'
import { mailboxOf } from '../../lib/values/mailboxes.ts'
import { codes, createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { openSession } from '../support/people.ts'
import { checkoutSession, invoice, stripeEvent, stripeId, useStripe } from '../support/stripe.ts'
import { SEEDS } from '../support/thorough.ts'

const database = useDatabase()

describe('one mailbox', () => {
  test.each([
    { case: 'Gmail ignores dots', a: 'maya.lee@gmail.com', b: 'm.a.y.a.lee@gmail.com', same: true },
    { case: 'Gmail ignores tags', a: 'maya+shop@gmail.com', b: 'maya@gmail.com', same: true },
    {
      case: 'googlemail.com is gmail.com',
      a: 'maya@googlemail.com',
      b: 'ma.ya+x@gmail.com',
      same: true,
    },
    {
      case: 'a dot in the domain of a tag',
      a: 'maya+a.b@gmail.com',
      b: 'maya@gmail.com',
      same: true,
    },
    { case: 'Outlook ignores tags', a: 'maya+shop@outlook.com', b: 'maya@outlook.com', same: true },
    {
      case: 'Outlook reads dots',
      a: 'maya.lee@outlook.com',
      b: 'mayalee@outlook.com',
      same: false,
    },
    { case: 'Hotmail is not Outlook', a: 'maya@hotmail.com', b: 'maya@outlook.com', same: false },
    { case: 'one Apple account', a: 'maya+shop@me.com', b: 'maya@icloud.com', same: true },
    { case: 'one Proton account', a: 'maya+shop@pm.me', b: 'maya@proton.me', same: true },
    { case: 'Fastmail’s tags', a: 'maya+shop@fastmail.com', b: 'maya@fastmail.com', same: true },
    {
      case: 'Fastmail’s subdomains',
      a: 'shop@maya.fastmail.com',
      b: 'maya@fastmail.com',
      same: true,
    },
    {
      case: 'two names at one of Fastmail’s subdomains',
      a: 'shop@maya.fastmail.com',
      b: 'news@maya.fastmail.com',
      same: true,
    },
    {
      case: 'a domain of its own reads dots',
      a: 'a.b@shop.example',
      b: 'ab@shop.example',
      same: false,
    },
    {
      case: 'a domain of its own reads tags',
      a: 'a+b@shop.example',
      b: 'a@shop.example',
      same: false,
    },
    { case: 'other names', a: 'maya@gmail.com', b: 'leo@gmail.com', same: false },
  ])('$case', async ({ a, b, same }) => {
    expect(mailboxOf(a) === mailboxOf(b)).toBe(same)
    // The database marks at least what is the same, so that it is compared.
    const [row] = await database.query<{ alike: boolean }>(
      'select addresses_alike($1, $2) as alike',
      [a, b],
    )
    if (same) expect(row?.alike).toBe(true)
  })

  test('the database compares every pair of addresses that is a self-referral by selfReferralBy', async () => {
    const part = fc.array(fc.constantFrom('a', 'b', '.', '+'), { minLength: 1, maxLength: 5 })
    const domain = fc.constantFrom(
      ...['gmail.com', 'googlemail.com', 'me.com', 'icloud.com', 'pm.me', 'proton.me', 'msn.com'],
      ...['fastmail.com', 'a.fastmail.com', 'ab.fastmail.fm', 'fastmail.fm', 'shop.example'],
    )
    const email = fc
      .tuple(part, domain)
      .map(([name, at]) => readEmail(`${name.join('')}@${at}`))
      .filter((address) => address !== null)
    const pairs = fc.sample(fc.tuple(email, email), { numRuns: 20_000, seed: SEEDS[0] })
    const same = pairs.filter(([a, b]) => selfReferralBy([a], [b]) !== null)
    expect(same.length).toBeGreaterThan(200)
    const missed = await database.query(
      `select a, b from unnest($1::text[], $2::text[]) pair (a, b) where not addresses_alike(a, b)`,
      [same.map(([a]) => a), same.map(([, b]) => b)],
    )
    expect(missed).toEqual([])
  })
})

/** The partner is "maya", by default with an address at Gmail. */
const open = async (
  selfReferrals: 'hold' | 'allow' | 'refuse' = 'hold',
  address = (name: string) => `maya.${name}@gmail.com`,
) => {
  const merchant = await createMerchant({
    program: { self_referrals: selfReferrals },
    manualPayouts: true,
  })
  const { workspace } = merchant
  const own = readEmail(address(workspace.slug)) ?? ''
  const spelled = `maya${workspace.slug}+shop@googlemail.com`
  await database.query('update partners set email = $2 where workspace_id = $1', [
    workspace.id,
    own,
  ])
  const clickId = await merchant.click()
  /** Each earning of the workspace, and what it is held for. */
  const holds = async () =>
    (
      await database.query<{ row: string }>(
        `select c.kind || ' ' || e.external_id || coalesce(' ' || h.reason || coalesce(' ' || h.resolution, ''), '') as row
         from commissions c join events e on e.id = c.event_id left join commission_holds h on h.commission_id = c.id
         where c.workspace_id = $1 order by c.id`,
        [workspace.id],
      )
    ).map(({ row }) => row)
  /** Plans again what is marked, as the cron does. */
  const replan = async () => {
    const marked = await database.query<{ id: string }>(
      'select id from customers where workspace_id = $1 and replan_from is not null',
      [workspace.id],
    )
    for (const { id } of marked)
      await replanCustomer(connect(inject('database')), workspace.id, id, new Date())
    return marked.length
  }
  return { merchant, own, spelled, clickId, holds, replan }
}

const violations = ({ workspace }: Merchant) => database.violations(workspace.id)

describe('the commission is held', () => {
  test('of a sale whose customer id is the partner’s address, and the answer is the same as before', async () => {
    const { merchant, spelled, clickId, holds } = await open()
    const { status, body } = await merchant.sale({ customerExternalId: spelled, clickId })
    expect(status).toBe(200)
    expect(body).toEqual({ eventId: expect.any(String), attributed: true })
    expect(await holds()).toEqual(['sale inv_1 self_referral'])
    const event = await merchant.explain(body.eventId)
    expect(codes(event)).toEqual(['click', 'program_reward', 'commission_created', 'self_referral'])
    expect(event?.commission).toMatchObject({ status: 'held' })
    expect((await merchant.get('/commissions')).body.data).toMatchObject([
      { status: 'held', hold: { reason: 'self_referral', resolution: null } },
    ])
    await database.age(merchant, '31 days')
    const run = await (await merchant.asManager()).post('/payouts/run', {
      dryRun: true,
      method: 'manual',
    })
    expect(run.body.payouts).toEqual([])
    expect(await violations(merchant)).toEqual([])
  })

  test('of a sale whose customer gave the address in a lead before, also if a later lead names another one', async () => {
    const { merchant, spelled, clickId, holds } = await open()
    await merchant.lead({ externalId: 'user_1', customerEmail: spelled, clickId })
    await merchant.lead({
      externalId: 'l2',
      customerExternalId: 'user_1',
      customerEmail: 'a@shop.example',
      clickId,
    })
    await merchant.sale({ clickId })
    expect(await holds()).toEqual(['sale inv_1 self_referral'])
  })

  test('of a lead that names the address', async () => {
    const merchant = await createMerchant({
      group: { leadReward: { amountCents: 500n, currency: 'USD' } },
    })
    const clickId = await merchant.click()
    await merchant.lead({ customerEmail: 'MAYA@partner.example', clickId })
    const [row] = await database.query<{ reason: string }>(
      'select reason from commission_holds where workspace_id = $1',
      [merchant.workspace.id],
    )
    expect(row).toEqual({ reason: 'self_referral' })
  })

  test('of a Stripe checkout in which the address was typed, and of the renewals', async () => {
    const { merchant, spelled, clickId, holds } = await open()
    const stripe = await useStripe(merchant)
    const [payment, customer] = [stripeId('pi'), stripeId('cus')]
    const checkout = checkoutSession({
      payment_intent: payment,
      customer,
      client_reference_id: clickId,
      customer_details: { email: spelled, name: 'M.' },
    })
    await stripe.deliver(stripeEvent('checkout.session.completed', checkout))
    expect(await holds()).toEqual([`sale ${payment} self_referral`])
    const renewal = stripeId('in')
    await stripe.deliver(
      stripeEvent('invoice.paid', invoice({ id: renewal, customer, customer_email: null })),
    )
    expect(await holds()).toEqual([
      `sale ${payment} self_referral`,
      `sale ${renewal} self_referral`,
    ])
  })

  test('of an imported customer’s payment', async () => {
    const { merchant, spelled, own, holds } = await open()
    const stripe = await useStripe(merchant)
    const customer = stripeId('cus')
    const rows = [{ customerExternalId: customer, customerEmail: spelled, partnerEmail: own }]
    await (await merchant.asManager()).post('/customers/import', { rows })
    const renewal = stripeId('in')
    await stripe.deliver(
      stripeEvent(
        'invoice.paid',
        invoice({ id: renewal, customer, customer_email: 'other@shop.example' }),
      ),
    )
    expect(await holds()).toEqual([`sale ${renewal} self_referral`])
  })
})

describe('an address that is learned after the sale', () => {
  test('by a lead holds the sale’s commission', async () => {
    const { merchant, spelled, clickId, holds, replan } = await open()
    await merchant.sale({ clickId })
    expect(await holds()).toEqual(['sale inv_1'])
    await merchant.lead({ externalId: 'user_1', customerEmail: spelled, clickId })
    expect(await replan()).toBe(1)
    expect(await holds()).toEqual(['sale inv_1 self_referral'])
    expect(codes(await merchant.explainReport('sale', 'inv_1'))?.at(-1)).toBe('self_referral')
    expect(await replan()).toBe(0)
    expect(await violations(merchant)).toEqual([])
  })

  test('by an import holds it too', async () => {
    const { merchant, spelled, own, clickId, holds, replan } = await open()
    await merchant.sale({ clickId })
    const rows = [{ customerExternalId: 'user_1', customerEmail: spelled, partnerEmail: own }]
    await (await merchant.asManager()).post('/customers/import', { rows })
    await replan()
    expect(await holds()).toEqual(['sale inv_1 self_referral'])
  })

  test('as the partner’s new address holds it, and the former one goes on counting', async () => {
    const { merchant, spelled, own, clickId, holds, replan } = await open()
    await merchant.lead({ externalId: 'user_1', customerEmail: 'new@shop.example', clickId })
    await merchant.sale({ clickId })
    expect(await holds()).toEqual(['sale inv_1'])
    const { workspace, programId } = merchant
    await database.query(
      `with changed as (update partners set email = 'new@shop.example' where workspace_id = $1 returning id)
       insert into former_partner_addresses (program_id, email, partner_id, until)
       select $2, $3, id, now() from changed`,
      [workspace.id, programId, own],
    )
    await replan()
    expect(await holds()).toEqual(['sale inv_1 self_referral'])
    await merchant.sale({ externalId: 'inv_2', customerExternalId: spelled, clickId })
    expect(await holds()).toEqual(['sale inv_1 self_referral', 'sale inv_2 self_referral'])
  })

  test('is no reason to hold again what a manager has released', async () => {
    const { merchant, spelled, clickId, holds, replan } = await open()
    await merchant.sale({ customerExternalId: spelled, clickId })
    const [{ id } = { id: '' }] = (await merchant.get('/commissions')).body.data as { id: string }[]
    const { status } = await (await merchant.asManager()).post(`/commissions/${id}/release`)
    expect(status).toBe(200)
    await database.query(
      "update customers set replan_from = now() - interval '1 day' where workspace_id = $1",
      [merchant.workspace.id],
    )
    expect(await replan()).toBe(1)
    expect(await holds()).toEqual(['sale inv_1 self_referral released'])
  })
})

describe('the program’s setting', () => {
  test('“refuse” creates no commission, with the reason', async () => {
    const { merchant, spelled, clickId, holds } = await open('refuse')
    const { body } = await merchant.sale({ customerExternalId: spelled, clickId })
    expect(body).toEqual({ eventId: expect.any(String), attributed: true })
    expect(await holds()).toEqual([])
    expect(codes(await merchant.explain(body.eventId))).toEqual([
      'click',
      'program_reward',
      'self_referral',
    ])
  })

  test('“allow” pays it like any other', async () => {
    const { merchant, spelled, clickId, holds } = await open('allow')
    const { body } = await merchant.sale({ customerExternalId: spelled, clickId })
    expect(await holds()).toEqual(['sale inv_1'])
    expect(codes(await merchant.explain(body.eventId))).not.toContain('self_referral')
  })

  test('changes nothing of the sales before it', async () => {
    const { merchant, spelled, clickId, holds, replan } = await open('allow')
    await merchant.sale({ clickId })
    await (await merchant.asManager()).patch(`/programs/${merchant.programId}`, {
      selfReferrals: 'refuse',
    })
    await merchant.lead({ externalId: 'user_1', customerEmail: spelled, clickId })
    await replan()
    expect(await holds()).toEqual(['sale inv_1'])
  })
})

const SPELLINGS = [
  { case: 'a tag', address: 'maya@agency.example', typed: 'maya+shop@agency.example' },
  {
    case: 'another tag',
    address: 'maya+partner@agency.example',
    typed: 'maya+shop@agency.example',
  },
  { case: 'no tag', address: 'maya+partner@agency.example', typed: 'maya@agency.example' },
  { case: 'two plus signs', address: 'maya@agency.example', typed: 'maya+a+b@agency.example' },
  {
    case: 'a plus sign and nothing after it',
    address: 'maya@agency.example',
    typed: 'maya+@agency.example',
  },
  {
    case: 'a full-width plus sign',
    address: 'maya@agency.example',
    typed: 'maya＋shop@agency.example',
  },
  {
    case: 'a tag, and Punycode',
    address: 'maya@müller.example',
    typed: 'maya+1@xn--mller-kva.example',
  },
  {
    case: 'a tag, and invisible letters',
    address: 'maya@agency.example',
    typed: 'ma\u00adya\u200b+x@agency.example',
  },
  { case: 'a tag, and capitals', address: 'maya@agency.example', typed: 'MAYA+X@Agency.Example.' },
  {
    case: 'full-width letters',
    address: 'maya@agency.example',
    typed: 'ｍａｙａ+x@ａｇｅｎｃｙ.example',
  },
]

describe('a tag at any domain', () => {
  test.each(
    SPELLINGS.flatMap((spelling) =>
      (['hold', 'refuse'] as const).map((setting) => ({ ...spelling, setting })),
    ),
  )('is held, and never refused: $case, “$setting”', async ({ address, typed, setting }) => {
    const { merchant, clickId, holds } = await open(setting, () => address)
    await merchant.lead({ externalId: 'user_1', customerEmail: typed, clickId })
    await merchant.sale({ clickId })
    expect(await holds()).toEqual(['sale inv_1 self_referral'])
    const event = await merchant.explainReport('sale', 'inv_1')
    expect(codes(event)).toEqual(['click', 'program_reward', 'commission_created', 'self_referral'])
    expect(event?.steps.at(-1)).toMatchObject({ facts: { slug: 'maya', by: 'tag' } })
  })

  test('is allowed where partners may buy through their links', async () => {
    const { merchant, clickId, holds } = await open('allow', () => 'maya@agency.example')
    await merchant.sale({ customerExternalId: 'maya+shop@agency.example', clickId })
    expect(await holds()).toEqual(['sale inv_1'])
  })

  test('typed into Stripe’s checkout holds the sale and the renewals, also if the program refuses', async () => {
    const { merchant, clickId, holds } = await open('refuse', () => 'maya@agency.example')
    const stripe = await useStripe(merchant)
    const [payment, customer, renewal] = [stripeId('pi'), stripeId('cus'), stripeId('in')]
    const details = { email: 'maya+shop@agency.example', name: 'M.' }
    await stripe.deliver(
      stripeEvent(
        'checkout.session.completed',
        checkoutSession({
          payment_intent: payment,
          customer,
          client_reference_id: clickId,
          customer_details: details,
        }),
      ),
    )
    const paid = invoice({ id: renewal, customer, customer_email: details.email })
    await stripe.deliver(stripeEvent('invoice.paid', paid))
    expect(await holds()).toEqual([
      `sale ${payment} self_referral`,
      `sale ${renewal} self_referral`,
    ])
  })

  test('learned after the sale holds it, and its erasure releases and refuses nothing', async () => {
    const { merchant, clickId, holds, replan } = await open('refuse', () => 'maya@agency.example')
    await merchant.sale({ clickId })
    await merchant.lead({
      externalId: 'user_1',
      customerEmail: 'maya+shop@agency.example',
      clickId,
    })
    expect(await replan()).toBe(1)
    expect(await holds()).toEqual(['sale inv_1 self_referral'])
    const [customer] = await database.query<{ id: string }>(
      'select id from customers where workspace_id = $1',
      [merchant.workspace.id],
    )
    await (await merchant.asManager()).post(`/customers/${customer?.id}/erase`)
    await database.query(
      "update customers set replan_from = now() - interval '1 day' where workspace_id = $1",
      [merchant.workspace.id],
    )
    await replan()
    expect(await holds()).toEqual(['sale inv_1 self_referral'])
    expect(await violations(merchant)).toEqual([])
  })

  test('an equal address is refused where the program refuses', async () => {
    const { merchant, clickId, holds } = await open('refuse', () => 'maya+shop@agency.example')
    await merchant.sale({ customerExternalId: 'Maya+Shop@agency.example', clickId })
    expect(await holds()).toEqual([])
  })

  test.each([
    'maya.lee@agency.example',
    'mayalee+x@agency.example',
    'maya+x@other.example',
    '+x@agency.example',
  ])('another name or domain is another person: %s', async (typed) => {
    const { merchant, clickId, holds } = await open('hold', () => 'maya@agency.example')
    await merchant.sale({ customerExternalId: typed, clickId })
    expect(await holds()).toEqual(['sale inv_1'])
  })
})

describe('a buyer with the partner’s name', () => {
  /** A merchant whose partner "maya" has this name. */
  const withName = async (name: string | null, setting: 'hold' | 'allow' | 'refuse') => {
    const opened = await open(setting)
    const { merchant } = opened
    await database.query('update partners set name = $2 where workspace_id = $1', [
      merchant.workspace.id,
      name,
    ])
    return { ...opened, stripe: await useStripe(merchant) }
  }

  type Checkout = { payment: string; clickId: string; typed: string | null; customer?: string }

  /** A checkout under another one's address by the partner's link. */
  const checkoutOf = ({ payment, clickId, typed, customer = stripeId('cus') }: Checkout) =>
    stripeEvent(
      'checkout.session.completed',
      checkoutSession({
        payment_intent: payment,
        customer,
        client_reference_id: clickId,
        customer_details: { email: 'somebody@shop.example', name: typed },
      }),
    )

  const buy = async (
    name: string | null,
    typed: string | null,
    setting: 'hold' | 'allow' | 'refuse' = 'hold',
  ) => {
    const { merchant, stripe, clickId, holds, replan } = await withName(name, setting)
    const [payment, customer] = [stripeId('pi'), stripeId('cus')]
    await stripe.deliver(checkoutOf({ payment, clickId, typed, customer }))
    return { merchant, stripe, payment, customer, holds, replan }
  }

  test.each([
    { name: 'Maya Lindqvist', typed: 'Maya Lindqvist' },
    { name: 'Maya Lindqvist', typed: '  MAYA   lindqvist ' },
    { name: 'Maya Lindqvist', typed: 'Lindqvist, Maya' },
    { name: 'Zoë Strauß-Łódź', typed: 'ZOE STRAUß ŁÓDŹ' },
    { name: 'Maya Lindqvist', typed: 'Ｍａｙａ Lindqvist' },
    { name: 'Acme Media GmbH', typed: 'ACME Media GmbH' },
  ])('is held: $name, $typed', async ({ name, typed }) => {
    for (const setting of ['hold', 'refuse'] as const) {
      const { merchant, payment, holds } = await buy(name, typed, setting)
      expect(await holds()).toEqual([`sale ${payment} self_referral`])
      const event = await merchant.explainReport('sale', payment)
      expect(event?.steps.at(-1)).toMatchObject({
        code: 'self_referral',
        facts: { slug: 'maya', by: 'name' },
      })
      expect(await violations(merchant)).toEqual([])
    }
  })

  test('is held where the backend reports the sales that earn', async () => {
    const { merchant, stripe, clickId, holds } = await withName('Maya Lindqvist', 'hold')
    await (await merchant.asManager()).patch('/settings', { salesFrom: 'api' })
    const payment = stripeId('pi')
    await merchant.sale({ externalId: payment, customerExternalId: 'user_1', clickId })
    expect(await holds()).toEqual([`sale ${payment}`])
    await stripe.deliver(checkoutOf({ payment, clickId, typed: 'Maya Lindqvist' }))
    expect(await holds()).toEqual([`sale ${payment} self_referral`])
    expect(await violations(merchant)).toEqual([])
  })

  test.each([
    {
      case: 'the setting allows it',
      name: 'Maya Lindqvist',
      typed: 'Maya Lindqvist',
      setting: 'allow' as const,
    },
    { case: 'another name', name: 'Maya Lindqvist', typed: 'Maya Lind' },
    { case: 'a single word, which many have', name: 'Maya', typed: 'Maya' },
    { case: 'no name of the partner', name: null, typed: 'Maya Lindqvist' },
    { case: 'no name of the buyer', name: 'Maya Lindqvist', typed: null },
  ])('is not held: $case', async ({ name, typed, setting }) => {
    const { payment, holds } = await buy(name, typed, setting)
    expect(await holds()).toEqual([`sale ${payment}`])
  })

  test('is held by the name in which the partner is paid, and stays held after the erasure of either', async () => {
    const { merchant, stripe, customer, holds, replan } = await buy(null, 'Maya Lindqvist')
    const { id } = merchant.workspace
    await database.query(
      `insert into payees (workspace_id, email, name, updated_at)
       select workspace_id, email, 'Lindqvist Maya', now() from partners where workspace_id = $1`,
      [id],
    )
    const renewal = stripeId('in')
    const paid = invoice({
      id: renewal,
      customer,
      customer_email: null,
      customer_name: 'Maya Lindqvist',
    })
    await stripe.deliver(stripeEvent('invoice.paid', paid))
    expect((await holds()).at(-1)).toBe(`sale ${renewal} self_referral`)
    await database.query('delete from payees where workspace_id = $1', [id])
    await database.query(
      "update customers set replan_from = now() - interval '1 day' where workspace_id = $1",
      [id],
    )
    expect(await replan()).toBe(1)
    expect((await holds()).at(-1)).toBe(`sale ${renewal} self_referral`)
  })
})

test('a customer with another address at the same provider is no self-referral', async () => {
  const { merchant, clickId, holds, replan } = await open()
  await merchant.sale({ clickId })
  await merchant.lead({ externalId: 'user_1', customerEmail: 'maya.leo@gmail.com', clickId })
  expect(await replan()).toBe(0)
  expect(await holds()).toEqual(['sale inv_1'])
})

test('a partner sees “In review” with the reason, and nothing of the address', async () => {
  const { merchant, spelled, own, clickId } = await open()
  await merchant.sale({ customerExternalId: spelled, clickId })
  const response = await fetch(`${inject('baseUrl')}/portal/commissions`, {
    headers: { Cookie: await openSession(own) },
    redirect: 'manual',
  })
  const html = await response.text()
  expect(html).toContain('in review')
  expect(html).toContain('partner’s own purchases')
})
