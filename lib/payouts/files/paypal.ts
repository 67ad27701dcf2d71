/** The file of PayPal Payouts: docs.paypal.ai/growth/payouts/send-money/use-web-ui. */
import { csvFields } from '../../values/csv.ts'
import { exactMoney } from '../../values/money.ts'
import type { PaymentDetails } from '../details/payment-details.ts'
import { type FileLine, PAYPAL_WHOLE } from './formats.ts'
import { plainText } from './latin.ts'

/** PayPal reads amounts as the sender's country writes them. */
export const DECIMALS = ['point', 'comma'] as const
export type Decimal = (typeof DECIMALS)[number]

const MAX_NOTE = 400

const amountOf = (
  { amountCents, currency }: Pick<FileLine<unknown>, 'amountCents' | 'currency'>,
  decimal: Decimal,
) => {
  const plain = PAYPAL_WHOLE.has(currency)
    ? String(amountCents / 100n)
    : exactMoney(amountCents, currency)
  return decimal === 'comma' ? plain.replace('.', ',') : plain
}

/**
 * Rows of `recipient,amount,currency,customerId,note,wallet`, without a header.
 *
 * @param lines of one currency, which PayPal supports, at most 5,000
 * @param from  who pays, for the note
 */
export const paypalFile = (
  lines: FileLine<Extract<PaymentDetails, { method: 'paypal' }>>[],
  from: string,
  decimal: Decimal = 'point',
): string =>
  csvFields(
    lines.map(({ details, reference, ...line }) => [
      details.address,
      amountOf(line, decimal),
      line.currency,
      reference,
      plainText(`Payout ${reference} from ${from}`, MAX_NOTE),
      'PAYPAL',
    ]),
  )
