import { expect, test } from 'vitest'
import { exactMoney, formatMoney, isCurrency, parseMoney } from '../lib/values/money.ts'

test.each([
  { amountCents: 980n, currency: 'USD', text: '9.80 USD' },
  { amountCents: 5n, currency: 'EUR', text: '0.05 EUR' },
  { amountCents: 980n, currency: 'JPY', text: '980 JPY' },
  { amountCents: 980n, currency: 'KWD', text: '0.980 KWD' },
  { amountCents: 98_000n, currency: 'HUF', text: '980.00 HUF' },
  { amountCents: 980_000n, currency: 'IQD', text: '980.000 IQD' },
  { amountCents: 98_000n, currency: 'CLF', text: '9.8000 CLF' },
  { amountCents: 99_999_999_999_999n, currency: 'USD', text: '999,999,999,999.99 USD' },
  { amountCents: -980n, currency: 'USD', text: '-9.80 USD' },
  { amountCents: -5n, currency: 'USD', text: '-0.05 USD' },
  { amountCents: 0n, currency: 'USD', text: '0.00 USD' },
  // A sum of many: beyond what a number can hold.
  { amountCents: 10_000_100_000_000_001n, currency: 'USD', text: '100,001,000,000,000.01 USD' },
])('$amountCents $currency reads $text', ({ amountCents, currency, text }) => {
  expect(formatMoney(amountCents, currency)).toBe(text)
})

test.each(['USD', 'EUR', 'JPY', 'KWD', 'XCG', 'HRK'])('%s is a currency', (code) =>
  expect(isCurrency(code)).toBe(true),
)
test.each(['usd', 'DEM', 'XXX', 'XTS', 'US', 'USDX', 'BTC', ''])('"%s" is not a currency', (code) =>
  expect(isCurrency(code)).toBe(false),
)

test.each([
  { text: '9.80', currency: 'USD', amountCents: 980 },
  { text: '9.8', currency: 'USD', amountCents: 980 },
  { text: '980', currency: 'USD', amountCents: 98_000 },
  { text: '980', currency: 'JPY', amountCents: 980 },
  { text: '0.980', currency: 'KWD', amountCents: 980 },
  { text: '999999999999.99', currency: 'USD', amountCents: 99_999_999_999_999 },
  { text: '99999999999999', currency: 'JPY', amountCents: 99_999_999_999_999 },
  { text: '99999999999.999', currency: 'KWD', amountCents: 99_999_999_999_999 },
])('"$text" of $currency is $amountCents', ({ text, currency, amountCents }) => {
  expect(parseMoney(text, currency)).toBe(amountCents)
  expect(parseMoney(exactMoney(amountCents, currency), currency)).toBe(amountCents)
})

test.each([
  { case: 'with too many decimals', text: '9.801', currency: 'USD' },
  { case: 'with decimals in a currency without any', text: '9.0', currency: 'JPY' },
  { case: 'with a thousands separator', text: '1,000', currency: 'USD' },
  { case: 'negative', text: '-5', currency: 'USD' },
  { case: 'in exponential notation', text: '1e3', currency: 'USD' },
  { case: 'without digits after the point', text: '5.', currency: 'USD' },
  { case: 'that is too long', text: '9'.repeat(15), currency: 'USD' },
  { case: 'blank', text: '', currency: 'USD' },
])('rejects an amount $case', ({ text, currency }) => {
  expect(parseMoney(text, currency)).toBeNull()
})
