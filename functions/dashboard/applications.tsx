import type { Context } from 'hono'
import type { Child } from 'hono/jsx'
import {
  type ApplicationRow,
  approveApplication,
  deleteApplication,
  findApplication,
  listApplications,
  rejectApplication,
} from '../../lib/applications/applications.queries.ts'
import { ApplicationQuery, Approval, Rejection } from '../../lib/applications/applications.schemas.ts'
import { MAX_TEXT_LENGTH } from '../../lib/applications/applications.ts'
import { actOf, managersOnly, type WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import { ApiError } from '../../lib/http/errors.ts'
import { found, notFound } from '../../lib/http/found.ts'
import { page } from '../../lib/http/lists.ts'
import { checked, type Fields, form } from '../../lib/http/validate.ts'
import { Checkbox, Select, TextArea } from '../../lib/pages/fields.tsx'
import { areFilters, Empty, Filters, readFilters } from '../../lib/pages/filters.tsx'
import { Status } from '../../lib/pages/ledger.tsx'
import { Done, NextPage, noticeFor, Problem, Table, Time } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { listGroups } from '../../lib/workspace/groups.queries.ts'
import type { Workspace } from '../../lib/workspace/workspaces.queries.ts'

const DONE = {
  approved: 'Application approved. The partner’s link works, and an email with it is on the way.',
  rejected: 'Application rejected.',
  deleted: 'Application deleted.',
}

const STATUSES = [
  { value: '', label: 'Any' },
  { value: 'invited', label: 'Invited' },
  { value: 'applied', label: 'Applied' },
  { value: 'approved', label: 'Approved' },
  { value: 'rejected', label: 'Rejected' },
]

const MAX_GROUPS = 200

const ApplicationTable = ({ base, applications }: { base: string; applications: ApplicationRow[] }) => (
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
const Decision = ({
  path,
  groups,
  fields,
}: {
  path: string
  groups: { id: string; name: string }[]
  fields: Fields
}) => (
  <>
    <section>
      <h2>Approve</h2>
      <form method="post" action={`${path}/approve`}>
        {groups.length > 0 && (
          <Select
            label="Group"
            name="groupId"
            options={[
              { value: '', label: 'None' },
              ...groups.map(({ id, name }) => ({ value: id, label: name })),
            ]}
            value={fields.groupId}
          />
        )}
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

type Props = {
  workspace: Workspace
  application: ApplicationRow
  groups: { id: string; name: string }[]
  fields?: Fields
  problem?: string | undefined
}

const ApplicationPage = ({ workspace, application, groups, fields = {}, problem }: Props) => {
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

const PATH = '/app/:workspace/applications'

const findOne = (c: Context<WorkspaceEnv>) =>
  found('application', c.req.param('id') ?? '', (id) => findApplication(c.var.db, c.var.workspace.id, id))

const showOne = async (
  c: Context<WorkspaceEnv>,
  application: ApplicationRow,
  state: Pick<Props, 'fields' | 'problem'> = {},
  status: 200 | 400 = 200,
) => {
  const { db, workspace } = c.var
  const groups = await listGroups(db, workspace.id, application.programId, { limit: MAX_GROUPS })
  const children = <ApplicationPage {...{ workspace, application, groups }} {...state} />
  return renderPage(
    c,
    { title: application.name || application.email, section: '/applications', children },
    status,
  )
}

const decided = () =>
  new ApiError('conflict', 'Somebody has decided this application already. Reload its page to see how.')

const done = (c: Context<WorkspaceEnv>, code: keyof typeof DONE) =>
  c.redirect(`/app/${c.var.workspace.slug}/applications?status=applied&done=${code}`, 303)

/** /app/:workspace/applications: who wants to be a partner, and what managers decide. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, async (c) => {
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const { fields, data, errors } = readFilters(c, ApplicationQuery)
    const rows = data ? await listApplications(db, workspace.id, { ...data, limit: data.limit + 1 }) : []
    const { data: applications, nextCursor } = page(rows, data?.limit ?? 0)
    const children = (
      <>
        <h1>Applications</h1>
        <Done message={noticeFor(DONE, c.req.query('done'))} />
        {workspace.role === 'manager' && (
          <p>
            <a class="button" href={`${base}/applications/invite`}>
              Invite people
            </a>
          </p>
        )}
        <Filters what="applications" path={`${base}/applications`} fields={fields} errors={errors}>
          <Select label="Status" name="status" options={STATUSES} value={fields.status} errors={errors} />
        </Filters>
        {applications.length > 0 ? (
          <ApplicationTable base={base} applications={applications} />
        ) : (
          <Empty what="applications" isFiltered={areFilters(fields)}>
            No applications yet. Each <a href={`${base}/programs`}>program’s page</a> leads to the page on
            which people apply, which you open there.
          </Empty>
        )}
        <NextPage url={c.req.url} cursor={nextCursor} />
      </>
    )
    return renderPage(c, { title: 'Applications', section: '/applications', children }, errors ? 400 : 200)
  })
  .get(`${PATH}/:id`, async (c) => showOne(c, await findOne(c)))
  .post(`${PATH}/:id/approve`, managersOnly(), form(), async (c) => {
    const { db, workspace, actor } = c.var
    const application = await findOne(c)
    const { data, errors } = checked(Approval, { groupId: c.req.valid('form').groupId ?? null })
    if (errors) return showOne(c, application, { problem: errors[0]?.message }, 400)
    const portalUrl = new URL('/portal', c.req.url).href
    const outcome = await approveApplication(db, actOf(c), application, {
      groupId: data.groupId,
      welcome: { workspaceName: workspace.name, sentBy: actor, portalUrl },
      decidedBy: actor,
    })
    if (outcome === 'decided') throw decided()
    if (outcome === 'group_not_found') throw notFound('group')
    return done(c, 'approved')
  })
  .post(`${PATH}/:id/reject`, managersOnly(), form(), async (c) => {
    const application = await findOne(c)
    const fields = c.req.valid('form')
    const { data, errors } = checked(Rejection, {
      reason: fields.reason ?? '',
      blocks: fields.blocks !== undefined,
      sendsMail: fields.sendsMail !== undefined,
    })
    if (errors) return showOne(c, application, { fields, problem: errors[0]?.message }, 400)
    const { reason, blocks, sendsMail } = data
    const { name: applicantName, programName } = application
    const mail = sendsMail ? { applicantName, programName, reason } : null
    const isRejected = await rejectApplication(c.var.db, actOf(c), application, { reason, blocks, mail })
    if (!isRejected) throw decided()
    return done(c, 'rejected')
  })
  .post(`${PATH}/:id/delete`, managersOnly(), form(), async (c) => {
    const application = await findOne(c)
    if (application.status === 'approved') throw decided()
    await deleteApplication(c.var.db, actOf(c), application)
    return done(c, 'deleted')
  })
