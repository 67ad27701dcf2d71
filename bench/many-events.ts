import pg from 'pg'

/** Rows per statement, so that progress is shown every few seconds. */
const STEP = 250_000

/**
 * Fills a merchant's workspace with attributed sales, five per customer, their clicks and
 * commissions. Skips triggers and foreign key checks for speed; the rows satisfy them.
 *
 * @param events a multiple of five
 * @param time   with which the ids begin, as eight hexadecimal digits: by default, of June 2024
 * @returns the bytes that an event takes with its indexes, and those of all that a sale adds: with
 *   its commission, and a fifth of a customer, an identity and a click
 */
export const addEvents = async (
  databaseUrl: string,
  workspaceId: string,
  events: number,
  onProgress: (text: string) => void,
  time = '01900000',
): Promise<{ event: number; sale: number }> => {
  const customers = events / 5
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('set session_replication_role = replica')
  const { rows } = await client.query<{
    partner_id: string
    program_id: string
    reward_id: string
  }>(
    `select p.id as partner_id, p.program_id, pr.reward_id from partners p join programs pr on pr.id = p.program_id where p.workspace_id = $1`,
    [workspaceId],
  )
  const { partner_id, program_id, reward_id } = rows[0] ?? {}

  // Ids in order of time, like UUIDv7, with a prefix per table.
  const id = (kind: string, n: string) =>
    `('${time}-${kind}-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`
  await client.query(
    `insert into clicks (id, workspace_id, partner_id, landing_url, referrer, created_at, expires_at) select 'clk_bench' || n, $1, $2, 'https://shop.example/', null, now() - interval '1 day', now() + interval '1 day'
     from generate_series(1, ${customers}) n`,
    [workspaceId, partner_id],
  )
  await client.query(
    `insert into customers (id, workspace_id, external_id, email, name, partner_id, created_at) select ${id('0001', 'n')}, $1, 'customer-' || n, null, null, $2, now() - interval '1 day' from generate_series(1, ${customers}) n`,
    [workspaceId, partner_id],
  )
  await client.query(
    `insert into customer_identities (workspace_id, customer_id, kind, value, source, created_at)
     select workspace_id, id, 'external', external_id, 'import', created_at from customers where workspace_id = $1`,
    [workspaceId],
  )
  for (let from = 1; from <= events; from += STEP) {
    const to = Math.min(from + STEP - 1, events)
    const series = `generate_series(${from}, ${to}) n`
    const customer = `(n % ${customers} + 1)`
    await client.query(
      `with sold as (
         insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, customer_id, amount_cents, currency,
                             click_id, partner_id, attributed_by, body_hash, steps, occurred_at, report_occurred_at, commission_id)
         select ${id('0002', 'n')}, $1, 'sale', 'invoice-' || n, 'sale', 'customer-' || ${customer}, ${id('0001', customer)}, 4900, 'USD',
                'clk_bench' || ${customer}, $3, 'click', md5(n::text), '[{"code": "click", "facts": {}}, {"code": "commission_created", "facts": {}}]', now(),
                now(), ${id('0003', 'n')}
         from ${series}
       )
       insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind, amount_cents, currency, payable_at, created_at)
       select ${id('0003', 'n')}, $1, $2, $3, ${id('0001', customer)}, ${id('0002', 'n')}, $4, 'sale', 980, 'USD', now() + interval '30 days', now()
       from ${series}`,
      [workspaceId, program_id, partner_id, reward_id],
    )
    onProgress(`${(to / 1e6).toFixed(2)} of ${events / 1e6} million events`)
  }
  onProgress('vacuum and analyze')
  await client.query('vacuum analyze')
  await client.query('checkpoint')
  const { rows: sizes } = await client.query<{ event: number; sale: number }>(
    `select pg_total_relation_size('events') / $1::float8 as event,
            sum(pg_total_relation_size(c.oid))::float8 / $1 as sale
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'public' and c.relkind = 'r' and c.relname in
       ('events', 'commissions', 'customers', 'customer_identities', 'referrals', 'clicks')`,
    [events],
  )
  await client.end()
  return sizes[0] ?? { event: 0, sale: 0 }
}
