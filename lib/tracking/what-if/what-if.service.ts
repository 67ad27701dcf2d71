/** What-if: decides the last 90 days of a program again under changed terms. It changes nothing. */
import type { Db } from '../../db/connection.ts'
import type { PartnerTerms } from '../../rules/attribution/attribution.ts'
import { movesCredit } from '../../rules/decisions/past-credits.ts'
import type { Past, PastEvent, TermsChange } from '../../rules/decisions/past-events.ts'
import { asksForPayments } from '../../rules/decisions/payment-history.ts'
import { asksFor, type Reward } from '../../rules/rewards/rewards.ts'
import { type CurrencyDifference, compare } from '../../rules/what-if/what-if.ts'
import {
  type PastStart,
  readPastCustomers,
  readPastEvents,
  readPastPartners,
  readPastTiers,
  timeOfId,
} from '../events/past-events.queries.ts'

export type WhatIf = {
  /** From when events count: later than 90 days ago if there are too many. */
  from: Date
  to: Date
  /** Whether these are all events of 90 days. */
  isWhole: boolean
  currencies: CurrencyDifference[]
}

const DAYS = 90
const DAY_MS = 24 * 60 * 60_000

/** Events of the workspace that are read, the latest first. */
const MOST_EVENTS = 20_000

/** Rows per database round trip. */
const PAGE = 5_000

/** Decides a program's events again, as they were recorded, under changed terms. */
export const whatIf = async (
  db: Db,
  workspaceId: string,
  change: TermsChange,
  now: Date,
): Promise<WhatIf> => {
  const since = new Date(Number(now) - DAYS * DAY_MS)
  const { programId } = change
  const countsPayments = rewardsIn(change).some(asksForPayments)
  const events: PastEvent[] = []
  let cursor: string | undefined
  for (let read = 0; read < MOST_EVENTS; read += PAGE) {
    const isWhole = movesCredit(change)
    const page = { programId, since, isWhole, countsPayments, cursor, limit: PAGE }
    const found = await readPastEvents(db, workspaceId, page)
    events.push(...found.events)
    cursor = found.cursor
    if (!cursor) break
  }
  const start = { programId, since, firstId: cursor }
  const past = await readPast(db, workspaceId, events.sort(inOrder), start, rewardsIn(change))
  return {
    from: cursor ? timeOfId(cursor) : since,
    to: now,
    isWhole: !cursor,
    currencies: compare(past, change),
  }
}

const rewardsIn = ({ program, group, partner }: TermsChange): Reward[] =>
  [program?.reward, group?.saleReward, group?.leadReward, partner?.ownReward].filter(
    (reward) => reward != null,
  )

const rewardsOf = ({ reward, ownReward, group }: PartnerTerms): Reward[] =>
  [reward, ownReward, group?.saleReward, group?.leadReward].filter((one) => one != null)

/** In the order in which sales use up a reward: see `firstSale` in past-events.queries.ts. */
const inOrder = (a: PastEvent, b: PastEvent): number =>
  Number(a.occurredAt) - Number(b.occurredAt) || (a.externalId < b.externalId ? -1 : 1)

/**
 * The events with their customers and partners.
 * @param rewards those that are changed
 */
const readPast = async (
  db: Db,
  workspaceId: string,
  events: PastEvent[],
  start: PastStart,
  rewards: Reward[],
): Promise<Past> => {
  const customers = await inChunks(
    events.map(({ customerId }) => customerId),
    (ids) => readPastCustomers(db, workspaceId, ids, start),
  )
  const found = await inChunks(
    [
      ...events.flatMap(({ partnerId, click, code, purchase }) => [
        partnerId,
        click?.partnerId,
        code?.facts.partnerId,
        purchase?.firstSale?.partnerId,
      ]),
      ...customers.flatMap(([, { referrals }]) => referrals.map(({ partnerId }) => partnerId)),
    ],
    (ids) => readPastPartners(db, workspaceId, ids, start),
  )
  const partners = new Map(found)
  const present = found.flatMap(([, { terms }]) => rewardsOf(terms))
  const asksForTier = [...rewards, ...present].some((reward) => asksFor(reward, 'tier'))
  return {
    since: start.since,
    events,
    customers: new Map(customers),
    partners,
    tiers: asksForTier ? await readPastTiers(db, start, [...partners.keys()]) : null,
  }
}

const inChunks = async <T>(
  ids: (string | null | undefined)[],
  read: (ids: string[]) => Promise<T[]>,
): Promise<T[]> => {
  const distinct = [...new Set(ids.filter((id) => id != null))]
  const rows: T[] = []
  for (let at = 0; at < distinct.length; at += PAGE)
    rows.push(...(await read(distinct.slice(at, at + PAGE))))
  return rows
}
