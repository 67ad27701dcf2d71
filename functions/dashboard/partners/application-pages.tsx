import type { Child } from 'hono/jsx'
import type { ApplicationRow } from '../../../lib/applications/applications.queries.ts'
import { MAX_TEXT_LENGTH } from '../../../lib/applications/applications.ts'
import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { DangerButton, QuietButton } from '../../../lib/pages/forms/buttons.tsx'
import { Checkbox, TextArea } from '../../../lib/pages/forms/fields.tsx'
import { Fact, LinkLine, Problem, Time } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import { Status } from '../../../lib/pages/tables/ledger.tsx'
import { Table } from '../../../lib/pages/tables/table.tsx'
import type { Workspace } from '../../../lib/tenancy/workspaces/workspaces.queries.ts'
import { GroupField, type Option } from '../fields/choices.tsx'

type ApplicationTableProps = { base: string; applications: ApplicationRow[] }

export const ApplicationTable = ({ base, applications }: ApplicationTableProps) => (
  <Table
    caption={t(m.layout_applications)}
    head={[t(m.layout_name), t(m.email_address), t(m.program), t(m.applied_column), t(m.status)]}
  >
    {applications.map(({ id, name, email, programName, appliedAt, status, isBlocked }) => (
      <tr>
        <td class="name">
          <a href={`${base}/applications/${id}`}>{name || email}</a>
        </td>
        <td>{email}</td>
        <td>{programName}</td>
        <td>{appliedAt && <Time at={appliedAt} />}</td>
        <td>
          <Status status={status} label={isBlocked ? m.applications_blocked : status} />
        </td>
      </tr>
    ))}
  </Table>
)

/** A link that the applicant entered. */
const Site = ({ url }: { url: string | null }) =>
  url ? (
    <a href={url} rel="noreferrer nofollow ugc" target="_blank">
      {url}
    </a>
  ) : (
    t(m.layout_none)
  )

const At = ({ at, by }: { at: Date; by: string }) => (
  <>{t(m.applications_at_by, { time: () => <Time at={at} />, by })}</>
)

const Facts = ({ application, base }: { application: ApplicationRow; base: string }) => (
  <dl class="facts">
    <Fact name={m.status}>
      {application.isBlocked ? (
        t(m.applications_status_blocked, { status: () => <Status status={application.status} /> })
      ) : (
        <Status status={application.status} />
      )}
    </Fact>
    <Fact name={m.email_address}>
      {application.appliedAt
        ? t(m.applications_email_proved, { email: application.email })
        : application.email}
    </Fact>
    <Fact name={m.program}>
      <a href={`${base}/programs/${application.programId}`}>{application.programName}</a>
    </Fact>
    {application.invitedAt && (
      <Fact name={m.applications_invited}>
        <At at={application.invitedAt} by={application.invitedBy ?? ''} />
      </Fact>
    )}
    {application.appliedAt && (
      <>
        <Fact name={m.applied_column}>
          <Time at={application.appliedAt} />
        </Fact>
        <Fact name={m.applications_site_channel}>
          <Site url={application.siteUrl} />
        </Fact>
      </>
    )}
    <Fact name={m.terms}>
      {application.agreementVersion
        ? t(m.applications_accepted_version, { version: String(application.agreementVersion) })
        : t(m.layout_none)}
    </Fact>
    {application.decidedAt && (
      <Fact name={m.applications_decided}>
        <At
          at={application.decidedAt}
          by={application.decidedBy ?? t(m.applications_approves_at_once)}
        />
      </Fact>
    )}
    {application.reason && (
      <>
        <dt>{t(m.layout_reason)}</dt>
        <dd class="written">{application.reason}</dd>
      </>
    )}
  </dl>
)

const Answered = ({ question, children }: { question: Child; children: string }) => (
  <section>
    <h2>{question}</h2>
    <p class="written">{children}</p>
  </section>
)

const Decision = ({ path, groups, fields }: { path: string; groups: Option[]; fields: Fields }) => (
  <>
    <section>
      <h2>{t(m.applications_approve)}</h2>
      <form method="post" action={`${path}/approve`}>
        <GroupField
          label={t(m.layout_group)}
          name="groupId"
          groups={groups}
          value={fields.groupId}
        />
        <p>{t(m.applications_approval_effect)}</p>
        <button type="submit">{t(m.applications_approve)}</button>
      </form>
    </section>
    <section>
      <h2>{t(m.applications_reject)}</h2>
      <form method="post" action={`${path}/reject`}>
        <TextArea
          label="Reason (optional)"
          name="reason"
          maxlength={MAX_TEXT_LENGTH}
          rows={3}
          value={fields.reason}
        />
        <Checkbox label={t(m.applications_email_reason)} name="sendsMail" checked={false} />
        <Checkbox
          label={t(m.applications_block)}
          name="blocks"
          hint={t(m.applications_block_hint)}
          checked={false}
        />
        <DangerButton>{t(m.applications_reject)}</DangerButton>
      </form>
    </section>
  </>
)

export type Props = {
  workspace: Workspace
  application: ApplicationRow
  groups: Option[]
  fields?: Fields
  problem?: string | undefined
}

export const ApplicationPage = ({
  workspace,
  application,
  groups,
  fields = {},
  problem,
}: Props) => {
  const base = `/app/${workspace.slug}`
  const path = `${base}/applications/${application.id}`
  const mayDecide = mayOpen(workspace, 'POST /applications/:id/approve')
  return (
    <>
      <LinkLine href={`${base}/applications`}>{t(m.layout_applications)}</LinkLine>
      <h1>{application.name || application.email}</h1>
      <Problem message={problem} />
      <Facts application={application} base={base} />
      {application.partnerId && (
        <LinkLine href={`${base}/partners/${application.partnerId}`}>
          {t(m.applications_view_partner)}
        </LinkLine>
      )}
      {application.promotion && (
        <Answered question={t(m.your_promotion)}>{application.promotion}</Answered>
      )}
      {application.answers.map(({ question, answer }) => (
        <Answered question={question}>{answer}</Answered>
      ))}
      {mayDecide && application.status === 'applied' && (
        <Decision path={path} groups={groups} fields={fields} />
      )}
      {mayDecide && application.status !== 'approved' && (
        <section>
          <h2>{t(m.applications_delete)}</h2>
          <form method="post" action={`${path}/delete`}>
            <p>{t(m.applications_delete_effect)}</p>
            <QuietButton>{t(m.applications_delete_button)}</QuietButton>
          </form>
        </section>
      )}
    </>
  )
}
