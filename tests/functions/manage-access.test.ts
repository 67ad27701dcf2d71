import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { operations } from '../support/contract.ts'
import { everything } from '../support/imports.ts'
import { createMerchant, errorShape, send, useDatabase } from '../support/merchant.ts'
import { SECRETS_KEY, signingSecret } from '../support/secrets.ts'
import { addWebhook } from '../support/webhooks.ts'

const program = {
  name: 'Summer',
  siteUrl: 'https://shop.example',
  reward: { kind: 'percent', percent: 20 },
  rewardInterval: 'recurring',
}

/**
 * Every endpoint of a workspace for people, with a body that it takes. `:id` is a row of the
 * workspace.
 */
const ENDPOINTS = [
  { method: 'GET', path: '/members', who: 'managers' },
  {
    method: 'POST',
    path: '/members',
    body: { email: 'new@shop.example', role: 'member' },
    who: 'managers',
  },
  { method: 'PATCH', path: '/members/:member', body: { role: 'member' }, who: 'managers' },
  { method: 'DELETE', path: '/members/:member', who: 'managers' },
  { method: 'GET', path: '/api-keys', who: 'managers' },
  { method: 'POST', path: '/api-keys', body: { name: 'Checkout' }, who: 'managers' },
  { method: 'POST', path: '/api-keys/:key/rotate', body: {}, who: 'managers' },
  { method: 'DELETE', path: '/api-keys/:key', who: 'managers' },
  { method: 'GET', path: '/programs', who: 'readers' },
  { method: 'POST', path: '/programs', body: program, who: 'managers' },
  { method: 'GET', path: '/programs/:program', who: 'readers' },
  { method: 'PATCH', path: '/programs/:program', body: { name: 'Winter' }, who: 'managers' },
  {
    method: 'POST',
    path: '/programs/:program/what-if',
    body: { rewardInterval: 'one-time' },
    who: 'readers',
  },
  { method: 'GET', path: '/programs/:program/brand', who: 'readers' },
  {
    method: 'PUT',
    path: '/programs/:program/brand',
    body: { logoUrl: null, accentColor: '#1f5f4a', supportEmail: null, version: 0 },
    who: 'managers',
  },
  { method: 'GET', path: '/programs/:program/join-page', who: 'readers' },
  { method: 'PATCH', path: '/programs/:program/join-page', body: { open: true }, who: 'managers' },
  { method: 'GET', path: '/programs/:program/agreements', who: 'readers' },
  { method: 'GET', path: '/programs/:program/agreements/:version', who: 'readers' },
  {
    method: 'POST',
    path: '/programs/:program/shadow/commissions',
    body: { rows: [] },
    who: 'writers',
  },
  { method: 'POST', path: '/programs/:program/shadow/compare', who: 'writers' },
  { method: 'GET', path: '/programs/:program/shadow/comparisons', who: 'readers' },
  { method: 'POST', path: '/programs/:program/cut-over', body: { dryRun: true }, who: 'managers' },
  { method: 'GET', path: '/programs/:program/groups', who: 'readers' },
  { method: 'POST', path: '/programs/:program/groups', body: { name: 'Silver' }, who: 'writers' },
  { method: 'GET', path: '/groups/:group', who: 'readers' },
  { method: 'PATCH', path: '/groups/:group', body: { name: 'Silver' }, who: 'writers' },
  { method: 'POST', path: '/groups/:group/what-if', body: { leadReward: null }, who: 'readers' },
  { method: 'GET', path: '/partners', who: 'readers' },
  {
    method: 'POST',
    path: '/partners',
    body: { programId: newId(), email: 'new@partner.example' },
    who: 'writers',
  },
  { method: 'GET', path: '/partners/:partner', who: 'readers' },
  { method: 'PATCH', path: '/partners/:partner', body: { status: 'banned' }, who: 'writers' },
  { method: 'GET', path: '/partners/:partner/balances', who: 'readers' },
  { method: 'GET', path: '/partners/:partner/links', who: 'readers' },
  { method: 'POST', path: '/partners/:partner/links', body: { slug: 'summer' }, who: 'writers' },
  { method: 'DELETE', path: '/partners/:partner/links/:link', who: 'writers' },
  { method: 'GET', path: '/partners/:partner/coupons', who: 'readers' },
  {
    method: 'POST',
    path: '/partners/:partner/coupons',
    body: { couponId: 'SUMMER' },
    who: 'writers',
  },
  { method: 'DELETE', path: '/partners/:partner/coupons/:coupon', who: 'writers' },
  { method: 'GET', path: '/partners/:partner/notes', who: 'readers' },
  {
    method: 'POST',
    path: '/partners/:partner/notes',
    body: { content: 'Called.' },
    who: 'writers',
  },
  { method: 'DELETE', path: '/partners/:partner/notes/:note', who: 'writers' },
  {
    method: 'POST',
    path: '/invitations',
    body: { programId: newId(), emails: ['new@partner.example'] },
    who: 'writers',
  },
  { method: 'GET', path: '/applications', who: 'readers' },
  { method: 'GET', path: '/applications/:application', who: 'readers' },
  { method: 'POST', path: '/applications/:application/approve', body: {}, who: 'writers' },
  {
    method: 'POST',
    path: '/applications/:application/reject',
    body: { block: true },
    who: 'writers',
  },
  { method: 'DELETE', path: '/applications/:application', who: 'writers' },
  { method: 'GET', path: '/mismatches', who: 'readers' },
  { method: 'GET', path: '/possible-merges', who: 'readers' },
  { method: 'POST', path: '/possible-merges/:merge/merge', who: 'managers' },
  { method: 'POST', path: '/possible-merges/:merge/dismiss', who: 'managers' },
  { method: 'GET', path: '/commissions', who: 'readers' },
  {
    method: 'POST',
    path: '/commissions',
    body: {
      externalId: 'x',
      partnerId: newId(),
      amountCents: 1,
      currency: 'USD',
      reason: 'Correction',
    },
    who: 'writers',
  },
  {
    method: 'POST',
    path: '/commissions/bulk',
    body: {
      externalId: 'x',
      partnerIds: [newId()],
      amountCents: 1,
      currency: 'USD',
      reason: 'Contest',
    },
    who: 'writers',
  },
  { method: 'GET', path: '/commissions/:commission', who: 'readers' },
  {
    method: 'POST',
    path: '/commissions/:commission/reverse',
    body: { reason: 'Ours' },
    who: 'writers',
  },
  {
    method: 'POST',
    path: '/commissions/:commission/hold',
    body: { note: 'Ours?' },
    who: 'managers',
  },
  { method: 'POST', path: '/commissions/:commission/release', who: 'managers' },
  { method: 'POST', path: '/commissions/:commission/reject', who: 'managers' },
  { method: 'GET', path: '/customers', who: 'readers' },
  { method: 'GET', path: '/customers/:customer', who: 'readers' },
  { method: 'GET', path: '/customers/:customer/personal-data', who: 'managers' },
  { method: 'POST', path: '/customers/:customer/erase', who: 'managers' },
  { method: 'POST', path: '/imports/:import/undo', body: {}, who: 'managers' },
  { method: 'GET', path: '/partners/:partner/personal-data', who: 'managers' },
  { method: 'POST', path: '/partners/:partner/erase', who: 'managers' },
  { method: 'GET', path: '/events', who: 'readers' },
  {
    method: 'POST',
    path: '/events/:event/credit',
    body: { partnerId: null, reason: 'Ours' },
    who: 'writers',
  },
  { method: 'GET', path: '/export/partners.csv', who: 'readers' },
  { method: 'GET', path: '/export/applications.csv', who: 'readers' },
  { method: 'GET', path: '/export/customers.csv', who: 'readers' },
  { method: 'GET', path: '/export/events.csv', who: 'readers' },
  { method: 'GET', path: '/export/mismatches.csv', who: 'readers' },
  { method: 'GET', path: '/export/commissions.csv', who: 'readers' },
  { method: 'GET', path: '/export/payouts.csv', who: 'members' },
  { method: 'GET', path: '/export/mails.csv', who: 'managers' },
  { method: 'GET', path: '/export/audit.csv', who: 'managers' },
  { method: 'GET', path: '/stats', who: 'readers' },
  { method: 'GET', path: '/payouts', who: 'members' },
  { method: 'GET', path: '/payouts/:payout', who: 'members' },
  { method: 'POST', path: '/payouts/:payout/release', who: 'managers' },
  { method: 'POST', path: '/payouts/:payout/cancel', who: 'managers' },
  {
    method: 'POST',
    path: '/payouts/:payout/resolve',
    body: { outcome: 'sent', reason: 'Stripe says so.' },
    who: 'managers',
  },
  { method: 'POST', path: '/payouts/:payout/return', body: { reason: 'Closed.' }, who: 'managers' },
  { method: 'GET', path: '/payout-runs', who: 'members' },
  { method: 'GET', path: '/payout-runs/:run', who: 'members' },
  { method: 'GET', path: '/payout-runs/:run/export', who: 'members' },
  { method: 'GET', path: '/payout-runs/:run/files', who: 'members' },
  {
    method: 'POST',
    path: '/payout-runs/:run/wise-template',
    body: { template: 'recipientEmail,amount,targetCurrency', currency: 'USD' },
    who: 'managers',
  },
  { method: 'GET', path: '/invoices', who: 'members' },
  { method: 'GET', path: '/payout-years/2026', who: 'members' },
  { method: 'GET', path: '/partners/:partner/statement', who: 'readers' },
  { method: 'GET', path: '/payer', who: 'managers' },
  { method: 'PUT', path: '/payer', body: { name: 'Shop Ltd' }, who: 'managers' },
  { method: 'PATCH', path: '/payout-runs/:run', body: { status: 'paid' }, who: 'managers' },
  { method: 'POST', path: '/payout-runs/:run/send', who: 'managers' },
  {
    method: 'POST',
    path: '/payout-runs/:run/resolve',
    body: { outcome: 'sent', reason: 'Stripe says so.', payoutIds: [newId()] },
    who: 'managers',
  },
  { method: 'POST', path: '/payout-runs/:run/approve', who: 'managers' },
  { method: 'POST', path: '/settings/limit-requests/:limit/approve', who: 'managers' },
  { method: 'POST', path: '/settings/limit-requests/:limit/decline', who: 'managers' },
  { method: 'POST', path: '/payout-runs/:run/decline', who: 'managers' },
  { method: 'GET', path: '/balances', who: 'readers' },
  { method: 'POST', path: '/payouts/run', body: { method: 'manual' }, who: 'managers' },
  { method: 'GET', path: '/settings', who: 'readers' },
  { method: 'PATCH', path: '/settings', body: { manualPayouts: true }, who: 'managers' },
  { method: 'GET', path: '/audit', who: 'managers' },
  { method: 'GET', path: '/audit/:entry', who: 'managers' },
  { method: 'GET', path: '/mails', who: 'managers' },
  { method: 'POST', path: '/mails/:mail/retry', who: 'managers' },
  { method: 'GET', path: '/mail-texts', who: 'managers' },
  {
    method: 'PUT',
    path: '/mail-texts/welcome',
    body: { subject: 'Hi', intro: null, version: 0 },
    who: 'managers',
  },
  { method: 'GET', path: '/stripe', who: 'managers' },
  { method: 'GET', path: '/stripe/events', who: 'managers' },
  { method: 'POST', path: '/stripe/secrets', body: { secret: signingSecret() }, who: 'managers' },
  { method: 'DELETE', path: '/stripe/secrets/:secret', who: 'managers' },
  { method: 'GET', path: '/webhook-endpoints', who: 'readers' },
  {
    method: 'POST',
    path: '/webhook-endpoints',
    body: { url: 'https://shop.dev/hook', types: ['sale.created'] },
    who: 'writers',
  },
  { method: 'GET', path: '/webhook-endpoints/:endpoint', who: 'readers' },
  {
    method: 'PATCH',
    path: '/webhook-endpoints/:endpoint',
    body: { description: 'Ours' },
    who: 'writers',
  },
  { method: 'DELETE', path: '/webhook-endpoints/:endpoint', who: 'writers' },
  { method: 'POST', path: '/webhook-endpoints/:endpoint/rotate-secret', body: {}, who: 'writers' },
  { method: 'POST', path: '/webhook-endpoints/:endpoint/test', who: 'writers' },
  {
    method: 'POST',
    path: '/webhook-endpoints/:endpoint/resend',
    body: { since: '2026-01-01T00:00:00Z' },
    who: 'writers',
  },
  { method: 'GET', path: '/webhook-deliveries', who: 'readers' },
  { method: 'GET', path: '/webhook-deliveries/:delivery', who: 'readers' },
  { method: 'POST', path: '/webhook-deliveries/:delivery/resend', who: 'writers' },
] as const

