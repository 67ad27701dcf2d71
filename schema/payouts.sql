-- Payouts: the accounts and details of partners, runs, payouts and Stripe's transfers.

-- The API key of a workspace's own Stripe account, from which its partners are paid. Only the
-- payouts Worker uses it. It is encrypted like the signing secrets. transfers_read_to is the time
-- of the newest transfer that was read: see lib/payouts/transfers/reconcile.service.ts. A restored
-- database has an earlier time, and so reads all transfers that it has lost.
create table stripe_keys (
    workspace_id       uuid         primary key
        constraint stripe_keys_workspace_id_fkey references workspaces (id),
    ciphertext         text         not null,
    last4              text         not null,
    stripe_account_id  text         not null,   -- whose key it is
    livemode           boolean      not null,
    -- whether it may read the lines of invoices and checkouts, as far as known when it was saved
    reads_lines        boolean      not null default false,
    -- the same of the products of its catalogue
    reads_products     boolean      not null default false,
    created_at         timestamptz  not null,
    -- when partners who cannot be paid were last looked for
    reminded_at        timestamptz,
    -- to which its account may transfer; null if not known
    transfer_countries text[],
    countries_read_at  timestamptz,            -- when these were last requested
    transfers_read_to  timestamptz,
    transfers_read_at  timestamptz,            -- when they were last read to the end
    -- of a reading that is not complete: its newest transfer, and the last one that was read
    scan_newest        timestamptz,
    scan_cursor        text,
    constraint stripe_keys_scan_check check ((scan_newest is null) = (scan_cursor is null))
);

-- A partner's connected Stripe account: one per email address and workspace, for all of its
-- programs. The row is written before the account is created at Stripe, so that concurrent
-- requests create one account. Its status is read again on each event about it. The row of
-- a disconnected account is kept, because payouts refer to it.
create table payout_accounts (
    id                 uuid         primary key,
    workspace_id       uuid         not null
        constraint payout_accounts_workspace_id_fkey references workspaces (id),
    email              text         not null,
    country            char(2)      not null
        constraint payout_accounts_country_check check (country ~ '^[A-Z]{2}$'),
    stripe_account_id  text,
    status             text         not null default 'onboarding'
        constraint payout_accounts_status_check
            check (status in ('onboarding', 'in_review', 'enabled', 'restricted', 'closed')),
    -- whether Stripe pays out to its bank; null if not known
    pays_bank          boolean,
    checked_at         timestamptz,            -- when the status was last read
    -- when a run or the daily check last asked Stripe, answered or not
    asked_at           timestamptz,
    lease_id           uuid,                   -- of that question
    created_at         timestamptz  not null,
    disconnected_at    timestamptz,
    effective_at       timestamptz,            -- if it replaced another one: paid from then on
    -- of the token in the mail that confirms it, which ends the hold
    confirm_hash       text,

    constraint payout_accounts_effective_at_check
        check (effective_at is null or stripe_account_id is not null),
    constraint payout_accounts_workspace_id_stripe_account_id_key unique (workspace_id,
        stripe_account_id),
    constraint payout_accounts_status_stripe_check
        check (status <> 'enabled' or stripe_account_id is not null)
);

-- One connected account per person and workspace. Which accounts does this person have?
create unique index payout_accounts_email_workspace_id_key
    on payout_accounts (email, workspace_id) where disconnected_at is null;

-- Which accounts did this person have before?
create index payout_accounts_former_idx on payout_accounts (workspace_id, email)
    where disconnected_at is not null;

-- Which accounts cannot be paid yet, and are to be read from Stripe again?
create index payout_accounts_unready_idx on payout_accounts (asked_at nulls first)
    where (status <> 'enabled' or pays_bank is false) and stripe_account_id is not null
        and disconnected_at is null;

