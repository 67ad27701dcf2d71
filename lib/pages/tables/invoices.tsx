import * as m from '../../languages/messages.ts'
import { creditNoteNumber, type Invoice, invoiceNumber } from '../../payouts/invoices/invoices.ts'
import { Day } from '../layout/portal.tsx'
import { t } from '../layout/text.ts'
import { money } from '../parts/money.tsx'
import { hidden } from '../parts/tags.tsx'
import { LinkCell, Table } from './table.tsx'

type Line = { number: string; corrects?: string; issuedAt: Date; cents: bigint; file: string }

const linesOf = (invoice: Invoice): Line[] => {
  const number = invoiceNumber(invoice.number)
  return [
    ...invoice.creditNotes
      .map((note) => ({
        number: creditNoteNumber(note.number),
        corrects: number,
        issuedAt: note.issuedAt,
        cents: -note.amountCents,
        file: `credit-notes/${note.id}`,
      }))
      .reverse(),
    {
      number,
      issuedAt: invoice.issuedAt,
      cents: invoice.amountCents,
      file: `invoices/${invoice.id}`,
    },
  ]
}

type InvoiceTableProps = { invoices: Invoice[]; base: string; extension: string }

/**
 * A table of invoices, each above its credit notes. A file is at `base/invoices/:id` or
 * `base/credit-notes/:id`, with `extension`.
 */
export const InvoiceTable = ({ invoices, base, extension }: InvoiceTableProps) => (
  <Table
    caption={t(m.invoices)}
    head={[
      t(m.number_column),
      t(m.issued_column),
      t(m.supplier_column),
      { number: t(m.amount_column) },
      t(m.payout),
      t(m.file_column),
    ]}
  >
    {invoices.flatMap((invoice) =>
      linesOf(invoice).map(({ number, corrects, issuedAt, cents, file }) => (
        <tr>
          <td>
            <span class="nowrap">{number}</span>{' '}
            {corrects && <span class="nowrap">{t(m.corrects_invoice, { number: corrects })}</span>}
          </td>
          <td>
            <Day at={issuedAt} />
          </td>
          <td class="name">{invoice.supplier.name}</td>
          <td class="number">{money(cents, invoice.currency)}</td>
          <td class="nowrap">{invoice.reference}</td>
          <LinkCell href={`${base}/${file}${extension}`}>
            {t(m.pdf_of, { number, hidden })}
          </LinkCell>
        </tr>
      )),
    )}
  </Table>
)
