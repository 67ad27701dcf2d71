-- Possible duplicates: sales that look like one purchase.

-- Of what kind an id of a purchase is: a processor's invoice, payment (or its charge) or checkout,
-- or an id of the merchant's.
create or replace function purchase_id_kind(id text) returns text language sql immutable as $$
    select case when id like 'in\_%' then 'invoice' when id like 'cs\_%' then 'checkout'
                when id ~ '^(pi|ch|py)_' then 'payment' else 'report' end
$$;

-- The sales that look like a sale: of the same customer or click, in the same currency, with
-- the same gross or net amount, so many hours apart at most, one of them reported by the
-- merchant under an id of its own, the other only by a processor. gross_cents is what was
-- paid with tax, if a processor has reported the sale.
create or replace function sales_alike(of_sale uuid, gross_cents bigint, hours integer)
returns table (id uuid, external_id text, commission_id uuid, steps jsonb)
language plpgsql stable as $$
#variable_conflict use_column
begin
    return query
    with sale as materialized (
        select e.* from events e where e.id = of_sale
    ), near as (
        select o.id, o.workspace_id, o.external_id, o.amount_cents, o.commission_id, o.steps
        from sale join events o on o.customer_id = sale.customer_id
        where o.occurred_at between sale.occurred_at - hours * interval '1 hour'
                                and sale.occurred_at + hours * interval '1 hour'
          and o.id <> sale.id and o.kind = 'sale' and o.currency = sale.currency
          and (o.report_occurred_at is null) <> (sale.report_occurred_at is null)
        union
        select o.id, o.workspace_id, o.external_id, o.amount_cents, o.commission_id, o.steps
        from sale join events o on o.workspace_id = sale.workspace_id and o.click_id = sale.click_id
        where o.occurred_at between sale.occurred_at - hours * interval '1 hour'
                                and sale.occurred_at + hours * interval '1 hour'
          and o.id <> sale.id and o.kind = 'sale' and o.currency = sale.currency
          and (o.report_occurred_at is null) <> (sale.report_occurred_at is null)
    )
    select o.id, o.external_id, o.commission_id, o.steps
    from sale, near o
    where case when sale.report_occurred_at is null
               then o.amount_cents in (sale.amount_cents, gross_cents)
                and purchase_id_kind(o.external_id) = 'report'
                and not exists (
                    -- look-up by the keys, which are fewer than the workspace's events
                    select from (select s.workspace_id from processor_events s
                                 where s.keys && array[o.external_id, 'report:' || o.external_id]
                                 offset 0) s
                    where s.workspace_id = o.workspace_id)
               else gross_cents is null and purchase_id_kind(sale.external_id) = 'report'
                and (o.amount_cents = sale.amount_cents or exists (
                    select from (select s.workspace_id, s.facts from processor_events s
                                 where s.keys && array[o.external_id, 'report:' || o.external_id]
                                 offset 0) s
                    where s.workspace_id = o.workspace_id
                      and s.facts @> jsonb_build_array(jsonb_build_object('paid',
                            jsonb_build_object('grossCents', sale.amount_cents))))) end;
end $$;

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
                     where r.report_occurred_at is not null)),
           array(select amount_cents from sale
                 union
                 select cents::bigint from known,
                     jsonb_path_query(facts, '$[*].paid.**.grossCents ? (@ > 0)') cents),
           array(select distinct email from known where email is not null)
    into kinds, amounts, addresses;
end $$;

-- A sale, and all that are or were held, and not released, as a possible duplicate of it, or of one
-- of these.
create or replace function duplicates_of(of_sale uuid) returns uuid[] language sql stable as $$
    with recursive duplicate (id) as (
        select of_sale
        union
        select c.event_id
        from duplicate d
        cross join lateral (
            select h.* from commission_holds h where h.evidence_event_id = d.id offset 0) h
        cross join lateral (
            select c.event_id from commissions c where c.id = h.commission_id offset 0) c
        where h.reason = 'possible_duplicate' and h.resolution is distinct from 'released'
    )
    select array_agg(id) from duplicate
$$;

-- The sale that a sale is held as a possible duplicate of, if that one earns, and so on: the first,
-- or else the sale itself.
create or replace function original_of(of_sale uuid) returns uuid language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
    original  uuid := of_sale;
    next      uuid;
