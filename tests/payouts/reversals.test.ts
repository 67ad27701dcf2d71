/**
 * Transfers that the merchant reverses at Stripe, as `transfer.reversed` reports them:
 * docs/payouts.md.
 */
import { describe, expect, test } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { newId } from '../../lib/db/ids.ts'
import { noteReversal, releasePayout } from '../../lib/payouts/corrections/reversals.queries.ts'
import { releaseRefusalOf } from '../../lib/payouts/corrections/reversals.ts'
import { readReversedTransfer } from '../../lib/payouts/stripe/transfer-event.schemas.ts'
import { usePayouts } from '../support/payouts.ts'

const { query, stripe, env, violations, createPayer } = usePayouts()

/** A merchant who has paid a partner 49.00 USD, 12.00 of the earnings having been refunded. */
const createPaid = async () => {
  const payer = await createPayer()
  const { id, account, commissions } = await payer.addPartner({
    slug: 'maya',
    owed: [{ amountCents: 6_000 }, { amountCents: 100 }],
  })
  await payer.reverse(commissions[0] ?? '', 1_200)
  const { payouts } = await payer.run()
  const [transfer] = stripe().transfers(payer.key)
  const payoutId = payouts[0]?.id ?? ''
  const transferId = transfer?.id ?? ''
  const { workspaceId } = payer
  return {
    ...payer,
    partnerId: id,
    account: account ?? '',
    payoutId,
    transferId,
    /** Reverses the transfer. @returns what Stripe's event says */
    reverseTransfer: (amount?: number) => {
      stripe().reverse(transferId, amount)
      return readReversedTransfer(stripe().connectEvents().at(-1))
    },
    note: (reversal: ReturnType<typeof readReversedTransfer>) =>
      reversal && noteReversal(connect(env()), workspaceId, reversal, new Date()),
    release: () =>
      releasePayout(
        connect(env()),
        { workspaceId, actor: 'ann@shop.example', now: new Date() },
        payoutId,
      ),
    payout: async () => {
      const [row] = await query(
        `select status, reversed_cents::int as reversed, released_at is not null as "isReleased",
                (select count(*)::int from commissions where payout_id = p.id) as commissions
         from payouts p where id = $1`,
        [payoutId],
      )
      return row
    },
    audit: async () =>
      (
        await query<{ entry: string }>(
          `select actor || ' ' || action as entry from audit_entries
           where workspace_id = $1 and action like 'payout.%' order by id`,
          [workspaceId],
        )
      ).map(({ entry }) => entry),
  }
}

