import { expect, test } from 'vitest'
import { encryptSecret } from '../../../lib/platform/secrets.ts'
import { atStripe, type Connecting, createConnecting } from '../../support/connecting.ts'
import { errorShape, useDatabase } from '../../support/merchant.ts'
import { SECRETS_KEY, signingSecret } from '../../support/secrets.ts'
import { stripeEvent, stripeId, useStripe } from '../../support/stripe.ts'

const database = useDatabase()

/** A partner whose account at Stripe is ready to be paid, of which we have not heard yet. */
const createReady = async () => {
  const partner = await createConnecting()
  await partner.connect()
  const [row] = await database.query<{ account: string }>(
    'select stripe_account_id as account from payout_accounts where workspace_id = $1',
    [partner.workspaceId],
  )
  const account = row?.account ?? ''
  await atStripe(`/accounts/${account}/onboard`)
  return { ...partner, account, ...(await useStripe(partner.merchant)) }
}

const statusOf = async ({ workspaceId }: Pick<Connecting, 'workspaceId'>) => {
  const [row] = await database.query<{ status: string }>(
    'select status from payout_accounts where workspace_id = $1',
    [workspaceId],
  )
  return row?.status
}

const snapshot = (account: string) => ({
  ...stripeEvent('account.updated', { id: account, object: 'account', payouts_enabled: false }),
  account,
})
const thin = (type: string, account: string) => ({
  id: stripeId('evt_test'),
  object: 'v2.core.event',
  type,
  created: new Date().toISOString(),
  livemode: false,
  related_object: { id: account, type: 'v2.core.account', url: `/v2/core/accounts/${account}` },
})

const RECEIVED = { status: 200, body: { received: true } }

test.each([
  { case: 'a snapshot event', event: snapshot },
  {
    case: 'a thin event',
    event: (id: string) => thin('v2.core.account[requirements].updated', id),
  },
  {
    case: 'a thin event of a capability',
    event: (id: string) =>
      thin('v2.core.account[configuration.recipient].capability_status_updated', id),
  },
])('an account is read from Stripe again after $case', async ({ event: eventOf }) => {
  const ready = await createReady()
  expect(await statusOf(ready)).toBe('onboarding')
  const event = eventOf(ready.account)
  expect(await ready.deliver(event)).toMatchObject(RECEIVED)
  expect(await statusOf(ready)).toBe('enabled')

  // What it says was so then; what counts is what is so now, also when it comes again.
  await atStripe(`/accounts/${ready.account}/close`)
  expect(await ready.deliver(event)).toMatchObject(RECEIVED)
  expect(await statusOf(ready)).toBe('closed')
  const received = await database.query('select from processor_events where workspace_id = $1', [
    ready.workspaceId,
  ])
  expect(received).toEqual([])
})

test('an event of an unknown account, or of another workspace’s, is accepted and changes nothing', async () => {
  const [ours, theirs] = await Promise.all([createReady(), createReady()])
  for (const account of [theirs.account, 'acct_1NobodyKnowsIt']) {
    expect(await ours.deliver(snapshot(account))).toMatchObject(RECEIVED)
    expect(await ours.deliver(thin('v2.core.account.closed', account))).toMatchObject(RECEIVED)
  }
  expect(await statusOf(theirs)).toBe('onboarding')
  expect(await statusOf(ours)).toBe('onboarding')
})

test('an event without a valid signature is refused, and no account is read', async () => {
  const ready = await createReady()
  for (const event of [snapshot(ready.account), thin('v2.core.account.closed', ready.account)]) {
    expect(await ready.deliver(event, { secret: signingSecret() })).toMatchObject({
      status: 400,
      body: errorShape('invalid_signature'),
    })
  }
  expect(await statusOf(ready)).toBe('onboarding')
})

test.each([
  {
    case: 'a number as account id',
    event: { ...thin('v2.core.account.closed', 'x'), related_object: { id: 7 } },
  },
  { case: 'no account', event: { ...thin('v2.core.account.closed', 'x'), related_object: null } },
  { case: 'a malformed account id', event: thin('v2.core.account.closed', "acct_' or 1=1") },
  { case: 'another resource', event: thin('v2.core.person.updated', 'acct_1') },
])('a thin event with $case is listed as unreadable, and reads no account', async ({ event }) => {
  const ready = await createReady()
  expect(await ready.deliver(event)).toMatchObject({
    status: 422,
    body: errorShape('unreadable_event'),
  })
  expect(
    await database.query(
      `select outcome ->> 'code' as code from processor_events where workspace_id = $1`,
      [ready.workspaceId],
    ),
  ).toEqual([{ code: 'unreadable' }])
  expect(await statusOf(ready)).toBe('onboarding')
})

test('while Stripe cannot be reached, the event is answered with 503, so that Stripe retries it', async () => {
  const ready = await createReady()
  const encryptKey = (key: string) => encryptSecret(SECRETS_KEY, ready.workspaceId, key)
  const setKey = async (key: string) =>
    database.query('update stripe_keys set ciphertext = $2 where workspace_id = $1', [
      ready.workspaceId,
      await encryptKey(key),
    ])
  // No header can hold this, so that the call fails on its way.
  await setKey(ready.key.replace('_', '\n'))
  const refused = await ready.deliver(snapshot(ready.account))
  expect(refused).toMatchObject({ status: 503, body: errorShape('try_again') })
  expect(refused.headers.get('Retry-After')).toBe('1')
  await setKey(ready.key)
  expect(await ready.deliver(snapshot(ready.account))).toMatchObject(RECEIVED)
  expect(await statusOf(ready)).toBe('enabled')
})
