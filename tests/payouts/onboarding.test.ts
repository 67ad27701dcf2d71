import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { StripeFailure } from '../../dev/fakes/stripe/failures.ts'
import { type StripeFake, startStripe } from '../../dev/fakes/stripe.ts'
import { startFaultyDatabase } from '../support/faulty-database.ts'
import { payoutsHere } from '../support/in-process.ts'
import { createMerchant, useDatabase } from '../support/merchant.ts'
import { everyNth } from '../support/thorough.ts'

const database = useDatabase()

let fake: StripeFake
beforeAll(async () => {
  fake = await startStripe()
})
afterAll(() => fake.stop())

/** A merchant who pays by Stripe, and its partner "ann", who has not connected yet. */
const createPartner = async ({ hasKey = true } = {}) => {
  const merchant = await createMerchant()
  const { workspace, seed, programId } = merchant
  const email = `ann@${workspace.slug}.example`
  await seed.addPartner(workspace.id, programId, { slug: 'ann', email })
  const key = `sk_test_${workspace.id.replaceAll('-', '')}`
  const payouts = payoutsHere({ STRIPE_URL: fake.url })

  const setKey = (other = key) =>
    payouts.saveKey({ workspaceId: workspace.id, actor: 'a manager', now: new Date() }, other)
  if (hasKey) await setKey()

  const urls = {
    returnUrl: 'http://localhost/portal/connect/return',
    refreshUrl: 'http://localhost/portal/connect/refresh',
  }
  return {
    merchant,
    workspaceId: workspace.id,
    email,
    key,
    setKey,
    payouts,
    start: (change: { email?: string; country?: string } = {}, from = payouts) =>
      from.startOnboarding({ workspaceId: workspace.id, email, country: 'DE', ...urls, ...change }),
    accounts: () => fake.accounts(key),
    /** What is written down of the partner's accounts, oldest first. */
    kept: () =>
      database.query<{
        id: string
        account: string | null
        status: string
        country: string
        gone: boolean
      }>(
        `select id, stripe_account_id as account, status, country, disconnected_at is not null as gone
         from payout_accounts where workspace_id = $1 and email = $2 order by created_at, id`,
        [workspace.id, email],
      ),
  }
}
type Partner = Awaited<ReturnType<typeof createPartner>>

const LINK = { url: expect.stringContaining('/connect/alu_') }
const REFUSED = { refused: expect.any(String) }

/** The account that was made for a partner. */
const accountOf = async ({ start, kept }: Partner): Promise<string> => {
  expect(await start()).toEqual(LINK)
  const account = (await kept()).at(-1)?.account
  if (!account) throw new Error('No account was written down.')
  return account
}

/** Lets a payout be on its way to a partner. */
const addPayout = ({ workspaceId, email }: Partner, account: string | null) =>
  database.query(
    `with run as (
       insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at)
       values (gen_random_uuid(), $1, $4, now(), 'a manager', now()) returning id)
     insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, stripe_account_id,
                          created_at, next_attempt_at)
     select gen_random_uuid(), $1, run.id, p.program_id, p.id, 'USD', 100, $3, now(), now()
     from run, partners p where p.workspace_id = $1 and p.email = $2`,
    [workspaceId, email, account, account ? 'stripe' : 'manual'],
  )
const settlePayouts = ({ workspaceId }: Partner) =>
  database.query('update payouts set failed_at = now() where workspace_id = $1', [workspaceId])

