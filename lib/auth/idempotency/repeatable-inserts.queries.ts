/** Makes Better Auth's inserts idempotent. */
import {
  ColumnNode,
  ColumnUpdateNode,
  InsertQueryNode,
  type KyselyPlugin,
  OnConflictNode,
  sql,
} from 'kysely'

/** The unique column by which an existing row of each table is found. */
const KEYS: Record<string, string> = { users: 'email', sessions: 'token' }

/**
 * Makes Better Auth's inserts return an existing row: of an earlier attempt, or of a concurrent
 * sign-in by the same person. A session is never another person's, because its token was generated
 * for the insert.
 */
export const repeatableInserts: KyselyPlugin = {
  transformQuery: ({ node }) => {
    const key = InsertQueryNode.is(node) && KEYS[node.into?.table.identifier.name ?? '']
    if (!key) return node
    const column = ColumnNode.create(key)
    const unchanged = ColumnUpdateNode.create(column, sql.ref(`excluded.${key}`).toOperationNode())
    return {
      ...node,
      onConflict: OnConflictNode.cloneWith(OnConflictNode.create(), {
        columns: [column],
        updates: [unchanged],
      }),
    }
  },
  transformResult: async ({ result }) => result,
}
