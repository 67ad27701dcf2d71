-- The ledger: events, the commissions that they earn, holds and adjustments.

-- What an event of each kind has. A function: see is_of_kind.
create or replace function is_whole_event(kind report_kind, amount_cents sale_cents,
    currency currency_code, sale_external_id text, sale_id uuid, partner_id uuid,
    attributed_by attribution_source)
returns boolean language plpgsql immutable as $$
begin
    return (partner_id is null) = (attributed_by is null)
       and case when kind = 'refund' then (sale_id is null) = (amount_cents is null)
                else (kind = 'sale') = (amount_cents is not null and currency is not null) end
       and (kind = 'refund') = (sale_external_id is not null);
end $$;

-- A sale or lead that the merchant or a payment processor reported, and its decision:
-- steps is the ordered list of {code, facts} that explains it. Unattributed events have
-- no partner, and a customer row only if they are of a sale whose customer is known.
--
-- Or a refund that the merchant reported: of the sale named by sale_external_id, whose
-- partner and customer are the refund's too, and of which amount_cents is what counts. It
-- waits while the sale is not known, and then has no sale_id, amount and customer.
create table events (
    id                    uuid         primary key,
    workspace_id          uuid         not null
        constraint events_workspace_id_fkey references workspaces (id),
    kind                  report_kind  not null,
    external_id           text         not null,
    event_name            text         not null,
    customer_external_id  text         not null,
    customer_id           uuid,
    -- the buyer's own id, if only an address matches the customer
    addressed_id          text,
    -- 0 if nothing was paid of a reported sale after all
    amount_cents          sale_cents,
    currency              currency_code,
    metadata              jsonb,
    -- of a sale: StoredLine[] in lib/rules/rewards/sale-lines.ts, at most 100; null without lines
    lines                 jsonb,
    -- the customer's, as reported: ISO 3166
    country               text,
    -- by which the report names a partner, also if that does not decide the credit
    coupon                text,
    -- coupon ids and promotion code ids that a payment processor reports
    coupons               text[]       not null default '{}',
    click_id              text,
    -- the click's partner, if another one or nobody is credited
    clicked_partner_id    uuid,
    partner_id            uuid,
    attributed_by         attribution_source,
    -- SHA-256 of the merchant's report, to detect a repeat that differs
    body_hash             text,
    steps                 jsonb        not null,
    occurred_at           timestamptz  not null,
    -- when it took place by the merchant's report, if there is one; as it was received, or dated
    report_occurred_at    timestamptz,
    subscription_id       text,                    -- of a payment processor
    -- what the decision earns at present, if anything
    commission_id         uuid,
    -- of a refund: the sale, as the merchant names it
    sale_external_id      text,
    sale_id               uuid,                    -- of a refund: the sale, once it is known
    -- of a refund: {amountCents, currency}, each null if left out; byHand, if a manager recorded it
    requested             jsonb,
    -- of a sale: the refunds that a processor reported, see announce_refunds
    announced_refunds     text[]       not null default '{}',
    -- whether a manager rejected it as the duplicate of another sale
    is_duplicate          boolean      not null default false,
    -- whether its customer was erased, with the metadata, the country and the channel of the click
    is_erased             boolean      not null default false,
    -- of a sale: what of amount_cents was refunded or is disputed, also if it earns nothing
    returned_cents        sale_cents   not null default 0,
    revision              integer      not null default 0,   -- for optimistic concurrency

    -- One event per report, however often it is repeated.
    constraint events_workspace_id_kind_external_id_key unique (workspace_id, kind, external_id),
    constraint events_workspace_id_id_key unique (workspace_id, id),
    constraint events_whole_check
        check (is_whole_event(kind, amount_cents, currency, sale_external_id, sale_id, partner_id,
            attributed_by)),
    constraint events_click_id_fkey    foreign key (workspace_id, click_id)
        references clicks (workspace_id, id),
    -- A new customer is inserted after its first event, which is unique.
    constraint events_customer_id_fkey foreign key (workspace_id, customer_id)
        references customers (workspace_id, id)
        deferrable initially deferred,
    constraint events_partner_id_fkey  foreign key (workspace_id, partner_id)
        references partners (workspace_id, id),
    constraint events_sale_id_fkey     foreign key (workspace_id, sale_id)
        references events (workspace_id, id)
);

-- What did this customer buy, in order? What was paid first under this subscription?
create index events_customer_id_idx on events (customer_id, occurred_at)
    where customer_id is not null;
