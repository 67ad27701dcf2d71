/** Audit entries as text, which follows the name of the actor. */

import type { AuditAction } from '../../audit/audit.queries.ts'
import { LOCALES } from '../../languages/languages.ts'
import { type Message, inEnglish as t } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import { type RewardStyle, rewardWords } from '../../languages/reward-words.ts'
import { bonusesWords, tiersWords } from '../../languages/tier-words.ts'
import type { BonusTerms } from '../../rules/bonuses/bonuses.ts'
import type { RewardResponse } from '../../rules/rewards/rewards.responses.ts'
import { rewardTermsOf } from '../../rules/rewards/rewards.ts'
import type { Tiers } from '../../rules/tiers/tiers.ts'
import { formatMoney, type MoneyFormat } from '../../values/money.ts'
import { mailLabel } from '../parts/mail-labels.ts'
import { figure, money } from '../parts/money.tsx'

type Details = Record<string, unknown>

/** The words are English on every page. */
const STYLE: RewardStyle = { language: 'en', t, money, figure }

const LIST = new Intl.ListFormat(LOCALES.en)

/** A detail as text. Entries of older versions may have details of any type. */
const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

const number = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** The positive counts, each with what it counts. */
const tally = (counts: [value: unknown, words: Message<{ count: number }>][]): string =>
  counts
    .filter(([value]) => number(value) > 0)
    .map(([value, words]) => t(words, { count: number(value) }))
    .join(', ')

/** The number of selected rows of a list; null if the list was filtered. */
const chosenIn = (filter: unknown): string | null =>
  typeof filter === 'object' && filter !== null && 'chosen' in filter ? text(filter.chosen) : null

/** The two customers of a possible merge. */
const pairOf = ({ externalId, namedExternalId }: Details) => ({
  externalId: text(externalId),
  namedExternalId: text(namedExternalId),
})

/** The forms of links that were confirmed as working, or not. */
const formsIn = ({ forms }: Details): string =>
  Object.entries(Object(forms))
    .map(([form, works]) => t(works === true ? m.audit_form_works : m.audit_form_ended, { form }))
    .join(', ')

/** A reward, as `diff` logs it. */
const isReward = (value: object): value is RewardResponse =>
  'percent' in value || 'amountCents' in value

/** Fields with a value of their own kind, as the program has it. */
const OBJECTS: Record<string, (value: object) => string> = {
  tiers: (value) => tiersWords(value as Tiers, STYLE),
  bonuses: (value) => bonusesWords(value as BonusTerms[], STYLE) || t(m.audit_value_none),
  monthlyBudget: (value) => {
    const { amountCents, currency } = value as Details
    return money(number(amountCents), text(currency))
  },
}

const describeValue = (field: string, value: unknown): string => {
  if (value === null || value === undefined) return t(m.audit_value_none)
  if (typeof value === 'object' && field in OBJECTS) return OBJECTS[field]?.(value) ?? ''
  if (typeof value === 'boolean') return t(value ? m.audit_value_on : m.audit_value_off)
  if (field === 'payoutDays' && Array.isArray(value))
    return value.length === 0 ? t(m.audit_value_none) : LIST.format(value.map(text))
  if (field === 'payoutSchedule' || field === 'payoutOrder') return text(value).replace('_', ' ')
  if (typeof value === 'object')
    return isReward(value)
      ? rewardWords(rewardTermsOf(value), field === 'leadReward' ? 'lead' : 'sale', STYLE)
      : JSON.stringify(value)
  return text(value)
}

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
  tier: m.audit_field_tier,
  status: m.audit_field_status,
  role: m.audit_field_role,
  siteUrl: m.audit_field_site_url,
  reward: m.audit_field_reward,
  rewardInterval: m.audit_field_reward_interval,
  rewardDurationMonths: m.audit_field_reward_duration_months,
  oneTimeMinimumCents: m.audit_field_one_time_minimum_cents,
  oneTimePer: m.audit_field_one_time_per,
  tiers: m.audit_field_tiers,
  bonuses: m.audit_field_bonuses,
  monthlyBudget: m.audit_field_monthly_budget,
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

