import { describe, expect, test } from 'vitest'
import { fromStripe, toStripe } from '../../../lib/stripe/amounts.ts'

describe('an amount as Stripe counts it', () => {
  test.each([
    { case: 'hundredths in both', cents: 4_900n, currency: 'USD', stripe: 4_900 },
    { case: 'whole units in both', cents: 4_900n, currency: 'JPY', stripe: 4_900 },
    { case: 'thousandths in both', cents: 4_900n, currency: 'KWD', stripe: 4_900 },
    { case: 'hundredths for a currency that has none', cents: 5n, currency: 'ISK', stripe: 500 },
    {
      case: 'whole units for a currency that has hundredths',
      cents: 500n,
      currency: 'MGA',
      stripe: 5,
    },
    { case: 'not at all what is finer than that', cents: 505n, currency: 'MGA', stripe: null },
    {
      case: 'the largest amount',
      cents: 99_999_999_999_999n,
      currency: 'EUR',
      stripe: 99_999_999_999_999,
    },
  ])('$case: $cents of $currency', ({ cents, currency, stripe }) => {
    expect(toStripe(cents, currency)).toBe(stripe)
    if (stripe !== null) expect(fromStripe(stripe, currency)).toBe(Number(cents))
  })
})
