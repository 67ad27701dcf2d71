import { describe, expect, test } from 'vitest'
import { useDatabase } from '../support/merchant.ts'
import { browse } from '../support/pages.ts'
import { createPartner } from '../support/portal.ts'

const database = useDatabase()

const IBAN = {
  method: 'iban',
  iban: 'de89 3704 0044 0532 0130 00',
  name: 'Ann Lee',
  holder: 'person',
}
const PAYPAL = { method: 'paypal', address: 'Ann@PayPal.example' }

/** A partner whose merchant offers all methods but Stripe, for which it has no key. */
const createChooser = async (status: 'approved' | 'banned' = 'approved') => {
  const partner = await createPartner({ manualPayouts: true }, 'ann', status)
  const { workspaceId, email } = partner
  await database.query(
    'update workspaces set paypal_payouts = true, wise_payouts = true, iban_payouts = true where id = $1',
    [workspaceId],
  )
  const pages = browse(await partner.cookie(), undefined, '/portal')
  const path = `/payment?workspace=${workspaceId}`
  return {
    ...partner,
    path,
    get: () => pages.get(path),
    choose: (fields: Record<string, string>) => pages.post(path, fields),
    cancel: (id: string) => pages.post(`/payment/cancel?workspace=${workspaceId}`, { id }),
    overview: () => pages.get(''),
    rows: () =>
      database.query<{
        id: string
        method: string
        masked: string
        hours: number
        canceled: boolean
      }>(
        `select id, method, masked, canceled_at is not null as canceled,
                extract(epoch from effective_at - created_at)::int / 3600 as hours
         from payment_details where workspace_id = $1 and email = $2 order by created_at`,
        [workspaceId, email],
      ),
    /** Lets the hold pass. */
    wait: () =>
      database.query(
        `update payment_details set created_at = created_at - interval '73 hours', effective_at = effective_at - interval '73 hours'
         where workspace_id = $1 and canceled_at is null`,
        [workspaceId],
      ),
    mails: () =>
      database.query<{ recipient: string; details: Record<string, string> }>(
        `select recipient, details from mails where workspace_id = $1 and kind = 'payment_details' order by created_at`,
        [workspaceId],
      ),
  }
}

