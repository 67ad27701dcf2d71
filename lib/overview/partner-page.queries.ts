/** The data of a partner's page. */

import { auditLogQuery } from '../audit/audit.queries.ts'
import { customersQuery } from '../customers/customers.queries.ts'
import type { Db } from '../db/connection.ts'
import { lastDeliveryQuery } from '../mail/mails.queries.ts'
import { linksQuery } from '../partners/links/links.queries.ts'
import { groupsOfPartnerQuery, partnerQuery } from '../partners/lists/partners.queries.ts'
import { notesQuery } from '../partners/notes/notes.queries.ts'
import { partnerAccountQuery } from '../payouts/accounts/accounts.queries.ts'
import { partnerChoiceQuery } from '../payouts/details/payment-details.queries.ts'
import { payoutsQuery } from '../payouts/payouts.queries.ts'
import { workspaceActivityQuery } from '../totals/activity.queries.ts'
import { earnedQuery } from '../totals/balances.queries.ts'
import { subsOfPartnerQuery } from '../totals/landing-stats.queries.ts'
import { eventsQuery } from '../tracking/events/events.queries.ts'
import { commissionsQuery } from '../tracking/ledger/commissions.queries.ts'
import type { Period } from '../values/periods.ts'

/** The newest rows of each list. The page links to the others. */
export const ROWS_SHOWN = 10

/**
 * Reads a partner with everything on its page, in one database round trip. A list with more rows
 * than the page shows has one extra row.
 *
 * @param id     a UUID
 * @param period of the activity, which includes the previous period
 * @returns undefined when the workspace has no such partner
 */
export const readPartnerPage = async (
  db: Db,
  workspaceId: string,
  id: string,
  period: Period,
  now: Date,
) => {
  const ofPartner = { partnerId: id, limit: ROWS_SHOWN + 1 }
  const [
    [partner],
    groups,
    links,
    earned,
    [account],
    [choice],
    payouts,
    commissions,
    events,
    customers,
    activity,
    changes,
    notes,
    subs,
    [lastDelivery],
  ] = await db.batch([
    partnerQuery(db, workspaceId, id).compile(),
    groupsOfPartnerQuery(db, workspaceId, id).compile(),
    linksQuery(workspaceId, id).compile(db),
    earnedQuery(workspaceId, now, id).compile(db),
    partnerAccountQuery(db, workspaceId, id).compile(),
    partnerChoiceQuery(workspaceId, id, now).compile(db),
    payoutsQuery(db, workspaceId, ofPartner).compile(),
    commissionsQuery(db, workspaceId, ofPartner, now).compile(),
    eventsQuery(db, workspaceId, ofPartner).compile(),
    customersQuery(db, workspaceId, ofPartner).compile(),
    workspaceActivityQuery(workspaceId, period, id).compile(db),
    auditLogQuery(db, workspaceId, { subjectId: id, limit: ROWS_SHOWN + 1 }).compile(),
    notesQuery(db, workspaceId, id, { limit: ROWS_SHOWN + 1 }).compile(),
    subsOfPartnerQuery(workspaceId, id, now).compile(db),
    lastDeliveryQuery(db, workspaceId, id).compile(),
  ])
  return (
    partner && {
      partner,
      groups,
      links,
      earned,
      account: account ?? null,
      choice: choice ?? null,
      payouts,
      commissions,
      events,
      customers,
      activity,
      changes,
      notes,
      subs,
      lastDelivery: lastDelivery ?? null,
    }
  )
}

export type PartnerPageData = NonNullable<Awaited<ReturnType<typeof readPartnerPage>>>
