/** Bonuses for milestones, from reports and refunds to the ledger. */
import { describe, expect, inject, test } from 'vitest'
import { checkBonuses } from '../../lib/bonuses/check.service.ts'
import { loadChecks, saveChecks } from '../../lib/bonuses/checks.queries.ts'
import { newBudget } from '../../lib/db/budget.service.ts'
import { connect } from '../../lib/db/connection.ts'
import { newId } from '../../lib/db/ids.ts'
import { fold } from '../support/fold.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'

const database = useDatabase()

const DAY = 86_400_000
const TEN_DOLLARS = { amountCents: 1_000, currency: 'USD' }
const TWO_SALES = { name: 'Two sales', by: 'sales', atLeast: 2, pays: TEN_DOLLARS }

/** What the cron of payouts does. */
const check = (now = new Date()) => {
  const env = { ...inject('database'), MAX_FETCHES: '1000' }
  return checkBonuses(env, now, newBudget(env, 20_000))
}

/** A merchant with bonuses, whose partner has a click. */
const open = async (bonuses: object[], options: Parameters<typeof createMerchant>[0] = {}) => {
  const merchant = await createMerchant(options)
  const api = await merchant.asManager()
  const setBonuses = async (list: object[]) => {
    const { status } = await api.patch(`/programs/${merchant.programId}`, { bonuses: list })
    expect(status).toBe(200)
  }
  if (bonuses.length > 0) await setBonuses(bonuses)
  const clickId = await merchant.click()
  let sales = 0
  /** A sale of 49.00 of a new customer, or of a known one. */
  const sell = async (fields: Record<string, unknown> = {}) => {
    const id = `${++sales}`
    const { status } = await merchant.sale({
      ...{ externalId: `inv_${id}`, customerExternalId: `user_${id}`, clickId, ...fields },
    })
    expect(status).toBe(200)
  }
  const giveBack = (sale: number, amountCents?: number) =>
    merchant.refund({ externalId: `ref_${sale}`, saleExternalId: `inv_${sale}`, amountCents })
  /** The bonuses and what was reversed of them, once everything is checked. */
  const ledger = async (now?: Date) => {
    await fold(database, merchant)
    await check(now)
    const rows = await database.query<{ cents: number }>(
      `select c.amount_cents::int as cents from commissions c
       where c.workspace_id = $1 and (c.kind = 'bonus' or c.reverses_id in (select id from commissions where kind = 'bonus'))
       order by c.created_at, c.id`,
      [merchant.workspace.id],
    )
    expect(await database.violations(merchant.workspace.id)).toEqual([])
    return rows.map(({ cents }) => cents)
  }
  return { ...merchant, api, setBonuses, sell, giveBack, ledger }
}

