-- Reports: sales and leads from merchants and payment processors. Loaded, and saved.

-- Mismatches: reports that differ from the event with their id. They changed nothing.
create table report_mismatches (
    id            uuid         primary key default uuidv7(),
    workspace_id  uuid         not null,
    event_id      uuid         not null,
    body_hash     text         not null,
    -- [{field, recorded, reported}], where the event has the field
    differences   jsonb        not null,
    reports       integer      not null default 1,  -- how often this body was reported
    first_at      timestamptz  not null,
    last_at       timestamptz  not null,
    constraint report_mismatches_event_id_body_hash_key unique (event_id, body_hash),
    constraint report_mismatches_event_id_fkey foreign key (workspace_id, event_id)
        references events (workspace_id, id)
);

-- Which are the newest? How many are recent?
create index report_mismatches_workspace_id_idx on report_mismatches (workspace_id, id);
create index report_mismatches_recent_idx on report_mismatches (workspace_id, last_at);

-- Which are to be removed next? See lib/people/retention.queries.ts.
create index report_mismatches_last_at_idx on report_mismatches (last_at);


-- Functions and triggers.

-- Keeps mismatches: Mismatch[] of lib/tracking/reports/keep-mismatches.queries.ts. The first 20
-- bodies of an event are kept, and some 1,000 of a workspace in a day.
create or replace function note_mismatches(mismatches jsonb, at timestamptz) returns void
language sql
security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
    insert into report_mismatches (workspace_id, event_id, body_hash, differences, first_at,
        last_at)
    select m.workspace_id, m.event_id, m.body_hash, m.differences, at, at
    from (
        select e.workspace_id, e.id as event_id, r."bodyHash" as body_hash, f.differences,
               row_number() over (partition by e.id order by r."bodyHash") as n
        from (select distinct on ("eventId", "bodyHash") *
              from jsonb_to_recordset(mismatches)
                  as r ("eventId" uuid, "bodyHash" text, reported jsonb)) r
        cross join lateral (
            select * from events
            where id = r."eventId" and body_hash not in (r."bodyHash", 'erased') limit 1) e
        cross join lateral (
            select coalesce(jsonb_agg(
                jsonb_build_object('field', d.key, 'recorded', left(k.value, 500),
                                   'reported', left(d.value, 500))
                order by d.key), '[]') as differences
            from (
                select key, value from jsonb_each_text(r.reported - 'metadata')
                union all
                (select 'metadata.' || key, r.reported -> 'metadata' ->> key
                 from jsonb_object_keys(coalesce(e.metadata, '{}')
                     || coalesce(nullif(r.reported -> 'metadata', 'null'), '{}')) key
                 where e.metadata -> key is distinct from r.reported -> 'metadata' -> key
                 order by key limit 20)) d
            cross join lateral (select case d.key
                when 'customerExternalId' then e.customer_external_id
                when 'saleExternalId'     then e.sale_external_id
                when 'eventName'          then e.event_name
                when 'amountCents'        then
                    case when e.kind = 'refund' then e.requested ->> 'amountCents'
                         else e.amount_cents::text end
                when 'currency'           then
                    case when e.kind = 'refund' then e.requested ->> 'currency'
                         else e.currency end
                when 'occurredAt'         then
                    case when e.occurred_at = d.value::timestamptz then d.value
                         else to_char(e.occurred_at at time zone 'UTC',
                                      'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end
                when 'lines'              then e.lines::text
                when 'customerCountry'    then e.country
                -- The newest of several clicks was taken.
                when 'clickId'            then
                    case when position(e.click_id in d.value) > 0 then d.value
                         else e.click_id end
                else e.metadata ->> substr(d.key, length('metadata.') + 1) end as value) k
            where d.value is distinct from k.value) f) m
    where exists (select from report_mismatches o
                  where o.event_id = m.event_id and o.body_hash = m.body_hash)
       or m.n + (select count(*) from report_mismatches o where o.event_id = m.event_id) <= 20
          and (select count(*) from (
              select from report_mismatches o
              where o.workspace_id = m.workspace_id and o.last_at > at - interval '1 day'
              limit 1000) recent) < 1000
    order by m.event_id, m.body_hash
    on conflict (event_id, body_hash) do update
        set reports = report_mismatches.reports + 1,
            last_at = greatest(report_mismatches.last_at, excluded.last_at)
$$;

-- Whether a sale is one of its customer's payments, which rules of a reward count. One that is
-- recorded under several ids counts once, and so does one that the merchant reports too where its
-- processor reports the sales.
create or replace function is_payment(e events) returns boolean language sql stable as $$
    select e.kind = 'sale' and e.amount_cents > 0 and is_counted(e.steps) and not e.is_duplicate
       and (e.report_occurred_at is null or purchase_id_kind(e.external_id) <> 'report'
            or sales_from_at(e.workspace_id, e.report_occurred_at) in ('both', 'api')
            or exists (select from processor_events p where p.event_id = e.id))
$$;

-- Whether a reward of the workspace may ask for what customers have paid, or earned partners.
create or replace function counts_payments(workspace uuid) returns boolean
language sql stable as $$
    select exists (select from rewards r
        where r.workspace_id = workspace and (r.rules is not null or r.caps is not null))
$$;

-- What a customer paid before a report: PaymentHistory in lib/rules/rewards/conditions.ts, and
-- lib/rules/decisions/payment-history.ts for recomputed sales. Of an unknown customer, it is the
-- sales under its id, which the report adopts.
create or replace function payments_before(workspace uuid, customer uuid, customer_external_id text,
    external_id text, occurred_at timestamptz) returns json
language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    payments    integer;
    first_at    timestamptz;
    started_at  timestamptz;
    -- As dated_to of load_report.
    paid_to     timestamptz := case when occurred_at = date_trunc('second', occurred_at)
                                    then occurred_at + interval '999 milliseconds'
                                    else occurred_at end;
begin
    select count(*), min(p.occurred_at) into payments, first_at
    from (
        select e.occurred_at, e.external_id from events e
        where e.customer_id = customer and is_payment(e)
        union all
        select e.occurred_at, e.external_id from events e
        where customer is null and e.workspace_id = workspace and e.kind = 'sale'
          and e.customer_id is null and e.customer_external_id = customer_external_id
          and is_payment(e)) p
    where (p.occurred_at, p.external_id) < (occurred_at, external_id);
    -- As startAt in lib/rules/identities/owner.ts.
    select r.started_at into started_at
    from referrals r
    where r.customer_id = customer and r.started_at is not null
      and r.referred_at <= paid_to
    order by r.referred_at desc, r.origin collate "C" desc limit 1;
    if started_at < occurred_at then
        payments := payments + 1;
        first_at := least(first_at, started_at);
    end if;
    return json_build_object('payments', payments, 'ofSubscription', null, 'firstSaleAt', first_at);
end $$;

-- What the sales of a customer before another one have earned, by partner and currency: ofCustomer
-- of CapFacts in lib/rules/rewards/caps.ts. Reversals count nothing, and replaced commissions are
-- left out.
create or replace function earned_before(customer uuid, external_id text, occurred_at timestamptz,
    but_events uuid[]) returns json
language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
begin
    return (
        select coalesce(json_agg(json_build_object(
            'partnerId', s.partner_id, 'currency', s.currency, 'cents', s.cents)), '[]')
        from (
            select c.partner_id, c.currency, sum(c.amount_cents)::bigint as cents
            from events e cross join lateral (
                select k.partner_id, k.currency, k.amount_cents
                from commissions k where k.id = e.commission_id offset 0) c
            where e.customer_id = customer and e.kind = 'sale' and e.id <> all (but_events)
              and (e.occurred_at, e.external_id) < (occurred_at, external_id)
            group by c.partner_id, c.currency) s);
end $$;

-- The same of all sales of partners in the month of a time, in UTC: month and inMonth of CapFacts.
create or replace function earned_in_month(partners uuid[], at timestamptz, but_events uuid[])
returns json language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
    month     timestamp   := date_trunc('month', at at time zone 'UTC');
    -- A commission may be older than its sale, which a payment processor dates later than a report.
    begun_at  timestamptz := month at time zone 'UTC' - interval '31 days';
begin
    return json_build_object('month', coalesce(month::date::text, ''), 'inMonth', (
        select coalesce(json_agg(json_build_object(
            'partnerId', s.partner_id, 'currency', s.currency, 'cents', s.cents)), '[]')
        from (select distinct unnest(partners)) p (id) cross join lateral (
            select c.partner_id, c.currency, sum(c.amount_cents)::bigint as cents
            from (select k.id, k.partner_id, k.event_id, k.currency, k.amount_cents
                  from commissions k
                  where k.partner_id = p.id and k.created_at >= begun_at
                    -- repeated condition
                    and (k.partner_id, k.created_at) >= (p.id, begun_at)
                    and k.kind = 'sale' and k.earned_on >= month::date
                    and k.earned_on < (month + interval '1 month')::date
                  offset 0) c
            cross join lateral (select e.commission_id from events e
                                where e.id = c.event_id offset 0) e
            where e.commission_id = c.id and c.event_id <> all (but_events)
            group by c.partner_id, c.currency) s));
end $$;

-- Serializes the sales of a partner in a month that its reward caps, and raises TR001 if the others
-- leave another amount than the sale was decided by: `cap` is MonthCap of
-- lib/rules/rewards/caps.ts. As long as the month has room for all of it, others change nothing.
-- Called before the event is locked or inserted, and after its customer is locked.
create or replace function assert_month_cap(cap jsonb, but_events uuid[]) returns void
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    partner  uuid   := cap ->> 'partnerId';
    month    text   := cap ->> 'month';
    earned   bigint;
begin
    perform pg_advisory_xact_lock(hashtextextended(partner || ' earns in ' || month, 0));
    select coalesce(sum(s.cents), 0) into earned
    from json_to_recordset(earned_in_month(array[partner], month::timestamp at time zone 'UTC',
            but_events) -> 'inMonth') as s (currency text, cents bigint)
    where s.currency = cap ->> 'currency';
    perform assert_unchanged((cap -> 'earnedCents')::bigint = least((cap -> 'wantedCents')::bigint,
        greatest((cap -> 'capCents')::bigint - earned, (cap -> 'keptCents')::bigint)));
end $$;

-- What a report is decided from: ReportFacts in lib/tracking/reports/facts.queries.ts, with the
-- event of an earlier report alone if that is complete. Text if the API key is refused:
-- "unknown_key", also for one that is revoked or expired, or "insufficient_scope". It is json,
-- which takes less to put together than jsonb. processor_key is what a processor's events name the
-- sale by, null for a lead; is_own is whether a sale has an id of the merchant's own. click_ids are
-- lines: of several, the newest that has not expired is the report's. occurred_at is when a dated
-- report took place: the terms are those of then, with everybody who referred the customer and
-- their terms. slug_key and coupon_code are how the report names a partner, if it does: codeHolders
-- are those who have that slug or coupon.
create or replace function load_report(api_key_hash text, report_kind text, external_id text,
    customer_kind text, customer_external_id text, click_ids text, processor_key text,
    is_own boolean, received_at timestamptz, occurred_at timestamptz, slug_key text,
    coupon_code text) returns json
language plpgsql stable
security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    workspace       uuid;
    key_id          uuid;
    sales_from      text;
    may_track       boolean;
    recorded        jsonb;
    is_processed    boolean := false;   -- whether a processor reports to the workspace
    is_joined       boolean := false;   -- and whether it reported this sale
    is_refunded     boolean;            -- whether refunds wait for the sale
    adopts_sales    boolean := false;
    cu              customers;
    cl              clicks;
    customer        json;
    emails          text[];
    click           json;
    click_partner   json;
    owner           json;
    referrers       json;
    referrals       json;
    refunds         json;
    code_holders    json;
    history         json;
    asked           text;               -- the terms of all partners in question
    of_customer     json;
    of_month        json;
    -- A dated report is judged like a processor's, whose times are whole seconds: see
    -- terms_of_partner.
    dated_to        timestamptz := case when occurred_at = date_trunc('second', occurred_at)
                                        then occurred_at + interval '999 milliseconds'
                                        else occurred_at end;
    took_place_at   timestamptz := coalesce(occurred_at, received_at);
begin
    select k.id, k.workspace_id, w.sales_from, 'track' = any (k.scopes)
    into key_id, workspace, sales_from, may_track
    from api_keys k join workspaces w on w.id = k.workspace_id
    where k.key_hash = api_key_hash and k.revoked_at is null
      and coalesce(k.expires_at > received_at, true);
    if not found then return '"unknown_key"'; end if;
    if not may_track then return '"insufficient_scope"'; end if;

    recorded := event_reported(workspace, report_kind, external_id);

    if recorded ->> 'bodyHash' is null then
        if position(E'\n' in click_ids) > 0 then   -- one for each program of a site
            select * into cl from clicks c
            where c.workspace_id = workspace and c.id = any(string_to_array(click_ids, E'\n'))
            order by c.expires_at > took_place_at desc, c.created_at desc, c.id
            limit 1;
        else
            select * into cl from clicks c where c.workspace_id = workspace and c.id = click_ids;
        end if;
        -- The condition on the kind is the predicate of the index.
        select c.* into cu
        from customer_identities i join customers c on c.id = i.customer_id
        where i.workspace_id = workspace and i.kind = customer_kind
          and i.value = customer_external_id and i.kind <> 'email';

        if cu.id is null then
            adopts_sales := exists (
                select from events e
                where e.workspace_id = workspace and e.kind = 'sale' and e.customer_id is null
                  and e.customer_external_id = customer_external_id);
        else
            emails := array(select i.value from customer_identities i
                            where i.customer_id = cu.id and i.kind = 'email') || cu.email;
            customer := json_build_object(
                'id', cu.id, 'revision', cu.revision, 'partnerId', cu.partner_id,
                'email', cu.email, 'name', cu.name,
                'isClickedFirst', cl.id is not null and not exists (
                    select from referrals r
                    where r.customer_id = cu.id
                      and r.referred_at <= took_place_at
                      and coalesce(r.clicked_at, r.referred_at) <= cl.created_at));
        end if;
        if cl.id is not null then
            click_partner := terms_of_partner(cl.partner_id, cu.id, took_place_at, dated_to);
            click := json_build_object(
                'id', cl.id, 'createdAt', cl.created_at, 'expiresAt', cl.expires_at,
                'partner', click_partner, 'link', cl.slug_key, 'sub', cl.sub);
        end if;
        if cu.id is not null and occurred_at is not null then
            referrals := (
                select json_agg(json_build_object(
                    'origin', r.origin, 'partnerId', r.partner_id, 'source', r.source,
                    'attribution', r.attribution, 'referredAt', r.referred_at,
                    'clickedAt', r.clicked_at))
                from referrals r where r.customer_id = cu.id);
            referrers := (
                select json_agg(terms_of_partner(r.partner_id, cu.id, occurred_at, dated_to))
                from (select distinct partner_id from referrals where customer_id = cu.id) r);
        elsif cu.partner_id is not null then
            owner := case when cu.partner_id = cl.partner_id then click_partner
                          else terms_of_partner(cu.partner_id, cu.id, took_place_at, null) end;
        end if;
        if slug_key is not null or coupon_code is not null then
            code_holders := (
                select json_agg(json_build_object(
                    'isTrusted', (
                        select pr.trusted_attribution from programs pr
                        where pr.id = (select p.program_id from partners p where p.id = h.id)),
                    'partner', terms_of_partner(h.id, cu.id, took_place_at, dated_to))
                    order by h.id)
                from (
                    select s.id
                    from programs pr cross join lateral (
                        (select p.id from partners p
                         where p.program_id = pr.id and p.slug_key = slug_key
                           -- repeated condition
                           and (p.program_id, p.slug_key) >= (pr.id, slug_key)
                         offset 0)
                        union all
                        (select l.partner_id from links l
                         where l.program_id = pr.id and l.slug_key = slug_key
                         offset 0)) s (id)
                    where pr.workspace_id = workspace
                    union
                    (select c.partner_id from coupon_aliases c
                     where c.workspace_id = workspace
                       and lower(normalize(c.coupon_id)) = lower(coupon_code))
                    union
                    (select c.partner_id from coupon_aliases c
                     where c.workspace_id = workspace
                       and lower(normalize(c.label)) = lower(coupon_code))) h (id));
        end if;
        -- A text, so that a report without such rules and caps runs no statement.
        asked := concat(click_partner, owner, referrers, code_holders);
        if asked ~ '"fact" ?: ?"(payment|customerMonths)"|"per" ?: ?"(customer|partner_month)"' then
            if asked ~ '"fact" ?: ?"(payment|customerMonths)"'
                or report_kind = 'sale' and asked ~ '"per" ?: ?"customer"' then
                history := payments_before(workspace, cu.id, customer_external_id, external_id,
                    took_place_at);
            end if;
            if report_kind = 'sale' and asked ~ '"per" ?: ?"customer"' then
                of_customer := earned_before(cu.id, external_id, took_place_at, '{}');
            end if;
            if report_kind = 'sale' and asked ~ '"per" ?: ?"partner_month"' then
                of_month := earned_in_month(array(
                    select (t.terms ->> 'id')::uuid
                    from (select click_partner union all select owner
                          union all select json_array_elements(referrers)
                          union all select json_array_elements(code_holders) -> 'partner') t (terms)
                    where t.terms is not null), took_place_at, '{}');
            end if;
        end if;
        if report_kind = 'sale' then
            select exists (select from processor_events s where s.workspace_id = workspace),
                   exists (select from events r
                           where r.workspace_id = workspace and r.sale_external_id = external_id
                             and r.sale_id is null)
            into is_processed, is_refunded;
            if is_refunded then
                refunds := (
                    select json_agg(
                        json_build_object('id', r.id, 'requested', r.requested) order by r.id)
                    from events r
                    where r.workspace_id = workspace and r.sale_external_id = external_id
                      and r.sale_id is null);
            end if;
        end if;
        if is_processed then
            -- Counted, because a scan of the workspace's events would look cheaper for the first
            -- one.
            select count(*) > 0 into is_joined
            from (select s.workspace_id from processor_events s
                  where s.keys @> array[processor_key] offset 0) s
            where s.workspace_id = workspace;
        end if;
    end if;

    return json_build_object(
        'keyId', key_id, 'workspaceId', workspace, 'recorded', recorded, 'customer', customer,
        'click', click, 'customerPartner', owner, 'referrals', referrals, 'referrers', referrers,
        'codeHolders', coalesce(code_holders, '[]'), 'history', history,
        'ofCustomer', of_customer, 'ofMonth', of_month,
        'customerEmails', coalesce(array_remove(emails, null), '{}'),
        'refunds', coalesce(refunds, '[]'), 'adoptsSales', adopts_sales,
        'hasProcessorEvents', is_joined,
        'mayBeDuplicate', report_kind = 'sale' and (is_processed or not is_own),
        -- Only a sale under an id of the merchant's depends on it.
        'salesFrom', case when not is_own then 'both' else coalesce(
            (select f.sales_from from former_sales_from f
             where f.workspace_id = workspace and f.until > dated_to order by f.until limit 1),
            sales_from) end);
end $$;

-- Marks a customer's sales to be recomputed if an address that was learned after them may be
-- that of their partner.
create or replace function note_own_address(customer uuid, address text) returns void
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
begin
    update customers c
    set replan_from = least(c.replan_from, s.occurred_at), revision = c.revision + 1
    from (
        select min(e.occurred_at) as occurred_at
        from events e
        cross join lateral (select id, email from partners where id = e.partner_id offset 0) p
        where e.customer_id = customer and e.kind = 'sale'
          and not e.steps @> '[{"code": "self_referral"}]'
          and (addresses_alike(p.email, address) or exists (
              select from former_partner_addresses f
              where f.partner_id = p.id and addresses_alike(f.email, address) offset 0))) s
    where c.id = customer and s.occurred_at is not null;
end $$;

create or replace function note_learned_address() returns trigger language plpgsql as $$
begin
    if tg_table_name = 'customers' then perform note_own_address(new.id, new.email);
    else perform note_own_address(new.customer_id, new.value);
    end if;
    return null;
end $$;

create or replace trigger customer_identities_own_address
    after insert on customer_identities for each row when (new.kind = 'email')
    execute function note_learned_address();

create or replace trigger customers_own_address
    after update of email on customers for each row
    when (new.email is not null and new.email is distinct from old.email)
    execute function note_learned_address();

-- Marks the sales that only an address of the customer credits, once it is verified: they are no
-- longer in doubt.
create or replace function note_verified_address() returns trigger language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
begin
    update customers c
    set replan_from = least(c.replan_from, s.occurred_at), revision = c.revision + 1
    from (select min(e.occurred_at) as occurred_at from events e
          where e.customer_id = new.customer_id and e.kind = 'sale'
            and e.steps @> '[{"code": "customer", "facts": {"byAddress": "unverified"}}]') s
    where c.id = new.customer_id and s.occurred_at is not null;
    return null;
end $$;

create or replace trigger customer_identities_verified
    after update of is_verified on customer_identities for each row
    when (new.is_verified and not old.is_verified) execute function note_verified_address();

-- As note_own_address, of a partner's new address and its customers.
create or replace function note_partner_address() returns trigger language plpgsql as $$
begin
    perform note_own_address(c.id, new.email)
    from customers c
    where c.partner_id = new.id and (addresses_alike(c.email, new.email) or exists (
        select from customer_identities i
        where i.customer_id = c.id and i.kind = 'email' and addresses_alike(i.value, new.email)));
    return null;
end $$;

create or replace trigger partners_own_address
    after update of email on partners for each row
    when (new.email is distinct from old.email) execute function note_partner_address();

-- Moves the cursors of a customer, replan_from and addressed_from, back to the first sale that a
-- saved report may have changed: see lateOf in lib/tracking/reports/late-reports.ts, which says
-- what `late` is. Sales that somebody else had referred before are left out, unless the report is
-- dated. It decides nothing about these sales: each is recomputed, by planSale in
-- lib/rules/plans. Returns whether a cursor has moved.
create or replace function mark_late(workspace uuid, saved_id uuid, of_customer uuid, late jsonb,
    occurred_at timestamptz, is_dated boolean) returns boolean
language plpgsql as $$
#variable_conflict use_variable
declare
    is_referred   boolean     := late -> 'isReferred';
    since         timestamptz := late ->> 'since';
    paid_at       timestamptz;
    addressed_at  timestamptz;
begin
    if is_referred then
        select s.occurred_at into paid_at
        from events s
        where s.customer_id = of_customer and s.kind = 'sale' and s.id <> saved_id
          and s.occurred_at >= date_trunc('second', since)
          and (is_dated
               or s.occurred_at >= date_trunc('second', occurred_at)
                  and s.occurred_at = date_trunc('second', s.occurred_at)
               or not exists (
                  select from referrals r
                  where r.customer_id = of_customer and r.origin <> saved_id::text
                    and r.referred_at < s.occurred_at + interval '1 second'
                    and (r.source not in ('import', 'code')
                         or r.referred_at <= s.occurred_at
                         or s.occurred_at = date_trunc('second', s.occurred_at))))
        order by s.occurred_at limit 1;
        -- A dated sale may have lost its reward to a later one, so it is recomputed itself.
        paid_at := case when is_dated and paid_at is not null
            then least(paid_at, occurred_at) else paid_at end;
        paid_at := least(paid_at,
            addressed_elsewhere(workspace, of_customer, date_trunc('second', since)));
    end if;
    -- Sales after it that a rule decided have another payment number now, and less may be left of a
    -- cap for those whose reward has one.
    if (late -> 'isPaid')::boolean then
        paid_at := least(paid_at, (
            select min(s.occurred_at) from events s
            where s.customer_id = of_customer and s.kind = 'sale' and s.id <> saved_id
              and s.occurred_at >= occurred_at
              and (s.steps @> '[{"code": "line_reward"}]' or s.steps @> '[{"code": "cap_applied"}]'
                   or (select w.caps is not null from rewards w
                       where w.id = (select c.reward_id from commissions c
                                     where c.id = s.commission_id)))));
    end if;
    if is_referred or (late -> 'isNamed')::boolean then
        addressed_at := addressed_since(workspace, of_customer, '-infinity');
    end if;

    if paid_at is null and addressed_at is null then return false; end if;
    update customers
    set replan_from = least(replan_from, paid_at),
        addressed_from = least(addressed_from, addressed_at),
        revision = revision + case when paid_at is null then 0 else 1 end
    where id = of_customer;
    update events set body_hash = null where id = saved_id;
    return true;
end $$;

-- Saves a decided report, all of it or nothing: SavedReport in
-- lib/tracking/reports/reports.queries.ts. Returns the event, or that of an earlier report with the
-- same id: of concurrent copies, the first one inserts it. May be repeated after a commit that was
-- not seen. Raises TR001 if the customer is not as it was read, and the caller decides again; and
-- TR003 if holds are to be decided (see hold_commissions), and the caller decides these alone.
--
-- Each statement sees what was committed before it, also while an earlier one waited for a lock.
create or replace function save_report(report jsonb) returns jsonb
language plpgsql
security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    workspace     uuid        := report ->> 'workspaceId';
    saved_id      uuid        := report ->> 'eventId';
    reported      text        := report ->> 'kind';
    external_id   text        := report ->> 'externalId';
    customer_external_id  text := report ->> 'customerExternalId';
    partner       uuid        := report ->> 'partnerId';
    click         text        := report ->> 'clickId';
    hash          text        := report ->> 'bodyHash';
    occurred_at   timestamptz := report ->> 'occurredAt';
    received_at   timestamptz := report ->> 'receivedAt';   -- the same, but for a dated report
    customer      jsonb       := report -> 'customer';
    of_customer   uuid        := customer ->> 'id';
    identities    jsonb       := report -> 'identities';
    referrer      jsonb       := report -> 'referrer';
    commission    jsonb       := report -> 'commission';
    holds         jsonb       := report -> 'holds';
    refunds       jsonb       := coalesce(report -> 'refunds', '[]');
    adopts_sales  boolean     := coalesce((report -> 'adoptsSales')::boolean, false);
    -- how often the customer had paid before, if the decision depends on that
    paid_before   integer     := report -> 'paymentsBefore';
    -- whose one-time rewards it uses up, if each product earns one
    products      jsonb       := commission -> 'products';
    is_refunded   boolean;   -- whether refunds wait for the sale
    is_processed  boolean;   -- whether a processor reports to the workspace
begin
    if holds <> '[]' and click is not null then
        perform lock_click(workspace, click);
    end if;
    if identities is not null then
        perform lock_identities(workspace, identities, partner is null);
    end if;

    -- Reports change the revision only if they change who owns the customer, so most reports of one
    -- customer do not conflict with each other. Those that may change the row lock it as strongly
    -- as that from the beginning: two that hold it `for share` and then update it are a deadlock.
    if customer is not null then
        if (customer -> 'isChanged')::boolean or report -> 'late' is not null
            or paid_before is not null then
            perform from customers c
            where c.id = of_customer and c.revision = (customer -> 'revision')::integer
            for no key update;
        else
            perform from customers c
            where c.id = of_customer and c.revision = (customer -> 'revision')::integer for share;
        end if;
        perform assert_unchanged(found);
    elsif partner is null and reported = 'sale' then
        -- It may be credited by a report that comes late: each has to see the other.
        perform assert_unchanged(not exists (
            select from customer_identities i
            where i.workspace_id = workspace and i.kind = identities -> 0 ->> 'kind'
              and i.value = identities -> 0 ->> 'value' and i.kind <> 'email'));
    elsif partner is not null then
        of_customer := report -> 'newCustomer' ->> 'id';
        if not adopts_sales and exists (
            select from events e
            where e.workspace_id = workspace and e.kind = 'sale' and e.customer_id is null
              and e.customer_external_id = customer_external_id) then
            perform assert_unchanged(false);
        end if;
    end if;
    -- Under the lock of the customer, or of its id.
    if paid_before is not null then
        perform assert_unchanged(paid_before = (payments_before(workspace,
            (customer ->> 'id')::uuid, customer_external_id, external_id,
            occurred_at) ->> 'payments')::integer);
    end if;
    if commission -> 'monthCap' is not null then
        perform assert_month_cap(commission -> 'monthCap', '{}');
    end if;
    if products is not null then
        perform assert_unchanged(not exists (
            select from rewarded_products r
            where r.customer_id = of_customer and r.program_id = (commission ->> 'programId')::uuid
              and products ? r.product
              -- as dated_to of load_report
              and r.occurred_at <= case
                  when occurred_at = received_at then 'infinity'
                  when occurred_at = date_trunc('second', occurred_at)
                      then occurred_at + interval '999 milliseconds'
                  else occurred_at end));
    end if;

    -- The customer and the commission follow: their foreign keys are checked at the commit.
    insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id,
        customer_id, amount_cents, returned_cents, currency, metadata, lines, country, coupon,
        click_id, partner_id, attributed_by, body_hash, steps, occurred_at, report_occurred_at,
        commission_id)
    values (saved_id, workspace, reported, external_id, report ->> 'eventName',
        customer_external_id, of_customer, (report -> 'amountCents')::bigint,
        coalesce((report -> 'returnedCents')::bigint, 0), report ->> 'currency',
        report -> 'metadata', report -> 'lines', report ->> 'country', report ->> 'coupon', click,
        partner, report ->> 'attributedBy', hash, report -> 'steps', occurred_at, occurred_at,
        (commission ->> 'id')::uuid)
    on conflict on constraint events_workspace_id_kind_external_id_key do nothing;
    if not found then
        return event_reported(workspace, reported, external_id);
    end if;

    -- Refunds that waited for the sale. One that is reported now waits for it, or sees it.
    if reported = 'sale' then
        perform pg_advisory_xact_lock_shared(
            identity_lock_key(workspace, 'purchase', report ->> 'purchaseKey'));
        if (report -> 'isUnreviewed')::boolean then
            -- The first event of a processor waits for the sale, or is seen: see saveEvent.
            perform pg_advisory_xact_lock_shared(hashtextextended(workspace || ' first event', 0));
        end if;
        select exists (select from events r
                       where r.workspace_id = workspace and r.sale_external_id = external_id
                         and r.sale_id is null),
               exists (select from processor_events s where s.workspace_id = workspace)
        into is_refunded, is_processed;
        if is_refunded or refunds <> '[]' then
            perform assert_unchanged(jsonb_array_length(refunds) = (
                select count(*) from events r
                where r.workspace_id = workspace and r.sale_external_id = external_id
                  and r.sale_id is null));
        end if;
        -- A processor may have begun to report since it was loaded: then the sale has to be
        -- compared with the processor's.
        if is_processed and (report -> 'isUnreviewed')::boolean then
            perform assert_unchanged(false);
        end if;
        -- What it says of this sale may have been received since: then the sale has to be joined
        -- with that. Counted, as in load_report.
        if is_processed and hash is not null then
            perform assert_unchanged((
                select count(*) from (select s.workspace_id from processor_events s
                                      where s.keys @> array[report ->> 'purchaseKey'] offset 0) s
                where s.workspace_id = workspace) = 0);
        end if;
    end if;
    if refunds <> '[]' then
        update events r
        set sale_id = saved_id, amount_cents = d."amountCents", currency = d.currency,
            steps = d.steps, partner_id = partner, attributed_by = report ->> 'attributedBy',
            customer_id = of_customer, customer_external_id = customer_external_id
        from jsonb_to_recordset(refunds)
            as d (id uuid, "amountCents" bigint, currency text, steps jsonb)
        where r.id = d.id and r.workspace_id = workspace;
    end if;
    -- A lead may verify an address that an earlier one named, whomever it credits itself.
    if report -> 'verified' is not null then
        perform from customers c
        where c.id = (report -> 'verified' ->> 'customerId')::uuid for no key update;
        update customer_identities i set is_verified = true
        where i.customer_id = (report -> 'verified' ->> 'customerId')::uuid and i.kind = 'email'
          and i.value = report -> 'verified' ->> 'email'
          and i.workspace_id = workspace and not i.is_verified;
    end if;
    if partner is null then
        if report -> 'late' is not null
            and mark_late(workspace, saved_id, of_customer, report -> 'late', occurred_at,
                occurred_at <> received_at) then
            hash := null;
        end if;
        return jsonb_build_object(
            'id', saved_id, 'attributed', false, 'bodyHash', hash,
            'isAnnounced', current_setting('tributary.announced', true) = 'on');
    end if;

    if customer is null then
        insert into customers (id, workspace_id, external_id, email, name, partner_id, created_at)
        values (of_customer, workspace, customer_external_id, report -> 'newCustomer' ->> 'email',
            report -> 'newCustomer' ->> 'name', partner, occurred_at);
        -- The first one is its id, the others are addresses.
        insert into customer_identities (workspace_id, customer_id, kind, value, source, evidence,
            created_at)
        values (workspace, of_customer, identities -> 0 ->> 'kind', identities -> 0 ->> 'value',
            reported, external_id, occurred_at);
        identities := identities - 0;
    end if;

    if identities <> '[]' then
        insert into customer_identities as own (workspace_id, customer_id, kind, value, source,
            evidence, created_at, is_verified)
        select workspace, of_customer, i.kind, i.value, reported, external_id, occurred_at,
               coalesce(i."isVerified", false)
        from jsonb_to_recordset(identities) as i (kind text, value text, "isVerified" boolean)
        on conflict (customer_id, kind, value) do update
        set (source, evidence) = (
                select case when own.source = 'import' then excluded.source else own.source end,
                       case when own.source = 'import'
                            then excluded.evidence else own.evidence end),
            created_at = least(own.created_at, excluded.created_at),
            is_verified = own.is_verified or excluded.is_verified
        where own.kind = 'email'
          and (own.source = 'import' or excluded.created_at < own.created_at
               or excluded.is_verified and not own.is_verified);
    end if;
    if adopts_sales then
        update events e set customer_id = of_customer
        where e.workspace_id = workspace and e.kind = 'sale' and e.customer_id is null
          and e.customer_external_id = customer_external_id;
    end if;
    if referrer is not null then
        insert into referrals (workspace_id, customer_id, origin, partner_id, source, attribution,
            referred_at, clicked_at)
        values (workspace, of_customer, saved_id::text, (referrer ->> 'partnerId')::uuid,
            referrer ->> 'source', referrer ->> 'attribution', occurred_at,
            (referrer ->> 'clickedAt')::timestamptz);
    end if;
    if (customer -> 'isChanged')::boolean then
        update customers c
        set email = customer ->> 'email', name = customer ->> 'name',
            revision = c.revision + (customer -> 'isRevised')::boolean::integer,
            -- A concurrent report may have been received later and saved earlier.
            partner_id = case when (customer -> 'isMoved')::boolean
                              then present_owner(of_customer) else c.partner_id end
        where c.id = of_customer;
    end if;

    -- Inserts nothing if a concurrent sale of the customer has taken the one-time reward.
    if (commission -> 'oneTime')::boolean then
        insert into one_time_rewards (workspace_id, program_id, customer_id, event_id)
        values (workspace, (commission ->> 'programId')::uuid, of_customer, saved_id)
        on conflict do nothing;
        if not found then
            commission := null;
            update events e set commission_id = null, steps = report -> 'stepsWhenBeaten'
            where e.id = saved_id;
        end if;
    end if;
    if products is not null then
        -- A sale that took place later and had the reward is recomputed: see mark_late.
        insert into one_time_rewards (workspace_id, program_id, customer_id, product, event_id)
        select workspace, (commission ->> 'programId')::uuid, of_customer, p.product, saved_id
        from jsonb_array_elements_text(products) p (product)
        on conflict on constraint one_time_rewards_pkey do update set event_id = excluded.event_id;
    end if;
    if commission is not null then
        insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id,
            reward_id, kind, amount_cents, currency, payable_at, created_at, earned_on)
        values ((commission ->> 'id')::uuid, workspace, (commission ->> 'programId')::uuid, partner,
            of_customer, saved_id, (commission ->> 'rewardId')::uuid, reported,
            (commission -> 'amountCents')::bigint, commission ->> 'currency',
            (commission ->> 'payableAt')::timestamptz, occurred_at, utc_day(occurred_at));
        if commission -> 'reversal' is not null then
            perform reverse_commission((commission -> 'reversal' ->> 'id')::uuid, workspace,
                (commission ->> 'id')::uuid, (commission -> 'reversal' -> 'amountCents')::bigint,
                received_at);
        end if;
    end if;

    if report -> 'late' is not null
        and mark_late(workspace, saved_id, of_customer, report -> 'late', occurred_at,
            occurred_at <> received_at) then
        hash := null;
    end if;
    if holds <> '[]' then
        perform hold_commissions(workspace, holds, received_at);
    end if;
    -- Last: other sales of the partner wait for it.
    if report -> 'tier' is not null then
        perform keep_figures(workspace, partner, report -> 'tier');
    end if;
    return jsonb_build_object(
        'id', saved_id, 'attributed', true, 'bodyHash', hash,
        'isAnnounced', current_setting('tributary.announced', true) = 'on');
