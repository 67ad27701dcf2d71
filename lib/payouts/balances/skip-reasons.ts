import type { SkipCode } from '../payouts.ts'

/** Why a run skips a balance, and what happens to it. */
export const SKIP_REASONS: Record<SkipCode, string> = {
  program_in_shadow:
    'The program runs in shadow mode: another platform pays its partners until the cut-over.',
  documents_missing: 'Documents are not marked as received.',
  other_method: 'Chose PayPal, Wise or an IBAN. Pay with a run by bank transfer.',
  not_connected:
    'Has not connected a Stripe account. Partners are emailed about this, and reminded.',
  account_changed:
    'Connected another Stripe account within the last 72 hours, and has not confirmed it by email yet. A later run pays it.',
  account_new:
    'Connected a Stripe account within the last 72 hours, and most of the balance was made by hand. A later run pays it.',
  account_in_review: 'Stripe is reviewing the partner’s account. Nobody needs to do anything.',
  account_restricted:
    'Stripe needs more information from the partner, who gives it from the portal. Partners are emailed about this, and reminded.',
  test_partner: 'The program’s test partner, which is never paid.',
  partner_banned: 'Banned.',
  below_minimum: 'Below the program’s minimum payout.',
  negative_balance:
    'Reversals and deductions exceed earnings. The partner owes this, which is deducted from later earnings.',
  excluded: 'Left out of this run.',
  over_maximum: 'Above the maximum of this run. A later run pays it.',
  country_not_supported:
    'Stripe does not transfer from your country to the partner’s. Pay with a run by bank transfer.',
  amount_too_small: 'Stripe refused an amount this small. It is paid with later earnings.',
  amount_too_fine:
    'Stripe transfers this currency in larger units. It waits until the balance is a whole number of them: adjust it, or pay by bank transfer.',
  insufficient_funds: 'Not covered by your Stripe balance. Top it up, or a later run pays it.',
}
