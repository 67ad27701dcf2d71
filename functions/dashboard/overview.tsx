import type { WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { formatMoney } from '../../lib/money.ts'
import { Done, noticeFor } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { payableIn } from '../../lib/payouts/balances.ts'
import { MAX_COUNT, type Overview, readOverview } from '../../lib/workspace/overview.queries.ts'
import type { Workspace } from '../../lib/workspace/workspaces.queries.ts'

const DONE = { created: 'Workspace created. Follow the checklist to set it up.' }

/** A count that stops at a limit. */
const upToMost = (number: number): string =>
  number > MAX_COUNT ? `more than ${MAX_COUNT.toLocaleString('en')}` : number.toLocaleString('en')

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
    help: 'Complete when the first visitor arrives through a partner’s link.',
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
    <ul class="checklist">
      {steps(overview, base).map(({ done, href, label, help }) => (
        <li>
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

const Numbers = ({ overview, base }: { overview: Overview; base: string }) => (
  <ul class="numbers">
    <li>
      <strong>{upToMost(overview.partners)}</strong>
      <a href={`${base}/partners`}>Partners</a>
    </li>
    <li>
      <strong>{upToMost(overview.events)}</strong>
      <a href={`${base}/events`}>Events (30 days)</a>
    </li>
    {overview.held > 0 && (
      <li>
        <strong>{upToMost(overview.held)}</strong>
        <a href={`${base}/commissions/held`}>Commissions to review</a>
      </li>
    )}
    {overview.overdue > 0 && (
      <li>
        <strong>{upToMost(overview.overdue)}</strong>
        <a href={`${base}/events?overdue=true`}>Sales missing from Stripe</a>
      </li>
    )}
    {overview.earned.map(({ currency, pendingCents }) => {
      const { payableCents, blockedCents, owedCents } = payableIn(overview.balances, currency)
      return (
        <>
          <li>
            <strong>{formatMoney(pendingCents, currency)}</strong>
            <a href={`${base}/commissions?status=pending`}>Pending</a>
          </li>
          <li>
            <strong>{formatMoney(payableCents, currency)}</strong>
            <a href={`${base}/payouts`}>Payable</a>
          </li>
          {blockedCents > 0n && (
            <li>
              <strong>{formatMoney(blockedCents, currency)}</strong>
              <a href={`${base}/payouts`}>Blocked</a>
            </li>
          )}
          {owedCents > 0n && (
            <li>
              <strong>{formatMoney(owedCents, currency)}</strong>
              <a href={`${base}/payouts`}>Owed back by partners</a>
            </li>
          )}
        </>
      )
    })}
  </ul>
)

type Props = { workspace: Workspace; overview: Overview; done: string | undefined }

const OverviewPage = ({ workspace, overview, done }: Props) => {
  const base = `/app/${workspace.slug}`
  const isSetUp = steps(overview, base).every((step) => step.done)
  return (
    <>
      <h1>{workspace.name}</h1>
      <Done message={done} />
      {!isSetUp && workspace.role === 'manager' && <Checklist overview={overview} base={base} />}
      <Numbers overview={overview} base={base} />
    </>
  )
}

/** /app/:workspace: the setup checklist and the main figures. */
export default createRoutes<WorkspaceEnv>().get('/app/:workspace', async (c) => {
  const { db, now, workspace } = c.var
  const overview = await readOverview(db, workspace.id, now)
  const done = noticeFor(DONE, c.req.query('done'))
  const page = <OverviewPage workspace={workspace} overview={overview} done={done} />
  return renderPage(c, { title: 'Overview', section: '', children: page })
})
