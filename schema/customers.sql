-- Customers: clicks, the people who clicked, the ids that name them, and who referred them.

-- A visit through a partner's link. expires_at is fixed at the visit, from the
-- program's attribution_days of that time.
create table clicks (
    id            text         not null,
    workspace_id  uuid         not null,
    partner_id    uuid         not null,
    slug_key      text,                                 -- of the link
    landing_url   text,
    referrer      text,
    -- the channel that the link names by `sub`
    sub           text,
    created_at    timestamptz  not null,
    expires_at    timestamptz  not null,
    -- in charts; it credits its partner either way
    is_counted    boolean      not null default true,

    constraint clicks_pkey primary key (workspace_id, id),
    constraint clicks_partner_id_fkey foreign key (workspace_id, partner_id)
        references partners (workspace_id, id)
);

-- Which fields a customer has together, and which exclude each other. A function: see is_of_kind.
create or replace function is_whole_customer(prior jsonb, started_at timestamptz,
    started_program_id uuid, merged_into uuid, partner_id uuid, replan_from timestamptz,
    addressed_from timestamptz) returns boolean language plpgsql immutable as $$
begin
    return (prior is null or prior ?& '{partnerId,commissions,amountCents,currency}')
       and (started_at is null) = (started_program_id is null)
       and (merged_into is null or num_nonnulls(partner_id, replan_from, addressed_from) = 0);
end $$;

-- One person or company. external_id is for display: the merchant's own id if it is known,
-- else the payment processor's, else an address. Customers are found by their identities.
-- partner_id is the present owner after the referrals; nobody owns a customer who was only
-- seen paying. When two customers turn out to be one, merged_into of one names the other,
-- which takes over all that refers to it but the commissions. started_at is the first
-- rewarded sale on another platform, as the latest import reported it. prior is what a partner
-- was paid there for the customer: it is shown to that partner, and never in the ledger.
create table customers (
    id                  uuid         primary key,
    workspace_id        uuid         not null
        constraint customers_workspace_id_fkey references workspaces (id),
    external_id         text         not null,
    email               text,
    name                text,
    partner_id          uuid,
    created_at          timestamptz  not null,
    imported_at         timestamptz,                -- when an import last set the partner
    started_at          timestamptz,
    started_program_id  uuid,
    -- {partnerId, commissions, amountCents, currency}; either number may be null
    prior               jsonb,
    merged_into         uuid,
    revision            integer      not null default 0,   -- for optimistic concurrency
    -- sales from this time on are to be recomputed
    replan_from         timestamptz,
    -- and payments that its addresses may match from this time on
    addressed_from      timestamptz,

    constraint customers_workspace_id_id_key unique (workspace_id, id),
    constraint customers_whole_check
        check (is_whole_customer(prior, started_at, started_program_id, merged_into, partner_id,
            replan_from, addressed_from)),
    constraint customers_merged_into_fkey foreign key (workspace_id, merged_into)
        references customers (workspace_id, id),
    constraint customers_partner_id_fkey foreign key (workspace_id, partner_id)
        references partners (workspace_id, id),
    constraint customers_started_program_id_fkey
        foreign key (workspace_id, started_program_id) references programs (workspace_id, id)
);

-- Which customers does this partner have, and who was merged into this customer?
create index customers_partner_id_idx on customers (partner_id, id);
create index customers_merged_into_idx on customers (merged_into, workspace_id)
    where merged_into is not null;

-- Which customers wait for their sales to be recomputed, because a request was interrupted?
create index customers_replan_idx on customers (id)
    where replan_from is not null or addressed_from is not null;

-- What was this partner paid for its customers on another platform?
create index customers_prior_idx on customers (partner_id) where prior is not null;

-- Which customers have this address for display?
create index customers_workspace_id_email_idx on customers (workspace_id, email)
    where email is not null;

-- Which customers does this workspace have, newest first? Those whom nobody owns are not listed.
create index customers_workspace_id_idx on customers (workspace_id, id)
    where partner_id is not null;

