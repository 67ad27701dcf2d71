import { inEnglish, type Message } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'

/** The names of changed fields. */
const FIELDS: Record<string, Message> = {
  name: m.audit_field_name,
  salesFrom: m.audit_field_sales_from,
  backendCreatesCheckouts: m.audit_field_backend_creates_checkouts,
  paypalPayouts: m.audit_field_paypal_payouts,
  wisePayouts: m.audit_field_wise_payouts,
  ibanPayouts: m.audit_field_iban_payouts,
  payoutsRequirePasskey: m.audit_field_payouts_require_passkey,
  requireDocuments: m.audit_field_require_documents,
  selfBilling: m.audit_field_self_billing,
  documentsReceived: m.audit_field_documents_received,
  group: m.audit_field_group,
  status: m.audit_field_status,
  role: m.audit_field_role,
  siteUrl: m.audit_field_site_url,
  reward: m.audit_field_reward,
  rewardInterval: m.audit_field_reward_interval,
  rewardDurationMonths: m.audit_field_reward_duration_months,
  oneTimeMinimumCents: m.audit_field_one_time_minimum_cents,
  rewardShipping: m.audit_field_reward_shipping,
  creditOutOfBand: m.audit_field_credit_out_of_band,
  holdingDays: m.audit_field_holding_days,
  netDays: m.audit_field_net_days,
  attributionDays: m.audit_field_attribution_days,
  attribution: m.audit_field_attribution,
  attributeKnownCustomers: m.audit_field_attribute_known_customers,
  lateLeadDays: m.audit_field_late_lead_days,
  trustedAttribution: m.audit_field_trusted_attribution,
  selfReferrals: m.audit_field_self_referrals,
  unverifiedAddresses: m.audit_field_unverified_addresses,
  minimumPayoutCents: m.audit_field_minimum_payout_cents,
  manualEarningsNoticeCents: m.audit_field_manual_earnings_notice_cents,
  payoutSchedule: m.audit_field_payout_schedule,
  payoutDays: m.audit_field_payout_days,
  reviewDays: m.audit_field_review_days,
  logoUrl: m.audit_field_logo_url,
  accentColor: m.audit_field_accent_color,
  supportEmail: m.audit_field_support_email,
  saleReward: m.audit_field_sale_reward,
  leadReward: m.audit_field_lead_reward,
  payoutMails: m.audit_field_payout_mails,
  manualPayouts: m.audit_field_manual_payouts,
  payoutOrder: m.audit_field_payout_order,
  approvalAboveCents: m.audit_field_approval_above_cents,
}

/** The name of a changed field; an entry of another version may have one that is unknown here. */
export const fieldName = (field: string): string => {
  const name = FIELDS[field]
  return name ? inEnglish(name) : field
}
