/** Calls of every function of schema.sql, in a workspace of tests/support/many-rows.ts. */
import { EXPECTED, holdRequest } from '../../lib/rules/holds/hold-facts.ts'
import { idOf } from './many-rows.ts'

const quote = (value: unknown): string =>
  value === null
    ? 'null'
    : `'${(typeof value === 'object' ? JSON.stringify(value) : String(value)).replaceAll("'", "''")}'`

const call = (name: string, ...values: unknown[]): string =>
  `select ${name}(${values.map(quote).join(', ')})`

const NEW = 900_000
const WORKSPACE = idOf('workspace', 1)
const PROGRAM = idOf('program', 1)
const PARTNER = idOf('partner', 1)
const CUSTOMER = idOf('customer', 1)
const EVENT = idOf('event', 1)
const NOW = new Date().toISOString()

const TIERS = { by: 'sales', period: 'month', timeZone: 'Europe/Berlin', levels: [] }
/** One without sales: of another, all that the partner has earned in it is read. */
const MONTH = '2100-01-01'
const MONTH_CAP = {
  ...{ partnerId: PARTNER, month: MONTH, currency: 'USD' },
  ...{ capCents: 0, wantedCents: 490, keptCents: 490, earnedCents: 490 },
}

const identity = (kind: string, value: string) => ({ kind, value })
const report = (of: object) =>
  call('save_report', {
    workspaceId: WORKSPACE,
    eventId: idOf('event', NEW),
    kind: 'sale',
    externalId: 'order-new',
    customerExternalId: 'user-new',
    eventName: 'sale',
    amountCents: 4900,
    currency: 'USD',
    clickId: 'click-1',
    bodyHash: 'hash',
    steps: [],
    occurredAt: NOW,
    ...of,
  })
const refund = (of: object) =>
  call('save_refund', {
    workspaceId: WORKSPACE,
    eventId: idOf('event', NEW),
    externalId: 'refund-new',
    saleExternalId: 'order-1',
    purchaseKey: 'report:order-1',
    eventName: 'refund',
    requested: { amountCents: 100, currency: null },
    bodyHash: 'hash',
    isJoined: false,
    steps: [],
    occurredAt: NOW,
    ...of,
  })
const requestOf = (eventId: string, tiedIds: string[] = []) =>
  holdRequest(
    { eventId, tiedIds, isNew: true, rule: { reason: 'self_referral', isNew: true } },
    { duplicates: true, expected: true },
  )
const hold = (eventId: string, tiedIds?: string[]) =>
  call('load_hold_facts', WORKSPACE, requestOf(eventId, tiedIds))
const credited = {
  partnerId: PARTNER,
  attributedBy: 'click',
  referrer: { partnerId: PARTNER, source: 'click', attribution: 'last', clickedAt: NOW },
  commission: {
    id: idOf('commission', NEW),
    programId: PROGRAM,
    rewardId: idOf('reward', 1),
    amountCents: 490,
    currency: 'USD',
    payableAt: NOW,
    oneTime: true,
  },
  stepsWhenBeaten: [],
  late: { isReferred: true, isNamed: true, isPaid: true, since: '2020-01-01T00:00:00Z' },
  paymentsBefore: 0,
  holds: [],
}

/** Rows of an import, one column each. */
const ADDRESSES = 'new-1@partner.example\nformer-1@partner.example\npartner-1@partner.example'
const imported = [
  'new-1@partner.example\nnew-2@partner.example',
  '\t\n\t',
  'new-1\nnew-2',
  'new-1\nnew-2',
  'https://shop-1.example/?ref=new-1\n\t',
] as const
const further = [{ n: 1, slug: 'new-3', key: 'new-3' }]
const coupons = [{ n: 1, id: 'coupon-new', label: null }]

const keyHash = (n: number) => n.toString(16).padStart(64, '0')
const load = (
  kind: string,
  reportId: string,
  customer: string,
  click: string | null,
  code: { slug?: string; coupon?: string } = {},
) =>
  call(
    'load_report',
    ...[keyHash(1), kind, reportId, 'external', customer, click, 'order-1', true, NOW, null],
    ...[code.slug ?? null, code.coupon ?? null],
  )

const insertEvent = `insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, amount_cents,
    currency, click_id, steps, occurred_at)
  values ('${idOf('event', NEW)}', '${WORKSPACE}', 'sale', 'order-new', 'sale', 'user-new', 4900, 'USD', 'click-1', '[]', now())`
