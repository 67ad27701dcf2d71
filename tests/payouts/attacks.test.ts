/** What went wrong, or nearly, when payouts were attacked. */
import { beforeEach, expect, test, vi } from 'vitest'
import { connect } from '../../lib/db/connection.ts'
import { newId } from '../../lib/db/ids.ts'
import {
  disconnect,
  refreshAccount,
  startOnboarding,
} from '../../lib/payouts/accounts/onboarding.service.ts'
import { changeRun } from '../../lib/payouts/runs/manual-runs.queries.ts'
import type { RunStep } from '../../lib/payouts/runs/runs.ts'
import { saveKey } from '../../lib/payouts/transfers/keys.service.ts'
import { removeStripeKey } from '../../lib/payouts/transfers/stripe-keys.queries.ts'
import { payDue } from '../../lib/upkeep/pay-due.service.ts'
import { usePayouts } from '../support/payouts.ts'
import { repeating } from '../support/repeated.ts'
import { isExhaustive } from '../support/thorough.ts'

const world = usePayouts()
beforeEach(async () => {
  world.hoursLater(0)
  await world.empty()
})

/** What Cloudflare's free plan lets a Worker ask for at a time. */
const FETCHES_OF_A_WORKER = 50

/**
 * Does something as a Worker whose fetches are counted, and fail when there are too many.
 * @returns how many it made
 */
const within = async (limit: number, work: () => Promise<unknown>): Promise<number> => {
  const real = fetch
  let fetches = 0
  vi.stubGlobal('fetch', (async (...request) => {
    if (++fetches > limit) throw new Error('Too many subrequests.')
    return real(...request)
  }) satisfies typeof fetch)
  await work().catch(() => {})
  vi.unstubAllGlobals()
  return fetches
}

/** As on the free plan. */
const onFreePlan = () => ({ ...world.env(), MAX_FETCHES: '45' })

const makeDue = () =>
  world.query(`update payouts set next_attempt_at = now() - interval '1 second'`)

test('a Worker delayed until its key expires does not send again what another sent with the next key', async () => {
  const payer = await world.createPayer()
  const maya = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  // Stripe never heard of the first try.
  world.stripe().planTransfersOf(payer.key, 'cut_before', 'cut_before')
  await payer.run()
  world.stripe().planTransfersOf(payer.key)
  expect(payer.sent()).toEqual({})

  // A Worker begins just before the key's time is over, and is held up on its way to Stripe.
  const real = fetch
  let arrive: () => void = () => {}
  let goOn: () => void = () => {}
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const released = new Promise<void>((resolve) => {
    goOn = resolve
  })
  vi.stubGlobal('fetch', (async (input, init) => {
    const isTransfer = init?.method === 'POST' && String(input).endsWith('/v1/transfers')
    if (isTransfer) {
      vi.unstubAllGlobals()
      arrive()
      await released
    }
    return real(input, init)
  }) satisfies typeof fetch)
  const slow = payer.run({}, {}, world.hoursLater(22.99))
  await arrived

  await payer.run({}, {}, world.hoursLater(23.01))
  goOn()
  await slow

  expect(payer.sent()).toEqual({ [maya.account ?? '']: ['1000 usd'] })
  await payer.run({}, {}, world.hoursLater(24.5))
  expect(payer.sent()).toEqual({ [maya.account ?? '']: ['1000 usd'] })
  expect(await world.violations()).toEqual([])
})

test('a retry looks the transfer up first, so it does not depend on what Stripe remembers of a key', async () => {
  const payer = await world.createPayer()
  const maya = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  world.stripe().planTransfersOf(payer.key, 'cut_after', 'cut_after')
  await payer.run()
  const posts: string[] = []
  const real = fetch
  vi.stubGlobal('fetch', ((input, init) => {
    if (init?.method === 'POST' && String(input).endsWith('/v1/transfers'))
      posts.push(String(input))
    return real(input, init)
  }) satisfies typeof fetch)
  await payer.run({}, {}, world.hoursLater(1))
  vi.unstubAllGlobals()
  expect(posts).toEqual([])
  expect(payer.sent()).toEqual({ [maya.account ?? '']: ['1000 usd'] })
  expect(await world.query('select key_version from payouts where paid_at is not null')).toEqual([
    { key_version: 1 },
  ])
})

test('a repeated lease sends its payouts by this run, not after the lease', async () => {
  const payer = await world.createPayer()
  const maya = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  const leo = await payer.addPartner({ slug: 'leo', owed: [{ amountCents: 500, currency: 'EUR' }] })
  await repeating('update payouts p\\n      set key_used_at', () => payer.run())
  expect(payer.sent()).toEqual({
    [maya.account ?? '']: ['1000 usd'],
    [leo.account ?? '']: ['500 eur'],
  })
  expect(await world.query('select distinct status, attempts from payouts')).toEqual([
    { status: 'paid', attempts: 1 },
  ])
})

