import type { Context } from 'hono'
import type * as z from 'zod'
import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { found } from '../../lib/http/found.ts'
import { Page, page } from '../../lib/http/lists.ts'
import { rpc } from '../../lib/http/rpc.ts'
import { checked, type Fields, form, query } from '../../lib/http/validate.ts'
import { readFilters } from '../../lib/pages/filters.tsx'
import { noticeFor } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { readPlan } from '../../lib/payouts/files/files.queries.ts'
import { changeRun } from '../../lib/payouts/manual-runs.queries.ts'
import { readPayoutSetup } from '../../lib/payouts/methods.queries.ts'
import { namePartners, readPayoutsPage, readRunPage } from '../../lib/payouts/overview.queries.ts'
import type { RunResultResponse } from '../../lib/payouts/payouts.responses.ts'
import type { PayoutsService, RunRequest } from '../../lib/payouts/payouts.rpc.ts'
import { PayoutRun, RunChange } from '../../lib/payouts/payouts.schemas.ts'
import type { PayoutMethod } from '../../lib/payouts/payouts.ts'
import { exportRefusalOf, refusalOf, startRefusalOf } from '../../lib/payouts/runs.ts'
import { findProgram } from '../../lib/workspace/programs.queries.ts'
import { PayoutsPage } from './payout-pages.tsx'
import { MAX_LINES, onlyNotifies, PreviewPage, RefusedPage } from './payout-preview.tsx'
import { MAX_LEFT_OUT } from './payout-run-files.tsx'
import { RunPage } from './payout-run-page.tsx'

/** Only the payouts Worker can decrypt the merchant's Stripe key, so runs go through it. */
type PayoutsEnv = WorkspaceEnv & { Bindings: { PAYOUTS: Pick<PayoutsService, 'run'> } }

const DONE = {
  started: 'Payout run started. Reload the page to see its progress.',
  created: 'Payout run created. No money was sent: make the transfers in the file.',
  notified: 'Nobody could be paid. Partners without a connected account are emailed once.',
  completed: 'Payout run completed. All its partners are paid.',
  none_due: 'No payouts were due. Earlier ones are in the latest run.',
  paid: 'Run marked as paid. Confirm it once the transfers have completed.',
  processing: 'Run marked as unpaid.',
  confirmed: 'Run confirmed. The partners are notified by email.',
  canceled: 'Run canceled. Its commissions are payable again.',
  released: 'Commissions released. The next payout run includes them.',
  returned: 'Payout marked as returned. Its partner is emailed, and the next payout run pays it again.',
}

const BASE = '/app/:workspace/payouts'

const sectionPage = (title: string, children: Parameters<typeof renderPage>[1]['children']) =>
  ({ title, section: '/payouts', children }) as const

const refusedPage = (c: Context<PayoutsEnv>, message: string, status: 400 | 409) =>
  renderPage(
    c,
    sectionPage('Payouts', <RefusedPage base={`/app/${c.var.workspace.slug}/payouts`} message={message} />),
    status,
  )

/** The run that a form or a link requests. Blank fields take their defaults. */
const readRequest = ({ method, programId }: Fields) => {
  const { data, errors } = checked(PayoutRun, { method, programId })
  if (errors) return null
  return { method: data.method ?? ('stripe' as const), programId: data.programId ?? null }
}

/** Starts or previews a run in the payouts Worker. */
const requestRun = (c: Context<PayoutsEnv>, request: Pick<RunRequest, 'method' | 'programId' | 'dryRun'>) =>
  rpc('payouts', c.env.PAYOUTS.run({ ...request, workspaceId: c.var.workspace.id, actor: c.var.user.email }))

/** The run's program; null for all programs. @throws {ApiError} `not_found` */
const programOf = (c: Context<PayoutsEnv>, programId: string | null) =>
  programId === null
    ? null
    : found('program', programId, (id) => findProgram(c.var.db, c.var.workspace.id, id))

