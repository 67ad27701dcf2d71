/**
 * SEPA credit transfers: pain.001.001.09, by the implementation guidelines of the EPC. A writer of
 * our own, because the kept libraries sum amounts as floating point numbers, and take text outside
 * SEPA's character set.
 */
import { exactMoney } from '../../values/money.ts'
import type { PaymentDetails } from '../details/payment-details.ts'
import type { FileLine } from './formats.ts'
import { sepaText } from './latin.ts'

export type Debtor = { name: string; iban: string }

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09'
const MAX_NAME = 70
const MAX_REMITTANCE = 140

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** An element as XML; its children are elements. The closing tag repeats no attribute of `tag`. */
const el = (tag: string, ...children: string[]): string =>
  `<${tag}>${children.join('')}</${tag.split(' ', 1)}>`

const text = (tag: string, content: string): string =>
  el(
    tag,
    content.replace(/[&<>]/g, (char) => ESCAPES[char] ?? ''),
  )

const sumOf = (lines: { amountCents: bigint }[]): string => {
  const digits = String(lines.reduce((sum, { amountCents }) => sum + amountCents, 0n)).padStart(
    3,
    '0',
  )
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

type Line = FileLine<Extract<PaymentDetails, { method: 'iban' }>>

const account = (iban: string) => el('Id', text('IBAN', iban))

const transaction = ({ details, reference, amountCents }: Line, from: string): string =>
  el(
    'CdtTrfTxInf',
    el('PmtId', text('EndToEndId', reference)),
    el('Amt', text('InstdAmt Ccy="EUR"', exactMoney(amountCents, 'EUR'))),
    el('Cdtr', text('Nm', sepaText(details.name, MAX_NAME))),
    el('CdtrAcct', account(details.iban)),
    el('RmtInf', text('Ustrd', sepaText(`Payout ${reference} from ${from}`, MAX_REMITTANCE))),
  )

/**
 * The message: one payment with all transfers, to be executed on the day that it is made.
 *
 * @param id   at most 35 characters of SEPA's set. The same for the same transfers, so that a bank
 *   that gets the file twice refuses the second
 * @param from who pays, for the remittance information
 */
export const sepaFile = (
  id: string,
  debtor: Debtor,
  lines: Line[],
  from: string,
  now: Date,
): string => {
  const totals = [text('NbOfTxs', String(lines.length)), text('CtrlSum', sumOf(lines))]
  const name = text('Nm', sepaText(debtor.name, MAX_NAME))
  const header = el(
    'GrpHdr',
    text('MsgId', id),
    text('CreDtTm', now.toISOString().slice(0, 19)),
    ...totals,
    el('InitgPty', name),
  )
  const payment = el(
    'PmtInf',
    text('PmtInfId', id),
    text('PmtMtd', 'TRF'),
    ...totals,
    el('PmtTpInf', el('SvcLvl', text('Cd', 'SEPA'))),
    el('ReqdExctnDt', text('Dt', now.toISOString().slice(0, 10))),
    el('Dbtr', name),
    el('DbtrAcct', account(debtor.iban)),
    // Since 2016, the IBAN alone finds the bank.
    el('DbtrAgt', el('FinInstnId', el('Othr', text('Id', 'NOTPROVIDED')))),
    text('ChrgBr', 'SLEV'),
    ...lines.map((line) => transaction(line, from)),
  )
  const document = el(`Document xmlns="${NAMESPACE}"`, el('CstmrCdtTrfInitn', header, payment))
  return `<?xml version="1.0" encoding="UTF-8"?>\n${document}\n`
}
