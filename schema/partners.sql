-- Partners: their terms, addresses, links and coupons, and their applications.

-- How a slug looks to people, by its key. Slugs that look alike have the same text: without
-- hyphens, accents and invisible characters, with 0 as o, 1 and i as l, rn as m, vv as w, and
-- Cyrillic and Greek letters as similar Latin ones.
create or replace function slug_look(slug_key text) returns text language sql immutable as $$
    select replace(replace(translate(
        case when octet_length(slug_key) = length(slug_key) then slug_key
             else translate(normalize(slug_key, NFKD),
                      U&'\0430\0441\0501\0435\04bb\0456\0458\04cf\043e\0440\051b\0455\051d\0445\0443\04af\043a\043c\0442'
                      '\03b1\03bf\03c1\03bd\03b9\03ba\03c4\03c5\03c7\0131'
                      -- These have no counterpart, and are left out.
                      '\0300\0301\0302\0303\0304\0306\0307\0308\030a\030b\030c\0323\0327\0328'
                      '\00ad\200b\200c\200d\200e\200f\202a\202b\202c\202d\202e\2060\2066\2067\2068\2069\feff',
                      'acdehijlopqswxyykmtaopviktuxi') end,
        '01i-_. ', 'oll'), 'rn', 'm'), 'vv', 'w')
$$;

-- A partner refers visitors to one program. slug is the text of its links; slug_key is
-- the slug normalized for comparison. Email addresses are stored normalized.
create table partners (
    id            uuid         primary key,
    workspace_id  uuid         not null,
    program_id    uuid         not null,
    group_id      uuid,
    reward_id     uuid,                    -- its own, for sales; null is the group's or the program's
    email         text         not null,
    name          text,
    slug          text         not null,
    slug_key      text         not null,
    former_link   text,                    -- on an earlier platform, unchanged
    status        text         not null default 'approved'
        constraint partners_status_check check (status in ('approved', 'banned')),
    minimum_payout_cents  bigint   -- null is the program's
        constraint partners_minimum_payout_cents_check
            check (minimum_payout_cents between 0 and 99999999999999),
    terms_since   timestamptz,   -- null until the group, reward or status is changed
    documents_received_at timestamptz,   -- set by a manager
    created_at    timestamptz  not null default now(),
    -- for tests, and never paid
    is_test       boolean      not null default false,
    -- of the portal or the application, as last read; null until then. Not text: see narrow rows
    -- in docs/adr/2-planner-settings.md
    language      char(2)
        constraint partners_language_check check (language in ('en', 'de', 'fr', 'es', 'pt')),
    undone_at     timestamptz,   -- set by undo_import

    constraint partners_undone_check            check (undone_at is null or status = 'banned'),
    constraint partners_workspace_id_id_key     unique (workspace_id, id),
    constraint partners_program_id_email_key    unique (program_id, email),
    constraint partners_program_id_slug_key_key unique (program_id, slug_key),
    -- last, for foreign keys: see repeated condition in docs/adr/2-planner-settings.md
    constraint partners_program_id_id_key       unique (program_id, id),
    constraint partners_program_id_fkey foreign key (workspace_id, program_id)
        references programs (workspace_id, id),
    constraint partners_group_id_fkey   foreign key (program_id, group_id)
        references groups (program_id, id),
    constraint partners_reward_id_fkey  foreign key (workspace_id, reward_id)
        references rewards (workspace_id, id)
);

-- Which slug of a program looks like this one? In the other order of columns, plans would use the
-- index to list the partners of a program.
create index partners_slug_look_idx on partners (slug_look(slug_key), program_id);

-- Has this reward a partner? For the foreign key, when a workspace is deleted.
create index partners_reward_id_idx on partners (reward_id) where reward_id is not null;

-- Which partner is for tests? A program has at most one.
create unique index partners_test_key on partners (program_id) where is_test;

