/** Requests about possible merges, for the API and the page. */
import * as z from 'zod'
import { Page } from '../http/lists.ts'
import { MERGE_STATUSES } from '../rules/identities/possible-merges.ts'

/** The filters of GET /api/workspaces/:workspace/possible-merges. */
export const PossibleMergeQuery = z.object({
  status: z.enum(MERGE_STATUSES, 'Must be open, merged or dismissed.').optional(),
  ...Page.shape,
})
