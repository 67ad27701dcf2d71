import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { mayOpen } from '../../../lib/auth/roles/roles.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { page } from '../../../lib/http/lists.ts'
import type { Fields } from '../../../lib/http/validate.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Done, noticeFor } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { textsOf } from '../../../lib/pages/layout/text.ts'
import { linkTo } from '../../../lib/pages/parts/tags.tsx'
import { FilteredRows } from '../../../lib/pages/tables/filtered-list.tsx'
import { ANY, type Filter, readFilters } from '../../../lib/pages/tables/filters.tsx'
import {
  currenciesQuery,
  partnerListQuery,
} from '../../../lib/partners/lists/partner-list.queries.ts'
import { programsAndGroupsQuery } from '../../../lib/partners/lists/partners.queries.ts'
import {
  PARTNER_SORTS,
  PartnerListQuery,
  type PartnerSort,
  partnerCursor,
} from '../../../lib/partners/lists/partners.schemas.ts'
import { groupOptions, type ProgramAndGroup, programOptions } from '../fields/choices.tsx'
import { PartnerTable, SORTS } from './partner-table.tsx'
import { PartnerActions } from './partners-actions.tsx'

const DONE = {
  moved: m.partners_moved,
  banned: m.partners_banned_links_no_longer,
  approved: m.partners_reinstated_links_work_again,
  bonus: m.partners_bonus_given,
}

const STATUSES = [
  ANY,
  { value: 'approved', label: m.application_approved },
  { value: 'banned', label: m.partners_banned },
]

/** These amounts are sorted within one currency. */
const IN_CURRENCY: readonly PartnerSort[] = ['revenue', 'earned', 'unpaid']

type Shown = {
  sort: PartnerSort
  /** The submitted filters. The currency may be in lower case. */
  fields: Fields
  choices: ProgramAndGroup[]
  currencies: string[]
}

const filtersOf = ({ sort, fields, choices, currencies }: Shown): Filter[] => {
  const programs = programOptions(choices)
  const groups = groupOptions(choices)
  return [
    { name: 'query', label: m.partners_email_address_name, maxlength: 255 },
    ...(programs.length > 1
      ? [{ name: 'programId', label: m.program, options: [ANY, ...programs] }]
      : []),
    ...(groups.length > 0
      ? [{ name: 'groupId', label: m.layout_group, options: [ANY, ...groups] }]
      : []),
    { name: 'status', label: m.status, options: STATUSES },
    {
      name: 'sort',
      label: m.partners_sort_by,
      options: PARTNER_SORTS.map((value) => ({ value, label: SORTS[value].label })),
      value: sort,
    },
    ...(IN_CURRENCY.includes(sort) && currencies.length > 1
      ? [
          {
            name: 'currency',
            label: m.partners_amounts_in,
            options: currencies.map((value) => ({ value, label: value })),
            value: fields.currency?.toUpperCase(),
          },
        ]
      : []),
  ]
}

/** /app/:workspace/partners: partners with their figures, and filters. */
export default createRoutes<WorkspaceEnv>().get('/app/:workspace/partners', async (c) => {
  const { db, workspace } = c.var
  const t = textsOf(c)
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
  const last = partners.at(-1)
  const cursor = nextCursor && last ? partnerCursor(last) : null
  const list = { data: partners, nextCursor: cursor, fields, errors }
  const url = new URL(c.req.url)
  // The link keeps the currency: another one may have most sales when the next page is read.
  const [first] = currencies
  if (IN_CURRENCY.includes(sort) && !fields.currency && first)
    url.searchParams.set('currency', first.currency)
  const mayChange = mayOpen(workspace, 'POST /partners/change')
  const done = noticeFor(DONE, c.req.query('done'))
  const children = (
    <>
      <h1>{t(m.layout_partners)}</h1>
      <Done message={done} />
      {mayChange && (
        <p class="actions">
          <a class="button" href={`${base}/partners/new`}>
            {t(m.partners_add_a_partner)}
          </a>{' '}
          <a class="button quiet" href={`${base}/import`}>
            {t(m.partners_import_partners)}
          </a>{' '}
          <a class="button quiet" href={`${base}/partners/bonus`}>
            {t(m.partners_bonus_title)}
          </a>
        </p>
      )}
      <FilteredRows
        {...{ workspace, list }}
        name="partners"
        what={m.layout_items_partners}
        url={url.href}
        filters={filtersOf({
          ...{ sort, fields, choices },
          currencies: currencies.map(({ currency }) => currency),
        })}
        linked={{
          email: t(m.partners_email_address, { email: fields.email }),
          slug: t(m.partners_slug, { slug: fields.slug }),
        }}
        none={
          mayOpen(workspace, 'GET /partners/new')
            ? t(m.partners_no_partners_yet_import, {
                link: linkTo(`${base}/import`),
                add: linkTo(`${base}/partners/new`),
              })
            : t(m.partners_no_partners_yet)
        }
      >
        <PartnerTable
          {...{ base, partners }}
          sorted={{ by: sort, order }}
          query={fields}
          formId={mayChange ? 'chosen' : undefined}
        />
        {mayChange && <PartnerActions id="chosen" base={base} choices={choices} />}
      </FilteredRows>
    </>
  )
  return renderSection(c, '/partners', m.layout_partners, children, errors ? 400 : 200)
})
