/** The file of a Wise batch by email: Wise asks each recipient for the bank details. */
import { csvFields } from '../../values/csv.ts'
import { exactMoney } from '../../values/money.ts'
import type { Holder, PaymentDetails } from '../details/payment-details.ts'
import type { FileLine } from './formats.ts'
import { plainText } from './latin.ts'

const HEAD = [
  'name',
  'recipientEmail',
  'paymentReference',
  'receiverType',
  'amountCurrency',
  'amount',
  'sourceCurrency',
  'targetCurrency',
]

/** Wise takes names of at most 140 characters. */
export const MAX_NAME = 140

export const RECEIVER_TYPES: Record<Holder, string> = { person: 'PERSON', company: 'INSTITUTION' }

/**
 * Rows of a batch by email. The recipient gets the exact amount, in the currency that is owed; Wise
 * deducts its fee from the sender.
 *
 * @param lines          at most 1,000
 * @param sourceCurrency that the merchant pays in; the one that is owed if null
 */
export const wiseFile = (
  lines: FileLine<Extract<PaymentDetails, { method: 'wise' }>>[],
  sourceCurrency: string | null,
): string =>
  csvFields([
    HEAD,
    ...lines.map(({ details, reference, currency, amountCents }) => [
      plainText(details.name, MAX_NAME),
      details.address,
      reference,
      RECEIVER_TYPES[details.holder],
      'target',
      exactMoney(amountCents, currency),
      sourceCurrency ?? currency,
      currency,
    ]),
  ])