-- What Stripe reports of payouts from connected accounts to their owners' banks. Stripe bundles an
-- account's transfers, ours and others', so no row is of one transfer.
create table account_payouts (
    workspace_id       uuid         not null,
    id                 text         not null,   -- po_...
    stripe_account_id  text         not null,
    currency           char(3)      not null
        constraint account_payouts_currency_check check (currency ~ '^[A-Z]{3}$'),
    amount_cents       bigint       not null,
    -- a paid one may fail later, and a failed one stays failed
    status             text         not null
        constraint account_payouts_status_check check (status in ('paid', 'failed')),
    created_at         timestamptz  not null,   -- at Stripe
    received_at        timestamptz  not null,

    constraint account_payouts_pkey primary key (workspace_id, id),
    constraint account_payouts_stripe_account_id_fkey
        foreign key (workspace_id, stripe_account_id)
            references payout_accounts (workspace_id, stripe_account_id)
);

-- What became of the money of this account, newest first?
create index account_payouts_stripe_account_id_idx
    on account_payouts (workspace_id, stripe_account_id, created_at);

-- How a person wants to be paid by a workspace: encrypted like the Stripe key, and read by the
-- payouts Worker only. Details count from effective_at on, 72 hours after they were given, and can
-- be canceled before. A payout uses the details that counted when it was created, so that no later
-- change moves it into another file. Rows are kept.
create table payment_details (
    id            uuid         primary key,
    workspace_id  uuid         not null
        constraint payment_details_workspace_id_fkey references workspaces (id),
    email         text         not null,
    method        text         not null
        constraint payment_details_method_check
            check (method in ('stripe', 'paypal', 'wise', 'iban')),
    ciphertext    text,                      -- null for Stripe, which keeps them
    masked        text,                      -- the last characters, or a masked address
    country       char(2)
        constraint payment_details_country_check check (country ~ '^[A-Z]{2}$'),   -- of the IBAN
    created_at    timestamptz  not null,
    effective_at  timestamptz  not null,
    canceled_at   timestamptz,

    constraint payment_details_ciphertext_check
        check (num_nulls(ciphertext, masked) = case method when 'stripe' then 2 else 0 end),
    constraint payment_details_iban_check       check ((country is not null) = (method = 'iban')),
    constraint payment_details_effective_at_check
        check (effective_at - created_at >= interval '72 hours'),
    constraint payment_details_canceled_at_check  check (canceled_at < effective_at)
);

-- How does this person want to be paid at this time?
create index payment_details_email_idx on payment_details (workspace_id, email, effective_at)
    where canceled_at is null;

-- Who pays in a workspace's name, for files and documents. The IBAN is encrypted like the Stripe
-- key.
create table payers (
    workspace_id     uuid         primary key
        constraint payers_workspace_id_fkey references workspaces (id),
    name             text         not null,
    street           text,
    postal_code      text,
    city             text,
    country          char(2)
        constraint payers_country_check check (country ~ '^[A-Z]{2}$'),
    vat_id           text,
    iban_ciphertext  text,
    iban_masked      text,
    updated_at       timestamptz  not null,

    constraint payers_iban_check check (num_nulls(iban_ciphertext, iban_masked) in (0, 2))
);

