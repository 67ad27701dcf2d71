/**
 * Fills a program in shadow mode: sales of ours, the other platform's commissions of them, and the
 * differences that occur.
 */
import pg from 'pg'
import { seeder } from '../dev/demo/seed.ts'
import type { Bindings } from './merchant.ts'

const PARTNERS = 200
const DAYS = 30

/**
 * Statements on a new workspace, `$1`, and its program, `$2`. Twenty sales in a row differ in all
 * ways; the next twenty as well.
 */
const fill = (sales: number): string[] => [
  `insert into partners (id, workspace_id, program_id, email, slug, slug_key)
   select uuidv7(), $1::uuid, $2::uuid, 'shadow-' || n || '@bench.example', 'shadow-' || n, 'shadow-' || n from generate_series(0, ${PARTNERS - 1}) n`,
  `create temporary table sold on commit drop as
   select n, n % 20 as way, uuidv7(at - now()) as event_id, uuidv7(at - now()) as commission_id, at, p.id as partner_id, p.email as partner_email,
          $1::uuid as workspace_id, $2::uuid as program_id, 'user-' || n / 2 as customer_ref
   from generate_series(0, ${sales - 1}) n
   cross join lateral (select now() - interval '${DAYS} days' + n * interval '${DAYS - 1} days' / ${sales} as at) t
   join partners p on p.workspace_id = $1 and p.slug = 'shadow-' || n / 2 % ${PARTNERS}`,
  `create temporary table buyers on commit drop as
   select customer_ref, uuidv7() as customer_id, (array_agg(partner_id))[1] as partner_id, min(at) as at from sold group by customer_ref`,
  `insert into customers (id, workspace_id, external_id, partner_id, created_at) select customer_id, $1::uuid, customer_ref, partner_id, at from buyers`,
  `insert into customer_identities (workspace_id, customer_id, kind, value, source, created_at)
   select $1::uuid, customer_id, 'external'::identity_kind, customer_ref, 'import'::identity_source, at from buyers
   union all select $1::uuid, customer_id, 'email', customer_ref || '@buyers.example', 'import', at from buyers`,
  // One in twenty is credited to nobody.
  `insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, customer_id, partner_id, attributed_by,
                       amount_cents, currency, steps, occurred_at, commission_id)
   select s.event_id, $1::uuid, 'sale', 'order-' || n, 'sale', customer_ref, b.customer_id, case when way <> 8 then s.partner_id end,
          (case when way <> 8 then 'click' end)::attribution_source, 4900 + n % 100, 'USD',
          case when way = 8 then '[{"code": "no_click"}]' else '[{"code": "click"}, {"code": "program_reward"}, {"code": "commission_created"}]' end::jsonb,
          s.at, case when way <> 8 then commission_id end
   from sold s join buyers b using (customer_ref)`,
  `insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind, amount_cents, currency, payable_at, created_at)
   select s.commission_id, $1::uuid, $2::uuid, s.partner_id, b.customer_id, s.event_id, g.reward_id, 'sale', (4900 + n % 100) / 5, 'USD', s.at, s.at
   from sold s join buyers b using (customer_ref) join programs g on g.id = $2 where way <> 8`,
  `insert into processor_events (id, workspace_id, processor, processor_event_id, type, livemode, keys, facts, occurred_at, received_at, event_id, outcome)
   select uuidv7(), $1::uuid, 'stripe', 'evt_' || n, 'charge.succeeded', false, array['pi_' || n, 'ch_' || n], '{}', at, at, event_id, '{"code": "recorded"}'
   from sold where way = 5`,
  // Of each twenty: none, another partner, an amount with tax, the address only, voided, Stripe's
  // id, another currency, another day, and one of a customer who is not known here. The others are
  // the same.
  `insert into platform_commissions (id, workspace_id, program_id, key, state, amount_cents, currency, sale_cents, sale_ids, customer_ref,
                                     customer_email, partner_email, sold_at, created_at)
   select uuidv7(), $1::uuid, $2::uuid, 'cm_' || n, case way when 4 then 'voided' else 'due' end, (4900 + n % 100) / 5 * case way when 2 then 1.2 else 1 end,
          case way when 6 then 'EUR' else 'USD' end, 4900 + n % 100,
          case when way in (2, 3, 9) then '{}' when way = 5 then array['pi_' || n] when way = 0 then array['elsewhere-' || n] else array['order-' || n] end,
          case way when 0 then 'stranger-' || n when 3 then null else customer_ref end, case way when 3 then customer_ref || '@buyers.example' end,
          case way when 1 then 'shadow-0@bench.example' else partner_email end, at + case way when 7 then interval '1 day' else '1 minute' end, now()
   from sold`,
]

/**
 * Adds a workspace with a program in shadow mode, which has nothing compared yet.
 * @param sales of ours, and commissions of the platform
 */
export const fillShadow = async (bindings: Bindings, sales: number) => {
  const seed = seeder(bindings)
  const { id: workspaceId } = await seed.addWorkspace()
  const programId = await seed.addProgram(workspaceId)
  const client = new pg.Client({ connectionString: bindings.DATABASE_URL })
  await client.connect()
  try {
    await client.query('begin')
    await client.query(
      `update programs set mode = 'shadow', shadow_since = now() - interval '${DAYS + 1} days' where id = $1`,
      [programId],
    )
    await client.query(
      `insert into shadow_runs (workspace_id, program_id, started_at) values ($1, $2, now() - interval '${DAYS + 1} days')`,
      [workspaceId, programId],
    )
    for (const text of fill(sales)) {
      const used = [workspaceId, programId].filter((_, place) => text.includes(`$${place + 1}`))
      await client.query(text, used)
    }
    await client.query('commit')
  } finally {
    await client.end()
  }
  return { workspaceId, programId }
}
