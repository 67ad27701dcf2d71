/** The page of checks. docs/decisions.md, "Checks". */
import { expect, test } from 'vitest'
import { CHECKS } from '../../lib/tracking/checks/findings.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'

const database = useDatabase()

test('a workspace in which nothing is wrong has every check, and nothing found', async () => {
  const pages = await openPages(await createMerchant())
  const { text } = await pages.get('/checks')
  expect(text.match(/Nothing found/g)).toHaveLength(CHECKS.length)
  expect((await pages.get('')).html).toContain('/checks">All checks')
})

test('what was found comes first, with the page that has more', async () => {
  const merchant = await createMerchant()
  const sale = { externalId: 'order-1', amountCents: 4900 }
  await merchant.sale(sale)
  await merchant.sale({ ...sale, amountCents: 5900 })
  await database.query(
    `insert into refused_visits (program_id, workspace_id, day, reason, slug, page, visits, last_at)
     values ($1, $2, now(), 'partner_not_found', 'mya', 'https://shop.example/', 12, now())`,
    [merchant.programId, merchant.workspace.id],
  )
  const pages = await openPages(merchant)
  const { text, html } = await pages.get('/checks')
  expect(text).toMatch(
    /Mismatched reports.* 1 report of the last 7 days .*Refused visits.* 12 visits to .* refused .*Silent Stripe/,
  )
  expect(text.match(/Nothing found/g)).toHaveLength(CHECKS.length - 2)
  for (const path of ['/mismatches', `/programs/${merchant.programId}/test`])
    expect(html).toContain(`href="/app/${merchant.workspace.slug}${path}"`)

  // Anybody may make refused visits, so they ask for nobody's attention.
  const overview = (await pages.get('')).text
  expect(overview).toContain('1 report of the last 7 days')
  expect(overview).not.toContain('12 visits')
})
