-- Webhooks: endpoints, and the queue that triggers fill.

-- Where a merchant's backend receives events, by the specification Standard Webhooks:
-- docs/webhooks.md. The signing secret is encrypted like those of stripe_secrets. After a rotation,
-- the former one signs too until former_until. The row of a removed endpoint is kept for its
-- deliveries, without its URL and secrets.
create table webhook_endpoints (
    id                 uuid         primary key,
    workspace_id       uuid         not null
        constraint webhook_endpoints_workspace_id_fkey references workspaces (id),
    url                text         not null,
    description        text,
    types              text[]       not null
        constraint webhook_endpoints_types_check check (cardinality(types) > 0 and types <@ '{
            partner.created,partner.approved,partner.banned,lead.created,sale.created,refund.created,commission.created,
            commission.reversed,payout.created,payout.paid,payout.failed,import.finished,import.undone}'),
    ciphertext         text         not null,
    former_ciphertext  text,
    former_until       timestamptz,
    created_at         timestamptz  not null,
    -- the first failure after which no request has succeeded
    failing_since      timestamptz,
    disabled_at        timestamptz,
    disabled_reason    text
        constraint webhook_endpoints_disabled_reason_check
            check (disabled_reason in ('manager', 'failing')),
    removed_at         timestamptz,

    constraint webhook_endpoints_workspace_id_id_key unique (workspace_id, id),
    constraint webhook_endpoints_former_check
        check ((former_ciphertext is null) = (former_until is null)),
    constraint webhook_endpoints_disabled_check
        check ((disabled_at is null) = (disabled_reason is null)
            and (removed_at is null or disabled_at is not null))
);

-- Does this workspace have an enabled endpoint? Each sale asks.
create index webhook_endpoints_enabled_idx on webhook_endpoints (workspace_id)
    where disabled_at is null;

-- An event to send: written in the transaction that it reports, and only if an endpoint wants its
-- type. The subject is the event, commission, partner, payout or audit entry (of an import), or the
-- endpoint (of a test). The payload is made from it at the first attempt, and stays the same until
-- an erasure removes it. A refund that only a processor reported has no event of its own: the
-- subject is its sale, and `refund` is {id, amountCents, currency}. If the merchant reported it
-- under the processor's id, `refund` is {id}, so that the second report announces nothing.
create table webhook_events (
    id            uuid         primary key,      -- webhook-id
    workspace_id  uuid         not null
        constraint webhook_events_workspace_id_fkey references workspaces (id),
    type          text         not null,
    subject_id    uuid         not null,
    partner_id    uuid,                          -- whom it names, for erasures
    created_at    timestamptz  not null,
    payload       text,
    refund        jsonb,

    constraint webhook_events_workspace_id_id_key unique (workspace_id, id)
);

create unique index webhook_events_refund_key on webhook_events (workspace_id, (refund ->> 'id'))
    where refund is not null;

-- Which payloads name this partner, and which are of this subject?
create index webhook_events_partner_id_idx on webhook_events (partner_id)
    where partner_id is not null;
create index webhook_events_subject_id_idx on webhook_events (subject_id);

-- Which are to be removed next? See lib/people/retention.queries.ts.
create index webhook_events_created_at_idx on webhook_events (created_at);

-- The sending of an event to an endpoint. It is due at next_attempt_at, which is the end of the
-- lease while it is being sent.
create table webhook_deliveries (
    id                uuid         primary key,
    workspace_id      uuid         not null,
    event_id          uuid         not null,
    endpoint_id       uuid         not null,
    created_at        timestamptz  not null,
    lane              text         not null default 'first'   -- first attempts go before retries
        constraint webhook_deliveries_lane_check check (lane in ('first', 'retry')),
    attempts          integer      not null default 0,   -- since it was last queued
    first_attempt_at  timestamptz,
    next_attempt_at   timestamptz  not null,
    lease_id          uuid,                              -- the last one
    delivered_at      timestamptz,
    failed_at         timestamptz,                       -- when it was given up
    -- the latest of all: Try in lib/webhooks/deliveries/delivery-attempts.ts
    tries             jsonb        not null,
    status            text not null generated always as (case
        when delivered_at is not null then 'delivered' when failed_at is not null then 'failed'
        when attempts > 0 then 'retrying' else 'queued' end) virtual,

    constraint webhook_deliveries_event_id_endpoint_id_key unique (event_id, endpoint_id),
    constraint webhook_deliveries_outcome_check check (delivered_at is null or failed_at is null),
    constraint webhook_deliveries_event_id_fkey    foreign key (workspace_id, event_id)
        references webhook_events (workspace_id, id) on delete cascade,
    constraint webhook_deliveries_endpoint_id_fkey foreign key (workspace_id, endpoint_id)
        references webhook_endpoints (workspace_id, id)
);

