/**
 * Saves decided reports of a batch, and loads what the next ones are decided from, in one round
 * trip.
 */
import type { Client } from '../../db/neon.ts'
import type { Report } from '../../rules/steps/report.ts'
import type { DecidedReport } from './decided-report.ts'
import {
  type KeyRefusal,
  type LoadedFacts,
  type ReportFacts,
  readFacts,
  wantedOf,
} from './facts.queries.ts'
import { type RecordedEvent, toSaved } from './reports.queries.ts'

type Results = { saved: (RecordedEvent | null)[]; loaded: (LoadedFacts | KeyRefusal)[] }

/**
 * Saves each report completely or not at all, in order, then loads others.
 *
 * @returns the events, null for a report that conflicts with what was saved since it was loaded;
 *   and the facts of the others, or why the key is refused
 */
export const saveAndLoad = async (
  db: Client,
  apiKeyHash: string,
  decided: DecidedReport[],
  wanted: { report: Report; receivedAt: Date }[],
): Promise<{ saved: (RecordedEvent | null)[]; loaded: ReportFacts[] | KeyRefusal }> => {
  const [row] = await db.query<{ results: Results }>('call record_reports($1, $2, $3, null)', [
    JSON.stringify(decided.map(toSaved)),
    apiKeyHash,
    JSON.stringify(
      wanted.map(({ report, receivedAt: now }) => ({ ...wantedOf(report, now), now })),
    ),
  ])
  if (!row) throw new Error('A call of a procedure returned no row.')
  const { saved, loaded } = row.results
  const refusal = loaded.find((facts) => typeof facts === 'string')
  if (refusal) return { saved, loaded: refusal }
  return {
    saved,
    loaded: wanted.map(({ report, receivedAt }, n) =>
      readFacts(loaded[n] as LoadedFacts, report, receivedAt),
    ),
  }
}
