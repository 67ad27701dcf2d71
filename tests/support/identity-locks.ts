import type { useDatabase } from './merchant.ts'

/**
 * Makes a report that has been loaded wait to be saved while something else is done.
 *
 * @param of the report's workspace and customer, as the report names it
 * @returns the answer of the report
 */
export const whileReportWaits = async <T>(
  database: ReturnType<typeof useDatabase>,
  of: { workspaceId: string; customer: string },
  report: () => Promise<T>,
  work: () => Promise<unknown>,
): Promise<T> => {
  // The lock of the report's identity: identity_lock_key in schema.sql.
  const name = `${of.workspaceId} external`
  const [{ seed, key } = { seed: 0, key: '' }] = await database.query<{
    seed: number
    key: string
  }>(
    `select seed, hashtextextended($1, seed) as key from (select (abs(hashtext($2)::bigint) % 256)::int as seed) s`,
    [name, of.customer],
  )
  const isWaiting = async () => {
    const rows = await database.query(
      `select from pg_locks where locktype = 'advisory' and not granted and (classid::bigint << 32 | objid::bigint) = $1`,
      [key],
    )
    return rows.length > 0
  }
  const { reported } = await database.whileLocked(
    name,
    async () => {
      const reported = report()
      while (!(await isWaiting())) await new Promise((resolve) => setTimeout(resolve, 5))
      await work()
      return { reported }
    },
    seed,
  )
  return reported
}