type Endpoint = (typeof ENDPOINTS)[number]

const database = useDatabase()

/** A merchant with a row of each kind, and the ids by which paths name them. */
const createStaffed = async (coupon: string) => {
  const merchant = await createMerchant({ group: {} })
  const { id } = merchant.workspace
  await Promise.all([merchant.manager(), merchant.member()])
  await merchant.seed.addStripeSecret(id, signingSecret(), SECRETS_KEY)
  await database.query(
    `insert into coupon_aliases (id, workspace_id, partner_id, coupon_id, created_at)
     select $2, $1, id, $3, now() from partners where workspace_id = $1`,
    [id, newId(), coupon],
  )
  await database.query(
    `insert into links (id, workspace_id, program_id, partner_id, slug, slug_key, created_at)
     select $2, $1, program_id, id, $3, lower($3), now() from partners where workspace_id = $1`,
    [id, newId(), coupon],
  )
  await database.query(
    `insert into partner_notes (id, workspace_id, partner_id, author, content, created_at)
     select $2, $1, id, 'ann@shop.example', $3, now() from partners where workspace_id = $1`,
    [id, newId(), coupon],
  )
  await database.query(
    `insert into applications (id, workspace_id, program_id, email, name, promotion, answers, applied_at)
     select $2, $1, id, 'ida@applicant.example', 'Ida', 'Blog', '[]', now() from programs where workspace_id = $1`,
    [id, newId()],
  )
  await database.query(
    `insert into agreements (program_id, version, workspace_id, content, created_by, created_at)
     select id, 1, $1, 'Be kind.', 'ann@shop.example', now() from programs where workspace_id = $1`,
    [id],
  )
  await database.query(
    `insert into audit_entries (id, workspace_id, actor, action, details, created_at)
     values ($2, $1, 'manager', 'workspace.created', '{}', now())`,
    [id, newId()],
  )
  await database.query(
    `insert into mails (id, workspace_id, kind, recipient, details, attempts, next_attempt_at, failed_at, created_at)
     values ($2, $1, 'invitation', 'lost@shop.example', '{}', 8, now(), now(), now())`,
    [id, newId()],
  )
  await database.query(
    `insert into customers (id, workspace_id, external_id, partner_id, created_at)
     select $2, $1, 'user_1', id, now() from partners where workspace_id = $1`,
    [id, newId()],
  )
  await database.query(
    `with run as (
       insert into payout_runs (id, workspace_id, method, cutoff_at, created_by, created_at, claimed_at)
       values ($2, $1, 'manual', now(), 'ann@shop.example', now(), now()) returning id
     )
     insert into payouts (id, workspace_id, run_id, program_id, partner_id, currency, amount_cents, created_at,
                          next_attempt_at)
     select $3, $1, run.id, p.program_id, p.id, 'USD', 500, now(), now() from run, partners p where workspace_id = $1`,
    [id, newId(), newId()],
  )
  await database.query(
    `insert into approval_limit_requests (id, workspace_id, requested_by, requested_at)
     values ($2, $1, 'ann@shop.example', now())`,
    [id, newId()],
  )
  await database.query(
    `insert into commissions (id, workspace_id, program_id, partner_id, kind, amount_cents, currency, payable_at, created_at)
     select $2, workspace_id, program_id, id, 'opening_balance', 500, 'USD', now(), now() from partners where workspace_id = $1`,
    [id, newId()],
  )
  await database.query(
    `insert into import_calls (audit_id, workspace_id, import_id, hash, answer)
     select id, workspace_id, id, '', '{"results": []}' from audit_entries where workspace_id = $1`,
    [id],
  )
  await addWebhook(database, id)
  const [paid] = await database.query<{ id: string }>(
    `insert into customers (id, workspace_id, external_id, created_at) values (uuidv7(), $1, 'cus_2', now()) returning id`,
    [id],
  )
  await database.query(
    `insert into customer_identities (workspace_id, customer_id, kind, value, source, created_at)
     values ($1, $2, 'stripe', 'cus_2', 'purchase', now())`,
    [id, paid?.id],
  )
  await database.query(
    `insert into possible_merges (id, workspace_id, customer_id, named_customer_id, checkout_id, created_at)
     select uuidv7(), workspace_id, $2, id, 'cs_1', now() from customers where workspace_id = $1 and id <> $2`,
    [id, paid?.id],
  )
  await database.query(
    `insert into events (id, workspace_id, kind, external_id, event_name, customer_external_id, steps, occurred_at)
     values ($2, $1, 'lead', 'lead_1', 'lead', 'user_2', '[]', now())`,
    [id, newId()],
  )
  const [ids = {}] = await database.query<Record<string, string>>(
    `select (select id from audit_entries where workspace_id = $1) as entry,
            (select id from members where workspace_id = $1 limit 1) as member,
            (select id from api_keys where workspace_id = $1) as key,
            (select id from programs where workspace_id = $1) as program,
            (select id from groups where workspace_id = $1) as group,
            (select id from partners where workspace_id = $1) as partner,
            (select id from customers where workspace_id = $1 and external_id <> 'cus_2') as customer,
            (select id from possible_merges where workspace_id = $1) as merge,
            (select import_id from import_calls where workspace_id = $1) as import,
            (select coupon_id from coupon_aliases where workspace_id = $1) as coupon,
            (select slug from links where workspace_id = $1) as link,
            (select id from partner_notes where workspace_id = $1) as note,
            (select id from applications where workspace_id = $1) as application,
            (select version::text from agreements where workspace_id = $1) as version,
            (select id from commissions where workspace_id = $1) as commission,
            (select id from events where workspace_id = $1) as event,
            (select id from mails where workspace_id = $1) as mail,
            (select id from stripe_secrets where workspace_id = $1) as secret,
            (select id from payout_runs where workspace_id = $1) as run,
            (select id from approval_limit_requests where workspace_id = $1) as limit,
            (select id from webhook_endpoints where workspace_id = $1) as endpoint,
            (select id from webhook_deliveries where workspace_id = $1) as delivery,
            (select id from payouts where workspace_id = $1) as payout`,
    [id],
  )
  return { ...merchant, ids }
}
type Staffed = Awaited<ReturnType<typeof createStaffed>>

