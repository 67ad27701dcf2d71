/** What imports did, as their pages say it. */
import { expect, test } from 'vitest'
import { createWithLeo, importer, LEO, MAYA, partnerRows } from '../support/imports.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { formsOf, openPages } from '../support/pages.ts'

const database = useDatabase()

/**
 * A merchant's import of two calls: partners of whom one exists, one is renamed and one is refused,
 * and customers of whom one moves.
 */
const importBoth = async () => {
  const { merchant, partners, customers } = await createWithLeo()
  await customers([{ customerExternalId: 'cus_1', partnerEmail: MAYA }])
  const importId = crypto.randomUUID()
  await partners(
    [
      ...partnerRows(3),
      { email: LEO },
      { email: 'taken@partner.example', slug: 'maya' },
      { email: '=x' },
      { email: 'plain@partner.example', slug: 'Plain' },
    ],
    { importOpeningBalances: true },
    { importId },
  )
  await customers(
    [
      { customerExternalId: 'cus_1', partnerEmail: LEO },
      { customerExternalId: 'cus_2', partnerEmail: LEO },
      { customerExternalId: 'cus_3', partnerEmail: 'nobody@partner.example' },
    ],
    { importId },
  )
  return { merchant, importId, pages: await openPages(merchant) }
}

test('imports are listed newest first, each once, with the counts of all of their calls', async () => {
  const { importId, pages } = await importBoth()
  const { text, html } = await pages.get('/imports')
  expect(text).toMatch(/manager@\S+ 5 2 2 View the report .* manager@\S+ 0 1 0 View the report/)
  expect(html.split(importId)).toHaveLength(2)
  const { html: first } = await pages.get('/imports?limit=1')
  expect(first).toContain(importId)
  const [, next = ''] =
    /rel="next" href="[^"]*(\/imports\?[^"]*)"/.exec(first.replaceAll('&amp;', '&')) ?? []
  const second = await pages.get(next)
  expect(second.text).toMatch(/manager@\S+ 0 1 0/)
  expect(second.html).not.toContain(importId)
})

test('the report of an import counts its rows, and shows those that differ from the file', async () => {
  const { importId, pages, merchant } = await importBoth()
  const { text } = await pages.get(`/imports/${importId}`)
  expect(text).toContain(`by manager@${merchant.workspace.slug}.example`)
  expect(text).toContain(
    'Partners 5 created 1 existed, and were skipped 1 refused 1 with another slug than in the file 3 with a coupon',
  )
  expect(text).toContain(
    'Customers 1 created 1 updated 1 refused, because their partner was not found 1 of the updated moved from another partner',
  )
  expect(text).toContain('Opening balances: $30.03 of 3 partners.')
  expect(text).toMatch(
    /taken@partner\.example created maya → maya-\w+ Another partner had this slug\./,
  )
  expect(text).toContain(`cus_1 of ${LEO} updated (before: ${MAYA})`)
  expect(text).toContain('cus_3 of nobody@partner.example')
  expect(text).not.toContain('p0@partner.example')
})

test('the report of an import shows how far its mails are, and is followed while some of them wait', async () => {
  const { merchant, partners } = await createWithLeo()
  const importId = crypto.randomUUID()
  await partners([...partnerRows(8), { email: LEO }], { sendWelcomeEmail: true }, { importId })
  const pages = await openPages(merchant)
  const path = `/imports/${importId}`
  const queued = await pages.get(path)
  expect(queued.text).toContain('Emails 0 of 8 “We’ve moved” emails are sent. 8 wait to be sent.')
  expect(queued.html).toContain(`data-follow="/app/${merchant.workspace.slug}${path}"`)
  expect(queued.html).toContain('<progress max="8" value="0">')
  const become = (state: string, count: number) =>
    database.query(
      `update mails set ${state} where id in (select id from mails where workspace_id = $1 and sent_at is null and failed_at is null limit $2)`,
      [merchant.workspace.id, count],
    )
  await become('sent_at = now()', 3)
  await become(`sent_at = now(), delivery = 'delivered'`, 2)
  await become(`sent_at = now(), delivery = 'bounced'`, 1)
  const partly = await pages.get(path)
  expect(partly.text).toContain(
    'Emails 5 of 8 “We’ve moved” emails are sent. 2 wait to be sent. 1 failed or did not arrive.',
  )
  await become('failed_at = now()', 2)
  const done = await pages.get(path)
  expect(done.html).toContain('<progress max="8" value="8">')
  expect(done.html).not.toContain('data-follow')
})

test('all rows of an import are a file, which is in the audit log', async () => {
  const { importId, pages } = await importBoth()
  const { html, headers } = await pages.get(`/imports/${importId}/rows.csv`)
  expect(headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
  const lines = html.trimEnd().split('\r\n')
  expect(lines).toHaveLength(11)
  const cells = lines.map((line) => JSON.parse(`[${line}]`))
  expect(cells[0]).toEqual([
    ...[
      'kind',
      'customer',
      'partner',
      'status',
      'formerPartner',
      'slug',
      'requestedSlug',
      'couponMapped',
    ],
    ...['code', 'message'],
  ])
  expect(cells[1]).toEqual([
    'partners',
    '',
    'p0@partner.example',
    'created',
    '',
    'p-0',
    '',
    'true',
    '',
    '',
  ])
  expect(cells[6].slice(0, 4)).toEqual(['partners', '', "'=x", 'error'])
  expect(cells[7]).toEqual([
    ...['partners', '', 'plain@partner.example', 'created', '', 'Plain', '', 'false', '', ''],
  ])
  expect(cells[8]).toEqual(['customers', 'cus_1', LEO, 'updated', MAYA, '', '', '', '', ''])
  expect((await pages.get('/audit')).text).toContain('downloaded the list of import')
})

test('a file of more rows than a page is whole', async () => {
  const merchant = await createMerchant()
  const { partners, customers } = await importer(merchant)
  const importId = crypto.randomUUID()
  const rows = partnerRows(700)
  await partners(rows.slice(0, 300), {}, { importId })
  await partners(rows.slice(300), {}, { importId })
  const buyers = Array.from({ length: 600 }, (_, n) => ({
    customerExternalId: `cus_${n}`,
    partnerEmail: MAYA,
  }))
  await customers(buyers, { importId })
  const { html } = await (await openPages(merchant)).get(`/imports/${importId}/rows.csv`)
  const lines = html.trimEnd().split('\r\n').slice(1)
  expect(lines).toHaveLength(1_300)
  expect(new Set(lines).size).toBe(1_300)
})

test('members, and managers of other workspaces, see no report', async () => {
  const { importId, merchant } = await importBoth()
  const member = await openPages(merchant, 'member')
  const other = await openPages(await createMerchant())
  for (const path of ['', '/rows.csv']) {
    expect((await member.get(`/imports/${importId}${path}`)).status).toBe(403)
    expect((await other.get(`/imports/${importId}${path}`)).status).toBe(404)
  }
  expect((await member.get('/imports')).status).toBe(403)
  expect((await other.get('/imports')).text).toContain('Nothing has been imported yet.')
  expect((await other.get('/imports/not-an-id')).status).toBe(404)
})

test('a manager previews an undo from the report, undoes the import, and the report says so', async () => {
  const { importId, pages } = await importBoth()
  const path = `/imports/${importId}/undo`
  expect((await pages.get(`/imports/${importId}`)).html).toContain(`${path}">Undo this import`)
  const preview = await pages.get(path)
  expect(preview.text).toContain(
    'Will be taken back Partners, with their links and coupons: 5 Customers, who return to what they were: 2 Opening balances: 3, of $30.03',
  )
  expect((await pages.get('/imports')).text).not.toContain('Undone')
  const done = await pages.post(path, formsOf(preview.html)[0]?.fields ?? {})
  expect([done.status, done.headers.get('Location')]).toEqual([
    303,
    expect.stringMatching(`/imports/${importId}$`),
  ])
  expect((await pages.get('/imports')).text).toMatch(/\d\d:\d\d UTC Undone manager@/)
  expect((await pages.get(`/imports/${importId}`)).text).toMatch(
    /Undone .* by manager@\S+\. Taken back: Partners, with their links and coupons: 5/,
  )
  expect((await pages.get('/audit')).text).toContain(
    'undid an import: 5 partners, 2 customers, opening balances of $30.03',
  )
  // There is nothing to preview any more.
  expect((await pages.get(path)).status).toBe(303)
})

test('an import that somebody has used since has no button, and names whom, with links to their pages', async () => {
  const { importId, merchant, pages } = await importBoth()
  const path = `/imports/${importId}/undo`
  const preview = await pages.get(path)
  await merchant.sale({
    externalId: 'in_1',
    amountCents: 2_000,
    clickId: await merchant.click('p-1'),
  })
  const answers = [
    await pages.get(path),
    await pages.post(path, formsOf(preview.html)[0]?.fields ?? {}),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 409])
  for (const { text, html } of answers) {
    expect(text).toContain('This import cannot be undone')
    expect(text).toContain(
      'Partners: 1 Partners Partners Email address Partner p1 p1@partner.example',
    )
    expect(html).toMatch(/href="[^"]+\/partners\/[0-9a-f-]{36}"/)
    expect(text).not.toContain('Customers: ')
    expect(formsOf(html).map(({ action }) => action)).toEqual(['/auth/sign-out'])
  }
  expect((await pages.get(`/imports/${importId}`)).text).toContain('Undo this import')
})

test('what is left of a partner has a page without forms, which the ledger leads to', async () => {
  const { importId, pages } = await importBoth()
  await pages.post(`/imports/${importId}/undo`, {})
  const { html } = await pages.get('/commissions')
  const [, path = ''] = /(\/partners\/[0-9a-f-]{36})"[^>]*>[^<]*undone-/.exec(html) ?? []
  const page = await pages.get(path)
  expect([page.status, page.text]).toMatchObject([
    200,
    expect.stringContaining('The import that created this partner was undone.'),
  ])
  expect(formsOf(page.html).map(({ action }) => action)).toEqual(['/auth/sign-out'])
  expect((await pages.post(path, { name: 'x' })).status).toBe(404)
})

test('members, and managers of other workspaces, undo nothing', async () => {
  const { importId, merchant } = await importBoth()
  const member = await openPages(merchant, 'member')
  const other = await openPages(await createMerchant())
  expect((await member.post(`/imports/${importId}/undo`, {})).status).toBe(403)
  expect((await other.post(`/imports/${importId}/undo`, {})).status).toBe(404)
  expect((await other.get(`/imports/${importId}/undo`)).status).toBe(404)
})
