/**
 * The database roles: one per trust zone, with a password of its own. What each may do is in
 * roles.sql.
 */
import { createHmac, scryptSync } from 'node:crypto'
import pg from 'pg'
import { parseDatabaseUrl, withClient } from './database.ts'

/** The Workers of each trust zone, by their env in wrangler.toml. */
export const ZONES = {
  /** Everybody on the internet reaches them. */
  track: [
    'track-click',
    'track-lead',
    'track-sale',
    'track-refund',
    'track-batch',
    'resend-webhook',
  ],
  /** For people who have signed in, and for API keys of managers. */
  pages: ['dashboard', 'portal', 'manage', 'import-partners', 'import-customers'],
  /** For assistants that people give an API key to: it only reads. */
  read: ['mcp'],
  /** They hold SECRETS_KEY. */
  pay: ['payouts', 'stripe-webhook'],
  auth: ['auth'],
  mail: ['mailer'],
  /**
   * It sends requests to addresses that merchants choose, and holds SECRETS_KEY for what they are
   * signed with.
   */
  hooks: ['webhooks'],
  /** It sends merchants' tokens to other platforms, and holds SECRETS_KEY for them. */
  source: ['import-source'],
} as const satisfies Record<string, readonly string[]>

export type Zone = keyof typeof ZONES

const zones = Object.keys(ZONES) as Zone[]

/** Postgres cuts longer names off. */
const MAX_NAME_BYTES = 63

/**
 * Found by guessing, the password of a role would betray a shorter one of the owner, from which it
 * is derived.
 */
const MIN_OWNER_PASSWORD = 12

/**
 * Managed servers may refuse a password without a lower case letter, an upper case letter, a digit
 * and a sign.
 */
const ALL_KINDS = 'aA1-'

const databaseOf = (databaseUrl: string): string =>
  decodeURIComponent(parseDatabaseUrl(databaseUrl).pathname.slice(1))

/**
 * A zone's role in a database. A server's databases share its roles, so their names differ.
 * @throws when it is too long
 */
export const roleOf = (databaseUrl: string, zone: Zone): string => {
  const role = `${databaseOf(databaseUrl)}_${zone}`
  if (Buffer.byteLength(role) <= MAX_NAME_BYTES) return role
  throw new Error(
    `The name of the database is too long for its roles, such as ${role}. Shorten it.`,
  )
}

const masters = new Map<string, Buffer>()

/** What the passwords are derived from: slowly, so that none of them tells the owner's. */
const masterOf = (ownerPassword: string): Buffer => {
  const master = masters.get(ownerPassword) ?? scryptSync(ownerPassword, 'tributary roles', 32)
  masters.set(ownerPassword, master)
  return master
}

/**
 * The connection string of a zone: the owner's, with the zone's role and password. The password is
 * derived from the owner's, so each deployment, from whatever machine, arrives at the same one, and
 * nobody has to keep it. Changing the owner's password changes them all at the next deployment.
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

/** Whether the owner's password is too short to derive others from. */
export const isWeakOwner = (databaseUrl: string): boolean =>
  decodeURIComponent(parseDatabaseUrl(databaseUrl).password).length < MIN_OWNER_PASSWORD

type Found = { name: string; isPowerful: boolean }

/**
 * Roles made in Neon's console are members of neon_superuser, which may read and write everything.
 */
const FIND = `
  select rolname as name, rolsuper or rolcreaterole or rolcreatedb or rolbypassrls or rolreplication
         or exists (select from pg_auth_members m where m.member = r.oid) as "isPowerful"
  from pg_roles r where rolname = any ($1)`

const isRefused = (databaseUrl: string): Promise<boolean> =>
  withClient(databaseUrl, async () => false).catch(() => true)

/**
 * Creates the roles that are missing, and grants what roles.sql says, in one transaction. An
 * existing role keeps its password, if it is the one that `zoneUrl` says: running Workers don't
 * notice. One caller at a time.
 *
 * @param client connected as the owner of the database
 * @param sql roles.sql
 * @throws when the owner may not create roles, or a role of that name has more rights than it
 *   should
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
      `The role ${powerful.name} may do more than roles.sql says. Drop it, and run this again: it is created anew.`,
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
    // In plain text, because Neon takes no hash. The connection is encrypted.
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
