/** The report of a dry run and of an import: what happened, which links break, and what mends the errors. */

import { counted } from '../../lib/plural.ts'
import { button, download, h, table } from './dom.ts'
import type { CsvFile } from './file.ts'
import { csvLine } from './rules/cells.ts'
import type { Columns } from './rules/columns.ts'
import type { BrokenLink, Outcomes } from './rules/outcomes.ts'
import { brokenLinks, errorCsv, type FailureGroup, failureGroups, summary } from './rules/report.ts'

/** More than this is for a spreadsheet: the rest is in the download. */
const SHOWN = 100
/** Lines that are named for each kind of error. */
const LINES_SHOWN = 20

type Asked = {
  file: CsvFile
  columns: Columns
  outcomes: Outcomes
  dryRun: boolean
  withBalances: boolean
}

/** The parts of a report, for a step to show. */
export const reportOf = (asked: Asked): HTMLElement[] => {
  const { outcomes, dryRun, withBalances } = asked
  const { partners, customers } = summary(outcomes, { dryRun, withBalances })
  const links = brokenLinks(outcomes, withBalances)
  const groups = failureGroups(outcomes, { withBalances })
  const coupons = outcomes.partners.filter(({ row }) => row.otherCoupons.length > 0)
  return [
    h(
      'dl',
      { class: 'summary' },
      ...(partners ? [h('dt', {}, 'Partners'), h('dd', {}, `${partners}.`)] : []),
      ...(customers ? [h('dt', {}, 'Customers'), h('dd', {}, `${customers}.`)] : []),
    ),
    ...(links.length > 0 ? [linksPart(links, dryRun)] : []),
    ...(coupons.length > 0
      ? [
          h(
            'p',
            { class: 'note' },
            `${counted(coupons.length, 'partner')} with more than one coupon: the first is taken, the others are added on the partner’s page. ${coupons
              .slice(0, LINES_SHOWN)
              .map(({ row }) => `${row.email}: ${row.otherCoupons.join(', ')}`)
              .join('; ')}.`,
          ),
        ]
      : []),
    ...(groups.length > 0 ? [errorsPart(groups, asked)] : []),
  ]
}

const WHY: Record<BrokenLink['why'], string> = {
  taken: 'another partner has this slug',
  second_link: 'a partner has one link',
  already_here: 'the partner is already here',
}

const linksPart = (links: BrokenLink[], dryRun: boolean): HTMLElement =>
  h(
    'section',
    {},
    h(
      'h3',
      {},
      dryRun
        ? `${counted(links.length, 'link')} will break`
        : counted(links.length, 'link no longer works', 'links no longer work'),
    ),
    h('p', {}, 'These slugs can’t be kept. Tell those partners about their new link.'),
    linksTable(links.slice(0, SHOWN), dryRun),
    more(links.length - SHOWN, 'link'),
    h(
      'p',
      { class: 'actions' },
      button(
        'Download the list',
        () =>
          download(
            'changed-slugs.csv',
            `\ufeff${[['email', 'old_slug', 'new_slug', 'reason'], ...links.map(({ email, from, to, why }) => [email, from, to, WHY[why]])].map(csvLine).join('')}`,
          ),
        'quiet',
      ),
    ),
  )

/** Two columns, so that a phone shows both slugs side by side. */
const linksTable = (links: BrokenLink[], dryRun: boolean): HTMLElement => {
  const rows = links.map(({ email, from, to, why }) => {
    // A dry run makes up an ending that the import will make up again.
    const reason = why === 'taken' && dryRun ? `${WHY[why]}; the ending may differ` : WHY[why]
    const slugs = h('td', {}, h('s', {}, from), ` → ${to}`, h('span', { class: 'example' }, reason))
    return h('tr', {}, h('th', { scope: 'row' }, email), slugs)
  })
  const part = table('Slugs that change', ['Partner', 'Old slug → new slug'], rows)
  part.classList.add('links')
  return part
}

const errorsPart = (groups: FailureGroup[], { file, columns, outcomes, withBalances }: Asked): HTMLElement =>
  h(
    'section',
    {},
    h('h3', {}, 'What needs mending'),
    ...groups.map(({ code, remedy, failures }) =>
      h(
        'details',
        { open: groups.length === 1 },
        h(
          'summary',
          {},
          h('strong', {}, counted(failures.length, 'row')),
          `: ${remedy} `,
          h('code', {}, code),
        ),
        h(
          'ul',
          {},
          ...failures
            .slice(0, LINES_SHOWN)
            .map(({ lines, message }) => h('li', {}, `${place(lines)}: ${message}`)),
        ),
        more(failures.length - LINES_SHOWN, 'row'),
      ),
    ),
    h(
      'p',
      {},
      'The download has the rows with errors, and the reason in a last column. Mend them there, and import that file as it is.',
    ),
    h(
      'p',
      { class: 'actions' },
      button(
        'Download the rows with errors',
        () =>
          download(
            `${file.name.replace(/(-errors)?\.\w+$/, '')}-errors.csv`,
            errorCsv({ ...file, columns }, outcomes, withBalances),
          ),
        'quiet',
      ),
    ),
  )

const more = (number: number, what: string): HTMLElement | null =>
  number > 0 ? h('p', {}, `And ${counted(number, `more ${what}`)}, which the download has too.`) : null

/** Where in the file: `Row 12`, `Rows 12 to 40 and 3 more`. */
const place = (lines: number[]): string => {
  const shown = lines.slice(0, 5).map((line) => line.toLocaleString('en'))
  const rest = lines.length - shown.length
  return `${lines.length === 1 ? 'Row' : 'Rows'} ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
