/**
 * Changes of a partner's email address. A partner changes it in all workspaces: a mailed link
 * proves the new address, and the old one is notified. A manager corrects it in one workspace.
 */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Act } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { newId } from '../../db/ids.ts'
import { lockPartners, lockPayouts } from '../../db/locks.queries.ts'
import { breaks } from '../../db/neon.ts'

/** Open requests per address: enough for typing errors, too few to flood a mailbox. */
const MAX_OPEN = 3

type Request = {
  /** The address of the session. */
  from: string
  to: string
  /** SHA-256 of the token in the link. */
  tokenHash: string
  /** The link. It needs a session of the old address. */
  url: string
  now: Date
  expiresAt: Date
}

/**
 * Saves a request, and mails the link to the new address.
 * @returns false if the old address is no partner's, or has too many open requests
 */
export const requestAddressChange = async (db: Db, request: Request): Promise<boolean> => {
  const { from, to, tokenHash, url, now, expiresAt } = request
  const id = newId()
  const save = sql`
    insert into address_changes (id, email, new_email, token_hash, created_at, expires_at)
    select ${id}::uuid, ${from}, ${to}, ${tokenHash}, ${now}::timestamptz, ${expiresAt}::timestamptz
    where (select count(*) from address_changes
           where email = ${from} and old_token_hash is null and done_at is null and expires_at > ${now}) < ${MAX_OPEN}
      and exists (select from partners where email = ${from})
    on conflict do nothing`
  const mail = sql`
    insert into mails (id, workspace_id, kind, recipient, partner_id, occasion, details, created_at, next_attempt_at)
    select ${newId()}::uuid, p.workspace_id, 'address_link', ${to}, p.id, ${id},
           jsonb_build_object('partnerName', p.name, 'from', ${from}::text, 'to', ${to}::text, 'url', ${url}::text),
           ${now}::timestamptz, ${now}::timestamptz
    from partners p
    where p.email = ${from} and exists (select from address_changes where id = ${id})
    order by p.id limit 1
    on conflict do nothing`
  const [, , saved] = await db.batch([
    save.compile(db),
    mail.compile(db),
    db.selectFrom('address_changes').where('id', '=', id).select('id').compile(),
  ])
  return saved.length > 0
}

/** The new address of an open request, or null. Only the old address can use a request. */
export const findAddressChange = async (
  db: Db,
  from: string,
  tokenHash: string,
  now: Date,
): Promise<string | null> => {
  const row = await db
    .selectFrom('address_changes')
    .where('token_hash', '=', tokenHash)
    .where('email', '=', from)
    .where('old_token_hash', 'is', null)
    .where('done_at', 'is', null)
    .where('expires_at', '>', now)
    .select('new_email')
    .executeTakeFirst()
  return row?.new_email ?? null
}

type Confirmation = {
  from: string
  to: string
  tokenHash: string
  now: Date
  portalUrl: string
  /** The link by which the old address reverts the change. */
  revert: { tokenHash: string; url: string; until: string }
}

/**
 * The longest time in which a change may be reverted: an account that is connected on the last of
 * three days is held for three more. The request is kept for as long.
 */
const REVERT_DAYS = 6

/** Whether the new address is known in a workspace of the partners `o`: two people would be one. */
export const isTaken = (mine: RawBuilder<unknown>, to: string) => sql<SqlBool>`exists (
  select from partners o
  where ${mine} and (
    exists (select from partners n where n.workspace_id = o.workspace_id and n.email = ${to})
    or exists (select from payout_accounts a where a.workspace_id = o.workspace_id and a.email = ${to} and a.disconnected_at is null)
    or exists (select from payees y where y.workspace_id = o.workspace_id and y.email = ${to})))`

/** Serializes with the payout runs and imports of the partners' workspaces. */
export const lockWorkspacesOf = (mine: RawBuilder<SqlBool>) => sql`
  select pg_advisory_xact_lock(hashtextextended(name, 0))
  from (select distinct workspace_id || ' payouts' as name from partners where ${mine}
        union select 'partners.import ' || workspace_id from partners where ${mine} order by 1) names`

type Move = {
  from: string
  to: string
  now: Date
  /** A condition on `partners`: which ones move. */
  mine: RawBuilder<SqlBool>
  actor: string
}