-- Which deliveries are due?
create index webhook_deliveries_due_idx on webhook_deliveries (next_attempt_at)
    where delivered_at is null and failed_at is null;

-- Which deliveries, and which undelivered ones, has this workspace or endpoint, newest first?
create index webhook_deliveries_workspace_id_idx on webhook_deliveries (workspace_id, id);
create index webhook_deliveries_endpoint_id_idx
    on webhook_deliveries (workspace_id, endpoint_id, id);
create index webhook_deliveries_undelivered_idx  on webhook_deliveries (workspace_id, id)
    where delivered_at is null;


-- Functions and triggers.

-- Whether a workspace has an enabled endpoint: the condition of the triggers below.
create or replace function has_webhooks(workspace uuid) returns boolean language plpgsql stable
    as $$
begin
    return exists (select from webhook_endpoints e
        where e.workspace_id = workspace and e.disabled_at is null offset 0);
end $$;

-- Queues an event for the endpoints that want its type. Then it sets `tributary.announced` for the
-- rest of the transaction, which save_report reads.
create or replace function announce(workspace uuid, announced text, subjects uuid[],
    partners uuid[], refunds jsonb[] default '{}') returns void
language plpgsql as $$
declare
    endpoints uuid[] := array(
        select e.id from webhook_endpoints e
            where e.workspace_id = workspace and e.disabled_at is null
            and announced = any(e.types));
begin
    if cardinality(endpoints) = 0 then return; end if;
    with added as (
        insert into webhook_events (id, workspace_id, type, subject_id, partner_id, created_at,
            refund)
        select uuidv7(), workspace, announced, s.subject, s.partner, now(), s.refund
        from unnest(subjects, partners, refunds) as s (subject, partner, refund)
        on conflict (workspace_id, (refund ->> 'id')) where refund is not null do nothing
        returning id
    )
    insert into webhook_deliveries (id, workspace_id, event_id, endpoint_id, created_at,
        next_attempt_at, tries)
    select uuidv7(), workspace, added.id, e.id, now(), now(), '[]' from added cross
        join unnest(endpoints) as e (id);
    perform set_config('tributary.announced', 'on', true);
end $$;

create or replace function announce_event() returns trigger language plpgsql security definer
    set search_path = public, pg_temp as $$
begin
    perform announce(new.workspace_id, new.kind || '.created', array[new.id], array[new.partner_id],
                     case when new.kind = 'refund' and new.external_id ~ '^(re|pyr)_'
                          then array[jsonb_build_object('id', new.external_id)] else '{}' end);
    return null;
end $$;

create or replace trigger events_announce
    after insert on events for each row when (has_webhooks(new.workspace_id))
        execute function announce_event();

-- Announces the refunds of a sale that a processor has reported, each once: the sale keeps their
-- ids, even without an endpoint. refunds: ProcessorRefund[] of lib/rules/refunds/returns.ts.
create or replace function announce_refunds(workspace uuid, sale uuid, refunds jsonb) returns void
    language plpgsql
security definer set search_path = public, pg_temp as $$
declare
    s      events;
    fresh  jsonb[];
begin
    -- Not `for update`, which would wait for transactions that refer to the sale, and that may wait
    -- for this one.
    select * into s from events where workspace_id = workspace and id = sale for no key update;
    fresh := array(select r from jsonb_array_elements(refunds) r
        where r ->> 'id' <> all (s.announced_refunds));
    if cardinality(fresh) = 0 then return; end if;
    update events
        set announced_refunds = announced_refunds || array(select r ->> 'id' from unnest(fresh) r)
        where id = s.id;
    if has_webhooks(workspace) then
        perform announce(workspace, 'refund.created', array_fill(s.id, array[cardinality(fresh)]),
                         array_fill(s.partner_id, array[cardinality(fresh)]), fresh);
    end if;
