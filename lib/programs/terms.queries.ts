/** Changes of the terms of sales. The former terms are kept for sales that are received late. */
import { type CompiledQuery, sql, type Updateable } from 'kysely'
import type { Act } from '../audit/audit.queries.ts'
import type { Db } from '../db/connection.ts'
import type { Tables } from '../db/tables.ts'

/** The table and columns of former terms, by table. */
const FORMER = {
  programs: {
    table: 'former_program_terms',
    id: 'program_id',
    terms: [
      'reward_id',
      'reward_interval',
      'reward_duration_months',
      'one_time_minimum_cents',
      'one_time_per',
      'tiers',
      'reward_shipping',
      'credit_out_of_band',
      'holding_days',
      'net_days',
      'attribution',
      'attribute_known_customers',
      'late_lead_days',
      'self_referrals',
      'unverified_addresses',
    ],
  },
  groups: {
    table: 'former_group_terms',
    id: 'group_id',
    terms: ['sale_reward_id', 'lead_reward_id'],
  },
  partners: {
    table: 'former_partner_terms',
    id: 'partner_id',
    terms: ['group_id', 'reward_id', 'status'],
  },
} as const

/**
 * Updates rows and keeps the former terms, in one statement. The row locks serialize concurrent changes, and `until` ascends in the order of commits, independent of the Workers' clocks. A retry after a commit keeps the new terms for a microsecond, and changes nothing.
 *
 * @param ids    at least one
 * @param values undefined columns keep their values
 */
export const updateTerms = <T extends keyof typeof FORMER>(
  db: Db,
  { workspaceId, now }: Act,
  table: T,
  ids: readonly string[],
  values: Updateable<Tables[T]>,
): CompiledQuery => {
  const former = FORMER[table]
  const changed = Object.entries(values).filter(([, value]) => value !== undefined)
  const changesTerms = changed.some(([column]) => former.terms.some((term) => term === column))
  const columns = [
    ...changed.map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
    ...(changesTerms
      ? [sql`terms_since = greatest(${now}::timestamptz, terms_since + interval '1 microsecond')`]
      : []),
  ]
  const update = sql`update ${sql.table(table)} set ${sql.join(columns)} where workspace_id = ${workspaceId} and id in (${sql.join(ids)})`
  if (!changesTerms) return update.compile(db)
  const terms = sql.join(former.terms.map((term) => sql.ref(term)))
  const before = sql.join(former.terms.map((term) => sql.ref(`old.${term}`)))
  return sql`
    with changed as (${update} returning workspace_id, id, terms_since, ${before})
    insert into ${sql.table(former.table)} (workspace_id, ${sql.ref(former.id)}, until, ${terms})
    select workspace_id, id, terms_since, ${terms} from changed`.compile(db)
}
