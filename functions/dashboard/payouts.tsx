import type { Context } from 'hono'
import type * as z from 'zod'
import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { found } from '../../lib/http/found.ts'
import { Page, page } from '../../lib/http/lists.ts'
import { rpc } from '../../lib/http/rpc.ts'
import { checked, type Fields, form, query } from '../../lib/http/validate.ts'
import { Filters, readFilters } from '../../lib/pages/filters.tsx'
import { NextPage, Select, wordsFor } from '../../lib/pages/parts.tsx'
import { PayoutTable } from '../../lib/pages/payouts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { changeRun } from '../../lib/payouts/manual-runs.queries.ts'
import { namePartners, readPayoutsPage, readRunPage } from '../../lib/payouts/overview.queries.ts'
import { payoutsQuery } from '../../lib/payouts/payouts.queries.ts'
import type { RunResultResponse } from '../../lib/payouts/payouts.responses.ts'
import type { PayoutsService, RunRequest } from '../../lib/payouts/payouts.rpc.ts'
import { PayoutQuery, PayoutRun, RunChange } from '../../lib/payouts/payouts.schemas.ts'
import type { PayoutMethod } from '../../lib/payouts/payouts.ts'
import { refusalOf } from '../../lib/payouts/runs.ts'
import { hasStripeKey } from '../../lib/payouts/stripe-keys.queries.ts'
import { findProgram } from '../../lib/workspace/programs.queries.ts'
import { PayoutsPage } from './payout-pages.tsx'
import { isToTell, PreviewPage, RefusedPage, SHOWN_LINES } from './payout-preview.tsx'
import { RunPage } from './payout-run-page.tsx'

/** The key of the merchant's Stripe account, the payouts Worker alone can open. */
type PayoutsEnv = WorkspaceEnv & { Bindings: { PAYOUTS: Pick<PayoutsService, 'run'> } }

const DONE = {
  begun: 'The run has begun. What is sent shows here: load the page again to see more of it.',
  aside: 'The payouts are set aside for you to pay. Nothing was sent: pay what the file says.',
  told: 'Nobody could be paid. Who has not connected an account is told so by mail, once.',
  sent: 'The run is done: everybody in it is paid.',
  nothing: 'Nothing was due any more, so nothing was paid. What was is in the newest run.',
  paid: 'The run is marked as paid. Confirm it once that is certain.',
  processing: 'The run is not marked as paid any more.',
  confirmed: 'The run is confirmed, and the partners are told by mail.',
  canceled: 'The run was canceled: what it had taken is payable again.',
}

const STATUSES = [
  { value: '', label: 'Any' },
  { value: 'processing', label: 'On its way' },
  { value: 'paid', label: 'Paid' },
  { value: 'failed', label: 'Failed' },
  { value: 'canceled', label: 'Canceled' },
]

const BASE = '/app/:workspace/payouts'

const sectionPage = (title: string, children: Parameters<typeof renderPage>[1]['children']) =>
  ({ title, section: '/payouts', children }) as const

const refusedPage = (c: Context<PayoutsEnv>, message: string, status: 400 | 409) =>
  renderPage(
    c,
    sectionPage('Payouts', <RefusedPage base={`/app/${c.var.workspace.slug}/payouts`} message={message} />),
    status,
  )

/** What a form or a link asks to be paid. A field that was left blank asks for what is usual. */
const readRequest = ({ method, programId }: Fields) => {
  const { data, errors } = checked(PayoutRun, { method, programId })
  if (errors) return null
  return { method: data.method ?? ('stripe' as const), programId: data.programId ?? null }
}

/** Asks the payouts Worker for a run, or for what one would come to. */
const askForRun = (c: Context<PayoutsEnv>, request: Pick<RunRequest, 'method' | 'programId' | 'dryRun'>) =>
  rpc('payouts', c.env.PAYOUTS.run({ ...request, workspaceId: c.var.workspace.id, actor: c.var.user.email }))

/** The program that is to be paid alone; null for all. @throws {ApiError} `not_found` */
const programOf = (c: Context<PayoutsEnv>, programId: string | null) =>
  programId === null
    ? null
    : found('program', programId, (id) => findProgram(c.var.db, c.var.workspace.id, id))

/** What is said of a run that has just begun, by how it pays and how far that is. */
const begunAs = (method: PayoutMethod, { payouts }: RunResultResponse): keyof typeof DONE => {
  if (method === 'manual') return 'aside'
  return payouts.every(({ status }) => status === 'paid') ? 'sent' : 'begun'
}

const UNREADABLE = 'That is nothing that can be paid. Please choose it again.'

