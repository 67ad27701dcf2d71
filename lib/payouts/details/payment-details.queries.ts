/** How partners want to be paid, as it is stored: see the table payment_details. */
import { type RawBuilder, sql } from 'kysely'
import { auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { lockPayouts } from '../../db/locks.queries.ts'
import type { PaymentDetailsDetails } from '../../mail/outbox/details.ts'
import { changeMails } from '../accounts/change-mails.queries.ts'
import type { PaymentMethod } from './payment-details.ts'

/** The details of a person that count at a time, as a query of one row or none. */
export const detailsAt = (
  workspaceId: RawBuilder<unknown>,
  email: RawBuilder<unknown>,
  at: RawBuilder<unknown>,
  columns = sql`pd.method, pd.country, pd.ciphertext, pd.masked`,
) => sql`
  select ${columns} from payment_details pd
  where pd.workspace_id = ${workspaceId} and pd.email = ${email} and pd.effective_at <= ${at} and pd.canceled_at is null
  order by pd.effective_at desc, pd.id desc limit 1`

/** Whether partners of the workspace `w` may choose a method. */
const isOffered = (method: RawBuilder<unknown>) => sql`
  case ${method} when 'paypal' then w.manual_payouts and w.paypal_payouts
                 when 'wise'   then w.manual_payouts and w.wise_payouts
                 when 'iban'   then w.manual_payouts and w.iban_payouts else true end`

/**
 * The method that counts for a person at a time, if its workspace still offers it; otherwise null.
 * Reads nothing else of the details, which not every Worker may.
 */
export const chosenMethod = (
  workspaceId: RawBuilder<unknown>,
  email: RawBuilder<unknown>,
  at: RawBuilder<unknown>,
) => sql<PaymentMethod | null>`(
  select d.method from (${detailsAt(workspaceId, email, at, sql`pd.method`)}) d
  join workspaces w on w.id = ${workspaceId} and ${isOffered(sql`d.method`)})`

/** A person's choice in a workspace, and the methods that the workspace offers. */
export type PaymentChoice = {
  workspaceId: string
  workspaceName: string
  partnerId: string
  partnerName: string | null
  /** Whether one of the person's programs is open to it. */
  isApproved: boolean
  paysByStripe: boolean
  paypal: boolean
  wise: boolean
  iban: boolean
  /** The choice in effect; null without one. */
  current: { method: PaymentMethod; masked: string | null } | null
  /** The choice that takes effect at `effectiveAt`. */
  pending: { id: string; method: PaymentMethod; masked: string | null; effectiveAt: string } | null
  recentChanges: number
}

/** The person in a workspace: an email address. */
export type Person = { workspaceId: string; email: string }

/** A person's choices, per workspace. @param workspaceId one of them, or all */
export const readPaymentChoices = async (
  db: Db,
  email: string,
  now: Date,
  workspaceId: string | null = null,
): Promise<PaymentChoice[]> => {
  const { rows } = await paymentChoicesQuery(email, now, workspaceId).execute(db)
  return rows
}

export const paymentChoicesQuery = (
  email: string,
  now: Date,
  workspaceId: string | null = null,
) => sql<PaymentChoice>`
  select w.id as "workspaceId", w.name as "workspaceName", p.id as "partnerId", p.name as "partnerName",
         p.status = 'approved' as "isApproved",
         exists (select from stripe_keys k where k.workspace_id = w.id) as "paysByStripe",
         w.manual_payouts and w.paypal_payouts as paypal, w.manual_payouts and w.wise_payouts as wise,
         w.manual_payouts and w.iban_payouts as iban,
         (select jsonb_build_object('method', d.method, 'masked', d.masked)
          from (${detailsAt(sql`w.id`, sql`${email}`, sql`${now}::timestamptz`)}) d) as current,
         (select jsonb_build_object('id', d.id, 'method', d.method, 'masked', d.masked, 'effectiveAt', d.effective_at)
          from payment_details d
          where d.workspace_id = w.id and d.email = ${email} and d.effective_at > ${now}::timestamptz
            and d.canceled_at is null
          order by d.effective_at desc limit 1) as pending,
         (select count(*)::int from payment_details d
          where d.workspace_id = w.id and d.email = ${email}
            and d.created_at > ${now}::timestamptz - interval '1 day') as "recentChanges"
  from (select distinct on (workspace_id) * from partners
        where email = ${email} and (${workspaceId}::uuid is null or workspace_id = ${workspaceId}::uuid)
        order by workspace_id, status = 'approved' desc, id) p
  join workspaces w on w.id = p.workspace_id
  order by w.name, w.id`

/** How a partner is paid now, as a query of one row or none. */
export const partnerChoiceQuery = (workspaceId: string, partnerId: string, now: Date) => sql<{
  method: PaymentMethod
  masked: string | null
}>`
  select d.method, d.masked from partners p
  cross join lateral (${detailsAt(sql`p.workspace_id`, sql`p.email`, sql`${now}::timestamptz`)}) d
  where p.workspace_id = ${workspaceId} and p.id = ${partnerId}`

/** Details to store. Those of Stripe have neither ciphertext nor country. */
export type NewDetails = {
  id: string
  method: PaymentMethod
  ciphertext: string | null
  masked: string | null
  country: string | null
  effectiveAt: Date
}

type Mail = { details: PaymentDetailsDetails }

const mailAbout = (
  { workspaceId, email }: Person,
  occasion: string,
  { details }: Mail,
  now: Date,
) =>
  changeMails({
    kind: 'payment_details',
    person: { workspaceId: sql`${workspaceId}`, email: sql`${email}` },
    occasion: sql`${occasion}::text`,
    details: sql`${JSON.stringify(details)}::jsonb`,
    from: sql`(values (true)) as once`,
    now,
  })

/** Saves how a person wants to be paid, cancels a pending change, and sends a mail. Idempotent. */
export const savePaymentDetails = async (
  db: Db,
  person: Person,
  details: NewDetails,
  mail: Mail,
  now: Date,
): Promise<void> => {
  const { workspaceId, email } = person
  const { id, method, ciphertext, masked, country, effectiveAt } = details
  await db.batch([
    lockPayouts(workspaceId).compile(db),
    sql`update payment_details set canceled_at = ${now}::timestamptz
        where workspace_id = ${workspaceId} and email = ${email} and effective_at > ${now}::timestamptz
          and canceled_at is null and id <> ${id}`.compile(db),
    db
      .insertInto('payment_details')
      .values({
        ...{ id, workspace_id: workspaceId, email, method, ciphertext, masked, country },
        created_at: now,
        effective_at: effectiveAt,
        canceled_at: null,
      })
      .onConflict((conflict) => conflict.doNothing())
      .compile(),
    mailAbout(person, id, mail, now).compile(db),
    auditEntry(db, {
      ...{ workspaceId, actor: email, now, subjectId: null, details: { method } },
      action: 'payment_details.changed',
    }).compile(),
  ])
}

/** Cancels a pending change. @returns whether there was one */
export const cancelPaymentDetails = async (
  db: Db,
  person: Person,
  id: string,
  mail: Mail,
  now: Date,
): Promise<boolean> => {
  const { workspaceId, email } = person
  const row = sql`workspace_id = ${workspaceId} and email = ${email} and id = ${id}`
  const isPending = sql<boolean>`exists (
    select from payment_details where ${row} and canceled_at is null and effective_at > ${now}::timestamptz)`
  const [, , , , canceled] = await db.batch([
    lockPayouts(workspaceId).compile(db),
    auditEntry(db, {
      ...{ workspaceId, actor: email, now, subjectId: null, details: {} },
      action: 'payment_details.canceled',
      when: isPending,
    }).compile(),
    mailAbout(person, `${id} canceled`, mail, now).compile(db),
    sql`update payment_details set canceled_at = ${now}::timestamptz
        where ${row} and canceled_at is null and effective_at > ${now}::timestamptz`.compile(db),
    sql`select id from payment_details where ${row} and canceled_at is not null`.compile(db),
  ])
  return canceled.length > 0
}
