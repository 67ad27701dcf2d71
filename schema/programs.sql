-- Programs: their terms, rewards and groups, and the pages on which partners join.

-- A reward is a percentage of a sale or a flat amount. Rows are immutable: an edit inserts a new
-- row, so that commissions keep their reward.
create table rewards (
    id            uuid         primary key,
    workspace_id  uuid         not null
        constraint rewards_workspace_id_fkey references workspaces (id),
    kind          text         not null
        constraint rewards_kind_check check (kind in ('percent', 'flat')),
    basis_points  integer
        constraint rewards_basis_points_check check (basis_points between 0 and 10000),
    amount_cents  bigint
        constraint rewards_amount_cents_check check (amount_cents between 0 and 99999999999999),
    currency      char(3)
        constraint rewards_currency_check check (currency ~ '^[A-Z]{3}$'),
    -- Rule[] in lib/rules/rewards/rewards.ts. Not jsonb, which would sort the keys of conditions:
    -- they are answered as they were sent.
    rules         json
        constraint rewards_rules_check check (json_array_length(rules) between 1 and 30),
    -- Cap[] in lib/rules/rewards/caps.ts
    caps          json
        constraint rewards_caps_check check (json_array_length(caps) between 1 and 30),
    created_at    timestamptz  not null default now(),

    constraint rewards_percent_check check ((kind = 'percent') = (basis_points is not null)),
    constraint rewards_flat_check    check ((kind = 'flat') = (amount_cents is not null)
                                        and (kind = 'flat') = (currency is not null)),
    constraint rewards_workspace_id_id_key unique (workspace_id, id)
);

-- A program holds the terms on which a merchant rewards its partners.
create table programs (
    id                         uuid         primary key,
    workspace_id               uuid         not null
        constraint programs_workspace_id_fkey references workspaces (id),
    name                       text         not null,
    site_url                   text         not null,
    reward_id                  uuid         not null,
    reward_interval            text         not null
        constraint programs_reward_interval_check
            check (reward_interval in ('one-time', 'recurring')),
    -- from the customer's first sale commission; null is unlimited
    reward_duration_months     integer
        constraint programs_reward_duration_months_check
            check (reward_duration_months between 1 and 1200),
    -- a smaller sale does not earn a one-time reward
    one_time_minimum_cents     bigint       not null
        constraint programs_one_time_minimum_cents_check
            check (one_time_minimum_cents between 0 and 99999999999999),
    one_time_per               text         not null default 'customer'
        constraint programs_one_time_per_check check (one_time_per in ('customer', 'product')),
    -- Tiers in lib/rules/tiers/tiers.ts; json, so that it is answered as it was sent
    tiers                      json,
    -- Bonus[] in lib/rules/bonuses/bonuses.ts; null if there never was one
    bonuses                    json,
    -- {amountCents, currency} of a calendar month in UTC; what is above it is held
    monthly_budget             json,
    reward_shipping            boolean      not null,
    credit_out_of_band         boolean      not null,
    holding_days               integer      not null
        constraint programs_holding_days_check check (holding_days between 0 and 3650),
    -- from the last day of the sale's month; null is holding_days alone
    net_days                   integer
        constraint programs_net_days_check check (net_days between 1 and 365),
    attribution_days           integer      not null
        constraint programs_attribution_days_check check (attribution_days between 1 and 3650),
    attribution                text         not null
        constraint programs_attribution_check check (attribution in ('last', 'first')),
    attribute_known_customers  boolean      not null,
    -- in which a later report can credit a payment of its customer
    late_lead_days             integer      not null default 0
        constraint programs_late_lead_days_check check (late_lead_days between 0 and 90),
    -- whether reports may name a partner by slug or coupon
    trusted_attribution        boolean      not null default false,
    -- commissions of customers with the partner's own address
    self_referrals             text         not null default 'hold'
        constraint programs_self_referrals_check
            check (self_referrals in ('hold', 'allow', 'refuse')),
    -- commissions that only an unverified address credits
    unverified_addresses       text         not null default 'allow'
        constraint programs_unverified_addresses_check
            check (unverified_addresses in ('allow', 'hold')),
    minimum_payout_cents       bigint       not null
        constraint programs_minimum_payout_cents_check
            check (minimum_payout_cents between 0 and 99999999999999),
    -- managers are mailed when more is made payable by hand in a day
    manual_earnings_notice_cents  bigint    not null default 10000
        constraint programs_manual_earnings_notice_cents_check
            check (manual_earnings_notice_cents between 0 and 99999999999999),
    payout_schedule            text         not null
        constraint programs_payout_schedule_check
            check (payout_schedule in ('manual', 'weekly', 'twice_monthly', 'monthly')),
    -- null is the schedule's own; 31 is the last day of the month
    payout_days                integer[],
    -- between a scheduled run and its sending
    review_days                integer      not null default 0
        constraint programs_review_days_check check (review_days between 0 and 14),
    -- earlier occurrences create no runs
    payout_schedule_since      timestamptz  not null default now(),
    -- the latest occurrence of which managers got a preview
    payouts_previewed_for      timestamptz,
    -- null until terms are changed
    terms_since                timestamptz,
    -- shadow: another platform pays, and nothing decided here is payable
    mode                       text         not null default 'live'
        constraint programs_mode_check check (mode in ('live', 'shadow')),
    -- when its first shadow run began; null without one
    shadow_since               timestamptz,
    -- when tiers move its partners next; null if no tier has a group
    tiers_due_at               timestamptz,
    -- the last partner of a look at all of them that goes on
    tiers_partner_id           uuid,
    created_at                 timestamptz  not null default now(),

    constraint programs_workspace_id_id_key unique (workspace_id, id),
    constraint programs_shadow_since_check check (mode = 'live' or shadow_since is not null),
    constraint programs_payout_days_check check (case payout_schedule
        when 'weekly'        then cardinality(payout_days) = 1 and 1 <= all (payout_days)
            and 7 >= all (payout_days)
        when 'monthly'       then cardinality(payout_days) = 1 and 1 <= all (payout_days)
            and 31 >= all (payout_days)
        when 'twice_monthly' then cardinality(payout_days) = 2 and 1 <= all (payout_days)
            and 31 >= all (payout_days)
                                  and payout_days[1] < payout_days[2]
        else payout_days = '{}' end),
    constraint programs_reward_id_fkey foreign key (workspace_id, reward_id)
        references rewards (workspace_id, id)
);

