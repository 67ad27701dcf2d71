import { readFile, rename, writeFile } from 'node:fs/promises'
import { hashApiKey } from '../../lib/auth/keys/api-keys.ts'
import { connect, type Db } from '../../lib/db/connection.ts'
import type { DatabaseEnv } from '../../lib/db/neon.ts'
import { type Seeder, seeder } from './seed.ts'
import { type Place, signIn } from './sign-in.ts'

/** The content of `$DATA_DIR/demo.json`, for scripts and tests. */
export type Demo = {
  baseUrl: string
  shopUrl: string
  workspace: string
  programId: string
  apiKey: string
  partnerSlug: string
  partnerEmail: string
  /** Cookie headers of signed-in people. */
  managerCookie: string
  memberCookie: string
  partnerCookie: string
  databaseUrl: string
  sqlEndpoint: string | null
  /** The Stripe fake's API, and its webhook signing secret. */
  stripeUrl: string
  stripeWebhookSecret: string
}

type DemoMerchant = Pick<
  Demo,
  'workspace' | 'programId' | 'apiKey' | 'partnerSlug' | 'partnerEmail'
>

/** The slug of the demo's workspace. */
export const WORKSPACE = 'pine-notes'
/** The demo's manager. */
export const MANAGER_EMAIL = 'ada@pine-notes.example'
/** And its member. */
export const MEMBER_EMAIL = 'ben@pine-notes.example'
/** The slug of Maya's link. */
export const PARTNER_SLUG = 'maya'
const PARTNER_EMAIL = 'maya@partners.example'

/**
 * Writes demo.json, atomically, with mode 600: it contains an API key and the database's password.
 */
export const writeDemoFile = async (path: string, demo: Demo): Promise<void> => {
  await writeFile(`${path}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

/** Signs the demo's people in. @returns their session cookies */
export const signInDemo = async (place: Place) => {
  const emails = [MANAGER_EMAIL, MEMBER_EMAIL, PARTNER_EMAIL]
  const [managerCookie = '', memberCookie = '', partnerCookie = ''] = await Promise.all(
    emails.map((email) => signIn(email, place)),
  )
  return { managerCookie, memberCookie, partnerCookie }
}

/** The demo's API key. The database has only its hash. */
const readKey = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch(() => undefined)

/**
 * Creates the demo's merchant, Pine Notes, if it is missing. It pays its partner Maya 20% of a
 * customer's sales in the first year, and its partner Leo, of the group Insiders, 30% and 5.00 USD
 * per lead. Ada is its manager, Ben a member. It also pays by bank transfer. A lost API key is
 * replaced.
 *
 * @param keyFile keeps the API key between runs
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
  const workspaceId =
    found?.id ??
    (await seed.addWorkspace({ slug: WORKSPACE, name: 'Pine Notes', manualPayouts: true })).id

  await seed.addMember(workspaceId, MANAGER_EMAIL, 'manager')
  await seed.addMember(workspaceId, MEMBER_EMAIL, 'member')

  const program = await db
    .selectFrom('programs')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst()
  const programId = program?.id ?? (await addProgram(seed, workspaceId, siteUrl))
  // The shop's port may have changed since the last run.
  await db.updateTable('programs').set({ site_url: siteUrl }).where('id', '=', programId).execute()

  const known = await readKey(keyFile)
  const apiKey =
    known && (await isLive(db, known)) ? known : await seed.addApiKey(workspaceId, { name: 'demo' })
  await writeFile(keyFile, apiKey, { mode: 0o600 })
  return {
    workspace: WORKSPACE,
    programId,
    apiKey,
    partnerSlug: PARTNER_SLUG,
    partnerEmail: PARTNER_EMAIL,
  }
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
    // The shop reports its renewals itself, and a click ends before a year.
    attribute_known_customers: true,
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
