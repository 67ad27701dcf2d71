-- Totals: sums of what happened and of what is due, kept by triggers, so that pages of a workspace
-- with millions of sales read no more rows than those of a new one.

-- Sums of a partner, a program, a workspace or a payout run, by a dimension and its value, period
-- and currency. Counts without a currency have rows of the currency ''. Dimensions:
--
-- all       Of a day or a month: clicks, customers by the day of their first event, leads and sales
--           by the day of the event, and what the sales earned, less reversals, by the day of the
--           sale. Of all time: what a partner has sold and earned, and what is unpaid of a partner
--           and of a program. The row of the currency '' has a partner's counts in all currencies,
--           by which the list of partners is sorted.
-- page      The same of a day or a month, without customers, by the visitor's landing page,
-- referrer  by the host that the visitor came from,
-- sub       and by the `sub` of the link, if it has one. The first 200 pages, hosts and subs of an
--           owner in a month have rows of their own, because visitors can make up any number. The
--           value '' is all others, and what came without a click.
-- link      Clicks of all time by each link of a partner, and sales that are credited by one of
--           these clicks. A link that was released keeps its row.
-- kind      The sums of a partner's commissions by kind and by the month in which they were made,
--           for statements.
-- status    The payouts of a run by status.
create table totals (
    of_id           uuid    not null,
    workspace_id    uuid    not null
        constraint totals_workspace_id_fkey references workspaces (id),
    level           text    not null   -- a workspace counts as a program
        constraint totals_level_check check (level in ('partner', 'program', 'run')),
    dimension       text    not null
        constraint totals_dimension_check
        check (dimension in ('all', 'page', 'referrer', 'sub', 'link', 'kind', 'status')),
    value           text    not null default '',
    unit            text    not null
        constraint totals_unit_check check (unit in ('day', 'month', 'all_time')),
    starts_on       date    not null
        constraint totals_starts_on_check check ((starts_on = '-infinity') = (unit = 'all_time')),
    currency        text    not null default '',
    clicks          bigint  not null default 0,
    -- of these, those that were removed: see end_clicks
    ended_clicks    bigint  not null default 0,
    customers       bigint  not null default 0,
    leads           bigint  not null default 0,
    sales           bigint  not null default 0,
    revenue_cents   bigint  not null default 0,
    earned_cents    bigint  not null default 0,
    open_cents      bigint  not null default 0,   -- what is unpaid
    due_cents       bigint  not null default 0,   -- of these, what was payable at the cutoff
    claimed_cents   bigint  not null default 0,   -- what payouts have claimed
    payouts         bigint  not null default 0,
    amount_cents    bigint  not null default 0,   -- of these payouts, or of the kind
    -- a partner's newest day with clicks, customers, leads or sales; null if all were reversed
    last_active_on  date,

    constraint totals_pkey primary key (of_id, dimension, unit, starts_on, value, currency)
) partition by list (dimension);

-- Folding updates rows in place, without new index entries, unless an index of their partition has
-- a changed column. So the rows that lists are sorted by have partitions of their own.
create table totals_of_all partition of totals for values in ('all') partition by list (unit);
create table totals_by_period partition of totals_of_all for values in ('day', 'month');
create table totals_of_all_time partition of totals_of_all for values in ('all_time')
    with (fillfactor = 70);   -- many changes leave the sorted columns as they were
create table totals_by_value partition of totals default;

-- What happened in this workspace since this day?
create index totals_workspace_id_idx on totals_by_period (workspace_id, unit, starts_on)
    where level = 'program';

-- Which partners brought the most in this month?
create index totals_best_idx
    on totals_by_period (workspace_id, currency, starts_on, revenue_cents, of_id)
    where level = 'partner' and unit = 'month';

-- What is payable to whom, and what is unpaid in this workspace?
create index totals_balances_idx on totals_of_all_time (workspace_id, level) where currency <> '';

-- Which partners of this workspace are first by this figure? Those of 0 are left out: entries cost
-- each fold more than the row.
create index totals_clicks_idx on totals_of_all_time (workspace_id, clicks, of_id)
    where level = 'partner' and currency = '' and clicks <> 0;
create index totals_customers_idx on totals_of_all_time (workspace_id, customers, of_id)
    where level = 'partner' and currency = '' and customers <> 0;
create index totals_leads_idx on totals_of_all_time (workspace_id, leads, of_id)
    where level = 'partner' and currency = '' and leads <> 0;
create index totals_sales_idx on totals_of_all_time (workspace_id, sales, of_id)
    where level = 'partner' and currency = '' and sales <> 0;
create index totals_last_active_on_idx on totals_of_all_time (workspace_id, last_active_on, of_id)
    where level = 'partner' and currency = '' and last_active_on is not null;
create index totals_revenue_idx on totals_of_all_time (workspace_id, currency, revenue_cents, of_id)
    where level = 'partner' and currency <> '' and revenue_cents <> 0;
create index totals_earned_idx on totals_of_all_time (workspace_id, currency, earned_cents, of_id)
    where level = 'partner' and currency <> '' and earned_cents <> 0;
create index totals_open_idx on totals_of_all_time (workspace_id, currency, open_cents, of_id)
    where level = 'partner' and currency <> '' and open_cents <> 0;

-- How much is being paid?
create index totals_status_idx on totals_by_value (workspace_id, value) where dimension = 'status';

-- The time up to which the balances of a workspace count what is payable. Without a row, nothing is
-- counted. It never moves back, because differences rely on it (count_commissions_again).
create table balance_cutoffs (
    workspace_id  uuid         not null
        constraint balance_cutoffs_pkey primary key
        constraint balance_cutoffs_workspace_id_fkey references workspaces (id),
    cutoff_at     timestamptz  not null default '-infinity',
    -- nothing that was folded becomes payable between the cutoff and this
    next_at       timestamptz  not null
) with (fillfactor = 70);

