/** The page of sales and leads that nobody was credited with. docs/decisions.md, "Not credited". */
import { describe, expect, test } from 'vitest'
import { openShop } from '../support/buyers.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'
import { fieldsOf, openPages } from '../support/pages.ts'
import { everyNth } from '../support/thorough.ts'

const database = useDatabase()

/** A merchant with the partners "maya" and "leo", and its manager's pages. */
const open = async (program = {}) => {
  const merchant = await createMerchant({ program })
  const leo = await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, {
    slug: 'leo',
  })
  return { merchant, pages: await openPages(merchant), maya: merchant.partnerId, leo }
}

type Opened = Awaited<ReturnType<typeof open>>

const expire = (clickId: string) =>
  database.query(
    `update clicks set created_at = '2026-01-05', expires_at = '2026-04-05' where id = $1`,
    [clickId],
  )

const ban = (partnerId: string) =>
  database.query(`update partners set status = 'banned' where id = $1`, [partnerId])

/** The rows of the page's table, as text, and where each one's last link leads. */
const rowsOf = ({ html }: { html: string }) =>
  [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].slice(1).map(([, row = '']) => ({
    text: row
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
    next: [...row.matchAll(/href="([^"]*)"/g)].at(-1)?.[1],
  }))

/**
 * Credits the only row of the page as a manager does who follows its link and submits the form as
 * it is.
 */
const creditByLink = async ({ merchant, pages }: Opened) => {
  const [row] = rowsOf(await pages.get('/uncredited'))
  const path = row?.next?.replace(`/app/${merchant.workspace.slug}`, '') ?? ''
  const form = await pages.get(path)
  const fields = fieldsOf(form.html)
  return { fields, form, answer: await pages.post(path, fields) }
}

const creditedWith = async ({ get }: Merchant, externalId: string) => {
  const [event] = (await get(`/events?externalId=${externalId}`)).body.data as {
    partner: { slug: string } | null
  }[]
  return event?.partner?.slug ?? null
}

