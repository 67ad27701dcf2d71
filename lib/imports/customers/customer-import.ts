/** Import of customer-to-partner mappings: the decision for each row. Spec, section 4.4. */

import type { Prior, PriorCommissions } from '../../customers/prior-earnings.ts'
import { emailOf } from '../../rules/identities/identities.ts'
import type { CustomerImportResponse } from '../imports.responses.ts'

/** Per request. Spec, section 8. */
export const MAX_CUSTOMER_ROWS = 1_000

/** A valid row. */
export type CustomerRow = {
  customerExternalId: string
  customerEmail: string | null
  partnerEmail: string
  /** When another platform rewarded the customer's first sale. */
  startedAt: Date | null
  prior: PriorCommissions | null
  /** The partner's program; null for any. */
  programId: string | null
}

type CustomerProblem =
  | 'customer_id_invalid'
  | 'customer_email_invalid'
  | 'partner_email_invalid'
  | 'started_at_invalid'
  | 'prior_invalid'
  | 'program_not_found'
  | 'partner_ambiguous'
  | 'partner_not_found'

/** An invalid row, with the correction to make. */
export type BadCustomerRow = {
  customerExternalId: string
  partnerEmail: string
  code: CustomerProblem
  message: string
}

export type MappedPartner = { id: string; email: string; programId: string; isBanned: boolean }

type CustomerMapping = {
  partnerId: string
  email: string | null
  startedAt: Date | null
  startedProgramId: string | null
  prior: Prior | null
}

/** A customer who has a partner. `partnerId` is null unless an import assigned it. */
export type KnownMapping = Omit<CustomerMapping, 'partnerId'> & {
  partnerId: string | null
  owner: Pick<MappedPartner, 'id' | 'email'>
}

/** The relevant rows of the workspace. */
export type CustomerImportFacts = {
  programIds: ReadonlySet<string>
  partners: MappedPartner[]
  /** Customers with a partner, by each id in the request. */
  customers: ReadonlyMap<string, KnownMapping>
  /** The customers' row ids, by each id in the request. Several may name one customer. */
  customerIds: ReadonlyMap<string, string>
}

/** The referral of one row. @property place the row's number within the call, from 1 */
type RowReferral = { place: number; partnerId: string; startedAt: Date | null }

/** A customer to upsert. Null keeps the stored value. */
export type MappedCustomer = CustomerMapping & {
  externalId: string
  /** From all of its rows. */
  emails: string[]
  /**
   * One for each of its rows, in order, as if each were a call. So the result is the same whether
   * two ids were merged before the call or are merged later.
   */
  referrals: RowReferral[]
}

/** The result of one row, in the response. */
export type CustomerResult = CustomerImportResponse['results'][number]

export type CustomerImportSummary = CustomerImportResponse['summary']

export type CustomerImportDecision = {
  mapped: MappedCustomer[]
  results: CustomerResult[]
}

export const isCustomerRow = (row: CustomerRow | BadCustomerRow): row is CustomerRow =>
  !('code' in row)

type Problem = { code: CustomerProblem; message: string }

const findPartner = (
  { partnerEmail, programId }: CustomerRow,
  programIds: ReadonlySet<string>,
  partners: Map<string, MappedPartner[]>,
): MappedPartner | Problem => {
  if (programId !== null && !programIds.has(programId)) {
    return {
      code: 'program_not_found',
      message: `This workspace has no program "${programId}". Correct the row’s programId.`,
    }
  }
  const [partner, another] = (partners.get(partnerEmail) ?? []).filter(
    (candidate) => programId === null || candidate.programId === programId,
  )
  if (!partner) {
    return {
      code: 'partner_not_found',
      message: 'No partner has this address. Import the partner first, then import this row again.',
    }
  }
  if (!another) return partner
  return {
    code: 'partner_ambiguous',
    message: 'This is the address of partners of more than one program. Set programId.',
  }
}

/** Applies a mapping to a customer. Null keeps the former value. */
const apply = (
  before: Omit<KnownMapping, 'owner'> | undefined,
  mapping: CustomerMapping,
): CustomerMapping => {
  const { startedAt, startedProgramId } = mapping.startedAt ? mapping : (before ?? mapping)
  return {
    partnerId: mapping.partnerId,
    email: mapping.email ?? before?.email ?? null,
    startedAt,
    startedProgramId,
    prior: mapping.prior ?? before?.prior ?? null,
  }
}

