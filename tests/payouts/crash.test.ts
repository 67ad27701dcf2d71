/** As in faults.test.ts, but with real processes: Postgres and workerd are killed during a scheduled run. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type StripeFake, startStripe } from '../../dev/fakes/stripe.ts'
import { connect } from '../../lib/db/connection.ts'
import { beginRun } from '../../lib/payouts/begin-run.queries.ts'
import { useDurable } from '../support/durable.ts'
import { createPayer } from '../support/payouts.ts'
import { SECRETS_KEY } from '../support/secrets.ts'
import { timesOver } from '../support/thorough.ts'

const ROUNDS = timesOver({ often: 2, thorough: 40 })
const PARTNERS = 30

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

test(`killed ${ROUNDS} times in the middle of a run, each partner is sent once what was due`, async () => {
  const sentAtKill: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const env = {
      ...durable.database(),
      SECRETS_KEY,
      STRIPE_URL: stripe.url,
      PUBLIC_URL: 'https://tributary.example',
      MAX_FETCHES: '900',
    }
    const payer = await createPayer(query, env, stripe)
    const due: Record<string, string[]> = {}
    for (let index = 0; index < PARTNERS; index++) {
      const { account } = await payer.addPartner({
        slug: `partner-${index}`,
        owed: [{ amountCents: 100 + index }],
      })
      due[account ?? ''] = [`${100 + index} usd`]
    }
    const { workspaceId } = payer
    const scope = {
      workspaceId,
      programId: null,
      method: 'stripe' as const,
      cutoffAt: new Date(),
      cover: null,
    }
    await beginRun(connect(env), scope, { actor: 'a manager', now: new Date() })

    let killed: Promise<() => Promise<void>> | undefined
    let left = Math.floor(Math.random() * PARTNERS)
    stripe.hooks.onCall = async (method, path) => {
      if (method !== 'POST' || path !== '/v1/transfers' || left-- > 0) return
      if (!killed) sentAtKill.push(stripe.transfers(payer.key).length)
      killed ??= round % 2 ? durable.killWorkers() : durable.killPostgres()
      // The transfer is made after the kill, so the kill is always in the middle of a run.
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

    // What was taken is due again after two minutes, for which this test doesn't wait.
    await query('update payouts set next_attempt_at = now()')
    await durable.workers().runCron('payouts')

    expect(payer.sent()).toEqual(due)
    expect(await query('select * from verify_ledger()')).toEqual([])
    const [sums] = await query<{ paid: number }>(
      'select count(paid_at)::int as paid from payouts where workspace_id = $1',
      [workspaceId],
    )
    expect(sums).toEqual({ paid: PARTNERS })
  }
  expect(sentAtKill).toHaveLength(ROUNDS)
  expect(Math.max(...sentAtKill)).toBeLessThan(PARTNERS)
}, 900_000)
