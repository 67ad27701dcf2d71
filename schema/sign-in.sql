-- Sign-in: people, sessions and the links and codes that they sign in with.

-- The tables of Better Auth: users, sessions, and pending sign-in links. members has what a user
-- may do. A session is found by the token in its cookie, which is valid only with its signature.
-- Links are stored as hashes. The schema is not named auth, because Neon's extension for JWTs
-- creates one of that name.
create schema sign_in;

create table sign_in.users (
    id              uuid         primary key,
    name            text         not null,
    email           text         not null,
    email_verified  boolean      not null,
    image           text,
    created_at      timestamptz  not null,
    updated_at      timestamptz  not null,
    -- why mails do not arrive, as last reported by the provider: note_mail_report
    mail_problem    text
        constraint users_mail_problem_check
            check (mail_problem in ('bounced', 'suppressed', 'complained')),
    mail_reported_at timestamptz,

    constraint users_email_key unique (email)
);

create table sign_in.sessions (
    id          uuid         primary key,
    user_id     uuid         not null
        constraint sessions_user_id_fkey references sign_in.users (id) on delete cascade,
    token       text         not null,
    expires_at  timestamptz  not null,
    ip_address  text,
    user_agent  text,
    created_at  timestamptz  not null,
    updated_at  timestamptz  not null,
    passkey_at  timestamptz,                  -- when the person last confirmed with a passkey
    passkey_id  uuid,                         -- which one; does not count once it is removed

    constraint sessions_token_key unique (token),
    constraint sessions_passkey_check check ((passkey_at is null) = (passkey_id is null))
);

-- Which sessions does this user have, and which have expired?
create index sessions_user_id_idx on sign_in.sessions (user_id);
create index sessions_expires_at_idx on sign_in.sessions (expires_at);

-- A passkey, with which a person confirms a session that a mailed link has started: see
-- lib/sign-in/passkeys/passkeys.service.ts. Anybody who reads the mailbox can add one. So a passkey
-- that was not confirmed by another one does not count before counts_from.
create table sign_in.passkeys (
    id             uuid         primary key,
    user_id        uuid         not null
        constraint passkeys_user_id_fkey references sign_in.users (id) on delete cascade,
    credential_id  text         not null,     -- base64url, as public_key, a COSE key
    public_key     text         not null,
    -- of signatures, by the authenticator: 0 where it counts none
    counter        bigint       not null
        constraint passkeys_counter_check check (counter >= 0),
    transports     text[]       not null,
    host           text         not null,     -- for which browsers use it
    name           text         not null,
    created_at     timestamptz  not null,
    counts_from    timestamptz  not null,
    used_at        timestamptz,

    constraint passkeys_credential_id_key unique (credential_id)
);

-- Which passkeys does this user have?
create index passkeys_user_id_idx on sign_in.passkeys (user_id);

-- The challenge of a session for one purpose of a passkey. Used once, within minutes.
create table sign_in.passkey_challenges (
    id          uuid         primary key,
    session_id  uuid         not null
        constraint passkey_challenges_session_id_fkey references sign_in.sessions (id)
            on delete cascade,
    purpose     text         not null
        constraint passkey_challenges_purpose_check check (purpose in ('add', 'confirm')),
    challenge   text         not null,
    expires_at  timestamptz  not null,

    constraint passkey_challenges_session_id_purpose_key unique (session_id, purpose)
);

-- Which have expired?
create index passkey_challenges_expires_at_idx on sign_in.passkey_challenges (expires_at);

-- A browser in which this user has signed in. A sign-in in another one is mailed. hash is the
-- SHA-256 of a random cookie.
create table sign_in.browsers (
    id          uuid         primary key,
    user_id     uuid         not null
        constraint browsers_user_id_fkey references sign_in.users (id) on delete cascade,
    hash        text         not null,
    expires_at  timestamptz  not null,        -- extended by each sign-in

    constraint browsers_user_id_hash_key unique (user_id, hash)
);

-- Which browsers are forgotten?
create index browsers_expires_at_idx on sign_in.browsers (expires_at);

-- Counts of requests for sign-in links by UTC day and key: the network of the caller, the mailbox
-- (its SHA-256), or unknown addresses. See lib/mail/outbox/sign-in-quota.ts. Kept for a day.
create table sign_in.request_counts (
    key         text         not null,
    day         date         not null,
    requests    integer      not null,
    id          uuid         not null default uuidv7(),
    expires_at  timestamptz  not null,

    constraint request_counts_pkey primary key (key, day),
    constraint request_counts_id_key unique (id)
);

-- Which counts are over?
create index request_counts_expires_at_idx on sign_in.request_counts (expires_at);

-- Required by Better Auth. Empty, because sign-in links are the only method.
create table sign_in.accounts (
    id                        uuid         primary key,
    user_id                   uuid         not null
        constraint accounts_user_id_fkey references sign_in.users (id) on delete cascade,
    account_id                text         not null,
    provider_id               text         not null,
    access_token              text,
    refresh_token             text,
    id_token                  text,
    access_token_expires_at   timestamptz,
    refresh_token_expires_at  timestamptz,
    scope                     text,
    password                  text,
    created_at                timestamptz  not null,
    updated_at                timestamptz  not null
);

-- An unused sign-in link. identifier is the SHA-256 of its token, value the email address. The page
-- that it opens is stored here, because a mail contains nothing that the requester chose.
create table sign_in.verifications (
    id          uuid         primary key,
    identifier  text         not null,
    value       text         not null,
    mailbox     text         not null,        -- for limits
    next        text         not null,        -- the path to open after signing in
    expires_at  timestamptz  not null,
    created_at  timestamptz  not null,
    updated_at  timestamptz  not null,

    constraint verifications_identifier_key unique (identifier)
);