-- In which workspaces has something become payable?
create index balance_cutoffs_next_at_idx on balance_cutoffs (next_at);

-- The differences that are not folded into the totals yet. A row with `day` has what happened, with
-- `slug_key` what came through a link, with `due_at` what is unpaid, with `run_id` payouts, with
-- `entered_on` the sum of commissions of a kind. A row can be several of these (parts_of_total).
-- The table has no key and one index, because each click and each sale inserts rows.
create table total_deltas (
    workspace_id   uuid    not null,
    partner_id     uuid,
    currency       text    not null default '',
    day            date,
    clicks         bigint,
    ended_clicks   bigint,
    customers      bigint,
    leads          bigint,
    sales          bigint,
    revenue_cents  bigint,
    earned_cents   bigint,
    -- -infinity: payable at the cutoff; infinity: counted when it becomes payable
    due_at         timestamptz,
    open_cents     bigint,
    claimed_cents  bigint,
    run_id         uuid,
    status         text,
    payouts        bigint,
    amount_cents   bigint,
    entered_on     date,     -- the day on which a commission was made
    kind           text,     -- and its kind
    page           text,     -- the page that the visitor came to
    referrer       text,     -- and the host that it came from
    slug_key       text,     -- of the link that the visitor came through
    sub            text,     -- that the link named

    constraint total_deltas_run_id_fkey foreign key (workspace_id, run_id)
        references payout_runs (workspace_id, id)
);

-- Which differences of this workspace, and of this partner, are not folded yet?
create index total_deltas_workspace_id_idx on total_deltas (workspace_id, partner_id);

-- The landing page of a click, short enough for an index. Null if the path has an email address,
-- because totals are never erased. Most have no "@", so the pattern is not tried.
create or replace function page_of(landing_url text) returns text language sql immutable as $$
    select case when strpos(landing_url, '@') + strpos(landing_url, '%40') = 0
        or landing_url !~* '[^/](@|%40)[^/]+[.]'
                then left(landing_url, 500) end
$$;

-- The click's referring host without "www."; '(direct)' if there is none, null without a click.
create or replace function referrer_of(click text, referrer text) returns text
    language sql immutable as $$
    select case when click is not null
                then coalesce(nullif(left(split_part(replace(referrer, '//www.', '//'), '/', 3),
                    253), ''), '(direct)') end
$$;

-- The facts that totals sum up, as differences. Clicks that were removed are in the totals only.
create or replace view total_facts as
    select workspace_id, partner_id, '' as currency, utc_day(created_at) as day,
        1::bigint as clicks, 0::bigint as ended_clicks, 0::bigint as customers, 0::bigint as leads,
        0::bigint as sales, 0::bigint as revenue_cents, 0::bigint as earned_cents,
        null::timestamptz as due_at, 0::bigint as open_cents, 0::bigint as claimed_cents,
        null::uuid as run_id, null as status, 0::bigint as payouts, 0::bigint as amount_cents,
        null::date as entered_on, null as kind, page_of(landing_url) as page,
        referrer_of(id, referrer) as referrer, slug_key, sub
    from clicks where is_counted
    union all
    select e.workspace_id, e.partner_id, coalesce(e.currency, ''), utc_day(e.occurred_at), 0, 0, 0,
        (e.kind = 'lead')::integer, (e.kind = 'sale')::integer, coalesce(e.amount_cents, 0), 0,
        null, 0, 0, null, null, 0, 0, null, null, page_of(c.landing_url),
        referrer_of(c.id, c.referrer), case when e.attributed_by = 'click' then c.slug_key end,
        c.sub
    from events e left join clicks c on c.workspace_id = e.workspace_id and c.id = e.click_id
    where is_counted(e.steps) and e.kind <> 'refund'
    union all
    select workspace_id, partner_id, '', utc_day(created_at), 0, 0, 1, 0, 0, 0, 0, null, 0, 0, null,
        null, 0, 0, null, null, null, null, null, null
    from customers where partner_id is not null
    union all
    select m.workspace_id, m.partner_id, m.currency, m.earned_on, 0, 0, 0, 0, 0, 0,
        case when m.earned_on is null then 0 else m.amount_cents end, m.payable_at,
        case when m.payout_id is null then m.amount_cents else 0 end,
        case when m.payout_id is null then 0 else m.amount_cents end, null, null, 0, 0,
        utc_day(m.created_at), m.kind, page_of(c.landing_url), referrer_of(c.id, c.referrer), null,
        c.sub
    from commissions m
        left join events e on e.id = m.event_id
        left join clicks c on c.workspace_id = e.workspace_id and c.id = e.click_id
    where m.payable_at < never()
    union all
    select workspace_id, null, currency, null, 0, 0, 0, 0, 0, 0, 0, null, 0, 0, run_id, status, 1,
        amount_cents, null, null, null, null, null, null
    from payouts
    union all
    select workspace_id, of_id, currency, starts_on, ended_clicks, ended_clicks, 0, 0, 0, 0, 0,
        null, 0, 0, null, null, 0, 0, null, null, nullif(value, ''), null, null, null
    from totals
    where dimension = 'page' and level = 'partner' and unit = 'day' and ended_clicks > 0
    union all
    -- Totals don't have the page, referrer and sub of a removed click together. So referrers and
    -- subs are moved from none, where the page counts them.
    select workspace_id, of_id, currency, starts_on, n * ended_clicks, n * ended_clicks, 0, 0, 0, 0,
        0, null, 0, 0, null, null, 0, 0, null, null, null,
        case when dimension = 'referrer' then m.value end, null,
        case when dimension = 'sub' then m.value end
    from totals t cross join lateral (values (-1, null), (1, t.value)) as m (n, value)
    where (dimension = 'referrer' and t.value <> '' or dimension = 'sub')
        and level = 'partner' and unit = 'day' and ended_clicks > 0
    union all
    select workspace_id, of_id, currency, null, ended_clicks, ended_clicks, 0, 0, 0, 0, 0, null, 0,
        0, null, null, 0, 0, null, null, null, null, value, null
    from totals where dimension = 'link' and ended_clicks > 0
    union all
    select workspace_id, partner_id, currency, day, ended_clicks, ended_clicks, 0, 0, 0, 0, 0, null,
        0, 0, null, null, 0, 0, null, null, page, referrer, slug_key, sub
    from total_deltas where ended_clicks <> 0;

