/** The lease of a shadow run, which one comparison processes at a time. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'

export type ShadowRun = {
  workspaceId: string
  programId: string
  startedAt: Date
  /** The last event or commission of ours that was compared. */
  comparedAfter: string | null
  /** The last uploaded commission in this walk through those that wait; null at its beginning. */
  waitingAfter: string | null
  /** The comparison that holds the lease. */
  owner: string
  /** This step reads all that was committed at this time. */
  readAt: Date
}

/** How long one comparison has a run to itself. A step takes less than a second. */
const LEASE = sql`interval '30 seconds'`

/** Leases the run, or extends the lease. @returns undefined if it is leased by another, or over */
export const leaseRun = async (
  db: Db,
  workspaceId: string,
  programId: string,
  owner: string,
): Promise<ShadowRun | undefined> => {
  const { rows } = await sql<ShadowRun>`
    update shadow_runs set compare_owner = ${owner}::uuid, compare_until = now() + ${LEASE}
    where workspace_id = ${workspaceId} and program_id = ${programId} and ended_at is null
      and (compare_owner = ${owner}::uuid or compare_until is null or compare_until < now())
    returning workspace_id as "workspaceId", program_id as "programId", started_at as "startedAt",
              compared_after as "comparedAfter", waiting_after as "waitingAfter", compare_owner as owner, now() as "readAt"`.execute(
    db,
  )
  return rows[0]
}

/** Releases the lease. */
export const releaseRun = async (
  db: Db,
  { workspaceId, programId, owner }: ShadowRun,
): Promise<void> => {
  await sql`
    update shadow_runs set compare_until = null
    where workspace_id = ${workspaceId} and program_id = ${programId} and compare_owner = ${owner}::uuid`.execute(
    db,
  )
}
