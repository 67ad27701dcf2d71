/** A payout by bank that came back after its run was confirmed: API, pages, portal and mail. */
import { describe, expect, inject, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { errorShape, useDatabase } from '../support/merchant.ts'
import { browse, openPages } from '../support/pages.ts'
import { openSession } from '../support/people.ts'
import { createOwing, lookAtLedger } from '../support/runs.ts'

const database = useDatabase()

type Row = { id: string; partnerId: string; amountCents: number; status: string }
const REASON = 'The account is closed.'

/** A merchant who has paid Leo and Ann by bank, and confirmed it by default. */
const createPaid = async ({
  until = 'confirmed',
}: {
  until?: 'processing' | 'paid' | 'confirmed'
} = {}) => {
  const merchant = await createOwing()
  const as = await merchant.asManager()
  const run = await merchant.begin()
  const steps = { processing: [], paid: ['paid'], confirmed: ['paid', 'confirmed'] }[until]
  for (const status of steps)
    expect((await as.patch(`/payout-runs/${run}`, { status })).status).toBe(200)
  const list = async () => ((await as.get('/payouts')).body as unknown as { data: Row[] }).data
  const id = (await list()).find(({ amountCents }) => amountCents === 5_050)?.id ?? ''
  return {
    merchant,
    as,
    run,
    id,
    path: `/payouts/${id}`,
    list,
    giveBack: (reason: unknown = REASON) => as.post(`/payouts/${id}/return`, { reason }),
    ledger: () => lookAtLedger(database, merchant),
    mails: () =>
      database.query<{ recipient: string; details: Record<string, string> }>(
        `select recipient, details from mails where workspace_id = $1 and kind = 'payout_returned'`,
        [merchant.workspace.id],
      ),
    audit: async () =>
      (await database.audit(merchant)).filter(({ action }) => action === 'payout.returned'),
  }
}

describe('POST /payouts/:id/return', () => {
  test('mails a link to the page where the payment details are checked, where partners can choose how to be paid', async () => {
    const { merchant, as, giveBack, mails } = await createPaid()
    await as.patch('/settings', { paypalPayouts: true })
    expect((await giveBack()).status).toBe(200)
    const [mail] = await mails()
    expect(mail?.details.portalUrl).toBe(
      `${inject('baseUrl')}/portal/payment?workspace=${merchant.workspace.id}`,
    )
  })

  test('makes the commissions of a bounced bank payout payable again, mails the partner, and the next run pays them', async () => {
    const { merchant, as, id, path, run, giveBack, ledger, mails, audit, list } = await createPaid()
    const { status, body } = await giveBack(` ${REASON} `)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id,
      status: 'returned',
      returnReason: REASON,
      returnedAt: expect.any(String),
      paidAt: expect.any(String),
    })
    expect((await as.get(path)).body).toEqual(body)
    expect(await ledger()).toEqual({ paid: 812_000, payable: 5_050, violations: [] })
    expect(await mails()).toEqual([
      {
        recipient: 'ann@partner.example',
        details: {
          partnerName: 'Ann',
          programName: 'A program',
          amount: '50.50 USD',
          reason: REASON,
          portalUrl: `${inject('baseUrl')}/portal`,
        },
      },
    ])
    expect(await audit()).toMatchObject([
      { subject_id: id, details: { amountCents: 5_050, currency: 'USD', reason: REASON } },
    ])
    expect((await as.get(`/payout-runs/${run}`)).body).toMatchObject({
      status: 'confirmed',
      totals: [
        { status: 'paid', payouts: 1, amountCents: 812_000 },
        { status: 'returned', payouts: 1, amountCents: 5_050 },
      ],
    })

    const again = await merchant.begin()
    expect(await ledger()).toEqual({ paid: 812_000, processing: 5_050, violations: [] })
    expect((await list()).map(({ status, amountCents }) => [status, amountCents])).toContainEqual([
      'processing',
      5_050,
    ])
    expect((await as.get(`/payout-runs/${again}`)).body).toMatchObject({ status: 'processing' })
  })

  test('repeated or concurrent requests return it once, and one with another reason is a conflict', async () => {
    const { giveBack, ledger, mails, audit } = await createPaid()
    const answers = await Promise.all([giveBack(), giveBack(), giveBack()])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const other = await giveBack('The name does not match.')
    expect(other).toMatchObject({ status: 409, body: errorShape('conflict') })
    expect(other.body.error?.message).toContain('returned before')
    expect(await ledger()).toEqual({ paid: 812_000, payable: 5_050, violations: [] })
    expect([(await mails()).length, (await audit()).length]).toEqual([1, 1])
  })

  test.each([
    { until: 'processing' as const, because: 'Confirm it first' },
    { until: 'paid' as const, because: 'Confirm it first' },
  ])('a payout of a run that is $until cannot have come back', async ({ until, because }) => {
    const { giveBack, mails } = await createPaid({ until })
    const { status, body } = await giveBack()
    expect(status).toBe(409)
    expect(body.error?.message).toContain(because)
    expect(await mails()).toEqual([])
  })

  test('mails nobody whose personal data was erased, also not when the run is confirmed', async () => {
    const { merchant, as, run, path, giveBack, ledger } = await createPaid({ until: 'paid' })
    const { partnerId } = (await as.get(path)).body
    expect((await as.post(`/partners/${partnerId}/erase`)).status).toBe(200)
    expect((await as.patch(`/payout-runs/${run}`, { status: 'confirmed' })).status).toBe(200)
    expect((await giveBack()).body).toMatchObject({ status: 'returned' })
    expect(await ledger()).toEqual({ paid: 812_000, payable: 5_050, violations: [] })
    const mails = await database.query(
      `select recipient, kind from mails where workspace_id = $1 and kind <> 'opening_balances'`,
      [merchant.workspace.id],
    )
    expect(mails).toEqual([{ recipient: 'leo@partner.example', kind: 'payout_sent' }])
  })

  test('neither can a canceled one, nor one by Stripe', async () => {
    const { as, run, giveBack, merchant } = await createPaid({ until: 'processing' })
    await as.patch(`/payout-runs/${run}`, { status: 'canceled' })
    expect((await giveBack()).body.error?.message).toContain('was canceled')

    await database.query(
      `insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, created_at)
       select gen_random_uuid(), workspace_id, email, 'DE', $2 || slug, 'enabled', now() - interval '4 days' from partners
       where workspace_id = $1`,
      [merchant.workspace.id, `acct_${newId().slice(-12)}`],
    )
    const byStripe = await merchant.begin('stripe')
    const [sent] = await database.query<{ id: string }>(
      `update payouts set paid_at = now(), transfer_id = 'tr_' || id where run_id = $1 returning id`,
      [byStripe],
    )
    const { status, body } = await as.post(`/payouts/${sent?.id}/return`, { reason: REASON })
    expect(status).toBe(409)
    expect(body.error?.message).toContain('made by Stripe')
  })

  test('needs a reason of one line, and a payout of the workspace', async () => {
    const { as, giveBack, path } = await createPaid()
    for (const reason of [undefined, null, '', '  ', 'a\nb', 'x'.repeat(501), 7]) {
      expect(await as.post(`${path}/return`, { reason })).toMatchObject({
        status: 400,
        body: errorShape('invalid_body'),
      })
    }
    const other = await createPaid()
    expect((await other.as.post(`${path}/return`, { reason: REASON })).status).toBe(404)
    expect((await giveBack()).status).toBe(200)
  })
})

