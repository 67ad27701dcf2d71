/** The import page over a fake API that records calls and fails on request. */
import { readFile } from 'node:fs/promises'
import { type HttpBindings, serve } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { Hono } from 'hono'
import { jsx } from 'hono/jsx'
import { buildIslands } from '../../dev/runtime/build-islands.ts'
import { IMPORT_PAGE, ImportPage } from '../../functions/dashboard/imports/import.tsx'
import type { CustomerResult } from '../../lib/imports/customers/customer-import.ts'
import { formsOf } from '../../lib/imports/partners/former-links.ts'
import type {
  PartnerImportWarning,
  PartnerResult,
} from '../../lib/imports/partners/partner-import.ts'
import { renderPage } from '../../lib/pages/layout/render.tsx'
import { slugKey } from '../../lib/values/slugs.ts'

type PartnerBody = {
  email: string
  name?: string
  slug?: string
  slugs?: string[]
  couponId?: string
  formerLink?: string
  openingBalanceCents?: number
}
type CustomerBody = { customerExternalId: string; partnerEmail: string; startedAt?: string }
type Call = {
  kind: 'partners' | 'customers'
  programId: string
  importId?: string
  options: {
    dryRun?: boolean
    sendWelcomeEmail?: boolean
    importOpeningBalances?: boolean
    completeExisting?: boolean
    linkForms?: Record<string, boolean>
    keepOwners?: boolean
  }
  rows: (PartnerBody & CustomerBody)[]
}

/** What happens to the next call: another response, or a connection lost before or after it. */
type Fault = Response | 'before' | 'after'

const PROGRAMS = [
  { id: '0192f000-0000-7000-8000-000000000001', name: 'Pine & Co' },
  { id: '0192f000-0000-7000-8000-000000000002', name: 'Second program' },
].map((program) => ({
  ...program,
  siteUrl: 'http://127.0.0.1:9/shop',
  attributeKnownCustomers: false,
}))

/** Who opens the import page. */
export const OPENER = { id: '0192f000-0000-7000-8000-00000000000a', email: 'manager@example.com' }

const NOTHING = { slug: '', couponMapped: false }

