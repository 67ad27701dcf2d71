/**
 * Reports that name the partner by a slug or a coupon. docs/decisions.md, "Slugs and coupons in
 * reports".
 */
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { openShop } from '../support/buyers.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

/**
 * A merchant of two programs: of the first one are "maya" with the coupon MAYA and "leo", of the
 * second one "nora" with NORA, and a second "leo".
 */
const open = async (program: Parameters<typeof createMerchant>[0] = {}, second = {}) => {
  const merchant = await createMerchant({
    ...program,
    program: { trusted_attribution: true, ...program.program },
  })
  const { seed, workspace, programId, partnerId } = merchant
  const other = await seed.addProgram(workspace.id, second)
  const leo = await seed.addPartner(workspace.id, programId, { slug: 'leo' })
  const nora = await seed.addPartner(workspace.id, other, { slug: 'nora' })
  await seed.addPartner(workspace.id, other, { slug: 'leo', email: 'other-leo@partner.example' })
  await seed.addCoupon(workspace.id, partnerId, 'MAYA')
  await seed.addCoupon(workspace.id, nora, 'NORA')
  for (const [id, label] of [
    ['SUMMER', 'Été-Maya'],
    ['WINTER', 'Noe\u0308l-Maya'],
    ['MÉTA', null],
  ])
    await database.query(
      `insert into coupon_aliases (id, workspace_id, partner_id, coupon_id, label) values (uuidv7(), $1, $2, $3, $4)`,
      [workspace.id, partnerId, id, label],
    )
  await database.query(
    `update coupon_aliases set label = 'Maya20' where workspace_id = $1 and coupon_id = 'MAYA'`,
    [workspace.id],
  )
  return { merchant, leo, other }
}

let reports = 0
/** Reports a sale of a customer of its own. */
const sell = async (
  merchant: Merchant,
  fields: Record<string, unknown>,
  kind: 'sale' | 'lead' = 'sale',
) => {
  const externalId = `phone-${++reports}`
  const { status, body } = await merchant[kind]({
    externalId,
    customerExternalId: externalId,
    ...fields,
  })
  expect(status).toBe(200)
  const { data } = (await merchant.get(`/events?externalId=${externalId}`)).body
  const [event] = data as {
    partner: { slug: string } | null
    attributedBy: string | null
    steps: { code: string; facts: Record<string, unknown> }[]
    commission: { amountCents: number } | null
  }[]
  expect(body.attributed).toBe(event?.partner != null)
  return {
    to: event?.partner?.slug ?? null,
    by: event?.attributedBy ?? null,
    codes: event?.steps.map(({ code }) => code),
    steps: event?.steps,
    earned: event?.commission?.amountCents ?? null,
  }
}

