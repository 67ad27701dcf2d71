/**
 * A merchant that pays its partners from this process: the payout code itself, against a database
 * and a fake of Stripe of the test file's own, so that anything can be cut off anywhere, and the
 * clock's run meets nobody else's payouts.
 */
import { afterAll, beforeAll } from 'vitest'
import { seeder } from '../../dev/demo/seed.ts'
import { type StripeFake, startStripe } from '../../dev/fakes/stripe.ts'
import { newId } from '../../lib/db/ids.ts'
import type { RunResultResponse } from '../../lib/payouts/payouts.responses.ts'
import type { RunRequest } from '../../lib/payouts/payouts.rpc.ts'
import { runPayouts } from '../../lib/payouts/runs/run.service.ts'
import { connectTo } from '../../lib/payouts/stripe/connect.service.ts'
import type { PayoutEnv } from '../../lib/payouts/transfers/send.service.ts'
import { encryptSecret } from '../../lib/platform/secrets.ts'
import { asZone, connectDirectly } from './databases.ts'
import { openOwnDatabase } from './own-database.ts'
import { SECRETS_KEY } from './secrets.ts'

type Query = <Row extends Record<string, unknown>>(
  text: string,
  values?: unknown[],
) => Promise<Row[]>

type OwnDatabase = Awaited<ReturnType<typeof openOwnDatabase>>

/**
 * The database of the test files of this process, which use it one after the other. It ends with
 * the cluster.
 */
let kept: Promise<OwnDatabase> | undefined

/** What a partner is owed, and from when on. */
type Owed = { amountCents: number; currency?: string; payableAt?: Date }

type Partner = { slug: string; owed?: Owed[]; connected?: boolean; status?: 'approved' | 'banned' }

const LONG_AGO = new Date('2026-01-01T00:00:00Z')

/**
 * A database, a fake and a way to merchants, called once by a test file, at its top.
 *
 * @param changesSchema whether it changes the schema, or what Postgres knows of its tables: then it
 *   gets a new database
 */
export const usePayouts = ({ changesSchema = false } = {}) => {
  let own: OwnDatabase
  let stripe: StripeFake
  let ahead = 0
  beforeAll(async () => {
    if (!changesSchema) kept ??= openOwnDatabase('payouts')
    own = await (kept && !changesSchema ? kept : openOwnDatabase('payouts'))
    stripe = await startStripe({ now: () => new Date(Date.now() + ahead) })
  })
  afterAll(async () => {
    await stripe?.stop()
    await (changesSchema ? own?.stop() : own?.empty())
  })

  const query: Query = (text, values) => own.pool.query(text, values)

  /** The settings of the payouts Worker. */
  const env = (): PayoutEnv => ({
    ...own.database,
    SECRETS_KEY,
    STRIPE_URL: stripe.url,
    PUBLIC_URL: 'https://tributary.example',
    MAX_FETCHES: '10000',
  })

  return {
    query,
    /** Deletes all rows. */
    empty: () => own.empty(),
    stripe: () => stripe,
    /** Puts Stripe's clock ahead by so many hours. @returns the time there, for a run of ours */
    hoursLater: (hours: number): Date => {
      ahead = hours * 3_600_000
      return new Date(Date.now() + ahead)
    },
    /** Sets a balance between the time at which a run reads it and its first transfer. */
    changeFundsAtTransfer: (key: string, currency: string, cents: number) => {
      stripe.hooks.onCall = (method, path) => {
        if (method !== 'POST' || path !== '/v1/transfers') return
        stripe.hooks.onCall = undefined
        stripe.setBalance(currency, cents, key)
      }
    },
    env,
    /** What is wrong with the ledger. */
    violations: () => query('select * from ledger_violations'),
    createPayer: (terms?: Parameters<ReturnType<typeof seeder>['addProgram']>[1]) =>
      createPayer(query, env(), stripe, terms),
  }
}

