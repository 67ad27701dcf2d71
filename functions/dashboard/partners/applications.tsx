import type { Context } from 'hono'
import {
  type ApplicationRow,
  applicationsQuery,
  findApplication,
} from '../../../lib/applications/applications.queries.ts'
import {
  ApplicationQuery,
  Approval,
  Rejection,
} from '../../../lib/applications/applications.schemas.ts'
import { approve, reject, remove } from '../../../lib/applications/decide.service.ts'
import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import { readById } from '../../../lib/auth/rows.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { page } from '../../../lib/http/lists.ts'
import { checked, form } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { ButtonLine, Done, noticeFor } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'
import { FilteredRows } from '../../../lib/pages/tables/filtered-list.tsx'
import { ANY, readFilters } from '../../../lib/pages/tables/filters.tsx'
import { programsAndGroupsQuery } from '../../../lib/partners/lists/partners.queries.ts'
import { listGroups } from '../../../lib/programs/groups.queries.ts'
import { freshMembersOnly } from '../../../lib/sign-in/fresh-sign-in.tsx'
import { groupNames, programOptions } from '../fields/choices.tsx'
import { ApplicationPage, ApplicationTable, type Props } from './application-pages.tsx'

const DONE = {
  approved: m.applications_approved,
  rejected: m.applications_rejected_notice,
  deleted: m.applications_deleted_notice,
}

const STATUSES = [
  ANY,
  { value: 'invited', label: m.applications_invited },
  { value: 'applied', label: m.applied_column },
  { value: 'approved', label: m.application_approved },
  { value: 'rejected', label: m.applications_status_rejected },
]

const PATH = '/app/:workspace/applications'

const findOne = (c: Context<WorkspaceEnv>) => readById(c, 'application', findApplication)

const showOne = async (
  c: Context<WorkspaceEnv>,
  application: ApplicationRow,
  state: Pick<Props, 'fields' | 'problem'> = {},
  status: 200 | 400 = 200,
) => {
  const { db, workspace } = c.var
  const groups = groupNames(await listGroups(db, workspace.id, application.programId))
  const children = <ApplicationPage {...{ workspace, application, groups }} {...state} />
  return renderSection(c, '/applications', application.name || application.email, children, status)
}

const done = (c: Context<WorkspaceEnv>, code: keyof typeof DONE) =>
  c.redirect(`/app/${c.var.workspace.slug}/applications?status=applied&done=${code}`, 303)

/** /app/:workspace/applications: applications and managers' decisions. */
export default createRoutes<WorkspaceEnv>()
  .get(PATH, async (c) => {
    const t = textsOf(c)
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const { fields, data, errors } = readFilters(c, ApplicationQuery)
    const { limit = 0, ...filter } = data ?? {}
    const [rows, choices] = await db.batch([
      applicationsQuery(db, workspace.id, { ...filter, limit: data ? limit + 1 : 0 }).compile(),
      programsAndGroupsQuery(db, workspace.id).compile(),
    ])
    const list = { ...page(rows, limit), fields, errors }
    const programs = programOptions(choices)
    const children = (
      <>
        <h1>{t(m.layout_applications)}</h1>
        <Done message={noticeFor(DONE, c.req.query('done'))} />
        {mayOpen(workspace, 'GET /applications/invite') && (
          <ButtonLine href={`${base}/applications/invite`}>
            {t(m.applications_invite_people)}
          </ButtonLine>
        )}
        <FilteredRows
          {...{ workspace, list }}
          name="applications"
          what={m.layout_items_applications}
          url={c.req.url}
          filters={[
            ...(programs.length > 1
              ? [{ name: 'programId', label: m.program, options: [ANY, ...programs] }]
              : []),
            { name: 'status', label: m.status, options: STATUSES },
          ]}
          none={t(m.applications_none_yet, { link: linkTo(`${base}/programs`) })}
        >
          <ApplicationTable base={base} applications={list.data} />
        </FilteredRows>
      </>
    )
    return renderSection(c, '/applications', m.layout_applications, children, errors ? 400 : 200)
  })
  .get(`${PATH}/:id`, async (c) => showOne(c, await findOne(c)))
  .post(`${PATH}/:id/approve`, freshMembersOnly(), form(), async (c) => {
    const application = await findOne(c)
    const { data, errors } = checked(Approval, { groupId: c.req.valid('form').groupId })
    if (errors) return showOne(c, application, { problem: errors[0]?.message }, 400)
    await approve(c, application, data.groupId ?? null)
    return done(c, 'approved')
  })
  .post(`${PATH}/:id/reject`, freshMembersOnly(), form(), async (c) => {
    const application = await findOne(c)
    const fields = c.req.valid('form')
    const { data, errors } = checked(Rejection, {
      reason: fields.reason,
      block: fields.blocks !== undefined,
      sendEmail: fields.sendsMail !== undefined,
    })
    if (errors) return showOne(c, application, { fields, problem: errors[0]?.message }, 400)
    await reject(c, application, data)
    return done(c, 'rejected')
  })
  .post(`${PATH}/:id/delete`, freshMembersOnly(), form(), async (c) => {
    await remove(c, await findOne(c))
    return done(c, 'deleted')
  })
