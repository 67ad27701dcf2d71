/** The audit log in words: what somebody did, to be read after who did it. */

import { counted } from '../plural.ts'
import type { RewardResponse } from '../tracking/rewards.responses.ts'
import type { AuditAction } from '../workspace/audit.queries.ts'
import { rewardResponseWords } from './reward-fields.tsx'

type Details = Record<string, unknown>

/** A detail as text. Entries are kept for ever, so what they hold may be from before the present code. */
const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

const quoted = (value: unknown): string => `“${text(value)}”`

const number = (value: unknown): number => (typeof value === 'number' ? value : 0)

/** Those of some numbers that are not nothing, each with its words. */
const tally = (numbers: [value: unknown, words: string][]): string =>
  numbers
    .filter(([value]) => number(value) > 0)
    .map(([value, words]) => `${number(value).toLocaleString('en')} ${words}`)
    .join(', ')

/** What is found in the details of a change, as people call it. */
const FIELDS: Record<string, string> = {
  name: 'name',
  group: 'group',
  status: 'status',
  role: 'role',
  siteUrl: 'site',
  reward: 'reward',
  rewardInterval: 'interval',
  rewardDurationMonths: 'months of reward',
  holdingDays: 'holding days',
  attributionDays: 'attribution days',
  attribution: 'attribution',
  attributeKnownCustomers: 'crediting of known customers',
  minimumPayoutCents: 'minimum payout',
  payoutSchedule: 'payout schedule',
  saleReward: 'sale reward',
  leadReward: 'lead reward',
}

/** A reward, as `diff` logs it. */
const isReward = (value: object): value is RewardResponse => 'percent' in value || 'amountCents' in value

/** A value of a field, old or new. */
const valueWords = (field: string, value: unknown): string => {
  if (value === null || value === undefined) return 'none'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (field === 'payoutSchedule') return text(value).replace('_', ' ')
  if (typeof value === 'object')
    return isReward(value)
      ? rewardResponseWords(value, field === 'leadReward' ? 'lead' : 'sale')
      : JSON.stringify(value)
  return text(value)
}

/** "name from “A” to “B”, role to manager": every detail that says from what to what. */
const changes = (details: Details): string =>
  Object.entries(details)
    .flatMap(([field, change]) => {
      if (typeof change !== 'object' || change === null || !('from' in change && 'to' in change)) return []
      return `${FIELDS[field] ?? field} from ${valueWords(field, change.from)} to ${valueWords(field, change.to)}`
    })
    .join(', ')

/** How much a run is about. */
const payouts = (details: Details): string => counted(number(details.payouts), 'payout')

const WORDS: Record<AuditAction, (details: Details) => string> = {
  'workspace.created': (d) => `created the workspace ${quoted(d.name)}`,
  'member.invited': (d) => `invited ${text(d.email)} as ${text(d.role)}`,
  'member.changed': (d) => `changed ${text(d.email)}: ${changes(d)}`,
  'member.removed': (d) => `removed the ${text(d.role)} ${text(d.email)}`,
  'api_key.created': (d) => `created the API key ${quoted(d.name)}`,
  'api_key.revoked': (d) => `revoked the API key ${quoted(d.name)}`,
  'program.created': (d) => `created the program ${quoted(d.name)}`,
  'program.changed': (d) => `changed a program: ${changes(d)}`,
  'group.created': (d) => `created the group ${quoted(d.name)}`,
  'group.changed': (d) => `changed a group: ${changes(d)}`,
  'partner.changed': (d) => `changed the partner ${text(d.email)}: ${changes(d)}`,
  'coupon.added': (d) => `gave the coupon ${quoted(d.couponId)} to ${text(d.email)}`,
  'coupon.removed': (d) => `took the coupon ${quoted(d.couponId)} from ${text(d.email)}`,
  'partners.imported': (d) => {
    const results = tally([
      [d.created, 'new'],
      [d.skippedExisting, 'already there'],
      [d.errors, 'with errors'],
      [d.slugsRenamed, 'with another slug'],
      [d.couponsMapped, 'with a coupon'],
    ])
    const options = [
      d.sendWelcomeEmail === true ? 'with mails to the new' : '',
      d.importOpeningBalances === true ? 'with their opening balances' : '',
    ].filter((words) => words && number(d.created) > 0)
    return [`imported ${counted(number(d.rows), 'partner')}: ${results}`, ...options].join('; ')
  },
  'customers.imported': (d) =>
    `imported ${counted(number(d.rows), 'customer')}: ${tally([
      [d.created, 'new'],
      [d.updated, 'moved or updated'],
      [d.unchanged, 'already so'],
      [d.errors, 'with errors'],
    ])}`,
  'payout_run.begun': (d) => `began a payout run ${d.method === 'manual' ? 'by bank' : 'by Stripe'}`,
  'payout_run.marked_paid': (d) => `marked a payout run as paid by bank: ${payouts(d)}`,
  'payout_run.unmarked': (d) => `took back that a payout run is paid: ${payouts(d)}`,
  'payout_run.confirmed': (d) => `confirmed that a payout run is paid: ${payouts(d)}`,
  'payout_run.canceled': (d) => `canceled a payout run: ${payouts(d)}`,
  'mail.retried': (d) => `had the mail to ${text(d.recipient)} sent again`,
  'stripe_secret.added': (d) => `added the signing secret of Stripe that ends in ${text(d.last4)}`,
  'stripe_secret.removed': (d) => `removed the signing secret of Stripe that ended in ${text(d.last4)}`,
  'stripe_key.added': (d) => `set the key of Stripe that ends in ${text(d.last4)}, to pay partners with`,
  'stripe_key.removed': (d) => `removed the key of Stripe that ended in ${text(d.last4)}`,
}

/** What an entry says, such as "imported 500 partners: 412 new, 88 already there". */
export const auditWords = ({ action, details }: { action: string; details: Details }): string =>
  Object.hasOwn(WORDS, action) ? WORDS[action as AuditAction](details) : action
