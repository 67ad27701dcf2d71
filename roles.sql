-- What each database role may do: one role per trust zone, and one zone per Worker (ZONES in
-- cli/roles.ts).
--
-- `npm run db:apply`, `npm run deploy` and `npm start` run this file whenever they have brought the
-- schema up to date, in one transaction, so what is not granted here is forbidden, whatever was
-- granted before. The roles have the name of the database before that of the zone, such as
-- tributary_pages, because a server's databases share its roles: :"pages" stands for it, as in
-- psql.
--
-- A new table is forbidden for all zones until it is named here. Give a zone what its Workers run,
-- and nothing for later. Reading, locking a row and `on conflict` need `select`; locking a row and
-- `on conflict do update` need `update` too. Triggers and functions run with the rights of the
-- caller, unless they are `security definer`; foreign keys are checked with the rights of the
-- owner. tests/attacks/6-database-roles.test.ts compares this file with the Workers' statements.

revoke create on schema public from public;
revoke all on all tables    in schema public, sign_in
    from public, :"track", :"pages", :"read", :"pay", :"auth", :"mail", :"hooks", :"source";
revoke all on all sequences in schema public, sign_in
    from public, :"track", :"pages", :"read", :"pay", :"auth", :"mail", :"hooks", :"source";
revoke all on all routines  in schema public, sign_in
    from public, :"track", :"pages", :"read", :"pay", :"auth", :"mail", :"hooks", :"source";
revoke all on schema sign_in
    from public, :"track", :"pages", :"read", :"pay", :"mail", :"hooks", :"source";
alter default privileges revoke execute on functions from public;
grant usage on schema public to :"track", :"pages", :"read", :"pay", :"auth", :"mail", :"hooks",
    :"source";


-- track: the public tracking Workers, and that of the mail provider's webhook. No table at all, and
-- these functions.
grant execute on function may_pass_on, save_click, load_report, save_report, load_refund,
    save_refund, note_key_use,
    note_mail_report, note_mismatches, note_visit
    to :"track";
grant execute on procedure record_reports to :"track";


-- auth: sign-in links, sessions and their people. Nobody else sees this schema.
grant usage on schema sign_in to :"auth";
grant select, insert, update, delete on all tables in schema sign_in to :"auth";
grant execute on function note_sign_in_request to :"auth";
-- The mail about a sign-in from a new browser, and those that were held until the person signed in.
grant select (id, recipient, is_held),
    insert (id, kind, recipient, details, created_at, next_attempt_at),
    update (is_held, next_attempt_at)
    on mails to :"auth";


-- mail: the outbox, and what the cron folds, removes and empties.
grant select, update on mails to :"mail";
grant select, insert, update on mail_usage to :"mail";
grant select, delete, update on address_changes to :"mail";
grant select (workspace_id, hash, created_at), update (hash), delete on idempotency_keys to :"mail";
grant select on workspaces, programs, partners, members, totals to :"mail";
grant select (workspace_id, kind, subject, intro) on mail_texts to :"mail";
grant select (program_id, logo_url, accent_color, support_email, support_email_verified_at)
    on brands to :"mail";
grant select, delete, update (content) on mailings to :"mail";
grant select (id, last_at), delete, update (reports) on report_mismatches to :"mail";
grant select, delete on refused_visits, tier_figures to :"mail";
grant select on mail_optouts, unsubscribe_key to :"mail";
grant select (id, program_id, email, language, group_id) on applications to :"mail";
-- What a partner earns, for mails that say it.
grant select on groups, rewards to :"mail";
grant execute on function reward_of to :"mail";
grant select (id, partner_id, metadata, lines, occurred_at), update (metadata, lines) on events
    to :"mail";
grant select (id, workspace_id, keys, customer, facts, occurred_at, anonymized_at, email),
    update (email, facts, anonymized_at)
    on processor_events to :"mail";
-- Webhook events that are old enough, with their deliveries.
grant select (id, created_at), delete on webhook_events to :"mail";
-- Documents of deleted workspaces that need not be kept any more.
grant select (id, keep_until), delete on kept_documents to :"mail";
grant execute on function erase_workspaces to :"mail";
grant execute on function fold_totals, end_clicks, upkeep_is_due, clear_expired_sign_ins,
    sign_ins_have_expired, is_counted, is_whole_event, utc_day, without_metadata to :"mail";


