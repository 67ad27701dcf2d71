import { readFile, rename, writeFile } from 'node:fs/promises'
import { hashApiKey } from '../../lib/auth/api-keys.ts'
import { connect, type DatabaseEnv, type Db } from '../../lib/db/connection.ts'
import { type Seeder, seeder } from './seed.ts'
import { type Place, signIn } from './sign-in.ts'

/** What scripts and tests read from `$DATA_DIR/demo.json`. */
export type Demo = {
  baseUrl: string
  shopUrl: string
  workspace: string
  programId: string
  apiKey: string
  partnerSlug: string
  partnerEmail: string
  /** Complete Cookie headers of people who have signed in. */
  managerCookie: string
  memberCookie: string
  partnerCookie: string
  databaseUrl: string
  sqlEndpoint: string | null
  /** Where the Stripe fake's API is, and what its events are signed with. */
  stripeUrl: string
  stripeWebhookSecret: string
}

type DemoMerchant = Pick<Demo, 'workspace' | 'programId' | 'apiKey' | 'partnerSlug' | 'partnerEmail'>

/** The demo's workspace, by its slug. */
export const WORKSPACE = 'pine-notes'
/** The demo's manager. */
export const MANAGER_EMAIL = 'ada@pine-notes.example'
const MEMBER_EMAIL = 'ben@pine-notes.example'
/** Maya, by the slug of her link. */
export const PARTNER_SLUG = 'maya'
const PARTNER_EMAIL = 'maya@partners.example'

/** Says that everything is up, and where. Whoever waits for the file finds it whole. It holds an API key and the database's password. */
export const writeDemoFile = async (path: string, demo: Demo): Promise<void> => {
  await writeFile(`${path}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

/** Signs the demo's people in, and gives the cookies of their sessions. */
export const signInDemo = async (place: Place) => ({
  managerCookie: await signIn(MANAGER_EMAIL, place),
  memberCookie: await signIn(MEMBER_EMAIL, place),
  partnerCookie: await signIn(PARTNER_EMAIL, place),
})

/** The demo's API key, which is only here in full: the database has its hash. */
const readKey = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined)

/**
 * The demo's merchant: Pine Notes, which pays 20% of a customer's sales in the first year, its partner Maya,
 * and its partner Leo of the group Insiders, who gets 30%, and 5.00 USD for a lead. Made once; only a lost API
 * key is made anew. Ada manages it, and Ben looks on.
 *
 * @param keyFile where the API key is kept between runs
 */
export const ensureDemoMerchant = async (
  env: DatabaseEnv,
  siteUrl: string,
  keyFile: string,
): Promise<DemoMerchant> => {
  const seed = seeder(env)
  const db = connect(env)
  const found = await db
    .selectFrom('workspaces')
    .select('id')
    .where('slug', '=', WORKSPACE)
    .executeTakeFirst()
  const workspaceId = found?.id ?? (await seed.addWorkspace({ slug: WORKSPACE, name: 'Pine Notes' })).id

  await seed.addMember(workspaceId, MANAGER_EMAIL, 'manager')
  await seed.addMember(workspaceId, MEMBER_EMAIL, 'member')

  const program = await db
    .selectFrom('programs')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  const programId = program?.id ?? (await addProgram(seed, workspaceId, siteUrl))
  // The shop may have another port than last time.
  await db.updateTable('programs').set({ site_url: siteUrl }).where('id', '=', programId).execute()

  const known = await readKey(keyFile)
  const apiKey =
    known && (await isLive(db, known)) ? known : await seed.addApiKey(workspaceId, { name: 'demo' })
  await writeFile(keyFile, apiKey, { mode: 0o600 })
  return { workspace: WORKSPACE, programId, apiKey, partnerSlug: PARTNER_SLUG, partnerEmail: PARTNER_EMAIL }
}

const isLive = async (db: Db, key: string): Promise<boolean> => {
  const hash = await hashApiKey(key)
  if (!hash) return false
  const row = await db
    .selectFrom('api_keys')
    .select('id')
    .where('key_hash', '=', hash)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return row !== undefined
}

const addProgram = async (seed: Seeder, workspaceId: string, siteUrl: string): Promise<string> => {
  const programId = await seed.addProgram(workspaceId, {
    name: 'Friends of Pine Notes',
    site_url: siteUrl,
    reward: { percent: 20 },
    reward_duration_months: 12,
  })
  const groupId = await seed.addGroup(workspaceId, programId, {
    name: 'Insiders',
    saleReward: { percent: 30 },
    leadReward: { amountCents: 500n, currency: 'USD' },
  })
  await seed.addPartner(workspaceId, programId, {
    slug: PARTNER_SLUG,
    name: 'Maya Lindqvist',
    email: PARTNER_EMAIL,
  })
  await seed.addPartner(workspaceId, programId, {
    slug: 'leo',
    name: 'Leo Okafor',
    email: 'leo@partners.example',
    groupId,
  })
  return programId
}
