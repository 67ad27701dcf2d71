// @module-tag sampled
/**
 * As in faults.test.ts and exits.test.ts, but with real processes: Postgres or workerd is killed
 * during a scheduled run, at a call of Stripe at which a payout is canceled, its run canceled, its
 * partner banned, the key exchanged, or the money gone.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type StripeFake, startStripe } from '../../dev/fakes/stripe.ts'
import { connect } from '../../lib/db/connection.ts'
import { changePartner } from '../../lib/partners/changes/change-partner.queries.ts'
import { cancelPayout, cancelRun } from '../../lib/payouts/corrections/cancel.queries.ts'
import { beginRun } from '../../lib/payouts/runs/begin-run.queries.ts'
import { useDurable } from '../support/durable.ts'
import { createPayer } from '../support/payouts.ts'
import { SECRETS_KEY } from '../support/secrets.ts'
import { timesOver } from '../support/thorough.ts'

const ROUNDS = timesOver({ quick: 1, thorough: 2, exhaustive: 40 })
const PARTNERS = 30
/** The last partners are not among those that are sent concurrently with the event. */
const MOST_BEFORE = PARTNERS - 10

let stripe: StripeFake
const starting = startStripe()
beforeAll(async () => {
  stripe = await starting
})
afterAll(() => stripe.stop())

const durable = useDurable(['payouts'], async () => ({
  STRIPE_URL: (await starting).url,
  MAX_FETCHES: '900',
}))

const query = async <Row extends Record<string, unknown>>(text: string, values: unknown[] = []) => {
  const client = new pg.Client({ connectionString: durable.database().DATABASE_URL })
  await client.connect()
  const { rows } = await client.query<Row>(text, values)
  await client.end()
  return rows
}

/**
 * A merchant with a run that has claimed nothing yet, and what is due to each account. Things
 * happen to the last partner.
 */
const begin = async () => {
  const env = {
    ...durable.database(),
    SECRETS_KEY,
    STRIPE_URL: stripe.url,
    PUBLIC_URL: 'https://tributary.example',
    MAX_FETCHES: '900',
  }
  const payer = await createPayer(query, env, stripe)
  const { workspaceId } = payer
  const due: Record<string, string[]> = {}
  let last = { id: '', account: '' }
  for (let index = 0; index < PARTNERS; index++) {
    const { id, account } = await payer.addPartner({
      slug: `partner-${index}`,
      owed: [{ amountCents: 100 + index }],
    })
    last = { id, account: account ?? '' }
    due[last.account] = [`${100 + index} usd`]
  }
  const scope = {
    workspaceId,
    programId: null,
    method: 'stripe' as const,
    cutoffAt: new Date(),
    cover: null,
  }
  const run = await beginRun(connect(env), scope, { actor: 'a manager', now: new Date() })
  return { env, payer, due, last, runId: run?.id ?? '' }
}
type Scene = Awaited<ReturnType<typeof begin>>

const act = ({ payer }: Scene) => ({
  workspaceId: payer.workspaceId,
  actor: 'a manager',
  now: new Date(),
})

/** What may happen at the call at which something is killed. */
const EVENTS: Record<string, (scene: Scene) => Promise<unknown>> = {
  nothing: async () => {},
  'its payout is canceled': async (scene) => {
    const [payout] = await query<{ id: string }>('select id from payouts where partner_id = $1', [
      scene.last.id,
    ])
    await cancelPayout(connect(scene.env), act(scene), payout?.id ?? '')
  },
  'its run is canceled': (scene) => cancelRun(connect(scene.env), act(scene), scene.runId),
  'its partner is banned': (scene) =>
    changePartner(connect(scene.env), act(scene), scene.last.id, { status: 'banned' }),
  'another key of the account is set, and the old one revoked': async ({ payer }) => {
    await payer.replaceKey(`${payer.key}_rolled1`)
    stripe.revokeKey(payer.key)
  },
  'the balance runs short': async ({ payer }) => stripe.setBalance('usd', 350, payer.key),
}
const NAMES = Object.keys(EVENTS)

/** The partner whose payout may not be sent after the event, until a manager pays the rest. */
const STOPPED = ['its payout is canceled', 'its run is canceled', 'its partner is banned']

/**
 * By default the victims take turns, and the events from a random one on; the others are met by
 * EXHAUSTIVE=1.
 */
const first = Math.floor(Math.random() * NAMES.length)

test(`killed ${ROUNDS} times in the middle of a run, whatever happens there, each partner is sent once what was due`, async () => {
  const sentAtKill: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const event = NAMES[(first + Math.floor(round / 2) * 3 + round) % NAMES.length] ?? ''
    const isWorkers = round % 2 === 1
    const isAfter = round % 4 > 1
    const scene = await begin()
    const { payer, due, last, env } = scene
    const about = `${event}, ${isWorkers ? 'workerd' : 'Postgres'} killed ${isAfter ? 'after' : 'before'} a transfer`

    let killed: Promise<() => Promise<void>> | undefined
    let left = Math.floor(Math.random() * MOST_BEFORE)
    const strike = async () => {
      await EVENTS[event]?.(scene)
      return isWorkers ? durable.killWorkers() : durable.killPostgres()
    }
    stripe.hooks[isAfter ? 'afterCall' : 'onCall'] = async (method, path) => {
      if (method !== 'POST' || path !== '/v1/transfers' || left-- > 0) return
      if (!killed) sentAtKill.push(stripe.transfers(payer.key).length)
      killed ??= strike()
      // The call goes on after the kill, so the kill is always in the middle of a run.
      await killed
    }
    const running = durable
      .workers()
      .runCron('payouts')
      .catch(() => {})
    const restart = await vi.waitUntil(() => killed, 60_000)
    await restart()
    // With another database a run may come to its end; one whose Worker is gone never says so.
    await Promise.race([running, sleep(2_000)])
    stripe.hooks.onCall = undefined
    stripe.hooks.afterCall = undefined

    // What was taken is due again after two minutes, and keys act for a day, for which this test
    // doesn't wait.
    const goOn = async () => {
      await query(
        `update payouts set next_attempt_at = now(), key_used_at = key_used_at - interval '25 hours' where workspace_id = $1`,
        [payer.workspaceId],
      )
      await durable.workers().runCron('payouts')
    }
    await goOn()
    // Nothing of what was stopped is sent, whatever is set up later.
    stripe.setBalance('usd', 1_000_000, payer.key)
    await payer.replaceKey(`${payer.key}_rolled2`)
    await goOn()
    if (STOPPED.includes(event))
      expect({ about, sent: payer.sent()[last.account] }).toEqual({ about, sent: undefined })

    // A manager pays the rest.
    await changePartner(connect(env), act(scene), last.id, { status: 'approved' })
    await payer.run({}, durable.database())
    expect({ about, sent: payer.sent() }).toEqual({ about, sent: due })
    expect(await query('select * from verify_ledger()')).toEqual([])
    const open = await query(
      `select status, last_error from payouts where workspace_id = $1 and status not in ('paid', 'canceled')`,
      [payer.workspaceId],
    )
    expect({ about, open }).toEqual({ about, open: [] })
  }
  expect(sentAtKill).toHaveLength(ROUNDS)
  expect(Math.max(...sentAtKill)).toBeLessThan(PARTNERS)
}, 900_000)