-- Functions without rights of their own do no more than their caller may.
grant execute on function
    addressed_elsewhere, addressed_since, addresses_alike, assert_month_cap, assert_not_undone,
    assert_unchanged, begin_customer_import, budget_use, counts_payments, earned_before,
    earned_in_month, earning_sales_near, erase_list, erase_text, erase_texts,
    event_reported, expected_sales_near, first_event_id, has_webhooks, hold_commissions,
    identity_lock_key,
    import_dependents, import_is_undone, import_partners, import_results, imported_balances,
    imported_customers, imported_partners, is_counted, is_matchable, is_of_kind, is_payment,
    is_whole_customer, is_whole_event, issue_invoices, landing_of_click, landing_of_event,
    keep_figures, load_hold_facts, load_partner_import, lock_address, lock_click, lock_customers,
    lock_identities, looks_of_sale, mail_opening_balances, mark_late, may_approve, move_earned,
    never, note_own_address, page_of, partner_figures, plan_undo, present_owner, purchase_id_kind,
    reached_by, referrer_of, refuse_to_workers, reverse_commission, reward_of, sales_from_at,
    save_partner_import, slug_look, terms_of_partner, tie_customers, tier_period, utc_day
    to :"pages", :"pay";


-- What a tier has counted is kept with the decision.
grant insert on tier_figures to :"pages", :"pay";


-- Both make money payable by hand, of which managers are mailed.
grant execute on function mail_manual_earnings to :"pages", :"pay";


-- Bonuses are checked by the Worker that pays, after what the others have changed.
grant execute on function check_bonuses to :"pages", :"pay";
grant select, insert, update on bonus_checks to :"pages", :"pay";
grant delete on bonus_checks to :"pay";
grant insert, update on partner_bonuses to :"pay";
grant select on partner_bonuses to :"pages", :"read", :"pay", :"hooks";


-- pages: the dashboard, the portal, and the APIs for managers and imports.
grant execute on function note_key_use, erase_sign_ins, erase_from_audit, has_signed_in,
    waiting_passkeys, cancel_passkey, undo_import, money_under_way, mail_managers, without_metadata,
    approval_limit_refusal, set_approval_limit, decide_approval_limit,
        erase_payment to :"pages";
grant select on
    account_payouts, adjustments, address_changes, agreement_acceptances, agreements, api_keys,
        applications, audit_entries, balance_cutoffs, brands, clicks, commission_holds,
        commissions,
    coupon_aliases, credit_notes, customer_identities, customers, events, former_group_terms,
        former_partner_addresses,
    former_partner_terms, former_program_terms, former_sales_from, group_terms, groups, invoices,
        join_pages, last_visits, links, mail_texts, mails, members,
        one_time_rewards,
    deleted_workspaces, possible_merges, partner_notes, partner_terms,
        partners, payees, payers, payment_details, payout_accounts,
        payout_run_notices, payout_runs, payout_sums, payouts,
    platform_commissions, processor_events, program_terms, programs, referrals, refused_visits,
        report_mismatches, rewarded_products, rewards, sales_of_partners, shadow_comparisons,
        shadow_runs,
        stripe_keys, stripe_secrets, tier_figures, total_deltas,
    totals, unknown_transfers, unreachable_people, workspaces
    to :"pages";
-- The workspace and its terms.
grant select, update (requested_by) on approval_limit_requests to :"pages";
-- A limit of approval is raised by functions only, and nobody says since when somebody is a
-- manager.
grant insert on workspaces to :"pages";
grant update (manual_payouts, payout_order, paypal_payouts, wise_payouts, iban_payouts,
    require_documents, self_billing,
              payouts_require_passkey, sales_from, backend_creates_checkouts, mode, deletes_at,
                  deletion_by)
    on workspaces to :"pages";
grant insert (id, workspace_id, email, role, payout_mails, created_at),
    update (email, role, payout_mails), delete on members to :"pages";
grant insert, update         on programs, groups, partners, api_keys to :"pages";
grant insert, update, delete on coupon_aliases, links, partner_notes to :"pages";
-- Keys and signing secrets are written by `pay`, which encrypts them.
grant delete                 on stripe_secrets, stripe_keys to :"pages";
grant insert                 on rewards, former_sales_from, former_program_terms,
    former_group_terms, former_partner_terms to :"pages";
