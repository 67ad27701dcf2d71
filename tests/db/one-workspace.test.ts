import { expect, test, vi } from 'vitest'
import importCustomers from '../../functions/import-customers.ts'
import importPartners from '../../functions/import-partners.ts'
import mcp from '../../functions/mcp.ts'
import trackLead from '../../functions/track/track-lead.ts'
import trackSale from '../../functions/track/track-sale.ts'
import { connect } from '../../lib/db/connection.ts'
import type { PreviewRequest } from '../../lib/payouts/payouts.rpc.ts'
import { joinReport, replanImported } from '../../lib/purchases/apply/late.service.ts'
import { decideHolds } from '../../lib/rules/holds/decide-holds.ts'
import type { IncompleteReport } from '../../lib/tracking/reports/purchases.rpc.ts'
import { type Payer, usePayouts } from '../support/payouts.ts'

const world = usePayouts({ changesSchema: true })

/** Found before it is known whose workspace is asked for, or of no workspace. See docs/scale.md. */
const OF_ALL = [
  'workspaces',
  'deleted_workspaces',
  'members',
  'api_keys',
  'address_changes',
  'schema_migrations',
  'click_retention',
  'unsubscribe_key',
  'mail_usage',
  'expensive_requests',
]
const MANAGER = 'ann@manager.example'

/**
 * Creates a login for which every read of a row of another workspace fails the statement. Postgres
 * checks it for each row that the conditions of the statement leave. Plans as for large tables,
 * because scans of small ones look at all rows.
 *
 * @returns the URL of the database with the login
 */
const createGuardedLogin = async (workspaceId: string): Promise<string> => {
  const login = `guarded_${workspaceId.replaceAll('-', '')}`
  const tables = await world.query<{ name: string; key: string }>(
    `select c.relname as name, max(a.attname) filter (where a.attname in ('workspace_id', 'program_id')) as key
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relname = any($1) group by 1`,
    [OF_ALL],
  )
  expect(tables.filter(({ key }) => !key)).toEqual([])
  const views = await world.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'v'`,
  )
  // Those with the owner's rights would read past the policies.
  const privileged = await world.query<{ name: string }>(
    `select oid::regprocedure as name from pg_proc where prosecdef and pronamespace = 'public'::regnamespace`,
  )
  await world.query(`
    ${privileged.map(({ name }) => `alter function ${name} security invoker;`).join('\n')}
    create function is_ours(workspace uuid, read_table text) returns boolean language plpgsql cost 10000 as $$
    begin
        if workspace <> '${workspaceId}' then raise exception 'a row of another workspace was read: %', read_table; end if;
        return true;
    end $$;
    create function workspace_of(program uuid) returns uuid language sql security definer
        as 'select workspace_id from programs where id = program';
    create role ${login} login password 'guarded';
    alter role ${login} set enable_seqscan = off;
    alter role ${login} set enable_hashjoin = off;
    alter role ${login} set enable_mergejoin = off;
    select pg_restore_relation_stats('schemaname', 'public', 'relname', relname::text, 'relpages', 1, 'reltuples', 1e7::real)
    from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p');
    grant all on all tables in schema public to ${login};
    grant all on all sequences in schema public to ${login};
    grant execute on all functions in schema public to ${login};
    -- Users are of no workspace: hold_mails asks whether somebody has signed in.
    grant usage on schema sign_in to ${login};
    grant select on sign_in.users to ${login};
    ${views.map(({ name }) => `alter view ${name} set (security_invoker = true);`).join('\n')}
    ${tables
      .map(({ name, key }) => {
        const row = key === 'workspace_id' ? key : 'workspace_of(program_id)'
        return `alter table ${name} enable row level security;
                create policy one_workspace on ${name} using (is_ours(${row}, '${name}')) with check (true);`
      })
      .join('\n')}`)
  const url = new URL(world.env().DATABASE_URL)
  url.username = login
  url.password = 'guarded'
  return url.href
}

/** A merchant whose people, customers and ids have the same names as those of the other. */
const createAlike = async () => {
  const payer = await world.createPayer({ reward_duration_months: 12 })
  const { seed, workspaceId, programId } = payer
  await seed.addMember(workspaceId, MANAGER)
  await seed.addPartner(workspaceId, programId, { slug: 'maya' })
  const apiKey = await seed.addApiKey(workspaceId)
  const click = `clk_${workspaceId.replaceAll('-', '')}`
  await world.query(
    `insert into clicks (id, workspace_id, partner_id, created_at, expires_at)
     select $1, workspace_id, id, now(), now() + interval '1 day' from partners where workspace_id = $2`,
    [click, workspaceId],
  )
  return { ...payer, apiKey, click }
}
type Alike = Payer & { apiKey: string; click: string }

const AUTH = {
  getSession: async () => ({
    user: { id: '1', email: MANAGER, name: '' },
    signedInAt: new Date(),
    setCookie: [],
  }),
}
const RATE_LIMIT = { limit: async () => ({ success: true }) }

/** Work after the answer goes on, as in a Worker. */
const CONTEXT = { waitUntil: () => {}, passThroughOnException: () => {}, props: {} }

/** A merchant's calls, each of which is to answer 200. */
const callsOf = (merchant: Alike, databaseUrl: string) => {
  const database = { ...world.env(), DATABASE_URL: databaseUrl }
  const STRIPE_WEBHOOK = {
    joinReport: (workspaceId: string, report: IncompleteReport) =>
      joinReport(connect(database), workspaceId, report, new Date()),
    decideHolds,
    replanCustomers: (workspaceId: string, ids: string[]) =>
      replanImported(() => connect(database), workspaceId, ids, new Date()),
  }
  const WEBHOOKS = { nudge: async () => {} }
  const PAYOUTS = {
    preview: ({ programId, method }: PreviewRequest) =>
      merchant.run({ programId, method, dryRun: true }, { DATABASE_URL: databaseUrl }),
  }
  const env = {
    ...database,
    ...{
      AUTH,
      RATE_LIMIT,
      FAILURE_LIMIT: RATE_LIMIT,
      PREVIEW_LIMIT: RATE_LIMIT,
      STRIPE_WEBHOOK,
      WEBHOOKS,
      OUTBOX: WEBHOOKS,
      PAYOUTS,
    },
  }
  const call = async (app: { request: typeof trackSale.request }, path: string, body: object) => {
    const headers = {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${merchant.apiKey}`,
      Cookie: 'x',
      Accept: 'application/json, text/event-stream',
    }
    const request = { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await app.request(path, request, env, CONTEXT)
    return { status: answer.status, body: await answer.json() }
  }
  const imports = `/api/workspaces/${merchant.slug}`
  const { programId } = merchant
  return {
    lead: (body: object) => call(trackLead, '/api/track/lead', body),
    sale: (body: object) =>
      call(trackSale, '/api/track/sale', {
        customerExternalId: 'user_1',
        amountCents: 4_900,
        ...body,
      }),
    partners: (rows: object[], options: object = {}) =>
      call(importPartners, `${imports}/partners/import`, { programId, rows, options }),
    customers: (rows: object[]) =>
      call(importCustomers, `${imports}/customers/import`, { programId, rows }),
    tool: async (name: string, args: object = {}) => {
      const message = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args },
      }
      const { status, body } = await call(mcp, '/mcp', message)
      const { isError, content } = (
        body as { result: { isError?: boolean; content: { text: string }[] } }
      ).result
      return { status: isError ? content[0]?.text : status }
    },
    pay: (request: object) => merchant.run(request, { DATABASE_URL: databaseUrl }),
  }
}

