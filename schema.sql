-- Tributary's schema, for an empty Postgres 18.
--
-- Every row carries its workspace, and the foreign keys carry it along: a row
-- can point only at rows of its own workspace, whatever the code does.
--
-- Until version 0.1.0 is released, edit this file in place. From then on, write each
-- change twice: here, and as a migration of existing databases (migrations/README.md).
--
-- Ids are UUIDv7, made in the Worker. Money is an integer of minor units plus an
-- ISO 4217 code. Times are UTC.


-- What was applied to this database: schema.sql, and files of migrations/. A checksum
-- shows that a file has changed since. `npm run db:apply` writes the rows.
create table schema_migrations (
    name        text         primary key,
    checksum    text         not null
        constraint schema_migrations_checksum_check check (checksum ~ '^[0-9a-f]{64}$'),   -- SHA-256
    applied_at  timestamptz  not null default now()
);


-- A merchant's account: it owns the programs, the API keys, the customers.
create table workspaces (
    id          uuid         primary key,
    slug        text         not null
        constraint workspaces_slug_check check (slug ~ '^[a-z0-9](-?[a-z0-9])+$' and length(slug) <= 63
                                           and slug !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'),  -- addresses take an id too
    name        text         not null,
    created_at  timestamptz  not null default now(),

    constraint workspaces_slug_key unique (slug)
);


-- Who may see and change a workspace. A person is an e-mail address that has been
-- proved by signing in, so whoever is invited is a member from the invitation on.
create table members (
    id            uuid         primary key,
    workspace_id  uuid         not null
        constraint members_workspace_id_fkey references workspaces (id),
    email         text         not null,
    role          text         not null
        constraint members_role_check check (role in ('manager', 'member')),
    created_at    timestamptz  not null default now(),

    constraint members_workspace_id_email_key unique (workspace_id, email)
);

-- Which workspaces does this person see?
create index members_email_idx on members (email);


-- An API key is shown once and kept as its SHA-256. Revoked keys stay, so that
-- a leaked one is never issued again and a log entry can be traced to it.
create table api_keys (
    id            uuid         primary key,
    workspace_id  uuid         not null
        constraint api_keys_workspace_id_fkey references workspaces (id),
    name          text         not null,
    key_hash      text         not null
        constraint api_keys_key_hash_check check (key_hash ~ '^[0-9a-f]{64}$'),
    created_at    timestamptz  not null default now(),
    revoked_at    timestamptz,

    constraint api_keys_key_hash_key unique (key_hash)
);


-- What an event earns: a share of the sale or a flat amount. A reward never
-- changes; an edit makes a new one, so that a commission can always be explained.
create table rewards (
    id            uuid         primary key,
    workspace_id  uuid         not null
        constraint rewards_workspace_id_fkey references workspaces (id),
    kind          text         not null
        constraint rewards_kind_check check (kind in ('percent', 'flat')),
    basis_points  integer
        constraint rewards_basis_points_check check (basis_points between 0 and 10000),
    amount_cents  bigint
        constraint rewards_amount_cents_check check (amount_cents between 1 and 99999999999),
    currency      char(3)
        constraint rewards_currency_check check (currency ~ '^[A-Z]{3}$'),
    created_at    timestamptz  not null default now(),

    constraint rewards_percent_check check ((kind = 'percent') = (basis_points is not null)),
    constraint rewards_flat_check    check ((kind = 'flat') = (amount_cents is not null)
                                        and (kind = 'flat') = (currency is not null)),
    constraint rewards_workspace_id_id_key unique (workspace_id, id)
);

create function refuse_update() returns trigger language plpgsql as $$
begin
    raise exception '% never change: insert a new row', tg_table_name;
end $$;

create trigger rewards_never_change
    before update on rewards for each row execute function refuse_update();


-- The terms on which a merchant rewards its partners.
create table programs (
    id                         uuid         primary key,
    workspace_id               uuid         not null
        constraint programs_workspace_id_fkey references workspaces (id),
    name                       text         not null,
    site_url                   text         not null,
    reward_id                  uuid         not null,
    reward_interval            text         not null
        constraint programs_reward_interval_check check (reward_interval in ('one-time', 'recurring')),
    reward_duration_months     integer      -- from the customer's first sale commission; null is for ever
        constraint programs_reward_duration_months_check check (reward_duration_months between 1 and 1200),
    holding_days               integer      not null
        constraint programs_holding_days_check check (holding_days between 0 and 3650),
    attribution_days           integer      not null
        constraint programs_attribution_days_check check (attribution_days between 1 and 3650),
    attribution                text         not null
        constraint programs_attribution_check check (attribution in ('last', 'first')),
    attribute_known_customers  boolean      not null,
    minimum_payout_cents       bigint       not null
        constraint programs_minimum_payout_cents_check check (minimum_payout_cents between 0 and 99999999999),
    payout_schedule            text         not null
        constraint programs_payout_schedule_check check (payout_schedule in ('manual', 'weekly', 'twice_monthly', 'monthly')),
    payout_schedule_since      timestamptz  not null default now(),   -- no run is made up for what was before
    created_at                 timestamptz  not null default now(),

    constraint programs_workspace_id_id_key unique (workspace_id, id),
    constraint programs_reward_id_fkey foreign key (workspace_id, reward_id) references rewards (workspace_id, id)
);


-- Partners who share rewards that differ from the program's own.
create table groups (
    id              uuid         primary key,
    workspace_id    uuid         not null,
    program_id      uuid         not null,
    name            text         not null,
    sale_reward_id  uuid,
    lead_reward_id  uuid,
    created_at      timestamptz  not null default now(),

    constraint groups_program_id_id_key unique (program_id, id),
    constraint groups_program_id_fkey     foreign key (workspace_id, program_id)     references programs (workspace_id, id),
    constraint groups_sale_reward_id_fkey foreign key (workspace_id, sale_reward_id) references rewards (workspace_id, id),
    constraint groups_lead_reward_id_fkey foreign key (workspace_id, lead_reward_id) references rewards (workspace_id, id)
);


-- Whoever sends visitors, in one program. The slug is shown as it was given and
-- matched by its key, which ignores case; an e-mail address is held lower-cased.
create table partners (
    id            uuid         primary key,
    workspace_id  uuid         not null,
    program_id    uuid         not null,
    group_id      uuid,
    email         text         not null,
    name          text,
    slug          text         not null,
    slug_key      text         not null,
    status        text         not null default 'approved'
        constraint partners_status_check check (status in ('approved', 'banned')),
    created_at    timestamptz  not null default now(),

    constraint partners_workspace_id_id_key     unique (workspace_id, id),
    constraint partners_program_id_id_key       unique (program_id, id),
    constraint partners_program_id_email_key    unique (program_id, email),
    constraint partners_program_id_slug_key_key unique (program_id, slug_key),
    constraint partners_program_id_fkey foreign key (workspace_id, program_id) references programs (workspace_id, id),
    constraint partners_group_id_fkey   foreign key (program_id, group_id)     references groups (program_id, id)
);

-- In which programs is this address a partner?
create index partners_email_idx on partners (email);


-- A coupon or promotion code at the payment processor whose use credits a partner.
-- It belongs to one partner of the workspace, and never moves by itself.
create table coupon_aliases (
    id            uuid         primary key,
    workspace_id  uuid         not null,
    partner_id    uuid         not null,
    coupon_id     text         not null,
    label         text,
    created_at    timestamptz  not null default now(),

    constraint coupon_aliases_workspace_id_coupon_id_key unique (workspace_id, coupon_id),
    constraint coupon_aliases_partner_id_fkey foreign key (workspace_id, partner_id) references partners (workspace_id, id)
);

-- Which coupons does this partner have?
create index coupon_aliases_partner_id_idx on coupon_aliases (partner_id);


-- A visit through a partner's link. It counts until expires_at, which was the
-- program's promise on the day of the visit and does not move later.
create table clicks (
    id            text         not null,
    workspace_id  uuid         not null,
    partner_id    uuid         not null,
    landing_url   text,
    referrer      text,
    created_at    timestamptz  not null,
    expires_at    timestamptz  not null,

    constraint clicks_pkey primary key (workspace_id, id),
    constraint clicks_partner_id_fkey foreign key (workspace_id, partner_id) references partners (workspace_id, id)
);

-- How many visitors has this partner sent, day by day?
create index clicks_partner_id_idx on clicks (partner_id, created_at);


-- The merchant's customer, once a partner has been credited with one of its
-- events, or once it was imported. The partner is the one who owns the customer now.
-- A customer rewarded on another platform before brings along since when: that
-- counts as its first sale commission in the program into which it was imported.
create table customers (
    id                  uuid         primary key,
    workspace_id        uuid         not null
        constraint customers_workspace_id_fkey references workspaces (id),
    external_id         text         not null,
    email               text,
    name                text,
    partner_id          uuid         not null,
    created_at          timestamptz  not null,
    imported_at         timestamptz,   -- when an import last set the partner
    started_at          timestamptz,
    started_program_id  uuid,
    processor_customer_id  text,       -- the payment processor's id, once a sale has linked it

    constraint customers_workspace_id_id_key          unique (workspace_id, id),
    constraint customers_workspace_id_external_id_key unique (workspace_id, external_id),
    constraint customers_workspace_id_processor_customer_id_key unique (workspace_id, processor_customer_id),
    constraint customers_started_check check ((started_at is null) = (started_program_id is null)),
    constraint customers_partner_id_fkey foreign key (workspace_id, partner_id) references partners (workspace_id, id),
    constraint customers_started_program_id_fkey
        foreign key (workspace_id, started_program_id) references programs (workspace_id, id)
);

-- Which customers does this partner have, and which have this address?
create index customers_partner_id_idx on customers (partner_id, id);
create index customers_workspace_id_email_idx on customers (workspace_id, email) where email is not null;


-- Since when a customer belongs to which partner; customers.partner_id is the latest of them. Stripe may tell of an
-- invoice days late: it counts for whoever had the customer when it was paid, and for nobody before the first.
create table referrals (
    workspace_id  uuid         not null,
    customer_id   uuid         not null,
    partner_id    uuid         not null,
    referred_at   timestamptz  not null,

    constraint referrals_pkey primary key (customer_id, referred_at, partner_id),
    constraint referrals_customer_id_fkey foreign key (workspace_id, customer_id) references customers (workspace_id, id),
    constraint referrals_partner_id_fkey  foreign key (workspace_id, partner_id)  references partners (workspace_id, id)
);


-- A sale or a lead as the merchant or Stripe reported it, and how it was decided: steps
-- is the ordered list of {code, facts} that the explanation is written from.
-- Unattributed events are kept too: they have no partner and no customer row.
create table events (
    id                    uuid         primary key,
    workspace_id          uuid         not null
        constraint events_workspace_id_fkey references workspaces (id),
    kind                  text         not null
        constraint events_kind_check check (kind in ('sale', 'lead')),
    external_id           text         not null,
    event_name            text         not null,
    customer_external_id  text         not null,
    customer_id           uuid,
    amount_cents          bigint
        constraint events_amount_cents_check check (amount_cents between 1 and 99999999999),
    currency              char(3)
        constraint events_currency_check check (currency ~ '^[A-Z]{3}$'),
    metadata              jsonb,
    click_id              text,
    partner_id            uuid,
    attributed_by         text
        constraint events_attributed_by_check check (attributed_by in ('coupon', 'click', 'customer')),
    body_hash             text,                    -- SHA-256 of the merchant's report, to notice a repeat that differs
    steps                 jsonb        not null,
    occurred_at           timestamptz  not null,
    revision              integer      not null default 0,   -- counts what Stripe has changed since, one at a time

    -- One event per report, for ever, however often it is repeated.
    constraint events_workspace_id_kind_external_id_key unique (workspace_id, kind, external_id),
    constraint events_workspace_id_id_key unique (workspace_id, id),
    constraint events_sale_check     check ((kind = 'sale') = (amount_cents is not null and currency is not null)),
    constraint events_partner_check  check ((partner_id is null) = (attributed_by is null)),
    constraint events_click_id_fkey    foreign key (workspace_id, click_id)    references clicks (workspace_id, id),
    constraint events_customer_id_fkey foreign key (workspace_id, customer_id) references customers (workspace_id, id),
    constraint events_partner_id_fkey  foreign key (workspace_id, partner_id)  references partners (workspace_id, id)
);

-- Which events are credited to this partner?
create index events_partner_id_idx on events (partner_id, id) where partner_id is not null;

-- Which events came with a click that did not decide, as partners ask? They are few.
create index events_uncredited_click_idx on events (workspace_id, id)
    where click_id is not null and attributed_by is distinct from 'click';


-- The key by which the payouts Worker calls a workspace's own Stripe account, from which
-- partners are paid: encrypted as the signing secrets are.
create table stripe_keys (
    workspace_id       uuid         primary key
        constraint stripe_keys_workspace_id_fkey references workspaces (id),
    ciphertext         text         not null,
    last4              text         not null,
    stripe_account_id  text         not null,   -- whose key it is
    livemode           boolean      not null,
    created_at         timestamptz  not null
);


-- The Stripe account of a partner, to which a workspace sends what it earned in any of
-- its programs: it belongs to the e-mail address. It is written down before Stripe is
-- asked for it, so that asking twice makes one. What Stripe says of it is read again
-- whenever Stripe tells of a change; one that was disconnected stays for its payouts.
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
    checked_at         timestamptz,            -- when Stripe was last asked
    created_at         timestamptz  not null,
    disconnected_at    timestamptz,

    constraint payout_accounts_workspace_id_stripe_account_id_key unique (workspace_id, stripe_account_id),
    constraint payout_accounts_status_stripe_check check (status <> 'enabled' or stripe_account_id is not null)
);