grant insert, update         on join_pages, brands, shadow_runs to :"pages";
grant insert                 on agreements, agreement_acceptances to :"pages";
grant insert, update, delete on applications to :"pages";
grant insert, update, delete on address_changes, former_partner_addresses to :"pages";
grant select, insert, update, delete on idempotency_keys to :"pages";
grant select, insert, update, delete on expensive_requests to :"pages";
grant execute on function begin_expensive to :"pages";
-- What earns: corrections, decisions on holds, imports, and erasure.
grant insert, update         on commissions, commission_holds, customers to :"pages";
grant insert, update, delete on customer_identities, referrals, one_time_rewards to :"pages";
grant insert                 on adjustments, total_deltas to :"pages";
grant update                 on events, clicks, processor_events to :"pages";
grant delete                 on report_mismatches to :"pages";
-- Shadow runs: what another platform decided, and the comparison with it.
grant insert, update         on platform_commissions to :"pages";
grant insert, delete         on shadow_comparisons to :"pages";
-- Payouts by bank transfer, and who is paid how. Payouts, runs and accounts are created by `pay`.
-- Where money goes is rewritten by nobody: see keep_payout_account, keep_payment_details,
-- keep_payout_run and keep_payout.
grant update (paid_at, cancel_requested_at, claimed_at, canceled_at, is_freeing, next_attempt_at,
    last_error, resolved_at,
              resolution_reason, released_at, returned_at, return_reason, commissions,
                  deducted_cents, restored_cents)
    on payouts to :"pages";
grant update (created_by, first_approved_at, first_approved_by, approved_at, approved_by,
    declined_at,
              declined_by, claimed_at, marked_paid_at, confirmed_at, canceled_at, is_canceling,
                  sends_at)
    on payout_runs to :"pages";
grant update (email, confirm_hash) on payout_accounts to :"pages";
grant insert, update (email, canceled_at) on payment_details to :"pages";
grant insert, update         on payers, payees, invoice_numbers to :"pages";
grant select                 on invoice_numbers to :"pages";
grant update, delete         on unreachable_people to :"pages";
grant delete                 on payees to :"pages";
grant insert                 on invoices, credit_notes to :"pages";
-- Webhook endpoints; events are queued by triggers, which have rights of their own.
grant select, insert, update on webhook_endpoints, webhook_events, webhook_deliveries to :"pages";
-- The outbox and the audit log.
grant insert, update, delete on mails to :"pages";
grant insert, update         on mail_texts to :"pages";
grant select, insert         on mailings to :"pages";
grant select, insert, update, delete on mail_optouts to :"pages";
grant select                 on unsubscribe_key to :"pages";
grant insert                 on audit_entries to :"pages";
-- The answers of imports, which an erasure changes.
grant select, insert, update on import_calls to :"pages";
grant select, insert, update on link_forms to :"pages";
-- What was read from another platform: its rewards are shown, and an erasure looks through all.
-- Never the tokens.
grant select, delete on import_source_rows to :"pages";
-- Whether the other platform's commissions are being read: then nothing is cut over.
grant select (id, workspace_id, program_id, purpose, platform, read_at) on import_sources
    to :"pages";
grant select                 on undone_imports to :"pages";


-- read: assistants with an API key (MCP). It changes nothing, and reads no secret, encrypted or
-- not.
grant execute on function note_key_use, reward_of to :"read";
grant select on
    account_payouts, balance_cutoffs, commission_holds, commissions, coupon_aliases,
        customer_identities, customers, events,
    groups, links, partners, payout_accounts, payout_runs, payouts, programs,
        rewards, total_deltas, totals
    to :"read";
grant select (id, workspace_id, name, key_hash, scopes, expires_at, revoked_at)
    on api_keys to :"read";
-- The evidence of who may have referred a customer, without the pages that visitors came to and
-- from.
grant select (id, workspace_id, partner_id, created_at, expires_at) on clicks to :"read";
grant select (event_id, email, facts) on processor_events to :"read";
grant select (workspace_id, transfer_countries) on stripe_keys to :"read";
grant select (id, workspace_id, email, method, effective_at, canceled_at)
    on payment_details to :"read";
grant select (workspace_id, email, country) on unreachable_people to :"read";
grant select on workspaces to :"read";