describe('the nearest evidence', () => {
  const CASES: {
    case: string
    prepare: (opened: Opened) => Promise<unknown>
    reason: string
    evidence: string
    why: string
  }[] = [
    {
      case: 'a click that had expired',
      prepare: async ({ merchant }) => {
        const clickId = await merchant.click()
        await expire(clickId)
        await merchant.sale({ clickId })
      },
      reason:
        'The visitor clicked the link of “maya” on 5 January 2026, but the click expired on 5 April 2026.',
      // The page does not say it twice.
      evidence: 'The visitor clicked the link of “maya” on 5 January 2026',
      why: 'The visitor clicked your link on 5 January 2026.',
    },
    {
      case: 'a click of a partner who was banned at the time of the sale, and is active again',
      prepare: async ({ merchant, maya }) => {
        const clickId = await merchant.click()
        await ban(maya)
        await merchant.sale({ clickId })
        await database.query(`update partners set status = 'approved' where id = $1`, [maya])
      },
      reason: 'The partner “maya” is not active and receives no credit.',
      evidence: 'The visitor clicked the link of “maya” on',
      why: 'The visitor clicked your link on',
    },
    {
      case: 'a click that the customer’s lead came with, too late',
      prepare: async ({ merchant }) => {
        const clickId = await merchant.click()
        await expire(clickId)
        await merchant.lead({ clickId })
        await merchant.sale({})
      },
      reason: 'The report has no click ID, so it is not linked to a partner.',
      evidence:
        'The customer’s lead came with a click on the link of “maya” on 5 January 2026. That click expired on 5 April 2026.',
      why: 'The customer signed up after a click on your link on 5 January 2026.',
    },
    {
      case: 'a customer whose id belongs to a partner’s lead',
      prepare: async ({ merchant }) => {
        await merchant.lead({ clickId: await merchant.click() })
        await merchant.sale({})
      },
      reason: 'this program does not credit sales to known customers',
      evidence: 'The customer “user_1” belongs to “maya”.',
      why: 'The customer belongs to you.',
    },
    {
      case: 'an address that belongs to a partner’s lead',
      prepare: async ({ merchant }) => {
        await merchant.lead({ clickId: await merchant.click(), customerEmail: 'Ann@Example.com' })
        await merchant.sale({ customerExternalId: 'ANN@example.com' })
      },
      reason: 'The report has no click ID, so it is not linked to a partner.',
      evidence: 'A customer with the address “ann@example.com” belongs to “maya”.',
      why: 'The buyer is a customer of yours.',
    },
    {
      case: 'a click that is recorded after the sale',
      prepare: async ({ merchant }) => {
        const clickId = await merchant.click()
        await database.query(`update clicks set id = 'x' || id where id = $1`, [clickId])
        await merchant.sale({ clickId })
        await database.query('update clicks set id = $1 where id = $2', [clickId, `x${clickId}`])
      },
      reason: 'does not exist in this workspace.',
      evidence: 'The visitor clicked the link of “maya” on',
      why: 'The visitor clicked your link on',
    },
  ]

  test.each(everyNth(2, CASES))(
    'is $case, and one click leads to the form that credits it',
    { tags: 'sampled' },
    async (given) => {
      const opened = await open()
      await given.prepare(opened)
      const [row, ...others] = rowsOf(await opened.pages.get('/uncredited'))
      expect(others).toEqual([])
      expect(row?.text).toContain(given.reason)
      expect(row?.text).toContain(given.evidence)

      const { fields, answer, form } = await creditByLink(opened)
      expect(form.text).toContain(given.evidence)
      expect(fields.partner).toBe('maya')
      expect(fields.reason).toContain(given.why)
      expect(answer.status).toBe(303)
      expect(await creditedWith(opened.merchant, 'inv_1')).toBe('maya')
      expect(rowsOf(await opened.pages.get('/uncredited'))).toEqual([])
      expect(await database.violations(opened.merchant.workspace.id)).toEqual([])
    },
  )

  test('is a coupon that is nobody’s, and its partner once it has one', async () => {
    const { merchant, buyer: next } = await openShop(database)
    const buyer = next()
    await buyer.checkout({ at: 60, amount_total: 4_900, discounts: [{ coupon: 'FRIENDS' }] })
    const pages = await openPages(merchant)
    const [row] = rowsOf(await pages.get('/uncredited'))
    expect(row?.text).toContain(
      'No coupon, click or earlier referral of the customer links this event to a partner.',
    )
    expect(row?.text).toContain(
      'The checkout used the coupon “FRIENDS”, which belongs to no partner.',
    )
    expect(row?.text).toContain('Credit by hand')

    await merchant.seed.addCoupon(merchant.workspace.id, merchant.partnerId, 'FRIENDS')
    const [again] = rowsOf(await pages.get('/uncredited'))
    expect(again?.text).toContain(
      'The checkout used the coupon “FRIENDS”, which belongs to “maya”. ',
    )
    expect(again?.text).toContain('Credit maya')
  })

  test('is a typed address that was imported to a partner after the payment', async () => {
    const { merchant, buyer: next } = await openShop(database)
    const buyer = next()
    await buyer.checkout({ at: -3_600, amount_total: 4_900 })
    const row = { customerExternalId: buyer.id('cus', 'other'), customerEmail: buyer.address }
    expect(await buyer.import(row, 'leo')).toBe('created')
    const [shown] = rowsOf(await (await openPages(merchant)).get('/uncredited'))
    expect(shown?.text).toContain(
      `A customer with the address “${buyer.address}” belongs to “leo”.`,
    )
    expect(shown?.text).toContain('Credit leo')
  })

  test('of a banned partner leads to the partner’s page, and the form credits nobody', async () => {
    const opened = await open()
    const { merchant, pages, maya } = opened
    const clickId = await merchant.click()
    await ban(maya)
    await merchant.sale({ clickId })
    const [row] = rowsOf(await pages.get('/uncredited'))
    expect(row?.text).toContain('The partner is not active.')
    expect(row?.next).toBe(`/app/${merchant.workspace.slug}/partners/${maya}`)
    const event = await merchant.explainReport('sale', 'inv_1')
    const form = await pages.get(`/events/${event?.id}/credit`)
    expect(fieldsOf(form.html)).toEqual({ partner: '', reason: '' })
  })

  test('is nothing for a sale without any, and for one that a manager has credited to nobody', async () => {
    const { merchant, pages } = await open()
    await merchant.sale({ externalId: 'lost' })
    const clickId = await merchant.click()
    await expire(clickId)
    await merchant.sale({ externalId: 'test', clickId })
    const event = await merchant.explainReport('sale', 'test')
    expect(
      (await pages.post(`/events/${event?.id}/credit`, { partner: '', reason: 'Our own test' }))
        .status,
    ).toBe(303)
    const [test, lost] = rowsOf(await pages.get('/uncredited'))
    expect(test?.text).toContain(
      'decided that nobody is credited: Our own test No evidence of a partner was found.',
    )
    expect(lost?.text).toContain('No evidence of a partner was found. Credit by hand')
  })

  test('names a partner by its id where two programs have the slug', async () => {
    const opened = await open()
    const { merchant } = opened
    const second = await merchant.seed.addProgram(merchant.workspace.id)
    const twin = await merchant.seed.addPartner(merchant.workspace.id, second, { slug: 'maya' })
    const clickId = await merchant.click('maya', second)
    await expire(clickId)
    await merchant.sale({ clickId })
    const { fields, answer } = await creditByLink(opened)
    expect(fields.partner).toBe(twin)
    expect(answer.status).toBe(303)
    expect((await merchant.explainReport('sale', 'inv_1'))?.partner?.id).toBe(twin)
  })
})

