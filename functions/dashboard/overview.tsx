import type { WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { formatMoney } from '../../lib/money.ts'
import { Done, wordsFor } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { MOST_COUNTED, type Overview, readOverview } from '../../lib/workspace/overview.queries.ts'
import type { Workspace } from '../../lib/workspace/workspaces.queries.ts'

const DONE = { created: 'Your workspace is ready. Here is what comes next.' }

/** A number that was counted up to a limit. */
const upToMost = (number: number): string =>
  number > MOST_COUNTED ? `more than ${MOST_COUNTED.toLocaleString('en')}` : number.toLocaleString('en')

/** What it takes until the first sale is credited, in order. */
const steps = ({ programId, hasApiKey, hasClick, hasSale, partners }: Overview, base: string) => [
  {
    done: programId !== null,
    href: `${base}/programs/new`,
    label: 'Create a program',
    why: 'It says what partners earn, and for how long.',
  },
  {
    done: hasApiKey,
    href: `${base}/api-keys`,
    label: 'Create an API key',
    why: 'Your backend reports leads and sales with it.',
  },
  {
    done: partners > 0,
    href: `${base}/import`,
    label: 'Import your partners',
    why: 'From another platform, with their links kept, or from a list of your own.',
  },
  {
    done: hasClick,
    href: programId === null ? `${base}/programs` : `${base}/programs/${programId}#snippet`,
    label: 'Put the snippet on your site',
    why: 'Done once the first visitor has come through a partner’s link.',
  },
  {
    done: hasSale,
    href: `${base}/events`,
    label: 'Report your first sale',
    why: (
      <>
        From your backend, with the click’s id: see the <a href="/openapi.json">API’s description</a>. Or let{' '}
        <a href={`${base}/stripe`}>Stripe</a> report it.
      </>
    ),
  },
]

const Checklist = ({ overview, base }: { overview: Overview; base: string }) => (
  <section class="card">
    <h2>To your first credited sale</h2>
    <ul class="checklist">
      {steps(overview, base).map(({ done, href, label, why }) => (
        <li>
          <span class="status" data-status={done ? 'approved' : 'open'}>
            {done ? 'Done' : 'To do'}
          </span>
          <span>
            <a href={href}>{label}</a>. {why}
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
      <a href={`${base}/events`}>Events in 30 days</a>
    </li>
    {overview.earned.map(({ currency, pendingCents, payableCents }) => (
      <>
        <li>
          <strong>{formatMoney(pendingCents, currency)}</strong>
          <a href={`${base}/commissions?status=pending`}>Pending</a>
        </li>
        <li>
          <strong>{formatMoney(payableCents, currency)}</strong>
          <a href={`${base}/commissions?status=payable`}>Payable</a>
        </li>
      </>
    ))}
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

/** /app/:workspace: what is left to be set up, and how things stand. */
export default createRoutes<WorkspaceEnv>().get('/app/:workspace', async (c) => {
  const { db, now, workspace } = c.var
  const overview = await readOverview(db, workspace.id, now)
  const done = wordsFor(DONE, c.req.query('done'))
  const page = <OverviewPage workspace={workspace} overview={overview} done={done} />
  return renderPage(c, { title: 'Overview', section: '', children: page })
})