const call = (
  { method, path, ...endpoint }: Endpoint,
  workspace: string,
  ids: Staffed['ids'] | string,
  headers: Record<string, string>,
) => {
  const withIds = path.replace(/:(\w+)/g, (_, name) =>
    typeof ids === 'string' ? ids : (ids[name] ?? ''),
  )
  return send(`${inject('baseUrl')}/api/workspaces/${workspace}${withIds}`, {
    method,
    ...('body' in endpoint && { body: endpoint.body }),
    headers,
  })
}

// Nothing here changes them, which is looked at after each endpoint, so two do for all.
let merchant: Staffed
let other: Staffed
let before: unknown[]
/** What a member or a key may download is recorded. */
const isDownload = ({ action, actor }: { action?: unknown; actor?: unknown }) =>
  String(action).endsWith('.exported') &&
  (actor === `member@${merchant.workspace.slug}.example` || String(actor).startsWith('API key '))
const rowsOf = async (one: Staffed) => {
  const { audit_entries: entries = [], ...others } = await everything(database, one)
  return { ...others, audit_entries: entries.filter((entry) => !isDownload(entry)) }
}
const rows = () => Promise.all([rowsOf(merchant), rowsOf(other)])
beforeAll(async () => {
  ;[merchant, other] = await Promise.all([createStaffed('OURS'), createStaffed('THEIRS')])
  before = await rows()
})

