/** Records a batch of sales and leads: each as if it had been reported alone, in the order given. */
import type { Context } from 'hono'
import type { KeyEnv } from '../auth/api-keys.ts'
import { ApiError, errorBody, toApiError } from '../http/errors.ts'
import { noteForLog } from '../http/logging.ts'
import type { TrackingEnv } from '../http/tracking-app.ts'
import { checked, invalid } from '../http/validate.ts'
import { lostRace } from '../unavailable.ts'
import { type NudgeEnv, nudge } from '../webhooks/nudge.service.ts'
import { saveAndLoad } from './batch.queries.ts'
import { BatchEvent } from './batch.schemas.ts'
import type { ReportFacts } from './facts.queries.ts'
import { completeReport, decideLoaded, hashReport, type JoinReport } from './report.service.ts'
import type { Report } from './report.ts'
import type { RecordedEvent } from './reports.queries.ts'
import type { BatchResponse } from './reports.responses.ts'
import { keyRefusal, trackingResponse } from './respond.service.ts'

/** A valid report of the batch, at its place. Each was received a millisecond after the one before it. */
type Item = { place: number; report: Report; bodyHash: string; receivedAt: Date }
type LoadedItem = Item & { facts: ReportFacts }

/** Answers a saved report. */
type Settle = (item: LoadedItem, event: RecordedEvent) => Promise<void>

/** Each round saves a report of each customer at least. */
const ROUNDS = 510

/**
 * Records the reports, and answers each by itself. Three round trips: one loads what all are decided from, the second saves them
 * and loads again those that depend on one before, such as the sale of a customer whose lead is in the batch, and the third saves
 * these. Every further dated report of one customer takes one more, and so do conflicts with other requests. Reports that
 * something received before depends on take more: see `completeReport`.
 *
 * @throws {ApiError} `invalid_api_key`, `insufficient_scope`
 * @throws {Unavailable} if none is known to be recorded
 */
export const recordBatch = async <E extends KeyEnv & TrackingEnv & NudgeEnv>(
  c: Context<E>,
  events: unknown[],
  joinReport: JoinReport,
): Promise<Response> => {
  const answers = new Map<number, BatchResponse['results'][number]>()
  const refuse = (place: number, error: unknown) => answers.set(place, errorBody(c, toApiError(error)))
  const items: Item[] = []
  for (const [place, event] of events.entries()) {
    const { data: report, errors } = checked(BatchEvent, event)
    const receivedAt = new Date(Number(c.var.now) + place)
    if (report) items.push({ place, report, bodyHash: await hashReport(report), receivedAt })
    else refuse(place, invalid('invalid_body', errors))
  }
  let isAnnounced = false
  const settle: Settle = async (item, event) => {
    isAnnounced ||= event.isAnnounced === true
    try {
      const complete = await completeReport(event, item, joinReport)
      answers.set(item.place, trackingResponse(complete, item.bodyHash))
    } catch (error) {
      refuse(item.place, error)
    }
  }
  try {
    await recordAll(c, items, settle)
  } catch (error) {
    const missing = items.filter(({ place }) => !answers.has(place))
    if (error instanceof ApiError || missing.length === items.length) throw error
    for (const { place } of missing) refuse(place, error)
  }
  if (isAnnounced) nudge(c)
  return c.json<BatchResponse>({ results: events.flatMap((_, place) => answers.get(place) ?? []) })
}

/** Records all reports, and settles each as soon as it is known to be saved. */
const recordAll = async <E extends KeyEnv & TrackingEnv>(
  c: Context<E>,
  items: Item[],
  settle: Settle,
): Promise<void> => {
  const { db, apiKeyHash } = c.var
  const begun = new Set<string>()
  const settled = new Set<number>()
  let waiting = items
  let loaded: LoadedItem[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const ready = untilWaiting(loaded)
    const toSave = ready.filter(({ facts }) => !facts.recorded)
    const ended: { item: LoadedItem; event: RecordedEvent }[] = []
    for (const item of ready) {
      begun.add(customerOf(item))
      if (item.facts.recorded) {
        ended.push({ item, event: item.facts.recorded })
        settled.add(item.place)
      }
    }
    waiting = waiting.filter(({ place }) => !settled.has(place))
    const toLoad = takeIndependent(
      waiting.filter((item) => !toSave.some(({ place }) => place === item.place)),
      begun,
    )
    if (toSave.length + toLoad.length > 0) {
      const result = await saveAndLoad(
        db,
        apiKeyHash,
        toSave.map(({ report, facts, bodyHash, receivedAt }) =>
          decideLoaded(report, facts, bodyHash, receivedAt),
        ),
        toLoad,
      )
      if (typeof result.loaded === 'string') throw keyRefusal(result.loaded)
      // What conflicts is loaded again, and so is what was loaded for the same customer after it.
      const again = new Set<string>()
      for (const [n, item] of toSave.entries()) {
        const event = result.saved[n]
        if (event) {
          ended.push({ item, event })
          settled.add(item.place)
        } else again.add(idOf(item)).add(customerOf(item))
      }
      const facts = result.loaded
      loaded = toLoad.flatMap((item, n) => {
        const its = facts[n]
        return !its || again.has(idOf(item)) || again.has(customerOf(item)) ? [] : [{ ...item, facts: its }]
      })
      waiting = waiting.filter(({ place }) => !settled.has(place))
    } else loaded = []
    for (const { item, event } of ended) await settle(item, event)
    // These have changed others.
    if (ended.some(({ event }) => event.bodyHash === null)) loaded = []
    noteCaller(c, loaded)
    if (waiting.length === 0) return
  }
  throw lostRace('the same customers')
}

/**
 * The reports before the first that has to wait: a repeat is answered as the reports before it leave it, which may credit it. It
 * depends on those of its customer, or on any if it names another customer than the first report.
 */
const untilWaiting = (items: LoadedItem[]): LoadedItem[] => {
  const end = items.findIndex((item, n) => {
    const { recorded } = item.facts
    if (!recorded || recorded.attributed) return false
    const isSame = recorded.bodyHash === item.bodyHash
    return items
      .slice(0, n)
      .some((other) => !other.facts.recorded && (!isSame || customerOf(other) === customerOf(item)))
  })
  return end < 0 ? items : items.slice(0, end)
}

const noteCaller = (c: Context, [first]: LoadedItem[]): void => {
  if (!first) return
  const { keyId, workspaceId } = first.facts
  noteForLog(c, { actor: `key ${keyId}`, keyHash: undefined, workspaceId })
}

const idOf = ({ report: { kind, externalId } }: Item): string => `${kind} ${externalId}`
const customerOf = ({ report }: Item): string => `customer ${report.customerExternalId}`

/**
 * The reports that can be decided together: none depends on another before it. All of a customer depend on its first one, which
 * may say whose the customer is, and on each dated one; a repeat goes before those after it. Other live ones conflict where one
 * depends on another.
 *
 * @param begun the customers whose first report is saved, or about to be
 */
const takeIndependent = (items: Item[], begun: ReadonlySet<string>): Item[] => {
  const taken = new Set<string>()
  return items.filter((item) => {
    const [id, customer] = [idOf(item), customerOf(item)]
    const isRepeat = taken.has(id)
    const isFree = !isRepeat && !taken.has(customer)
    taken.add(id)
    if (isRepeat || item.report.occurredAt || !begun.has(customer)) taken.add(customer)
    return isFree
  })
}
