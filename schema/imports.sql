-- Imports of partners and customers. Lists are texts of one line per row, the cheapest form to send
-- and to read: no value has a line break, and a tab is null.

-- A call of an import and its answer, with the result of each row. It is written with the rows, so
-- a repeat gets the same answer. The audit log has the caller, time and options.
create table import_calls (
    audit_id      uuid  primary key
        constraint import_calls_audit_id_fkey references audit_entries (id),
    workspace_id  uuid  not null
        constraint import_calls_workspace_id_fkey references workspaces (id),
    -- names the import of several calls, if the caller sends it; otherwise audit_id
    import_id     uuid  not null,
    hash          text  not null,   -- SHA-256 of the endpoint and the body
    answer        jsonb not null,                 -- see import_results
    made          uuid[] not null default '{}',   -- the partners or customers that it has created
    -- of the created partners, as in the answer
    made_emails   text[] not null default '{}',
    made_slugs    text[] not null default '{}',   -- likewise
    -- the changed customers as before: [{id, email, importedAt, startedAt, startedProgramId,
    -- prior}]
    former        jsonb not null default '[]',

    -- What was answered to this call?
    constraint import_calls_workspace_id_import_id_hash_key unique (workspace_id, import_id, hash)
);

-- Which imports are the newest?
create index import_calls_workspace_id_idx on import_calls (workspace_id, audit_id);

-- An import that undo_import has undone: further calls of it are refused.
create table undone_imports (
    workspace_id  uuid         not null
        constraint undone_imports_workspace_id_fkey references workspaces (id),
    import_id     uuid         not null,
    undone_at     timestamptz  not null,
    -- {partners, customers, balances, amountCents, mails}
    undone        jsonb        not null,

    constraint undone_imports_pkey primary key (workspace_id, import_id)
);

-- A source: another platform that is read by its API (docs/imports.md). For an import, its rows
-- wait in import_source_rows. For a shadow run, its commissions go to platform_commissions. The
-- token is encrypted, and deleted once everything is read or the source has failed. Reading
-- continues at `resource` and `cursor`, also after a failure, once a manager enters the token
-- again. A source is due at next_attempt_at, which is the end of the lease while a Worker reads.
create table import_sources (
    id               uuid         primary key,
    workspace_id     uuid         not null,
    program_id       uuid         not null,
    purpose          text         not null
        constraint import_sources_purpose_check check (purpose in ('import', 'shadow')),
    platform         text         not null
        constraint import_sources_platform_check
            check (platform in ('rewardful', 'tolt', 'firstpromoter', 'dub')),
    -- the account or program at the platform, if it needs one
    account          text,
    ciphertext       text,
    -- reading ends when this person is no longer a manager
    started_by       text         not null,
    created_at       timestamptz  not null,             -- or continued after a failure
    resource         text         not null,
    cursor           text,                              -- null for the first page
    -- by list: Progress in lib/imports/sources/progress.ts
    progress         jsonb        not null,
    -- counts leases: a Worker whose lease has ended saves nothing
    version          integer      not null default 0,
    failures         integer      not null default 0,   -- since the last page
    failure          text,                              -- the last one
    next_attempt_at  timestamptz  not null,
    lease_id         uuid,                              -- the last one
    read_at          timestamptz,
    failed_at        timestamptz,

    -- Two sources of one program would be imported twice.
    constraint import_sources_program_id_purpose_key unique (program_id, purpose),
    constraint import_sources_program_id_fkey foreign key (workspace_id, program_id)
        references programs (workspace_id, id),
    constraint import_sources_outcome_check check (read_at is null or failed_at is null),
    constraint import_sources_ciphertext_check
        check ((ciphertext is null) = (read_at is not null or failed_at is not null))
);

-- Which sources are due?
create index import_sources_due_idx on import_sources (next_attempt_at)
    where ciphertext is not null;

-- Which sources does a workspace have?
create index import_sources_workspace_id_idx on import_sources (workspace_id, id);