-- A payout run claims the commissions that are payable at its cutoff, of one program or of all, and
-- creates a payout per partner and currency. It claims in pages, and an interrupted run continues
-- at its cursor. A run by Stripe first saves which balances the merchant's Stripe balance covers
-- (lib/tenancy/settings/funds.ts), so that all pages leave out the same ones. A manual run is for
-- payouts by bank: a manager marks it as paid, can undo that, and finally confirms it.
create table payout_runs (
    id              uuid         primary key,
    workspace_id    uuid         not null
        constraint payout_runs_workspace_id_fkey references workspaces (id),
    program_id      uuid,                      -- null for all programs
    method          text         not null
        constraint payout_runs_method_check check (method in ('stripe', 'manual')),
    cutoff_at       timestamptz  not null,
    -- the schedule's occurrence; null if a manager started it
    scheduled_for   timestamptz,
    -- the end of its review, before which nothing is sent; null without one
    sends_at        timestamptz,
    created_by      text,                      -- that manager's email address
    created_at      timestamptz  not null,
    -- null until the balance was read; {} covers everything
    cover           jsonb,
    -- What the run is limited to: see lib/payouts/runs/limits.ts.
    maximum                 jsonb,             -- which balances its maximum covers, like cover
    previewed_at            timestamptz,
    -- {"USD": {"amountCents": 4900, "count": 1}}; null is no limit
    expected                jsonb,
    exclude_partner_ids     uuid[]   not null default '{}',
    exclude_commission_ids  uuid[]   not null default '{}',
    max_amount_cents        jsonb,             -- {"USD": 100000}; null is no maximum
    -- A run above approval_above_cents waits for a second person, a scheduled one for two.
    needs_approval  boolean  default false,    -- null until it is decided
    first_approved_at  timestamptz,            -- of a scheduled run
    first_approved_by  text,                   -- an email address
    approved_at     timestamptz,
    approved_by     text,                      -- an email address
    declined_at     timestamptz,
    declined_by     text,                      -- an email address
    claim_cursor    uuid,                      -- the last partner claimed
    claimed_at      timestamptz,               -- when all partners were claimed
    marked_paid_at  timestamptz,
    confirmed_at    timestamptz,
    canceled_at     timestamptz,               -- from then on, it claims and sends nothing
    is_canceling    boolean      not null default false,   -- some payouts are not canceled yet
    -- Null for a run by Stripe, whose status follows from its payouts.
    manual_status   text generated always as (case
        when method <> 'manual' then null when canceled_at is not null then 'canceled'
        when confirmed_at is not null then 'confirmed' when marked_paid_at is not null then 'paid'
        else 'processing' end) virtual,

    constraint payout_runs_workspace_id_id_key unique (workspace_id, id),
    constraint payout_runs_program_id_scheduled_for_key unique (program_id, scheduled_for),
    constraint payout_runs_scheduled_check check ((scheduled_for is null) <> (created_by is null)),
    constraint payout_runs_sends_at_check check (sends_at is null or scheduled_for is not null),
    constraint payout_runs_manual_check
        check (method = 'manual' or num_nonnulls(marked_paid_at, confirmed_at) = 0),
    constraint payout_runs_approved_check check ((approved_at is null) = (approved_by is null)
        and (approved_at is null or (needs_approval and approved_by is distinct from created_by))),
    constraint payout_runs_first_approved_check
        check ((first_approved_at is null) = (first_approved_by is null)
               and (first_approved_at is null or (needs_approval and scheduled_for is not null))),
    constraint payout_runs_two_approvals_check
        check (approved_at is null or scheduled_for is null
               or (first_approved_by is not null and first_approved_by <> approved_by)),
    constraint payout_runs_declined_check check ((declined_at is null) = (declined_by is null)
        and (declined_at is null
            or (needs_approval and approved_at is null and claimed_at is not null))),
    constraint payout_runs_confirmed_check
        check (confirmed_at is null or marked_paid_at is not null),
    constraint payout_runs_canceled_check  check (canceled_at is null or marked_paid_at is null),
    constraint payout_runs_canceling_check
        check (not is_canceling or (canceled_at is not null and claimed_at is not null)),
    constraint payout_runs_program_id_fkey foreign key (workspace_id, program_id)
        references programs (workspace_id, id)
);

-- Which runs have not claimed everything yet?
create index payout_runs_unclaimed_idx on payout_runs (id) where claimed_at is null;

-- Which canceled runs have payouts that are not canceled yet?
create index payout_runs_canceling_idx on payout_runs (id) where is_canceling;

-- What managers are mailed about a run, once per reason: a request for approval, the review and the
-- report of a scheduled run, and the problems of any run.
create table payout_run_notices (
    workspace_id  uuid         not null,
    run_id        uuid         not null,
    reason        text         not null
        constraint payout_run_notices_reason_check
            check (reason in ('approval', 'review', 'report', 'failed', 'insufficient_funds',
                'key_rejected', 'found_sent', 'adopted')),
    created_at    timestamptz  not null,
    mailed_at     timestamptz,

    constraint payout_run_notices_pkey primary key (run_id, reason),
    constraint payout_run_notices_run_id_fkey foreign key (workspace_id, run_id)
        references payout_runs (workspace_id, id)
);

-- Which mails are due?
create index payout_run_notices_due_idx on payout_run_notices (run_id) where mailed_at is null;