begin
    loop
        select o.id into next
        from events e
        cross join lateral (
            select h.* from commission_holds h where h.commission_id = e.commission_id offset 0) h
        cross join lateral (
            select o.id, o.commission_id from events o where o.id = h.evidence_event_id offset 0) o
        where e.id = original and h.reason = 'possible_duplicate' and h.resolved_at is null
          and o.commission_id is not null;
        exit when not found;
        original := next;
    end loop;
    return original;
end $$;

-- The kinds of ids that are known of some sales.
create or replace function kinds_of_sales(workspace uuid, sales uuid[]) returns text[]
language sql stable as $$
    select coalesce(array_agg(distinct kind), '{}')
    from unnest(sales) sale
    cross join lateral looks_of_sale(workspace, sale) looks, unnest(looks.kinds) kind
$$;

-- A sale that is to be held because it may be the same purchase as another one that earns, and that
-- other one; no row if the given sale earns nothing, is held already, or looks like no other. What
-- was paid while sales earned only as the merchant reports them is not compared. Two sales may be
-- one purchase if
--   they are of the same customer, click or address, in the same currency, with a net or gross
--   amount in common, at most a day apart,
--   and each lacks what is known of the other: no two of the ids known of them are of one kind. An
--   invoice and a payment may be one purchase, and an invoice whose payment is known, and another
--   payment, are two. So are an invoice and a checkout that are not of the same subscription, or of
--   none. So a payment, its invoice, and the report of both are one, and of each kind one at most.
-- What a manager has released is compared with the same sale no more.
--
-- Of two that a processor's ids are known of, the one that says less is held, in whatever order
-- they came: a payment, which does not say the tax, rather than an invoice, and an invoice rather
-- than a checkout, which says who referred the buyer. Otherwise the one whose commission was made
-- later is. One that is part of a payout is not, but the other is then.
create or replace function find_possible_duplicate(workspace uuid, of_sale uuid)
returns table (held_id uuid, evidence_id uuid) language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
    apart     constant interval := '24 hours';
    sale      events;
    looks     record;
    other     record;
    first     uuid;     -- of those that the other one is a duplicate of, the one that earns
    mine      uuid[];
    theirs    uuid[];
    kinds     text[];   -- of the other one that earns
    is_mine   boolean;  -- whether the given sale is to be held
    choice    uuid;
begin
    select e.* into sale from events e where e.id = of_sale;
    if sale.workspace_id is distinct from workspace or sale.kind <> 'sale'
        or sale.commission_id is null
        or sales_from_at(workspace, sale.occurred_at) = 'api'
        or exists (
            select from (select h.* from commission_holds h
                         where h.commission_id = sale.commission_id offset 0) h
            where h.reason = 'possible_duplicate' and h.resolved_at is null) then
        return;
    end if;
    looks := looks_of_sale(workspace, of_sale);
    for other in
        select o.id, o.subscription_id from (
            select o.id, o.kind, o.currency, o.external_id, o.commission_id, o.occurred_at,
                   o.subscription_id
            from (select o.* from events o
                  where o.customer_id = sale.customer_id
                    and o.occurred_at >= sale.occurred_at - apart offset 0) o
            union
            select o.id, o.kind, o.currency, o.external_id, o.commission_id, o.occurred_at,
                   o.subscription_id
            from (select o.* from events o
                  where o.workspace_id = workspace and o.click_id = sale.click_id offset 0) o
            union
            select o.id, o.kind, o.currency, o.external_id, o.commission_id, o.occurred_at,
                   o.subscription_id
            from unnest(looks.addresses) address
            cross join lateral (select s.keys from processor_events s
                                where s.workspace_id = workspace and s.email = address offset 0) s
            cross join unnest(s.keys) key
            cross join lateral (select o.* from events o
                                where o.id = (event_reported(workspace, 'sale',
                                    replace(key, 'report:', '')) ->> 'id')::uuid offset 0) o
        ) o
        -- Two of one kind are two purchases, whatever else is known of them.
        where o.id <> of_sale and o.kind = 'sale' and o.currency = sale.currency
          and o.commission_id is not null
          and o.occurred_at between sale.occurred_at - apart and sale.occurred_at + apart
          and purchase_id_kind(o.external_id) <> purchase_id_kind(sale.external_id)
          and sales_from_at(workspace, o.occurred_at) <> 'api'
        order by o.id
    loop
        continue when not exists (
            select from looks_of_sale(workspace, other.id) o
            where o.amounts && looks.amounts and not o.kinds && looks.kinds
              -- A payment alone does not say its subscription.
              and (sale.subscription_id is not distinct from other.subscription_id
                   or not (looks.kinds && array['invoice', 'checkout']
                           and o.kinds && array['invoice', 'checkout'])));
        first := original_of(other.id);
        mine := duplicates_of(of_sale);
        theirs := duplicates_of(first);
        continue when first = of_sale
            or kinds_of_sales(workspace, mine) && kinds_of_sales(workspace, theirs)
            or exists (
                select from unnest(mine || theirs) evidence
                cross join lateral (select h.* from commission_holds h
                                    where h.evidence_event_id = evidence offset 0) h
                cross join lateral (select c.event_id from commissions c
                                    where c.id = h.commission_id offset 0) c
                where (h.resolved_by is not null or h.reason <> 'possible_duplicate')
                  and (evidence = any (mine) and c.event_id = any (theirs)
                       or evidence = any (theirs) and c.event_id = any (mine)));
        kinds := kinds_of_sales(workspace, array[first]);
        is_mine := case
            when looks.kinds <> '{report}' and kinds <> '{report}' then
                case when 'checkout' = any (looks.kinds) then 1
                     when 'invoice' = any (looks.kinds) then 2 else 3 end
                > case when 'checkout' = any (kinds) then 1
                       when 'invoice' = any (kinds) then 2 else 3 end
            else (select c.id from commissions c
                  where c.event_id = of_sale and c.kind = 'sale' order by c.id limit 1)
                > (select c.id from commissions c
                   where c.event_id = first and c.kind = 'sale' order by c.id limit 1) end;
        select e.id into choice
        from unnest(case when is_mine then array[of_sale, first] else array[first, of_sale] end)
            with ordinality s (id, place)
        cross join lateral (select e.id, e.commission_id from events e where e.id = s.id offset 0) e
        cross join lateral (
            select c.payout_id from commissions c where c.id = e.commission_id offset 0) c
        where c.payout_id is null
          and not exists (
              select from (select h.* from commission_holds h
                           where h.commission_id = e.commission_id offset 0) h
              where h.resolved_at is null or h.resolved_by is not null)
        order by s.place limit 1;
        if choice is not null then
            return query select choice, case when choice = of_sale then first else of_sale end;
            return;
        end if;
    end loop;
