-- Bonuses: what partners earn once for the milestones of their program.

-- The milestones that a partner has reached, each once, however many checks find it: the key.
create table partner_bonuses (
    partner_id     uuid         not null,
    name           text         not null,
    workspace_id   uuid         not null,
    -- as it was reached: Threshold in lib/rules/tiers/tiers.ts. A changed one takes nothing back.
    milestone      jsonb        not null,
    since          timestamptz  not null,   -- when the milestone was added to the program
    -- null if it was reached before that, which earns nothing
    commission_id  uuid
        constraint partner_bonuses_commission_id_key unique,

    constraint partner_bonuses_pkey primary key (partner_id, name),
    constraint partner_bonuses_partner_id_fkey    foreign key (workspace_id, partner_id)
        references partners (workspace_id, id),
    constraint partner_bonuses_commission_id_fkey foreign key (workspace_id, commission_id)
        references commissions (workspace_id, id)
);

-- The partners whose sales have changed since their milestones were checked. fold_totals adds those
-- of new and changed sales, so that no sale writes it.
create table bonus_checks (
    partner_id    uuid         not null
        constraint bonus_checks_pkey primary key,
    workspace_id  uuid         not null,
    revision      integer      not null default 0,
    since         timestamptz  not null default now(),

    constraint bonus_checks_partner_id_fkey foreign key (workspace_id, partner_id)
        references partners (workspace_id, id)
);

-- Which partners have waited longest?
create index bonus_checks_since_idx on bonus_checks (since, partner_id);

-- Has the milestones of partners checked again. A check that is under way leaves the row.
create or replace function check_bonuses(partner_ids uuid[]) returns void language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
begin
    insert into bonus_checks as b (partner_id, workspace_id)
    select p.id, p.workspace_id
    from unnest(partner_ids) as t (id)
        cross join lateral (select * from partners where partners.id = t.id offset 0) p
    where (select g.bonuses from programs g where g.id = p.program_id) is not null
    order by p.id
    on conflict (partner_id) do update set revision = b.revision + 1;
end $$;

create or replace function check_bonuses_of_program() returns trigger language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
begin
    perform check_bonuses(array(select id from partners where program_id = new.id));
    return null;
end $$;

create or replace trigger programs_check_bonuses
    after update of bonuses on programs for each row
    when (old.bonuses::text is distinct from new.bonuses::text)
    execute function check_bonuses_of_program();

-- What a banned partner reaches is earned once it is approved again.
create or replace function check_bonuses_of_partner() returns trigger language plpgsql as $$
begin
    perform check_bonuses(array[new.id]);
    return null;
end $$;

create or replace trigger partners_check_bonuses
    after update of status on partners for each row
    when (old.status <> new.status)
    execute function check_bonuses_of_partner();