-- pay: payouts, and sales that payment processors report.
grant select on
    account_payouts, adjustments, clicks, commission_holds, commissions, coupon_aliases,
        credit_notes, customer_identities,
    customers, events, former_group_terms, former_partner_addresses, former_partner_terms,
        former_program_terms, former_sales_from, group_terms,
    groups, invoice_numbers, invoices, mails, members, one_time_rewards, partner_terms, partners,
        payees, payers, payment_details, payout_accounts,
    payout_run_notices, payout_runs, payout_sums, payouts, platform_commissions, possible_merges,
        processor_events, program_terms, programs, referrals,
    rewarded_products, rewards, sales_of_partners, shadow_comparisons, shadow_runs,
        balance_cutoffs, stripe_keys,
        stripe_secrets, tier_figures, total_deltas, totals, unreachable_people, workspaces
    to :"pay";
grant insert, update         on payouts, payout_runs, payout_run_notices, account_payouts,
    invoice_numbers to :"pay";
grant insert, update, delete on payout_accounts, unreachable_people to :"pay";
grant select, insert, update, delete on unknown_transfers to :"pay";
-- Of transfers that a restored database has lost.
grant insert                 on adjustments to :"pay";
grant execute on function adopt_transfers to :"pay";
grant insert                 on stripe_secrets to :"pay";
grant insert, update         on stripe_keys to :"pay";
grant update                 on programs to :"pay";
-- Tiers move partners into groups.
grant select, insert, update on partner_tiers to :"pay";
grant insert                 on former_partner_terms to :"pay";
grant update (group_id, terms_since) on partners to :"pay";
grant insert                 on invoices, credit_notes to :"pay";
-- Of POST /payouts/run.
grant select, insert, update, delete on idempotency_keys to :"pay";
grant insert, update         on events, customers, commissions, processor_events,
    possible_merges to :"pay";
grant insert, update, delete on customer_identities, referrals, one_time_rewards,
    commission_holds to :"pay";
grant insert                 on total_deltas, mails, audit_entries to :"pay";
grant update                 on platform_commissions, shadow_runs to :"pay";
grant insert, delete         on shadow_comparisons to :"pay";
grant execute on function announce_refunds to :"pay";
-- A budget that is used up by a sale.
grant execute on function mail_managers to :"pay";
-- A refund that a manager records by hand.
grant execute on function refund_facts, save_refund to :"pay";
-- Whether anybody listens to a workspace: asked by the triggers that queue webhooks.
grant select (workspace_id, disabled_at) on webhook_endpoints to :"pay";


-- hooks: outgoing webhooks, which go to addresses that merchants choose. It reads what they are
-- about.
grant select on
    account_payouts, adjustments, audit_entries, commission_holds, commissions, coupon_aliases,
        customer_identities, customers, events,
    groups, members, partners, payout_accounts, payout_runs, payouts, programs, rewards,
        total_deltas, totals, webhook_deliveries,
    webhook_endpoints, webhook_events, workspaces
    to :"hooks";
grant execute on function reward_of to :"hooks";
grant update (failing_since, disabled_at, disabled_reason) on webhook_endpoints to :"hooks";
grant update (payload) on webhook_events to :"hooks";
grant update (lane, attempts, first_attempt_at, next_attempt_at, lease_id, delivered_at, failed_at,
    tries)
    on webhook_deliveries to :"hooks";
grant insert (id, workspace_id, kind, recipient, occasion, details, created_at, next_attempt_at)
    on mails to :"hooks";


-- source: reads other platforms, with the tokens that managers give it. Of our data, it knows who
-- is a manager of which program. It saves the commissions that a shadow run is compared with.
grant select on members, workspaces to :"source";
grant select (id, workspace_id, name, mode) on programs to :"source";
grant select, insert, update, delete on import_sources, import_source_rows to :"source";
grant select, insert, update on platform_commissions to :"source";
grant select (program_id, ended_at, api_since) on shadow_runs to :"source";
grant update (api_since) on shadow_runs to :"source";
grant insert on audit_entries to :"source";
-- Whether anybody listens to a workspace: asked by the trigger of the audit log.
grant execute on function has_webhooks to :"source";
grant select (workspace_id, disabled_at) on webhook_endpoints to :"source";


-- Lists read the first rows of a workspace's many. Memoize would make room for a result of each of
-- the many, a table of some MB per statement and join, which takes several times as long as to read
-- those rows. For the same reason they look expensive enough to be compiled to machine code, which
-- would take longer still.
alter role :"pages" set enable_memoize = off;
alter role :"read"  set enable_memoize = off;
alter role :"pages" set jit = off;
alter role :"read"  set jit = off;
