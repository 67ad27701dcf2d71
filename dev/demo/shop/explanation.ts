/** Asks Tributary why it decided as it did. Any merchant may: the API key opens its own events. */
import type * as z from 'zod'
import type { EventResponse } from '../../../lib/tracking/events.responses.ts'
import type { ShopConfig } from './config.ts'
import type { Report } from './tributary.ts'

export type Event = z.input<typeof EventResponse>
type EventList = { data: Event[] }

/** A page is no place to wait long. */
const TIMEOUT_MS = 5_000

/** Where an event is found: by its id, or, when it is no partner's and so was answered without one, by ours. */
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
    // The page says that the explanation is missing; the report itself is safe.
    return null
  }
}

/** A recorded event with its explanation; null when Tributary can't be asked. */
export const loadEvent = async (
  config: ShopConfig,
  report: Report,
  eventId: string | null,
): Promise<Event | null> => {
  const path = eventPath(config.workspace, report, eventId)
  if (eventId) return get<Event>(config, path)
  return (await get<EventList>(config, path))?.data[0] ?? null
}

/** The sale that Tributary has under an invoice's id, and where it is found; null when it has none, or can't be asked. */
export const findSale = async (config: ShopConfig, externalId: string) => {
  const path = `/api/workspaces/${config.workspace}/events?${new URLSearchParams({ kind: 'sale', externalId })}`
  return { path, event: (await get<EventList>(config, path))?.data[0] ?? null }
}

/** How many events Tributary has under a report's external id: one, however often it was sent. */
export const countEvents = async (config: ShopConfig, report: Report): Promise<number | null> => {
  const found = await get<EventList>(config, eventsPath(config.workspace, report))
  return found?.data.length ?? null
}
