/** Compares all purchases with what was received and returned for them, and changes nothing. */
import { PROCESSORS } from '../rules/purchases/processors.ts'
import { findDifferences } from './differences.ts'
import { findTwins, isWithoutPayment, TWIN_HOURS } from './likely-duplicates.ts'
import { isPending, type SalesFrom, type StoredPurchase } from './purchase.ts'
import {
  purchasesNear,
  type Query,
  receivedPurchases,
  recordedPurchases,
  salesFromOf,
  unreadableEvents,
} from './purchases.queries.ts'

export type Checked = {
  differences: string[]
  /** Purchases that were compared, and those that are about to change. */
  compared: number
  pending: number
}

/** A page of purchases was compared: its differences and counts. */
export async function* checkPurchases(
  query: Query,
  workspaceId: string,
  now: Date,
): AsyncGenerator<Checked> {
  const at = Number(now)
  const settings = await salesFromOf(query, workspaceId)
  for await (const page of recordedPurchases(query, workspaceId)) {
    // A purchase that is recorded under several ids is compared once.
    const purchases = page.filter(({ rootId, sales }) => sales[0]?.id === rootId)
    const checked = check(purchases, settings, at)
    const twins = await checkTwins(query, workspaceId, purchases, at)
    yield { ...checked, differences: [...checked.differences, ...twins] }
  }
  for (const processor of PROCESSORS) {
    for await (const page of receivedPurchases(query, workspaceId, processor)) {
      yield check(
        page.filter(
          ({ rootId, sales, events }) => sales.length === 0 && firstOf(events) === rootId,
        ),
        settings,
        at,
      )
    }
  }
  const unreadable = await unreadableEvents(query, workspaceId)
  yield {
    differences: unreadable.map(
      ({ id, type, reason }) =>
        `${id} (${type}) could not be read, so nothing of it counts: ${reason}.`,
    ),
    ...{ compared: 0, pending: 0 },
  }
}

const firstOf = (events: { id: string }[]): string | undefined =>
  events.map(({ id }) => id).sort()[0]

const check = (purchases: StoredPurchase[], settings: SalesFrom[], now: number): Checked => {
  const ready = purchases.filter((purchase) => !isPending(purchase, now))
  return {
    differences: ready.flatMap((purchase) => findDifferences(purchase, settings, now)),
    compared: ready.length,
    pending: purchases.length - ready.length,
  }
}

/** An invoice whose payment no event ties to it may be recorded a second time, as that payment. */
const checkTwins = async (
  query: Query,
  workspaceId: string,
  purchases: StoredPurchase[],
  now: number,
): Promise<string[]> => {
  const alone = purchases.filter(
    (purchase) => !isPending(purchase, now) && isWithoutPayment(purchase),
  )
  if (alone.length === 0) return []
  const ids = alone.flatMap(({ sales }) => sales.map(({ id }) => id))
  return findTwins(alone, await purchasesNear(query, workspaceId, ids, TWIN_HOURS), now)
}
