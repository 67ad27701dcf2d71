-- Totals: what happened and what is due, summed up by triggers, so that pages read as much in a
-- workspace of millions of sales as in a new one.

-- What happened on a day, or in a month: clicks, customers by the day of their first event, leads
-- and sales by that of the event, and what the sales earned, less reversals, on the day of the
-- sale. Counts without a currency have rows of the currency ''.
create table totals (
    of_id          uuid    not null,   -- a partner, a program or a workspace
    workspace_id   uuid    not null
        constraint totals_workspace_id_fkey references workspaces (id),
    level          text    not null
        constraint totals_level_check check (level in ('partner', 'program')),
    unit           text    not null
        constraint totals_unit_check check (unit in ('day', 'month')),
    starts_on      date    not null,
    currency       text    not null,
    clicks         bigint  not null default 0,
    -- of these, those that were removed: see end_clicks
    ended_clicks   bigint  not null default 0,
    customers      bigint  not null default 0,
    leads          bigint  not null default 0,
    sales          bigint  not null default 0,
    revenue_cents  bigint  not null default 0,
    earned_cents   bigint  not null default 0,

    constraint totals_pkey primary key (of_id, unit, starts_on, currency)
);

-- What happened in this workspace since this day?
create index totals_workspace_id_idx on totals (workspace_id, unit, starts_on)
    where level = 'program';

-- Which partners brought the most in this month?
create index totals_best_idx on totals (workspace_id, currency, starts_on, revenue_cents, of_id)
    where level = 'partner' and unit = 'month';

-- The same by the page that the visitor came to, by the host that it came from, and by the `sub` of
-- the link, without customers. Of an owner, 200 pages, 200 hosts and 200 subs per month are counted
-- on their own: the first ones, because visitors can make up any number. They are those with a row
-- of the month. The value '' is all others, and what came without a click; of subs, what came
-- without one is not counted.
create table landing_totals (
    of_id          uuid    not null,   -- a partner, a program or a workspace
    workspace_id   uuid    not null
        constraint landing_totals_workspace_id_fkey references workspaces (id),
    level          text    not null
        constraint landing_totals_level_check check (level in ('partner', 'program')),
    unit           text    not null
        constraint landing_totals_unit_check check (unit in ('day', 'month')),
    starts_on      date    not null,
    dimension      text    not null
        constraint landing_totals_dimension_check check (dimension in ('page', 'referrer', 'sub')),
    -- the page, the referrer (see page_of and referrer_of), or the sub
    value          text    not null,
    currency       text    not null,
    clicks         bigint  not null default 0,
    ended_clicks   bigint  not null default 0,
    leads          bigint  not null default 0,
    sales          bigint  not null default 0,
    revenue_cents  bigint  not null default 0,
    earned_cents   bigint  not null default 0,

    constraint landing_totals_pkey primary key (of_id, dimension, unit, starts_on, value, currency)
);

-- What has happened with a partner since it joined, in all currencies: the list of partners shows
-- it, and walks an index to be sorted by it. A partner with whom nothing has happened has no row.
-- Its index entries cost each fold more than the row: those of 0 are left out.
create table partner_activity (
    partner_id      uuid    not null
        constraint partner_activity_pkey primary key,
    workspace_id    uuid    not null
        constraint partner_activity_workspace_id_fkey references workspaces (id),
    clicks          bigint  not null default 0,
    customers       bigint  not null default 0,
    leads           bigint  not null default 0,
    sales           bigint  not null default 0,
    -- the newest day with any of these in totals; null if all were taken back
    last_active_on  date
);

-- Which partners of this workspace have most clicks, customers, leads, or sales, and who was active
-- last?
create index partner_activity_clicks_idx on partner_activity (workspace_id, clicks, partner_id)
    where clicks <> 0;
create index partner_activity_customers_idx
    on partner_activity (workspace_id, customers, partner_id) where customers <> 0;
create index partner_activity_leads_idx on partner_activity (workspace_id, leads, partner_id)
    where leads <> 0;
create index partner_activity_sales_idx on partner_activity (workspace_id, sales, partner_id)
    where sales <> 0;
create index partner_activity_last_active_on_idx
    on partner_activity (workspace_id, last_active_on, partner_id) where last_active_on is not null;

-- What a partner has brought and earned since it joined, by currency.
create table partner_totals (
    partner_id     uuid    not null,
    workspace_id   uuid    not null
        constraint partner_totals_workspace_id_fkey references workspaces (id),
    currency       text    not null,
    sales          bigint  not null default 0,
    revenue_cents  bigint  not null default 0,
    earned_cents   bigint  not null default 0,

    constraint partner_totals_pkey primary key (partner_id, currency)
);

