-- Identities: the locks of customers and their ids, customers that turn out to be one, and payments
-- that only an address names.

-- Locks the customers who have one of these identities, [{"kind", "value"}], and returns their ids
-- in order. Leaves out those who were merged while it waited for a lock.
create or replace function lock_customers(workspace uuid, identities jsonb) returns uuid[]
language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
    locked uuid[];
begin
    loop
        select array_agg(id order by id) into locked from (
            select c.id from customers c where c.workspace_id = workspace and c.id = any (array(
                select i.customer_id
                from jsonb_to_recordset(identities) as t (kind text, value text),
                     lateral (select customer_id from customer_identities
                              where workspace_id = workspace and value = t.value and kind = t.kind
                                  and kind <> 'email' offset 0) i))
            order by c.id for update of c) l;
        exit when not exists (select from customers
            where id = any(locked) and merged_into is not null);
    end loop;
    return locked;
end $$;

-- Makes one customer of those who have one of these identities, [{"kind", "value"}], and gives it
-- all of them; a new one, if there is none. The oldest customer takes over the others' identities,
-- referrals and sales, which are recomputed; the others keep only merged_into. Sales that the
-- merchant reported under an id that was not known are the customer's too. What an address has
-- matched to another customer is recomputed. tied_by and tied_in say what names the identities
-- together: the source and evidence of what it ties.
--
-- Fails if an identity is concurrently given to another customer: the caller tries again.
create or replace function tie_customers(workspace uuid, identities jsonb, tied_by text,
    tied_in text, fresh uuid, now timestamptz)
returns uuid language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
    tied     uuid[] := lock_customers(workspace, identities);
    survivor uuid;
    losers   uuid[];
    latest   uuid[];   -- the tied, by their last import, the latest first
    replan   timestamptz;
begin
    survivor := coalesce(tied[1], fresh);
    losers := tied[2:];

    if tied is null then
        insert into customers (id, workspace_id, external_id, created_at)
        values (fresh, workspace, identities -> 0 ->> 'value', now)
        on conflict (id) do nothing; -- the retry of an unconfirmed commit
    end if;
    if losers <> '{}' then
        latest := array(
            select c.id from customers c where c.id = any(tied)
            order by c.imported_at desc nulls last,
                     (select max(r.origin) from referrals r
                      where r.customer_id = c.id and r.source = 'import'
                          and r.referred_at = c.imported_at) desc, c.id);
        insert into customer_identities as own (workspace_id, customer_id, kind, value, source,
            evidence, created_at, is_verified)
        select distinct on (i.value) workspace, survivor, i.kind, i.value, i.source, i.evidence,
               min(i.created_at) over same, bool_or(i.is_verified) over same
        from customer_identities i
        where i.customer_id = any(losers) and i.kind = 'email'
        window same as (partition by i.value)
        order by i.value, i.source = 'import', i.created_at, i.customer_id
        on conflict (customer_id, kind, value) do update
        set (source, evidence) = (
                select case when own.source = 'import' then excluded.source else own.source end,
                       case when own.source = 'import'
                            then excluded.evidence else own.evidence end),
            created_at = least(own.created_at, excluded.created_at),
            is_verified = own.is_verified or excluded.is_verified;
        delete from customer_identities where customer_id = any(losers) and kind = 'email';
        update customer_identities i
        set customer_id = survivor,
            (source, evidence) = (
                select case when t.is_tied then tied_by else i.source end,
                       case when t.is_tied then tied_in else i.evidence end
                from (select identities @> jsonb_build_array(
                          jsonb_build_object('kind', i.kind, 'value', i.value))) t (is_tied))
        where i.customer_id = any(losers);

        insert into referrals (workspace_id, customer_id, origin, partner_id, source, attribution,
            referred_at, clicked_at, started_at)
        select workspace_id, survivor, origin, partner_id, source, attribution, referred_at,
               clicked_at, started_at
        from referrals where customer_id = any(losers)
        on conflict (customer_id, origin) do nothing;
        delete from referrals where customer_id = any(losers);

        update events set customer_id = survivor where customer_id = any(losers);
        -- One sale per program, or product, keeps the one-time reward: the one paid first.
        delete from one_time_rewards where (event_id, product) in (
            select event_id, product from (
                select o.event_id, o.product, row_number() over (
                    partition by o.program_id, o.product order by e.occurred_at, e.external_id)
                from one_time_rewards o join events e on e.id = o.event_id
                    where o.customer_id = any(tied)) o (event_id, product, place)
            where place > 1);
        update one_time_rewards set customer_id = survivor where customer_id = any(losers);
        replan := (select min(occurred_at) from events
            where customer_id = survivor and kind = 'sale');
    end if;

    insert into customer_identities (workspace_id, customer_id, kind, value, source, evidence,
        created_at)
    select workspace, survivor, t.kind, t.value, tied_by, tied_in, now
        from jsonb_to_recordset(identities) as t (kind text, value text)
    on conflict (customer_id, kind, value) do nothing;
    with adopted as (
        update events set customer_id = survivor
        where workspace_id = workspace and kind = 'sale' and customer_id is null
            and customer_external_id in (
            select value from customer_identities
                where customer_id = survivor and kind not in ('guest', 'email'))
        returning occurred_at
    )
    select least(replan, min(occurred_at),
        addressed_elsewhere(workspace, survivor, '-infinity')) into replan
    from adopted;

    update customers c
    set external_id = (
            select value from customer_identities i
                where i.customer_id = survivor and i.kind <> 'email'
            order by i.kind = 'guest', i.kind <> 'external', i.created_at, i.value limit 1),
        email = coalesce(c.email, (select min(email) from customers where id = any(losers))),
        name = coalesce(c.name, (select min(name) from customers where id = any(losers))),
        imported_at = greatest(c.imported_at,
            (select max(imported_at) from customers where id = any(losers))),
        (started_at, started_program_id) = (
            select started_at, started_program_id from customers s
            where (s.id = survivor or s.id = any(losers))
            order by s.started_at is null, array_position(latest, s.id) limit 1),
        prior = (select s.prior from customers s
                 where (s.id = survivor or s.id = any(losers)) and s.prior is not null
                     order by array_position(latest, s.id) limit 1),
        partner_id = present_owner(survivor),
        revision = c.revision + 1,
        replan_from = least(c.replan_from, replan,
            (select min(replan_from) from customers where id = any(losers))),
        addressed_from
            = least(c.addressed_from, case when losers <> '{}'
            then addressed_since(workspace, survivor, '-infinity') end)
    where c.id = survivor;
    update customers
    set merged_into = survivor, partner_id = null, prior = null, replan_from = null,
        addressed_from = null, revision = revision + 1
    where id = any(losers) or merged_into = any(losers);
    return survivor;
