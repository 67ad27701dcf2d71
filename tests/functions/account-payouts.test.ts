/**
 * What became of transferred money: from Stripe's events about accounts' own payouts to the portal
 * and to managers.
 */
import { describe, expect, inject, test } from 'vitest'
import { useDatabase } from '../support/merchant.ts'
import { browse, openPages } from '../support/pages.ts'
import { addPayout, createPartner } from '../support/portal.ts'
import { seconds, stripeEvent, stripeId, useStripe } from '../support/stripe.ts'

const database = useDatabase()

/** A partner to whose account 9.80 USD were transferred an hour ago. */
const createSent = async () => {
  const partner = await createPartner()
  const { merchant } = partner
  const id = await addPayout(database, partner, 980, { outcome: 'paid_at' })
  await database.query(`update payouts set paid_at = now() - interval '1 hour' where id = $1`, [id])
  const [row] = await database.query<{ account: string }>(
    'select stripe_account_id as account from payouts where id = $1',
    [id],
  )
  const account = row?.account ?? ''
  const { deliver } = await useStripe(merchant)
  const manager = await merchant.asManager()
  const portal = browse(await partner.cookie(), inject('baseUrl'), '/portal')
  return {
    ...partner,
    id,
    account,
    portal,
    deliver,
    pages: await openPages(merchant),
    /** Delivers Stripe's event about a payout of the account, created some hours from now. */
    hear: async (
      type: 'payout.paid' | 'payout.failed',
      { po = stripeId('po'), hours = 0, of = account, currency = 'usd' } = {},
    ) => {
      const created = seconds(Date.now() + hours * 3_600_000)
      const failure = type === 'payout.failed' ? 'The bank account has been closed.' : null
      const payout = {
        id: po,
        object: 'payout',
        amount: 12_345,
        currency,
        created,
        automatic: true,
        failure_message: failure,
      }
      expect(await deliver({ ...stripeEvent(type, payout), account: of })).toMatchObject({
        status: 200,
        body: { received: true },
      })
      return po
    },
    status: async () =>
      (await manager.get(`/payouts/${id}`)).body as unknown as {
        status: string
        bankStatus: string
      },
    mails: () =>
      database.query<{ recipient: string; details: object }>(
        `select recipient, details from mails where workspace_id = $1 and kind = 'bank_refused'`,
        [merchant.workspace.id],
      ),
  }
}

describe('money that was transferred to an account', () => {
  test('is on its way to the bank, and paid once Stripe paid out after the transfer', async () => {
    const { hear, status, portal, pages } = await createSent()
    expect(await status()).toMatchObject({ status: 'paid', bankStatus: 'on_its_way' })
    expect((await portal.get('/payouts')).text).toMatch(
      /on its way to your bank Sent to your Stripe account on .*, and on its way/,
    )
    await hear('payout.paid', { hours: -3 })
    expect(await status()).toMatchObject({ bankStatus: 'on_its_way' })
    await hear('payout.paid')
    expect(await status()).toMatchObject({ status: 'paid', bankStatus: 'paid' })
    expect((await portal.get('/payouts')).text).toMatch(
      /Paid on .*, and paid out to your bank since, for/,
    )
    expect((await pages.get('/payouts/all')).text).toContain(
      'Paid out to the partner’s bank since.',
    )
  })

  test('is refused when the bank refuses it, with a mail and a way to mend it, until a later payout arrives', async () => {
    const { hear, status, portal, pages, mails, email, workspaceId, partnerId } = await createSent()
    await hear('payout.failed')
    expect(await status()).toMatchObject({ status: 'paid', bankStatus: 'refused' })
    const page = await portal.get('/payouts')
    expect(page.text).toContain('refused by your bank')
    expect(page.html).toContain(`href="/portal/connect/dashboard?workspace=${workspaceId}"`)
    expect((await pages.get(`/partners/${partnerId}`)).text).toContain(
      'The partner’s bank refused it',
    )
    expect(await mails()).toEqual([
      {
        recipient: email,
        details: expect.objectContaining({
          amount: '123.45 USD',
          reason: 'The bank account has been closed.',
        }),
      },
    ])
    await hear('payout.paid', { hours: 24 })
    expect(await status()).toMatchObject({ bankStatus: 'paid' })
  })

  test.each([
    { case: 'paid, then refused', order: ['payout.paid', 'payout.failed'] as const },
    {
      case: 'refused, reported before that it was paid',
      order: ['payout.failed', 'payout.paid'] as const,
    },
  ])('is refused whatever the order of the events: $case', async ({ order }) => {
    const { hear, status, mails } = await createSent()
    const po = stripeId('po')
    for (const type of [...order, ...order]) await hear(type, { po })
    expect(await status()).toMatchObject({ bankStatus: 'refused' })
    expect(await mails()).toHaveLength(1)
  })

  test('waits when the bank refused an earlier payout, until Stripe pays out again', async () => {
    const { hear, status, account } = await createSent()
    await hear('payout.failed', { hours: -48 })
    expect(await status()).toMatchObject({ bankStatus: 'refused' })
    await database.query(
      'update payout_accounts set pays_bank = true where stripe_account_id = $1',
      [account],
    )
    expect(await status()).toMatchObject({ bankStatus: 'on_its_way' })
    await database.query(
      'update payout_accounts set pays_bank = false where stripe_account_id = $1',
      [account],
    )
    expect(await status()).toMatchObject({ bankStatus: 'refused' })
  })

  test('in a currency that the account has no payouts in was converted, so that any payout counts', async () => {
    const { hear, status } = await createSent()
    await hear('payout.paid', { currency: 'eur' })
    expect(await status()).toMatchObject({ bankStatus: 'paid' })
    await hear('payout.paid', { hours: -5 })
    expect(await status()).toMatchObject({ bankStatus: 'on_its_way' })
  })

  test('is neither said to be on its way for ever nor paid when nothing is heard', async () => {
    const { id, status, portal } = await createSent()
    await database.query(`update payouts set paid_at = now() - interval '15 days' where id = $1`, [
      id,
    ])
    expect(await status()).toMatchObject({ status: 'paid', bankStatus: null })
    expect((await portal.get('/payouts')).text).toMatch(
      /sent to your Stripe account Sent to your Stripe account on [^,]*, for/,
    )
  })
})

test('a payout of an account of another workspace, or of the merchant itself, changes nothing', async () => {
  const [ours, theirs] = await Promise.all([createSent(), createSent()])
  await ours.hear('payout.failed', { of: theirs.account })
  await ours.hear('payout.failed', { of: 'acct_unknown' })
  const own = {
    id: stripeId('po'),
    object: 'payout',
    amount: 1,
    currency: 'usd',
    created: seconds(),
  }
  expect(await ours.deliver(stripeEvent('payout.failed', own))).toMatchObject({ status: 200 })
  for (const one of [ours, theirs]) {
    expect(await one.status()).toMatchObject({ bankStatus: 'on_its_way' })
    expect(await one.mails()).toEqual([])
  }
})
