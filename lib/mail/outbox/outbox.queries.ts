/** The outbox: statements for the batch of a change, which add its mails or withdraw them. */
import { sql } from 'kysely'
import type { Act } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import type { InvitationDetails } from './details.ts'

/** The least time between a workspace's invitations of an address: more would flood a mailbox. */
const INVITATION_INTERVAL_MS = 86_400_000

/** Adds an invitation, once, unless the workspace invited the address within the last day. */
export const invitationMail = (
  { workspaceId, now }: Act,
  recipient: string,
  details: InvitationDetails,
) => {
  const since = new Date(now.getTime() - INVITATION_INTERVAL_MS)
  return sql`
    insert into mails (id, workspace_id, kind, recipient, details, created_at, next_attempt_at)
    select ${newId()}::uuid, ${workspaceId}::uuid, 'invitation', ${recipient}, ${JSON.stringify(details)}::jsonb, ${now}::timestamptz,
           ${now}::timestamptz
    where not exists (select from mails where workspace_id = ${workspaceId} and kind = 'invitation'
                        and recipient = ${recipient} and created_at > ${since}::timestamptz)
    on conflict do nothing`
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
export const withdrawInvitation = (workspaceId: string, recipient: string) => sql`
  delete from mails
  where workspace_id = ${workspaceId} and kind = 'invitation' and recipient = ${recipient} and attempts = 0
    and not exists (select from members where workspace_id = ${workspaceId} and email = ${recipient})`

/** Why a mail to a banned partner failed. */
export const WHY_BANNED = 'Not sent: the partner was banned.'

/**
 * Fails the queued mails of banned partners, but for those about payouts. The mailer sends none
 * that are queued later: see `leaseMails`.
 */
export const withholdMails = (workspaceId: string, partnerIds: readonly string[], now: Date) => sql`
  update mails set failed_at = ${now}, last_error = ${WHY_BANNED}
  where workspace_id = ${workspaceId} and partner_id = any (${sql.val(partnerIds)}::uuid[]) and payout_id is null
    and sent_at is null and failed_at is null`