describe('a milestone', () => {
  test('earns its bonus once it is reached, and only then', async () => {
    const shop = await open([TWO_SALES])
    await shop.sell()
    expect(await shop.ledger()).toEqual([])
    await shop.sell()
    expect(await shop.ledger()).toEqual([1_000])
    await shop.sell()
    expect(await shop.ledger()).toEqual([1_000])

    const { body } = await shop.get('/commissions?kind=bonus')
    expect(body).toMatchObject({
      data: [
        {
          kind: 'bonus',
          amountCents: 1_000,
          currency: 'USD',
          status: 'pending',
          partnerId: shop.partnerId,
          eventId: null,
          customerExternalId: null,
          adjustment: null,
          bonus: 'Two sales',
        },
      ],
    })
    const [row] = (body as { data: { payableAt: string; createdAt: string }[] }).data
    expect(Date.parse(row?.payableAt ?? '') - Date.parse(row?.createdAt ?? '')).toBe(30 * DAY)
  })

  test('by customers counts each once, and by net sales its own currency only', async () => {
    const shop = await open([
      {
        name: 'Two customers',
        by: 'customers',
        atLeast: 2,
        pays: { ...TEN_DOLLARS, amountCents: 1 },
      },
      {
        ...{ name: '$100', by: 'netSales', currency: 'USD', atLeastCents: 10_000 },
        pays: { ...TEN_DOLLARS, amountCents: 2 },
      },
    ])
    await shop.sell()
    await shop.sell({ customerExternalId: 'user_1' })
    await shop.sell({ customerExternalId: 'user_1', currency: 'EUR', amountCents: 99_000 })
    expect(await shop.ledger()).toEqual([])
    await shop.sell({ amountCents: 200 })
    expect((await shop.ledger()).toSorted()).toEqual([1, 2])
  })

  test('does not count self-referrals, refunded sales, and sales of nobody', async () => {
    const shop = await open([TWO_SALES])
    await shop.sell()
    await shop.sell({ clickId: undefined })
    await shop.sell({ customerExternalId: 'maya@partner.example' })
    await shop.sell()
    await shop.giveBack(4)
    expect(await shop.ledger()).toEqual([])
  })

  test('that was reached before it was added earns nothing, and another threshold starts again', async () => {
    const shop = await open([])
    await shop.sell()
    await shop.sell()
    await shop.setBonuses([TWO_SALES])
    await shop.sell()
    expect(await shop.ledger()).toEqual([])
    await shop.setBonuses([{ ...TWO_SALES, atLeast: 4 }])
    expect(await shop.ledger()).toEqual([])
    await shop.sell()
    expect(await shop.ledger()).toEqual([1_000])
  })

  test('pays each name once, whatever becomes of its milestone', async () => {
    const shop = await open([TWO_SALES])
    await shop.sell()
    await shop.sell()
    expect(await shop.ledger()).toEqual([1_000])
    await shop.setBonuses([{ ...TWO_SALES, atLeast: 3 }])
    await shop.sell()
    expect(await shop.ledger()).toEqual([1_000])
    await shop.setBonuses([])
    expect(await shop.ledger()).toEqual([1_000])
    await shop.giveBack(1)
    await shop.giveBack(2)
    expect(await shop.ledger()).toEqual([1_000, -1_000])
  })

  test('of a renamed bonus is paid once, also if a refund undid it meanwhile', async () => {
    const shop = await open([TWO_SALES])
    await shop.sell()
    await shop.sell()
    expect(await shop.ledger()).toEqual([1_000])
    await shop.giveBack(2)
    expect(await shop.ledger()).toEqual([1_000, -1_000])
    const more = { ...TWO_SALES, atLeast: 3, name: 'Three sales' }
    await shop.setBonuses([{ ...TWO_SALES, name: 'two sales' }, more])
    await shop.sell()
    expect(await shop.ledger()).toEqual([1_000, -1_000, 1_000])
    await shop.sell()
    expect(await shop.ledger()).toEqual([1_000, -1_000, 1_000, 1_000])
  })

  test('of a sale that is credited to another partner is that one’s', async () => {
    const shop = await open([TWO_SALES])
    const partnerId = await shop.seed.addPartner(shop.workspace.id, shop.programId, { slug: 'leo' })
    await shop.sell()
    await shop.sell()
    expect(await shop.ledger()).toEqual([1_000])
    const sales = await database.query<{ id: string }>(
      `select id from events where workspace_id = $1 and kind = 'sale'`,
      [shop.workspace.id],
    )
    for (const { id } of sales) {
      const moved = await shop.api.post(`/events/${id}/credit`, { partnerId, reason: 'Leo’s' })
      expect(moved.status).toBe(200)
    }
    expect((await shop.ledger()).toSorted((a, b) => a - b)).toEqual([-1_000, 1_000, 1_000])
    const { body } = await shop.get(`/commissions?kind=bonus&partnerId=${partnerId}`)
    expect(body.data).toMatchObject([{ bonus: 'Two sales' }])
  })

  test('is earned once, however many checks run at the same time', async () => {
    const shop = await open([TWO_SALES])
    await Promise.all([shop.sell(), shop.sell(), shop.sell()])
    await fold(database, shop)
    await Promise.all(Array.from({ length: 6 }, () => check()))
    expect(await shop.ledger()).toEqual([1_000])
  })

  test('is earned though a check of earlier sales ends after another one and the last sale', async () => {
    const shop = await open([TWO_SALES])
    await check()
    await shop.sell()
    await fold(database, shop)
    const db = connect(inject('database'))
    const slow = (await loadChecks(db, 1_000, new Date())).filter(
      ({ partnerId }) => partnerId === shop.partnerId,
    )
    expect(slow).toHaveLength(1)
    await check()
    await shop.sell()
    await fold(database, shop)
    await saveChecks(db, slow, { reached: [], reversals: [] }, new Date())
    expect(await shop.ledger()).toEqual([1_000])
  })

  test('of a banned partner earns nothing until it is approved again, and of a test partner never', async () => {
    const shop = await open([TWO_SALES])
    await shop.sell()
    await shop.sell()
    const status = (to: string) =>
      shop.api.patch(`/partners/${shop.partnerId}`, { status: to }).then((one) => one.status)
    expect(await status('banned')).toBe(200)
    expect(await shop.ledger()).toEqual([])
    expect(await status('approved')).toBe(200)
    expect(await shop.ledger()).toEqual([1_000])

    const other = await open([TWO_SALES])
    await database.query('update partners set is_test = true where id = $1', [other.partnerId])
    await other.sell()
    await other.sell()
    expect(await other.ledger()).toEqual([])
  })

  test('of shadow mode is never payable', async () => {
    const shop = await open([TWO_SALES])
    const program = `/programs/${shop.programId}`
    expect((await shop.api.patch(program, { mode: 'shadow' })).status).toBe(200)
    await shop.sell()
    await shop.sell()
    expect(await shop.ledger()).toEqual([1_000])
    const { body } = await shop.get('/commissions?kind=bonus')
    expect(body).toMatchObject({ data: [{ status: 'shadow', payableAt: null }] })
  })

  test('that was reached before the cut-over earns nothing after it, however late it is checked', async () => {
    const shop = await open([TWO_SALES, { ...TWO_SALES, name: 'Three sales', atLeast: 3 }])
    const program = `/programs/${shop.programId}`
    expect((await shop.api.patch(program, { mode: 'shadow' })).status).toBe(200)
    await shop.sell()
    await shop.sell()
    expect((await shop.api.post(`${program}/cut-over`, { expected: [] })).status).toBe(200)
    expect(await shop.ledger()).toEqual([])
    await shop.sell()
    expect(await shop.ledger()).toEqual([1_000])
    const { body } = await shop.get('/commissions?kind=bonus')
    expect(body).toMatchObject({ data: [{ bonus: 'Three sales', status: 'pending' }] })
  })
})