const insertPayout = `insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, created_at,
    next_attempt_at, number)
  values ('${idOf('payout', NEW)}', '${WORKSPACE}', '${idOf('run', 1)}', '${PROGRAM}', '${PARTNER}', 'EUR', 5000, now(), now(), null)`
const insertEarned = `insert into commissions (id, workspace_id, program_id, partner_id, customer_id, event_id, reward_id, kind,
    reverses_id, amount_cents, currency, payable_at, created_at)
  values ('${idOf('commission', NEW)}', '${WORKSPACE}', '${PROGRAM}', '${PARTNER}', '${CUSTOMER}', '${EVENT}', '${idOf('reward', 1)}',
    'reversal', '${idOf('commission', 1)}', -5, 'USD', now(), now())`
const insertReversal = `insert into commissions (id, workspace_id, program_id, partner_id, kind, reverses_id, amount_cents, currency,
    payable_at, created_at, payout_id)
  values ('${idOf('balance', NEW)}', '${WORKSPACE}', '${PROGRAM}', '${PARTNER}', 'reversal', '${idOf('balance', 1)}', -5, 'USD', now(),
    now(), '${idOf('payout', 1)}')`
const set = (table: string, changes: string, id: string) =>
  `update ${table} set ${changes} where id = '${id}'`

