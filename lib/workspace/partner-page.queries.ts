/** Everything that a partner's page shows. */

import { customersQuery } from '../customers/customers.queries.ts'
import type { Db } from '../db/connection.ts'
import { payoutsQuery } from '../payouts/payouts.queries.ts'
import { commissionsQuery, earnedQuery } from '../tracking/commissions.queries.ts'
import { eventsQuery } from '../tracking/events.queries.ts'
import { groupsOfPartnerQuery, partnerQuery } from './partners.queries.ts'

/** Of lists that may be long, the page shows the newest, and leads on to the others. */
export const SHOWN = 10

/**
 * Reads a partner with what it has earned, the account that it is paid to, its newest payouts, commissions, events and
 * customers, and the groups that it may be in, in one fetch. The lists are one row longer than what is shown, where there is more.
 *
 * @param id a UUID
 * @returns undefined when the workspace has no such partner
 */
export const readPartnerPage = async (db: Db, workspaceId: string, id: string, now: Date) => {
  const ofPartner = { partnerId: id, limit: SHOWN + 1 }
  const [[partner], groups, earned, [account], payouts, commissions, events, customers] = await db.batch([
    partnerQuery(db, workspaceId, id).compile(),
    groupsOfPartnerQuery(db, workspaceId, id).compile(),
    earnedQuery(db, workspaceId, now, id).compile(),
    accountQuery(db, workspaceId, id).compile(),
    payoutsQuery(db, workspaceId, ofPartner).compile(),
    commissionsQuery(db, workspaceId, ofPartner, now).compile(),
    eventsQuery(db, workspaceId, ofPartner).compile(),
    customersQuery(db, workspaceId, ofPartner).compile(),
  ])
  return (
    partner && {
      partner,
      groups,
      earned,
      accountStatus: account?.status ?? null,
      payouts,
      commissions,
      events,
      customers,
    }
  )
}

/** How the account is that a partner has connected, which belongs to its address. */
const accountQuery = (db: Db, workspaceId: string, partnerId: string) =>
  db
    .selectFrom('payout_accounts as a')
    .innerJoin('partners as p', 'p.email', 'a.email')
    .where('a.workspace_id', '=', workspaceId)
    .where('a.disconnected_at', 'is', null)
    .where('p.workspace_id', '=', workspaceId)
    .where('p.id', '=', partnerId)
    .select('a.status')

export type PartnerPageData = NonNullable<Awaited<ReturnType<typeof readPartnerPage>>>