-- A payout is what a run pays one partner in one currency: the sum of the commissions that refer to
-- it. A large payout claims them in pages until claimed_at, before it is sent, and releases them in
-- pages (is_freeing). Meanwhile no other payout takes commissions of its partner and currency.
--
-- Its transfer at Stripe has an idempotency key of the payout's id and key_version. key_used_at is
-- written before the key is used, because Stripe forgets a key after a day. From
-- cancel_requested_at on, nothing is sent. The payout is canceled once its key has expired and
-- Stripe has no transfer: see lib/payouts/corrections/cancel.ts. If Stripe cannot be asked, a
-- manager decides (resolved_at): see lib/payouts/corrections/resolution.ts.
--
-- A failed or canceled payout has no commissions, and keeps its amount. reversed_cents is what the
-- merchant has reversed at Stripe. A payout that was reversed in full keeps its commissions until a
-- manager releases them. found_transfer_id is an alarm, a transfer of a payout that was not sent,
-- or a second one: see lib/payouts/transfers/unexpected-transfers.queries.ts.
create table payouts (
    id                 uuid         primary key,
    workspace_id       uuid         not null,
    run_id             uuid         not null,
    program_id         uuid         not null,
    partner_id         uuid         not null,
    currency           char(3)      not null
        constraint payouts_currency_check check (currency ~ '^[A-Z]{3}$'),
    amount_cents       bigint       not null
        constraint payouts_amount_cents_check
            check (amount_cents > 0 or claimed_at is null or canceled_at is not null),
    stripe_account_id  text,                   -- the destination; null if paid by bank
    number             bigint       not null
        constraint payouts_number_check check (number > 0),
    -- Its name in files for banks and services, and in the portal.
    reference          text not null generated always as
        ('PO-' || lpad(number::text, greatest(6, length(number::text)), '0')) virtual,
    created_at         timestamptz  not null,
    claimed_at         timestamptz  default now(),   -- null while its commissions are being claimed
    -- by triggers: the number without reversals, and what reversals deduct and restore
    commissions        integer      not null default 0,
    deducted_cents     bigint       not null default 0,
    restored_cents     bigint       not null default 0,
    key_version        integer      not null default 1,
    key_used_at        timestamptz,
    next_attempt_at    timestamptz  not null,
    lease_id           uuid,                   -- of the run of the Worker that leased it last
    attempts           integer      not null default 0,
    last_error         text,
    failure_code       text,                   -- Stripe's, of one that failed
    transfer_id        text,
    paid_at            timestamptz,
    failed_at          timestamptz,
    cancel_requested_at  timestamptz,
    canceled_at        timestamptz,            -- from then on, it cannot be sent
    is_freeing         boolean      not null default false,   -- it is releasing its commissions
    reversed_cents     bigint       not null default 0
        constraint payouts_reversed_cents_check
            check (reversed_cents = 0 or reversed_cents between 1 and amount_cents),
    reversed_at        timestamptz,            -- when the latest reversal was received
    released_at        timestamptz,
    -- since when each look-up has failed, after its key has expired
    unreachable_since  timestamptz,
    failed_look_ups    integer      not null default 0,
    resolved_at        timestamptz,            -- when a manager decided whether it was sent
    resolution_reason  text
        constraint payouts_resolution_reason_check
            check (length(resolution_reason) between 1 and 500),
    found_transfer_id  text,                   -- a transfer that should not exist
    found_at           timestamptz,
    returned_at        timestamptz,            -- when a manager reported that the bank returned it
    return_reason      text
        constraint payouts_return_reason_check check (length(return_reason) between 1 and 500),
    status             text not null generated always as (case
        when reversed_cents > 0 and reversed_cents = amount_cents then 'reversed'
        when returned_at is not null then 'returned'
        when paid_at is not null then 'paid'
        when failed_at is not null then 'failed'
        when canceled_at is not null and not is_freeing then 'canceled'
        when cancel_requested_at is not null then 'canceling' else 'processing' end) stored,

    constraint payouts_workspace_id_id_key         unique (workspace_id, id),
    constraint payouts_partner_id_currency_id_key  unique (partner_id, currency, id),
    constraint payouts_workspace_id_number_key     unique (workspace_id, number),
    constraint payouts_run_id_partner_id_currency_key unique (run_id, partner_id, currency),
    constraint payouts_transfer_id_key             unique (workspace_id, transfer_id),
    constraint payouts_outcome_check  check (num_nonnulls(paid_at, failed_at, canceled_at) <= 1),
    constraint payouts_transfer_check
        check (case when paid_at is null or stripe_account_id is null then transfer_id is null
            else transfer_id is not null or resolved_at is not null end),
    constraint payouts_resolved_check
        check ((resolved_at is null) = (resolution_reason is null)
            and (resolved_at is null or (stripe_account_id is not null
                and num_nonnulls(paid_at, canceled_at) = 1))),
    constraint payouts_found_check
        check ((found_transfer_id is null) = (found_at is null)
            and (found_transfer_id is null
                or num_nonnulls(canceled_at, failed_at, transfer_id) > 0)),
    constraint payouts_reversed_check
        check ((reversed_cents > 0) = (reversed_at is not null)
            and (reversed_cents = 0 or transfer_id is not null)),
    constraint payouts_freeing_check
        check (not is_freeing
            or num_nonnulls(failed_at, canceled_at, released_at, returned_at) > 0),
    constraint payouts_claimed_check
        check (claimed_at is not null or num_nonnulls(paid_at, failed_at, canceled_at) = 0),
    constraint payouts_released_check check (released_at is null or reversed_cents = amount_cents),
    constraint payouts_returned_check
        check ((returned_at is null) = (return_reason is null)
            and (returned_at is null or (paid_at is not null and stripe_account_id is null))),
    constraint payouts_run_id_fkey     foreign key (workspace_id, run_id)
        references payout_runs (workspace_id, id),
    constraint payouts_program_id_fkey foreign key (workspace_id, program_id)
        references programs (workspace_id, id),
    constraint payouts_partner_id_fkey foreign key (program_id, partner_id)
        references partners (program_id, id),
    constraint payouts_stripe_account_id_fkey
        foreign key (workspace_id, stripe_account_id)
            references payout_accounts (workspace_id, stripe_account_id)
);

