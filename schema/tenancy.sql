-- Workspaces, their members and API keys, and what all later files use: idempotency keys, the audit
-- log, budgets of expensive requests.

-- The applied files: schema.sql, and those of migrations/. The checksum detects a file that has
-- changed since. Written by `npm run db:apply`.
create table schema_migrations (
    name        text         primary key,
    checksum    text         not null
        -- SHA-256
        constraint schema_migrations_checksum_check check (checksum ~ '^[0-9a-f]{64}$'),
    applied_at  timestamptz  not null default now()
);

-- A workspace is a merchant's account. It owns programs, API keys and customers.
create table workspaces (
    id          uuid         primary key,
    slug        text         not null
        constraint workspaces_slug_check
            check (slug ~ '^[a-z0-9](-?[a-z0-9])+$' and length(slug) <= 63
                                           -- URLs accept an id too
                                           and slug !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'),
    name        text         not null,
    created_at  timestamptz  not null default now(),
    created_by  text,                                  -- the address of its creator
    -- null with open sign-up, until the operator trusts it: see hold_mails
    trusted_at  timestamptz  default now(),

    -- Settings.
    manual_payouts  boolean  not null default false,   -- pay partners by bank transfer too
    -- who is paid first if the money does not suffice
    payout_order    text     not null default 'smallest_first'
        constraint workspaces_payout_order_check
            check (payout_order in ('smallest_first', 'largest_first')),
    -- how partners may choose to be paid without Stripe
    paypal_payouts  boolean  not null default false,
    wise_payouts    boolean  not null default false,
    iban_payouts    boolean  not null default false,
    require_documents boolean not null default false,  -- skip partners without documents
    -- payouts need a recent confirmation by passkey
    payouts_require_passkey boolean not null default false,
    -- issue invoices in the name of partners who agreed
    self_billing    boolean  not null default false,
    -- larger payout runs wait for a second manager; null is never
    approval_above_cents  bigint
        constraint workspaces_approval_above_cents_check
            check (approval_above_cents between 0 and 99999999999999),
    sales_from      text     not null default 'both'   -- who reports the sales that earn
        constraint workspaces_sales_from_check check (sales_from in ('both', 'stripe', 'api')),
    -- so a checkout's reference may name a customer
    backend_creates_checkouts  boolean  not null default false,
    mode            text     not null default 'live'   -- of the payment processor's events and keys
        constraint workspaces_mode_check check (mode in ('live', 'test')),

    -- The sum that was made payable by hand on the latest such day (UTC), in minor units of all
    -- currencies: see mail_manual_earnings.
    manual_earnings_on     date,
    manual_earnings_cents  bigint  not null default 0,

    -- The scheduled deletion, by erase_workspaces.
    deletes_at      timestamptz,                       -- null if none is scheduled
    -- the address of the manager who scheduled it
    deletion_by     text,
    erasing_since   timestamptz,                       -- nobody has access since

    constraint workspaces_slug_key unique (slug),
    constraint workspaces_deletes_at_check check ((deletes_at is null) = (deletion_by is null)
                                                  and (erasing_since is null
                                                      or deletes_at is not null))
);

-- Which workspaces are to be deleted?
create index workspaces_deletes_at_idx on workspaces (deletes_at) where deletes_at is not null;

-- How many workspaces has a person created?
create index workspaces_created_by_idx on workspaces (created_by);

-- Former settings of sales_from, and until when they applied. A sale is decided with the one in
-- force when it was paid or reported. A workspace with an unchanged setting has none.
create table former_sales_from (
    workspace_id  uuid         not null
        constraint former_sales_from_workspace_id_fkey references workspaces (id),
    until         timestamptz  not null,
    sales_from    text         not null,

    constraint former_sales_from_pkey primary key (workspace_id, until)
);

-- The members of a workspace: they may read it (member), also pay (finance), also hold commissions
-- and write notes (support), or change everything (manager): lib/auth/roles. A person is an email
-- address, verified at sign-in, so membership starts with the invitation.
create table members (
    id            uuid         primary key,
    workspace_id  uuid         not null
        constraint members_workspace_id_fkey references workspaces (id),
    email         text         not null,
    role          text         not null
        constraint members_role_check check (role in ('manager', 'finance', 'support', 'member')),
    -- whether a member who pays gets mails about payout runs
    payout_mails  boolean      not null default true,
    created_at    timestamptz  not null default now(),
    -- by the database's clock: see may_approve
    role_since    timestamptz  not null default now(),

    constraint members_workspace_id_email_key unique (workspace_id, email)
);

-- Which workspaces is this person a member of?
create index members_email_idx on members (email);

-- API keys, stored as SHA-256 hashes. A key is shown once. Revoked keys are kept, so
-- that log entries can be traced to them.
create table api_keys (
    id            uuid         primary key,
    workspace_id  uuid         not null
        constraint api_keys_workspace_id_fkey references workspaces (id),
    name          text         not null,
    key_hash      text         not null
        constraint api_keys_key_hash_check check (key_hash ~ '^[0-9a-f]{64}$'),
    last4         char(4)      not null,
    -- track reports sales and leads, read reads, write changes partners, coupons and groups.
    scopes        text[]       not null
        constraint api_keys_scopes_check
            check (scopes <@ '{track,read,write,clicks}' and cardinality(scopes) > 0),
    expires_at    timestamptz,              -- null is never
    last_used_at  timestamptz,              -- to the hour; null is never
    created_at    timestamptz  not null default now(),
    revoked_at    timestamptz,
    replaced_by   uuid,                     -- the key that it was rotated to

    constraint api_keys_key_hash_key    unique (key_hash),
    constraint api_keys_replaced_by_key unique (replaced_by),
    constraint api_keys_replaced_by_fkey foreign key (replaced_by) references api_keys (id)
);

-- Expensive requests of a workspace, or of a person in the portal, which all Workers together
-- limit: lib/auth/expensive/expensive.ts. Unlogged, so that a request waits for no disk. After a
-- crash of the database, budgets are unused. held_until is the end of the request or of its lease,
-- so that a crashed request ends too.
create unlogged table expensive_requests (
    id          uuid         primary key,
    budget_id   uuid         not null,
    started_at  timestamptz  not null,
    held_until  timestamptz  not null
);

-- Which requests count for this budget?
create index expensive_requests_budget_id_idx on expensive_requests (budget_id, started_at);

-- Which requests no longer count?
create index expensive_requests_held_until_idx on expensive_requests (held_until);

-- The Idempotency-Key of a request that creates something, for 24 hours. The ids of created rows
-- follow from first_id, so a repeat finds those rows. The answer is stored after the commit.
create table idempotency_keys (
    workspace_id  uuid         not null, -- zeros for POST /api/workspaces
    hash          text         not null, -- SHA-256 of the endpoint and the key
    body_hash     text         not null,
    first_id      uuid         not null,
    secret        text, -- a secret that is returned once, such as an API key, encrypted
    status        integer,
    answer        text, -- encrypted if there is a secret
    created_at    timestamptz  not null,

    constraint idempotency_keys_pkey primary key (workspace_id, hash),
    constraint idempotency_keys_answer_check check ((status is null) = (answer is null))
);

-- Which keys have expired?
create index idempotency_keys_created_at_idx on idempotency_keys (created_at);

-- The time at which a commission that is never payable becomes payable. A time, because payouts
-- compare it with the present. Totals, statements and webhooks leave such commissions out. The same
-- as NEVER in lib/rules/steps/commissions.ts.
create or replace function never() returns timestamptz language sql immutable as $$
    select timestamptz '9999-12-31 00:00:00+00' $$;

-- The audit log. Entries are written with the change, and never changed: see keep_audit_entry.
create table audit_entries (
    id            uuid         primary key,
    workspace_id  uuid         not null
        constraint audit_entries_workspace_id_fkey references workspaces (id),
    actor         text         not null,      -- an email address
    action        text         not null,      -- such as partners.imported
    subject_id    uuid,                       -- the id of the changed row
    details       jsonb        not null,
    created_at    timestamptz  not null
);

-- Which entries does this workspace have, newest first?
create index audit_entries_workspace_id_idx on audit_entries (workspace_id, id);

-- What was changed of this row?
create index audit_entries_subject_id_idx on audit_entries (subject_id, id)
    where subject_id is not null;

create or replace function utc_day(at timestamptz) returns date language sql immutable as $$
    select (at at time zone 'UTC')::date $$;


-- Functions and triggers.

-- Who reported the sales at a time. A processor's time is the end of its second.
create or replace function sales_from_at(workspace uuid, paid_at timestamptz) returns text
    language sql stable as $$
    select coalesce(
        (select f.sales_from from former_sales_from f
         where f.workspace_id = workspace
           and f.until > case when paid_at = date_trunc('second', paid_at)
               then paid_at + interval '999 milliseconds'
                              else paid_at end
         order by f.until limit 1),
        (select w.sales_from from workspaces w where w.id = workspace))
$$;

-- A member who gets a role, even again, is new in it.
create or replace function note_new_role() returns trigger language plpgsql as $$
begin
    new.role_since := now();
    return new;
end $$;

create or replace trigger members_role_since
    before update of role on members for each row when (new.role is distinct from old.role)
    execute function note_new_role();

create or replace function refuse_update() returns trigger language plpgsql as $$
begin
    raise exception 'rows of % are immutable: insert a new row', tg_table_name;
end $$;

-- Refuses an action to all Workers, whatever columns their roles may write. The owner may do it,
-- and so may security definer functions.
create or replace function refuse_to_workers(what text) returns void language plpgsql as $$
begin
    if not pg_has_role(current_user,
        (select c.relowner from pg_class c where c.oid = 'workspaces'::regclass), 'usage') then
        raise exception '%', what using errcode = 'insufficient_privilege';
    end if;
end $$;

-- Begins an expensive request, unless too many of the budget have begun in the last ten seconds, or
-- are running. Returns the seconds after which to retry; 0 if it has begun. The database's clock is
-- used, which all Workers share. The remaining time of running requests is unknown.
create or replace function begin_expensive(request uuid, budget uuid, most integer,
    most_at_once integer, lease interval) returns integer
language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
    period     constant interval := '10 seconds';
    retry      constant integer := 2;
    at         timestamptz;
    running    integer;
    begun      integer;
    oldest     timestamptz;
    was_begun  boolean;
begin
    perform pg_advisory_xact_lock(hashtextextended(budget || ' expensive', 0));
    at := clock_timestamp();
    delete from expensive_requests where id in (
        select id from expensive_requests
            where held_until < at - period limit 100 for update skip locked);
    select count(*) filter (where r.held_until > at), count(*)
        filter (where r.started_at > at - period),
           min(r.started_at) filter (where r.started_at > at - period),
               coalesce(bool_or(r.id = request), false)
    into running, begun, oldest, was_begun
    from expensive_requests r where r.budget_id = budget;
    if was_begun then return 0; end if; -- the retry of an unconfirmed commit
    if begun >= most then
        return greatest(retry, ceil(extract(epoch from oldest + period - at)));
    end if;
    if running >= most_at_once then return retry; end if;
    insert into expensive_requests (id, budget_id, started_at, held_until)
        values (request, budget, at, at + lease);
    return 0;
end $$;

-- Notes when an API key was last used, to the hour.
create or replace function note_key_use(hash text, used_at timestamptz) returns void
    language plpgsql
security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
begin
    update api_keys k set last_used_at = used_at
    where k.key_hash = hash and coalesce(k.last_used_at < used_at - interval '1 hour', true);
end $$;

-- Refuses every change of an entry, except by erase_from_audit, which replaces a person's address,
-- and by erase_workspaces, which deletes the log with its workspace. No Worker may delete entries.
create or replace function keep_audit_entry() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE'
        and exists (select from workspaces w
        where w.id = old.workspace_id and w.erasing_since is not null) then
        return old;
    end if;
    if tg_op = 'UPDATE' and current_setting('tributary.erases_texts', true) = 'on'
       and (new.id, new.workspace_id, new.action, new.subject_id, new.created_at)
           is not distinct
               from (old.id, old.workspace_id, old.action, old.subject_id, old.created_at) then
        return new;
    end if;
    raise exception 'entries of the audit log are never changed or deleted';
end $$;

create or replace trigger audit_entries_never_change
    before update or delete on audit_entries for each row execute function keep_audit_entry();
