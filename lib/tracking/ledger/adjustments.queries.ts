/** Saves adjustments: see adjustments.ts. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { type Act, auditEntry } from '../../audit/audit.queries.ts'
import type { Db } from '../../db/connection.ts'
import { idOf } from '../../db/ids.ts'
import { isConflict } from '../../db/neon.ts'
import { ApiError } from '../../http/errors.ts'
import { sha256 } from '../../platform/sha256.ts'
import { isShadowRefusal, SHADOW_REFUSAL } from '../../rules/programs/mode.ts'
import { canonicalJson } from '../../values/json.ts'
import { type Adjustment, adjustmentPayableAt, type MissingSubject } from './adjustments.ts'
import { type CommissionRow, selectCommissions } from './commissions.queries.ts'
import { mailManualEarning } from './manual-earnings.queries.ts'

export type SavedAdjustment =
  | {
      outcome: 'created' | 'repeated'
      commission: CommissionRow
      /** Whether the first request with the id had another body. */
      isMismatch: boolean
    }
  | { outcome: 'missing'; missing: MissingSubject }
  /** The condition did not hold. */
  | { outcome: 'refused' }

/** A condition of an adjustment, and the lock under which it is checked. */
type Condition = { lock?: RawBuilder<unknown>; onlyIf?: RawBuilder<unknown> }

type Facts = { partner: string | null; event: boolean; commission: boolean; isKnown: boolean }

/**
 * @returns null if the import of the partner was undone since it was read
 * @throws {ApiError} `conflict` in shadow mode
 */
const unlessUndone = async <T>(save: () => Promise<T>): Promise<T | null> => {
  try {
    return await save()
  } catch (error) {
    if (isConflict(error)) return null
    throw isShadowRefusal(error) ? new ApiError('conflict', SHADOW_REFUSAL) : error
  }
}

/** What the request names, and whether its id is known. */
const readFacts = async (
  db: Db,
  workspaceId: string,
  { externalId, partnerId, currency, eventId, commissionId }: Adjustment,
): Promise<Facts> => {
  const { rows } = await sql<Facts>`
    select (select slug from partners where workspace_id = ${workspaceId} and id = ${partnerId} and undone_at is null) as partner,
           exists (select from events where workspace_id = ${workspaceId} and id = ${eventId}) as event,
           exists (select from commissions where workspace_id = ${workspaceId} and id = ${commissionId}
                   and partner_id = ${partnerId} and currency = ${currency}) as commission,
           exists (select from adjustments where workspace_id = ${workspaceId} and external_id = ${externalId})
             as "isKnown"`.execute(db)
  const [facts] = rows
  if (!facts) throw new Error('A select without a table returns one row.')
  return facts
}

const missingOf = ({ eventId, commissionId }: Adjustment, facts: Facts): MissingSubject | null => {
  if (facts.partner === null) return 'partner'
  if (eventId !== null && !facts.event) return 'event'
  return commissionId !== null && !facts.commission ? 'commission' : null
}

/**
 * Saves an adjustment with its commission and audit entry, in one transaction. Of concurrent
 * requests with one external id, the first is saved, and the others return it.
 */
export const saveAdjustment = async (
  db: Db,
  act: Act,
  adjustment: Adjustment,
  { lock = sql`select`, onlyIf = sql`true` }: Condition = {},
): Promise<SavedAdjustment> => {
  const { workspaceId, actor, now } = act
  const { externalId, partnerId, amountCents, currency, reason, eventId, commissionId } = adjustment
  const bodyHash = await sha256(
    canonicalJson({ ...adjustment, payableAt: adjustment.payableAt?.toISOString() }),
  )
  const facts = await readFacts(db, workspaceId, adjustment)
  const missing = missingOf(adjustment, facts)
  if (missing && !facts.isKnown) return { outcome: 'missing', missing }

  const id = idOf(act)
  const insert = sql<unknown>`
    with adjustment as (
      insert into adjustments (commission_id, workspace_id, external_id, reason, created_by, body_hash, event_id, corrects_id)
      select ${id}::uuid, ${workspaceId}::uuid, ${externalId}, ${reason}, ${actor}, ${bodyHash},
             coalesce(${eventId}::uuid, (select event_id from commissions where id = ${commissionId}::uuid)),
             ${commissionId}::uuid
      where ${missing === null}::boolean and ${onlyIf}
      on conflict do nothing returning commission_id
    ), commission as (
    insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents, currency, payable_at, created_at)
    select a.commission_id, p.workspace_id, p.program_id, p.id, 'adjustment', ${amountCents}::bigint, ${currency},
           ${adjustmentPayableAt(adjustment, now)}::timestamptz, ${now}::timestamptz
    from adjustment a join partners p on p.id = ${partnerId}
    returning program_id, amount_cents, currency)
    select ${mailManualEarning(act, 'adjustment', {
      program: sql`program_id`,
      partner: sql`${facts.partner}::text`,
      cents: sql`amount_cents`,
      currency: sql`currency`,
    })} from commission`
  const written = await unlessUndone(() =>
    db.batch([
      lock.compile(db),
      insert.compile(db),
      auditEntry(db, {
        ...act,
        action: 'commission.adjusted',
        subjectId: id,
        details: { amountCents, currency, slug: facts.partner, reason, externalId },
        when: sql<SqlBool>`exists (select from adjustments where commission_id = ${id})`,
      }).compile(),
      db
        .selectFrom('adjustments')
        .where('workspace_id', '=', workspaceId)
        .where('external_id', '=', externalId)
        .select(['commission_id as id', 'body_hash as bodyHash'])
        .compile(),
      selectCommissions(db, workspaceId)
        .where('a.workspace_id', '=', workspaceId)
        .where('a.external_id', '=', externalId)
        .compile(),
    ]),
  )
  if (!written) return { outcome: 'missing', missing: 'partner' }
  const [, , , [saved], [commission]] = written
  if (!saved || !commission) return { outcome: 'refused' }
  return {
    outcome: saved.id === id ? 'created' : 'repeated',
    commission,
    isMismatch: saved.bodyHash !== bodyHash,
  }
}
