/** Erases a partner in all programs of a workspace. docs/privacy.md. */
import { sql } from 'kysely'
import { type Act, auditEntry } from '../audit/audit.queries.ts'
import { forgetAnswers } from '../auth/idempotency/idempotency.queries.ts'
import type { Db } from '../db/connection.ts'
import { lockPayouts } from '../db/locks.queries.ts'
import { isConflict } from '../db/neon.ts'
import { eraseFromImports, eraseFromSources } from '../imports/import-calls.queries.ts'
import { updateTerms } from '../programs/terms.queries.ts'
import { textArray } from '../tracking/events/received.queries.ts'
import { eraseWebhooks } from '../webhooks/erase.queries.ts'

/** Why a partner is not erased yet. */
export const STILL_DUE =
  'This partner still has a balance, a held commission or a payout on its way. Pay it, or adjust the balance to zero, and then erase the partner.'

type Own = { id: string; status: string }

/**
 * Erases the person of a partner: address, name, payment and invoice details, mails, notes, and the
 * account to sign in with, unless another workspace has the person. The partner stays, banned and
 * with its slug, commissions and payouts. Issued invoices stay, as the law requires. Refused while
 * anything is due, held or being paid.
 *
 * @param email the partner's
 * @returns false if it is refused
 */
export const erasePartner = async (
  db: Db,
  act: Act,
  id: string,
  email: string,
): Promise<boolean> => {
  const { workspaceId, now } = act
  const own = sql`workspace_id = ${workspaceId} and email = ${email}`
  const { rows } = await sql<Own>`select id, status from partners where ${own} order by id`.execute(
    db,
  )
  const { rows: former } = await sql<{ email: string }>`
    select distinct f.email from former_partner_addresses f
    where f.partner_id in (select id from partners where ${own})
      and not exists (select from partners p where p.workspace_id = ${workspaceId} and p.email = f.email)`.execute(
    db,
  )
  const ids = textArray(rows.map((row) => row.id))
  const mine = sql`= any(${ids}::uuid[])`
  const addresses = [email, ...former.map((row) => row.email)]
  const texts = textArray(addresses)
  const marker = `erased-${id}@erased.invalid`
  const marks = textArray(addresses.map(() => marker))
  const isKnownElsewhere = sql`exists (select from partners p where p.email = any(${texts}))
    or exists (select from members m where m.email = any(${texts}))`
  const statements = [
    sql`select assert_unchanged(not exists (
          select from commissions c where c.workspace_id = ${workspaceId} and c.partner_id ${mine} and c.payout_id is null
            and c.payable_at < never()
          group by c.currency having sum(c.amount_cents) <> 0)
        and not exists (select from payouts p where p.partner_id ${mine} and (p.is_freeing or p.status in ('processing', 'canceling'))))`,
    // Also mails to an applicant, and to a partner whose import was undone. A member's mails
    // expire.
    sql`delete from mails m where m.workspace_id = ${workspaceId} and (m.partner_id ${mine} or m.recipient = any(${texts}) and (
          exists (select from partners p where p.id = m.partner_id and p.undone_at is not null)
          or m.partner_id is null
             and not exists (select from members o where o.workspace_id = m.workspace_id and o.email = m.recipient)))`,
    sql`delete from former_partner_addresses where partner_id ${mine}`,
    sql`delete from applications where workspace_id = ${workspaceId} and (email = any(${texts}) or partner_id ${mine})`,
    sql`update platform_commissions set partner_email = ${marker}
        where workspace_id = ${workspaceId} and partner_email = any(${texts})`,
    sql`delete from partner_notes where partner_id ${mine}`,
    sql`delete from payees where ${own}`,
    sql`delete from unreachable_people where ${own}`,
    sql`delete from mail_optouts where ${own}`,
    sql`select erase_payment(${workspaceId}, ${email}, ${marker}, ${now})`,
    sql`update coupon_aliases set label = null where partner_id ${mine}`,
    forgetAnswers(workspaceId),
    eraseFromImports(workspaceId, texts, marks),
    eraseFromSources(workspaceId, texts),
    ...eraseWebhooks(workspaceId, sql`w.partner_id ${mine}`),
    sql`select erase_from_audit(${workspaceId}, ${ids}::uuid[], ${texts}, ${marks})`,
    sql`update partners set email = ${marker}, name = null, former_link = null where workspace_id = ${workspaceId} and id ${mine}`,
    // Rows without a workspace are deleted with the last workspace that has the person.
    sql`delete from address_changes where (email = any(${texts}) or new_email = any(${texts})) and not (${isKnownElsewhere})`,
    sql`delete from mails where workspace_id is null and recipient = any(${texts}) and not (${isKnownElsewhere})`,
    sql`select erase_sign_ins(${texts})`,
  ]
  const active = rows.filter(({ status }) => status !== 'banned').map((row) => row.id)
  try {
    await db.batch([
      lockPayouts(workspaceId).compile(db),
      ...(active.length > 0
        ? [updateTerms(db, act, 'partners', active, { status: 'banned' })]
        : []),
      ...statements.map((statement) => statement.compile(db)),
      auditEntry(db, { ...act, action: 'partner.erased', subjectId: id, details: {} }).compile(),
    ])
    return true
  } catch (error) {
    if (isConflict(error)) return false
    throw error
  }
}
