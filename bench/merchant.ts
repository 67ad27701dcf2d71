/** The merchant whose calls are measured. */
import { seeder } from '../dev/demo/seed.ts'
import type { DatabaseEnv } from '../lib/db/neon.ts'
import { post } from './measure.ts'

/** The bindings of a Worker that reads the database. */
export type Bindings = Required<DatabaseEnv>

/** Creates a merchant with one partner, in a database that has the schema. */
export const createMerchant = async (bindings: Bindings) => {
  const seed = seeder(bindings)
  const { id: workspaceId } = await seed.addWorkspace()
  const programId = await seed.addProgram(workspaceId, { reward_duration_months: 12 })
  await seed.addPartner(workspaceId, programId, { slug: 'maya' })
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
    externalId: `bench-${serial}`,
    customerExternalId: `bench-customer-${serial}`,
    amountCents: 4_900,
    clickId,
  }
}

/** Records a click, as the snippet does. @returns its id */
export const newClick = async (origin: URL, { programId }: Merchant): Promise<unknown> => {
  const { body } = await post(new URL('/api/track/click', origin), { programId, slug: 'maya' })
  return body.clickId
}

/** Reports sales to new customers, all of one click. @param origin of the router or of track-sale */
export const sales = (origin: URL, headers: Record<string, string>, clickId: unknown) => {
  const url = new URL('/api/track/sale', origin)
  return () => post(url, newSale(clickId), headers)
}
