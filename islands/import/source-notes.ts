/** The part of a preview about what was read from another platform and is not imported. */
import type { LeftOutReason } from '../../lib/imports/sources/source.ts'
import { button, download, h } from './dom.ts'
import type { CsvFile } from './file.ts'
import { csvLine } from './rules/cells.ts'

const REASONS: Record<LeftOutReason | 'foreign_balance' | 'negative_balance' | 'odd_prior', string> = {
  no_email: 'partners without an email address, who cannot be invited or paid',
  no_customer: 'referrals whose customer has neither an ID nor an email address',
  no_partner: 'rows whose partner was not read',
  no_processor_id:
    'coupons whose ID at the payment processor the platform does not say; add it on the partner’s page',
  foreign_balance:
    'balances in another currency than USD; convert them, and adjust what these partners have earned',
  negative_balance: 'negative balances, which no import can take',
  odd_prior:
    'sums paid before the move that are not shown: in a second currency of a customer, or negative; the others of these customers are',
  not_money: 'rewards that are no money',
  archived: 'archived coupons',
  deactivated: 'deactivated referrals',
  unreadable: 'rows that could not be read',
}

/** Names that are shown of each reason. The download has all. */
const MAX_NAMES = 5

/** The elements of the part; none if everything is imported. */
export const sourceNotes = ({
  platform,
  caution,
  leftOut,
}: NonNullable<CsvFile['source']>): HTMLElement[] => [
  ...(caution ? [h('p', { class: 'note' }, caution)] : []),
  ...(leftOut.length > 0
    ? [
        h(
          'section',
          {},
          h('h3', {}, `Not imported from ${platform}`),
          h(
            'ul',
            {},
            ...leftOut.map(({ reason, names }) =>
              h(
                'li',
                {},
                `${names.length.toLocaleString('en')} ${REASONS[reason]}: ${names.slice(0, MAX_NAMES).join(', ')}${names.length > MAX_NAMES ? ', …' : ''}`,
              ),
            ),
          ),
          h(
            'p',
            { class: 'actions' },
            button(
              'Download list',
              () =>
                download(
                  'not-imported.csv',
                  `\ufeff${[['row', 'reason'], ...leftOut.flatMap(({ reason, names }) => names.map((name) => [name, reason]))].map(csvLine).join('')}`,
                ),
              'quiet',
            ),
          ),
        ),
      ]
    : []),
]
