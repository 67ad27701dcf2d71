/** The report of a preview or an import: counts, broken links, and errors with their fixes. */

import type { Message } from '../../lib/languages/message.ts'
import * as m from '../../lib/languages/messages.ts'
import { t } from '../text.ts'
import { actions, button, code, download, downloadRows, h, strong, table } from './dom.ts'
import type { CsvFile } from './file.ts'
import { errorCsv, type FailureGroup, failureGroups } from './rules/failures.ts'
import type { BrokenLink, Outcomes, OwnedCustomer } from './rules/outcomes.ts'
import type { Mapping } from './rules/reading/columns.ts'
import { bannedPartners, brokenLinks, ownedCustomers, summary } from './rules/report.ts'
import { type BalancesElsewhere, describeBalancesElsewhere } from './rules/warnings.ts'

/** Links in the page. The download has all links. */
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
      ...(partners ? [h('dt', {}, t(m.layout_partners)), h('dd', {}, `${partners}.`)] : []),
      ...(customers ? [h('dt', {}, t(m.layout_customers)), h('dd', {}, `${customers}.`)] : []),
    ),
    ...(withBalances
      ? elsewhere.map((found) =>
          h('p', { class: 'note' }, describeBalancesElsewhere(found, { dryRun })),
        )
      : []),
    ...(links.length > 0 ? [linksPart(links, dryRun)] : []),
    ...(owned.length > 0 ? [ownedPart(owned, dryRun)] : []),
    ...(banned.length > 0 ? [h('p', { class: 'note' }, bannedText(banned))] : []),
    ...(coupons.length > 0
      ? [
          h(
            'p',
            { class: 'note' },
            t(m.import_several_coupons, {
              count: coupons.length,
              coupons: coupons
                .slice(0, MAX_LINES)
                .map(({ row }) => `${row.email}: ${row.otherCoupons.join(', ')}`)
                .join('; '),
            }),
          ),
        ]
      : []),
    ...(groups.length > 0 ? [errorsPart(groups, asked)] : []),
  ]
}

const WHY: Record<BrokenLink['why'], Message> = {
  taken: m.import_slug_taken,
  already_here: m.import_already_exists,
}

const linksPart = (links: BrokenLink[], dryRun: boolean): HTMLElement =>
  h(
    'section',
    {},
    h(
      'h3',
      {},
      t(dryRun ? m.import_links_will_break : m.import_links_broken, { count: links.length }),
    ),
    h('p', {}, t(m.import_slugs_not_kept)),
    linksTable(links.slice(0, MAX_LINKS), dryRun),
    more(m.import_more_links, links.length - MAX_LINKS),
    downloadRows('changed-slugs.csv', [
      ['email', 'old_slug', 'new_slug', 'reason'],
      ...links.map(({ email, from, to, why }) => [email, from, to, t(WHY[why])]),
    ]),
  )

/** Two columns, so that a phone shows both slugs side by side. */
const linksTable = (links: BrokenLink[], dryRun: boolean): HTMLElement => {
  const rows = links.map(({ email, from, to, why }) => {
    // The import generates a new random suffix.
    const reason = t(why === 'taken' && dryRun ? m.import_slug_taken_preview : WHY[why])
    const slugs = h('td', {}, h('s', {}, from), ` → ${to}`, h('span', { class: 'example' }, reason))
    return h('tr', {}, h('th', { scope: 'row' }, email), slugs)
  })
  const part = table(t(m.import_changed_slugs), [t(m.partner), t(m.import_old_and_new_slug)], rows)
  part.classList.add('links')
  return part
}

/** An import moves either all of them or none. */
const ownedPart = (owned: OwnedCustomer[], dryRun: boolean): HTMLElement => {
  const moves = owned.some((customer) => customer.moves)
  const moved = dryRun ? m.import_customers_change : m.import_customers_changed
  const rows = owned
    .slice(0, MAX_LINKS)
    .map(({ customer, from, to }) =>
      h('tr', {}, h('th', { scope: 'row' }, customer), h('td', {}, from), h('td', {}, to)),
    )
  const part = table(
    t(m.import_customers_of_others),
    [t(m.layout_customer), t(m.import_partner_so_far), t(m.import_partner_in_file)],
    rows,
  )
  part.classList.add('links')
  return h(
    'section',
    {},
    h('h3', {}, t(moves ? moved : m.import_customers_owned, { count: owned.length })),
    h('p', {}, t(moves ? m.import_credited_to_file : m.import_stay_with_partner)),
    part,
    more(m.import_more_customers, owned.length - MAX_LINKS),
    downloadRows(moves ? 'moved-customers.csv' : 'customers-of-other-partners.csv', [
      ['customer', 'former_partner', 'file_partner'],
      ...owned.map(({ customer, from, to }) => [customer, from, to]),
    ]),
  )
}

const bannedText = (banned: ReturnType<typeof bannedPartners>): string => {
  const customers = banned.reduce((sum, partner) => sum + partner.customers, 0)
  const shown = banned.slice(0, MAX_LINES).map((partner) => partner.email)
  const rest = banned.length - shown.length
  return t(m.import_banned, { customers, partners: banned.length, emails: shown.join(', '), rest })
}

const errorsPart = (
  groups: FailureGroup[],
  { file, mapping, outcomes, withBalances }: Asked,
): HTMLElement =>
  h(
    'section',
    {},
    h('h3', {}, t(m.import_errors)),
    ...groups.map(({ code: reason, remedy, failures }) =>
      h(
        'details',
        { open: groups.length === 1 },
        h(
          'summary',
          {},
          ...t(m.import_rows_to_fix, { count: failures.length, remedy, reason, strong, code }),
        ),
        h(
          'ul',
          {},
          ...failures
            .slice(0, MAX_LINES)
            .map(({ lines, message }) => h('li', {}, failureText(lines, message))),
        ),
        more(m.import_more_rows, failures.length - MAX_LINES),
      ),
    ),
    h('p', {}, t(m.import_errors_hint)),
    actions(
      button(
        t(m.import_download_errors),
        () =>
          download(
            `${file.name.replace(/(-errors)?\.\w+$/, '')}-errors.csv`,
            errorCsv({ ...file, ...mapping }, outcomes, withBalances),
          ),
        'quiet',
      ),
    ),
  )

const more = (message: Message<{ count: number }>, count: number): HTMLElement | null =>
  count > 0 ? h('p', {}, t(message, { count })) : null

/** A longer list of rows would hide the failure. */
const MAX_NUMBERS = 5

/** A failure with its rows: "Rows 12, 40 and 3 more: The row has no partner email address." */
const failureText = (lines: number[], message: string): string => {
  const shown = lines.slice(0, MAX_NUMBERS).map((line) => line.toLocaleString('en'))
  return t(m.import_failure, {
    count: lines.length,
    rows: shown.join(', '),
    rest: lines.length - shown.length,
    message,
  })
}
