/** The list of applications, and the page of one. */
import type { Child } from 'hono/jsx'
import type { ApplicationRow } from '../../lib/applications/applications.queries.ts'
import { MAX_TEXT_LENGTH } from '../../lib/applications/applications.ts'
import type { Fields } from '../../lib/http/validate.ts'
import { Checkbox, TextArea } from '../../lib/pages/fields.tsx'
import { Status } from '../../lib/pages/ledger.tsx'
import { Problem, Table, Time } from '../../lib/pages/parts.tsx'
import type { Workspace } from '../../lib/workspace/workspaces.queries.ts'
import { GroupField, type Option } from './choices.tsx'

export const ApplicationTable = ({
  base,
  applications,
}: {
  base: string
  applications: ApplicationRow[]
}) => (
  <Table caption="Applications" head={['Name', 'Email address', 'Program', 'Applied', 'Status']}>
    {applications.map(({ id, name, email, programName, appliedAt, status, isBlocked }) => (
      <tr>
        <td class="name">
          <a href={`${base}/applications/${id}`}>{name || email}</a>
        </td>
        <td>{email}</td>
        <td>{programName}</td>
        <td>{appliedAt && <Time at={appliedAt} />}</td>
        <td>
          <Status status={status} label={isBlocked ? 'blocked' : status} />
        </td>
      </tr>
    ))}
  </Table>
)

/** A link that the applicant wrote. */
const Site = ({ url }: { url: string | null }) =>
  url ? (
    <a href={url} rel="noreferrer nofollow ugc" target="_blank">
      {url}
    </a>
  ) : (
    <>None</>
  )

const Facts = ({ application, base }: { application: ApplicationRow; base: string }) => (
  <dl class="facts">
    <dt>Status</dt>
    <dd>
      <Status status={application.status} />
      {application.isBlocked && ' and blocked'}
    </dd>
    <dt>Email address</dt>
    <dd>
      {application.email}
      {application.appliedAt && ', proved by a sign-in link'}
    </dd>
    <dt>Program</dt>
    <dd>
      <a href={`${base}/programs/${application.programId}`}>{application.programName}</a>
    </dd>
    {application.invitedAt && (
      <>
        <dt>Invited</dt>
        <dd>
          <Time at={application.invitedAt} /> by {application.invitedBy}
        </dd>
      </>
    )}
    {application.appliedAt && (
      <>
        <dt>Applied</dt>
        <dd>
          <Time at={application.appliedAt} />
        </dd>
        <dt>Site or channel</dt>
        <dd>
          <Site url={application.siteUrl} />
        </dd>
      </>
    )}
    <dt>Terms</dt>
    <dd>{application.agreementVersion ? `Accepted version ${application.agreementVersion}` : 'None'}</dd>
    {application.decidedAt && (
      <>
        <dt>Decided</dt>
        <dd>
          <Time at={application.decidedAt} /> by {application.decidedBy ?? 'the page, which approves at once'}
        </dd>
      </>
    )}
    {application.reason && (
      <>
        <dt>Reason</dt>
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

/** The forms with which a manager decides. */
const Decision = ({ path, groups, fields }: { path: string; groups: Option[]; fields: Fields }) => (
  <>
    <section>
      <h2>Approve</h2>
      <form method="post" action={`${path}/approve`}>
        <GroupField label="Group" name="groupId" groups={groups} value={fields.groupId} />
        <p>The applicant gets a link and an email with it.</p>
        <button type="submit">Approve</button>
      </form>
    </section>
    <section>
      <h2>Reject</h2>
      <form method="post" action={`${path}/reject`}>
        <TextArea
          label="Reason (optional)"
          name="reason"
          maxlength={MAX_TEXT_LENGTH}
          rows={3}
          value={fields.reason}
        />
        <Checkbox label="Email the applicant, with the reason" name="sendsMail" checked={false} />
        <Checkbox
          label="Block"
          name="blocks"
          hint="This address can’t apply to this program again."
          checked={false}
        />
        <button type="submit" class="danger">
          Reject
        </button>
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

export const ApplicationPage = ({ workspace, application, groups, fields = {}, problem }: Props) => {
  const base = `/app/${workspace.slug}`
  const path = `${base}/applications/${application.id}`
  const isManager = workspace.role === 'manager'
  return (
    <>
      <p>
        <a href={`${base}/applications`}>Applications</a>
      </p>
      <h1>{application.name || application.email}</h1>
      <Problem message={problem} />
      <Facts application={application} base={base} />
      {application.partnerId && (
        <p>
          <a href={`${base}/partners/${application.partnerId}`}>View partner</a>
        </p>
      )}
      {application.promotion && (
        <Answered question="How will you promote us?">{application.promotion}</Answered>
      )}
      {application.answers.map(({ question, answer }) => (
        <Answered question={question}>{answer}</Answered>
      ))}
      {isManager && application.status === 'applied' && (
        <Decision path={path} groups={groups} fields={fields} />
      )}
      {isManager && application.status !== 'approved' && (
        <section>
          <h2>Delete</h2>
          <form method="post" action={`${path}/delete`}>
            <p>Deletes what the applicant has sent, and that the address is blocked.</p>
            <button type="submit" class="quiet">
              Delete application
            </button>
          </form>
        </section>
      )}
    </>
  )
}