/** A merchant with a key of its own at a fake of Stripe, in some database. */
export const createPayer = async (
  query: Query,
  env: PayoutEnv,
  stripe: StripeFake,
  terms: Parameters<ReturnType<typeof seeder>['addProgram']>[1] = {},
) => {
  const seed = seeder(env, connectDirectly)
  const { id: workspaceId, slug } = await seed.addWorkspace({ manualPayouts: true })
  const programId = await seed.addProgram(workspaceId, terms)
  const key = `sk_test_${workspaceId.replaceAll('-', '')}`
  const replaceKey = async (newKey: string): Promise<void> => {
    const { id: platform } = await connectTo(env, newKey).platform()
    await query(
      `insert into stripe_keys (workspace_id, ciphertext, last4, stripe_account_id, livemode, created_at)
       values ($1, $2, 'test', $3, false, now())
       on conflict (workspace_id) do update set ciphertext = excluded.ciphertext`,
      [workspaceId, await encryptSecret(SECRETS_KEY, workspaceId, newKey), platform],
    )
  }
  await replaceKey(key)

  /**
   * Gives a person an account at Stripe that can be paid, by default from the merchant's first
   * account.
   */
  const connectAccount = async (email: string, platformKey = key): Promise<string> => {
    const account = stripe.addAccount(platformKey, { email, country: 'DE' })
    stripe.onboard(account)
    await query(
      `insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, created_at)
       values ($1, $2, $3, 'DE', $4, 'enabled', now() - interval '4 days')`,
      [newId(), workspaceId, email, account],
    )
    return account
  }

  /** Earns a partner something by a lead. @returns the commission */
  const earn = async (
    partnerId: string,
    { amountCents, currency = 'USD', payableAt = LONG_AGO }: Owed,
  ) => {
    const [commission] = await query<{ id: string }>(
      `with customer as (
         insert into customers (id, workspace_id, external_id, partner_id, created_at)
         select gen_random_uuid(), $1, gen_random_uuid(), $2, now() returning id, external_id
       ), identity as (
         insert into customer_identities (workspace_id, customer_id, kind, value, source, created_at)
         select $1, id, 'external', external_id, 'import', now() from customer
       ), event as (
         insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, customer_id,
                             partner_id, attributed_by, body_hash, steps, occurred_at, commission_id)
         select gen_random_uuid(), $1, 'lead', gen_random_uuid(), 'lead', 'x', id, $2, 'click', '', '[]', now(),
                gen_random_uuid()
         from customer returning id, customer_id, commission_id
       )
       insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind,
                                amount_cents, currency, payable_at, created_at)
       select e.commission_id, $1, p.program_id, p.id, e.customer_id, e.id, g.reward_id, 'lead', $3, $4,
              $5, now()
       from event e, partners p join programs g on g.id = p.program_id where p.id = $2
       returning id`,
      [workspaceId, partnerId, amountCents, currency, payableAt],
    )
    return commission?.id ?? ''
  }

  /** Reverses a commission as a refund does, by default all of it. */
  const reverse = (commissionId: string, amountCents?: number) =>
    query(
      `insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind,
                                reverses_id, amount_cents, currency, payable_at, created_at)
       select gen_random_uuid(), workspace_id, program_id, partner_id, customer_id, event_id, reward_id, 'reversal',
              id, -coalesce($2, amount_cents), currency, payable_at, now()
       from commissions where id = $1`,
      [commissionId, amountCents ?? null],
    )

  return {
    workspaceId,
    slug,
    programId,
    key,
    seed,
    replaceKey,
    connectAccount,
    earn,
    reverse,
    /** A partner who is connected by default. @returns its id */
    addPartner: async ({
      slug: name,
      owed = [],
      connected = true,
      status = 'approved',
    }: Partner) => {
      const email = `${name}@${slug}.example`
      const id = await seed.addPartner(workspaceId, programId, { slug: name, email, status })
      const account = connected ? await connectAccount(email) : null
      const commissions: string[] = []
      for (const one of owed) commissions.push(await earn(id, one))
      return { id, email, account, commissions }
    },
    /** Runs payouts as a manager does. @throws when it is refused */
    run: async (
      request: Partial<RunRequest> = {},
      settings: Partial<PayoutEnv> = {},
      now = new Date(),
    ) => {
      const result = await runPayouts(
        { ...env, DATABASE_URL: asZone(env.DATABASE_URL, 'pay'), ...settings },
        {
          workspaceId,
          programId: null,
          method: 'stripe',
          dryRun: false,
          actor: 'a manager',
          ...request,
        },
        now,
      )
      if ('refused' in result) throw new Error(result.refused)
      return result as RunResultResponse
    },
    /**
     * What the ledger says was paid by Stripe, less what was reversed, and what Stripe's own books
     * say, by partner account and currency.
     */
    compareBooks: async () => {
      const rows = await query<{ account: string; currency: string; sum: string }>(
        `select stripe_account_id as account, currency, sum(amount_cents - reversed_cents) as sum from payouts
         where workspace_id = $1 and paid_at is not null and stripe_account_id is not null group by 1, 2`,
        [workspaceId],
      )
      const ledger = Object.fromEntries(
        rows.map(({ account, currency, sum }) => [`${account} ${currency}`, Number(sum)]),
      )
      const books: Record<string, number> = {}
      for (const { destination, currency, amount, amount_reversed: reversed } of stripe.transfers(
        key,
      )) {
        const name = `${destination} ${currency.toUpperCase()}`
        books[name] = (books[name] ?? 0) + amount - reversed
      }
      return { ledger, books }
    },
    /** What Stripe has sent each account, by its own books: "100 usd" and so on, sorted. */
    sent: (): Record<string, string[]> => {
      const sent: Record<string, string[]> = {}
      for (const { destination, amount, currency } of stripe.transfers(key)) {
        const account = String(destination)
        sent[account] = [...(sent[account] ?? []), `${amount} ${currency}`].sort()
      }
      return sent
    },
  }
}
export type Payer = Awaited<ReturnType<typeof createPayer>>
