/** Saves adjustments of many partners at once: bonuses by hand. docs/bonuses.md. */
import { type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { idOf, newId } from '../../db/ids.ts'
import { breaks, isConflict } from '../../db/neon.ts'
import { ApiError } from '../../http/errors.ts'
import { sha256 } from '../../platform/sha256.ts'
import { isShadowRefusal, SHADOW_REFUSAL } from '../../rules/programs/mode.ts'
import { canonicalJson } from '../../values/json.ts'
import { adjustmentPayableAt, type BulkAdjustment, MAX_BULK } from './adjustments.ts'
import { mailManualEarning } from './manual-earnings.queries.ts'

export type SavedBulk =
  | {
      outcome: 'created' | 'repeated'
      /** The partners whose earnings were adjusted by the first request with the id. */
      partners: number
      /** Whether the first request with the id had another body. */
      isMismatch: boolean
    }
  /** The ids that are of no partner, or of one whose import was undone. */
  | { outcome: 'missing'; partnerIds: string[] }

/** The id of the nth adjustment: that of the request is the first one's. */
const externalIdOf = (externalId: string, nth: number): string =>
  nth === 0 ? externalId : `${externalId}:${nth + 1}`

const UNIQUE = 'adjustments_workspace_id_external_id_key'

const ID_TAKEN =
  'Another adjustment has an externalId that begins with this one. Send another externalId.'

/**
 * Adjusts the earnings of each partner by the same amount, with one audit entry: all of them, or
 * none. Of concurrent requests with one external id, the first is saved, and the others return it.
 *
 * @throws {ApiError} `conflict` if a program is in shadow mode, or another adjustment has an id that
 *   one of these would have
 */
export const saveBulkAdjustment = async (
  db: Db,
  act: Act,
  bulk: BulkAdjustment,
): Promise<SavedBulk> => {
  const bodyHash = await sha256(
    canonicalJson({ ...bulk, payableAt: bulk.payableAt?.toISOString() ?? null }),
  )
  try {
    return await save(db, act, bulk, bodyHash)
  } catch (error) {
    if (isShadowRefusal(error)) throw new ApiError('conflict', SHADOW_REFUSAL)
    if (breaks(error, UNIQUE)) throw new ApiError('conflict', ID_TAKEN)
    // The import of a partner was undone meanwhile: it is missing now.
    if (isConflict(error)) return save(db, act, bulk, bodyHash)
    throw error
  }
}

const save = async (
  db: Db,
  act: Act,
  bulk: BulkAdjustment,
  bodyHash: string,
): Promise<SavedBulk> => {
  const { workspaceId, actor, now } = act
  const { externalId, partnerIds, amountCents, currency, reason } = bulk
  const firstId = idOf(act)
  const rows = JSON.stringify(
    partnerIds.map((partnerId, nth) => ({
      ...{ partnerId, nth, id: nth === 0 ? firstId : newId() },
      externalId: externalIdOf(externalId, nth),
    })),
  )
  const known = JSON.stringify(
    Array.from({ length: MAX_BULK }, (_, nth) => externalIdOf(externalId, nth)),
  )
  const asked = sql`
    select r.*, p.program_id, p.id is not null as "isKnown"
    from jsonb_to_recordset(${rows}::jsonb) as r ("partnerId" uuid, nth integer, id uuid, "externalId" text)
    left join partners p on p.id = r."partnerId" and p.workspace_id = ${workspaceId} and p.undone_at is null`
  const isSaved = sql<SqlBool>`exists (
    select from adjustments where workspace_id = ${workspaceId} and commission_id = ${firstId})`
  const [, , , [first], [sum], missing] = await db.batch([
    // Requests with one id, which may name others of the partners.
    sql`select pg_advisory_xact_lock(hashtextextended(${`${workspaceId} bulk ${externalId}`}, 0))`.compile(
      db,
    ),
    sql`
      with asked as materialized (${asked}), adjustment as (
        insert into adjustments (commission_id, workspace_id, external_id, reason, created_by, body_hash)
        select id, ${workspaceId}::uuid, "externalId", ${reason}, ${actor}, ${bodyHash} from asked
        where not exists (select from asked where not "isKnown")
          and not exists (select from adjustments where workspace_id = ${workspaceId} and external_id = ${externalId})
        order by nth
        returning commission_id
      ), commission as (
        insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents, currency, payable_at, created_at)
        select a.id, ${workspaceId}::uuid, a.program_id, a."partnerId", 'adjustment', ${amountCents}::bigint, ${currency},
               ${adjustmentPayableAt(bulk, now)}::timestamptz, ${now}::timestamptz
        from adjustment s join asked a on a.id = s.commission_id
        order by a.nth
        returning program_id, amount_cents
      )
      select ${mailManualEarning(act, 'bonuses', {
        program: sql`program_id`,
        partner: sql`null::text`,
        cents: sql`sum(amount_cents)::bigint`,
        currency: sql`${currency}::text`,
      })} from commission group by program_id order by program_id`.compile(db),
    auditEntry(db, {
      ...act,
      action: 'partners.adjusted',
      subjectId: firstId,
      details: {
        amountCents,
        currency,
        partners: partnerIds.length,
        totalCents: amountCents * partnerIds.length,
        reason,
        externalId,
      },
      when: isSaved,
    }).compile(),
    db
      .selectFrom('adjustments')
      .where('workspace_id', '=', workspaceId)
      .where('external_id', '=', externalId)
      .select(['commission_id as id', 'body_hash as bodyHash'])
      .compile(),
    sql<{ partners: bigint }>`
      select count(*) as partners
      from adjustments f
      join adjustments a on a.workspace_id = f.workspace_id and a.body_hash = f.body_hash
      where f.workspace_id = ${workspaceId} and f.external_id = ${externalId}
        and a.external_id in (select jsonb_array_elements_text(${known}::jsonb))`.compile(db),
    sql<{
      partnerId: string
    }>`select "partnerId" from (${asked}) asked where not "isKnown" order by nth`.compile(db),
  ])
  if (!first) return { outcome: 'missing', partnerIds: missing.map(({ partnerId }) => partnerId) }
  return {
    outcome: first.id === firstId ? 'created' : 'repeated',
    partners: Number(sum?.partners ?? 0),
    isMismatch: first.bodyHash !== bodyHash,
  }
}
