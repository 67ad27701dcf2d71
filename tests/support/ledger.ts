import { checkPurchases } from '../../lib/ledger-check/check.service.ts'

type Query = <Row extends Record<string, unknown>>(
  text: string,
  values?: unknown[],
) => Promise<Row[]>

/** A row of verify_ledger. */
type Violation = {
  invariant: string
  workspace_id: string
  subject_id: string | null
  details: string
}

/**
 * The statement of a function without arguments that returns a table, and those of such functions
 * in it.
 */
const statementOf = async (query: Query, name: string): Promise<string> => {
  const [found] = await query<{ body: string; columns: string[] }>(
    `select prosrc as body, proargnames as columns from pg_proc where proname = $1 and pronargs = 0`,
    [name],
  )
  if (!found) throw new Error(`There is no function ${name}.`)
  let { body } = found
  for (const [call, inner = ''] of body.matchAll(/\bfrom (\w+)\(\)/g))
    body = body.replace(call, `from (${await statementOf(query, inner)})`)
  return `select * from (${body}) rows_of_${name} (${found.columns})`
}

/** By connection pool: each plans it only once. */
const statements = new WeakMap<Query, Promise<string>>()

/**
 * What verify_ledger finds wrong with a workspace. It runs the statement of that function, in which
 * Postgres reads only the rows of the workspace: the function itself reads those of all tests each
 * time.
 */
export const violationsOf = async (query: Query, workspaceId: string): Promise<Violation[]> => {
  const statement = statements.get(query) ?? statementOf(query, 'verify_ledger')
  statements.set(query, statement)
  return query<Violation>(`select * from (${await statement}) found where workspace_id = $1`, [
    workspaceId,
  ])
}

/**
 * What the ledger of a workspace has otherwise than what was received and returned of its
 * purchases, in sentences.
 */
export const differencesOf = async (query: Query, workspaceId: string): Promise<string[]> => {
  const found: string[] = []
  for await (const { differences } of checkPurchases(query, workspaceId, new Date()))
    found.push(...differences)
  return found
}
