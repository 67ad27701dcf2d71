/** Saves a batch's decided reports, and loads the facts of the next ones, in one round trip. */
import type { Client } from '../../db/neon.ts'
import type { UndecidedHolds } from '../../rules/holds/hold-facts.ts'
import type { Report } from '../../rules/steps/report.ts'
import { type DecideHolds, decideAll } from '../holds/undecided-holds.queries.ts'
import type { DecidedReport } from './decided-report.ts'
import {
  type KeyRefusal,
  type LoadedFacts,
  type ReportFacts,
  readFacts,
  wantedOf,
} from './facts.queries.ts'
import { type RecordedEvent, type SavedReport, saveReport, toSaved } from './reports.queries.ts'

type Saved = RecordedEvent | { undecided: UndecidedHolds[] } | null
type Results = { saved: Saved[]; loaded: (LoadedFacts | KeyRefusal)[] }

/** `isLate`: it was saved after others were loaded. */
type SavedInBatch = { event: RecordedEvent | null; isLate: boolean }

/**
 * Saves each report completely or not at all, in order, then loads others. One whose holds are to
 * be decided first is saved after that, alone.
 *
 * @returns the events, null for a report that conflicts with what was saved since it was loaded;
 *   and the facts of the others, or why the key is refused
 */
export const saveAndLoad = async (
  db: Client,
  apiKeyHash: string,
  decided: DecidedReport[],
  wanted: { report: Report; receivedAt: Date }[],
  decideHolds: DecideHolds,
): Promise<{ saved: SavedInBatch[]; loaded: ReportFacts[] | KeyRefusal }> => {
  const reports: SavedReport[] = decided.map(toSaved)
  const [row] = await db.query<{ results: Results }>('call record_reports($1, $2, $3, null)', [
    JSON.stringify(reports),
    apiKeyHash,
    JSON.stringify(
      wanted.map(({ report, receivedAt }) => ({ ...wantedOf(report, receivedAt), receivedAt })),
    ),
  ])
  if (!row) throw new Error('A call of a procedure returned no row.')
  const { saved: results, loaded } = row.results
  const saved: SavedInBatch[] = []
  for (const [n, report] of reports.entries()) {
    const result = results[n] ?? null
    saved.push(
      result && 'undecided' in result
        ? { event: await saveAlone(db, report, result.undecided, decideHolds), isLate: true }
        : { event: result, isLate: false },
    )
  }
  const refusal = loaded.find((facts) => typeof facts === 'string')
  if (refusal) return { saved, loaded: refusal }
  return {
    saved,
    loaded: wanted.map(({ report, receivedAt }, n) =>
      readFacts(loaded[n] as LoadedFacts, report, receivedAt),
    ),
  }
}

/** @returns null for a report that conflicts with what was saved since it was loaded */
const saveAlone = async (
  db: Client,
  report: SavedReport,
  undecided: UndecidedHolds[],
  decideHolds: DecideHolds,
): Promise<RecordedEvent | null> => {
  const holds = await decideAll(report.holds, undecided, decideHolds)
  const result = await saveReport(db, { ...report, holds }, decideHolds)
  return result.status === 'saved' ? result.event : null
}