-- Which transfers are in flight, and which are due? Queries that need this index repeat its
-- predicate: isInFlight in lib/payouts.
create index payouts_processing_idx on payouts (workspace_id, next_attempt_at)
    where paid_at is null and failed_at is null and canceled_at is null
        and stripe_account_id is not null;

-- Which payouts did a manager decide about, whose transfers were not found since?
create index payouts_resolved_idx on payouts (next_attempt_at)
    where resolved_at is not null and transfer_id is null and found_transfer_id is null;

-- Which transfers should not exist?
create index payouts_found_idx on payouts (workspace_id) where found_transfer_id is not null;

-- Which payouts are growing, or are releasing their commissions?
create index payouts_changing_idx on payouts (partner_id, currency)
    where claimed_at is null or is_freeing;

-- Which payouts, of any workspace, are releasing their commissions?
create index payouts_freeing_idx on payouts (workspace_id) where is_freeing;

-- Which payouts were reversed in full, and wait for a manager's decision?
create index payouts_reversed_idx on payouts (workspace_id)
    where reversed_cents > 0 and reversed_cents = amount_cents and released_at is null;

-- Which payouts does this partner have, and this run, newest first? payouts_workspace_id_id_key
-- has those of a workspace.
create index payouts_partner_id_idx   on payouts (partner_id, id);
create index payouts_run_id_idx       on payouts (workspace_id, run_id, id);

-- Which payouts have this status, newest first?
create index payouts_status_idx on payouts (workspace_id, status, id);

-- Which amounts were too small for a transfer to this partner? Were any in this workspace?
create index payouts_too_small_idx on payouts (workspace_id, partner_id)
    where failure_code = 'amount_too_small';

-- In which years was anybody paid?
create index payouts_paid_at_idx on payouts (workspace_id, paid_at) where paid_at is not null;

-- Whose commissions are paid, and whose are being paid, newest first?
create index payouts_paid_idx   on payouts (workspace_id, id) where paid_at is not null;
create index payouts_unpaid_idx on payouts (workspace_id, id)
    where paid_at is null and (failed_at is null and canceled_at is null or is_freeing);