-- Which partners of this workspace come first by name? Partial and without the id. Otherwise
-- Postgres may use it for look-ups and foreign keys by id, and read the whole workspace.
create index partners_name_idx on partners (workspace_id, lower(coalesce(name, slug)))
    where undone_at is null;

-- In which programs does this address have a partner?
create index partners_email_idx on partners (email, workspace_id);

-- A former address of a partner. Imports find the partner by it, and create no duplicate.
create table former_partner_addresses (
    program_id  uuid         not null,
    email       text         not null,
    partner_id  uuid         not null,
    until       timestamptz  not null,

    constraint former_partner_addresses_pkey primary key (email, program_id),
    constraint former_partner_addresses_partner_id_fkey foreign key (program_id, partner_id)
        references partners (program_id, id)
);

-- Which former addresses does this partner have?
create index former_partner_addresses_partner_id_idx on former_partner_addresses (partner_id);

-- A request of a partner to change its address in all programs, or of a member in all workspaces.
-- The link that proves the new address is stored as a hash, and requires a session of the old
-- address. A member's request also needs a link to the old address (old_token_hash), and is done
-- once both are confirmed.
create table address_changes (
    id                uuid         primary key,
    email             text         not null,
    new_email         text         not null,
    token_hash        text         not null,
    old_token_hash    text,
    created_at        timestamptz  not null,
    expires_at        timestamptz  not null,
    new_confirmed_at  timestamptz,
    old_confirmed_at  timestamptz,
    done_at           timestamptz,
    -- of the token that reverts a partner's change, in the mail to the old address
    revert_hash       text,
    reverted_at       timestamptz,

    constraint address_changes_revert_hash_key    unique (revert_hash),
    constraint address_changes_revert_check
        check ((revert_hash is null or (old_token_hash is null and done_at is not null))
               and (reverted_at is null or revert_hash is not null)),
    constraint address_changes_token_hash_key     unique (token_hash),
    constraint address_changes_old_token_hash_key unique (old_token_hash),
    constraint address_changes_confirmed_check
        check (old_token_hash is not null or num_nonnulls(new_confirmed_at, old_confirmed_at) = 0),
    constraint address_changes_done_check
        check (old_token_hash is null or done_at is null
            or num_nulls(new_confirmed_at, old_confirmed_at) = 0)
);

-- How many requests of this person are open?
create index address_changes_email_idx on address_changes (email, expires_at);

-- Former groups, rewards and statuses of partners: see former_program_terms.
create table former_partner_terms (
    workspace_id  uuid         not null,
    partner_id    uuid         not null,
    until         timestamptz  not null,
    group_id      uuid,
    status        text         not null,
    reward_id     uuid,

    constraint former_partner_terms_pkey primary key (partner_id, until),
    constraint former_partner_terms_partner_id_fkey foreign key (workspace_id, partner_id)
        references partners (workspace_id, id),
    constraint former_partner_terms_group_id_fkey   foreign key (workspace_id, group_id)
        references groups (workspace_id, id),
    constraint former_partner_terms_reward_id_fkey  foreign key (workspace_id, reward_id)
        references rewards (workspace_id, id)
);

-- Had this reward a partner? For the foreign key, likewise.
create index former_partner_terms_reward_id_idx on former_partner_terms (reward_id)
    where reward_id is not null;

create or replace view partner_terms as
    select id, timestamptz 'infinity' as until, program_id, email, slug, group_id, status,
        reward_id
        from partners
    union all
    select p.id, f.until, p.program_id, p.email, p.slug, f.group_id, f.status, f.reward_id
    from former_partner_terms f join partners p on p.id = f.partner_id;

-- A coupon or promotion code at the payment processor whose use credits a partner.
-- One partner per workspace holds it; only a manager moves it.
create table coupon_aliases (
    id            uuid         primary key,
    workspace_id  uuid         not null,
    partner_id    uuid         not null,
    coupon_id     text         not null,
    label         text,
    created_at    timestamptz  not null default now(),

    constraint coupon_aliases_workspace_id_coupon_id_key unique (workspace_id, coupon_id),
    constraint coupon_aliases_partner_id_fkey foreign key (workspace_id, partner_id)
        references partners (workspace_id, id)
);