end $$;

-- Holds the commission of a sale that may be the same purchase as another one that earns, or that
-- of the other one: see find_possible_duplicate. Before, it lets the sale's holds follow to its
-- present commission, and releases what turned out to be two purchases, or one: tied are sales that
-- are recorded as the same purchase as this one from now on. What is released is compared again.
-- is_new is whether the sale's commission is made in this transaction.
--
-- The last statement of what saves the sale. May be repeated. Sales of one customer are serialized
-- by its row, sales of one click or address by a lock, so that the later one sees the other.
create or replace function hold_possible_duplicate(workspace uuid, saved_id uuid, click text,
    tied uuid[], is_new boolean, now timestamptz)
returns void language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
    changed    uuid[]  := array[saved_id];
    is_locked  boolean := false;   -- against runs that would pay what is to be held
    rest       uuid[];
    pair       record;
    current    uuid;
begin
    if click is not null then
        perform lock_click(workspace, click);
    end if;

    update commission_holds h
    set commission_id = (select e.commission_id from events e where e.id = saved_id)
    where h.commission_id = any (array(
              select c.id
              from events e
              cross join lateral (select c.id from commissions c where c.event_id = e.id offset 0) c
              where e.id = saved_id and c.id <> e.commission_id))
      and h.resolution is distinct from 'rejected';

    update commission_holds h set evidence_event_id = saved_id
    where h.evidence_event_id = any (tied)
      and (select c.event_id from commissions c
           where c.id = h.commission_id) <> all (saved_id || tied);

    for pair in
        select h.commission_id, h.evidence_event_id, c.event_id
        from (select h.* from unnest(array[saved_id]) sale
              cross join lateral (
                  select h.* from commission_holds h where h.evidence_event_id = sale offset 0) h
              union
              select h.* from unnest(saved_id || tied) sale
              cross join lateral (select c.id from commissions c where c.event_id = sale offset 0) c
              cross join lateral (
                  select h.* from commission_holds h where h.commission_id = c.id offset 0) h) h
        cross join lateral (
            select c.event_id from commissions c where c.id = h.commission_id offset 0) c
        where h.reason = 'possible_duplicate' and h.resolved_at is null
    loop
        if pair.event_id <> all (tied) and pair.evidence_event_id <> all (tied) then
            -- All that may be the same purchase, but for what is held of this one.
            rest := array(select unnest(duplicates_of(original_of(pair.evidence_event_id)))
                          except select unnest(duplicates_of(pair.event_id)));
            continue when not kinds_of_sales(workspace, rest)
                              && kinds_of_sales(workspace, duplicates_of(pair.event_id));
        end if;
        update commission_holds h set resolved_at = now, resolution = 'released'
        where h.commission_id = pair.commission_id;
        changed := changed || pair.event_id;
    end loop;

    foreach current in array changed loop
        loop
            select * into pair from find_possible_duplicate(workspace, current);
            exit when not found;
            if not is_locked and not (is_new and pair.held_id = saved_id) then
                -- Not waited for: who has it may wait for the sale.
                perform assert_unchanged(pg_try_advisory_xact_lock(
                    hashtextextended(workspace || ' payouts', 0)));
                is_locked := true;
                continue;
            end if;
            insert into commission_holds as h
                (commission_id, workspace_id, reason, evidence_event_id, created_at)
            select e.commission_id, workspace, 'possible_duplicate', pair.evidence_id, now
            from events e where e.id = pair.held_id
            on conflict (commission_id) do update
            set reason = excluded.reason, evidence_event_id = excluded.evidence_event_id,
                created_at = excluded.created_at,
                note = null, held_by = null, resolved_at = null, resolution = null;
            changed := changed || pair.held_id;
            exit when pair.held_id = current;
        end loop;
    end loop;

    foreach current in array changed loop
        if current <> saved_id and current <> all (tied) then
            perform from events e where e.id = current for no key update skip locked;
            perform assert_unchanged(found);
        end if;
        update events e set steps = known.steps
        from (
            select coalesce((
                    select jsonb_agg(step order by place)
                    from jsonb_array_elements(e.steps) with ordinality s (step, place)
                    where step ->> 'code' <> 'possible_duplicate'), '[]')
                || coalesce((
                    select jsonb_build_array(jsonb_build_object(
                        'code', 'possible_duplicate', 'facts',
                            jsonb_build_object('externalId', o.external_id)))
                    from events o
                    where o.id = (select h.evidence_event_id
                                  from (select h.* from commission_holds h
                                        where h.commission_id = e.commission_id offset 0) h
                                  where h.resolved_at is null or h.resolved_by is not null)),
                    '[]') as steps
            from events e where e.id = current) known
        where e.id = current and e.steps <> known.steps
          and not e.steps @> '[{"code": "commission_rejected"}]';
    end loop;
