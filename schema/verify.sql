-- Verification: what must be true of the ledger and the totals.
--
-- Each invariant has a view of the rows that break it, with their workspace, the invariant, the id
-- of the subject, and what is wrong. A condition on workspace_id reaches the tables of each view,
-- so that a workspace is verified by reading only its rows.

-- The commissions that reverse none, and what was reversed of each: a negative amount.
create or replace view commission_sums as
    select c.workspace_id, c.id, c.program_id, c.event_id, c.kind, c.amount_cents, c.currency,
        (select coalesce(sum(r.amount_cents), 0) from commissions r where r.reverses_id = c.id)
            as reversed_cents
    from commissions c where c.kind <> 'reversal';

-- The lines of events that were rewarded line by line, as the steps say: of a sale without lines,
-- and of a lead, which has no amount, one.
create or replace view rewarded_lines as
    select e.workspace_id, e.id as event_id, e.commission_id, e.amount_cents as sale_cents, l.line,
        (s.facts ->> 'amountCents')::bigint as amount_cents,
        (s.facts ->> 'earnedCents')::bigint as earned_cents,
        coalesce((s.facts ->> 'cutCents')::bigint, 0) as cut_cents,
        s.facts ->> 'currency' as currency,
        s.facts ->> 'rule' as rule, s.facts ? 'refusal' as is_refused,
        (s.facts #>> '{pays,percent}')::numeric as percent,
        (s.facts #>> '{pays,amountCents}')::bigint as flat_cents, s.facts #>> '{pays,per}' as per,
        coalesce((e.lines -> (l.line - 1) ->> 'quantity')::bigint, 1) as quantity
    from events e
        cross join lateral (select step -> 'facts' from jsonb_array_elements(e.steps) step
            where step ->> 'code' = 'line_reward') s (facts)
        cross join lateral (select coalesce((s.facts ->> 'line')::integer, 1)) l (line)
    where e.steps @> '[{"code": "line_reward"}]';


-- Totals.

-- Differences that are not folded yet count too. A page, referrer or sub that is not counted on its
-- own in its month is one of the others.
create or replace view broken_totals as
    select t.workspace_id, 'totals are what they sum up' as invariant, t.of_id as subject_id,
        format('%s of %s %s, %s "%s": %s clicks (%s ended), %s customers, %s leads, %s sales, %s, '
            'earned %s, unpaid %s, of these payable %s, claimed %s, %s payouts, %s', t.unit,
            t.starts_on, t.currency, t.dimension, t.value, sum(t.clicks), sum(t.ended_clicks),
            sum(t.customers), sum(t.leads), sum(t.sales), sum(t.revenue_cents),
            sum(t.earned_cents), sum(t.open_cents), sum(t.due_cents), sum(t.claimed_cents),
            sum(t.payouts), sum(t.amount_cents)) as details
    from (
        select p.workspace_id, p.of_id, p.dimension,
            case when p.dimension in ('page', 'referrer', 'sub')
                    and not exists (select from totals k
                        where k.of_id = p.of_id and k.dimension = p.dimension and k.unit = 'month'
                            and k.starts_on = date_trunc('month', p.day)::date
                            and k.value = p.value)
                then '' else p.value end as value,
            u.unit, case u.unit when 'month' then date_trunc('month', p.day)::date else p.day end
                as starts_on,
            p.currency, p.clicks, p.ended_clicks, p.customers, p.leads, p.sales, p.revenue_cents,
            p.earned_cents, p.open_cents, p.due_cents, p.claimed_cents, p.payouts, p.amount_cents
        from (
            select d.workspace_id, p.of_id, p.dimension, p.value, p.units, p.day, p.currency,
                sum(d.n * p.clicks) as clicks, sum(d.n * p.ended_clicks) as ended_clicks,
                sum(d.n * p.customers) as customers, sum(d.n * p.leads) as leads,
                sum(d.n * p.sales) as sales, sum(d.n * p.revenue_cents) as revenue_cents,
                sum(d.n * p.earned_cents) as earned_cents, sum(d.n * p.open_cents) as open_cents,
                sum(d.n * p.due_cents) as due_cents, sum(d.n * p.claimed_cents) as claimed_cents,
                sum(d.n * p.payouts) as payouts, sum(d.n * p.amount_cents) as amount_cents
            from (
                select 1 as n, workspace_id, partner_id, row(s.*)::total_deltas as difference
                from total_sums s
                union all
                select -1, workspace_id, partner_id, d from total_deltas d) d
                left join partners r on r.id = d.partner_id
                left join balance_cutoffs k on k.workspace_id = d.workspace_id
                cross join lateral parts_of_total(d.difference,
                    coalesce(r.program_id, d.workspace_id), coalesce(k.cutoff_at, '-infinity')) p
            group by d.workspace_id, p.of_id, p.dimension, p.value, p.units, p.day, p.currency) p
            cross join lateral unnest(p.units) u (unit)
        union all
        select workspace_id, of_id, dimension, value, unit, starts_on, currency, -clicks,
            -ended_clicks, -customers, -leads, -sales, -revenue_cents, -earned_cents, -open_cents,
            -due_cents, -claimed_cents, -payouts, -amount_cents
        from totals) t
    group by t.workspace_id, t.of_id, t.dimension, t.value, t.unit, t.starts_on, t.currency
    having (sum(t.clicks), sum(t.ended_clicks), sum(t.customers), sum(t.leads), sum(t.sales),
        sum(t.revenue_cents), sum(t.earned_cents), sum(t.open_cents), sum(t.due_cents),
        sum(t.claimed_cents), sum(t.payouts), sum(t.amount_cents))
        <> (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

create or replace view broken_last_activity as
    select a.workspace_id, 'a partner was last active on its newest day' as invariant,
        a.of_id as subject_id,
        format('%s instead of %s', a.last_active_on, newest.day) as details
    from totals a left join lateral (
        select starts_on as day from totals
        where of_id = a.of_id and dimension = 'all' and unit = 'day'
            and (clicks, customers, leads, sales) <> (0, 0, 0, 0)
        order by starts_on desc limit 1) newest on true
    where a.dimension = 'all' and a.unit = 'all_time' and a.level = 'partner' and a.currency = ''
        and a.last_active_on is distinct from newest.day;

create or replace view broken_payout_counts as
    select p.workspace_id, 'a payout keeps the sums of its commissions' as invariant,
        p.id as subject_id, format('%s commissions of %s', p.commissions, s.commissions) as details
    from payouts p join payout_sums s on (s.workspace_id, s.id) = (p.workspace_id, p.id)
    where (p.commissions, p.deducted_cents, p.restored_cents)
        <> (s.commissions, s.deducted_cents, s.restored_cents);


-- Payouts.

create or replace view broken_payout_sums as
    select p.workspace_id, 'a payout equals the sum of its commissions' as invariant,
        p.id as subject_id,
        format('%s %s, commissions of %s', p.amount_cents, p.currency,
            coalesce(sum(c.amount_cents), 0)) as details
    from payouts p left join commissions c on c.payout_id = p.id
    where p.failed_at is null and p.canceled_at is null and p.released_at is null
        and p.returned_at is null
    group by p.id having p.amount_cents <> coalesce(sum(c.amount_cents), 0);

create or replace view broken_test_payouts as
    select p.workspace_id, 'a test partner is never paid' as invariant, p.id as subject_id,
        format('%s %s', p.amount_cents, p.currency) as details
    from payouts p join partners t on t.id = p.partner_id where t.is_test;

create or replace view broken_invoice_numbers as
    select n.workspace_id, 'invoices are numbered without gaps' as invariant,
        n.workspace_id as subject_id, format('%s of %s', count(i.id), n.last) as details
    from invoice_numbers n left join invoices i on i.workspace_id = n.workspace_id
    group by n.workspace_id, n.last having n.last <> count(i.id) or max(i.number) <> n.last;

create or replace view broken_credit_note_numbers as
    select n.workspace_id, 'credit notes are numbered without gaps' as invariant,
        n.workspace_id as subject_id,
        format('%s of %s', count(i.id), n.last_credit_note) as details
    from invoice_numbers n left join credit_notes i on i.workspace_id = n.workspace_id
    group by n.workspace_id, n.last_credit_note
    having n.last_credit_note <> count(i.id) or coalesce(max(i.number), 0) <> n.last_credit_note;

create or replace view broken_credit_notes as
    select i.workspace_id, 'an invoice is credited with what came back of its payout' as invariant,
        i.id as subject_id,
        format('%s, came back %s', coalesce(sum(k.amount_cents), 0),
            case when p.returned_at is not null then p.amount_cents else p.reversed_cents end)
            as details
    from invoices i join payouts p on p.id = i.payout_id
        left join credit_notes k on k.invoice_id = i.id
    group by i.id, p.id
    having coalesce(sum(k.amount_cents), 0)
        <> case when p.returned_at is not null then p.amount_cents else p.reversed_cents end;

create or replace view broken_invoices as
    select i.workspace_id, 'an invoice is of a payout that was paid' as invariant,
        i.id as subject_id, format('the payout is %s', p.id) as details
    from invoices i join payouts p on p.id = i.payout_id where p.paid_at is null;

create or replace view broken_ended_payouts as
    select p.workspace_id,
        'a failed, canceled, released or returned payout has no commissions' as invariant,
        p.id as subject_id, format('%s commissions', count(*)) as details
    from payouts p join commissions c on c.payout_id = p.id
    where (p.failed_at is not null or p.canceled_at is not null or p.released_at is not null
            or p.returned_at is not null)
        and not p.is_freeing
    group by p.id;

create or replace view broken_paid_commissions as
    select c.workspace_id,
        'a commission is paid to its own partner, in its own currency' as invariant,
        c.id as subject_id, format('the payout is %s', c.payout_id) as details
    from commissions c left join payouts p on p.id = c.payout_id
    where c.payout_id is not null
        and (p.id is null or (c.partner_id, c.program_id, c.currency)
            is distinct from (p.partner_id, p.program_id, p.currency));

-- Except for what was deducted after the preview of a run.
create or replace view broken_payable_times as
    select c.workspace_id, 'no commission is paid before it is payable' as invariant,
        c.id as subject_id, format('payable at %s', c.payable_at) as details
    from commissions c join payouts p on p.id = c.payout_id join payout_runs r on r.id = p.run_id
    where c.payable_at > r.cutoff_at and (c.amount_cents > 0 or c.payable_at > c.created_at);

create or replace view broken_previews as
    select r.workspace_id, 'a run pays at most what was previewed' as invariant,
        r.id as subject_id,
        format('%s %s in %s payouts, expected %s', sum(p.amount_cents), p.currency, count(*),
            r.expected) as details
    from payout_runs r join payouts p on p.run_id = r.id
    where r.expected is not null
    group by r.id, p.currency
    having sum(p.amount_cents)
            > coalesce((r.expected -> p.currency::text ->> 'amountCents')::bigint, 0)
        or count(*) > coalesce((r.expected -> p.currency::text ->> 'count')::bigint, 0);

create or replace view broken_run_limits as
    select r.workspace_id,
        'a run pays no more than its maximum, and nobody whom it leaves out' as invariant,
        r.id as subject_id, format('%s %s', sum(p.amount_cents), p.currency) as details
    from payout_runs r join payouts p on p.run_id = r.id
    where r.exclude_partner_ids <> '{}' or r.max_amount_cents is not null
    group by r.id, p.currency
    having sum(p.amount_cents) > (r.max_amount_cents ->> p.currency::text)::bigint
        or bool_or(p.partner_id = any (r.exclude_partner_ids));

create or replace view broken_approvals as
    select r.workspace_id, 'a run that needs approval pays nothing before' as invariant,
        r.id as subject_id, format('%s payouts', count(*)) as details
    from payout_runs r join payouts p on p.run_id = r.id
    where r.needs_approval is distinct from false and r.approved_at is null
    group by r.id;

create or replace view broken_transfers as
    select workspace_id, 'a transfer pays one payout' as invariant,
        (array_agg(id))[1] as subject_id, format('%s pays %s', transfer_id, count(*)) as details
    from payouts where transfer_id is not null
    group by workspace_id, transfer_id having count(*) > 1;

create or replace view broken_manual_payouts as
    select p.workspace_id, 'a payout has the status of its manual run' as invariant,
        p.id as subject_id, format('the run is %s', r.id) as details
    from payouts p join payout_runs r on r.id = p.run_id
    where r.method = 'manual'
        and ((p.canceled_at is null and (p.paid_at is null) <> (r.marked_paid_at is null))
            or (r.canceled_at is not null and p.canceled_at is null and not r.is_canceling));

create or replace view broken_returns as
    select p.workspace_id, 'a returned payout is of a confirmed run' as invariant,
        p.id as subject_id, format('the run is %s', r.id) as details
    from payouts p join payout_runs r on r.id = p.run_id
    where p.returned_at is not null and r.confirmed_at is null;

create or replace view broken_payout_methods as
    select p.workspace_id,
        'a payout uses the method and program of its run, '
            'and has a transfer only if Stripe paid it' as invariant,
        p.id as subject_id, format('the run is %s, by %s', r.id, r.method) as details
    from payouts p join payout_runs r on r.id = p.run_id
    where (r.method = 'stripe') <> (p.stripe_account_id is not null)
        or (p.transfer_id is not null)
            <> (p.stripe_account_id is not null and p.paid_at is not null
                and p.resolved_at is null)
            and (p.resolved_at is null or p.paid_at is null)
        or p.program_id <> r.program_id;

create or replace view broken_payout_accounts as
    select p.workspace_id, 'a payout is sent to the account of its own partner' as invariant,
        p.id as subject_id,
        format('%s belongs to %s', p.stripe_account_id, a.email) as details
    from payouts p join partners pa on pa.id = p.partner_id
        left join payout_accounts a
            on (a.workspace_id, a.stripe_account_id) = (p.workspace_id, p.stripe_account_id)
    where p.stripe_account_id is not null and a.email is distinct from pa.email;

create or replace view broken_account_changes as
    select p.workspace_id, 'a payout is made once a changed account is in force' as invariant,
        p.id as subject_id,
        format('%s is from %s on', p.stripe_account_id, a.effective_at) as details
    from payouts p join payout_accounts a
        on (a.workspace_id, a.stripe_account_id) = (p.workspace_id, p.stripe_account_id)
    where a.effective_at > p.created_at;

-- No payout refers to the details that it was made by: they are those in force when it was created.
create or replace view broken_payment_detail_changes as
    select d.workspace_id, 'a person has one change of payment details in waiting' as invariant,
        d.id as subject_id, format('%s is of the same person', n.id) as details
    from payment_details d join payment_details n
        on n.workspace_id = d.workspace_id and n.email = d.email and n.id <> d.id
            and (n.created_at, n.id) > (d.created_at, d.id)
            and n.created_at < coalesce(d.canceled_at, d.effective_at);

create or replace view broken_payment_details as
    select d.workspace_id, 'payment details belong to a partner' as invariant, d.id as subject_id,
        d.email as details
    from payment_details d
    where not exists (select from partners p
        where p.workspace_id = d.workspace_id and p.email = d.email);


-- Holds, and shadow mode.

create or replace view broken_holds as
    select c.workspace_id, 'a held commission is not paid' as invariant, c.id as subject_id,
        format('the payout is %s', c.payout_id) as details
    from commission_holds h join commissions c on coalesce(c.reverses_id, c.id) = h.commission_id
    where h.resolved_at is null and c.payout_id is not null;

create or replace view broken_rejections as
    select c.workspace_id, 'a rejected commission is reversed in full' as invariant,
        c.id as subject_id,
        format('%s of %s %s', c.reversed_cents, c.amount_cents, c.currency) as details
    from commission_holds h join commission_sums c on c.id = h.commission_id
    where h.resolution = 'rejected' and c.reversed_cents <> -c.amount_cents;

create or replace view broken_budget_holds as
    select h.workspace_id, 'what is held by a budget exceeded it when it was decided' as invariant,
        c.id as subject_id, format('the event is %s', e.external_id) as details
    from commission_holds h
        join commissions c on c.id = h.commission_id
        join events e on e.commission_id = c.id
    where h.reason = 'over_budget' and h.resolved_at is null
        and not e.steps @> '[{"code": "over_budget"}]';

-- See looksLike in lib/rules/holds/possible-duplicates.ts. Sales that have a hold, or are the
-- evidence of one, are left out, because the holds decide what these are compared with. So are two
-- that are paid, because neither can be held. Customers with replan_from are being recomputed.
create or replace view broken_duplicate_holds as
    select e.workspace_id, 'of two sales that may be one purchase, one is held' as invariant,
        e.id as subject_id, format('it may be that of the event %s', o.id) as details
    from events e
        join events o on (o.customer_id = e.customer_id
                or o.workspace_id = e.workspace_id and o.click_id = e.click_id)
            and o.kind = 'sale' and o.currency = e.currency and o.commission_id is not null
            and purchase_id_kind(o.external_id) <> purchase_id_kind(e.external_id)
            and o.occurred_at between e.occurred_at - interval '24 hours'
                and e.occurred_at + interval '24 hours'
        join commissions c on c.id = e.commission_id
        join commissions oc on oc.id = o.commission_id
        cross join lateral looks_of_sale(e.workspace_id, e.id) looks
        cross join lateral looks_of_sale(o.workspace_id, o.id) others
    where e.kind = 'sale' and (c.payout_id is null or oc.payout_id is null)
        and looks.amounts && others.amounts and not looks.kinds && others.kinds
        and (e.subscription_id is not distinct from o.subscription_id
            or not (looks.kinds && array['invoice', 'checkout']
                and others.kinds && array['invoice', 'checkout']))
        and sales_from_at(e.workspace_id, e.occurred_at) <> 'api'
        and sales_from_at(o.workspace_id, o.occurred_at) <> 'api'
        and not exists (select from commission_holds h join commissions x on x.id = h.commission_id
            where x.event_id in (e.id, o.id))
        and not exists (select from commission_holds h where h.evidence_event_id in (e.id, o.id))
        and not exists (select from customers k
            where k.id = e.customer_id and k.replan_from is not null);

create or replace view broken_hold_evidence as
    select h.workspace_id, 'a hold names another event' as invariant,
        h.commission_id as subject_id, format('the evidence is %s', h.evidence_event_id) as details
    from commission_holds h join commissions c on c.id = h.commission_id
    where h.evidence_event_id = c.event_id;

-- The first minute is left out, because the clocks of Workers differ.
create or replace view broken_shadow_commissions as
    select c.workspace_id, 'what was earned in shadow mode is never payable' as invariant,
        c.id as subject_id, format('payable at %s', c.payable_at) as details
    from shadow_runs r
        join commissions c on c.workspace_id = r.workspace_id and c.program_id = r.program_id
    where c.kind in ('sale', 'lead') and c.replaces_id is null and c.payable_at < never()
        and c.created_at >= r.started_at + interval '1 minute'
        and (r.ended_at is null or c.created_at < r.ended_at);

create or replace view broken_shadow_replacements as
    select c.workspace_id,
        'a commission that replaces one of shadow mode is never payable' as invariant,
        c.id as subject_id, format('it replaces %s', o.id) as details
    from commissions c
        join commissions o on o.id = c.replaces_id and o.program_id = c.program_id
    where (c.payable_at = never()) <> (o.payable_at = never());

create or replace view broken_shadow_payouts as
    select p.workspace_id,
        'a program in shadow mode has no payout that is not sent' as invariant,
        p.id as subject_id, format('the program is %s', g.id) as details
    from programs g join payouts p on p.program_id = g.id
    where g.mode = 'shadow' and p.stripe_account_id is not null
        and (p.claimed_at is null or p.status = 'processing');

create or replace view broken_shadow_modes as
    select g.workspace_id, 'a program is in shadow mode as long as its shadow run' as invariant,
        g.id as subject_id, format('it is %s', g.mode) as details
    from programs g
    where (g.mode = 'shadow') <> exists (select from shadow_runs r
        where r.program_id = g.id and r.ended_at is null);


-- Events, and what they earn.

create or replace view broken_earned_days as
    select c.workspace_id, 'a commission counts on the day of its event' as invariant,
        c.id as subject_id, format('it counts on %s', c.earned_on) as details
    from commissions c left join events e on e.id = c.event_id
    where c.earned_on is distinct from utc_day(e.occurred_at);

create or replace view broken_current_commissions as
    select c.workspace_id, 'an event has one current commission' as invariant,
        c.event_id as subject_id, format('there are %s', count(*)) as details
    from commissions c where c.event_id is not null and c.kind <> 'reversal'
        and not exists (select from commissions n where n.replaces_id = c.id)
    group by c.workspace_id, c.event_id having count(*) > 1;

create or replace view broken_event_commissions as
    select e.workspace_id, 'an event has its own commission' as invariant, e.id as subject_id,
        format('%s is of %s', c.id, c.event_id) as details
    from events e join commissions c on c.id = e.commission_id
    where c.event_id <> e.id or c.kind = 'reversal' or c.partner_id is distinct from e.partner_id;

create or replace view broken_former_commissions as
    select c.workspace_id, 'only the current commission of an event earns' as invariant,
        c.event_id as subject_id,
        format('%s has %s', c.id, c.amount_cents + c.reversed_cents) as details
    from commission_sums c join events e on e.id = c.event_id
    where e.commission_id is distinct from c.id and c.amount_cents + c.reversed_cents <> 0;

create or replace view broken_customers as
    select k.workspace_id, 'a customer has an identity' as invariant, k.id as subject_id,
        k.external_id as details
    from customers k
    where k.merged_into is null
        and not exists (select from customer_identities i where i.customer_id = k.id);

create or replace view broken_identities as
    select i.workspace_id, 'an identity belongs to one customer' as invariant,
        (array_agg(i.customer_id))[1] as subject_id,
        format('%s is of %s', i.value, count(distinct i.customer_id)) as details
    from customer_identities i where i.kind <> 'email'
    group by i.workspace_id, i.kind, i.value having count(distinct i.customer_id) > 1;

create or replace view broken_merges as
    select k.workspace_id, 'a merged customer keeps nothing' as invariant, k.id as subject_id,
        format('it is merged into %s', k.merged_into) as details
    from customers k
    where k.merged_into is not null
        and (exists (select from customer_identities i where i.customer_id = k.id)
            or exists (select from referrals r where r.customer_id = k.id)
            or exists (select from events e where e.customer_id = k.id)
            or exists (select from one_time_rewards o where o.customer_id = k.id)
            or exists (select from customers m
                where m.id = k.merged_into and m.merged_into is not null));

-- Only programs that never changed their terms are compared, and no sales that are being
-- recomputed.
create or replace view broken_one_time_rewards as
    select e.workspace_id, 'a person earns a one-time reward once' as invariant,
        e.customer_id as subject_id,
        format('%s earn in %s', string_agg(e.external_id, ', '), c.program_id) as details
    from programs g
        join commission_sums c on c.program_id = g.id and c.kind = 'sale'
        join events e on e.commission_id = c.id
        join customers k on k.id = e.customer_id and k.replan_from is null
    where g.reward_interval = 'one-time' and g.one_time_per = 'customer' and g.terms_since is null
        and c.amount_cents + c.reversed_cents <> 0
    group by e.workspace_id, e.customer_id, c.program_id having count(*) > 1;

create or replace view broken_product_rewards as
    select r.workspace_id, 'a product earns the one-time reward of a customer once' as invariant,
        r.customer_id as subject_id,
        format('%s earn by "%s" in %s', string_agg(r.event_id::text, ', '), r.product, g.id)
            as details
    from programs g
        join rewarded_products r on r.program_id = g.id
        join customers k on k.id = r.customer_id and k.replan_from is null
    where g.reward_interval = 'one-time' and g.one_time_per = 'product' and g.terms_since is null
    group by r.workspace_id, r.customer_id, g.id, r.product having count(*) > 1;

-- Which sale has the reward of a product, and which products the lines of sales have earned by.
create or replace view broken_reward_products as
    select o.workspace_id, 'the one-time reward of a product is of a sale that earns by it'
            as invariant,
        o.event_id as subject_id, format('it does not earn by "%s"', o.product) as details
    from one_time_rewards o
    where o.product <> '' and not exists (select from rewarded_products r
        where r.event_id = o.event_id and r.program_id = o.program_id and r.product = o.product)
    union all
    select r.workspace_id, 'the one-time reward of a product is of a sale that earns by it',
        r.event_id, format('it earns by "%s"', r.product)
    from programs g
        join rewarded_products r on r.program_id = g.id
        join customers k on k.id = r.customer_id and k.replan_from is null
    where g.reward_interval = 'one-time' and g.one_time_per = 'product' and g.terms_since is null
        and not exists (select from one_time_rewards o
            where o.customer_id = r.customer_id and o.program_id = g.id and o.product = r.product
                and o.event_id = r.event_id);

create or replace view broken_reward_customers as
    select o.workspace_id, 'a one-time reward is of the customer of its sale' as invariant,
        o.event_id as subject_id, format('it is of %s', o.customer_id) as details
    from one_time_rewards o join events e on e.id = o.event_id
    where e.customer_id is distinct from o.customer_id;

create or replace view broken_purchases as
    select s.workspace_id, 'a purchase earns under one of its ids' as invariant,
        s.id as subject_id, string_agg(e.external_id, ', ' order by e.id) as details
    from processor_events s
        cross join lateral (select distinct regexp_replace(key, '^report:', '')
            from unnest(s.keys) key) k (id)
        join events e
            on e.workspace_id = s.workspace_id and e.kind = 'sale' and e.external_id = k.id
        join commission_sums c on c.id = e.commission_id
    where c.amount_cents + c.reversed_cents <> 0
    group by s.workspace_id, s.id having count(distinct e.id) > 1;

-- Imports of the customer since the first sale count instead, and banned partners are credited with
-- nothing. The first sale credits nobody if a manager has rejected a commission in doubt.
create or replace view broken_renewals as
    select e.workspace_id, 'a renewal credits the partner of its subscription' as invariant,
        e.id as subject_id, format('%s instead of %s', e.partner_id, f.partner_id) as details
    from events e
        join customers k on k.id = e.customer_id and k.replan_from is null
        cross join lateral (
            select case when not (f.steps @> '[{"code": "commission_rejected"}]'
                    and (f.steps @> '[{"code": "late_lead"}]'
                        or f.steps @> '[{"code": "unverified_address"}]'))
                then f.partner_id end as partner_id, f.occurred_at
            from events f
            where f.workspace_id = e.workspace_id and f.subscription_id = e.subscription_id
                and f.kind = 'sale' and f.id <> e.id
                and (f.occurred_at, f.external_id) < (e.occurred_at, e.external_id)
                and not f.steps @> '[{"code": "same_purchase"}]'
            order by f.occurred_at, f.external_id limit 1) f
    where e.subscription_id is not null and e.kind = 'sale'
        and coalesce(e.attributed_by, 'customer') = 'customer'
        and e.partner_id is distinct from f.partner_id
        and not e.steps @> '[{"code": "same_purchase"}]'
        and not e.steps @> '[{"code": "partner_inactive"}]'
        and not e.steps @> '[{"code": "credited_by_hand"}]'
        and not exists (select from referrals r
            where r.customer_id = e.customer_id and r.source = 'import'
                and r.referred_at > f.occurred_at
                and r.referred_at < e.occurred_at + interval '1 second');

create or replace view broken_manual_credits as
    select e.workspace_id, 'an event credits whom a manager has credited by hand' as invariant,
        e.id as subject_id,
        format('%s instead of %s', e.partner_id, s.step #>> '{facts,partnerId}') as details
    from events e cross join lateral jsonb_array_elements(e.steps) s (step)
    where e.steps @> '[{"code": "credited_by_hand"}]' and s.step ->> 'code' = 'credited_by_hand'
        and e.partner_id is distinct from (s.step #>> '{facts,partnerId}')::uuid;

create or replace view broken_earners as
    select c.workspace_id, 'only the credited partner earns by an event' as invariant,
        e.id as subject_id, format('%s has %s', c.partner_id, sum(c.amount_cents)) as details
    from commissions c join events e on e.id = c.event_id
    where c.partner_id is distinct from e.partner_id
    group by c.workspace_id, e.id, c.partner_id, c.currency having sum(c.amount_cents) <> 0;

create or replace view broken_second_records as
    select c.workspace_id, 'a purchase earns once, however often it is recorded' as invariant,
        e.id as subject_id, format('%s has %s', c.partner_id, sum(c.amount_cents)) as details
    from commissions c join events e on e.id = c.event_id
    where e.steps @> '[{"code": "same_purchase"}]'
    group by c.workspace_id, e.id, c.partner_id, c.currency having sum(c.amount_cents) <> 0;

-- A sale whose commission a manager has rejected has no such step.
create or replace view broken_line_earnings as
    select l.workspace_id, 'the lines of an event earn its commission' as invariant,
        l.event_id as subject_id,
        format('%s of lines, %s created, commission of %s %s', sum(l.earned_cents), k.cents,
            c.amount_cents, c.currency) as details
    from rewarded_lines l
        join events e on (e.workspace_id, e.id) = (l.workspace_id, l.event_id)
        join commissions c on c.id = l.commission_id
        cross join lateral (
            select (step #>> '{facts,amountCents}')::bigint from jsonb_array_elements(e.steps) step
            where step ->> 'code' = 'commission_created') k (cents)
    group by l.workspace_id, l.event_id, k.cents, c.id
    having sum(l.earned_cents) <> k.cents or k.cents <> c.amount_cents
        or bool_or(l.currency <> c.currency);

create or replace view broken_line_amounts as
    select l.workspace_id, 'the lines of a sale add up to its amount' as invariant,
        l.event_id as subject_id,
        format('%s of lines, sale of %s', sum(l.amount_cents), l.sale_cents) as details
    from rewarded_lines l
    where l.amount_cents is not null
    group by l.workspace_id, l.event_id, l.sale_cents
    having sum(l.amount_cents) <> l.sale_cents;

-- Before the cut of a cap. A flat amount per sale is paid once for all lines of its rule.
create or replace view broken_line_rewards as
    select w.workspace_id, 'a line earns what its rule pays' as invariant,
        w.event_id as subject_id,
        format('line %s: %s instead of %s', w.lines, w.earned_cents, w.cents) as details
    from (
        select l.workspace_id, l.event_id, l.line::text, l.earned_cents + l.cut_cents,
            least(l.amount_cents,
                case when l.is_refused then 0
                    when l.amount_cents is null then coalesce(l.flat_cents, 0)
                    when l.percent is not null then round(l.amount_cents * l.percent / 100)
                    when l.per = 'unit' then l.flat_cents * l.quantity::numeric
                    else 0 end)
        from rewarded_lines l
        where l.is_refused or l.amount_cents is null or l.per is distinct from 'sale'
        union all
        select l.workspace_id, l.event_id, string_agg(l.line::text, ', ' order by l.line),
            sum(l.earned_cents + l.cut_cents), least(l.flat_cents, sum(l.amount_cents))
        from rewarded_lines l
        where not l.is_refused and l.amount_cents is not null and l.per = 'sale'
        group by l.workspace_id, l.event_id, l.rule, l.flat_cents)
        w (workspace_id, event_id, lines, earned_cents, cents)
    where w.earned_cents <> w.cents;

-- The commissions of sales whose reward has caps in their currency, with each of these caps.
create or replace view capped_commissions as
    select e.workspace_id, e.id as event_id, e.customer_id, e.external_id, e.occurred_at,
        c.partner_id, c.currency, c.amount_cents, p.cap ->> 'per' as per,
        (p.cap -> 'amountCents')::bigint as cap_cents
    from rewards w
        join commissions c on c.reward_id = w.id and c.kind = 'sale'
        join events e on e.commission_id = c.id
        cross join lateral jsonb_array_elements(w.caps::jsonb) p (cap)
    where w.caps is not null and p.cap ->> 'currency' = c.currency;

create or replace view broken_caps as
    select workspace_id, 'a commission does not exceed a cap of its reward' as invariant,
        event_id as subject_id, format('%s %s, %s per %s', amount_cents, currency, cap_cents, per)
            as details
    from capped_commissions where amount_cents > cap_cents;

create or replace view broken_customer_caps as
    select c.workspace_id, 'a customer earns a partner no more than the cap' as invariant,
        c.event_id as subject_id,
        format('%s of %s %s after %s', c.amount_cents, c.cap_cents, c.currency, b.cents) as details
    from capped_commissions c
        join customers k on k.id = c.customer_id and k.replan_from is null
        cross join lateral (
            select sum(o.amount_cents) as cents
            from events e join commissions o on o.id = e.commission_id
            where e.customer_id = c.customer_id and e.kind = 'sale'
                and (e.occurred_at, e.external_id) < (c.occurred_at, c.external_id)
                and o.partner_id = c.partner_id and o.currency = c.currency) b
    where c.per = 'customer' and b.cents + c.amount_cents > c.cap_cents;

-- In a month, sales of one reward may follow those of another one with a larger cap, or without
-- one.
create or replace view broken_month_caps as
    select workspace_id, 'a partner earns no more in a month than the cap' as invariant,
        partner_id as subject_id,
        format('%s of %s %s in %s', sum(amount_cents), max(cap_cents), currency,
            utc_day(date_trunc('month', occurred_at, 'UTC'))) as details
    from capped_commissions
    where per = 'partner_month'
    group by workspace_id, partner_id, currency, date_trunc('month', occurred_at, 'UTC')
    having sum(amount_cents) > max(cap_cents);

-- With lines, it is what was cut of them. A sale that has no commission by a cap has the step only.
create or replace view broken_cuts as
    select e.workspace_id, 'a cap leaves what its step says' as invariant, e.id as subject_id,
        format('%s of %s, cut %s, commission of %s', s.left_cents, s.before_cents, l.cut_cents,
            c.amount_cents) as details
    from events e
        cross join lateral (
            select (step #>> '{facts,beforeCents}')::bigint, (step #>> '{facts,leftCents}')::bigint,
                (step #>> '{facts,capCents}')::bigint
            from jsonb_array_elements(e.steps) step where step ->> 'code' = 'cap_applied')
            s (before_cents, left_cents, cap_cents)
        cross join lateral (
            select sum(l.cut_cents) as cut_cents from rewarded_lines l
            where l.workspace_id = e.workspace_id and l.event_id = e.id) l
        left join commissions c on c.id = e.commission_id
    where e.steps @> '[{"code": "cap_applied"}]'
        and (s.left_cents >= s.before_cents or s.left_cents > s.cap_cents
            or l.cut_cents <> s.before_cents - s.left_cents
            or (coalesce(c.amount_cents, 0) <> s.left_cents
                and not e.steps @> '[{"code": "commission_rejected"}]'));


-- Opening balances, adjustments and reversals.

create or replace view broken_opening_balances as
    select workspace_id, 'a partner has one opening balance' as invariant,
        partner_id as subject_id, format('there are %s', count(*)) as details
    from commissions where kind = 'opening_balance'
    group by workspace_id, partner_id having count(*) > 1;

create or replace view broken_adjustments as
    select c.workspace_id, 'an adjustment has its reason' as invariant, c.id as subject_id,
        format('it is of kind %s', c.kind) as details
    from commissions c left join adjustments a on a.commission_id = c.id
    where (c.kind = 'adjustment' and a.commission_id is null)
        or (a.commission_id is not null and c.kind not in ('adjustment', 'reversal'))
        or (a.commission_id is not null and c.kind = 'reversal'
            and a.corrects_id is distinct from c.reverses_id);

create or replace view broken_corrections as
    select c.workspace_id,
        'an adjustment corrects a commission of its own partner and currency' as invariant,
        c.id as subject_id, format('it corrects %s', o.id) as details
    from adjustments a join commissions c on c.id = a.commission_id
        join commissions o on o.id = a.corrects_id
    where (o.partner_id, o.currency) <> (c.partner_id, c.currency)
        or a.event_id is distinct from o.event_id;

create or replace view broken_bonuses as
    select c.workspace_id, 'a bonus is for a milestone of its partner' as invariant,
        c.id as subject_id, format('it is of kind %s', c.kind) as details
    from commissions c left join partner_bonuses b on b.commission_id = c.id
    where (c.kind = 'bonus') <> (b.commission_id is not null) or b.partner_id <> c.partner_id;

-- What managers have reversed by hand is apart, and so is what they have rejected.
create or replace view broken_bonus_reversals as
    select c.workspace_id, 'a bonus is reversed as a whole, or not at all' as invariant,
        c.id as subject_id,
        format('%s of %s %s, and %s by hand', -r.cents, c.amount_cents, c.currency, -r.by_hand)
            as details
    from commissions c
        cross join lateral (
            select coalesce(sum(r.amount_cents) filter (where a.commission_id is null), 0) as cents,
                coalesce(sum(r.amount_cents) filter (where a.commission_id is not null), 0)
                    as by_hand
            from commissions r left join adjustments a on a.commission_id = r.id
            where r.reverses_id = c.id) r
    where c.kind = 'bonus' and r.cents <> 0 and c.amount_cents + r.cents + r.by_hand <> 0;

create or replace view broken_reversal_sums as
    select c.workspace_id, 'reversals do not exceed the commission' as invariant,
        c.id as subject_id,
        format('%s of %s %s', sum(r.amount_cents), c.amount_cents, c.currency) as details
    from commissions c join commissions r on r.reverses_id = c.id
    group by c.id
    having sum(r.amount_cents) not between least(-c.amount_cents, 0)
        and greatest(-c.amount_cents, 0);

create or replace view broken_line_reversals as
    select l.workspace_id, 'the reversals of a line do not exceed what it earned' as invariant,
        l.event_id as subject_id,
        format('line %s: %s of %s for %s of %s', l.line, r."reversedCents", l.earned_cents,
            r."returnedCents", l.amount_cents) as details
    from rewarded_lines l
        join events e on (e.workspace_id, e.id) = (l.workspace_id, l.event_id)
        cross join lateral jsonb_path_query(e.steps,
            '$[*] ? (@.code == "commission_reversed").facts.lines[*]') s (line)
        cross join lateral jsonb_to_record(s.line) r (line integer, "returnedCents" bigint,
            "reversedCents" bigint)
    where r.line = l.line
        and (r."returnedCents" > l.amount_cents
            or r."reversedCents"
                <> round(l.earned_cents::numeric * r."returnedCents" / nullif(l.amount_cents, 0)));

-- Refunds, and their reversals, come on top.
create or replace view broken_manual_reversals as
    select o.workspace_id, 'what a manager reversed stays reversed' as invariant,
        o.id as subject_id,
        format('%s of %s %s', -sum(r.amount_cents), -m.cents, o.currency) as details
    from (
        select r.reverses_id as id, sum(r.amount_cents) as cents
        from adjustments a join commissions r on r.id = a.commission_id and r.kind = 'reversal'
        group by r.reverses_id) m
        join commissions o on o.id = m.id join commissions r on r.reverses_id = o.id
    group by o.id, m.cents having -sum(r.amount_cents) < -m.cents;

create or replace view broken_replacements as
    select c.workspace_id, 'a replaced commission is reversed in full' as invariant,
        c.id as subject_id,
        format('%s of %s %s', c.reversed_cents, c.amount_cents, c.currency) as details
    from commission_sums c join commissions n on n.replaces_id = c.id
    where c.reversed_cents <> -c.amount_cents;

create or replace view broken_reversals as
    select r.workspace_id,
        'a reversal has the partner, event and currency of its commission' as invariant,
        r.id as subject_id, format('it reverses %s', c.id) as details
    from commissions r join commissions c on c.id = r.reverses_id
    where (r.partner_id, r.event_id, r.currency, r.payable_at)
            is distinct from (c.partner_id, c.event_id, c.currency, c.payable_at)
        or c.kind = 'reversal';


-- Refunds.

create or replace view broken_refund_sums as
    select r.workspace_id, 'refunds do not exceed their sale' as invariant, s.id as subject_id,
        format('%s of %s %s', sum(r.amount_cents), s.amount_cents, s.currency) as details
    from events r join events s on s.id = r.sale_id
    group by r.workspace_id, s.id having sum(r.amount_cents) > s.amount_cents;

create or replace view broken_refund_credits as
    select r.workspace_id, 'a refund is credited as its sale is' as invariant, r.id as subject_id,
        format('%s instead of %s', r.partner_id, s.partner_id) as details
    from events r join events s on s.id = r.sale_id
    where (r.partner_id, r.customer_id) is distinct from (s.partner_id, s.customer_id)
        or s.kind <> 'sale';

create or replace view broken_waiting_refunds as
    select r.workspace_id, 'a refund does not wait for a sale that is known' as invariant,
        r.id as subject_id, r.sale_external_id as details
    from events r join events s
        on s.workspace_id = r.workspace_id and s.kind = 'sale'
            and s.external_id = r.sale_external_id
    where r.kind = 'refund' and r.sale_id is null and r.body_hash is not null;

create or replace view broken_returned_amounts as
    select e.workspace_id, 'what was returned of a sale is a part of it' as invariant,
        e.id as subject_id,
        format('%s of %s %s', e.returned_cents, e.amount_cents, e.currency) as details
    from events e
    where e.returned_cents > case when e.kind = 'sale' then e.amount_cents else 0 end;

create or replace view broken_returned_steps as
    select e.workspace_id, 'the steps of a sale say what was returned of it' as invariant,
        e.id as subject_id,
        format('%s of %s %s instead of %s', e.returned_cents, e.amount_cents, e.currency,
            r.cents) as details
    from events e
        cross join lateral jsonb_path_query(e.steps,
            '$[*] ? (@.code == "commission_reversed").facts') s (facts)
        cross join lateral jsonb_to_record(s.facts) f ("refundedCents" numeric,
            "disputedCents" numeric, "paidCents" numeric)
        cross join lateral (select div(2 * e.amount_cents * (f."refundedCents" + f."disputedCents")
            + f."paidCents", 2 * f."paidCents")) r (cents)
    where e.kind = 'sale' and e.returned_cents <> r.cents;

-- A processor's amounts include tax, so its sales are not compared. Lines round each for itself: by
-- less than a cent what was returned of each, and by half a cent what it reverses.
create or replace view broken_refund_reversals as
    select c.workspace_id, 'refunds reverse their part of the commission' as invariant,
        s.id as subject_id,
        format('%s of %s for %s of %s', -c.reversed_cents, c.amount_cents, r.cents,
            s.amount_cents) as details
    from (
        select sale_id, sum(amount_cents) as cents from events where sale_id is not null
        group by sale_id) r
        join events s on s.id = r.sale_id
        join commission_sums c on c.id = s.commission_id
    where s.amount_cents > 0
        and -c.reversed_cents
            < div(2 * c.amount_cents * r.cents + s.amount_cents, 2 * s.amount_cents)
                - coalesce((select 2 * count(*) from rewarded_lines l
                    where l.workspace_id = s.workspace_id and l.event_id = s.id
                    having count(*) > 1), 0)
        and not exists (select from processor_events p where p.event_id = s.id);


-- Terms, and workspaces.

create or replace view broken_flat_rewards as
    select c.workspace_id, 'a flat reward is not more than its sale' as invariant,
        c.id as subject_id,
        format('%s %s for a sale of %s', c.amount_cents, c.currency, e.amount_cents) as details
    from events e join commissions c on c.id = e.commission_id and e.currency = c.currency
        join rewards w on w.id = c.reward_id and w.kind = 'flat'
    where c.kind = 'sale' and c.amount_cents > e.amount_cents;

create or replace view broken_terms as
    select t.workspace_id, 'former terms end when the present ones begin' as invariant,
        t.id as subject_id, format('changed at %s', t.terms_since) as details
    from (
        select p.workspace_id, p.id, p.terms_since,
            (select max(until) from former_program_terms where program_id = p.id)
        from programs p
        union all
        select g.workspace_id, g.id, g.terms_since,
            (select max(until) from former_group_terms where group_id = g.id)
        from groups g
        union all
        select p.workspace_id, p.id, p.terms_since,
            (select max(until) from former_partner_terms where partner_id = p.id)
        from partners p) t (workspace_id, id, terms_since, until)
    where t.terms_since is distinct from t.until;

create or replace view broken_workspaces as
    select j.workspace_id, 'no row refers to another workspace' as invariant, j.id as subject_id,
        j.what as details
    from (
        select c.workspace_id, c.id, 'a commission and its ' || o.what, o.workspace_id
        from commissions c
            left join partners p on p.id = c.partner_id
            left join programs g on g.id = c.program_id
            left join events e on e.id = c.event_id
            left join customers k on k.id = c.customer_id
            left join rewards w on w.id = c.reward_id
            left join payouts y on y.id = c.payout_id
            left join commissions r on r.id = c.reverses_id
            cross join lateral (values ('partner', p.workspace_id), ('program', g.workspace_id),
                ('event', e.workspace_id), ('customer', k.workspace_id),
                ('reward', w.workspace_id), ('payout', y.workspace_id),
                ('reversed commission', r.workspace_id)) o (what, workspace_id)
        union all
        select y.workspace_id, y.id, 'a payout and its ' || o.what, o.workspace_id
        from payouts y
            left join partners p on p.id = y.partner_id
            left join payout_runs r on r.id = y.run_id
            cross join lateral (values ('partner', p.workspace_id), ('run', r.workspace_id))
                o (what, workspace_id)
        union all
        select e.workspace_id, e.id, 'an event and its ' || o.what, o.workspace_id
        from events e
            left join partners p on p.id = e.partner_id
            left join customers k on k.id = e.customer_id
            cross join lateral (values ('partner', p.workspace_id), ('customer', k.workspace_id))
                o (what, workspace_id)
        union all
        select k.workspace_id, k.id, 'a customer and its partner', p.workspace_id
        from customers k join partners p on p.id = k.partner_id
        union all
        select p.workspace_id, p.id, 'a partner and its program', g.workspace_id
        from partners p join programs g on g.id = p.program_id
        ) j (workspace_id, id, what, of_workspace_id)
    where j.of_workspace_id <> j.workspace_id;


create or replace view ledger_violations as
    select * from broken_totals
    union all select * from broken_last_activity
    union all select * from broken_payout_counts
    union all select * from broken_payout_sums
    union all select * from broken_test_payouts
    union all select * from broken_invoice_numbers
    union all select * from broken_credit_note_numbers
    union all select * from broken_credit_notes
    union all select * from broken_invoices
    union all select * from broken_ended_payouts
    union all select * from broken_paid_commissions
    union all select * from broken_payable_times
    union all select * from broken_previews
    union all select * from broken_run_limits
    union all select * from broken_approvals
    union all select * from broken_transfers
    union all select * from broken_manual_payouts
    union all select * from broken_returns
    union all select * from broken_payout_methods
    union all select * from broken_payout_accounts
    union all select * from broken_account_changes
    union all select * from broken_payment_detail_changes
    union all select * from broken_payment_details
    union all select * from broken_holds
    union all select * from broken_rejections
    union all select * from broken_budget_holds
    union all select * from broken_duplicate_holds
    union all select * from broken_hold_evidence
    union all select * from broken_shadow_commissions
    union all select * from broken_shadow_replacements
    union all select * from broken_shadow_payouts
    union all select * from broken_shadow_modes
    union all select * from broken_earned_days
    union all select * from broken_current_commissions
    union all select * from broken_event_commissions
    union all select * from broken_former_commissions
    union all select * from broken_customers
    union all select * from broken_identities
    union all select * from broken_merges
    union all select * from broken_one_time_rewards
    union all select * from broken_product_rewards
    union all select * from broken_reward_products
    union all select * from broken_reward_customers
    union all select * from broken_purchases
    union all select * from broken_renewals
    union all select * from broken_manual_credits
    union all select * from broken_earners
    union all select * from broken_second_records
    union all select * from broken_line_earnings
    union all select * from broken_line_amounts
    union all select * from broken_line_rewards
    union all select * from broken_caps
    union all select * from broken_customer_caps
    union all select * from broken_month_caps
    union all select * from broken_cuts
    union all select * from broken_opening_balances
    union all select * from broken_adjustments
    union all select * from broken_corrections
    union all select * from broken_bonuses
    union all select * from broken_bonus_reversals
    union all select * from broken_reversal_sums
    union all select * from broken_line_reversals
    union all select * from broken_manual_reversals
    union all select * from broken_replacements
    union all select * from broken_reversals
    union all select * from broken_refund_sums
    union all select * from broken_refund_credits
    union all select * from broken_waiting_refunds
    union all select * from broken_returned_amounts
    union all select * from broken_returned_steps
    union all select * from broken_refund_reversals
    union all select * from broken_flat_rewards
    union all select * from broken_terms
    union all select * from broken_workspaces;

-- What is broken in a workspace, or in all of them. Whole tables.
create or replace function verify_ledger(workspace uuid default null)
returns table (invariant text, workspace_id uuid, subject_id uuid, details text) language sql stable
set enable_seqscan = on set plan_cache_mode = force_custom_plan as $$
    select v.invariant, v.workspace_id, v.subject_id, v.details
    from ledger_violations v where workspace is null or v.workspace_id = workspace
$$;