create index events_subscription_id_idx
    on events (workspace_id, subscription_id, occurred_at) where subscription_id is not null;

-- Which sales were reported under this id before its customer was known?
create index events_unknown_customer_idx
    on events (workspace_id, customer_external_id) where customer_id is null and kind = 'sale';

-- Which purchases under this id were matched to other customers by an address?
create index events_addressed_id_idx on events (workspace_id, addressed_id)
    where addressed_id is not null;

-- Which events are credited to this partner?
create index events_partner_id_idx on events (partner_id, id) where partner_id is not null;

-- Which sales came with this click?
create index events_click_id_idx on events (workspace_id, click_id) where click_id is not null;

-- Which sales does the payment processor still have to report? See
-- lib/tracking/events/expected-sales.queries.ts.
create index events_expected_idx on events (workspace_id, occurred_at)
    where steps @> '[{"code": "sale_expected_from_stripe"}]'
        and not steps @> '[{"code": "expected_sale_received"}]';

-- Which events came with a click of this partner that did not decide? They are few.
create index events_uncredited_click_idx on events (clicked_partner_id, id)
    where click_id is not null and attributed_by is distinct from 'click';

-- Which events are credited to nobody, newest first? Which sales, and which leads, either of which
-- may be few among many others?
create index events_uncredited_idx      on events (workspace_id, id) where partner_id is null;
create index events_uncredited_sale_idx on events (workspace_id, id)
    where partner_id is null and kind = 'sale';
create index events_uncredited_lead_idx on events (workspace_id, id)
    where partner_id is null and kind = 'lead';

-- Whose metadata is to be removed next? See lib/people/retention.queries.ts.
create index events_metadata_idx on events (occurred_at)
    where partner_id is null
        and (metadata is not null or jsonb_path_exists(lines, '$[*].metadata'));

-- Which leads were reported, newest first?
create index events_lead_idx on events (workspace_id, id) where kind = 'lead';

-- Which refunds were reported, newest first? Which are of a sale of this name, and of this sale?
create index events_refund_idx           on events (workspace_id, id) where kind = 'refund';
create index events_sale_external_id_idx on events (workspace_id, sale_external_id)
    where sale_external_id is not null;
create index events_sale_id_idx          on events (sale_id) where sale_id is not null;

-- What a commission of each kind has. A function, because Postgres would read and prepare the
-- conditions again in each statement that writes a row: 7% of the CPU of a sale.
create or replace function is_of_kind(kind commission_kind, amount_cents bigint, reverses_id uuid,
    replaces_id uuid, event_id uuid, customer_id uuid, reward_id uuid) returns boolean
language plpgsql immutable as $$
begin
    return (amount_cents > 0 or (amount_cents < 0 and kind in ('reversal', 'adjustment')))
       and (reverses_id is not null) = (kind = 'reversal')
       and (replaces_id is null or kind in ('sale', 'lead'))
       and case when kind in ('opening_balance', 'adjustment', 'bonus')
                then num_nonnulls(event_id, customer_id, reward_id) = 0
                when kind = 'reversal' then num_nulls(event_id, customer_id, reward_id) in (0, 3)
                else num_nulls(event_id, customer_id, reward_id) = 0 end;
end $$;