/** Starts the service on a free port. */
export const startService = async () => {
  const islands = new Map((await buildIslands()).map(({ name, code }) => [`/${name}`, code]))
  const state = {
    /** Every received call, including dry runs. */
    calls: [] as Call[],
    /** What happens to the next calls, in order. */
    faults: [] as (Fault | null)[],
    /** Who is signed in. */
    user: OPENER as typeof OPENER | null,
    /** The number of programs in the workspace. */
    programs: 1,
    /** The duration of each call. */
    delayMs: 0,
    /** Opening balances in another program, in cents, by email address. */
    elsewhere: new Map<string, number>(),
    partners: new Map<string, PartnerBody & { slug: string }>(),
    customers: new Map<string, CustomerBody>(),
    /** Partners who are banned. */
    banned: new Set<string>(),
    /** What was answered to each call of an import. */
    answers: new Map<string, object>(),
    /** Whether Stripe reports sales. */
    creditsStripe: true,
    /** What was saved of programs. */
    settings: [] as unknown[],
    /** The visits of each slug. */
    clicks: new Map<string, number>(),
  }

  const partnerResults = ({ rows, options }: Call): PartnerResult[] => {
    const partners = new Map(state.partners)
    const taken = new Set([...partners.values()].map(({ slug }) => slugKey(slug)))
    const results = rows.map((row): PartnerResult => {
      const known = partners.get(row.email)
      if (known) {
        const here = [known.slug, ...(known.slugs ?? [])].map(slugKey)
        const gone = [...(row.slug ? [row.slug] : []), ...(row.slugs ?? [])].filter(
          (slug) => !here.includes(slugKey(slug)),
        )
        const lacks =
          options.importOpeningBalances && row.openingBalanceCents && !known.openingBalanceCents
        const status = lacks && options.completeExisting ? 'completed' : 'skipped_existing'
        if (status === 'completed')
          partners.set(row.email, { ...known, openingBalanceCents: row.openingBalanceCents ?? 0 })
        return {
          ...NOTHING,
          email: row.email,
          status,
          slug: known.slug,
          ...(gone.length && { slugsNotKept: gone }),
        }
      }
      if (!/^\S+@\S+\.\S+$/.test(row.email)) {
        return {
          ...NOTHING,
          email: row.email,
          status: 'error',
          code: 'email_invalid',
          message: 'Not an address.',
        }
      }
      const asked = row.slug ?? row.email.split('@')[0] ?? ''
      const slug = taken.has(slugKey(asked)) ? `${asked}-x7k2` : asked
      partners.set(row.email, { ...row, slug })
      taken.add(slugKey(slug))
      const gone = row.slugs?.filter((other) => taken.has(slugKey(other))) ?? []
      for (const other of row.slugs ?? []) taken.add(slugKey(other))
      const renamed = row.slug && slug !== row.slug ? { requestedSlug: row.slug } : {}
      return {
        email: row.email,
        status: 'created',
        slug,
        couponMapped: Boolean(row.couponId),
        ...renamed,
        ...(gone.length && { slugsNotKept: gone }),
      }
    })
    if (!options.dryRun) state.partners = partners
    return results
  }

  const warningsOf = ({ rows, options }: Call): PartnerImportWarning[] => {
    if (!options.importOpeningBalances) return []
    const owed = rows.flatMap(({ email, openingBalanceCents }) =>
      openingBalanceCents ? (state.elsewhere.get(email) ?? []) : [],
    )
    const amountCents = owed.reduce((sum, cents) => sum + cents, 0)
    const code = 'balance_in_another_program'
    return owed.length
      ? [{ code, count: owed.length, amountCents, currency: 'USD', message: '' }]
      : []
  }

  const linkFormsOf = ({ rows }: Call) =>
    formsOf(
      rows.map(({ formerLink = null, slug = '', slugs = [] }) => ({
        formerLink,
        slug,
        otherSlugs: slugs,
      })),
      'http://127.0.0.1:9/shop',
      new Map(),
    )

  const customerResults = ({ rows, options }: Call): CustomerResult[] =>
    rows.map((row) => {
      const { customerExternalId, partnerEmail } = row
      const of = { customerExternalId, partnerEmail }
      const known = state.customers.get(customerExternalId)
      const moves = known !== undefined && known.partnerEmail !== partnerEmail
      const owner = moves ? { ownerEmail: known.partnerEmail } : {}
      if (!state.partners.has(partnerEmail)) {
        const status = 'partner_not_found'
        return { ...of, ...owner, status, code: status, message: 'No partner has this address.' }
      }
      if (moves && options.keepOwners)
        return { ...of, ...owner, status: 'unchanged', code: 'customer_owned' }
      if (!options.dryRun) state.customers.set(customerExternalId, row)
      const note = state.banned.has(partnerEmail) ? { code: 'partner_banned' as const } : {}
      return {
        ...of,
        ...owner,
        status: moves ? 'updated' : known ? 'unchanged' : 'created',
        ...note,
      }
    })

  const app = new Hono<{ Bindings: HttpBindings }>()
    .get('/app/acme/import', (c) =>
      renderPage(c, {
        workspace: { id: '', slug: 'acme', name: 'Acme', role: 'manager' } as never,
        user: OPENER,
        ...IMPORT_PAGE,
        children: jsx(ImportPage, {
          workspace: 'acme',
          user: OPENER,
          origin: 'https://track.example',
          programs: PROGRAMS.slice(0, state.programs),
          creditsStripe: state.creditsStripe,
        }),
      }),
    )
    .post('/api/workspaces/acme/:kind/import', async (c) => {
      const kind = c.req.param('kind') === 'partners' ? 'partners' : 'customers'
      const call: Call = { ...(await c.req.json<Omit<Call, 'kind'>>()), kind }
      if (c.req.header('Tributary-User') !== state.user?.id) return c.json({}, 401)
      const fault = state.faults.shift() ?? null
      if (fault instanceof Response) return fault
      const breakOff = () => {
        c.env.outgoing.destroy()
        return RESPONSE_ALREADY_SENT
      }
      if (fault === 'before') return breakOff()
      state.calls.push(call)
      await new Promise((resolve) => setTimeout(resolve, state.delayMs))
      const key = call.importId ? JSON.stringify(call) : ''
      const answer = state.answers.get(key) ?? {
        summary: {},
        results: kind === 'partners' ? partnerResults(call) : customerResults(call),
        warnings: warningsOf(call),
        ...(call.options.dryRun && kind === 'partners' && { linkForms: linkFormsOf(call) }),
      }
      if (key) state.answers.set(key, answer)
      return fault === 'after' ? breakOff() : c.json(answer)
    })
    .get('/api/auth/get-session', (c) => c.json(state.user && { user: state.user }))
    .patch('/api/workspaces/acme/programs/:id', async (c) => {
      state.settings.push({ id: c.req.param('id'), ...(await c.req.json<object>()) })
      return c.json({})
    })
    .get('/api/workspaces/acme/partners', (c) => {
      const id = c.req.query('slug')
      if (id) return c.json({ data: [{ id }] })
      const all = [...state.partners.values()].map(({ email, name, slug }) => ({
        email,
        name: name ?? null,
        slug,
      }))
      const from = Number(c.req.query('cursor') ?? 0)
      const next = from + Number(c.req.query('limit'))
      return c.json({
        data: all.slice(from, next),
        nextCursor: next < all.length ? String(next) : null,
      })
    })
    .get('/api/workspaces/acme/partners/:id/links', (c) => {
      const slug = c.req.param('id')
      return c.json({ data: [{ slug, clicks: state.clicks.get(slug) ?? 0 }] })
    })
    .get('*', async (c) => {
      const code = islands.get(c.req.path)
      if (code) return c.body(code, 200, { 'Content-Type': 'text/javascript' })
      const file = await readFile(new URL(`../../public${c.req.path}`, import.meta.url)).catch(
        () => null,
      )
      const type = c.req.path.endsWith('.css') ? 'text/css' : 'image/svg+xml'
      return file ? c.body(file, 200, { 'Content-Type': type }) : c.notFound()
    })

  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
  const address = await new Promise<{ port: number }>((resolve) => {
    server.on('listening', () => resolve(server.address() as { port: number }))
  })
  return {
    state,
    url: `http://127.0.0.1:${address.port}/app/acme/import`,
    /** Resets all state. */
    reset: () => {
      Object.assign(state, { calls: [], faults: [], programs: 1, delayMs: 0, user: OPENER })
      Object.assign(state, { elsewhere: new Map(), partners: new Map(), customers: new Map() })
      Object.assign(state, { banned: new Set(), answers: new Map() })
      Object.assign(state, { creditsStripe: true, settings: [], clicks: new Map() })
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}
