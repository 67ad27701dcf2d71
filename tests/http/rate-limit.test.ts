import { expect, test } from 'vitest'
import manage from '../../functions/manage.ts'
import trackSale from '../../functions/track/track-sale.ts'
import { addressKey } from '../../lib/http/rate-limit.ts'
import { checkResponse } from '../support/contract.ts'
import { createMerchant } from '../support/merchant.ts'

test.each([
  { case: 'IPv4 counts as it is', ip: '203.0.113.7', key: '203.0.113.7' },
  { case: 'IPv6 counts by its /64', ip: '2001:db8:1:2:3:4:5:6', key: '2001:db8:1:2' },
  { case: 'IPv6 with a gap after the /64', ip: '2001:db8:1:2::6', key: '2001:db8:1:2' },
  { case: 'IPv6 with a gap within the /64', ip: '2001:db8::1', key: '2001:db8:0:0' },
  { case: 'loopback', ip: '::1', key: '0:0:0:0' },
  {
    case: 'IPv4 written as IPv6 counts as it is',
    ip: '::ffff:203.0.113.7',
    key: '::ffff:203.0.113.7',
  },
])('$case', ({ ip, key }) => {
  expect(addressKey(ip)).toBe(key)
})

const full = { limit: async () => ({ success: false }) }

test('a key over its limit receives 429 with Retry-After in whole seconds, without a database query', async () => {
  const merchant = await createMerchant()
  // There is no such database, so a call that asked it would be 503.
  const env = { DATABASE_URL: 'postgresql://nobody@nowhere.invalid/nothing', RATE_LIMIT: full }
  const headers = { Authorization: `Bearer ${merchant.apiKey}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({
    externalId: 'inv_1',
    customerExternalId: 'user_1',
    amountCents: 100,
  })

  const events = `/api/workspaces/${merchant.workspace.slug}/events`
  const answers = [
    {
      method: 'POST',
      path: '/api/track/sale',
      answer: await trackSale.request('/api/track/sale', { method: 'POST', headers, body }, env),
    },
    { method: 'GET', path: events, answer: await manage.request(events, { headers }, env) },
  ]
  for (const { method, path, answer } of answers) {
    await checkResponse(method, `http://localhost${path}`, answer)
    expect(answer.status).toBe(429)
    expect(answer.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/)
    expect(await answer.json()).toMatchObject({ error: { code: 'rate_limited' } })
  }
})