-- Whose tiers are to move partners?
create index programs_tiers_due_at_idx on programs (tiers_due_at) where tiers_due_at is not null;

-- Former terms of programs, and until when they applied. A sale is decided with the terms in force
-- when it was paid, even if it is received later. An update of programs writes the row in the same
-- statement. A program with unchanged terms has none.
create table former_program_terms (
    workspace_id               uuid         not null,
    program_id                 uuid         not null,
    until                      timestamptz  not null,
    reward_id                  uuid         not null,
    reward_interval            text         not null,
    reward_duration_months     integer,
    one_time_minimum_cents     bigint       not null,
    one_time_per               text         not null,
    tiers                      json,
    reward_shipping            boolean      not null,
    credit_out_of_band         boolean      not null,
    holding_days               integer      not null,
    net_days                   integer,
    attribution                text         not null,
    attribute_known_customers  boolean      not null,
    late_lead_days             integer      not null,
    self_referrals             text         not null,
    unverified_addresses       text         not null,

    constraint former_program_terms_pkey primary key (program_id, until),
    constraint former_program_terms_program_id_fkey foreign key (workspace_id, program_id)
        references programs (workspace_id, id),
    constraint former_program_terms_reward_id_fkey  foreign key (workspace_id, reward_id)
        references rewards (workspace_id, id)
);

-- The terms in force at a time are those with the first `until` after it. The budget is the present
-- one.
create or replace view program_terms as
    select id, timestamptz 'infinity' as until, reward_id, reward_interval, reward_duration_months,
        one_time_minimum_cents, one_time_per, tiers,
           reward_shipping, credit_out_of_band, holding_days, net_days, attribution,
               attribute_known_customers,
           late_lead_days, self_referrals, unverified_addresses, monthly_budget
    from programs
    union all
    select program_id, until, reward_id, reward_interval, reward_duration_months,
        one_time_minimum_cents, one_time_per, tiers,
           reward_shipping, credit_out_of_band, holding_days, net_days, attribution,
               attribute_known_customers,
           late_lead_days, self_referrals, unverified_addresses,
           (select g.monthly_budget from programs g where g.id = program_id)
    from former_program_terms;

-- Shadow runs of programs, while another platform pays. A program with an open run has the mode
-- 'shadow'. Commissions that are decided, or take place, during a run are never payable: see
-- complete_commission.
create table shadow_runs (
    workspace_id  uuid         not null,
    program_id    uuid         not null,
    started_at    timestamptz  not null,
    ended_at      timestamptz,              -- the cut-over
    -- CutOverResult in lib/shadow/cut-over/cut-over.ts
    cut_over      jsonb,
    -- when the platform was first read by its API: later uploads need its ids
    api_since     timestamptz,
    -- the last compared event or commission of ours
    compared_after  uuid,
    -- the last compared one of the waiting uploaded commissions
    waiting_after   uuid,
    compare_owner   uuid,                   -- the running comparison, and its lease
    compare_until   timestamptz,
    looked_at       timestamptz,            -- by cron
    mailed_at       timestamptz,            -- the last weekly mail

    constraint shadow_runs_pkey primary key (program_id, started_at),
    constraint shadow_runs_ended_at_check check (ended_at >= started_at),
    constraint shadow_runs_program_id_fkey foreign key (workspace_id, program_id)
        references programs (workspace_id, id)
);

create unique index shadow_runs_open_key on shadow_runs (program_id) where ended_at is null;

