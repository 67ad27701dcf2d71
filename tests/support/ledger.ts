import { checkPurchases } from '../../lib/ledger-check/check-purchases.service.ts'

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
 * What verify_ledger finds wrong with a workspace. Its view reads only the rows of the workspace:
 * of all workspaces it would read those of all tests each time.
 */
export const violationsOf = (query: Query, workspaceId: string): Promise<Violation[]> =>
  query<Violation>('select * from ledger_violations where workspace_id = $1', [workspaceId])

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