describe('a transfer that was reversed at Stripe', () => {
  test('in full: the payout is marked, and nothing is paid again by itself', async () => {
    const paid = await createPaid()
    expect(await paid.note(paid.reverseTransfer())).toBe('noted')
    expect(await paid.payout()).toEqual({
      status: 'reversed',
      reversed: 4_900,
      isReleased: false,
      commissions: 3,
    })
    expect((await paid.run()).payouts).toEqual([])
    expect(paid.sent()).toEqual({ [paid.account]: ['4900 usd'] })
    expect(await paid.audit()).toEqual(['Stripe payout.reversed'])
    expect(await violations()).toEqual([])
  })

  test('in part, then the rest: the payout stays paid until all of it is reversed', async () => {
    const paid = await createPaid()
    await paid.note(paid.reverseTransfer(900))
    expect(await paid.payout()).toMatchObject({ status: 'paid', reversed: 900 })
    const refused = await paid.release()
    expect(refused && releaseRefusalOf(refused)).toContain(
      'Only a part of this payout was reversed',
    )
    await paid.note(paid.reverseTransfer())
    expect(await paid.payout()).toMatchObject({
      status: 'reversed',
      reversed: 4_900,
      commissions: 3,
    })
    expect(await paid.audit()).toEqual(['Stripe payout.reversed', 'Stripe payout.reversed'])
    expect(await violations()).toEqual([])
  })

  test('reported late, twice and out of order ends the same', async () => {
    const paid = await createPaid()
    const [first, second] = [paid.reverseTransfer(900), paid.reverseTransfer()]
    await Promise.all([second, first, second, first].map(paid.note))
    await paid.note(first)
    expect(await paid.payout()).toMatchObject({ status: 'reversed', reversed: 4_900 })
    expect((await paid.audit()).length).toBeLessThanOrEqual(2)
  })

  test('is paid again once, to the cent, after a manager has released its commissions', async () => {
    const paid = await createPaid()
    const reversal = paid.reverseTransfer()
    await paid.note(reversal)
    const released = await Promise.all([paid.release(), paid.release(), paid.release()])
    for (const payout of released)
      expect(payout).toMatchObject({ status: 'reversed', releasedAt: expect.any(Date) })
    expect(await paid.payout()).toMatchObject({
      status: 'reversed',
      isReleased: true,
      commissions: 0,
    })
    expect(await violations()).toEqual([])

    expect((await paid.run()).payouts).toMatchObject([{ amountCents: 4_900, status: 'paid' }])
    await paid.release()
    await paid.note(reversal)
    expect((await paid.run()).payouts).toEqual([])
    expect(paid.sent()).toEqual({ [paid.account]: ['4900 usd', '4900 usd'] })
    expect(await paid.audit()).toEqual([
      'Stripe payout.reversed',
      'ann@shop.example payout.released',
    ])
    expect(await violations()).toEqual([])
  })

  test('released while a run claims is paid by that run or by the next one, never by both', async () => {
    const paid = await createPaid()
    await paid.note(paid.reverseTransfer())
    await Promise.all([paid.run(), paid.release(), paid.run()])
    await paid.run()
    expect(paid.sent()).toEqual({ [paid.account]: ['4900 usd', '4900 usd'] })
    expect(await violations()).toEqual([])
  })

  test('before the payout was saved as sent is reported again, and found with the transfer', async () => {
    const payer = await createPayer()
    await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 4_900 }] })
    stripe().planTransfersOf(payer.key, 'cut_after')
    const { payouts } = await payer.run()
    const [transfer] = stripe().transfers(payer.key)
    stripe().reverse(transfer?.id ?? '', 400)
    const reversal = readReversedTransfer(stripe().connectEvents().at(-1))
    if (!reversal) throw new Error('The event was not read.')
    const note = () => noteReversal(connect(env()), payer.workspaceId, reversal, new Date())
    expect(await note()).toBe('in_flight')

    await payer.run({}, {}, new Date(Date.now() + 3_600_000))
    const [row] = await query(
      'select status, reversed_cents::int as reversed from payouts where id = $1',
      [payouts[0]?.id],
    )
    expect(row).toEqual({ status: 'paid', reversed: 400 })
    expect(await note()).toBe('noted')
    expect(await violations()).toEqual([])
  })

  test('of another workspace, or of no payout, is not noted', async () => {
    const [paid, other] = [await createPaid(), await createPaid()]
    const reversal = other.reverseTransfer()
    expect(await paid.note(reversal)).toBe('noted')
    expect(await other.payout()).toMatchObject({ status: 'paid', reversed: 0 })
    expect(await paid.audit()).toEqual([])
    const unknown = { transferId: `tr_${newId()}`, payoutId: null, reversedCents: 100 }
    expect(await paid.note(unknown)).toBe('noted')
    expect(await paid.payout()).toMatchObject({ status: 'paid', reversed: 0 })
  })
})

describe('an event about a reversed transfer', () => {
  const transfer = {
    id: 'tr_1',
    object: 'transfer',
    currency: 'usd',
    amount: 4_900,
    amount_reversed: 900,
    metadata: { payout_id: 'p' },
  }
  const event = (object: object = {}, more: object = {}) => ({
    type: 'transfer.reversed',
    data: { object: { ...transfer, ...object } },
    ...more,
  })

  test.each([
    {
      case: 'names the payout',
      input: event(),
      read: { transferId: 'tr_1', payoutId: 'p', reversedCents: 900 },
    },
    {
      case: 'without metadata names none',
      input: event({ metadata: {} }),
      read: { transferId: 'tr_1', payoutId: null, reversedCents: 900 },
    },
    {
      case: 'counts as Stripe does, in hundredths of a króna',
      input: event({ currency: 'isk', amount_reversed: 500 }),
      read: { transferId: 'tr_1', payoutId: 'p', reversedCents: 5 },
    },
    {
      case: 'of a connected account is not the merchant’s',
      input: event({}, { account: 'acct_1' }),
      read: null,
    },
    { case: 'of another type', input: { ...event(), type: 'transfer.created' }, read: null },
    { case: 'without an amount', input: event({ amount_reversed: null }), read: null },
    { case: 'that is none', input: null, read: null },
  ])('$case', ({ input, read }) => {
    expect(readReversedTransfer(input)).toEqual(read)
  })
})
