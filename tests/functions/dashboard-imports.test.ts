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

test('all that stays of an undo is a file, before it and after it, which is in the audit log', async () => {
  const merchant = await createMerchant()
  const { partners, customers } = await importer(merchant)
  const importId = crypto.randomUUID()
  await partners(partnerRows(3), {}, { importId })
  const buyers = (from: number, startedAt?: string) =>
    Array.from({ length: 600 }, (_, n) => ({
      customerExternalId: `=cus_${from + n}`,
      partnerEmail: 'p0@partner.example',
      ...(startedAt && { startedAt }),
    }))
  // Two calls, with less than a page of the file in each. Another import has changed all customers
  // but one since.
  for (const from of [0, 600]) await customers(buyers(from), { importId })
  for (const from of [1, 601])
    await customers(buyers(from, '2024-05-01'), { importId: crypto.randomUUID() })
  const pages = await openPages(merchant)
  const path = `/imports/${importId}/kept.csv`
  const read = async () => {
    const { html, headers } = await pages.get(path)
    expect(headers.get('Content-Disposition')).toBe('attachment; filename="import-kept.csv"')
    const [head, ...rows] = html.trimEnd().split('\r\n')
    expect(head).toBe('"kind","customer","partner","code","message"')
    return rows.toSorted()
  }
  const before = await read()
  expect(before).toHaveLength(1_200)
  expect(new Set(before).size).toBe(1_200)
  const [of] = before
  expect(of).toBe(
    `"customer","'=cus_1","p0@partner.example","changed_since","It was changed since, by a person, a report or another import."`,
  )
  expect(before.at(-1)).toContain('"partner","","p0@partner.example","has_customers"')

  const preview = await pages.get(`/imports/${importId}/undo`)
  expect(preview.html).toContain(`${path}"`)
  await pages.post(`/imports/${importId}/undo`, formsOf(preview.html)[0]?.fields ?? {})
  expect(await read()).toEqual(before)
  expect((await pages.get('/audit')).text).toContain('downloaded the list of import-kept')
})

test('the preview of an undo and its file name what a later import names too', async () => {
  const { merchant, partners } = await createWithLeo()
  const importId = crypto.randomUUID()
  await partners(partnerRows(3), {}, { importId })
  await partners(partnerRows(2))
  const pages = await openPages(merchant)
  const { text } = await pages.get(`/imports/${importId}/undo`)
  expect(text).toContain('Partners 2 A later import names it. Undo that one first.')
  const { html } = await pages.get(`/imports/${importId}/kept.csv`)
  expect(html.trimEnd().split('\r\n').slice(1).toSorted()).toEqual(
    ['p0', 'p1'].map(
      (name) =>
        `"partner","","${name}@partner.example","named_later","A later import names it. Undo that one first."`,
    ),
  )
})

test('members, and managers of other workspaces, see no report', async () => {
  const { importId, merchant } = await importBoth()
  const member = await openPages(merchant, 'member')
  const other = await openPages(await createMerchant())
  for (const path of ['', '/rows.csv', '/kept.csv']) {
    expect((await member.get(`/imports/${importId}${path}`)).status).toBe(403)
    expect((await other.get(`/imports/${importId}${path}`)).status).toBe(404)
  }
  expect((await member.get('/imports')).status).toBe(403)
  expect((await other.get('/imports')).text).toContain('Nothing has been imported yet.')
  expect((await other.get('/imports/not-an-id')).status).toBe(404)
})

test('a manager previews an undo from the report, undoes the import, and the report says so', async () => {
  const { importId, pages, merchant } = await importBoth()
  await merchant.sale({ clickId: await merchant.click('p-1') })
  expect((await pages.get(`/imports/${importId}`)).html).toContain(
    `/imports/${importId}/undo">Undo this import`,
  )
  const preview = await pages.get(`/imports/${importId}/undo`)
  expect(preview.text).toContain(
    'Will be taken back Partners, with their links and coupons: 4 Customers, who return to what they were: 2 Opening balances: 2, of $20.02 Will stay',
  )
  expect(preview.text).toMatch(
    /Partners 1 Sales or leads were credited since\. .* p1@partner\.example Sales or leads/,
  )
  expect((await pages.get('/imports')).text).not.toContain('Undone')
  const [form] = formsOf(preview.html)
  const done = await pages.post(`/imports/${importId}/undo`, form?.fields ?? {})
  expect([done.status, done.text]).toMatchObject([
    200,
    expect.stringContaining('The import is undone. Taken back Partners,'),
  ])
  expect((await pages.get('/imports')).text).toMatch(/\d\d:\d\d UTC Undone manager@/)
  const report = await pages.get(`/imports/${importId}`)
  expect(report.text).toMatch(
    /Undone .* by manager@\S+\. View what stays Partners, with their links and coupons: 4/,
  )
  expect((await pages.get('/audit')).text).toContain(
    'undid an import: 4 partners, opening balances of $20.02',
  )
  expect((await pages.get(`/imports/${importId}/undo?includeChanged=on&cursor=x`)).status).toBe(200)
})

test('a preview offers to take changed partners back where there are any', async () => {
  const { importId, merchant, pages } = await importBoth()
  const offer = 'Take back partners whom somebody has changed since, too'
  expect((await pages.get(`/imports/${importId}/undo`)).text).not.toContain(offer)
  const manager = await merchant.asManager()
  const [{ id } = { id: '' }] = await database.query<{ id: string }>(
    'select id from partners where workspace_id = $1 and email = $2',
    [merchant.workspace.id, 'p1@partner.example'],
  )
  expect((await manager.patch(`/partners/${id}`, { name: 'Another name' })).status).toBe(200)
  expect((await pages.get(`/imports/${importId}/undo`)).text).toContain(offer)
  const preview = await pages.get(`/imports/${importId}/undo?includeChanged=on`)
  expect(preview.text).toContain(offer)
  expect(preview.html).toMatch(/name="includeChanged"[^>]* checked/)
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
