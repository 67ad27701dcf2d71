-- Refunds: loaded, and saved.

-- What a refund is decided from: RefundFacts in lib/tracking/refunds/refunds.queries.ts. Text if
-- the API key is refused, as of load_report. processor_key is what a processor's events name the
-- sale by: if there are any, the refund is joined with them.
create or replace function refund_facts(workspace uuid, external_id text, sale_external_id text,
    processor_key text) returns jsonb
language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    recorded       jsonb;
    is_joined      boolean := false;
    sale_currency  text;
    s              events;
    sale           jsonb;
    refunds        jsonb;
begin
    recorded := event_reported(workspace, 'refund', external_id);

    if recorded ->> 'bodyHash' is null then
        select * into s from events e
        where e.workspace_id = workspace and e.kind = 'sale' and e.external_id = sale_external_id
          and (e.kind, e.external_id) >= ('sale', sale_external_id);   -- repeated condition
        select count(*) > 0, min(p.sale_currency) into is_joined, sale_currency
        from (select p.workspace_id,
                     (select e.currency from events e where e.id = p.event_id) as sale_currency
              from processor_events p where p.keys @> array[processor_key] offset 0) p
        where p.workspace_id = workspace;
        if s.id is not null then
            sale_currency := s.currency;
            refunds := (
                select jsonb_agg(
                    jsonb_build_object('id', r.id, 'requested', r.requested) order by r.id)
                from events r where r.sale_id = s.id);
            sale := jsonb_build_object(
                'id', s.id, 'externalId', s.external_id, 'amountCents', s.amount_cents,
                'currency', s.currency, 'steps', s.steps, 'revision', s.revision,
                'commission', (
                    select jsonb_build_object(
                        'id', c.id, 'partnerId', c.partner_id, 'slug', p.slug,
                        'payableAt', c.payable_at,
                        'amountCents', c.amount_cents, 'currency', c.currency,
                        'reversedCents', (
                            select coalesce(-sum(r.amount_cents), 0) from commissions r
                            where r.event_id = s.id and r.reverses_id = c.id))
                    from commissions c join partners p on p.id = c.partner_id
                    where c.id = s.commission_id));
        end if;
    end if;

    return jsonb_build_object(
        'workspaceId', workspace, 'recorded', recorded, 'isJoined', is_joined,
        'saleCurrency', sale_currency, 'sale', sale, 'refunds', coalesce(refunds, '[]'));
end $$;

-- The same, for a report with an API key. Text if the key is refused, as in load_report.
create or replace function load_refund(api_key_hash text, external_id text, sale_external_id text,
    processor_key text, now timestamptz) returns jsonb
language plpgsql stable
security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
    workspace  uuid;
    key_id     uuid;
    may_track  boolean;
begin
    select k.id, k.workspace_id, 'track' = any (k.scopes) into key_id, workspace, may_track
    from api_keys k
    where k.key_hash = api_key_hash and k.revoked_at is null and coalesce(k.expires_at > now, true);
    if not found then return '"unknown_key"'; end if;
    if not may_track then return '"insufficient_scope"'; end if;
    return refund_facts(workspace, external_id, sale_external_id, processor_key)
        || jsonb_build_object('keyId', key_id);
end $$;

-- Saves a decided refund: toSaved in lib/tracking/refunds/refunds.queries.ts. Returns the event, or
-- that of an earlier report with the same id. Raises TR001 if the sale is not as it was read, and
-- the caller decides again.
create or replace function save_refund(refund jsonb) returns jsonb
language plpgsql
security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    workspace         uuid        := refund ->> 'workspaceId';
    saved_id          uuid        := refund ->> 'eventId';
    external_id       text        := refund ->> 'externalId';
    sale_external_id  text        := refund ->> 'saleExternalId';
    hash              text        := refund ->> 'bodyHash';
    occurred_at       timestamptz := refund ->> 'occurredAt';
    sale              jsonb       := refund -> 'sale';
    s                 events;
begin
    -- One that waits must be seen by whoever saves the sale or a processor's event of it: see
    -- save_report and saveEvent.
    perform pg_advisory_xact_lock(identity_lock_key(workspace, 'purchase',
        refund ->> 'purchaseKey'));
    if not (refund -> 'isJoined')::boolean then
        select * into s from events e
        where e.workspace_id = workspace and e.kind = 'sale' and e.external_id = sale_external_id
          and (e.kind, e.external_id) >= ('sale', sale_external_id)   -- repeated condition
        for no key update;
        perform assert_unchanged((s.id, s.revision) is not distinct from
                                 ((sale ->> 'id')::uuid, (sale -> 'revision')::integer));
        perform assert_unchanged(not exists (
            select from (select p.workspace_id from processor_events p
                         where p.keys @> array[refund ->> 'purchaseKey'] offset 0) p
            where p.workspace_id = workspace));
    end if;

    insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id,
        customer_id, amount_cents, currency, metadata, partner_id, attributed_by, body_hash, steps,
        occurred_at, report_occurred_at, sale_external_id, sale_id, requested)
    values (saved_id, workspace, 'refund', external_id, refund ->> 'eventName',
        coalesce(s.customer_external_id, ''), s.customer_id, (refund -> 'amountCents')::bigint,
        refund ->> 'currency', refund -> 'metadata', s.partner_id, s.attributed_by, hash,
        refund -> 'steps', occurred_at, occurred_at, sale_external_id, s.id,
        refund -> 'requested')
    on conflict on constraint events_workspace_id_kind_external_id_key do nothing;
    if not found then
        return event_reported(workspace, 'refund', external_id);
    end if;

    if s.id is not null then
        update events e
        set steps = coalesce(sale -> 'steps', e.steps), revision = e.revision + 1,
            returned_cents = (sale -> 'returnedCents')::bigint
        where e.id = s.id;
        if sale -> 'reversal' is not null then
            perform reverse_commission((sale -> 'reversal' ->> 'id')::uuid, workspace,
                (sale -> 'reversal' ->> 'reversesId')::uuid,
                (sale -> 'reversal' -> 'amountCents')::bigint, occurred_at);
        end if;
    end if;
    return jsonb_build_object(
        'id', saved_id, 'attributed', s.partner_id is not null, 'bodyHash', hash,
        'isAnnounced', current_setting('tributary.announced', true) = 'on');
end $$;