-- The ledger. A commission is what one event earned one partner, what another platform still owed
-- the partner (its one opening balance, in USD), an adjustment by a manager, or a bonus for a
-- milestone. Only payout_id ever changes, and earned_on with its event; the status is derived
-- (lib/rules/steps/commissions.ts). A reversal is a row that names the commission, of the opposite
-- sign, or of the same sign to reinstate. When a sale turns out to be another partner's, or of
-- another amount, its commission is reversed and replaced by another.
create table commissions (
    id            uuid         primary key,
    workspace_id  uuid         not null,
    program_id    uuid         not null,
    partner_id    uuid         not null,
    customer_id   uuid,
    event_id      uuid,
    reward_id     uuid,
    kind          commission_kind  not null,
    reverses_id   uuid,
    replaces_id   uuid,
    amount_cents  bigint       not null,
    currency      currency_code  not null,
    payable_at    timestamptz  not null,
    created_at    timestamptz  not null,
    payout_id     uuid,
    -- the day of its event, by a trigger if an insert does not say it: see totals
    earned_on     date,

    -- For the lines of statements. The next one is for foreign keys: see repeated condition in
    -- docs/adr/2-planner-settings.md.
    constraint commissions_partner_id_created_at_id_key unique (partner_id, created_at, id),
    constraint commissions_partner_id_id_key   unique (partner_id, id),
    constraint commissions_workspace_id_id_key unique (workspace_id, id),
    constraint commissions_kind_check
        check (is_of_kind(kind, amount_cents, reverses_id, replaces_id, event_id, customer_id,
            reward_id)),
    constraint commissions_program_id_fkey  foreign key (workspace_id, program_id)
        references programs (workspace_id, id),
    constraint commissions_partner_id_fkey  foreign key (program_id, partner_id)
        references partners (program_id, id),
    constraint commissions_customer_id_fkey foreign key (workspace_id, customer_id)
        references customers (workspace_id, id),
    constraint commissions_event_id_fkey    foreign key (workspace_id, event_id)
        references events (workspace_id, id),
    constraint commissions_reward_id_fkey   foreign key (workspace_id, reward_id)
        references rewards (workspace_id, id),
    constraint commissions_reverses_id_fkey foreign key (partner_id, reverses_id)
        references commissions (partner_id, id),
    constraint commissions_replaces_id_fkey foreign key (workspace_id, replaces_id)
        references commissions (workspace_id, id),
    -- What was earned in shadow mode is never paid: see never() and complete_commission.
    constraint commissions_never_payable_check
        check (payout_id is null or payable_at < '9999-12-31 00:00:00+00'),
    -- A payout has commissions of its own partner and currency only.
    constraint commissions_payout_id_fkey
        foreign key (partner_id, currency, payout_id) references payouts (partner_id, currency, id)
);

-- One commission per event, which others may replace.
create unique index commissions_event_id_key
    on commissions (event_id) where kind <> 'reversal' and replaces_id is null;

-- What are an event's commissions and reversals?
create index commissions_event_id_idx on commissions (event_id);

-- What replaces this commission, if anything?
create unique index commissions_replaces_id_key on commissions (replaces_id)
    where replaces_id is not null;

-- What was reversed of this commission?
create index commissions_reverses_id_idx on commissions (reverses_id) where reverses_id is not null;

-- What did this customer earn for partners, newest first?
create index commissions_customer_id_idx on commissions (customer_id, id)
    where customer_id is not null;

-- The opening balance of a partner, however often it is imported.
create unique index commissions_opening_balance_key
    on commissions (partner_id) where kind = 'opening_balance';

-- Which unpaid commissions are payable, the latest first, and which are not yet? Which have become
-- so since the cutoff?
create index commissions_payable_at_idx on commissions (workspace_id, payable_at, id)
    where payout_id is null;

-- What is still owed to this partner, and since when? After the one above, which reads all that the
-- workspace owes: of two equal plans, Postgres takes the index created last.
create index commissions_unpaid_idx
    on commissions (workspace_id, partner_id, payable_at, id) where payout_id is null;

-- What is this payout made of, newest first?
create index commissions_payout_id_idx on commissions (payout_id, id) where payout_id is not null;

-- Which commissions are of this kind, newest first? Most are of sales, so these are found without
-- an index.
create index commissions_kind_idx on commissions (workspace_id, kind, id) where kind <> 'sale';

-- Why a manager adjusted what a partner has earned: what the commission of the kind
-- adjustment adds, or deducts; or why a manager reversed corrects_id, or a part of it, by
-- hand. external_id identifies repeated requests.
create table adjustments (
    commission_id  uuid  primary key,
    workspace_id   uuid  not null,
    external_id    text  not null,
    reason         text  not null
        constraint adjustments_reason_check check (reason <> ''),   -- the partner sees it
    created_by     text  not null,   -- an email address
    body_hash      text  not null,
    event_id       uuid,             -- the event that it is about, if any
    corrects_id    uuid,             -- the commission that it is about, if any

    constraint adjustments_workspace_id_external_id_key unique (workspace_id, external_id),
    constraint adjustments_commission_id_fkey foreign key (workspace_id, commission_id)
        references commissions (workspace_id, id),
    constraint adjustments_event_id_fkey      foreign key (workspace_id, event_id)
        references events (workspace_id, id),
    constraint adjustments_corrects_id_fkey   foreign key (workspace_id, corrects_id)
        references commissions (workspace_id, id)
);

-- Which adjustments are about this event?
create index adjustments_event_id_idx on adjustments (event_id) where event_id is not null;

