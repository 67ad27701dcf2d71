/**
 * The database roles: one per trust zone, each with its own password. roles.sql grants their
 * rights.
 */
import { createHmac, scryptSync } from 'node:crypto'
import pg from 'pg'
import { parseDatabaseUrl, withClient } from './database.ts'

/** The Workers of each trust zone, by their env in wrangler.toml. */
export const ZONES = {
  /** Reachable by everybody on the internet. */
  track: [
    'track-click',
    'track-lead',
    'track-sale',
    'track-refund',
    'track-batch',
    'resend-webhook',
  ],
  /** For signed-in people, and for API keys. */
  pages: ['dashboard', 'portal', 'manage', 'import-partners', 'import-customers'],
  /** For assistants with an API key. Only reads. */
  read: ['mcp'],
  /** Has SECRETS_KEY. */
  pay: ['payouts', 'stripe-webhook'],
  auth: ['auth'],
  mail: ['mailer'],
  /**
   * Sends requests to addresses that merchants choose, and has SECRETS_KEY for their signing
   * secrets.
   */
  hooks: ['webhooks'],
  /** Sends merchants' tokens to other platforms, and has SECRETS_KEY for them. */
  source: ['import-source'],
} as const satisfies Record<string, readonly string[]>

export type Zone = keyof typeof ZONES

const zones = Object.keys(ZONES) as Zone[]

/** Postgres truncates longer names. */
const MAX_NAME_BYTES = 63

/**
 * A guessed password of a role would reveal a short password of the owner, from which it is
 * derived.
 */
const MIN_OWNER_PASSWORD = 12

/** Managed servers may require a lower case letter, an upper case letter, a digit and a sign. */
const ALL_KINDS = 'aA1-'

const databaseOf = (databaseUrl: string): string =>
  decodeURIComponent(parseDatabaseUrl(databaseUrl).pathname.slice(1))

/**
 * A zone's role in a database. Databases of a server share roles, so the names differ. @throws if
 * it is too long
 */
export const roleOf = (databaseUrl: string, zone: Zone): string => {
  const role = `${databaseOf(databaseUrl)}_${zone}`
  if (Buffer.byteLength(role) <= MAX_NAME_BYTES) return role
  throw new Error(
    `The name of the database is too long for its roles, such as ${role}. Shorten it.`,
  )
}

const masters = new Map<string, Buffer>()

/** The key of the passwords, derived slowly, so that no password reveals the owner's. */
const masterOf = (ownerPassword: string): Buffer => {
  const master = masters.get(ownerPassword) ?? scryptSync(ownerPassword, 'tributary roles', 32)
  masters.set(ownerPassword, master)
  return master
}

/**
 * The connection string of a zone, with its role and password. The password is derived from the
 * owner's, so that every deployment computes the same one, and nobody has to store it. A new
 * password of the owner changes all of them at the next deployment.
 */
export const zoneUrl = (databaseUrl: string, zone: Zone): string => {
  const url = parseDatabaseUrl(databaseUrl)
  const role = roleOf(databaseUrl, zone)
  const derived = createHmac('sha256', masterOf(decodeURIComponent(url.password)))
    .update(role)
    .digest('base64url')
  url.username = encodeURIComponent(role)
  url.password = `${ALL_KINDS}${derived}`
  return url.href
}

/** The connection string of a Worker. @param databaseUrl the owner's */
export const workerUrl = (databaseUrl: string, env: string): string => {
  const zone = zones.find((name) => (ZONES[name] as readonly string[]).includes(env))
  if (zone) return zoneUrl(databaseUrl, zone)
  throw new Error(`The Worker ${env} belongs to no zone. Add it to ZONES in cli/roles.ts.`)
}

export const isWeakOwner = (databaseUrl: string): boolean =>
  decodeURIComponent(parseDatabaseUrl(databaseUrl).password).length < MIN_OWNER_PASSWORD

type Found = { name: string; isPowerful: boolean }

/**
 * Roles that were created in Neon's console are members of neon_superuser, which may do everything.
 */
const FIND = `
  select rolname as name, rolsuper or rolcreaterole or rolcreatedb or rolbypassrls or rolreplication
         or exists (select from pg_auth_members m where m.member = r.oid) as "isPowerful"
  from pg_roles r where rolname = any ($1)`

const isRefused = (databaseUrl: string): Promise<boolean> =>
  withClient(databaseUrl, async () => false).catch(() => true)

/**
 * Creates missing roles, and applies the grants of roles.sql, in one transaction. Existing roles
 * keep a password that is as in `zoneUrl`, so running Workers are not affected. Not concurrently.
 *
 * @param client connected as the owner of the database
 * @param sql roles.sql
 * @throws if the owner may not create roles, or a role has more rights than it should
 */
export const applyRoles = async (
  client: pg.Client,
  databaseUrl: string,
  sql: string,
): Promise<void> => {
  const roles = zones.map((zone) => ({
    zone,
    name: roleOf(databaseUrl, zone),
    url: zoneUrl(databaseUrl, zone),
  }))
  const { rows: found } = await client.query<Found>(FIND, [roles.map(({ name }) => name)])
  const powerful = found.find(({ isPowerful }) => isPowerful)
  if (powerful) {
    throw new Error(
      `The role ${powerful.name} has more rights than roles.sql grants. Drop it, and run this command again, which creates it.`,
    )
  }
  const known = new Set(found.map(({ name }) => name))
  const refused = await Promise.all(
    roles.map(async ({ name, url }) => known.has(name) && (await isRefused(url))),
  )
  const identifiers = new Map(
    roles.map(({ zone, name }) => [`:"${zone}"`, pg.escapeIdentifier(name)]),
  )
  await client.query('begin')
  for (const [at, { name, url }] of roles.entries()) {
    if (known.has(name) && !refused[at]) continue
    // In plain text, because Neon accepts no hash. The connection is encrypted.
    const login = `login noinherit password ${pg.escapeLiteral(new URL(url).password)}`
    await client.query(
      `${known.has(name) ? 'alter' : 'create'} role ${pg.escapeIdentifier(name)} ${login}`,
    )
  }
  await client.query(
    `revoke temporary on database ${pg.escapeIdentifier(databaseOf(databaseUrl))} from public`,
  )
  await client.query(sql.replace(/:"\w+"/g, (variable) => identifiers.get(variable) ?? variable))
  await client.query('commit')
}