test('leads have a list of their own, and refunds are in neither', async () => {
  const { merchant, pages } = await open()
  const clickId = await merchant.click()
  await expire(clickId)
  await merchant.lead({ clickId })
  await merchant.sale({ customerExternalId: 'user_2' })
  await merchant.refund({})
  const leads = rowsOf(await pages.get('/uncredited?show=leads'))
  expect(leads).toHaveLength(1)
  expect(leads[0]?.text).toContain('the click expired on 5 April 2026. Credit maya')
  expect(rowsOf(await pages.get('/uncredited'))).toHaveLength(1)
  expect((await pages.get('/uncredited?show=refunds')).status).toBe(400)
  expect((await pages.get('/uncredited?show=sales&cursor=x')).status).toBe(400)
})

test('the overview counts recent sales with an active partner’s click or known customer, until a manager decides', async () => {
  const { merchant, pages, leo } = await open()
  const attention = async () => {
    const { html, text } = await pages.get('')
    const [, number] = /([\d,]+) recent sales? with a click or a known customer/.exec(text) ?? []
    expect(html.includes('/uncredited?show=likely"')).toBe(number !== undefined)
    return Number(number ?? 0)
  }
  const listed = async () =>
    rowsOf(await pages.get('/uncredited?show=likely')).map(
      ({ text }) => /expired|owned|old/.exec(text)?.[0],
    )
  expect(await attention()).toBe(0)
  expect((await pages.get('/uncredited?show=likely')).text).toContain(
    'No sales match these filters.',
  )

  const [clickId, theirs] = [await merchant.click(), await merchant.click('leo')]
  await merchant.lead({ clickId })
  await expire(clickId)
  await ban(leo)
  await merchant.sale({ externalId: 'expired', customerExternalId: 'a', clickId })
  await merchant.sale({ externalId: 'banned', customerExternalId: 'b', clickId: theirs })
  await merchant.sale({ externalId: 'unknown', customerExternalId: 'c' })
  await merchant.sale({ externalId: 'owned' })
  await merchant.sale({ externalId: 'old' })
  await database.query(
    `update events set occurred_at = now() - interval '31 days' where workspace_id = $1 and external_id = 'old'`,
    [merchant.workspace.id],
  )
  expect(await attention()).toBe(2)
  expect(await listed()).toEqual(['owned', 'expired'])

  const decide = async (name: string, partner: string) => {
    const event = await merchant.explainReport('sale', name)
    expect((await pages.post(`/events/${event?.id}/credit`, { partner, reason: 'x' })).status).toBe(
      303,
    )
  }
  await decide('expired', 'maya')
  expect(await attention()).toBe(1)
  await decide('owned', '')
  expect(await attention()).toBe(0)
  expect((await (await openPages(merchant, 'member')).get('')).status).toBe(200)
})