/** Shows a run, with why it could not be changed, if it could not. */
const showRun = async (
  c: Context<PayoutsEnv>,
  { limit, cursor }: z.output<typeof Page>,
  refused?: string,
) => {
  const { db, workspace } = c.var
  const read = await found('payout run', c.req.param('id') ?? '', (id) =>
    readRunPage(db, workspace.id, id, { cursor, limit: limit + 1 }),
  )
  const done = refused ? undefined : wordsFor(DONE, c.req.query('done'))
  const children = (
    <RunPage
      {...{ workspace, done, refused }}
      run={read.run}
      payouts={page(read.payouts, limit)}
      url={c.req.url}
    />
  )
  return renderPage(c, sectionPage('Payout run', children), refused ? 409 : 200)
}

/** /app/:workspace/payouts: partners are paid, and everybody sees how far that is. */
export default createRoutes<PayoutsEnv>()
  .get(BASE, query(Page), async (c) => {
    const { db, now, workspace } = c.var
    const { limit, cursor } = c.req.valid('query')
    const data = await readPayoutsPage(db, workspace.id, { cursor, limit: limit + 1 }, now)
    const done = wordsFor(DONE, c.req.query('done'))
    const children = (
      <PayoutsPage {...{ workspace, data, done }} runs={page(data.runs, limit)} url={c.req.url} />
    )
    return renderPage(c, sectionPage('Payouts', children))
  })
  .get(`${BASE}/new`, managersOnly(), async (c) => {
    const { db, workspace } = c.var
    const request = readRequest(readFilters(c, PayoutRun).fields)
    if (!request) return refusedPage(c, UNREADABLE, 400)
    const program = await programOf(c, request.programId)
    const result = await askForRun(c, { ...request, dryRun: true })
    if ('refused' in result) return refusedPage(c, result.refused, 409)
    const shown = [...result.payouts.slice(0, SHOWN_LINES), ...result.skipped.slice(0, SHOWN_LINES)]
    const [names, hasKey] = await Promise.all([
      namePartners(
        db,
        workspace.id,
        shown.map(({ partnerId }) => partnerId),
      ),
      hasStripeKey(db, workspace.id),
    ])
    const { method } = request
    const isReady = method === 'manual' || hasKey
    const children = <PreviewPage {...{ workspace, method, program, result, names, isReady }} />
    return renderPage(c, sectionPage('Pay partners', children))
  })
  .post(`${BASE}/new`, managersOnly(), form(), async (c) => {
    const base = `/app/${c.var.workspace.slug}/payouts`
    const request = readRequest(c.req.valid('form'))
    if (!request) return refusedPage(c, UNREADABLE, 400)
    await programOf(c, request.programId)
    const result = await askForRun(c, { ...request, dryRun: false })
    if ('refused' in result) return refusedPage(c, result.refused, 409)
    if (result.payouts.length === 0) {
      // The second click of two finds what the first has taken gone.
      return c.redirect(`${base}?done=${isToTell(result) ? 'told' : 'nothing'}`, 303)
    }
    return c.redirect(`${base}/runs/${result.runId}?done=${begunAs(request.method, result)}`, 303)
  })
  .get(`${BASE}/all`, async (c) => {
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const { fields, data, errors } = readFilters(c, PayoutQuery)
    const rows = data
      ? await payoutsQuery(db, workspace.id, { ...data, limit: data.limit + 1 }).execute()
      : []
    const { data: payouts, nextCursor } = page(rows, data?.limit ?? 0)
    const children = (
      <>
        <h1>All payouts</h1>
        <Filters
          what="payouts"
          path={`${base}/payouts/all`}
          fields={fields}
          errors={errors}
          kept={{ partnerId: 'Only those of one partner.', runId: 'Only those of one run.' }}
        >
          <Select label="Status" name="status" options={STATUSES} value={fields.status} errors={errors} />
        </Filters>
        {payouts.length > 0 ? (
          <PayoutTable base={base} payouts={payouts} />
        ) : (
          <p class="empty">
            {Object.keys(fields).length > 0 ? 'No payout is like that.' : 'Nobody was paid yet.'}
          </p>
        )}
        <NextPage url={c.req.url} cursor={nextCursor} />
      </>
    )
    return renderPage(c, sectionPage('All payouts', children), errors ? 400 : 200)
  })
  .get(`${BASE}/runs/:id`, query(Page), (c) => showRun(c, c.req.valid('query')))
  .post(`${BASE}/runs/:id`, managersOnly(), form(), async (c) => {
    const { db, workspace } = c.var
    const { data, errors } = checked(RunChange, { status: c.req.valid('form').status })
    if (errors) return showRun(c, Page.parse({}), 'That can’t be done with a run.')
    const { status } = data
    const portalUrl = new URL('/portal', c.req.url).href
    const changed = await found('payout run', c.req.param('id'), (id) =>
      changeRun(db, actOf(c), id, status, portalUrl),
    )
    const refusal = refusalOf(changed, status)
    if (refusal) return showRun(c, Page.parse({}), refusal)
    return c.redirect(`/app/${workspace.slug}/payouts/runs/${changed.id}?done=${status}`, 303)
  })
