/** Import of customer-to-partner mappings: what becomes of each row. Spec, section 4.4. */

/** In one call. Spec, section 8. */
export const MAX_CUSTOMER_ROWS = 1_000

/** A mapping, as it came out of its row. */
export type CustomerRow = {
  customerExternalId: string
  customerEmail: string | null
  partnerEmail: string
  /** When the customer's first sale was rewarded, on another platform. */
  startedAt: Date | null
  /** The program in which the partner is to be found; null is any. */
  programId: string | null
}

type CustomerProblem =
  | 'customer_id_invalid'
  | 'customer_email_invalid'
  | 'partner_email_invalid'
  | 'started_at_invalid'
  | 'program_not_found'
  | 'partner_ambiguous'
  | 'partner_not_found'

/** A row that can't be imported, and what to correct in it. */
export type BadCustomerRow = {
  customerExternalId: string
  partnerEmail: string
  code: CustomerProblem
  message: string
}

/** A partner, as far as a mapping needs it. */
export type MappedPartner = { id: string; email: string; programId: string }

/** What a mapping changes of a customer. */
export type CustomerMapping = {
  partnerId: string
  email: string | null
  startedAt: Date | null
  startedProgramId: string | null
}

/** What of the rows is there already, in the workspace. */
export type CustomerImportFacts = {
  programIds: ReadonlySet<string>
  partners: MappedPartner[]
  /** The customers who are known, by their external id. */
  customers: ReadonlyMap<string, CustomerMapping>
}

/** A customer to be made or changed. A null changes nothing in a customer who is there. */
export type MappedCustomer = CustomerMapping & { externalId: string }

/** What became of one row, as the caller hears it. */
export type CustomerResult = {
  customerExternalId: string
  partnerEmail: string
  status: 'created' | 'updated' | 'unchanged' | 'partner_not_found' | 'error'
  code?: CustomerProblem
  message?: string
}

export type CustomerImportSummary = Record<'created' | 'updated' | 'unchanged' | 'errors', number>

export type CustomerImportDecision = { mapped: MappedCustomer[]; results: CustomerResult[] }

/** Whether a row can be imported, as far as it says itself. */
export const isCustomerRow = (row: CustomerRow | BadCustomerRow): row is CustomerRow => !('code' in row)

type Problem = { code: CustomerProblem; message: string }

/** The partner of a row, or why there is none. */
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
      message: `No partner has the address "${partnerEmail}". Import the partner first, then this row again.`,
    }
  }
  if (!another) return partner
  return {
    code: 'partner_ambiguous',
    message: `"${partnerEmail}" is a partner of more than one program. Say which one with programId.`,
  }
}

/** What a mapping makes of what was there before. What it leaves out stays as it is. */
const apply = (before: CustomerMapping | undefined, mapping: CustomerMapping): CustomerMapping => {
  const { startedAt, startedProgramId } = mapping.startedAt ? mapping : (before ?? mapping)
  return {
    partnerId: mapping.partnerId,
    email: mapping.email ?? before?.email ?? null,
    startedAt,
    startedProgramId,
  }
}

const isSame = (a: CustomerMapping, b: CustomerMapping): boolean =>
  a.partnerId === b.partnerId &&
  a.email === b.email &&
  a.startedAt?.getTime() === b.startedAt?.getTime() &&
  a.startedProgramId === b.startedProgramId

/**
 * Decides what becomes of each row. A mapping moves its customer whatever the program's `attribution` says: the
 * merchant says it, not a visitor. Rows for one customer act one after the other, so the last one stands.
 */
export const decideCustomerImport = (
  rows: (CustomerRow | BadCustomerRow)[],
  facts: CustomerImportFacts,
): CustomerImportDecision => {
  const partners = Map.groupBy(facts.partners, ({ email }) => email)
  const customers = new Map(facts.customers)
  const mapped = new Map<string, MappedCustomer>()

  const results = rows.map((row): CustomerResult => {
    const { customerExternalId, partnerEmail } = row
    const found = isCustomerRow(row) ? findPartner(row, facts.programIds, partners) : row
    if (!isCustomerRow(row) || 'code' in found) {
      const { code, message } = found as Problem
      const status = code === 'partner_not_found' ? code : 'error'
      return { customerExternalId, partnerEmail, status, code, message }
    }

    const mapping = {
      partnerId: found.id,
      email: row.customerEmail,
      startedAt: row.startedAt,
      startedProgramId: row.startedAt && found.programId,
    }
    const known = customers.get(customerExternalId)
    const after = apply(known, mapping)
    if (known && isSame(known, after)) return { customerExternalId, partnerEmail, status: 'unchanged' }
    customers.set(customerExternalId, after)
    // Kept without what was known before, which may change until it is saved.
    const given = apply(mapped.get(customerExternalId), mapping)
    mapped.set(customerExternalId, { ...given, externalId: customerExternalId })
    return { customerExternalId, partnerEmail, status: known ? 'updated' : 'created' }
  })
  return { mapped: [...mapped.values()], results }
}

/**
 * The results after all, when a report made a customer, or another import mapped it, between the read and the write.
 *
 * @param saved what became of the customers that were written, by their external ids
 */
export const correctResults = (
  results: CustomerResult[],
  saved: ReadonlyMap<string, 'created' | 'updated'>,
): CustomerResult[] =>
  results.map((result) =>
    result.status === 'created'
      ? { ...result, status: saved.get(result.customerExternalId) ?? 'unchanged' }
      : result,
  )

/** Counts what became of the rows. A row without its partner is an error too. */
export const summarizeCustomers = (results: CustomerResult[]): CustomerImportSummary => {
  const count = (...statuses: CustomerResult['status'][]) =>
    results.filter(({ status }) => statuses.includes(status)).length
  return {
    created: count('created'),
    updated: count('updated'),
    unchanged: count('unchanged'),
    errors: count('error', 'partner_not_found'),
  }
}