-- Which coupons does this partner have?
create index coupon_aliases_partner_id_idx on coupon_aliases (partner_id);

-- Which coupons have this code? A report names a coupon by its id or its label, as a customer types
-- it: in any case and Unicode form.
create index coupon_aliases_code_idx  on coupon_aliases (workspace_id, lower(normalize(coupon_id)));
create index coupon_aliases_label_idx on coupon_aliases (workspace_id, lower(normalize(label)));

-- Notes of managers about a partner. Partners never see them.
create table partner_notes (
    id            uuid         primary key,
    workspace_id  uuid         not null,
    partner_id    uuid         not null,
    author        text         not null,   -- as audit_entries.actor
    content       text         not null
        constraint partner_notes_content_check check (char_length(content) between 1 and 2000),
    created_at    timestamptz  not null,

    constraint partner_notes_partner_id_fkey foreign key (workspace_id, partner_id)
        references partners (workspace_id, id)
);

-- Which notes are about this partner, newest first?
create index partner_notes_partner_id_idx on partner_notes (partner_id, id);

-- A further link of a partner. The main link has partners.slug. A former main slug stays as a
-- further link, because visitors and bookmarks use it. A slug is unique in a program across both
-- tables: writers hold the lock 'partners.import <workspace>', and check both.
create table links (
    id            uuid         primary key,
    workspace_id  uuid         not null,
    program_id    uuid         not null,
    partner_id    uuid         not null,
    slug          text         not null,
    slug_key      text         not null,
    created_at    timestamptz  not null,

    constraint links_program_id_slug_key_key unique (program_id, slug_key),
    constraint links_partner_id_fkey foreign key (workspace_id, partner_id)
        references partners (workspace_id, id),
    constraint links_program_id_fkey foreign key (program_id, partner_id)
        references partners (program_id, id)
);

-- Which further links does this partner have? Which partner of the workspace has this one?
create index links_partner_id_idx   on links (partner_id);
create index links_workspace_id_idx on links (workspace_id, slug_key);
-- Which slug of a program looks like this one?
create index links_slug_look_idx    on links (slug_look(slug_key), program_id);

-- The versions of the terms that partners have accepted.
create table agreement_acceptances (
    partner_id    uuid         not null,
    version       integer      not null,
    program_id    uuid         not null,
    workspace_id  uuid         not null,
    accepted_at   timestamptz  not null,

    constraint agreement_acceptances_pkey primary key (partner_id, version),
    constraint agreement_acceptances_version_fkey    foreign key (program_id, version)
        references agreements (program_id, version),
    constraint agreement_acceptances_partner_id_fkey foreign key (workspace_id, partner_id)
        references partners (workspace_id, id)
);