test('with every transfer refused, enough fetches remain to save the results', async () => {
  const payer = await world.createPayer()
  for (let index = 0; index < 30; index++) {
    const { account } = await payer.addPartner({
      slug: `partner-${index}`,
      owed: [{ amountCents: 100 }],
    })
    world.stripe().closeAccount(account ?? '')
  }
  await payer.run({}, { MAX_FETCHES: '8' })
  for (let tick = 0; tick < 8; tick++) {
    await makeDue()
    const fetches = await within(FETCHES_OF_A_WORKER, () => payDue(onFreePlan()))
    expect(fetches).toBeLessThanOrEqual(FETCHES_OF_A_WORKER)
  }
  const [left] = await world.query(
    `select count(*)::int as unsent, (select count(*)::int from payout_accounts where status = 'enabled') as enabled
     from payouts where failed_at is null`,
  )
  expect(left).toEqual({ unsent: 0, enabled: 0 })
  expect(await world.violations()).toEqual([])
})

test('a day after an outage, enough fetches remain to save what was looked up and sent', async () => {
  const payer = await world.createPayer()
  const due: Record<string, string[]> = {}
  for (let index = 0; index < 30; index++) {
    const { account } = await payer.addPartner({
      slug: `partner-${index}`,
      owed: [{ amountCents: 100 }],
    })
    due[account ?? ''] = ['100 usd']
  }
  world
    .stripe()
    .planTransfersOf(payer.key, ...Array.from({ length: 10 }, () => 'cut_before' as const))
  await payer.run()
  world.stripe().planTransfersOf(payer.key)
  expect(payer.sent()).toEqual({})
  await world.query(`update payouts set key_used_at = now() - interval '25 hours'`)
  for (let tick = 0; tick < 8; tick++) {
    await makeDue()
    const fetches = await within(FETCHES_OF_A_WORKER, () => payDue(onFreePlan()))
    expect(fetches).toBeLessThanOrEqual(FETCHES_OF_A_WORKER)
  }
  expect(payer.sent()).toEqual(due)
  expect(await world.query('select from payouts where paid_at is null')).toEqual([])
})

test('a manager’s request stays within the fetch limit, authentication included', async () => {
  const payer = await world.createPayer()
  for (let index = 0; index < 60; index++) {
    await payer.addPartner({ slug: `partner-${index}`, owed: [{ amountCents: 100 }] })
  }
  const LETTING_IN = 2
  const fetches = await within(1_000, () => payer.run({}, { MAX_FETCHES: '45' }))
  expect(fetches + LETTING_IN).toBeLessThanOrEqual(45)
  // Each group of concurrent transfers but the first takes one more: which were canceled meanwhile?
  expect(Object.keys(payer.sent()).length).toBeGreaterThanOrEqual(20)
})

test.each(['', 'many', '-1'])(
  'with an invalid MAX_FETCHES "%s", payouts are sent',
  async (MAX_FETCHES) => {
    const payer = await world.createPayer()
    const maya = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
    await payer.run({}, { MAX_FETCHES })
    expect(payer.sent()).toEqual({ [maya.account ?? '']: ['1000 usd'] })
  },
)

test('with an invalid PUBLIC_URL, nothing is sent, because its result could not be saved', async () => {
  const payer = await world.createPayer()
  await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  await expect(payer.run({}, { PUBLIC_URL: 'track.example.com' })).rejects.toThrow('Invalid URL')
  expect(payer.sent()).toEqual({})
})

test('a currency without funds does not delay the others, however many payouts it has', async () => {
  const payer = await world.createPayer()
  for (let index = 0; index < 120; index++) {
    await payer.addPartner({ slug: `partner-${index}`, owed: [{ amountCents: 100 }] })
  }
  world.changeFundsAtTransfer(payer.key, 'usd', 0)
  await payer.run()
  const maya = await payer.addPartner({
    slug: 'maya',
    owed: [{ amountCents: 700, currency: 'EUR' }],
  })
  await payer.run({}, { MAX_FETCHES: '8' })
  await makeDue()

  const calls = world.stripe().calls()
  for (let minute = 0; minute < 10; minute++) {
    await payDue(onFreePlan())
    await world.query(`update payouts set next_attempt_at = next_attempt_at - interval '1 minute'`)
  }

  expect(payer.sent()).toEqual({ [maya.account ?? '']: ['700 eur'] })
  // What was not tried waits for an hour too. What was refused is looked up before it is asked for
  // again.
  expect(world.stripe().calls() - calls).toBeLessThan(35)
})

