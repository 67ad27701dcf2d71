import { Field } from '../../lib/pages/fields.tsx'
import { Done, Problem } from '../../lib/pages/parts.tsx'
import type { Deletion } from '../../lib/workspace/deletion.queries.ts'
import { DELETION_DAYS, UNDER_WAY } from '../../lib/workspace/deletion.ts'
import type { Workspace } from '../../lib/workspace/workspaces.queries.ts'

/** The lists that can be downloaded, as CSV. */
const LISTS = [
  'partners',
  'customers',
  'events',
  'commissions',
  'payouts',
  'applications',
  'mails',
  'audit',
] as const

const LABELS: Record<(typeof LISTS)[number], string> = {
  partners: 'Partners',
  customers: 'Customers',
  events: 'Sales and leads',
  commissions: 'Commissions',
  payouts: 'Payouts',
  applications: 'Applications',
  mails: 'Emails',
  audit: 'Audit log',
}

const Downloads = ({ slug }: { slug: string }) => (
  <section class="card">
    <h2>Downloads</h2>
    <p>Nothing can be restored afterwards. Download what you need, and what your tax law makes you keep.</p>
    <ul>
      {LISTS.map((list) => (
        <li>
          <a href={`/api/workspaces/${slug}/export/${list}.csv`}>{LABELS[list]}</a>{' '}
          <span class="hint">CSV</span>
        </li>
      ))}
      <li>
        <a href={`/app/${slug}/payouts`}>Years, statements and invoices</a>{' '}
        <span class="hint">on the page of payouts</span>
      </li>
    </ul>
  </section>
)

type Props = {
  workspace: Workspace
  deletion: Deletion
  problem?: string | undefined
  done?: string | undefined
}

/** What is deleted and when, the downloads, and the form that schedules or cancels. */
export const DeletionPage = ({ workspace: { slug, name }, deletion, problem, done }: Props) => {
  const base = `/app/${slug}/deletion`
  const { deletesAt, scheduledBy, underWay } = deletion
  return (
    <>
      <p>
        <a href={`/app/${slug}/settings`}>Settings</a>
      </p>
      <h1>Deletion</h1>
      <Done message={done} />
      <Problem message={problem} />
      {deletesAt ? (
        <>
          <p>
            {name} is deleted after <strong>{deletesAt.toISOString().slice(0, 10)}</strong> (UTC).{' '}
            {scheduledBy} scheduled it. Until then, everything works as before, API keys and links too. If
            partners earn something meanwhile, the deletion is called off.
          </p>
          <form method="post" action={`${base}/cancel`}>
            <button type="submit">Keep workspace</button>
          </form>
          <Downloads slug={slug} />
        </>
      ) : (
        <>
          <p>
            Deletes {name} with all partners, customers, events, commissions and payouts, {DELETION_DAYS} days
            from now. All managers receive an email, and each of them can cancel until then.
          </p>
          <Downloads slug={slug} />
          {underWay ? (
            problem === undefined && <p class="problem">{UNDER_WAY[underWay]}</p>
          ) : (
            <form method="post" action={base}>
              <Field
                label={`Slug of the workspace: ${slug}`}
                name="slug"
                hint="Type it to confirm."
                required
                maxlength={63}
                autocomplete="off"
                autocapitalize="none"
                spellcheck="false"
              />
              <button type="submit" class="danger">
                Schedule deletion
              </button>
            </form>
          )}
        </>
      )}
    </>
  )
}
