/** Everything that a partner's page shows. */
import { commissionsQuery, earnedQuery } from './commissions.ts'
import type { Db } from './connection.ts'
import { customersQuery } from './customers.ts'
import { eventsQuery } from './events.ts'
import { groupsOfPartnerQuery, partnerQuery } from './partners.ts'

/** Of lists that may be long, the page shows the newest, and leads on to the others. */
export const SHOWN = 10

/**
 * Reads a partner with what it has earned, its newest commissions, events and customers, and the groups that it may
 * be in, in one fetch. The lists are one row longer than what is shown, where there is more.
 *
 * @param id a UUID
 * @returns undefined when the workspace has no such partner
 */
export const readPartnerPage = async (db: Db, workspaceId: string, id: string, now: Date) => {
  const ofPartner = { partnerId: id, limit: SHOWN + 1 }
  const [[partner], groups, earned, commissions, events, customers] = await db.batch([
    partnerQuery(db, workspaceId, id).compile(),
    groupsOfPartnerQuery(db, workspaceId, id).compile(),
    earnedQuery(db, workspaceId, now, id).compile(),
    commissionsQuery(db, workspaceId, ofPartner, now).compile(),
    eventsQuery(db, workspaceId, ofPartner).compile(),
    customersQuery(db, workspaceId, ofPartner).compile(),
  ])
  return partner && { partner, groups, earned, commissions, events, customers }
}

export type PartnerPageData = NonNullable<Awaited<ReturnType<typeof readPartnerPage>>>
