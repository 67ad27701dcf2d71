/** The use of the provider's accounts. */
import { sql } from 'kysely'
import type { Db } from '../../db/connection.ts'
import type { UsageNote } from '../transport/accounts.ts'
import type { Usage } from './quota.ts'
import type { Stream } from './streams.ts'

export const usageQuery = (now: Date) => sql<Usage & { account: Stream }>`
  select account, case when day = utc_day(${now}) then sent else 0 end as "sentToday", daily_used as "dailyUsed",
         monthly_used as "monthlyUsed", reported_at as "reportedAt", exhausted_until as "exhaustedUntil"
  from mail_usage`

/** Whether this usage is no older than the saved one: sign-in links are saved out of order. */
const isNewest = sql`(excluded.reported_at >= coalesce(u.reported_at, '-infinity'))`

/** Saves the usage of an account. A repeat counts mails twice, which errs on the safe side. */
export const noteUsageQuery = (
  account: Stream,
  { sent, used, exhaustedUntil }: UsageNote,
  now: Date,
) => sql`
  insert into mail_usage as u (account, day, sent, daily_used, monthly_used, reported_at, exhausted_until)
  values (${account}, utc_day(${now}), ${sent}, ${used?.daily ?? null}::integer, ${used?.monthly ?? null}::integer,
          ${used ? now : null}::timestamptz, ${exhaustedUntil}::timestamptz)
  on conflict (account) do update
  set day = excluded.day, sent = case when u.day = excluded.day then u.sent else 0 end + excluded.sent,
      daily_used = case when ${isNewest} then excluded.daily_used else u.daily_used end,
      monthly_used = case when ${isNewest} then excluded.monthly_used else u.monthly_used end,
      reported_at = greatest(excluded.reported_at, u.reported_at),
      exhausted_until = coalesce(excluded.exhausted_until, case when excluded.sent = 0 then u.exhausted_until end)`

/** Saves the usage of an account after a sign-in link. */
export const noteUsage = async (db: Db, note: UsageNote, now: Date): Promise<void> => {
  await noteUsageQuery('personal', note, now).execute(db)
}