-- A partner as invoices name it, per person and workspace.
create table payees (
    workspace_id        uuid         not null
        constraint payees_workspace_id_fkey references workspaces (id),
    email               text         not null,
    name                text         not null,
    street              text,
    postal_code         text,
    city                text,
    country             char(2)
        constraint payees_country_check check (country ~ '^[A-Z]{2}$'),
    vat_id              text,
    -- when the person agreed to invoices in its name; null if it does not
    self_billing_since  timestamptz,
    updated_at          timestamptz  not null,

    constraint payees_pkey primary key (workspace_id, email)
);

-- Transfers at Stripe whose payouts a restored database has lost. adopt_transfers makes each a
-- payout, once its partner is known, perhaps by another import.
create table unknown_transfers (
    workspace_id       uuid         not null
        constraint unknown_transfers_workspace_id_fkey references workspaces (id),
    transfer_id        text         not null,
    payout_id          uuid         not null,
    run_id             uuid,                   -- null if its metadata lack it, like the next two
    program_id         uuid,
    partner_id         uuid,
    stripe_account_id  text         not null,
    partner_email      text,                   -- by its account, once that was read
    country            text,                   -- the same
    account_read_at    timestamptz,
    amount_cents       bigint       not null
        constraint unknown_transfers_amount_cents_check check (amount_cents > 0),
    reversed_cents     bigint       not null,
    currency           char(3)      not null,
    cutoff_at          timestamptz  not null,
    created_at         timestamptz  not null,  -- at Stripe

    constraint unknown_transfers_pkey primary key (workspace_id, transfer_id)
);


-- Functions and triggers.

-- Where money goes is never rewritten: another account is another row, which is held. Only the link
-- in the mail about it, of which there is one, shortens a hold.
create or replace function keep_payout_account() returns trigger language plpgsql as $$
begin
    if (old.id, old.workspace_id, old.country, old.created_at) is distinct
        from (new.id, new.workspace_id, new.country, new.created_at)
       or old.stripe_account_id is not null
          and (old.stripe_account_id is distinct from new.stripe_account_id
               or (new.confirm_hash is not null and new.confirm_hash is distinct
                   from old.confirm_hash)
               or (old.effective_at is not null and old.confirm_hash is null
                   and (new.effective_at is null or new.effective_at < old.effective_at)))
       or (old.disconnected_at is not null and new.disconnected_at is null) then
        perform refuse_to_workers('a payout account never becomes another one, and its hold no shorter');
    end if;
    return new;
end $$;

create or replace trigger payout_accounts_keep
    before update on payout_accounts for each row execute function keep_payout_account();

-- Details never change, and count 72 hours after they were given. The clock of the database checks
-- that, to an hour. A cancellation is final.
create or replace function keep_payment_details() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        if new.effective_at < now() + interval '71 hours' then
            perform refuse_to_workers('payment details count 72 hours after they were given');
        end if;
    elsif (old.id, old.workspace_id, old.method, old.ciphertext, old.masked, old.country,
        old.created_at, old.effective_at)
          is distinct from (new.id, new.workspace_id, new.method, new.ciphertext, new.masked,
              new.country, new.created_at, new.effective_at)
          or (old.canceled_at is not null and old.canceled_at is distinct from new.canceled_at) then
        perform refuse_to_workers('payment details never change');
    end if;
    return new;
end $$;

create or replace trigger payment_details_keep
    before insert or update on payment_details for each row execute function keep_payment_details();

-- A program in shadow mode pays nothing. lockPayouts serializes this with the start of shadow mode.
create or replace function refuse_shadow_payout() returns trigger language plpgsql as $$
begin
    if exists (select from programs where id = new.program_id and mode = 'shadow') then
        raise exception 'program % runs in shadow mode: another platform pays its partners',
            new.program_id;
    end if;
    return new;
end $$;

create or replace trigger payout_runs_no_shadow
    before insert on payout_runs for each row when (new.program_id is not null)
        execute function refuse_shadow_payout();

