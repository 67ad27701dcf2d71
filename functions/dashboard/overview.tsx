import type { WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { money } from '../../lib/pages/money.tsx'
import { Done, noticeFor, Problem } from '../../lib/pages/parts.tsx'
import { PeriodLinks } from '../../lib/pages/period-links.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { payableIn } from '../../lib/payouts/balances.ts'
import { type Period, readPeriod } from '../../lib/periods.ts'
import { type Overview, readOverview } from '../../lib/workspace/overview.queries.ts'
import type { Workspace } from '../../lib/workspace/workspaces.queries.ts'
import { Attention, upToMost } from './attention.tsx'
import { Figures } from './figures.tsx'
import { TopPages, TopPartners, TopReferrers } from './top-lists.tsx'

const DONE = { created: 'Workspace created. Follow the checklist to set it up.' }

/** The steps to the first credited sale, in order. */
const steps = ({ programId, hasApiKey, hasClick, hasSale, partners }: Overview, base: string) => [
  {
    done: programId !== null,
    href: `${base}/programs/new`,
    label: 'Create a program',
    help: 'It defines what partners earn, and for how long.',
  },
  {
    done: hasApiKey,
    href: `${base}/api-keys`,
    label: 'Create an API key',
    help: 'Your backend uses it to report leads and sales.',
  },
  {
    done: partners > 0,
    href: `${base}/import`,
    label: 'Import your partners',
    help: 'From another platform, with their existing links, or from your own list.',
  },
  {
    done: hasClick,
    href: programId === null ? `${base}/programs` : `${base}/programs/${programId}#snippet`,
    label: 'Add the snippet to your site',
    help: (
      <>
        Complete when the first visitor arrives through a partner’s link.{' '}
        {programId !== null && <a href={`${base}/programs/${programId}/test`}>Test your tracking</a>}
      </>
    ),
  },
  {
    done: hasSale,
    href: `${base}/events`,
    label: 'Report your first sale',
    help: (
      <>
        Send it from your backend with the click ID (see the <a href="/openapi.json">API reference</a>), or{' '}
        <a href={`${base}/stripe`}>connect Stripe</a>.
      </>
    ),
  },
]

const Checklist = ({ overview, base }: { overview: Overview; base: string }) => (
  <section class="card">
    <h2>Setup checklist</h2>
    <ul class="checklist" aria-live="polite">
      {steps(overview, base).map(({ done, href, label, help }) => (
        <li aria-atomic="true">
          <span class="status" data-status={done ? 'approved' : 'open'}>
            {done ? 'Done' : 'To do'}
          </span>
          <span>
            <a href={href}>{label}</a>. {help}
          </span>
        </li>
      ))}
    </ul>
  </section>
)

/** What is open or owed at present. */
const Balances = ({ overview, base }: { overview: Overview; base: string }) => (
  <ul class="numbers">
    <li>
      <strong>{upToMost(overview.partners)}</strong>
      <a href={`${base}/partners`}>Partners</a>
    </li>
    {overview.earned.map(({ currency, pendingCents }) => {
      const { payableCents } = payableIn(overview.balances, currency)
      return (
        <>
          <li>
            <strong>{money(pendingCents, currency)}</strong>
            <a href={`${base}/commissions?status=pending`}>Pending</a>
          </li>
          <li>
            <strong>{money(payableCents, currency)}</strong>
            <a href={`${base}/payouts`}>Payable</a>
          </li>
        </>
      )
    })}
  </ul>
)

type Props = {
  workspace: Workspace
  overview: Overview
  period: Period
  /** Why the days that were chosen for the period were refused. */
  problem: string | undefined
  now: Date
  done: string | undefined
}

const OverviewPage = ({ workspace, overview, period, problem, now, done }: Props) => {
  const base = `/app/${workspace.slug}`
  const isSetUp = steps(overview, base).every((step) => step.done)
  return (
    <>
      <div class="page-head">
        <h1>{workspace.name}</h1>
        <PeriodLinks
          period={period}
          what="the figures"
          hrefOf={(days) => `${base}?days=${days}`}
          action={base}
        />
      </div>
      <Done message={done} />
      <Problem message={problem} />
      {!isSetUp && workspace.role === 'manager' && <Checklist overview={overview} base={base} />}
      <Figures what={workspace.name} activity={overview.activity} period={period} />
      <Balances overview={overview} base={base} />
      <div class="panels">
        <Attention overview={overview} base={base} role={workspace.role} now={now} />
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
  const overview = await readOverview(db, workspace.id, period, now)
  const done = noticeFor(DONE, c.req.query('done'))
  const page = <OverviewPage {...{ workspace, overview, period, problem, now, done }} />
  return renderPage(c, { title: 'Overview', section: '', children: page }, problem ? 400 : 200)
})