test('a GET credits nothing, and only managers credit', async () => {
  const { merchant, pages } = await open()
  const clickId = await merchant.click()
  await expire(clickId)
  await merchant.sale({ clickId })
  const event = await merchant.explainReport('sale', 'inv_1')
  const member = await openPages(merchant, 'member')
  expect((await pages.get(`/events/${event?.id}/credit`)).status).toBe(200)
  expect((await member.get(`/events/${event?.id}/credit`)).status).toBe(403)
  const list = await member.get('/uncredited')
  expect(list.text).toContain('but the click expired on 5 April 2026.')
  expect(list.html).not.toContain('/credit"')
  expect((await (await openPages(merchant, 'stranger')).get('/uncredited')).status).toBe(404)
  expect(await creditedWith(merchant, 'inv_1')).toBeNull()
  expect(await database.audit(merchant)).toEqual([])
})

test('what belongs to another workspace is neither listed, nor evidence, nor found', async () => {
  const [own, other] = await Promise.all([open(), open()])
  // The same ids, addresses and coupons, in the other workspace.
  await other.merchant.lead({
    clickId: await other.merchant.click(),
    customerEmail: 'ann@example.com',
  })
  const theirClick = await other.merchant.click()
  await other.merchant.sale({ externalId: 'theirs' })
  await own.merchant.sale({ externalId: 'mine', customerExternalId: 'user_1', clickId: theirClick })
  await own.merchant.sale({ externalId: 'mine too', customerExternalId: 'ann@example.com' })
  const rows = rowsOf(await own.pages.get('/uncredited'))
  expect(rows).toHaveLength(2)
  for (const { text } of rows) expect(text).toContain('No evidence of a partner was found.')

  const theirs = await other.merchant.explainReport('sale', 'theirs')
  const mine = await own.merchant.explainReport('sale', 'mine')
  expect((await own.pages.get(`/events/${theirs?.id}/credit`)).status).toBe(404)
  expect(
    (await own.pages.post(`/events/${theirs?.id}/credit`, { partner: 'maya', reason: 'x' })).status,
  ).toBe(404)
  const named = await own.pages.post(`/events/${mine?.id}/credit`, {
    partner: other.maya,
    reason: 'x',
  })
  expect(named.status).toBe(400)
  expect(named.text).toContain('No partner has this ID.')
  expect((await own.pages.get(`/uncredited?cursor=${theirs?.id}`)).text).not.toContain('theirs')
})

test('an empty page says so', async () => {
  const { pages } = await open()
  const { status, text } = await pages.get('/uncredited')
  expect(status).toBe(200)
  expect(text).toContain('Every sale is credited to a partner, or none was reported yet.')
})

test('5,000 sales are listed 25 at a time, newest first, each once', async () => {
  const { merchant, pages } = await open()
  await database.query(
    `insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, amount_cents, currency, steps, occurred_at)
     select uuidv7(n * interval '1 second' - interval '1 day'), $1, 'sale', 'order-' || n, 'sale', 'user-' || n, 4900, 'USD',
            '[{"code": "no_click", "facts": {}}]', now() from generate_series(1, 5000) n`,
    [merchant.workspace.id],
  )
  const seen: string[] = []
  let path: string | undefined = '/uncredited'
  for (let read = 0; path && read < 4; read++) {
    const shown = await pages.get(path)
    const names = shown.text.match(/order-\d+(?= \$49\.00)/g) ?? []
    expect(names).toHaveLength(25)
    expect(shown.html.length).toBeLessThan(100_000)
    seen.push(...names)
    path = /rel="next" href="[^"]*(\/uncredited\?[^"]*)"/
      .exec(shown.html)?.[1]
      ?.replace(/&amp;/g, '&')
  }
  expect(seen).toEqual(Array.from({ length: 100 }, (_, index) => `order-${5000 - index}`))
})
