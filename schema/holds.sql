-- Holds of saved sales and leads: the sales near them are found under their locks, and what was
-- decided about these is written.

-- The kind of a purchase's id: a processor's invoice, payment (or charge) or checkout, or the
-- merchant's own.
create or replace function purchase_id_kind(id text) returns text language sql immutable as $$
    select case when id like 'in\_%' then 'invoice' when id like 'cs\_%' then 'checkout'
                when id ~ '^(pi|ch|py)_' then 'payment' else 'report' end
$$;

-- What a sale is compared by, from its row and what a processor's events say of its purchase: the
-- kinds of ids that are known of it, its amounts, net and gross, and the addresses of its buyer. An
-- id of the merchant's counts once a sale is reported under it.
create or replace function looks_of_sale(workspace uuid, of_sale uuid, out kinds text[],
    out amounts bigint[], out addresses text[])
language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
begin
    with recursive sale as materialized (
        select e.external_id, e.amount_cents from events e where e.id = of_sale
    ), known (keys, facts, email) as (
        select array[external_id, 'report:' || external_id], '[]'::jsonb, null::text from sale
        union
        -- look-up by the keys, which are fewer than the workspace's events
        select s.keys, s.facts, s.email
        from known k cross join lateral (
            select s.workspace_id, s.keys, s.facts, s.email from processor_events s
            where s.keys && k.keys offset 0) s
        where s.workspace_id = workspace
    ), ids as materialized (
        select distinct key, purchase_id_kind(replace(key, 'report:', '')) as kind
        from known, unnest(keys) key
    )
    select array(select kind from ids where key not like 'report:%' and kind <> 'report'
                 union
                 select kind from ids
                 where key like 'report:%' and kind = 'report' and exists (
                     select from (select r.report_occurred_at from events r
                                  where r.id = (event_reported(workspace, 'sale',
                                      replace(key, 'report:', '')) ->> 'id')::uuid offset 0) r
                     where r.report_occurred_at is not null)
                 order by 1),
           array(select amount_cents from sale
                 union
                 select cents::bigint from known,
                     jsonb_path_query(facts, '$[*].paid.**.grossCents ? (@ > 0)') cents
                 order by 1),
           array(select distinct email from known where email is not null)
    into kinds, amounts, addresses;
end $$;

-- The sales that are compared with a sale that earns, because they may be the same purchase: those
-- of the same customer, click or address that earn too, in the same currency, so many hours apart
-- at most. Two ids of one kind are ids of two purchases. What was paid while sales earned only as
-- the merchant reports them is not compared.
create or replace function earning_sales_near(workspace uuid, of_sale uuid, hours integer)
returns uuid[] language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
    apart  interval := hours * interval '1 hour';
    sale   events;
begin
    select e.* into sale from events e where e.id = of_sale;
    if hours is null or sale.kind <> 'sale' or sale.commission_id is null
        or sales_from_at(workspace, sale.occurred_at) = 'api' then
        return '{}';
    end if;
    return array(
        select o.id from (
            select o.id, o.kind, o.currency, o.external_id, o.commission_id, o.occurred_at
            from (select o.* from events o
                  where o.customer_id = sale.customer_id
                    and o.occurred_at >= sale.occurred_at - apart offset 0) o
            union
            select o.id, o.kind, o.currency, o.external_id, o.commission_id, o.occurred_at
            from (select o.* from events o
                  where o.workspace_id = workspace and o.click_id = sale.click_id offset 0) o
            union
            select o.id, o.kind, o.currency, o.external_id, o.commission_id, o.occurred_at
            from unnest((looks_of_sale(workspace, of_sale)).addresses) address
            cross join lateral (select s.keys from processor_events s
                                where s.workspace_id = workspace and s.email = address offset 0) s
            cross join unnest(s.keys) key
            cross join lateral (select o.* from events o
                                where o.id = (event_reported(workspace, 'sale',
                                    replace(key, 'report:', '')) ->> 'id')::uuid offset 0) o
        ) o
        where o.id <> of_sale and o.kind = 'sale' and o.currency = sale.currency
          and o.commission_id is not null
          and o.occurred_at between sale.occurred_at - apart and sale.occurred_at + apart
          and purchase_id_kind(o.external_id) <> purchase_id_kind(sale.external_id)
          and sales_from_at(workspace, o.occurred_at) <> 'api'
        order by o.id);
end $$;

-- The sales that are compared with a sale because one of the two is expected from a processor, and
-- the other one may be the processor's: those of the same customer or click, in the same currency,
-- so many hours apart at most. expected says which steps a sale has that is expected, and which
-- once the processor's was received: Expected in lib/rules/holds/hold-facts.ts.
create or replace function expected_sales_near(of_sale uuid, expected jsonb) returns uuid[]
language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
    apart  interval := (expected -> 'hours')::integer * interval '1 hour';
    sale   events;
