/** Invoices and credit notes, as several pages show them. */
import { creditNoteNumber, creditTotalOf, type Invoice, invoiceNumber, totalOf } from '../papers/invoices.ts'
import { Table } from './parts.tsx'
import { Day } from './portal.tsx'

type Line = { number: string; corrects?: string; issuedAt: Date; total: string; file: string }

const linesOf = (invoice: Invoice): Line[] => {
  const number = invoiceNumber(invoice.number)
  return [
    ...invoice.creditNotes
      .map((note) => ({
        number: creditNoteNumber(note.number),
        corrects: number,
        issuedAt: note.issuedAt,
        total: creditTotalOf(invoice, note),
        file: `credit-notes/${note.id}`,
      }))
      .reverse(),
    { number, issuedAt: invoice.issuedAt, total: totalOf(invoice), file: `invoices/${invoice.id}` },
  ]
}

/** A table of invoices, each below its credit notes. A file is at `base/invoices/:id` or `base/credit-notes/:id`, and `extension`. */
export const InvoiceTable = ({
  invoices,
  base,
  extension,
}: {
  invoices: Invoice[]
  base: string
  extension: string
}) => (
  <Table caption="Invoices" head={['Number', 'Issued', 'Supplier', { number: 'Amount' }, 'Payout', 'File']}>
    {invoices.flatMap((invoice) =>
      linesOf(invoice).map(({ number, corrects, issuedAt, total, file }) => (
        <tr>
          <td>
            <span class="nowrap">{number}</span> {corrects && <span class="nowrap">for {corrects}</span>}
          </td>
          <td>
            <Day at={issuedAt} />
          </td>
          <td class="name">{invoice.supplier.name}</td>
          <td class="number">{total}</td>
          <td class="nowrap">{invoice.reference}</td>
          <td>
            <a href={`${base}/${file}${extension}`}>
              PDF<span class="hidden"> of {number}</span>
            </a>
          </td>
        </tr>
      )),
    )}
  </Table>
)