test('a run whose claim fails does not delay the others', async () => {
  const stuck = await world.createPayer()
  const leo = await stuck.addPartner({ slug: 'leo', owed: [{ amountCents: 100 }] })
  const fine = await world.createPayer()
  const maya = await fine.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  for (const { workspaceId } of [stuck, fine]) {
    await world.query(
      `insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at)
       values (uuidv7(), $1, 'stripe', now(), 'a manager', now())`,
      [workspaceId],
    )
  }
  // Nobody can make that: it stands for whatever makes a claim fail for good.
  await world.query(
    `insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, stripe_account_id,
                          created_at, next_attempt_at, failed_at)
     select $1, workspace_id, id, $2, $3, 'USD', 1, $4, now(), now(), now() from payout_runs where workspace_id = $5`,
    [newId(), stuck.programId, leo.id, leo.account, stuck.workspaceId],
  )
  const log = vi.spyOn(console, 'log').mockReturnValue(undefined)
  await payDue(world.env())
  expect(log).toHaveBeenCalledWith(expect.stringContaining('"level":"error"'))
  log.mockRestore()
  expect(fine.sent()).toEqual({ [maya.account ?? '']: ['1000 usd'] })
})

test('a run whose key is removed before it has claimed anything claims nothing', async () => {
  const payer = await world.createPayer()
  const maya = await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  await world.query(
    `insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at)
     values (uuidv7(), $1, 'stripe', now(), 'a manager', now())`,
    [payer.workspaceId],
  )
  await world.query('delete from stripe_keys')
  await payDue(world.env())
  expect(await world.query('select from payouts')).toEqual([])
  expect((await payer.run({ method: 'manual' })).payouts).toMatchObject([
    { partnerId: maya.id, amountCents: 1_000 },
  ])
})

test('partners with thousands of commissions are paid in full, page by page', {
  tags: 'thorough',
}, async () => {
  // Plans that connections keep from empty tables are made again after it.
  await world.query('truncate workspaces cascade')
  const payer = await world.createPayer()
  const due: Record<string, string[]> = {}
  const each = [4_999, 1, 2_500, 2_501, 3, 6_000]
  for (const [index, count] of each.entries()) {
    const { id, account } = await payer.addPartner({
      slug: `partner-${index}`,
      owed: [{ amountCents: 1 }],
    })
    await world.query(
      `insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind,
                                reverses_id, amount_cents, currency, payable_at, created_at)
       select gen_random_uuid(), c.workspace_id, c.program_id, c.partner_id, c.customer_id, c.event_id, c.reward_id,
              'reversal', c.id, 2, c.currency, c.payable_at, now()
       from commissions c, generate_series(2, $2::integer) where c.partner_id = $1`,
      [id, count],
    )
    due[account ?? ''] = [`${1 + 2 * (count - 1)} usd`]
  }
  // As autovacuum does when so many rows were added.
  await world.query('analyze')
  expect((await payer.run()).payouts).toHaveLength(each.length)
  expect(payer.sent()).toEqual(due)
  expect(await world.query('select from commissions where payout_id is null')).toEqual([])
})

test('Stripe’s messages are not cut within a character', async () => {
  const payer = await world.createPayer()
  await payer.addPartner({ slug: 'maya', owed: [{ amountCents: 1_000 }] })
  const real = fetch
  const message = `${'x'.repeat(299)}😀 and so on`
  vi.stubGlobal('fetch', (async (input, init) => {
    const isTransfer = init?.method === 'POST' && String(input).endsWith('/v1/transfers')
    if (!isTransfer) return real(input, init)
    return Response.json({ error: { type: 'invalid_request_error', message } }, { status: 400 })
  }) satisfies typeof fetch)
  const { payouts } = await payer.run()
  vi.unstubAllGlobals()
  expect(payouts).toMatchObject([{ status: 'failed' }])
  expect(await world.query('select last_error from payouts')).toEqual([
    { last_error: 'x'.repeat(299) },
  ])
})

/** The tables that a payout run writes, by what happened, without ids and times. */
const summary = async () => {
  const counted = async (text: string) =>
    (await world.query<{ what: string; times: number }>(`${text} group by 1 order by 1`)).map(
      ({ what, times }) => `${times} ${what}`,
    )
  return {
    runs: await counted(
      `select concat_ws(' ', method, (claimed_at is not null)::text, (confirmed_at is not null)::text,
                        (canceled_at is not null)::text) as what, count(*)::int as times from payout_runs`,
    ),
    payouts: await counted(
      `select concat_ws(' ', amount_cents, currency, (paid_at is not null)::text, (failed_at is not null)::text,
                        (canceled_at is not null)::text) as what, count(*)::int as times from payouts`,
    ),
    mails: await counted('select kind as what, count(*)::int as times from mails'),
    audit: await counted('select action as what, count(*)::int as times from audit_entries'),
    accounts: await counted(
      `select concat_ws(' ', status, (disconnected_at is not null)::text) as what, count(*)::int as times
       from payout_accounts`,
    ),
    keys: await counted('select last4 as what, count(*)::int as times from stripe_keys'),
    open: await counted(
      `select concat_ws(' ', amount_cents, currency) as what, count(*)::int as times from commissions
       where payout_id is null`,
    ),
  }
}