/** Endpoints that need more than a row of each kind: their own tests ask who may call them. */
const ELSEWHERE = new Set([
  'GET /events/:id',
  'GET /invoices/:id',
  'GET /invoices/:id/pdf',
  'GET /credit-notes/:id/pdf',
  'PUT /stripe/key',
  'DELETE /stripe/key',
  'POST /partners/import',
  'POST /customers/import',
  'GET /import-sources',
  'POST /import-sources',
  'GET /import-sources/:id',
  'DELETE /import-sources/:id',
  'GET /import-sources/:id/rows',
  'GET /programs/:id/shadow',
])

test('lists every endpoint of a workspace but those that other tests look at', () => {
  const WORKSPACE = '/api/workspaces/{workspace}'
  const anyId = (path: string) => path.replaceAll(/\{\w+\}|:\w+|2026|welcome/g, ':id')
  const listed = new Set(ENDPOINTS.map(({ method, path }) => `${method} ${anyId(path)}`))
  const missing = operations.flatMap(({ name }) => {
    const [method, path = ''] = name.split(' ')
    if (!path.startsWith(`${WORKSPACE}/`)) return []
    const own = `${method} ${anyId(path.slice(WORKSPACE.length))}`
    return listed.has(own) || ELSEWHERE.has(own) ? [] : [own]
  })
  expect(missing).toEqual([])
})

