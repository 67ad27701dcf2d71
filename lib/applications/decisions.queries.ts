/** Managers' decisions on applications. */
import { type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../audit/audit.queries.ts'
import type { Db } from '../db/connection.ts'
import { newId } from '../db/ids.ts'
import { unlessTaken } from '../imports/partners/partner-import.queries.ts'
import { createPartner, type NewPartner } from '../partners/changes/new-partner.queries.ts'
import { type ApplicationRow, applicationQuery, findApplication } from './applications.queries.ts'
import type { ApplicationStatus } from './applications.ts'

/** The fields that a decision reads. */
type Decided = Pick<ApplicationRow, 'id' | 'programId' | 'email' | 'name'>

/** Of concurrent decisions, only one finds the application undecided. */
const lock = (id: string) => sql<unknown>`select from applications where id = ${id} for update`

/** Whether the application is undecided, as a condition. */
const isWaiting = (id: string) =>
  sql<SqlBool>`exists (select from applications where id = ${id} and outcome is null)`

const isOpen = (status: ApplicationStatus | undefined) =>
  status === 'applied' || status === 'invited'

/**
 * Makes the applicant a partner, in one transaction. If a partner has the address already, the
 * application is approved for that partner. Idempotent.
 *
 * @param decidedBy null if the page approves automatically
 * @returns whether it is approved; false if it was rejected before
 */
export const approveApplication = async (
  db: Db,
  act: Act,
  { id, programId, email, name }: Decided,
  {
    groupId,
    welcome,
    decidedBy,
  }: Pick<NewPartner, 'groupId' | 'welcome'> & { decidedBy: string | null },
): Promise<'approved' | 'group_not_found' | 'decided'> => {
  const { workspaceId, now } = act
  const approvedFor = (partnerId: string) => [
    lock(id).compile(db),
    auditEntry(db, {
      ...act,
      firstId: undefined,
      action: 'application.approved',
      subjectId: id,
      details: { email },
      when: isWaiting(id),
    }).compile(),
    db
      .updateTable('applications')
      .set({ outcome: 'approved', decided_at: now, decided_by: decidedBy, partner_id: partnerId })
      .where('id', '=', id)
      .where('outcome', 'is', null)
      .compile(),
    sql`
      update partners set language = (select language from applications where id = ${id})
      where id = ${partnerId} and language is null`.compile(db),
    // A concurrent rejection prevents the partner.
    sql`select assert_unchanged(exists (select from applications where id = ${id} and partner_id = ${partnerId}))`.compile(
      db,
    ),
    sql`
      insert into agreement_acceptances (partner_id, version, program_id, workspace_id, accepted_at)
      select partner_id, agreement_version, program_id, workspace_id, applied_at from applications
      where id = ${id} and agreement_version is not null
      on conflict do nothing`.compile(db),
  ]
  const readStatus = async () => (await findApplication(db, workspaceId, id))?.status
  const status = await readStatus()
  if (status === 'approved') return 'approved'
  if (!isOpen(status)) return 'decided'
  const created = await createPartner(
    db,
    { ...act, firstId: `${id.slice(0, -2)}00` },
    {
      programId,
      email,
      name: name || null,
      slug: null,
      groupId,
      coupon: null,
      suffixTaken: true,
      welcome,
    },
    { approvedFor, isWaiting: async () => isOpen(await readStatus()) },
  )
  if (created.outcome === 'application_decided') return 'decided'
  if (!('partner' in created)) return 'group_not_found'
  if (created.outcome === 'created') return 'approved'
  await unlessTaken(() => db.batch(approvedFor(created.partner.id)))
  return (await readStatus()) === 'approved' ? 'approved' : 'decided'
}

/**
 * Rejects an application. Idempotent.
 *
 * @param mail the content of the mail to the applicant; null sends none
 * @returns the application; null if it was approved before, or rejected otherwise
 */
export const rejectApplication = async (
  db: Db,
  act: Act,
  { id, email }: Decided,
  { reason, blocks, mail }: { reason: string | null; blocks: boolean; mail: object | null },
): Promise<ApplicationRow | null> => {
  const { workspaceId, actor, now } = act
  const [, , , , [after]] = await db.batch([
    lock(id).compile(db),
    auditEntry(db, {
      ...act,
      action: 'application.rejected',
      subjectId: id,
      details: { email, reason, blocks, mailed: mail !== null },
      when: isWaiting(id),
    }).compile(),
    sql`
      insert into mails (id, workspace_id, program_id, kind, recipient, details, created_at, next_attempt_at)
      select ${newId()}, ${workspaceId}, (select program_id from applications where id = ${id}), 'application_rejected', ${email},
             ${JSON.stringify(mail)}::jsonb, ${now}, ${now}
      where ${mail !== null} and ${isWaiting(id)}`.compile(db),
    db
      .updateTable('applications')
      .set({ outcome: 'rejected', decided_at: now, decided_by: actor, reason, is_blocked: blocks })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .where('outcome', 'is', null)
      .compile(),
    applicationQuery(db, workspaceId, id).compile(),
  ])
  const isRejectedSo =
    after?.status === 'rejected' && after.reason === reason && after.isBlocked === blocks
  return isRejectedSo ? after : null
}

/**
 * Deletes the application of a person who is not a partner. The person may apply again. Idempotent.
 *
 * @returns whether it is deleted; false if it was approved
 */
export const deleteApplication = async (
  db: Db,
  act: Act,
  { id }: Pick<Decided, 'id'>,
): Promise<boolean> => {
  const isNoPartner = sql<SqlBool>`exists (
    select from applications where workspace_id = ${act.workspaceId} and id = ${id} and partner_id is null)`
  const [, , , [left]] = await db.batch([
    lock(id).compile(db),
    auditEntry(db, {
      ...act,
      action: 'application.deleted',
      subjectId: id,
      details: {},
      when: isNoPartner,
    }).compile(),
    db
      .deleteFrom('applications')
      .where('workspace_id', '=', act.workspaceId)
      .where('id', '=', id)
      .where('partner_id', 'is', null)
      .compile(),
    applicationQuery(db, act.workspaceId, id).compile(),
  ])
  return left === undefined
}
