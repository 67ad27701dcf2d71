import { expect, test } from 'vitest'
import { describeAction } from '../../lib/pages/audit/audit-words.ts'

const email = 'ann@x.example'
const imported = {
  rows: 500,
  created: 412,
  skippedExisting: 31,
  errors: 57,
  slugsRenamed: 4,
  couponsMapped: 0,
}

test.each([
  ['workspace.created', { name: 'Shop', slug: 'shop' }, 'created the workspace “Shop”'],
  ['workspace.trusted', {}, 'lifted the limits of emails to people who have never signed in'],
  [
    'workspace.changed',
    { manualPayouts: { from: false, to: true } },
    'changed the settings: bank transfers from off to on',
  ],
  ['member.invited', { email, role: 'member' }, 'invited ann@x.example as member'],
  [
    'member.changed',
    { email, role: { from: 'member', to: 'manager' } },
    'changed ann@x.example: role from member to manager',
  ],
  [
    'commission.reversed',
    { amountCents: 300, currency: 'USD', slug: 'maya', reason: 'Ours', externalId: 'r' },
    'reversed 3.00 USD of a commission of “maya”: Ours',
  ],
  [
    'event.credited',
    { externalId: 'inv_1', slug: 'maya', reason: 'Told us on the phone', customer: false },
    'credited “maya” with “inv_1”: Told us on the phone',
  ],
  [
    'event.credited',
    { externalId: 'inv_1', slug: null, reason: 'Our own test', customer: false },
    'decided that nobody is credited with “inv_1”: Our own test',
  ],
  [
    'event.refunded',
    { externalId: 'inv_1', amountCents: 300, currency: 'USD', reason: 'Returned' },
    'recorded a refund of 3.00 USD of the sale “inv_1”: Returned',
  ],
  [
    'event.refunded',
    { externalId: 'in_1', amountCents: null, currency: 'USD', reason: 'Returned' },
    'recorded a refund of all that was left of the sale “in_1”: Returned',
  ],
  ['list.exported', { list: 'events', filter: {} }, 'downloaded the list of events'],
  ['member.removed', { email, role: 'member' }, 'removed the member ann@x.example'],
  ['api_key.created', { name: 'Checkout' }, 'created the API key “Checkout”'],
  ['api_key.rotated', { name: 'Checkout', overlapHours: 24 }, 'rotated the API key “Checkout”'],
  ['api_key.revoked', { name: 'Checkout' }, 'revoked the API key “Checkout”'],
  ['program.created', { name: 'Friends' }, 'created the program “Friends”'],
  [
    'program.changed',
    {
      reward: {
        from: { kind: 'percent', percent: 20.5 },
        to: { kind: 'flat', amountCents: 500, currency: 'EUR' },
      },
      attributeKnownCustomers: { from: false, to: true },
      trustedAttribution: { from: false, to: true },
      rewardDurationMonths: { from: 12, to: null },
    },
    'changed a program: reward from 20.5% of each sale to 5.00 EUR for each sale, credit for known customers from off to on, partners named in reports from off to on, reward duration from 12 to none',
  ],
  [
    'program.changed',
    { payoutSchedule: { from: 'manual', to: 'twice_monthly' } },
    'changed a program: payout schedule from manual to twice monthly',
  ],
  [
    'partners.imported',
    {
      ...imported,
      importOpeningBalances: true,
      openingBalances: { count: 402, sums: [{ currency: 'USD', amountCents: 1_234_500 }] },
    },
    'imported 500 partners: 412 created, 31 skipped, 57 with errors, 4 with a changed slug; 402 opening balances of 12,345.00 USD',
  ],
  [
    'payout_account.changed',
    { stripeAccountId: 'acct_2', heldUntil: '2026-11-25T10:00:00Z' },
    'connected the Stripe account acct_2 in place of another one; payouts to it wait for 72 hours, or until it is confirmed by email',
  ],
  [
    'payout_account.confirmed',
    { stripeAccountId: 'acct_2' },
    'confirmed the Stripe account acct_2 by email',
  ],
  [
    'member.signed_in',
    { role: 'manager', browser: 'Firefox on Windows' },
    'signed in with Firefox on Windows',
  ],
  ['member.passkey_added', { email: 'ann@example.com' }, 'added a passkey of ann@example.com'],
  ['member.passkey_removed', { email: 'ann@example.com' }, 'removed a passkey of ann@example.com'],
  ['personal_data.exported', { person: 'customer' }, 'downloaded the personal data of a customer'],
  ['statement.exported', { month: '2026-10' }, 'downloaded a partner’s statement of 2026-10'],
  ['payout_year.exported', { year: 2026 }, 'downloaded who was paid what in 2026'],
  [
    'payout_run.exported',
    { format: 'csv', payouts: 12 },
    'downloaded the list of a payout run: 12 payouts',
  ],
  ['payout_run.marked_paid', { payouts: 2 }, 'marked a payout run as paid: 2 payouts'],
  ['payout_run.unmarked', { payouts: 1 }, 'marked a payout run as unpaid: 1 payout'],
  ['payout_run.confirmed', { payouts: 1_200 }, 'confirmed a payout run: 1,200 payouts'],
  [
    'payout_run.exported',
    { format: 'sepa', currency: 'EUR', part: 1, payouts: 12 },
    'downloaded a file of partners’ payment details (sepa, EUR): 12 payouts',
  ],
  [
    'payee.changed',
    { selfBilling: true },
    'entered the details for invoices, and agreed to invoices in their name',
  ],
  ['payment_details.changed', { method: 'iban' }, 'chose to be paid by bank transfer'],
  ['payment_details.canceled', {}, 'canceled a change of payment details'],
  [
    'payer.changed',
    { name: 'Shop Ltd', iban: 'DE••• 3000' },
    'changed the business details of “Shop Ltd”',
  ],
  ['payout_run.canceled', { payouts: 0 }, 'canceled a payout run: 0 payouts'],
  [
    'payout.reversed',
    { transferId: 'tr_1', reversedCents: 1_200, amountCents: 4_900, currency: 'USD' },
    'reported that 12.00 USD of a payout of 49.00 USD was reversed',
  ],
  [
    'payout.released',
    { amountCents: 4_900, currency: 'USD' },
    'released the commissions of a reversed payout of 49.00 USD',
  ],
  [
    'payout.returned',
    { amountCents: 4_900, currency: 'USD', reason: 'The account is closed.' },
    'marked a payout of 49.00 USD as returned by the bank: The account is closed.',
  ],
  [
    'payout.resolved',
    { amountCents: 4_900, currency: 'USD', outcome: 'not_sent', reason: 'Stripe says so.' },
    'marked a payout of 49.00 USD as not sent, without Stripe: Stripe says so.',
  ],
  [
    'payout.found_sent',
    { amountCents: 4_900, currency: 'USD', transferId: 'tr_1' },
    'reported the transfer tr_1, which should not exist, of a payout of 49.00 USD',
  ],
  [
    'payout.adopted',
    { amountCents: 4_900, currency: 'USD', transferId: 'tr_1', isDeducted: true },
    'reported the transfer tr_1 of 49.00 USD, which was unknown: it is a payout now, and deducted from what the partner is owed',
  ],
  ['group.created', { name: 'Gold' }, 'created the group “Gold”'],
  [
    'group.changed',
    {
      name: { from: 'Gold', to: 'Silver' },
      leadReward: { from: null, to: { kind: 'flat', amountCents: 300, currency: 'USD' } },
    },
    'changed a group: name from Gold to Silver, lead reward from none to 3.00 USD for each lead',
  ],
  [
    'join_page.changed',
    { isOpen: true, questions: 0 },
    'changed the page on which people apply, which is open',
  ],
  ['join_page.changed', { agreement: true }, 'changed the page on which people apply'],
  [
    'partner.created',
    { email, slug: 'ann' },
    'added the partner ann@x.example with the slug “ann”',
  ],
  [
    'partner.changed',
    { email, group: { from: null, to: 'Gold' }, status: { from: 'approved', to: 'banned' } },
    'changed the partner ann@x.example: group from none to Gold, status from approved to banned',
  ],
  [
    'coupon.added',
    { email, couponId: 'C1', couponLabel: null },
    'added the coupon “C1” to ann@x.example',
  ],
  [
    'coupon.removed',
    { email, couponId: 'C1', couponLabel: null },
    'removed the coupon “C1” from ann@x.example',
  ],
  [
    'partners.imported',
    { ...imported, sendWelcomeEmail: true, importOpeningBalances: false },
    'imported 500 partners: 412 created, 31 skipped, 57 with errors, 4 with a changed slug; emailed new partners',
  ],
  [
    'customers.imported',
    { rows: 1_000, created: 997, updated: 2, moved: 1, unchanged: 1, errors: 0 },
    'imported 1,000 customers: 997 created, 2 updated, 1 of these moved from another partner, 1 unchanged',
  ],
  ['import_source.started', { platform: 'rewardful' }, 'started to read rewardful by its API'],
  [
    'import_source.started',
    { platform: 'dub', purpose: 'shadow', isContinued: true },
    'continued to read dub by its API for a shadow run',
  ],
  [
    'import_source.removed',
    { platform: 'rewardful', wasRead: true },
    'discarded what was read from rewardful',
  ],
  ['import_source.removed', { platform: 'tolt', wasRead: false }, 'stopped reading tolt'],
  ['stripe_secret.added', { last4: 'a1B2' }, 'added the Stripe signing secret ending in a1B2'],
  ['stripe_secret.removed', { last4: 'a1B2' }, 'removed the Stripe signing secret ending in a1B2'],
  ['mail.retried', { recipient: email, kind: 'moved' }, 'resent the email to ann@x.example'],
])('%s reads as a sentence', (action, details, words) => {
  expect(describeAction({ action, details })).toBe(words)
})

test.each([
  ['an action of other times', { action: 'moon.landed', details: {} }, 'moon.landed'],
  ['a name that objects have', { action: 'constructor', details: {} }, 'constructor'],
  ['details that are gone', { action: 'coupon.added', details: {} }, 'added the coupon “” to '],
])('%s is handled', (_case, entry, words) => {
  expect(describeAction(entry)).toBe(words)
})
