import { createMerchant, type useDatabase } from './merchant.ts'
import { openSession } from './people.ts'

type Database = ReturnType<typeof useDatabase>

/**
 * A partner "ann" with an address that no other test knows, in a program of a merchant of its own.
 */
export const createPartner = async (
  options: Parameters<typeof createMerchant>[0] = {},
  slug = 'ann',
  status: 'approved' | 'banned' = 'approved',
) => {
  const merchant = await createMerchant(options)
  const email = `ann@${merchant.workspace.slug}.example`
  const { id: workspaceId } = merchant.workspace
  const partnerId = await merchant.seed.addPartner(workspaceId, merchant.programId, {
    slug,
    email,
    status,
  })
  return { merchant, email, workspaceId, partnerId, cookie: () => openSession(email) }
}

export type Partner = Awaited<ReturnType<typeof createPartner>>

/**
 * Lets a click be so many days old, and its program's attribution days have passed where there are
 * fewer.
 */
export const ageClick = (database: Database, clickId: string, days: number) =>
  database.query(
    `update clicks set created_at = created_at - make_interval(days => $2),
                       expires_at = expires_at - make_interval(days => $2) where id = $1`,
    [clickId, days],
  )

type PayoutRow = {
  outcome?: 'paid_at' | 'failed_at' | 'canceled_at'
  byBank?: boolean
  eventIds?: string[]
}

/**
 * Pays a partner what some events have earned it, in USD, as a run would have.
 *
 * @returns the payout's id
 */
export const addPayout = async (
  database: Database,
  { workspaceId, partnerId, merchant, email }: Omit<Partner, 'cookie'>,
  amountCents: number,
  { outcome, byBank = false, eventIds = [] }: PayoutRow = {},
): Promise<string | undefined> => {
  const account = `acct_${partnerId.slice(-12)}`
  await database.query(
    `insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, created_at)
     values (uuidv7(), $1, $2, 'DE', $3, 'enabled', now() - interval '4 days') on conflict do nothing`,
    [workspaceId, email, account],
  )
  const [row] = await database.query<{ id: string }>(
    `with run as (
       insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at, claimed_at)
       values (uuidv7(), $1, $2, now(), 'manager@shop.example', now(), now()) returning id)
     insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents,
                          stripe_account_id, created_at, next_attempt_at, paid_at, failed_at, canceled_at, transfer_id)
     select uuidv7(), $1, run.id, $3, $4, 'USD', $5, $6, now(), now(), $7, $8, $9,
            case when $7::timestamptz is not null and $6::text is not null then 'tr_' || run.id end
     from run returning id`,
    [
      workspaceId,
      byBank ? 'manual' : 'stripe',
      merchant.programId,
      partnerId,
      amountCents,
      byBank ? null : account,
      ...(['paid_at', 'failed_at', 'canceled_at'] as const).map((name) =>
        name === outcome ? new Date() : null,
      ),
    ],
  )
  await database.query(
    'update commissions set payout_id = $2 where event_id = any($1) and partner_id = $3',
    [eventIds, row?.id, partnerId],
  )
  return row?.id
}

/** Takes back so much of what an event has earned, in USD, as a refund does. */
export const takeBack = (database: Database, eventId: string, cents: number) =>
  database.query(
    `insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind,
                              reverses_id, amount_cents, currency, payable_at, created_at)
     select uuidv7(), workspace_id, program_id, partner_id, customer_id, event_id, reward_id, 'reversal', id, $2,
            currency, payable_at, now()
     from commissions where event_id = $1 and kind <> 'reversal'`,
    [eventId, -cents],
  )

/** What a merchant was answered, or the test has nothing to go on with. */
export const eventOf = ({
  status,
  body,
}: {
  status: number
  body: { eventId?: string | null }
}): string => {
  if (status !== 200 || !body.eventId) throw new Error(JSON.stringify(body))
  return body.eventId
}
