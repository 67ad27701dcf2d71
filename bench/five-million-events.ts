import pg from 'pg'

const EVENTS = 5_000_000
/** Five sales per customer. */
const CUSTOMERS = 1_000_000
/** Rows per statement, so that progress is shown every few seconds. */
const STEP = 250_000

/**
 * Fills a merchant's workspace with five million attributed sales, their customers and commissions.
 * Skips foreign key checks for speed; the rows satisfy them.
 */
export const addFiveMillionEvents = async (
  databaseUrl: string,
  workspaceId: string,
  onProgress: (text: string) => void,
): Promise<void> => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('set session_replication_role = replica')
  const { rows } = await client.query<{ partner_id: string; program_id: string; reward_id: string }>(
    `select p.id as partner_id, p.program_id, pr.reward_id from partners p join programs pr on pr.id = p.program_id where p.workspace_id = $1`,
    [workspaceId],
  )
  const { partner_id, program_id, reward_id } = rows[0] ?? {}

  // Ids in order of time, like UUIDv7, with a prefix per table.
  const id = (kind: string, n: string) =>
    `('01900000-${kind}-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`
  await client.query(
    `insert into clicks (id, workspace_id, partner_id, landing_url, referrer, created_at, expires_at) select 'clk_bench' || n, $1, $2, 'https://shop.example/', null, now() - interval '1 day', now() + interval '1 day'
     from generate_series(1, ${CUSTOMERS}) n`,
    [workspaceId, partner_id],
  )
  await client.query(
    `insert into customers (id, workspace_id, external_id, email, name, partner_id, created_at) select ${id('0001', 'n')}, $1, 'customer-' || n, null, null, $2, now() - interval '1 day' from generate_series(1, ${CUSTOMERS}) n`,
    [workspaceId, partner_id],
  )
  await client.query(
    `insert into customer_identities (workspace_id, customer_id, kind, value, source, created_at)
     select workspace_id, id, 'external', external_id, 'import', created_at from customers where workspace_id = $1`,
    [workspaceId],
  )
  for (let from = 1; from <= EVENTS; from += STEP) {
    const series = `generate_series(${from}, ${from + STEP - 1}) n`
    const customer = `(n % ${CUSTOMERS} + 1)`
    await client.query(
      `with sold as (
         insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, customer_id, amount_cents, currency,
                             click_id, partner_id, attributed_by, body_hash, steps, occurred_at, reported_at, commission_id)
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
    onProgress(`${((from + STEP - 1) / 1e6).toFixed(2)} of 5 million events`)
  }
  onProgress('vacuum and analyze')
  await client.query('vacuum analyze')
  await client.query('checkpoint')
  await client.end()
}