const isSame = (a: KnownMapping, b: CustomerMapping): boolean =>
  a.partnerId === b.partnerId &&
  a.email === b.email &&
  a.startedAt?.getTime() === b.startedAt?.getTime() &&
  a.startedProgramId === b.startedProgramId &&
  isSamePrior(a.prior, b.prior)

const isSamePrior = (a: Prior | null, b: Prior | null): boolean =>
  a?.partnerId === b?.partnerId &&
  a?.commissions === b?.commissions &&
  a?.amountCents === b?.amountCents &&
  a?.currency === b?.currency

const PARTNER_BANNED = {
  code: 'partner_banned',
  message: 'The partner is banned, so later sales of this customer are credited to nobody.',
} as const

const CUSTOMER_OWNED = {
  code: 'customer_owned',
  message: 'The customer stays with its partner, because the option keepOwners is set.',
} as const

/**
 * Decides each row. A mapping overrides the program's `attribution`, because the merchant requested
 * it. Of several rows for one customer, the last wins.
 *
 * @param keepOwners leaves customers who have another partner unchanged
 */
export const decideCustomerImport = (
  rows: (CustomerRow | BadCustomerRow)[],
  facts: CustomerImportFacts,
  keepOwners: boolean,
): CustomerImportDecision => {
  const partners = Map.groupBy(facts.partners, ({ email }) => email)
  const nameOf = (externalId: string): string => facts.customerIds.get(externalId) ?? externalId
  const customers = new Map<string, KnownMapping>(
    [...facts.customers].map(([id, mapping]) => [nameOf(id), mapping]),
  )
  const mapped = new Map<string, MappedCustomer>()

  const results = rows.map((row, index): CustomerResult => {
    const { customerExternalId, partnerEmail } = row
    const found = isCustomerRow(row) ? findPartner(row, facts.programIds, partners) : row
    const name = nameOf(customerExternalId)
    const known = customers.get(name)
    if (!isCustomerRow(row) || 'code' in found) {
      const { code, message } = found as Problem
      const status = code === 'partner_not_found' ? code : 'error'
      const owner = code === 'partner_not_found' && known ? { ownerEmail: known.owner.email } : {}
      return { customerExternalId, partnerEmail, status, ...owner, code, message }
    }

    const mapping = {
      partnerId: found.id,
      email: row.customerEmail,
      startedAt: row.startedAt,
      startedProgramId: row.startedAt && found.programId,
      prior: row.prior && { partnerId: found.id, ...row.prior },
    }
    const moves = known !== undefined && known.owner.id !== found.id
    const owner = moves ? { ownerEmail: known.owner.email } : {}
    if (moves && keepOwners) {
      return {
        ...{ customerExternalId, partnerEmail, status: 'unchanged' as const },
        ...owner,
        ...CUSTOMER_OWNED,
      }
    }

    const note = found.isBanned ? PARTNER_BANNED : {}
    const after = apply(known, mapping)
    if (known && isSame(known, after))
      return { customerExternalId, partnerEmail, status: 'unchanged', ...note }
    customers.set(name, { ...after, owner: found })
    // Without the values that were read, which may change before the write.
    const before = mapped.get(name)
    const emails = [row.customerEmail, emailOf(customerExternalId)].filter(
      (email) => email !== null,
    )
    mapped.set(name, {
      ...apply(before, mapping),
      externalId: before?.externalId ?? customerExternalId,
      emails: [...new Set([...(before?.emails ?? []), ...emails])],
      referrals: [
        ...(before?.referrals ?? []),
        { place: index + 1, partnerId: found.id, startedAt: row.startedAt },
      ],
    })
    const status = known ? 'updated' : 'created'
    return { customerExternalId, partnerEmail, status, ...owner, ...note }
  })
  return { mapped: [...mapped.values()], results }
}

/** Whether a row changed the partner of its customer. */
export const isMoved = ({ status, ownerEmail }: CustomerResult): boolean =>
  status === 'updated' && ownerEmail !== undefined

/** Counts the results. `partner_not_found` counts as an error. */
export const summarizeCustomers = (results: CustomerResult[]): CustomerImportSummary => {
  const count = (...statuses: CustomerResult['status'][]) =>
    results.filter(({ status }) => statuses.includes(status)).length
  return {
    created: count('created'),
    updated: count('updated'),
    unchanged: count('unchanged'),
    errors: count('error', 'partner_not_found'),
    moved: results.filter(isMoved).length,
  }
}
