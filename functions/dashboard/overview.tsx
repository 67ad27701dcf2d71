import type { WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { figure, money } from '../../lib/pages/money.tsx'
import { Done, noticeFor } from '../../lib/pages/parts.tsx'
import { PeriodLinks } from '../../lib/pages/period-links.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { payableIn } from '../../lib/payouts/balances.ts'
import { type Period, periodOf, readPeriodDays } from '../../lib/periods.ts'
import { isForMany, isOtherUnit } from '../../lib/tracking/unlikely-reports.ts'
import { MAX_COUNT, type Overview, readOverview } from '../../lib/workspace/overview.queries.ts'
import type { Workspace } from '../../lib/workspace/workspaces.queries.ts'
import { Figures } from './figures.tsx'
import { TopPages, TopPartners, TopReferrers } from './top-lists.tsx'

const DONE = { created: 'Workspace created. Follow the checklist to set it up.' }

/** A count that stops at a limit. */
const upToMost = (number: number): string =>
  number > MAX_COUNT ? `more than ${figure(MAX_COUNT)}` : figure(number)

const tally = (number: number, one: string, many: string): string =>
  `${upToMost(number)} ${number === 1 ? one : many}`

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

/** What a manager should look at, most urgent first. */
const attentionOf = (overview: Overview, base: string, role: Workspace['role']) => [
  ...overview.earned.flatMap(({ currency }) => {
    const { blockedCents, owedCents } = payableIn(overview.balances, currency)
    return [
      {
        isOpen: blockedCents > 0n,
        text: `${money(blockedCents, currency)} is due to partners who can’t be paid yet`,
        href: `${base}/payouts`,
      },
      {
        isOpen: owedCents > 0n,
        text: `${money(owedCents, currency)} is owed back by partners`,
        href: `${base}/payouts`,
      },
    ]
  }),
  {
    isOpen: overview.applications > 0,
    text: tally(overview.applications, 'application waits', 'applications wait'),
    href: `${base}/applications?status=applied`,
  },
  {
    isOpen: overview.held > 0,
    text: tally(overview.held, 'commission is held for review', 'commissions are held for review'),
    href: `${base}/commissions/held`,
  },
  {
    isOpen: overview.likelyCredits > 0,
    text: tally(
      overview.likelyCredits,
      'recent sale with a click or a known customer is not credited',
      'recent sales with a click or a known customer are not credited',
    ),
    href: `${base}/uncredited?show=likely`,
  },
  {
    isOpen: overview.mismatches > 0,
    text: tally(
      overview.mismatches,
      'report of the last 7 days has the ID of another one',
      'reports of the last 7 days have the ID of another one',
    ),
    href: `${base}/mismatches`,
  },
  ...(overview.busiestCustomer ? [overview.busiestCustomer] : []).map((busiest) => ({
    isOpen: isForMany(busiest),
    text: `The customer ID “${busiest.customerExternalId}” has ${busiest.sales} of the latest ${busiest.ofSales} sales. Is it the ID of all guests?`,
    href: '/docs/guide-test-your-integration#one-customer-for-all-guests',
  })),
  ...overview.medianAmounts.map((medians) => ({
    isOpen: isOtherUnit(medians),
    text: `The typical sale of ${medians.program} went from ${money(medians.beforeCents, medians.currency)} to ${money(medians.latestCents, medians.currency)}. Are amounts in minor units?`,
    href: '/docs/guide-test-your-integration#cents',
  })),
  {
    isOpen: overview.overdue > 0,
    text: tally(
      overview.overdue,
      'reported sale is missing from Stripe',
      'reported sales are missing from Stripe',
    ),
    href: `${base}/events?overdue=true`,
  },
  {
    isOpen: overview.failingEndpoints > 0,
    text: tally(overview.failingEndpoints, 'webhook endpoint fails', 'webhook endpoints fail'),
    href: `${base}/webhooks`,
  },
  {
    isOpen: overview.failedMails > 0,
    text: tally(overview.failedMails, 'email was not delivered', 'emails were not delivered'),
    href: `${base}/mails?status=failed`,
  },
  {
    isOpen: role === 'manager' && overview.managers < 2,
    text: 'This workspace has one manager. Without that mailbox, nobody could manage it: add a second manager',
    href: `${base}/members`,
  },
]

const Attention = ({
  overview,
  base,
  role,
}: {
  overview: Overview
  base: string
  role: Workspace['role']
}) => {
  const open = attentionOf(overview, base, role).filter(({ isOpen }) => isOpen)
  return (
    <section class="card">
      <h2>Needs attention</h2>
      {open.length === 0 ? (
        <p>
          Nothing. Applications, held commissions, sales without a partner, missing or unlikely sales, failed
          emails and webhooks are listed here.
        </p>
      ) : (
        <ul class="attention">
          {open.map(({ text, href }) => (
            <li>
              <span>{text}</span>
              <a class="nowrap" href={href}>
                View<span class="hidden">: {text}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

type Props = {
  workspace: Workspace
  overview: Overview
  period: Period
  now: Date
  done: string | undefined
}

const OverviewPage = ({ workspace, overview, period, now, done }: Props) => {
  const base = `/app/${workspace.slug}`
  const isSetUp = steps(overview, base).every((step) => step.done)
  return (
    <>
      <div class="page-head">
        <h1>{workspace.name}</h1>
        <PeriodLinks days={period.days} what="the figures" hrefOf={(days) => `${base}?days=${days}`} />
      </div>
      <Done message={done} />
      {!isSetUp && workspace.role === 'manager' && <Checklist overview={overview} base={base} />}
      <Figures what={workspace.name} activity={overview.activity} period={period} now={now} />
      <Balances overview={overview} base={base} />
      <div class="panels">
        <Attention overview={overview} base={base} role={workspace.role} />
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
  const period = periodOf(readPeriodDays(c.req.query('days')), now)
  const overview = await readOverview(db, workspace.id, period, now)
  const done = noticeFor(DONE, c.req.query('done'))
  const page = (
    <OverviewPage workspace={workspace} overview={overview} period={period} now={now} done={done} />
  )
  return renderPage(c, { title: 'Overview', section: '', children: page })
})
