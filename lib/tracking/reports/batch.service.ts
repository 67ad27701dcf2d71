/**
 * Records a batch of sales and leads: each as if it had been reported alone, in the order given.
 */
import type { Context } from 'hono'
import type { KeyEnv } from '../../auth/keys/api-keys.ts'
import { ApiError, errorBody, toApiError } from '../../http/errors.ts'
import { noteForLog } from '../../http/logging.ts'
import { foldSometimes, nudge, type ReportQueues } from '../../http/rpc/nudge.service.ts'
import type { TrackingEnv } from '../../http/tracking-app.ts'
import { checked, invalid } from '../../http/validate.ts'
import { lostRace } from '../../platform/unavailable.ts'
import { afterSpent, type Spent, spend } from '../../rules/decisions/spent-budgets.ts'
import { receivedAt } from '../../rules/steps/occurred-at.ts'
import type { Report } from '../../rules/steps/report.ts'
import { saveAndLoad } from './batch.queries.ts'
import { BatchEvent } from './batch.schemas.ts'
import type { ReportFacts } from './facts.queries.ts'
import type { Mismatch } from './keep-mismatches.queries.ts'
import type { ReportsService } from './purchases.rpc.ts'
import { completeReport, decideLoaded, hashReport } from './report.service.ts'
import type { RecordedEvent } from './reports.queries.ts'
import type { BatchResponse } from './reports.responses.ts'
import {
  isMismatch,
  keepMismatches,
  keyRefusal,
  MISMATCH_HEADER,
  trackingResponse,
} from './respond.service.ts'

/** A valid report, and its place in the batch. */
type Item = { place: number; report: Report; bodyHash: string; receivedAt: Date }
type LoadedItem = Item & { facts: ReportFacts }

/** Answers a saved report. */
type Settle = (item: LoadedItem, event: RecordedEvent) => Promise<void>

/** Each round saves a report of each customer at least. */
const ROUNDS = 510

/**
 * Records the reports, and answers each by itself. Three round trips: one loads what all are
 * decided from, the second saves them and loads again those that depend on one before, such as the
 * sale of a customer whose lead is in the batch, and the third saves these. Every further dated
 * report of one customer takes one more, and so do conflicts with other requests, repeats all
 * together, two ids of one customer, and every further sale that is decided by its number. Reports
 * that something received before depends on take more: see `completeReport`.
 *
 * @throws {ApiError} `invalid_api_key`, `insufficient_scope`
 * @throws {Unavailable} if none is known to be recorded
 */
export const recordBatch = async <E extends KeyEnv & TrackingEnv & ReportQueues>(
  c: Context<E>,
  events: unknown[],
  purchases: ReportsService,
): Promise<Response> => {
  const answers = new Map<number, BatchResponse['results'][number]>()
  const refuse = (place: number, error: unknown) =>
    answers.set(place, errorBody(c, toApiError(error)))
  const items: Item[] = []
  for (const [place, event] of events.entries()) {
    const { data: report, errors } = checked(BatchEvent, event)
    if (report)
      items.push({
        place,
        report,
        bodyHash: await hashReport(report),
        receivedAt: receivedAt(c.var.now, place),
      })
    else refuse(place, invalid('invalid_body', errors))
  }
  let isAnnounced = false
  const mismatches: (Mismatch & { place: number })[] = []
  const settle: Settle = async (item, event) => {
    isAnnounced ||= event.isAnnounced === true
    try {
      const complete = await completeReport(event, item, purchases)
      answers.set(item.place, trackingResponse(complete))
      if (isMismatch(complete, item.bodyHash)) mismatches.push({ ...item, eventId: complete.id })
    } catch (error) {
      refuse(item.place, error)
    }
  }
  try {
    await recordAll(openStore(c, purchases), items, settle)
  } catch (error) {
    const missing = items.filter(({ place }) => !answers.has(place))
    if (error instanceof ApiError || missing.length === items.length) throw error
    for (const { place } of missing) refuse(place, error)
  }
  if (isAnnounced) nudge(c, 'WEBHOOKS')
  foldSometimes(c, items.length)
  keepMismatches(c, mismatches)
  const places = mismatches.map(({ place }) => place).sort((a, b) => a - b)
  if (places.length > 0) c.header(MISMATCH_HEADER, places.join(', '))
  return c.json<BatchResponse>({ results: events.flatMap((_, place) => answers.get(place) ?? []) })
}

/**
 * Records all reports, and settles each once it is saved. Repeats change nothing and are settled
 * last: the others may credit their events.
 */
const recordAll = async (
  saveThenLoad: SaveThenLoad,
  items: Item[],
  settle: Settle,
): Promise<void> => {
  const ids = new Set<string>()
  const isFirst = (item: Item) => ids.size < ids.add(idOf(item)).size
  const { true: firsts = [], false: others = [] } = Object.groupBy(
    items,
    (item) => `${isFirst(item)}`,
  )
  const repeats = [...(await recordFirsts(saveThenLoad, firsts, settle)), ...others]
  const { loaded } = await saveThenLoad([], repeats)
  for (const item of loaded) {
    if (!item.facts.recorded) throw lostRace('the same events')
    await settle(item, item.facts.recorded)
  }
}

