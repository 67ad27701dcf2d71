-- Verification: what must be true of the ledger and the totals.

-- Where the totals differ from what they sum up.
create or replace function total_differences()
    returns table (workspace_id uuid, of_id uuid, details text) language sql stable
set enable_seqscan = on as $$
    select t.workspace_id, t.of_id,
           format('%s of %s %s: %s clicks (%s ended), %s customers, %s leads, %s sales, %s, earned %s', t.unit, t.starts_on, t.currency,
                  sum(t.clicks), sum(t.ended_clicks), sum(t.customers), sum(t.leads), sum(t.sales),
                      sum(t.revenue_cents), sum(t.earned_cents))
    from (
        select l.of_id, f.workspace_id, u.unit, date_trunc(u.unit, f.day)::date as starts_on,
            f.currency, f.clicks, f.ended_clicks,
               f.customers, f.leads, f.sales, f.revenue_cents, f.earned_cents
        from (
            select workspace_id, partner_id, currency, day, clicks, ended_clicks, customers, leads,
                sales, revenue_cents, earned_cents
            from total_facts where day is not null
            union all
            select workspace_id, partner_id, currency, day, -clicks, -ended_clicks, -customers,
                -leads, -sales, -revenue_cents,
                   -earned_cents
            from total_deltas where day is not null) f
        left join partners p on p.id = f.partner_id
        cross join lateral (values (f.partner_id),
            (coalesce(p.program_id, f.workspace_id))) as l (of_id)
        cross join (values ('day'), ('month')) as u (unit)
        where l.of_id is not null
        union all
        select of_id, workspace_id, unit, starts_on, currency, -clicks, -ended_clicks, -customers,
            -leads, -sales, -revenue_cents,
               -earned_cents
        from totals) t
    group by t.workspace_id, t.of_id, t.unit, t.starts_on, t.currency
    having (coalesce(sum(t.clicks), 0), coalesce(sum(t.ended_clicks), 0),
        coalesce(sum(t.customers), 0), coalesce(sum(t.leads), 0),
            coalesce(sum(t.sales), 0), coalesce(sum(t.revenue_cents), 0),
                coalesce(sum(t.earned_cents), 0)) <> (0, 0, 0, 0, 0, 0, 0)

    union all
    select t.workspace_id, t.of_id,
           format('%s of %s %s at the %s "%s": %s clicks (%s ended), %s leads, %s sales, %s, earned %s', t.unit, t.starts_on, t.currency,
                  t.dimension, t.value,
                  sum(t.clicks), sum(t.ended_clicks), sum(t.leads), sum(t.sales),
                      sum(t.revenue_cents), sum(t.earned_cents))
    from (
        -- What is not counted on its own in its month is one of the others.
        select l.of_id, f.workspace_id, u.unit, date_trunc(u.unit, f.day)::date as starts_on,
            f.currency, f.dimension,
               case when exists (select from landing_totals k
                                 where k.of_id = l.of_id and k.dimension = f.dimension
                                     and k.unit = 'month'
                                   and k.starts_on = date_trunc('month', f.day)::date
                                       and k.value = f.value) then f.value else '' end as value,
               f.clicks, f.ended_clicks, f.leads, f.sales, f.revenue_cents, f.earned_cents
        from (
            select workspace_id, partner_id, currency, day, d.dimension, d.value,
                sum(clicks) as clicks, sum(ended_clicks) as ended_clicks,
                   sum(leads) as leads, sum(sales) as sales, sum(revenue_cents) as revenue_cents,
                       sum(earned_cents) as earned_cents
            from (
                select workspace_id, partner_id, currency, day, page, referrer, sub, clicks,
                    ended_clicks, leads, sales, revenue_cents,
                       earned_cents
                from total_facts where day is not null
                union all
                select workspace_id, partner_id, currency, day, page, referrer, sub, -clicks,
                    -ended_clicks, -leads, -sales, -revenue_cents,
                       -earned_cents
                from total_deltas where day is not null) g
            cross join lateral (values ('page', page), ('referrer', referrer),
                ('sub', sub)) as d (dimension, value)
            where d.dimension <> 'sub' or d.value is not null
            group by workspace_id, partner_id, currency, day, d.dimension, d.value) f
        left join partners p on p.id = f.partner_id
        cross join lateral (values (f.partner_id),
            (coalesce(p.program_id, f.workspace_id))) as l (of_id)
        cross join (values ('day'), ('month')) as u (unit)
        where l.of_id is not null
        union all
        select of_id, workspace_id, unit, starts_on, currency, dimension, value, -clicks,
            -ended_clicks, -leads, -sales, -revenue_cents,
               -earned_cents
        from landing_totals) t
    group by t.workspace_id, t.of_id, t.unit, t.starts_on, t.currency, t.dimension, t.value
    having (coalesce(sum(t.clicks), 0), coalesce(sum(t.ended_clicks), 0), coalesce(sum(t.leads), 0),
        coalesce(sum(t.sales), 0),
            coalesce(sum(t.revenue_cents), 0), coalesce(sum(t.earned_cents), 0)) <> (0, 0, 0, 0, 0,
                0)

    union all
    select t.workspace_id, t.partner_id,
           format('in all: %s clicks, %s customers, %s leads, %s sales, last active on %s',
               sum(t.clicks), sum(t.customers), sum(t.leads),
                  sum(t.sales), string_agg(distinct t.last_active_on::text, ' and '))
    from (
        select workspace_id, of_id as partner_id, sum(clicks) as clicks,
            sum(customers) as customers, sum(leads) as leads, sum(sales) as sales,
               coalesce(max(starts_on)
                   filter (where (clicks, customers, leads, sales) <> (0, 0, 0, 0)),
                   '-infinity') as last_active_on
        from totals where level = 'partner' and unit = 'day' group by workspace_id, of_id
        union all
        select workspace_id, partner_id, -clicks, -customers, -leads, -sales,
            coalesce(last_active_on, '-infinity') from partner_activity) t
    group by t.workspace_id, t.partner_id
    having (sum(t.clicks), sum(t.customers), sum(t.leads), sum(t.sales)) <> (0, 0, 0, 0)
        or min(t.last_active_on) <> max(t.last_active_on) or count(*) = 1
            and max(t.last_active_on) > '-infinity'

    union all
    select t.workspace_id, t.partner_id,
           format('in all, in %s: %s sales, %s, earned %s', t.currency, sum(t.sales),
               sum(t.revenue_cents), sum(t.earned_cents))
    from (
        select workspace_id, of_id as partner_id, currency, sales, revenue_cents, earned_cents
        from totals where level = 'partner' and unit = 'month'
        union all
        select workspace_id, partner_id, currency, -sales, -revenue_cents, -earned_cents
            from partner_totals) t
    group by t.workspace_id, t.partner_id, t.currency
    having (sum(t.sales), sum(t.revenue_cents), sum(t.earned_cents)) <> (0, 0, 0)

    union all
    select t.workspace_id, t.partner_id,
        format('through "%s": %s clicks, %s sales', t.slug_key, sum(t.clicks), sum(t.sales))
    from (
        select workspace_id, partner_id, slug_key, clicks, sales from total_facts
            where slug_key is not null and partner_id is not null
        union all
        select workspace_id, partner_id, slug_key, -coalesce(clicks, 0), -coalesce(sales, 0)
        from total_deltas where slug_key is not null and partner_id is not null
        union all
        select workspace_id, partner_id, slug_key, ended_clicks - clicks, -sales from link_totals) t
    group by t.workspace_id, t.partner_id, t.slug_key
    having (sum(t.clicks), sum(t.sales)) <> (0, 0)

    union all
    select b.workspace_id, b.of_id,
           format('unpaid %s %s, of these payable %s, claimed %s', sum(b.open_cents), b.currency,
               sum(b.due_cents), sum(b.claimed_cents))
    from (
        select l.of_id, f.workspace_id, f.currency, f.open_cents, f.claimed_cents,
               case when f.due_at <= coalesce(cutoff_at, '-infinity')
                   then f.open_cents else 0 end as due_cents
        from (
            select workspace_id, partner_id, currency, due_at, open_cents, claimed_cents
                from total_facts where due_at is not null
            union all
            select workspace_id, partner_id, currency, due_at, -open_cents, -claimed_cents
                from total_deltas where due_at is not null) f
        join partners p on p.id = f.partner_id
        left join balance_cutoffs k on k.workspace_id = f.workspace_id
        cross join lateral (values (f.partner_id), (p.program_id)) as l (of_id)
        union all
        select of_id, workspace_id, currency, -open_cents, -claimed_cents, -due_cents
            from balances) b
    group by b.workspace_id, b.of_id, b.currency
    having sum(b.open_cents) <> 0 or sum(b.due_cents) <> 0 or sum(b.claimed_cents) <> 0

    union all
    select r.workspace_id, r.run_id,
        format('%s payouts %s, %s %s', sum(r.payouts), r.status, sum(r.amount_cents), r.currency)
    from (
        select workspace_id, run_id, currency, status, payouts, amount_cents from total_facts
            where run_id is not null
        union all
        select workspace_id, run_id, currency, status, -payouts, -amount_cents from total_deltas
            where run_id is not null
        union all
        select workspace_id, run_id, currency, status, -payouts, -amount_cents from run_totals) r
    group by r.workspace_id, r.run_id, r.currency, r.status
    having sum(r.payouts) <> 0 or sum(r.amount_cents) <> 0

    union all
    select s.workspace_id, s.partner_id,
        format('%s of %s: %s %s', s.kind, s.month, sum(s.cents), s.currency)
    from (
        select workspace_id, partner_id, date_trunc('month', entered_on)::date as month, currency,
            kind,
               open_cents + claimed_cents as cents
        from total_facts where entered_on is not null
        union all
        select workspace_id, partner_id, date_trunc('month', entered_on)::date, currency, kind,
            -open_cents - claimed_cents
        from total_deltas where entered_on is not null
        union all
        select workspace_id, partner_id, month, currency, kind, -amount_cents
            from statement_totals) s
    group by s.workspace_id, s.partner_id, s.month, s.currency, s.kind
    having sum(s.cents) <> 0

    union all
    select c.workspace_id, c.id, format('earned on %s', c.earned_on)
    from commissions c left join events e on e.id = c.event_id
    where c.earned_on is distinct from utc_day(e.occurred_at)

    union all
    select p.workspace_id, p.id, format('%s commissions of %s', p.commissions, s.commissions)
    from payouts p join payout_sums s on s.id = p.id
    where (p.commissions, p.deducted_cents, p.restored_cents) <> (s.commissions, s.deducted_cents,
        s.restored_cents)