-- A row of a source: SourceRow in lib/imports/sources/source-rows.ts. A row that is read twice is
-- stored once. Rows are deleted with their source, at the latest 7 days after reading. For a shadow
-- run, they are those that could not be read. Rows of the resource `history` are HistoryEntry in
-- lib/imports/sources/history/history.ts: what each commission adds to the row of its customer,
-- until all commissions are read.
create table import_source_rows (
    source_id     uuid   not null
        constraint import_source_rows_source_id_fkey references import_sources (id)
            on delete cascade,
    workspace_id  uuid   not null
        constraint import_source_rows_workspace_id_fkey references workspaces (id),
    resource      text   not null,
    row_id        text   not null,   -- the platform's
    row           jsonb  not null,

    constraint import_source_rows_pkey primary key (source_id, resource, row_id)
);

-- Which rows may name a person of this workspace?
create index import_source_rows_workspace_id_idx on import_source_rows (workspace_id);


-- Functions and triggers.

-- Whether an import was undone. To save a call, ask under one of the locks of undo_import.
create or replace function import_is_undone(workspace uuid, import uuid) returns boolean
    language plpgsql stable as $$
begin
    return exists (select from undone_imports u
        where u.workspace_id = workspace and u.import_id = import);
end $$;

-- The first statement of a call of a customer import: undos wait for the end of the transaction.
-- Raises TR001 if this import was undone.
create or replace function begin_customer_import(workspace uuid, import uuid) returns void
    language plpgsql as $$
begin
    perform pg_advisory_xact_lock_shared(hashtextextended(workspace || ' undo', 0));
    perform assert_unchanged(not import_is_undone(workspace, import));
end $$;

-- The result of each row of a call, in order. Most results only say that a partner was created with
-- a slug. The answer then has a number instead, the partner's place in the two lists, which takes a
-- tenth of the time of JSON. Of these, result is null.
create or replace function import_results(answer jsonb, made_emails text[], made_slugs text[])
returns table (n bigint, result jsonb, email text, slug text) language plpgsql immutable as $$
begin
    return query
    select r.n, case when r.made is null then r.result end, made_emails[r.made], made_slugs[r.made]
    from (
        select e.n, e.result,
            case when jsonb_typeof(e.result) = 'number' then e.result::integer end as made
        from jsonb_array_elements(answer -> 'results') with ordinality as e (result, n)) r;
end $$;

-- Loads PartnerImportFacts (lib/imports/partners/partner-import.ts) with the workspace and the
-- program; null if the person is not a member. A former address finds its partner, unless somebody
-- else has it now. balance_emails are of rows with an opening balance. For them, the result has
-- what other programs owe, and this program's partners without an opening balance: the main slug,
-- or null if banned. A repeated call gets its answer instead. If the import was undone, both are
-- absent.
create or replace function load_partner_import(address text, member_email text, program uuid,
    row_emails text, row_slug_keys text, row_coupons text, balance_emails text, import uuid,
    call_hash text) returns jsonb
language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
    workspace   record;
    target      record;
    emails      text[] := string_to_array(row_emails, E'\n');
    partners    jsonb;
    slug_owners jsonb;
    coupon_owners jsonb;
    balances    jsonb;
    unowed      jsonb;
    answered    record;