alter table events
    add constraint events_commission_id_fkey foreign key (workspace_id, commission_id)
        references commissions (workspace_id, id)
        deferrable initially deferred;

-- What refers to this commission? Asked when a workspace is erased.
create index events_commission_id_idx on events (commission_id) where commission_id is not null;

-- The sale that uses up a customer's one-time reward in a program, or that of a product. The key
-- allows one.
create table one_time_rewards (
    workspace_id  uuid  not null,
    program_id    uuid  not null,
    customer_id   uuid  not null,
    -- '' for the only reward of the customer, and for what names no product
    product       text  not null default '',
    event_id      uuid  not null,

    -- In this order, because a customer's are looked up too.
    constraint one_time_rewards_pkey primary key (customer_id, program_id, product),
    constraint one_time_rewards_event_id_key unique (event_id, product),
    constraint one_time_rewards_program_id_fkey  foreign key (workspace_id, program_id)
        references programs (workspace_id, id),
    constraint one_time_rewards_customer_id_fkey foreign key (workspace_id, customer_id)
        references customers (workspace_id, id),
    constraint one_time_rewards_event_id_fkey    foreign key (workspace_id, event_id)
        references events (workspace_id, id)
);

-- Commissions that a manager has to look at before they are payable, and what was decided. A
-- hold covers the reversals of its commission too. When another commission replaces the held
-- one, the hold follows. A hold without resolved_by was released because a later fact settled it.
-- A manager may hold a released commission again, which overwrites the earlier hold.
create table commission_holds (
    commission_id      uuid         primary key,
    workspace_id       uuid         not null,
    reason             text         not null
        constraint commission_holds_reason_check
            check (reason
            in ('possible_duplicate', 'self_referral', 'late_lead', 'unverified_address',
            'over_budget', 'manual')),
    evidence_event_id  uuid,                    -- the other event, which may be the same purchase
    note               text,                    -- a manager's reason, which the partner sees
    held_by            text,                    -- an email address; null if a rule holds it
    created_at         timestamptz  not null,
    resolved_at        timestamptz,
    resolution         text
        constraint commission_holds_resolution_check check (resolution in ('released', 'rejected')),
    resolved_by        text,                    -- an email address

    constraint commission_holds_reason_details_check check (case reason
        when 'manual' then num_nulls(note, held_by) = 0
        else num_nonnulls(note, held_by) = 0
            and (reason <> 'possible_duplicate' or evidence_event_id is not null) end),
    constraint commission_holds_resolved_check
        check ((resolved_at is null) = (resolution is null)
            and (resolved_at is not null or resolved_by is null)),
    constraint commission_holds_commission_id_fkey
        foreign key (workspace_id, commission_id) references commissions (workspace_id, id),
    constraint commission_holds_evidence_event_id_fkey
        foreign key (workspace_id, evidence_event_id) references events (workspace_id, id)
);

-- Whose evidence is this event?
create index commission_holds_evidence_event_id_idx on commission_holds (evidence_event_id);

-- Which commissions does this workspace hold?
create index commission_holds_open_idx on commission_holds (workspace_id, commission_id)
    where resolved_at is null;


-- Functions and triggers.

-- The lines of a sale, once their metadata is removed. Null without lines.
create or replace function without_metadata(lines jsonb) returns jsonb
language sql immutable as $$
    select jsonb_agg(l.line - 'metadata' order by l.place)
    from jsonb_array_elements(lines) with ordinality l (line, place)
$$;

-- The least id of an event that took place at a time or later. An event is recorded when it takes
-- place, or later, and its id begins with that time; a day is more than clocks differ.
create or replace function first_event_id(at timestamptz) returns uuid
language sql immutable strict as $$
    select rpad(lpad(to_hex(floor(extract(epoch from greatest(at, '1970-01-02T00:00:00Z'))
        - 86400)::bigint * 1000), 12, '0'), 32, '0')::uuid
$$;

create or replace function note_clicked_partner() returns trigger language plpgsql as $$
begin
    new.clicked_partner_id := (select partner_id from clicks
        where workspace_id = new.workspace_id and id = new.click_id);
    return new;
end $$;

create or replace trigger events_clicked_partner
    before insert or update of click_id, attributed_by on events for each row
    when (new.click_id is not null and new.attributed_by is distinct from 'click')
    execute function note_clicked_partner();

