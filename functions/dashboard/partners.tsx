import type { WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import type { ErrorDetail } from '../../lib/http/errors.ts'
import { page } from '../../lib/http/lists.ts'
import type { Fields } from '../../lib/http/validate.ts'
import { Field, Select } from '../../lib/pages/fields.tsx'
import { Filters, readFilters } from '../../lib/pages/filters.tsx'
import { PartnerName, Status } from '../../lib/pages/ledger.tsx'
import { NextPage, Table } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { partnerLink } from '../../lib/slugs.ts'
import {
  type PartnerRow,
  partnersQuery,
  programsAndGroupsQuery,
} from '../../lib/workspace/partners.queries.ts'
import { PartnerQuery } from '../../lib/workspace/partners.schemas.ts'
import type { Workspace } from '../../lib/workspace/workspaces.queries.ts'

/** A program with one of its groups, if it has any. */
type Choice = { programId: string; programName: string; groupId: string | null; groupName: string | null }

const ANY = { value: '', label: 'Any' }

const PartnerFilters = ({
  base,
  fields,
  errors,
  choices,
}: {
  base: string
  fields: Fields
  errors: ErrorDetail[] | undefined
  choices: Choice[]
}) => {
  const programs = [...new Map(choices.map((choice) => [choice.programId, choice.programName]))]
  const groups = choices.flatMap(({ groupId, groupName, programName }) => {
    if (groupId === null || groupName === null) return []
    const label = programs.length > 1 ? `${programName}: ${groupName}` : groupName
    return { value: groupId, label }
  })
  return (
    <Filters
      what="partners"
      path={`${base}/partners`}
      fields={fields}
      errors={errors}
      linked={{ email: 'Filtered to one email address.', slug: 'Filtered to one slug.' }}
    >
      <Field
        label="Email address, name or slug"
        name="query"
        type="search"
        maxlength={255}
        value={fields.query}
        errors={errors}
      />
      {programs.length > 1 && (
        <Select
          label="Program"
          name="programId"
          options={[ANY, ...programs.map(([value, label]) => ({ value, label }))]}
          value={fields.programId}
        />
      )}
      {groups.length > 0 && (
        <Select label="Group" name="groupId" options={[ANY, ...groups]} value={fields.groupId} />
      )}
      <Select
        label="Status"
        name="status"
        options={[ANY, { value: 'approved', label: 'Approved' }, { value: 'banned', label: 'Banned' }]}
        value={fields.status}
      />
    </Filters>
  )
}

const PartnerTable = ({ base, partners }: { base: string; partners: PartnerRow[] }) => (
  <Table caption="Partners" head={['Partner', 'Email address', 'Link', 'Group', 'Coupons', 'Status']}>
    {partners.map((partner) => (
      <tr>
        <td>
          <PartnerName base={base} id={partner.id} name={partner.name} slug={partner.slug} />
        </td>
        <td>{partner.email}</td>
        <td>
          <code>{partnerLink(partner.siteUrl, partner.slug)}</code>
        </td>
        <td>{partner.groupName}</td>
        <td>{partner.coupons.map(({ couponId, couponLabel }) => couponLabel ?? couponId).join(', ')}</td>
        <td>
          <Status status={partner.status} />
        </td>
      </tr>
    ))}
  </Table>
)

const NoPartners = ({ workspace, isFiltered }: { workspace: Workspace; isFiltered: boolean }) => {
  if (isFiltered) return <p class="empty">No partners match these filters.</p>
  if (workspace.role !== 'manager') return <p class="empty">No partners yet.</p>
  return (
    <p class="empty">
      No partners yet. <a href={`/app/${workspace.slug}/import`}>Import them</a> from another platform or a
      CSV file. Their existing links keep working.
    </p>
  )
}

/** /app/:workspace/partners: the partners, with filters. */
export default createRoutes<WorkspaceEnv>().get('/app/:workspace/partners', async (c) => {
  const { db, workspace } = c.var
  const base = `/app/${workspace.slug}`
  const { fields, data, errors } = readFilters(c, PartnerQuery)
  const { limit = 0, slug, ...filter } = data ?? {}
  const [rows, choices] = await db.batch([
    partnersQuery(db, workspace.id, { ...filter, slugKey: slug, limit: data ? limit + 1 : 0 }).compile(),
    programsAndGroupsQuery(db, workspace.id).compile(),
  ])
  const { data: partners, nextCursor } = page(rows, limit)
  const isFiltered = Object.keys(fields).length > 0
  const children = (
    <>
      <h1>Partners</h1>
      {workspace.role === 'manager' && (
        <p>
          <a class="button" href={`${base}/import`}>
            Import partners
          </a>
        </p>
      )}
      <PartnerFilters base={base} fields={fields} errors={errors} choices={choices} />
      {partners.length > 0 ? (
        <PartnerTable base={base} partners={partners} />
      ) : (
        <NoPartners workspace={workspace} isFiltered={isFiltered} />
      )}
      <NextPage url={c.req.url} cursor={nextCursor} />
    </>
  )
  return renderPage(c, { title: 'Partners', section: '/partners', children }, errors ? 400 : 200)
})
