/** The Stripe page says which events the endpoint at Stripe lacks, where the key allows asking. */
import { expect, inject, test } from 'vitest'
import { CONNECT_EVENTS, STRIPE_EVENTS } from '../../lib/purchases/stripe/event-types.ts'
import { createMerchant } from '../support/merchant.ts'
import { openPages } from '../support/pages.ts'
import { stripeKey } from '../support/secrets.ts'

const OF_ACCOUNTS = 'No endpoint at Stripe receives these events of connected accounts.'
const WARNING = 'Your endpoint at Stripe does not receive these events.'

/** The page of a merchant whose endpoint at Stripe receives some events. */
const lookAt = async ({
  events,
  key = stripeKey(),
  path = '',
}: {
  events: string[]
  key?: string
  path?: string
}) => {
  const merchant = await createMerchant()
  const pages = await openPages(merchant)
  expect((await pages.post('/stripe/key', { key })).status).toBe(303)
  const params = new URLSearchParams({
    url: `${inject('baseUrl')}/api/webhooks/stripe/${merchant.workspace.slug}${path}`,
  })
  for (const [at, type] of events.entries()) params.append(`enabled_events[${at}]`, type)
  const made = await fetch(`${inject('stripeUrl')}/v1/webhook_endpoints`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: params,
  })
  expect(made.status).toBe(200)
  return (await pages.get('/stripe')).text
}

test('events that the endpoint does not receive are listed', async () => {
  const text = await lookAt({ events: STRIPE_EVENTS.filter((type) => type !== 'credit_note.created') })
  expect(text).toContain(WARNING)
  const [, listed = ''] = text.split(WARNING)
  expect(listed.slice(0, 300)).toContain('credit_note.created')
  expect(listed.slice(0, 300)).not.toContain('invoice.paid')
})

test('the events of connected accounts that no endpoint receives are listed', async () => {
  const all = [...STRIPE_EVENTS, ...CONNECT_EVENTS]
  expect(await lookAt({ events: all })).not.toContain(OF_ACCOUNTS)
  const [, listed = ''] = (await lookAt({ events: all.filter((type) => type !== 'payout.failed') })).split(
    OF_ACCOUNTS,
  )
  expect(listed.slice(0, 300)).toContain('payout.failed')
  expect(listed.slice(0, 300)).not.toContain('payout.paid')
})

test.each<{ case: string; given: Parameters<typeof lookAt>[0] }>([
  { case: 'the endpoint receives all of them', given: { events: [...STRIPE_EVENTS] } },
  { case: 'the endpoint receives everything', given: { events: ['*'] } },
  {
    case: 'the key may not ask',
    given: { events: ['invoice.paid'], key: stripeKey().replace('sk_', 'rk_') },
  },
  { case: 'the endpoint is that of another workspace', given: { events: ['invoice.paid'], path: '-2' } },
])('nothing is said to be missing when $case', async ({ given }) => {
  expect(await lookAt(given)).not.toContain(WARNING)
})

test('a restricted key that may read webhook endpoints is enough', async () => {
  const key = `${stripeKey().replace('sk_', 'rk_')}_webhooks`
  expect(await lookAt({ events: ['invoice.paid'], key })).toContain(WARNING)
})
