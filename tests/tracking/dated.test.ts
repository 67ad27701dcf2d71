/** `occurredAt`: a report is decided as of the time that it gives. */
import { describe, expect, test } from 'vitest'
import { receivedAt } from '../../lib/rules/steps/occurred-at.ts'
import { createMerchant, type Merchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

const DAY_MS = 24 * 60 * 60_000
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS)

/** A click made some days ago. */
const clickDaysAgo = async (merchant: Merchant, days: number, slug = 'maya') => {
  const id = await merchant.click(slug)
  await database.query(
    `update clicks set created_at = $2, expires_at = $2::timestamptz + interval '90 days' where workspace_id = $3 and id = $1`,
    [id, daysAgo(days), merchant.workspace.id],
  )
  return id
}
const codesOf = async (merchant: Merchant, externalId: string, kind: 'sale' | 'lead' = 'sale') =>
  (await merchant.explainReport(kind, externalId))?.steps.map(({ code }) => code)

const SECOND = '2026-11-27T12:00:00'
test.each([
  { case: 'at a whole second', now: '.000', place: 0, is: `${SECOND}.001` },
  { case: 'at any other time', now: '.001', place: 0, is: `${SECOND}.001` },
  {
    case: 'in a batch that ends before the next second',
    now: '.500',
    place: 499,
    is: `${SECOND}.999`,
  },
  {
    case: 'in a batch that goes on after it',
    now: '.500',
    place: 500,
    is: '2026-11-27T12:00:01.001',
  },
  { case: 'in a batch that began at a whole second', now: '.000', place: 1, is: `${SECOND}.002` },
])('a report is received at no whole second, as a processor’s are: $case', ({ now, place, is }) => {
  expect(receivedAt(new Date(`${SECOND}${now}Z`), place).toISOString()).toBe(`${is}Z`)
})

