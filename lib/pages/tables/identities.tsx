/** The ids of a customer, and where each comes from. */

import { type CustomerIdentity, explainIdentity } from '../../customers/explain-identity.ts'
import * as m from '../../languages/messages.ts'
import { PROCESSOR_NAMES } from '../../rules/purchases/processors.ts'
import { type Shown, shown, t } from '../layout/text.ts'
import { Table } from './table.tsx'

const KINDS: Record<CustomerIdentity['kind'], Shown> = {
  external: m.customers_your_id,
  ...PROCESSOR_NAMES,
  guest: m.customers_guest,
  email: m.email_address,
}

export const Identities = ({ identities }: { identities: CustomerIdentity[] }) => (
  <Table caption={t(m.customers_identities)} head={['ID', t(m.type_column), t(m.customers_origin)]}>
    {identities.map((identity) => (
      <tr>
        <td>{identity.value}</td>
        <td>{shown(KINDS[identity.kind])}</td>
        <td>{explainIdentity(identity)}</td>
      </tr>
    ))}
  </Table>
)
