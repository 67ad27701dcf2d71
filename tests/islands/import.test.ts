// @module-tag thorough
import { expect, test } from 'vitest'
import { OPENER } from './fake-service.ts'
import {
  checkFile,
  choose,
  downloaded,
  openPage,
  page,
  press,
  reopen,
  service,
  stage,
  step,
  text,
  useImportPage,
} from './visit.ts'

useImportPage()

/** A file of partners with a slug each. */
const partners = (number: number) =>
  `email,name,slug\n${Array.from({ length: number }, (_, n) => `p${n}@example.com,Partner ${n},slug-${n}\n`).join('')}`

const imported = () => service.state.calls.filter(({ options }) => !options.dryRun)

test('a file is read, checked and imported, partners before their customers', async () => {
  await checkFile(
    'rewardful.csv',
    'stripe_customer_id,email,first_name,last_name,token\ncus_1,maya@example.com,Maya,L,maya\ncus_2,maya@example.com,,,\n,leo@example.com,Leo,O,leo\n',
  )
  expect(await text()).toContain('Partners 2 new. Customers 2 new.')
  expect(service.state.partners.size).toBe(0)

  await press('Import 2 new partners and 2 customers into Pine & Co')
  await step('Import complete')
  expect(await text()).toContain('Partners 2 imported. Customers 2 imported.')
  expect(imported().map(({ kind, options, rows }) => [kind, options, rows])).toEqual([
    [
      'partners',
      { dryRun: false, sendWelcomeEmail: false, importOpeningBalances: false },
      [
        { email: 'maya@example.com', name: 'Maya L', slug: 'maya' },
        { email: 'leo@example.com', name: 'Leo O', slug: 'leo' },
      ],
    ],
    [
      'customers',
      { dryRun: false, keepOwners: false },
      [
        { customerExternalId: 'cus_1', partnerEmail: 'maya@example.com' },
        { customerExternalId: 'cus_2', partnerEmail: 'maya@example.com' },
      ],
    ],
  ])
})

test('the preview shows broken links, the effects of options, and errors', async () => {
  service.state.partners.set('old@example.com', { email: 'old@example.com', slug: 'maya' })
  await checkFile(
    'partners.csv',
    'email,slug,balance,currency\nmaya@example.com,maya,"1,000.50",\nold@example.com,older,7,\nleo@example.com,leo,12,EUR\nwrong,wrong,,\n',
  )
  expect(await text()).toContain('Partners 2 new, 1 existing, 1 slug renamed, 1 row with errors.')
  const row = (name: string) => page.getByRole('row', { name })
  expect(await row('maya@example.com').innerText()).toMatch(
    /maya → maya-x7k2\s+another partner has this slug/,
  )
  expect(await row('old@example.com').innerText()).toMatch(
    /older → maya\s+the partner already exists/,
  )
  expect(await text()).toContain('Would send 2 emails.')
  expect(await text()).toContain('Would create 1,000.50 USD payable now.')

  await stage().getByLabel('Send new partners').check()
  await stage().getByLabel('Import opening balances').check()
  expect(await text()).toContain('Sends 1 email.')
  expect(await text()).toContain('Creates 1,000.50 USD payable now.')
  expect(await text()).toContain('1 new, 1 existing, 1 slug renamed, 2 rows with errors.')
  expect(await text()).toContain('Convert these balances to USD first')

  await press(/^Import 1 new partner into/)
  await step('Import complete')
  expect(imported()).toMatchObject([
    {
      options: { sendWelcomeEmail: true, importOpeningBalances: true },
      rows: [
        { email: 'maya@example.com', openingBalanceCents: 100_050 },
        { email: 'old@example.com' },
        { email: 'wrong' },
      ],
    },
  ])
})

