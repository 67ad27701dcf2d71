-- Erasure of people and of workspaces.

-- The workspaces that were deleted, and by whom. One row is enough to keep sign-up closed.
create table deleted_workspaces (
    id          uuid         primary key,
    slug        text         not null,
    deleted_by  text         not null,      -- the address of the manager who scheduled it
    deleted_at  timestamptz  not null
);

-- Invoices and credit notes of deleted workspaces, which the law makes people keep:
-- docs/privacy.md. No Worker reads them.
create table kept_documents (
    id              uuid         primary key,   -- of the invoice or credit note
    workspace_id    uuid         not null,
    workspace_name  text         not null,
    kind            text         not null
        constraint kept_documents_kind_check check (kind in ('invoice', 'credit_note')),
    document        jsonb        not null,
    issued_at       timestamptz  not null,
    keep_until      date         not null
);

-- Which are to be removed?
create index kept_documents_keep_until_idx on kept_documents (keep_until);


-- Functions and triggers.

-- An erasure replaces each of `texts` by the one at its place in `by_texts`. The functions below do
-- so in values of several kinds.

-- A value that is one of them, or a key of the merchant's with one (lib/rules/purchases/facts.ts).
create or replace function erase_text(value text, texts text[], by_texts text[]) returns text
    language sql immutable as $$
    select coalesce(by_texts[array_position(texts, value)],
                    'report:' || by_texts[array_position(texts, case when value like 'report:%'
                        then substr(value, 8) end)], value)
$$;

-- Each value of a list.
create or replace function erase_list(list text[], texts text[], by_texts text[]) returns text[]
    language sql immutable as $$
    select array(select erase_text(u.value, texts, by_texts)
        from unnest(list) with ordinality u (value, n) order by u.n)
$$;

-- All values in JSON.
create or replace function erase_texts(doc jsonb, texts text[], by_texts text[]) returns jsonb
    language plpgsql immutable as $$
declare
    result text := doc::text;
begin
    for n in 1 .. coalesce(cardinality(texts), 0) loop
        result := replace(replace(result, to_jsonb(texts[n])::text, to_jsonb(by_texts[n])::text),
            to_jsonb('report:' || texts[n])::text, to_jsonb('report:' || by_texts[n])::text);
    end loop;
    return result::jsonb;
end $$;

-- Wherever a text mentions them, in any case: "Ask Ann@x.example." An address that only begins or
-- ends like one of them stays.
create or replace function erase_mentions(value text, texts text[], by_texts text[]) returns text
    language plpgsql immutable as $$
begin
    for n in 1 .. coalesce(cardinality(texts), 0) loop
        if strpos(lower(value), lower(texts[n])) > 0 then
            value := regexp_replace(
                value,
                '(?<![[:alnum:]_.+-])' || regexp_replace(texts[n], '([^[:alnum:]])', '\\\1', 'g')
                    || '(?![[:alnum:]_-]|\.[[:alnum:]])',
                by_texts[n], 'gi');
        end if;
    end loop;
    return value;
end $$;

-- Wherever a value in JSON mentions them.
create or replace function erase_mentions_in(doc jsonb, texts text[], by_texts text[]) returns jsonb
    language plpgsql immutable as $$
