/** The texts of emails to partners about money: payouts, and what is missing to be paid. */
import { inEnglish, type Translate } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import type {
  BankRefusedDetails,
  ConnectDetails,
  PaymentDetailsDetails,
  PayoutFailedDetails,
  PayoutReturnedDetails,
  PayoutSentDetails,
} from '../outbox/details.ts'
import { draft, editableDraft, greeting, paragraph } from './compose.tsx'
import type { Draft, Paragraph } from './paragraphs.ts'
import type { EditedText } from './texts.ts'

/** How the funds of each method arrive. */
const PAID_BY = {
  stripe: m.mail_paid_by_stripe,
  manual: m.mail_paid_by_bank,
} as const

/** Announces a payout. */
export const payoutSentDraft = (
  details: PayoutSentDetails,
  edited?: EditedText,
  t = inEnglish,
): Draft =>
  editableDraft(
    'payout_sent',
    details,
    edited,
    [
      t(PAID_BY[details.method]),
      paragraph(t, m.mail_see_commissions, { link: { link: details.portalUrl } }),
      t(m.mail_sign_in_hint),
      t(m.mail_thanks),
    ],
    t,
  )

/** Announces a failed payout. The reason may be Stripe's text. */
export const payoutFailedDraft = (
  details: PayoutFailedDetails,
  edited?: EditedText,
  t = inEnglish,
): Draft =>
  editableDraft(
    'payout_failed',
    details,
    edited,
    [
      paragraph(t, m.mail_reason, { reason: { name: details.reason } }),
      t(m.mail_still_owed),
      t(m.mail_portal_shows_account),
      { button: t(m.mail_open_portal), link: details.portalUrl },
      t(m.mail_sign_in_hint),
    ],
    t,
  )

/** Reports to a partner that its bank returned a payout. */
export const payoutReturnedDraft = (
  details: PayoutReturnedDetails,
  edited?: EditedText,
  t = inEnglish,
): Draft =>
  editableDraft(
    'payout_returned',
    details,
    edited,
    [
      paragraph(t, m.mail_reason, { reason: { name: details.reason } }),
      t(m.mail_still_owed),
      t(m.mail_check_details_text),
      { button: t(m.mail_check_details), link: details.portalUrl },
      t(m.mail_sign_in_hint),
    ],
    t,
  )

/** What a partner with earnings has to do to be paid, by what is missing. */
const TO_BE_PAID = {
  not_connected: { text: m.mail_connect_text, button: m.mail_connect_button },
  account_restricted: { text: m.mail_restricted_text, button: m.mail_restricted_button },
} as const

const howToConnect = ({ problem, portalUrl }: ConnectDetails, t: Translate): Paragraph[] => [
  t(TO_BE_PAID[problem].text),
  { button: t(TO_BE_PAID[problem].button), link: portalUrl },
  t(m.mail_sign_in_hint),
]

/** Asks a partner with earnings to connect an account, or to complete it. */
export const connectAccountDraft = (
  details: ConnectDetails,
  edited?: EditedText,
  t = inEnglish,
): Draft => editableDraft('connect_account', details, edited, howToConnect(details, t), t)

/** Reminds a partner whose earnings still cannot be paid. */
export const connectReminderDraft = (
  details: ConnectDetails,
  edited?: EditedText,
  t = inEnglish,
): Draft => editableDraft('connect_reminder', details, edited, howToConnect(details, t), t)

/** Reports that a partner's payment details will change, or that they will not after all. */
export const paymentDetailsDraft = (details: PaymentDetailsDetails, t = inEnglish): Draft => {
  const {
    partnerName,
    workspaceName: workspace,
    paidBy,
    effectiveAt,
    portalUrl,
    isFormer,
  } = details
  const name = { name: workspace }
  const end = isFormer
    ? [t(m.mail_former_address)]
    : [{ button: t(m.mail_open_portal), link: portalUrl }, t(m.mail_sign_in_hint)]
  if (paidBy === null) {
    return draft(t(m.mail_details_stay_subject, { workspace }), t(m.mail_details_stay_preview), [
      greeting(partnerName, t),
      paragraph(t, m.mail_details_stay, { workspace: name }),
      t(m.mail_details_enter_again),
      ...end,
    ])
  }
  const change = { time: { name: effectiveAt }, workspace: name, method: { name: paidBy } }
  return draft(t(m.mail_details_change_subject, { workspace }), t(m.mail_details_change_preview), [
    greeting(partnerName, t),
    paragraph(t, m.mail_details_change, change),
    t(m.mail_details_until_then),
    ...end,
  ])
}

/**
 * Reports that the bank of a partner's Stripe account refused a payout, which only the partner can
 * mend.
 */
export const bankRefusedDraft = (
  details: BankRefusedDetails,
  edited?: EditedText,
  t = inEnglish,
): Draft =>
  editableDraft(
    'bank_refused',
    details,
    edited,
    [
      ...(details.reason
        ? [paragraph(t, m.mail_reason, { reason: { name: details.reason } })]
        : []),
      t(m.mail_bank_account_needed),
      { button: t(m.mail_open_portal), link: details.portalUrl },
      t(m.mail_sign_in_hint),
    ],
    t,
  )
