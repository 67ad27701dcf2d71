/** The mail queue: leases mails that are due, and saves what became of them. */
import { sql } from 'kysely'
import type { Brand } from '../../brand/brand.ts'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import { dueRows, isLeased, type Lease, leaseOf, oneAttempt } from '../../db/leases.queries.ts'
import { type OutboxKind, REWARD_KINDS, UNSUBSCRIBABLE_KINDS, WITHHELD_KINDS } from '../mails.ts'
import type { MailedReward } from '../texts/reward-lines.tsx'
import type { EditedText } from '../texts/texts.ts'
import type { UsageNote } from '../transport/accounts.ts'
import { WHY_BANNED } from './outbox.queries.ts'
import type { Usage } from './quota.ts'
import { BULK_KINDS, type Stream } from './streams.ts'
import { noteUsageQuery, usageQuery } from './usage.queries.ts'

/** A mail that one run may send until its lease ends. */
export type LeasedMail = {
  id: string
  kind: OutboxKind
  recipient: string
  /** The partner, or the application of somebody who was invited; null for anybody else. */
  subscriberId: string | null
  details: Record<string, unknown>
  /** The current name of its workspace; null for a mail to a person about its account. */
  workspaceName: string | null
  /** Whether it is a test mail, from a manager to themselves. */
  isTest: boolean
  /** The current words of its kind, or those that a manager has written to many partners. */
  edited: EditedText | undefined
  /** The language in which the partner last read the portal; null if it never did. */
  language: string | null
  /** The current brand of its program. */
  brand: (Brand & { replyTo: string | null }) | undefined
  /** What the partner earns at present; null if the mail does not say it. */
  reward: MailedReward | null
  /** The key that signs the unsubscribe link; null for mails that nobody can end. */
  unsubscribeKey: string | null
  /** The number of attempts, this one included. */
  attempts: number
  firstAttemptAt: Date
  /** The version of its idempotency key. */
  keyVersion: number
  /** The batch in which it is sent, and its idempotency key; null if it is sent alone. */
  batchId: string | null
}

type Row = Omit<LeasedMail, 'edited' | 'brand'> & {
  edited: EditedText | null
  brand: LeasedMail['brand'] | null
  isWithheld: boolean
}

/** Whether a mail is to be sent, now or later. @param m its alias */
const isOpen = (
  m: string,
) => sql`${sql.ref(`${m}.sent_at`)} is null and ${sql.ref(`${m}.failed_at`)} is null
    and not ${sql.ref(`${m}.is_held`)}`

/** Whether a mail is due. @param m its alias */
const isDue = (m: string, now: Date) =>
  sql`${isOpen(m)} and ${sql.ref(`${m}.next_attempt_at`)} <= ${now}::timestamptz`

export const hasDueMails = (now: Date) => sql`exists (select from mails m where ${isDue('m', now)})`

const canUnsubscribe = sql`m.kind = any(${`{${UNSUBSCRIBABLE_KINDS}}`}::text[])`
const hasUnsubscribed = sql`(${canUnsubscribe} and exists (
  select from mail_optouts o where o.workspace_id = m.workspace_id and o.email = m.recipient))`

/**
 * What a partner earns, or would earn who accepts the invitation: as in the portal, nothing while
 * another platform pays.
 */
const rewardOfMail = sql`(
  select json_build_object(
    'reward', reward_of(coalesce(p.reward_id, g.sale_reward_id, pr.reward_id)),
    'rewardInterval', pr.reward_interval, 'rewardDurationMonths', pr.reward_duration_months,
    'leadReward', reward_of(g.lead_reward_id))
  from programs pr
  left join partners p on p.id = m.partner_id
  left join applications a on a.program_id = m.program_id and a.email = m.recipient
  left join groups g on g.id = coalesce(p.group_id, a.group_id)
  where pr.id = coalesce(m.program_id, p.program_id) and pr.mode = 'live')`

const isBanned = sql`(m.kind = any(${`{${WITHHELD_KINDS}}`}::text[]) and exists (
  select from partners p where p.id = m.partner_id and p.status = 'banned'))`

