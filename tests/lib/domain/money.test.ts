import { expect, test } from 'vitest'
import { formatMoney, isCurrency } from '../../../lib/domain/money.ts'

test.each([
  { amountCents: 980n, currency: 'USD', text: '9.80 USD' },
  { amountCents: 5n, currency: 'EUR', text: '0.05 EUR' },
  { amountCents: 980n, currency: 'JPY', text: '980 JPY' },
  { amountCents: 980n, currency: 'KWD', text: '0.980 KWD' },
  { amountCents: 98_000n, currency: 'HUF', text: '980.00 HUF' },
  { amountCents: 980_000n, currency: 'IQD', text: '980.000 IQD' },
  { amountCents: 98_000n, currency: 'CLF', text: '9.8000 CLF' },
  { amountCents: 99_999_999_999n, currency: 'USD', text: '999,999,999.99 USD' },
  { amountCents: -980n, currency: 'USD', text: '-9.80 USD' },
])('$amountCents $currency reads $text', ({ amountCents, currency, text }) => {
  expect(formatMoney(amountCents, currency)).toBe(text)
})

test.each(['USD', 'EUR', 'JPY', 'KWD', 'XCG', 'HRK'])('%s is a currency', (code) =>
  expect(isCurrency(code)).toBe(true),
)
test.each(['usd', 'DEM', 'XXX', 'XTS', 'US', 'USDX', 'BTC', ''])('"%s" is none', (code) =>
  expect(isCurrency(code)).toBe(false),
)
