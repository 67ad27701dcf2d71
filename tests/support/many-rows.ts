/**
 * A workspace with many rows in each table that grows, so that a plan which reads a whole workspace
 * shows.
 */
import pg from 'pg'

const KINDS = [
  'workspace',
  'reward',
  'program',
  'group',
  'partner',
  'customer',
  'event',
  'commission',
  'balance',
  'run',
  'payout',
  'invoice',
  'call',
  'other',
] as const
type Kind = (typeof KINDS)[number]

const prefixOf = (kind: Kind): string =>
  `01900000-000${KINDS.indexOf(kind).toString(16)}-7000-8000-`

/** The id of the nth row of a kind. They are in order of time, as UUIDv7. */
export const idOf = (kind: Kind, n: number): string =>
  `${prefixOf(kind)}${n.toString(16).padStart(12, '0')}`

/** The same of a statement's n. */
const id = (kind: Kind, n = 'n'): string =>
  `('${prefixOf(kind)}' || lpad(to_hex(${n}), 12, '0'))::uuid`
/** Of the nth customer: the first one has half of them. */
const ITS_PARTNER = id('partner', `case when n <= 10 or n % 2 = 1 then 1 else n end`)

/**
 * What the nth row of each table is. Partners, customers, events and payouts are of the first
 * workspace and program; the nth workspace has a program, a reward, a group, a member and an API
 * key of its own. The first partner has half of the customers, clicks and events, so that an index
 * by workspace, program or partner finds many of them, and each other partner at most one, so that
 * an index is not soon read by each partner in turn.
 */
