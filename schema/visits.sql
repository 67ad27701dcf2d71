-- Visits: what the snippet sends. Clicks, their daily budgets, and when they expire.

-- Where the links of an earlier platform have the slug, and whether such links still credit
-- partners: see lib/imports/partners/former-links.ts. A manager confirms it, or a visit that the
-- merchant's site has reported.
create table link_forms (
    program_id    uuid         not null,
    workspace_id  uuid         not null,
    form          text         not null,   -- '?ref', '/', '//go.example?ref'
    works         boolean      not null,
    confirmed_by  text,                    -- an email address; null for a visit
    confirmed_at  timestamptz  not null,

    constraint link_forms_pkey primary key (program_id, form),
    constraint link_forms_confirmed_check check (works or confirmed_by is not null),
    constraint link_forms_program_id_fkey foreign key (workspace_id, program_id)
        references programs (workspace_id, id)
);

-- The stored clicks of a program on its newest day, in steps of 64: save_click limits them.
create table click_budgets (
    program_id    uuid    not null
        constraint click_budgets_pkey primary key,
    workspace_id  uuid    not null,
    day           date    not null,
    clicks        integer not null,

    constraint click_budgets_program_id_fkey foreign key (workspace_id, program_id)
        references programs (workspace_id, id)
);

-- The newest visits of a program through a partner's link, to show whether its snippet works: see
-- lib/tracking/clicks/note-visits.queries.ts.
create table last_visits (
    program_id    uuid         primary key,
    workspace_id  uuid         not null,
    at            timestamptz  not null,
    slug          text         not null,
    page          text,                    -- without query
    -- the newest visit by a browser that had kept an earlier click
    kept_at       timestamptz,
    constraint last_visits_program_id_fkey foreign key (workspace_id, program_id)
        references programs (workspace_id, id)
);

-- Visits that were refused, by day. 200 combinations per program and day have rows of their own;
-- the others are counted without slug and page.
create table refused_visits (
    program_id    uuid         not null,
    workspace_id  uuid         not null,
    day           date         not null,
    reason        text         not null
        constraint refused_visits_reason_check
            check (reason in ('partner_not_found', 'invalid_body', 'rate_limited')),
    slug          text         not null,
    page          text         not null,   -- without query
    visits        integer      not null default 1,
    last_at       timestamptz  not null,
    constraint refused_visits_pkey primary key (program_id, day, reason, slug, page),
    constraint refused_visits_program_id_fkey foreign key (workspace_id, program_id)
        references programs (workspace_id, id)
);

-- Which are to be removed next? See lib/people/retention.queries.ts.
create index refused_visits_day_idx on refused_visits (day);

-- The cursor of end_clicks.
create table click_retention (
    checked_until  timestamptz  not null,   -- an expiry; clicks of this time up to checked_id
    checked_id     text         not null
);

insert into click_retention values ('-infinity', '');


-- Functions and triggers.

-- Records a visit by a link of an active partner: the first of slug_keys that is one. Returns the
-- visitor's current click of the program, its expiry, and the visitor's clicks of other programs
-- with their latest expiry; null if there is none. Idempotent.
--
-- @param held_ids     the visitor's clicks so far, of any program. The newest one of the program
--   that counts stays the current click if the visit is earlier, or if the program credits the
--   first
-- @param slug_keys    null records nothing. Lists are lines
-- @param clicked_at   before now if the click was delivered late
-- @param daily_clicks how many clicks of the program are stored in a day. Beyond that, all clicks
--   of a partner in a minute are one row, whose id follows from both. Each visit is still counted,
--   like a click that was removed later
create or replace function save_click(click_id text, program uuid, slug_keys text, landing text,
    referring text, sub_value text, is_person boolean, held_ids text, clicked_at timestamptz,
    now timestamptz, daily_clicks bigint)
returns jsonb language plpgsql
security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
    pr        record;
    of_id     uuid;
    wanted    text;
    held      text[] := string_to_array(held_ids, E'\n');
    own       record;
    stands_id text;
    made_at   timestamptz;
    ends_at   timestamptz;
    counts    boolean;
    saved_id  text := click_id;