-- The facts added up, each once: what happened, and what is paid and unpaid. Folded into empty
-- totals, they make the present ones.
create or replace view total_sums as
    select workspace_id, partner_id, currency, day, sum(clicks)::bigint as clicks,
        sum(ended_clicks)::bigint as ended_clicks, sum(customers)::bigint as customers,
        sum(leads)::bigint as leads, sum(sales)::bigint as sales,
        sum(revenue_cents)::bigint as revenue_cents, sum(earned_cents)::bigint as earned_cents,
        null::timestamptz as due_at, 0::bigint as open_cents, 0::bigint as claimed_cents,
        null::uuid as run_id, null as status, 0::bigint as payouts, 0::bigint as amount_cents,
        null::date as entered_on, null as kind, page, referrer, slug_key, sub
    from total_facts where day is not null or slug_key is not null
    group by workspace_id, partner_id, currency, day, page, referrer, slug_key, sub
    union all
    select workspace_id, partner_id, currency, null, 0, 0, 0, 0, 0, 0, 0, due_at,
        sum(open_cents)::bigint, sum(claimed_cents)::bigint, run_id, status, sum(payouts)::bigint,
        sum(amount_cents)::bigint, entered_on, kind, null, null, null, null
    from (
        select f.*, case when f.due_at <= coalesce(k.cutoff_at, '-infinity') then '-infinity'
            when f.due_at is not null then 'infinity' end::timestamptz as due_at
        from (
            select workspace_id, partner_id, currency, due_at, open_cents, claimed_cents, run_id,
                status, payouts, amount_cents, date_trunc('month', entered_on)::date as entered_on,
                kind
            from total_facts where due_at is not null or run_id is not null) f
            left join balance_cutoffs k using (workspace_id)
        ) f (workspace_id, partner_id, currency, payable_at, open_cents, claimed_cents, run_id,
            status, payouts, amount_cents, entered_on, kind, due_at)
    group by workspace_id, partner_id, currency, due_at, run_id, status, entered_on, kind;

-- The rows of totals that a difference is part of, before other pages, referrers and subs are added
-- up as ''. The caller adds them up by day first, and then repeats each for its units.
create or replace function parts_of_total(d total_deltas, program_id uuid, cutoff_at timestamptz)
    returns table (of_id uuid, level text, dimension text, value text, units text[], day date,
        currency text, clicks bigint, ended_clicks bigint, customers bigint, leads bigint,
        sales bigint, revenue_cents bigint, earned_cents bigint, open_cents bigint,
        due_cents bigint, claimed_cents bigint, payouts bigint, amount_cents bigint)
    language sql immutable as $$
    select p.of_id, p.level, p.dimension, p.value, p.units, p.day, p.currency,
        coalesce(p.clicks, 0), coalesce(p.ended_clicks, 0), coalesce(p.customers, 0),
        coalesce(p.leads, 0), coalesce(p.sales, 0), coalesce(p.revenue_cents, 0),
        coalesce(p.earned_cents, 0), coalesce(p.open_cents, 0), coalesce(p.due_cents, 0),
        coalesce(p.claimed_cents, 0), coalesce(p.payouts, 0), coalesce(p.amount_cents, 0)
    from (
        select l.of_id, l.level, b.dimension, b.value, '{day,month}'::text[], d.day, d.currency,
            d.clicks, d.ended_clicks, case when b.dimension = 'all' then d.customers end, d.leads,
            d.sales, d.revenue_cents, d.earned_cents, 0, 0, 0, 0, 0
        from (values (d.partner_id, 'partner'), (program_id, 'program')) l (of_id, level)
            cross join (values ('all', ''), ('page', coalesce(d.page, '')),
                ('referrer', coalesce(d.referrer, '')), ('sub', d.sub)) b (dimension, value)
        where d.day is not null and l.of_id is not null and b.value is not null
        union all
        select d.partner_id, 'partner', 'all', '', '{all_time}', '-infinity', '', d.clicks, 0,
            d.customers, d.leads, d.sales, 0, 0, 0, 0, 0, 0, 0
        where d.day is not null and d.partner_id is not null
            and num_nonnulls(d.clicks, d.customers, d.leads, d.sales) > 0
        union all
        select d.partner_id, 'partner', 'all', '', '{all_time}', '-infinity', d.currency, 0, 0, 0,
            0, d.sales, d.revenue_cents, case when d.day is not null then d.earned_cents end,
            d.open_cents, case when d.due_at <= cutoff_at then d.open_cents end, d.claimed_cents,
            0, 0
        where d.currency <> '' and d.partner_id is not null
            and (d.day is not null or d.due_at is not null)
        union all
        select program_id, 'program', 'all', '', '{all_time}', '-infinity', d.currency, 0, 0, 0, 0,
            0, 0, 0, d.open_cents, case when d.due_at <= cutoff_at then d.open_cents end,
            d.claimed_cents, 0, 0
        where d.due_at is not null
        union all
        select d.partner_id, 'partner', 'link', d.slug_key, '{all_time}', '-infinity', '',
            d.clicks, d.ended_clicks, 0, 0, d.sales, 0, 0, 0, 0, 0, 0, 0
        where d.slug_key is not null and d.partner_id is not null
        union all
        select d.partner_id, 'partner', 'kind', d.kind, '{month}', d.entered_on, d.currency, 0, 0,
            0, 0, 0, 0, 0, 0, 0, 0, 0, d.open_cents + d.claimed_cents
        where d.entered_on is not null
        union all
        select d.run_id, 'run', 'status', d.status, '{all_time}', '-infinity', d.currency, 0, 0, 0,
            0, 0, 0, 0, 0, 0, 0, d.payouts, d.amount_cents
        where d.run_id is not null
    ) p (of_id, level, dimension, value, units, day, currency, clicks, ended_clicks, customers,
        leads, sales, revenue_cents, earned_cents, open_cents, due_cents, claimed_cents, payouts,
        amount_cents)
