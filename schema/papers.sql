-- Papers: the invoices and credit notes that are issued in the name of partners.

-- The last numbers of a workspace's invoices and credit notes. Numbers have no gaps, because the
-- row is locked until the transaction that issues one ends.
create table invoice_numbers (
    workspace_id      uuid    primary key
        constraint invoice_numbers_workspace_id_fkey references workspaces (id),
    last              bigint  not null,
    last_credit_note  bigint  not null default 0
);

-- An invoice that a workspace has issued in the name of a partner. It is inserted in the
-- transaction that makes its payout final: when Stripe has created its transfer, or when its manual
-- run is confirmed. It never changes.
create table invoices (
    id            uuid         primary key,
    workspace_id  uuid         not null,
    number        bigint       not null
        constraint invoices_number_check check (number > 0),
    payout_id     uuid         not null,
    supplier      jsonb        not null,   -- the partner, as it was then
    customer      jsonb        not null,   -- the merchant
    commissions   integer      not null,   -- how many the payout has
    program_name  text         not null,
    agreed_at     timestamptz  not null,   -- when the partner agreed to self-billing
    issued_at     timestamptz  not null,

    constraint invoices_workspace_id_id_key     unique (workspace_id, id),
    constraint invoices_workspace_id_number_key unique (workspace_id, number),
    constraint invoices_payout_id_key           unique (payout_id),
    constraint invoices_payout_id_fkey foreign key (workspace_id, payout_id)
        references payouts (workspace_id, id)
);

-- A credit note corrects an invoice whose payout the bank returned, or whose transfer was reversed
-- at Stripe, in part or in full. It is inserted in the transaction that records that, has the
-- parties of its invoice, and never changes. When the amount is paid again, it has a new invoice.
create table credit_notes (
    id            uuid         primary key,
    workspace_id  uuid         not null,
    number        bigint       not null
        constraint credit_notes_number_check check (number > 0),
    invoice_id    uuid         not null,
    amount_cents  bigint       not null   -- what it takes from the amount of the invoice
        constraint credit_notes_amount_cents_check check (amount_cents > 0),
    reason        text         not null
        constraint credit_notes_reason_check check (reason in ('returned', 'reversed')),
    issued_at     timestamptz  not null,

    constraint credit_notes_workspace_id_number_key unique (workspace_id, number),
    constraint credit_notes_invoice_id_fkey foreign key (workspace_id, invoice_id)
        references invoices (workspace_id, id)
);

-- Which credit notes correct this invoice?
create index credit_notes_invoice_id_idx on credit_notes (invoice_id);


-- Functions and triggers.

create or replace trigger invoices_never_change
    before update on invoices for each row execute function refuse_update();

-- Issues the invoices of payouts whose partners agreed, if the workspace has that switched on.
create or replace function issue_invoices(workspace uuid, payout_ids uuid[], now timestamptz)
    returns void language plpgsql
set plan_cache_mode = force_custom_plan as $$
declare
    agreed uuid[];
    last_number bigint;
begin
    select array_agg(po.id order by po.number) into agreed
    from payouts po
    join workspaces w on w.id = po.workspace_id and w.self_billing
    join partners p on p.id = po.partner_id
    join payees y on y.workspace_id = po.workspace_id and y.email = p.email
        and y.self_billing_since is not null
    where po.workspace_id = workspace and po.id = any (payout_ids);

    if agreed is null then return; end if;

    insert into invoice_numbers as n (workspace_id, last) values (workspace, cardinality(agreed))
    on conflict (workspace_id) do update set last = n.last + excluded.last
    returning last into last_number;

    insert into invoices (id, workspace_id, number, payout_id, supplier, customer, commissions,
        program_name, agreed_at, issued_at)
    select uuidv7(), workspace, last_number - cardinality(agreed) + a.position, po.id,
        jsonb_build_object('name', y.name, 'street', y.street, 'postalCode', y.postal_code,
            'city', y.city, 'country', y.country, 'vatId', y.vat_id),
        jsonb_build_object('name', coalesce(m.name, w.name), 'street', m.street,
            'postalCode', m.postal_code, 'city', m.city, 'country', m.country, 'vatId', m.vat_id),
        (select count(*) from commissions c where c.payout_id = po.id and c.kind <> 'reversal'),
        g.name, coalesce(y.self_billing_since, now), now
    from unnest(agreed) with ordinality as a(id, position)
    join payouts po on po.id = a.id
    join partners p on p.id = po.partner_id
    join programs g on g.id = po.program_id
    join payees y on y.workspace_id = workspace and y.email = p.email
    join workspaces w on w.id = workspace
    left join payers m on m.workspace_id = workspace;
end $$;

create or replace function invoice_transfer() returns trigger language plpgsql as $$
begin
    perform issue_invoices(new.workspace_id, array[new.id], new.paid_at);
    return null;
end $$;

create or replace trigger payouts_invoice_transfer
    after update of paid_at on payouts for each row
    when (new.stripe_account_id is not null and old.paid_at is null and new.paid_at is not null)
    execute function invoice_transfer();

create or replace function invoice_run() returns trigger language plpgsql
    set plan_cache_mode = force_custom_plan as $$
begin
    perform issue_invoices(new.workspace_id, array(
        select po.id from payouts po
        where po.workspace_id = new.workspace_id and po.run_id = new.id
            and po.paid_at is not null), new.confirmed_at);
    return null;
end $$;

create or replace trigger payout_runs_invoice
    after update of confirmed_at on payout_runs for each row
    when (old.confirmed_at is null and new.confirmed_at is not null)
    execute function invoice_run();

create or replace trigger credit_notes_never_change
    before update on credit_notes for each row execute function refuse_update();

create or replace function credit_payout() returns trigger language plpgsql as $$
declare
    invoice uuid := (select i.id from invoices i where i.payout_id = new.id);
    note_number bigint;
begin
    if invoice is null then return null; end if;

    update invoice_numbers n set last_credit_note = n.last_credit_note + 1
    where n.workspace_id = new.workspace_id returning n.last_credit_note into note_number;

    insert into credit_notes (id, workspace_id, number, invoice_id, amount_cents, reason, issued_at)
    values (uuidv7(), new.workspace_id, note_number, invoice,
            case when new.returned_at is not null
                then new.amount_cents else new.reversed_cents - old.reversed_cents end,
            case when new.returned_at is not null then 'returned' else 'reversed' end,
            coalesce(new.returned_at, new.reversed_at));
    return null;
end $$;

create or replace trigger payouts_credit
    after update of returned_at, reversed_cents on payouts for each row
    when ((old.returned_at is null and new.returned_at is not null)
        or new.reversed_cents > old.reversed_cents)
    execute function credit_payout();