describe('where the program trusts them', () => {
  const NAMED = {
    to: 'maya',
    by: 'code',
    codes: ['partner_code', 'program_reward', 'commission_created'],
  }
  test.each([
    { case: 'a slug credits its partner', fields: { partnerSlug: 'maya' }, is: NAMED },
    {
      case: 'a slug counts in any case and with white space',
      fields: { partnerSlug: ' Maya ' },
      is: NAMED,
    },
    { case: 'a coupon credits its partner by its id', fields: { couponCode: 'MAYA' }, is: NAMED },
    {
      case: 'a coupon credits its partner by its label in any case',
      fields: { couponCode: 'MAYA20' },
      is: NAMED,
    },
    {
      case: 'a coupon’s label counts with white space around it',
      fields: { couponCode: ' maya20\t' },
      is: NAMED,
    },
    {
      case: 'a coupon’s id counts with white space around it',
      fields: { couponCode: '\u00a0MAYA ' },
      is: NAMED,
    },
    {
      case: 'a coupon’s label counts with separate accents, in any case',
      fields: { couponCode: 'E\u0301TE\u0301-MAYA' },
      is: NAMED,
    },
    {
      case: 'a coupon’s label that has separate accents counts without',
      fields: { couponCode: 'noël-maya' },
      is: NAMED,
    },
    { case: 'a coupon’s id counts in any case', fields: { couponCode: 'maya' }, is: NAMED },
    {
      case: 'a coupon’s id counts with separate accents',
      fields: { couponCode: 'ME\u0301TA' },
      is: NAMED,
    },
    {
      case: 'a slug of a program that does not is not counted beside one that does',
      fields: { partnerSlug: 'leo' },
      is: { to: 'leo', by: 'code', earned: 980 },
    },
    {
      case: 'an unknown slug credits nobody',
      fields: { partnerSlug: 'nobody' },
      is: { to: null, codes: ['no_click', 'unknown_code'] },
    },
    {
      case: 'an unknown coupon credits nobody',
      fields: { couponCode: 'maya2' },
      is: { to: null, codes: ['no_click', 'unknown_code'] },
    },
    {
      case: 'a coupon of a program that does not credits nobody',
      fields: { couponCode: 'NORA' },
      is: { to: null, codes: ['no_click', 'code_not_trusted'] },
    },
    {
      case: 'a slug of a program that does not credits nobody',
      fields: { partnerSlug: 'nora' },
      is: { to: null, codes: ['no_click', 'code_not_trusted'] },
    },
  ])('$case', async ({ fields, is }) => {
    const { merchant } = await open()
    expect(await sell(merchant, fields)).toMatchObject(is)
  })

  test('a lead is credited too, and its customer belongs to the partner', async () => {
    const { merchant } = await open({
      group: { leadReward: { amountCents: 500n, currency: 'USD' } },
    })
    expect(
      await sell(merchant, { partnerSlug: 'maya', customerExternalId: 'user-1' }, 'lead'),
    ).toMatchObject({
      to: 'maya',
      by: 'code',
      earned: 500,
    })
    expect((await merchant.get('/customers?externalId=user-1')).body.data).toMatchObject([
      { partnerId: merchant.partnerId },
    ])
  })

  test('a click that counts prevails, and one that expired does not', async () => {
    const { merchant } = await open()
    const clickId = await merchant.click('leo')
    expect(await sell(merchant, { clickId, partnerSlug: 'maya' })).toMatchObject({
      to: 'leo',
      by: 'click',
    })
    await database.query(
      `update clicks set created_at = '2026-01-05', expires_at = '2026-04-05' where id = $1`,
      [clickId],
    )
    const { to, codes } = await sell(merchant, { clickId, partnerSlug: 'maya' })
    expect({ to, codes: codes?.slice(0, 2) }).toEqual({
      to: 'maya',
      codes: ['expired_click', 'partner_code'],
    })
  })

  test('a former slug credits the partner by its present one', async () => {
    const { merchant } = await open()
    const ask = await merchant.asManager()
    expect((await ask.patch(`/partners/${merchant.partnerId}`, { slug: 'maya-blog' })).status).toBe(
      200,
    )
    const { to, steps } = await sell(merchant, { partnerSlug: 'maya' })
    expect(to).toBe('maya-blog')
    expect(steps?.[0]).toMatchObject({ facts: { by: 'slug', value: 'maya', slug: 'maya-blog' } })
  })

  test('a banned partner is not credited', async () => {
    const { merchant } = await open()
    await database.query(`update partners set status = 'banned' where id = $1`, [
      merchant.partnerId,
    ])
    expect(await sell(merchant, { couponCode: 'MAYA' })).toMatchObject({
      to: null,
      codes: ['no_click', 'partner_code', 'partner_inactive'],
    })
  })

  test('a slug that two such programs have is ambiguous, and a known customer still counts', async () => {
    const { merchant } = await open(
      { program: { attribute_known_customers: true } },
      { trusted_attribution: true },
    )
    expect(await sell(merchant, { partnerSlug: 'leo' })).toMatchObject({
      to: null,
      codes: ['no_click', 'ambiguous_code'],
    })
    await merchant.lead({ externalId: 'user-1', clickId: await merchant.click() })
    const { to, codes } = await sell(merchant, { customerExternalId: 'user-1', partnerSlug: 'leo' })
    expect({ to, codes: codes?.slice(0, 3) }).toEqual({
      to: 'maya',
      codes: ['no_click', 'ambiguous_code', 'customer'],
    })
  })

  test('the named partner prevails over a known customer’s, but not over its first one', async () => {
    for (const [attribution, to] of [
      ['last', 'leo'],
      ['first', 'maya'],
    ] as const) {
      const { merchant } = await open({ program: { attribution, attribute_known_customers: true } })
      await sell(merchant, { customerExternalId: 'user-1', couponCode: 'MAYA' })
      expect(
        await sell(merchant, { customerExternalId: 'user-1', partnerSlug: 'leo' }),
      ).toMatchObject({ to })
      expect(await sell(merchant, { customerExternalId: 'user-1' })).toMatchObject({
        to,
        by: 'customer',
      })
    }
  })

  test('a dated report is decided with the partner’s terms of its time', async () => {
    const { merchant } = await open()
    const ask = await merchant.asManager()
    const before = new Date().toISOString()
    // Within one millisecond, the newer terms count.
    await pause(5)
    await ask.patch(`/partners/${merchant.partnerId}`, { status: 'banned' })
    expect(await sell(merchant, { couponCode: 'MAYA' })).toMatchObject({ to: null })
    expect(await sell(merchant, { couponCode: 'MAYA', occurredAt: before })).toMatchObject({
      to: 'maya',
      by: 'code',
    })
  })
})

