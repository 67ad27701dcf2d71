/** Two customers who may be one: who paid, and whom the checkout names. */
export type PossibleMerge = { customerId: string; namedCustomerId: string }

/** A pair that was merged since, in whatever way, is `merged`. */
export const MERGE_STATUSES = ['open', 'merged', 'dismissed'] as const
export type MergeStatus = (typeof MERGE_STATUSES)[number]

/** What a manager decides. Neither can be changed. */
export type MergeDecision = Exclude<MergeStatus, 'open'>

/** Why a pair cannot be decided so, by what was decided. */
export const MERGE_REFUSALS = {
  merged: 'These customers are merged already. A merge cannot be undone.',
  dismissed:
    'This possible merge was dismissed. To merge the customers, report a lead that names both IDs.',
} as const satisfies Record<MergeDecision, string>