-- A group of partners with rewards that replace the program's. A null sale_reward_id uses the
-- program's reward. A null lead_reward_id means that leads earn nothing.
create table groups (
    id              uuid         primary key,
    workspace_id    uuid         not null,
    program_id      uuid         not null,
    name            text         not null,
    sale_reward_id  uuid,
    lead_reward_id  uuid,
    terms_since     timestamptz,   -- null until a reward is changed
    created_at      timestamptz  not null default now(),

    constraint groups_workspace_id_id_key unique (workspace_id, id),
    constraint groups_program_id_id_key   unique (program_id, id),
    constraint groups_program_id_fkey     foreign key (workspace_id, program_id)
        references programs (workspace_id, id),
    constraint groups_sale_reward_id_fkey foreign key (workspace_id, sale_reward_id)
        references rewards (workspace_id, id),
    constraint groups_lead_reward_id_fkey foreign key (workspace_id, lead_reward_id)
        references rewards (workspace_id, id)
);

-- Former rewards of groups: see former_program_terms.
create table former_group_terms (
    workspace_id    uuid         not null,
    group_id        uuid         not null,
    until           timestamptz  not null,
    sale_reward_id  uuid,
    lead_reward_id  uuid,

    constraint former_group_terms_pkey primary key (group_id, until),
    constraint former_group_terms_group_id_fkey       foreign key (workspace_id, group_id)
        references groups (workspace_id, id),
    constraint former_group_terms_sale_reward_id_fkey foreign key (workspace_id, sale_reward_id)
        references rewards (workspace_id, id),
    constraint former_group_terms_lead_reward_id_fkey foreign key (workspace_id, lead_reward_id)
        references rewards (workspace_id, id)
);

create or replace view group_terms as
    select id, timestamptz 'infinity' as until, name, sale_reward_id, lead_reward_id from groups
    union all
    select g.id, f.until, g.name, f.sale_reward_id, f.lead_reward_id
    from former_group_terms f join groups g on g.id = f.group_id;

-- The public page of a program, /join/:program, for applications. A program may have none.
create table join_pages (
    program_id    uuid         not null
        constraint join_pages_pkey primary key,
    workspace_id  uuid         not null,
    is_open       boolean      not null,   -- whether it takes applications
    intro         text         not null,   -- what the merchant says of the program
    questions     jsonb        not null,   -- texts, at most five, which an application answers
    -- whether applications are approved at once, without a manager
    approves      boolean      not null,
    group_id      uuid,                    -- of approved applicants

    constraint join_pages_program_id_fkey foreign key (workspace_id, program_id)
        references programs (workspace_id, id),
    constraint join_pages_group_id_fkey   foreign key (program_id, group_id)
        references groups (program_id, id)
);

-- How a program looks on that page, in the portal and in its mails. The version increases with each
-- change, so that a form never overwrites values that it did not show. change_id identifies the
-- newest change, which may be repeated. Pages use the origin of the logo in their content security
-- policy, and the color in a style sheet, so both are also checked here.
create table brands (
    program_id     uuid     not null
        constraint brands_pkey primary key,
    workspace_id   uuid     not null,
    logo_url       text
        constraint brands_logo_url_check
            check (logo_url ~ '^https://[a-z0-9.-]+(:[0-9]+)?/' and length(logo_url) <= 2000),
    accent_color   text
        constraint brands_accent_color_check check (accent_color ~ '^#[0-9a-f]{6}$'),
    support_email  text,
    -- null until confirmed by the mailbox; replies then go there
    support_email_verified_at  timestamptz,
    support_check_hash         text           -- of the token in the newest confirmation mail
        constraint brands_support_check_hash_key unique,
    support_check_until        timestamptz,
    version        integer  not null,
    change_id      uuid     not null,

    constraint brands_support_check
        check (support_email is not null
        or num_nonnulls(support_email_verified_at, support_check_hash) = 0),
    constraint brands_support_check_until_check
        check ((support_check_hash is null) = (support_check_until is null)),

    constraint brands_program_id_fkey foreign key (workspace_id, program_id)
        references programs (workspace_id, id)
);

-- The terms that partners accept. A changed text is a new version, and versions never change.
create table agreements (
    program_id    uuid         not null,
    version       integer      not null,
    workspace_id  uuid         not null,
    content       text         not null,
    created_by    text         not null,
    created_at    timestamptz  not null,

    constraint agreements_pkey primary key (program_id, version),
    constraint agreements_program_id_fkey foreign key (workspace_id, program_id)
        references programs (workspace_id, id)
);


-- Functions and triggers.

create or replace trigger rewards_never_change
    before update on rewards for each row execute function refuse_update();

-- A reward as JSON; null for none.
create or replace function reward_of(reward uuid) returns json language plpgsql stable as $$
begin
    if reward is null then return null; end if;
    return (
        select json_build_object(
            'id', r.id, 'kind', r.kind, 'basisPoints', r.basis_points, 'amountCents',
                r.amount_cents, 'currency', r.currency, 'rules', r.rules, 'caps', r.caps)
        from rewards r where r.id = reward);
end $$;
