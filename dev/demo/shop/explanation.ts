/**
 * Reads events with their explanations. Any merchant can: its API key gives access to its own
 * events.
 */
import {
  type components,
  createTributary,
  TributaryError,
} from '../../../clients/node/src/client.ts'
import type { ShopConfig } from './config.ts'
import type { Report } from './tributary.ts'

export type Event = components['schemas']['Event']

/** Short, because a page waits for it. */
const DEADLINE_MS = 5_000

/**
 * An event's path: by its id or, for an unattributed event, which has none in the response, by our
 * external id.
 */
export const eventPath = (workspace: string, report: Report, eventId: string | null): string =>
  eventId ? `/api/workspaces/${workspace}/events/${eventId}` : eventsPath(workspace, report)

const eventsPath = (workspace: string, { kind, body }: Report): string =>
  `/api/workspaces/${workspace}/events?${new URLSearchParams({ kind, externalId: body.externalId })}`

const apiOf = ({ tributaryUrl, apiKey, workspace }: ShopConfig) =>
  createTributary({ url: tributaryUrl, apiKey, workspace, deadlineMs: DEADLINE_MS }).api

/**
 * What the API returned, or undefined: the page shows that the explanation is missing; the report
 * itself is stored.
 */
const dataOf = async <T>(call: Promise<{ data?: T }>): Promise<T | undefined> => {
  try {
    return (await call).data
  } catch (error) {
    if (error instanceof TributaryError) return undefined
    throw error
  }
}

const findEvents = async (config: ShopConfig, kind: Report['kind'], externalId: string) =>
  (await dataOf(apiOf(config).GET('/events', { params: { query: { kind, externalId } } })))?.data

/** A recorded event with its explanation; null when Tributary is unreachable. */
export const loadEvent = async (
  config: ShopConfig,
  { kind, body }: Report,
  id: string | null,
): Promise<Event | null> => {
  if (!id) return (await findEvents(config, kind, body.externalId))?.[0] ?? null
  return (await dataOf(apiOf(config).GET('/events/{id}', { params: { path: { id } } }))) ?? null
}

/**
 * The sale with an invoice's id, and its path. The event is null when there is none, or Tributary
 * is unreachable.
 */
export const findSale = async (config: ShopConfig, externalId: string) => {
  const path = `/api/workspaces/${config.workspace}/events?${new URLSearchParams({ kind: 'sale', externalId })}`
  return { path, event: (await findEvents(config, 'sale', externalId))?.[0] ?? null }
}

/** The number of events with a report's external id: one, however often it was sent. */
export const countEvents = async (
  config: ShopConfig,
  { kind, body }: Report,
): Promise<number | null> => (await findEvents(config, kind, body.externalId))?.length ?? null
