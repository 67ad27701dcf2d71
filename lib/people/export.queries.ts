/** All data about a person, as JSON. docs/privacy.md says what is stored, and why. */
import { type RawBuilder, sql } from 'kysely'
import { isListed, unlessErased } from '../customers/identities.queries.ts'
import type { Db } from '../db/connection.ts'
import { listSourceRowsOf } from '../imports/import-calls.queries.ts'

/** Rows by kind. */
export type PersonalData = Record<string, Record<string, unknown>[]>

/** The rows of each query as one JSON array. */
const inOneRead = async (
  db: Db,
  parts: Record<string, RawBuilder<unknown>>,
): Promise<PersonalData> => {
  const pairs = Object.entries(parts).map(
    ([name, query]) =>
      sql`${name}::text, (select coalesce(jsonb_agg(to_jsonb(part)), '[]') from (${query}) part)`,
  )
  const { rows } = await sql<{
    data: PersonalData
  }>`select jsonb_build_object(${sql.join(pairs)}) as data`.execute(db)
  return rows[0]?.data ?? {}
}

export const exportCustomer = (db: Db, workspaceId: string, id: string): Promise<PersonalData> => {
  const mine = sql`(select id from customers where workspace_id = ${workspaceId} and ${id}::uuid in (id, merged_into))`
  const events = sql`(select e.* from events e where e.workspace_id = ${workspaceId} and e.customer_id in ${mine})`
  return inOneRead(db, {
    customers: sql`
      select id, external_id as "externalId", email, name, created_at as "createdAt", imported_at as "importedAt",
             started_at as "startedAt", prior
      from customers where id in ${mine}`,
    identities: sql`
      select i.kind, i.value, i.is_verified as "isVerified", i.source, i.evidence, i.created_at as "createdAt" from customer_identities i
      where i.customer_id in ${mine} and ${isListed}`,
    referrals: sql`
      select p.slug as partner, r.source, r.referred_at as "referredAt"
      from referrals r join partners p on p.id = r.partner_id where r.customer_id in ${mine}`,
    possibleMerges: sql`
      select checkout_id as "checkoutId", created_at as "createdAt", resolution, resolved_at as "resolvedAt"
      from possible_merges where customer_id in ${mine} or named_customer_id in ${mine}`,
    events: sql`
      select e.id, e.kind, e.external_id as "externalId", e.event_name as "eventName", e.amount_cents as "amountCents",
             e.currency, e.lines, e.country, e.metadata, e.steps, e.occurred_at as "occurredAt", c.landing_url as "landingUrl", c.referrer, c.sub,
             c.created_at as "clickedAt"
      from ${events} e left join clicks c on c.workspace_id = e.workspace_id and c.id = e.click_id`,
    otherPlatform: sql`
      select customer_ref as "customerExternalId", customer_email as "customerEmail", sold_at as "soldAt",
             amount_cents as "amountCents", currency
      from platform_commissions where workspace_id = ${workspaceId} and event_id in (select id from ${events} e)`,
    stripeEvents: sql`
      select s.type, ${unlessErased('s.email')} as email, s.facts, s.occurred_at as "occurredAt" from processor_events s
      where s.workspace_id = ${workspaceId} and (
        s.event_id in (select id from ${events} e)
        or s.facts -> 0 ? 'fingerprint' and s.keys && array(select external_id from ${events} e where kind = 'sale')
        or s.customer in (select value from customer_identities where customer_id in ${mine} and kind = 'stripe')
        or s.email in (select value from customer_identities where customer_id in ${mine} and kind in ('email', 'guest')))`,
    beingImported: listSourceRowsOf(
      workspaceId,
      sql`array(select value from customer_identities where customer_id in ${mine})`,
    ),
  })
}

/**
 * All data about the person of a partner, in all programs of a workspace. GET /commissions lists
 * commissions.
 */
export const exportPartner = (
  db: Db,
  workspaceId: string,
  email: string,
): Promise<PersonalData> => {
  const own = sql`workspace_id = ${workspaceId} and email = ${email}`
  const mine = sql`(select id from partners where ${own})`
  return inOneRead(db, {
    partners: sql`
      select id, program_id as "programId", email, name, slug, former_link as "formerLink", status, created_at as "createdAt"
      from partners where ${own}`,
    links: sql`select slug, created_at as "createdAt" from links where partner_id in ${mine}`,
    beingImported: listSourceRowsOf(workspaceId, sql`array[${email}::text]`),
    formerAddresses: sql`select email, until from former_partner_addresses where partner_id in ${mine}`,
    applications: sql`
      select email, name, site_url as "siteUrl", promotion, answers, agreement_version as "agreementVersion", applied_at as "appliedAt",
             language, status, reason
      from applications where workspace_id = ${workspaceId} and (email = ${email} or partner_id in ${mine})`,
    otherPlatform: sql`
      select state, amount_cents as "amountCents", currency, sold_at as "soldAt" from platform_commissions
      where workspace_id = ${workspaceId} and partner_email = ${email}`,
    beforeTheMove: sql`
      select coalesce(external_id, id::text) as customer, prior ->> 'currency' as currency, prior -> 'commissions' as commissions,
             prior -> 'amountCents' as "amountCents"
      from customers where partner_id in ${mine} and prior is not null and prior ->> 'partnerId' = partner_id::text`,
    notes: sql`select author, content, created_at as "createdAt" from partner_notes where partner_id in ${mine}`,
    unsubscribed: sql`select created_at as "createdAt" from mail_optouts where ${own}`,
    acceptedTerms: sql`select version, accepted_at as "acceptedAt" from agreement_acceptances where partner_id in ${mine}`,
    payoutAccounts: sql`
      select country, stripe_account_id as "stripeAccountId", status, created_at as "createdAt",
             disconnected_at as "disconnectedAt" from payout_accounts where ${own}`,
    paymentDetails: sql`
      select method, masked, country, created_at as "createdAt", effective_at as "effectiveAt" from payment_details where ${own}`,
    invoiceDetails: sql`
      select name, street, postal_code as "postalCode", city, country, vat_id as "vatId", self_billing_since as "selfBillingSince"
      from payees where ${own}`,
    invoices: sql`
      select i.number, i.supplier, i.issued_at as "issuedAt"
      from invoices i join payouts p on p.id = i.payout_id where p.partner_id in ${mine}`,
    payouts: sql`
      select reference, status, amount_cents as "amountCents", currency, created_at as "createdAt", paid_at as "paidAt"
      from payouts where partner_id in ${mine}`,
    mails: sql`
      select kind, recipient, details, created_at as "createdAt", sent_at as "sentAt" from mails
      where workspace_id = ${workspaceId} and partner_id in ${mine}`,
  })
}