const ROWS = `
  insert into workspaces (id, slug, name, self_billing)
    select ${id('workspace')}, 'shop-' || n, 'Shop', true from numbers;
  insert into members (id, workspace_id, email, role)
    select ${id('other')}, ${id('workspace')}, 'manager-' || n || '@shop.example', 'manager' from numbers;
  insert into api_keys (id, workspace_id, name, key_hash, last4, scopes)
    select ${id('other')}, ${id('workspace')}, 'Backend', lpad(to_hex(n), 64, '0'), '0000', '{track}' from numbers;
  insert into idempotency_keys (workspace_id, hash, body_hash, first_id, created_at)
    select ${id('workspace', '1')}, lpad(to_hex(n), 64, '0'), '', ${id('other')}, now() - n * interval '1 minute' from numbers;
  insert into rewards (id, workspace_id, kind, basis_points)
    select ${id('reward')}, ${id('workspace')}, 'percent', 1000 from numbers;
  insert into programs (id, workspace_id, name, site_url, reward_id, reward_interval, one_time_minimum_cents, reward_shipping, credit_out_of_band,
              holding_days, attribution_days, attribution, attribute_known_customers, minimum_payout_cents, payout_schedule, payout_days,
              terms_since)
    select ${id('program')}, ${id('workspace')}, 'Program', 'https://shop.example', ${id('reward')}, 'recurring', 0, true, true, 30, 90,
           'last', true, 0, 'manual', '{}', now() from numbers;
  insert into former_program_terms (workspace_id, program_id, until, reward_id, reward_interval, one_time_minimum_cents, one_time_per,
              reward_shipping, credit_out_of_band, holding_days, attribution, attribute_known_customers, late_lead_days, self_referrals,
              unverified_addresses)
    select ${id('workspace')}, ${id('program')}, now() - interval '1 day', ${id('reward')}, 'recurring', 0, 'customer', true, true, 30, 'last',
           true, 7, 'hold', 'allow' from numbers;
  insert into groups (id, workspace_id, program_id, name)
    select ${id('group')}, ${id('workspace')}, ${id('program')}, 'Group' from numbers;
  insert into former_group_terms (workspace_id, group_id, until)
    select ${id('workspace')}, ${id('group')}, now() - interval '1 day' from numbers;
  insert into partners (id, workspace_id, program_id, group_id, email, slug, slug_key, terms_since)
    select ${id('partner')}, ${id('workspace', '1')}, ${id('program', '1')}, ${id('group', '1')}, 'partner-' || n || '@partner.example',
           'slug-' || n, 'slug-' || n, now() from numbers;
  insert into former_partner_addresses (program_id, email, partner_id, until)
    select ${id('program', '1')}, 'former-' || n || '@partner.example', ${id('partner')}, now() from numbers;
  insert into former_partner_terms (workspace_id, partner_id, until, group_id, status)
    select ${id('workspace', '1')}, ${id('partner')}, now() - interval '1 day', ${id('group', '1')}, 'approved' from numbers;
  insert into tier_figures (workspace_id, partner_id, day, measure, period, currency, reached)
    select ${id('workspace', '1')}, ${id('partner')}, '2020-01-01', 'sales', 'month', '', 1 from numbers;
  insert into partner_tiers (workspace_id, partner_id, tier, moves)
    select ${id('workspace', '1')}, ${id('partner')}, 'Gold', '[]' from numbers;
  insert into coupon_aliases (id, workspace_id, partner_id, coupon_id)
    select ${id('other')}, ${id('workspace', '1')}, ${id('partner')}, 'coupon-' || n from numbers;
  insert into partner_notes (id, workspace_id, partner_id, author, content, created_at)
    select ${id('other')}, ${id('workspace', '1')}, ${id('partner')}, 'ann@shop.example', 'Note', now() from numbers;
  insert into links (id, workspace_id, program_id, partner_id, slug, slug_key, created_at)
    select ${id('other')}, ${id('workspace', '1')}, ${id('program', '1')}, ${id('partner')}, 'former-' || n, 'former-' || n, now() from numbers;
  insert into join_pages (program_id, workspace_id, is_open, intro, questions, approves)
    select ${id('program')}, ${id('workspace')}, true, '', '[]', false from numbers;
  insert into brands (program_id, workspace_id, accent_color, support_email, version, change_id)
    select ${id('program')}, ${id('workspace')}, '#1f5f4a', 'help@shop.example', 1, ${id('other')} from numbers;
  insert into mail_texts (workspace_id, kind, subject, version, change_id)
    select ${id('workspace')}, 'welcome', 'Welcome', 1, ${id('other')} from numbers;
  insert into mailings (id, workspace_id, subject, content, created_at)
    select ${id('other')}, ${id('workspace', '1')}, 'News', 'News', now() from numbers;
  insert into mail_optouts (workspace_id, email, created_at)
    select ${id('workspace', '1')}, 'partner-' || n || '@partner.example', now() from numbers;
  insert into agreements (program_id, version, workspace_id, content, created_by, created_at)
    select ${id('program')}, 1, ${id('workspace')}, 'Terms', 'ann@shop.example', now() from numbers;
  insert into agreement_acceptances (partner_id, version, program_id, workspace_id, accepted_at)
    select ${id('partner')}, 1, ${id('program', '1')}, ${id('workspace', '1')}, now() from numbers;
  insert into applications (id, workspace_id, program_id, email, name, promotion, answers, applied_at)
    select ${id('other')}, ${id('workspace', '1')}, ${id('program', '1')}, 'applicant-' || n || '@partner.example', 'Name', '', '[]', now() from numbers;
  insert into clicks (id, workspace_id, partner_id, slug_key, landing_url, referrer, created_at, expires_at)
    select 'click-' || n, ${id('workspace', '1')}, ${ITS_PARTNER}, 'slug-' || n, 'https://shop.example/' || n, 'https://blog-' || n || '.example/', now() - interval '1 day', now() + interval '89 days' from numbers;
  insert into clicks (id, workspace_id, partner_id, created_at, expires_at)
    select 'ended-' || n, ${id('workspace', '1')}, ${ITS_PARTNER}, now() - interval '200 days', now() - interval '110 days' from numbers;
  insert into customers (id, workspace_id, external_id, email, partner_id, created_at, imported_at)
    select ${id('customer')}, ${id('workspace', '1')}, 'user-' || n, 'user-' || n || '@buyer.example', ${ITS_PARTNER}, now(), now() from numbers;
  insert into customer_identities (workspace_id, customer_id, kind, value, source, created_at)
    select ${id('workspace', '1')}, ${id('customer')}, 'external', 'user-' || n, 'lead', now() from numbers;
  insert into customer_identities (workspace_id, customer_id, kind, value, source, created_at)
    select ${id('workspace', '1')}, ${id('customer')}, 'email', 'user-' || n || '@buyer.example', 'lead', now() from numbers;
  insert into possible_merges (id, workspace_id, customer_id, named_customer_id, checkout_id, created_at)
    select ${id('other')}, ${id('workspace', '1')}, ${id('customer')}, ${id('customer', 'n - 1')}, 'cs_' || n, now()
    from numbers where n > 1;
  insert into referrals (workspace_id, customer_id, origin, partner_id, source, attribution, referred_at, clicked_at, started_at)
    select ${id('workspace', '1')}, ${id('customer')}, 'import', ${ITS_PARTNER}, 'import', 'last', now() - interval '2 days', null, now() from numbers;
  insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, customer_id, amount_cents, currency, click_id,
            partner_id, attributed_by, body_hash, steps, occurred_at, report_occurred_at, commission_id)
    select ${id('event')}, ${id('workspace', '1')}, 'sale', 'order-' || n, 'sale', 'user-' || n, ${id('customer', 'greatest(n - 1, 1)')},
           4900, 'USD', 'click-' || n, ${ITS_PARTNER}, 'click', null, '[{"code": "sale_expected_from_stripe", "facts": {}}]',
           now() - interval '1 day', case when n <> 2 then now() end, ${id('commission')} from numbers;
  insert into platform_commissions (id, workspace_id, program_id, key, state, amount_cents, currency, sale_ids, sold_at, created_at, event_id)
    select ${id('other')}, ${id('workspace')}, ${id('program')}, 'tx-' || n, 'due', 500, 'USD', '{}', now(), now(), ${id('event')} from numbers;
  insert into shadow_comparisons (id, workspace_id, program_id, bucket, event_id, platform_commission_id, day, outcome, partner_id, compared_at)
    select ${id('other')}, ${id('workspace')}, ${id('program')}, 'ext:' || n, ${id('event')}, ${id('other')}, current_date, 'same', ${id('partner')},
           now() from numbers;
  insert into click_budgets (program_id, workspace_id, day, clicks)
    select ${id('program')}, ${id('workspace')}, utc_day(now()), 64 from numbers;
  insert into last_visits (program_id, workspace_id, at, slug)
    select ${id('program')}, ${id('workspace')}, now(), 'slug-1' from numbers;
  insert into refused_visits (program_id, workspace_id, day, reason, slug, page, last_at)
    select ${id('program')}, ${id('workspace')}, utc_day(now()), 'partner_not_found', 'slug-' || n, '', now() from numbers;
  insert into report_mismatches (workspace_id, event_id, body_hash, differences, first_at, last_at)
    select ${id('workspace', '1')}, ${id('event')}, 'hash', '[]', now() - n * interval '1 minute', now() - n * interval '1 minute' from numbers;
  insert into one_time_rewards (workspace_id, program_id, customer_id, event_id)
    select ${id('workspace', '1')}, ${id('program', '1')}, ${id('customer')}, ${id('event')} from numbers;
  insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind, amount_cents, currency, payable_at,
                 created_at, earned_on)
    select ${id('commission')}, ${id('workspace', '1')}, ${id('program', '1')}, ${ITS_PARTNER}, ${id('customer')}, ${id('event')},
           ${id('reward', '1')}, 'sale', 490, 'USD', now(), now(), utc_day(now() - interval '1 day') from numbers;
  insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents, currency, payable_at, created_at, payout_id)
    select ${id('balance')}, ${id('workspace', '1')}, ${id('program', '1')}, ${id('partner')}, 'opening_balance', 5000, 'USD', now(), now(),
           ${id('payout')} from numbers;
  -- The first two events are of one customer, and may be one purchase, which is not found out yet.
  insert into commission_holds (commission_id, workspace_id, reason, evidence_event_id, created_at)
    select ${id('commission', 'n + 2')}, ${id('workspace', '1')}, 'possible_duplicate', ${id('event', 'n + 3')}, now() from numbers
    where n % 2 = 1;
  insert into processor_events (id, workspace_id, processor, processor_event_id, type, livemode, customer, email, keys, facts, occurred_at,
                      received_at, event_id, outcome)
    select ${id('other')}, ${id('workspace', '1')}, 'stripe', 'evt_' || n, 'invoice.paid', true, 'cus_' || n, 'user-' || n || '@buyer.example',
           array['in_' || n, 'order-' || n], '[]', now(), now(), ${id('event')}, '{"code": "recorded"}' from numbers;
  insert into payout_accounts (id, workspace_id, email, country, stripe_account_id, status, created_at)
    select ${id('other')}, ${id('workspace', '1')}, 'person-' || n || '@partner.example', 'DE', 'acct_' || n, 'enabled', now() from numbers;
  insert into payout_runs (id, workspace_id, program_id, method, cutoff_at, created_by, created_at, claimed_at, marked_paid_at)
    select ${id('run')}, ${id('workspace', '1')}, ${id('program', '1')}, 'manual', now(), 'ann@shop.example', now(), now(), now() from numbers;
  insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, stripe_account_id, number, created_at,
                       next_attempt_at)
    select ${id('payout')}, ${id('workspace', '1')}, ${id('run')}, ${id('program', '1')}, ${id('partner')}, 'USD', 5000,
           case when n % 10 = 1 then 'acct_' || n end, n, now(), now() from numbers;
  insert into payees (workspace_id, email, name, self_billing_since, updated_at)
    select ${id('workspace', '1')}, 'partner-' || n || '@partner.example', 'Partner', now(), now() from numbers;
  insert into payers (workspace_id, name, updated_at)
    select ${id('workspace')}, 'Shop', now() from numbers;
  insert into invoice_numbers (workspace_id, last)
    select ${id('workspace')}, 1000000 from numbers;
  insert into invoices (id, workspace_id, number, payout_id, supplier, customer, commissions, program_name, agreed_at, issued_at)
    select ${id('invoice')}, ${id('workspace', '1')}, n, ${id('payout', 'n + 1')}, '{}', '{}', 1, 'Program', now(), now() from numbers;
  insert into mails (id, workspace_id, kind, recipient, partner_id, details, created_at, next_attempt_at)
    select ${id('other')}, ${id('workspace', '1')}, 'moved', 'partner-' || n || '@partner.example', ${id('partner')}, '{}', now(), now() from numbers;
  insert into audit_entries (id, workspace_id, actor, action, details, created_at)
    select ${id('other')}, ${id('workspace', '1')}, 'ann@shop.example', 'partners.imported', '{}', now() from numbers;
  insert into import_calls (audit_id, workspace_id, import_id, hash, answer, made)
    select ${id('other')}, ${id('workspace', '1')}, ${id('other')}, '', '{"results": []}', case when n = 2 then '{}' else array[${id('partner')}] end from numbers;
  insert into audit_entries (id, workspace_id, actor, action, details, created_at)
    select ${id('call')}, ${id('workspace', '1')}, 'ann@shop.example', 'customers.imported', '{}', now() from numbers;
  insert into import_calls (audit_id, workspace_id, import_id, hash, answer, made)
    select ${id('call')}, ${id('workspace', '1')}, ${id('call')}, '', '{"results": []}', array[${id('customer')}] from numbers;
  insert into undone_imports (workspace_id, import_id, undone_at, undone)
    select ${id('workspace', '1')}, ${id('run')}, now(), '{}' from numbers;
  insert into webhook_endpoints (id, workspace_id, url, types, ciphertext, created_at)
    select ${id('other')}, ${id('workspace')}, 'https://shop.example/webhooks', '{partner.created,partner.banned,sale.created,commission.created,
           commission.reversed,payout.created,payout.paid,import.finished}', 'secret', now() from numbers;
  insert into webhook_events (id, workspace_id, type, subject_id, partner_id, created_at)
    select ${id('other')}, ${id('workspace', '1')}, 'sale.created', ${id('event')}, ${ITS_PARTNER}, now() from numbers;
  insert into webhook_deliveries (id, workspace_id, event_id, endpoint_id, created_at, next_attempt_at, tries)
    select ${id('other')}, ${id('workspace', '1')}, ${id('other')}, ${id('other', '1')}, now(), now(), '[]' from numbers;
  insert into partner_bonuses (partner_id, name, workspace_id, milestone, since)
    select ${id('partner')}, 'Ten sales', ${id('workspace', '1')}, '{"by": "sales", "atLeast": 10}', now() from numbers;
  insert into bonus_checks (partner_id, workspace_id)
    select ${id('partner')}, ${id('workspace', '1')} from numbers;
  insert into total_deltas (workspace_id, partner_id, day, clicks)
    select ${id('workspace', '1')}, ${id('partner')}, current_date, 1 from numbers;
  insert into totals (of_id, workspace_id, level, dimension, unit, starts_on, clicks)
    select ${id('partner')}, ${id('workspace', '1')}, 'partner', 'all', 'day', current_date, 1 from numbers;
  insert into totals (of_id, workspace_id, level, dimension, unit, starts_on, value, clicks)
    select ${id('partner')}, ${id('workspace', '1')}, 'partner', 'page', 'day', current_date, 'https://shop.example/' || n, 1 from numbers;
  insert into totals (of_id, workspace_id, level, dimension, unit, starts_on, clicks, last_active_on)
    select ${id('partner')}, ${id('workspace', '1')}, 'partner', 'all', 'all_time', '-infinity', 1, current_date from numbers;
  insert into totals (of_id, workspace_id, level, dimension, unit, starts_on, currency, sales, revenue_cents, open_cents)
    select ${id('partner')}, ${id('workspace', '1')}, 'partner', 'all', 'all_time', '-infinity', 'USD', 1, 5000, 5000 from numbers;
  insert into totals (of_id, workspace_id, level, dimension, unit, starts_on, value, clicks)
    select ${id('partner')}, ${id('workspace', '1')}, 'partner', 'link', 'all_time', '-infinity', 'slug-' || n, 1 from numbers;
  insert into balance_cutoffs (workspace_id, cutoff_at, next_at)
    select ${id('workspace')}, now() - interval '1 day', now() - n * interval '1 minute' from numbers;
  insert into totals (of_id, workspace_id, level, dimension, unit, starts_on, currency, value, payouts, amount_cents)
    select ${id('run')}, ${id('workspace', '1')}, 'run', 'status', 'all_time', '-infinity', 'USD', 'processing', 1, 5000 from numbers;
  insert into totals (of_id, workspace_id, level, dimension, unit, starts_on, currency, value, amount_cents)
    select ${id('partner')}, ${id('workspace', '1')}, 'partner', 'kind', 'month', date_trunc('month', current_date)::date, 'USD', 'sale', 5000 from numbers;
`

/**
 * Inserts the rows from one number to another. Without triggers and foreign key checks, for speed,
 * and on a connection of its own, because the setting for that makes a connection forget its plans.
 */
export const addRows = async (databaseUrl: string, from: number, to: number): Promise<void> => {
  const client = new pg.Client({
    connectionString: databaseUrl,
    options: '-c session_replication_role=replica',
  })
  await client.connect()
  try {
    await client.query(ROWS.replaceAll('from numbers', `from generate_series(${from}, ${to}) n`))
  } finally {
    await client.end()
  }
}
