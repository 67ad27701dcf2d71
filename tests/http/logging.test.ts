import { expect, test } from 'vitest'
import { describeError } from '../../lib/http/logging.ts'
import { truncatedAddress } from '../../lib/http/rate-limit.ts'
import { forbiddenIn } from '../support/log-lines.ts'

test.each([
  { case: 'IPv4 is cut to its /24', ip: '203.0.113.7', network: '203.0.113.0/24' },
  { case: 'IPv4 written as IPv6, too', ip: '::ffff:203.0.113.7', network: '203.0.113.0/24' },
  { case: 'IPv6 is cut to its /48', ip: '2001:db8:1:2:3:4:5:6', network: '2001:db8:1::/48' },
  { case: 'IPv6 with a gap within the /48', ip: '2001:db8::1', network: '2001:db8:0::/48' },
  { case: 'loopback', ip: '::1', network: '0:0:0::/48' },
  { case: 'no header', ip: undefined, network: undefined },
  { case: 'a text that is no address', ip: 'ann@example.com', network: undefined },
  { case: 'a text between colons', ip: 'ann:b:c:d:e:f:g:h', network: undefined },
])('$case', ({ ip, network }) => {
  expect(truncatedAddress(ip)).toBe(network)
})

const postgres = (code: string, message: string, detail = '') =>
  Object.assign(new Error(message), { code, detail })
const KEY = `trib_live_${'Ab1'.repeat(12)}`

test.each([
  {
    case: 'the detail of a unique violation quotes the address, and is left out',
    error: postgres(
      '23505',
      'duplicate key value violates unique constraint "k"',
      'Key (email)=(a@b.co) already exists.',
    ),
    says: { sqlState: '23505', error: 'duplicate key value violates unique constraint "k"' },
  },
  {
    case: 'the message of invalid data quotes it, and is left out',
    error: postgres('22P02', 'invalid input syntax for type uuid: "Ann of 5 Elm Street"'),
    says: { sqlState: '22P02', error: undefined },
  },
  {
    case: 'the same, as the cause of another error',
    error: new Error('The auth Worker did not answer.', {
      cause: postgres('22P02', 'invalid input: "Ann"'),
    }),
    says: { error: 'The auth Worker did not answer.', cause: undefined },
  },
  {
    case: 'a text that is not JSON is quoted by its error, and is left out',
    error: new SyntaxError('Unexpected token A, "Ann of 5 Elm Street" is not valid JSON'),
    says: { error: 'SyntaxError' },
  },
  {
    case: 'an address',
    error: new Error('No mail to ann+x@example.com'),
    says: { error: 'No mail to [redacted]' },
  },
  { case: 'an API key', error: new Error(`Bad ${KEY}.`), says: { error: 'Bad [redacted].' } },
  {
    case: 'a Stripe key',
    error: new Error('Invalid: sk_live_51Habc'),
    says: { error: 'Invalid: [redacted]' },
  },
  {
    case: 'a connection string',
    error: new Error('No route to postgresql://owner:hush@db.example/neon'),
    says: { error: 'No route to [redacted]' },
  },
  { case: 'a thrown text', error: 'ann@example.com', says: { error: 'string' } },
])('an error in a log line: $case', ({ error, says }) => {
  const described = describeError(error)
  expect(described).toMatchObject(says)
  expect(forbiddenIn(JSON.stringify(described))).toEqual([])
})
