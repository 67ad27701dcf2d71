import { expect, test } from 'vitest'
import { moneySums } from '../../lib/pages/parts/payouts.tsx'

test.each([
  { case: 'nothing', amounts: [], says: '' },
  {
    case: 'each currency on its own, whatever its decimals',
    amounts: [
      { currency: 'USD', amountCents: 4_900 },
      { currency: 'JPY', amountCents: 1_200 },
      { currency: 'KWD', amountCents: 981 },
      { currency: 'USD', amountCents: 100 },
    ],
    says: '50.00 USD, 1,200 JPY, 0.981 KWD',
  },
  {
    case: 'amounts as the database has them',
    amounts: [
      { currency: 'USD', amountCents: 4_900n },
      { currency: 'USD', amountCents: -100n },
    ],
    says: '48.00 USD',
  },
])('$case', ({ amounts, says }) => {
  expect(moneySums(amounts)).toBe(says)
})