describe('the pages', () => {
  test('let managers mark a payout of a confirmed run as returned, with the reason, and show it', async () => {
    const { merchant, path, run } = await createPaid()
    const pages = await openPages(merchant)
    const list = await pages.get(`/payouts/runs/${run}`)
    expect(list.html).toContain(`${path}/return`)
    const member = await openPages(merchant, 'member')
    expect((await member.get(`/payouts/runs/${run}`)).html).not.toContain('/return')
    expect((await member.post(`${path}/return`, { reason: REASON })).status).toBe(403)

    expect((await pages.get(`${path}/return`)).text).toContain('$50.50 to Ann')
    const blank = await pages.post(`${path}/return`, { reason: ' ' })
    expect([blank.status, blank.text.includes('Must not be blank.')]).toEqual([400, true])
    const done = await pages.post(`${path}/return`, { reason: 'The account is closed' })
    expect(done.status).toBe(303)
    const after = await pages.get(`/payouts/runs/${run}`)
    expect(after.text).toContain(
      'Returned by the bank: The account is closed. Its commissions are payable again.',
    )
    expect(after.text).toContain('1 of 2 payouts paid, 1 returned')
    expect((await pages.get('/payouts/all?status=returned')).text).toContain('$50.50')
    expect((await pages.get(`${path}/return`)).text).toContain('was marked as returned before')
    const twice = await pages.post(`${path}/return`, { reason: 'Something else' })
    expect([twice.status, twice.text.includes('was marked as returned before')]).toEqual([
      409,
      true,
    ])
    expect((await pages.get('/audit')).text).toContain(
      'marked a payout of $50.50 as returned by the bank',
    )
    expect((await pages.get(`/payouts/${newId()}/return`)).status).toBe(404)

    const portal = browse(await openSession('ann@partner.example'), inject('baseUrl'), '/portal')
    expect((await portal.get(`/payouts?program=${merchant.programId}`)).text).toContain(
      'Returned by your bank: The account is closed. Its commissions are payable again, with a later payout.',
    )
  })
})
