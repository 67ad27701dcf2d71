/**
 * The outbox: statements that add mails, for the batch of the change that they report, and that
 * withdraw them.
 */
import { sql } from 'kysely'
import type { Act } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import type { MailKind } from '../mails.ts'
import type { InvitationDetails } from './details.ts'

/**
 * The least time between two invitations of an address by a workspace, so that nobody is mailed
 * again and again.
 */
const INVITATION_INTERVAL_MS = 86_400_000

/**
 * Adds an invitation. May run twice. Adds nothing if the workspace invited the address within the
 * last day.
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
    .where('created_at', '>', new Date(now.getTime() - INVITATION_INTERVAL_MS))
    .select('id')
  return db
    .insertInto('mails')
    .columns([
      'id',
      'workspace_id',
      'kind',
      'recipient',
      'details',
      'created_at',
      'next_attempt_at',
    ])
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

export type ConnectMailKind = 'connect_account' | 'connect_reminder'

type PartnerMail = { partnerId: string; recipient: string; details: object; occasion: string }

/** Adds a mail to each partner, unless the partner has one of that kind and occasion already. */
export const mailPartners = async (
  db: Db,
  workspaceId: string,
  kind: ConnectMailKind,
  mails: PartnerMail[],
  now: Date,
): Promise<void> => {
  const rows = mails.map((mail) => ({ id: newId(), ...mail }))
  await sql`
    insert into mails (id, workspace_id, kind, recipient, partner_id, occasion, details, created_at, next_attempt_at)
    select x.id, ${workspaceId}::uuid, ${kind}, x.recipient, x."partnerId", x.occasion, x.details, ${now}::timestamptz,
           ${now}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as x(id uuid, "partnerId" uuid, recipient text, occasion text, details jsonb)
    order by x."partnerId"
    on conflict do nothing`.execute(db)
}

/** Withdraws an invitation that was not sent yet, when the membership ends. */
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

/** Why a mail to a banned partner failed. */
export const WHY_BANNED = 'Not sent: the partner was banned.'

/**
 * Fails the queued mails of banned partners, but for those about payouts. The mailer sends none
 * that are queued later: see `leaseMails`.
 */
export const withholdMails = (
  db: Db,
  workspaceId: string,
  partnerIds: readonly string[],
  now: Date,
) =>
  db
    .updateTable('mails')
    .set({ failed_at: now, last_error: WHY_BANNED })
    .where('workspace_id', '=', workspaceId)
    .where('partner_id', 'in', partnerIds)
    .where('payout_id', 'is', null)
    .where('sent_at', 'is', null)
    .where('failed_at', 'is', null)
