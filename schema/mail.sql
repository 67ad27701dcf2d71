-- Mail: the outbox, what was sent and what became of it, who wants no mail, and the notices that
-- all managers get, such as changes of the approval limit.

-- A higher limit, or none, that waits for another manager: see set_approval_limit.
create table approval_limit_requests (
    id            uuid         primary key,
    workspace_id  uuid         not null
        constraint approval_limit_requests_workspace_id_fkey references workspaces (id),
    above_cents   bigint,                              -- null removes the limit
    requested_by  text         not null,               -- an email address
    requested_at  timestamptz  not null,

    constraint approval_limit_requests_workspace_id_key unique (workspace_id)
);

-- The outbox. A mail is inserted in the transaction of the change that it reports, and kept after
-- it was sent. It is due at next_attempt_at, the end of its lease while it is being sent. An
-- undeliverable mail has failed_at, until a manager retries it. For reports of the provider about
-- sent mails, see note_mail_report.
create table mails (
    id               uuid         primary key,
    workspace_id     uuid                     -- null: to a person about its account
        constraint mails_workspace_id_fkey references workspaces (id),
    kind             text         not null
        constraint mails_kind_check
            check (kind in ('moved', 'welcome', 'message', 'application_rejected',
                'partner_invitation', 'invitation', 'connect_account', 'connect_reminder',
                'bank_refused', 'payout_sent', 'payout_failed', 'payout_returned',
                'payout_approval', 'payout_report', 'payout_review', 'payout_preview',
                'payout_problem', 'shadow_week', 'payment_details', 'payout_account',
                'tier_changed', 'address_link', 'address_changed', 'opening_balances',
                'manual_earnings', 'webhook_disabled', 'member_address', 'workspace_notice',
                'support_address', 'new_browser', 'passkey')),
    recipient        text         not null,
    partner_id       uuid,
    -- of a mail of a program to somebody who is no partner of it
    program_id       uuid,
    payout_id        uuid,                    -- the payout that it reports
    -- what for, if a partner gets several mails of the kind; 'test': a manager tries it
    occasion         text         not null default '',
    details          jsonb        not null,   -- the data of the kind's template
    created_at       timestamptz  not null,
    attempts         integer      not null default 0,
    first_attempt_at timestamptz,             -- the transport deduplicates for a day from then on
    next_attempt_at  timestamptz  not null,
    lease_id         uuid,                    -- the last one
    last_error       text,
    sent_at          timestamptz,
    failed_at        timestamptz,
    -- waits until its workspace may mail people who never signed in: see hold_mails
    is_held          boolean      not null default false,
    released_at      timestamptz,
    -- of the idempotency key: one more after each report that it was never sent
    key_version      integer      not null default 0,
    -- its request for several mails, which is repeated unchanged under this key
    batch_id         uuid,
    delivery         text                     -- the last of these that the provider has reported
        constraint mails_delivery_check
            check (delivery in ('delivered', 'bounced', 'suppressed', 'complained')),
    delivery_reason  text,
    delivery_at      timestamptz,             -- when the provider noticed
    status           text not null generated always as (case
        when sent_at is not null then coalesce(delivery, 'sent') when failed_at is not null
            then 'failed'
        when is_held then 'held' when attempts > 0 then 'retrying' else 'queued' end) virtual,

    -- One mail of a kind per payout, however often its result is saved.
    constraint mails_payout_id_kind_key unique (payout_id, kind),
    constraint mails_payout_id_fkey foreign key (workspace_id, payout_id)
        references payouts (workspace_id, id),
    constraint mails_payout_id_check
        check ((payout_id is not null)
            = (kind in ('payout_sent', 'payout_failed', 'payout_returned') and occasion <> 'test')),
    constraint mails_workspace_id_check
        check ((workspace_id is null) = (kind in ('new_browser', 'passkey'))),
    constraint mails_outcome_check check (sent_at is null or failed_at is null),
    constraint mails_delivery_sent_check check (delivery is null or sent_at is not null),
    constraint mails_partner_id_fkey foreign key (workspace_id, partner_id)
        references partners (workspace_id, id),
    constraint mails_program_id_fkey foreign key (workspace_id, program_id)
        references programs (workspace_id, id)
);

-- One mail of a kind per partner and occasion, such as one welcome.
create unique index mails_partner_id_kind_occasion_key on mails (partner_id, kind, occasion)
    where payout_id is null;

-- One mail per recipient, program, importer and day, with growing sums: mail_opening_balances.
create unique index mails_opening_balances_key on mails (workspace_id, recipient, occasion)
    where kind = 'opening_balances';