describe.each(ENDPOINTS)('$method /api/workspaces/:workspace$path', (endpoint) => {
  afterAll(async () => {
    expect(await rows()).toEqual(before)
    expect((await database.audit(merchant)).filter((entry) => !isDownload(entry))).toMatchObject([
      { action: 'workspace.created' },
    ])
  })

  test('returns 401 without a session, 404 to non-members and for ids of another workspace', async () => {
    const [manager, stranger] = [await merchant.manager(), await merchant.stranger()]
    const own = merchant.workspace.slug
    const isForKeys = endpoint.who === 'readers' || endpoint.who === 'writers'
    const noKey = isForKeys ? 'invalid_api_key' : 'not_signed_in'

    for (const { headers, code } of [
      { headers: {}, code: noKey },
      { headers: { Authorization: 'Bearer trib_live_x' }, code: noKey },
      { headers: { Cookie: 'tributary.session=forged' }, code: 'not_signed_in' },
    ]) {
      const answer = await call(endpoint, own, merchant.ids, headers)
      expect(answer).toMatchObject({ status: 401, body: errorShape(code) })
    }
    const foreignKey = { Authorization: `Bearer ${other.apiKey}` }
    const unknownIds = [other.ids, newId(), 'x', 'maya', '%00', '..%2f']
    const hidden = await Promise.all([
      call(endpoint, own, merchant.ids, { Cookie: stranger }),
      call(endpoint, other.workspace.slug, other.ids, { Cookie: manager }),
      call(endpoint, 'no-such-workspace', merchant.ids, { Cookie: manager }),
      ...(isForKeys ? [call(endpoint, own, merchant.ids, foreignKey)] : []),
      ...(endpoint.path.includes(':')
        ? unknownIds.map((ids) => call(endpoint, own, ids, { Cookie: manager }))
        : []),
    ])
    for (const answer of hidden)
      expect(answer).toMatchObject({ status: 404, body: errorShape('not_found') })
  })

  test(`is for ${endpoint.who}`, async () => {
    const { workspace, ids, apiKey } = merchant
    const byMember = await call(endpoint, workspace.slug, ids, { Cookie: await merchant.member() })
    const byKey = await call(endpoint, workspace.id, ids, { Authorization: `Bearer ${apiKey}` })
    if (endpoint.who === 'readers') {
      expect([byMember.status, byKey.status]).toEqual([200, 200])
    } else if (endpoint.who === 'members') {
      expect(byMember.status).toBe(200)
      expect(byKey).toMatchObject({ status: 401, body: errorShape('not_signed_in') })
    } else {
      expect(byMember).toMatchObject({ status: 403, body: errorShape('manager_required') })
      expect(byKey).toMatchObject(
        endpoint.who === 'writers'
          ? { status: 403, body: errorShape('insufficient_scope') }
          : { status: 401, body: errorShape('not_signed_in') },
      )
    }
  })

  if (endpoint.method !== 'GET') {
    test('refuses cross-site requests, by Origin or Sec-Fetch-Site', async () => {
      const cookie = { Cookie: await merchant.manager() }
      for (const from of [
        { Origin: 'https://evil.example' },
        { Origin: 'null' },
        { 'Sec-Fetch-Site': 'same-site' },
        { 'Sec-Fetch-Site': 'cross-site' },
      ]) {
        const answer = await call(endpoint, merchant.workspace.slug, merchant.ids, {
          ...from,
          ...cookie,
        })
        expect(answer).toMatchObject({ status: 403, body: errorShape('cross_site_request') })
      }
    })
  }
})
