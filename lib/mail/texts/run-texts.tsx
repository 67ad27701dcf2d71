/** The texts of mails to managers about payout runs. */
import { type Message, inEnglish as t } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import type { PayoutSum } from '../outbox/details.ts'
import { listIn, optional, required } from '../outbox/stored-details.ts'
import { draft, paragraph, type Write } from './compose.tsx'

/** The sentence about each total, with its consequence. */
const TOTALS: Record<string, Message<{ count: number; amount: string }>> = {
  payable: m.mails_run_payable,
  paid: m.mails_run_paid,
  processing: m.mails_run_processing,
  failed: m.mails_run_failed,
  canceled: m.mails_run_canceled,
  found_sent: m.mails_run_found_sent,
  adopted: m.mails_run_adopted,
  reversed: m.mails_run_reversed,
  insufficient_funds: m.mails_run_insufficient_funds,
  not_connected: m.mails_run_not_connected,
  account_restricted: m.mails_run_account_restricted,
  account_changed: m.mails_run_account_changed,
  account_new: m.mails_run_account_new,
  account_in_review: m.mails_run_account_in_review,
  test_partner: m.mails_run_test_partner,
  partner_banned: m.mails_run_partner_banned,
  below_minimum: m.mails_run_below_minimum,
  country_not_supported: m.mails_run_country_not_supported,
  amount_too_small: m.mails_run_amount_too_small,
  amount_too_fine: m.mails_run_amount_too_fine,
  documents_missing: m.mails_run_documents_missing,
  over_maximum: m.mails_run_over_maximum,
  excluded: m.mails_run_excluded,
  other_method: m.mails_run_other_method,
}

const sentence = ({ code, payouts, amount }: PayoutSum): string =>
  t(TOTALS[code] ?? m.mails_run_not_paid, { count: payouts, amount })

type Opening = { subject: string; opening: string }

/** What a mail is about. @property name whose payouts they are; `day` is '' if it has none */
type Run = { name: string; day: string; amountOf: (code: string) => string | undefined }

/**
 * A mail about a run: the subject and the first sentence are those of its kind.
 * @param button leads to the run, or to all payouts
 */
const about =
  (open: (run: Run) => Opening, button: Message = m.mails_view_run): Write =>
  (details) => {
    const { workspaceName, url } = required(details, 'workspaceName', 'url')
    const programName = optional(details, 'programName')
    const sums = listIn<PayoutSum>(details, 'sums')
    const { subject, opening } = open({
      name: programName ?? workspaceName,
      day: optional(details, 'day') ?? '',
      amountOf: (wanted) => sums.find(({ code }) => code === wanted)?.amount,
    })
    const workspace = { name: workspaceName }
    return draft(subject, opening, [
      t(m.mail_hello),
      programName === null
        ? paragraph(t, m.mails_of_workspace, { workspace, opening })
        : paragraph(t, m.mails_of_program, { program: { name: programName }, workspace, opening }),
      ...sums.map(sentence),
      ...listIn<string>(details, 'messages').map((reason) =>
        paragraph(t, m.mails_run_reason, { reason: { name: reason } }),
      ),
      { button: t(button), link: url },
      t(m.mails_to_managers),
    ])
  }

export const RUN_TEXTS = {
  payout_report: about(({ name, day, amountOf }) => {
    const amount = amountOf('paid')
    return {
      subject: amount
        ? t(m.mails_report_subject, { name, amount })
        : t(m.mails_report_nothing_subject, { name }),
      opening: day ? t(m.mails_report_opening, { day }) : t(m.mails_report_opening_today),
    }
  }),
  payout_approval: about(({ name, day, amountOf }) => {
    const amount = amountOf('payable')
    return {
      subject: amount
        ? t(m.mails_approval_subject, { name, amount })
        : t(m.mails_approval_nothing_subject, { name }),
      opening: day ? t(m.mails_approval_opening_day, { day }) : t(m.mails_approval_opening),
    }
  }),
  payout_preview: about(({ name, day, amountOf }) => {
    const amount = amountOf('payable')
    return {
      subject: amount
        ? t(m.mails_preview_subject, { name, amount, day })
        : t(m.mails_preview_nothing_subject, { name, day }),
      opening: t(m.mails_preview_opening, { day }),
    }
  }, m.mails_view_payouts),
  payout_review: about(({ name, day, amountOf }) => {
    const amount = amountOf('payable')
    return {
      subject: amount
        ? t(m.mails_review_subject, { name, amount, day })
        : t(m.mails_review_nothing_subject, { name, day }),
      opening: t(m.mails_review_opening, { day }),
    }
  }),
  payout_problem: about(({ name, amountOf }) => {
    const say = (subject: Message<{ name: string }>, opening: Message): Opening => ({
      subject: t(subject, { name }),
      opening: t(opening),
    })
    if (amountOf('found_sent')) return say(m.mails_sent_after_all_subject, m.mails_sent_after_all)
    if (amountOf('adopted')) return say(m.mails_adopted_subject, m.mails_adopted)
    return amountOf('failed')
      ? say(m.mails_some_failed_subject, m.mails_problem_opening)
      : say(m.mails_some_wait_subject, m.mails_problem_opening)
  }),
} satisfies Record<string, Write>
