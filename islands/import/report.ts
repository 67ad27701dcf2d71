/** The report of a dry run and of an import: what happened, which links break, and what mends the errors. */
import { csvLine } from '../../lib/domain/import-cells.ts'
import type { BrokenLink, Outcomes } from '../../lib/domain/import-outcomes.ts'
import {
  brokenLinks,
  count,
  errorCsv,
  type FailureGroup,
  failureGroups,
  summary,
} from '../../lib/domain/import-report.ts'
import { button, download, h, table } from './dom.ts'
import type { CsvFile } from './file.ts'

/** More than this is for a spreadsheet: the rest is in the download. */
const SHOWN = 100
/** Lines that are named for each kind of error. */
const LINES_SHOWN = 20

type Asked = { file: CsvFile; outcomes: Outcomes; dryRun: boolean; withBalances: boolean }

/** The parts of a report, for a step to show. */
export const reportOf = ({ file, outcomes, dryRun, withBalances }: Asked): HTMLElement[] => {
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
            `${count(coupons.length, 'partner')} with more than one coupon: the first is taken, the others are added on the partner’s page. ${coupons
              .slice(0, LINES_SHOWN)
              .map(({ row }) => `${row.email}: ${row.otherCoupons.join(', ')}`)
              .join('; ')}.`,
          ),
        ]
      : []),
    ...(groups.length > 0 ? [errorsPart(groups, file, outcomes, withBalances)] : []),
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
    h('h3', {}, `${count(links.length, 'link')} ${dryRun ? 'will break' : 'broken'}`),
    h('p', {}, 'These slugs can’t be kept. Tell those partners about their new link.'),
    table(
      'Slugs that change',
      ['Partner', 'Old slug', 'New slug', 'Reason'],
      links.slice(0, SHOWN).map(({ email, from, to, why }) => [
        email,
        h('s', {}, from),
        // A dry run makes up an ending that the import will make up again.
        why === 'taken' && dryRun ? `${to} (the ending may differ)` : to,
        WHY[why],
      ]),
    ),
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

const errorsPart = (
  groups: FailureGroup[],
  file: CsvFile,
  outcomes: Outcomes,
  withBalances: boolean,
): HTMLElement =>
  h(
    'section',
    {},
    h('h3', {}, 'What needs mending'),
    ...groups.map(({ code, remedy, failures }) =>
      h(
        'details',
        { open: groups.length === 1 },
        h('summary', {}, h('strong', {}, count(failures.length, 'row')), `: ${remedy} `, h('code', {}, code)),
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
      'The download has the rows with errors, as they were, and the reason in a last column. Mend them there, and import that file as it is.',
    ),
    h(
      'p',
      { class: 'actions' },
      button(
        'Download the rows with errors',
        () =>
          download(
            `${file.name.replace(/(-errors)?\.\w+$/, '')}-errors.csv`,
            errorCsv(file.headers, file.records, outcomes, withBalances),
          ),
        'quiet',
      ),
    ),
  )

const more = (number: number, what: string): HTMLElement | null =>
  number > 0 ? h('p', {}, `And ${count(number, `more ${what}`)}, which the download has too.`) : null

/** Where in the file: `Row 12`, `Rows 12 to 40 and 3 more`. */
const place = (lines: number[]): string => {
  const shown = lines.slice(0, 5).map((line) => line.toLocaleString('en'))
  const rest = lines.length - shown.length
  return `${lines.length === 1 ? 'Row' : 'Rows'} ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