-- One mail per recipient, program and five minutes, with a growing list: mail_manual_earnings.
create unique index mails_manual_earnings_key on mails (workspace_id, recipient, occasion)
    where kind = 'manual_earnings';

-- Which mails are due?
create index mails_due_idx on mails (next_attempt_at) where sent_at is null and failed_at is null
    and not is_held;

-- Which batch, whose outcome is unknown, is due, and which mails are in it?
create index mails_batch_idx on mails (next_attempt_at, batch_id)
    where batch_id is not null and sent_at is null and failed_at is null;

-- Which mails are held for this workspace, or this person? How many has it released today?
create index mails_held_idx on mails (workspace_id, id) where is_held and failed_at is null;
create index mails_held_recipient_idx on mails (recipient) where is_held;
create index mails_released_idx on mails (workspace_id, released_at) where released_at is not null;

-- Which mails does this workspace have, newest first, and which were not sent?
create index mails_workspace_id_idx on mails (workspace_id, id);
create index mails_unsent_idx       on mails (workspace_id, id) where sent_at is null;

-- Which were delivered, which bounced, and of which is nothing reported?
create index mails_delivery_idx on mails (workspace_id, delivery, id) where sent_at is not null;

-- Which mails were for this partner, newest first?
create index mails_partner_id_idx on mails (partner_id, id) where partner_id is not null;

-- Which mails about its account does an erased person have?
create index mails_account_idx on mails (recipient) where workspace_id is null;

-- Which test mails did this manager ask for of late?
create index mails_test_idx on mails (workspace_id, recipient, created_at) where occasion = 'test';

-- How many support addresses were asked to confirm of late?
create index mails_support_address_idx on mails (created_at) where kind = 'support_address';

-- Were the managers of this workspace mailed about this?
create index mails_workspace_notice_idx on mails (workspace_id, occasion)
    where kind = 'workspace_notice';

-- Which mails are to be emptied next?
create index mails_sent_at_idx on mails (sent_at) where recipient <> '';

-- Texts of mails to partners that managers have changed. The version increases with each change, so
-- that a form never overwrites a text that it did not show. change_id identifies the newest change,
-- which may be repeated.
create table mail_texts (
    workspace_id  uuid     not null
        constraint mail_texts_workspace_id_fkey references workspaces (id),
    kind          text     not null
        constraint mail_texts_kind_check
            check (kind in ('welcome', 'moved', 'partner_invitation', 'application_rejected',
                'connect_account', 'connect_reminder', 'payout_sent', 'payout_failed',
                'payout_returned', 'bank_refused')),
    subject       text,              -- null: the default
    intro         text,
    version       integer  not null,
    change_id     uuid     not null,

    constraint mail_texts_pkey primary key (workspace_id, kind)
);

-- What a manager wrote to many partners at once. Each has a mail of the kind 'message', whose
-- occasion is this id. It is kept while one of them is to be sent, and as long as sent mails.
create table mailings (
    id            uuid         primary key,   -- of the form, so that it is sent once
    workspace_id  uuid         not null
        constraint mailings_workspace_id_fkey references workspaces (id),
    subject       text         not null,      -- with placeholders
    content       text         not null,
    created_at    timestamptz  not null
);

-- How many has this workspace sent of late? Which are to be removed?
create index mailings_workspace_id_idx on mailings (workspace_id, created_at);
create index mailings_created_at_idx   on mailings (created_at);

-- The people who unsubscribed from a workspace. They still get mails about their account, payouts
-- and applications: lib/mail/mailings/unsubscribe.ts.
create table mail_optouts (
    workspace_id  uuid         not null
        constraint mail_optouts_workspace_id_fkey references workspaces (id),
    email         text         not null,
    created_at    timestamptz  not null,

    constraint mail_optouts_pkey primary key (workspace_id, email)
);

-- The key, in one row, that signs the links to unsubscribe. They work as long as it is kept.
create table unsubscribe_key (
    key  text  not null
);
insert into unsubscribe_key
    values (replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''));

-- The usage of the provider's accounts, sign-in links included: lib/mail/outbox/quota.ts.
create table mail_usage (
    account          text         primary key
        constraint mail_usage_account_check check (account in ('personal', 'bulk')),
    day              date         not null,   -- UTC
    sent             integer      not null,   -- that we have sent on that day
    -- of the provider's quotas, as its last answer said; null without such a quota
    daily_used       integer,
    monthly_used     integer,
    reported_at      timestamptz,
    -- it refuses mails for lack of quota, and is not asked before
    exhausted_until  timestamptz
);


-- Functions and triggers.