begin
    select p.workspace_id, p.attribution_days, p.attribution into pr from programs p
        where p.id = program;
    if not found then return null; end if;

    foreach wanted in array coalesce(string_to_array(slug_keys, E'\n'), '{}') loop
        select pa.id into of_id from partners pa
        where pa.program_id = program and pa.slug_key = wanted and pa.status = 'approved'
          -- repeated condition
          and (pa.program_id, pa.slug_key) >= (program, wanted);
        exit when found;
        select pa.id into of_id from links l join partners pa on pa.id = l.partner_id
        where l.program_id = program and l.slug_key = wanted and pa.status = 'approved';
        exit when found;
    end loop;

    if held is not null then
        for own in
            select c.id, c.created_at, c.expires_at, c.expires_at > now
                and pa.status = 'approved' as counts
            from clicks c join partners pa on pa.id = c.partner_id
            where c.workspace_id = pr.workspace_id and c.id = any(held) and pa.program_id = program
            order by c.created_at, c.id
        loop
            held := array_remove(held, own.id);
            if own.counts then
                stands_id := own.id; made_at := own.created_at; ends_at := own.expires_at;
            end if;
        end loop;
    end if;

    if of_id is not null then
        counts := is_person and not exists (
            select from clicks c
            where c.workspace_id = pr.workspace_id and c.id = any(string_to_array(held_ids, E'\n'))
                and c.partner_id = of_id
              and c.created_at > clicked_at - interval '30 minutes');
        if exists (select from click_budgets b where b.program_id = program and b.day = utc_day(now)
            and b.clicks >= daily_clicks) then
            saved_id := 'clk_' || left(encode(sha256(convert_to(
                of_id || to_char(clicked_at at time zone 'UTC', 'YYYYMMDDHH24MI'), 'UTF8')), 'hex'),
                    24);
            insert into clicks (id, workspace_id, partner_id, created_at, expires_at, is_counted)
            values (saved_id, pr.workspace_id, of_id, clicked_at,
                clicked_at + pr.attribution_days * interval '24 hours', false)
            on conflict (workspace_id, id) do nothing;
            if counts then
                insert into total_deltas (workspace_id, partner_id, day, page, referrer, slug_key,
                    sub, clicks, ended_clicks)
                values (pr.workspace_id, of_id, utc_day(clicked_at), page_of(landing),
                    referrer_of(saved_id, referring), wanted,
                        sub_value, 1, 1);
            end if;
        else
            insert into clicks (id, workspace_id, partner_id, slug_key, landing_url, referrer, sub,
                created_at, expires_at, is_counted)
            values (click_id, pr.workspace_id, of_id, wanted, landing, referring, sub_value,
                clicked_at,
                    clicked_at + pr.attribution_days * interval '24 hours', counts)
            on conflict (workspace_id, id) do nothing;
            -- One click in 64 counts 64, so that concurrent clicks rarely wait for this row.
            if found and hashtext(click_id) & 63 = 0 then
                insert into click_budgets as b (program_id, workspace_id, day, clicks)
                values (program, pr.workspace_id, utc_day(now), 64)
                on conflict (program_id) do update
                set day = excluded.day, clicks = excluded.clicks + case when b.day = excluded.day
                    then b.clicks else 0 end;
            end if;
        end if;
        if stands_id is null or pr.attribution = 'last' and made_at <= clicked_at then
            stands_id := saved_id; ends_at := clicked_at
                + pr.attribution_days * interval '24 hours';
        end if;
    end if;
    if stands_id is null then return null; end if;
    return jsonb_build_object('id', stands_id, 'expiresAt', ends_at, 'others',
        to_jsonb(coalesce(held, '{}')), 'othersExpireAt',
        case when cardinality(held) > 0 then (
            select max(c.expires_at) from clicks c
                where c.workspace_id = pr.workspace_id and c.id = any(held)) end);
end $$;

-- Notes a visit of a program, which may not exist.
-- @param refusal       why it was refused; null if it was not
-- @param its_parameter the parameter of the slug, if it is not `via`. A visit of the merchant's
--   site with it shows that the tag reads it
create or replace function note_visit(program uuid, refusal text, its_slug text, its_page text,
    had_click boolean, its_parameter text, seen_at timestamptz) returns void
language plpgsql
security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
    workspace  uuid;
    site       text;   -- the host, without www.
    today      date := utc_day(seen_at);