describe('a dated report', () => {
  test('is saved with its time, from which the holding period counts', async () => {
    const merchant = await createMerchant()
    const clickId = await clickDaysAgo(merchant, 20)
    const at = daysAgo(10)
    const sold = await merchant.sale({ externalId: 'dated', clickId, occurredAt: at.toISOString() })
    expect(sold.body).toMatchObject({ attributed: true })

    const event = await merchant.explain(sold.body.eventId)
    expect(event.occurredAt).toBe(at.toISOString())
    const payableAt = new Date(event.commission?.payableAt ?? 0)
    expect(Math.round((Number(payableAt) - Number(at)) / DAY_MS)).toBe(30)
    const [commission] = await database.query(
      'select created_at, earned_on::text from commissions where event_id = $1',
      [sold.body.eventId],
    )
    expect(commission).toEqual({ created_at: at, earned_on: at.toISOString().slice(0, 10) })
  })

  test('is credited by a click that has expired since, and not by one that was made after it', async () => {
    const merchant = await createMerchant()
    const clickId = await clickDaysAgo(merchant, 100)
    const [before, after] = [daysAgo(20).toISOString(), daysAgo(101).toISOString()]
    expect(
      (await merchant.sale({ externalId: 'late', clickId, occurredAt: before })).body.attributed,
    ).toBe(true)
    expect((await merchant.sale({ externalId: 'live', clickId })).body.attributed).toBe(false)
    expect(
      (await merchant.sale({ externalId: 'before', clickId, occurredAt: after })).body.attributed,
    ).toBe(false)
    expect(await codesOf(merchant, 'live')).toEqual([
      'expired_click',
      'known_customer_not_credited',
    ])
    expect(await codesOf(merchant, 'before')).toEqual(['later_click'])
  })

  test('earns for a partner who was banned since, and not for one who was banned then', async () => {
    const merchant = await createMerchant()
    const clickId = await clickDaysAgo(merchant, 60)
    await database.query(
      `insert into former_partner_terms (workspace_id, partner_id, until, status) values ($1, $2, $3, 'banned'), ($1, $2, $4, 'approved')`,
      [merchant.workspace.id, merchant.partnerId, daysAgo(50), daysAgo(10)],
    )
    await database.query(`update partners set status = 'banned' where id = $1`, [
      merchant.partnerId,
    ])
    const sale = async (externalId: string, days: number) =>
      (await merchant.sale({ externalId, clickId, occurredAt: daysAgo(days).toISOString() })).body
        .attributed
    expect([await sale('banned', 55), await sale('active', 20), await sale('since', 5)]).toEqual([
      false,
      true,
      false,
    ])
  })

  test('is decided by the reward of its time', async () => {
    const merchant = await createMerchant()
    const clickId = await clickDaysAgo(merchant, 60)
    const { status } = await (await merchant.asManager()).patch(`/programs/${merchant.programId}`, {
      reward: { kind: 'percent', percent: 50 },
    })
    expect(status).toBe(200)
    const sale = async (externalId: string, occurredAt?: string) => {
      const { body } = await merchant.sale({ externalId, clickId, amountCents: 10_000, occurredAt })
      return (await merchant.explain(body.eventId)).commission?.amountCents
    }
    expect(await sale('then', daysAgo(10).toISOString())).toBe(2_000)
    expect(await sale('now')).toBe(5_000)
  })

  test('repeated is the same report, and without its time another one', async () => {
    const merchant = await createMerchant()
    const occurredAt = daysAgo(3).toISOString()
    const first = await merchant.sale({ externalId: 'a', occurredAt })
    const again = await merchant.sale({
      externalId: 'a',
      occurredAt: occurredAt.replace('Z', '+00:00'),
    })
    expect(again.body).toEqual(first.body)
    const { headers } = await merchant.sale({ externalId: 'a' })
    expect(headers.get('Idempotency-Mismatch')).toBe('true')
  })

  test('of a clock that is four minutes fast counts as of now', async () => {
    const merchant = await createMerchant()
    const occurredAt = new Date(Date.now() + 4 * 60_000).toISOString()
    const { body } = await merchant.sale({ clickId: await merchant.click(), occurredAt })
    expect(Date.parse((await merchant.explain(body.eventId)).occurredAt)).toBeLessThanOrEqual(
      Date.now(),
    )
  })

  test('of a clock that is four minutes slow counts with a click of now', async () => {
    const merchant = await createMerchant()
    const occurredAt = new Date(Date.now() - 4 * 60_000).toISOString()
    expect(
      (await merchant.sale({ clickId: await merchant.click(), occurredAt })).body.attributed,
    ).toBe(true)
  })

  test('takes a one-time reward back from a later sale that was received first', async () => {
    const merchant = await createMerchant({ program: { reward_interval: 'one-time' } })
    const clickId = await clickDaysAgo(merchant, 30)
    const sale = (externalId: string, days: number) =>
      merchant.sale({ externalId, clickId, occurredAt: daysAgo(days).toISOString() })
    await sale('second', 5)
    await sale('first', 10)
    expect(await codesOf(merchant, 'first')).toContain('commission_created')
    expect(await codesOf(merchant, 'second')).toEqual([
      'click',
      'program_reward',
      'one_time_already_rewarded',
      'commission_replaced',
    ])
  })

  test('of the same time as its customer’s lead credits the partner of the lead, if that is the first', async () => {
    const merchant = await createMerchant({ program: { attribution: 'first' } })
    const { seed, workspace, programId } = merchant
    await seed.addPartner(workspace.id, programId, { slug: 'leo' })
    const [maya, leo] = [await clickDaysAgo(merchant, 2), await clickDaysAgo(merchant, 2, 'leo')]
    const of = { customerExternalId: 'user_1', occurredAt: daysAgo(1).toISOString() }
    await merchant.lead({ ...of, externalId: 'signup', clickId: maya })
    const { body } = await merchant.sale({ ...of, externalId: 'order', clickId: leo })
    expect((await merchant.explain(String(body.eventId))).partner?.slug).toBe('maya')
  })

  test('waits for nothing of its refund, which was reported first', async () => {
    const merchant = await createMerchant()
    const clickId = await clickDaysAgo(merchant, 30)
    await merchant.post('/api/track/refund', {
      externalId: 'r',
      saleExternalId: 'sold',
      amountCents: 2_450,
    })
    const { body } = await merchant.sale({
      externalId: 'sold',
      amountCents: 4_900,
      clickId,
      occurredAt: daysAgo(20).toISOString(),
    })
    const rows = await database.query<{ kind: string; cents: number; days: number }>(
      `select kind, amount_cents::int as cents, extract(day from now() - created_at)::int as days
       from commissions where event_id = $1 order by kind`,
      [body.eventId],
    )
    expect(rows).toEqual([
      { kind: 'reversal', cents: -490, days: 0 },
      { kind: 'sale', cents: 980, days: 20 },
    ])
  })
})