/** A page with at least this many bulk mails sends them by one request. */
const BATCH_FROM = 10

type Page = {
  now: Date
  leaseEnd: Date
  windowStart: Date
  /** Whether bulk mails may be sent by one request. */
  canBatch: boolean
  limit: number
}

/**
 * Leases due mails, first the invitations, because somebody waits for them. Mails first attempted
 * before `windowStart` fail, because another attempt could deliver them twice. Mails to banned
 * partners and unsubscribed people fail, too.
 *
 * A batch with an unknown outcome is leased as a whole, beyond the limit. Its mails have the same
 * times, so a concurrent run that has waited for their locks finds none of them due.
 *
 * A repeat after an unseen commit gets the same mails, but not the failed ones.
 */
export const leaseMails = async (
  db: Db,
  { now, leaseEnd, windowStart, canBatch, limit }: Page,
): Promise<{ mails: LeasedMail[]; withheld: number; usages: Partial<Record<Stream, Usage>> }> => {
  const isExpired = sql`m.first_attempt_at < ${windowStart}::timestamptz`
  const isWithheld = sql`(${isExpired} or ${hasUnsubscribed} or ${isBanned})`
  const leasedBy = (lease: Lease) => sql`
        attempts = m.attempts + case when ${isWithheld} then 0 else ${oneAttempt('m', lease)} end,
        first_attempt_at = coalesce(m.first_attempt_at, ${now}),
        ${leaseOf(lease)},
        failed_at = case when ${isWithheld} then ${now}::timestamptz end,
        last_error = case
          when ${isExpired} then concat_ws(' ', 'Given up: it may have been sent, and it is too late to find out.', m.last_error)
          when ${isBanned} then ${WHY_BANNED}
          when ${hasUnsubscribed} then 'Not sent: the recipient has unsubscribed from such emails.'
          else m.last_error end`
  const returned = sql`
              m.id, m.kind, m.recipient, m.details, m.attempts, m.first_attempt_at as "firstAttemptAt",
              m.key_version as "keyVersion", m.batch_id as "batchId",
              m.failed_at is not null as "isWithheld",
              m.occasion = 'test' as "isTest",
              coalesce((select p.language from partners p where p.id = m.partner_id),
                       (select p.language from partners p where p.email = m.recipient and p.language is not null limit 1),
                       (select a.language from applications a where a.program_id = m.program_id and a.email = m.recipient)) as language,
              (select w.name from workspaces w where w.id = m.workspace_id) as "workspaceName",
              case when m.kind = 'message'
                then (select jsonb_build_object('subject', g.subject, 'intro', g.content) from mailings g
                      where g.workspace_id = m.workspace_id and g.id = m.occasion::uuid)
                else (select jsonb_build_object('subject', t.subject, 'intro', t.intro) from mail_texts t
                      where t.workspace_id = m.workspace_id and t.kind = m.kind) end as edited,
              case when m.kind = any(${`{${REWARD_KINDS}}`}::text[]) then ${rewardOfMail} end as reward,
              case when ${canUnsubscribe} then (select key from unsubscribe_key) end as "unsubscribeKey",
              coalesce(m.partner_id, (select a.id from applications a where a.program_id = m.program_id and a.email = m.recipient)) as "subscriberId",
              (select jsonb_build_object('logoUrl', b.logo_url, 'accentColor', b.accent_color, 'supportEmail', b.support_email,
                'replyTo', case when b.support_email_verified_at is not null then b.support_email end)
               from brands b
               where b.program_id = coalesce(m.program_id, (select p.program_id from partners p where p.id = m.partner_id))) as brand`
  const isFresh = (m: string) => sql`${isDue(m, now)} and ${sql.ref(`${m}.batch_id`)} is null`
  const whole = { id: newId(), end: leaseEnd }
  const isWhole = (m: string) => sql`(${isDue(m, now)} or ${isOpen(m)} and ${isLeased(m, whole)})`
  const repeated = sql<Row>`
    update mails m set ${leasedBy(whole)}
    where ${isWhole('m')} and m.batch_id = (
      select b.batch_id from mails b where ${isWhole('b')} and b.batch_id is not null
      order by b.lease_id is distinct from ${whole.id}::uuid, b.next_attempt_at, b.batch_id limit 1)
    returning ${returned}`
  const queue = { table: 'mails', isOpen, lane: 'kind', urgentLane: 'invitation' }
  const single = { id: newId(), end: leaseEnd }
  const fresh = sql<Row>`
    with ${dueRows({ ...queue, isDue: isFresh, lease: single, limit })}, bulk as (
      select q.id from due join mails q on q.id = due.id
      where ${canBatch}::boolean and q.kind = any(${`{${BULK_KINDS}}`}::text[]) and q.attempts = 0
    )
    update mails m
    set batch_id = case when m.id in (select id from bulk) and (select count(*) from bulk) >= ${BATCH_FROM}
                        then ${newId()}::uuid
                        when ${isLeased('m', single)} then m.batch_id end, ${leasedBy(single)}
    from due where m.id = due.id
    returning ${returned}`
  const [again, rows, used] = await db.batch([
    repeated.compile(db),
    fresh.compile(db),
    usageQuery(now).compile(db),
  ])
  const all = [...again, ...rows]
  const mails = all
    .filter((row) => !row.isWithheld)
    .map((row) => ({ ...row, edited: row.edited ?? undefined, brand: row.brand ?? undefined }))
  const usages = Object.fromEntries(used.map(({ account, ...of }) => [account, of]))
  return { mails, withheld: all.length - mails.length, usages }
}

