/** Lets inserts that we don't write ourselves be sent twice. */
import { ColumnNode, ColumnUpdateNode, InsertQueryNode, type KyselyPlugin, OnConflictNode, sql } from 'kysely'

/** By what a row of Better Auth's is known, when it is there already. */
const KEYS: Record<string, string> = { users: 'email', sessions: 'token' }

/**
 * Makes Better Auth's inserts give the row that is there already: one that an earlier try has put there unseen,
 * or the same person's, who has used two first links at the same moment.
 * A session can be nobody else's, since its token was made for this very insert.
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