$$;

-- The sums that each payout keeps of its commissions.
create or replace view payout_sums as
    select p.workspace_id, p.id,
        count(c.id) filter (where c.kind <> 'reversal') as commissions,
        coalesce(sum(-c.amount_cents) filter (where o.amount_cents > 0), 0) as deducted_cents,
        coalesce(sum(c.amount_cents) filter (where o.amount_cents < 0), 0) as restored_cents
    from payouts p
        left join commissions c on c.payout_id = p.id
        left join lateral (
            select amount_cents from commissions where id = c.reverses_id offset 0) o on true
    group by p.id;


-- Functions and triggers.

create or replace function landing_of_click(workspace uuid, click text, out page text,
    out referrer text, out sub text) language plpgsql stable as $$
begin
    select page_of(c.landing_url), referrer_of(c.id, c.referrer), c.sub into page, referrer, sub
    from clicks c where c.workspace_id = workspace and c.id = click;
end $$;

create or replace function count_click() returns trigger language plpgsql as $$
begin
    insert into total_deltas (workspace_id, partner_id, day, page, referrer, slug_key, sub, clicks)
    values (new.workspace_id, new.partner_id, utc_day(new.created_at), page_of(new.landing_url),
        referrer_of(new.id, new.referrer), new.slug_key, new.sub, 1);
    return null;
end $$;

create or replace trigger clicks_count after insert on clicks for each row when (new.is_counted)
    execute function count_click();

-- Moves what an event has earned to another page, referrer and sub, because its click, or a column
-- of the click, has changed. Commissions that the same transaction inserts are left out: their own
-- trigger counts them for the new ones.
create or replace function move_earned(event uuid, from_page text, from_referrer text,
    from_sub text, to_page text, to_referrer text, to_sub text)
returns void language plpgsql as $$
begin
    insert into total_deltas (workspace_id, partner_id, currency, day, page, referrer, sub,
        earned_cents)
    select c.workspace_id, c.partner_id, c.currency, c.earned_on, l.page, l.referrer, l.sub,
        l.n * c.amount_cents
    from commissions c
        cross join (values (-1, from_page, from_referrer, from_sub),
            (1, to_page, to_referrer, to_sub)) as l (n, page, referrer, sub)
    where c.event_id = event and c.earned_on is not null and c.payable_at < never()
        and c.xmin <> pg_current_xact_id()::xid;
end $$;

create or replace function count_click_again() returns trigger language plpgsql as $$
declare
    from_page      text := page_of(old.landing_url);
    from_referrer  text := referrer_of(old.id, old.referrer);
    to_page        text := page_of(new.landing_url);
    to_referrer    text := referrer_of(new.id, new.referrer);
begin
    insert into total_deltas (workspace_id, partner_id, day, page, referrer, slug_key, sub, clicks)
    values (old.workspace_id, old.partner_id, utc_day(old.created_at), from_page, from_referrer,
            old.slug_key, old.sub, -old.is_counted::integer),
        (new.workspace_id, new.partner_id, utc_day(new.created_at), to_page, to_referrer,
            new.slug_key, new.sub, new.is_counted::integer);
    if (from_page, from_referrer, old.sub) is distinct from (to_page, to_referrer, new.sub) then
        insert into total_deltas (workspace_id, partner_id, currency, day, page, referrer, sub,
            leads, sales, revenue_cents)
        select e.workspace_id, e.partner_id, coalesce(e.currency, ''), utc_day(e.occurred_at),
            l.page, l.referrer, l.sub, l.n * (e.kind = 'lead')::integer,
            l.n * (e.kind = 'sale')::integer, l.n * e.amount_cents
        from events e
            cross join (values (-1, from_page, from_referrer, old.sub),
                (1, to_page, to_referrer, new.sub)) as l (n, page, referrer, sub)
        where e.workspace_id = new.workspace_id and e.click_id = new.id and e.kind <> 'refund'
            and is_counted(e.steps);
        perform move_earned(e.id, from_page, from_referrer, old.sub, to_page, to_referrer, new.sub)
        from events e where e.workspace_id = new.workspace_id and e.click_id = new.id;
    end if;
    return null;
end $$;

create or replace trigger clicks_count_again
    after update on clicks for each row
    when ((old.partner_id, old.created_at, old.is_counted, old.landing_url, old.referrer, old.sub)
        is distinct from (new.partner_id, new.created_at, new.is_counted, new.landing_url,
            new.referrer, new.sub))
    execute function count_click_again();

