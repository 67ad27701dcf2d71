/** Identities: what a customer is known by. Design, section 5, "Who a customer is". */
import { readEmail } from '../../values/emails.ts'
import { type Processor, processorOfCustomer } from '../purchases/processors.ts'

/**
 * The merchant's own ids (`external`) and a processor's customer ids are strong: each belongs to
 * one customer. So does a guest's address or payment, which no other fact names. An address that
 * the merchant reported (`email`) only matches.
 */
export type IdentityKind = 'external' | Processor | 'guest' | 'email'

/**
 * What named an identity first, or tied it to others of the customer: a report, an import, a
 * purchase at a processor, or the processor's own record of the customer.
 */
export type IdentitySource = 'lead' | 'sale' | 'import' | 'purchase' | 'customer'

export type Evidence = {
  source: IdentitySource
  /** The id of the lead, sale, purchase or processor's customer. */
  evidence: string | null
}

export type Identity = { kind: IdentityKind; value: string }

/** Broken by a concurrent write that gives a strong identity to another customer. */
export const IDENTITY_KEY = 'customer_identities_workspace_id_kind_value_key'

/** The identity of a reported customer id: a processor's by its form, else the merchant's own. */
export const identityOf = (id: string): Identity => ({
  kind: processorOfCustomer(id) ?? 'external',
  value: id,
})

/** The address that a reported customer id is, if merchants use addresses as ids. */
export const emailOf = (id: string): string | null => readEmail(id)

const ERASED = 'erased-'

/**
 * What replaces an erased address: it names nobody, but ties what the address tied.
 * @param id a new one
 */
export const erasedMark = (id: string): string => ERASED + id

/** Whether an erasure has replaced an address or id. */
export const isErased = (value: string | null): boolean => value?.startsWith(ERASED) ?? false

/** The two ids that a lead ties, if one is a processor's and the other the merchant's. */
export const tiedByLead = (report: {
  kind: 'sale' | 'lead'
  externalId: string
  customerExternalId: string
}): Identity[] => {
  const ids = [report.externalId, report.customerExternalId].map(identityOf)
  return report.kind === 'lead' && new Set(ids.map(({ kind }) => kind)).size === 2 ? ids : []
}