$$;

create or replace function verify_ledger()
returns table (invariant text, workspace_id uuid, subject_id uuid, details text) language sql stable
set enable_seqscan = on as $$
    select 'a payout equals the sum of its commissions', p.workspace_id, p.id,
           format('%s %s, commissions of %s', p.amount_cents, p.currency,
               coalesce(sum(c.amount_cents), 0))
    from payouts p left join commissions c on c.payout_id = p.id
    where p.failed_at is null and p.canceled_at is null and p.released_at is null
        and p.returned_at is null
    group by p.id having p.amount_cents <> coalesce(sum(c.amount_cents), 0)

    union all
    select 'a test partner is never paid', p.workspace_id, p.id,
        format('%s %s', p.amount_cents, p.currency)
    from payouts p join partners t on t.id = p.partner_id where t.is_test

    union all
    select 'totals are what they sum up', t.workspace_id, t.of_id, t.details
        from total_differences() t

    union all
    select 'invoices are numbered without gaps', n.workspace_id, n.workspace_id,
        format('%s of %s', count(i.id), n.last)
    from invoice_numbers n left join invoices i on i.workspace_id = n.workspace_id
    group by n.workspace_id, n.last having n.last <> count(i.id) or max(i.number) <> n.last

    union all
    select 'credit notes are numbered without gaps', n.workspace_id, n.workspace_id,
           format('%s of %s', count(i.id), n.last_credit_note)
    from invoice_numbers n left join credit_notes i on i.workspace_id = n.workspace_id
    group by n.workspace_id, n.last_credit_note
    having n.last_credit_note <> count(i.id) or coalesce(max(i.number), 0) <> n.last_credit_note

    union all
    select 'an invoice is credited with what came back of its payout', i.workspace_id, i.id,
           format('%s, came back %s', coalesce(sum(k.amount_cents), 0),
                  case when p.returned_at is not null then p.amount_cents else p.reversed_cents end)
    from invoices i join payouts p on p.id = i.payout_id left
        join credit_notes k on k.invoice_id = i.id
    group by i.id, p.id
    having coalesce(sum(k.amount_cents), 0) <> case when p.returned_at is not null
        then p.amount_cents else p.reversed_cents end

    union all
    select 'an invoice is of a payout that was paid', i.workspace_id, i.id,
        format('the payout is %s', p.id)
    from invoices i join payouts p on p.id = i.payout_id where p.paid_at is null

    union all
    select 'a failed, canceled, released or returned payout has no commissions', p.workspace_id,
        p.id,
           format('%s commissions', count(*))
    from payouts p join commissions c on c.payout_id = p.id
    where (p.failed_at is not null or p.canceled_at is not null or p.released_at is not null
        or p.returned_at is not null)
      and not p.is_freeing
    group by p.id

    union all
    select 'a commission is paid to its own partner, in its own currency', c.workspace_id, c.id,
           format('the payout is %s', c.payout_id)
    from commissions c left join payouts p on p.id = c.payout_id
    where c.payout_id is not null
      and (p.id is null or (c.partner_id, c.program_id, c.currency) is distinct
          from (p.partner_id, p.program_id, p.currency))

    union all
    select 'no commission is paid before it is payable', c.workspace_id, c.id,
        format('payable at %s', c.payable_at)
    from commissions c join payouts p on p.id = c.payout_id join payout_runs r on r.id = p.run_id
    where c.payable_at > r.cutoff_at
      -- what was deducted after the preview counts
      and (c.amount_cents > 0 or c.payable_at > c.created_at)

    union all
    select 'a run pays at most what was previewed', r.workspace_id, r.id,
           format('%s %s in %s payouts, expected %s', sum(p.amount_cents), p.currency, count(*),
               r.expected)
    from payout_runs r join payouts p on p.run_id = r.id
    where r.expected is not null
    group by r.id, p.currency
    having sum(p.amount_cents) > coalesce((r.expected -> p.currency::text ->>
        'amountCents')::bigint, 0)
        or count(*) > coalesce((r.expected -> p.currency::text ->> 'count')::bigint, 0)

    union all
    select 'a run pays no more than its maximum, and nobody whom it leaves out', r.workspace_id,
        r.id,
           format('%s %s', sum(p.amount_cents), p.currency)
    from payout_runs r join payouts p on p.run_id = r.id
    where r.exclude_partner_ids <> '{}' or r.max_amount_cents is not null
    group by r.id, p.currency
    having sum(p.amount_cents) > (r.max_amount_cents ->> p.currency::text)::bigint
        or bool_or(p.partner_id = any (r.exclude_partner_ids))

    union all
    select 'a run that needs approval pays nothing before', r.workspace_id, r.id,
        format('%s payouts', count(*))
    from payout_runs r join payouts p on p.run_id = r.id
    where r.needs_approval is distinct from false and r.approved_at is null
    group by r.id

    union all
    select 'a held commission is not paid', c.workspace_id, c.id,
        format('the payout is %s', c.payout_id)
    from commission_holds h join commissions c on coalesce(c.reverses_id, c.id) = h.commission_id
    where h.resolved_at is null and c.payout_id is not null

    union all
    select 'a rejected commission is reversed in full', c.workspace_id, c.id,
           format('%s of %s %s', coalesce(sum(r.amount_cents), 0), c.amount_cents, c.currency)
    from commission_holds h join commissions c on c.id = h.commission_id
    left join commissions r on r.reverses_id = c.id
    where h.resolution = 'rejected'
    group by c.id having coalesce(sum(r.amount_cents), 0) <> -c.amount_cents

    union all
    -- Of one customer or click. Customers who are marked are being planned again.
    select 'of two sales that may be one purchase, one is held', e.workspace_id, e.id,
        format('it may be that of the event %s', d.evidence_id)
    from events e cross join lateral find_possible_duplicate(e.workspace_id, e.id) d
    where e.kind = 'sale' and e.commission_id is not null
      and not exists (select from customers k
          where k.id = e.customer_id and k.replan_from is not null)
      and exists (
        select from events o
        where (o.customer_id = e.customer_id or o.workspace_id = e.workspace_id
            and o.click_id = e.click_id)
          and o.kind = 'sale' and o.currency = e.currency and o.commission_id is not null
          and purchase_id_kind(o.external_id) <> purchase_id_kind(e.external_id)
          and o.occurred_at between e.occurred_at - interval '24 hours'
              and e.occurred_at + interval '24 hours')

    union all
    select 'a hold names another event', h.workspace_id, h.commission_id,
        format('the evidence is %s', h.evidence_event_id)
    from commission_holds h join commissions c on c.id = h.commission_id
    where h.evidence_event_id = c.event_id

    union all
    select 'what was earned in shadow mode is never payable', c.workspace_id, c.id,
        format('payable at %s', c.payable_at)
    from shadow_runs r
    join commissions c on c.workspace_id = r.workspace_id and c.program_id = r.program_id
    where c.kind in ('sale', 'lead') and c.replaces_id is null and c.payable_at < never()
      and c.created_at >= r.started_at + interval '1 minute'   -- the clocks of Workers differ
      and (r.ended_at is null or c.created_at < r.ended_at)

    union all
    select 'a commission that replaces one of shadow mode is never payable', c.workspace_id, c.id,
        format('it replaces %s', o.id)
    from commissions c join commissions o on o.id = c.replaces_id and o.program_id = c.program_id
    where (c.payable_at = never()) <> (o.payable_at = never())

    union all
    select 'a program in shadow mode has no payout that is not sent', p.workspace_id, p.id,
        format('the program is %s', g.id)
    from programs g join payouts p on p.program_id = g.id
    where g.mode = 'shadow' and p.stripe_account_id is not null
        and (p.claimed_at is null or p.status = 'processing')

    union all
    select 'a program is in shadow mode as long as its shadow run', g.workspace_id, g.id,
        format('it is %s', g.mode)
    from programs g
    where (g.mode = 'shadow') <> exists (select from shadow_runs r
        where r.program_id = g.id and r.ended_at is null)

    union all
    select 'a transfer pays one payout', workspace_id, (array_agg(id))[1],
        format('%s pays %s', transfer_id, count(*))
    from payouts where transfer_id is not null
    group by workspace_id, transfer_id having count(*) > 1

    union all
    select 'a payout has the status of its manual run', p.workspace_id, p.id,
        format('the run is %s', r.id)
    from payouts p join payout_runs r on r.id = p.run_id
    where r.method = 'manual'
      and ((p.canceled_at is null and (p.paid_at is null) <> (r.marked_paid_at is null))
           or (r.canceled_at is not null and p.canceled_at is null and not r.is_canceling))

    union all
    select 'a returned payout is of a confirmed run', p.workspace_id, p.id,
        format('the run is %s', r.id)
    from payouts p join payout_runs r on r.id = p.run_id
    where p.returned_at is not null and r.confirmed_at is null

    union all
    select 'a payout uses the method and program of its run, and has a transfer only if Stripe paid it', p.workspace_id, p.id,
           format('the run is %s, by %s', r.id, r.method)
    from payouts p join payout_runs r on r.id = p.run_id
    where (r.method = 'stripe') <> (p.stripe_account_id is not null)
       or (p.transfer_id is not null) <> (p.stripe_account_id is not null and p.paid_at is not null
           and p.resolved_at is null)
          and (p.resolved_at is null or p.paid_at is null)
       or p.program_id <> r.program_id

    union all
    select 'a payout is sent to the account of its own partner', p.workspace_id, p.id,
        format('%s belongs to %s', p.stripe_account_id, a.email)
    from payouts p join partners pa on pa.id = p.partner_id
    left join payout_accounts a on (a.workspace_id, a.stripe_account_id)
        = (p.workspace_id, p.stripe_account_id)
    where p.stripe_account_id is not null and a.email is distinct from pa.email

    union all
    select 'a payout is made once a changed account is in force', p.workspace_id, p.id,
        format('%s is from %s on', p.stripe_account_id, a.effective_at)
    from payouts p
        join payout_accounts a on (a.workspace_id, a.stripe_account_id)
        = (p.workspace_id, p.stripe_account_id)
    where a.effective_at > p.created_at

    -- No payout refers to the details that it was made by: they are those in force when it was
    -- created.
    union all
    select 'a person has one change of payment details in waiting', d.workspace_id, d.id,
           format('%s is of the same person', n.id)
    from payment_details d
    join payment_details n on n.workspace_id = d.workspace_id and n.email = d.email and n.id <> d.id
                          and (n.created_at, n.id) > (d.created_at, d.id)
                          and n.created_at < coalesce(d.canceled_at, d.effective_at)

    union all
    select 'payment details belong to a partner', d.workspace_id, d.id, d.email
    from payment_details d
    where not exists (select from partners p
        where p.workspace_id = d.workspace_id and p.email = d.email)

    union all
    select 'a commission counts on the day of its event', c.workspace_id, c.id,
        format('it counts on %s', c.earned_on)
    from commissions c left join events e on e.id = c.event_id
    where c.earned_on is distinct from utc_day(e.occurred_at)

    union all
    select 'an event has one current commission', c.workspace_id, c.event_id,
        format('there are %s', count(*))
    from commissions c where c.event_id is not null and c.kind <> 'reversal'
      and not exists (select from commissions n where n.replaces_id = c.id)
    group by c.workspace_id, c.event_id having count(*) > 1

    union all
    select 'an event has its own commission', e.workspace_id, e.id,
        format('%s is of %s', c.id, c.event_id)
    from events e join commissions c on c.id = e.commission_id
    where c.event_id <> e.id or c.kind = 'reversal' or c.partner_id is distinct from e.partner_id

    union all
    select 'only the current commission of an event earns', c.workspace_id, c.event_id,
           format('%s has %s', c.id, c.amount_cents + coalesce(sum(r.amount_cents), 0))
    from commissions c join events e on e.id = c.event_id left
        join commissions r on r.reverses_id = c.id
    where c.kind <> 'reversal' and e.commission_id is distinct from c.id
    group by c.id having c.amount_cents + coalesce(sum(r.amount_cents), 0) <> 0

    union all
    select 'a customer has an identity', k.workspace_id, k.id, k.external_id
    from customers k
    where k.merged_into is null
        and not exists (select from customer_identities i where i.customer_id = k.id)

    union all
    select 'an identity belongs to one customer', i.workspace_id, (array_agg(i.customer_id))[1],
           format('%s is of %s', i.value, count(distinct i.customer_id))
    from customer_identities i where i.kind <> 'email'
    group by i.workspace_id, i.kind, i.value having count(distinct i.customer_id) > 1

    union all
    select 'a merged customer keeps nothing', k.workspace_id, k.id,
        format('it is merged into %s', k.merged_into)
    from customers k
    where k.merged_into is not null
      and (exists (select from customer_identities i where i.customer_id = k.id)
           or exists (select from referrals r where r.customer_id = k.id)
           or exists (select from events e where e.customer_id = k.id)
           or exists (select from one_time_rewards o where o.customer_id = k.id)
           or exists (select from customers m
               where m.id = k.merged_into and m.merged_into is not null))

    -- Of a program whose terms never changed. Sales that are to be planned again are not compared
    -- yet.
    union all
    select 'a person earns a one-time reward once', e.workspace_id, e.customer_id,
           format('%s earn in %s', string_agg(e.external_id, ', '), c.program_id)
    from programs g
    join commissions c on c.program_id = g.id and c.kind = 'sale'
    join events e on e.commission_id = c.id
    join customers k on k.id = e.customer_id and k.replan_from is null
    where g.reward_interval = 'one-time' and g.terms_since is null
      and c.amount_cents
          + (select coalesce(sum(r.amount_cents), 0) from commissions r
          where r.reverses_id = c.id) <> 0
    group by e.workspace_id, e.customer_id, c.program_id having count(*) > 1

    union all
    select 'a one-time reward is of the customer of its sale', o.workspace_id, o.event_id,
        format('it is of %s', o.customer_id)
    from one_time_rewards o join events e on e.id = o.event_id
    where e.customer_id is distinct from o.customer_id

    union all
    select 'a purchase earns under one of its ids', s.workspace_id, s.id,
        string_agg(e.external_id, ', ' order by e.id)
    from processor_events s
    cross join lateral (select distinct regexp_replace(key, '^report:', '')
        from unnest(s.keys) key) k (id)
    join events e on e.workspace_id = s.workspace_id and e.kind = 'sale' and e.external_id = k.id
    join commissions c on c.id = e.commission_id
    where c.amount_cents
        + (select coalesce(sum(r.amount_cents), 0) from commissions r
        where r.reverses_id = c.id) <> 0
    group by s.workspace_id, s.id having count(distinct e.id) > 1

    -- But for imports of the customer since then, and for partners who were banned.
    union all
    select 'a renewal credits the partner of its subscription', e.workspace_id, e.id,
           format('%s instead of %s', e.partner_id, f.partner_id)
    from events e
    join customers k on k.id = e.customer_id and k.replan_from is null
    cross join lateral (
        -- It credits nobody if a manager has rejected the doubt about whom it credits.
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
                        and r.referred_at < e.occurred_at + interval '1 second')

    union all
    select 'a partner has one opening balance', workspace_id, partner_id,
        format('there are %s', count(*))
    from commissions where kind = 'opening_balance'
    group by workspace_id, partner_id having count(*) > 1

    union all
    select 'an adjustment has its reason', c.workspace_id, c.id, format('it is of kind %s', c.kind)
    from commissions c left join adjustments a on a.commission_id = c.id
    where (c.kind = 'adjustment' and a.commission_id is null)
       or (a.commission_id is not null and c.kind not in ('adjustment', 'reversal'))
       or (a.commission_id is not null and c.kind = 'reversal' and a.corrects_id is distinct
           from c.reverses_id)

    union all
    select 'an adjustment corrects a commission of its own partner and currency', c.workspace_id,
        c.id,
           format('it corrects %s', o.id)
    from adjustments a join commissions c on c.id = a.commission_id
        join commissions o on o.id = a.corrects_id
    where (o.partner_id, o.currency) <> (c.partner_id, c.currency) or a.event_id is distinct
        from o.event_id

    union all
    select 'reversals do not exceed the commission', c.workspace_id, c.id,
           format('%s of %s %s', sum(r.amount_cents), c.amount_cents, c.currency)
    from commissions c join commissions r on r.reverses_id = c.id
    group by c.id having sum(r.amount_cents) not between least(-c.amount_cents, 0)
        and greatest(-c.amount_cents, 0)

    union all
    select 'an event credits whom a manager has credited by hand', e.workspace_id, e.id,
           format('%s instead of %s', e.partner_id, s.step #>> '{facts,partnerId}')
    from events e cross join lateral jsonb_array_elements(e.steps) s (step)
    where e.steps @> '[{"code": "credited_by_hand"}]' and s.step ->> 'code' = 'credited_by_hand'
      and e.partner_id is distinct from (s.step #>> '{facts,partnerId}')::uuid

    -- What a manager reversed stays so, whatever was refunded and reinstated since.
    union all
    select 'what a manager reversed stays reversed', o.workspace_id, o.id,
           format('%s of %s %s', -sum(r.amount_cents), -m.cents, o.currency)
    from (select r.reverses_id as id, sum(r.amount_cents) as cents
          from adjustments a join commissions r on r.id = a.commission_id and r.kind = 'reversal'
              group by r.reverses_id) m
    join commissions o on o.id = m.id join commissions r on r.reverses_id = o.id
    group by o.id, m.cents having -sum(r.amount_cents) < -m.cents

    union all
    select 'a replaced commission is reversed in full', c.workspace_id, c.id,
           format('%s of %s %s', coalesce(sum(r.amount_cents), 0), c.amount_cents, c.currency)
    from commissions c join commissions n on n.replaces_id = c.id left
        join commissions r on r.reverses_id = c.id
    group by c.id having coalesce(sum(r.amount_cents), 0) <> -c.amount_cents

    union all
    select 'a reversal has the partner, event and currency of its commission', r.workspace_id, r.id,
        format('it reverses %s', c.id)
    from commissions r join commissions c on c.id = r.reverses_id
    where (r.partner_id, r.event_id, r.currency, r.payable_at)
          is distinct from (c.partner_id, c.event_id, c.currency, c.payable_at)
       or c.kind = 'reversal'

    union all
    select 'only the credited partner earns by an event', c.workspace_id, e.id,
           format('%s has %s', c.partner_id, sum(c.amount_cents))
    from commissions c join events e on e.id = c.event_id
    where c.partner_id is distinct from e.partner_id
    group by c.workspace_id, e.id, c.partner_id, c.currency having sum(c.amount_cents) <> 0

    union all
    select 'a purchase earns once, however often it is recorded', c.workspace_id, e.id,
           format('%s has %s', c.partner_id, sum(c.amount_cents))
    from commissions c join events e on e.id = c.event_id
    where e.steps @> '[{"code": "same_purchase"}]'
    group by c.workspace_id, e.id, c.partner_id, c.currency having sum(c.amount_cents) <> 0

    union all
    select 'refunds do not exceed their sale', r.workspace_id, s.id,
           format('%s of %s %s', sum(r.amount_cents), s.amount_cents, s.currency)
    from events r join events s on s.id = r.sale_id
    group by r.workspace_id, s.id having sum(r.amount_cents) > s.amount_cents

    union all
    select 'a refund is credited as its sale is', r.workspace_id, r.id,
        format('%s instead of %s', r.partner_id, s.partner_id)
    from events r join events s on s.id = r.sale_id
    where (r.partner_id, r.customer_id) is distinct
        from (s.partner_id, s.customer_id) or s.kind <> 'sale'

    union all
    select 'a refund does not wait for a sale that is known', r.workspace_id, r.id,
        r.sale_external_id
    from events r join events s on s.workspace_id = r.workspace_id and s.kind = 'sale'
        and s.external_id = r.sale_external_id
    where r.kind = 'refund' and r.sale_id is null and r.body_hash is not null

    -- A processor's returns and its amounts with tax count too, so of its sales only the others are
    -- compared.
    union all
    select 'refunds reverse their part of the commission', c.workspace_id, s.id,
           format('%s of %s for %s of %s', d.cents, c.amount_cents, r.cents, s.amount_cents)
    from (select sale_id, sum(amount_cents) as cents from events where sale_id is not null
        group by sale_id) r
    join events s on s.id = r.sale_id
    join commissions c on c.id = s.commission_id
    cross join lateral (select coalesce(-sum(amount_cents), 0) as cents from commissions
        where reverses_id = c.id) d
    where s.amount_cents > 0
      and d.cents < div(2 * c.amount_cents * r.cents + s.amount_cents, 2 * s.amount_cents)
      and not exists (select from processor_events p where p.event_id = s.id)

    union all
    select 'a flat reward is not more than its sale', c.workspace_id, c.id,
           format('%s %s for a sale of %s', c.amount_cents, c.currency, e.amount_cents)
    from events e join commissions c on c.id = e.commission_id and e.currency = c.currency
    join rewards w on w.id = c.reward_id and w.kind = 'flat'
    where c.kind = 'sale' and c.amount_cents > e.amount_cents

    union all
    select 'former terms end when the present ones begin', t.workspace_id, t.id,
        format('changed at %s', t.terms_since)
    from (
        select p.workspace_id, p.id, p.terms_since,
            (select max(until) from former_program_terms where program_id = p.id)
            from programs p
        union all select g.workspace_id, g.id, g.terms_since,
            (select max(until) from former_group_terms where group_id = g.id)
            from groups g
        union all select p.workspace_id, p.id, p.terms_since,
            (select max(until) from former_partner_terms where partner_id = p.id)
            from partners p
    ) t (workspace_id, id, terms_since, until)
    where t.terms_since is distinct from t.until

    union all
    select 'no row refers to another workspace', j.workspace_id, j.id, j.what
    from (
        select c.id, c.workspace_id, 'a commission and its partner'
            from commissions c join partners p on p.id = c.partner_id
                where p.workspace_id <> c.workspace_id
        union all select c.id, c.workspace_id, 'a commission and its program'
            from commissions c join programs g on g.id = c.program_id
                where g.workspace_id <> c.workspace_id
        union all select c.id, c.workspace_id, 'a commission and its event'
            from commissions c join events e on e.id = c.event_id
                where e.workspace_id <> c.workspace_id
        union all select c.id, c.workspace_id, 'a commission and its customer'
            from commissions c join customers k on k.id = c.customer_id
                where k.workspace_id <> c.workspace_id
        union all select c.id, c.workspace_id, 'a commission and its reward'
            from commissions c join rewards w on w.id = c.reward_id
                where w.workspace_id <> c.workspace_id
        union all select c.id, c.workspace_id, 'a commission and its payout'
            from commissions c join payouts o on o.id = c.payout_id
                where o.workspace_id <> c.workspace_id
        union all select c.id, c.workspace_id, 'a reversal and its commission'
            from commissions c join commissions r on r.id = c.reverses_id
                where r.workspace_id <> c.workspace_id
        union all select o.id, o.workspace_id, 'a payout and its partner'
            from payouts o join partners p on p.id = o.partner_id
                where p.workspace_id <> o.workspace_id
        union all select o.id, o.workspace_id, 'a payout and its run'
            from payouts o join payout_runs r on r.id = o.run_id
                where r.workspace_id <> o.workspace_id
        union all select e.id, e.workspace_id, 'an event and its partner'
            from events e join partners p on p.id = e.partner_id
                where p.workspace_id <> e.workspace_id
        union all select e.id, e.workspace_id, 'an event and its customer'
            from events e join customers k on k.id = e.customer_id
                where k.workspace_id <> e.workspace_id
        union all select k.id, k.workspace_id, 'a customer and its partner'
            from customers k join partners p on p.id = k.partner_id
                where p.workspace_id <> k.workspace_id
        union all select p.id, p.workspace_id, 'a partner and its program'
            from partners p join programs g on g.id = p.program_id
                where g.workspace_id <> p.workspace_id
    ) j (id, workspace_id, what)
$$;