-- A refund is credited as its sale is.
create or replace function credit_refunds() returns trigger language plpgsql as $$
begin
    update events r
    set partner_id = new.partner_id, attributed_by = new.attributed_by,
        customer_id = new.customer_id
    where r.sale_id = new.id and r.workspace_id = new.workspace_id;
    return null;
end $$;

create or replace trigger events_credit_refunds
    after update on events for each row
    when (new.kind = 'sale' and (old.partner_id, old.attributed_by, old.customer_id)
                                is distinct from (new.partner_id, new.attributed_by,
                                    new.customer_id))
    execute function credit_refunds();

-- Only payout_id of a commission ever changes, and earned_on with its event.
create or replace trigger commissions_never_change
    before update of id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id,
        kind, reverses_id, replaces_id, amount_cents, currency, payable_at, created_at
    on commissions for each row execute function refuse_update();

-- Fills in the day of the event, and when a commission is payable: what is decided while the
-- program runs in shadow mode, or took place meanwhile, is never payable, because the other
-- platform pays it. So are its reversals, also one of the same statement, and what replaces it in
-- the same program, whenever that is. The lock waits for a shadow run that begins or ends, whose
-- update locks the row `for update`.
create or replace function complete_commission() returns trigger language plpgsql as $$
declare
    program  record;
begin
    if new.event_id is not null and new.earned_on is null then
        new.earned_on := (select utc_day(occurred_at) from events where id = new.event_id);
    end if;
    -- of a commission whose time the statement that reverses it may not know
    if new.reverses_id is not null then
        new.payable_at := (select c.payable_at from commissions c where c.id = new.reverses_id);
        return new;
    end if;
    select g.mode, g.shadow_since into program from programs g
        where g.id = new.program_id for key share;
    if program.shadow_since is null then return new; end if;

    if new.kind in ('opening_balance', 'adjustment') then
        if program.mode = 'shadow' then
            raise exception 'program % runs in shadow mode' , new.program_id
                using errcode = 'TR002';
        end if;
        return new;
    end if;
    if coalesce((select c.payable_at = never() from commissions c
                 where c.id = new.replaces_id and c.program_id = new.program_id),
                program.mode = 'shadow' or exists (
                    select from shadow_runs r
                    where r.program_id = new.program_id and r.started_at <= new.created_at
                      and r.ended_at > new.created_at)) then
        new.payable_at := never();
    end if;
    return new;
end $$;

create or replace trigger commissions_complete
    before insert on commissions for each row execute function complete_commission();

-- Refuses every change but that of erase_from_texts, which replaces a person's address in the
-- reason.
create or replace function keep_adjustment() returns trigger language plpgsql as $$
begin
    if current_setting('tributary.erases_texts', true) = 'on'
       and to_jsonb(new) - 'reason' is not distinct from to_jsonb(old) - 'reason' then
        return new;
    end if;
    raise exception 'rows of adjustments are immutable: insert a new row';
end $$;

create or replace trigger adjustments_never_change
    before update on adjustments for each row execute function keep_adjustment();

-- Raises TR001, which rolls the batch back, if rows have changed since they were read. The
-- code is not one of those that are retried: the caller reads again.
create or replace function assert_unchanged(is_unchanged boolean) returns void language plpgsql
    as $$
begin
    if not is_unchanged then
        raise exception 'rows have changed since they were read' using errcode = 'TR001';
    end if;
end $$;

-- Raises TR001 for a partner whose import was undone since it was read. Foreign keys are checked
-- before, and wait for an undo that is under way.
create or replace function assert_not_undone(partner uuid) returns void language plpgsql as $$
begin
    if exists (select from partners where id = partner and undone_at is not null) then
        perform assert_unchanged(false);
    end if;
end $$;

-- Adds to the ledger what is reversed of a commission, a negative amount, or reinstated. Such a row
-- copies its commission.
create or replace function reverse_commission(reversal_id uuid, workspace uuid, of_commission uuid,
    cents bigint, now timestamptz) returns void
language plpgsql as $$
begin
    insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id,
        reward_id, kind, reverses_id, amount_cents, currency, payable_at, created_at)
    select reversal_id, c.workspace_id, c.program_id, c.partner_id, c.customer_id, c.event_id,
           c.reward_id, 'reversal', c.id, cents, c.currency, c.payable_at, now
    from commissions c where c.workspace_id = workspace and c.id = of_commission;
end $$;
