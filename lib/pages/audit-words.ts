/** Audit entries as text, which follows the name of the actor. */

import { inEnglish } from '../languages/message.ts'
import { formatMoney, type MoneyFormat } from '../money.ts'
import { counted } from '../plural.ts'
import type { RewardResponse } from '../tracking/rewards.responses.ts'
import type { AuditAction } from '../workspace/audit.queries.ts'
import { mailLabel } from './mail-labels.ts'
import { rewardResponseWords } from './reward-fields.tsx'

type Details = Record<string, unknown>

/** A detail as text. An entry may have been written by older code, so its details can have any type. */
const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

const quoted = (value: unknown): string => `“${text(value)}”`

const number = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** The positive counts, each with its label. */
const tally = (numbers: [value: unknown, words: string][]): string =>
  numbers
    .filter(([value]) => number(value) > 0)
    .map(([value, words]) => `${number(value).toLocaleString('en')} ${words}`)
    .join(', ')

/** How many rows of a list were chosen; blank if they were filtered. */
const chosenWords = (filter: unknown): string =>
  typeof filter === 'object' && filter !== null && 'chosen' in filter ? `: ${text(filter.chosen)} chosen` : ''

/** The forms of links that were confirmed, or not. */
const formsIn = ({ forms }: Details): string =>
  Object.entries(Object(forms))
    .map(([form, works]) => `${form}: ${works === true ? 'yes' : 'no'}`)
    .join(', ')

/** The names of changed fields. */
const FIELDS: Record<string, string> = {
  name: 'name',
  salesFrom: 'who reports sales',
  paypalPayouts: 'PayPal for partners',
  wisePayouts: 'Wise for partners',
  ibanPayouts: 'IBANs of partners',
  requireDocuments: 'documents required',
  selfBilling: 'self-billed invoices',
  documentsReceived: 'documents received',
  group: 'group',
  status: 'status',
  role: 'role',
  siteUrl: 'site',
  reward: 'reward',
  rewardInterval: 'interval',
  rewardDurationMonths: 'reward duration',
  oneTimeMinimumCents: 'smallest sale for a one-time reward',
  rewardShipping: 'reward for shipping',
  creditOutOfBand: 'credit for invoices paid outside Stripe',
  holdingDays: 'holding days',
  netDays: 'net terms',
  attributionDays: 'attribution days',
  attribution: 'attribution',
  attributeKnownCustomers: 'credit for known customers',
  lateLeadDays: 'days for a late lead',
  trustedAttribution: 'partners named in reports',
  selfReferrals: 'partners’ own purchases',
  minimumPayoutCents: 'minimum payout',
  payoutSchedule: 'payout schedule',
  payoutDays: 'payout days',
  reviewDays: 'review days',
  logoUrl: 'logo',
  accentColor: 'accent color',
  supportEmail: 'support address',
  saleReward: 'sale reward',
  leadReward: 'lead reward',
  payoutMails: 'emails about payouts',
  manualPayouts: 'bank transfers',
  payoutOrder: 'who is paid first',
  approvalAboveCents: 'approval of payout runs above',
}

/** A reward, as `diff` logs it. */
const isReward = (value: object): value is RewardResponse => 'percent' in value || 'amountCents' in value

/** The old or new value of a field. */
const describeValue = (field: string, value: unknown): string => {
  if (value === null || value === undefined) return 'none'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (field === 'payoutDays' && Array.isArray(value)) return value.join(' and ') || 'none'
  if (field === 'payoutSchedule' || field === 'payoutOrder') return text(value).replace('_', ' ')
  if (typeof value === 'object')
    return isReward(value)
      ? rewardResponseWords(value, field === 'leadReward' ? 'lead' : 'sale', inEnglish)
      : JSON.stringify(value)
  return text(value)
}

/** The changed fields, such as "name from A to B, role from member to manager". */
const changes = (details: Details): string =>
  Object.entries(details)
    .flatMap(([field, change]) => {
      if (typeof change !== 'object' || change === null || !('from' in change && 'to' in change)) return []
      return `${FIELDS[field] ?? field} from ${describeValue(field, change.from)} to ${describeValue(field, change.to)}`
    })
    .join(', ')

/** The number of payouts in a run. */
const payouts = (details: Details): string => counted(number(details.payouts), 'payout')