-- An application to become a partner, by somebody who has signed in or whom a manager has invited.
-- One per address and program: a rejected person may apply again, in the same row, unless blocked.
create table applications (
    id                 uuid         primary key,
    workspace_id       uuid         not null,
    program_id         uuid         not null,
    email              text         not null,
    name               text         not null,
    site_url           text,
    promotion          text         not null,   -- how the person will promote the program
    answers            jsonb        not null,   -- [{question, answer}], as the page asked
    -- the accepted version; null if there were no terms
    agreement_version  integer,
    invited_at         timestamptz,
    invited_by         text,
    group_id           uuid,                    -- set by an invitation
    applied_at         timestamptz,             -- null: invited, and not applied yet
    language           text                     -- of the page on which the person applied
        constraint applications_language_check check (language in ('en', 'de', 'fr', 'es', 'pt')),
    outcome            text
        constraint applications_outcome_check check (outcome in ('approved', 'rejected')),
    decided_at         timestamptz,
    decided_by         text,                    -- null: automatic
    reason             text,                    -- why it was rejected
    is_blocked         boolean      not null default false,   -- may not apply again
    partner_id         uuid,
    status             text not null generated always as (
        coalesce(outcome, case when applied_at is null then 'invited' else 'applied' end)) virtual,

    constraint applications_program_id_email_key unique (program_id, email),
    constraint applications_outcome_decided_check check ((outcome is null) = (decided_at is null)),
    constraint applications_partner_id_check
        check ((partner_id is not null) = (outcome is not distinct from 'approved')),
    constraint applications_is_blocked_check
        check (not is_blocked or outcome is not distinct from 'rejected'),
    constraint applications_invited_check
        check ((invited_at is null) = (invited_by is null)),
    constraint applications_origin_check
        check (invited_at is not null or applied_at is not null),
    constraint applications_program_id_fkey foreign key (workspace_id, program_id)
        references programs (workspace_id, id),
    constraint applications_group_id_fkey   foreign key (program_id, group_id)
        references groups (program_id, id),
    constraint applications_partner_id_fkey foreign key (workspace_id, partner_id)
        references partners (workspace_id, id),
    constraint applications_agreement_version_fkey foreign key (program_id, agreement_version)
        references agreements (program_id, version)
);

-- Which applications does a workspace or a program have, newest first, by status? A status may be
-- rare. What has this person applied for?
create index applications_workspace_id_idx on applications (workspace_id, id);
create index applications_waiting_idx on applications (workspace_id, id)
    where outcome is null and applied_at is not null;
create index applications_invited_idx on applications (workspace_id, id)
    where outcome is null and applied_at is null;
create index applications_outcome_idx on applications (workspace_id, outcome, id)
    where outcome is not null;
create index applications_program_id_idx on applications (program_id, id);
create index applications_program_waiting_idx on applications (program_id, id)
    where outcome is null and applied_at is not null;
create index applications_program_invited_idx on applications (program_id, id)
    where outcome is null and applied_at is null;
create index applications_program_outcome_idx on applications (program_id, outcome, id)
    where outcome is not null;
create index applications_email_idx on applications (email);

-- The country of a person whom this workspace cannot pay by Stripe, as entered to connect.
create table unreachable_people (
    workspace_id  uuid         not null
        constraint unreachable_people_workspace_id_fkey references workspaces (id),
    email         text         not null,
    country       char(2)      not null
        constraint unreachable_people_country_check check (country ~ '^[A-Z]{2}$'),
    noted_at      timestamptz  not null,

    constraint unreachable_people_pkey primary key (email, workspace_id)
);

-- Which people can this workspace not pay?
create index unreachable_people_workspace_id_idx on unreachable_people (workspace_id);


-- Functions and triggers.

-- Serializes the sales of an address by a payment processor. Before the locks of clicks.
create or replace function lock_address(workspace uuid, address text) returns void language plpgsql
    as $$
begin
    perform pg_advisory_xact_lock(hashtextextended(workspace || ' address ' || address, 0));
end $$;

-- Whether two addresses may be of one mailbox, at any provider. May be true for different
-- mailboxes, and never false for one mailbox, which a test checks. The caller compares them by
-- lib/values/mailboxes.ts.
create or replace function addresses_alike(a text, b text) returns boolean language sql immutable
    as $$
    -- One expression, so that Postgres inlines it: a partner may have 100,000 customers.
    select replace(split_part(split_part(a, '@', 1), '+', 1), '.', '')
               in (replace(split_part(split_part(b, '@', 1), '+', 1), '.', ''),
                   split_part(split_part(b, '@', 2), '.', 1))
        or replace(split_part(split_part(b, '@', 1), '+', 1), '.', '')
            = split_part(split_part(a, '@', 2), '.', 1)
        -- of a subdomain that is a name
        or split_part(a, '@', 2) = split_part(b, '@', 2) and a like '%@%.%.%'
$$;
