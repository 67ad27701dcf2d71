/** The part of a preview about a later export: what it says of partners who exist, and who is not in it. */
import { counted } from '../../lib/plural.ts'
import { get } from './api.ts'
import { button, download, h, table } from './dom.ts'
import { csvLine } from './rules/cells.ts'
import type { Deltas, PartnerHere } from './rules/deltas.ts'

/** 20,000 partners. A larger program is not compared. */
const MAX_PAGES = 100
const PAGE = '200'

/** Rows that are shown. The downloads have all of them. */
const MAX_SHOWN = 20

type Page = { data: PartnerHere[]; nextCursor: string | null }

/** All partners of a program; none if they cannot be read, or are too many. */
export const partnersHere = async (workspace: string, programId: string): Promise<PartnerHere[]> => {
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
          title: `${counted(renamed.length, 'name differs', 'names differ')}`,
          text: 'Partners who exist are not changed. Rename them on their pages if the file is right.',
          caption: 'Names that differ',
          head: ['Partner', 'Name here', 'Name in the file'],
          rows: renamed.map(({ email, here, file }) => [email, here, file]),
          file: { name: 'changed-names.csv', head: ['email', 'name_here', 'name_in_file'] },
        }),
      ]
    : []),
  ...(missing.length > 0
    ? [
        list({
          title: `${counted(missing.length, 'partner', 'partners')} of ${programName} ${missing.length === 1 ? 'is' : 'are'} not in the file`,
          text: 'They stay as they are. Ban those who have left the program.',
          caption: 'Partners who are not in the file',
          head: ['Partner', 'Name', 'Slug'],
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
    rest > 0 ? h('p', {}, `And ${rest.toLocaleString('en')} more, listed in the download.`) : null,
    h(
      'p',
      { class: 'actions' },
      button(
        'Download list',
        () => download(file.name, `\ufeff${[file.head, ...rows].map(csvLine).join('')}`),
        'quiet',
      ),
    ),
  )
}
