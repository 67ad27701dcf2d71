-- Shadow runs: what another platform paid, and the comparison with what Tributary would pay.

-- The commissions of the platform that pays during a shadow run, from uploads or from its API. The
-- key is the platform's id, or a hash of a row without one. event_id is the sale of ours that one
-- of sale_ids names. Both sides are compared by customer, the bucket: see
-- lib/shadow/comparison/comparison.queries.ts.
create table platform_commissions (
    id              uuid         primary key,
    workspace_id    uuid         not null,
    program_id      uuid         not null,
    key             text         not null,
    state           text         not null
        constraint platform_commissions_state_check
            check (state in ('pending', 'due', 'paid', 'voided', 'other')),
    amount_cents    bigint       not null,
    currency        currency_code  not null,
    sale_cents      bigint,
    sale_ids        text[]       not null,
    customer_ref    text,
    customer_email  text,
    partner_email   text,
    sold_at         timestamptz  not null,
    created_at      timestamptz  not null,
    event_id        uuid,
    bucket          text,
    compared_at     timestamptz,              -- null: not compared yet

    constraint platform_commissions_program_id_key_key unique (program_id, key),
    constraint platform_commissions_program_id_fkey foreign key (workspace_id, program_id)
        references programs (workspace_id, id),
    constraint platform_commissions_event_id_fkey   foreign key (workspace_id, event_id)
        references events (workspace_id, id)
);

-- Which are not compared yet?
create index platform_commissions_waiting_idx on platform_commissions (program_id, id)
    where compared_at is null;

-- Which have this bucket, customer id or customer address? Which name this sale?
create index platform_commissions_bucket_idx         on platform_commissions (program_id, bucket);
create index platform_commissions_customer_ref_idx
    on platform_commissions (program_id, customer_ref) where customer_ref is not null;
create index platform_commissions_customer_email_idx
    on platform_commissions (program_id, customer_email) where customer_email is not null;
create index platform_commissions_sale_ids_idx       on platform_commissions
    using gin (sale_ids) with (fastupdate = off);
create index platform_commissions_event_id_idx       on platform_commissions (event_id)
    where event_id is not null;

-- Which name this partner? What is the newest sale?
create index platform_commissions_partner_email_idx
    on platform_commissions (program_id, partner_email, state);
create index platform_commissions_sold_at_idx       on platform_commissions (program_id, sold_at);

-- A result of a comparison: a sale and the other platform's matching commission, or one alone. The
-- id is that of the commission, else of the sale. One transaction replaces all results of a bucket.
create table shadow_comparisons (
    id                      uuid         not null,
    workspace_id            uuid         not null,
    program_id              uuid         not null,
    bucket                  text         not null,
    event_id                uuid,
    platform_commission_id  uuid,
    day                     date         not null,
    here_at                 timestamptz,
    outcome                 text         not null
        constraint shadow_comparisons_outcome_check
            check (outcome in ('same', 'different', 'only_here', 'only_there')),
    reason                  text,
    here_cents              bigint,
    here_currency           text,
    there_cents             bigint,
    there_currency          text,
    partner_id              uuid,
    compared_at             timestamptz      not null,   -- it has what was committed before

    constraint shadow_comparisons_pkey primary key (program_id, id),
    constraint shadow_comparisons_program_id_fkey foreign key (workspace_id, program_id)
        references programs (workspace_id, id),
    constraint shadow_comparisons_event_id_fkey   foreign key (workspace_id, event_id)
        references events (workspace_id, id),
    constraint shadow_comparisons_partner_id_fkey foreign key (workspace_id, partner_id)
        references partners (workspace_id, id),
    constraint shadow_comparisons_platform_commission_id_fkey
        foreign key (platform_commission_id) references platform_commissions (id)
);

-- One result per sale and per commission.
create unique index shadow_comparisons_event_id_key on shadow_comparisons (event_id, program_id)
    where event_id is not null;
create unique index shadow_comparisons_platform_commission_id_key
    on shadow_comparisons (platform_commission_id) where platform_commission_id is not null;

-- What was found, newest day first, of each outcome and reason, of a partner, and of a customer?
create index shadow_comparisons_day_idx     on shadow_comparisons (program_id, day, id);
create index shadow_comparisons_outcome_idx on shadow_comparisons (program_id, outcome, day, id);
create index shadow_comparisons_reason_idx  on shadow_comparisons (program_id, reason, day, id)
    where reason is not null;
create index shadow_comparisons_partner_idx on shadow_comparisons (partner_id, program_id, day, id)
    where partner_id is not null;
create index shadow_comparisons_bucket_idx  on shadow_comparisons (program_id, bucket);