-- Which partners of this workspace have brought most in this currency, and who has earned most?
create index partner_totals_revenue_idx
    on partner_totals (workspace_id, currency, revenue_cents, partner_id) where revenue_cents <> 0;
create index partner_totals_earned_idx
    on partner_totals (workspace_id, currency, earned_cents, partner_id) where earned_cents <> 0;

-- What came through each link of a partner since it exists: clicks, and sales that are credited by
-- one. A link that was released keeps its row.
create table link_totals (
    partner_id     uuid    not null,
    workspace_id   uuid    not null
        constraint link_totals_workspace_id_fkey references workspaces (id),
    slug_key       text    not null,
    clicks         bigint  not null default 0,
    -- of these, those that were removed: see end_clicks
    ended_clicks   bigint  not null default 0,
    sales          bigint  not null default 0,

    constraint link_totals_pkey primary key (partner_id, slug_key)
-- rows change often: there is room for their next version in the same page, without new index
-- entries
) with (fillfactor = 70);

-- What is unpaid, and what payouts have claimed.
create table balances (
    of_id          uuid    not null,   -- a partner or a program
    workspace_id   uuid    not null
        constraint balances_workspace_id_fkey references workspaces (id),
    level          text    not null
        constraint balances_level_check check (level in ('partner', 'program')),
    currency       text    not null,
    open_cents     bigint  not null default 0,
    due_cents      bigint  not null default 0,   -- of these, what was payable at the cutoff
    claimed_cents  bigint  not null default 0,

    constraint balances_pkey primary key (of_id, currency)
) with (fillfactor = 70);   -- as of link_totals: many changes leave what is open as it was

-- What is payable to whom, and what is unpaid in this workspace?
create index balances_workspace_id_idx on balances (workspace_id, level);

-- Which partners of this workspace are owed most in this currency?
create index balances_open_idx on balances (workspace_id, currency, open_cents, of_id)
    where open_cents <> 0;

-- Up to when the balances of a workspace count what is payable. Without a row, nothing is counted.
-- It never moves back: what was payable then stays so, and differences rely on it
-- (count_commissions_again).
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

-- The payouts of a run by currency and status.
create table run_totals (
    run_id        uuid    not null,
    workspace_id  uuid    not null,
    currency      text    not null,
    status        text    not null,
    payouts       bigint  not null,
    amount_cents  bigint  not null,

    constraint run_totals_pkey primary key (run_id, currency, status),
    constraint run_totals_run_id_fkey foreign key (workspace_id, run_id)
        references payout_runs (workspace_id, id)
);

-- How much is being paid?
create index run_totals_workspace_id_idx on run_totals (workspace_id, status);

-- What a partner's commissions add up to, by kind and by the month in which they were made: the
-- sums of statements.
create table statement_totals (
    partner_id    uuid    not null,
    workspace_id  uuid    not null
        constraint statement_totals_workspace_id_fkey references workspaces (id),
    month         date    not null,
    currency      text    not null,
    kind          text    not null,
    amount_cents  bigint  not null,

    constraint statement_totals_pkey primary key (partner_id, month, currency, kind)
);

-- The differences that are not folded into the totals yet: of `day` in totals, partner_activity and
-- partner_totals, of `slug_key` in link_totals, of `due_at` in balances, of `run_id` in run_totals,
-- of `entered_on`, open and claimed, in statement_totals. A row can be of several. It has no key,
-- and one index, because each click and each sale inserts rows.
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
    -- -infinity was payable at the cutoff, infinity is what a later one counts itself
    due_at         timestamptz,
    open_cents     bigint,
    claimed_cents  bigint,
    run_id         uuid,
    status         text,
    payouts        bigint,
    amount_cents   bigint,
    entered_on     date,     -- the day on which a commission was made
    kind           text,     -- and its kind
    page           text,     -- the page that the visitor came to, in landing_totals
    referrer       text,     -- and the host that it came from
    slug_key       text,     -- of the link that the visitor came through
    sub            text,     -- that the link named

    constraint total_deltas_run_id_fkey foreign key (workspace_id, run_id)
        references payout_runs (workspace_id, id)
);

-- What was not folded yet of this workspace, and of this partner?
create index total_deltas_workspace_id_idx on total_deltas (workspace_id, partner_id);