begin
    select e.* into sale from events e where e.id = of_sale and e.kind = 'sale';
    if coalesce(expected, 'null') = 'null' or not found then return '{}'; end if;
    return array(
        select o.id from (
            select o.id, o.kind, o.currency, o.report_occurred_at, o.steps
            from (select o.* from events o
                  where o.customer_id = sale.customer_id
                    and o.occurred_at between sale.occurred_at - apart
                                          and sale.occurred_at + apart offset 0) o
            union
            select o.id, o.kind, o.currency, o.report_occurred_at, o.steps
            from (select o.* from events o
                  where o.workspace_id = sale.workspace_id and o.click_id = sale.click_id
                    and o.occurred_at between sale.occurred_at - apart
                                          and sale.occurred_at + apart offset 0) o
        ) o
        where o.id <> of_sale and o.kind = 'sale' and o.currency = sale.currency
          and (o.report_occurred_at is null) <> (sale.report_occurred_at is null)
          and case when sale.report_occurred_at is null
                   then o.steps @> (expected -> 'open')
                    and not o.steps @> (expected -> 'received')
                   else sale.steps @> (expected -> 'open')
                    and not sale.steps @> (expected -> 'received') end
        order by o.id);
end $$;

-- What the holds of an event are decided from, which is saved: HoldFacts in
-- lib/rules/holds/hold-facts.ts. Null if nothing is to be decided: neither the event nor those tied
-- to it has, or is the evidence of, a hold, and no sale is near. Of the sales near, and those held
-- because of the event, all are loaded that holds connect them with.
create or replace function load_hold_facts(workspace uuid, request jsonb) returns jsonb
language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
    saved_id  uuid   := request ->> 'eventId';
    own       uuid[] := saved_id || array(
        select jsonb_array_elements_text(request -> 'tiedIds')::uuid);
    hours     integer := request ->> 'duplicateHours';
    expected  uuid[] := expected_sales_near(saved_id, request -> 'expected');
    held      uuid[];
    near      jsonb;
begin
    held := array(
        select c.event_id
        from unnest(own) event
        cross join lateral (select h.commission_id from commission_holds h
                            where h.evidence_event_id = event offset 0) h
        cross join lateral (select c.event_id from commissions c
                            where c.id = h.commission_id offset 0) c
        union
        select event
        from unnest(own) event
        cross join lateral (select c.id from commissions c where c.event_id = event offset 0) c
        cross join lateral (select h.commission_id from commission_holds h
                            where h.commission_id = c.id offset 0) h);
    near := jsonb_build_object(saved_id, earning_sales_near(workspace, saved_id, hours));
    if held = '{}' and expected = '{}' and near -> saved_id::text = '[]' then return null; end if;
    near := near || (
        select coalesce(jsonb_object_agg(id, earning_sales_near(workspace, id, hours)), '{}')
        from unnest(held) id where id <> saved_id);

    return jsonb_build_object(
        'expected', expected,
        'received', case when expected = '{}' then '[]' else (
            select coalesce(jsonb_agg(distinct step -> 'facts' -> 'externalId'), '[]')
            from (select e.* from events e where e.id = saved_id) sale
            cross join lateral (
                select o.steps from events o where o.customer_id = sale.customer_id
                union all
                select o.steps from events o
                where o.workspace_id = workspace and o.click_id = sale.click_id) other
            cross join jsonb_array_elements(other.steps) step
            where other.steps @> (request -> 'expected' -> 'received')
              and jsonb_build_array(step) @> (request -> 'expected' -> 'received')) end,
        'sales', (
            with recursive connected (id) as (
                select unnest(own || held || expected || array(
                    select jsonb_array_elements_text(ids.value)::uuid
                    from jsonb_each(near) ids))
                union
                select other.id
                from connected cross join lateral (
                    select c.event_id
                    from (select h.commission_id from commission_holds h
                          where h.evidence_event_id = connected.id offset 0) h
                    cross join lateral (select c.event_id from commissions c
                                        where c.id = h.commission_id offset 0) c
                    union all
                    select h.evidence_event_id
                    from (select c.id from commissions c
                          where c.event_id = connected.id offset 0) c
                    cross join lateral (select h.evidence_event_id from commission_holds h
                                        where h.commission_id = c.id offset 0) h
                    where h.evidence_event_id is not null) other (id)
            )
            select jsonb_agg(jsonb_build_object(
                'id', e.id, 'externalId', e.external_id, 'amountCents', e.amount_cents,
                'subscriptionId', e.subscription_id, 'isReported', e.report_occurred_at is not null,
                'steps', e.steps, 'commissionId', e.commission_id,
                'commissions', (
                    select coalesce(jsonb_agg(jsonb_build_object(
                        'id', c.id, 'kind', c.kind, 'isPaid', c.payout_id is not null,
                        'hold', (
                            select jsonb_build_object(
                                'reason', h.reason, 'evidenceId', h.evidence_event_id,
                                'resolution', h.resolution,
                                'isResolvedByHand', h.resolved_by is not null)
                            from commission_holds h where h.commission_id = c.id))
                        order by c.id), '[]')
                    from commissions c where c.event_id = e.id),
                'kinds', looks.kinds, 'amounts', looks.amounts,
                'near', coalesce(near -> e.id::text, '[]')) order by e.id)
            from connected
            cross join lateral (select e.* from events e where e.id = connected.id offset 0) e
            cross join lateral looks_of_sale(workspace, e.id) looks));
