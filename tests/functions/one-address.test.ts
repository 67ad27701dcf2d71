/**
 * One person has one address, however it is written: with a domain in letters, as people write it,
 * or in Punycode, as browsers send it.
 */
import { describe, expect, inject, test } from 'vitest'
import { importer } from '../support/imports.ts'
import { createMerchant, type Merchant, send, useDatabase } from '../support/merchant.ts'
import { browse, openPages } from '../support/pages.ts'
import { fromSomewhere, mailsTo, signIn, whoIs } from '../support/people.ts'
import { invoice, stripeEvent, stripeId, useStripe } from '../support/stripe.ts'

const database = useDatabase()

const LETTERS = 'müller.example'
const ASCII = 'xn--mller-kva.example'

/** Forms of one address, the first as it is stored. */
const forms = (name: string) => [
  `${name}@${LETTERS}`,
  `${name}@${ASCII}`,
  `${name.toUpperCase()}@MÜLLER.example.`,
  `${name}@mu\u0308ller.example`,
  `${name}@mü\u00adll\u200ber。example`,
  `\ufeff${name.slice(0, 1)}\u200d${name.slice(1)}@ｍüller.example`,
]

/** A merchant, a name that only it uses, and its import of a partner with that name. */
const open = async (options: Parameters<typeof createMerchant>[0] = {}) => {
  const merchant = await createMerchant(options)
  const name = `jo-${merchant.workspace.slug}`
  const imports = await importer(merchant)
  return { merchant, name, imports, addresses: forms(name) }
}

const addressesOf = async ({ workspace }: Merchant) =>
  (
    await database.query<{ email: string }>(
      `select email from partners where workspace_id = $1 and slug <> 'maya' order by id`,
      [workspace.id],
    )
  ).map(({ email }) => email)

describe('a partner', () => {
  test('who was imported with letters signs in with what a browser sends, and the mail is sent to that', async () => {
    const { name, imports, addresses } = await open()
    await imports.partners([{ email: addresses[0], name: 'Jo' }])
    const cookie = await signIn(`${name}@${ASCII}`)
    expect(await whoIs(cookie)).toBe(`${name}@${LETTERS}`)
    const page = await browse(cookie, undefined, '/portal').get('')
    expect(page.text).toContain('Your programs')
    expect((await mailsTo(`${name}@${ASCII}`)).length).toBe(1)
    expect(await mailsTo(`${name}@${LETTERS}`)).toEqual([])
  })

  test('is one, in whatever form an import has the address, in one call or several', async () => {
    const { merchant, imports, addresses } = await open()
    const rows = addresses.map((email) => ({ email }))
    const first = await imports.partners(rows)
    expect(first.body.results.map(({ status }) => status)).toEqual([
      'created',
      ...Array(addresses.length - 1).fill('skipped_existing'),
    ])
    expect(new Set(first.body.results.map(({ email }) => email))).toEqual(new Set([addresses[0]]))
    for (const email of addresses.slice(1)) {
      const again = await imports.partners([{ email }])
      expect(again.body.results[0]?.status).toBe('skipped_existing')
    }
    expect(await addressesOf(merchant)).toEqual([addresses[0]])
  })

  test('who was imported in Punycode is shown, found and filtered in letters and in Punycode', async () => {
    const { merchant, name, imports, addresses } = await open()
    await imports.partners([{ email: `${name}@${ASCII}` }])
    expect(await addressesOf(merchant)).toEqual([addresses[0]])
    const manager = await merchant.asManager()
    for (const email of addresses.slice(0, 3)) {
      const listed = await manager.get(`/partners?email=${encodeURIComponent(email)}`)
      expect(listed.body.data).toMatchObject([{ email: addresses[0] }])
      const pages = await openPages(merchant)
      // A single match is opened.
      const found = await pages.get(`/search?q=${encodeURIComponent(email)}`)
      expect(found).toMatchObject({ status: 303, location: expect.stringContaining('/partners/') })
    }
  })

  test('is found by the form that a customer’s row has, and is not created twice by hand', async () => {
    const { merchant, imports, addresses, name } = await open()
    await imports.partners([{ email: addresses[0] }])
    const rows = addresses.map((partnerEmail, n) => ({
      customerExternalId: `user_${n}`,
      partnerEmail,
    }))
    const { body } = await imports.customers(rows)
    expect(body.results.map(({ status }) => status)).toEqual(Array(rows.length).fill('created'))
    const manager = await merchant.asManager()
    await manager.post('/partners', { programId: merchant.programId, email: `${name}@${ASCII}` })
    expect(await addressesOf(merchant)).toEqual([addresses[0]])
  })
})

describe('a buyer', () => {
  test.each([
    { by: 'letters, and pays in Punycode', lead: 0, paid: 1 },
    { by: 'Punycode, and pays in letters', lead: 1, paid: 0 },
    { by: 'capitals and a dot, and pays in Punycode', lead: 2, paid: 1 },
    { by: 'invisible characters, and pays in letters', lead: 4, paid: 0 },
  ])('who is a lead in $by is credited', async ({ lead, paid }) => {
    const { merchant, addresses } = await open()
    const stripe = await useStripe(merchant)
    await merchant.lead({ customerEmail: addresses[lead], clickId: await merchant.click() })
    const id = stripeId('in')
    await stripe.deliver(
      stripeEvent(
        'invoice.paid',
        invoice({ id, customer: stripeId('cus'), customer_email: addresses[paid] }),
      ),
    )
    expect(await merchant.explainReport('sale', id)).toMatchObject({ partner: { slug: 'maya' } })
  })

  test('who is the partner is found to be it, by any form', async () => {
    const { merchant, imports, addresses } = await open()
    await imports.partners([{ email: addresses[0], slug: 'jo' }])
    for (const [n, customerExternalId] of addresses.entries())
      await merchant.sale({
        externalId: `inv_${n}`,
        customerExternalId,
        clickId: await merchant.click('jo'),
      })
    const held = await database.query<{ reason: string }>(
      'select reason from commission_holds where workspace_id = $1',
      [merchant.workspace.id],
    )
    expect(held).toEqual(addresses.map(() => ({ reason: 'self_referral' })))
  })
})

test('a manager who was invited in letters is the one who signs in with Punycode', async () => {
  const { merchant, name } = await open()
  const manager = await merchant.asManager()
  const { status } = await manager.post('/members', {
    email: `${name}@${LETTERS}`,
    role: 'manager',
  })
  expect(status).toBe(201)
  const cookie = await signIn(`${name}@${ASCII}`)
  expect((await browse(cookie).get(`/${merchant.workspace.slug}`)).status).toBe(200)
})

test('an address that is no domain’s is refused', async () => {
  for (const domain of ['ü%41.example', 'ü/.example', 'ü:80', 'ü..example']) {
    const { status } = await send(`${inject('baseUrl')}/api/auth/sign-in/magic-link`, {
      body: { email: `ann@${domain}` },
      headers: fromSomewhere(),
    })
    expect({ domain, status }).toEqual({ domain, status: 400 })
  }
})