end $$;

create or replace function identity_lock_key(workspace uuid, kind text, value text) returns bigint
    language sql stable as $$
    select hashtextextended(workspace::text || ' ' || kind, abs(hashtext(value)::bigint) % 256)
$$;

-- Serializes, by identities [{"kind", "value"}], what is recorded while their customer is unknown
-- with what ties them to a customer: see lib/db/locks.queries.ts. Sorted against deadlocks. 256
-- locks per workspace and kind, because an import takes those of all its rows, and Postgres has a
-- few thousand.
create or replace function lock_identities(workspace uuid, identities jsonb, is_exclusive boolean)
    returns void language plpgsql as $$
declare
    keys bigint[];
    key  bigint;
begin
    if jsonb_array_length(identities) = 1 then   -- as most reports have
        keys := array[identity_lock_key(workspace, identities -> 0 ->> 'kind',
            identities -> 0 ->> 'value')];
    else
        keys := array(select distinct identity_lock_key(workspace, i.kind, i.value)
                      from jsonb_to_recordset(identities) as i (kind text, value text) order by 1);
    end if;
    foreach key in array keys loop
        if is_exclusive then
            perform pg_advisory_xact_lock(key);
        else
            perform pg_advisory_xact_lock_shared(key);
        end if;
    end loop;
end $$;

-- Whether a processor's event is of a payment that an address may match: nobody is credited with
-- its sale, or it is not recorded yet, or an address has matched it before, or it is a renewal that
-- is credited by a coupon or click of its own, because nobody owned the customer.
create or replace function is_matchable(keys text[], facts jsonb, outcome jsonb, sale_id uuid,
    sale_partner uuid, attributed_by text, addressed_id text)
returns boolean language sql immutable as $$
    select cardinality(keys) > 0
       and (coalesce(outcome ->> 'code', 'waiting') = 'waiting'
            or sale_id is not null and sale_partner is null
            or addressed_id is not null
            or attributed_by in ('coupon', 'click', 'code')
               and facts @> '[{"kind": "invoice", "billingReason": "subscription_cycle"}]')
$$;

-- When the first purchase since then was paid under an id of this customer that an address matched
-- to another customer.
create or replace function addressed_elsewhere(workspace uuid, of_customer uuid,
    since timestamptz) returns timestamptz
language sql stable as $$
    select min(e.occurred_at)
    from customer_identities i
    join events e on e.workspace_id = workspace and e.addressed_id = i.value
    where i.customer_id = of_customer and i.kind not in ('email', 'guest')
      and e.customer_id <> of_customer and e.occurred_at >= since
$$;

-- When the first payment of others since then was made that an address of this customer may match:
-- the time of the event that named the address, which may be before the payment.
create or replace function addressed_since(workspace uuid, of_customer uuid, since timestamptz)
    returns timestamptz
language sql stable as $$
    select min(p.occurred_at)
    from customer_identities i
    cross join lateral (select * from processor_events
                        where workspace_id = workspace and email = i.value offset 0) p
    left join lateral (select * from events where id = p.event_id offset 0) s on true
    where i.customer_id = of_customer and i.kind = 'email'
      and is_matchable(p.keys, p.facts, p.outcome, s.id, s.partner_id, s.attributed_by::text,
          s.addressed_id)
      and s.customer_id is distinct from of_customer
      and greatest(p.occurred_at, s.occurred_at) >= since
$$;
