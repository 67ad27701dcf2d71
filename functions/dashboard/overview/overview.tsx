import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { type Overview, readOverview } from '../../../lib/overview/overview.queries.ts'
import { Done, noticeFor, Problem } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { money } from '../../../lib/pages/parts/money.tsx'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'
import { Status } from '../../../lib/pages/tables/ledger.tsx'
import { PeriodLinks } from '../../../lib/pages/tables/period-links.tsx'
import { payableIn } from '../../../lib/payouts/balances/balances.ts'
import { listWaitingPasskeys } from '../../../lib/tenancy/members/member-passkeys.queries.ts'
import type { Workspace } from '../../../lib/tenancy/workspaces/workspaces.queries.ts'
import { type Period, readPeriod } from '../../../lib/values/periods.ts'
import { upToMost } from '../checks/findings.ts'
import { Attention } from './attention.tsx'
import { Figures } from './figures.tsx'
import { TopPages, TopPartners, TopReferrers } from './top-lists.tsx'

const DONE = { created: m.overview_workspace_created_follow }

/** The steps to the first credited sale, in order. */
const steps = ({ programId, hasApiKey, hasClick, hasSale, partners }: Overview, base: string) => [
  {
    done: programId !== null,
    href: `${base}/programs/new`,
    label: t(m.overview_create_a_program),
    help: t(m.overview_defines_partners_earn),
  },
  {
    done: hasApiKey,
    href: `${base}/api-keys`,
    label: t(m.overview_create_api_key),
    help: t(m.overview_backend_uses_report),
  },
  {
    done: partners > 0,
    href: `${base}/import`,
    label: t(m.overview_import_your_partners),
    help: t(m.overview_another_platform_existing),
  },
  {
    done: hasClick,
    href: programId === null ? `${base}/programs` : `${base}/programs/${programId}#snippet`,
    label: t(m.overview_add_snippet_site),
    help:
      programId === null
        ? t(m.overview_complete_first_visitor)
        : t(m.overview_complete_and_test, { link: linkTo(`${base}/programs/${programId}/test`) }),
  },
  {
    done: hasSale,
    href: `${base}/events`,
    label: t(m.overview_report_first_sale),
    help: t(m.overview_send_backend_click, {
      link: linkTo('/openapi.json'),
      connect: linkTo(`${base}/stripe`),
    }),
  },
]

const Checklist = ({ overview, base }: { overview: Overview; base: string }) => (
  <section class="card">
    <h2>{t(m.overview_setup_checklist)}</h2>
    <ul class="checklist" aria-live="polite" data-done={t(m.layout_done)}>
      {steps(overview, base).map(({ done, href, label, help }) => (
        <li aria-atomic="true">
          <Status
            status={done ? 'approved' : 'open'}
            label={done ? t(m.layout_done) : t(m.layout_to_do)}
          />
          <span>
            <a href={href}>{label}</a>. {help}
          </span>
        </li>
      ))}
    </ul>
  </section>
)

const Balances = ({ overview, base }: { overview: Overview; base: string }) => (
  <ul class="numbers">
    <li>
      <strong>{upToMost(overview.partners)}</strong>
      <a href={`${base}/partners`}>{t(m.layout_partners)}</a>
    </li>
    {overview.earned.map(({ currency, pendingCents }) => {
      const { payableCents } = payableIn(overview.balances, currency)
      return (
        <>
          <li>
            <strong>{money(pendingCents, currency)}</strong>
            <a href={`${base}/commissions?status=pending`}>{t(m.balance_pending)}</a>
          </li>
          <li>
            <strong>{money(payableCents, currency)}</strong>
            <a href={`${base}/payouts`}>{t(m.balance_payable)}</a>
          </li>
        </>
      )
    })}
  </ul>
)

type Props = {
  workspace: Workspace
  overview: Overview
  waitingPasskeys: number
  period: Period
  /** Why the chosen days of the period were refused. */
  problem: string | undefined
  done: Message | undefined
}

const OverviewPage = ({ workspace, overview, waitingPasskeys, period, problem, done }: Props) => {
  const base = `/app/${workspace.slug}`
  const isSetUp = steps(overview, base).every((step) => step.done)
  return (
    <>
      <div class="page-head">
        <h1>{workspace.name}</h1>
        <PeriodLinks
          period={period}
          what={t(m.overview_the_figures)}
          hrefOf={(days) => `${base}?days=${days}`}
          action={base}
        />
      </div>
      <Done message={done} />
      <Problem message={problem} />
      {!isSetUp && mayOpen(workspace, 'POST /settings') && (
        <Checklist overview={overview} base={base} />
      )}
      <Figures what={workspace.name} activity={overview.activity} period={period} />
      <Balances overview={overview} base={base} />
      <div class="panels">
        <Attention {...{ overview, waitingPasskeys, workspace, base }} />
        <TopPartners rows={overview.topPartners} base={base} />
        <TopReferrers rows={overview.referrers} />
        <TopPages rows={overview.pages} />
      </div>
    </>
  )
}

/** /app/:workspace: the setup checklist, the figures of a period, and what needs attention. */
export default createRoutes<WorkspaceEnv>().get('/app/:workspace', async (c) => {
  const { db, now, workspace } = c.var
  const { period, problem } = readPeriod(c.req.query(), now)
  const isWarned = mayOpen(workspace, 'POST /payouts/new') && workspace.payoutsRequirePasskey
  const [overview, waiting] = await Promise.all([
    readOverview(db, workspace.id, period, now),
    isWarned ? listWaitingPasskeys(db, workspace.id, now) : [],
  ])
  const waitingPasskeys = waiting.length
  const done = noticeFor(DONE, c.req.query('done'))
  const page = <OverviewPage {...{ workspace, overview, waitingPasskeys, period, problem, done }} />
  return renderSection(c, '', m.nav_overview, page, problem ? 400 : 200)
})