-- How many links to this mailbox are pending, and which have expired?
create index verifications_mailbox_idx on sign_in.verifications (mailbox, expires_at);
create index verifications_expires_at_idx on sign_in.verifications (expires_at);

-- Which browser asked for a link, and the state of the link, until it expires. A link that is
-- opened in another browser may show a code of six digits, which signs in the browser that asked:
-- see docs/security.md. The browser's cookie is stored as SHA-256, and the caller's network and the
-- code as HMAC with AUTH_SECRET.
create table sign_in.asks (
    id            uuid         primary key,
    -- of the link: verifications.identifier while that exists
    token_hash    text         not null,
    email         text         not null,
    browser_hash  text         not null,
    network_hash  text         not null,
    browser       text         not null,      -- such as "Firefox on Windows"
    opened_in     text,                       -- where a code was shown
    code_hash     text,
    attempts      integer      not null default 0,   -- codes typed
    used_in       text,                       -- where the link has signed in
    used_by_hash  text,
    used_at       timestamptz,
    created_at    timestamptz  not null,
    expires_at    timestamptz  not null,

    constraint asks_token_hash_key unique (token_hash),
    constraint asks_used_check     check (num_nonnulls(used_in, used_by_hash, used_at) in (0, 3))
);

-- What became of the links of this browser, newest first, and which have expired?
create index asks_browser_hash_idx on sign_in.asks (browser_hash, id);
create index asks_expires_at_idx   on sign_in.asks (expires_at);

-- Which requests name an erased person?
create index asks_email_idx on sign_in.asks (email);


-- Functions and triggers.

-- Adds each sign-in to the audit logs of the person's workspaces, in the statement that starts the
-- session. Security definer, because the Worker auth may use neither members nor the audit log.
create or replace function audit_sign_in() returns trigger language plpgsql security definer
    set search_path = public, pg_temp as $$
begin
    insert into audit_entries (id, workspace_id, actor, action, subject_id, details, created_at)
    select uuidv7(), m.workspace_id, m.email, 'member.signed_in', m.id,
           jsonb_build_object('role', m.role, 'browser', new.user_agent), new.created_at
    from members m where m.email = (select u.email from sign_in.users u where u.id = new.user_id);
    return null;
end $$;

create or replace trigger sessions_audit_sign_in
    after insert on sign_in.sessions for each row execute function audit_sign_in();

-- Erases the sign-in data of these addresses, unless a workspace has one of them.
create or replace function erase_sign_ins(addresses text[]) returns void language plpgsql
security definer set search_path = public, pg_temp
as $$
begin
    if exists (select from partners p where p.email = any (addresses))
       or exists (select from members m where m.email = any (addresses)) then
        return;
    end if;
    delete from sign_in.verifications where value::jsonb ->> 'email' = any (addresses);
    delete from sign_in.asks where email = any (addresses);
    delete from sign_in.users where email = any (addresses);
end $$;

-- Whether this address has ever signed in, which proves that the mailbox exists. A manager who
-- never did may be a typing error.
create or replace function has_signed_in(address text) returns boolean language sql stable
security definer set search_path = public, pg_temp as $$
    select exists (select from sign_in.users u where u.email = address)
$$;

-- Whether this person has one of these roles, and had it and had signed in 72 hours before a
-- request. So nobody can approve by a second mailbox that was invited for it before the managers,
-- who are mailed, have had three days to notice.
create or replace function may_approve(workspace uuid, address text, roles text[],
    asked_at timestamptz) returns boolean
language sql stable
security definer set search_path = public, pg_temp set plan_cache_mode = force_custom_plan as $$
    select exists (
        select from members m join sign_in.users u on u.email = m.email
        where m.workspace_id = workspace and m.email = address and m.role = any (roles)
          and greatest(m.role_since, u.created_at) <= asked_at - interval '72 hours')
$$;

-- Counts a request today. @returns the requests, this one included
create or replace function sign_in.count_request(counted text, today date) returns integer
    language sql
as $$
    insert into sign_in.request_counts as c (key, day, requests, expires_at)
        values (counted, today, 1, (today + 2)::timestamptz)
    on conflict (key, day) do update set requests = c.requests + 1
    returning c.requests
$$;

-- Removes expired sessions, browsers and sign-in links. Returns the most that it found of one kind:
-- less than the limit if none are left.
create or replace function clear_expired_sign_ins(at timestamptz, most integer) returns integer
    language plpgsql
security definer set search_path = public, pg_temp as $$
declare
    kind  text;
    found integer;
    ended integer := 0;
begin
    foreach kind in array array['sessions', 'browsers', 'verifications', 'request_counts', 'asks',
        'passkey_challenges'] loop
        execute format('delete from sign_in.%I where id in (
            select id from sign_in.%1$I where expires_at < $1
                order by expires_at limit $2 for update skip locked)', kind)
        using least(at, now()), most;
        get diagnostics found = row_count;
        ended := greatest(ended, found);
    end loop;
    return ended;
end $$;

-- Whether clear_expired_sign_ins would find something.
create or replace function sign_ins_have_expired(at timestamptz) returns boolean language sql stable
security definer set search_path = public, pg_temp as $$
    select exists (select from sign_in.sessions where expires_at < at)
        or exists (select from sign_in.browsers where expires_at < at)
        or exists (select from sign_in.verifications where expires_at < at)
        or exists (select from sign_in.asks where expires_at < at)
        or exists (select from sign_in.passkey_challenges where expires_at < at)
        or exists (select from sign_in.request_counts where expires_at < at)
$$;