/** Records reports with different IDs. @returns those that were recorded before, without credit */
const recordFirsts = async (
  saveThenLoad: SaveThenLoad,
  items: Item[],
  settle: Settle,
): Promise<Item[]> => {
  const repeats: Item[] = []
  /** The ids of customers of whom several reports may be decided together. */
  const begun = new Set<string>()
  const customers = new Map<string, string>()
  const customerOf = (item: Item) => customers.get(refOf(item)) ?? refOf(item)
  let waiting = items
  let loaded: LoadedItem[] = []
  for (let round = 0; waiting.length > 0; round++) {
    if (round === ROUNDS) throw lostRace('the same customers')
    const ended: { item: LoadedItem; event: RecordedEvent }[] = []
    for (const item of loaded) {
      const { recorded, customer } = item.facts
      if (!recorded) customers.set(refOf(item), customer?.id ?? refOf(item))
      else if (recorded.attributed) ended.push({ item, event: recorded })
      else repeats.push(item)
      if (recorded) begun.add(refOf(item))
      // After a lead, say: leads don't depend on what was paid.
      if (item.facts.history) begun.delete(refOf(item))
    }
    const unsaved = without(waiting, [...ended.map(({ item }) => item), ...repeats])
    // Two ids may turn out to be of one customer, and reports of one customer are saved in order.
    // So no report is saved before one of an unknown customer.
    const unknown = unsaved.findIndex((item) => !customers.has(refOf(item)))
    const ordered = takeIndependent(
      unsaved.slice(0, unknown < 0 ? undefined : unknown),
      customerOf,
      begun,
    )
    const places = new Set(ordered.map(({ place }) => place))
    const toSave = loaded.filter(({ place }) => places.has(place))
    for (const item of toSave) if (!item.facts.history) begun.add(refOf(item))
    const toLoad = takeIndependent(without(unsaved, toSave), customerOf, begun)
    const result = await saveThenLoad(toSave, toLoad)
    // A report that conflicts is loaded again, and so are later reports of the same customer.
    const again = new Set<string>()
    for (const [n, item] of toSave.entries()) {
      const { event = null, isLate = false } = result.saved[n] ?? {}
      if (event) ended.push({ item, event })
      if (!event || isLate) again.add(customerOf(item))
    }
    for (const { item, event } of ended) await settle(item, event)
    waiting = without(waiting, [...ended.map(({ item }) => item), ...repeats])
    // To complete an event changes other events, so what was loaded is out of date.
    const isCurrent = ended.every(({ event }) => event.bodyHash !== null)
    loaded = result.loaded.filter((item) => isCurrent && !again.has(customerOf(item)))
  }
  return repeats
}

/** Saves reports that are decided from what was loaded, and loads what others are decided from. */
const openStore =
  <E extends KeyEnv & TrackingEnv>(c: Context<E>, purchases: ReportsService) =>
  async (toSave: LoadedItem[], toLoad: Item[]) => {
    if (toSave.length + toLoad.length === 0) return { saved: [], loaded: [] }
    const spent: Spent = new Map()
    const decided = toSave.map(({ report, facts, bodyHash, receivedAt }) => {
      const one = decideLoaded(report, afterSpent(facts, spent), bodyHash, receivedAt)
      spend(spent, one.decision)
      return one
    })
    const { saved, loaded } = await saveAndLoad(
      c.var.db,
      c.var.apiKeyHash,
      decided,
      toLoad,
      purchases.decideHolds,
    )
    if (typeof loaded === 'string') throw keyRefusal(loaded)
    noteCaller(c, loaded)
    return {
      saved,
      loaded: toLoad.flatMap((item, n) => (loaded[n] ? { ...item, facts: loaded[n] } : [])),
    }
  }

type SaveThenLoad = ReturnType<typeof openStore>

const without = (items: Item[], those: Item[]): Item[] => {
  const places = new Set(those.map(({ place }) => place))
  return items.filter(({ place }) => !places.has(place))
}

const noteCaller = (c: Context, [first]: ReportFacts[]): void => {
  if (!first) return
  const { keyId, workspaceId } = first
  noteForLog(c, { actor: `key ${keyId}`, keyHash: undefined, workspaceId })
}

const idOf = ({ report: { kind, externalId } }: Item): string => `${kind} ${externalId}`
const refOf = ({ report }: Item): string => report.customerExternalId

/**
 * The reports that can be decided together, because none depends on an earlier one. All reports of
 * a customer depend on its first one, which may decide who owns the customer, on each dated one, and
 * on each whose decision depends on what was paid before. If other reports depend on each other, the
 * later one conflicts.
 *
 * @param customerOf the customer of a report, or the id that the report names while that is unknown
 * @param begun      the ids of customers whose first report is saved, or about to be, and did not
 *   depend on what was paid before
 */
const takeIndependent = (
  items: Item[],
  customerOf: (item: Item) => string,
  begun: ReadonlySet<string>,
): Item[] => {
  const taken = new Set<string>()
  return items.filter((item) => {
    const customer = customerOf(item)
    const isFree = !taken.has(customer)
    if (item.report.occurredAt || !begun.has(refOf(item))) taken.add(customer)
    return isFree
  })
}
