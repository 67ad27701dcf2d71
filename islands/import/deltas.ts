/**
 * The part of a preview about a later export: changed names of existing partners, and missing
 * partners.
 */
import * as m from '../../lib/languages/messages.ts'
import { t } from '../text.ts'
import { get } from './api.ts'
import { downloadRows, h, table } from './dom.ts'
import type { Deltas, PartnerHere } from './rules/deltas.ts'

/** 20,000 partners. A larger program is not compared. */
const MAX_PAGES = 100
const PAGE = '200'

/** Rows in the page. The downloads have all rows. */
const MAX_SHOWN = 20

type Page = { data: PartnerHere[]; nextCursor: string | null }

/** All partners of a program; none if they cannot be read or are too many. */
export const partnersHere = async (
  workspace: string,
  programId: string,
): Promise<PartnerHere[]> => {
  const found: PartnerHere[] = []
  let cursor: string | null = null
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const query = new URLSearchParams({ programId, limit: PAGE, ...(cursor && { cursor }) })
    const page: Page | undefined = await get<Page>(
      `/api/workspaces/${encodeURIComponent(workspace)}/partners?${query}`,
    )
    if (!page) return []
    found.push(...page.data)
    cursor = page.nextCursor
    if (!cursor) return found
  }
  return []
}

/** The elements of the part; none if nothing differs. */
export const deltasPart = ({ renamed, missing }: Deltas, programName: string): HTMLElement[] => [
  ...(renamed.length > 0
    ? [
        list({
          title: t(m.import_names_differ, { count: renamed.length }),
          text: t(m.import_names_differ_hint),
          caption: t(m.import_names_that_differ),
          head: [t(m.partner), t(m.import_name_here), t(m.import_name_in_file)],
          rows: renamed.map(({ email, here, file }) => [email, here, file]),
          file: { name: 'changed-names.csv', head: ['email', 'name_here', 'name_in_file'] },
        }),
      ]
    : []),
  ...(missing.length > 0
    ? [
        list({
          title: t(m.import_not_in_file, { count: missing.length, programName }),
          text: t(m.import_not_in_file_hint),
          caption: t(m.import_partners_not_in_file),
          head: [t(m.partner), t(m.layout_name), t(m.slug)],
          rows: missing.map(({ email, name, slug }) => [email, name ?? '', slug]),
          file: { name: 'missing-partners.csv', head: ['email', 'name', 'slug'] },
        }),
      ]
    : []),
]

type List = {
  title: string
  text: string
  caption: string
  head: string[]
  rows: string[][]
  file: { name: string; head: string[] }
}

const list = ({ title, text, caption, head, rows, file }: List): HTMLElement => {
  const shown = rows
    .slice(0, MAX_SHOWN)
    .map(([first = '', ...rest]) =>
      h('tr', {}, h('th', { scope: 'row' }, first), ...rest.map((cell) => h('td', {}, cell))),
    )
  const part = table(caption, head, shown)
  part.classList.add('links')
  const rest = rows.length - shown.length
  return h(
    'section',
    {},
    h('h3', {}, title),
    h('p', {}, text),
    part,
    rest > 0 ? h('p', {}, t(m.import_more, { count: rest })) : null,
    downloadRows(file.name, [file.head, ...rows]),
  )
}