describe('a partner who chooses how to be paid', () => {
  test('sees what the merchant offers, and gives the details, which count after 72 hours', async () => {
    const partner = await createChooser()
    expect((await partner.overview()).text).toContain(
      'can pay you by PayPal, Wise or bank transfer.',
    )
    const saved = await partner.choose(IBAN)
    expect([saved.status, saved.location]).toEqual([303, `/portal${partner.path}&done=saved`])
    expect(await partner.rows()).toMatchObject([
      { method: 'iban', masked: 'DE••• 3000', hours: 72 },
    ])
    const during = await partner.get()
    expect(during.text).toMatch(
      /Change in progress From [\d-]+ [\d:]+ UTC on, you are paid by bank transfer \(DE••• 3000\)/,
    )
    expect(during.text).toContain('does not know yet how to pay you')
    await partner.wait()
    expect((await partner.get()).text).toContain('pays you by bank transfer (DE••• 3000).')
    expect((await partner.overview()).text).toContain('pays you by bank transfer (DE••• 3000).')
  })

  test('is mailed about it, and the audit log has the method alone', async () => {
    const partner = await createChooser()
    await partner.choose(IBAN)
    const [mail] = await partner.mails()
    expect(mail).toMatchObject({
      recipient: partner.email,
      details: {
        paidBy: 'bank transfer (DE••• 3000)',
        effectiveAt: expect.stringMatching(/ UTC$/),
      },
    })
    const entries = await database.audit(partner.merchant)
    expect(entries).toMatchObject([
      { actor: partner.email, action: 'payment_details.changed', details: { method: 'iban' } },
    ])
  })

  test('finds them nowhere in plain text: not in the database, the mails, the audit log or on a page', async () => {
    const partner = await createChooser()
    await partner.choose(IBAN)
    const dumps = await Promise.all(
      ['payment_details', 'mails', 'audit_entries'].map((table) =>
        database.query(`select t::text from ${table} t where workspace_id = $1`, [
          partner.workspaceId,
        ]),
      ),
    )
    const everywhere = JSON.stringify(dumps) + (await partner.get()).html
    // Also in groups. Fewer digits stand by chance in a port or an id.
    expect(everywhere.replaceAll(' ', '')).not.toMatch(/37040044|05320130/)
  })

  test('keeps the old details until the new ones count', async () => {
    const partner = await createChooser()
    await partner.choose(IBAN)
    await partner.wait()
    await partner.choose(PAYPAL)
    const { text } = await partner.get()
    expect(text).toContain('pays you by bank transfer (DE••• 3000).')
    expect(text).toContain('you are paid by PayPal (a•••@p•••.example)')
    expect((await partner.overview()).text).toContain('A change takes effect within 72 hours.')
  })

  test('who did not make a change cancels it within the hold, and is mailed about that too', async () => {
    const partner = await createChooser()
    await partner.choose(IBAN)
    const [row] = await partner.rows()
    expect((await partner.cancel(row?.id ?? '')).location).toBe(
      `/portal${partner.path}&done=canceled`,
    )
    expect(await partner.rows()).toMatchObject([{ canceled: true }])
    expect(await partner.mails()).toMatchObject([{}, { details: { paidBy: null } }])
    expect((await partner.get()).text).not.toContain('Change in progress')
  })

  test('cannot cancel what counts already', async () => {
    const partner = await createChooser()
    await partner.choose(IBAN)
    await partner.wait()
    const [row] = await partner.rows()
    const refused = await partner.cancel(row?.id ?? '')
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('no change to cancel'),
    ])
    expect(await partner.rows()).toMatchObject([{ canceled: false }])
  })

  test('replaces a change within the hold, which starts again', async () => {
    const partner = await createChooser()
    await partner.choose(IBAN)
    await partner.choose(PAYPAL)
    expect(await partner.rows()).toMatchObject([
      { method: 'iban', canceled: true },
      { method: 'paypal', canceled: false, hours: 72 },
    ])
  })

  test('changes at once leave one change in progress', async () => {
    const partner = await createChooser()
    await Promise.all([partner.choose(IBAN), partner.choose(PAYPAL), partner.choose(IBAN)])
    expect((await partner.rows()).filter(({ canceled }) => !canceled)).toHaveLength(1)
  })

  test('can change five times a day', async () => {
    const partner = await createChooser()
    for (let time = 0; time < 5; time++) expect((await partner.choose(PAYPAL)).status).toBe(303)
    const refused = await partner.choose(PAYPAL)
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('Try again tomorrow'),
    ])
  })

  test.each([
    {
      case: 'a wrong checksum',
      fields: { ...IBAN, iban: 'DE88370400440532013000' },
      says: 'Not an IBAN',
    },
    {
      case: 'a length of another country',
      fields: { ...IBAN, iban: 'DE8937040044053201300' },
      says: 'Not an IBAN',
    },
    {
      case: 'a holder in another alphabet',
      fields: { ...IBAN, name: '王小明' },
      says: 'Latin letters',
    },
    { case: 'no holder', fields: { ...IBAN, name: ' ' }, says: 'Must not be blank' },
    { case: 'no address', fields: { ...PAYPAL, address: 'ann' }, says: 'Must be an email address' },
    {
      case: 'an address that a spreadsheet would evaluate',
      fields: { ...PAYPAL, address: '=cmd@x.example' },
      says: 'Must begin with a letter',
    },
    {
      case: 'Stripe, which the merchant has not set up',
      fields: { method: 'stripe' },
      says: 'does not offer this method',
    },
  ])('is refused $case', async ({ fields, says }) => {
    const partner = await createChooser()
    const { status, text } = await partner.choose(fields)
    expect([status, text]).toEqual([400, expect.stringContaining(says)])
    expect(await partner.rows()).toEqual([])
  })

  test('is refused what the merchant does not offer', async () => {
    const partner = await createChooser()
    await database.query('update workspaces set iban_payouts = false where id = $1', [
      partner.workspaceId,
    ])
    expect((await partner.choose(IBAN)).text).toContain('does not offer this method')
    await database.query('update workspaces set manual_payouts = false where id = $1', [
      partner.workspaceId,
    ])
    expect((await partner.get()).text).toContain('There is no choice at the moment.')
  })

  test('is refused when banned', async () => {
    const partner = await createChooser('banned')
    expect((await partner.choose(PAYPAL)).text).toContain('Only approved partners')
  })

  test('has no page of a merchant that is not theirs', async () => {
    const [partner, other] = [await createChooser(), await createChooser()]
    const pages = browse(await partner.cookie(), undefined, '/portal')
    expect((await pages.get(other.path)).status).toBe(404)
    expect((await pages.post(other.path, PAYPAL)).status).toBe(404)
    await other.choose(PAYPAL)
    const [row] = await other.rows()
    await pages.post(`/payment/cancel?workspace=${partner.workspaceId}`, { id: row?.id ?? '' })
    expect(await other.rows()).toMatchObject([{ canceled: false }])
  })
})
