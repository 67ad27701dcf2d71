/** Who a customer is: the ids that it is known by, and how each came to be the customer's. */
import { type CustomerIdentity, explainIdentity } from '../customers/explain-identity.ts'
import { PROCESSOR_NAMES } from '../purchases/processors.ts'
import { Table } from './parts.tsx'

const KINDS: Record<CustomerIdentity['kind'], string> = {
  external: 'Your ID',
  ...PROCESSOR_NAMES,
  guest: 'Guest',
  email: 'Email address',
}

export const Identities = ({ identities }: { identities: CustomerIdentity[] }) => (
  <Table caption="Identities" head={['ID', 'Type', 'Origin']}>
    {identities.map((identity) => (
      <tr>
        <td>{identity.value}</td>
        <td>{KINDS[identity.kind]}</td>
        <td>{explainIdentity(identity)}</td>
      </tr>
    ))}
  </Table>
)
