import type { WorkspaceEnv } from '../../../lib/auth/access.ts'
import { createRoutes } from '../../../lib/http/app.ts'
import { found } from '../../../lib/http/found-or-404.ts'
import { Page } from '../../../lib/http/lists.ts'
import {
  type ImportedRow,
  type ImportSummary,
  importExists,
  listImportedRows,
  listImports,
  readImport,
} from '../../../lib/imports/reports.queries.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Time } from '../../../lib/pages/layout/parts.tsx'
import { renderSection } from '../../../lib/pages/layout/render.tsx'
import { t, textsOf } from '../../../lib/pages/layout/text.ts'
import { figure } from '../../../lib/pages/parts/money.tsx'
import { hidden, linkTo } from '../../../lib/pages/parts/tags.tsx'
import { readList } from '../../../lib/pages/tables/filtered-list.tsx'
import { Empty } from '../../../lib/pages/tables/filters.tsx'
import { LinkCell, NextPage, Table } from '../../../lib/pages/tables/table.tsx'
import { sendList } from '../../../lib/partners/changes/send-list.service.ts'
import { Report, ROWS_SHOWN } from './import-report.tsx'

const COLUMNS: readonly (keyof ImportedRow)[] = [
  'kind',
  'customer',
  'partner',
  'status',
  'formerPartner',
  'slug',
  'requestedSlug',
  'couponMapped',
  'code',
  'message',
]

const Imports = ({ base, imports }: { base: string; imports: ImportSummary[] }) => (
  <Table
    caption={t(m.imports_heading)}
    head={[
      t(m.date_column),
      t(m.imports_by),
      { number: t(m.layout_partners) },
      { number: t(m.layout_customers) },
      { number: t(m.imports_refused_rows) },
      t(m.imports_report),
    ]}
  >
    {imports.map(({ importId, actor, at, partners, customers, errors, isUndone }) => (
      <tr>
        <td>
          <Time at={at} /> {isUndone && <span class="status">{t(m.imports_undone)}</span>}
        </td>
        <td>{actor}</td>
        <td class="number">{figure(partners)}</td>
        <td class="number">{figure(customers)}</td>
        <td class="number">{figure(errors)}</td>
        <LinkCell href={`${base}/imports/${importId}`}>
          {t(m.imports_view_report, { hidden })}
        </LinkCell>
      </tr>
    ))}
  </Table>
)

/**
 * /app/:workspace/imports, /imports/:id and /imports/:id/rows.csv: what each import did. Managers
 * only.
 */
export default createRoutes<WorkspaceEnv>()
  .get('/app/:workspace/imports', async (c) => {
    const t = textsOf(c)
    const { db, workspace } = c.var
    const base = `/app/${workspace.slug}`
    const list = await readList(c, Page, (request) => listImports(db, workspace.id, request))
    const { data: imports, nextCursor, errors } = list
    const children = (
      <>
        <h1>{t(m.imports_heading)}</h1>
        <p>{t(m.imports_intro, { link: linkTo(`${base}/import`) })}</p>
        {imports.length > 0 ? (
          <Imports base={base} imports={imports} />
        ) : (
          <Empty what={m.layout_items_imports} isFiltered={false}>
            {t(m.imports_none_yet)}
          </Empty>
        )}
        <NextPage url={c.req.url} cursor={nextCursor} />
      </>
    )
    return renderSection(c, '/import', m.imports_heading, children, errors ? 400 : 200)
  })
  .get('/app/:workspace/imports/:id', async (c) => {
    const { db, workspace } = c.var
    const importId = c.req.param('id')
    const report = await found('import', importId, (id) =>
      readImport(db, workspace.id, id, ROWS_SHOWN + 1),
    )
    const children = <Report base={`/app/${workspace.slug}`} importId={importId} report={report} />
    return renderSection(c, '/import', m.layout_import, children)
  })
  .get('/app/:workspace/imports/:id/rows.csv', async (c) => {
    const { db, workspace } = c.var
    const importId = c.req.param('id')
    await found('import', importId, (id) => importExists(db, workspace.id, id))
    return sendList(
      c,
      'import',
      COLUMNS,
      { importId, cursor: undefined, limit: 0 },
      (own, next): Promise<ImportedRow[]> => listImportedRows(own, workspace.id, importId, next),
    )
  })
