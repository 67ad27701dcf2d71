-- Tiers: what partners have reached by their sales. docs/tiers.md.

-- What the tiers of a day count of a partner, as the first sale that was decided of that day has
-- read it: later sales of the day get the same tier, whatever was reported or refunded meanwhile.
create table tier_figures (
    partner_id    uuid    not null,
    day           date    not null,   -- by the time zone of the tiers
    measure       text    not null
        constraint tier_figures_measure_check check (measure in ('netSales', 'customers', 'sales')),
    period        text    not null
        constraint tier_figures_period_check
            check (period in ('month', 'quarter', 'year', 'ever')),
    currency      text    not null,   -- of net sales, else ''
    workspace_id  uuid    not null,
    reached       bigint  not null,

    constraint tier_figures_pkey primary key (partner_id, day, measure, period, currency),
    constraint tier_figures_partner_id_fkey foreign key (workspace_id, partner_id)
        references partners (workspace_id, id)
);

-- Which are old enough to be removed?
create index tier_figures_day_idx on tier_figures (day);

-- The tier that a partner had when partners were moved last, and the moves by its tiers: TierState
-- in lib/rules/tiers/moves.ts. Without a row: no tier, and none.
create table partner_tiers (
    partner_id    uuid   primary key,
    workspace_id  uuid   not null,
    tier          text,
    moves         jsonb  not null,

    constraint partner_tiers_partner_id_fkey foreign key (workspace_id, partner_id)
        references partners (workspace_id, id)
);

-- The sales that tiers and bonuses count: credited to a partner who is not the buyer, as far as no
-- manager has released the sale, and rejected by no manager. A sale that is recorded under several ids counts once, and one that a payment
-- processor is still to report does not count yet.
create or replace view sales_of_partners as
    select id, partner_id, customer_id, occurred_at, currency,
        amount_cents - returned_cents as left_cents
    from events
    where partner_id is not null and kind = 'sale' and not is_duplicate and is_counted(steps)
      and not steps @> '[{"code": "sale_expected_from_stripe"}]'
      and not steps @> '[{"code": "commission_rejected"}]'
      and (not steps @> '[{"code": "self_referral"}]' or exists (
          select from commission_holds h
          where h.commission_id = events.commission_id and h.resolution = 'released'
            and h.resolved_by is not null));


-- Functions and triggers.

-- What a partner's sales from a time on, and before another, come to: those of a currency, less
-- refunds; how many customers they were to, and how many there were, in all currencies, but for
-- those that were refunded as a whole.
create or replace function partner_figures(partner uuid, from_at timestamptz, to_at timestamptz,
    currency text, out net_cents bigint, out customers bigint, out sales bigint)
language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    first_id  uuid := first_event_id(from_at);
begin
    select coalesce(sum(s.left_cents) filter (where s.currency = currency), 0),
           count(distinct s.customer_id) filter (where s.left_cents > 0),
           count(*) filter (where s.left_cents > 0)
    into net_cents, customers, sales
    from sales_of_partners s
    where s.partner_id = partner and s.id >= first_id
      and s.occurred_at >= from_at and s.occurred_at < to_at;
end $$;

-- The day of a time by the zone of tiers, from when until when sales count on that day, and when
-- the day ends.
create or replace function tier_period(tiers json, at timestamptz, out day date,
    out from_at timestamptz, out to_at timestamptz, out ends_at timestamptz)
language plpgsql immutable as $$
declare
    zone  text := tiers ->> 'timeZone';
begin
    day := (at at time zone zone)::date;
    to_at := day::timestamp at time zone zone;
    ends_at := (day + 1)::timestamp at time zone zone;
    from_at := case tiers ->> 'period'
        when 'month'   then date_trunc('month', day::timestamp) at time zone zone
        when 'quarter' then date_trunc('quarter', day::timestamp) at time zone zone
        when 'year'    then (day - 365)::timestamp at time zone zone
        else '-infinity' end;
end $$;

-- What a partner has reached on the day of a time: TierFigures in lib/rules/tiers/tiers.ts, which
-- says what tier that is.
create or replace function reached_by(partner uuid, tiers json, at timestamptz) returns json
language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    counted   record;
    measure   text := tiers ->> 'by';
    period    text := tiers ->> 'period';
    currency  text := coalesce(tiers ->> 'currency', '');
    reached   bigint;
    figures   record;
    -- Read of partners with many sales in this transaction: a batch asks for each of its reports.
    many      jsonb := coalesce(nullif(current_setting('tributary.reached', true), ''), '{}');
    of_day    text;
begin
    counted := tier_period(tiers, at);
    of_day := concat_ws(' ', partner, counted.day, measure, period, currency);
    if many ? of_day then
        return json_build_object('tiers', tiers, 'day', counted.day,
            'reached', many -> of_day);
    end if;
    select f.reached into reached from tier_figures f
    where f.partner_id = partner and f.day = counted.day and f.measure = measure
      and f.period = period and f.currency = currency;
    if not found then
        select * into figures
        from partner_figures(partner, counted.from_at, counted.to_at, currency);
        reached := case measure when 'netSales' then figures.net_cents
            when 'customers' then figures.customers else figures.sales end;
        if figures.sales > 1000 then
            perform set_config('tributary.reached',
                (many || jsonb_build_object(of_day, reached))::text, true);
        end if;
    end if;
    return json_build_object('tiers', tiers, 'day', counted.day, 'reached', reached);
end $$;

-- Keeps what a decision has read of a partner's day: TierFacts in lib/rules/tiers/tiers.ts. Raises
-- TR001 if a concurrent decision has kept something else: the caller decides again.
create or replace function keep_figures(workspace uuid, partner uuid, tier jsonb) returns void
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
begin
    insert into tier_figures (workspace_id, partner_id, day, measure, period, currency, reached)
    values (workspace, partner, (tier ->> 'day')::date, tier ->> 'by', tier ->> 'period',
        coalesce(tier ->> 'currency', ''), (tier -> 'reached')::bigint)
    on conflict on constraint tier_figures_pkey do nothing;
    if not found then
        perform assert_unchanged((tier -> 'reached')::bigint = (
            select f.reached from tier_figures f
            where f.partner_id = partner and f.day = (tier ->> 'day')::date
              and f.measure = tier ->> 'by' and f.period = tier ->> 'period'
              and f.currency = coalesce(tier ->> 'currency', '')));
    end if;
end $$;

-- Tiers with groups move partners from the next day on. Not before the update: Postgres would return
-- an outdated `old` to a concurrent updateTerms of lib/programs/terms.queries.ts.
create or replace function note_tiers() returns trigger language plpgsql as $$
begin
    update programs
    set tiers_partner_id = null,
        tiers_due_at = case when new.tiers::text like '%"groupId"%'
            then (tier_period(new.tiers, now())).ends_at end
    where id = new.id;
    return null;
end $$;

create or replace trigger programs_note_tiers
    after update of tiers on programs for each row execute function note_tiers();
