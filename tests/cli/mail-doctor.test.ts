// @module-tag thorough
/**
 * `npm run doctor -- --mail`: what it says of records that are right, and of those that are not.
 */
import { execFile } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type MailResolver, readMailRecords } from '../../cli/mail-records.ts'
import { domainOf, reportOnMail } from '../../cli/mail-report.ts'
import { ROOT } from '../../dev/root.ts'

type Zone = Record<string, string[] | string>

/** A resolver of these records: TXT by name, MX as `MX name`; a text is the code of an error. */
const resolverOf = (zone: Zone): MailResolver => {
  const read = (key: string): string[] => {
    const found = zone[key] ?? []
    if (typeof found === 'string') throw Object.assign(new Error(found), { code: found })
    if (found.length === 0) throw Object.assign(new Error('none'), { code: 'ENODATA' })
    return found
  }
  return {
    // A long record comes in parts.
    resolveTxt: async (name) => read(name).map((text) => [text.slice(0, 20), text.slice(20)]),
    resolveMx: async (name) => read(`MX ${name}`).map((exchange) => ({ exchange, priority: 10 })),
  }
}

const DMARC = 'v=DMARC1; p=none; rua=mailto:dmarc@shop.example'
const RESEND: Zone = {
  'send.mail.shop.example': ['google-site-verification=x', 'v=spf1 include:amazonses.com ~all'],
  'resend._domainkey.mail.shop.example': ['p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCB'],
  'MX send.mail.shop.example': ['feedback-smtp.eu-west-1.amazonses.com'],
  '_dmarc.mail.shop.example': [DMARC],
}
const CLOUDFLARE: Zone = {
  'cf-bounce.mail.shop.example': ['v=spf1 include:_spf.mx.cloudflare.net ~all'],
  'cf-bounce._domainkey.mail.shop.example': ['v=DKIM1; h=sha256; k=rsa; p=MIIB'],
  'MX cf-bounce.mail.shop.example': ['route1.mx.cloudflare.net'],
  '_dmarc.shop.example': ['v=DMARC1; p=reject; rua=mailto:a@shop.example'],
}

const check = async (zone: Zone) => {
  const records = await readMailRecords(resolverOf(zone), 'mail.shop.example', [
    'resend',
    'cloudflare',
  ])
  return reportOnMail(records)
}
const states = async (zone: Zone) =>
  (await check(zone)).map(({ state, name }) => `${state} ${name}`)
const ALL_OK = ['ok SPF', 'ok DKIM', 'ok Bounces', 'ok DMARC']

test.each([
  { provider: 'Resend', zone: RESEND },
  { provider: 'Cloudflare, with the policy of the domain above', zone: CLOUDFLARE },
])('of a domain that is set up at $provider, nothing is wrong', async ({ zone }) => {
  expect(await states(zone)).toEqual(ALL_OK)
})

describe('it finds', () => {
  test.each([
    {
      case: 'no SPF',
      change: { 'send.mail.shop.example': [] },
      line: 'wrong SPF',
      says: 'has none',
    },
    {
      case: 'two SPF records, of which none counts',
      change: { 'send.mail.shop.example': ['v=spf1 include:amazonses.com ~all', 'v=spf1 -all'] },
      line: 'wrong SPF',
      says: 'has 2',
    },
    {
      case: 'SPF of somebody else',
      change: { 'send.mail.shop.example': ['v=spf1 include:other.example ~all'] },
      line: 'wrong SPF',
      says: 'lacks include:amazonses.com',
    },
    {
      case: 'SPF that lets everybody send',
      change: { 'send.mail.shop.example': ['v=spf1 include:amazonses.com +all'] },
      line: 'wrong SPF',
      says: 'lets everybody send',
    },
    {
      case: 'no key',
      change: { 'resend._domainkey.mail.shop.example': [] },
      line: 'wrong DKIM',
      says: 'no key',
    },
    {
      case: 'a revoked key',
      change: { 'resend._domainkey.mail.shop.example': ['v=DKIM1; p='] },
      line: 'wrong DKIM',
      says: 'revoked',
    },
    {
      case: 'nowhere for bounces',
      change: { 'MX send.mail.shop.example': [] },
      line: 'wrong Bounces',
      says: 'no MX',
    },
    {
      case: 'no DMARC',
      change: { '_dmarc.mail.shop.example': [] },
      line: 'wrong DMARC',
      says: 'has none',
    },
    {
      case: 'two DMARC records',
      change: { '_dmarc.mail.shop.example': [DMARC, DMARC] },
      line: 'wrong DMARC',
      says: 'has 2',
    },
    {
      case: 'DMARC without a policy',
      change: { '_dmarc.mail.shop.example': ['v=DMARC1; rua=mailto:a@shop.example'] },
      line: 'wrong DMARC',
      says: 'no policy',
    },
    {
      case: 'DMARC without reports',
      change: { '_dmarc.mail.shop.example': ['v=DMARC1; p=none'] },
      line: 'warning DMARC',
      says: 'asks for no reports',
    },
    {
      case: 'DMARC that SPF cannot meet',
      change: { '_dmarc.mail.shop.example': [`${DMARC}; aspf=s; adkim=s`] },
      line: 'warning DMARC',
      says: 'strict for SPF',
    },
  ])('$case', async ({ change, line, says }) => {
    const lines = await check({ ...RESEND, ...change })
    const [found, ...others] = lines.filter(({ state }) => state !== 'ok')
    expect(others).toEqual([])
    expect(`${found?.state} ${found?.name}`).toBe(line)
    expect(found?.found).toContain(says)
    expect(found?.fix).toBeTruthy()
  })
})