begin
    select w.id, w.slug, w.name, m.role into workspace
    from members m join workspaces w on w.id = m.workspace_id
    where m.email = member_email and (w.slug = address or w.id::text = address);
    if not found then return null; end if;

    select pr.id, pr.name, pr.mode, pr.site_url as "siteUrl" into target
    from programs pr where pr.workspace_id = workspace.id and pr.id = program;
    if not found then return jsonb_build_object('workspace', to_jsonb(workspace)); end if;

    if import_is_undone(workspace.id, import) then
        return jsonb_build_object('workspace', to_jsonb(workspace), 'program', to_jsonb(target),
            'isUndone', true);
    end if;
    -- repeated condition
    select c.answer, c.made_emails, c.made_slugs into answered
    from import_calls c
    where c.workspace_id = workspace.id and c.import_id = import and c.hash = call_hash
        and (c.workspace_id, c.import_id, c.hash) >= (workspace.id, import, call_hash);
    if found then
        return jsonb_build_object('workspace', to_jsonb(workspace), 'program', to_jsonb(target),
            'answer', answered.answer || jsonb_build_object('results', (
                select jsonb_agg(coalesce(r.result, jsonb_build_object('email', r.email,
                    'status', 'created', 'slug', r.slug, 'couponMapped', false)) order by r.n)
                from import_results(answered.answer, answered.made_emails,
                    answered.made_slugs) r)));
    end if;

    select jsonb_object_agg(wanted.email, p.slug) into partners
    from unnest(emails) as wanted (email),
         lateral (select slug from partners where program_id = program and email = wanted.email
                    and (program_id, email) >= (program, wanted.email) offset 0) p;

    select coalesce(jsonb_object_agg(a.email, p.slug), '{}') || coalesce(partners, '{}')
    into partners
    from former_partner_addresses a
    join partners p on p.program_id = a.program_id and p.id = a.partner_id
    where a.program_id = program and a.email = any(emails);

    select jsonb_object_agg(wanted.slug_key, p.slug) into slug_owners
    from unnest(string_to_array(row_slug_keys, E'\n')) as wanted (slug_key),
        lateral (
            select slug from partners where program_id = program and slug_key = wanted.slug_key
                and (program_id, slug_key) >= (program, wanted.slug_key)
            union all
            select (select o.slug from partners o where o.id = l.partner_id)
            from links l where l.program_id = program and l.slug_key = wanted.slug_key offset 0) p;

    if row_coupons <> '' then
        select jsonb_object_agg(wanted.coupon_id, p.slug) into coupon_owners
        from unnest(string_to_array(row_coupons, E'\n')) as wanted (coupon_id),
            lateral (select partner_id from coupon_aliases
                where workspace_id = workspace.id and coupon_id = wanted.coupon_id offset 0) c,
            lateral (select case when o.program_id = program then o.slug else '' end as slug
                from partners o where o.id = c.partner_id offset 0) p;
    end if;

    if balance_emails <> '' then
        -- Subqueries look up the balance of one partner each.
        select jsonb_object_agg(o.email, o.cents) into balances
        from (
            select wanted.email, sum(p.cents) as cents
            from (select distinct unnest(string_to_array(balance_emails, E'\n')) as email) wanted,
                lateral (
                    select (select b.amount_cents from commissions b
                        where b.partner_id = e.id and b.kind = 'opening_balance') as cents
                    from (select * from partners where email = wanted.email
                        and workspace_id = workspace.id offset 0) e
                    where e.program_id <> program) p
            group by wanted.email having sum(p.cents) is not null) o;

        select jsonb_object_agg(wanted.email, case when n.status = 'approved' then n.slug end)
        into unowed
        from (select distinct unnest(string_to_array(balance_emails, E'\n')) as email) wanted,
            lateral (
                select * from (
                    select p.id, p.slug, p.status from partners p
                    where p.program_id = program and p.email = wanted.email
                        and (p.program_id, p.email) >= (program, wanted.email)
                    union all
                    select p.id, p.slug, p.status
                    from former_partner_addresses a join partners p on p.id = a.partner_id
                    where a.program_id = program and a.email = wanted.email) found
                limit 1) n
        where (select b.id from commissions b
            where b.partner_id = n.id and b.kind = 'opening_balance') is null;
    end if;

    return jsonb_build_object('workspace', to_jsonb(workspace), 'program', to_jsonb(target),
        'partners', partners, 'slugOwners', slug_owners, 'couponOwners', coupon_owners,
        'balances', balances, 'unowed', unowed);
end $$;

-- Mails all managers, the acting one included, what was made payable by hand, once the day's sum
-- exceeds the program's limit. The sum is the workspace's, in minor units of all currencies, so
-- that it cannot be split. One mail covers five minutes, and is sent a minute later. `made` is a
-- line.
create or replace function mail_manual_earnings(workspace uuid, program uuid, made jsonb,
    now timestamptz) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
    cents  bigint      := made -> 'amountCents';
    today  bigint;
    due_at timestamptz := date_bin('5 minutes', now, 'epoch') + interval '6 minutes';
