/** The amounts that Stripe can transfer. */

/**
 * The steps of amounts, in minor units of ISO 4217, where they are not 1. Stripe's last digit of a
 * currency with three decimals is 0, and it counts the ariary in whole units:
 * https://docs.stripe.com/currencies#three-decimal, #zero-decimal. Forints and New Taiwan dollars
 * are transferred with decimals; only payouts to a bank are in whole units of them
 * (#special-cases), and Stripe keeps the rest in the account.
 */
export const TRANSFER_STEPS: Readonly<Record<string, number>> = {
  BHD: 10,
  JOD: 10,
  KWD: 10,
  OMR: 10,
  TND: 10,
  MGA: 100,
}
