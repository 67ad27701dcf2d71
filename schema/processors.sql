-- Payment processors: their secrets, and the events received from them.

-- The signing secrets of a workspace's webhook endpoints at Stripe, encrypted under a key
-- that is not in the database, and compared by fingerprint. There are two endpoints, one
-- for the merchant's account and one for connected accounts (the purpose), and each has two
-- secrets while one is rotated.
create table stripe_secrets (
    id            uuid         primary key,
    workspace_id  uuid         not null
        constraint stripe_secrets_workspace_id_fkey references workspaces (id),
    purpose       text         not null
        constraint stripe_secrets_purpose_check
            check (purpose in ('account', 'connected_accounts')),
    slot          integer      not null
        constraint stripe_secrets_slot_check check (slot between 1 and 2),
    ciphertext    text         not null,
    fingerprint   text         not null
        constraint stripe_secrets_fingerprint_check check (fingerprint ~ '^[0-9a-f]{64}$'),
    last4         text         not null,
    created_at    timestamptz  not null,

    constraint stripe_secrets_workspace_id_purpose_slot_key unique (workspace_id, purpose, slot),
    constraint stripe_secrets_workspace_id_fingerprint_key  unique (workspace_id, fingerprint)
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
    email               text,                    -- the address that was typed into the checkout
    -- ids of the invoice, payments, charges and checkout
    keys                text[]       not null,
    facts               jsonb        not null,   -- see lib/rules/purchases/facts.ts
    occurred_at         timestamptz  not null,   -- by the processor's clock
    received_at         timestamptz  not null,
    event_id            uuid,                    -- the sale
    outcome             jsonb,                   -- null until the event is processed
    anonymized_at       timestamptz,             -- when the buyer's address and name were removed

    constraint processor_events_workspace_id_processor_processor_event_id_key
        unique (workspace_id, processor, processor_event_id),
    constraint processor_events_event_id_fkey foreign key (workspace_id, event_id)
        references events (workspace_id, id)
);

-- Which other events are of this purchase?
create index processor_events_keys_idx on processor_events
    using gin (keys) with (fastupdate = off);

-- What has this customer paid, perhaps before its partner was known?
create index processor_events_workspace_id_customer_idx
    on processor_events (workspace_id, customer) where customer is not null;

-- Which payments wait for an invoice or a checkout?
create index processor_events_waiting_idx on processor_events ((outcome -> 'facts' ->> 'until'))
    where outcome ->> 'code' = 'waiting';

-- What has this address paid, perhaps before the merchant reported it?
create index processor_events_workspace_id_email_idx
    on processor_events (workspace_id, email) where email is not null;

-- Who else has paid with this card or bank account? The fact of a payment's method is the only one
-- of its event.
create index processor_events_fingerprint_idx
    on processor_events (workspace_id, (facts -> 0 ->> 'fingerprint'), id)
    where facts -> 0 ->> 'fingerprint' is not null;

-- Was a payment of the other mode received about this time?
create index processor_events_wrong_mode_idx on processor_events (workspace_id, occurred_at)
    where outcome ->> 'code' = 'wrong_mode';

-- Which events of this workspace could not be read?
create index processor_events_unreadable_idx on processor_events (workspace_id, id)
    where outcome ->> 'code' = 'unreadable';

-- What was received from this processor, newest first?
create index processor_events_workspace_id_processor_id_idx
    on processor_events (workspace_id, processor, id);

-- Which events led to this sale?
create index processor_events_event_id_idx on processor_events (event_id)
    where event_id is not null;

-- Which events are to be anonymized next? See lib/people/retention.queries.ts.
create index processor_events_occurred_at_idx on processor_events (occurred_at)
    where anonymized_at is null;


-- Functions and triggers.

-- The event of a report: RecordedEvent in lib/tracking/reports/reports.queries.ts.
--
-- Here, as in the functions that load and save reports, variables have the names of the fields and
-- columns: a name without a table is a variable's.
create or replace function event_reported(workspace uuid, kind text, external_id text)
    returns jsonb language plpgsql stable as $$
#variable_conflict use_variable
begin
    return (
        select jsonb_build_object('id', e.id, 'attributed', e.partner_id is not null, 'bodyHash',
            e.body_hash)
        from events e
        where e.workspace_id = workspace and e.kind = kind and e.external_id = external_id
          -- Repeated condition: see docs/adr/2-planner-settings.md.
          and (e.kind, e.external_id) >= (kind, external_id));
end $$;