describe('a lead after the sale', () => {
  const merchantWith = async (lateLeadDays = 7) => {
    const merchant = await createMerchant({ program: { late_lead_days: lateLeadDays } })
    const clickId = await clickDaysAgo(merchant, 40)
    const report = (kind: 'sale' | 'lead', days: number, more: object = {}) =>
      merchant[kind]({
        externalId: `${kind}_${days}`,
        customerExternalId: 'user_1',
        occurredAt: daysAgo(days).toISOString(),
        ...more,
      })
    return { merchant, clickId, report }
  }
  const credited = async (merchant: Merchant, externalId: string) =>
    (await merchant.explainReport('sale', externalId))?.partner?.slug ?? null

  test.each([
    { within: 'seven days', sold: 20, lead: 13.01, credits: true },
    { within: 'more than seven days', sold: 20, lead: 12.99, credits: false },
    { within: 'no days', lateLeadDays: 0, sold: 20, lead: 19.99, credits: false },
    { within: '30 days', lateLeadDays: 30, sold: 35, lead: 5.01, credits: true },
  ])('within $within credits it: $credits', async ({ lateLeadDays, sold, lead, credits }) => {
    const { merchant, clickId, report } = await merchantWith(lateLeadDays)
    expect((await report('sale', sold)).body.attributed).toBe(false)
    expect((await report('lead', lead, { clickId })).body.attributed).toBe(true)
    expect(await credited(merchant, `sale_${sold}`)).toBe(credits ? 'maya' : null)
    expect(await codesOf(merchant, `sale_${sold}`)).toEqual(
      credits
        ? ['no_click', 'customer', 'program_reward', 'commission_created', 'late_lead']
        : ['no_click'],
    )
  })

  test('credits nothing that was sold before its click', async () => {
    const { merchant, clickId, report } = await merchantWith(90)
    await report('sale', 41)
    await report('lead', 39, { clickId })
    expect(await credited(merchant, 'sale_41')).toBe(null)
  })

  test('takes nothing from a partner who was credited with the sale', async () => {
    const { merchant, clickId, report } = await merchantWith()
    await merchant.seed.addPartner(merchant.workspace.id, merchant.programId, { slug: 'leo' })
    const other = await clickDaysAgo(merchant, 30, 'leo')
    await report('sale', 20, { clickId: other })
    await report('lead', 19, { clickId })
    expect(await credited(merchant, 'sale_20')).toBe('leo')
  })

  test('credits a live sale as well, and in whichever order the two arrive', async () => {
    const { merchant, report } = await merchantWith()
    const clickId = await merchant.click()
    await merchant.sale({ externalId: 'live', customerExternalId: 'user_1' })
    await merchant.lead({ externalId: 'user_1', clickId })
    expect(await credited(merchant, 'live')).toBe('maya')
    const old = await clickDaysAgo(merchant, 40)
    await report('lead', 19, { clickId: old, customerExternalId: 'user_2' })
    await report('sale', 20, { customerExternalId: 'user_2' })
    expect(await credited(merchant, 'sale_20')).toBe('maya')
  })
})
