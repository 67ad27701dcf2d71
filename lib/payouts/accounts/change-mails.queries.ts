/** Mails to a person about a change of how they are paid, also to addresses left recently. */
import { type RawBuilder, sql } from 'kysely'
import type { MailKind } from '../../mail/mails.ts'
import { formerAddressesSince } from '../details/payment-details.ts'

/** The person to mail, as expressions. */
type Person = { workspaceId: RawBuilder<unknown>; email: RawBuilder<unknown> }

/** The addresses that a person has left within the hold, as a query of `email`. */
const formerAddresses = ({ workspaceId, email }: Person, now: Date) => sql`
  select distinct f.email from partners o join former_partner_addresses f on f.partner_id = o.id
  where o.workspace_id = ${workspaceId} and o.email = ${email} and f.until > ${formerAddressesSince(now)}::timestamptz
    and f.email <> o.email`

/** Whether a person has left an address within the hold: the present one may be somebody else's. */
export const hasChangedAddress = (person: Person, now: Date) =>
  sql`exists (${formerAddresses(person, now)})`

/**
 * An insert of mails to a person, the partner `p`, and to its recent addresses.
 *
 * @param details an expression that may name the partner `p` and the columns of `from`
 * @param secrets names of details that former addresses do not get
 */
export const changeMails = ({
  kind,
  person,
  occasion,
  details,
  from,
  secrets = [],
  now,
}: {
  kind: MailKind
  person: Person
  occasion: RawBuilder<unknown>
  details: RawBuilder<unknown>
  /** A table to select from, of one row or none. */
  from: RawBuilder<unknown>
  secrets?: string[]
  now: Date
}) => sql`
  insert into mails (id, workspace_id, kind, recipient, partner_id, occasion, details, created_at, next_attempt_at)
  select uuidv7(), p.workspace_id, ${kind}, r.email, p.id,
         ${occasion} || case when r.nth > 0 then ' former ' || r.nth else '' end,
         case when r.nth > 0 then (${details} - ${sql.val(secrets)}::text[]) || '{"isFormer": true}' else ${details} end,
         ${now}::timestamptz, ${now}::timestamptz
  from ${from}
  cross join lateral (select * from partners o where o.workspace_id = ${person.workspaceId} and o.email = ${person.email}
                      order by o.id limit 1) p
  cross join lateral (
    select p.email, 0 as nth
    union all select f.email, row_number() over (order by f.email) from (${formerAddresses(person, now)}) f) r
  on conflict do nothing`
