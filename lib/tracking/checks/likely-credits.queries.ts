/** Recent sales that nobody was credited with although a partner probably referred the customer. */
import { type SqlBool, sql } from 'kysely'

/** Newest sales without a partner that are read, to keep the overview fast. */
const SALES_READ = 500

/** The customer by the ids of the event, `e`, who may have become known since. */
export const knownCustomer = sql<string | null>`coalesce(e.customer_id, (
  select i.customer_id from customer_identities i
  where i.workspace_id = e.workspace_id and i.value = e.customer_external_id and i.kind <> 'email'
  order by i.kind = 'guest' limit 1))`

/** Whether a manager has decided whom the event, `e`, is credited to. */
export const isDecidedByHand = sql<SqlBool>`e.steps @> '[{"code": "credited_by_hand"}]'`

/** Their ids: sales with the click of an active partner, or of a customer who belongs to one. */
const likelyCredits = (workspaceId: string, since: Date) => sql<{ id: string }>`
  select e.id
  from (
    select * from events
    where workspace_id = ${workspaceId} and partner_id is null and kind = 'sale'
    order by id desc limit ${SALES_READ}
  ) e
  where e.occurred_at >= ${since}::timestamptz
    and not e.steps @> '[{"code": "same_purchase"}]' and not e.steps @> '[{"code": "commission_rejected"}]' and not ${isDecidedByHand}
    and exists (
      select from partners p
      where p.status = 'approved' and p.id in (
        e.clicked_partner_id, (select cu.partner_id from customers cu where cu.id = ${knownCustomer})))`

/** Whether an event, `e`, is one of them. */
export const isLikelyCredit = (workspaceId: string, since: Date) =>
  sql<SqlBool>`e.id in (${likelyCredits(workspaceId, since)})`

/** How many there are, as a query. */
export const countLikelyQuery = (workspaceId: string, since: Date) =>
  sql<number>`(select count(*)::int from (${likelyCredits(workspaceId, since)}) likely)`