/** The leased mails to send: nobody was banned and nobody has unsubscribed meanwhile. */
export const stillWanted = async (db: Db, ids: string[]): Promise<Set<string>> => {
  const { rows } = await sql<{ id: string }>`
    select m.id from mails m
    where m.id = any(${ids}::uuid[]) and m.failed_at is null and not ${hasUnsubscribed} and not ${isBanned}`.execute(
    db,
  )
  return new Set(rows.map(({ id }) => id))
}

export type MailResult = {
  id: string
  /** Of the lease. A run whose lease has ended changes nothing, but may report the mail as sent. */
  attempts: number
  /** That of the lease. The provider may have reported meanwhile that the mail was never sent. */
  keyVersion: number
  /** `waiting`: not tried, so the attempt does not count. */
  outcome: 'sent' | 'failed' | 'retry' | 'waiting'
  /** When it is due again; null if never. */
  nextAttemptAt: Date | null
  error: string | null
  /** The batch that must be repeated unchanged, because its outcome is unknown. */
  batchId: string | null
}

/** Saves the results of a run and the usage of the accounts in one transaction. Idempotent. */
export const saveMailResults = async (
  db: Db,
  results: MailResult[],
  notes: Record<Stream, UsageNote | null>,
  now: Date,
): Promise<void> => {
  const saved = sql`
    update mails m
    set sent_at = case when x.outcome = 'sent' then ${now}::timestamptz end,
        failed_at = case when x.outcome = 'failed' then ${now}::timestamptz end,
        attempts = m.attempts - case when x.outcome = 'waiting' then 1 else 0 end,
        first_attempt_at = case when x.outcome = 'waiting' and m.attempts = 1 then null else m.first_attempt_at end,
        next_attempt_at = coalesce(x."nextAttemptAt", m.next_attempt_at),
        last_error = case when x.outcome = 'sent' then null else coalesce(x.error, m.last_error) end,
        batch_id = case when x.outcome = 'sent' then m.batch_id else x."batchId" end
    from jsonb_to_recordset(${JSON.stringify(results)}::jsonb)
      as x(id uuid, attempts integer, "keyVersion" integer, outcome text, "nextAttemptAt" timestamptz, error text, "batchId" uuid)
    where m.id = x.id and m.sent_at is null and m.key_version = x."keyVersion"
      and (x.outcome = 'sent' or (m.failed_at is null and m.attempts = x.attempts))`
  const learnt = (['personal', 'bulk'] as const).flatMap((account) => {
    const note = notes[account]
    return note ? [noteUsageQuery(account, note, now)] : []
  })
  await db.batch([saved, ...learnt].map((statement) => statement.compile(db)))
}
