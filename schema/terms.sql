-- The terms of partners, by which sales and leads are decided.

-- The products by which sales have earned what they earn at present, reversed or not; '' for a line
-- without one. Those are of the lines that have earned something, or of all lines if the sale was
-- rewarded as a whole. As productsOf in lib/rules/rewards/earn-lines.ts.
create or replace view rewarded_products as
    select e.workspace_id, e.id as event_id, e.external_id, e.customer_id, c.program_id,
        e.occurred_at, p.product
    from events e
        join commissions c on c.id = e.commission_id and c.kind = 'sale'
        cross join lateral (
            select distinct coalesce(l.product, '')
            from (
                select step #>> '{facts,productId}' from jsonb_array_elements(e.steps) step
                where step ->> 'code' = 'line_reward' and step #> '{facts,earnedCents}' > '0'
                union all
                select line ->> 'productId'
                from jsonb_array_elements(coalesce(nullif(e.lines, '[]'), '[{}]')) line
                where not e.steps @> '[{"code": "line_reward"}]') l (product)) p (product);


-- Functions and triggers.

-- What is spent of a program's budget in the month of a time: BudgetUse in
-- lib/rules/programs/budgets.ts. Null if what takes place at that time is never payable.
create or replace function budget_use(program uuid, at timestamptz) returns json
language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_variable
declare
    g         record;
    currency  text;
    first_on  date := date_trunc('month', utc_day(at));
    spent     bigint;
begin
    select workspace_id, mode, shadow_since, monthly_budget into g from programs where id = program;
    -- As complete_commission.
    if g.mode = 'shadow' or g.shadow_since is not null and exists (
            select from shadow_runs r
            where r.program_id = program and r.started_at <= at and r.ended_at > at) then
        return null;
    end if;
    currency := g.monthly_budget ->> 'currency';
    select coalesce(sum(s.earned_cents), 0) into spent
    from (
        select t.earned_cents from totals t
        where t.of_id = program and t.dimension = 'all' and t.unit = 'month'
          and t.starts_on = first_on and t.value = '' and t.currency = currency
        union all
        select d.earned_cents
        from total_deltas d join partners p on p.id = d.partner_id
        where d.workspace_id = g.workspace_id and p.program_id = program
          and d.currency = currency and d.day >= first_on and d.day < first_on + interval '1 month')
        s;
    return json_build_object('month', to_char(first_on, 'YYYY-MM'),
        'budgetCents', g.monthly_budget -> 'amountCents', 'currency', currency,
        'spentCents', spent);
end $$;

-- A partner with its terms: PartnerTerms in lib/rules/attribution/attribution.ts. The present
-- terms, or those in force when a sale was paid. That is two times, because a processor's time is
-- in whole seconds: the terms are those at the end, and a partner who was active at either
-- is approved. firstRewardedAt is when the customer first earned a sale commission in the
-- program by that time: by its first sale that earns one at present, reversed or not, or as
-- an import reported it. Where each product earns a one-time reward, rewardedProducts are those
-- that have, and firstRewardedAt is what an import reported.
create or replace function terms_of_partner(partner uuid, customer uuid, paid_from timestamptz,
    paid_to timestamptz) returns json
language plpgsql stable
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
declare
    p                  record;
    pr                 record;
    g                  record;
    in_group           json;
    reward             json;
    own_reward         json;
    tier               json;
    first_rewarded_at  timestamptz;
    rewarded           text[] := '{}';
begin
    if paid_to is null then
        select id, email, slug, status, program_id, group_id, reward_id into p from partners
            where id = partner;
        if not found then return null; end if;
        select * into pr from programs where id = p.program_id;
        if p.group_id is not null then
            select name, sale_reward_id, lead_reward_id into g from groups where id = p.group_id;
        end if;
    else
        select * into p from partner_terms v where v.id = partner and v.until > paid_to
            order by v.until limit 1;
        if not found then return null; end if;
        if p.status <> 'approved' then
            select v.status into p.status
            from partner_terms v where v.id = partner and v.until > paid_from
                order by v.until limit 1;
        end if;
        select * into pr from program_terms v where v.id = p.program_id and v.until > paid_to
            order by v.until limit 1;
        if p.group_id is not null then
            select * into g from group_terms v where v.id = p.group_id and v.until > paid_to
                order by v.until limit 1;
        end if;
    end if;
    if p.group_id is not null then
        in_group := json_build_object('name', g.name, 'saleReward', reward_of(g.sale_reward_id),
            'leadReward', reward_of(g.lead_reward_id));
    end if;

    reward := reward_of(pr.reward_id);
    own_reward := reward_of(p.reward_id);
    -- A text, as of the payments that load_report asks for.
    if pr.tiers is not null and paid_from is not null
        and concat(reward, own_reward, in_group) ~ '"fact" ?: ?"tier"' then
        tier := reached_by(partner, pr.tiers, paid_from);
    end if;

    if customer is not null then
        if pr.reward_interval = 'one-time' and pr.one_time_per = 'product' then
            rewarded := array(
                select distinct r.product from rewarded_products r
                where r.customer_id = customer and r.program_id = p.program_id
                  and (paid_to is null or r.occurred_at <= paid_to));
        else
            -- A subquery, so that sales are read in order and no further than the first rewarded
            -- one.
            select e.occurred_at into first_rewarded_at
            from events e
            where e.customer_id = customer and p.program_id = (
                select c.program_id from commissions c
                where c.id = e.commission_id and c.kind = 'sale')
              and (paid_to is null or e.occurred_at <= paid_to)
            order by e.occurred_at limit 1;
        end if;

        first_rewarded_at := least(first_rewarded_at, (   -- ignores nulls
            select r.started_at
            from referrals r
            where exists (select from customers cu
                where cu.id = customer and cu.imported_at is not null)
              and r.customer_id = customer and r.started_at is not null
                  and (paid_to is null or r.referred_at <= paid_to)
              and (select i.program_id from partners i where i.id = r.partner_id) = p.program_id
            order by r.referred_at desc, r.origin desc limit 1));
    end if;

    return json_build_object(
        'id', p.id, 'slug', p.slug, 'status', p.status, 'programId', p.program_id,
        'emails', array_append(array(select f.email from former_partner_addresses f
            where f.partner_id = p.id), p.email),
        'reward', reward, 'ownReward', own_reward,
        'rewardInterval', pr.reward_interval, 'rewardDurationMonths', pr.reward_duration_months,
        'oneTimeMinimumCents', pr.one_time_minimum_cents, 'oneTimePer', pr.one_time_per,
        'rewardShipping', pr.reward_shipping,
        'creditOutOfBand', pr.credit_out_of_band, 'holdingDays', pr.holding_days, 'netDays',
            pr.net_days,
        'attribution', pr.attribution, 'attributeKnownCustomers', pr.attribute_known_customers,
        'lateLeadDays', pr.late_lead_days, 'selfReferrals', pr.self_referrals,
        'unverifiedAddresses', pr.unverified_addresses,
        'group', in_group, 'tier', tier,
        'budget', case when pr.monthly_budget is not null and paid_from is not null
            then budget_use(p.program_id, paid_from) end,
        'firstRewardedAt', first_rewarded_at, 'rewardedProducts', rewarded);
end $$;