end $$;

create or replace function announce_commission() returns trigger language plpgsql security definer
    set search_path = public, pg_temp as $$
begin
    perform announce(new.workspace_id,
        case new.kind when 'reversal' then 'commission.reversed' else 'commission.created' end,
        array[new.id], array[new.partner_id]);
    return null;
end $$;

create or replace trigger commissions_announce
    -- The time is never(), which Postgres would call in each statement.
    after insert on commissions
        for each row
        when (new.payable_at < '9999-12-31 00:00:00+00' and has_webhooks(new.workspace_id))
    execute function announce_commission();

-- Per statement: an import adds hundreds of rows with one.
create or replace function announce_partners() returns trigger language plpgsql security definer
    set search_path = public, pg_temp as $$
declare
    workspace uuid;
begin
    for workspace in select distinct workspace_id from added loop
        if has_webhooks(workspace) then
            perform announce(workspace, 'partner.created', array_agg(a.id), array_agg(a.id))
                from added a where a.workspace_id = workspace;
        end if;
    end loop;
    return null;
end $$;

create or replace trigger partners_announce
    after insert on partners referencing new table as added for each statement
        execute function announce_partners();

create or replace function announce_partner_status() returns trigger
    language plpgsql security definer set search_path = public, pg_temp as $$
begin
    perform announce(new.workspace_id, 'partner.' || new.status, array[new.id], array[new.id]);
    return null;
end $$;

create or replace trigger partners_announce_status
    after update of status on partners for each row
    when (old.status <> new.status and has_webhooks(new.workspace_id))
        execute function announce_partner_status();

-- An approved application makes the person a partner. Existing partners are not announced.
create or replace function announce_application() returns trigger language plpgsql security definer
    set search_path = public, pg_temp as $$
begin
    if exists (select from partners where id = new.partner_id and created_at = new.decided_at) then
        perform announce(new.workspace_id, 'partner.approved', array[new.partner_id],
            array[new.partner_id]);
    end if;
    return null;
end $$;

create or replace trigger applications_announce
    after update of outcome on applications for each row
    when (old.outcome is null and new.outcome = 'approved' and has_webhooks(new.workspace_id))
        execute function announce_application();

-- A payout is created when it has claimed all its commissions. It fails whenever they are payable
-- again: even after it was paid, if the bank returned it or its transfer was reversed in full.
create or replace function announce_payout() returns trigger language plpgsql security definer
    set search_path = public, pg_temp as $$
declare
    ends constant text[] := '{failed,canceled,returned,reversed}';
begin
    if new.claimed_at is not null and (tg_op = 'INSERT' or old.claimed_at is null) then
        perform announce(new.workspace_id, 'payout.created', array[new.id], array[new.partner_id]);
    end if;
    if new.paid_at is not null and (tg_op = 'INSERT' or old.paid_at is null) then
        perform announce(new.workspace_id, 'payout.paid', array[new.id], array[new.partner_id]);
    end if;
    if new.claimed_at is not null and new.status = any(ends)
        and (tg_op = 'INSERT' or old.status <> all(ends)) then
        perform announce(new.workspace_id, 'payout.failed', array[new.id], array[new.partner_id]);
    end if;
    return null;
end $$;

create or replace trigger payouts_announce
    after insert or update of claimed_at, paid_at, failed_at, canceled_at, is_freeing, returned_at,
        reversed_cents on payouts for each row
    when (has_webhooks(new.workspace_id)) execute function announce_payout();

create or replace function announce_import() returns trigger language plpgsql security definer
    set search_path = public, pg_temp as $$
begin
    perform announce(new.workspace_id,
        case new.action when 'import.undone' then 'import.undone' else 'import.finished' end,
        array[new.id], array[null::uuid]);
    return null;
end $$;

create or replace trigger audit_entries_announce
    after insert on audit_entries for each row
    when (new.action in ('partners.imported', 'customers.imported', 'import.undone')
        and has_webhooks(new.workspace_id))
    execute function announce_import();
