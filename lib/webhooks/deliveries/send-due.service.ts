/** One run of the webhooks Worker: leases due deliveries, sends them, and saves the results. */

import { type Budget, hasLeft, newBudget, withDb } from '../../db/budget.service.ts'
import type { DatabaseEnv } from '../../db/neon.ts'
import { decryptSecret } from '../../platform/secrets.ts'
import { urlRefusal } from '../../platform/url.ts'
import { payloadOf } from '../payloads.ts'
import { readSubjects } from '../subjects.queries.ts'
import { notTried, type Try } from './delivery-attempts.ts'
import {
  type DeliveryResult,
  type LeasedDelivery,
  leaseDeliveries,
  saveDeliveryResults,
  storePayloads,
} from './queue.queries.ts'
import { LEASE_SECONDS, nextAttempt, PAUSE_SECONDS } from './schedule.ts'
import { sendWebhook } from './send-request.service.ts'

export type WebhooksEnv = DatabaseEnv & {
  SECRETS_KEY: string
  /** Tributary's address, for links in mails. */
  PUBLIC_URL: string
  MAX_FETCHES: string
  /** `true` sends to this machine too: for development. */
  ALLOW_LOCAL_WEBHOOKS: string
}

/** A Worker can have six open connections. The database is not asked meanwhile. */
const MAX_CONCURRENT = 6
/** So that one slow endpoint does not take all connections. */
const MAX_PER_ENDPOINT = 2
/** Leasing a page, reading what it is about, storing the payloads, and saving the results. */
const FETCHES_PER_PAGE = 4
const MAX_PAGE = 60
/** The run waits for retries that are due within this time. */
const SOON_MS = 6_000
/** How far the database's clock may be ahead of the Worker's, or a nudge would find nothing due. */
const CLOCK_SECONDS = 2
/** A secret that cannot be decrypted needs the operator. */
const UNREADABLE_SECONDS = 3_600

export const allowsLocal = ({
  ALLOW_LOCAL_WEBHOOKS,
}: Pick<WebhooksEnv, 'ALLOW_LOCAL_WEBHOOKS'>): boolean => ALLOW_LOCAL_WEBHOOKS === 'true'

const later = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1_000)

type Sending = {
  env: WebhooksEnv
  budget: Budget
  /** Endpoints that did not answer in this run: their other deliveries wait, and delay nobody. */
  silent: Set<string>
}

const waiting = (
  { id, endpointId, attempts }: LeasedDelivery,
  seconds: number,
): DeliveryResult => ({
  id,
  endpointId,
  attempts,
  outcome: 'waiting',
  nextAttemptAt: later(new Date(), seconds),
  try: null,
})

const resultOf = (
  { id, endpointId, attempts, firstAttemptAt }: LeasedDelivery,
  tried: Try,
): DeliveryResult => {
  const result = { id, endpointId, attempts, try: tried }
  if (!tried.error) return { ...result, outcome: 'delivered', nextAttemptAt: null }
  if (tried.error === 'no_subject') return { ...result, outcome: 'failed', nextAttemptAt: null }
  const nextAttemptAt = nextAttempt(attempts, firstAttemptAt, new Date(), Math.random())
  return { ...result, outcome: nextAttemptAt ? 'retry' : 'failed', nextAttemptAt }
}

/** The payloads of a page by event. The first attempt makes and stores them for all others. */
const payloadsOf = async (
  page: LeasedDelivery[],
  { env, budget }: Sending,
): Promise<Map<string, string>> => {
  const payloads = new Map(
    page.flatMap(({ eventId, payload }) => (payload === null ? [] : [[eventId, payload]])),
  )
  const missing = [
    ...new Map(page.map((delivery) => [delivery.eventId, delivery])).values(),
  ].filter(({ eventId }) => !payloads.has(eventId))
  if (missing.length === 0) return payloads
  const subjects = await withDb(env, budget, (db) => readSubjects(db, missing, new Date()))
  const made = missing.flatMap(({ eventId: id, type, occurredAt }, place) => {
    const data = subjects[place]
    return data ? [{ id, payload: payloadOf(type, occurredAt, data) }] : []
  })
  const stored = await withDb(env, budget, (db) => storePayloads(db, made))
  return new Map([...payloads, ...stored])
}