begin
    if not exists (select from unnest(texts) t
        where strpos(lower(doc::text), lower(trim(both '"' from to_jsonb(t)::text))) > 0) then
        return doc;
    end if;
    return case jsonb_typeof(doc)
        when 'string' then to_jsonb(erase_mentions(doc #>> '{}', texts, by_texts))
        when 'array'
            then (select jsonb_agg(erase_mentions_in(e.value, texts, by_texts) order by e.n)
                            from jsonb_array_elements(doc) with ordinality as e (value, n))
        when 'object'
            then (select jsonb_object_agg(e.key, erase_mentions_in(e.value, texts, by_texts))
            from jsonb_each(doc) e)
        else doc
    end;
end $$;

-- Replaces addresses in what managers and applicants of a workspace have written: reasons, notes,
-- messages and applications. The audit log has the reasons too, and names the rows that have them.
create or replace function erase_from_texts(workspace uuid, texts text[], by_texts text[])
    returns void
language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
    -- what these entries are about, with the events of commissions, and all commissions of these
    about  uuid[];
begin
    update adjustments a set reason = erase_mentions(a.reason, texts, by_texts)
    where a.workspace_id = workspace and erase_mentions(a.reason, texts, by_texts) <> a.reason;

    about := array(select distinct o.subject_id from audit_entries o
                   where o.workspace_id = workspace and o.subject_id is not null
                     and erase_mentions_in(o.details, texts, by_texts) <> o.details);
    about := about || array(select c.event_id from commissions c
                            where c.workspace_id = workspace and c.id = any(about)
                                and c.event_id is not null);
    about := about
        || array(select c.id from commissions c
        where c.workspace_id = workspace and c.event_id = any(about));
    update events e
    set steps = erase_mentions_in(e.steps, texts, by_texts),
        requested = erase_mentions_in(e.requested, texts, by_texts),
        revision = e.revision + 1
    where e.workspace_id = workspace and e.id = any(about)
      and (erase_mentions_in(e.steps, texts, by_texts),
          erase_mentions_in(e.requested, texts, by_texts))
          is distinct from (e.steps, e.requested);
    update commission_holds h set note = erase_mentions(h.note, texts, by_texts)
    where h.workspace_id = workspace and h.commission_id = any(about);
    -- What is still to be sent is made anew.
    update webhook_events w set payload = null
    where w.workspace_id = workspace and w.subject_id = any(about)
      and erase_mentions_in(w.payload::jsonb, texts, by_texts) <> w.payload::jsonb;
    update payouts p
    set resolution_reason = left(erase_mentions(p.resolution_reason, texts, by_texts), 500),
        return_reason = left(erase_mentions(p.return_reason, texts, by_texts), 500)
    where p.workspace_id = workspace and p.id = any(about);

    update partner_notes n set content = left(erase_mentions(n.content, texts, by_texts), 2000)
    where n.workspace_id = workspace
      and n.partner_id
          in (select o.subject_id from audit_entries o
          where o.workspace_id = workspace and o.action = 'note.added')
      and erase_mentions(n.content, texts, by_texts) <> n.content;
    update mails m set details = erase_mentions_in(m.details, texts, by_texts)
    where m.workspace_id = workspace and erase_mentions_in(m.details, texts, by_texts) <> m.details;
    update mailings m
    set subject = erase_mentions(m.subject, texts, by_texts),
        content = erase_mentions(m.content, texts, by_texts)
    where m.workspace_id = workspace
      and (erase_mentions(m.subject, texts, by_texts),
          erase_mentions(m.content, texts, by_texts)) <> (m.subject, m.content);
    update applications a
    set promotion = erase_mentions(a.promotion, texts, by_texts),
        answers = erase_mentions_in(a.answers, texts, by_texts),
        reason = erase_mentions(a.reason, texts, by_texts)
    where a.workspace_id = workspace
      and (erase_mentions(a.promotion, texts, by_texts),
          erase_mentions_in(a.answers, texts, by_texts),
           erase_mentions(a.reason, texts, by_texts)) is distinct
               from (a.promotion, a.answers, a.reason);
end $$;

-- Replaces addresses in the audit log of a workspace, and in what people have written in it, for an
-- erasure: the only way to change an entry. subjects are the ids of an erased partner, whose name
-- goes too; none for a customer.
--
-- An erased partner is removed as the actor of each entry. But a present or former member of the
-- workspace stays the actor, except of what only partners do, and entries about members stay as
-- they are: an erasure must not hide who had access to money.
create or replace function erase_from_audit(workspace uuid, subjects uuid[], texts text[],
    by_texts text[]) returns void
language plpgsql security definer set search_path = public, pg_temp as $$
declare
    is_partner  constant boolean := cardinality(subjects) > 0;
    was_member  boolean;
begin
    if exists (select from unnest(by_texts) t where t not like 'erased-%') then
        raise exception 'an erasure replaces addresses by "erased-..." only';
    end if;
    was_member := exists (select from members m
        where m.workspace_id = workspace and m.email = any(texts))
        or exists (select from audit_entries o
                   where o.workspace_id = workspace
                       and (o.action like 'member.%' or o.action = 'workspace.created')
                     and texts && array[o.actor, o.details ->> 'email', o.details ->> 'from',
                         o.details ->> 'to']);
    perform set_config('tributary.erases_texts', 'on', true);
    perform erase_from_texts(workspace, texts, by_texts);
    update audit_entries a set actor = e.actor, details = e.details
    from (select o.id,
                 case when is_partner
                       and (not was_member or o.action like 'payout\_account.%'
                           or o.action like 'payment\_details.%'
                            or o.action in ('payee.changed', 'partner.address_changed',
                                'partner.unsubscribed',
                                            'partner.subscribed'))
                      then erase_text(o.actor, texts, by_texts) else o.actor end as actor,
                 erase_mentions_in(case when o.subject_id = any(subjects)
                     then o.details - 'name' else o.details end,
                                texts, by_texts) as details
          from audit_entries o where o.workspace_id = workspace and o.action not like 'member.%') e
    where a.id = e.id and (a.actor, a.details) is distinct from (e.actor, e.details);
    perform set_config('tributary.erases_texts', 'off', true);
end $$;

-- Erases how a person was paid, and disconnects the person's accounts.
create or replace function erase_payment(workspace uuid, address text, marker text,
    now timestamptz) returns void language sql
security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
    update payment_details
    set email = marker, ciphertext = case when ciphertext is null then null else 'erased' end,
        masked = case when masked is null then null else 'erased' end
    where workspace_id = workspace and email = address;
    -- Two statements, because each has its own index.
    update payout_accounts set email = marker where workspace_id = workspace and email = address
        and disconnected_at is not null;
    update payout_accounts set email = marker, disconnected_at = now
    where workspace_id = workspace and email = address and disconnected_at is null;
$$;

-- Why a workspace cannot be deleted now: the first kind of money that is under way, or null. In a
-- workspace for tests, and of test partners, only payouts count that Stripe has not answered.
create or replace function money_under_way(workspace uuid) returns text language sql stable
    set plan_cache_mode = force_custom_plan as $$
    select case
        when exists (select from payouts p
            where p.workspace_id = workspace and p.status = 'processing' offset 0)
          or exists (select from payouts p
              where p.workspace_id = workspace and p.status = 'canceling' offset 0)
          or exists (select
              from (select p.workspace_id from payouts p where p.is_freeing offset 0) f
              where f.workspace_id = workspace)
          or exists (select from (select p.released_at from payouts p
                                  where p.workspace_id = workspace
                                      and p.status = 'reversed' offset 0) r
                                      where r.released_at is null)
        then 'payouts'
        when exists (select from payout_runs r
            where r.workspace_id = workspace and r.canceled_at is null and r.declined_at is null
                       and (r.claimed_at is null or r.is_canceling
                           or (r.method = 'manual' and r.confirmed_at is null))) then 'runs'
        when (select w.mode from workspaces w where w.id = workspace) = 'live'
         and exists (select from commissions c
             where c.workspace_id = workspace and c.payout_id is null
                       and not exists (select from partners t
                           where t.id = c.partner_id and t.is_test)
                     group by c.partner_id, c.currency having sum(c.amount_cents) > 0)
                         then 'balances' end
$$;

-- Deletes rows of tables, one table after the other, for an erasure: at most `room` in all. Returns
-- how many more may be deleted. `condition` is on $1, the workspace, and $2, ids.
create or replace function erase_rows(from_tables text[], condition text, workspace uuid,
    ids uuid[], room integer) returns integer
language plpgsql as $$
declare
    from_table  text;
    erased      integer;
begin
    foreach from_table in array from_tables loop
        exit when room <= 0;
        execute format('delete from %I where ctid = any(array(
            select ctid from %1$I where %s limit $3))', from_table, condition)
            using workspace, ids, room;
        get diagnostics erased = row_count;
        room := room - erased;
    end loop;
    return room;
end $$;

-- Erases the workspace whose deletion is due, about `most` rows per call, and returns how many:
-- `most` while some are left. The first call calls the deletion off if money is under way, and else
-- ends all access. Rows are deleted before those that they refer to. In a table that refers to
-- itself, rows that no other row refers to go first.
create or replace function erase_workspaces(at timestamptz, most integer) returns integer
    language plpgsql
security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
declare
    w       record;
    room    integer := most;
    batch   uuid[];
    people  text[];
begin
    select * into w from workspaces o where o.deletes_at <= least(at, now())
        order by o.deletes_at limit 1
    for no key update skip locked;
    if w.id is null then return 0; end if;

    if w.erasing_since is null then
        -- Whoever claims or sends money takes this lock, too.
        perform pg_advisory_xact_lock(hashtextextended(w.id || ' payouts', 0));
        if money_under_way(w.id) is not null then
            insert into audit_entries (id, workspace_id, actor, action, subject_id, details,
                created_at)
            values (uuidv7(), w.id, 'system', 'workspace.deletion_called_off', w.id, '{}', now());
            perform mail_managers(w.id, 'deletion_called_off', null, null, null, null,
                uuidv7()::text, now());
            update workspaces set deletes_at = null, deletion_by = null where id = w.id;
            return 1;
        end if;
        update workspaces set erasing_since = now() where id = w.id;
    end if;

    -- Nobody has access from now on.
    delete from api_keys where workspace_id = w.id;
    delete from stripe_secrets where workspace_id = w.id;
    delete from stripe_keys where workspace_id = w.id;
    people := array(select m.email from members m where m.workspace_id = w.id);
    delete from members where workspace_id = w.id;
    delete from approval_limit_requests where workspace_id = w.id;
    perform erase_sign_ins(array[address]) from unnest(people) address;

    room := erase_rows('{webhook_deliveries,webhook_events,webhook_endpoints,idempotency_keys,
        import_calls,undone_imports,report_mismatches,mails,mailings,mail_texts,mail_optouts,
        coupon_aliases,links,applications,adjustments,partner_bonuses,processor_events}',
        'workspace_id = $1', w.id, null, room);
    room := erase_rows('{shadow_comparisons,platform_commissions}',
        'workspace_id = $1 and program_id in (select id from programs where workspace_id = $1)',
        w.id, null, room);
    batch := array(select s.id from programs p join import_sources s on s.program_id = p.id
        where p.workspace_id = w.id);
    room := erase_rows('{import_source_rows}', 'source_id = any($2)', w.id, batch, room);
    room := erase_rows('{import_sources}', 'id = any($2)', w.id, batch, room);
    if room <= 0 then return most; end if;

    -- What the law makes people keep, until ten years after the year in which it was issued.
    insert into kept_documents (id, workspace_id, workspace_name, kind, document, issued_at,
        keep_until)
    select n.id, w.id, w.name, 'credit_note',
           to_jsonb(n) || jsonb_build_object('invoiceNumber', i.number, 'currency', p.currency,
               'supplier', i.supplier, 'customer', i.customer),
           n.issued_at,
           (date_trunc('year', n.issued_at at time zone 'UTC') + interval '11 years')::date
    from (select * from credit_notes where workspace_id = w.id order by id limit room) n
    join invoices i on i.id = n.invoice_id join payouts p on p.id = i.payout_id
    on conflict (id) do nothing;
    room := erase_rows('{credit_notes}',
        'workspace_id = $1 and exists (select from kept_documents k where k.id = credit_notes.id)',
        w.id, null, room);
    if room <= 0 then return most; end if;
    insert into kept_documents (id, workspace_id, workspace_name, kind, document, issued_at,
        keep_until)
    select i.id, w.id, w.name, 'invoice',
           to_jsonb(i) || jsonb_build_object('reference', p.reference, 'amountCents',
               p.amount_cents, 'currency', p.currency, 'paidAt', p.paid_at),
           i.issued_at,
           (date_trunc('year', i.issued_at at time zone 'UTC') + interval '11 years')::date
    from (select * from invoices where workspace_id = w.id order by id limit room) i
        join payouts p on p.id = i.payout_id
    on conflict (id) do nothing;
    room := erase_rows('{invoices}',
        'workspace_id = $1 and exists (select from kept_documents k where k.id = invoices.id)',
        w.id, null, room);
    if room <= 0 then return most; end if;

    batch := array(select c.id from commissions c where c.workspace_id = w.id
                     and not exists (select from commissions r where r.reverses_id = c.id)
                     and not exists (select from commissions r where r.replaces_id = c.id)
                   limit room);
    update events e set commission_id = null
        where e.workspace_id = w.id and e.commission_id = any(batch);
    delete from commission_holds where commission_id = any(batch);
    room := erase_rows('{commissions}', 'id = any($2)', w.id, batch, room);
    if room <= 0 then return most; end if;

    batch := array(select e.id from events e where e.workspace_id = w.id
                     and not exists (select from events r where r.sale_id = e.id) limit room);
    delete from commission_holds where evidence_event_id = any(batch);
    delete from one_time_rewards where event_id = any(batch);
    room := erase_rows('{events}', 'id = any($2)', w.id, batch, room);
    if room <= 0 then return most; end if;

    batch := array(select c.id from customers c where c.workspace_id = w.id
                     and not exists (select from customers r where r.merged_into = c.id)
                   limit room);
    room := erase_rows('{possible_merges}', 'workspace_id = $1', w.id, null, room);
    room := erase_rows('{referrals,customer_identities}', 'customer_id = any($2)', w.id, batch,
        room);
    room := erase_rows('{customers}', 'id = any($2)', w.id, batch, room);
    if room <= 0 then return most; end if;

    batch := array(select r.id from payout_runs r where r.workspace_id = w.id limit room);
    delete from payout_run_notices where run_id = any(batch);
    room := erase_rows('{totals_by_value}', $c$workspace_id = $1 and dimension = 'status'$c$, w.id,
        null, room);
    room := erase_rows('{clicks,total_deltas,bonus_checks,account_payouts,payouts,payout_runs,
        payout_accounts,payment_details,payees,payers,unreachable_people,unknown_transfers,
        invoice_numbers}',
        'workspace_id = $1', w.id, null, room);
    if room <= 0 then return most; end if;

    batch := array(select p.id from partners p where p.workspace_id = w.id limit room);
    room := erase_rows(
        '{former_partner_addresses,former_partner_terms,partner_notes,agreement_acceptances,
        tier_figures,partner_tiers}',
        'partner_id = any($2)', w.id, batch, room);
    room := erase_rows('{totals_by_period,totals_of_all_time,totals_by_value}',
        'of_id = any($2)', w.id, batch, room);
    if room <= 0 then return most; end if;
    people := array(select distinct p.email from partners p where p.id = any(batch[1:room]));
    room := erase_rows('{partners}', 'id = any($2)', w.id, batch[1:room], room);
    perform erase_sign_ins(array[address]) from unnest(people) address;
    if room <= 0 then return most; end if;

    batch := array(select g.id from groups g where g.workspace_id = w.id limit room);
    room := erase_rows('{former_group_terms}', 'group_id = any($2)', w.id, batch, room);
    batch := array(select p.id from programs p where p.workspace_id = w.id limit room) || w.id;
    room := erase_rows('{join_pages,brands,agreements,former_program_terms,last_visits,
        refused_visits,click_budgets,shadow_runs,link_forms}',
        'program_id = any($2)', w.id, batch, room);
    room := erase_rows('{totals_by_period,totals_of_all_time,totals_by_value}',
        'of_id = any($2)', w.id, batch, room);
    room := erase_rows('{groups,programs,rewards,former_sales_from,balance_cutoffs,total_deltas,
        audit_entries}', 'workspace_id = $1', w.id, null, room);
    if room <= 0 then return most; end if;

    insert into deleted_workspaces (id, slug, deleted_by, deleted_at)
        values (w.id, w.slug, w.deletion_by, now());
    delete from workspaces where id = w.id;
    return most - room + 1;
end $$;
