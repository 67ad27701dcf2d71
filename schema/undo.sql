-- Undoing an import, call by call, the latest first. What others rely on by now stays, with the
-- reason. Nothing is left of the others, and the same file can be imported again. Partners stay as
-- rows without address, slug and name, for the ledger, clicks and sent mails.

-- From now on, no call of this import is saved.
create or replace function begin_undo(workspace uuid, import uuid, now timestamptz) returns void
    language plpgsql as $$
begin
    perform pg_advisory_xact_lock(hashtextextended('partners.import ' || workspace, 0));
    perform pg_advisory_xact_lock(hashtextextended('import ' || import, 0));
    insert into undone_imports (workspace_id, import_id, undone_at) values (workspace, import, now)
        on conflict do nothing;
end $$;

-- Whether a call names this partner, customer or opening balance that was saved after the call at
-- this place, and is of another import that no manager has begun to undo.
create or replace function is_named_later(named_id uuid, import uuid, after bigint)
    returns boolean language plpgsql stable
set enable_seqscan = off as $$
begin
    return exists (
        select from (select o.workspace_id, o.import_id, o.place from import_calls o
                     where o.named @> array[named_id] and o.named <> '{}' offset 0) o
        where o.place > after and o.import_id <> import
            and not import_is_undone(o.workspace_id, o.import_id));
end $$;

-- Why a customer whose last import is this call stays as it has left it; null if it does not.
-- called_at is when the call was made. If is_dry, later calls of the same import are taken back
-- before. Whoever was imported and is merged into the customer was so after the call if the
-- customer's own last import before the call is an earlier one: a merge keeps the latest. What the
-- other one had would be lost.
create or replace function imported_undo_reason(customer uuid, call uuid, import uuid,
    place bigint, called_at timestamptz, is_dry boolean) returns text
language plpgsql stable
set enable_seqscan = off as $$
begin
    return case
        when exists (select from referrals r
                     where r.customer_id = customer
                         and (r.referred_at, r.origin) > (called_at, 'import ' || call)
                       and not starts_with(r.origin, 'import ' || call)
                       and not (is_dry and r.source = 'import'
                                and exists (select from import_calls i
                                    where i.audit_id = substr(r.origin, 8, 36)::uuid
                                    and i.import_id = import)))
          or exists (select from customers m
              where m.merged_into = customer and m.imported_at > coalesce((
                 select (f ->> 'importedAt')::timestamptz
                     from import_calls i, jsonb_array_elements(i.former) f
                 where i.audit_id = call and f ->> 'id' = customer::text), '-infinity'))
        then 'changed_since'
        -- A payment processor's times are whole seconds.
        when exists (select from events e
                     where e.customer_id = customer
                         and e.occurred_at >= date_trunc('second', called_at)
                         and e.partner_id is not null)
        then 'has_events'
        when is_named_later(customer, import, place)
          or exists (select from customers m
              where m.merged_into = customer and is_named_later(m.id, import, place))
        then 'named_later'
    end;
end $$;

-- The same of any call that has changed the customer.
create or replace function customer_undo_reason(customer uuid, call uuid, import uuid,
    place bigint, called_at timestamptz, is_dry boolean) returns text
language plpgsql stable
set enable_seqscan = off as $$
declare
    imported_at timestamptz := (select c.imported_at from customers c
        where c.id = customer and c.merged_into is null);
    later       record;
begin
    while is_dry and imported_at > called_at loop
        select i.audit_id, i.place,
               (select (f ->> 'importedAt')::timestamptz from jsonb_array_elements(i.former) f
                   where f ->> 'id' = customer::text) as before
        into later
        from referrals r join import_calls i on i.audit_id = substr(r.origin, 8, 36)::uuid
        where r.customer_id = customer and r.source = 'import' and r.referred_at = imported_at
            and i.import_id = import limit 1;
        if not found
            or imported_undo_reason(customer, later.audit_id, import, later.place, imported_at,
            true) is not null then
            return 'changed_since';
        end if;
        imported_at := later.before;
    end loop;
    if imported_at is distinct from called_at then return 'changed_since'; end if;
    return imported_undo_reason(customer, call, import, place, called_at, is_dry);