end $$;

-- Saves decided reports in order, each completely or not at all, then loads what others are decided
-- from: `saved` and `loaded` of results, in their order. See lib/tracking/reports/batch.queries.ts.
-- A report that conflicts with what was saved since it was loaded is null in `saved`, and so are
-- those of its customer after it. One whose holds are to be decided is there as what to decide:
-- {undecided}.
--
-- A commit waits for the disk, so 25 reports share one. A report that would wait for somebody's
-- lock commits those before it first: whoever waits holds no locks of other reports, so batches and
-- single reports cannot deadlock.
create or replace procedure record_reports(reports jsonb, api_key_hash text, wanted jsonb,
    inout results jsonb)
language plpgsql as $$
declare
    saved         jsonb[] := '{}';
    loaded        jsonb[] := '{}';
    waiting       text[]  := '{}';   -- the customers of those that conflict
    uncommitted   integer := 0;      -- the reports saved since the last commit
    must_wait     boolean;
    undecided     text;
    customer      text;
    event         jsonb;
    w             jsonb;
begin
    for n in 0 .. jsonb_array_length(reports) - 1 loop
        customer := reports -> n ->> 'customerExternalId';
        if customer = any (waiting) then
            saved := saved || null::jsonb;
            continue;
        end if;
        loop
            must_wait := false;
            if uncommitted > 0 then
                perform set_config('lock_timeout', '1ms', true);
            end if;
            begin
                set constraints all deferred;
                event := public.save_report(reports -> n);
                set constraints all immediate;
                uncommitted := uncommitted + 1;
            exception
                when lock_not_available then
                    if uncommitted = 0 then raise; end if;
                    must_wait := true;
                when sqlstate 'TR001' or unique_violation or foreign_key_violation
                    or deadlock_detected or serialization_failure then
                    event := null;
                    waiting := waiting || customer;
                when sqlstate 'TR003' then
                    get stacked diagnostics undecided = pg_exception_detail;
                    event := jsonb_build_object('undecided', undecided::jsonb);
                    waiting := waiting || customer;
            end;
            if must_wait or uncommitted = 25 then
                commit;
                uncommitted := 0;
            end if;
            exit when not must_wait;
        end loop;
        saved := saved || event;
    end loop;
    commit;

    for n in 0 .. jsonb_array_length(wanted) - 1 loop
        w := wanted -> n;
        loaded := loaded || public.load_report(
            api_key_hash, w ->> 'kind', w ->> 'externalId', w -> 'customer' ->> 'kind',
            w -> 'customer' ->> 'value', w ->> 'clickIds', w ->> 'processorKey',
            (w -> 'isOwn')::boolean, (w ->> 'receivedAt')::timestamptz,
            (w ->> 'occurredAt')::timestamptz, w ->> 'slugKey', w ->> 'couponCode')::jsonb;
    end loop;
    results := jsonb_build_object('saved', to_jsonb(saved), 'loaded', to_jsonb(loaded));
end $$;