/** What reaches each statement of the functions. Each is rolled back. */
export const CALLS: Record<string, string> = {
  'a key that passes on clicks': call('may_pass_on', keyHash(1), PROGRAM, NOW),
  'a click': call(
    'save_click',
    'click-new',
    PROGRAM,
    'slug-1',
    null,
    null,
    'news',
    true,
    'click-1',
    NOW,
    NOW,
    100_000,
  ),
  'a click of a visitor with clicks of two programs': call(
    'save_click',
    'click-new',
    PROGRAM,
    'slug-0\nslug-1',
    null,
    null,
    null,
    true,
    'click-1\nclick-2',
    NOW,
    NOW,
    100_000,
  ),
  'a click beyond the budget': call(
    'save_click',
    'click-new',
    PROGRAM,
    'slug-1',
    null,
    null,
    'news',
    true,
    'click-1',
    NOW,
    NOW,
    0,
  ),
  'a report of a new customer is loaded': load('lead', 'user-new', 'user-new', 'click-1'),
  'a sale of a known customer is loaded': load('sale', 'order-new', 'user-1', 'click-1'),
  'a refund is loaded': call(
    'load_refund',
    keyHash(1),
    'refund-new',
    'order-1',
    'report:order-1',
    NOW,
  ),
  'a refund before its sale is loaded': call(
    'load_refund',
    keyHash(1),
    'refund-new',
    'order-new',
    'in_1',
    NOW,
  ),
  'a refund by hand is loaded': call(
    'refund_facts',
    WORKSPACE,
    'refund-new',
    'order-1',
    'report:order-1',
  ),
  'a refund is saved': refund({
    sale: {
      id: EVENT,
      revision: 0,
      returnedCents: 100,
      steps: [],
      reversal: { id: idOf('commission', NEW), reversesId: idOf('commission', 1), amountCents: -1 },
    },
    amountCents: 100,
    currency: 'USD',
  }),
  'a refund that a processor reports is announced': call('announce_refunds', WORKSPACE, EVENT, [
    { id: 're_new', amountCents: 100, currency: 'USD' },
  ]),
  'a refund before its sale is saved': refund({ saleExternalId: 'order-new' }),
  'a sale with a slug is loaded': load('sale', 'order-new', 'user-new', null, { slug: 'slug-3' }),
  'a sale with a former slug is loaded': load('sale', 'order-new', 'user-new', null, {
    slug: 'former-3',
  }),
  'a sale with a coupon is loaded': load('sale', 'order-new', 'user-new', null, {
    coupon: 'coupon-3',
  }),
  'a repeated sale is loaded': load('sale', 'order-1', 'user-1', 'click-none'),
  'a new customer is saved': report({
    ...credited,
    newCustomer: { id: idOf('customer', NEW) },
    identities: [identity('external', 'user-new'), identity('email', 'user-new@buyer.example')],
    adoptsSales: true,
  }),
  'a known customer is saved': report({
    ...credited,
    paymentsBefore: 2,
    commission: { ...credited.commission, monthCap: MONTH_CAP },
    customer: {
      id: CUSTOMER,
      revision: 0,
      isChanged: true,
      isReferred: true,
      isRevised: true,
      isMoved: true,
    },
    identities: [identity('email', 'user-new@buyer.example')],
    holds: [requestOf(idOf('event', NEW))],
  }),
  'a sale that nobody is credited with is saved': report({
    identities: [identity('external', 'user-new')],
  }),
  'a sale of a new customer without sales is saved': report({
    ...credited,
    newCustomer: { id: idOf('customer', NEW) },
    identities: [identity('external', 'user-new')],
    adoptsSales: false,
  }),
  'a repeated sale is saved': report({ externalId: 'order-1' }),
  'an expensive request begins': call(
    'begin_expensive',
    idOf('other', NEW),
    WORKSPACE,
    10,
    2,
    '15 seconds',
  ),
  'a key is used': call('note_key_use', keyHash(1), NOW),
  'transfers are adopted': call('adopt_transfers', WORKSPACE, NOW, 100),
  'a visit is recorded': call(
    'note_visit',
    PROGRAM,
    null,
    'slug-1',
    'https://shop.example/',
    true,
    'ref',
    NOW,
  ),
  'a visit is refused': call(
    'note_visit',
    PROGRAM,
    'partner_not_found',
    'slug-none',
    'https://shop.example/',
    false,
    null,
    NOW,
  ),
  'a mail bounces': call(
    'note_mail_report',
    {
      mailId: idOf('other', 1),
      keyVersion: 0,
      address: 'nobody@partner.example',
      outcome: 'bounced',
      problem: 'bounced',
      reason: 'No such user.',
      isOfSignIn: true,
      at: NOW,
    },
    NOW,
  ),
  'a sign-in link is requested': call(
    'note_sign_in_request',
    'nobody@partner.example',
    'hash',
    '203.0.113.0/24',
    'hash',
    10,
    20,
    NOW,
  ),
  'reports differ from their events': call(
    'note_mismatches',
    [
      {
        eventId: EVENT,
        bodyHash: 'other',
        reported: { amountCents: 1, clickId: 'click-2', metadata: null, occurredAt: NOW },
      },
    ],
    NOW,
  ),
  'a person is erased': call('erase_sign_ins', '{nobody@partner.example}'),
  'whether somebody has signed in': call('has_signed_in', 'nobody@partner.example'),
  'members’ passkeys that do not count yet are listed': call('waiting_passkeys', WORKSPACE, NOW),
  'a manager removes such a passkey': call(
    'cancel_passkey',
    WORKSPACE,
    'nobody@partner.example',
    EVENT,
    'https://track.example/auth/passkeys',
    NOW,
  ),
  'how somebody was paid is erased': call(
    'erase_payment',
    WORKSPACE,
    'nobody@partner.example',
    'erased-1@erased.invalid',
    NOW,
  ),
  'something is refused to Workers': call('refuse_to_workers', 'no'),
  'whether somebody may approve': call(
    'may_approve',
    WORKSPACE,
    'nobody@shop.example',
    '{manager}',
    NOW,
  ),
  'why somebody may not approve a higher limit': `select approval_limit_refusal(
    row('${idOf('other', NEW)}', '${WORKSPACE}', null, 'ann@shop.example', now())::approval_limit_requests, 'ben@shop.example')`,
  'a member becomes a manager': `update members set role = case role when 'manager' then 'member' else 'manager' end
    where workspace_id = '${WORKSPACE}'`,
  'a lower limit of approval': call(
    'set_approval_limit',
    WORKSPACE,
    0,
    'ann@shop.example',
    'https://x',
  ),
  'a limit is decided': call(
    'decide_approval_limit',
    WORKSPACE,
    idOf('other', 1),
    true,
    'ann@shop.example',
    'https://x',
  ),
  'whether money is under way': call('money_under_way', WORKSPACE),
  'managers are mailed what was made by hand': call(
    'mail_manual_earnings',
    WORKSPACE,
    PROGRAM,
    JSON.stringify({
      what: 'adjustment',
      by: 'ann',
      partner: 'maya',
      amountCents: 20_000,
      currency: 'USD',
    }),
    NOW,
  ),
  'managers get a notice': call(
    'mail_managers',
    WORKSPACE,
    'deletion_canceled',
    null,
    null,
    null,
    null,
    'once',
    NOW,
  ),
  'rows are erased': call('erase_rows', '{mail_texts}', 'workspace_id = $1', WORKSPACE, null, 1),
  'a workspace is erased': call('erase_workspaces', NOW, 10),
  'expired sign-ins are looked for': call('sign_ins_have_expired', NOW),
  'expired sign-ins are cleared': call('clear_expired_sign_ins', NOW, 10),
  'the present terms of a partner': call('terms_of_partner', PARTNER, CUSTOMER, null, null),
  'the former terms of a partner': call(
    'terms_of_partner',
    PARTNER,
    CUSTOMER,
    '2020-01-01',
    '2020-01-02',
  ),
  'what a partner’s sales come to': call(
    'partner_figures',
    PARTNER,
    '2030-01-01',
    '2030-02-01',
    'USD',
  ),
  'tiers are changed': `update programs set tiers = ${quote({ ...TIERS, levels: [{ groupId: '' }] })} where id = '${PROGRAM}'`,
  'the day of tiers': call('tier_period', TIERS, NOW),
  'what a partner has reached': call('reached_by', PARTNER, TIERS, NOW),
  'what a partner has reached is kept': call('keep_figures', WORKSPACE, PARTNER, {
    ...{ day: '2020-01-01', by: 'sales', period: 'month', reached: 1 },
  }),
  'a possible duplicate': hold(EVENT),
  'a held sale': hold(idOf('event', 3)),
  'a sale that was recorded twice': hold(EVENT, [idOf('event', 3)]),
  'what a sale is compared by': call('looks_of_sale', WORKSPACE, EVENT),
  'sales near one that earns': call('earning_sales_near', WORKSPACE, idOf('event', 2), 24),
  'a sale near an expected one': call('expected_sales_near', EVENT, EXPECTED),
  'a processor’s sale near an expected one': call(
    'expected_sales_near',
    idOf('event', 2),
    EXPECTED,
  ),
  'holds that were decided': call(
    'hold_commissions',
    WORKSPACE,
    [{ ...requestOf(EVENT), duplicateHours: null, expected: null }],
    NOW,
  ),
  'managers are mailed of a budget': `
    insert into commission_holds (commission_id, workspace_id, reason, created_at)
    values ('${idOf('commission', 1)}', '${WORKSPACE}', 'over_budget', now())
    on conflict (commission_id) do update set reason = excluded.reason`,
  'a late report': call('mark_late', WORKSPACE, EVENT, CUSTOMER, credited.late, NOW, false),
  'an owner': call('present_owner', CUSTOMER),
  'payments before a report': call(
    'payments_before',
    WORKSPACE,
    CUSTOMER,
    'user-1',
    'order-new',
    NOW,
  ),
  'payments of an unknown customer': call(
    'payments_before',
    ...[WORKSPACE, null, 'user-new', 'order-new', NOW],
  ),
  'the first event of a month': call('first_event_id', NOW),
  'earned before a sale': call('earned_before', CUSTOMER, 'order-new', NOW, '{}'),
  'earned in a month': call('earned_in_month', ...[`{${PARTNER}}`, MONTH, `{${EVENT}}`]),
  'a cap of a month': call('assert_month_cap', MONTH_CAP, '{}'),
  'lines without metadata': call('without_metadata', [{ productId: 'x', metadata: {} }]),
  'a payment': `select is_payment(e) from events e where e.id = '${EVENT}'`,
  'rewards that count payments': call('counts_payments', WORKSPACE),
  'customers of an import': call('lock_customers', WORKSPACE, [
    identity('external', 'user-1'),
    identity('external', 'user-2'),
  ]),
  'two customers who are one': call(
    'tie_customers',
    WORKSPACE,
    [
      identity('external', 'user-1'),
      identity('external', 'user-2'),
      identity('email', 'user-1@buyer.example'),
    ],
    'purchase',
    'in_1',
    idOf('customer', NEW),
    NOW,
  ),
  'an import is loaded': call(
    'load_partner_import',
    'shop-1',
    'manager-1@shop.example',
    PROGRAM,
    ADDRESSES,
    'new-1\nslug-1',
    'coupon-new\ncoupon-1',
    ADDRESSES,
    idOf('other', NEW),
    'hash',
  ),
  'an import of new partners': call(
    'import_partners',
    'shop-1',
    'manager-1@shop.example',
    'manager',
    PROGRAM,
    ...imported,
    further,
    'coupon-new',
    coupons,
    idOf('other', NEW),
    {},
    idOf('other', NEW),
    'hash',
    {},
    NOW,
  ),
  'an import with everything is saved': call(
    'save_partner_import',
    WORKSPACE,
    PROGRAM,
    ...imported,
    null,
    [{ id: idOf('other', NEW), name: 'VIP' }],
    further,
    coupons,
    [
      { n: 1, cents: 5 },
      { n: 2, cents: 5 },
    ],
    { workspaceName: 'Shop', programName: 'Friends', url: 'https://track.example/app/shop/audit' },
    [
      { n: 1, details: {} },
      { n: 2, details: {} },
    ],
    idOf('other', NEW),
    'manager-1@shop.example',
    {},
    idOf('other', NEW),
    'hash',
    {},
    NOW,
  ),
  'a call of an import of customers begins': call(
    'begin_customer_import',
    WORKSPACE,
    idOf('other', 1),
  ),
  'an undo is previewed': call('plan_undo', WORKSPACE, idOf('call', 1), 20),
  'the undo of partners is previewed': call('plan_undo', WORKSPACE, idOf('other', 12), 20),
  'an import is undone': call(
    'undo_import',
    WORKSPACE,
    idOf('other', 2),
    'ann@shop.example',
    20,
    NOW,
  ),
  'invoices of payouts': call('issue_invoices', WORKSPACE, `{${idOf('payout', 1)}}`, NOW),
  'an event without credit': insertEvent,
  'an event of another day': set('events', `occurred_at = occurred_at - interval '1 day'`, EVENT),
  'a click of another day': `update clicks set created_at = now() where id = 'click-1' and workspace_id = '${WORKSPACE}'`,
  'a click whose page is erased': `update clicks set landing_url = null where id = 'click-1' and workspace_id = '${WORKSPACE}'`,
  'a sale of which more was returned': set('events', 'returned_cents = 1', EVENT),
  'a partner who is banned': set('partners', "status = 'banned'", idOf('partner', 3)),
  'bonuses of a program': set('programs', "bonuses = '[]'", idOf('program', 2)),
  'bonuses are to be checked': call('check_bonuses', `{${PARTNER}}`),
  'a sale of another click': `update events set click_id = 'click-2' where id = '${EVENT}'`,
  'a click whose referrer is erased': `update clicks set referrer = null where id = 'click-1' and workspace_id = '${WORKSPACE}'`,
  'a removed click': `delete from clicks where id = 'ended-1' and workspace_id = '${WORKSPACE}'`,
  'a customer of another address': set('customers', "email = 'new@buyer.example'", CUSTOMER),
  'a verified address': `update customer_identities set is_verified = true where customer_id = '${CUSTOMER}' and kind = 'email'`,
  'a customer of another partner': set(
    'customers',
    `partner_id = '${idOf('partner', 2)}'`,
    CUSTOMER,
  ),
  'an approved application': set(
    'applications',
    `outcome = 'approved', decided_by = 'x', partner_id = '${PARTNER}', decided_at = (select created_at from partners where id = '${PARTNER}')`,
    idOf('other', 1),
  ),
  'a banned partner': set('partners', `status = 'banned'`, PARTNER),
  'a payout': insertPayout,
  'a reversal of a commission': insertEarned,
  'a reversal of a paid commission': insertReversal,
  'a commission that is let go': set('commissions', 'payout_id = null', idOf('balance', 1)),
  'a canceled payout': set('payouts', 'canceled_at = now()', idOf('payout', 1)),
  'a sent payout': set('payouts', `transfer_id = 'tr_1', paid_at = now()`, idOf('payout', 1)),
  'an account of another status': set('payout_accounts', "status = 'restricted'", idOf('other', 1)),
  'new payment details': `insert into payment_details (id, workspace_id, email, method, created_at, effective_at)
    values ('${idOf('other', NEW)}', '${WORKSPACE}', 'person-1@partner.example', 'stripe', now(), now() + interval '72 hours')`,
  'a confirmed run': set('payout_runs', 'confirmed_at = now()', idOf('run', 1)),
  'a returned payout': set(
    'payouts',
    `paid_at = now(), returned_at = now(), return_reason = 'Closed'`,
    idOf('payout', 2),
  ),
  'a passkey is added': `with person as (
      insert into sign_in.users (id, name, email, email_verified, created_at, updated_at)
      values ('${idOf('other', NEW)}', '', 'manager-1@shop.example', true, now(), now()) returning id)
    insert into sign_in.passkeys (id, user_id, credential_id, public_key, counter, transports, host, name, created_at, counts_from)
    select uuidv7(), id, 'credential', 'key', 0, '{}', 'track.example', 'Laptop', now(), now() from person`,
  'a sign-in': `with person as (
      insert into sign_in.users (id, name, email, email_verified, created_at, updated_at)
      values ('${idOf('other', NEW)}', '', 'manager-1@shop.example', true, now(), now()) returning id)
    insert into sign_in.sessions (id, user_id, token, expires_at, created_at, updated_at)
    select id, id, 'new', now(), now(), now() from person`,
  'totals are folded': call('fold_totals', 5),
  'upkeep is looked for': call('upkeep_is_due', 30),
  'clicks are removed': call('end_clicks', 30, 10),
}
