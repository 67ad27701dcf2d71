import pg from 'pg'

/**
 * The data of a merchant, by how many events it has: see issue 14. The prefix is that of ids that
 * are unique in a database.
 */
export type Size = { events: number; partners: number; prefix: string }

/** Rows per statement, so that progress is shown every few seconds. */
const STEP = 250_000
/** Two clicks per event, one customer per five. */
const CLICKS_EACH = 2
const EVENTS_PER_CUSTOMER = 5
const DAYS = 365
/**
 * A year of monthly runs. The newest is still being sent, and what was earned since then is unpaid:
 * a fifth.
 */
const RUNS = 10
const RUN_DAYS = 29

/**
 * Ids in order of time, as UUIDv7, with a prefix per table.
 *
 * @param at an expression of time
 * @param n  an expression of a number, which makes ids of the same millisecond different
 */
const idAt = (kind: string, at: string, n: string) =>
  `(lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || '7${kind}8' || lpad(to_hex(${n}), 15, '0'))::uuid`

/**
 * The partner of the nth row of so many: a tenth belongs to the first one, which has some every
 * day. The others have theirs on one day of the week, so that the differences are fewer than the
 * rows by ten times, and are folded in minutes.
 */
const partnerOf = (n: string, of: number, partners: number) =>
  `case when ${n} % 10 = 0 then 1
        else 2 + (${n}::bigint * 7919 % ${Math.floor((partners - 1) / 7)})::integer * 7 + (${n}::bigint * ${DAYS} / ${of} % 7)::integer end`

/**
 * Fills a workspace with a year of clicks, events, customers, commissions, payout runs and mails,
 * evenly over the year. Skips foreign key checks and triggers for speed; the rows satisfy them, and
 * the totals are counted at the end.
 */
