/** Invoices, as several pages show them. */
import { formatMoney } from '../money.ts'
import { type Invoice, invoiceNumber } from '../papers/invoices.ts'
import { Table } from './parts.tsx'
import { Day } from './portal.tsx'

/** A table of invoices. @param pdf the address of an invoice's file */
export const InvoiceTable = ({ invoices, pdf }: { invoices: Invoice[]; pdf: (id: string) => string }) => (
  <Table caption="Invoices" head={['Number', 'Issued', 'Supplier', { number: 'Amount' }, 'Payout', 'File']}>
    {invoices.map((invoice) => (
      <tr>
        <td>{invoiceNumber(invoice.number)}</td>
        <td>
          <Day at={invoice.issuedAt} />
        </td>
        <td>{invoice.supplier.name}</td>
        <td class="number">{formatMoney(invoice.amountCents, invoice.currency)}</td>
        <td>{invoice.reference}</td>
        <td>
          <a href={pdf(invoice.id)}>
            PDF<span class="hidden"> of {invoiceNumber(invoice.number)}</span>
          </a>
        </td>
      </tr>
    ))}
  </Table>
)