test('what cannot be read is no failure, and says what to look up', async () => {
  const lines = await check({
    ...RESEND,
    'send.mail.shop.example': 'ETIMEOUT',
    'resend._domainkey.mail.shop.example': 'ESERVFAIL',
    'MX send.mail.shop.example': 'ECONNREFUSED',
    '_dmarc.mail.shop.example': 'ETIMEOUT',
  })
  expect(lines.map(({ state }) => state)).toEqual(Array(4).fill('warning'))
  expect(lines.map(({ fix }) => fix)).toEqual([
    expect.stringContaining(
      'dig +short TXT send.mail.shop.example must have include:amazonses.com',
    ),
    expect.stringContaining('dig +short TXT resend._domainkey.mail.shop.example'),
    expect.stringContaining('dig +short MX send.mail.shop.example'),
    expect.stringContaining('dig +short TXT _dmarc.mail.shop.example'),
  ])
})

test.each([
  { sender: 'Acme <partners@Acme.com>', domain: 'acme.com' },
  { sender: 'partners@mail.acme.co.uk', domain: 'mail.acme.co.uk' },
  { sender: 'Acme', domain: null },
  { sender: 'a@localhost', domain: null },
  { sender: 'a@x.com;rm', domain: null },
])('the domain of $sender is $domain', ({ sender, domain }) => {
  expect(domainOf(sender)).toBe(domain)
})

const run = async (...args: string[]) => {
  const program = promisify(execFile)(process.execPath, ['cli/doctor.ts', ...args], { cwd: ROOT })
  const { stdout, stderr, code } = await program.then(
    (output) => ({ ...output, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  )
  return { out: stdout + stderr, code }
}

test('as a program it reads DNS, and says what to look up where no server answers', async () => {
  const server = createSocket('udp4')
  // Refuses every question: its header with the code 5.
  server.on('message', (question, { port, address }) => {
    const reply = Buffer.from(question)
    reply[2] = 0x81
    reply[3] = 0x85
    server.send(reply, port, address)
  })
  await new Promise<void>((bound) => server.bind(0, '127.0.0.1', bound))
  const { out, code } = await run(
    '--mail',
    '--from',
    'Acme <a@shop.example>',
    '--dns',
    `127.0.0.1:${server.address().port}`,
  )
  server.close()
  expect(code).toBe(0)
  expect(out).toContain('Reading the records of shop.example.')
  expect(out).toContain('warning  SPF      could not be read (EREFUSED)')
  expect(out).toContain('dig +short TXT _dmarc.shop.example')
})

test.each([
  { args: ['--mail', '--from', 'nonsense'], says: 'nonsense is not a sender.' },
  { args: ['--mail', '--from', 'a@x.example', 'https://shop.example'], says: 'Give a sender' },
])('as a program it refuses $args', async ({ args, says }) => {
  const { out, code } = await run(...args)
  expect(code).toBe(2)
  expect(out).toContain(says)
})