export const addYear = async (
  databaseUrl: string,
  { workspaceId, programId }: { workspaceId: string; programId: string },
  { events, partners, prefix }: Size,
  onProgress: (text: string) => void,
): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query(
    "set session_replication_role = replica; set work_mem = '256MB'; set synchronous_commit to off",
  )
  const ids = [workspaceId, programId]
  const run = (text: string, values: unknown[] = ids) => client.query(text, values)

  onProgress('partners and runs')
  await run(
    `insert into partners (id, workspace_id, program_id, email, name, slug, slug_key, created_at)
     select ${idAt('001', `now() - interval '${DAYS + 1} days'`, 'n')}, $1, $2, 'partner-' || n || '@bench.example', 'Partner ' || n,
            'bench-' || n, 'bench-' || n, now() - interval '${DAYS + 1} days'
     from generate_series(1, ${partners}) n`,
  )
  await run(
    `create temp table bench_partners as
     select row_number() over (order by id)::integer as n, id, email from partners where workspace_id = $1 and slug_key like 'bench-%'`,
    [workspaceId],
  )
  await client.query('alter table bench_partners add primary key (n); analyze bench_partners')
  await run(
    `insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, pays_bank, created_at)
     select uuidv7(), $1, email, 'DE', 'acct_${prefix}' || n, case n % 20 when 0 then 'restricted' when 1 then 'in_review' else 'enabled' end,
            true, now() - interval '4 days' from bench_partners where n % 10 <> 3`,
    [workspaceId],
  )
  await run(
    `insert into payout_runs (id, workspace_id, program_id, method, cutoff_at, created_by, created_at, cover, claimed_at)
     select ${idAt('002', 'at', 'n')}, $1, $2, 'stripe', at, 'bench', at, '{}', at
     from generate_series(1, ${RUNS}) n, lateral (select now() - interval '${DAYS} days' + n * interval '${RUN_DAYS} days') t (at)`,
  )
  await client.query(
    `create temp table bench_runs as select row_number() over (order by id)::integer as n, id, created_at as at
     from payout_runs where workspace_id = '${workspaceId}'`,
  )
  // One in a hundred failed, and has no commissions.
  await run(
    `insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, stripe_account_id, number,
                          created_at, claimed_at, next_attempt_at, key_used_at, transfer_id, paid_at, failed_at, last_error)
     select ${idAt('003', 'r.at', `r.n * ${partners} + p.n`)}, $1, r.id, $2, p.id, 'USD', 1, 'acct_${prefix}' || p.n, r.n * ${partners} + p.n,
            r.at, r.at, r.at, r.at, case when is_paid then 'tr_${prefix}' || r.n || '_' || p.n end, case when is_paid then r.at end,
            case when has_failed then r.at end, case when has_failed then 'The account was closed.' end
     from bench_runs r, bench_partners p,
          lateral (select p.n % 100 = 99 as has_failed) f, lateral (select r.n < ${RUNS} and not has_failed as is_paid) s`,
  )

  const at = (n: string, of: number) =>
    `(date_trunc('milliseconds', now()) - interval '${DAYS} days' + (${n}) * (interval '${DAYS} days' / ${of}))`
  const clicks = events * CLICKS_EACH
  // The visitors of a partner come from its site to one page; those of the first one, from forty
  // sites to forty pages.
  for (let from = 1; from <= clicks; from += STEP) {
    const to = Math.min(from + STEP - 1, clicks)
    await run(
      `insert into clicks (id, workspace_id, partner_id, landing_url, referrer, created_at, expires_at)
       select 'clk_${prefix}' || i, $1, p.id,
              'https://shop.example/' || case when place % 10 < 7 then '' when place % 10 < 9 then 'pricing' else 'page-' || place % 400 end,
              case when place % 4 > 0 then 'https://site-' || place % 40 || '.example/' end, at, at + interval '90 days'
       from generate_series(${from}, ${to}) i join bench_partners p on p.n = ${partnerOf('i', clicks, partners)},
            lateral (select ${at('i', clicks)} as at, case p.n when 1 then i / 10 else p.n end as place) t`,
      [workspaceId],
    )
    onProgress(`${(to / 1e6).toFixed(2)} million clicks`)
  }
  const customers = Math.ceil(events / EVENTS_PER_CUSTOMER)
  const customerId = (n: string) => idAt('004', at(n, customers), n)
  await run(
    `insert into customers (id, workspace_id, external_id, email, partner_id, created_at)
     select ${customerId('i')}, $1, 'customer-' || i, 'customer-' || i || '@bench.example', p.id, ${at('i', customers)}
     from generate_series(1, ${customers}) i join bench_partners p on p.n = ${partnerOf('i', customers, partners)}`,
    [workspaceId],
  )
  await run(
    `insert into customer_identities (workspace_id, customer_id, kind, value, source, created_at)
     select workspace_id, id, 'external', external_id, 'import', created_at from customers where workspace_id = $1`,
    [workspaceId],
  )
  onProgress('customers')
  await client.query('analyze customers, clicks')

  // Of a hundred events 80 are sales that earned, 10 are leads, 10 sales that nobody is credited
  // with. Two in a hundred of the commissions were refunded.
  for (let from = 1; from <= events; from += STEP) {
    const to = Math.min(from + STEP - 1, events)
    await run(
      `with e as materialized (
         select i, at, p.id as partner_id, ${idAt('005', 'at', 'i')} as id, c as customer, ${customerId('c')} as customer_id,
                i / 10 % 10 between 1 and 8 as earns, i / 10 % 10 = 0 as is_lead, i / 10 % 10 < 9 as credits,
                ${idAt('006', 'at', '2 * i')} as commission_id, ${idAt('006', 'at', '2 * i + 1')} as reversal_id, po.payout_id
         from generate_series(${from}, ${to}) i join bench_partners p on p.n = ${partnerOf('i', events, partners)},
              lateral (select ${at('i', events)} as at, i / ${EVENTS_PER_CUSTOMER} + 1 as c) t
         left join lateral (
           select ${idAt('003', 'r.at', `r.n * ${partners} + p.n`)} as payout_id from bench_runs r
           where r.at >= t.at and p.n % 100 <> 99 order by r.at limit 1) po on true
       ), added as (
         insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, customer_id, amount_cents, currency,
                             click_id, clicked_partner_id, partner_id, attributed_by, body_hash, steps, occurred_at, report_occurred_at,
                             commission_id)
         select id, $1, case when is_lead then 'lead' else 'sale' end, 'bench-' || i, case when is_lead then 'lead' else 'sale' end,
                'customer-' || customer, customer_id, case when not is_lead then 4900 end, case when not is_lead then 'USD' end,
                case when credits or i % 1000 = 990 then 'clk_${prefix}' || 2 * i end,
                case when not credits and i % 1000 = 990 then partner_id end, case when credits then partner_id end, case when credits then 'click' end,
                md5(i::text), '[]', at, at, case when earns then commission_id end
         from e
       ), rewarded as (
         insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind, amount_cents, currency,
                                  payable_at, created_at, payout_id, earned_on)
         select commission_id, $1, $2, partner_id, customer_id, id, $3, 'sale', 980, 'USD', at + interval '30 days', at, payout_id,
                utc_day(at)
         from e where earns
       )
       insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind, reverses_id, amount_cents,
                                currency, payable_at, created_at, payout_id, earned_on)
       select reversal_id, $1, $2, partner_id, customer_id, id, $3, 'reversal', commission_id, -980, 'USD', at + interval '30 days',
              at, payout_id, utc_day(at)
       from e where earns and i / 100 % 50 = 0`,
      [...ids, await rewardOf(client, programId)],
    )
    onProgress(`${(to / 1e6).toFixed(2)} million events`)
  }
  onProgress('holds, adjustments, mails')
  await run(
    `insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents, currency, payable_at, created_at)
     select ${idAt('007', 'at', 'n')}, $1, $2, id, 'opening_balance', 5000, 'USD', at, at
     from bench_partners, lateral (select now() - interval '${DAYS} days' as at) t where n % 5 = 0`,
  )
  await run(
    `insert into commission_holds (commission_id, workspace_id, reason, note, held_by, created_at)
     select id, workspace_id, 'manual', 'Bench', 'bench', now() from commissions
     where workspace_id = $1 and payout_id is null and kind = 'sale' order by id desc limit 200`,
    [workspaceId],
  )
  await run(
    `insert into mails (id, workspace_id, kind, recipient, partner_id, details, created_at, attempts, next_attempt_at, sent_at, failed_at)
     select ${idAt('008', 'p.created_at', 'n')}, $1, 'moved', p.email, p.id, '{}', p.created_at, 1, p.created_at,
            case when n % 500 > 0 then p.created_at end, case when n % 500 = 0 then p.created_at end
     from bench_partners b join partners p on p.id = b.id`,
    [workspaceId],
  )
  await run(
    `insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
     select ${idAt('009', 'created_at', 'n')}, $1, 'bench', 'partner.changed', id, '{}', created_at
     from (select b.n, p.* from bench_partners b join partners p on p.id = b.id) p`,
    [workspaceId],
  )
  await run(
    `update payouts p set amount_cents = greatest(1, s.cents)
     from (select payout_id, sum(amount_cents) as cents from commissions where payout_id is not null group by 1) s
     where s.payout_id = p.id and p.workspace_id = $1`,
    [workspaceId],
  )
  onProgress('totals')
  await client.query('begin isolation level repeatable read')
  await client.query('select rebuild_totals($1)', [workspaceId])
  await client.query('commit')
  await foldAll(client, onProgress)
  onProgress('vacuum and analyze')
  await client.query('vacuum analyze')
  await client.query('checkpoint')
  await client.end()
}

/**
 * Folds the totals, in parts: all at once, the differences of ten million events need more than 30
 * GB of temporary files.
 */
export const foldAll = async (client: pg.Client, onProgress: (text: string) => void = () => {}) => {
  const fold = async () =>
    (await client.query<{ count: number }>('select fold_totals(1000000) as count')).rows[0]
      ?.count ?? 0
  for (let folded = 0, count = await fold(); count > 0; count = await fold()) {
    folded += count
    onProgress(`${(folded / 1e6).toFixed(2)} million differences folded`)
  }
}

const rewardOf = async (client: pg.Client, programId: string): Promise<string> => {
  const { rows } = await client.query<{ reward_id: string }>(
    'select reward_id from programs where id = $1',
    [programId],
  )
  return rows[0]?.reward_id ?? ''
}
