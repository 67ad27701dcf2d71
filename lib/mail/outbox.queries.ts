/** The outbox: mails that wait to be sent, and what became of them. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import type { PageRequest } from '../db/page-request.ts'
import type { MailKind } from '../db/tables.ts'
import type { Act } from '../workspace/audit.queries.ts'
import type { InvitationDetails } from './details.ts'

/** A mail that a run has taken, to be sent by it alone until its lease ends. */
export type LeasedMail = {
  id: string
  kind: MailKind
  recipient: string
  details: Record<string, unknown>
  /** How many tries there were, this one included. */
  attempts: number
  firstAttemptAt: Date
}

/**
 * Takes mails that are due for one run, in one statement: of two runs at once, each gets others. Invitations come
 * first, since somebody waits for them, but never take more than three quarters of a run from other mails; of each kind,
 * workspaces take turns, so that a large import or payout run holds up its own mails only. Those whose first try was
 * before `windowStart` have failed: a further try could arrive as a second mail.
 *
 * A repeat after an unseen commit takes further mails, and leaves the others to the run after the lease.
 */
export const leaseMails = async (
  db: Db,
  { now, leaseEnd, windowStart, limit }: { now: Date; leaseEnd: Date; windowStart: Date; limit: number },
): Promise<{ mails: LeasedMail[]; expired: number }> => {
  const due = (m: string) => sql`${sql.ref(`${m}.sent_at`)} is null and ${sql.ref(`${m}.failed_at`)} is null
    and ${sql.ref(`${m}.next_attempt_at`)} <= ${now}::timestamptz`
  const { rows } = await sql<LeasedMail & { expired: boolean }>`
    with turns as (
      select t.id, t.kind,
             row_number() over (partition by t.workspace_id, t.kind order by t.next_attempt_at, t.id) as turn
      from mails t where ${due('t')}
    ), places as (
      select id, turn, kind <> 'invitation'
                       or row_number() over (partition by kind order by turn, id) > ${limit}::integer * 3 / 4 as later
      from turns
    ), chosen as (
      select m.id, coalesce(m.first_attempt_at < ${windowStart}::timestamptz, false) as expired
      from mails m join places using (id)
      where ${due('m')}
      order by places.later, places.turn, m.id
      limit ${limit}
      for update of m skip locked
    )
    update mails m
    set attempts = m.attempts + case when chosen.expired then 0 else 1 end,
        first_attempt_at = coalesce(m.first_attempt_at, ${now}),
        next_attempt_at = ${leaseEnd},
        failed_at = case when chosen.expired then ${now}::timestamptz end,
        last_error = case when chosen.expired
          then concat_ws(' ', 'Given up: it may have been sent, and it is too late to find out.', m.last_error)
          else m.last_error end
    from chosen where m.id = chosen.id
    returning m.id, m.kind, m.recipient, m.details, m.attempts, m.first_attempt_at as "firstAttemptAt",
              chosen.expired
  `.execute(db)
  const mails = rows.filter((row) => !row.expired)
  return { mails, expired: rows.length - mails.length }
}

/** What became of a claimed mail. */
export type MailResult = {
  id: string
  /** As it was claimed: a run whose lease has ended overrules nothing but with a proof that the mail was sent. */
  attempts: number
  /** `waiting`: not tried after all, so that the try doesn't count. */
  outcome: 'sent' | 'failed' | 'retry' | 'waiting'
  /** When it is due again; null when it never is. */
  nextAttemptAt: Date | null
  error: string | null
}

/** Writes down what became of a run's mails, in one statement that may be repeated. */
export const saveMailResults = async (db: Db, results: MailResult[], now: Date): Promise<void> => {
  await sql`
    update mails m
    set sent_at = case when x.outcome = 'sent' then ${now}::timestamptz end,
        failed_at = case when x.outcome = 'failed' then ${now}::timestamptz end,
        attempts = m.attempts - case when x.outcome = 'waiting' then 1 else 0 end,
        first_attempt_at = case when x.outcome = 'waiting' and m.attempts = 1 then null else m.first_attempt_at end,
        next_attempt_at = coalesce(x."nextAttemptAt", m.next_attempt_at),
        last_error = case when x.outcome = 'sent' then null else coalesce(x.error, m.last_error) end
    from jsonb_to_recordset(${JSON.stringify(results)}::jsonb)
      as x(id uuid, attempts integer, outcome text, "nextAttemptAt" timestamptz, error text)
    where m.id = x.id and m.sent_at is null
      and (x.outcome = 'sent' or (m.failed_at is null and m.attempts = x.attempts))
  `.execute(db)
}

/** Who is taken out of a workspace and invited again hears of it once a day at most: a mail can't be used to pester. */
const BETWEEN_INVITATIONS_MS = 86_400_000

/**
 * The statement that writes an invitation into the outbox, for the batch of the change itself. It may run twice, and
 * writes nothing when the same address was invited to the same workspace within a day.
 */
