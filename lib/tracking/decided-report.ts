/** What a decided report changes of its customer. */
import { emailOf, type Identity, identityOf } from '../customers/identities.ts'
import type { ReportedRefund } from '../purchases/refunds.ts'
import type { Click, Credit } from './attribution.ts'
import type { Decision } from './decide.ts'
import type { Report } from './report.ts'

/** The customer of a report, as it was read. */
export type ReportedCustomer = {
  id: string
  revision: number
  /** The owner. */
  partnerId: string | null
  email: string | null
  name: string | null
  /** Whether the click that was reported is earlier than all that is known of who referred the customer. */
  isClickedFirst: boolean
}

export type DecidedReport = {
  workspaceId: string
  report: Report
  /** Null if no event with the reported id of the customer was credited before, and it was not imported. */
  customer: ReportedCustomer | null
  /** Whether sales were reported under the id of the customer, who is not known. */
  adoptsSales: boolean
  click: Click | null
  bodyHash: string | null
  /** Whether a payment processor may report the same sale. */
  mayBeDuplicate: boolean
  decision: Decision
  /** Reported refunds that wait for the sale. */
  refunds: ReportedRefund[]
  /** When it took place, as it was judged: see `judgedAt`. */
  at: Date
  receivedAt: Date
}

/** What a report changes of a customer that is known. */
export const changesOf = (decided: DecidedReport, customer: ReportedCustomer, { partner, by }: Credit) => {
  const { report } = decided
  const email = report.customerEmail ?? customer.email
  const name = report.customerName ?? customer.name
  // Only a click moves an existing customer. A sale credited to the customer's partner must not undo the move of a
  // concurrent click.
  const isMoved = customer.partnerId === null || (by === 'click' && partner.attribution === 'last')
  const partnerId = isMoved ? partner.id : customer.partnerId
  // A purchase that is planned concurrently depends on it, so that plan must not hold.
  // So do the customer's later sales on a dated report.
  const isReferred =
    partnerId !== customer.partnerId ||
    (customer.isClickedFirst && referrerOf(decided) !== null) ||
    decided.at < decided.receivedAt
  const isChanged = isReferred || email !== customer.email || name !== customer.name
  return { email, name, partnerId, isMoved, isReferred, isChanged }
}

/** The click that refers the customer, also if another partner owns it and keeps it. */
export const referrerOf = ({ click, decision: { steps } }: DecidedReport): Click | null =>
  steps.some(({ code }) => code === 'click') ? click : null

/** The addresses that a report adds to its customer. They count for all its payments, unlike those of an import. */
export const addressesOf = ({ customerExternalId, customerEmail }: Report): string[] => [
  ...new Set([customerEmail, emailOf(customerExternalId)].filter((email) => email !== null)),
]

/** The identities that a report adds to its customer. */
export const identitiesOf = (report: Report, customer: ReportedCustomer | null): Identity[] => [
  ...(customer ? [] : [identityOf(report.customerExternalId)]),
  ...addressesOf(report).map((value) => ({ kind: 'email' as const, value })),
]
