/** The part of a preview about rows of another platform that are not imported. */
import type { LeftOutReason } from '../../../lib/imports/sources/source-rows.ts'
import type { Message } from '../../../lib/languages/message.ts'
import * as m from '../../../lib/languages/messages.ts'
import { t } from '../../text.ts'
import { downloadRows, h, linkInNewTab } from '../dom.ts'
import type { CsvFile } from '../file.ts'
import { listed } from '../rules/lists.ts'

const REASONS: Record<
  LeftOutReason | 'foreign_balance' | 'negative_balance' | 'odd_prior',
  Message<{ count: number; names: string }>
> = {
  no_email: m.import_left_no_email,
  no_customer: m.import_left_no_customer,
  no_partner: m.import_left_no_partner,
  no_processor_id: m.import_left_no_processor_id,
  foreign_balance: m.import_left_foreign_balance,
  negative_balance: m.import_left_negative_balance,
  odd_prior: m.import_left_odd_prior,
  not_money: m.import_left_not_money,
  refused: m.import_left_refused,
  archived: m.import_left_archived,
  deactivated: m.import_left_deactivated,
  unreadable: m.import_left_unreadable,
}

/** Names per reason. The download has all names. */
const MAX_NAMES = 5

/** The elements of the part; none if everything is imported. */
export const sourceNotes = (
  { platform, caution, leftOut, rewards }: NonNullable<CsvFile['source']>,
  workspace: string,
): HTMLElement[] => [
  ...(caution ? [h('p', { class: 'note' }, caution)] : []),
  ...rewardsNote(rewards, workspace),
  ...(leftOut.length > 0
    ? [
        h(
          'section',
          {},
          h('h3', {}, t(m.import_not_imported_from, { platform })),
          h(
            'ul',
            {},
            ...leftOut.map(({ reason, names }) =>
              h(
                'li',
                {},
                t(REASONS[reason], { count: names.length, names: listed(names, MAX_NAMES) }),
              ),
            ),
          ),
          downloadRows('not-imported.csv', [
            ['row', 'reason'],
            ...leftOut.flatMap(({ reason, names }) => names.map((name) => [name, reason])),
          ]),
        ),
      ]
    : []),
]

/** A link to the rewards that were read; nothing without any. */
export const rewardsNote = (rewards: number, workspace: string): HTMLElement[] =>
  rewards > 0
    ? [
        h(
          'p',
          { class: 'note' },
          ...t(m.import_rewards_read, {
            count: rewards,
            link: linkInNewTab(`/app/${encodeURIComponent(workspace)}/import/rewards`),
          }),
        ),
      ]
    : []
