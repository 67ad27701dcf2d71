import { expect, test } from 'vitest'
import { addressKey } from '../../../lib/http/rate-limit.ts'

test.each([
  { case: 'IPv4 counts as it is', ip: '203.0.113.7', key: '203.0.113.7' },
  { case: 'IPv6 counts by its /64', ip: '2001:db8:1:2:3:4:5:6', key: '2001:db8:1:2' },
  { case: 'IPv6 with a gap after the /64', ip: '2001:db8:1:2::6', key: '2001:db8:1:2' },
  { case: 'IPv6 with a gap within the /64', ip: '2001:db8::1', key: '2001:db8:0:0' },
  { case: 'loopback', ip: '::1', key: '0:0:0:0' },
  { case: 'IPv4 written as IPv6 counts as it is', ip: '::ffff:203.0.113.7', key: '::ffff:203.0.113.7' },
])('$case', ({ ip, key }) => {
  expect(addressKey(ip)).toBe(key)
})
