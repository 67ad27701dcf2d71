-- Visits: what the snippet sends. Clicks, their daily budgets, and when they expire.

-- Where the links of an earlier platform have the slug, and whether such links still credit
-- partners: see lib/imports/partners/former-links.ts. A manager says so, or a visit by one that the
-- merchant's site has sent.
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

-- How many clicks of a program were stored on the newest day that has any, counted in steps of 64:
-- save_click limits them.
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
    -- of the newest one whose browser had a click of an earlier one
    kept_at       timestamptz,
    constraint last_visits_program_id_fkey foreign key (workspace_id, program_id)
        references programs (workspace_id, id)
);

-- Visits that were refused, by day. Of a program, 200 kinds a day are counted on their own, and the
-- others without slug and page.
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

-- How far end_clicks has come.
create table click_retention (
    checked_until  timestamptz  not null,   -- of clicks that expire then, up to checked_id
    checked_id     text         not null
);

insert into click_retention values ('-infinity', '');


-- Functions and triggers.

-- Records a visit through an active partner's link, main or further: the first of slug_keys that is
-- one. Returns the click that the visitor has of the program from then on, when it expires, and the
-- visitor's clicks of other programs with their latest expiry; null if there is none. held_ids are
-- the clicks that the visitor has so far, of any program: the program's newest that still counts
-- stands against a visit of an earlier time, and against any visit where the first click is
-- credited. Without slugs nothing is recorded. clicked_at is before now for a click that could not
-- be delivered at once. Lists are lines. May be repeated after a commit that was not seen.
-- daily_clicks is how many clicks of the program are stored in a day. Beyond it, one click stands
-- for all of a partner's in a minute: it credits the partner, and is found by an id that follows
-- from both. Each visit is counted, as a click that was removed since.
create or replace function save_click(click_id text, program uuid, slug_keys text, landing text,
    referring text, sub_value text, is_person boolean,
                             held_ids text, clicked_at timestamptz, now timestamptz,
                                 daily_clicks bigint)
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
            -- One of 64 clicks counts all of them, so that concurrent ones rarely wait for each
            -- other.
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

-- Notes a visit of a program, which may not exist. @param refusal why it was refused; null if it
-- was not. @param its_parameter where its link had the slug, if that is not `via`: on the
-- merchant's site, it shows that the tag reads it
create or replace function note_visit(program uuid, refusal text, its_slug text, its_page text,
    had_click boolean, its_parameter text,
                             seen_at timestamptz) returns void
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

-- Serializes the sales that came with a click, by a report and by a payment processor. A
-- transaction takes it before all other locks: whoever waits for it holds none that its holder may
-- want.
create or replace function lock_click(workspace uuid, click text) returns void language plpgsql
    as $$
begin
    perform pg_advisory_xact_lock(hashtextextended(workspace || ' click ' || click, 0));
end $$;

-- Removes clicks that expired so many days ago, unless an event names them: those are kept, and not
-- looked at again. Looks at the next ones of all workspaces, oldest first, and returns how many it
-- has looked at: the caller repeats it until that is less than the limit. Of concurrent calls one
-- works, and the others return 0. Totals keep counting them.
--
-- An event that is inserted concurrently waits for this, and fails if it names a removed click: the
-- caller decides again.
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

-- Whether fold_totals or end_clicks would find something: what the cron asks first, so that an idle
-- installation stays idle.
create or replace function upkeep_is_due(kept_days integer) returns boolean language sql stable
security definer set search_path = public, pg_temp as $$
    select exists (select from total_deltas)
        or exists (select from balance_cutoffs where next_at <= now())
        or exists (select from clicks c, click_retention r
                   where (c.expires_at, c.id) > (r.checked_until, r.checked_id)
                     and c.expires_at < now() - make_interval(days => kept_days))
$$;