-- Clicks that were removed still count.
create or replace function count_ended_clicks() returns trigger language plpgsql as $$
begin
    insert into total_deltas (workspace_id, partner_id, day, page, referrer, slug_key, sub,
        ended_clicks)
    select workspace_id, partner_id, utc_day(created_at), page_of(landing_url),
        referrer_of(id, referrer), slug_key, sub, count(*)
    from ended where is_counted
    group by workspace_id, partner_id, utc_day(created_at), page_of(landing_url),
        referrer_of(id, referrer), slug_key, sub;
    return null;
end $$;

create or replace trigger clicks_count_ended
    after delete on clicks referencing old table as ended for each statement
    execute function count_ended_clicks();

create or replace function count_event() returns trigger language plpgsql as $$
begin
    if new.kind = 'refund' then return null; end if;
    if exists (select from partners where id = new.partner_id and undone_at is not null) then
        perform assert_unchanged(false);   -- see assert_not_undone
    end if;
    if tg_op = 'UPDATE' and is_counted(old.steps) then
        insert into total_deltas (workspace_id, partner_id, currency, day, page, referrer, sub,
            slug_key, leads, sales, revenue_cents)
        select old.workspace_id, old.partner_id, coalesce(old.currency, ''),
            utc_day(old.occurred_at), page_of(c.landing_url), referrer_of(c.id, c.referrer), c.sub,
            case when old.attributed_by = 'click' then c.slug_key end,
            -(old.kind = 'lead')::integer, -(old.kind = 'sale')::integer, -old.amount_cents
        from (select) one
            left join clicks c on c.workspace_id = old.workspace_id and c.id = old.click_id;
    end if;
    if is_counted(new.steps) then
        insert into total_deltas (workspace_id, partner_id, currency, day, page, referrer, sub,
            slug_key, leads, sales, revenue_cents)
        select new.workspace_id, new.partner_id, coalesce(new.currency, ''),
            utc_day(new.occurred_at), page_of(c.landing_url), referrer_of(c.id, c.referrer), c.sub,
            case when new.attributed_by = 'click' then c.slug_key end,
            (new.kind = 'lead')::integer, (new.kind = 'sale')::integer, new.amount_cents
        from (select) one
            left join clicks c on c.workspace_id = new.workspace_id and c.id = new.click_id;
    end if;
    if tg_op = 'UPDATE' then
        -- Before the update below: it leaves out rows that this transaction has written.
        if old.click_id is distinct from new.click_id then
            perform move_earned(new.id, f.page, f.referrer, f.sub, t.page, t.referrer, t.sub)
            from landing_of_click(old.workspace_id, old.click_id) f
                cross join landing_of_click(new.workspace_id, new.click_id) t;
        end if;
        update commissions set earned_on = utc_day(new.occurred_at)
        where event_id = new.id and earned_on <> utc_day(new.occurred_at);
    end if;
    return null;
end $$;

-- A refund changes only what is earned. Inserts check that in the function, because Postgres reads
-- the condition of a trigger from its catalog in each statement.
create or replace trigger events_count after insert on events for each row
    execute function count_event();

create or replace trigger events_count_again
    after update on events for each row
    when (new.kind <> 'refund'
        and (old.partner_id, old.currency, old.amount_cents, old.occurred_at, old.click_id,
            old.attributed_by, is_counted(old.steps))
        is distinct from (new.partner_id, new.currency, new.amount_cents, new.occurred_at,
            new.click_id, new.attributed_by, is_counted(new.steps)))
    execute function count_event();

-- Has fold_totals check the partner's bonuses after a change of a sale that changes no total.
create or replace function note_changed_sale() returns trigger language plpgsql as $$
begin
    if (select g.bonuses from programs g where g.id = (
            select p.program_id from partners p where p.id = new.partner_id)) is not null then
        insert into total_deltas (workspace_id, partner_id, sales)
        values (new.workspace_id, new.partner_id, 0);
    end if;
    return null;
end $$;

create or replace trigger events_note_change
    after update on events for each row
    when (new.kind = 'sale' and new.partner_id is not null
        and (old.returned_cents, old.is_duplicate, old.customer_id, old.steps)
            is distinct from (new.returned_cents, new.is_duplicate, new.customer_id, new.steps))
    execute function note_changed_sale();

create or replace function count_customers() returns trigger language plpgsql as $$
begin
    insert into total_deltas (workspace_id, partner_id, day, customers)
    select workspace_id, partner_id, utc_day(created_at), count(*)
    from added where partner_id is not null
    group by workspace_id, partner_id, utc_day(created_at);
    return null;
end $$;

create or replace trigger customers_count
    after insert on customers referencing new table as added for each statement
    execute function count_customers();

create or replace function count_customer_again() returns trigger language plpgsql as $$
begin
    insert into total_deltas (workspace_id, partner_id, day, customers)
    select workspace_id, partner_id, day, customers
    from (values (old.workspace_id, old.partner_id, utc_day(old.created_at), -1),
            (new.workspace_id, new.partner_id, utc_day(new.created_at), 1))
        as d (workspace_id, partner_id, day, customers)
    where partner_id is not null;
    return null;
end $$;

create or replace trigger customers_count_again
    after update on customers for each row
    when ((old.partner_id, old.created_at) is distinct from (new.partner_id, new.created_at))
    execute function count_customer_again();

create or replace function landing_of_event(event uuid, out page text, out referrer text,
    out sub text) language plpgsql stable as $$
