/**
 * The roles of roles.sql, as an owner without superuser rights makes them: Neon's owners have none.
 */
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { isWeakOwner, roleOf, ZONES, type Zone, zoneUrl } from '../../cli/roles.ts'
import { applySchema } from '../../cli/schema.ts'

const DATABASE = 'roles_test'
const OWNER = 'roles_test_owner'
const zones = Object.keys(ZONES) as Zone[]
const server = inject('database').DATABASE_URL
let admin: pg.Client

const ownerUrl = (password: string): string => {
  const url = new URL(server)
  url.username = OWNER
  url.password = password
  url.pathname = `/${DATABASE}`
  return url.href
}
const OLD = ownerUrl('first-password-1')
const NEW = ownerUrl('second-password-2')

const withLogin = async <T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
const ask = (url: string, text: string) =>
  withLogin(url, (client) => client.query(text)).then(
    () => 'done',
    ({ code }) => code,
  )

beforeAll(async () => {
  admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await admin.query(`create role ${OWNER} login createrole password 'first-password-1'`)
  await admin.query(`create database ${DATABASE} owner ${OWNER}`)
})
afterAll(async () => {
  await admin.query(`drop database ${DATABASE} with (force)`)
  for (const zone of zones) await admin.query(`drop role if exists ${roleOf(OLD, zone)}`)
  await admin.query(`drop role ${OWNER}`)
  await admin.end()
})

test('concurrent runs create each role once, and every zone can sign in', async () => {
  const runs = await Promise.all(Array.from({ length: 4 }, () => applySchema(OLD)))
  expect(runs.flat()).toEqual(['schema.sql'])
  for (const zone of zones) expect(await ask(zoneUrl(OLD, zone), 'select 1')).toBe('done')
  expect(await ask(zoneUrl(OLD, 'pages'), 'select * from partners')).toBe('done')
  expect(await ask(zoneUrl(OLD, 'track'), 'select * from partners')).toBe('42501')
})

test('a list of 50 rows neither allocates memory for all rows of its workspace, nor is compiled for them', async () => {
  for (const zone of ['pages', 'read'] as const) {
    const { rows } = await withLogin(zoneUrl(OLD, zone), (client) =>
      client.query(
        `select current_setting('enable_memoize') as memoize, current_setting('jit') as jit`,
      ),
    )
    expect(rows).toEqual([{ memoize: 'off', jit: 'off' }])
  }
})

test('a repeated run leaves the passwords of running Workers, and takes back what was granted beyond roles.sql', async () => {
  const passwords = () =>
    admin.query('select rolname, rolpassword from pg_authid where rolname = any ($1) order by 1', [
      zones.map((zone) => roleOf(OLD, zone)),
    ])
  const before = await passwords()
  expect(
    await ask(
      OLD,
      `grant all on sign_in.users to ${roleOf(OLD, 'track')}; grant usage on schema sign_in to public`,
    ),
  ).toBe('done')
  expect(await ask(OLD, `revoke all on partners from ${roleOf(OLD, 'pages')}`)).toBe('done')
  expect(await ask(zoneUrl(OLD, 'track'), 'select * from sign_in.users')).toBe('done')

  expect(await applySchema(OLD)).toEqual([])
  expect((await passwords()).rows).toEqual(before.rows)
  expect(await ask(zoneUrl(OLD, 'track'), 'select * from sign_in.users')).toBe('42501')
  expect(await ask(zoneUrl(OLD, 'pages'), 'select * from partners')).toBe('done')
})

test('a changed password of the owner changes those of the roles', async () => {
  await admin.query(`alter role ${OWNER} password 'second-password-2'`)
  expect(zoneUrl(NEW, 'pages')).not.toBe(zoneUrl(OLD, 'pages'))
  await applySchema(NEW)
  expect(await ask(zoneUrl(NEW, 'pages'), 'select * from partners')).toBe('done')
  expect(await ask(zoneUrl(OLD, 'pages'), 'select 1')).toBe('28P01')
})

test('a role that may do more, such as one made in Neon’s console, is refused', async () => {
  const role = roleOf(NEW, 'mail')
  await admin.query(`grant pg_read_all_data to ${role}`)
  await expect(applySchema(NEW)).rejects.toThrow(
    `The role ${role} has more rights than roles.sql grants. Drop it`,
  )
  await admin.query(`revoke pg_read_all_data from ${role}`)
  expect(await applySchema(NEW)).toEqual([])
})

test('an owner who may not create roles is told so', async () => {
  await admin.query(`alter role ${OWNER} nocreaterole`)
  const role = roleOf(NEW, 'mail')
  await withLogin(server.replace(/\/[^/]*$/, `/${DATABASE}`), (client) =>
    client.query(`drop owned by ${role}; drop role ${role}`),
  )
  await expect(applySchema(NEW)).rejects.toThrow('have the attribute CREATEROLE')
  await admin.query(`alter role ${OWNER} createrole`)
  await applySchema(NEW)
  expect(await ask(zoneUrl(NEW, 'mail'), 'select * from mails')).toBe('done')
})

test('passwords have what Neon asks for, and nobody can tell one from another', () => {
  const urls = zones.map((zone) => new URL(zoneUrl(NEW, zone)).password)
  expect(new Set(urls).size).toBe(zones.length)
  for (const password of urls) {
    expect(password.length).toBeGreaterThanOrEqual(43)
    for (const kind of [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z0-9]/]) expect(password).toMatch(kind)
    expect(password).toBe(encodeURIComponent(password))
  }
  expect([isWeakOwner('postgresql://o:short@h/d'), isWeakOwner(NEW)]).toEqual([true, false])
  expect(() => roleOf(`postgresql://o:p@h/${'d'.repeat(60)}`, 'track')).toThrow('too long')
})