end $$;

-- The same of a partner that a call has created. If is_dry, its customers of the same import that
-- would be taken back are no reason.
create or replace function partner_undo_reason(partner uuid, import uuid, place bigint,
    called_at timestamptz, is_dry boolean, with_changed boolean)
returns text language plpgsql stable
set enable_seqscan = off as $$
declare
    p record;
begin
    select o.id, o.workspace_id, o.program_id, o.email, o.terms_since into p from partners o
        where o.id = partner;
    if exists (select from events e where e.partner_id = partner) then return 'has_events'; end if;
    if exists (select from payouts o where o.partner_id = partner)
        then return 'has_payouts'; end if;
    if exists (
        select from commissions c
        where c.partner_id = partner
          and (c.kind not in ('opening_balance', 'reversal')
               or c.kind = 'opening_balance' and c.created_at <> called_at
                  and c.amount_cents
                      + (select coalesce(sum(r.amount_cents), 0) from commissions r
                      where r.reverses_id = c.id) <> 0
               or exists (select from commission_holds h where h.commission_id = c.id)))
    then return 'has_commissions'; end if;
    if exists (
        select from customers c
        where c.partner_id = partner
            and (c.partner_id, c.id) >= (partner, '00000000-0000-0000-0000-000000000000')
          and not (is_dry and exists (
              select from referrals r
                  join import_calls o on o.audit_id = substr(r.origin, 8, 36)::uuid
                  and o.import_id = import
              where r.customer_id = c.id and r.source = 'import' and r.referred_at = c.imported_at
                and customer_undo_reason(c.id, o.audit_id, import, o.place, r.referred_at,
                    true) is null)))
    then return 'has_customers'; end if;
    if exists (select from agreement_acceptances a where a.partner_id = partner)
       or exists (select from applications a where a.program_id = p.program_id and a.email = p.email
           and a.partner_id = partner)
    then return 'accepted_terms'; end if;
    if (exists (select from payment_details d
        where d.workspace_id = p.workspace_id and d.email = p.email)
        or exists (select from payout_accounts a
            where a.workspace_id = p.workspace_id and a.email = p.email)
        or exists (select from payees y
            where y.workspace_id = p.workspace_id and y.email = p.email))
       and not exists (select from partners o
           where o.workspace_id = p.workspace_id and o.email = p.email and o.id <> partner)
    then return 'has_payment_details'; end if;
    if is_named_later(partner, import, place) then return 'named_later'; end if;
    if not with_changed
       and (p.terms_since is not null
            or exists (select from audit_entries a
                where a.subject_id = partner and a.created_at > called_at)
            or exists (select from coupon_aliases a
                where a.partner_id = partner and a.created_at <> called_at)
            or exists (select from links l
                where l.partner_id = partner and l.created_at <> called_at))
    then return 'changed_since'; end if;
    return null;
end $$;

-- What a call has made and is not taken back yet, each with the reason for which it stays, or null.
create or replace function import_undo_reasons(workspace uuid, call uuid, is_dry boolean,
    with_changed boolean)
returns table (kind text, id uuid, reason text) language plpgsql stable
set enable_seqscan = off set jit = off as $$
declare
    c record;
