import { describe, expect, inject, test } from 'vitest'
import { errorShape, useDatabase } from '../support/merchant.ts'
import { browse } from '../support/pages.ts'
import { openSession } from '../support/people.ts'
import { createOwing } from '../support/runs.ts'

const database = useDatabase()

const DETAILS = {
  name: 'Ann Lee',
  street: 'High Street 1',
  city: 'Berlin',
  country: 'de',
  vatId: 'DE1',
  isAgreed: 'on',
}

/** A merchant who issues invoices and owes Ann and Leo something; Ann as the portal sees her. */
const createBilling = async () => {
  const merchant = await createOwing([
    { email: 'ann@partner.example', name: 'Ann', slug: 'ann', openingBalanceCents: 5_050 },
    { email: 'leo@partner.example', name: 'Leo', slug: 'leo', openingBalanceCents: 900 },
  ])
  const email = `ann@${merchant.workspace.slug}.example`
  await database.query(
    `update partners set email = slug || '@' || $2::text where workspace_id = $1`,
    [merchant.workspace.id, `${merchant.workspace.slug}.example`],
  )
  const as = await merchant.asManager()
  await as.patch('/settings', { selfBilling: true })
  const portal = browse(await openSession(email), undefined, '/portal')
  const details = `/documents/details?workspace=${merchant.workspace.id}`
  const pay = async () => {
    const id = await merchant.begin()
    for (const status of ['paid', 'confirmed']) await as.patch(`/payout-runs/${id}`, { status })
  }
  return { merchant, as, portal, details, pay, email }
}

const pdfOf = async (path: string, cookie: string) => {
  const answer = await fetch(`${inject('baseUrl')}${path}`, { headers: { Cookie: cookie } })
  return { answer, head: Buffer.from((await answer.arrayBuffer()).slice(0, 5)).toString() }
}

