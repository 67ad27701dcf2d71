import { seeder } from '../dev/demo/seed.ts'
import { signIn } from '../dev/demo/sign-in.ts'
import { startInbox } from '../dev/fakes/inbox.ts'
import { launchBrowser } from '../dev/runtime/browser.ts'
import { bundleWorkers } from '../dev/runtime/bundles.ts'
import { startWorkers } from '../dev/runtime/workers.ts'
import { partnerCalls } from '../islands/import/rules/reading/chunks.ts'
import type { FilePartner } from '../islands/import/rules/reading/records.ts'
import type { DatabaseEnv } from '../lib/db/neon.ts'

const ROWS = 50_000

/** The import of so many rows takes a minute on a slow machine. */
const TIMEOUT_MS = 300_000

const SECRET = 'only-for-the-bench-and-known-to-anybody-who-reads'

/**
 * @returns the milliseconds in which the rules of the import page split 50,000 partners into calls
 */
export const measureChunks = (): number => {
  const rows = Array.from({ length: ROWS }, (_, n): FilePartner => {
    const own = {
      email: `p${n}@example.com`,
      slug: `slug-${n}`,
      couponId: `c${n % 40_000}`,
      lines: [n + 2],
    }
    return { ...own, balanceProblem: null, otherSlugs: [], otherCoupons: [], problem: null }
  })
  const before = performance.now()
  partnerCalls(rows)
  return performance.now() - before
}

/** The Workers, and a manager of a new workspace who has signed in. */
const startSite = async (database: DatabaseEnv) => {
  const inbox = await startInbox()
  const settings = {
    ...database,
    AUTH_SECRET: SECRET,
    SECRETS_KEY: SECRET,
    RESEND_API_KEY: 're_bench',
    RESEND_URL: inbox.url,
  }
  const workers = await startWorkers(settings, await bundleWorkers())
  const seed = seeder(database)
  const { id, slug } = await seed.addWorkspace()
  await seed.addProgram(id)
  const email = `manager@${slug}.example`
  await seed.addMember(id, email)
  const baseUrl = workers.url.origin
  return {
    pageUrl: `${baseUrl}/app/${slug}/import`,
    cookie: await signIn(email, { baseUrl, inboxUrl: inbox.url }),
    stop: async () => {
      await workers.stop()
      await inbox.stop()
    },
  }
}

/** A file of 50,000 customers, of 20,000 partners. */
const bigFile = (): Buffer => {
  const line = (_: unknown, n: number) =>
    `cus_${n},p${n % 20_000}@example.com,"Partner\n${n}",Name,slug-${n % 20_000}\n`
  const lines = Array.from({ length: ROWS }, line)
  return Buffer.from(`stripe_customer_id,email,first_name,last_name,token\n${lines.join('')}`)
}

/**
 * @returns the longest time in which the page did not respond while it imported 50,000 rows, in
 *   milliseconds
 */
export const measureFreeze = async (database: DatabaseEnv): Promise<number> => {
  const site = await startSite(database)
  const browser = await launchBrowser()
  try {
    const page = await browser.newPage({ extraHTTPHeaders: { Cookie: site.cookie } })
    page.setDefaultTimeout(TIMEOUT_MS)
    await page.goto(site.pageUrl)
    await page.evaluate(`{
      self.longest = 0
      new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) self.longest = Math.max(self.longest, duration)
      }).observe({ type: 'longtask' })
    }`)
    await page
      .getByLabel('CSV file')
      .setInputFiles({ name: 'big.csv', mimeType: 'text/csv', buffer: bigFile() })
    for (const name of ['Review file', 'Preview import', /^Import 20,000/]) {
      await page.getByRole('button', { name }).click()
    }
    await page.getByRole('heading', { name: 'Import complete' }).waitFor()
    return await page.evaluate<number>('self.longest')
  } finally {
    await browser.close()
    await site.stop()
  }
}