end $$;

-- Notes that an expected sale and a processor's look like one purchase: see
-- lib/tracking/events/expected-sales.queries.ts. A part of what saves the sale, after it. May be
-- repeated. The conditions on steps are the predicate of events_expected_idx.
create or replace function note_received(workspace uuid, saved_id uuid, click text,
    gross_cents bigint, hours integer) returns void language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
begin
    if click is not null then
        perform lock_click(workspace, click);
    end if;

    with sale as materialized (
        select e.* from events e
        where e.workspace_id = workspace and e.id = saved_id and e.kind = 'sale'
    ), pair as (
        select case when sale.report_occurred_at is null then o.id else sale.id end as expected_id,
               case when sale.report_occurred_at is null
                    then sale.external_id else o.external_id end as external_id
        from sale, sales_alike(sale.id, gross_cents, hours) o
        where case when sale.report_occurred_at is null
                   then o.steps @> '[{"code": "sale_expected_from_stripe"}]'
                    and not o.steps @> '[{"code": "expected_sale_received"}]'
                   else sale.steps @> '[{"code": "sale_expected_from_stripe"}]'
                    and not sale.steps @> '[{"code": "expected_sale_received"}]' end
          and not exists (
            select from (
                select o.steps from events o where o.customer_id = sale.customer_id
                union all
                select o.steps from events o
                where o.workspace_id = sale.workspace_id and o.click_id = sale.click_id) other
            where other.steps @> jsonb_build_array(jsonb_build_object(
                'code', 'expected_sale_received', 'facts', jsonb_build_object(
                    'externalId', case when sale.report_occurred_at is null
                                       then sale.external_id else o.external_id end))))
        order by o.id limit 1
    )
    update events e
    set steps = e.steps || jsonb_build_array(jsonb_build_object(
        'code', 'expected_sale_received', 'facts',
            jsonb_build_object('externalId', (select external_id from pair))))
    where e.workspace_id = workspace and e.id = (select expected_id from pair);
end $$;
