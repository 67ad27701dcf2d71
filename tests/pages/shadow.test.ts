// @module-tag thorough
/** A shadow run in a browser: started, filled from a file, read and cut over. */
import { expect, test } from 'vitest'
import { inspect, useBrowser, WALKS } from '../support/browser.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'

const browser = useBrowser()
const database = useDatabase()

const HEADER =
  'ID,Type,Amount,Earnings,Currency,Status,Invoice ID,Quantity,Created at,Partner email,Stripe customer ID'

test.each(WALKS)(
  'a manager uploads an export of Dub and cuts over at $width pixels, in $scheme colors',
  async (screen) => {
    const merchant = await createMerchant()
    const { workspace, programId, partnerId } = merchant
    const email = `maya@${workspace.slug}.example`
    await database.query('update partners set email = $2 where id = $1', [partnerId, email])
    const page = await browser.as(await merchant.manager(), screen)
    const path = `/app/${workspace.slug}/programs/${programId}/shadow`
    await page.goto(path)
    await inspect(page)
    await page.getByRole('button', { name: 'Start shadow run' }).click()
    await page.getByText('Shadow run started.').waitFor()
    await page.getByText('Nothing is compared yet.').waitFor()
    await inspect(page)

    const clickId = await merchant.click()
    await merchant.sale({ externalId: 'inv_same', clickId })
    await merchant.sale({ externalId: 'inv_tax', customerExternalId: 'cus_2', clickId })
    const at = new Date(Date.now() + 1_000).toISOString()
    const rows = [
      `cm_1,sale,49.00,9.80,usd,processed,inv_same,1,${at},${email},`,
      `cm_2,sale,58.31,11.66,usd,pending,inv_tax,1,${at},${email},`,
      `cm_3,sale,20.00,4.00,usd,pending,inv_gone,1,${at},${email},cus_unknown`,
      `cm_4,sale,20.00,none,usd,pending,inv_gone,1,${at},${email},`,
    ]
    await page.getByRole('link', { name: 'Add commissions' }).click()
    await page.getByLabel('CSV file').setInputFiles({
      name: 'commissions.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from([HEADER, ...rows].join('\n')),
    })
    await page.getByText('Recognized as an export from Dub.').waitFor()
    await page.getByText('3 commissions can be read, 1 row cannot.').waitFor()
    await inspect(page)
    await page.getByRole('button', { name: 'Upload commissions' }).click()
    await page.getByRole('heading', { name: 'Commissions compared' }).waitFor()
    await page.getByText('3 new, 0 changed, 0 as before, 1 with errors.').waitFor()
    await page.getByRole('link', { name: 'View the comparison' }).click()
    const sales = page.getByRole('region', { name: 'Sales' })
    for (const words of ['tax, shipping or fees', 'import the customers'])
      await sales.getByText(words).waitFor()
    await inspect(page)
    await page.getByRole('combobox', { name: 'Result' }).selectOption('different')
    await page.getByRole('button', { name: 'Filter sales' }).click()
    await page
      .getByText('Remove')
      .or(page.getByRole('link', { name: /Remove filter: Result/ }))
      .first()
      .waitFor()
    expect(await sales.getByRole('row').count()).toBe(2)

    await page.getByRole('link', { name: 'Cut over' }).click()
    await page.getByText('$25.46 of 1 partner').waitFor()
    await inspect(page)
    await page.getByRole('button', { name: 'Cut over' }).click()
    await page.getByText('Cut over. The program is live.').waitFor()
    await inspect(page)
  },
)

test('five thousand sales are a page of fifty, with their sums', async () => {
  const merchant = await createMerchant()
  const { workspace, programId } = merchant
  await (await merchant.asManager()).patch(`/programs/${programId}`, { mode: 'shadow' })
  await database.query(
    `with made as (
       insert into platform_commissions (id, workspace_id, program_id, key, state, amount_cents, currency, sale_ids, partner_email, sold_at,
                                         created_at, bucket, compared_at)
       select uuidv7(), $1, $2, 'cm_' || n, 'due', 900 + n, case n % 3 when 0 then 'EUR' else 'USD' end, array['in_' || n],
              'partner-with-a-long-address-' || n || '@partner.example', now() - n * interval '10 minutes', now(), 'row:' || n, now()
       from generate_series(1, 5000) n returning *)
     insert into shadow_comparisons (id, workspace_id, program_id, bucket, platform_commission_id, day, outcome, reason, there_cents, there_currency, compared_at)
     select id, workspace_id, program_id, bucket, id, sold_at::date, 'only_there', 'customer_not_imported', amount_cents, currency, now() from made`,
    [workspace.id, programId],
  )
  const page = await browser.as(await merchant.manager())
  await page.goto(`/app/${workspace.slug}/programs/${programId}/shadow`)
  expect(await page.getByRole('region', { name: 'Sales' }).getByRole('row').count()).toBe(51)
  await inspect(page)
  await page.getByRole('link', { name: 'Next page' }).click()
  expect(await page.getByRole('region', { name: 'Sales' }).getByRole('row').count()).toBe(51)
})