begin
    select i.import_id, i.place, i.made, i.former, i.undone_ids, a.action, a.details,
        a.created_at into c
    from import_calls i join audit_entries a on a.id = i.audit_id
        where i.workspace_id = workspace and i.audit_id = call;
    if c.action = 'customers.imported' then
        return query
            select 'customers', m.id,
            customer_undo_reason(m.id, call, c.import_id, c.place, c.created_at, is_dry)
        from (select unnest(c.made) as id union all select (f ->> 'id')::uuid
            from jsonb_array_elements(c.former) f) m
        where m.id <> all(c.undone_ids);
        return;
    end if;
    return query
        select 'partners', m.id,
        partner_undo_reason(m.id, c.import_id, c.place, c.created_at, is_dry, with_changed)
    from unnest(c.made) as m (id) where m.id <> all(c.undone_ids);
    -- Opening balances of partners who existed.
    return query select 'balances', b.id, case
        when b.payout_id is not null then 'has_payouts'
        when exists (select from commission_holds h where h.commission_id = b.id)
            then 'has_commissions'
        when is_named_later(b.id, c.import_id, c.place) then 'named_later' end
    from jsonb_array_elements_text(c.details #> '{openingBalances,ids}') m (id)
    join commissions b on b.id = m.id::uuid
    where b.partner_id <> all(c.made) and b.id <> all(c.undone_ids);
end $$;

-- What was taken back of a call, what would be by now, and what stays: ImportUndo in
-- lib/imports/undo.ts. Of what stays, `shown` rows are named.
create or replace function read_undo(workspace uuid, call uuid, is_dry boolean,
    with_changed boolean, shown integer) returns jsonb
language plpgsql stable
set enable_seqscan = off set jit = off as $$
declare
    free   uuid[];
    answer jsonb;
begin
    select coalesce(array_agg(r.id) filter (where r.reason is null), '{}'), jsonb_build_object(
               'free', jsonb_build_object('partners', count(*)
                   filter (where r.kind = 'partners' and r.reason is null),
                                          'customers', count(*)
                                              filter (where r.kind = 'customers'
                                              and r.reason is null)),
               'kept', coalesce(jsonb_agg(jsonb_build_object('kind', r.kind, 'id', r.id, 'reason',
                   r.reason))
                                filter (where r.reason is not null), '[]'))
    into free, answer
    from import_undo_reasons(workspace, call, is_dry, with_changed) r;
    return jsonb_build_object(
        'free', answer -> 'free'
            || (select jsonb_build_object('balances', count(*), 'amountCents',
                coalesce(sum(b.amount_cents + b.reversed_cents), 0))
                from undo_balances(workspace, free) b)
            || (select jsonb_build_object('mails', count(*))
                from unnest(free) f, lateral (select * from mails where partner_id = f offset 0) m
                where m.payout_id is null and m.sent_at is null and m.failed_at is null),
        'undone', (select c.undone from import_calls c
            where c.workspace_id = workspace and c.audit_id = call),
        'reasons', (select coalesce(jsonb_agg(to_jsonb(s)), '[]') from (
            select k ->> 'kind' as kind, k ->> 'reason' as reason, count(*)
                from jsonb_array_elements(answer -> 'kept') k group by 1, 2) s),
        'rows', (select coalesce(jsonb_agg(to_jsonb(s)), '[]') from (
            select k ->> 'kind' as kind, k ->> 'reason' as reason, (k ->> 'id')::uuid as id,
                p.email as partner, u.external_id as customer
            from jsonb_array_elements(answer -> 'kept') k
            left join customers u on k ->> 'kind' = 'customers' and u.id = (k ->> 'id')::uuid
            left join commissions b on k ->> 'kind' = 'balances' and b.id = (k ->> 'id')::uuid
            left join partners p on p.id = coalesce(b.partner_id, u.partner_id, (k ->> 'id')::uuid)
            limit shown) s));
end $$;

-- The opening balances of these partners, or with these ids, that are not reversed in full.
create or replace function undo_balances(workspace uuid, ids uuid[])
    returns table (id uuid, amount_cents bigint, reversed_cents bigint)
language plpgsql stable
set enable_seqscan = off as $$
begin
    return query select * from (
        select c.id, c.amount_cents,
            (select coalesce(sum(r.amount_cents), 0)::bigint from commissions r
            where r.reverses_id = c.id) as reversed
        from commissions c
        where c.id in (select b.id from commissions b
            where b.partner_id = any(ids) and b.kind = 'opening_balance'
                       union select b.id from commissions b
                           where b.id = any(ids) and b.workspace_id = workspace
                           and b.kind = 'opening_balance')) o
    where o.amount_cents + o.reversed <> 0;
end $$;

-- Takes back what a call has made, in one transaction with its entry in the audit log, and does
-- nothing if that entry is there: it is of an earlier attempt. No call that names what there is is
-- saved meanwhile. Locks customers before partners, as reports and imports do. With rights of its
-- own, because nothing else deletes customers and former terms.
create or replace function undo_import_call(workspace uuid, call uuid, audit_id uuid, actor text,
    with_changed boolean, now timestamptz) returns void
language plpgsql
security definer set search_path = public, pg_temp
set enable_seqscan = off set jit = off as $$
declare
    c          record;
    free       uuid[];   -- customers, partners and balances
    fresh      uuid[];   -- of the customers, those that the call has created and nothing refers to
    sums       jsonb;
    withdrawn  integer := 0;
    made_on    text;
begin
    perform pg_advisory_xact_lock(hashtextextended(workspace || ' undo', 0));
    perform pg_advisory_xact_lock(hashtextextended(workspace || ' payouts', 0));
    perform pg_advisory_xact_lock(hashtextextended('partners.import ' || workspace, 0));
    if exists (select from audit_entries a where a.id = audit_id) then return; end if;
    select i.import_id, i.made, i.former, a.subject_id as program, a.actor, a.created_at into c
    from import_calls i join audit_entries a on a.id = i.audit_id
    where i.workspace_id = workspace and i.audit_id = call
        and import_is_undone(workspace, i.import_id);
    perform assert_unchanged(found);
    perform from customers u
    where u.id = any(c.made
        || array(select (f ->> 'id')::uuid from jsonb_array_elements(c.former) f))
    order by u.id for update;
    perform from partners p where p.id = any(c.made) order by p.id for update;

    select array_agg(r.id),
           jsonb_build_object('partners',  count(*) filter (where r.kind = 'partners'),
                              'customers', count(*) filter (where r.kind = 'customers'))
    into free, sums
    from import_undo_reasons(workspace, call, false, with_changed) r where r.reason is null;
    if free is null then return; end if;

    -- A customer who was only seen paying has no owner, and stays.
    fresh := array(select f from unnest(free) f
                   where f = any(c.made)
                     and not exists (select from events e where e.customer_id = f offset 0)
                     and not exists (select from customers m
                         where m.merged_into = f and m.workspace_id = workspace offset 0)
                     and not exists (select from possible_merges m
                         where f in (m.customer_id, m.named_customer_id) offset 0)
                     and not exists (select from customer_identities i
                                     where i.customer_id = f
                                         and (i.source <> 'import'
                                         or i.created_at <> c.created_at) offset 0)
                     and not exists (select from referrals r
                         where r.customer_id = f
                         and not starts_with(r.origin, 'import ' || call) offset 0));
    delete from referrals r
    where r.customer_id = any(free)
      and (starts_with(r.origin, 'import ' || call)
          or (select p.undone_at from partners p where p.id = r.partner_id) is not null);
    delete from customer_identities i
    using unnest(free) f,
        lateral (select * from customer_identities where customer_id = f offset 0) k
    where k.source = 'import' and k.created_at = c.created_at
        and (k.kind = 'email' or f = any(fresh))
      and (i.customer_id, i.kind, i.value) = (k.customer_id, k.kind, k.value);
    update customers u
    set partner_id = present_owner(u.id),
        -- who was erased stays so
        email = case when f.id is null or u.email is null then u.email else f.email end,
        imported_at = f."importedAt", started_at = f."startedAt",
            started_program_id = f."startedProgramId",
        prior = case when u.prior is not null then f.prior end,
        revision = u.revision + 1,
        -- What nobody was credited with since then may be the former owner's.
        replan_from = least(u.replan_from, (select min(e.occurred_at) from events e
                                            where e.customer_id = u.id and e.kind = 'sale'
                                                and e.occurred_at >= date_trunc('second',
                                                c.created_at)))
    from unnest(free) x (id)
    left join jsonb_to_recordset(c.former)
        as f (id uuid, email text, "importedAt" timestamptz, "startedAt" timestamptz,
            "startedProgramId" uuid, prior jsonb) on f.id = x.id
    where u.id = x.id and u.id = any(free);
    delete from customers u where u.id = any(fresh);

    with reversed as (
        insert into commissions (id, workspace_id, program_id, partner_id, kind, reverses_id,
            amount_cents, currency, payable_at, created_at)
        select uuidv7(), o.workspace_id, o.program_id, o.partner_id, 'reversal', o.id,
            -(b.amount_cents + b.reversed_cents), o.currency, o.payable_at, now
        from undo_balances(workspace, free) b join commissions o on o.id = b.id
        returning -amount_cents as cents
    )
    select sums || jsonb_build_object('balances', count(*), 'amountCents',
        coalesce(sum(cents), 0)) into sums from reversed;
    if (sums -> 'balances')::integer > 0 then
        -- The mail about them has waited for five minutes, or until the day was over: see
        -- mail_opening_balances.
        made_on := format('%s %s %s', c.program,
            (select m.id from members m where m.workspace_id = workspace and m.email = c.actor),
            utc_day(c.created_at));
        update mails m
        set details = m.details
            || jsonb_build_object('balances',
            (m.details -> 'balances')::integer - (sums -> 'balances')::integer,
                                                      'amountCents',
                                                          (m.details -> 'amountCents')::bigint
                                                          - (sums -> 'amountCents')::bigint)
        where m.workspace_id = workspace and m.kind = 'opening_balances' and m.attempts = 0
            and m.sent_at is null and m.failed_at is null
          and m.recipient in (select o.email from members o where o.workspace_id = workspace)
          and (m.occasion = made_on || ' later' and m.created_at <= c.created_at
               or m.occasion = made_on and not exists (
                   select from mails l
                       where l.workspace_id = workspace and l.kind = 'opening_balances'
                       and l.recipient = m.recipient
                                         and l.occasion = made_on || ' later'
                                             and l.created_at <= c.created_at));
        delete from mails m
        where m.workspace_id = workspace and m.kind = 'opening_balances' and m.attempts = 0
            and m.sent_at is null and m.failed_at is null
          and m.recipient in (select o.email from members o where o.workspace_id = workspace)
          and m.occasion in (made_on, made_on || ' later')
              and (m.details -> 'balances')::integer <= 0;
    end if;

    if (sums -> 'partners')::integer > 0 then
        -- One that is being sent goes out; saying so is all that its Worker may still do.
        with gone as (
            delete from mails m
            where m.partner_id = any(free) and m.payout_id is null and m.sent_at is null
                and (m.attempts = 0 or m.failed_at is not null)
            returning m.failed_at
        ), held_back as (
            update mails m set failed_at = now, last_error = 'Not sent: the import was undone.'
            where m.partner_id = any(free) and m.payout_id is null and m.sent_at is null
                and m.failed_at is null and m.attempts > 0
            returning m.id
        )
        select (select count(*) from gone where failed_at is null)
            + (select count(*) from held_back) into withdrawn;
        delete from coupon_aliases a           where a.partner_id = any(free);
        delete from links l                    where l.partner_id = any(free);
        delete from partner_notes n            where n.partner_id = any(free);
        delete from former_partner_addresses f where f.partner_id = any(free);
        -- it was never active, whenever a sale was paid
        delete from former_partner_terms f     where f.partner_id = any(free);
        update partners p
        set email = 'undone-' || p.id || '@undone.invalid', name = null, slug = 'undone-' || p.id,
            slug_key = 'undone-' || p.id, group_id = null,
            status = 'banned', minimum_payout_cents = null, documents_received_at = null,
                terms_since = null, language = null,
            undone_at = now
        where p.id = any(free);
    end if;

    sums := sums || jsonb_build_object('mails', withdrawn);
    update import_calls i
    set undone_ids = i.undone_ids || free,
        undone = (select jsonb_object_agg(s.key,
            s.value::bigint + coalesce((i.undone ->> s.key)::bigint, 0))
            from jsonb_each_text(sums) s)
    where i.audit_id = call;
    insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
    values (audit_id, workspace, actor, 'import.undone', c.import_id, sums, now);
end $$;