-- One connected account per person and workspace; and which does this person have?
create unique index payout_accounts_email_workspace_id_key
    on payout_accounts (email, workspace_id) where disconnected_at is null;


-- A payout run takes what was payable at one moment, of one program or of all, and
-- makes a payout of it for each partner and currency. It claims in pages, so that a run
-- that was cut short goes on where it was. A manual run is for merchants who pay by bank:
-- they mark it paid, may take that back, and confirm it in the end.
create table payout_runs (
    id              uuid         primary key,
    workspace_id    uuid         not null
        constraint payout_runs_workspace_id_fkey references workspaces (id),
    program_id      uuid,                      -- null is all of them
    method          text         not null
        constraint payout_runs_method_check check (method in ('stripe', 'manual')),
    cutoff_at       timestamptz  not null,
    scheduled_for   timestamptz,               -- null when somebody asked for it
    created_by      text,                      -- who did, by e-mail address
    created_at      timestamptz  not null,
    claim_cursor    uuid,                      -- the last partner claimed
    claimed_at      timestamptz,               -- when all partners were claimed
    marked_paid_at  timestamptz,
    confirmed_at    timestamptz,
    canceled_at     timestamptz,
    -- Null for a run by Stripe, whose status follows from its payouts.
    manual_status   text generated always as (case
        when method <> 'manual' then null when canceled_at is not null then 'canceled'
        when confirmed_at is not null then 'confirmed' when marked_paid_at is not null then 'paid'
        else 'processing' end) virtual,

    constraint payout_runs_workspace_id_id_key unique (workspace_id, id),
    constraint payout_runs_program_id_scheduled_for_key unique (program_id, scheduled_for),
    constraint payout_runs_scheduled_check check ((scheduled_for is null) <> (created_by is null)),
    constraint payout_runs_manual_check
        check (method = 'manual' or num_nonnulls(marked_paid_at, confirmed_at, canceled_at) = 0),
    constraint payout_runs_confirmed_check check (confirmed_at is null or marked_paid_at is not null),
    constraint payout_runs_canceled_check  check (canceled_at is null or marked_paid_at is null),
    constraint payout_runs_program_id_fkey foreign key (workspace_id, program_id) references programs (workspace_id, id)
);

