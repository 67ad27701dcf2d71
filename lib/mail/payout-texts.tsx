/** The texts of emails to partners about money: payouts, and what is missing to be paid. */
import { draft, editableDraft, greeting, HOW_TO_SIGN_IN } from './compose.tsx'
import type {
  BankRefusedDetails,
  ConnectDetails,
  PaymentDetailsDetails,
  PayoutFailedDetails,
  PayoutReturnedDetails,
  PayoutSentDetails,
} from './details.ts'
import type { Draft, Paragraph } from './paragraphs.ts'
import type { EditedText } from './texts.ts'

/** How the funds of each method arrive. */
const PAID_BY = {
  stripe: 'The funds are in your Stripe account, which pays them out to your bank.',
  manual: 'The payment was sent by bank transfer or a similar method, and may take a few days to arrive.',
} as const

/** Announces a payout. */
export const payoutSentDraft = (details: PayoutSentDetails, edited?: EditedText): Draft =>
  editableDraft('payout_sent', details, edited, [
    PAID_BY[details.method],
    ['See its commissions in the portal:', { link: details.portalUrl }],
    HOW_TO_SIGN_IN,
    'Thank you for being a partner.',
  ])

/** Announces a failed payout. The reason may be Stripe's text. */
export const payoutFailedDraft = (details: PayoutFailedDetails, edited?: EditedText): Draft =>
  editableDraft('payout_failed', details, edited, [
    ['Reason: ', { name: details.reason }],
    'The amount is still owed to you and will be included in a later payout.',
    'The portal shows whether your payout account needs more information.',
    { button: 'Open portal', link: details.portalUrl },
    HOW_TO_SIGN_IN,
  ])

/** Reports to a partner that its bank returned a payout. */
export const payoutReturnedDraft = (details: PayoutReturnedDetails, edited?: EditedText): Draft =>
  editableDraft('payout_returned', details, edited, [
    ['Reason: ', { name: details.reason }],
    'The amount is still owed to you and will be included in a later payout.',
    'Please check that your name and your payment details are correct, and that your account can receive this currency. If you gave your payment details elsewhere, send the corrected ones there.',
    { button: 'Check payment details', link: details.portalUrl },
    HOW_TO_SIGN_IN,
  ])

/** What a partner with earnings has to do to be paid, by what is missing. */
const TO_BE_PAID = {
  not_connected: {
    text: 'To be paid, connect a Stripe account, or finish its set-up. It takes a few minutes, once.',
    button: 'Connect account',
  },
  account_restricted: {
    text: 'Stripe needs more information about you before you can be paid. It takes a few minutes.',
    button: 'Give information',
  },
} as const

const howToConnect = ({ problem, portalUrl }: ConnectDetails): Paragraph[] => [
  `${TO_BE_PAID[problem].text} Until then, your balance is kept for you.`,
  { button: TO_BE_PAID[problem].button, link: portalUrl },
  HOW_TO_SIGN_IN,
]

/** Asks a partner with earnings to connect an account, or to complete it. */
export const connectAccountDraft = (details: ConnectDetails, edited?: EditedText): Draft =>
  editableDraft('connect_account', details, edited, howToConnect(details))

/** Reminds a partner whose earnings still cannot be paid. */
export const connectReminderDraft = (details: ConnectDetails, edited?: EditedText): Draft =>
  editableDraft('connect_reminder', details, edited, howToConnect(details))

/** Reports that a partner's payment details will change, or that they will not after all. */
export const paymentDetailsDraft = ({
  partnerName,
  workspaceName,
  paidBy,
  effectiveAt,
  portalUrl,
}: PaymentDetailsDetails): Draft =>
  paidBy === null
    ? draft(
        `Your payment details at ${workspaceName} stay as they are`,
        'A change of how you are paid was canceled.',
        [
          greeting(partnerName),
          ['A change of how ', { name: workspaceName }, ' pays you was canceled.'],
          'If you did not do this, enter your details again in the portal.',
          { button: 'Open portal', link: portalUrl },
          HOW_TO_SIGN_IN,
        ],
      )
    : draft(
        `Your payment details at ${workspaceName} will change`,
        'If you did not make this change, cancel it in the portal.',
        [
          greeting(partnerName),
          [
            'From ',
            { name: effectiveAt },
            ' on, ',
            { name: workspaceName },
            ' pays you by ',
            { name: paidBy },
            '.',
          ],
          'Until then, your present details stay in force. If you did not make this change, cancel it in the portal.',
          { button: 'Open portal', link: portalUrl },
          HOW_TO_SIGN_IN,
        ],
      )

/** Reports that the bank of a partner's Stripe account refused a payout, which only the partner can mend. */
export const bankRefusedDraft = (details: BankRefusedDetails, edited?: EditedText): Draft =>
  editableDraft('bank_refused', details, edited, [
    ...(details.reason ? [['Reason: ', { name: details.reason }]] : []),
    'Stripe pays nothing out until you give it a bank account that accepts payouts. The portal leads you there.',
    { button: 'Open portal', link: details.portalUrl },
    HOW_TO_SIGN_IN,
  ])
