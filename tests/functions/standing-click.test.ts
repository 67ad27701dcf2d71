/**
 * Which click a visitor has after several, by the program's rule, and which of several a sale is
 * credited by.
 */
import { describe, expect, inject, test } from 'vitest'
import { createMerchant, send, useDatabase } from '../support/merchant.ts'
import { checkoutSession, stripeEvent, stripeId, useStripe } from '../support/stripe.ts'

const database = useDatabase()
const MINUTE = 60_000
const HOUR = 60 * MINUTE

type Arrival = {
  slug?: string
  slugs?: string[]
  clickId?: string | undefined
  age?: number
  programId?: string
}

/** A merchant with the partners maya and zoe, whose visitors arrive with what the snippet sends. */
const createShop = async (attribution: 'first' | 'last' = 'last') => {
  const merchant = await createMerchant({ program: { attribution } })
  const { workspace, programId, seed } = merchant
  const zoe = await seed.addPartner(workspace.id, programId, { slug: 'zoe' })
  const post = (arrival: Arrival) =>
    send(`${inject('baseUrl')}/api/track/click`, {
      body: { programId, ...arrival },
      headers: {
        'CF-Connecting-IP': workspace.id,
        'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
      },
    })
  const arrive = async (arrival: Arrival): Promise<string> => {
    const { status, body } = await post(arrival)
    expect({ status, body }).toMatchObject({ status: 200 })
    return body.clickId ?? ''
  }
  /** The slug of the partner who is credited with a sale that is reported with a click id. */
  const creditOf = async (clickId: string, externalId = 'order-1') => {
    const { body } = await merchant.sale({ externalId, customerExternalId: externalId, clickId })
    return body.eventId ? (await merchant.explain(body.eventId)).partner?.slug : null
  }
  const change = (clickId: string, set: string) =>
    database.query(`update clicks set ${set} where workspace_id = $1 and id = $2`, [
      workspace.id,
      clickId,
    ])
  const counted = async () => {
    const [row] = await database.query<{ clicks: number }>(
      'select count(*)::int as clicks from clicks where workspace_id = $1 and is_counted',
      [workspace.id],
    )
    return row?.clicks
  }
  return { ...merchant, merchant, zoe, post, arrive, creditOf, change, counted }
}

describe('where the last click is credited', () => {
  test('a newer visit stands, and both are counted', async () => {
    const shop = await createShop()
    const first = await shop.arrive({ slug: 'maya' })
    const second = await shop.arrive({ slug: 'zoe', clickId: first })
    expect(second).not.toBe(first)
    expect([await shop.creditOf(second), await shop.counted()]).toEqual(['zoe', 2])
  })

  test('a visit that is delivered late does not replace a newer one, and expires by its own time', async () => {
    const shop = await createShop()
    const newer = await shop.arrive({ slug: 'zoe' })
    expect(await shop.arrive({ slug: 'maya', clickId: newer, age: 4 * MINUTE })).toBe(newer)
    const { body } = await shop.post({ slug: 'maya', age: 4 * MINUTE })
    expect(body.maxAge).toBe(90 * 86_400 - 240)
    expect(await shop.arrive({ slug: 'maya', clickId: newer, age: -HOUR })).not.toBe(newer)
  })

  test('a visit counts from five minutes before its receipt at the earliest, whatever the browser says', async () => {
    const { post } = await createShop()
    for (const age of [HOUR, 2 * 24 * HOUR, 1e300]) {
      expect((await post({ slug: 'maya', age })).body.maxAge).toBe(90 * 86_400 - 300)
    }
  })
})

describe('where the first click is credited', () => {
  test('it stands against later visits, which are counted for their partners', async () => {
    const shop = await createShop('first')
    const first = await shop.arrive({ slug: 'maya' })
    expect(await shop.arrive({ slug: 'zoe', clickId: first })).toBe(first)
    expect([await shop.creditOf(first), await shop.counted()]).toEqual(['maya', 2])
  })

  test.each([
    { case: 'has expired', set: `expires_at = now() - interval '1 minute'` },
    { case: 'is of a banned partner', set: null },
  ])('one that $case shields nobody', async ({ set }) => {
    const shop = await createShop('first')
    const first = await shop.arrive({ slug: 'maya' })
    if (set) await shop.change(first, set)
    else
      await database.query(`update partners set status = 'banned' where id = $1`, [shop.partnerId])
    expect(await shop.creditOf(await shop.arrive({ slug: 'zoe', clickId: first }))).toBe('zoe')
  })

  test('a made-up id, and one of another workspace, shield nobody', async () => {
    const [shop, other] = await Promise.all([createShop('first'), createShop('first')])
    const foreign = await other.arrive({ slug: 'maya' })
    for (const clickId of [foreign, 'clk_madeup', `clk_${'x'.repeat(24)}`, 'nonsense', ' ']) {
      const kept = await shop.arrive({ slug: 'zoe', clickId })
      expect(await shop.creditOf(kept, clickId)).toBe('zoe')
    }
  })
})

