import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { DangerButton } from '../../../lib/pages/forms/buttons.tsx'
import { Field, IDENTIFIER } from '../../../lib/pages/forms/fields.tsx'
import { Done, LinkLine, Problem } from '../../../lib/pages/layout/parts.tsx'
import { type Shown, t } from '../../../lib/pages/layout/text.ts'
import { strong } from '../../../lib/pages/parts/tags.tsx'
import type { Deletion } from '../../../lib/people/deletion.queries.ts'
import { DELETION_DAYS, UNDER_WAY } from '../../../lib/people/deletion.ts'
import type { Workspace } from '../../../lib/tenancy/workspaces/workspaces.queries.ts'

/** The lists that can be downloaded as CSV. */
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

const LABELS: Record<(typeof LISTS)[number], Message> = {
  partners: m.layout_partners,
  customers: m.layout_customers,
  events: m.nav_events,
  commissions: m.nav_commissions,
  payouts: m.nav_payouts,
  applications: m.layout_applications,
  mails: m.layout_mails,
  audit: m.layout_audit,
}

const Downloads = ({ slug }: { slug: string }) => (
  <section class="card">
    <h2>{t(m.settings_downloads)}</h2>
    <p>{t(m.settings_downloads_hint)}</p>
    <ul>
      {LISTS.map((list) => (
        <li>
          <a href={`/api/workspaces/${slug}/export/${list}.csv`}>{t(LABELS[list])}</a>{' '}
          <span class="hint">{t(m.settings_csv)}</span>
        </li>
      ))}
      <li>
        <a href={`/app/${slug}/payouts`}>{t(m.settings_papers)}</a>{' '}
        <span class="hint">{t(m.settings_papers_hint)}</span>
      </li>
    </ul>
  </section>
)

type Props = {
  workspace: Workspace
  deletion: Deletion
  problem?: string | undefined
  done?: Shown | undefined
}

/** What is deleted and when, the downloads, and the form that schedules or cancels the deletion. */
export const DeletionPage = ({ workspace: { slug, name }, deletion, problem, done }: Props) => {
  const base = `/app/${slug}/deletion`
  const { deletesAt, scheduledBy, underWay } = deletion
  return (
    <>
      <LinkLine href={`/app/${slug}/settings`}>{t(m.layout_settings)}</LinkLine>
      <h1>{t(m.settings_deletion)}</h1>
      <Done message={done} />
      <Problem message={problem} />
      {deletesAt ? (
        <>
          <p>
            {t(m.settings_deletion_scheduled, {
              name,
              day: deletesAt.toISOString().slice(0, 10),
              strong,
              scheduledBy,
            })}
          </p>
          <form method="post" action={`${base}/cancel`}>
            <button type="submit">{t(m.settings_keep_workspace)}</button>
          </form>
          <Downloads slug={slug} />
        </>
      ) : (
        <>
          <p>{t(m.settings_deletion_effect, { name, days: String(DELETION_DAYS) })}</p>
          <Downloads slug={slug} />
          {underWay ? (
            problem === undefined && <p class="problem">{UNDER_WAY[underWay]}</p>
          ) : (
            <form method="post" action={base}>
              <Field
                label={t(m.settings_slug_to_confirm, { slug })}
                name="slug"
                hint={t(m.settings_slug_hint)}
                required
                maxlength={63}
                {...IDENTIFIER}
              />
              <DangerButton>{t(m.settings_schedule_deletion)}</DangerButton>
            </form>
          )}
        </>
      )}
    </>
  )
}
