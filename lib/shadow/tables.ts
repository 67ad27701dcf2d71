/** The tables of this room, for Kysely. See lib/db/tables.ts. */

export type ShadowTables = {
  shadow_runs: {
    workspace_id: string
    program_id: string
    started_at: Date
    ended_at: Date | null
  }
}