-- Which runs have not come to their end?
create index payout_runs_unclaimed_idx on payout_runs (id) where claimed_at is null;


-- What a run sends one partner in one currency: the sum of the commissions that name it.
-- Its transfer at Stripe has an idempotency key of the payout's id and key_version.
-- key_used_at is written before the first call with that key, because Stripe forgets a
-- key after a day. A payout that failed has let go of its commissions, and keeps its amount.
create table payouts (
    id                 uuid         primary key,
    workspace_id       uuid         not null,
    run_id             uuid         not null,
    program_id         uuid         not null,
    partner_id         uuid         not null,
    currency           char(3)      not null
        constraint payouts_currency_check check (currency ~ '^[A-Z]{3}$'),
    amount_cents       bigint       not null
        constraint payouts_amount_cents_check check (amount_cents > 0),
    stripe_account_id  text,                   -- where it is sent to; null is by the merchant's bank
    created_at         timestamptz  not null,
    key_version        integer      not null default 1,
    key_used_at        timestamptz,
    next_attempt_at    timestamptz  not null,
    leased_at          timestamptz,            -- start of the run of the Worker that leased it last
    attempts           integer      not null default 0,
    last_error         text,
    transfer_id        text,
    paid_at            timestamptz,
    failed_at          timestamptz,
    canceled_at        timestamptz,
    status             text not null generated always as (case
        when paid_at is not null then 'paid' when failed_at is not null then 'failed'
        when canceled_at is not null then 'canceled' else 'processing' end) virtual,

    constraint payouts_workspace_id_id_key         unique (workspace_id, id),
    constraint payouts_partner_id_currency_id_key  unique (partner_id, currency, id),
    constraint payouts_run_id_partner_id_currency_key unique (run_id, partner_id, currency),
    constraint payouts_transfer_id_key             unique (workspace_id, transfer_id),
    constraint payouts_outcome_check  check (num_nonnulls(paid_at, failed_at, canceled_at) <= 1),
    constraint payouts_transfer_check check ((transfer_id is not null) = (paid_at is not null and stripe_account_id is not null)),
    constraint payouts_run_id_fkey     foreign key (workspace_id, run_id)     references payout_runs (workspace_id, id),
    constraint payouts_program_id_fkey foreign key (workspace_id, program_id) references programs (workspace_id, id),
    constraint payouts_partner_id_fkey foreign key (program_id, partner_id)   references partners (program_id, id),
    constraint payouts_stripe_account_id_fkey
        foreign key (workspace_id, stripe_account_id) references payout_accounts (workspace_id, stripe_account_id)
);