describe('connecting', () => {
  test('creates the partner’s account, and returns a link to Stripe', async () => {
    const partner = await createPartner()
    expect(await partner.start()).toEqual(LINK)
    const [row] = await partner.kept()
    expect(partner.accounts()).toMatchObject([
      {
        id: row?.account,
        email: partner.email,
        country: 'DE',
        dashboard: 'express',
        feesCollector: 'application',
        lossesCollector: 'application',
        recipient: true,
        metadata: { workspace_id: partner.workspaceId, payout_account_id: row?.id },
      },
    ])
    expect(row).toMatchObject({ status: 'onboarding', country: 'DE', gone: false })
  })

  test('and disconnecting are in the audit log and mailed to the partner, once each', async () => {
    const partner = await createPartner()
    await Promise.all(Array.from({ length: 4 }, () => partner.start()))
    const disconnect = () => partner.payouts.disconnect(partner.workspaceId, partner.email)
    await Promise.all([disconnect(), disconnect()])
    expect((await database.audit(partner.merchant)).slice(-2)).toMatchObject([
      { actor: partner.email, action: 'payout_account.connected', details: { country: 'DE' } },
      { actor: partner.email, action: 'payout_account.disconnected' },
    ])
    const mails = await database.query(
      `select recipient, details->>'change' as change from mails where workspace_id = $1 and kind = 'payout_account' order by id`,
      [partner.workspaceId],
    )
    expect(mails).toEqual(
      ['connected', 'disconnected'].map((change) => ({ recipient: partner.email, change })),
    )
  })

  test('continues with the same account and a new link, whatever country is chosen then', async () => {
    const partner = await createPartner()
    const account = await accountOf(partner)
    fake.leaveOnboarding(account)
    await partner.payouts.refreshAccount(partner.workspaceId, account)
    expect(await partner.start({ country: 'FR' })).toEqual(LINK)
    expect(await partner.kept()).toMatchObject([{ account, status: 'onboarding', country: 'DE' }])
    fake.onboard(account)
    await partner.payouts.refreshAccount(partner.workspaceId, account)
    expect(await partner.kept()).toMatchObject([{ account, status: 'enabled' }])
    expect(partner.accounts()).toHaveLength(1)
  })

  test('eight concurrent requests create one account', async () => {
    const partner = await createPartner()
    const begun = await Promise.all(Array.from({ length: 8 }, () => partner.start()))
    for (const answer of begun) expect(answer).toEqual(LINK)
    expect(partner.accounts()).toHaveLength(1)
    expect(await partner.kept()).toMatchObject([{ account: partner.accounts()[0]?.id }])
  })

  test.each<{ case: string; failure: StripeFailure }>([
    { case: 'was lost', failure: 'cut_after' },
    { case: 'was never sent', failure: 'cut_before' },
    { case: 'came from a proxy', failure: 'garbage' },
    { case: 'was a server error', failure: { status: 500 } },
    { case: 'was a rate limit', failure: { status: 429 } },
    {
      case: 'was that the same request is in progress',
      failure: { status: 409, code: 'idempotency_key_in_use' },
    },
  ])('creates one account when Stripe’s response $case', async ({ failure }) => {
    const partner = await createPartner()
    fake.plan(failure)
    expect(await partner.start()).toEqual(LINK)
    expect(partner.accounts()).toHaveLength(1)
    expect(await partner.kept()).toHaveLength(1)
  })

  test('continues with the account that Stripe created when its response was lost', async () => {
    const partner = await createPartner()
    fake.plan('cut_after', 'cut_after', 'cut_after')
    expect(await partner.start()).toEqual(REFUSED)
    expect(await partner.kept()).toMatchObject([{ account: null, status: 'onboarding' }])
    expect(await partner.start()).toEqual(LINK)
    expect(partner.accounts()).toHaveLength(1)
    expect(await partner.kept()).toMatchObject([{ account: partner.accounts()[0]?.id }])
  })

  test('continues with the account when only its link was lost', async () => {
    const partner = await createPartner()
    fake.plan(null, 'cut_after')
    expect(await partner.start()).toEqual(REFUSED)
    expect(await partner.start()).toEqual(LINK)
    expect(partner.accounts()).toHaveLength(1)
  })

  test('in a country that Stripe refuses can be repeated with another country', async () => {
    const partner = await createPartner()
    await database.query(
      'update stripe_keys set transfer_countries = null where workspace_id = $1',
      [partner.workspaceId],
    )
    expect(await partner.start({ country: 'KP' })).toEqual({
      refused: expect.stringContaining('country'),
    })
    expect(await partner.kept()).toEqual([])
    expect(await partner.start()).toEqual(LINK)
  })

  test('is refused for a country to which the merchant’s account cannot transfer, until there is another country', async () => {
    const partner = await createPartner({ hasKey: false })
    await partner.setKey(`${partner.key}_from_de`)
    const noted = () =>
      database.query('select country from unreachable_people where email = $1', [partner.email])
    expect(await partner.start({ country: 'KE' })).toEqual({
      refused: expect.stringContaining('Kenya'),
    })
    expect(await noted()).toEqual([{ country: 'KE' }])
    expect(await partner.kept()).toEqual([])
    expect(await partner.start({ country: 'US' })).toEqual({
      refused: expect.stringContaining('United States'),
    })
    expect(await noted()).toEqual([{ country: 'US' }])
    expect(await partner.start({ country: 'AT' })).toEqual(LINK)
    expect(await noted()).toEqual([])
  })

  test('is for approved partners of workspaces with a Stripe key', async () => {
    const partner = await createPartner({ hasKey: false })
    expect(await partner.start()).toEqual(REFUSED)
    await partner.setKey()
    expect(await partner.start({ email: `bea@${partner.email}` })).toEqual(REFUSED)
    await database.query(`update partners set status = 'banned' where email = $1`, [partner.email])
    expect(await partner.start()).toEqual(REFUSED)
    expect(partner.accounts()).toEqual([])
    expect(await partner.kept()).toEqual([])
  })

  test('is refused without Stripe’s message when the merchant’s key is invalid', async () => {
    const partner = await createPartner()
    fake.revokeKey(partner.key)
    expect(await partner.start()).toEqual({ refused: expect.stringContaining('Stripe rejects') })
    await database.query('update stripe_keys set ciphertext = $2 where workspace_id = $1', [
      partner.workspaceId,
      'c3BvaWx0',
    ])
    expect(await partner.start()).toEqual({ refused: expect.stringContaining('Stripe rejects') })
  })

  test.each([true, false])(
    'starts over after the account was closed (closure received: %s)',
    async (heard) => {
      const partner = await createPartner()
      const account = await accountOf(partner)
      fake.closeAccount(account)
      if (heard) await partner.payouts.refreshAccount(partner.workspaceId, account)
      const begun = await Promise.all(
        Array.from({ length: 4 }, () => partner.start({ country: 'FR' })),
      )
      for (const answer of begun) expect(answer).toEqual(LINK)
      expect(partner.accounts()).toHaveLength(2)
      expect(await partner.kept()).toMatchObject([
        { account, status: 'closed', gone: true },
        { status: 'onboarding', country: 'FR', gone: false },
      ])
    },
  )

  test('does not start over while a payout to the closed account is in flight', async () => {
    const partner = await createPartner()
    const account = await accountOf(partner)
    await addPayout(partner, account)
    fake.closeAccount(account)
    expect(await partner.start()).toEqual({ refused: expect.stringContaining('in progress') })
    await settlePayouts(partner)
    expect(await partner.start()).toEqual(LINK)
  })

  test.each(everyNth(2, ['cut_before', 'cut_after', 'half', 'shutdown_57P01'] as const))(
    'creates one account, whichever statement fails with %s',
    { tags: 'sampled' },
    async (fault) => {
      const faulty = await startFaultyDatabase(inject('database').SQL_ENDPOINT)
      try {
        for (let statement = 0; statement < 3; statement++) {
          const partner = await createPartner()
          const from = payoutsHere({ STRIPE_URL: fake.url, SQL_ENDPOINT: faulty.url })
          faulty.plan([partner.workspaceId], [...Array(statement).fill(null), fault])
          expect(await partner.start({}, from)).toEqual(LINK)
          expect(partner.accounts()).toHaveLength(1)
          expect(await partner.kept()).toMatchObject([{ account: partner.accounts()[0]?.id }])
        }
      } finally {
        await faulty.stop()
      }
    },
  )

  test('fails when the database is unreachable, and continues with the same account later', async () => {
    const faulty = await startFaultyDatabase(inject('database').SQL_ENDPOINT)
    try {
      for (let statement = 0; statement < 3; statement++) {
        const partner = await createPartner()
        const from = payoutsHere({ STRIPE_URL: fake.url, SQL_ENDPOINT: faulty.url })
        faulty.plan(
          [partner.workspaceId],
          [...Array(statement).fill(null), 'cut_before', 'cut_before', 'cut_before'],
        )
        await expect(partner.start({}, from)).rejects.toThrow('The database did not answer')
        expect(await partner.start()).toEqual(LINK)
        expect(partner.accounts()).toHaveLength(1)
      }
    } finally {
      await faulty.stop()
    }
  })
})

