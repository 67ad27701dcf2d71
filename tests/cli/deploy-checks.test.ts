/** What `npm run deploy` refuses before it changes anything. */

import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { parseEnv } from 'node:util'
import { expect, inject, test } from 'vitest'
import { findProblems, findSettingsProblems } from '../../cli/deploy-checks.ts'
import { deploymentOrder } from '../../cli/deployments.ts'
import { ROOT } from '../../dev/root.ts'

const SETTINGS = {
  DATABASE_URL:
    'postgresql://neondb_owner:npg_Abc123Def456@ep-x-pooler.eu-central-1.aws.neon.tech/neondb',
  AUTH_SECRET: 'a'.repeat(32),
  SECRETS_KEY: 's'.repeat(32),
  RESEND_API_KEY: 're_1',
  MAIL_FROM: 'Acme <partners@acme.com>',
  PUBLIC_URL: 'https://track.acme.com',
  OWNER_EMAIL: 'ada@acme.com',
}

const problemsWith = (changed: Record<string, string>) =>
  findSettingsProblems({ ...SETTINGS, ...changed }, deploymentOrder())

const problemsAt = (DATABASE_URL: string) =>
  findProblems({ ...SETTINGS, DATABASE_URL }, deploymentOrder())

const url = (host: string, password = 'npg_Abc123Def456') =>
  `postgresql://owner:${password}@${host}/neondb`

test.each<{ case: string; set: Record<string, string>; says: string }>([
  { case: 'no database', set: { DATABASE_URL: '' }, says: 'DATABASE_URL is missing.' },
  {
    case: 'no Postgres',
    set: { DATABASE_URL: 'https://neon.tech' },
    says: 'is not a Postgres address',
  },
  {
    case: 'the database of the example',
    set: { DATABASE_URL: url('ep-example.eu-central-1.aws.neon.tech', 'password') },
    says: 'DATABASE_URL is still the example.',
  },
  {
    case: 'a short password of the owner',
    set: { DATABASE_URL: url('ep-x-pooler.eu-central-1.aws.neon.tech', 'short') },
    says: 'The password in DATABASE_URL has fewer than 12 characters',
  },
  {
    case: 'the direct host',
    set: { DATABASE_URL: url('ep-x.c-2.eu-central-1.aws.neon.tech') },
    says: 'Use the pooled one: ep-x-pooler.c-2.eu-central-1.aws.neon.tech.',
  },
  {
    case: 'a region that no Worker is near',
    set: { DATABASE_URL: url('ep-x-pooler.eastus2.azure.neon.tech') },
    says: 'DATABASE_URL is not in an AWS region',
  },
  { case: 'no AUTH_SECRET', set: { AUTH_SECRET: '' }, says: 'AUTH_SECRET is missing.' },
  {
    case: 'a short AUTH_SECRET',
    set: { AUTH_SECRET: 'a'.repeat(31) },
    says: 'AUTH_SECRET is shorter than 32',
  },
  { case: 'no SECRETS_KEY', set: { SECRETS_KEY: '' }, says: 'SECRETS_KEY is missing.' },
  {
    case: 'a short former key',
    set: { SECRETS_KEY: `${'s'.repeat(32)},short` },
    says: 'SECRETS_KEY, or one of its keys, is shorter than 32',
  },
  {
    case: 'no transport',
    set: { RESEND_API_KEY: '' },
    says: 'Set RESEND_API_KEY, or CLOUDFLARE_EMAIL to true',
  },
  { case: 'no sender', set: { MAIL_FROM: '' }, says: 'MAIL_FROM is missing.' },
  { case: 'no address in it', set: { MAIL_FROM: 'Acme' }, says: 'MAIL_FROM is not a sender' },
  {
    case: 'the sender of the example',
    set: { MAIL_FROM: 'Tributary <tributary@example.com>' },
    says: 'MAIL_FROM is still an example.',
  },
  { case: 'no owner', set: { OWNER_EMAIL: '' }, says: 'OWNER_EMAIL is missing.' },
  {
    case: 'a name as the owner',
    set: { OWNER_EMAIL: 'Ada' },
    says: 'OWNER_EMAIL is not an email address',
  },
  {
    case: 'the owner of the example',
    set: { OWNER_EMAIL: 'you@example.com' },
    says: 'OWNER_EMAIL is still an example.',
  },
  { case: 'no public address', set: { PUBLIC_URL: '' }, says: 'PUBLIC_URL is missing.' },
  {
    case: 'one without https',
    set: { PUBLIC_URL: 'http://track.acme.com' },
    says: 'PUBLIC_URL is not an address',
  },
  {
    case: 'one with a path',
    set: { PUBLIC_URL: 'https://acme.com/app' },
    says: 'PUBLIC_URL is not an address',
  },
  {
    case: 'a host alone',
    set: { PUBLIC_URL: 'track.acme.com' },
    says: 'PUBLIC_URL is not an address',
  },
  {
    case: 'the public address of the example',
    set: { PUBLIC_URL: 'https://track.example.com' },
    says: 'PUBLIC_URL is still an example.',
  },
  {
    case: 'another Worker’s address',
    set: { PUBLIC_URL: 'https://tributary.acme.workers.dev' },
    says: 'PUBLIC_URL is not the address of the router',
  },
  {
    case: 'the router’s address of another installation',
    set: { INSTALLATION: 'acme', PUBLIC_URL: 'https://tributary-router.acme.workers.dev' },
    says: 'the address of the router, https://acme-router.',
  },
  {
    case: 'a public address that no route covers',
    set: { ROUTES: 'acme.com/track/*, other.acme.com' },
    says: 'Add track.acme.com to them',
  },
  {
    case: 'a name that no Worker can have',
    set: { INSTALLATION: 'Acme Ltd' },
    says: 'INSTALLATION is not a name',
  },
  {
    case: 'a bulk sender without an address',
    set: { MAIL_FROM_BULK: 'Acme' },
    says: 'MAIL_FROM_BULK is not a sender',
  },
  {
    case: 'an API key instead of a webhook’s secret',
    set: { RESEND_WEBHOOK_SECRET: 're_123' },
    says: 'RESEND_WEBHOOK_SECRET is not the signing secret',
  },
  {
    case: 'MAX_FETCHES in words',
    set: { MAX_FETCHES: 'many' },
    says: 'MAX_FETCHES is not a whole number',
  },
  {
    case: 'crons every 7 minutes',
    set: { CRON_MINUTES: '7' },
    says: 'CRON_MINUTES is none of 1, 2,',
  },
  {
    case: 'webhooks to the own machine',
    set: { ALLOW_LOCAL_WEBHOOKS: 'true' },
    says: 'ALLOW_LOCAL_WEBHOOKS is for your own machine only.',
  },
  { case: 'a misspelled name', set: { MAILFROM: 'x' }, says: 'MAILFROM is not a setting.' },
])('$case is refused, with one line', ({ set, says }) => {
  expect(problemsWith(set)).toEqual([expect.stringContaining(says)])
})

