/** What a history has led to. */
import type { History } from './world.ts'

type Ended = {
  kind: string
  id: string
  isOurs: boolean
  isDuplicate: boolean
  slug: string | null
  isFirst: boolean | null
  by: string | null
  cents: number
}

/**
 * The names of purchases, by each of their ids: a sale may be recorded under any, or under several
 * of them.
 */
const namePurchases = (lists: string[][]): ReadonlyMap<string, string> => {
  const purchases = new Map<string, Set<string>>()
  for (const ids of lists) {
    const all = new Set(ids.flatMap((id) => [id, ...(purchases.get(id) ?? [])]))
    for (const id of all) purchases.set(id, all)
  }
  return new Map([...purchases].map(([id, all]) => [id, [...all].sort().join(' ')]))
}

/**
 * Whose each lead and purchase is, and what it has earned, by its ids without that of the history.
 */
export const earned = async (history: History) => {
  const { query, workspaces } = history
  const received = await query<{ ids: string[] }>(
    `select array(select regexp_replace(key, '^report:', '') from unnest(keys) key) as ids from processor_events
     where workspace_id = any($2) and $1 = any($2)`,
    workspaces,
  )
  const events = await query<Ended>(
    `select e.kind, e.external_id as id, e.workspace_id = $1 as "isOurs", e.steps @> '[{"code": "same_purchase"}]' as "isDuplicate",
            p.slug, p.program_id = $2 as "isFirst", e.attributed_by as by, coalesce(sum(c.amount_cents), 0)::int as cents
     from events e left join partners p on p.id = e.partner_id left join commissions c on c.event_id = e.id
     where e.workspace_id = any($3) and e.kind in ('sale', 'lead') group by e.id, p.id`,
    history.programOf(0),
    workspaces,
  )
  const names = namePurchases(received.map(({ ids }) => ids))
  const nameOf = ({ kind, id, isOurs }: Ended) => {
    const name = (kind === 'sale' ? names.get(id) : undefined) ?? id
    return `${isOurs ? 'our' : 'their'} ${kind} ${name.replaceAll(history.idOf(''), '')}`
  }
  return events
    .filter(({ isDuplicate, cents }) => !isDuplicate || cents !== 0)
    .map((event) => ({
      kind: event.kind,
      name: nameOf(event),
      isOurs: event.isOurs,
      credit:
        event.slug &&
        `${event.slug} of ${event.isFirst ? 'the first' : 'another'} program, by ${event.by}`,
      cents: event.cents,
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}