describe('self-billed invoices', () => {
  test('a partner agrees in the portal, and both download the invoice of the next payout', async () => {
    const { merchant, as, portal, details, pay, email } = await createBilling()
    await as.put('/payer', { name: 'Shop GmbH', city: 'Köln', country: 'DE', vatId: 'DE2' })
    expect((await portal.get('/documents')).text).toContain('Can issue an invoice in your name')
    expect((await portal.post(details, DETAILS)).location).toBe('/portal/documents?done=saved')
    await pay()
    const { body } = await as.get('/invoices')
    expect(body).toMatchObject({
      data: [
        {
          number: 'INV-000001',
          currency: 'USD',
          amountCents: 5_050,
          supplier: {
            name: 'Ann Lee',
            street: 'High Street 1',
            city: 'Berlin',
            country: 'DE',
            vatId: 'DE1',
          },
          customer: { name: 'Shop GmbH', city: 'Köln', country: 'DE', vatId: 'DE2' },
        },
      ],
    })
    const [{ id } = { id: '' }] = body.data as { id: string }[]
    expect((await as.get(`/invoices/${id}`)).body).toEqual((body.data as unknown[])[0])
    const workspace = `/api/workspaces/${merchant.workspace.slug}`
    const ours = await pdfOf(`${workspace}/invoices/${id}/pdf`, await merchant.manager())
    expect([ours.answer.status, ours.head]).toEqual([200, '%PDF-'])
    expect(ours.answer.headers.get('Content-Disposition')).toBe(
      'attachment; filename="INV-000001.pdf"',
    )
    const theirs = await pdfOf(`/portal/documents/invoices/${id}`, await openSession(email))
    expect([theirs.answer.status, theirs.head]).toEqual([200, '%PDF-'])
    expect((await portal.get('/documents')).text).toContain('INV-000001')
    const pages = browse(await merchant.manager())
    expect((await pages.get(`/${merchant.workspace.slug}/payouts/invoices`)).text).toContain(
      'INV-000001',
    )
    const stranger = await pdfOf(
      `/portal/documents/invoices/${id}`,
      await openSession('leo@elsewhere.example'),
    )
    expect(stranger.answer.status).toBe(404)
  })

  test('a returned payout has a credit note that names its invoice, which both download', async () => {
    const { merchant, as, portal, details, pay, email } = await createBilling()
    await portal.post(details, DETAILS)
    await pay()
    const { data: payouts } = (await as.get('/payouts')).body as unknown as {
      data: { id: string; amountCents: number }[]
    }
    const payout = payouts.find(({ amountCents }) => amountCents === 5_050)
    await as.post(`/payouts/${payout?.id}/return`, { reason: 'The account is closed.' })
    const { data } = (await as.get('/invoices')).body as unknown as {
      data: { creditNotes: { id: string }[] }[]
    }
    expect(data).toMatchObject([
      {
        number: 'INV-000001',
        amountCents: 5_050,
        creditNotes: [{ number: 'CN-000001', amountCents: 5_050, reason: 'returned' }],
      },
    ])
    const id = data[0]?.creditNotes[0]?.id
    const workspace = merchant.workspace.slug
    const ours = await pdfOf(
      `/api/workspaces/${workspace}/credit-notes/${id}/pdf`,
      await merchant.manager(),
    )
    expect([ours.answer.status, ours.head]).toEqual([200, '%PDF-'])
    expect(ours.answer.headers.get('Content-Disposition')).toBe(
      'attachment; filename="CN-000001.pdf"',
    )
    const file = `/portal/documents/credit-notes/${id}`
    const theirs = await pdfOf(file, await openSession(email))
    expect([theirs.answer.status, theirs.head]).toEqual([200, '%PDF-'])
    expect((await pdfOf(file, await openSession('leo@elsewhere.example'))).answer.status).toBe(404)
    const page = await browse(await merchant.manager()).get(`/${workspace}/payouts/invoices`)
    for (const { html, text } of [page, await portal.get('/documents')]) {
      expect(text).toMatch(/CN-000001 +for INV-000001 .* -\$50\.50 .* INV-000001 .* \$50\.50/)
      expect(html).toContain(`/credit-notes/${id}`)
    }
  })

  test('a partner who withdraws the agreement gets no more invoices', async () => {
    const { as, portal, details, pay } = await createBilling()
    await portal.post(details, DETAILS)
    const { isAgreed: _, ...withdrawn } = DETAILS
    await portal.post(details, withdrawn)
    await pay()
    expect((await as.get('/invoices')).body).toEqual({ data: [], nextCursor: null })
    expect((await portal.get(details)).html).not.toContain('checked')
  })

  test.each([
    { case: 'no name', fields: { name: '' }, says: 'Must not be blank' },
    {
      case: 'a name that the file cannot write',
      fields: { name: '王小明' },
      says: 'Latin letters',
    },
    { case: 'no address', fields: { street: ' ' }, says: 'Must not be blank' },
    { case: 'no country', fields: { country: 'Germany' }, says: 'two letters' },
  ])('refuses details with $case', async ({ fields, says }) => {
    const { portal, details } = await createBilling()
    const refused = await portal.post(details, { ...DETAILS, ...fields })
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(says)])
  })

  test('a merchant who issues none asks nobody', async () => {
    const { as, portal, details } = await createBilling()
    await as.patch('/settings', { selfBilling: false })
    expect((await portal.get('/documents')).text).not.toContain('invoice')
    expect((await portal.get(details)).status).toBe(404)
    expect((await portal.post(details, DETAILS)).status).toBe(404)
  })

  test('an unknown invoice is not found', async () => {
    const { as } = await createBilling()
    for (const path of [
      '/invoices/x',
      `/invoices/${crypto.randomUUID()}/pdf`,
      `/credit-notes/${crypto.randomUUID()}/pdf`,
    ])
      expect(await as.get(path)).toMatchObject({ status: 404, body: errorShape('not_found') })
  })
})