test('where it is off, the field is ignored, and the setting turns it on', async () => {
  const { merchant } = await open({ program: { trusted_attribution: false } })
  const { steps, codes } = await sell(merchant, { partnerSlug: 'maya' })
  expect(codes).toEqual(['no_click', 'code_not_trusted'])
  expect(steps?.[1]?.facts).toEqual({ by: 'slug', value: 'maya', programId: merchant.programId })
  const ask = await merchant.asManager()
  const { body } = await ask.patch(`/programs/${merchant.programId}`, { trustedAttribution: true })
  expect(body.trustedAttribution).toBe(true)
  expect(await sell(merchant, { partnerSlug: 'maya' })).toMatchObject({ to: 'maya' })
})

test('another workspace’s slug and coupon are unknown', async () => {
  const { merchant: other } = await open()
  await other.seed.addPartner(other.workspace.id, other.programId, { slug: 'zoe' })
  await other.seed.addCoupon(other.workspace.id, other.partnerId, 'ZOE')
  const { merchant } = await open()
  for (const fields of [{ partnerSlug: 'zoe' }, { couponCode: 'ZOE' }]) {
    expect(await sell(merchant, fields)).toMatchObject({
      to: null,
      codes: ['no_click', 'unknown_code'],
    })
  }
})

test.each([
  { case: 'both', fields: { partnerSlug: 'maya', couponCode: 'MAYA' }, path: 'couponCode' },
  { case: 'a blank slug', fields: { partnerSlug: '' }, path: 'partnerSlug' },
  { case: 'a coupon that is no text', fields: { couponCode: 20 }, path: 'couponCode' },
])('$case is refused, alone and in a batch', async ({ fields, path }) => {
  const merchant = await createMerchant()
  const body = { externalId: 'a', customerExternalId: 'b', amountCents: 100, ...fields }
  const refused = { error: { code: 'invalid_body', details: [{ path }] } }
  for (const kind of ['sale', 'lead'] as const) {
    const { status, body: answer } = await merchant.post(`/api/track/${kind}`, body)
    expect({ status, ...answer }).toMatchObject({ status: 400, ...refused })
    const batch = await merchant.post('/api/track/batch', { events: [{ kind, ...body }] })
    expect(batch.body.results).toMatchObject([refused])
  }
})

describe('a purchase that Stripe reports too', () => {
  test.each([
    {
      case: 'stays credited by its code',
      checkout: false,
      is: { partner: { slug: 'leo' }, attributedBy: 'code' },
    },
    {
      case: 'is credited by the click of its checkout instead',
      checkout: true,
      is: { partner: { slug: 'maya' }, attributedBy: 'click' },
    },
  ])('$case', async ({ checkout, is }) => {
    const shop = await openShop(database, { program: { trusted_attribution: true } })
    const { merchant } = shop
    const buyer = shop.buyer()
    const clickId = await buyer.click('maya')
    await buyer.sale({ externalId: buyer.id('in'), couponCode: 'LEO', amountCents: 9800 })
    const invoice = buyer.id('in')
    if (checkout) await buyer.checkout({ at: 0, invoice, client_reference_id: clickId })
    await buyer.invoice({ at: 0 })
    const { data } = (await merchant.get(`/events?externalId=${invoice}`)).body
    expect(data).toMatchObject([{ ...is, amountCents: 4900, commission: { amountCents: 980 } }])
    const referrals = await database.query('select source from referrals where workspace_id = $1', [
      merchant.workspace.id,
    ])
    expect(referrals).toEqual([{ source: is.attributedBy }])
  })
})