-- The page of a click, as totals know it: short enough for an index, and null if the path has an
-- email address, because totals are kept for good. Most have nothing that the pattern could match.
create or replace function page_of(landing_url text) returns text language sql immutable as $$
    select case when strpos(landing_url, '@') + strpos(landing_url, '%40') = 0
        or landing_url !~* '[^/](@|%40)[^/]+[.]'
                then left(landing_url, 500) end
$$;

-- The host that a click came from, without "www.": '(direct)' if the browser named none, null
-- without a click.
create or replace function referrer_of(click text, referrer text) returns text
    language sql immutable as $$
    select case when click is not null
                then coalesce(nullif(left(split_part(replace(referrer, '//www.', '//'), '/', 3),
                    253), ''), '(direct)') end
$$;

-- All of what is summed up, in the form of the differences, as verify_ledger and rebuild_totals
-- read it. Clicks that were removed are known from the totals only.
create or replace view total_facts as
    select workspace_id, partner_id, '' as currency, utc_day(created_at) as day,
        1::bigint as clicks, 0::bigint as ended_clicks,
           0::bigint as customers, 0::bigint as leads, 0::bigint as sales,
               0::bigint as revenue_cents, 0::bigint as earned_cents,
           null::timestamptz as due_at, 0::bigint as open_cents, 0::bigint as claimed_cents,
               null::uuid as run_id, null as status,
           0::bigint as payouts, 0::bigint as amount_cents, null::date as entered_on, null as kind,
               page_of(landing_url) as page, slug_key,
           referrer_of(id, referrer) as referrer, sub
    from clicks where is_counted
    union all
    select e.workspace_id, e.partner_id, coalesce(e.currency, ''), utc_day(e.occurred_at), 0, 0, 0,
        (e.kind = 'lead')::integer,
           (e.kind = 'sale')::integer, coalesce(e.amount_cents, 0), 0, null, 0, 0, null, null, 0, 0,
               null, null, page_of(c.landing_url),
           case when e.attributed_by = 'click'
               then c.slug_key end, referrer_of(c.id, c.referrer), c.sub
    from events e left join clicks c on c.workspace_id = e.workspace_id and c.id = e.click_id
    where is_counted(e.steps) and e.kind <> 'refund'
    union all
    select workspace_id, partner_id, '', utc_day(created_at), 0, 0, 1, 0, 0, 0, 0, null, 0, 0, null,
        null, 0, 0, null, null, null, null, null, null
    from customers where partner_id is not null
    union all
    select m.workspace_id, m.partner_id, m.currency, m.earned_on, 0, 0, 0, 0, 0, 0,
           case when m.earned_on is null then 0 else m.amount_cents end, m.payable_at,
           case when m.payout_id is null
               then m.amount_cents else 0 end, case when m.payout_id is null
               then 0 else m.amount_cents end,
           null, null, 0, 0, utc_day(m.created_at), m.kind, page_of(c.landing_url), null,
           referrer_of(c.id, c.referrer), c.sub
    from commissions m left join events e on e.id = m.event_id
                       left join clicks c on c.workspace_id = e.workspace_id and c.id = e.click_id
    where m.payable_at < never()
    union all
    select workspace_id, null, currency, null, 0, 0, 0, 0, 0, 0, 0, null, 0, 0, run_id, status, 1,
        amount_cents, null, null, null, null, null, null
    from payouts
    union all
    select workspace_id, of_id, currency, starts_on, ended_clicks, ended_clicks, 0, 0, 0, 0, 0,
        null, 0, 0, null, null, 0, 0, null, null,
           nullif(value, ''), null, null, null
    from landing_totals where level = 'partner' and dimension = 'page' and unit = 'day'
        and ended_clicks > 0
    union all
    -- Which page, referrer and sub a removed click had is not known together, so those of the last
    -- two move from none to them.
    select workspace_id, of_id, currency, starts_on, n * ended_clicks, n * ended_clicks, 0, 0, 0, 0,
        0, null, 0, 0, null, null, 0, 0,
           null, null, null, null, case when dimension = 'referrer'
               then m.value end, case when dimension = 'sub' then m.value end
    from landing_totals t cross join lateral (values (-1, null), (1, t.value)) as m (n, value)
    where level = 'partner' and unit = 'day' and ended_clicks > 0
        and (dimension = 'referrer' and t.value <> '' or dimension = 'sub')
    union all
    select workspace_id, partner_id, currency, day, ended_clicks, ended_clicks, 0, 0, 0, 0, 0, null,
        0, 0, null, null, 0, 0, null, null,
           page, slug_key, referrer, sub
    from total_deltas where ended_clicks <> 0;

