/** Which payouts of a manual run go into which file. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import { detailsAt } from '../details/payment-details.queries.ts'
import {
  type FileLine,
  fileOf,
  type KindTotal,
  type LeftOutCode,
  MAX_ROWS,
  MAX_SEPA_CENTS,
  type PayoutKind,
  planFiles,
  type TakerFormat,
} from './formats.ts'

/** The payouts of a run with the details at the time of their creation, which never change. */
const payoutsOf = (workspaceId: string, runId: string) => sql`
  select po.id, po.partner_id, po.reference, po.status, po.currency, po.amount_cents, p.name as partner_name, p.slug,
         d.method, d.country, d.ciphertext, po.amount_cents % 100 = 0 as is_whole,
         po.amount_cents > ${MAX_SEPA_CENTS} as is_too_large
  from payouts po
  join partners p on p.id = po.partner_id
  left join lateral (${detailsAt(sql`po.workspace_id`, sql`p.email`, sql`po.created_at`)}) d on true
  where po.workspace_id = ${workspaceId} and po.run_id = ${runId}`

/** Whether a payout is to be paid, or is marked as paid. */
const IS_PAYABLE = sql`status in ('processing', 'paid')`

/** The kinds of payouts of a run: how many there are, how many are to be paid, and their sum. */
export const listKinds = async (
  db: Db,
  workspaceId: string,
  runId: string,
): Promise<KindTotal[]> => {
  const { rows } = await sql<KindTotal>`
    select currency, method, country, is_whole as "isWhole", is_too_large as "isTooLarge", count(*)::int as payouts,
           count(*) filter (where ${IS_PAYABLE})::int as payable,
           coalesce(sum(amount_cents) filter (where ${IS_PAYABLE}), 0)::bigint as "amountCents"
    from (${payoutsOf(workspaceId, runId)}) as payouts
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5`.execute(db)
  return rows
}

const kindOnly = ({ currency, method, country, isWhole, isTooLarge }: PayoutKind): PayoutKind => ({
  currency,
  method,
  country,
  isWhole,
  isTooLarge,
})

/** Joins payouts with the kinds of a list. */
const ofKinds = (kinds: PayoutKind[]) => sql`
  join jsonb_to_recordset(${JSON.stringify(kinds.map(kindOnly))}::jsonb)
    as k(currency text, method text, country text, "isWhole" boolean, "isTooLarge" boolean)
    on (k.currency, k.method, k.country, k."isWhole", k."isTooLarge")
       is not distinct from (of_run.currency, of_run.method, of_run.country::text, of_run.is_whole, of_run.is_too_large)`

export type SealedLine = FileLine<string>

/**
 * The payouts of one part of a file, with encrypted details. A payout stays in its part whatever
 * becomes of the others, because parts are made of all payouts of these kinds; one that is no
 * longer to be paid leaves a gap.
 */
export const listFileLines = async (
  db: Db,
  workspaceId: string,
  runId: string,
  { format, kinds, part }: { format: TakerFormat; kinds: PayoutKind[]; part: number },
): Promise<SealedLine[]> => {
  const { rows } = await sql<SealedLine>`
    select id, partner_id as "partnerId", reference, currency, amount_cents as "amountCents", ciphertext as details
    from (select of_run.*, row_number() over (order by of_run.id) as row
          from (${payoutsOf(workspaceId, runId)}) as of_run ${ofKinds(kinds)}) as ranked
    where row > ${(part - 1) * MAX_ROWS[format]} and row <= ${part * MAX_ROWS[format]} and ${IS_PAYABLE}
    order by id`.execute(db)
  return rows
}

export type LeftOutPayout = {
  id: string
  partnerId: string
  partnerName: string | null
  partnerSlug: string
  reference: string
  currency: string
  amountCents: bigint
  code: LeftOutCode
}

/** The payouts of these kinds that are to be paid, by id. */
const listPayoutsOfKinds = async (
  db: Db,
  workspaceId: string,
  runId: string,
  kinds: PayoutKind[],
  limit: number,
) => {
  if (kinds.length === 0) return []
  const { rows } = await sql<PayoutKind & Omit<LeftOutPayout, 'code'>>`
    select id, partner_id as "partnerId", partner_name as "partnerName", slug as "partnerSlug", reference, of_run.currency,
           amount_cents as "amountCents", of_run.method, of_run.country, is_whole as "isWhole",
           is_too_large as "isTooLarge"
    from (${payoutsOf(workspaceId, runId)}) as of_run ${ofKinds(kinds)}
    where ${IS_PAYABLE} order by id limit ${limit}`.execute(db)
  return rows
}

/** The files of a run, the payouts in none of them, and the first of these. */
export const readPlan = async (db: Db, workspaceId: string, runId: string, limit: number) => {
  const kinds = await listKinds(db, workspaceId, runId)
  const without = kinds.filter((kind) => kind.payable > 0 && 'code' in fileOf(kind))
  const rows = await listPayoutsOfKinds(db, workspaceId, runId, without, limit)
  return {
    ...planFiles(kinds),
    leftOutPayouts: rows.flatMap((row): LeftOutPayout[] => {
      const to = fileOf(row)
      return 'code' in to ? [{ ...row, code: to.code }] : []
    }),
  }
}
export type RunPlan = Awaited<ReturnType<typeof readPlan>>
