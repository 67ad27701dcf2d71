/** The texts of mails to managers about payout runs. */
import { type Message, inEnglish as t } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import type { PayoutRunDetails, PayoutSum } from '../outbox/details.ts'
import { draft, paragraph } from './compose.tsx'
import type { Draft } from './paragraphs.ts'

/** What each total says: what it is about, and what follows from it. */
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

/** The amount of a code, or null if there is none. */
const amountOf = (sums: PayoutSum[], code: string): string | null =>
  sums.find((sum) => sum.code === code)?.amount ?? null

type RunMailKind =
  | 'payout_approval'
  | 'payout_report'
  | 'payout_review'
  | 'payout_preview'
  | 'payout_problem'

type Opening = { subject: string; opening: string }

/** The subject and the first sentence of each kind. @param name whose payouts they are */
const OPENINGS: Record<RunMailKind, (details: PayoutRunDetails, name: string) => Opening> = {
  payout_report: ({ sums, day }, name) => {
    const amount = amountOf(sums, 'paid')
    return {
      subject: amount
        ? t(m.mails_report_subject, { name, amount })
        : t(m.mails_report_nothing_subject, { name }),
      opening: day ? t(m.mails_report_opening, { day }) : t(m.mails_report_opening_today),
    }
  },
  payout_approval: ({ sums, day }, name) => {
    const amount = amountOf(sums, 'payable')
    return {
      subject: amount
        ? t(m.mails_approval_subject, { name, amount })
        : t(m.mails_approval_nothing_subject, { name }),
      opening: day ? t(m.mails_approval_opening_day, { day }) : t(m.mails_approval_opening),
    }
  },
  payout_preview: ({ sums, day: known }, name) => {
    const [amount, day] = [amountOf(sums, 'payable'), known ?? '']
    return {
      subject: amount
        ? t(m.mails_preview_subject, { name, amount, day })
        : t(m.mails_preview_nothing_subject, { name, day }),
      opening: t(m.mails_preview_opening, { day }),
    }
  },
  payout_review: ({ sums, day: known }, name) => {
    const [amount, day] = [amountOf(sums, 'payable'), known ?? '']
    return {
      subject: amount
        ? t(m.mails_review_subject, { name, amount, day })
        : t(m.mails_review_nothing_subject, { name, day }),
      opening: t(m.mails_review_opening, { day }),
    }
  },
  payout_problem: ({ sums }, name) => {
    if (amountOf(sums, 'found_sent'))
      return {
        subject: t(m.mails_sent_after_all_subject, { name }),
        opening: t(m.mails_sent_after_all),
      }
    if (amountOf(sums, 'adopted'))
      return { subject: t(m.mails_adopted_subject, { name }), opening: t(m.mails_adopted) }
    const subject = amountOf(sums, 'failed')
      ? m.mails_some_failed_subject
      : m.mails_some_wait_subject
    return { subject: t(subject, { name }), opening: t(m.mails_problem_opening) }
  },
}

/** A mail to a manager about a payout run. */
export const runDraft = (kind: RunMailKind, details: PayoutRunDetails): Draft => {
  const { workspaceName, programName, sums, messages, url } = details
  const name = programName ?? workspaceName
  const { subject, opening } = OPENINGS[kind](details, name)
  const workspace = { name: workspaceName }
  return draft(subject, opening, [
    t(m.mail_hello),
    programName === null
      ? paragraph(t, m.mails_of_workspace, { workspace, opening })
      : paragraph(t, m.mails_of_program, { program: { name: programName }, workspace, opening }),
    ...sums.map(sentence),
    ...messages.map((reason) => paragraph(t, m.mails_run_reason, { reason: { name: reason } })),
    { button: t(kind === 'payout_preview' ? m.mails_view_payouts : m.mails_view_run), link: url },
    t(m.mails_to_managers),
  ])
}