-- The same of each payout.
create or replace view payout_sums as
    select p.id, count(c.id) filter (where c.kind <> 'reversal') as commissions,
           coalesce(sum(-c.amount_cents) filter (where o.amount_cents > 0), 0) as deducted_cents,
           coalesce(sum(c.amount_cents) filter (where o.amount_cents < 0), 0) as restored_cents
    from payouts p
    left join commissions c on c.payout_id = p.id
    left join lateral (select amount_cents from commissions where id = c.reverses_id offset 0) o
        on true
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
        referrer_of(new.id, new.referrer),
            new.slug_key, new.sub, 1);
    return null;
end $$;

create or replace trigger clicks_count after insert on clicks for each row when (new.is_counted)
    execute function count_click();

-- What an event has earned counts for another page, referrer and sub: its click, or what the click
-- says, has changed. Commissions that are inserted in the same transaction, and mostly in the same
-- statement, are counted for the new ones by their own trigger.
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
        old.slug_key, old.sub,
            -old.is_counted::integer),
           (new.workspace_id, new.partner_id, utc_day(new.created_at), to_page, to_referrer,
               new.slug_key, new.sub,
            new.is_counted::integer);
    if (from_page, from_referrer, old.sub) is distinct from (to_page, to_referrer, new.sub) then
        insert into total_deltas (workspace_id, partner_id, currency, day, page, referrer, sub,
            leads, sales, revenue_cents)
        select e.workspace_id, e.partner_id, coalesce(e.currency, ''), utc_day(e.occurred_at),
            l.page, l.referrer, l.sub,
               l.n * (e.kind = 'lead')::integer, l.n * (e.kind = 'sale')::integer,
                   l.n * e.amount_cents
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
        referrer_of(id, referrer), slug_key, sub, count(*) from ended
    where is_counted
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
            utc_day(old.occurred_at), page_of(c.landing_url),
               referrer_of(c.id, c.referrer), c.sub, case when old.attributed_by = 'click'
                   then c.slug_key end,
               -(old.kind = 'lead')::integer, -(old.kind = 'sale')::integer, -old.amount_cents
        from (select) one left join clicks c on c.workspace_id = old.workspace_id
            and c.id = old.click_id;
    end if;
    if is_counted(new.steps) then
        insert into total_deltas (workspace_id, partner_id, currency, day, page, referrer, sub,
            slug_key, leads, sales, revenue_cents)
        select new.workspace_id, new.partner_id, coalesce(new.currency, ''),
            utc_day(new.occurred_at), page_of(c.landing_url),
               referrer_of(c.id, c.referrer), c.sub, case when new.attributed_by = 'click'
                   then c.slug_key end,
               (new.kind = 'lead')::integer, (new.kind = 'sale')::integer, new.amount_cents
        from (select) one left join clicks c on c.workspace_id = new.workspace_id
            and c.id = new.click_id;
    end if;
    if tg_op = 'UPDATE' then
        -- First: it leaves out what this transaction has written, which is counted as it is now.
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

-- A refund leaves what was sold as it is, and shows in what is earned. An insert asks so in the
-- function: Postgres reads a trigger's condition from its catalog in each statement.
create or replace trigger events_count after insert on events for each row
    execute function count_event();

create or replace trigger events_count_again
    after update on events for each row
    when (new.kind <> 'refund' and
          (old.partner_id, old.currency, old.amount_cents, old.occurred_at, old.click_id,
              old.attributed_by, is_counted(old.steps))
          is distinct from (new.partner_id, new.currency, new.amount_cents, new.occurred_at,
              new.click_id, new.attributed_by,
                            is_counted(new.steps)))
    execute function count_event();

create or replace function count_customers() returns trigger language plpgsql as $$
begin
    insert into total_deltas (workspace_id, partner_id, day, customers)
    select workspace_id, partner_id, utc_day(created_at), count(*) from added
        where partner_id is not null
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
                 (new.workspace_id, new.partner_id, utc_day(new.created_at), 1)) as d (workspace_id,
                     partner_id, day, customers)
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
        open_cents, claimed_cents, entered_on,
                              kind, page, referrer, sub)
    select workspace_id, partner_id, currency, earned_on, amount_cents, payable_at,
           case when payout_id is null then amount_cents else 0 end, case when payout_id is null
               then 0 else amount_cents end,
           utc_day(created_at), kind, l.page, l.referrer, l.sub
    from added left join lateral (
        select page_of(c.landing_url) as page, referrer_of(c.id, c.referrer) as referrer, c.sub
        from (select * from events where id = added.event_id offset 0) e
        cross join lateral (select * from clicks
            where workspace_id = e.workspace_id and id = e.click_id offset 0) c offset 0) l on true
    where payable_at < never();
    -- nothing that a report earns
    if exists (select from added where event_id is null or payout_id is not null) then
        -- of the others, count_event asks
        perform assert_not_undone(partner_id) from added where event_id is null;
        update payouts p
        set (commissions, deducted_cents, restored_cents) = (
            select s.commissions, s.deducted_cents, s.restored_cents from payout_sums s
                where s.id = p.id)
        where p.id = any (array(select payout_id from added));
    end if;
    return null;
