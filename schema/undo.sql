-- Undo of an import: as a whole if nothing depends on it, otherwise not at all. docs/imports.md has
-- the table of dependencies. Afterwards the same file can be imported again. Partners stay as rows
-- without address, slug and name, for the ledger, clicks and sent mails.

-- The partners that an import has created.
create or replace function imported_partners(workspace uuid, import uuid)
    returns table (id uuid, since timestamptz) language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
begin
    return query
    select m.id, a.created_at
    from import_calls i join audit_entries a on a.id = i.audit_id, unnest(i.made) as m (id)
    where i.workspace_id = workspace and i.import_id = import and a.action = 'partners.imported';
end $$;

-- The customers that an import has created or changed: the times of its calls, and the customer
-- before the first of them, which is null if it was created. Rows that a call of this import has
-- left do not count as former ones. is_whole says that no other import came between.
create or replace function imported_customers(workspace uuid, import uuid)
    returns table (id uuid, called_at timestamptz[], former jsonb, is_whole boolean)
language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
    times timestamptz[] := array(
        select a.created_at from import_calls i join audit_entries a on a.id = i.audit_id
        where i.workspace_id = workspace and i.import_id = import
            and a.action = 'customers.imported');
begin
    return query
    select t.id, array_agg(t.at order by t.at), (array_agg(t.former) filter (where t.is_first))[1],
        count(*) filter (where t.is_first) = 1
    from import_calls i join audit_entries a on a.id = i.audit_id
    cross join lateral (
        select m.id, a.created_at as at, null::jsonb as former, true as is_first
        from unnest(i.made) as m (id)
        union all
        select (f ->> 'id')::uuid, a.created_at, f,
            coalesce((f ->> 'importedAt')::timestamptz <> all(times), true)
        from jsonb_array_elements(i.former) f) t
    where i.workspace_id = workspace and i.import_id = import and a.action = 'customers.imported'
    group by t.id;
end $$;

-- The opening balances of an import, also of existing partners: the amount that is not reversed,
-- and whether the balance is in a payout or was held.
create or replace function imported_balances(workspace uuid, import uuid)
    returns table (id uuid, partner_id uuid, call uuid, since timestamptz, open_cents bigint,
        is_used boolean)