create trigger payouts_never_change
    before update of id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, stripe_account_id, created_at
    on payouts for each row execute function refuse_update();

-- Which transfers are in flight, and which are due? An index cannot name a virtual column,
-- so queries that need this one repeat its predicate: isInFlight in lib/payouts.
create index payouts_processing_idx on payouts (workspace_id, next_attempt_at)
    where paid_at is null and failed_at is null and canceled_at is null and stripe_account_id is not null;

-- What was paid to this partner, and what in this workspace, newest first?
create index payouts_partner_id_idx   on payouts (partner_id, id);
create index payouts_workspace_id_idx on payouts (workspace_id, id);


-- A commission is what one event earned one partner, or what the partner was still
-- owed by another platform (its opening balance, in USD, of which there is one). Rows
-- never change but for the payout that takes them, and their status is not stored: it
-- follows from payable_at and the payout (see lib/tracking/commissions.ts). What is taken back, or given again, is a reversal: a row
-- of its own that names the commission. When a sale turns out to be another partner's,
-- or of another amount, its commission is reversed and another one takes its place.
create table commissions (
    id            uuid         primary key,
    workspace_id  uuid         not null,
    program_id    uuid         not null,
    partner_id    uuid         not null,
    customer_id   uuid,
    event_id      uuid,
    reward_id     uuid,
    kind          text         not null
        constraint commissions_kind_check check (kind in ('sale', 'lead', 'opening_balance', 'reversal')),
    reverses_id   uuid,
    replaces_id   uuid,
    amount_cents  bigint       not null
        constraint commissions_amount_cents_check check (amount_cents > 0 or (amount_cents < 0 and kind = 'reversal')),
    currency      char(3)      not null
        constraint commissions_currency_check check (currency ~ '^[A-Z]{3}$'),
    one_time      boolean      not null
        constraint commissions_one_time_check check (not one_time or kind = 'sale'),
    payable_at    timestamptz  not null,
    created_at    timestamptz  not null,
    payout_id     uuid,

    constraint commissions_partner_id_id_key   unique (partner_id, id),
    constraint commissions_workspace_id_id_key unique (workspace_id, id),
    constraint commissions_replaces_id_key     unique (replaces_id),
    constraint commissions_reverses_id_check check ((reverses_id is not null) = (kind = 'reversal')),
    constraint commissions_replaces_id_check check (replaces_id is null or kind = 'sale'),
    constraint commissions_event_check check (case kind
        when 'opening_balance' then num_nonnulls(event_id, customer_id, reward_id) = 0
        else num_nulls(event_id, customer_id, reward_id) = 0 end),
    constraint commissions_program_id_fkey  foreign key (workspace_id, program_id)  references programs (workspace_id, id),
    constraint commissions_partner_id_fkey  foreign key (program_id, partner_id)    references partners (program_id, id),
    constraint commissions_customer_id_fkey foreign key (workspace_id, customer_id) references customers (workspace_id, id),
    constraint commissions_event_id_fkey    foreign key (workspace_id, event_id)    references events (workspace_id, id),
    constraint commissions_reward_id_fkey   foreign key (workspace_id, reward_id)   references rewards (workspace_id, id),
    constraint commissions_reverses_id_fkey foreign key (partner_id, reverses_id)   references commissions (partner_id, id),
    constraint commissions_replaces_id_fkey foreign key (workspace_id, replaces_id) references commissions (workspace_id, id),
    -- A payout has commissions of its own partner and currency only.
    constraint commissions_payout_id_fkey
        foreign key (partner_id, currency, payout_id) references payouts (partner_id, currency, id)
);