begin
    select p.workspace_id,
        regexp_replace(lower(substring(p.site_url from '^https?://([^/?#:]+)')), '^www\.', '')
    into workspace, site from programs p where p.id = program;
    if not found then return; end if;
    if refusal is null then
        insert into last_visits as v (program_id, workspace_id, at, slug, page, kept_at)
        values (program, workspace, seen_at, its_slug, its_page, case when had_click
            then seen_at end)
        on conflict (program_id) do update
            set at = greatest(v.at, excluded.at), slug = excluded.slug, page = excluded.page,
                kept_at = coalesce(excluded.kept_at, v.kept_at);
        if its_parameter is not null
            and right('.' || lower(substring(its_page from '^https?://([^/?#:]+)')),
            length(site) + 1) = '.' || site
           and not exists (select from link_forms f
               where f.program_id = program and f.form = '?' || its_parameter)
           and (select count(*) from link_forms f where f.program_id = program) < 50 then
            insert into link_forms (program_id, workspace_id, form, works, confirmed_at)
            values (program, workspace, '?' || its_parameter, true, seen_at)
            on conflict do nothing;
        end if;
        return;
    end if;
    if not exists (select from refused_visits r where r.program_id = program and r.day = today
        and r.reason = refusal
                                                  and r.slug = its_slug
                                                      and r.page = coalesce(its_page, ''))
       and (select count(*) from refused_visits r
           where r.program_id = program and r.day = today) >= 200 then
        its_slug := '';
        its_page := '';
    end if;
    insert into refused_visits as r (program_id, workspace_id, day, reason, slug, page, last_at)
    values (program, workspace, today, refusal, its_slug, coalesce(its_page, ''), seen_at)
    on conflict (program_id, day, reason, slug, page) do update
        set visits = r.visits + 1, last_at = greatest(r.last_at, excluded.last_at);
end $$;

-- Whether an API key may pass on clicks of a program, and say which address each came from.
create or replace function may_pass_on(api_key_hash text, program uuid, now timestamptz)
    returns boolean language plpgsql stable
security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
    workspace uuid;
begin
    select k.workspace_id into workspace from api_keys k
    where k.key_hash = api_key_hash and 'clicks' = any (k.scopes) and k.revoked_at is null
        and coalesce(k.expires_at > now, true);
    return found
        and exists (select from programs p where p.id = program and p.workspace_id = workspace);
end $$;

-- Serializes the sales that came with a click, by a report and by a payment processor. The first
-- lock of a transaction, so that no two transactions wait for each other.
create or replace function lock_click(workspace uuid, click text) returns void language plpgsql
    as $$
begin
    perform pg_advisory_xact_lock(hashtextextended(workspace || ' click ' || click, 0));
end $$;

-- Removes clicks that expired so many days ago and that no event names. Totals keep counting them.
-- Checks each click once, oldest first, and returns how many it has checked: less than the limit if
-- none are left. Concurrent calls return 0. A concurrent event that names a removed click waits,
-- and fails: its caller retries.
create or replace function end_clicks(kept_days integer, most integer) returns integer
    language plpgsql
security definer set search_path = public, pg_temp
set plan_cache_mode = force_custom_plan as $$
declare
    progress click_retention;
    chosen   tid[];
    seen     integer;
    last_at  timestamptz;
    last_id  text;
begin
    select * into progress from click_retention for update skip locked;
    if not found then return 0; end if;

    select array_agg(c.ctid), count(*), max(c.expires_at),
        (array_agg(c.id order by c.expires_at desc, c.id desc))[1]
    into chosen, seen, last_at, last_id
    from (
        select ctid, expires_at, id from clicks
        where (expires_at, id) > (progress.checked_until, progress.checked_id)
          and expires_at < now() - make_interval(days => kept_days)
        order by expires_at, id limit most for update) c;
    if seen = 0 then return 0; end if;

    delete from clicks c
    where c.ctid = any (chosen)
      and not exists (select from events e
          where e.workspace_id = c.workspace_id and e.click_id = c.id);
    update click_retention set checked_until = last_at, checked_id = last_id;
    return seen;
end $$;

-- Whether fold_totals or end_clicks has something to do. The cron asks this first, so that the
-- database of an idle installation can sleep.
create or replace function upkeep_is_due(kept_days integer) returns boolean language sql stable
security definer set search_path = public, pg_temp as $$
    select exists (select from total_deltas)
        or exists (select from balance_cutoffs where next_at <= now())
        or exists (select from clicks c, click_retention r
                   where (c.expires_at, c.id) > (r.checked_until, r.checked_id)
                     and c.expires_at < now() - make_interval(days => kept_days))
$$;