begin
    select page_of(c.landing_url), referrer_of(c.id, c.referrer), c.sub into page, referrer, sub
    from events e join clicks c on c.workspace_id = e.workspace_id and c.id = e.click_id
    where e.id = event;
end $$;

create or replace function count_commissions() returns trigger language plpgsql as $$
begin
    insert into total_deltas (workspace_id, partner_id, currency, day, earned_cents, due_at,
        open_cents, claimed_cents, entered_on, kind, page, referrer, sub)
    select workspace_id, partner_id, currency, earned_on, amount_cents, payable_at,
        case when payout_id is null then amount_cents else 0 end,
        case when payout_id is null then 0 else amount_cents end, utc_day(created_at), kind,
        l.page, l.referrer, l.sub
    from added left join lateral (
        select page_of(c.landing_url) as page, referrer_of(c.id, c.referrer) as referrer, c.sub
        from (select * from events where id = added.event_id offset 0) e
            cross join lateral (select * from clicks
                where workspace_id = e.workspace_id and id = e.click_id offset 0) c
        offset 0) l on true
    where payable_at < never();
    -- Commissions of reports have events, and no payouts.
    if exists (select from added where event_id is null or payout_id is not null) then
        -- count_event asserts it of the partners of events
        perform assert_not_undone(partner_id) from added where event_id is null;
        update payouts p
        set (commissions, deducted_cents, restored_cents) = (
            select s.commissions, s.deducted_cents, s.restored_cents
            from payout_sums s where s.id = p.id)
        where p.id = any (array(select payout_id from added));
    end if;
    return null;
end $$;

create or replace trigger commissions_count
    after insert on commissions referencing new table as added for each statement
    execute function count_commissions();

-- Counts the sums that payouts keep, too.
create or replace function count_commissions_again() returns trigger language plpgsql as $$
begin
    -- What was payable at the cutoff is one difference per partner: a payout claims thousands.
    insert into total_deltas (workspace_id, partner_id, currency, due_at, open_cents, claimed_cents)
    select workspace_id, partner_id, currency, due_at,
        sum(case when payout_id is null then cents else 0 end),
        sum(case when payout_id is null then 0 else cents end)
    from (
        select *, -amount_cents as cents from before union all select *, amount_cents from after
        ) changed
        left join balance_cutoffs using (workspace_id)
        cross join lateral (
            select case when payable_at <= cutoff_at then '-infinity' else payable_at end as due_at
            ) due
    group by workspace_id, partner_id, currency, due_at
    having sum(case when payout_id is null then cents else 0 end) <> 0;

    update payouts p
    set commissions = p.commissions + changed.commissions,
        deducted_cents = p.deducted_cents + changed.deducted,
        restored_cents = p.restored_cents + changed.restored
    from (
        select payout_id, sum(case when kind = 'reversal' then 0 else n end) as commissions,
            sum(case when reversed > 0 then -amount_cents * n else 0 end) as deducted,
            sum(case when reversed < 0 then amount_cents * n else 0 end) as restored
        -- A look-up for each, because a join is planned by the size of the first change.
        from (
            select c.*,
                (select o.amount_cents from commissions o where o.id = c.reverses_id) as reversed
            from (select *, -1 as n from before union all select *, 1 from after) c
            where payout_id is not null) c
        group by payout_id) changed
    where p.id = changed.payout_id
        and (changed.commissions, changed.deducted, changed.restored) <> (0, 0, 0);
    return null;
end $$;

create or replace trigger commissions_count_again
    after update on commissions referencing old table as before new table as after
    for each statement execute function count_commissions_again();

create or replace function count_earned_again() returns trigger language plpgsql as $$
begin
    insert into total_deltas (workspace_id, partner_id, currency, day, page, referrer, sub,
        earned_cents)
    select c.workspace_id, c.partner_id, c.currency, c.earned_on, l.page, l.referrer, l.sub,
        c.n * c.amount_cents
    from (select old.*, -1 as n union all select new.*, 1) c
        cross join lateral landing_of_event(c.event_id) l;
    return null;
end $$;

create or replace trigger commissions_count_earned
    after update of earned_on on commissions for each row
    when (old.earned_on is distinct from new.earned_on and new.payable_at < never())
    execute function count_earned_again();

create or replace function count_payouts() returns trigger language plpgsql as $$
begin
    insert into total_deltas (workspace_id, run_id, currency, status, payouts, amount_cents)
    select workspace_id, run_id, currency, status, count(*), sum(amount_cents) from added
    group by workspace_id, run_id, currency, status;
    return null;
end $$;

create or replace trigger payouts_count
    after insert on payouts referencing new table as added for each statement
    execute function count_payouts();

create or replace function count_payouts_again() returns trigger language plpgsql as $$
begin
    insert into total_deltas (workspace_id, run_id, currency, status, payouts, amount_cents)
    select workspace_id, run_id, currency, status, sum(n), sum(n * amount_cents)
    from (select *, -1 as n from before union all select *, 1 from after) row_changes
    group by workspace_id, run_id, currency, status
    having sum(n) <> 0 or sum(n * amount_cents) <> 0;
    return null;
end $$;

create or replace trigger payouts_count_again
    after update on payouts referencing old table as before new table as after
    for each statement execute function count_payouts_again();

-- sum for bigint, without the conversion to numeric, which takes longer than the addition.
create or replace aggregate total(bigint) (sfunc = int8pl, stype = bigint);

