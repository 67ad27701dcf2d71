/** Reads events with their explanations. Any merchant can: its API key gives access to its own events. */
import type * as z from 'zod'
import type { EventResponse } from '../../../lib/tracking/events.responses.ts'
import type { ShopConfig } from './config.ts'
import type { Report } from './tributary.ts'

export type Event = z.input<typeof EventResponse>
type EventList = { data: Event[] }

/** Short, because a page waits for it. */
const TIMEOUT_MS = 5_000

/** An event's path: by its id or, for an unattributed event, which has none in the response, by our external id. */
export const eventPath = (workspace: string, report: Report, eventId: string | null): string =>
  eventId ? `/api/workspaces/${workspace}/events/${eventId}` : eventsPath(workspace, report)

const eventsPath = (workspace: string, { kind, body }: Report): string =>
  `/api/workspaces/${workspace}/events?${new URLSearchParams({ kind, externalId: body.externalId })}`

const get = async <T>({ tributaryUrl, apiKey }: ShopConfig, path: string): Promise<T | null> => {
  try {
    const response = await fetch(new URL(path, tributaryUrl), {
      headers: { Authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return response.ok ? ((await response.json()) as T) : null
  } catch {
    // The page shows that the explanation is missing; the report itself is stored.
    return null
  }
}

/** A recorded event with its explanation; null when Tributary is unreachable. */
export const loadEvent = async (
  config: ShopConfig,
  report: Report,
  eventId: string | null,
): Promise<Event | null> => {
  const path = eventPath(config.workspace, report, eventId)
  if (eventId) return get<Event>(config, path)
  return (await get<EventList>(config, path))?.data[0] ?? null
}

/** The sale with an invoice's id, and its path. The event is null when there is none, or Tributary is unreachable. */
export const findSale = async (config: ShopConfig, externalId: string) => {
  const path = `/api/workspaces/${config.workspace}/events?${new URLSearchParams({ kind: 'sale', externalId })}`
  return { path, event: (await get<EventList>(config, path))?.data[0] ?? null }
}

/** The number of events with a report's external id: one, however often it was sent. */
export const countEvents = async (config: ShopConfig, report: Report): Promise<number | null> => {
  const found = await get<EventList>(config, eventsPath(config.workspace, report))
  return found?.data.length ?? null
}