test('balances that another program owes too are shown before and after the import, and block nothing', async () => {
  const warning =
    '600 partners have an opening balance in another program of this workspace, 6,000.00 USD'
  const lines = Array.from({ length: 601 }, (_, n) => `p${n}@example.com,slug-${n},20.00\n`)
  for (let n = 0; n < 600; n++) service.state.elsewhere.set(`p${n}@example.com`, 1_000)
  await checkFile('balances.csv', `email,slug,balance\n${lines.join('')}`)
  expect(await text()).not.toContain(warning)
  expect(await text()).toContain('600 partners also owed 6,000.00 USD in another program.')

  const box = stage().getByLabel('Import opening balances')
  await box.check()
  expect(await text()).toContain(warning)
  if (process.env.SCREENSHOTS) {
    await page.screenshot({
      path: `${process.env.SCREENSHOTS}/import-balances.png`,
      fullPage: true,
    })
  }
  await press(/^Import 601 new partners/)
  await step('Import complete')
  expect(await text()).toContain(
    '600 partners have an opening balance in this program and in another one of this workspace, where the total is 6,000.00 USD.',
  )
  if (process.env.SCREENSHOTS) {
    await page.screenshot({
      path: `${process.env.SCREENSHOTS}/import-balances-done.png`,
      fullPage: true,
    })
  }
})

test('the rows with errors are downloaded as a file that imports once fixed', async () => {
  await checkFile(
    'export.csv',
    '\ufeffE-Mail;Via;Notes\r\nwrong;maya;"=1+1; ""quoted"""\r\nfine@example.com;fine;ok\r\n;nobody;\r\n',
  )
  await press(/^Import/)
  await step('Import complete')
  const file = await downloaded('Download rows with errors')
  expect(file.name).toBe('export-errors.csv')
  expect(file.content).toBe(
    `\ufeff"E-Mail","Via","Notes","tributary_error"\r\n"wrong","maya","'=1+1; ""quoted""","Not an address."\r\n"","nobody","","The row has no partner email address."\r\n`,
  )

  await press('Import another file')
  await checkFile(
    file.name,
    file.content.replace('wrong', 'right@example.com').replace('\n""', '\n"nobody@example.com"'),
  )
  expect(await text()).toContain('Partners 2 new.')
  await press(/^Import 2 new partners/)
  await step('Import complete')
  expect([...service.state.partners.keys()]).toEqual([
    'fine@example.com',
    'right@example.com',
    'nobody@example.com',
  ])
})

test('unrecognised columns can be mapped, and ignored ones are listed', async () => {
  await choose('own.csv', 'Wer,Kürzel,Rest\nmaya@example.com,maya,x\n')
  // The first line has no email address, so it is a header, and the address below is an example
  // value.
  await step('Columns')
  expect(await text()).toContain(
    'The columns do not match a known export. Check the mapping below.',
  )
  expect(await text()).toContain('Nothing will be imported yet. Ignored: Wer, Kürzel, Rest.')
  expect(await page.getByRole('button', { name: 'Preview import' }).isDisabled()).toBe(true)

  await page
    .getByLabel('Field for “Wer”')
    .selectOption({ label: 'Partner email (imports partners)' })
  expect(await text()).toContain('No column has the partners’ slugs or links.')
  await page.getByLabel('Field for “Kürzel”').selectOption('slug')
  expect(await text()).toContain('This file imports partners. Ignored: Rest.')
  await press('Preview import')
  await step('Import preview')
  expect(await text()).toContain('Partners 1 new.')

  await press('Back to columns')
  await step('Columns')
  expect(await page.getByLabel('Field for “Wer”').inputValue()).toBe('email')
})

test('a column of coupon codes without IDs is listed as ignored', async () => {
  await choose('coupons.csv', 'email,slug,coupon_code\nmaya@example.com,maya,MAYA20\n')
  await step('Columns')
  expect(await text()).toContain('Ignored: coupon_code.')
  expect(await text()).toContain(
    '“coupon_code” is ignored, because a coupon is identified by its ID in the payment processor.',
  )
})

