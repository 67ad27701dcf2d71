import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type StripeFake, startStripe } from '../../../dev/fakes/stripe.ts'
import { statusOf } from '../../../lib/payouts/stripe/account-state.ts'
import { connectTo } from '../../../lib/payouts/stripe/connect.service.ts'
import { ConnectError, failureOf } from '../../../lib/payouts/stripe/failures.service.ts'
import type { TransferOutcome } from '../../../lib/payouts/stripe/transfers.service.ts'

const REST = { run_id: 'r', program_id: 'g', cutoff_at: '2026-01-31T00:00:00.000Z' }

let fake: StripeFake
beforeAll(async () => {
  fake = await startStripe()
})
afterAll(() => fake.stop())

const newKey = () => `sk_test_${crypto.randomUUID().replaceAll('-', '')}`

/** A platform of its own, with an account that can be paid, unless it is left as it was made. */
const createPlatform = async ({ isReady = true, key = newKey() } = {}) => {
  const stripe = connectTo({ STRIPE_URL: fake.url }, key)
  const account = await stripe.createAccount({
    email: 'ann@example.com',
    country: 'DE',
    metadata: {},
    idempotencyKey: crypto.randomUUID(),
  })
  if (isReady) fake.onboard(account)
  const payoutId = crypto.randomUUID()
  const send = (change: Partial<Parameters<typeof stripe.createTransfer>[0]> = {}) =>
    stripe.createTransfer({
      payoutId,
      keyVersion: 1,
      account,
      amountCents: 4_900n,
      currency: 'USD',
      metadata: { payout_id: payoutId, workspace_id: 'w', partner_id: 'p', ...REST },
      ...change,
    })
  return { key, stripe, account, payoutId, send, sent: () => fake.transfers(key) }
}
type Platform = Awaited<ReturnType<typeof createPlatform>>

/** What a call throws. */
const failureIn = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ConnectError))
    throw new Error(`Nothing was thrown, or something else: ${error}`)
  return error.failure
}

