/** Connects, confirms and disconnects a partner's Stripe account, with audit entry and mails. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import { lockPayouts } from '../../db/locks.queries.ts'
import { isInFlight } from '../payouts.queries.ts'
import type { Holder, PayoutAccount } from './accounts.queries.ts'
import { changeMails, hasChangedAddress } from './change-mails.queries.ts'

/** Whether the holder of an account, which is a row, had another one at Stripe before. */
const hadAnother = (account: RawBuilder<unknown>) => sql`exists (
  select from payout_accounts f where f.workspace_id = ${account}.workspace_id and f.email = ${account}.email
                                  and f.disconnected_at is not null and f.stripe_account_id is not null)`

/**
 * Statements for the audit log and the mails about an account, whose row is in the CTE `changed`.
 * They are added in the transaction of the change. An account is `changed` if it replaced another
 * one, which is held.
 */
const report = (
  done: 'connected' | 'disconnected',
  { now, portalUrl }: Moment,
  { confirmUrl, heldUntil }: Hold | Record<keyof Hold, null>,
): RawBuilder<unknown> => {
  const change = sql`case when ${done} = 'connected' and ${hadAnother(sql`changed`)} then 'changed' else ${done} end`
  const workspaceId = sql`changed.workspace_id`
  return sql`
  entry as (
    insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
    select ${newId()}::uuid, workspace_id, email, 'payout_account.' || ${change}, id,
           jsonb_strip_nulls(jsonb_build_object('stripeAccountId', stripe_account_id, 'country', country,
                                                'heldUntil', case when ${change} = 'changed' then effective_at end)),
           ${now}::timestamptz
    from changed
  )
  ${changeMails({
    kind: 'payout_account',
    person: { workspaceId, email: sql`changed.email` },
    occasion: sql`changed.id || ' ' || ${change}`,
    details: sql`jsonb_strip_nulls(jsonb_build_object(
           'partnerName', p.name, 'workspaceName', (select w.name from workspaces w where w.id = changed.workspace_id),
           'change', ${change}, 'portalUrl', ${portalUrl}::text,
           'heldUntil', case when ${change} = 'changed' then ${heldUntil}::text end,
           'confirmUrl', case when ${change} = 'changed' and changed.confirm_hash is not null then ${confirmUrl}::text end))`,
    from: sql`changed`,
    secrets: ['confirmUrl'],
    now,
  })}`
}

/** The hold of an account that replaces another one. */
type Hold = {
  heldUntil: string
  /** The link in the mail that ends the hold. */
  confirmUrl: string
}

const NO_HOLD = { heldUntil: null, confirmUrl: null }

/** When an account changes, and the address of the portal, for the mail about it. */
export type Moment = { now: Date; portalUrl: string }

/** The merchant's Stripe account, under which partners' accounts are created. */
export type Platform = { platform: string; livemode: boolean }

/** A hold as stored, with the hash of its link's token. */
export type NewHold = Hold & { effectiveAt: Date; tokenHash: string }

/**
 * Saves the id of the account that Stripe created. Payouts to it are held if the person had another
 * account, or changed its address within the hold. A mail to such an address cannot end the hold.
 *
 * @returns false if the account was disconnected meanwhile, or the workspace now has the key of
 *   another Stripe account
 */
export const bindPayoutAccount = async (
  db: Db,
  { id, workspaceId }: PayoutAccount,
  stripeAccountId: string,
  { platform, livemode }: Platform,
  moment: Moment,
  hold: NewHold,
): Promise<boolean> => {
  const row = db
    .selectFrom('payout_accounts')
    .where('id', '=', id)
    .where('disconnected_at', 'is', null)
  const isOfKey = sql<SqlBool>`exists (select from stripe_keys where workspace_id = ${workspaceId}
    and stripe_account_id = ${platform} and livemode = ${livemode})`
  const holder = { workspaceId: sql`a.workspace_id`, email: sql`a.email` }
  const isHeld = sql`(${hadAnother(sql`a`)} or ${hasChangedAddress(holder, moment.now)})`
  const [, , bound] = await db.batch([
    lockPayouts(workspaceId).compile(db),
    sql`
      with changed as (
        update payout_accounts a
        set stripe_account_id = ${stripeAccountId},
            effective_at = case when ${isHeld} then ${hold.effectiveAt}::timestamptz end,
            confirm_hash = case when ${hadAnother(sql`a`)} and not ${hasChangedAddress(holder, moment.now)} then ${hold.tokenHash} end
        where id = ${id} and disconnected_at is null and stripe_account_id is null and ${isOfKey}
        returning *
      ), ${report('connected', moment, hold)}`.compile(db),
    row.where('stripe_account_id', '=', stripeAccountId).select('id').compile(),
  ])
  return bound.length > 0
}

/**
 * Ends the hold of a person's account by the link of the mail. Idempotent.
 * @returns false if there is none, or the link is invalid
 */
export const confirmHeldAccount = async (
  db: Db,
  { workspaceId, email }: Holder,
  tokenHash: string,
  now: Date,
): Promise<boolean> => {
  const own = sql`workspace_id = ${workspaceId} and email = ${email} and disconnected_at is null and confirm_hash = ${tokenHash}`
  const confirm = sql`
    with confirmed as (
      update payout_accounts set effective_at = ${now}::timestamptz where ${own} and effective_at > ${now}::timestamptz
      returning id, stripe_account_id
    )
    insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
    select ${newId()}::uuid, ${workspaceId}::uuid, ${email}, 'payout_account.confirmed', id,
           jsonb_build_object('stripeAccountId', stripe_account_id), ${now}::timestamptz
    from confirmed`
  const [, , confirmed] = await db.batch([
    lockPayouts(workspaceId).compile(db),
    confirm.compile(db),
    sql`select id from payout_accounts where ${own} and effective_at = ${now}::timestamptz`.compile(
      db,
    ),
  ])
  return confirmed.length > 0
}

export type Disconnection = 'disconnected' | 'not_connected' | 'payout_in_flight'

/**
 * Disconnects a person's account, unless a payout to it is in flight. Stripe keeps the account.
 *
 * @param id of the account, if it may have been replaced
 * @param moment the same for each retry: its time identifies the row of an earlier attempt
 */
export const disconnectAccount = async (
  db: Db,
  { workspaceId, email, id = null }: Holder & { id?: string | null },
  moment: Moment,
): Promise<Disconnection> => {
  const isMeant = sql<SqlBool>`workspace_id = ${workspaceId} and email = ${email} and id = coalesce(${id}::uuid, id)`
  const accounts = db.selectFrom('payout_accounts').where(isMeant)
  const isPaid = sql<SqlBool>`exists (
    select from payouts p join partners pa on pa.id = p.partner_id
    where p.workspace_id = ${workspaceId} and pa.email = ${email} and ${isInFlight('p')})`
  const [, , left, gone] = await db.batch([
    lockPayouts(workspaceId).compile(db),
    sql`
      with changed as (
        update payout_accounts set disconnected_at = ${moment.now}
        where ${isMeant} and disconnected_at is null and not ${isPaid}
        returning *
      ), ${report('disconnected', moment, NO_HOLD)}`.compile(db),
    accounts.where('disconnected_at', 'is', null).select('id').compile(),
    accounts.where('disconnected_at', '=', moment.now).select('id').compile(),
  ])
  if (left.length > 0) return 'payout_in_flight'
  return gone.length > 0 ? 'disconnected' : 'not_connected'
}