test('the error file of a manually mapped file needs no mapping', async () => {
  await choose('own.csv', 'L. O.,leo@example.com,leo\nM. L.,wrong,maya\n')
  await step('Columns')
  for (const [column, field] of [
    ['Column 1', 'name'],
    ['Column 2', 'email'],
    ['Column 3', 'slug'],
  ] as const)
    await page.getByLabel(`Field for “${column}”`).selectOption(field)
  await press('Preview import')
  await step('Import preview')
  await press(/^Import 1 new partner into/)
  await step('Import complete')
  const { name, content } = await downloaded('Download rows with errors')
  await press('Import another file')
  await checkFile(name, content.replace('wrong', 'maya@example.com'))
  await press(/^Import 1 new partner into/)
  await step('Import complete')
  expect(service.state.partners.get('maya@example.com')).toMatchObject({
    name: 'M. L.',
    slug: 'maya',
  })
})

test('imported rows can be imported again, and a file with only errors cannot', async () => {
  service.state.partners.set('p0@example.com', { email: 'p0@example.com', slug: 'slug-0' })
  await checkFile('again.csv', partners(1))
  await press('Import 1 row into Pine & Co again')
  await step('Import complete')
  await press('Import another file')
  await checkFile('wrong.csv', 'email,slug\nwrong,wrong\n')
  expect(await page.getByRole('button', { name: 'Nothing to import' }).isDisabled()).toBe(true)
})

test('with several programs, one must be chosen before the file is read', async () => {
  service.state.programs = 2
  await page.reload()
  const program = page.getByLabel('Program')
  expect(await program.inputValue()).toBe('')
  await choose('one.csv', partners(1))
  expect(await page.evaluate('document.activeElement.id')).toBe('import-program')
  expect(await page.getByRole('heading', { name: 'Columns' }).count()).toBe(0)
  await program.selectOption('Second program')
  await press('Review file')
  await step('Columns')
  await press('Preview import')
  await press('Import 1 new partner into Second program')
  await step('Import complete')
  expect(imported()).toMatchObject([{ programId: '0192f000-0000-7000-8000-000000000002' }])
})

test('an unclosed quote is reported, in a file of any size', async () => {
  await choose('open.csv', `"email,slug\n${'maya.example.com,maya\n'.repeat(1_000_000)}`)
  await page.getByRole('alert').getByText('A quotation mark in row 1 is not closed').waitFor()
})

test('on a phone, the old and the new slug of a broken link are visible', async () => {
  await reopen({ viewport: { width: 390, height: 844 } })
  service.state.partners.set('old@example.com', { email: 'old@example.com', slug: 'the-new-slug' })
  await checkFile(
    'one.csv',
    'email,slug\nold@example.com,the-old-slug\na-rather-long-name@of-a-company.example,the-new-slug',
  )
  const table = page.getByRole('region', { name: 'Changed slugs' })
  expect(await table.innerText()).toContain('the-old-slug → the-new-slug')
  const wider =
    "(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.links'))"
  expect(await page.evaluate<number>(wider)).toBeLessThanOrEqual(0)
})

test.each([
  { case: 'nothing', name: 'empty.csv', content: '', says: 'This file is empty.' },
  {
    case: 'a header alone',
    name: 'header.csv',
    content: 'email,slug\n\n',
    says: 'a header but no rows',
  },
  { case: 'a spreadsheet', name: 'book.csv', content: 'PK\u0003\u0004', says: 'Save it as CSV' },
])('a file with $case is rejected with a remedy', async ({ name, content, says }) => {
  await choose(name, content)
  await page.getByRole('alert').getByText(says).waitFor()
})

test('text can be pasted, and a file dropped', async () => {
  await page.getByLabel('Or paste CSV text').fill('email\tslug\nmaya@example.com\tmaya')
  await press('Review file')
  await step('Columns')
  expect(await text()).toContain('pasted.csv: 1 row.')
  await press('Choose another file')
  await page.evaluate(`{
    const data = new DataTransfer()
    data.items.add(new File(['email,slug\\nleo@example.com,leo'], 'dropped.csv'))
    document.querySelector('#import-drop').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }))
  }`)
  await step('Columns')
  expect(await text()).toContain('dropped.csv: 1 row.')
})