const ALL = { sendWelcomeEmail: true, importOpeningBalances: true }
const person = (name: string) => ({
  email: `${name}@partner.example`,
  slug: name,
  couponId: `${name}-COUPON`,
  openingBalanceCents: 5_000,
})

/** Makes every kind of report, import and payout. */
const doEverything = async (merchant: Alike, databaseUrl: string) => {
  const { lead, sale, partners, customers, tool, pay } = callsOf(merchant, databaseUrl)
  const { click: clickId } = merchant
  const reported = { externalId: 'user_1', clickId, customerEmail: 'eve@shop.example' }
  const mapped = { partnerEmail: 'leo@partner.example', customerEmail: 'max@shop.example' }
  const answers = {
    lead: await lead(reported),
    leadAgain: await lead(reported),
    saleWithoutClick: await sale({ externalId: 'inv_0', customerExternalId: 'user_2' }),
    saleOfNewCustomer: await sale({ externalId: 'inv_1', customerExternalId: 'user_3', clickId }),
    saleOfKnownCustomer: await sale({ externalId: 'inv_2', clickId }),
    saleAgain: await sale({ externalId: 'inv_2', clickId }),
    lateClick: await sale({ externalId: 'inv_3', customerExternalId: 'user_2', clickId }),
    dryRun: await partners([person('leo')], { ...ALL, dryRun: true }),
    newPartner: await partners([person('leo')]),
    newPartnerAgain: await partners([person('leo')], ALL),
    partnersWithEverything: await partners([person('zoe'), person('kim')], ALL),
    customers: await customers([
      { ...mapped, customerExternalId: 'user_4' },
      { ...mapped, customerExternalId: 'user_1' },
    ]),
    renewal: await sale({ externalId: 'inv_4', customerExternalId: 'user_4' }),
  }
  await merchant.connectAccount('zoe@partner.example')
  const preview = await pay({ dryRun: true })
  const runs = [preview, await pay({ method: 'stripe' }), await pay({ method: 'manual' })]
  // Not events: their customer is found by an expression, which Postgres does not trust before the
  // guard's policy.
  const read = {
    partnerBySlug: await tool('get_partner', { slug: 'zoe' }),
    partnerByAddress: await tool('get_partner', { email: 'zoe@partner.example' }),
    previewed: await tool('preview_payouts', { programId: merchant.programId }),
  }
  return {
    statuses: Object.fromEntries(
      Object.entries({ ...answers, ...read }).map(([name, { status }]) => [name, status]),
    ),
    paid: runs.map(({ payouts }) =>
      payouts.map(({ amountCents, status }) => `${amountCents} ${status}`),
    ),
  }
}

test('no statement of a report, an import, a payout or an assistant reads rows of two workspaces, however alike they are', async () => {
  vi.spyOn(console, 'log').mockReturnValue(undefined)
  const [ours, theirs] = [await createAlike(), await createAlike()]
  const done = await doEverything(theirs, world.env().DATABASE_URL)
  expect(new Set(Object.values(done.statuses))).toEqual(new Set([200]))
  expect(done.paid).toEqual([['5000 payable'], ['5000 paid'], ['5000 processing']])

  const guarded = await createGuardedLogin(ours.workspaceId)
  expect(await doEverything(ours, guarded)).toEqual(done)

  // It would notice a statement that names no workspace.
  const [load] = await world.query<{ text: string }>(
    `select pg_get_functiondef('load_partner_import'::regproc) as text`,
  )
  const careless =
    load?.text.replace('workspace_id = workspace.id and coupon_id', 'coupon_id') ?? ''
  expect(careless).not.toBe(load?.text)
  await world.query(careless)
  const { status } = await callsOf(ours, guarded).partners([
    { ...person('leo'), email: 'max@partner.example' },
  ])
  expect(status).toBe(500)
})