begin
    if cents <= 0 then return; end if;
    update workspaces w
    set manual_earnings_on = utc_day(now),
        manual_earnings_cents = cents
            + case when w.manual_earnings_on = utc_day(now) then w.manual_earnings_cents else 0 end
    where w.id = workspace returning w.manual_earnings_cents into today;

    insert into mails as m (id, workspace_id, kind, recipient, occasion, details, created_at,
        next_attempt_at)
    select uuidv7(), w.id, 'manual_earnings', o.email,
        format('%s %s', program, to_char(due_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI')),
        jsonb_build_object('workspaceName', w.name, 'programName', g.name,
            'made', jsonb_build_array(made), 'more', 0), now, due_at
    from workspaces w
    join programs g on g.id = program and g.manual_earnings_notice_cents < today
    join members o on o.workspace_id = w.id and o.role = 'manager'
    where w.id = workspace
    order by o.email
    on conflict (workspace_id, recipient, occasion) where kind = 'manual_earnings' do update
        set details = m.details || case when jsonb_array_length(m.details -> 'made') < 20
            then jsonb_build_object('made', (m.details -> 'made') || made)
            else jsonb_build_object('more', (m.details -> 'more')::integer + 1) end;
end $$;

-- Mails all managers, the importer included, that opening balances were imported, because they are
-- payable immediately. An import has many calls: the mail waits for five minutes, and its sums grow
-- until the mailer takes it. Imports by the same manager into the program later that day (UTC) are
-- in a second mail, five minutes after the end of the day. So there are at most two mails a day,
-- and each balance is in one of them.
create or replace function mail_opening_balances(workspace uuid, program uuid, importer text,
    notice jsonb, made integer, cents bigint, now timestamptz)
returns void language plpgsql as $$
declare
    subject      text  := format('%s %s %s', program,
        (select m.id from members m where m.workspace_id = workspace and m.email = importer),
        utc_day(now));
    mail_details jsonb := notice
        || jsonb_build_object('importedBy', importer, 'balances', made, 'amountCents', cents);
begin
    with soon as (
        insert into mails as m (id, workspace_id, kind, recipient, occasion, details, created_at,
            next_attempt_at)
        select uuidv7(), workspace, 'opening_balances', o.email, subject, mail_details, now,
            now + interval '5 minutes'
        from members o where o.workspace_id = workspace and o.role = 'manager'
        order by o.email
        on conflict (workspace_id, recipient, occasion) where kind = 'opening_balances' do update
            set details = m.details || jsonb_build_object(
                'balances', (m.details -> 'balances')::integer + made,
                'amountCents', (m.details -> 'amountCents')::bigint + cents)
            where m.attempts = 0 and m.sent_at is null and m.failed_at is null
        returning m.recipient
    )
    insert into mails as m (id, workspace_id, kind, recipient, occasion, details, created_at,
        next_attempt_at)
    select uuidv7(), workspace, 'opening_balances', o.email, subject || ' later', mail_details, now,
        (utc_day(now) + 1)::timestamp at time zone 'UTC' + interval '5 minutes'
    from members o where o.workspace_id = workspace and o.role = 'manager'
        and o.email not in (select recipient from soon)
    order by o.email
    on conflict (workspace_id, recipient, occasion) where kind = 'opening_balances' do update
        set details = m.details || jsonb_build_object(
            'balances', (m.details -> 'balances')::integer + made,
            'amountCents', (m.details -> 'amountCents')::bigint + cents);
end $$;

-- Creates partners with their links, coupons, opening balances and mails, and the audit entry.
-- further (links), coupons, balances and mails name their partner by its line, n; null creates
-- none. notice has further fields for the mail about opening balances.
--
-- The lock serializes a workspace's imports, which prevents deadlocks. Later statements see what
-- earlier imports committed, and break a unique constraint if an address, slug or coupon is taken.
-- If the audit entry exists, an earlier attempt was committed, and nothing is done.
create or replace function save_partner_import(workspace uuid, program uuid, row_emails text,
    row_names text, row_slugs text, row_slug_keys text, row_former_links text, row_groups text,
    new_groups jsonb, further jsonb, coupons jsonb, balances jsonb, notice jsonb, mails jsonb,
    audit_id uuid, audit_actor text, audit_details jsonb, import uuid, call_hash text,
    answer jsonb, now timestamptz) returns void
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
    emails     text[] := string_to_array(row_emails, E'\n');
    names      text[] := string_to_array(row_names, E'\n', E'\t');
    slugs      text[] := string_to_array(row_slugs, E'\n');
    slug_keys  text[] := string_to_array(row_slug_keys, E'\n');
    -- null if no partner has one
    former     text[] := string_to_array(row_former_links, E'\n', E'\t');
    group_ids  uuid[] := string_to_array(row_groups, E'\n', E'\t');         -- likewise
    id_start   text   := left(uuidv7()::text, -4);
    ids        uuid[];
    owed       jsonb;
begin
    if not cardinality(emails)
        = all(array[cardinality(names), cardinality(slugs), cardinality(slug_keys)]) then
        raise exception 'the lists differ in length';
    end if;
    perform pg_advisory_xact_lock(hashtextextended('partners.import ' || workspace, 0));
    if exists (select from audit_entries a where a.id = audit_id) then return; end if;
    perform assert_unchanged(not import_is_undone(workspace, import));

    -- A partner whose address was changed since the read would be created again. No constraint
    -- covers the other tables.
    perform assert_unchanged(not exists (
        select from former_partner_addresses f
        where f.program_id = program and f.email = any(emails)));
    perform assert_unchanged(not exists (
        select from links l where l.program_id = program and l.slug_key = any(slug_keys)));
    if further is not null then
        perform assert_unchanged(not exists (
            select from jsonb_to_recordset(further) as wanted (key text),
                lateral (select from partners where program_id = program and slug_key = wanted.key
                    and (program_id, slug_key) >= (program, wanted.key) offset 0) p));
    end if;

    if new_groups is not null then
        perform assert_unchanged(not exists (
            select from jsonb_to_recordset(new_groups) as wanted (name text)
            join groups g on g.program_id = program and lower(g.name) = lower(wanted.name)));
        insert into groups (id, workspace_id, program_id, name, created_at)
        select w.id, workspace, program, w.name, now
            from jsonb_to_recordset(new_groups) as w (id uuid, name text);
    end if;

    -- The last four digits count the partners. Random ids would take four times as long.
    ids := array(select (id_start || n)::uuid
        from generate_series(1000, 999 + cardinality(emails)) n);
    insert into partners (id, workspace_id, program_id, group_id, email, name, slug, slug_key,
        former_link, created_at)
    select p.id, workspace, program, p.group_id, p.email, p.name, p.slug, p.slug_key, p.former_link,
        now
    from unnest(ids, emails, names, slugs, slug_keys, former, group_ids)
        as p (id, email, name, slug, slug_key, former_link, group_id)
    where p.id is not null;

    if further is not null then
        insert into links (id, workspace_id, program_id, partner_id, slug, slug_key, created_at)
        select uuidv7(), workspace, program, ids[l.n], l.slug, l.key, now
        from jsonb_to_recordset(further) as l (n integer, slug text, key text);
    end if;
    if coupons is not null then
        insert into coupon_aliases (id, workspace_id, partner_id, coupon_id, label, created_at)
        select uuidv7(), workspace, ids[c.n], c.id, c.label, now
        from jsonb_to_recordset(coupons) as c (n integer, id text, label text);
    end if;
    if balances is not null then
        -- Existing partners are named by the key of their main slug. Another partner may have taken
        -- it since the read, so the address is compared too.
        perform assert_unchanged(not exists (
            select from jsonb_to_recordset(balances) as b (key text, email text)
            where b.key is not null
                and (select p.id from partners p
                    where p.program_id = program and p.slug_key = b.key and p.status = 'approved'
                        and (p.email = b.email
                            or exists (select from former_partner_addresses f
                                where f.email = b.email and f.program_id = program
                                    and f.partner_id = p.id))) is null));
        with made as (
            insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents,
                currency, payable_at, created_at)
            select uuidv7(), workspace, program,
                coalesce(ids[b.n], (select p.id from partners p
                    where p.program_id = program and p.slug_key = b.key)),
                'opening_balance', b.cents, 'USD', now, now
            from jsonb_to_recordset(balances) as b (n integer, key text, cents bigint)
            returning id, amount_cents
        )
        select jsonb_build_object('count', count(*), 'ids', jsonb_agg(id), 'sums',
            jsonb_build_array(jsonb_build_object(
                'currency', 'USD', 'amountCents', sum(amount_cents))))
        into owed from made;
        audit_details := audit_details || jsonb_build_object('openingBalances', owed);
        perform mail_opening_balances(workspace, program, audit_actor, notice,
            (owed -> 'count')::integer, (owed #> '{sums,0,amountCents}')::bigint, now);
    end if;
    if mails is not null then
        insert into mails (id, workspace_id, kind, recipient, partner_id, details, created_at,
            next_attempt_at)
        select uuidv7(), workspace, 'moved', emails[m.n], ids[m.n], m.details, now, now
        from jsonb_to_recordset(mails) as m (n integer, details jsonb);
    end if;

    insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
    values (audit_id, workspace, audit_actor, 'partners.imported', program, audit_details, now);
    insert into import_calls (audit_id, workspace_id, import_id, hash, answer, made, made_emails,
        made_slugs)
    values (audit_id, workspace, import, call_hash, answer, ids, emails, slugs);
end $$;

-- Loads and saves in one call: creates the partners if the person has this role and no address,
-- slug or coupon is taken. Returns what was loaded, and whether the partners are saved, now or by
-- an earlier attempt. Constraints find what is taken. It is looked up only then, because most
-- imports are of new partners.
create or replace function import_partners(address text, member_email text, needed_role text,
    program uuid, row_emails text, row_names text, row_slugs text, row_slug_keys text,
    row_former_links text, further jsonb, coupon_ids text, coupons jsonb, audit_id uuid,
    audit_details jsonb, import uuid, call_hash text, answer jsonb, now timestamptz) returns jsonb
language plpgsql as $$
declare
    loaded jsonb := load_partner_import(address, member_email, program, '', '', '', '', import,
        call_hash);
begin
    if loaded #>> '{workspace,role}' is not distinct from needed_role
        and loaded -> 'program' is not null and loaded -> 'answer' is null
        and loaded -> 'isUndone' is null then
        perform save_partner_import((loaded #>> '{workspace,id}')::uuid, program, row_emails,
            row_names, row_slugs, row_slug_keys, row_former_links, null, null, further, coupons,
            null, null, null, audit_id, member_email, audit_details, import, call_hash, answer,
            now);
        loaded := loaded || '{"isSaved": true}';
    end if;
    return loaded;
exception when unique_violation or sqlstate 'TR001' then
    loaded := load_partner_import(
        address, member_email, program, row_emails,
        concat_ws(E'\n', row_slug_keys,
            (select string_agg(key, E'\n') from jsonb_to_recordset(further) as l (key text))),
        coupon_ids, '', import, call_hash);
    if loaded -> 'partners' = '{}' and loaded -> 'slugOwners' = 'null'
        and loaded -> 'couponOwners' = 'null' then raise; end if;
    return loaded || '{"isSaved": false}';
end $$;

-- Makes payouts of transfers that the database has lost, oldest first. If the partner's payable
-- balance at the cutoff is exactly the amount of the transfer, the payout pays that balance. If
-- not, it pays an adjustment of the amount, and a second adjustment deducts the amount from the
-- partner's balance. Open payouts to the partner in the currency are canceled, because they may pay
-- the same. The caller holds the lock of the workspace's payouts.
create or replace function adopt_transfers(workspace uuid, at timestamptz, most integer)
returns table (payout_id uuid, transfer_id text, is_deducted boolean) language plpgsql as $$
#variable_conflict use_column
declare
    u        unknown_transfers%rowtype;
    partner  record;
    run      uuid;
    due      record;
    added    uuid;
    taken    uuid;
begin
    for u in select * from unknown_transfers t where t.workspace_id = workspace
             order by t.created_at, t.transfer_id loop
        exit when most <= 0;
        -- By id or, if the partner was imported again since, by address.
        select p.id, p.program_id, p.email, p.is_test into partner from partners p
        where p.workspace_id = workspace and p.id = u.partner_id;
        if partner.id is null then
            select p.id, p.program_id, p.email, p.is_test into partner from partners p
            where p.workspace_id = workspace and p.email = u.partner_email and p.undone_at is null
              and p.program_id = coalesce(u.program_id, p.program_id)
              and not exists (select from partners o
                    where o.workspace_id = workspace and o.email = u.partner_email
                        and o.undone_at is null and o.id <> p.id
                        and o.program_id = coalesce(u.program_id, o.program_id));
        end if;
        continue when partner.id is null or partner.is_test or exists (
            select from programs g where g.id = partner.program_id and g.mode = 'shadow');
        -- Skips accounts that are not read yet.
        continue when u.account_read_at is null and not exists (
            select from payout_accounts a
            where a.workspace_id = workspace and a.stripe_account_id = u.stripe_account_id);
        continue when exists (select from payouts p where p.id = u.payout_id);

        insert into payout_accounts (id, workspace_id, email, country, stripe_account_id,
            created_at, disconnected_at)
        values (uuidv7(), workspace, partner.email, coalesce(u.country, 'XX'), u.stripe_account_id,
            u.created_at, at)
        on conflict (workspace_id, stripe_account_id) do nothing;

        run := u.payout_id;
        if not exists (
            select from payout_runs r where r.id = u.run_id
                and ((r.workspace_id, r.created_by) is distinct from (workspace, 'Stripe')
                    or exists (select from payouts p where p.run_id = r.id
                        and p.partner_id = partner.id and p.currency = u.currency))) then
            run := coalesce(u.run_id, u.payout_id);
        end if;
        insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at, cover,
            claimed_at)
        values (run, workspace, 'stripe', u.cutoff_at, 'Stripe', u.created_at, '{}', at)
        on conflict (id) do nothing;
        continue when not exists (
            select from payout_runs r where r.workspace_id = workspace and r.id = run);

        with canceled as (
            update payouts p
            set cancel_requested_at = at, next_attempt_at = at,
                claimed_at = coalesce(p.claimed_at, at),
                canceled_at = case when p.key_used_at is null then at end,
                is_freeing = p.key_used_at is null
            where p.workspace_id = workspace and p.partner_id = partner.id
                and p.currency = u.currency and p.paid_at is null and p.failed_at is null
                and p.cancel_requested_at is null and p.stripe_account_id is not null
            returning p.id, p.amount_cents, p.currency
        )
        insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
        select uuidv7(), workspace, 'Stripe', 'payout.canceled', c.id,
            jsonb_build_object('amountCents', c.amount_cents, 'currency', c.currency), at
        from canceled c;

        insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency,
            amount_cents, stripe_account_id, created_at, claimed_at, key_used_at, next_attempt_at,
            attempts)
        values (u.payout_id, workspace, run, partner.program_id, partner.id, u.currency,
            u.amount_cents, u.stripe_account_id, u.created_at, at, u.created_at, at, 1);

        select coalesce(sum(c.amount_cents), 0) as cents, count(*) as count, array_agg(c.id) as ids
        into due
        from (
            select c.id, c.amount_cents from commissions c
            where c.partner_id = partner.id and c.payable_at <= u.cutoff_at
                and c.payout_id is null and c.currency = u.currency and not exists (
                    select from commission_holds h
                    where h.commission_id = coalesce(c.reverses_id, c.id) and h.resolved_at is null)
            limit 5001) c;
        if due.cents = u.amount_cents and due.count <= 5000 then
            update commissions c set payout_id = u.payout_id where c.id = any (due.ids);
        else
            added := uuidv7();
            taken := uuidv7();
            insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents,
                currency, payable_at, created_at)
            values
                (added, workspace, partner.program_id, partner.id, 'adjustment', u.amount_cents,
                    u.currency, u.cutoff_at, at),
                (taken, workspace, partner.program_id, partner.id, 'adjustment', -u.amount_cents,
                    u.currency, at, at);
            insert into adjustments (commission_id, workspace_id, external_id, reason, created_by,
                body_hash)
            values
                (added, workspace, 'transfer ' || u.transfer_id || ' paid',
                    'Paid by the transfer ' || u.transfer_id, 'Stripe', ''),
                (taken, workspace, 'transfer ' || u.transfer_id || ' deducted',
                    'Paid already by the transfer ' || u.transfer_id, 'Stripe', '');
            update commissions c set payout_id = u.payout_id where c.id = added;
        end if;

        update payouts p
        set paid_at = u.created_at, transfer_id = u.transfer_id,
            reversed_cents = least(u.reversed_cents, p.amount_cents),
            reversed_at = case when u.reversed_cents > 0 then at end
        where p.id = u.payout_id;
        delete from unknown_transfers t
            where t.workspace_id = workspace and t.transfer_id = u.transfer_id;
        insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
        values (uuidv7(), workspace, 'Stripe', 'payout.adopted', u.payout_id,
            jsonb_build_object('transferId', u.transfer_id, 'amountCents', u.amount_cents,
                'currency', u.currency, 'isDeducted', added is not null), at);
        insert into payout_run_notices (workspace_id, run_id, reason, created_at)
        values (workspace, run, 'adopted', at)
        on conflict on constraint payout_run_notices_pkey do update set mailed_at = null;
        payout_id := u.payout_id;
        transfer_id := u.transfer_id;
        is_deducted := added is not null;
        added := null;
        most := most - 1;
        return next;
    end loop;
end $$;