/** Opening balances, as an import logs them: "412 opening balances of 12,345.00 USD". */
const openingBalances = (logged: unknown, amount: (of: Details) => string): string | undefined => {
  const { count, sums } = (logged ?? {}) as Details
  if (!Array.isArray(sums)) return undefined
  return `${counted(number(count), 'opening balance')} of ${sums.map(amount).join(' and ')}`
}

/** Payment methods of partners. */
const METHODS: Record<string, string> = {
  stripe: 'Stripe',
  paypal: 'PayPal',
  wise: 'Wise',
  iban: 'bank transfer',
}

const ACTIONS: Record<AuditAction, (details: Details, amount: (of: Details) => string) => string> = {
  'workspace.created': (d) => `created the workspace ${quoted(d.name)}`,
  'workspace.trusted': () => 'lifted the limits of emails to people who have never signed in',
  'workspace.deletion_scheduled': (d) => `scheduled the deletion of the workspace for ${text(d.day)}`,
  'workspace.deletion_canceled': () => 'canceled the deletion of the workspace',
  'workspace.deletion_called_off': () =>
    'called off the deletion of the workspace, because partners have earned something since',
  'workspace.changed': (d) => `changed the settings: ${changes(d)}`,
  'member.signed_in': (d) => `signed in${d.browser ? ` with ${text(d.browser)}` : ''}`,
  'member.invited': (d) => `invited ${text(d.email)} as ${text(d.role)}`,
  'member.changed': (d) => `changed ${text(d.email)}: ${changes(d)}`,
  'member.removed': (d) => `removed the ${text(d.role)} ${text(d.email)}`,
  'member.recovered': (d) => `made ${text(d.email)} a manager, to recover the workspace`,
  'member.address_changed': (d) => `changed the address of the member ${text(d.from)} to ${text(d.to)}`,
  'api_key.created': (d) => `created the API key ${quoted(d.name)}`,
  'api_key.rotated': (d) => `rotated the API key ${quoted(d.name)}`,
  'api_key.revoked': (d) => `revoked the API key ${quoted(d.name)}`,
  'program.created': (d) => `created the program ${quoted(d.name)}`,
  'program.changed': (d) => `changed a program: ${changes(d)}`,
  'program.shadow_started': () => 'started a shadow run of a program',
  'program.commissions_uploaded': (d) =>
    `uploaded ${counted(number(d.rows), 'commission')} of another platform for a shadow run`,
  'program.cut_over': (d) =>
    `cut a program over from its shadow run, with ${counted(number(d.balances), 'opening balance', 'opening balances')}`,
  'group.created': (d) => `created the group ${quoted(d.name)}`,
  'group.changed': (d) => `changed a group: ${changes(d)}`,
  'join_page.changed': (d) =>
    `changed the page on which people apply${d.isOpen === undefined ? '' : `, which is ${d.isOpen ? 'open' : 'closed'}`}`,
  'program.links_confirmed': (d) => `said whether links of the earlier platform still work: ${formsIn(d)}`,
  'brand.support_confirmed': () =>
    'confirmed the support address of a program: replies to its emails go there',
  'brand.changed': (d) => `changed the branding of a program: ${changes(d)}`,
  'application.invited': (d) => `invited ${counted(number(d.invited), 'person', 'people')} to be partners`,
  'application.approved': (d) => `approved the application of ${text(d.email)}`,
  'application.rejected': (d) =>
    `rejected the application of ${text(d.email)}${d.blocks ? ' for good' : ''}${d.reason ? `: ${text(d.reason)}` : ''}`,
  'application.deleted': () => 'deleted an application',
  'partner.created': (d) => `added the partner ${text(d.email)} with the slug ${quoted(d.slug)}`,
  'partner.changed': (d) => `changed the partner ${text(d.email)}: ${changes(d)}`,
  'partner.address_changed': (d) => `changed the partner’s address from ${text(d.from)} to ${text(d.to)}`,
  'partner.unsubscribed': () => 'unsubscribed from messages, invitations and news of a move',
  'partner.subscribed': () => 'subscribed to messages, invitations and news of a move again',
  'partners.mailed': (d) => `sent ${quoted(d.subject)} to ${counted(number(d.recipients), 'partner')}`,
  'partner.erased': () => 'erased the personal data of a partner',
  'customer.erased': () => 'erased the personal data of a customer',
  'personal_data.exported': (d) => `downloaded the personal data of a ${text(d.person)}`,
  'list.exported': (d) => `downloaded the list of ${text(d.list)}${chosenWords(d.filter)}`,
  'statement.exported': (d) => `downloaded a partner’s statement of ${text(d.month)}`,
  'payout_year.exported': (d) => `downloaded who was paid what in ${text(d.year)}`,
  'link.added': (d) => `added the link ${quoted(d.slug)} to ${text(d.email)}`,
  'link.released': (d) => `released the link ${quoted(d.slug)} of ${text(d.email)}`,
  'note.added': (d) => `wrote a note about ${text(d.email)}`,
  'note.deleted': (d) => `deleted a note about ${text(d.email)}`,
  'coupon.added': (d) => `added the coupon ${quoted(d.couponId)} to ${text(d.email)}`,
  'coupon.removed': (d) => `removed the coupon ${quoted(d.couponId)} from ${text(d.email)}`,
  'commission.adjusted': (d, amount) =>
    `adjusted the earnings of ${quoted(d.slug)} by ${amount(d)}: ${text(d.reason)}`,
  'commission.reversed': (d, amount) =>
    `reversed ${amount(d)} of a commission of ${quoted(d.slug)}: ${text(d.reason)}`,
  'event.credited': (d) =>
    d.slug === null
      ? `decided that nobody is credited with ${quoted(d.externalId)}: ${text(d.reason)}`
      : `credited ${quoted(d.slug)} with ${quoted(d.externalId)}: ${text(d.reason)}`,
  'event.corrected': (d) =>
    `added ${[...(d.clickAdded ? ['a click'] : []), ...(d.customerAdded ? ['a customer ID'] : [])].join(' and ')} to the sale ${quoted(d.externalId)}`,
  'event.refunded': (d, amount) =>
    `recorded a refund of ${d.amountCents === null ? 'all that was left' : amount(d)} of the sale ${quoted(d.externalId)}: ${text(d.reason)}`,
  'commission.held': (d, amount) => `held a commission of ${amount(d)} of ${quoted(d.slug)}: ${text(d.note)}`,
  'commission.released': (d, amount) => `released a held commission of ${amount(d)} of ${quoted(d.slug)}`,
  'commission.rejected': (d, amount) => `rejected a held commission of ${amount(d)} of ${quoted(d.slug)}`,
  'partners.imported': (d, amount) => {
    const results = tally([
      [d.created, 'created'],
      [d.completed, 'given an opening balance'],
      [d.skippedExisting, 'skipped'],
      [d.errors, 'with errors'],
      [d.slugsRenamed, 'with a changed slug'],
      [d.couponsMapped, 'with a coupon'],
    ])
    const options = [
      d.sendWelcomeEmail === true ? 'emailed new partners' : '',
      // Entries of an older version have no sums.
      d.importOpeningBalances === true
        ? (openingBalances(d.openingBalances, amount) ?? 'imported opening balances')
        : '',
    ].filter((words) => words && number(d.created) + number(d.completed) > 0)
    return [`imported ${counted(number(d.rows), 'partner')}: ${results}`, ...options].join('; ')
  },
  'customers.imported': (d) =>
    `imported ${counted(number(d.rows), 'customer')}: ${tally([
      [d.created, 'created'],
      [d.updated, 'updated'],
      [d.moved, 'moved from another partner'],
      [d.unchanged, 'unchanged'],
      [d.errors, 'with errors'],
    ])}`,
  'import_source.started': (d) =>
    `${d.isContinued === true ? 'continued' : 'started'} to read ${text(d.platform)} by its API${d.purpose === 'shadow' ? ' for a shadow run' : ''}`,
  'import_source.removed': (d) =>
    d.wasRead === true
      ? `discarded what was read from ${text(d.platform)}`
      : `stopped reading ${text(d.platform)}`,
  'import.undone': (d, amount) =>
    `undid an import: ${
      [
        tally([
          [d.partners, 'partners'],
          [d.customers, 'customers'],
        ]),
        number(d.balances) > 0 &&
          `opening balances of ${amount({ amountCents: d.amountCents, currency: 'USD' })}`,
      ]
        .filter(Boolean)
        .join(', ') || 'nothing'
    }`,
  'payout_run.begun': (d) =>
    `started a payout run ${d.method === 'manual' ? 'by bank transfer' : 'with Stripe'}`,
  'payout_run.approval_requested': () => 'requested approval of a payout run',
  'payout_run.approved': () => 'approved a payout run',
  'payout_run.declined': () => 'declined a payout run',
  'payout_run.marked_paid': (d) => `marked a payout run as paid: ${payouts(d)}`,
  'payout_run.unmarked': (d) => `marked a payout run as unpaid: ${payouts(d)}`,
  'payout_run.confirmed': (d) => `confirmed a payout run: ${payouts(d)}`,
  'payout_run.canceled': (d) => `canceled a payout run: ${payouts(d)}`,
  'payout_run.review_ended': (d) => `ended the review of a payout run: ${payouts(d)}`,
  'payout_run.exported': (d) =>
    d.format === 'csv'
      ? `downloaded the list of a payout run: ${payouts(d)}`
      : `downloaded a file of partners’ payment details (${text(d.format)}, ${text(d.currency)}): ${payouts(d)}`,
  'payee.changed': (d) =>
    `entered the details for invoices, ${d.selfBilling === true ? 'and agreed to invoices in their name' : 'without agreeing to invoices'}`,
  'payment_details.changed': (d) => `chose to be paid by ${METHODS[text(d.method)] ?? 'another method'}`,
  'payment_details.canceled': () => 'canceled a change of payment details',
  'payer.changed': (d) => `changed the business details of ${quoted(d.name)}`,
  'payout_account.connected': (d) => `connected the Stripe account ${text(d.stripeAccountId)}`,
  'payout_account.changed': (d) =>
    `connected the Stripe account ${text(d.stripeAccountId)} in place of another one; payouts to it wait for 72 hours, or until it is confirmed by email`,
  'payout_account.confirmed': (d) => `confirmed the Stripe account ${text(d.stripeAccountId)} by email`,
  'payout_account.disconnected': (d) =>
    `disconnected the Stripe account ${text(d.stripeAccountId)}`.trimEnd(),
  'payout.reversed': (d, amount) =>
    `reported that ${amount({ ...d, amountCents: d.reversedCents })} of a payout of ${amount(d)} was reversed`,
  'payout.released': (d, amount) => `released the commissions of a reversed payout of ${amount(d)}`,
  'payout.returned': (d, amount) =>
    `marked a payout of ${amount(d)} as returned by the bank: ${text(d.reason)}`,
  'payout.canceled': (d, amount) => `canceled a payout of ${amount(d)}`,
  'payout.resolved': (d, amount) =>
    `marked a payout of ${amount(d)} as ${d.outcome === 'sent' ? 'sent' : 'not sent'}, without Stripe: ${text(d.reason)}`,
  'payout.found_sent': (d, amount) =>
    `reported the transfer ${text(d.transferId)} of a payout of ${amount(d)} that was marked as not sent`,
  'mail.retried': (d) => `resent the email to ${text(d.recipient)}`,
  'mail_text.changed': (d) => `changed the text of the email ${quoted(mailLabel(text(d.kind)))}`,
  'stripe_secret.added': (d) => `added the Stripe signing secret ending in ${text(d.last4)}`,
  'stripe_secret.removed': (d) => `removed the Stripe signing secret ending in ${text(d.last4)}`,
  'stripe_key.added': (d) => `saved the Stripe key ending in ${text(d.last4)}`,
  'stripe_key.removed': (d) => `removed the Stripe key ending in ${text(d.last4)}`,
  'webhook_endpoint.created': (d) => `added a webhook endpoint at ${text(d.host)}`,
  'webhook_endpoint.changed': () => 'changed a webhook endpoint',
  'webhook_endpoint.removed': (d) => `removed the webhook endpoint at ${text(d.host)}`,
  'webhook_endpoint.secret_rotated': (d) => `rotated the secret of the webhook endpoint at ${text(d.host)}`,
  'webhook_endpoint.resent': (d) => `resent ${counted(number(d.resent), 'webhook')}`,
}

/** An entry as text, such as "imported 500 partners: 412 created, 88 skipped". @param money formats its amounts */
export const describeAction = (
  { action, details }: { action: string; details: Details },
  money: MoneyFormat = formatMoney,
): string =>
  Object.hasOwn(ACTIONS, action)
    ? ACTIONS[action as AuditAction](details, ({ amountCents, currency }) =>
        money(number(amountCents), text(currency)),
      )
    : action
