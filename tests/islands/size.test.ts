// @module-tag thorough
import { expect, test } from 'vitest'
import { choose, page, press, service, step, text, useImportPage } from './visit.ts'

useImportPage()

const ROWS = 50_000

test('fifty thousand rows import, with a progress bar', async () => {
  const lines = Array.from(
    { length: ROWS },
    (_, n) => `cus_${n},p${n % 20_000}@example.com,"Partner\n${n}",Name,slug-${n % 20_000}\n`,
  )
  await choose('big.csv', `stripe_customer_id,email,first_name,last_name,token\n${lines.join('')}`)
  await step('Columns')
  expect(await text()).toContain('big.csv: 50,000 rows.')
  await press('Preview import')
  await page.getByRole('progressbar').waitFor()
  await step('Import preview')
  expect(await text()).toContain('Partners 20,000 new. Customers 50,000 new.')
  await press('Import 20,000 new partners and 50,000 customers into Pine & Co')
  await step('Import complete')
  expect(await text()).toContain('Partners 20,000 imported. Customers 50,000 imported.')
  expect(service.state.partners.size).toBe(20_000)
  expect(service.state.customers.size).toBe(ROWS)
})
