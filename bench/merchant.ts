/** The merchant whose calls are measured. */
import pg from 'pg'
import { seeder } from '../dev/demo/seed.ts'
import type { DatabaseEnv } from '../lib/db/neon.ts'
import type { Rule } from '../lib/rules/rewards/rewards.ts'
import { post } from './measure.ts'

/**
 * Different in each run, because a database that was filled before has the sales of earlier ones.
 */
const RUN = `bench-${Date.now().toString(36)}`
const PARTNER = `${RUN}-partner`

/** The bindings of a Worker that reads the database. */
export type Bindings = Required<DatabaseEnv>

/** Creates a merchant with one partner, in a database that has the schema. */
export const createMerchant = async (bindings: Bindings, rules?: Rule[]) => {
  const seed = seeder(bindings)
  const { id: workspaceId } = await seed.addWorkspace()
  const programId = await seed.addProgram(workspaceId, {
    reward_duration_months: 12,
    reward: { percent: 20, ...(rules && { rules }) },
  })
  return withPartner(bindings, workspaceId, programId)
}

/** The merchant of a workspace that was filled before. */
export const findMerchant = async (bindings: Bindings, slug: string) => {
  const client = new pg.Client({ connectionString: bindings.DATABASE_URL })
  await client.connect()
  const { rows } = await client.query<{ workspaceId: string; programId: string }>(
    `select w.id as "workspaceId", g.id as "programId" from workspaces w join programs g on g.workspace_id = w.id where w.slug = $1`,
    [slug],
  )
  await client.end()
  if (!rows[0]) throw new Error(`The database has no workspace "${slug}".`)
  return withPartner(bindings, rows[0].workspaceId, rows[0].programId)
}

const withPartner = async (bindings: Bindings, workspaceId: string, programId: string) => {
  const seed = seeder(bindings)
  await seed.addPartner(workspaceId, programId, { slug: PARTNER })
  /** The headers of a backend with its own API key, so that the rate limit per key stops nobody. */
  const addBackend = async () => ({ Authorization: `Bearer ${await seed.addApiKey(workspaceId)}` })
  return { workspaceId, programId, bindings, headers: await addBackend(), addBackend }
}

export type Merchant = Awaited<ReturnType<typeof createMerchant>>

let serial = 0
/** A sale to a new customer, which is the most work: event, customer and commission. */
export const newSale = (clickId: unknown) => {
  serial++
  return {
    externalId: `${RUN}-${serial}`,
    customerExternalId: `${RUN}-customer-${serial}`,
    amountCents: 4_900,
    clickId,
  }
}

/** Ten rules, of which the last three decide the lines of `newSaleOfLines`. */
export const TEN_RULES = Array.from(
  { length: 10 },
  (_, i): Rule => ({
    name: `Rule ${i}`,
    when: { all: [{ fact: 'product', in: [`product-${i}`] }] },
    pay: { kind: 'percent', basisPoints: 1_000 + i },
  }),
)

/** The same as `newSale`, of three lines. */
const newSaleOfLines = (clickId: unknown) => ({
  ...newSale(clickId),
  lines: [7, 8, 9].map((product, i) => ({
    productId: `product-${product}`,
    amountCents: [2_900, 1_500, 500][i],
  })),
})

/** Records a click, as the snippet does. @returns its id */
export const newClick = async (origin: URL, { programId }: Merchant): Promise<unknown> => {
  const { body } = await post(new URL('/api/track/click', origin), { programId, slug: PARTNER })
  return body.clickId
}

/**
 * Reports sales to new customers, all of one click.
 * @param origin of the router or of track-sale
 */
export const sales = (
  origin: URL,
  headers: Record<string, string>,
  clickId: unknown,
  hasLines = false,
) => {
  const url = new URL('/api/track/sale', origin)
  const next = hasLines ? newSaleOfLines : newSale
  return () => post(url, next(clickId), headers)
}