const deliver = async (
  delivery: LeasedDelivery,
  payload: string | undefined,
  { env, budget, silent }: Sending,
): Promise<DeliveryResult> => {
  const { workspaceId, endpointId, url, eventId: id, ciphertexts } = delivery
  if (silent.has(endpointId)) return waiting(delivery, PAUSE_SECONDS)
  if (!hasLeft(budget)) return waiting(delivery, 0)
  if (payload === undefined) return resultOf(delivery, notTried('no_subject', new Date()))
  if (urlRefusal(url, allowsLocal(env)))
    return resultOf(delivery, notTried('refused_url', new Date()))
  const secrets = await Promise.all(
    ciphertexts.map((ciphertext) => decryptSecret(env.SECRETS_KEY, workspaceId, ciphertext)),
  )
  const readable = secrets.filter((secret) => secret !== null)
  if (readable.length === 0)
    return {
      ...waiting(delivery, UNREADABLE_SECONDS),
      try: notTried('unreadable_secret', new Date()),
    }

  budget.fetches--
  const tried = await sendWebhook({ url, id, payload, secrets: readable }, new Date())
  if (tried.error === 'timeout' || tried.error === 'unreachable') silent.add(endpointId)
  return resultOf(delivery, tried)
}

/** Sends a page: endpoints in their turn, a few requests to each at a time. */
const sendPage = async (page: LeasedDelivery[], sending: Sending): Promise<DeliveryResult[]> => {
  const payloads = await payloadsOf(page, sending)
  const left = [...page]
  const busy = new Map<string, number>()
  const results: DeliveryResult[] = []
  const count = (endpointId: string, by: number) =>
    busy.set(endpointId, (busy.get(endpointId) ?? 0) + by)
  const next = () => {
    const place = left.findIndex(({ endpointId }) => (busy.get(endpointId) ?? 0) < MAX_PER_ENDPOINT)
    return place < 0 ? undefined : left.splice(place, 1)[0]
  }
  const work = async (): Promise<void> => {
    for (let delivery = next(); delivery; delivery = next()) {
      count(delivery.endpointId, 1)
      results.push(await deliver(delivery, payloads.get(delivery.eventId), sending))
      count(delivery.endpointId, -1)
    }
  }
  // A worker ends when all that is left is to busy endpoints, whose own workers go on with it.
  await Promise.all(Array.from({ length: MAX_CONCURRENT }, work))
  return results
}

const pageSize = (budget: Budget): number =>
  hasLeft(budget) ? Math.min(MAX_PAGE, budget.fetches - FETCHES_PER_PAGE) : 0

/** Deliveries per outcome, and whether more are due than the run had time or fetches for. */
export type Tally = Record<DeliveryResult['outcome'], number> & { isMore?: boolean }

/** How long until the first retry of a page that is due soon; null if there is none. */
const msToRetry = (results: DeliveryResult[]): number | null => {
  const times = results.flatMap(({ outcome, nextAttemptAt }) =>
    outcome === 'retry' && nextAttemptAt ? [nextAttemptAt.getTime() - Date.now()] : [],
  )
  const first = Math.min(...times)
  return first <= SOON_MS ? Math.max(first, 0) : null
}

/**
 * Sends due webhooks in pages, within the budget.
 *
 * @param ms how long a run may take, without the 10 seconds of its last requests
 * @param waits for a first retry, after 5 seconds
 * @returns null if there were none
 * @throws {Unavailable} they are due again after their lease, and are sent with the same ids
 */
export const sendDue = async (
  env: WebhooksEnv,
  { ms, waits = false }: { ms: number; waits?: boolean },
): Promise<Tally | null> => {
  const publicUrl = new URL(env.PUBLIC_URL).origin
  const sending: Sending = { env, budget: newBudget(env, ms), silent: new Set() }
  const tally = { delivered: 0, retry: 0, failed: 0, waiting: 0 }
  let isMore = true
  for (let limit = pageSize(sending.budget); limit > 0; limit = pageSize(sending.budget)) {
    const now = new Date()
    const lease = {
      now,
      dueBy: later(now, CLOCK_SECONDS),
      leaseEnd: later(now, LEASE_SECONDS),
      limit,
    }
    const { deliveries, ended } = await withDb(env, sending.budget, (db) =>
      leaseDeliveries(db, lease),
    )
    tally.failed += ended
    isMore = deliveries.length + ended > 0
    if (!isMore) break
    if (deliveries.length === 0) continue
    const results = await sendPage(deliveries, sending)
    await withDb(env, sending.budget, (db) =>
      saveDeliveryResults(db, results, { publicUrl, now: new Date() }),
    )
    for (const { outcome } of results) tally[outcome]++
    if (deliveries.length >= limit / 2) continue
    const pause = waits ? msToRetry(results) : null
    isMore = pause !== null
    if (pause === null) break
    await new Promise((resume) => setTimeout(resume, pause))
  }
  if (!Object.values(tally).some((count) => count > 0)) return null
  return isMore ? { ...tally, isMore } : tally
}
