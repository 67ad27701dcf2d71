/** The report of a preview or an import: counts, broken links, and errors with their fixes. */

import { counted } from '../../lib/plural.ts'
import { button, download, h, table } from './dom.ts'
import type { CsvFile } from './file.ts'
import { csvLine } from './rules/cells.ts'
import type { Mapping } from './rules/columns.ts'
import type { BrokenLink, Outcomes, OwnedCustomer } from './rules/outcomes.ts'
import {
  bannedPartners,
  brokenLinks,
  errorCsv,
  type FailureGroup,
  failureGroups,
  ownedCustomers,
  summary,
} from './rules/report.ts'
import { type BalancesElsewhere, describeBalancesElsewhere } from './rules/warnings.ts'

/** Links shown. The download has all of them. */
const MAX_LINKS = 100
/** Rows shown per type of error. */
const MAX_LINES = 20

type Asked = {
  file: CsvFile
  mapping: Mapping
  outcomes: Outcomes
  dryRun: boolean
  withBalances: boolean
  /** Opening balances of the same partners in other programs. */
  elsewhere: BalancesElsewhere[]
}

/** The elements of a report. */
export const reportOf = (asked: Asked): HTMLElement[] => {
  const { outcomes, dryRun, withBalances, elsewhere } = asked
  const { partners, customers } = summary(outcomes, { dryRun, withBalances })
  const links = brokenLinks(outcomes, withBalances)
  const groups = failureGroups(outcomes, { withBalances })
  const owned = ownedCustomers(outcomes)
  const banned = bannedPartners(outcomes)
  const coupons = outcomes.partners.filter(({ row }) => row.otherCoupons.length > 0)
  return [
    h(
      'dl',
      { class: 'summary' },
      ...(partners ? [h('dt', {}, 'Partners'), h('dd', {}, `${partners}.`)] : []),
      ...(customers ? [h('dt', {}, 'Customers'), h('dd', {}, `${customers}.`)] : []),
    ),
    ...(withBalances
      ? elsewhere.map((found) => h('p', { class: 'note' }, describeBalancesElsewhere(found, { dryRun })))
      : []),
    ...(links.length > 0 ? [linksPart(links, dryRun)] : []),
    ...(owned.length > 0 ? [ownedPart(owned, dryRun)] : []),
    ...(banned.length > 0 ? [h('p', { class: 'note' }, bannedText(banned))] : []),
    ...(coupons.length > 0
      ? [
          h(
            'p',
            { class: 'note' },
            `${counted(coupons.length, 'partner')} with more than one coupon. The first is imported. Add the others on the partner’s page. ${coupons
              .slice(0, MAX_LINES)
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
  already_here: 'the partner already exists',
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
    h('p', {}, 'These slugs cannot be kept. Send the partners their new link.'),
    linksTable(links.slice(0, MAX_LINKS), dryRun),
    more(links.length - MAX_LINKS, 'link'),
    h(
      'p',
      { class: 'actions' },
      button(
        'Download list',
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
    // The import generates a new random suffix.
    const reason = why === 'taken' && dryRun ? `${WHY[why]}; the suffix may differ` : WHY[why]
    const slugs = h('td', {}, h('s', {}, from), ` → ${to}`, h('span', { class: 'example' }, reason))
    return h('tr', {}, h('th', { scope: 'row' }, email), slugs)
  })
  const part = table('Changed slugs', ['Partner', 'Old slug → new slug'], rows)
  part.classList.add('links')
  return part
}

/** An import either moves all of them or none. */
const ownedPart = (owned: OwnedCustomer[], dryRun: boolean): HTMLElement => {
  const moves = owned.some((customer) => customer.moves)
  const moved = dryRun
    ? counted(owned.length, 'customer changes partners', 'customers change partners')
    : counted(owned.length, 'customer has changed partners', 'customers have changed partners')
  const rows = owned
    .slice(0, MAX_LINKS)
    .map(({ customer, from, to }) =>
      h('tr', {}, h('th', { scope: 'row' }, customer), h('td', {}, from), h('td', {}, to)),
    )
  const part = table(
    'Customers of other partners',
    ['Customer', 'Partner so far', 'Partner in the file'],
    rows,
  )
  part.classList.add('links')
  return h(
    'section',
    {},
    h('h3', {}, moves ? moved : `${counted(owned.length, 'customer')} of other partners`),
    h(
      'p',
      {},
      moves
        ? 'Their later sales are credited to the partner in the file.'
        : 'They stay with the partner that they have.',
    ),
    part,
    more(owned.length - MAX_LINKS, 'customer'),
    h(
      'p',
      { class: 'actions' },
      button(
        'Download list',
        () =>
          download(
            moves ? 'moved-customers.csv' : 'customers-of-other-partners.csv',
            `\ufeff${[['customer', 'former_partner', 'file_partner'], ...owned.map(({ customer, from, to }) => [customer, from, to])].map(csvLine).join('')}`,
          ),
        'quiet',
      ),
    ),
  )
}

const bannedText = (banned: ReturnType<typeof bannedPartners>): string => {
  const customers = banned.reduce((sum, partner) => sum + partner.customers, 0)
  const shown = banned.slice(0, MAX_LINES).map((partner) => partner.email)
  const rest = banned.length - shown.length
  return `${counted(customers, 'customer')} of ${counted(banned.length, 'banned partner')}, so their later sales are credited to nobody: ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}.`
}

const errorsPart = (groups: FailureGroup[], { file, mapping, outcomes, withBalances }: Asked): HTMLElement =>
  h(
    'section',
    {},
    h('h3', {}, 'Errors'),
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
            .slice(0, MAX_LINES)
            .map(({ lines, message }) => h('li', {}, `${place(lines)}: ${message}`)),
        ),
        more(failures.length - MAX_LINES, 'row'),
      ),
    ),
    h(
      'p',
      {},
      'Download the rows with errors, fix them, and import the file again. Its last column has the reason.',
    ),
    h(
      'p',
      { class: 'actions' },
      button(
        'Download rows with errors',
        () =>
          download(
            `${file.name.replace(/(-errors)?\.\w+$/, '')}-errors.csv`,
            errorCsv({ ...file, ...mapping }, outcomes, withBalances),
          ),
        'quiet',
      ),
    ),
  )

const more = (number: number, what: string): HTMLElement | null =>
  number > 0 ? h('p', {}, `And ${counted(number, `more ${what}`)}, listed in the download.`) : null

/** The rows in the file: `Row 12`, `Rows 12, 40 and 3 more`. */
const place = (lines: number[]): string => {
  const shown = lines.slice(0, 5).map((line) => line.toLocaleString('en'))
  const rest = lines.length - shown.length
  return `${lines.length === 1 ? 'Row' : 'Rows'} ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