-- What a customer is known by. The merchant's own ids (external), a payment processor's
-- customer ids, and a guest's address or payment each belong to one customer. Addresses
-- that the merchant reported (email) may be of several: they only match. One that an import
-- gave matches payments from then on, one of a lead those before too, within the program's
-- late_lead_days. created_at is then when the first of these took place.
create table customer_identities (
    workspace_id  uuid         not null,
    customer_id   uuid         not null,
    kind          identity_kind  not null,
    value         text         not null,
    -- of an address: a lead says that it is the customer's
    is_verified   boolean      not null default false,
    -- what named it first, or tied it to the customer's others
    source        identity_source  not null,
    -- the id of that lead, sale, purchase or processor's customer
    evidence      text,
    created_at    timestamptz  not null,

    constraint customer_identities_pkey primary key (customer_id, kind, value),
    constraint customer_identities_customer_id_fkey
        foreign key (workspace_id, customer_id) references customers (workspace_id, id)
);

-- Whose id is this? A value names one customer per kind; people search for it without the kind.
create unique index customer_identities_workspace_id_kind_value_key
    on customer_identities (workspace_id, value, kind) where kind <> 'email';

-- Who has this address?
create index customer_identities_email_idx on customer_identities (workspace_id, value)
    where kind = 'email';

-- Two customers whom the reference of a checkout names as one. A buyer may have written it, and
-- both have payments or an owner, so a manager decides. A pair stays after that, and after a
-- merge with a third customer, so that it is never asked about again.
create table possible_merges (
    id                 uuid         primary key,
    workspace_id       uuid         not null,
    customer_id        uuid         not null,    -- who paid
    named_customer_id  uuid         not null,    -- whom the checkout names
    checkout_id        text         not null,    -- the payment processor's
    created_at         timestamptz  not null,
    resolved_at        timestamptz,
    resolution         text
        constraint possible_merges_resolution_check check (resolution in ('merged', 'dismissed')),
    resolved_by        text,                     -- an email address

    constraint possible_merges_resolved_check
        check (num_nulls(resolved_at, resolution, resolved_by) in (0, 3)),
    constraint possible_merges_customer_id_named_customer_id_key unique (customer_id,
        named_customer_id),
    constraint possible_merges_customer_id_fkey foreign key (workspace_id, customer_id)
        references customers (workspace_id, id),
    constraint possible_merges_named_customer_id_fkey
        foreign key (workspace_id, named_customer_id) references customers (workspace_id, id)
);

-- Which pairs is this customer in, as the one whom a checkout names?
create index possible_merges_named_customer_id_idx on possible_merges (named_customer_id);

-- Which pairs does this workspace have, newest first?
create index possible_merges_workspace_id_idx on possible_merges (workspace_id, id);

-- Who referred a customer, also when another partner owned it and kept it: see
-- lib/rules/identities/owner.ts. The origin is the report, the purchase or the row of an import
-- that says so: 'import', the call and the number of the row, in four digits. So the later row of a
-- call prevails when the customers of two of them turn out to be one. attribution is the
-- program's setting of that time.
create table referrals (
    workspace_id  uuid         not null,
    customer_id   uuid         not null,
    origin        text         not null,
    partner_id    uuid         not null,
    source        referral_source   not null,
    attribution   attribution_rule  not null,
    referred_at   timestamptz  not null,
    -- of a report's click: when the customer was referred
    clicked_at    timestamptz,
    -- of an import: when another platform first rewarded a sale
    started_at    timestamptz,

    constraint referrals_pkey primary key (customer_id, origin),
    constraint referrals_customer_id_fkey foreign key (workspace_id, customer_id)
        references customers (workspace_id, id),
    constraint referrals_partner_id_fkey  foreign key (workspace_id, partner_id)
        references partners (workspace_id, id)
);

-- Does any refer to a partner who is deleted?
create index referrals_partner_id_idx on referrals (partner_id);

-- An event that is recorded under another id too counts there.
create or replace function is_counted(steps jsonb) returns boolean language sql immutable as $$
    select not steps @> '[{"code": "same_purchase"}]'
$$;

-- Which clicks have expired?
create index clicks_expires_at_idx on clicks (expires_at, id);


-- Functions and triggers.

-- The present owner by all referrals: the partner of the latest one that moves a customer, else of
-- the first one. As ownerAt of lib/rules/identities/owner.ts, which a test compares: here, because
-- all referrals are known under the customer's lock only.
create or replace function present_owner(customer uuid) returns uuid language sql stable as $$
    select partner_id
    from referrals r cross join lateral (
        select source = 'import' or attribution = 'last', origin collate "C") m (moves, place)
    where customer_id = customer
    order by moves desc, case when moves then referred_at end desc,
        case when moves then place end desc, referred_at, place
    limit 1
$$;
