/** Sends lists as CSV files. */
import type { Context } from 'hono'
import { recordExport } from '../../audit/audit.queries.ts'
import { actOf, type WorkspaceEnv } from '../../auth/access.ts'
import { connect, type Db } from '../../db/connection.ts'
import type { PageRequest } from '../../db/page-request.ts'
import { EXPORT_PAGE, streamCsv } from '../../http/csv-stream.ts'

/** The filters of a list, without the size of its pages. */
type Filter = { cursor?: string | undefined; limit: number }

/**
 * Sends a list as a CSV file, after an audit entry. `read` gets a page on a new connection, because
 * a connection has the deadline of one call.
 */
export const sendList = async <R extends { id: string }, F extends Filter>(
  c: Context<WorkspaceEnv>,
  list: string,
  columns: readonly (keyof R & string)[],
  { cursor, limit: _, ...filter }: F,
  read: (db: Db, page: Omit<F, 'cursor' | 'limit'> & PageRequest) => Promise<R[]>,
) => {
  await recordExport(c.var.db, actOf(c), {
    action: 'list.exported',
    subjectId: null,
    details: { list, filter: JSON.parse(JSON.stringify(filter)) },
  })
  const stream = await streamCsv(
    columns,
    (after) => read(connect(c.env), { ...filter, cursor: after, limit: EXPORT_PAGE }),
    cursor,
  )
  c.set('isStreamed', true)
  return c.body(stream, 200, {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${list}.csv"`,
    'Cache-Control': 'no-store',
  })
}