describe('a transfer', () => {
  test('is created once per idempotency key, and found by its group', async () => {
    const { stripe, account, payoutId, send, sent } = await createPlatform()
    expect(await stripe.findTransfer(payoutId)).toBeNull()
    const first = await send()
    expect(first).toEqual({
      kind: 'sent',
      transferId: expect.stringMatching(/^tr_/),
      reversedCents: 0,
    })
    expect(await send()).toEqual(first)
    expect(sent()).toMatchObject([
      {
        amount: 4_900,
        currency: 'usd',
        destination: account,
        transfer_group: `payout_${payoutId}`,
        metadata: { payout_id: payoutId, workspace_id: 'w', partner_id: 'p', ...REST },
      },
    ])
    const [transfer] = sent()
    expect(await stripe.findTransfer(payoutId)).toEqual({
      transferId: transfer?.id,
      reversedCents: 0,
    })
    fake.reverse(transfer?.id ?? '', 900)
    expect(await stripe.findTransfer(payoutId)).toEqual({
      transferId: transfer?.id,
      reversedCents: 900,
    })
  })

  test('is sent in Stripe’s own units', async () => {
    const { send, sent } = await createPlatform()
    expect(await send({ amountCents: 5n, currency: 'ISK' })).toMatchObject({ kind: 'sent' })
    expect(sent()).toMatchObject([{ amount: 500, currency: 'isk' }])
  })

  test('is not found by its group alone, because other transfers may use it', async () => {
    const { stripe, payoutId, send } = await createPlatform()
    await send({ metadata: { payout_id: 'another', workspace_id: 'w', partner_id: 'p', ...REST } })
    expect(await stripe.findTransfer(payoutId)).toBeNull()
  })

  test('that was created without a response is returned for the same key', async () => {
    const { stripe, key, payoutId, send, sent } = await createPlatform()
    fake.planTransfersOf(key, 'cut_after')
    expect(await send()).toMatchObject({ kind: 'unclear' })
    const found = await stripe.findTransfer(payoutId)
    expect(await send()).toEqual({ kind: 'sent', ...found })
    expect(sent()).toHaveLength(1)
  })

  test('that lacks funds succeeds with the next key version only', async () => {
    const { key, send, sent } = await createPlatform()
    fake.setBalance('usd', 100, key)
    expect(await send()).toMatchObject({ kind: 'no_funds' })
    fake.setBalance('usd', 1_000_000, key)
    expect(await send()).toMatchObject({ kind: 'no_funds' })
    expect(await send({ keyVersion: 2 })).toMatchObject({ kind: 'sent' })
    expect(sent()).toHaveLength(1)
  })

  type Case = {
    case: string
    outcome: Partial<Record<'kind' | 'code' | 'isAccount', unknown>>
    attempt: (platform: Platform) => Promise<TransferOutcome>
  }
  test.each<Case>([
    {
      case: 'to an unknown account',
      attempt: ({ send }) => send({ account: 'acct_1NoSuchAccount00' }),
      outcome: { kind: 'refused', code: 'resource_missing', isAccount: true },
    },
    {
      case: 'to a closed account',
      attempt: ({ account, send }) => {
        fake.closeAccount(account)
        return send()
      },
      outcome: { kind: 'refused', isAccount: true },
    },
    {
      case: 'to a restricted account',
      attempt: ({ account, send }) => {
        fake.restrictAccount(account)
        return send()
      },
      outcome: { kind: 'refused', code: 'insufficient_capabilities_for_transfer', isAccount: true },
    },
    {
      case: 'of a zero amount',
      attempt: ({ send }) => send({ amountCents: 0n }),
      outcome: { kind: 'refused', isAccount: false },
    },
    {
      case: 'in an unknown currency',
      attempt: ({ send }) => send({ currency: 'XXX' }),
      outcome: { kind: 'refused', isAccount: false },
    },
    {
      case: 'of a fraction of an ariary, without a call',
      attempt: ({ send }) => send({ amountCents: 505n, currency: 'MGA' }),
      outcome: { kind: 'refused', code: 'amount_too_fine', isAccount: false },
    },
    {
      case: 'with other parameters and the same key',
      attempt: async ({ send }) => {
        await send({ account: 'acct_1NoSuchAccount00' })
        return send()
      },
      outcome: { kind: 'unclear' },
    },
    {
      case: 'with a revoked key',
      attempt: ({ key, send }) => {
        fake.revokeKey(key)
        return send()
      },
      outcome: { kind: 'locked_out' },
    },
    {
      case: 'when rate limited',
      attempt: ({ key, send }) => {
        fake.planTransfersOf(key, { status: 429, code: 'rate_limit' })
        return send()
      },
      outcome: { kind: 'unclear' },
    },
    {
      case: 'while the same request is in progress',
      attempt: ({ key, send }) => {
        fake.planTransfersOf(key, { status: 409, code: 'idempotency_key_in_use' })
        return send()
      },
      outcome: { kind: 'unclear' },
    },
    {
      case: 'when Stripe returns a server error',
      attempt: ({ key, send }) => {
        fake.planTransfersOf(key, { status: 500, kept: 'undone' })
        return send()
      },
      outcome: { kind: 'unclear' },
    },
    {
      case: 'when a proxy answers with a page',
      attempt: ({ key, send }) => {
        fake.planTransfersOf(key, 'garbage')
        return send()
      },
      outcome: { kind: 'unclear' },
    },
    {
      case: 'when the connection is lost',
      attempt: ({ key, send }) => {
        fake.planTransfersOf(key, 'cut_before')
        return send()
      },
      outcome: { kind: 'unclear' },
    },
  ])('$case is not sent', async ({ attempt, outcome }) => {
    const platform = await createPlatform()
    const came = await attempt(platform)
    expect(came).toMatchObject({ ...outcome, message: expect.stringMatching(/^[^\n]{1,300}$/) })
    expect(JSON.stringify(came)).not.toContain(platform.key)
    expect(platform.sent()).toEqual([])
  })

  test('with a key that lacks permission is refused by Stripe', async () => {
    const key = newKey()
    const platform = await createPlatform({ key })
    const weak = connectTo({ STRIPE_URL: fake.url }, `${key.replace('sk_', 'rk_')}_noconnect`)
    const outcome = await weak.createTransfer({
      payoutId: platform.payoutId,
      keyVersion: 1,
      account: platform.account,
      amountCents: 1n,
      currency: 'USD',
      metadata: { payout_id: platform.payoutId, workspace_id: 'w', partner_id: 'p', ...REST },
    })
    expect(outcome).toMatchObject({ kind: 'locked_out' })
  })

  test('times out after eight seconds, and makes one fetch', async () => {
    const { key, send } = await createPlatform()
    const fetches = vi.spyOn(globalThis, 'fetch')
    try {
      const stripe = connectTo({ STRIPE_URL: fake.url }, key)
      expect(await stripe.platform()).toEqual({
        id: expect.stringMatching(/^acct_/),
        country: 'US',
      })
      expect(fetches).toHaveBeenCalledTimes(1)
    } finally {
      fetches.mockRestore()
    }
    fake.planTransfersOf(key, 'silence')
    const start = Date.now()
    expect(await send()).toMatchObject({ kind: 'unclear' })
    expect(Date.now() - start).toBeLessThan(9_500)
  }, 15_000)

  test.each(['{}', '[]', 'null', '""', '{"id":7}', '{"id":""}', '{"error":{}}'])(
    'may have been created if the response is %s',
    async (text) => {
      const fetching = vi
        .spyOn(globalThis, 'fetch')
        .mockImplementation(async () => new Response(text, { status: 200 }))
      try {
        const stripe = connectTo({}, newKey())
        const metadata = { payout_id: 'x', workspace_id: 'w', partner_id: 'p', ...REST }
        const request = {
          payoutId: 'x',
          keyVersion: 1,
          account: 'acct_1',
          amountCents: 1n,
          currency: 'USD',
        }
        expect(await stripe.createTransfer({ ...request, metadata })).toMatchObject({
          kind: 'unclear',
        })
      } finally {
        fetching.mockRestore()
      }
    },
  )
})

