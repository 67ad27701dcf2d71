import type { Context } from 'hono'
import type * as z from 'zod'
import { actOf, type WorkspaceEnv } from '../../../lib/auth/access.ts'
import { isPasskeyMissing } from '../../../lib/auth/passkey-for-payouts.ts'
import { changeById, readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import { Page, page } from '../../../lib/http/lists.ts'
import { rpc } from '../../../lib/http/rpc/rpc.ts'
import { type Checked, checked, form, query } from '../../../lib/http/validate.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { noticeFor } from '../../../lib/pages/layout/parts.tsx'
import { renderPage } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import {
  namePartners,
  readPayoutsPage,
  readRunPage,
} from '../../../lib/payouts/balances/overview.queries.ts'
import { readPayoutSetup } from '../../../lib/payouts/details/methods.queries.ts'
import { readPlan } from '../../../lib/payouts/files/files.queries.ts'
import type { RunResultResponse } from '../../../lib/payouts/payouts.responses.ts'
import type { PayoutsService, RunRequest } from '../../../lib/payouts/payouts.rpc.ts'
import { limitsIn, RunChange } from '../../../lib/payouts/payouts.schemas.ts'
import type { PayoutMethod } from '../../../lib/payouts/payouts.ts'
import { decideRun, findApprover } from '../../../lib/payouts/runs/approvals.queries.ts'
import { approvalRefusalOf, type RunLimits } from '../../../lib/payouts/runs/limits.ts'
import { changeRun } from '../../../lib/payouts/runs/manual-runs.queries.ts'
import { endReview } from '../../../lib/payouts/runs/review.queries.ts'
import { findRun, type Run } from '../../../lib/payouts/runs/runs.queries.ts'
import {
  exportRefusalOf,
  refusalOf,
  reviewRefusalOf,
  startRefusalOf,
} from '../../../lib/payouts/runs/runs.ts'
import { findProgram } from '../../../lib/programs/programs.queries.ts'
import {
  askForPasskey,
  confirmedByPasskey,
  freshMembersOnly,
} from '../../../lib/sign-in/fresh-sign-in.tsx'
import { MAX_LEFT_OUT } from '../runs/payout-run-files.tsx'
import { RunPage } from '../runs/payout-run-page.tsx'
import { type RunInput, readPreview, readRun } from '../runs/run-limits.tsx'
import { MAX_LINES } from './payout-lines.tsx'
import { PayoutsPage } from './payout-pages.tsx'
import { onlyNotifies, PreviewPage, RefusedPage } from './payout-preview.tsx'

/** Only the payouts Worker can decrypt the merchant's Stripe key, so runs go through it. */
type PayoutsEnv = WorkspaceEnv & { Bindings: { PAYOUTS: Pick<PayoutsService, 'run'> } }

const DONE = {
  started: m.payouts_run_started,
  created: m.payouts_run_created,
  notified: m.payouts_nobody_paid,
  completed: m.payouts_run_completed,
  none_due: m.payouts_no_payouts_due_earlier,
  paid: m.payouts_run_marked_paid,
  processing: m.payouts_run_marked_unpaid,
  confirmed: m.payouts_run_confirmed,
  canceled: m.payouts_run_canceled,
  canceling: m.payouts_run_canceling,
  payout_canceled: m.payouts_payout_canceled,
  payout_canceling: m.payouts_payout_canceling,
  sending: m.payouts_review_ended_payouts,
  awaiting: m.payouts_nothing_paid_yet,
  approve_first: m.payouts_run_approved_first,
  approve: m.payouts_run_approved,
  decline: m.payouts_run_declined,
  released: m.payouts_commissions_released_next,
  resolved_sent: m.payouts_marked_sent_partner,
  resolved_not_sent: m.payouts_done_not_sent,
  resolved_all_sent: m.payouts_selected_marked_sent,
  resolved_all_not_sent: m.payouts_selected_marked_not_sent,
  returned: m.payouts_marked_returned_partner,
}

const BASE = '/app/:workspace/payouts'

const sectionPage = (title: Message, children: Parameters<typeof renderPage>[1]['children']) =>
  ({ title, section: '/payouts', children }) as const

const refusedPage = (c: Context<PayoutsEnv>, message: string, status: 400 | 409) =>
  renderPage(
    c,
    sectionPage(
      m.nav_payouts,
      <RefusedPage base={`/app/${c.var.workspace.slug}/payouts`} message={message} />,
    ),
    status,
  )

type Requested = Pick<RunRequest, 'method' | 'programId' | 'expected'> & { limits: RunLimits }

/** The requested run. Blank fields take their defaults. */
const requestOf = ({ data }: Checked<RunInput>, now: Date): Requested | null =>
  data
    ? {
        method: data.method ?? 'stripe',
        programId: data.programId ?? null,
        limits: limitsIn(data, now),
        expected: data.expected ?? null,
      }
    : null

const requestRun = (c: Context<PayoutsEnv>, request: Requested & { dryRun: boolean }) =>
  rpc(
    'payouts',
    c.env.PAYOUTS.run({ ...request, workspaceId: c.var.workspace.id, actor: c.var.user.email }),
  )

const namesIn = ({ payouts, skipped }: RunResultResponse, c: Context<PayoutsEnv>) => {
  const shown = [...payouts.slice(0, MAX_LINES), ...skipped.slice(0, MAX_LINES)]
  const ids = shown.map(({ partnerId }) => partnerId)
  return namePartners(c.var.db, c.var.workspace.id, ids)
}

/** Renders a preview, with the previous one if the run would now pay more. */
const showPreview = async (
  c: Context<PayoutsEnv>,
  { method, programId, limits, expected }: Requested,
  result: RunResultResponse,
  status: 200 | 409 = 200,
) => {
  const { db, workspace } = c.var
  const [program, names, setup] = await Promise.all([
    programOf(c, programId),
    namesIn(result, c),
    readPayoutSetup(db, workspace.id),
  ])
  const isReady = startRefusalOf(method, setup) === null
  const before = status === 409 ? (expected ?? undefined) : undefined
  const children = (
    <PreviewPage {...{ workspace, method, program, result, names, isReady, limits, before }} />
  )
  return renderPage(c, sectionPage(m.payouts_preview, children), status)
}

/** The run's program; null for all programs. @throws {ApiError} `not_found` */
const programOf = (c: Context<PayoutsEnv>, programId: string | null) =>
  programId === null
    ? null
    : found('program', programId, (id) => findProgram(c.var.db, c.var.workspace.id, id))

const noticeOf = (method: PayoutMethod, { payouts }: RunResultResponse): keyof typeof DONE => {
  if (method === 'manual') return 'created'
  return payouts.every(({ status }) => status === 'paid') ? 'completed' : 'started'
}

/** Renders a run, with the reason if a change was refused. */
const showRun = async (
  c: Context<PayoutsEnv>,
  { limit, cursor }: z.output<typeof Page>,
  refused?: string,
) => {
  const { db, workspace, now } = c.var
  const read = await found('payout run', c.req.param('id') ?? '', (id) =>
    readRunPage(db, workspace.id, id, { cursor, limit: limit + 1, now }),
  )
  const done = refused ? undefined : noticeFor(DONE, c.req.query('done'))
  const hasFiles = exportRefusalOf(read.run) === null
  const plan = hasFiles ? await readPlan(db, workspace.id, read.run.id, MAX_LEFT_OUT) : null
  const isWaiting = read.run.status === 'awaiting_approval'
  const preview = isWaiting ? await previewRun(c, read.run) : null
  const reader = isWaiting ? await findApprover(db, read.run, workspace.id, c.var.user.email) : null
  const children = (
    <RunPage
      {...{ workspace, plan, preview, done, refused }}
      reader={reader}
      approvalRefusal={reader && approvalRefusalOf(read.run, 'approve', reader)}
      run={read.run}
      resolvable={read.resolvable}
      payouts={page(read.payouts, limit)}
      url={c.req.url}
    />
  )
  return renderPage(c, sectionPage(m.layout_payout_run, children), refused ? 409 : 200)
}

/** Approves or declines the run of the URL. */
const decide = (wanted: 'approve' | 'decline') => async (c: Context<PayoutsEnv>) => {
  const id = c.req.param('id') ?? ''
  const url = new URL(`/app/${c.var.workspace.slug}/payouts/runs/${id}`, c.req.url).href
  const { run, refusal } = await found('payout run', id, () =>
    decideRun(c.var.db, actOf(c), id, { wanted, url }),
  )
  if (refusal) return showRun(c, Page.parse({}), refusal)
  const done = wanted === 'approve' && !run.approvedAt ? 'approve_first' : wanted
  return c.redirect(`/app/${c.var.workspace.slug}/payouts/runs/${run.id}?done=${done}`, 303)
}

/** What a run that waits for approval would pay now. */
const previewRun = async (c: Context<PayoutsEnv>, { method, programId, ...run }: Run) => {
  const { previewedAt, excludePartnerIds, excludeCommissionIds, maxAmountCents } = run
  const limits = { previewedAt, excludePartnerIds, excludeCommissionIds, maxAmountCents }
  const result = await requestRun(c, { method, programId, limits, expected: null, dryRun: true })
  if ('refused' in result || 'changed' in result) return null
  return { result, names: await namesIn(result, c) }
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
    return renderPage(c, sectionPage(m.nav_payouts, children))
  })
  .get(`${BASE}/new`, async (c) => {
    const request = requestOf(readPreview(c), c.var.now)
    if (!request) return refusedPage(c, textsOf(c)(m.payouts_request_not_valid), 400)
    await programOf(c, request.programId)
    const result = await requestRun(c, { ...request, dryRun: true })
    if ('refused' in result) return refusedPage(c, result.refused, 409)
    return showPreview(c, request, 'changed' in result ? result.changed : result)
  })
  .post(`${BASE}/new`, freshMembersOnly(), confirmedByPasskey(), form(), async (c) => {
    const base = `/app/${c.var.workspace.slug}/payouts`
    const request = requestOf(readRun(c.req.valid('form')), c.var.now)
    if (!request) return refusedPage(c, textsOf(c)(m.payouts_request_not_valid), 400)
    await programOf(c, request.programId)
    const result = await requestRun(c, { ...request, dryRun: false })
    if ('refused' in result) return refusedPage(c, result.refused, 409)
    if ('changed' in result) return showPreview(c, request, result.changed, 409)
    if (result.status === 'awaiting_approval')
      return c.redirect(`${base}/runs/${result.runId}?done=awaiting`, 303)
    if (result.payouts.length === 0) {
      // On a double click, the second request finds nothing payable.
      return c.redirect(`${base}?done=${onlyNotifies(result) ? 'notified' : 'none_due'}`, 303)
    }
    return c.redirect(`${base}/runs/${result.runId}?done=${noticeOf(request.method, result)}`, 303)
  })
  .get(`${BASE}/runs/:id`, query(Page), (c) => showRun(c, c.req.valid('query')))
  .post(`${BASE}/runs/:id/send`, freshMembersOnly(), confirmedByPasskey(), async (c) => {
    const run = await changeById(c, 'payout run', endReview)
    const refusal = reviewRefusalOf(run)
    if (refusal) return showRun(c, Page.parse({}), refusal)
    return c.redirect(`/app/${c.var.workspace.slug}/payouts/runs/${run.id}?done=sending`, 303)
  })
  .post(`${BASE}/runs/:id/export`, freshMembersOnly(), confirmedByPasskey(), form(), async (c) => {
    const { workspace } = c.var
    const run = await readById(c, 'payout run', findRun)
    const query = new URLSearchParams(c.req.valid('form'))
    return c.redirect(
      `/api/workspaces/${workspace.slug}/payout-runs/${run.id}/export?${query}`,
      303,
    )
  })
  .post(`${BASE}/runs/:id/approve`, freshMembersOnly(), confirmedByPasskey(), decide('approve'))
  .post(`${BASE}/runs/:id/decline`, freshMembersOnly(), decide('decline'))
  .post(`${BASE}/runs/:id`, freshMembersOnly(), form(), async (c) => {
    const { workspace } = c.var
    const { data, errors } = checked(RunChange, { status: c.req.valid('form').status })
    if (errors) return showRun(c, Page.parse({}), textsOf(c)(m.payouts_run_cannot_changed))
    const { status } = data
    if (status !== 'canceled' && isPasskeyMissing(c)) return askForPasskey(c, c.req.valid('form'))
    const portalUrl = new URL('/portal', c.req.url).href
    const changed = await changeById(c, 'payout run', changeRun, status, portalUrl)
    const refusal = refusalOf(changed, status)
    if (refusal) return showRun(c, Page.parse({}), refusal)
    const done = changed.status === 'canceling' ? 'canceling' : status
    return c.redirect(`/app/${workspace.slug}/payouts/runs/${changed.id}?done=${done}`, 303)
  })