/** The name of a changed field. Entries of other versions may have unknown fields. */
const fieldName = (field: string): string => {
  const name = FIELDS[field]
  return name ? t(name) : field
}

/** The changed fields, such as "name from A to B, role from member to manager". */
const changes = (details: Details): string =>
  Object.entries(details)
    .flatMap(([field, change]) => {
      if (typeof change !== 'object' || change === null || !('from' in change && 'to' in change))
        return []
      return t(m.audit_field_changed, {
        field: fieldName(field),
        from: describeValue(field, change.from),
        to: describeValue(field, change.to),
      })
    })
    .join(', ')

/** The number of payouts in a run. */
const payouts = (details: Details): string =>
  t(m.audit_count_payouts, { count: number(details.payouts) })

/** Opening balances, as an import logs them: "412 opening balances of 12,345.00 USD". */
const openingBalances = (logged: unknown, amount: (of: Details) => string): string | undefined => {
  const { count, sums } = (logged ?? {}) as Details
  if (!Array.isArray(sums)) return undefined
  return t(m.audit_opening_balances_of, {
    count: number(count),
    amount: LIST.format(sums.map(amount)),
  })
}

/** Payment methods of partners. */
const METHODS: Record<string, Message | string> = {
  stripe: m.layout_stripe,
  paypal: 'PayPal',
  wise: 'Wise',
  iban: m.method_iban,
}

type Amount = (of: Details) => string
type Describe = (details: Details, amount: Amount) => string

/** The values of messages that are derived from an entry's details. */
const DERIVED: Record<string, Describe> = {
  amount: (details, amount) => amount(details),
  changes,
  payouts,
}

/** A message with these details. */
const says =
  <Values extends Record<string, string>>(
    message: Message<Values>,
    ...names: (keyof Values & string)[]
  ): Describe =>
  (details, amount) => {
    const detail = (name: string) => DERIVED[name]?.(details, amount) ?? text(details[name])
    const values = Object.fromEntries(names.map((name) => [name, detail(name)])) as Values
    return (t as (message: Message<Values>, values: Values) => string)(message, values)
  }