-- Saves what the provider reports of a mail: lib/mail/transport/resend-events.schemas.ts. Reports
-- arrive twice, late and out of order, so an earlier stage never replaces a later one. A report
-- proves that the provider has accepted the mail, even if its response was lost. A mail that the
-- provider never sent has failed, and gets another idempotency key: reports under the former key
-- are ignored. A complaint about a mail of a program unsubscribes its recipient. If the account
-- also sends sign-in links, the problem of the address is saved with the person.
create or replace function note_mail_report(report jsonb, now timestamptz) returns void
    language plpgsql
security definer set search_path = public, pg_temp as $$
declare
    stages   constant text[] := array['delivered', 'suppressed', 'bounced', 'complained'];
    mail     constant uuid := report ->> 'mailId';
    version  constant integer := report ->> 'keyVersion';
    outcome  constant text := report ->> 'outcome';
    reason   constant text := report ->> 'reason';
    noticed  constant timestamptz := report ->> 'at';
    address  text := report ->> 'address';
begin
    if mail is not null then
        if outcome = 'failed' then
            update mails m
            set sent_at = null, failed_at = coalesce(m.failed_at, now),
                last_error = concat_ws(': ', 'failed', reason),
                key_version = m.key_version + 1
            where m.id = mail and m.key_version = version and m.delivery is null;
        else
            update mails m
            set sent_at = coalesce(m.sent_at, now), failed_at = null, last_error = null,
                delivery = outcome, delivery_reason = reason, delivery_at = noticed
            where m.id = mail and m.key_version = version
              and array_position(stages, outcome) > coalesce(array_position(stages, m.delivery), 0);
        end if;
        if outcome = 'complained' then
            insert into mail_optouts (workspace_id, email, created_at)
            select m.workspace_id, m.recipient, now from mails m
            where m.id = mail and (m.partner_id is not null or m.program_id is not null)
                and m.recipient <> ''
            on conflict do nothing;
        end if;
        -- The provider has the domain of the address in ASCII.
        address := coalesce((select nullif(m.recipient, '') from mails m where m.id = mail),
            address);
    end if;
    if (report ->> 'isOfSignIn')::boolean and outcome is distinct from 'failed' then
        update sign_in.users u set mail_problem = report ->> 'problem', mail_reported_at = noticed
        where u.email = address and (u.mail_reported_at is null or u.mail_reported_at < noticed);
    end if;
end $$;

-- Where sign-up is open, anybody can create a workspace. Until the operator trusts it, its mails to
-- people who have never signed in are held. lib/mail/outbox/held-mails.queries.ts releases them:
-- none until the first sale is credited to a partner, then some each day. Links to new addresses
-- are not held, because a partner or member who has signed in requests them.
create or replace function hold_mails() returns trigger language plpgsql
security definer set search_path = public, pg_temp as $$
declare
    held uuid[];
begin
    held := array(
        select a.id from added a
        where a.workspace_id is not null and a.kind not in ('address_link', 'member_address')
          and (select w.trusted_at from workspaces w where w.id = a.workspace_id) is null
          and (select u.id from sign_in.users u where u.email = a.recipient) is null);
    if cardinality(held) > 0 then
        update mails set is_held = true where id = any(held);
    end if;
    return null;
end $$;

create or replace trigger mails_hold after insert on mails referencing new table as added
    for each statement execute function hold_mails();

-- A person whose data was erased gets no mail, even about former payouts:
-- lib/people/erase-partner.queries.ts.
create or replace function leave_out() returns trigger language plpgsql
    as $$ begin return null; end $$;

create or replace trigger mails_not_to_erased
    before insert on mails for each row when (new.recipient like '%@erased.invalid')
        execute function leave_out();

-- The audit log of each workspace that the person is a member of has the passkeys that are added
-- and removed. Where payouts require a passkey, all managers are mailed about one that does not
-- count yet, and may remove it. With the owner's rights, as audit_sign_in.
create or replace function note_passkey() returns trigger language plpgsql security definer
    set search_path = public, pg_temp as $$
declare
    changed sign_in.passkeys := coalesce(new, old);
    person  text := (select u.email from sign_in.users u where u.id = changed.user_id);
    at      timestamptz := case when tg_op = 'INSERT'
        then new.created_at else clock_timestamp() end;
    member  members;