/**
 * Moves partners to another address, with their connected accounts, payment details, unsent mails
 * and mail settings. Imports still find the partner by the former address.
 *
 * @param when a condition without which nothing is done
 */
export const moves = ({ from, to, now, mine, actor }: Move, when: RawBuilder<SqlBool>) => {
  const ids = sql`(select id from partners where ${mine})`
  const workspaces = sql`(select workspace_id from partners where ${mine})`
  return [
    sql`delete from former_partner_addresses where email = ${to} and partner_id in ${ids} and ${when}`,
    sql`insert into former_partner_addresses (program_id, email, partner_id, until)
        select program_id, ${from}, id, ${now}::timestamptz from partners where ${mine} and ${when}
        on conflict (program_id, email) do update set partner_id = excluded.partner_id, until = excluded.until`,
    sql`insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
        select uuidv7(), workspace_id, ${actor}, 'partner.address_changed', id,
               jsonb_build_object('from', ${from}::text, 'to', ${to}::text), ${now}::timestamptz
        from partners where ${mine} and ${when}`,
    // Mails about a change of the address or of payment details go to the address that was changed.
    sql`update mails set recipient = ${to}
        where partner_id in ${ids} and recipient = ${from} and sent_at is null
          and kind not in ('address_changed', 'payout_account', 'payment_details') and ${when}`,
    ...['unreachable_people', 'mail_optouts'].map(
      (table) => sql`
        delete from ${sql.table(table)} u
        where email = ${from} and workspace_id in ${workspaces} and ${when}
          and exists (select from ${sql.table(table)} k where k.workspace_id = u.workspace_id and k.email = ${to})`,
    ),
    ...['payout_accounts', 'payment_details', 'payees', 'unreachable_people', 'mail_optouts'].map(
      (table) => sql`
        update ${sql.table(table)} set email = ${to} where email = ${from} and workspace_id in ${workspaces} and ${when}`,
    ),
    sql`update payout_accounts set confirm_hash = null
        where email = ${to} and workspace_id in ${workspaces} and effective_at > ${now} and ${when}`,
    sql`update partners set email = ${to} where ${mine} and ${when}`,
  ]
}

/** Inserts the mail that notifies the old address. */
export const notice = (
  { from, to, now, mine }: Move,
  {
    occasion,
    portalUrl,
    workspaceName,
    revert,
  }: {
    occasion: string
    portalUrl: string
    workspaceName?: string
    revert?: { url: string; until: string }
  },
  when: RawBuilder<SqlBool>,
) => sql`
  insert into mails (id, workspace_id, kind, recipient, partner_id, occasion, details, created_at, next_attempt_at)
  select uuidv7(), p.workspace_id, 'address_changed', ${from}, p.id, ${occasion},
         jsonb_build_object('partnerName', p.name, 'from', ${from}::text, 'to', ${to}::text, 'url', ${portalUrl}::text,
                            'workspaceName', ${workspaceName ?? null}::text, 'revertUrl', ${revert?.url ?? null}::text,
                            'heldUntil', ${revert?.until ?? null}::text),
         ${now}::timestamptz, ${now}::timestamptz
  from (select * from partners where ${mine}) p where ${when} order by p.id limit 1 on conflict do nothing`

/** Changes the address in all workspaces. Serialized with payout runs and imports. Idempotent. */
export const changeAddress = async (
  db: Db,
  { from, to, tokenHash, now, portalUrl, revert }: Confirmation,
): Promise<'changed' | 'taken' | 'expired'> => {
  const move = { from, to, now, mine: sql<SqlBool>`email = ${from}`, actor: from }
  const isDone = sql<SqlBool>`exists (
    select from address_changes where token_hash = ${tokenHash} and email = ${from} and done_at = ${now})`
  const claim = sql`
    update address_changes
    set done_at = ${now}, revert_hash = ${revert.tokenHash}, expires_at = ${now}::timestamptz + make_interval(days => ${REVERT_DAYS})
    where token_hash = ${tokenHash} and email = ${from} and new_email = ${to} and old_token_hash is null and done_at is null
      and expires_at > ${now} and not ${isTaken(sql`o.email = ${from}`, to)}`
  const statements = [
    lockWorkspacesOf(move.mine),
    claim,
    notice(move, { occasion: tokenHash, portalUrl, revert }, isDone),
    sql`update address_changes set expires_at = ${now}
        where email = ${from} and old_token_hash is null and done_at is null and ${isDone}`,
    ...moves(move, isDone),
  ]
  try {
    const results = await db.batch([
      ...statements.map((statement) => statement.compile(db)),
      sql<{ done: boolean; taken: boolean }>`
        select done_at = ${now} as done, ${isTaken(sql`o.email = ${from}`, to)} as taken
        from address_changes where token_hash = ${tokenHash} and email = ${from}`.compile(db),
    ])
    const [last] = results.at(-1) as { done: boolean | null; taken: boolean }[]
    if (last?.done) return 'changed'
    return last?.taken ? 'taken' : 'expired'
  } catch (error) {
    if (breaks(error, 'partners_program_id_email_key')) return 'taken'
    throw error
  }
}