-- Of a commission, only the payout that takes it ever changes.
create trigger commissions_never_change
    before update of id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind, reverses_id,
                     replaces_id, amount_cents, currency, one_time, payable_at, created_at
    on commissions for each row execute function refuse_update();

-- One commission per event, in whose place another may stand.
create unique index commissions_event_id_key
    on commissions (event_id) where kind <> 'reversal' and replaces_id is null;

-- What has become of an event's commission?
create index commissions_event_id_idx on commissions (event_id);

-- One sale commission per customer under a one-time reward, whoever races. The one that
-- takes the place of another is not one_time: the place stays the first one's.
create unique index commissions_one_time_key
    on commissions (program_id, customer_id) where one_time;

-- When did this customer first earn a sale commission in this program?
create index commissions_first_sale_idx
    on commissions (program_id, customer_id, created_at) where kind = 'sale';

-- The opening balance of a partner, however often it is imported.
create unique index commissions_opening_balance_key
    on commissions (partner_id) where kind = 'opening_balance';

-- What is still owed to whom?
create index commissions_unpaid_idx
    on commissions (workspace_id, partner_id, currency) where payout_id is null;

-- What is this payout made of?
create index commissions_payout_id_idx on commissions (payout_id) where payout_id is not null;


-- The commissions in force: not reversals, and not replaced by another.
create view current_commissions as
    select * from commissions c
    where kind <> 'reversal' and not exists (select from commissions n where n.replaces_id = c.id);


-- The signing secrets of a workspace's webhook endpoints at Stripe, encrypted under a key
-- that is not in the database, and compared by fingerprint. There are two endpoints, one
-- for the merchant's account and one for connected accounts, and each has two secrets
-- while one is rotated.
create table stripe_secrets (
    id            uuid         primary key,
    workspace_id  uuid         not null
        constraint stripe_secrets_workspace_id_fkey references workspaces (id),
    slot          integer      not null
        constraint stripe_secrets_slot_check check (slot between 1 and 4),
    ciphertext    text         not null,
    fingerprint   text         not null
        constraint stripe_secrets_fingerprint_check check (fingerprint ~ '^[0-9a-f]{64}$'),
    last4         text         not null,
    created_at    timestamptz  not null,

    constraint stripe_secrets_workspace_id_slot_key        unique (workspace_id, slot),
    constraint stripe_secrets_workspace_id_fingerprint_key unique (workspace_id, fingerprint)
);


