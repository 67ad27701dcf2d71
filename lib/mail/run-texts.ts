/** The texts of mails to managers about payout runs. */
import { counted } from '../plural.ts'
import type { PayoutRunDetails, PayoutSum } from './details.ts'
import type { Draft, Paragraph } from './paragraphs.ts'

/** What a total is about, and what follows from it. */
const WORDS: Record<string, { title: string; note?: string }> = {
  payable: { title: 'To be paid' },
  paid: { title: 'Sent' },
  processing: { title: 'Waiting', note: 'They are retried automatically.' },
  failed: { title: 'Failed', note: 'Their commissions are payable again with the next run.' },
  canceled: { title: 'Canceled' },
  found_sent: {
    title: 'Marked as not sent, but found at Stripe',
    note: 'These partners may be paid twice: reverse the transfers in Stripe, or deduct the amounts.',
  },
  reversed: { title: 'Reversed in Stripe' },
  insufficient_funds: {
    title: 'Not covered by your Stripe balance',
    note: 'Top up your balance in Stripe to pay them.',
  },
  not_connected: { title: 'Without a Stripe account', note: 'These partners are emailed.' },
  account_restricted: {
    title: 'Waiting for information that Stripe needs',
    note: 'These partners are emailed.',
  },
  account_changed: { title: 'To Stripe accounts that were changed within 72 hours' },
  account_in_review: { title: 'In review at Stripe' },
  test_partner: { title: 'To the test partner' },
  partner_banned: { title: 'To banned partners' },
  below_minimum: { title: 'Below the minimum payout' },
  country_not_supported: { title: 'To countries that Stripe does not transfer to' },
  amount_too_small: { title: 'Below what Stripe transfers' },
  amount_too_fine: { title: 'Not a whole number of the units that Stripe transfers' },
  documents_missing: { title: 'To partners whose documents are missing' },
  over_maximum: { title: 'Above the maximum' },
  excluded: { title: 'Left out' },
  other_method: { title: 'To partners who chose another way to be paid' },
}

const sentence = ({ code, payouts, amount }: PayoutSum): string => {
  const { title, note } = WORDS[code] ?? { title: 'Not paid' }
  return `${title}: ${counted(payouts, 'payout')}, ${amount}.${note ? ` ${note}` : ''}`
}

/** The amount of a code, or null if there is none. */
const amountOf = (sums: PayoutSum[], code: string): string | null =>
  sums.find((sum) => sum.code === code)?.amount ?? null

type RunMailKind = 'payout_approval' | 'payout_report' | 'payout_review' | 'payout_preview' | 'payout_problem'

/** The subject and the first sentence of each kind, after the name of the program. */
const OPENINGS: Record<RunMailKind, (details: PayoutRunDetails) => { subject: string; opening: string }> = {
  payout_report: ({ sums, day }) => {
    const sent = amountOf(sums, 'paid')
    return {
      subject: sent ? `${sent} paid` : 'nothing could be paid',
      opening: `The payouts scheduled for ${day ?? 'today'} have run.`,
    }
  },
  payout_approval: ({ sums, day }) => ({
    subject: `${amountOf(sums, 'payable') ?? 'nothing'} to approve`,
    opening: `A payout run waits for the approval of a second manager. Until then, nothing is paid.${day ? ` It is sent on ${day}, or when it is approved, if that is later.` : ''}`,
  }),
  payout_preview: ({ sums, day }) => ({
    subject: `${amountOf(sums, 'payable') ?? 'nothing can be paid'} on ${day ?? ''}`,
    opening: `Payouts are scheduled for ${day ?? ''}, at midnight UTC. This is what they would pay, as far as it is known today.`,
  }),
  payout_review: ({ sums, day }) => ({
    subject: `${amountOf(sums, 'payable') ?? 'nothing'} to review until ${day ?? ''}`,
    opening: `A scheduled payout run is ready. It is sent on ${day ?? ''} unless a manager stops it.`,
  }),
  payout_problem: ({ sums }) => ({
    ...(amountOf(sums, 'found_sent')
      ? {
          subject: 'some were sent after all',
          opening: 'Payouts that were marked as not sent were found at Stripe.',
        }
      : {
          subject: amountOf(sums, 'failed') ? 'some have failed' : 'some are waiting',
          opening: 'Some payouts of a run could not be sent.',
        }),
  }),
}

/** A mail to a manager about a payout run. */
export const runDraft = (kind: RunMailKind, details: PayoutRunDetails): Draft => {
  const { workspaceName, programName, sums, messages, url } = details
  const { subject, opening } = OPENINGS[kind](details)
  return {
    subject: `Payouts of ${programName ?? workspaceName}: ${subject}`,
    preview: opening,
    paragraphs: [
      'Hello,',
      [
        { name: programName ?? workspaceName },
        ...(programName === null ? [] : [' in ', { name: workspaceName }]),
        `: ${opening}`,
      ],
      ...sums.map(sentence),
      ...messages.map((message): Paragraph => ['Reason: ', { name: message }]),
      { button: kind === 'payout_preview' ? 'View payouts' : 'View payout run', link: url },
      'You receive this as a manager of the workspace. A manager can turn these emails off for each member, on the page Members.',
    ],
  }
}