test.each<{ case: string; set: Record<string, string> }>([
  { case: 'a domain and Resend', set: {} },
  { case: 'Cloudflare’s mail', set: { RESEND_API_KEY: '', CLOUDFLARE_EMAIL: 'true' } },
  { case: 'workers.dev', set: { PUBLIC_URL: 'https://tributary-router.acme.workers.dev' } },
  { case: 'a route of an existing host', set: { ROUTES: 'track.acme.com/*' } },
  { case: 'a route of all hosts', set: { ROUTES: 'other.com, *.acme.com/*' } },
  {
    case: 'another installation in the account',
    set: { INSTALLATION: 'acme', PUBLIC_URL: 'https://acme-router.acme.workers.dev' },
  },
  { case: 'a sender without a name', set: { MAIL_FROM: 'partners@acme.com' } },
  {
    case: 'a paid plan',
    set: { MAX_FETCHES: '9000', CLICK_RETENTION_DAYS: '60', ALLOW_SIGNUP: 'true' },
  },
  { case: 'keys that are rotated', set: { SECRETS_KEY: `${'s'.repeat(32)},${'t'.repeat(32)}` } },
])('$case is accepted', ({ set }) => {
  expect(problemsWith(set)).toEqual([])
})

test('the example is refused, for each setting that must be filled in and no other', () => {
  const example = parseEnv(readFileSync(`${ROOT}.dev.vars.example`, 'utf8'))
  expect(findSettingsProblems(example, deploymentOrder()).map((line) => line.slice(0, 26))).toEqual(
    [
      'SECRETS_KEY is missing. Se',
      'AUTH_SECRET is missing. Se',
      'Nobody could sign in, beca',
      'DATABASE_URL is still the ',
      'OWNER_EMAIL is still an ex',
      'MAIL_FROM is still an exam',
      'PUBLIC_URL is still an exa',
    ],
  )
})

test('everything that is wrong is said at once', () => {
  expect(
    problemsWith({ AUTH_SECRET: '', RESEND_API_KEY: '', PUBLIC_URL: 'x', MAX_FETCHES: '-1' }),
  ).toHaveLength(4)
})

/** One message of Postgres' protocol: its type, its length, its content. */
const message = (type: string, content: Buffer) => {
  const length = Buffer.alloc(4)
  length.writeInt32BE(content.length + 4)
  return Buffer.concat([Buffer.from(type), length, content])
}

/** A server that lets everybody in and answers every query with this text. */
const startServer = async (text: string) => {
  const ready = message('Z', Buffer.from('I'))
  const column = Buffer.concat([
    Buffer.from('\0\x01version\0'),
    Buffer.alloc(6),
    Buffer.from([0, 0, 0, 25]),
    Buffer.alloc(8),
  ])
  const row = Buffer.concat([Buffer.from([0, 1, 0, 0, 0, text.length]), Buffer.from(text)])
  const answer = [
    message('T', column),
    message('D', row),
    message('C', Buffer.from('SELECT 1\0')),
    ready,
  ]
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', Buffer.alloc(4)), ready]))
      socket.on('data', (sent) =>
        sent[0] === 0x51 ? socket.write(Buffer.concat(answer)) : socket.end(),
      )
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: url(`127.0.0.1:${port}`), stop: () => server.close() }
}

test.each([
  {
    version: '170005',
    says: [expect.stringContaining('runs Postgres 17. Create a Neon project with Postgres 18')],
  },
  { version: '180000', says: [] },
  { version: '190001', says: [] },
])('a server of version $version', async ({ version, says }) => {
  const server = await startServer(version)
  expect(await problemsAt(server.url)).toEqual(says)
  server.stop()
})

test('a server that cannot be reached is refused, and the real one is not', async () => {
  expect(await problemsAt(url('127.0.0.1:1'))).toEqual([expect.stringContaining('Cannot connect')])
  expect(await problemsAt(inject('database').DATABASE_URL)).toEqual([])
})