end $$;

-- Writes what was decided about the holds of saved events: HoldRequest in
-- lib/rules/holds/hold-facts.ts. The last statement of what saves them. May be repeated. Sales of
-- one customer are serialized by its row, those of one click or address by a lock, so the later of
-- two sees the other.
--
-- Raises TR003 if what is near an event has not been decided about, or has changed since. The
-- detail holds what there is, and the caller decides and saves again. A commission that a rule
-- holds is held at once if nothing else is near, unless it is part of a payout.
create or replace function hold_commissions(workspace uuid, requests jsonb, now timestamptz)
returns void language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
    request    jsonb;
    decided    jsonb;
    facts      jsonb;
    version    text;
    undecided  jsonb := '[]';
    changed    record;
begin
    for request in select * from jsonb_array_elements(requests) loop
        decided := request -> 'decided';
        if (decided -> 'isOfOthers')::boolean then
            -- Against runs that would pay what is to be held. Not waited for: a run that has it
            -- may wait for the sale.
            perform assert_unchanged(pg_try_advisory_xact_lock(
                hashtextextended(workspace || ' payouts', 0)));
        end if;
        facts := load_hold_facts(workspace, request);
        version := md5(facts::text);
        if facts is null then
            insert into commission_holds (commission_id, workspace_id, reason, created_at)
            select c.id, workspace, request -> 'rule' ->> 'reason', now
            from unnest(array[(request ->> 'eventId')::uuid]) saved
            cross join lateral (select e.* from events e where e.id = saved offset 0) e
            cross join lateral (
                select c.* from commissions c where c.id = e.commission_id offset 0) c
            where e.workspace_id = workspace
              and request -> 'rule' ->> 'reason' is not null and c.payout_id is null;
            continue;
        elsif version is distinct from decided ->> 'version' then
            undecided := undecided || jsonb_build_object(
                'eventId', request -> 'eventId', 'version', version, 'facts', facts);
            continue;
        end if;

        update commission_holds h set commission_id = m."to"
        from jsonb_to_recordset(decided -> 'moved') as m ("from" uuid, "to" uuid)
        where h.commission_id = m."from" and h.workspace_id = workspace;
        update commission_holds h set evidence_event_id = m."evidenceId"
        from jsonb_to_recordset(decided -> 'evidence') as m ("commissionId" uuid, "evidenceId" uuid)
        where h.commission_id = m."commissionId" and h.workspace_id = workspace;
        update commission_holds h set resolved_at = now, resolution = m.resolution
        from jsonb_to_recordset(decided -> 'resolved') as m ("commissionId" uuid, resolution text)
        where h.commission_id = m."commissionId" and h.workspace_id = workspace;
        insert into commission_holds
            (commission_id, workspace_id, reason, evidence_event_id, created_at)
        select m."commissionId", workspace, m.reason, m."evidenceId", now
        from jsonb_to_recordset(decided -> 'held')
            as m ("commissionId" uuid, reason text, "evidenceId" uuid)
        on conflict (commission_id) do update
        set reason = excluded.reason, evidence_event_id = excluded.evidence_event_id,
            created_at = excluded.created_at, note = null, held_by = null,
            resolved_at = null, resolution = null, resolved_by = null;
        for changed in
            select * from jsonb_to_recordset(decided -> 'steps') as m ("eventId" uuid, steps jsonb)
            order by 1
        loop
            perform from events e where e.id = changed."eventId" for no key update skip locked;
            perform assert_unchanged(found);
            update events e set steps = changed.steps
            where e.id = changed."eventId" and e.workspace_id = workspace;
        end loop;
    end loop;

    if undecided <> '[]' then
        raise exception 'holds are to be decided'
            using errcode = 'TR003', detail = undecided::text;
    end if;
end $$;

-- Mails all managers that a program's budget is used up, once for each month. The mailer finds the
-- mails at its next turn.
create or replace function note_used_budget() returns trigger language plpgsql as $$
declare
    budget  record;
begin
    select g.name, to_char(e.occurred_at at time zone 'UTC', 'FMMonth YYYY') as month,
        'budget ' || g.id || to_char(e.occurred_at at time zone 'UTC', ' YYYY-MM') as occasion
    into budget
    from commissions c join events e on e.id = c.event_id join programs g on g.id = c.program_id
    where c.id = new.commission_id;
    if exists (select from mails m
            where m.workspace_id = new.workspace_id and m.kind = 'workspace_notice'
                and m.occasion = budget.occasion) then
        return null;
    end if;
    -- Only of the first ones that are held concurrently, one waits for another.
    perform pg_advisory_xact_lock(hashtextextended(budget.occasion, 0));
    perform mail_managers(new.workspace_id, 'budget_used', null, null, budget.month, null,
        budget.occasion, new.created_at, jsonb_build_object('programName', budget.name));
    return null;
end $$;

create or replace trigger commission_holds_used_budget
    after insert or update of reason on commission_holds for each row
    when (new.reason = 'over_budget') execute function note_used_budget();