-- The events received from payment processors, and their outcomes. A sale, its commission
-- and their reversals follow from all facts received of one purchase, in any order: those
-- of the events that share an invoice, payment or charge, directly or through others.
create table processor_events (
    id                  uuid         primary key,
    workspace_id        uuid         not null
        constraint processor_events_workspace_id_fkey references workspaces (id),
    processor           text         not null
        constraint processor_events_processor_check check (processor in ('stripe')),
    processor_event_id  text         not null,
    type                text         not null,
    livemode            boolean      not null,
    customer            text,                    -- the processor's id of the customer
    keys                text[]       not null,   -- ids of the invoice, payments, charges and checkout
    facts               jsonb        not null,   -- see lib/purchases/facts.ts
    occurred_at         timestamptz  not null,   -- by the processor's clock
    received_at         timestamptz  not null,
    event_id            uuid,                    -- the sale
    outcome             jsonb,                   -- null until the event is processed

    constraint processor_events_workspace_id_processor_processor_event_id_key
        unique (workspace_id, processor, processor_event_id),
    constraint processor_events_event_id_fkey foreign key (workspace_id, event_id) references events (workspace_id, id)
);

-- Which other events are of this purchase?
create index processor_events_keys_idx on processor_events using gin (keys);

-- What has this customer paid, perhaps before its partner was known?
create index processor_events_workspace_id_customer_idx
    on processor_events (workspace_id, customer) where customer is not null;

-- What was received from this processor, newest first?
create index processor_events_workspace_id_processor_id_idx on processor_events (workspace_id, processor, id);

-- Which events led to this sale?
create index processor_events_event_id_idx on processor_events (event_id) where event_id is not null;


-- Raises TR001, which rolls the batch back, if rows have changed since they were read. The
-- code is not one of those that are retried: the caller reads again.
create function assert_unchanged(is_unchanged boolean) returns void language plpgsql as $$
begin
    if not is_unchanged then
        raise exception 'rows have changed since they were read' using errcode = 'TR001';
    end if;
end $$;


-- Mails to be sent, written together with what they tell of, and kept once they are
-- sent. One that is being sent, or that failed, is due again at next_attempt_at; one
-- that can't be delivered has failed_at, and waits for a manager.
create table mails (
    id               uuid         primary key,
    workspace_id     uuid         not null
        constraint mails_workspace_id_fkey references workspaces (id),
    kind             text         not null
        constraint mails_kind_check
            check (kind in ('moved', 'invitation', 'connect_account', 'payout_sent', 'payout_failed')),
    recipient        text         not null,
    partner_id       uuid,
    payout_id        uuid,                    -- what the mail tells of, when that is a payout
    details          jsonb        not null,   -- what the template of this kind is filled with
    created_at       timestamptz  not null,
    attempts         integer      not null default 0,
    first_attempt_at timestamptz,             -- a transport knows a mail again for a day from then on
    next_attempt_at  timestamptz  not null,
    last_error       text,
    sent_at          timestamptz,
    failed_at        timestamptz,
    status           text not null generated always as (case
        when sent_at is not null then 'sent' when failed_at is not null then 'failed'
        when attempts > 0 then 'retrying' else 'queued' end) virtual,

    -- One mail of a kind per payout, however often its outcome is written down.
    constraint mails_payout_id_kind_key unique (payout_id, kind),
    constraint mails_payout_id_fkey foreign key (workspace_id, payout_id) references payouts (workspace_id, id),
    constraint mails_payout_id_check check ((payout_id is not null) = (kind in ('payout_sent', 'payout_failed'))),
    constraint mails_outcome_check check (sent_at is null or failed_at is null),
    constraint mails_partner_id_fkey foreign key (workspace_id, partner_id) references partners (workspace_id, id)
);

-- One welcome per partner, and one reminder to connect an account, however often there is reason for one.
create unique index mails_partner_id_kind_key on mails (partner_id, kind) where payout_id is null;

-- What is to be sent now?
create index mails_due_idx on mails (next_attempt_at) where sent_at is null and failed_at is null;

-- What was sent for this workspace, and what failed?
create index mails_workspace_id_idx on mails (workspace_id, id);


-- Who changed what, and when: written in the transaction of the change.
create table audit_entries (
    id            uuid         primary key,
    workspace_id  uuid         not null
        constraint audit_entries_workspace_id_fkey references workspaces (id),
    actor         text         not null,      -- the e-mail address of whoever did it
    action        text         not null,      -- such as partners.imported
    subject_id    uuid,                       -- the row that it was done to
    details       jsonb        not null,
    created_at    timestamptz  not null
);

-- What happened in this workspace, newest first?
create index audit_entries_workspace_id_idx on audit_entries (workspace_id, id);


-- Who has signed in, with which browsers, and the links that are on their way: the
-- tables of Better Auth, in a schema of their own. What a person may do is not here
-- but in members. Sessions are looked up by the token that the cookie carries, which
-- is worth nothing without the signature beside it; links are kept as a hash.
create schema auth;