describe('an account', () => {
  test('is onboarding, then enabled, restricted and closed', async () => {
    const { stripe, account } = await createPlatform({ isReady: false })
    const status = async () => (await stripe.readAccount(account)).status
    expect(await status()).toBe('onboarding')
    fake.leaveOnboarding(account)
    expect(await status()).toBe('onboarding')
    fake.onboard(account)
    expect(await status()).toBe('enabled')
    fake.restrictAccount(account)
    // Whether it was fit before, Stripe doesn't say: see saveReadings.
    expect(await status()).toBe('onboarding')
    fake.rejectAccount(account)
    expect(await status()).toBe('closed')
    fake.closeAccount(account)
    expect(await status()).toBe('closed')
  })

  test('of another platform counts as closed, and gets no onboarding link', async () => {
    const [ours, theirs] = await Promise.all([createPlatform(), createPlatform()])
    expect(await ours.stripe.readAccount(theirs.account)).toEqual({
      status: 'closed',
      paysBank: null,
    })
    const urls = { returnUrl: 'http://localhost/return', refreshUrl: 'http://localhost/refresh' }
    expect(
      await failureIn(ours.stripe.accountLink({ account: theirs.account, ...urls })),
    ).toMatchObject({
      kind: 'refused',
    })
    expect(await ours.stripe.accountLink({ account: ours.account, ...urls })).toContain(fake.url)
  })

  test('is created once per idempotency key', async () => {
    const { key, stripe } = await createPlatform()
    const request = {
      email: 'bea@example.com',
      country: 'FR',
      metadata: {},
      idempotencyKey: 'account_1',
    }
    const first = await stripe.createAccount(request)
    expect(await stripe.createAccount(request)).toBe(first)
    expect(fake.accounts(key)).toHaveLength(2)
    expect(fake.accounts(key)[1]).toMatchObject({
      email: 'bea@example.com',
      country: 'FR',
      recipient: true,
    })
  })

  test('in a country that Stripe does not support is refused', async () => {
    const { stripe } = await createPlatform()
    const request = {
      email: 'bea@example.com',
      country: 'KP',
      metadata: {},
      idempotencyKey: 'account_1',
    }
    expect(await failureIn(stripe.createAccount(request))).toMatchObject({
      kind: 'refused',
      isAccount: false,
    })
  })

  const detail = (
    resolution: 'provide_info' | 'contact_stripe' | 'no_resolution',
    code = 'restricted_other',
  ) => ({
    resolution,
    code: code as 'restricted_other',
  })
  test.each([
    { case: 'that is closed', closed: true, transfers: undefined, is: 'closed' },
    { case: 'without the capability', transfers: undefined, is: 'onboarding' },
    {
      case: 'that can be paid',
      transfers: { status: 'active', status_details: [] },
      is: 'enabled',
    },
    {
      case: 'that needs more information',
      transfers: {
        status: 'restricted',
        status_details: [detail('provide_info', 'requirements_past_due')],
      },
      is: 'onboarding',
    },
    {
      case: 'under review',
      transfers: {
        status: 'restricted',
        status_details: [detail('no_resolution', 'requirements_pending_verification')],
      },
      is: 'in_review',
    },
    {
      case: 'whose capability is pending',
      transfers: { status: 'pending', status_details: [] },
      is: 'in_review',
    },
    {
      case: 'that needs more information during a review',
      transfers: { status: 'pending', status_details: [detail('provide_info')] },
      is: 'onboarding',
    },
    {
      case: 'that must contact Stripe',
      transfers: { status: 'restricted', status_details: [detail('contact_stripe')] },
      is: 'restricted',
    },
    {
      case: 'that was rejected',
      transfers: { status: 'rejected', status_details: [detail('contact_stripe')] },
      is: 'closed',
    },
    {
      case: 'in an unsupported country',
      transfers: { status: 'unsupported', status_details: [detail('no_resolution')] },
      is: 'closed',
    },
  ] as const)('$case is $is', (row) => {
    const transfers = row.transfers && {
      ...row.transfers,
      status_details: [...row.transfers.status_details],
    }
    expect(statusOf('closed' in row && row.closed, transfers)).toBe(row.is)
  })
})

test('a key identifies its account, and an unknown key none', async () => {
  const [one, two] = await Promise.all([createPlatform(), createPlatform()])
  const restricted = connectTo({ STRIPE_URL: fake.url }, one.key.replace('sk_', 'rk_'))
  expect(await restricted.platform()).toEqual(await one.stripe.platform())
  expect(await two.stripe.platform()).not.toEqual(await one.stripe.platform())
  const unknown = connectTo({ STRIPE_URL: fake.url }, 'sk_live_0123456789')
  const failure = await failureIn(unknown.platform())
  expect(failure).toMatchObject({ kind: 'locked_out' })
  expect(failure.message).not.toContain('sk_live')
})

test('an error message is one line of at most 300 characters, without keys', () => {
  const { message } = failureOf(
    new Error(`a\nb\0\ud800 rk_live_abc*****xyz sk_test_1 ${'x'.repeat(500)}`),
  )
  expect(message).toHaveLength(300)
  expect(message).toMatch(/^a b the key the key x+$/)
})
