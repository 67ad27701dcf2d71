/**
 * A payout whose transfer the merchant reversed: from Stripe's event to the API, the pages and the
 * portal.
 */
import { describe, expect, inject, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { errorShape, useDatabase } from '../support/merchant.ts'
import { browse, openPages } from '../support/pages.ts'
import { addPayout, createPartner, eventOf } from '../support/portal.ts'
import { stripeEvent, stripeId, useStripe } from '../support/stripe.ts'

const database = useDatabase()

/** A partner who was paid 9.80 USD by Stripe for one sale, and the webhook of the merchant. */
const createPaid = async () => {
  const partner = await createPartner({ program: { holding_days: 0 } })
  const { merchant } = partner
  const eventId = eventOf(await merchant.sale({ clickId: await merchant.click('ann') }))
  const id = await addPayout(database, partner, 980, { outcome: 'paid_at', eventIds: [eventId] })
  const [row] = await database.query<{ transfer_id: string }>(
    'select transfer_id from payouts where id = $1',
    [id],
  )
  const transferId = row?.transfer_id ?? ''
  const { deliver } = await useStripe(merchant)
  const transfer = {
    id: transferId,
    object: 'transfer',
    amount: 980,
    currency: 'usd',
    metadata: { payout_id: id },
  }
  return {
    ...partner,
    id: id ?? '',
    transferId,
    transfer,
    deliver,
    /** Delivers Stripe's event that so much was reversed. */
    reverse: (amount: number, more: object = {}) =>
      deliver({
        ...stripeEvent('transfer.reversed', { ...transfer, amount_reversed: amount }),
        ...more,
      }),
    manager: await merchant.asManager(),
    pages: await openPages(merchant),
    portal: browse(await partner.cookie(), inject('baseUrl'), '/portal'),
  }
}

const RECEIVED = { status: 200, body: { received: true } }

describe('a payout whose transfer was reversed', () => {
  test('is marked, and payable again once a manager releases it, with an audit entry', async () => {
    const { id, merchant, reverse, manager } = await createPaid()
    expect(await manager.post(`/payouts/${id}/release`, {})).toMatchObject({
      status: 409,
      body: errorShape('conflict'),
    })
    expect(await reverse(980)).toMatchObject(RECEIVED)
    expect((await manager.get(`/payouts/${id}`)).body).toMatchObject({
      status: 'reversed',
      amountCents: 980,
      reversedCents: 980,
      reversedAt: expect.any(String),
      releasedAt: null,
    })
    const commissions = async (status: string) =>
      (await manager.get(`/commissions?status=${status}`)).body as unknown as { data: unknown[] }
    expect((await commissions('paid')).data).toHaveLength(1)

    const released = await manager.post(`/payouts/${id}/release`, {})
    expect(released).toMatchObject({
      status: 200,
      body: { status: 'reversed', releasedAt: expect.any(String) },
    })
    expect(await manager.post(`/payouts/${id}/release`, {})).toMatchObject({
      status: 200,
      body: released.body,
    })
    expect((await commissions('payable')).data).toHaveLength(1)
    expect((await commissions('paid')).data).toHaveLength(0)
    expect(await database.audit(merchant)).toMatchObject([
      { actor: 'Stripe', action: 'payout.reversed', subject_id: id },
      { action: 'payout.released', subject_id: id },
    ])
    const violations = await database.violations(merchant.workspace.id)
    expect(violations).toEqual([])
  })

  test('is shown to managers with what they can do, and released after confirmation', async () => {
    const { id, merchant, reverse, pages } = await createPaid()
    await reverse(80)
    expect((await pages.get('/payouts/all')).text).toContain('$0.80 reversed in Stripe.')
    expect((await pages.get('/payouts')).text).not.toContain('reversed in Stripe')
    const early = await pages.post(`/payouts/${id}/release`, {})
    expect(early.status).toBe(409)
    expect(early.text).toContain('Only a part of this payout was reversed.')

    await reverse(980)
    expect((await pages.get('/payouts')).text).toContain('1 payout was reversed in Stripe.')
    const list = await pages.get('/payouts/all?status=reversed')
    expect(list.text).toContain('reversed')
    expect(list.html).toContain(`/payouts/${id}/release`)
    const member = await openPages(merchant, 'member')
    const seen = await member.get('/payouts/all')
    expect(seen.text).toContain('A manager decides whether it is paid again.')
    expect(seen.html).not.toContain('/release')
    expect((await member.get(`/payouts/${id}/release`)).status).toBe(403)
    expect((await member.post(`/payouts/${id}/release`, {})).status).toBe(403)

    expect((await pages.get(`/payouts/${id}/release`)).text).toContain('$9.80 to ann')
    const done = await pages.post(`/payouts/${id}/release`, {})
    expect(done.status).toBe(303)
    const run = await pages.get(
      new URL(done.location ?? '', 'http://x').pathname.replace(/^\/app\/[^/]+/, ''),
    )
    expect(run.text).toContain('Reversed in Stripe. Its commissions are payable again.')
    expect((await pages.get('/payouts')).text).not.toContain('reversed in Stripe')
    expect((await pages.get('/audit')).text).toContain(
      'released the commissions of a reversed payout of $9.80',
    )
    expect((await pages.get(`/payouts/${newId()}/release`)).status).toBe(404)
  })

  test('is shown to the partner', async () => {
    const { id, reverse, manager, portal } = await createPaid()
    await reverse(80)
    expect((await portal.get('/payouts')).text).toContain('The merchant reversed $0.80 of it.')
    await reverse(980)
    expect((await portal.get('/payouts')).text).toMatch(
      /The merchant reversed this transfer\. It was for 1 commission ?\. Ask the merchant \( manager@\S+ \) whether it is paid again\./,
    )
    await manager.post(`/payouts/${id}/release`, {})
    expect((await portal.get('/payouts')).text).toContain('Its commissions are payable again')
  })
})

describe('the event transfer.reversed', () => {
  test('of a connected account, of an unknown transfer or of another workspace changes nothing', async () => {
    const [paid, other] = await Promise.all([createPaid(), createPaid()])
    expect(await paid.reverse(980, { account: 'acct_partner' })).toMatchObject(RECEIVED)
    const reversed = { ...paid.transfer, amount_reversed: 980 }
    expect(await other.deliver(stripeEvent('transfer.reversed', reversed))).toMatchObject(RECEIVED)
    const unknown = { ...reversed, id: stripeId('tr'), metadata: {} }
    expect(await paid.deliver(stripeEvent('transfer.reversed', unknown))).toMatchObject(RECEIVED)
    expect((await paid.manager.get(`/payouts/${paid.id}`)).body).toMatchObject({
      status: 'paid',
      reversedCents: 0,
    })
    expect(await database.audit(paid.merchant)).toEqual([])
  })

  test('that comes before the payout is saved as sent is to be sent again by Stripe', async () => {
    const { reverse, id, transferId, manager } = await createPaid()
    await database.query('update payouts set paid_at = null, transfer_id = null where id = $1', [
      id,
    ])
    expect(await reverse(980)).toMatchObject({ status: 503, body: errorShape('try_again') })
    await database.query('update payouts set paid_at = now(), transfer_id = $2 where id = $1', [
      id,
      transferId,
    ])
    expect(await reverse(980)).toMatchObject(RECEIVED)
    expect((await manager.get(`/payouts/${id}`)).body).toMatchObject({ status: 'reversed' })
  })
})
