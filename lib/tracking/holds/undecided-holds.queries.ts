/** Saves events whose holds depend on what is near them, which only the database can say. */
import type { DecidedHolds, HoldRequest, UndecidedHolds } from '../../rules/holds/hold-facts.ts'

/** A request with what was decided about it, as hold_commissions of schema.sql takes it. */
export type DecidedRequest = HoldRequest & { decided?: DecidedHolds }

export type DecideHolds = (
  request: HoldRequest,
  undecided: UndecidedHolds,
) => DecidedHolds | Promise<DecidedHolds>

/** Raised by hold_commissions. */
const UNDECIDED = 'TR003'

/** Each decision may conflict with concurrent requests. Then the caller loads and decides again. */
const ROUNDS = 8

/**
 * Saves events, and again with what is decided about their holds if the database refuses them
 * without: most events have none near, and are saved at once.
 *
 * @param save the same for all rounds, but for the requests: the ids of new rows, too
 */
export const saveDeciding = async <T>(
  requests: DecidedRequest[],
  decide: DecideHolds,
  save: (requests: DecidedRequest[]) => Promise<T>,
): Promise<T> => {
  for (let round = 1; ; round++) {
    try {
      return await save(requests)
    } catch (error) {
      const undecided = round < ROUNDS ? undecidedIn(error) : null
      if (!undecided) throw error
      requests = await decideAll(requests, undecided, decide)
    }
  }
}

/** What is to be decided about, if that is why something was not saved. */
const undecidedIn = (error: unknown): UndecidedHolds[] | null => {
  const { code, detail } = error as { code?: unknown; detail?: unknown }
  return code === UNDECIDED && typeof detail === 'string' ? JSON.parse(detail) : null
}

export const decideAll = (
  requests: DecidedRequest[],
  undecided: UndecidedHolds[],
  decide: DecideHolds,
): Promise<DecidedRequest[]> =>
  Promise.all(
    requests.map(async (request) => {
      const found = undecided.find(({ eventId }) => eventId === request.eventId)
      return found ? { ...request, decided: await decide(request, found) } : request
    }),
  )