describe('the events of an account', () => {
  test('end in the same state, out of order and repeated', async () => {
    const partner = await createPartner()
    const account = await accountOf(partner)
    const look = () => partner.payouts.refreshAccount(partner.workspaceId, account)
    fake.leaveOnboarding(account)
    fake.onboard(account)
    for (const _event of fake.connectEvents()) await look()
    expect(await partner.kept()).toMatchObject([{ account, status: 'enabled' }])
    fake.restrictAccount(account)
    await Promise.all([look(), look(), look()])
    expect(await partner.kept()).toMatchObject([{ account, status: 'restricted' }])
    fake.leaveOnboarding(account)
    await look()
    expect(await partner.kept()).toMatchObject([{ account, status: 'restricted' }])
    fake.restoreAccount(account)
    await look()
    expect(await partner.kept()).toMatchObject([{ account, status: 'enabled' }])
  })

  test('are not overwritten by an earlier read with a delayed response', async () => {
    const partner = await createPartner()
    const account = await accountOf(partner)
    const held = Promise.withResolvers<void>()
    const isRead = Promise.withResolvers<void>()
    // The first look is answered with what was so before, and that only after the second look is
    // over.
    fake.hooks.afterCall = async () => {
      fake.hooks.afterCall = undefined
      isRead.resolve()
      await held.promise
    }
    const first = partner.payouts.refreshAccount(partner.workspaceId, account)
    await isRead.promise
    fake.onboard(account)
    await partner.payouts.refreshAccount(partner.workspaceId, account)
    held.resolve()
    await first
    expect(await partner.kept()).toMatchObject([{ account, status: 'enabled' }])
  })

  test('change nothing in another workspace, nor for an unknown account', async () => {
    const [ours, theirs] = await Promise.all([createPartner(), createPartner()])
    const account = await accountOf(theirs)
    fake.onboard(account)
    const calls = fake.calls()
    await ours.payouts.refreshAccount(ours.workspaceId, account)
    await ours.payouts.refreshAccount(ours.workspaceId, 'acct_1NobodyKnowsIt')
    expect(fake.calls()).toBe(calls)
    expect(await theirs.kept()).toMatchObject([{ status: 'onboarding' }])
  })

  test('are retried while Stripe does not respond, but not if the merchant’s key is invalid', async () => {
    const partner = await createPartner()
    const account = await accountOf(partner)
    fake.onboard(account)
    fake.plan({ status: 503 })
    await expect(partner.payouts.refreshAccount(partner.workspaceId, account)).rejects.toThrow()
    fake.revokeKey(partner.key)
    await partner.payouts.refreshAccount(partner.workspaceId, account)
    expect(await partner.kept()).toMatchObject([{ status: 'onboarding' }])
  })
})