end $$;

create or replace trigger commissions_count
    after insert on commissions referencing new table as added for each statement
        execute function count_commissions();

-- Of the payouts' own sums too, which partners read.
create or replace function count_commissions_again() returns trigger language plpgsql as $$
begin
    -- What was payable at the cutoff is one difference per partner: a payout claims thousands.
    insert into total_deltas (workspace_id, partner_id, currency, due_at, open_cents, claimed_cents)
    select workspace_id, partner_id, currency, due_at,
        sum(case when payout_id is null then cents else 0 end),
           sum(case when payout_id is null then 0 else cents end)
    from (select *, -amount_cents as cents from before union all select *, amount_cents
        from after) changed
    left join balance_cutoffs using (workspace_id)
    cross join lateral (select case when payable_at <= cutoff_at
        then '-infinity' else payable_at end as due_at) due
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
        -- Looked up one by one: a join would be planned by the size of the first change on this
        -- connection.
        from (select c.*,
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
    from (select old.*, -1 as n union all select new.*, 1) c cross
        join lateral landing_of_event(c.event_id) l;
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

-- Folds some of the differences into the totals. When none are left, it moves cutoffs on: to now,
-- or as far as some commissions reach. Returns how many it took, of one or the other: the caller
-- repeats it until that is less than the limit. Of concurrent calls one works, and the others
-- return 0.
--
-- All sums are one statement, which sees one moment: what becomes payable between two cutoffs is
-- counted from the commissions, so the differences of that time are not. Whatever is inserted
-- concurrently comes as a difference, of a time before the new cutoff.
create or replace function fold_totals(most integer) returns integer language plpgsql
security definer set search_path = public, pg_temp
set plan_cache_mode = force_custom_plan as $$
declare
    counts integer[];
    touched uuid[];
begin
    if not pg_try_advisory_xact_lock(hashtextextended('fold_totals', 0)) then return 0; end if;

    with taken as (
        delete from total_deltas where ctid = any (array(select ctid from total_deltas limit most))
            returning *
    ), leveled as (
        select l.of_id, l.level, t.*
        from taken t left join partners p on p.id = t.partner_id
        cross join lateral (values (t.partner_id, 'partner'),
            (coalesce(p.program_id, t.workspace_id), 'program')) as l (of_id, level)
        where l.of_id is not null
    ), happened as (
        insert into totals (of_id, workspace_id, level, unit, starts_on, currency, clicks,
            ended_clicks, customers, leads, sales,
                            revenue_cents, earned_cents)
        select of_id, workspace_id, level, unit, date_trunc(unit, day)::date, currency,
            coalesce(sum(clicks), 0),
               coalesce(sum(ended_clicks), 0), coalesce(sum(customers), 0), coalesce(sum(leads), 0),
                   coalesce(sum(sales), 0),
               coalesce(sum(revenue_cents), 0), coalesce(sum(earned_cents), 0)
        from leveled cross join (values ('day'), ('month')) as u (unit)
        where day is not null
        group by of_id, workspace_id, level, unit, date_trunc(unit, day), currency
        on conflict (of_id, unit, starts_on, currency) do update
            set clicks = totals.clicks + excluded.clicks,
                ended_clicks = totals.ended_clicks + excluded.ended_clicks,
                customers = totals.customers + excluded.customers,
                    leads = totals.leads + excluded.leads,
                sales = totals.sales + excluded.sales,
                    revenue_cents = totals.revenue_cents + excluded.revenue_cents,
                earned_cents = totals.earned_cents + excluded.earned_cents
    ), active as (
        insert into partner_activity as t (partner_id, workspace_id, clicks, customers, leads,
            sales)
        select partner_id, workspace_id, coalesce(sum(clicks), 0), coalesce(sum(customers), 0),
            coalesce(sum(leads), 0),
               coalesce(sum(sales), 0)
        from taken where partner_id is not null
            and num_nonnulls(clicks, customers, leads, sales) > 0
        group by partner_id, workspace_id
        on conflict (partner_id) do update
            set clicks = t.clicks + excluded.clicks, customers = t.customers + excluded.customers,
                leads = t.leads + excluded.leads,
                sales = t.sales + excluded.sales
        returning partner_id
    ), since_joined as (
        insert into partner_totals as t (partner_id, workspace_id, currency, sales, revenue_cents,
            earned_cents)
        select partner_id, workspace_id, currency, coalesce(sum(sales), 0),
            coalesce(sum(revenue_cents), 0), coalesce(sum(earned_cents), 0)
        from taken where partner_id is not null and day is not null and currency <> ''
        group by partner_id, workspace_id, currency
        on conflict (partner_id, currency) do update
            set sales = t.sales + excluded.sales,
                revenue_cents = t.revenue_cents + excluded.revenue_cents,
                earned_cents = t.earned_cents + excluded.earned_cents
    ), linked as (
        insert into link_totals as t (partner_id, workspace_id, slug_key, clicks, ended_clicks,
            sales)
        select partner_id, workspace_id, slug_key, coalesce(sum(clicks), 0),
            coalesce(sum(ended_clicks), 0), coalesce(sum(sales), 0)
        from taken where slug_key is not null and partner_id is not null
        group by partner_id, workspace_id, slug_key
        on conflict (partner_id, slug_key) do update
            set clicks = t.clicks + excluded.clicks,
                ended_clicks = t.ended_clicks + excluded.ended_clicks,
                sales = t.sales + excluded.sales
    ), landed as materialized (
        select of_id, workspace_id, level, day, currency, d.dimension, d.value,
            sum(clicks) as clicks,
               sum(ended_clicks) as ended_clicks, sum(leads) as leads, sum(sales) as sales,
                   sum(revenue_cents) as revenue_cents,
               sum(earned_cents) as earned_cents
        from leveled
        cross join lateral (values ('page', coalesce(page, '')),
            ('referrer', coalesce(referrer, '')), ('sub', sub)) as d (dimension, value)
        where day is not null and d.value is not null
        group by of_id, workspace_id, level, day, currency, d.dimension, d.value
        having (coalesce(sum(clicks), 0), coalesce(sum(ended_clicks), 0), coalesce(sum(leads), 0),
            coalesce(sum(sales), 0),
                coalesce(sum(revenue_cents), 0), coalesce(sum(earned_cents), 0)) <> (0, 0, 0, 0, 0,
                    0)
    ), places as materialized (
        select p.*, exists (select from landing_totals k
            where k.of_id = p.of_id and k.dimension = p.dimension and k.unit = 'month'
                              and k.starts_on = p.month and k.value = p.value) as is_known
        from (select of_id, dimension, date_trunc('month', day)::date as month, value,
            sum(clicks) as clicks
              from landed where value <> '' group by 1, 2, 3, 4) p
    ), months as materialized (
        select m.*, (select count(distinct k.value) from landing_totals k
                     where k.of_id = m.of_id and k.dimension = m.dimension and k.unit = 'month'
                         and k.starts_on = m.month
                       and k.value <> '') as known
        from (select distinct of_id, dimension, month from places where not is_known) m
    ), kept as materialized (
        select of_id, dimension, month, p.value
        from (select *, row_number()
            over (partition by of_id, dimension, month, is_known
            order by clicks desc nulls last, value) as nth
              from places) p
        left join months m using (of_id, dimension, month)
        where p.is_known or p.nth <= 200 - m.known
    ), landed_on as (
        insert into landing_totals as t (of_id, workspace_id, level, unit, starts_on, dimension,
            value, currency, clicks, ended_clicks, leads,
                                         sales, revenue_cents, earned_cents)
        select l.of_id, l.workspace_id, l.level, unit, date_trunc(unit, l.day)::date, l.dimension,
            coalesce(k.value, ''), l.currency,
               coalesce(sum(l.clicks), 0), coalesce(sum(l.ended_clicks), 0),
                   coalesce(sum(l.leads), 0), coalesce(sum(l.sales), 0),
               coalesce(sum(l.revenue_cents), 0), coalesce(sum(l.earned_cents), 0)
        from landed l left join kept k on k.of_id = l.of_id and k.dimension = l.dimension
            and k.month = date_trunc('month', l.day)::date
                                          and k.value = l.value
        cross join (values ('day'), ('month')) as u (unit)
        group by l.of_id, l.workspace_id, l.level, unit, date_trunc(unit, l.day), l.dimension,
            coalesce(k.value, ''), l.currency
        on conflict (of_id, dimension, unit, starts_on, value, currency) do update
            set clicks = t.clicks + excluded.clicks,
                ended_clicks = t.ended_clicks + excluded.ended_clicks,
                leads = t.leads + excluded.leads,
                sales = t.sales + excluded.sales,
                    revenue_cents = t.revenue_cents + excluded.revenue_cents,
                earned_cents = t.earned_cents + excluded.earned_cents
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
        select workspace_id, since, until,
               (select payable_at from commissions c
                where c.workspace_id = m.workspace_id and c.payout_id is null
                    and c.payable_at > until
                order by c.payable_at limit 1) as next_at
        from (select workspace_id, since, now() as until from behind
            where (select count(*) from next) < most
              union all
              select workspace_id, since, max(payable_at) from next
                  where (select count(*) from next) = most
              group by workspace_id, since) m
    ), became as (
        select m.workspace_id, c.partner_id, c.currency, sum(c.amount_cents) as cents
        from moved m cross join lateral (
            select partner_id, currency, amount_cents from commissions
            where workspace_id = m.workspace_id and payout_id is null and payable_at > m.since
                and payable_at <= m.until offset 0) c
        group by m.workspace_id, c.partner_id, c.currency
    ), due as (
        insert into balances (of_id, workspace_id, level, currency, open_cents, due_cents,
            claimed_cents)
        select of_id, workspace_id, level, currency, sum(open_cents), sum(due_cents),
            sum(claimed_cents)
        from (
            select of_id, workspace_id, level, currency, open_cents,
                   case when due_at <= coalesce(cutoff_at, '-infinity')
                       then open_cents else 0 end as due_cents, claimed_cents
            from leveled left join balance_cutoffs using (workspace_id) where due_at is not null
            union all
            select l.of_id, workspace_id, l.level, currency, 0, cents, 0
            from became cross join lateral (
                values (partner_id, 'partner'),
                    ((select program_id from partners where id = partner_id),
                    'program')) as l (of_id, level)
        ) d
        group by of_id, workspace_id, level, currency
        on conflict (of_id, currency) do update
            set open_cents = balances.open_cents + excluded.open_cents,
                due_cents = balances.due_cents + excluded.due_cents,
                claimed_cents = balances.claimed_cents + excluded.claimed_cents
    ), cutoffs as (
        insert into balance_cutoffs as k (workspace_id, cutoff_at, next_at)
        select workspace_id, until, coalesce(next_at, 'infinity') from moved
        union all
        select workspace_id, '-infinity', min(due_at) from taken left join balance_cutoffs
            using (workspace_id)
        where due_at > coalesce(cutoff_at, '-infinity')
            and workspace_id not in (select workspace_id from moved)
        group by workspace_id
        on conflict (workspace_id) do update
            set cutoff_at = greatest(k.cutoff_at, excluded.cutoff_at),
                next_at = case when excluded.cutoff_at > k.cutoff_at
                    then excluded.next_at else least(k.next_at, excluded.next_at) end
            where excluded.cutoff_at > k.cutoff_at or excluded.next_at < k.next_at
    ), paid as (
        insert into run_totals (run_id, workspace_id, currency, status, payouts, amount_cents)
        select run_id, workspace_id, currency, status, sum(payouts), sum(amount_cents)
        from taken where run_id is not null group by run_id, workspace_id, currency, status
        on conflict (run_id, currency, status) do update
            set payouts = run_totals.payouts + excluded.payouts,
                amount_cents = run_totals.amount_cents + excluded.amount_cents
    ), entered as (
        insert into statement_totals (partner_id, workspace_id, month, currency, kind, amount_cents)
        select partner_id, workspace_id, date_trunc('month', entered_on)::date, currency, kind,
            sum(open_cents + claimed_cents)
        from taken where entered_on is not null
        group by partner_id, workspace_id, date_trunc('month', entered_on), currency, kind
        on conflict (partner_id, month, currency, kind) do update
            set amount_cents = statement_totals.amount_cents + excluded.amount_cents
    )
    select array[(select count(*) from taken), (select count(*) from next)],
        array(select partner_id from active) into counts, touched;

    update partner_activity a set last_active_on = newest.day
    from unnest(touched) as t (partner_id)
    left join lateral (
        select starts_on as day from totals
        where of_id = t.partner_id and unit = 'day'
            and (clicks, customers, leads, sales) <> (0, 0, 0, 0)
        order by starts_on desc limit 1) newest on true
    where a.partner_id = t.partner_id and a.last_active_on is distinct from newest.day;
    return greatest(counts[1], counts[2]);
end $$;

-- Counts the totals of a workspace, or of all, from what they sum up, and replaces them: for
-- restored or repaired data, and for data that was inserted without triggers. Nobody waits for it:
-- in a transaction of the isolation level Repeatable Read it sees one moment, and later differences
-- are added to what it has counted.
create or replace function rebuild_totals(workspace uuid default null) returns void language plpgsql
    set enable_seqscan = on as $$
begin
    if current_setting('transaction_isolation') not in ('repeatable read', 'serializable') then
        raise exception 'rebuild_totals needs a transaction of the isolation level repeatable read';
    end if;
    perform pg_advisory_xact_lock(hashtextextended('fold_totals', 0));
    -- What is not payable yet is not counted as of its time, but when it becomes payable. Fails if
    -- a cutoff has moved since this transaction has begun.
    insert into balance_cutoffs (workspace_id, next_at)
    select id, '-infinity' from workspaces where workspace is null or id = workspace
    on conflict (workspace_id) do update set next_at = '-infinity';

    create temporary table counted on commit drop as
        select workspace_id, partner_id, currency, day, sum(clicks) as clicks,
            sum(ended_clicks) as ended_clicks,
               sum(customers) as customers, sum(leads) as leads, sum(sales) as sales,
                   sum(revenue_cents) as revenue_cents,
               sum(earned_cents) as earned_cents, due_at, sum(open_cents) as open_cents,
                   sum(claimed_cents) as claimed_cents,
               run_id, status, sum(payouts) as payouts, sum(amount_cents) as amount_cents,
                   entered_on, kind, page, slug_key, referrer, sub
        from (
            select workspace_id, partner_id, currency, day, clicks, ended_clicks, customers, leads,
                sales, revenue_cents, earned_cents,
                   null::timestamptz as due_at, 0 as open_cents, 0 as claimed_cents,
                       null::uuid as run_id, null as status, 0 as payouts,
                   0 as amount_cents, null::date as entered_on, null as kind, page, slug_key,
                       referrer, sub
            from total_facts
                where day is not null and (workspace is null or workspace_id = workspace)
            union all
            select workspace_id, partner_id, currency, null, 0, 0, 0, 0, 0, 0, 0,
                   case when due_at <= cutoff_at
                       then '-infinity'::timestamptz when due_at > cutoff_at then 'infinity' end,
                   open_cents, claimed_cents, run_id, status, payouts, amount_cents, entered_on,
                       kind, null, null, null, null
            from total_facts join balance_cutoffs using (workspace_id)
            where (due_at is not null or run_id is not null)
                and (workspace is null or workspace_id = workspace)) facts
        group by workspace_id, partner_id, currency, day, due_at, run_id, status, entered_on, kind,
            page, slug_key, referrer, sub;
    delete from totals where workspace is null or workspace_id = workspace;
    delete from landing_totals where workspace is null or workspace_id = workspace;
    delete from partner_activity where workspace is null or workspace_id = workspace;
    delete from partner_totals where workspace is null or workspace_id = workspace;
    -- Clicks that were removed, and are folded, are known from here only.
    update link_totals set clicks = ended_clicks, sales = 0
        where workspace is null or workspace_id = workspace;
    delete from balances where workspace is null or workspace_id = workspace;
    delete from run_totals where workspace is null or workspace_id = workspace;
    delete from statement_totals where workspace is null or workspace_id = workspace;
    delete from total_deltas where workspace is null or workspace_id = workspace;
    insert into total_deltas (workspace_id, partner_id, currency, day, clicks, ended_clicks,
        customers, leads, sales, revenue_cents,
                              earned_cents, due_at, open_cents, claimed_cents, run_id, status,
                                  payouts, amount_cents, entered_on, kind, page,
                              slug_key, referrer, sub)
    select workspace_id, partner_id, currency, day, clicks, ended_clicks, customers, leads, sales,
        revenue_cents, earned_cents,
           due_at, open_cents, claimed_cents, run_id, status, payouts, amount_cents, entered_on,
               kind, page, slug_key, referrer, sub from counted;
    update payouts p
        set (commissions, deducted_cents, restored_cents)
        = (s.commissions, s.deducted_cents, s.restored_cents)
    from payout_sums s
    where p.id = s.id and (workspace is null or p.workspace_id = workspace)
      and (p.commissions, p.deducted_cents, p.restored_cents) <> (s.commissions, s.deducted_cents,
          s.restored_cents);
end $$;
