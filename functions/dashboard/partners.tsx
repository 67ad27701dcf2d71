import type { WorkspaceEnv } from '../../lib/auth/access.ts'
import { createRoutes } from '../../lib/http/app.ts'
import type { ErrorDetail } from '../../lib/http/errors.ts'
import { page } from '../../lib/http/lists.ts'
import type { Fields } from '../../lib/http/validate.ts'
import { areFilters, Filters, ListEnd, readFilters } from '../../lib/pages/filters.tsx'
import { Done, noticeFor } from '../../lib/pages/parts.tsx'
import { renderPage } from '../../lib/pages/render.tsx'
import { currenciesQuery, partnerListQuery } from '../../lib/workspace/partner-list.queries.ts'
import { programsAndGroupsQuery } from '../../lib/workspace/partners.queries.ts'
import { PARTNER_SORTS, PartnerListQuery, type PartnerSort } from '../../lib/workspace/partners.schemas.ts'
import type { Workspace } from '../../lib/workspace/workspaces.queries.ts'
import { groupOptions, type ProgramAndGroup, programOptions } from './choices.tsx'
import { PartnerTable, SORTS } from './partner-table.tsx'
import { PartnerActions } from './partners-actions.tsx'

const DONE = {
  moved: 'Partners moved.',
  banned: 'Partners banned. Their links no longer work.',
  approved: 'Partners reinstated. Their links work again.',
}

const ANY = { value: '', label: 'Any' }

const STATUSES = [ANY, { value: 'approved', label: 'Approved' }, { value: 'banned', label: 'Banned' }]

/** Amounts are sorted in one currency. */
const IN_CURRENCY: readonly PartnerSort[] = ['revenue', 'earned', 'unpaid']

const PartnerFilters = ({
  base,
  fields,
  errors,
  choices,
  currencies,
  sort,
}: {
  base: string
  fields: Fields
  errors: ErrorDetail[] | undefined
  choices: ProgramAndGroup[]
  currencies: string[]
  sort: PartnerSort
}) => {
  const programs = programOptions(choices)
  const groups = groupOptions(choices)
  return (
    <Filters
      what="partners"
      path={`${base}/partners`}
      fields={fields}
      errors={errors}
      filters={[
        { name: 'query', label: 'Email address, name or slug', maxlength: 255 },
        ...(programs.length > 1
          ? [{ name: 'programId', label: 'Program', options: [ANY, ...programs] }]
          : []),
        ...(groups.length > 0 ? [{ name: 'groupId', label: 'Group', options: [ANY, ...groups] }] : []),
        { name: 'status', label: 'Status', options: STATUSES },
        {
          name: 'sort',
          label: 'Sort by',
          options: PARTNER_SORTS.map((value) => ({ value, label: SORTS[value].label })),
          value: sort,
        },
        ...(IN_CURRENCY.includes(sort) && currencies.length > 1
          ? [
              {
                name: 'currency',
                label: 'Amounts in',
                options: currencies.map((value) => ({ value, label: value })),
                value: fields.currency?.toUpperCase(),
              },
            ]
          : []),
      ]}
      linked={{ email: `Email address: ${fields.email}`, slug: `Slug: ${fields.slug}` }}
    />
  )
}

const NoPartners = ({ workspace, isFiltered }: { workspace: Workspace; isFiltered: boolean }) => {
  if (isFiltered) return <p class="empty">No partners match these filters.</p>
  if (workspace.role !== 'manager') return <p class="empty">No partners yet.</p>
  const base = `/app/${workspace.slug}`
  return (
    <p class="empty">
      No partners yet. <a href={`${base}/import`}>Import them</a> from another platform or a CSV file: their
      existing links keep working. Or <a href={`${base}/partners/new`}>add the first one</a>.
    </p>
  )
}

/** /app/:workspace/partners: the partners and what each has brought, with filters. */
export default createRoutes<WorkspaceEnv>().get('/app/:workspace/partners', async (c) => {
  const { db, workspace } = c.var
  const base = `/app/${workspace.slug}`
  const { fields, data, errors } = readFilters(c, PartnerListQuery)
  const { limit = 0, slug, sort = 'newest', order: asked, ...filter } = data ?? {}
  const order = asked ?? SORTS[sort].first
  const [rows, choices, currencies] = await db.batch([
    partnerListQuery(db, workspace.id, {
      ...filter,
      slugKey: slug,
      limit: data ? limit + 1 : 0,
      sort,
      isAscending: order === 'asc',
    }).compile(),
    programsAndGroupsQuery(db, workspace.id).compile(),
    currenciesQuery(workspace.id).compile(db),
  ])
  const { data: partners, nextCursor } = page(rows, limit)
  const isManager = workspace.role === 'manager'
  const children = (
    <>
      <h1>Partners</h1>
      <Done message={noticeFor(DONE, c.req.query('done'))} />
      {isManager && (
        <p class="actions">
          <a class="button" href={`${base}/partners/new`}>
            Add a partner
          </a>{' '}
          <a class="button quiet" href={`${base}/import`}>
            Import partners
          </a>
        </p>
      )}
      <PartnerFilters
        base={base}
        fields={fields}
        errors={errors}
        choices={choices}
        currencies={currencies.map(({ currency }) => currency)}
        sort={sort}
      />
      {partners.length > 0 ? (
        <>
          <PartnerTable
            base={base}
            partners={partners}
            sorted={{ by: sort, order }}
            query={fields}
            formId={isManager ? 'chosen' : undefined}
          />
          {isManager && <PartnerActions id="chosen" base={base} choices={choices} />}
        </>
      ) : (
        <NoPartners workspace={workspace} isFiltered={areFilters(fields)} />
      )}
      <ListEnd
        url={c.req.url}
        cursor={nextCursor}
        slug={workspace.slug}
        list="partners"
        fields={fields}
        isEmpty={partners.length === 0}
      />
    </>
  )
  return renderPage(c, { title: 'Partners', section: '/partners', children }, errors ? 400 : 200)
})
