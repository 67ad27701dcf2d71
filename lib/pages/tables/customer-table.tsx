import type { CustomerRow } from '../../customers/customers.queries.ts'
import * as m from '../../languages/messages.ts'
import { Time } from '../layout/parts.tsx'
import { t } from '../layout/text.ts'
import { PartnerOf, partnerHead, type TableContext } from './ledger.tsx'
import { LinkCell, type Sorting, Table, TimeCell } from './table.tsx'

/** @param byTime sorts by the time of the first credit, which then has a column */
export const CustomerTable = ({
  base,
  ofOne,
  customers,
  byTime,
}: TableContext & { customers: CustomerRow[]; byTime?: Sorting }) => (
  <Table
    caption={t(m.layout_customers)}
    head={[
      t(m.layout_customer),
      t(m.email_address),
      t(m.layout_name),
      ...partnerHead(ofOne),
      ...(byTime ? [{ text: t(m.commissions_since), sort: byTime }] : []),
      t(m.commissions_imported),
      t(m.layout_rewarded_since),
    ]}
  >
    {customers.map((customer) => (
      <tr>
        <LinkCell href={`${base}/customers/${customer.id}`}>{customer.externalId}</LinkCell>
        <td>{customer.email}</td>
        <td>{customer.name}</td>
        {!ofOne && (
          <td>
            <PartnerOf base={base} row={customer} none={t(m.layout_none)} />
          </td>
        )}
        {byTime && <TimeCell at={customer.createdAt} />}
        <td>{customer.importedAt && <Time at={customer.importedAt} />}</td>
        <td>{customer.startedAt && <Time at={customer.startedAt} />}</td>
      </tr>
    ))}
  </Table>
)