export const invitationMail = (
  db: Db,
  { workspaceId, now }: Act,
  recipient: string,
  details: InvitationDetails,
) => {
  const recent = db
    .selectFrom('mails')
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', 'invitation')
    .where('recipient', '=', recipient)
    .where('created_at', '>', new Date(now.getTime() - BETWEEN_INVITATIONS_MS))
    .select('id')
  return db
    .insertInto('mails')
    .columns(['id', 'workspace_id', 'kind', 'recipient', 'details', 'created_at', 'next_attempt_at'])
    .expression(
      db
        .selectNoFrom([
          sql<string>`${newId()}::uuid`.as('id'),
          sql<string>`${workspaceId}::uuid`.as('workspace_id'),
          sql<MailKind>`'invitation'`.as('kind'),
          sql<string>`${recipient}`.as('recipient'),
          sql<string>`${JSON.stringify(details)}::jsonb`.as('details'),
          sql<Date>`${now}::timestamptz`.as('created_at'),
          sql<Date>`${now}::timestamptz`.as('next_attempt_at'),
        ])
        .where(({ not, exists }) => not(exists(recent))),
    )
    .onConflict((conflict) => conflict.doNothing())
}

/** A mail to a partner, of a kind that it gets once. */
export type PartnerMail = { partnerId: string; recipient: string; details: object }

/** Writes a mail to each of these partners into the outbox, unless it got one of that kind before. */
export const mailPartners = async (
  db: Db,
  workspaceId: string,
  kind: 'connect_account',
  mails: PartnerMail[],
  now: Date,
): Promise<void> => {
  await sql`
    insert into mails (id, workspace_id, kind, recipient, partner_id, details, created_at, next_attempt_at)
    select x.id, ${workspaceId}::uuid, ${kind}, x.recipient, x."partnerId", x.details, ${now}::timestamptz,
           ${now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(mails.map((mail) => ({ id: newId(), ...mail })))}::jsonb)
      as x(id uuid, "partnerId" uuid, recipient text, details jsonb)
    order by x."partnerId"
    on conflict do nothing`.execute(db)
}

/** The statement that takes back an invitation that was not sent yet, for the batch that ends the membership. */
export const withdrawInvitation = (db: Db, workspaceId: string, recipient: string) =>
  db
    .deleteFrom('mails')
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', 'invitation')
    .where('recipient', '=', recipient)
    .where('attempts', '=', 0)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('members')
            .where('workspace_id', '=', workspaceId)
            .where('email', '=', recipient)
            .select('id'),
        ),
      ),
    )

/**
 * The statement that keeps a partner's unsent mails from being sent, for the batch that bans it. What became of its money
 * it hears all the same.
 */
export const withholdMails = (db: Db, workspaceId: string, partnerId: string, now: Date) =>
  db
    .updateTable('mails')
    .set({ failed_at: now, last_error: 'Not sent: the partner was banned.' })
    .where('workspace_id', '=', workspaceId)
    .where('partner_id', '=', partnerId)
    .where('payout_id', 'is', null)
    .where('sent_at', 'is', null)
    .where('failed_at', 'is', null)

/**
 * How a mail is: `queued` has not been tried yet, `retrying` has been tried and is tried again, `sent` was taken by
 * the transport, `failed` waits for a manager.
 */
export const MAIL_STATUSES = ['queued', 'retrying', 'sent', 'failed'] as const
export type MailStatus = (typeof MAIL_STATUSES)[number]

const status: RawBuilder<MailStatus> = sql`case
  when sent_at is not null then 'sent' when failed_at is not null then 'failed'
  when attempts > 0 then 'retrying' else 'queued' end`

const selectMails = (db: Db, workspaceId: string) =>
  db
    .selectFrom('mails')
    .where('workspace_id', '=', workspaceId)
    .select([
      'id',
      'kind',
      'recipient',
      'partner_id',
      'attempts',
      'last_error',
      'created_at',
      'next_attempt_at',
      'sent_at',
      'failed_at',
      status.as('status'),
    ])

/** A mail as managers see it. */
export type MailRow = Awaited<ReturnType<typeof listMails>>[number]

type MailFilter = PageRequest & { status?: MailStatus | undefined }

/** The mails of a workspace, newest first. */
export const listMails = (db: Db, workspaceId: string, filter: MailFilter) =>
  mailsQuery(db, workspaceId, filter).execute()

/** The same as a query, for a batch. */
export const mailsQuery = (db: Db, workspaceId: string, { cursor, limit, status: wanted }: MailFilter) =>
  selectMails(db, workspaceId)
    .$if(cursor !== undefined, (mails) => mails.where('id', '<', cursor ?? ''))
    .$if(wanted !== undefined, (mails) => mails.where(status, '=', wanted ?? 'queued'))
    .orderBy('id', 'desc')
    .limit(limit)

/**
 * Lets a mail that has failed be sent again, with all its tries, and says so in the audit log, in one transaction.
 * Asking twice does it once.
 *
 * @param id must be a UUID
 * @returns the mail as it is now: `queued`, or whatever else it was, since only a failed one changes; undefined when
 *          the workspace has no such mail
 */
export const retryMail = async (
  db: Db,
  { workspaceId, actor, now }: Act,
  id: string,
): Promise<MailRow | undefined> => {
  const retry = sql`
    with retried as (
      update mails
      set failed_at = null, attempts = 0, first_attempt_at = null, next_attempt_at = ${now}, last_error = null
      where workspace_id = ${workspaceId} and id = ${id} and failed_at is not null
      returning id, recipient, kind
    )
    insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
    select ${newId()}, ${workspaceId}, ${actor}, 'mail.retried', id,
           jsonb_build_object('recipient', recipient, 'kind', kind), ${now}
    from retried`
  const [, rows] = await db.batch([
    retry.compile(db),
    selectMails(db, workspaceId).where('id', '=', id).compile(),
  ])
  return rows[0]
}
