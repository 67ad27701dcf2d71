/** Made-up details of the mails to partners, for previews and test mails. */
import { formatMoney } from '../../values/money.ts'
import { partnerLink } from '../../values/slugs.ts'
import type { PartnerMailKind } from '../mails.ts'
import type {
  AddressDetails,
  BankRefusedDetails,
  ConnectDetails,
  MovedDetails,
  PartnerInvitationDetails,
  PaymentDetailsDetails,
  PayoutAccountDetails,
  PayoutFailedDetails,
  PayoutReturnedDetails,
  PayoutSentDetails,
  RejectionDetails,
  TierDetails,
  WelcomeDetails,
} from '../outbox/details.ts'

/** The real values in a sample. */
export type SampleFacts = {
  workspaceName: string
  /** A program of the workspace; undefined if it has none. */
  program: { name: string; siteUrl: string } | undefined
  /** The address of the manager who reads the preview. */
  managerEmail: string
  origin: string
}

type Samples = {
  welcome: WelcomeDetails
  moved: MovedDetails
  partner_invitation: PartnerInvitationDetails
  application_rejected: RejectionDetails
  connect_account: ConnectDetails
  connect_reminder: ConnectDetails
  payout_sent: PayoutSentDetails
  payout_failed: PayoutFailedDetails
  payout_returned: PayoutReturnedDetails
  bank_refused: BankRefusedDetails
  tier_changed: TierDetails
  payment_details: PaymentDetailsDetails
  payout_account: PayoutAccountDetails
  address_link: AddressDetails
  address_changed: AddressDetails
}

const PARTNER_NAME = 'Maya Chen'
const AMOUNT = formatMoney(12_450, 'USD')
const LATER = '25 Nov 2026, 10:00 UTC'

/** Sample details of a mail. Its links lead to the portal. */
export const sampleDetails = <K extends PartnerMailKind>(
  kind: K,
  { workspaceName, program, managerEmail, origin }: SampleFacts,
): Samples[K] => {
  const { name: programName, siteUrl } = program ?? {
    name: workspaceName,
    siteUrl: 'https://shop.example',
  }
  const portalUrl = `${origin}/portal`
  const partnerName = PARTNER_NAME
  const welcome = {
    partnerName,
    programName,
    link: partnerLink(siteUrl, 'maya'),
    portalUrl,
    workspaceName,
    sentBy: managerEmail,
  }
  const money = { partnerName, programName, amount: AMOUNT, portalUrl }
  const merchant = { partnerName, workspaceName, portalUrl }
  const addresses = {
    partnerName,
    from: 'maya@old.example',
    to: 'maya@new.example',
    url: portalUrl,
  }
  const samples: Samples = {
    welcome,
    moved: { ...welcome, formerLink: { url: new URL('?ref=maya', siteUrl).href, works: true } },
    partner_invitation: { programName, workspaceName, invitedBy: managerEmail, url: portalUrl },
    application_rejected: {
      applicantName: PARTNER_NAME,
      programName,
      reason: 'We take partners who write about our field.',
    },
    connect_account: { ...money, problem: 'not_connected' },
    connect_reminder: { ...money, problem: 'not_connected' },
    payout_sent: { ...money, method: 'stripe' },
    payout_failed: { ...money, reason: 'The Stripe account was closed.' },
    payout_returned: { ...money, reason: 'The bank account is closed.' },
    bank_refused: { ...merchant, amount: AMOUNT, reason: 'The bank account is closed.' },
    tier_changed: { partnerName, programName, change: 'reached', tier: 'Gold', portalUrl },
    payment_details: { ...merchant, paidBy: 'PayPal (m•••@n•••.example)', effectiveAt: LATER },
    payout_account: { ...merchant, change: 'changed', heldUntil: LATER, confirmUrl: portalUrl },
    address_link: addresses,
    address_changed: addresses,
  }
  return samples[kind]
}