describe('the partner of a visit', () => {
  test.each([
    {
      case: 'is the first candidate that is a partner’s',
      slugs: ['newsletter', 'zoe', 'maya'],
      slug: 'zoe',
    },
    { case: 'is found without what a text adds to its link', slugs: ['maya).'], slug: 'maya' },
    { case: 'is found without a slash', slugs: ['maya/'], slug: 'maya' },
    { case: 'is found without an escaped space', slugs: ['maya '], slug: 'maya' },
    { case: 'is found after one that is too long', slugs: ['x'.repeat(300), 'maya'], slug: 'maya' },
    { case: 'is found after one of several lines', slugs: ['zoe\nmaya', 'maya'], slug: 'maya' },
  ])('$case', async ({ slugs, slug }) => {
    const shop = await createShop()
    expect(await shop.creditOf(await shop.arrive({ slugs }))).toBe(slug)
  })

  test('is the one whose slug has such an end itself', async () => {
    const shop = await createShop()
    await shop.seed.addPartner(shop.workspace.id, shop.programId, { slug: 'maya!' })
    expect(await shop.creditOf(await shop.arrive({ slugs: ['maya!'] }))).toBe('maya!')
  })

  test.each([
    { case: 'no slug', body: {} },
    { case: 'an empty slug', body: { slug: '' } },
    { case: 'no candidates', body: { slugs: [] } },
    { case: 'eleven candidates', body: { slugs: Array(11).fill('maya') } },
    { case: 'candidates that are no texts', body: { slugs: [1] } },
    { case: 'an age that is a text', body: { slug: 'maya', age: '5' } },
  ])('$case is 400', async ({ body }) => {
    const { post } = await createShop()
    const answer = await post(body as Arrival)
    expect([answer.status, answer.body.error?.code]).toEqual([400, 'invalid_body'])
  })
})

describe('a click that another domain of the merchant has passed on', () => {
  test('is taken up, if it still counts', async () => {
    const shop = await createShop()
    const clickId = await shop.arrive({ slug: 'maya' })
    expect(await shop.arrive({ slugs: [clickId] })).toBe(clickId)
    expect(await shop.counted()).toBe(1)
    await shop.change(clickId, `expires_at = now() - interval '1 minute'`)
    const { status, body } = await shop.post({ slugs: [clickId] })
    expect([status, body.error?.code]).toEqual([404, 'partner_not_found'])
  })

  test('is not taken up by another workspace, or if nobody has made it', async () => {
    const [shop, other] = await Promise.all([createShop(), createShop()])
    for (const slug of [await other.arrive({ slug: 'maya' }), `clk_${'x'.repeat(24)}`]) {
      expect((await shop.post({ slugs: [slug] })).status).toBe(404)
    }
  })

  test('gives way to a newer one that the visitor has there, and to a slug beside it', async () => {
    const shop = await createShop()
    const older = await shop.arrive({ slug: 'maya' })
    const newer = await shop.arrive({ slug: 'zoe' })
    expect(await shop.arrive({ slugs: [older], clickId: newer })).toBe(newer)
    expect(await shop.creditOf(await shop.arrive({ slugs: ['zoe', older] }))).toBe('zoe')
  })
})

describe('two programs of one site', () => {
  const createSite = async () => {
    const shop = await createShop()
    const second = await shop.seed.addProgram(shop.workspace.id, { attribution_days: 30 })
    await shop.seed.addPartner(shop.workspace.id, second, { slug: 'ben' })
    return { ...shop, second }
  }

  test('each keep their click, the newest first, and a sale is credited by the newest that has not expired', async () => {
    const { arrive, post, creditOf, change, second } = await createSite()
    const maya = await arrive({ slug: 'maya' })
    const answer = await post({ programId: second, slug: 'ben', clickId: maya })
    const both = answer.body.clickId ?? ''
    const ben = both.split(`_${maya}`)[0] ?? ''
    expect(both).toBe(`${ben}_${maya}`)
    // The visitor keeps both for as long as one of them counts.
    expect(Math.abs(Number(answer.body.maxAge) - 90 * 86_400)).toBeLessThan(60)
    expect(await creditOf(both, 'order-1')).toBe('ben')
    await change(ben, `expires_at = now() - interval '1 minute'`)
    expect(await creditOf(both, 'order-2')).toBe('maya')

    const zoe = await arrive({ slug: 'zoe', clickId: both })
    expect(zoe).toMatch(new RegExp(`^clk_\\w{24}_${ben}$`))
  })

  test('a checkout at Stripe with both is credited by the newest that had not expired', async () => {
    const shop = await createSite()
    const stripe = await useStripe(shop.merchant)
    const maya = await shop.arrive({ slug: 'maya' })
    const both = await shop.arrive({ programId: shop.second, slug: 'ben', clickId: maya })
    const creditOfCheckout = async () => {
      const session = checkoutSession({ client_reference_id: both, payment_intent: stripeId('pi') })
      expect(
        (await stripe.deliver(stripeEvent('checkout.session.completed', session))).status,
      ).toBe(200)
      return (await shop.explainReport('sale', String(session.payment_intent)))?.partner?.slug
    }
    expect(await creditOfCheckout()).toBe('ben')
    await shop.change(both.split('_clk_')[0] ?? '', `expires_at = now() - interval '1 day'`)
    expect(await creditOfCheckout()).toBe('maya')
  })

  test('of two workspaces are told apart by each', async () => {
    const [one, other] = await Promise.all([createShop(), createShop()])
    const ours = await one.arrive({ slug: 'maya' })
    const both = await other.arrive({ slug: 'zoe', clickId: ours })
    expect(both.endsWith(`_${ours}`)).toBe(true)
    expect(await Promise.all([one.creditOf(both), other.creditOf(both)])).toEqual(['maya', 'zoe'])
  })

  test('never keep more than five clicks, the newest', async () => {
    const { arrive } = await createShop()
    const strangers = Array.from({ length: 9 }, (_, index) => `clk_${String(index).repeat(24)}`)
    const kept = await arrive({ slug: 'maya', clickId: strangers.join('_') })
    expect(kept.match(/clk_/g)).toHaveLength(5)
    expect(kept.endsWith(strangers[3] ?? '')).toBe(true)
  })
})