describe('disconnecting', () => {
  test('disconnects the account once, and another can be connected', async () => {
    const partner = await createPartner()
    const account = await accountOf(partner)
    const disconnect = () => partner.payouts.disconnect(partner.workspaceId, partner.email)
    const gone = await Promise.all(Array.from({ length: 4 }, disconnect))
    expect(gone).toContainEqual({ disconnected: true })
    expect(await disconnect()).toEqual({ disconnected: false })
    expect(await partner.start()).toEqual(LINK)
    expect(await partner.kept()).toMatchObject([{ account, gone: true }, { gone: false }])
    expect(partner.accounts()).toMatchObject([{ id: account, standing: 'good' }, {}])
  })

  test('is refused while a payout to the account is in flight, unless it is by bank', async () => {
    const partner = await createPartner()
    const account = await accountOf(partner)
    const disconnect = () => partner.payouts.disconnect(partner.workspaceId, partner.email)
    await addPayout(partner, account)
    expect(await disconnect()).toEqual({ refused: expect.stringContaining('in progress') })
    expect(await partner.kept()).toMatchObject([{ account, gone: false }])
    await settlePayouts(partner)
    await addPayout(partner, null)
    expect(await disconnect()).toEqual({ disconnected: true })
  })

  test('does not affect other partners’ accounts', async () => {
    const [ours, theirs] = await Promise.all([createPartner(), createPartner()])
    await accountOf(theirs)
    expect(await ours.payouts.disconnect(ours.workspaceId, theirs.email)).toEqual({
      disconnected: false,
    })
    expect(await ours.payouts.disconnect(theirs.workspaceId, ours.email)).toEqual({
      disconnected: false,
    })
    expect(await theirs.kept()).toMatchObject([{ gone: false }])
  })

  test('while Stripe creates the account leaves nothing that looks connected', async () => {
    const partner = await createPartner()
    fake.hooks.afterCall = async () => {
      fake.hooks.afterCall = undefined
      await partner.payouts.disconnect(partner.workspaceId, partner.email)
    }
    expect(await partner.start()).toEqual({ refused: expect.stringContaining('try again') })
    expect(await partner.kept()).toMatchObject([{ account: null, gone: true }])
    expect(await partner.start()).toEqual(LINK)
  })
})