/** Whether a person has an account, payment details or invoice details. */
const hasPayment = (workspaceId: string, email: string) => sql<boolean>`(
  exists (select from payout_accounts where workspace_id = ${workspaceId} and email = ${email})
  or exists (select from payment_details where workspace_id = ${workspaceId} and email = ${email})
  or exists (select from payees where workspace_id = ${workspaceId} and email = ${email}))`

/** Whether the person can receive money: the address is then as sensitive as a bank account. */
const hasMoney = (workspaceId: string, email: string) => sql<boolean>`(
  ${hasPayment(workspaceId, email)}
  or exists (select from commissions where partner_id in (
       select id from partners where workspace_id = ${workspaceId} and email = ${email})))`

/** Whether another partner has the address in one of the programs. */
const isTakenInProgram = (workspaceId: string, from: string, to: string) => sql<boolean>`exists (
  select from partners o join partners n on n.program_id = o.program_id
  where o.workspace_id = ${workspaceId} and o.email = ${from} and n.email = ${to})`

/** Whether two people with these addresses are both paid: they can't become one. */
const areBothPaid = (workspaceId: string, from: string, to: string) =>
  sql<boolean>`(${hasPayment(workspaceId, from)} and ${hasPayment(workspaceId, to)})`

/** What a correction of an address depends on, in one round trip. */
export const addressState = async (db: Db, workspaceId: string, from: string, to: string) => {
  const { rows } = await sql<{ isTaken: boolean; areBothPaid: boolean; hasMoney: boolean }>`
    select ${isTakenInProgram(workspaceId, from, to)} as "isTaken", ${areBothPaid(workspaceId, from, to)} as "areBothPaid",
           ${hasMoney(workspaceId, from)} as "hasMoney"`.execute(db)
  return rows[0] ?? { isTaken: false, areBothPaid: false, hasMoney: false }
}

/** A manager's correction of a person's address in a workspace. */
export type Correction = {
  partnerId: string
  from: string
  to: string
  /** Whether the address of a paid person may be changed. */
  mayMoveMoney: boolean
  workspaceName: string
  portalUrl: string
}

/**
 * The statements that move a person's partners in a workspace to another address. The old address
 * is notified if money is involved. Otherwise it may be a stranger's. They break the batch
 * (`isConflict`) if the result of `addressState` has changed.
 */
export const correctAddress = (act: Act, correction: Correction) => {
  const { workspaceId, actor, now } = act
  const { partnerId, from, to, mayMoveMoney, workspaceName, portalUrl } = correction
  const move = {
    from,
    to,
    now,
    mine: sql<SqlBool>`workspace_id = ${workspaceId} and email = ${from}`,
    actor,
  }
  const isAllowed = sql`
    exists (select from partners where id = ${partnerId} and email in (${from}, ${to}))
    and not ${isTakenInProgram(workspaceId, from, to)} and not ${areBothPaid(workspaceId, from, to)}
    and (${mayMoveMoney} or not ${hasMoney(workspaceId, from)})`
  return [
    lockPayouts(workspaceId),
    lockPartners(workspaceId),
    sql`select assert_unchanged(${isAllowed})`,
    notice(move, { occasion: newId(), portalUrl, workspaceName }, hasMoney(workspaceId, from)),
    ...moves(move, sql<SqlBool>`true`),
  ]
}