create table auth.users (
    id              uuid         primary key,
    name            text         not null,
    email           text         not null,
    email_verified  boolean      not null,
    image           text,
    created_at      timestamptz  not null,
    updated_at      timestamptz  not null,

    constraint users_email_key unique (email)
);

create table auth.sessions (
    id          uuid         primary key,
    user_id     uuid         not null
        constraint sessions_user_id_fkey references auth.users (id) on delete cascade,
    token       text         not null,
    expires_at  timestamptz  not null,
    ip_address  text,
    user_agent  text,
    created_at  timestamptz  not null,
    updated_at  timestamptz  not null,

    constraint sessions_token_key unique (token)
);

-- Whose sessions go with a person, and which have ended by themselves?
create index sessions_user_id_idx on auth.sessions (user_id);
create index sessions_expires_at_idx on auth.sessions (expires_at);

-- Better Auth wants it. It stays empty: nobody signs in with anything but a mailed link.
create table auth.accounts (
    id                        uuid         primary key,
    user_id                   uuid         not null
        constraint accounts_user_id_fkey references auth.users (id) on delete cascade,
    account_id                text         not null,
    provider_id               text         not null,
    access_token              text,
    refresh_token             text,
    id_token                  text,
    access_token_expires_at   timestamptz,
    refresh_token_expires_at  timestamptz,
    scope                     text,
    password                  text,
    created_at                timestamptz  not null,
    updated_at                timestamptz  not null
);

-- A mailed link that nobody has used yet: identifier is the SHA-256 of its token,
-- value says whom it signs in.
create table auth.verifications (
    id          uuid         primary key,
    identifier  text         not null,
    value       text         not null,
    expires_at  timestamptz  not null,
    created_at  timestamptz  not null,
    updated_at  timestamptz  not null,

    constraint verifications_identifier_key unique (identifier)
);

-- How many links are on their way to this person, and which were never used?
create index verifications_value_idx on auth.verifications (value, expires_at);
create index verifications_expires_at_idx on auth.verifications (expires_at);