-- Decisions about a run are final, and only people who may approve it do so: see may_approve. The
-- first of two approvals counts as long as its person may approve.
create or replace function keep_payout_run() returns trigger language plpgsql as $$
declare
    paying  constant text[] := '{manager,finance}';
begin
    if (old.id, old.workspace_id, old.program_id, old.method, old.cutoff_at, old.scheduled_for,
        old.created_at)
       is distinct from (new.id, new.workspace_id, new.program_id, new.method, new.cutoff_at,
           new.scheduled_for, new.created_at)
       or (old.needs_approval and new.needs_approval is not true)
       or (old.approved_at is not null
           and (old.approved_at, old.approved_by, old.first_approved_at, old.first_approved_by)
               is distinct from
               (new.approved_at, new.approved_by, new.first_approved_at, new.first_approved_by))
       or (old.declined_at is not null and (old.declined_at, old.declined_by) is distinct
           from (new.declined_at, new.declined_by))
       or (old.canceled_at is not null and new.canceled_at is null)
       or (old.confirmed_at is not null and new.confirmed_at is null)
       or (old.claimed_at is not null and new.claimed_at is null)
       or (old.expected is not null and old.expected is distinct from new.expected)
       or (old.max_amount_cents is not null and old.max_amount_cents is distinct
           from new.max_amount_cents) then
        perform refuse_to_workers('what was decided about a payout run stays so');
    end if;
    if old.approved_at is null and new.approved_at is not null
       and not (may_approve(new.workspace_id, new.approved_by, paying, new.created_at)
                and (new.scheduled_for is null
                     or may_approve(new.workspace_id, new.first_approved_by, paying,
                         new.created_at))) then
        perform refuse_to_workers('this person may not approve the payout run');
    end if;
    return new;
end $$;

create or replace trigger payout_runs_keep
    before update on payout_runs for each row execute function keep_payout_run();

create or replace trigger payouts_never_change
    before update of id, workspace_id, run_id, program_id, partner_id, currency, stripe_account_id,
        number, created_at
    on payouts for each row execute function refuse_update();

create or replace trigger payouts_amount_never_changes
    before update of amount_cents
    on payouts for each row when (old.claimed_at is not null) execute function refuse_update();

-- The end of a payout is final: a canceled one is not sent after all. Only a payout by bank may be
-- marked as unpaid again. If it may have been sent, it is canceled only by a Worker that asks
-- Stripe, which is granted key_used_at, or by a manager when Stripe cannot be asked.
create or replace function keep_payout() returns trigger language plpgsql as $$
begin
    if (old.cancel_requested_at is not null and new.cancel_requested_at is null)
       or (old.canceled_at is not null and new.canceled_at is null)
       or (old.failed_at is not null and new.failed_at is null)
       or (old.resolved_at is not null and new.resolved_at is null)
       or (old.released_at is not null and new.released_at is null)
       or (old.returned_at is not null and new.returned_at is null)
       or (old.claimed_at is not null and new.claimed_at is null)
       or (old.paid_at is not null and new.paid_at is null
           and old.stripe_account_id is not null) then
        perform refuse_to_workers('a payout that has ended stays so');
    end if;
    if old.key_used_at is not null and old.canceled_at is null and new.canceled_at is not null
       and not has_column_privilege('payouts', 'key_used_at', 'update')
       and (new.resolved_at is null or old.failed_look_ups = 0) then
        perform refuse_to_workers('whether this payout was sent is not known');
    end if;
    return new;
end $$;

create or replace trigger payouts_keep
    before update on payouts for each row execute function keep_payout();

create or replace trigger payouts_no_shadow
    before insert on payouts for each row execute function refuse_shadow_payout();

-- Numbers a workspace's payouts from 1. lockPayouts serializes claims, and a trigger per row sees
-- the rows that its own statement inserted before.
create or replace function number_payout() returns trigger language plpgsql as $$
begin
    new.number := 1 + coalesce(
        (select max(number) from payouts where workspace_id = new.workspace_id), 0);
    return new;
end $$;

create or replace trigger payouts_number
    before insert on payouts for each row when (new.number is null)
        execute function number_payout();