-- Folds at most so many differences into the totals. When none are left, it moves cutoffs forward:
-- to now, or as far as so many commissions reach. Returns how many rows it took: the caller repeats
-- it until that is less than the limit. One of concurrent calls works, the others return 0.
--
-- One statement reads everything, at one moment: what becomes payable between two cutoffs is
-- counted from the commissions, and not from their differences. Rows that are inserted concurrently
-- become differences of a time before the new cutoff.
create or replace function fold_totals(most integer) returns integer language plpgsql
security definer set search_path = public, pg_temp
set plan_cache_mode = force_custom_plan as $$
declare
    counts   integer[];
    touched  uuid[];
    sold     uuid[];   -- the partners whose sales have changed
begin
    if not pg_try_advisory_xact_lock(hashtextextended('fold_totals', 0)) then return 0; end if;

    with taken as (
        delete from total_deltas where ctid = any (array(select ctid from total_deltas limit most))
        returning *
    ), differences as (
        -- Most are of few partners and pages, so they are added up before they become parts.
        select workspace_id, partner_id, currency, day, total(clicks), total(ended_clicks),
            total(customers), total(leads), total(sales), total(revenue_cents),
            total(earned_cents),
            case when due_at <= coalesce(cutoff_at, '-infinity') then '-infinity'
                when due_at is not null then 'infinity' end::timestamptz as payable_at,
            total(open_cents), total(claimed_cents), run_id, status, total(payouts),
            total(amount_cents), date_trunc('month', entered_on)::date as month, kind, page,
            referrer, slug_key, sub
        from taken left join balance_cutoffs using (workspace_id)
        group by workspace_id, partner_id, currency, day, payable_at, run_id, status, month, kind,
            page, referrer, slug_key, sub
    ), parts as materialized (
        select t.workspace_id, p.of_id, p.level, p.dimension, p.value, p.units, p.day, p.currency,
            total(p.clicks) as clicks, total(p.ended_clicks) as ended_clicks,
            total(p.customers) as customers, total(p.leads) as leads, total(p.sales) as sales,
            total(p.revenue_cents) as revenue_cents, total(p.earned_cents) as earned_cents,
            total(p.open_cents) as open_cents, total(p.due_cents) as due_cents,
            total(p.claimed_cents) as claimed_cents, total(p.payouts) as payouts,
            total(p.amount_cents) as amount_cents
        from differences t
            left join partners r on r.id = t.partner_id
            left join balance_cutoffs k on k.workspace_id = t.workspace_id
            cross join lateral parts_of_total(row(t.*)::total_deltas,
                coalesce(r.program_id, t.workspace_id), coalesce(k.cutoff_at, '-infinity')) p
        group by t.workspace_id, p.of_id, p.level, p.dimension, p.value, p.units, p.day, p.currency
        having p.dimension = 'all' or (total(p.clicks), total(p.ended_clicks), total(p.leads),
            total(p.sales), total(p.revenue_cents), total(p.earned_cents), total(p.payouts),
            total(p.amount_cents)) <> (0, 0, 0, 0, 0, 0, 0, 0)
    ), places as materialized (
        select p.*, exists (select from totals k
            where k.of_id = p.of_id and k.dimension = p.dimension and k.unit = 'month'
                and k.starts_on = p.month and k.value = p.value) as is_known
        from (
            select of_id, dimension, date_trunc('month', day)::date as month, value,
                total(clicks) as clicks
            from parts where dimension in ('page', 'referrer', 'sub') and value <> ''
            group by 1, 2, 3, 4) p
    ), months as materialized (
        select m.*, (select count(distinct k.value) from totals k
            where k.of_id = m.of_id and k.dimension = m.dimension and k.unit = 'month'
                and k.starts_on = m.month and k.value <> '') as known
        from (select distinct of_id, dimension, month from places where not is_known) m
    ), others as materialized (
        select of_id, dimension, month, p.value
        from (
            select *, row_number() over (partition by of_id, dimension, month, is_known
                order by clicks desc nulls last, value) as nth
            from places) p
            join months m using (of_id, dimension, month)
        where not p.is_known and p.nth > 200 - m.known
    ), behind as materialized (
        select workspace_id, cutoff_at as since from balance_cutoffs
        where next_at <= now() and (select count(*) from taken) < most
        order by next_at limit most
    ), next as materialized (
        select b.workspace_id, b.since, c.payable_at
        from behind b cross join lateral (
            select payable_at from commissions
            where workspace_id = b.workspace_id and payout_id is null and payable_at > b.since
                and payable_at <= now()
            order by payable_at limit most) c
        limit most
    ), moved as materialized (
        select workspace_id, since, until, (select payable_at from commissions c
            where c.workspace_id = m.workspace_id and c.payout_id is null and c.payable_at > until
            order by c.payable_at limit 1) as next_at
        from (
            select workspace_id, since, now() as until from behind
            where (select count(*) from next) < most
            union all
            select workspace_id, since, max(payable_at) from next
            where (select count(*) from next) = most
            group by workspace_id, since) m
    ), became as (
        select m.workspace_id, c.partner_id, c.currency, total(c.amount_cents) as cents
        from moved m cross join lateral (
            select partner_id, currency, amount_cents from commissions
            where workspace_id = m.workspace_id and payout_id is null and payable_at > m.since
                and payable_at <= m.until offset 0) c
        group by m.workspace_id, c.partner_id, c.currency
    ), folded as (
        insert into totals as t (of_id, workspace_id, level, dimension, value, unit, starts_on,
            currency, clicks, ended_clicks, customers, leads, sales, revenue_cents, earned_cents,
            open_cents, due_cents, claimed_cents, payouts, amount_cents)
        select of_id, workspace_id, level, dimension, value, unit, starts_on, currency,
            total(clicks), total(ended_clicks), total(customers), total(leads), total(sales),
            total(revenue_cents), total(earned_cents), total(open_cents), total(due_cents),
            total(claimed_cents), total(payouts), total(amount_cents)
        from (
            select p.of_id, p.workspace_id, p.level, p.dimension,
                case when o.value is null then p.value else '' end as value, unit,
                case unit when 'month' then date_trunc('month', p.day)::date else p.day end
                    as starts_on,
                p.currency, p.clicks, p.ended_clicks, p.customers, p.leads, p.sales,
                p.revenue_cents, p.earned_cents, p.open_cents, p.due_cents, p.claimed_cents,
                p.payouts, p.amount_cents
            from parts p
                left join others o on o.of_id = p.of_id and o.dimension = p.dimension
                    and o.month = date_trunc('month', p.day)::date and o.value = p.value
                cross join lateral unnest(p.units) unit
            union all
            select l.of_id, b.workspace_id, l.level, 'all', '', 'all_time', '-infinity',
                b.currency, 0, 0, 0, 0, 0, 0, 0, 0, b.cents, 0, 0, 0
            from became b
                join partners r on r.id = b.partner_id
                cross join lateral (values (b.partner_id, 'partner'), (r.program_id, 'program'))
                    as l (of_id, level)) d
        group by of_id, workspace_id, level, dimension, value, unit, starts_on, currency
        on conflict (of_id, dimension, unit, starts_on, value, currency) do update
            set clicks = t.clicks + excluded.clicks,
                ended_clicks = t.ended_clicks + excluded.ended_clicks,
                customers = t.customers + excluded.customers,
                leads = t.leads + excluded.leads,
                sales = t.sales + excluded.sales,
                revenue_cents = t.revenue_cents + excluded.revenue_cents,
                earned_cents = t.earned_cents + excluded.earned_cents,
                open_cents = t.open_cents + excluded.open_cents,
                due_cents = t.due_cents + excluded.due_cents,
                claimed_cents = t.claimed_cents + excluded.claimed_cents,
                payouts = t.payouts + excluded.payouts,
                amount_cents = t.amount_cents + excluded.amount_cents
    ), cutoffs as (
        insert into balance_cutoffs as k (workspace_id, cutoff_at, next_at)
        select workspace_id, until, coalesce(next_at, 'infinity') from moved
        union all
        select workspace_id, '-infinity', min(due_at)
        from taken left join balance_cutoffs using (workspace_id)
        where due_at > coalesce(cutoff_at, '-infinity')
            and workspace_id not in (select workspace_id from moved)
        group by workspace_id
        on conflict (workspace_id) do update
            set cutoff_at = greatest(k.cutoff_at, excluded.cutoff_at),
                next_at = case when excluded.cutoff_at > k.cutoff_at
                    then excluded.next_at else least(k.next_at, excluded.next_at) end
            where excluded.cutoff_at > k.cutoff_at or excluded.next_at < k.next_at
    )
    select array[(select count(*) from taken), (select count(*) from next)],
        array(select distinct of_id from parts
            where dimension = 'all' and level = 'partner' and day > '-infinity'
                and (clicks, customers, leads, sales) <> (0, 0, 0, 0)),
        array(select distinct partner_id from taken where sales is not null)
    into counts, touched, sold;
    perform check_bonuses(sold);

    update totals a set last_active_on = newest.day
    from unnest(touched) as t (partner_id)
        left join lateral (
            select starts_on as day from totals
            where of_id = t.partner_id and dimension = 'all' and unit = 'day'
                and (clicks, customers, leads, sales) <> (0, 0, 0, 0)
            order by starts_on desc limit 1) newest on true
    where a.of_id = t.partner_id and a.dimension = 'all' and a.unit = 'all_time'
        and a.starts_on = '-infinity' and a.value = '' and a.currency = ''
        and a.last_active_on is distinct from newest.day;
    return greatest(counts[1], counts[2]);