-- Whether the ledger adds up: gives a row for each thing that is not as it must be, and none when all is well. What
-- constraints guard is looked at too: they may have been taken away by hand, or restored rows may have got past them.
create function verify_ledger()
returns table (invariant text, workspace_id uuid, subject_id uuid, details text) language sql stable as $$
    select 'a payout is the sum of its commissions', p.workspace_id, p.id,
           format('%s %s against commissions of %s', p.amount_cents, p.currency, coalesce(sum(c.amount_cents), 0))
    from payouts p left join commissions c on c.payout_id = p.id
    where p.failed_at is null and p.canceled_at is null
    group by p.id having p.amount_cents <> coalesce(sum(c.amount_cents), 0)

    union all
    select 'a payout that failed or was canceled has let go of its commissions', p.workspace_id, p.id,
           format('it still has %s', count(*))
    from payouts p join commissions c on c.payout_id = p.id
    where p.failed_at is not null or p.canceled_at is not null
    group by p.id

    union all
    select 'a commission is paid in its own currency, to its own partner', c.workspace_id, c.id,
           format('the payout is %s', c.payout_id)
    from commissions c left join payouts p on p.id = c.payout_id
    where c.payout_id is not null
      and (p.id is null or (c.partner_id, c.program_id, c.currency) is distinct from (p.partner_id, p.program_id, p.currency))

    union all
    select 'nothing is paid before it is payable', c.workspace_id, c.id, format('payable at %s', c.payable_at)
    from commissions c join payouts p on p.id = c.payout_id join payout_runs r on r.id = p.run_id
    where c.payable_at > r.cutoff_at

    union all
    select 'a transfer pays one payout', workspace_id, (array_agg(id))[1], format('%s pays %s', transfer_id, count(*))
    from payouts where transfer_id is not null
    group by workspace_id, transfer_id having count(*) > 1

    union all
    select 'a payout is as its manual run is', p.workspace_id, p.id, format('the run is %s', r.id)
    from payouts p join payout_runs r on r.id = p.run_id
    where r.method = 'manual'
      and (((p.paid_at is null) <> (r.marked_paid_at is null)) or ((p.canceled_at is null) <> (r.canceled_at is null)))

    union all
    select 'a payout goes the way of its run, and has a transfer once it is paid by Stripe', p.workspace_id, p.id,
           format('the run is %s, by %s', r.id, r.method)
    from payouts p join payout_runs r on r.id = p.run_id
    where (r.method = 'stripe') <> (p.stripe_account_id is not null)
       or (p.transfer_id is not null) <> (p.stripe_account_id is not null and p.paid_at is not null)
       or (r.method = 'stripe' and p.canceled_at is not null)
       or p.program_id <> r.program_id

    union all
    select 'a payout is sent to its own partner', p.workspace_id, p.id, format('%s is of %s', p.stripe_account_id, a.email)
    from payouts p join partners pa on pa.id = p.partner_id
    left join payout_accounts a on (a.workspace_id, a.stripe_account_id) = (p.workspace_id, p.stripe_account_id)
    where p.stripe_account_id is not null and a.email is distinct from pa.email

    union all
    select 'one commission stands for an event', c.workspace_id, c.event_id, format('there are %s', count(*))
    from current_commissions c where c.event_id is not null
    group by c.workspace_id, c.event_id having count(*) > 1

    union all
    select 'one one-time commission per customer', workspace_id, customer_id, format('there are %s', count(*))
    from commissions where one_time
    group by workspace_id, program_id, customer_id having count(*) > 1

    union all
    select 'one opening balance per partner', workspace_id, partner_id, format('there are %s', count(*))
    from commissions where kind = 'opening_balance'
    group by workspace_id, partner_id having count(*) > 1

    union all
    select 'reversals never exceed what they reverse', c.workspace_id, c.id,
           format('%s of %s %s', sum(r.amount_cents), c.amount_cents, c.currency)
    from commissions c join commissions r on r.reverses_id = c.id
    group by c.id having sum(r.amount_cents) not between -c.amount_cents and 0

    union all
    select 'a commission that another replaces is taken back whole', c.workspace_id, c.id,
           format('%s of %s %s', coalesce(sum(r.amount_cents), 0), c.amount_cents, c.currency)
    from commissions c join commissions n on n.replaces_id = c.id left join commissions r on r.reverses_id = c.id
    group by c.id having coalesce(sum(r.amount_cents), 0) <> -c.amount_cents

    union all
    select 'a reversal is of the same partner, event and currency', r.workspace_id, r.id, format('it reverses %s', c.id)
    from commissions r join commissions c on c.id = r.reverses_id
    where (r.partner_id, r.event_id, r.currency, r.payable_at)
          is distinct from (c.partner_id, c.event_id, c.currency, c.payable_at)
       or c.kind = 'reversal'

    union all
    select 'whoever an event is not credited to has earned nothing by it', c.workspace_id, e.id,
           format('%s has %s', c.partner_id, sum(c.amount_cents))
    from commissions c join events e on e.id = c.event_id
    where c.partner_id is distinct from e.partner_id
    group by c.workspace_id, e.id, c.partner_id, c.currency having sum(c.amount_cents) <> 0

    union all
    select 'one purchase earns once, whatever it is recorded as', c.workspace_id, e.id,
           format('%s has %s', c.partner_id, sum(c.amount_cents))
    from commissions c join events e on e.id = c.event_id
    where e.steps @> '[{"code": "same_purchase"}]'
    group by c.workspace_id, e.id, c.partner_id, c.currency having sum(c.amount_cents) <> 0

    union all
    select 'nothing joins two workspaces', j.workspace_id, j.id, j.what
    from (
        select c.id, c.workspace_id, 'a commission and its partner'
            from commissions c join partners p on p.id = c.partner_id where p.workspace_id <> c.workspace_id
        union all select c.id, c.workspace_id, 'a commission and its program'
            from commissions c join programs g on g.id = c.program_id where g.workspace_id <> c.workspace_id
        union all select c.id, c.workspace_id, 'a commission and its event'
            from commissions c join events e on e.id = c.event_id where e.workspace_id <> c.workspace_id
        union all select c.id, c.workspace_id, 'a commission and its customer'
            from commissions c join customers k on k.id = c.customer_id where k.workspace_id <> c.workspace_id
        union all select c.id, c.workspace_id, 'a commission and its reward'
            from commissions c join rewards w on w.id = c.reward_id where w.workspace_id <> c.workspace_id
        union all select c.id, c.workspace_id, 'a commission and its payout'
            from commissions c join payouts o on o.id = c.payout_id where o.workspace_id <> c.workspace_id
        union all select c.id, c.workspace_id, 'a reversal and its commission'
            from commissions c join commissions r on r.id = c.reverses_id where r.workspace_id <> c.workspace_id
        union all select o.id, o.workspace_id, 'a payout and its partner'
            from payouts o join partners p on p.id = o.partner_id where p.workspace_id <> o.workspace_id
        union all select o.id, o.workspace_id, 'a payout and its run'
            from payouts o join payout_runs r on r.id = o.run_id where r.workspace_id <> o.workspace_id
        union all select e.id, e.workspace_id, 'an event and its partner'
            from events e join partners p on p.id = e.partner_id where p.workspace_id <> e.workspace_id
        union all select e.id, e.workspace_id, 'an event and its customer'
            from events e join customers k on k.id = e.customer_id where k.workspace_id <> e.workspace_id
        union all select k.id, k.workspace_id, 'a customer and its partner'
            from customers k join partners p on p.id = k.partner_id where p.workspace_id <> k.workspace_id
        union all select p.id, p.workspace_id, 'a partner and its program'
            from partners p join programs g on g.id = p.program_id where g.workspace_id <> p.workspace_id
    ) j (id, workspace_id, what)
$$;