test('markup in a file is shown as text', async () => {
  const name = '<img src=x onerror=alert(1)>'
  await checkFile('<b>.csv', `email,slug,${name}\nnot an address,<script>,${name}\n`)
  await stage().getByText('1 row with errors').waitFor()
  expect(await page.locator('#import img, #import script, #import b').count()).toBe(0)
})

test('an import resumes after its tab was closed', async () => {
  await checkFile('many.csv', partners(2_000))
  service.state.delayMs = 300
  await press(/^Import 2,000 new partners/)
  await stage().getByText('1,000 of 2,000 rows done').waitFor()
  await page.close()

  service.state.delayMs = 0
  await openPage()
  await step('Unfinished import')
  expect(await text()).toMatch(/many\.csv into Pine & Co: 1,\d00 of 2,000 rows imported\./)
  await press('Resume')
  await step('Import complete')
  expect(await text()).toContain('Partners 2,000 imported.')
  expect(service.state.partners.size).toBe(2_000)
  // Only the interrupted call is made again.
  expect(imported().length).toBeLessThanOrEqual(5)
})

test('a finished import is shown after a reload until another one begins', async () => {
  await checkFile('one.csv', partners(1))
  await press(/^Import/)
  await step('Import complete')
  await openPage()
  await step('An import is open in another tab')
  await page.context().pages()[0]?.close()
  await openPage()
  await step('Last import complete')
  await press('View result')
  await step('Import complete')
  expect(await text()).toContain('Partners 1 imported.')
  await page.reload()
  await step('Last import complete')
  await press('Import another file')
  await page.getByRole('button', { name: 'Review file' }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Review file' }).waitFor()
})

test('an unfinished import can be discarded', async () => {
  await checkFile('many.csv', partners(1_000))
  service.state.faults = [new Response('{}', { status: 401 })]
  await press(/^Import/)
  await page.getByText('Your session has expired.').waitFor()
  await page.reload()
  await step('Unfinished import')
  await press('Discard import')
  await page.getByRole('button', { name: 'Review file' }).waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Review file' }).waitFor()
  expect(imported()).toEqual([])
})

test('an expired session pauses the import, which resumes after sign-in', async () => {
  await checkFile('many.csv', partners(1_000))
  service.state.faults = [null, new Response('{}', { status: 401 })]
  await press(/^Import/)
  await page.getByRole('alert').getByText('Your session has expired.').waitFor()
  const link = page.getByRole('link', { name: 'Sign in (new tab)' })
  expect([await link.getAttribute('href'), await link.getAttribute('target')]).toEqual([
    '/sign-in',
    '_blank',
  ])
  await press('Resume')
  await step('Import complete')
  expect(await text()).toContain('Partners 1,000 imported.')
})

test('an old session pauses the import, which resumes after sign-in', async () => {
  await checkFile('many.csv', partners(1_000))
  const refused = {
    error: { code: 'fresh_sign_in_required', message: 'Sign in again.', requestId: 'r' },
  }
  service.state.faults = [null, new Response(JSON.stringify(refused), { status: 403 })]
  await press(/^Import/)
  await page.getByRole('alert').getByText('You signed in more than 12 hours ago.').waitFor()
  await page.getByRole('link', { name: 'Sign in (new tab)' }).waitFor()
  await press('Resume')
  await step('Import complete')
  expect(await text()).toContain('Partners 1,000 imported.')
})

test('another person who signs in stops the import, which continues by itself once the first one is back', async () => {
  await checkFile('many.csv', partners(2_000))
  service.state.delayMs = 1_000
  await press(/^Import/)
  await stage().getByText('500 of 2,000 rows done').waitFor()
  service.state.user = { id: '0192f000-0000-7000-8000-00000000000b', email: 'partner@example.com' }
  const alert = page.getByRole('alert')
  await alert.getByText('partner@example.com is signed in in this browser now').waitFor()
  expect(await alert.innerText()).toContain('Sign in as manager@example.com to continue.')
  expect(
    await page.getByRole('link', { name: 'Switch account (new tab)' }).getAttribute('href'),
  ).toBe('/auth/accounts')
  const made = imported().length
  await page.evaluate(`dispatchEvent(new Event('focus'))`)
  await press('Resume')
  await alert.getByText('partner@example.com is signed in').waitFor()
  expect(imported()).toHaveLength(made)

  Object.assign(service.state, { user: null, delayMs: 0 })
  await press('Resume')
  await alert.getByText('Your session has expired.').waitFor()
  service.state.user = OPENER
  await page.evaluate(`dispatchEvent(new Event('focus'))`)
  await step('Import complete')
  expect(imported().map(({ rows }) => rows.length)).toEqual([500, 500, 500, 500])
})

test('a busy server, a lost connection and a lost response are retried', async () => {
  await checkFile('some.csv', `${partners(3)}p9@example.com,Nine,slug-0\n`)
  const busy = new Response('{}', { status: 429, headers: { 'Retry-After': '3' } })
  service.state.faults = [busy, 'before', 'after']
  const begun = Date.now()
  await press(/^Import 4 new partners/)
  await stage().getByText('Retrying in').waitFor()
  await step('Import complete')
  expect(Date.now() - begun).toBeGreaterThan(3_000)
  expect(await text()).toContain('Partners 4 imported, 1 slug renamed.')
  expect(service.state.partners.size).toBe(4)
})

test('a permanent error shows the server’s message and is not retried', async () => {
  await checkFile('one.csv', partners(1))
  const error = { code: 'manager_required', message: 'Only managers may import.', requestId: 'r-1' }
  service.state.faults = [Response.json({ error }, { status: 403 })]
  await press(/^Import/)
  await page.getByRole('alert').getByText('Only managers may import. (Request r-1)').waitFor()
  expect(imported()).toEqual([])
})

test('an import can be paused and resumed without losing the current call', async () => {
  await checkFile('many.csv', partners(2_000))
  // Long enough to be seen beside other tests.
  service.state.delayMs = 1_500
  await press(/^Import/)
  await stage().getByText('500 of 2,000 rows done').waitFor()
  await press('Pause')
  await stage().getByText('Paused.').waitFor()
  service.state.delayMs = 0
  const made = imported().length
  await page.waitForTimeout(500)
  expect(imported().length).toBe(made)
  await press('Resume')
  await step('Import complete')
  expect(imported().map(({ rows }) => rows.length)).toEqual([500, 500, 500, 500])
})

test('a file with signs of customers is taken for neither partners nor customers until that is answered', async () => {
  await choose(
    'people.csv',
    'customer_id,email,name,status\ncus_1,ann@buyer.example,Ann,active\ncus_2,bo@buyer.example,Bo,canceled\n',
  )
  await step('Columns')
  const next = page.getByRole('button', { name: 'Preview import' })
  expect(await next.isDisabled()).toBe(true)
  expect(await text()).toContain('Choose what each row describes.')
  // The first rows are in view.
  expect(await page.getByRole('row', { name: /^email/ }).innerText()).toMatch(
    /ann@buyer\.example\s+bo@buyer\.example/,
  )

  await page.getByLabel('A customer. “email” is the customer’s address.').check()
  expect(await text()).toContain(
    'Select the column with the email address of each customer’s partner.',
  )
  expect(await next.isDisabled()).toBe(true)

  await page.getByLabel('A partner', { exact: true }).check()
  expect(await text()).toContain('This file imports partners. Ignored: customer_id.')
  await press('Preview import')
  await step('Import preview')
  expect(await text()).toContain('Partners 1 new.')
  expect(await text()).toContain('Import 1 partner of other statuses (canceled)')
  await press('Back to columns')
  await step('Columns')
  expect(await page.getByLabel('A partner', { exact: true }).isChecked()).toBe(true)
})

test('partners who were not active are left out with their customers, unless they are chosen', async () => {
  await checkFile(
    'affiliates.csv',
    'affiliate_email,affiliate_first_name,stripe_customer_id,token,affiliate_status\na@example.com,A,cus_1,a,Active\nb@example.com,B,cus_2,b,Banned\nc@example.com,C,cus_3,c,pending\nd@example.com,D,,d,\ne@example.com,E,,e,Declined\n',
  )
  expect(await text()).toContain('Partners 2 new. Customers 1 new.')
  await stage().getByLabel('Import 1 partner who waited for approval (pending)').check()
  expect(await text()).toContain('Partners 3 new. Customers 2 new.')
  expect(
    await stage()
      .getByLabel(/^Import 2 partners who were rejected .*\(banned, declined\)/)
      .isChecked(),
  ).toBe(false)
  await press(/^Import 3 new partners and 2 customers/)
  await step('Import complete')
  expect([...service.state.partners.keys()]).toEqual([
    'a@example.com',
    'c@example.com',
    'd@example.com',
  ])
})

test('customers of other partners are shown before they move, and may stay', async () => {
  for (const slug of ['maya', 'leo']) {
    const email = `${slug}@example.com`
    service.state.partners.set(email, { email, slug })
  }
  const owned = { customerExternalId: 'cus_1', partnerEmail: 'maya@example.com' }
  service.state.customers.set('cus_1', owned)
  service.state.customers.set('cus_3', { ...owned, customerExternalId: 'cus_3' })
  service.state.banned.add('leo@example.com')
  const file =
    'customer_id,partner_email\ncus_1,leo@example.com\ncus_2,leo@example.com\ncus_3,maya@example.com\n'
  await checkFile('customers.csv', file)
  expect(await text()).toContain(
    'Customers 1 new, 1 to update, 1 of these to move from another partner, 1 unchanged.',
  )
  expect(await text()).toContain('1 customer changes partners')
  expect(await page.getByRole('row', { name: 'cus_1' }).innerText()).toMatch(
    /cus_1\s+maya@example\.com\s+leo@example\.com/,
  )
  expect(await text()).toContain(
    '2 customers of 1 banned partner, so their later sales are credited to nobody: leo@example.com.',
  )
  expect((await downloaded('Download list')).content).toBe(
    '\ufeff"customer","former_partner","file_partner"\r\n"cus_1","maya@example.com","leo@example.com"\r\n',
  )

  await stage().getByLabel('Leave these customers with the partner that they have').check()
  expect(await text()).toContain('Customers 1 new, 2 unchanged.')
  expect(await text()).toContain('They stay with the partner that they have.')
  await press('Import 1 customer into')
  await step('Import complete')
  expect(imported().at(-1)?.options).toEqual({ dryRun: false, keepOwners: true })
  expect(service.state.customers.get('cus_1')).toEqual(owned)
})

test('partners whom another import has created since the check are not counted as imported', async () => {
  await checkFile('some.csv', partners(2))
  service.state.partners.set('p0@example.com', { email: 'p0@example.com', slug: 'slug-0' })
  await press(/^Import 2 new partners/)
  await step('Import complete')
  expect(await text()).toContain('Partners 1 imported, 1 existing.')
})

test('times without a zone are read in the one that is chosen, and what was paid before the move is added up', async () => {
  const file =
    'customer_id,partner_email,started_at,prior_amount_cents\ncus_1,maya@example.com,2026-07-01 10:00,1250\n'
  service.state.partners.set('maya@example.com', { email: 'maya@example.com', slug: 'maya' })
  await choose('customers.csv', file)
  await step('Columns')
  await page.getByLabel('Time zone of dates that name none').selectOption('Asia/Tokyo')
  await press('Preview import')
  await step('Import preview')
  expect(await text()).toContain(
    '12.50 USD, which partners see, and nobody is paid again. The largest: cus_1 12.50 USD.',
  )
  await press(/^Import 1 customer/)
  await step('Import complete')
  expect(imported().at(-1)?.rows).toMatchObject([{ startedAt: '2026-07-01T01:00:00.000Z' }])
})

test('the unit of balances is asked where nothing says it, and their sum is shown before the import', async () => {
  await choose(
    'promoters.csv',
    'email,ref_id,current_balance,currency\na@example.com,a,8120,USD\nb@example.com,b,500,\nc@example.com,c,90,EUR\n',
  )
  await step('Columns')
  expect(await page.getByRole('button', { name: 'Preview import' }).isDisabled()).toBe(true)
  expect(await text()).toContain('Choose the unit of the amounts.')
  await page.getByLabel('Cents: 1234 is 12.34 USD').check()
  await press('Preview import')
  await step('Import preview')
  expect(await text()).toContain(
    '86.20 USD. The largest: a@example.com 81.20 USD, b@example.com 5.00 USD.',
  )
  expect(await text()).toContain('0.90 EUR, which is not imported: convert it to USD first.')
  await press('Back to columns')
  await page.getByLabel('Dollars: 1234 is 1,234.00 USD').check()
  await press('Preview import')
  await step('Import preview')
  expect(await text()).toContain('8,620.00 USD.')
})

const IN_EACH_FORM = [
  'email,link',
  'maya@partner.example,http://127.0.0.1:9/?ref=maya',
  'leo@partner.example,http://127.0.0.1:9/?ref=leo',
  'ida@partner.example,http://127.0.0.1:9/?fpr=ida',
  'sam@partner.example,http://127.0.0.1:9/?via=sam',
  'noa@partner.example,https://go.shop.example/noa',
].join('\n')

test('the result has the tag that reads the file’s links, and links to try, which are ticked as their visits arrive', async () => {
  await checkFile('links.csv', IN_EACH_FORM)
  await press(/^Import \d/)
  await step('Import complete')
  const site = page.locator('#import-site')
  expect(await site.locator('pre').innerText()).toBe(
    '<script defer src="https://track.example/via.js" data-program="0192f000-0000-7000-8000-000000000001" data-params="ref,fpr"></script>',
  )
  expect(await site.innerText()).toContain('1 link has the slug in the path')
  const samples = site.getByRole('listitem')
  expect(await samples.allInnerTexts()).toEqual([
    expect.stringContaining('/?ref=maya of maya@partner.example'),
    expect.stringContaining('/?fpr=ida of ida@partner.example'),
    expect.stringContaining('/?via=sam of sam@partner.example'),
  ])
  expect(await site.getByText('To do').count()).toBe(3)
  service.state.clicks.set('ida', 1)
  await samples.nth(1).getByText('Done').waitFor()
  expect(await site.getByText('To do').count()).toBe(2)
  expect(await page.locator('#import-status').innerText()).toContain('?fpr=ida has arrived')
})

test('the mail about the move is off until the manager has said whether the old links still work', async () => {
  await checkFile('links.csv', IN_EACH_FORM)
  const mails = stage().getByLabel('Send new partners')
  expect(await mails.isDisabled()).toBe(true)
  expect(await text()).toContain('First say below whether the old links still work')
  const questions = await stage().locator('select').all()
  expect(await Promise.all(questions.map((question) => question.getAttribute('id')))).toEqual([
    'import-links-0',
    'import-links-1',
    'import-links-2',
  ])
  await stage().getByLabel('?ref=maya').selectOption('They still work')
  await stage().getByLabel('?fpr=ida').selectOption('They still work')
  expect(await mails.isDisabled()).toBe(true)
  await stage().getByLabel('go.shop.example/noa').selectOption('They no longer count')
  await mails.check()
  expect(await text()).toContain('Sends 5 emails.')
  await press(/^Import \d/)
  await step('Import complete')
  expect(imported()).toMatchObject([
    {
      options: {
        sendWelcomeEmail: true,
        linkForms: { '?ref': true, '?fpr': true, '//go.shop.example/': false },
      },
    },
  ])
  expect(imported()[0]?.rows.map(({ formerLink }) => formerLink)).toEqual([
    'http://127.0.0.1:9/?ref=maya',
    'http://127.0.0.1:9/?ref=leo',
    'http://127.0.0.1:9/?fpr=ida',
    'http://127.0.0.1:9/?via=sam',
    'https://go.shop.example/noa',
  ])
})

const CUSTOMERS = 'customer_id,partner_email\ncus_1,maya@partner.example'

test('customers whose sales would earn nothing are named before the import, which can change that', async () => {
  service.state.creditsStripe = false
  service.state.partners.set('maya@partner.example', {
    email: 'maya@partner.example',
    slug: 'maya',
  })
  await page.reload()
  await checkFile('customers.csv', CUSTOMERS)
  expect(await text()).toContain('They would earn nothing')
  await page.getByLabel('Credit their sales to their partner').check()
  expect(service.state.settings).toEqual([])
  await press(/^Import \d/)
  await step('Import complete')
  expect(service.state.settings).toEqual([
    { id: '0192f000-0000-7000-8000-000000000001', attributeKnownCustomers: true },
  ])
  expect(await page.locator('#import-site').count()).toBe(0)
})

test('nothing is asked about the sales of customers that Stripe reports', async () => {
  service.state.partners.set('maya@partner.example', {
    email: 'maya@partner.example',
    slug: 'maya',
  })
  await checkFile('customers.csv', CUSTOMERS)
  expect(await page.getByLabel('Credit their sales to their partner').count()).toBe(0)
})

test('a partner of several rows keeps all of its links, also when the file is imported again', async () => {
  const file =
    'email,link\nmaya@x.example,https://a.example/?via=maya\nmaya@x.example,https://a.example/?via=maya-2\n'
  await checkFile('links.csv', file)
  expect(await text()).not.toContain('will break')
  await press(/^Import 1 new partner/)
  await step('Import complete')
  expect(imported()[0]?.rows).toEqual([
    {
      email: 'maya@x.example',
      slug: 'maya',
      slugs: ['maya-2'],
      formerLink: 'https://a.example/?via=maya',
    },
  ])
  await press('Import another file')
  await checkFile('links.csv', `${file}maya@x.example,maya-3\n`)
  expect(await text()).toContain('1 link will break')
  expect(await text()).toContain('maya-3 → maya')
})

test('balances that an earlier import left out are offered for the partners who exist', async () => {
  const partner = (slug: string) => ({ email: `${slug}@example.com`, slug })
  service.state.partners.set('maya@example.com', partner('maya'))
  service.state.partners.set('leo@example.com', { ...partner('leo'), openingBalanceCents: 500 })
  await checkFile(
    'b.csv',
    'email,slug,balance\nmaya@example.com,maya,7.50\nleo@example.com,leo,5\nida@example.com,ida,1\n',
  )
  expect(await text()).toContain('Partners 1 new, 2 existing.')
  const complete = stage().getByLabel('Also for 1 partner who exists and never had one')
  expect(await complete.isDisabled()).toBe(true)
  await stage().getByLabel('Import opening balances').check()
  expect(await text()).toContain('Creates 1.00 USD payable now.')
  await complete.check()
  expect(await text()).toContain(
    'Partners 1 new, 1 existing, 1 existing one to get an opening balance.',
  )
  expect(await text()).toContain('Creates 8.50 USD payable now.')
  await press('Import 1 new partner and 1 balance of existing partners into Pine & Co')
  await step('Import complete')
  expect(imported().at(-1)?.options).toMatchObject({
    importOpeningBalances: true,
    completeExisting: true,
  })
  expect(await text()).toContain('1 existing one with an opening balance')
})

test('a later export shows whose name was changed, and who is no longer in it', async () => {
  for (let n = 0; n < 450; n++)
    service.state.partners.set(`p${n}@example.com`, {
      email: `p${n}@example.com`,
      name: `Partner ${n}`,
      slug: `slug-${n}`,
    })
  await checkFile('all.csv', partners(449).replace('Partner 7,', 'Ida Lind,'))
  expect(await text()).toContain('1 name differs')
  expect(await page.getByRole('row', { name: 'p7@example.com' }).innerText()).toMatch(
    /Partner 7\s+Ida Lind/,
  )
  expect(await text()).toContain('1 partner of Pine & Co is not in the file')
  expect(await page.getByRole('row', { name: 'p449@example.com' }).count()).toBe(1)
  await page.getByRole('button', { name: 'Download list' }).first().waitFor()

  await page.reload()
  await checkFile('few.csv', partners(10))
  expect(await text()).not.toContain('not in the file')
})