describe('a refund', () => {
  test('that undoes the milestone reverses the bonus, and a later sale reinstates it', async () => {
    const shop = await open([TWO_SALES])
    await shop.sell()
    await shop.sell()
    expect(await shop.ledger()).toEqual([1_000])
    await shop.giveBack(1, 100)
    expect(await shop.ledger()).toEqual([1_000])
    await shop.giveBack(2)
    expect(await shop.ledger()).toEqual([1_000, -1_000])
    await shop.sell()
    expect(await shop.ledger()).toEqual([1_000, -1_000, 1_000])
  })

  test('of a sale that earns nothing counts, too', async () => {
    const shop = await open([TWO_SALES], { program: { reward_interval: 'one-time' } })
    await shop.sell()
    await shop.sell({ customerExternalId: 'user_1' })
    expect(await shop.ledger()).toEqual([1_000])
    await shop.giveBack(2)
    expect(await shop.ledger()).toEqual([1_000, -1_000])
  })

  test('changes nothing of a bonus that is payable, and reinstates one that was reversed before', async () => {
    const shop = await open([TWO_SALES])
    await shop.sell()
    await shop.sell()
    expect(await shop.ledger()).toEqual([1_000])
    await shop.giveBack(2)
    expect(await shop.ledger(new Date(Date.now() + 31 * DAY))).toEqual([1_000])

    const other = await open([TWO_SALES])
    await other.sell()
    await other.sell()
    await other.ledger()
    await other.giveBack(2)
    expect(await other.ledger()).toEqual([1_000, -1_000])
    await other.sell()
    const later = new Date(Date.now() + 31 * DAY)
    expect(await other.ledger(later)).toEqual([1_000, -1_000, 1_000])
  })

  test('reverses a bonus that is held, also after it would have been payable', async () => {
    const shop = await open([TWO_SALES])
    await shop.sell()
    await shop.sell()
    expect(await shop.ledger()).toEqual([1_000])
    const { body } = await shop.get('/commissions?kind=bonus')
    const [bonus] = (body as { data: { id: string }[] }).data
    const held = await shop.api.post(`/commissions/${bonus?.id}/hold`, { note: 'Is it ours?' })
    expect(held.status).toBe(200)
    await shop.giveBack(2)
    expect(await shop.ledger(new Date(Date.now() + 31 * DAY))).toEqual([1_000, -1_000])
  })

  test('that is checked while a manager rejects the bonus reverses it once', async () => {
    const shop = await open([TWO_SALES])
    await shop.sell()
    await shop.sell()
    expect(await shop.ledger()).toEqual([1_000])
    const { body } = await shop.get('/commissions?kind=bonus')
    const [bonus] = (body as { data: { id: string }[] }).data
    const held = await shop.api.post(`/commissions/${bonus?.id}/hold`, { note: 'Is it ours?' })
    expect(held.status).toBe(200)
    const rejected = await database.whileUncommitted(
      `select reverse_commission($1, $2, c.id, -c.amount_cents, now())
       from (select * from commissions where id = $3 for no key update) c`,
      [newId(), shop.workspace.id, bonus?.id],
      () => shop.api.post(`/commissions/${bonus?.id}/reject`, {}),
    )
    expect(rejected.status).toBe(200)
    expect(await shop.ledger()).toEqual([1_000, -1_000])
  })

  test('leaves what a manager has reversed by hand, or rejected', async () => {
    const shop = await open([TWO_SALES, { ...TWO_SALES, name: 'Again' }])
    await shop.sell()
    await shop.sell()
    expect(await shop.ledger()).toEqual([1_000, 1_000])
    const { body } = await shop.get('/commissions?kind=bonus')
    const [one, two] = (body as { data: { id: string }[] }).data
    const reversal = { amountCents: 300, externalId: 'rev', reason: 'Agreed' }
    const post = async (path: string, sent: object) => {
      const { status } = await shop.api.post(path, sent)
      expect(status).toBeLessThan(300)
    }
    await post(`/commissions/${one?.id}/reverse`, reversal)
    await post(`/commissions/${two?.id}/hold`, { note: 'Is it ours?' })
    await post(`/commissions/${two?.id}/reject`, {})
    await shop.giveBack(2)
    expect(await shop.ledger()).toEqual([1_000, 1_000, -300, -1_000, -700])
    await shop.sell()
    expect(await shop.ledger()).toEqual([1_000, 1_000, -300, -1_000, -700, 700])
  })
})