/** The notice for a run that has just started. */
const noticeOf = (method: PayoutMethod, { payouts }: RunResultResponse): keyof typeof DONE => {
  if (method === 'manual') return 'created'
  return payouts.every(({ status }) => status === 'paid') ? 'completed' : 'started'
}

const UNREADABLE = 'This payout request is not valid. Choose the method and program again.'

/** Renders a run, with the reason if it could not be changed. */
const showRun = async (
  c: Context<PayoutsEnv>,
  { limit, cursor }: z.output<typeof Page>,
  refused?: string,
) => {
  const { db, workspace } = c.var
  const read = await found('payout run', c.req.param('id') ?? '', (id) =>
    readRunPage(db, workspace.id, id, { cursor, limit: limit + 1 }),
  )
  const done = refused ? undefined : noticeFor(DONE, c.req.query('done'))
  const hasFiles = exportRefusalOf(read.run) === null
  const plan = hasFiles ? await readPlan(db, workspace.id, read.run.id, MAX_LEFT_OUT) : null
  const children = (
    <RunPage
      {...{ workspace, plan, done, refused }}
      run={read.run}
      payouts={page(read.payouts, limit)}
      url={c.req.url}
    />
  )
  return renderPage(c, sectionPage('Payout run', children), refused ? 409 : 200)
}

/** /app/:workspace/payouts: balances, payout runs and payouts. */
export default createRoutes<PayoutsEnv>()
  .get(BASE, query(Page), async (c) => {
    const { db, now, workspace } = c.var
    const { limit, cursor } = c.req.valid('query')
    const data = await readPayoutsPage(db, workspace.id, { cursor, limit: limit + 1 }, now)
    const done = noticeFor(DONE, c.req.query('done'))
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
    const result = await requestRun(c, { ...request, dryRun: true })
    if ('refused' in result) return refusedPage(c, result.refused, 409)
    const shown = [...result.payouts.slice(0, MAX_LINES), ...result.skipped.slice(0, MAX_LINES)]
    const [names, setup] = await Promise.all([
      namePartners(
        db,
        workspace.id,
        shown.map(({ partnerId }) => partnerId),
      ),
      readPayoutSetup(db, workspace.id),
    ])
    const { method } = request
    const isReady = startRefusalOf(method, setup) === null
    const children = <PreviewPage {...{ workspace, method, program, result, names, isReady }} />
    return renderPage(c, sectionPage('Payout preview', children))
  })
  .post(`${BASE}/new`, managersOnly(), form(), async (c) => {
    const base = `/app/${c.var.workspace.slug}/payouts`
    const request = readRequest(c.req.valid('form'))
    if (!request) return refusedPage(c, UNREADABLE, 400)
    await programOf(c, request.programId)
    const result = await requestRun(c, { ...request, dryRun: false })
    if ('refused' in result) return refusedPage(c, result.refused, 409)
    if (result.payouts.length === 0) {
      // On a double click, the second request finds nothing payable.
      return c.redirect(`${base}?done=${onlyNotifies(result) ? 'notified' : 'none_due'}`, 303)
    }
    return c.redirect(`${base}/runs/${result.runId}?done=${noticeOf(request.method, result)}`, 303)
  })
  .get(`${BASE}/runs/:id`, query(Page), (c) => showRun(c, c.req.valid('query')))
  .post(`${BASE}/runs/:id`, managersOnly(), form(), async (c) => {
    const { db, workspace } = c.var
    const { data, errors } = checked(RunChange, { status: c.req.valid('form').status })
    if (errors) return showRun(c, Page.parse({}), 'A payout run cannot be changed this way.')
    const { status } = data
    const portalUrl = new URL('/portal', c.req.url).href
    const changed = await found('payout run', c.req.param('id'), (id) =>
      changeRun(db, actOf(c), id, status, portalUrl),
    )
    const refusal = refusalOf(changed, status)
    if (refusal) return showRun(c, Page.parse({}), refusal)
    return c.redirect(`/app/${workspace.slug}/payouts/runs/${changed.id}?done=${status}`, 303)
  })