end $$;

-- Counts the totals of a workspace, or of all, anew from whole tables: for restored or repaired
-- data, and for data that was inserted without triggers. It blocks no writes: a Repeatable Read
-- transaction reads one moment, and later differences are added to what it has counted.
create or replace function rebuild_totals(workspace uuid default null) returns void language plpgsql
    set enable_seqscan = on set plan_cache_mode = force_custom_plan as $$
begin
    if current_setting('transaction_isolation') not in ('repeatable read', 'serializable') then
        raise exception 'rebuild_totals needs a transaction of the isolation level repeatable read';
    end if;
    perform pg_advisory_xact_lock(hashtextextended('fold_totals', 0));
    -- Fails if a cutoff has moved since this transaction began.
    insert into balance_cutoffs (workspace_id, next_at)
    select id, '-infinity' from workspaces where workspace is null or id = workspace
    on conflict (workspace_id) do update set next_at = '-infinity';

    create temporary table counted on commit drop as
        select * from total_sums
        where (workspace is null or workspace_id = workspace)
            and (day is not null or slug_key is null);
    delete from totals
        where dimension <> 'link' and (workspace is null or workspace_id = workspace);
    -- Clicks that were removed and folded are only here.
    update totals set clicks = ended_clicks, sales = 0
        where dimension = 'link' and (workspace is null or workspace_id = workspace);
    delete from total_deltas where workspace is null or workspace_id = workspace;
    insert into total_deltas select * from counted;
    update payouts p
    set (commissions, deducted_cents, restored_cents)
        = (s.commissions, s.deducted_cents, s.restored_cents)
    from payout_sums s
    where p.id = s.id and (workspace is null or p.workspace_id = workspace)
        and (p.commissions, p.deducted_cents, p.restored_cents)
            <> (s.commissions, s.deducted_cents, s.restored_cents);
end $$;