const ACTIONS: Record<AuditAction, Describe> = {
  'workspace.created': says(m.audit_workspace_created, 'name'),
  'workspace.trusted': () => t(m.audit_workspace_trusted),
  'workspace.deletion_scheduled': says(m.audit_workspace_deletion_scheduled, 'day'),
  'workspace.deletion_canceled': () => t(m.audit_workspace_deletion_canceled),
  'workspace.deletion_called_off': () => t(m.audit_workspace_deletion_called_off),
  'workspace.changed': says(m.audit_workspace_changed, 'changes'),
  'workspace.limit_requested': says(m.audit_workspace_limit_requested, 'changes'),
  'workspace.limit_approved': says(m.audit_workspace_limit_approved, 'changes'),
  'workspace.limit_declined': says(m.audit_workspace_limit_declined, 'changes'),
  'member.signed_in': (d) =>
    d.browser
      ? t(m.audit_signed_in_with, { browser: text(d.browser) })
      : t(m.audit_member_signed_in),
  'member.passkey_added': says(m.audit_passkey_added, 'email'),
  'member.passkey_removed': says(m.audit_passkey_removed, 'email'),
  'member.invited': says(m.audit_member_invited, 'email', 'role'),
  'member.changed': says(m.audit_member_changed, 'email', 'changes'),
  'member.removed': says(m.audit_member_removed, 'role', 'email'),
  'member.recovered': says(m.audit_member_recovered, 'email'),
  'member.address_changed': says(m.audit_member_address_changed, 'from', 'to'),
  'api_key.created': says(m.audit_api_key_created, 'name'),
  'api_key.rotated': says(m.audit_api_key_rotated, 'name'),
  'api_key.revoked': says(m.audit_api_key_revoked, 'name'),
  'program.created': says(m.audit_program_created, 'name'),
  'program.changed': says(m.audit_program_changed, 'changes'),
  'program.shadow_started': () => t(m.audit_program_shadow_started),
  'program.commissions_uploaded': (d) =>
    t(m.audit_program_commissions_uploaded, { rows: number(d.rows) }),
  'program.cut_over': (d) => t(m.audit_program_cut_over, { balances: number(d.balances) }),
  'group.created': says(m.audit_group_created, 'name'),
  'group.changed': says(m.audit_group_changed, 'changes'),
  'join_page.changed': (d) =>
    t(m.audit_join_page_changed, {
      state: d.isOpen === undefined ? '' : d.isOpen ? 'open' : 'closed',
    }),
  'program.links_confirmed': (d) => t(m.audit_program_links_confirmed, { forms: formsIn(d) }),
  'brand.support_confirmed': () => t(m.audit_brand_support_confirmed),
  'brand.changed': says(m.audit_brand_changed, 'changes'),
  'application.invited': (d) => t(m.audit_application_invited, { invited: number(d.invited) }),
  'application.approved': says(m.audit_application_approved, 'email'),
  'application.rejected': (d) => {
    const about = { email: text(d.email), kind: d.blocks ? 'blocked' : '' }
    return d.reason
      ? t(m.audit_application_rejected_because, { ...about, reason: text(d.reason) })
      : t(m.audit_application_rejected, about)
  },
  'application.deleted': () => t(m.audit_application_deleted),
  'partner.created': says(m.audit_partner_created, 'email', 'slug'),
  'partner.changed': says(m.audit_partner_changed, 'email', 'changes'),
  'partner.address_changed': says(m.audit_partner_address_changed, 'from', 'to'),
  'partner.unsubscribed': () => t(m.audit_partner_unsubscribed),
  'partner.subscribed': () => t(m.audit_partner_subscribed),
  'partners.mailed': (d) =>
    t(m.audit_partners_mailed, { subject: text(d.subject), recipients: number(d.recipients) }),
  'partners.adjusted': (d, amount) =>
    t(m.audit_partners_adjusted, {
      partners: number(d.partners),
      amount: amount(d),
      reason: text(d.reason),
    }),
  'partner.erased': () => t(m.audit_partner_erased),
  'customer.erased': () => t(m.audit_customer_erased),
  'customer.merged': (d) => t(m.audit_customer_merged, pairOf(d)),
  'customer.merge_dismissed': (d) => t(m.audit_customer_merge_dismissed, pairOf(d)),
  'personal_data.exported': says(m.audit_personal_data_exported, 'person'),
  'list.exported': (d) => {
    const chosen = chosenIn(d.filter)
    const list = text(d.list)
    return chosen === null
      ? t(m.audit_list_exported, { list })
      : t(m.audit_chosen_exported, { list, chosen })
  },
  'statement.exported': says(m.audit_statement_exported, 'month'),
  'payout_year.exported': says(m.audit_payout_year_exported, 'year'),
  'link.added': says(m.audit_link_added, 'slug', 'email'),
  'link.released': says(m.audit_link_released, 'slug', 'email'),
  'note.added': says(m.audit_note_added, 'email'),
  'note.deleted': says(m.audit_note_deleted, 'email'),
  'coupon.added': says(m.audit_coupon_added, 'couponId', 'email'),
  'coupon.removed': says(m.audit_coupon_removed, 'couponId', 'email'),
  'commission.adjusted': says(m.audit_commission_adjusted, 'slug', 'amount', 'reason'),
  'commission.reversed': says(m.audit_commission_reversed, 'amount', 'slug', 'reason'),
  'event.credited': (d) =>
    d.slug === null
      ? t(m.audit_event_credited_nobody, {
          externalId: text(d.externalId),
          reason: text(d.reason),
        })
      : t(m.audit_event_credited, {
          slug: text(d.slug),
          externalId: text(d.externalId),
          reason: text(d.reason),
        }),
  'event.corrected': (d) =>
    t(m.audit_event_corrected, {
      what: d.clickAdded ? (d.customerAdded ? 'both' : 'click') : 'customer',
      externalId: text(d.externalId),
    }),
  'event.refunded': (d, amount) => {
    const about = { externalId: text(d.externalId), reason: text(d.reason) }
    return d.amountCents === null
      ? t(m.audit_event_refunded_in_full, about)
      : t(m.audit_event_refunded, { ...about, amount: amount(d) })
  },
  'commission.held': says(m.audit_commission_held, 'amount', 'slug', 'note'),
  'commission.released': says(m.audit_commission_released, 'amount', 'slug'),
  'commission.rejected': says(m.audit_commission_rejected, 'amount', 'slug'),
  'partners.imported': (d, amount) => {
    const results = tally([
      [d.created, m.audit_tally_created],
      [d.completed, m.audit_tally_completed],
      [d.skippedExisting, m.audit_tally_skipped],
      [d.errors, m.audit_tally_errors],
      [d.slugsRenamed, m.audit_tally_renamed],
      [d.couponsMapped, m.audit_tally_coupons],
    ])
    const options = [
      d.sendWelcomeEmail === true ? t(m.audit_emailed_new_partners) : '',
      // Entries of older versions have no sums.
      d.importOpeningBalances === true
        ? (openingBalances(d.openingBalances, amount) ?? t(m.audit_imported_opening_balances))
        : '',
    ].filter((words) => words && number(d.created) + number(d.completed) > 0)
    return [t(m.audit_partners_imported, { rows: number(d.rows), results }), ...options].join('; ')
  },
  'customers.imported': (d) =>
    t(m.audit_customers_imported, {
      rows: number(d.rows),
      results: tally([
        [d.created, m.audit_tally_created],
        [d.updated, m.audit_tally_updated],
        [d.moved, m.audit_tally_moved],
        [d.unchanged, m.audit_tally_unchanged],
        [d.errors, m.audit_tally_errors],
      ]),
    }),
  'import_source.started': (d) =>
    t(d.isContinued === true ? m.audit_import_source_continued : m.audit_import_source_started, {
      platform: text(d.platform),
      purpose: text(d.purpose),
    }),
  'import_source.removed': (d) =>
    d.wasRead === true
      ? t(m.audit_import_source_discarded, { platform: text(d.platform) })
      : t(m.audit_import_source_stopped, { platform: text(d.platform) }),
  'import.undone': (d, amount) => {
    const balances = { amountCents: d.amountCents, currency: 'USD' }
    const what = [
      tally([
        [d.partners, m.audit_tally_undone_partners],
        [d.customers, m.audit_tally_undone_customers],
      ]),
      number(d.balances) > 0 && t(m.audit_undone_balances, { amount: amount(balances) }),
    ].filter(Boolean)
    return t(m.audit_import_undone, { what: what.join(', ') || t(m.audit_undone_nothing) })
  },
  'payout_run.begun': (d) =>
    t(d.method === 'manual' ? m.audit_payout_run_begun_by_bank : m.audit_payout_run_begun),
  'payout_run.approval_requested': () => t(m.audit_payout_run_approval_requested),
  'payout_run.first_approved': () => t(m.audit_payout_run_first_approved),
  'payout_run.approved': () => t(m.audit_payout_run_approved),
  'payout_run.declined': () => t(m.audit_payout_run_declined),
  'payout_run.marked_paid': says(m.audit_payout_run_marked_paid, 'payouts'),
  'payout_run.unmarked': says(m.audit_payout_run_unmarked, 'payouts'),
  'payout_run.confirmed': says(m.audit_payout_run_confirmed, 'payouts'),
  'payout_run.canceled': says(m.audit_payout_run_canceled, 'payouts'),
  'payout_run.review_ended': says(m.audit_payout_run_review_ended, 'payouts'),
  'payout_run.exported': (d) =>
    d.format === 'csv'
      ? t(m.audit_payout_run_list_exported, { payouts: payouts(d) })
      : t(m.audit_payout_run_file_exported, {
          format: text(d.format),
          currency: text(d.currency),
          payouts: payouts(d),
        }),
  'payee.changed': (d) => t(d.selfBilling === true ? m.audit_payee_agreed : m.audit_payee_changed),
  'payment_details.changed': (d) => {
    const method = METHODS[text(d.method)]
    return method
      ? t(m.audit_payment_details_changed, {
          method: typeof method === 'string' ? method : t(method),
        })
      : t(m.audit_payment_details_changed_otherwise)
  },
  'payment_details.canceled': () => t(m.audit_payment_details_canceled),
  'payer.changed': says(m.audit_payer_changed, 'name'),
  'payout_account.connected': says(m.audit_payout_account_connected, 'stripeAccountId'),
  'payout_account.changed': says(m.audit_payout_account_changed, 'stripeAccountId'),
  'payout_account.confirmed': says(m.audit_payout_account_confirmed, 'stripeAccountId'),
  'payout_account.disconnected': (d) =>
    t(m.audit_payout_account_disconnected, {
      stripeAccountId: text(d.stripeAccountId),
    }).trimEnd(),
  'payout.reversed': (d, amount) =>
    t(m.audit_payout_reversed, {
      reversed: amount({ ...d, amountCents: d.reversedCents }),
      amount: amount(d),
    }),
  'payout.released': says(m.audit_payout_released, 'amount'),
  'payout.returned': says(m.audit_payout_returned, 'amount', 'reason'),
  'payout.canceled': says(m.audit_payout_canceled, 'amount'),
  'payout.resolved': (d, amount) =>
    t(d.outcome === 'sent' ? m.audit_payout_resolved_sent : m.audit_payout_resolved_not_sent, {
      amount: amount(d),
      reason: text(d.reason),
    }),
  'payout.adopted': (d, amount) =>
    t(d.isDeducted ? m.audit_payout_adopted_deducted : m.audit_payout_adopted, {
      transferId: text(d.transferId),
      amount: amount(d),
    }),
  'payout.found_sent': says(m.audit_payout_found_sent, 'transferId', 'amount'),
  'mail.retried': says(m.audit_mail_retried, 'recipient'),
  'mail_text.changed': (d) => t(m.audit_mail_text_changed, { label: mailLabel(text(d.kind)) }),
  'stripe_secret.added': says(m.audit_stripe_secret_added, 'last4'),
  'stripe_secret.removed': says(m.audit_stripe_secret_removed, 'last4'),
  'stripe_key.added': says(m.audit_stripe_key_added, 'last4'),
  'stripe_key.removed': says(m.audit_stripe_key_removed, 'last4'),
  'webhook_endpoint.created': says(m.audit_webhook_endpoint_created, 'host'),
  'webhook_endpoint.changed': () => t(m.audit_webhook_endpoint_changed),
  'webhook_endpoint.removed': says(m.audit_webhook_endpoint_removed, 'host'),
  'webhook_endpoint.secret_rotated': says(m.audit_webhook_endpoint_secret_rotated, 'host'),
  'webhook_endpoint.resent': (d) =>
    t(m.audit_webhook_endpoint_resent, { resent: number(d.resent) }),
}

/**
 * An entry as text, such as "imported 500 partners: 412 created, 88 skipped".
 * @param money formats its amounts
 */
export const describeAction = (
  { action, details }: { action: string; details: Details },
  money: MoneyFormat = formatMoney,
): string =>
  Object.hasOwn(ACTIONS, action)
    ? ACTIONS[action as AuditAction](details, ({ amountCents, currency }) =>
        money(number(amountCents), text(currency)),
      )
    : action