language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
begin
    return query
    select b.id, b.partner_id, i.audit_id, a.created_at,
        b.amount_cents + (select coalesce(sum(r.amount_cents), 0)::bigint from commissions r
            where r.reverses_id = b.id),
        b.payout_id is not null
            or exists (select from commission_holds h where h.commission_id = b.id offset 0)
    from import_calls i join audit_entries a on a.id = i.audit_id
    cross join lateral jsonb_array_elements_text(a.details #> '{openingBalances,ids}') m (id)
    cross join lateral (select * from commissions c where c.id = m.id::uuid offset 0) b
    where i.workspace_id = workspace and i.import_id = import;
end $$;

-- The partners and customers of an import that were used or changed after it, and its time.
create or replace function import_dependents(workspace uuid, import uuid)
    returns table (kind text, id uuid, since timestamptz) language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
    origins  text[] := array(select 'import ' || i.audit_id from import_calls i
        where i.workspace_id = workspace and i.import_id = import);
    balances uuid[] := array(select b.id from imported_balances(workspace, import) b);
begin
    return query
    select 'customers', t.id, t.called_at[1]
    from imported_customers(workspace, import) t
    cross join lateral (select * from customers c where c.id = t.id offset 0) u
    where not t.is_whole or u.merged_into is not null
        or coalesce(u.imported_at <> all(t.called_at), true)
        -- Of two merged customers, one keeps the later import. The other's would be lost.
        or exists (select from customers m where m.merged_into = t.id and m.imported_at
            > coalesce((t.former ->> 'importedAt')::timestamptz, '-infinity') offset 0)
        or exists (select from referrals r where r.customer_id = t.id
            and r.referred_at >= t.called_at[1] and left(r.origin, 43) <> all(origins) offset 0)
        -- A payment processor's times are whole seconds.
        or exists (select from events e where e.customer_id = t.id and e.partner_id is not null
            and e.occurred_at >= date_trunc('second', t.called_at[1]) offset 0);

    return query
    select 'partners', t.id, min(t.since)
    from (
        select b.partner_id as id, b.since from imported_balances(workspace, import) b
        where b.is_used
        union all
        select t.id, t.since
        from imported_partners(workspace, import) t
        cross join lateral (select * from partners o where o.id = t.id offset 0) p
        where p.terms_since is not null
            or exists (select from events e where e.partner_id = t.id offset 0)
            or exists (select from payouts o where o.partner_id = t.id offset 0)
            or exists (select from referrals r where r.partner_id = t.id
                and left(r.origin, 43) <> all(origins) offset 0)
            or exists (select from commissions c where c.partner_id = t.id
                and (c.kind not in ('opening_balance', 'reversal')
                    or c.kind = 'opening_balance' and c.id <> all(balances)
                        and c.amount_cents + (select coalesce(sum(r.amount_cents), 0)
                            from commissions r where r.reverses_id = c.id) <> 0) offset 0)
            or exists (select from audit_entries a where a.subject_id = t.id offset 0)
            or exists (select from coupon_aliases a where a.partner_id = t.id
                and a.created_at <> t.since offset 0)
            or exists (select from links l where l.partner_id = t.id
                and l.created_at <> t.since offset 0)
            or exists (select from agreement_acceptances a where a.partner_id = t.id offset 0)
            or exists (select from applications a where a.program_id = p.program_id
                and a.email = p.email and a.partner_id = t.id offset 0)
            or (exists (select from payment_details d
                    where d.workspace_id = workspace and d.email = p.email offset 0)
                or exists (select from payout_accounts o
                    where o.workspace_id = workspace and o.email = p.email offset 0)
                or exists (select from payees y
                    where y.workspace_id = workspace and y.email = p.email offset 0))
               and not exists (select from partners o where o.workspace_id = workspace
                    and o.email = p.email and o.id <> t.id offset 0)) t
    group by t.id;
end $$;

-- The result of an undo, done or not: ImportUndo in lib/imports/undo.ts. Either what is undone, or
-- what depends on the import, with the first `shown` of each kind. Null if there is no such import.
create or replace function plan_undo(workspace uuid, import uuid, shown integer) returns jsonb
language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
    done jsonb := (select u.undone from undone_imports u
        where u.workspace_id = workspace and u.import_id = import);
    used jsonb;
begin
    if done is not null then
        return jsonb_build_object('undone', done, 'isDone', true);
    end if;
    if not exists (select from import_calls i
        where i.workspace_id = workspace and i.import_id = import) then return null; end if;

    select jsonb_agg(to_jsonb(d)) into used from import_dependents(workspace, import) d;
    if used is not null then
        return jsonb_build_object('dependents', (
            with d as (select * from jsonb_to_recordset(used)
                as d (kind text, id uuid, since timestamptz))
            select jsonb_build_object(
                'partners', jsonb_build_object(
                    'count', count(*) filter (where d.kind = 'partners'),
                    'first', (select coalesce(jsonb_agg(to_jsonb(f)), '[]') from (
                        select p.id, p.email, p.name from d,
                            lateral (select * from partners o where o.id = d.id offset 0) p
                        where d.kind = 'partners' order by p.id limit shown) f)),
                'customers', jsonb_build_object(
                    'count', count(*) filter (where d.kind = 'customers'),
                    'first', (select coalesce(jsonb_agg(to_jsonb(f)), '[]') from (
                        select u.id, u.external_id as "externalId", u.email from d,
                            lateral (select * from customers c where c.id = d.id offset 0) u
                        where d.kind = 'customers' order by u.id limit shown) f)),
                'earned', (select coalesce(jsonb_agg(to_jsonb(s)), '[]') from (
                    select e.currency, sum(e.amount_cents) as "amountCents" from (
                        select c.id, c.currency, c.amount_cents from d, lateral (
                            select * from commissions o where o.partner_id = d.id
                                and o.created_at >= d.since offset 0) c
                        union
                        select c.id, c.currency, c.amount_cents from d, lateral (
                            select * from commissions o where o.customer_id = d.id
                                and o.created_at >= d.since offset 0) c) e
                    group by e.currency having sum(e.amount_cents) <> 0
                    order by e.currency) s))
            from d));
    end if;

    return jsonb_build_object('isDone', false, 'undone', jsonb_build_object(
        'partners', (select count(*) from imported_partners(workspace, import)),
        'customers', (select count(*) from imported_customers(workspace, import)),
        'mails', (select count(*) from imported_partners(workspace, import) p,
            lateral (select * from mails where mails.partner_id = p.id offset 0) m
            where m.payout_id is null and m.sent_at is null and m.failed_at is null))
        || (select jsonb_build_object('balances', count(*), 'amountCents',
            coalesce(sum(b.open_cents), 0))
            from imported_balances(workspace, import) b where b.open_cents <> 0));
end $$;

-- Undoes an import in one transaction with its audit entry, or does nothing, and returns the result
-- of plan_undo. Idempotent. Serializes imports and undos of the workspace, and locks customers
-- before partners, as reports do. Security definer, because nothing else deletes customers.
create or replace function undo_import(workspace uuid, import uuid, actor text, shown integer,
    now timestamptz) returns jsonb
language plpgsql
security definer set search_path = public, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
    planned    jsonb;
    origins    text[];
    partners   uuid[];
    customers  uuid[];
    fresh      uuid[];   -- the customers that the import has created and nothing refers to
    times      timestamptz[];
    unsent     uuid[];
    c          record;
    made_on    text;
begin
    perform pg_advisory_xact_lock(hashtextextended(workspace || ' undo', 0));
    perform pg_advisory_xact_lock(hashtextextended(workspace || ' payouts', 0));
    perform pg_advisory_xact_lock(hashtextextended('partners.import ' || workspace, 0));
    customers := array(select i.id from imported_customers(workspace, import) i);
    partners := array(select i.id from imported_partners(workspace, import) i);
    perform from customers u where u.id = any(customers) order by u.id for update;
    perform from partners p where p.id = any(partners) order by p.id for update;
    planned := plan_undo(workspace, import, shown);
    if planned -> 'isDone' is distinct from 'false' then return planned; end if;

    select array_agg('import ' || i.audit_id), array_agg(a.created_at) into origins, times
    from import_calls i join audit_entries a on a.id = i.audit_id
    where i.workspace_id = workspace and i.import_id = import;
    delete from referrals r
    where r.customer_id = any(customers) and left(r.origin, 43) = any(origins);
    fresh := array(
        select t.id from imported_customers(workspace, import) t
        where t.former is null
            and not exists (select from events e where e.customer_id = t.id offset 0)
            and not exists (select from referrals r where r.customer_id = t.id offset 0)
            and not exists (select from customers m where m.merged_into = t.id
                and m.workspace_id = workspace offset 0)
            and not exists (select from possible_merges m
                where t.id in (m.customer_id, m.named_customer_id) offset 0)
            and not exists (select from customer_identities i where i.customer_id = t.id
                and (i.source <> 'import' or i.created_at <> all(times)) offset 0));
    delete from customer_identities i
    using unnest(customers) u (id),
        lateral (select * from customer_identities o where o.customer_id = u.id offset 0) k
    where k.kind = 'email' and k.source = 'import' and k.created_at = any(times)
        and (i.customer_id, i.kind, i.value) = (k.customer_id, k.kind, k.value);
    delete from customer_identities i where i.customer_id = any(fresh);
    -- A customer whom no referral names has no owner, and stays.
    update customers u
    set partner_id = present_owner(u.id),
        -- erased customers stay erased
        email = case when t.former is null or u.email is null then u.email else f.email end,
        imported_at = f."importedAt", started_at = f."startedAt",
        started_program_id = f."startedProgramId",
        prior = case when u.prior is not null then f.prior end,
        revision = u.revision + 1,
        -- Uncredited sales since then may be credited to the former owner.
        replan_from = least(u.replan_from, (select min(e.occurred_at) from events e
            where e.customer_id = u.id and e.kind = 'sale'
                and e.occurred_at >= date_trunc('second', t.called_at[1])))
    from imported_customers(workspace, import) t,
        jsonb_to_record(coalesce(t.former, '{}')) as f (email text, "importedAt" timestamptz,
            "startedAt" timestamptz, "startedProgramId" uuid, prior jsonb)
    where u.id = t.id;
    delete from customers u where u.id = any(fresh);

    -- The mail about the balances of a call waits for five minutes, or until the end of the day:
    -- see mail_opening_balances.
    for c in
        select a.subject_id as program, a.actor, a.created_at, count(*) as balances,
            sum(b.open_cents) as cents
        from imported_balances(workspace, import) b join audit_entries a on a.id = b.call
        where b.open_cents <> 0 group by a.id
    loop
        made_on := format('%s %s %s', c.program,
            (select m.id from members m where m.workspace_id = workspace and m.email = c.actor),
            utc_day(c.created_at));
        update mails m
        set details = m.details || jsonb_build_object(
            'balances', (m.details -> 'balances')::integer - c.balances,
            'amountCents', (m.details -> 'amountCents')::bigint - c.cents)
        where m.workspace_id = workspace and m.kind = 'opening_balances' and m.attempts = 0
            and m.sent_at is null and m.failed_at is null
            and m.recipient in (select o.email from members o where o.workspace_id = workspace)
            and (m.occasion = made_on || ' later' and m.created_at <= c.created_at
                or m.occasion = made_on and not exists (
                    select from mails l
                    where l.workspace_id = workspace and l.kind = 'opening_balances'
                        and l.recipient = m.recipient and l.occasion = made_on || ' later'
                        and l.created_at <= c.created_at));
        delete from mails m
        where m.workspace_id = workspace and m.kind = 'opening_balances' and m.attempts = 0
            and m.sent_at is null and m.failed_at is null
            and m.recipient in (select o.email from members o where o.workspace_id = workspace)
            and m.occasion in (made_on, made_on || ' later')
            and (m.details -> 'balances')::integer <= 0;
    end loop;
    insert into commissions (id, workspace_id, program_id, partner_id, kind, reverses_id,
        amount_cents, currency, payable_at, created_at)
    select uuidv7(), o.workspace_id, o.program_id, o.partner_id, 'reversal', o.id, -b.open_cents,
        o.currency, o.payable_at, now
    from imported_balances(workspace, import) b,
        lateral (select * from commissions where commissions.id = b.id offset 0) o
    where b.open_cents <> 0;

    -- A mail that is being sent cannot be stopped. Its Worker may only record that.
    unsent := array(select m.id from unnest(partners) p (id),
        lateral (select * from mails o where o.partner_id = p.id offset 0) m
        where m.payout_id is null and m.sent_at is null);
    delete from mails m
    where m.id = any(unsent) and m.sent_at is null
        and (m.attempts = 0 or m.failed_at is not null);
    update mails m set failed_at = now, last_error = 'Not sent: the import was undone.'
    where m.id = any(unsent) and m.sent_at is null;
    delete from coupon_aliases a where a.partner_id = any(partners);
    delete from links l          where l.partner_id = any(partners);
    update partners p
    set email = 'undone-' || p.id || '@undone.invalid', name = null, slug = 'undone-' || p.id,
        slug_key = 'undone-' || p.id, group_id = null, status = 'banned', language = null,
        undone_at = now
    where p.id = any(partners);

    insert into undone_imports (workspace_id, import_id, undone_at, undone)
    values (workspace, import, now, planned -> 'undone');
    insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
    values (uuidv7(), workspace, actor, 'import.undone', import, planned -> 'undone', now);
    return planned || '{"isDone": true}';
end $$;