begin
    if tg_op = 'DELETE' then
        update sign_in.sessions set passkey_at = null, passkey_id = null
            where user_id = old.user_id and passkey_id = old.id;
    end if;
    for member in select m.* from members m where m.email = person order by m.workspace_id loop
        insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
        values (uuidv7(), member.workspace_id,
            coalesce(nullif(current_setting('tributary.actor', true), ''), person),
            case tg_op when 'INSERT' then 'member.passkey_added' else 'member.passkey_removed' end,
            member.id,
            jsonb_strip_nulls(jsonb_build_object('email', person, 'countsFrom', new.counts_from)),
            at);
        if tg_op = 'INSERT' and new.counts_from > new.created_at
            and (select w.payouts_require_passkey from workspaces w
                where w.id = member.workspace_id) then
            perform mail_managers(member.workspace_id, 'passkey_added', person, null,
                to_char(new.counts_from at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"'), null,
                'passkey ' || new.id, at);
        end if;
    end loop;
    return null;
end $$;

create or replace trigger passkeys_note after insert or delete on sign_in.passkeys for each row
    execute function note_passkey();

-- The passkeys of a workspace's members that do not count yet.
create or replace function waiting_passkeys(workspace uuid, at timestamptz)
returns table (id uuid, email text, created_at timestamptz, counts_from timestamptz)
    language sql stable
security definer set search_path = public, pg_temp as $$
    select p.id, m.email, p.created_at, p.counts_from
    from members m join sign_in.users u on u.email = m.email
        join sign_in.passkeys p on p.user_id = u.id
    where m.workspace_id = workspace and p.counts_from > at
    order by p.counts_from, p.id
$$;

-- Removes a passkey that does not count yet, and mails the person. Returns whether it existed.
create or replace function cancel_passkey(workspace uuid, manager text, passkey uuid, url text,
    at timestamptz) returns boolean language plpgsql
security definer set search_path = public, pg_temp as $$
declare
    removed record;
begin
    if not exists (select from members m where m.workspace_id = workspace and m.email = manager
        and m.role = 'manager') then
        return false;
    end if;
    perform set_config('tributary.actor', manager, true);
    delete from sign_in.passkeys p using waiting_passkeys(workspace, at) w
    where p.id = passkey and w.id = p.id
    returning w.email, p.name into removed;
    perform set_config('tributary.actor', '', true);
    if removed.email is null then return false; end if;
    insert into mails (id, kind, recipient, details, created_at, next_attempt_at)
    values (uuidv7(), 'passkey', removed.email,
        jsonb_build_object('change', 'removed', 'name', removed.name, 'by', manager, 'url', url),
        at, at);
    return true;
end $$;

-- Why this manager may not approve a request for a higher limit; null if it may. "own": another
-- manager has to. "waits": nobody else may, so the requester may do so after 72 hours. "recent":
-- see may_approve.
create or replace function approval_limit_refusal(request approval_limit_requests, address text)
    returns text language sql stable
security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
    select case
        when request.requested_by <> address
        then case when not may_approve(request.workspace_id, address, '{manager}',
            request.requested_at) then 'recent' end
        when exists (select from members m
                     where m.workspace_id = request.workspace_id and m.email <> address
                       and may_approve(m.workspace_id, m.email, '{manager}',
                           request.requested_at)) then 'own'
        when request.requested_at > now() - interval '72 hours' then 'waits' end
$$;

-- Sets the sum above which payout runs wait for a second manager, if it is lower than before. A
-- higher limit, or none, is requested: all managers are mailed, and another one approves. It
-- replaces an earlier request. No Worker may write the column itself.
create or replace function set_approval_limit(workspace uuid, above bigint, actor text, url text)
    returns void language plpgsql
security definer set search_path = public, pg_temp as $$
declare
    former   bigint;
    request  approval_limit_requests;
    is_lower boolean;
begin
    select w.approval_above_cents into strict former from workspaces w
        where w.id = workspace for no key update;
    select * into request from approval_limit_requests r where r.workspace_id = workspace;
    if former is not distinct from above
        or (request.id is not null and request.above_cents is not distinct from above) then
        return;
    end if;
    delete from approval_limit_requests r where r.workspace_id = workspace;
    is_lower := former is null or above < former;
    insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
    values (uuidv7(), workspace, actor,
        case when is_lower then 'workspace.changed' else 'workspace.limit_requested' end, workspace,
        jsonb_build_object('approvalAboveCents',
            jsonb_build_object('from', former, 'to', above)), now());
    if is_lower then
        update workspaces set approval_above_cents = above where id = workspace;
    else
        insert into approval_limit_requests (id, workspace_id, above_cents, requested_by,
            requested_at)
        values (uuidv7(), workspace, above, actor, now()) returning * into request;
        perform mail_managers(workspace, 'limit_requested', actor, above::text, null, url,
            request.id::text, now());
    end if;
end $$;

-- Approves a request for a higher limit, or declines it, and mails all managers.
-- @returns why this manager may not, see approval_limit_refusal, or "gone"
create or replace function decide_approval_limit(workspace uuid, requested uuid, approves boolean,
    actor text, url text) returns text
language plpgsql security definer set search_path = public, pg_temp as $$
declare
    former   bigint;
    request  approval_limit_requests;
    refusal  text;
    outcome  constant text := case when approves then 'limit_approved' else 'limit_declined' end;
begin
    select w.approval_above_cents into strict former from workspaces w
        where w.id = workspace for no key update;
    select * into request from approval_limit_requests r
        where r.workspace_id = workspace and r.id = requested;
    if request.id is null then return 'gone'; end if;
    if approves then
        refusal := approval_limit_refusal(request, actor);
        if refusal is not null then return refusal; end if;
        update workspaces set approval_above_cents = request.above_cents where id = workspace;
    end if;
    delete from approval_limit_requests r where r.id = requested;
    insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
    values (uuidv7(), workspace, actor, 'workspace.' || outcome, workspace,
        jsonb_build_object('approvalAboveCents',
            jsonb_build_object('from', former, 'to', request.above_cents)), now());
    perform mail_managers(workspace, outcome, actor, request.above_cents::text, null, url,
        uuidv7()::text, now());
    return null;
end $$;

-- Counts a request for a sign-in link, and returns what the decision about it needs:
-- lib/mail/outbox/sign-in-quota.ts. People are known who have signed in, and who are members,
-- partners or invited in a workspace that the operator trusts: where sign-up is open, anybody can
-- add anybody to other workspaces. A link to an unknown address counts only if it may be sent. Only
-- the person's own browser gets mail_problem.
create or replace function note_sign_in_request(address text, mailbox text, network text,
    browser text, network_cap integer, mailbox_cap integer, now timestamptz)
returns jsonb language plpgsql
security definer set search_path = public, pg_temp as $$
declare
    today       constant date := utc_day(now);
    person      uuid;
    problem     text;
    is_known    boolean;
    is_own      boolean;
    to_mailbox  integer;
    from_network integer;
    to_unknown  integer;
begin
    select u.id, u.mail_problem into person, problem from sign_in.users u where u.email = address;
    is_own := exists (select from sign_in.browsers b where b.user_id = person and b.hash = browser
        and b.expires_at > now);
    is_known := person is not null
        or exists (
            select from (
                select m.workspace_id from members m where m.email = address
                union all
                select p.workspace_id from partners p where p.email = address
                union all
                select a.workspace_id from applications a
                where a.email = address and a.invited_at is not null and a.outcome is null) o
            where (select w.trusted_at from workspaces w where w.id = o.workspace_id) is not null);
    from_network := sign_in.count_request('from ' || network, today);
    to_mailbox := sign_in.count_request('to ' || mailbox, today);
    if is_known or from_network > network_cap or to_mailbox > mailbox_cap then
        to_unknown := coalesce((select c.requests from sign_in.request_counts c
            where c.key = 'unknown' and c.day = today), 0);
    else
        to_unknown := sign_in.count_request('unknown', today) - 1;
    end if;
    return jsonb_build_object(
        'isKnown', is_known, 'isKnownBrowser', is_own, 'problem', case when is_own then problem end,
        'fromNetwork', from_network, 'toMailbox', to_mailbox, 'toUnknown', to_unknown,
        'usage', (select jsonb_build_object(
                'sentToday', case when u.day = today then u.sent else 0 end,
                'dailyUsed', u.daily_used, 'monthlyUsed', u.monthly_used,
                'reportedAt', u.reported_at, 'exhaustedUntil', u.exhausted_until)
            from mail_usage u where u.account = 'personal'));
end $$;

-- Mails a notice to all managers of a workspace, once per occasion. `more` has further details.
create or replace function mail_managers(workspace uuid, about text, person text, what text,
    day text, url text, its_occasion text, now timestamptz, more jsonb default '{}') returns void
language sql set plan_cache_mode = force_custom_plan as $$
    insert into mails (id, workspace_id, kind, recipient, occasion, details, created_at,
        next_attempt_at)
    select uuidv7(), w.id, 'workspace_notice', m.email, its_occasion,
        jsonb_build_object('workspaceName', w.name, 'notice', about, 'person', person,
            'what', what, 'day', day, 'url', url) || more, now, now
    from workspaces w join members m on m.workspace_id = w.id and m.role = 'manager'
    where w.id = workspace
        and not exists (select from mails x
            where x.workspace_id = workspace and x.kind = 'workspace_notice'
                and x.occasion = its_occasion)
    order by m.email
$$;