describe('the merchant’s key', () => {
  test('of another Stripe account is refused while partners are connected', async () => {
    const partner = await createPartner()
    const account = await accountOf(partner)
    const other = `${partner.key}x`
    expect(await partner.setKey(other)).toEqual({ outcome: 'other_account' })
    expect(await partner.setKey(`${partner.key}_rolled`)).toMatchObject({ key: { last4: 'lled' } })
    await partner.payouts.disconnect(partner.workspaceId, partner.email)
    await addPayout(partner, account)
    expect(await partner.setKey(other)).toEqual({ outcome: 'other_account' })
    await settlePayouts(partner)
    expect(await partner.setKey(other)).toMatchObject({
      key: { stripeAccountId: expect.stringMatching(/^acct_/) },
    })
  })

  test('of another Stripe account is refused also after the previous key was removed', async () => {
    const partner = await createPartner()
    await accountOf(partner)
    await database.query('delete from stripe_keys where workspace_id = $1', [partner.workspaceId])
    expect(await partner.setKey(`${partner.key}x`)).toEqual({
      refused: expect.stringContaining('another Stripe account'),
    })
    expect(await partner.setKey()).toMatchObject({ key: { last4: partner.key.slice(-4) } })
  })

  test('that is replaced while Stripe creates an account does not get the previous key’s account', async () => {
    const partner = await createPartner()
    fake.hooks.afterCall = async () => {
      fake.hooks.afterCall = undefined
      expect(await partner.setKey(`${partner.key}x`)).toMatchObject({ key: { livemode: false } })
    }
    expect(await partner.start()).toEqual({ refused: expect.stringContaining('try again') })
    expect(await partner.kept()).toMatchObject([{ account: null }])
    expect(await partner.start()).toEqual(LINK)
    expect(fake.accounts(`${partner.key}x`)).toHaveLength(1)
  })
})