/**
 * A request without its values: the statements for the database, or a path of Stripe's without ids.
 */
const nameOf = (...[input, init]: Parameters<typeof fetch>): string => {
  const { pathname } = new URL(input instanceof Request ? input.url : input)
  const path = `${init?.method} ${pathname.replace(/acct_\w+/, 'ID')}`
  if (pathname !== '/sql') return path
  const { query, queries = [{ query }] } = JSON.parse(String(init?.body))
  return [path, ...queries.map((one: { query: string }) => one.query)].join('\n')
}

/**
 * All that is done about payouts, one after the other.
 * @param disturb is called once the merchant is there
 */
const liveThrough = async (disturb: () => void) => {
  await world.empty()
  const payer = await world.createPayer()
  const { workspaceId, key } = payer
  await payer.addPartner({
    slug: 'maya',
    owed: [{ amountCents: 1_000 }, { amountCents: 1, currency: 'EUR' }],
  })
  const leo = await payer.addPartner({ slug: 'leo', owed: [{ amountCents: 500 }] })
  const eve = await payer.addPartner({ slug: 'eve', owed: [{ amountCents: 70 }], connected: false })
  await payer.addPartner({ slug: 'kim', owed: [{ amountCents: 30 }], connected: false })
  world.stripe().closeAccount(leo.account ?? '')
  const env = world.env()
  const act = () => ({ workspaceId, actor: 'a manager', now: new Date() })
  const onboard = () =>
    startOnboarding(env, {
      ...{ workspaceId, email: eve.email, country: 'DE' },
      ...{
        returnUrl: 'https://tributary.example/back',
        refreshUrl: 'https://tributary.example/again',
      },
    })

  disturb()
  const answers: unknown[] = []
  answers.push(Object.keys(await onboard()))
  const [account] = await world.query<{ id: string }>(
    'select stripe_account_id as id from payout_accounts where email = $1',
    [eve.email],
  )
  world.stripe().onboard(account?.id ?? '')
  await refreshAccount(env, workspaceId, account?.id ?? '')
  // What a repeat leaves for later is done by the next one, and who was refused is notified by the
  // one after that.
  for (let times = 0; times < 3; times++) await payer.run()

  const manual = async (...steps: RunStep[]) => {
    const { runId } = await payer.run({ method: 'manual' })
    for (const step of steps) {
      const run = await changeRun(
        connect(env),
        act(),
        runId ?? '',
        step,
        'https://tributary.example',
      )
      answers.push(run?.status)
    }
  }
  await manual('canceled')
  await manual('paid', 'processing', 'paid', 'confirmed')
  answers.push(await disconnect(env, workspaceId, eve.email))
  answers.push(await removeStripeKey(connect(env), act()))
  const saved = await saveKey(env, act(), `${key}_rolled`)
  answers.push('outcome' in saved && saved.outcome === 'stored')
  return { answers, sent: Object.values(payer.sent()).sort(), ...(await summary()) }
}

test('whichever request is repeated, the result is the same', {
  tags: 'thorough',
  timeout: 300_000,
}, async () => {
  const real = fetch
  let places: string[] = []
  const twice = async (repeated: number | null) => {
    places = []
    const disturb = () =>
      vi.stubGlobal('fetch', (async (...request) => {
        const isTwice = places.push(nameOf(...request)) - 1 === repeated
        if (isTwice) await (await real(...request)).text()
        return real(...request)
      }) satisfies typeof fetch)
    const end = await liveThrough(disturb).finally(() => vi.unstubAllGlobals())
    expect(await world.violations()).toEqual([])
    return end
  }
  const undisturbed = await twice(null)
  const names = places
  expect(names.length).toBeGreaterThan(60)
  expect(undisturbed.payouts).toHaveLength(8)
  /** The first of each kind that may change something. */
  const isChosen = (name: string, at: number) =>
    /^POST \/v|update |insert |delete /.test(name) && names.indexOf(name) === at
  for (const [at, name] of names.entries()) {
    if (!isExhaustive && !isChosen(name, at)) continue
    expect({ at, ...(await twice(at)) }).toEqual({ at, ...undisturbed })
  }
})
