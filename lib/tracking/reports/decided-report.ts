/** What a decided report changes of its customer. */

import type {
  Click,
  CodeCredit,
  Credit,
  PartnerTerms,
} from '../../rules/attribution/attribution.ts'
import type { Decision } from '../../rules/decisions/decide.ts'
import { emailOf, type Identity, identityOf } from '../../rules/identities/identities.ts'
import type { ReportedRefund } from '../../rules/refunds/refunds.ts'
import type { Report } from '../../rules/steps/report.ts'
import type { Step } from '../../rules/steps/steps.ts'

/** The customer of a report, as it was read. */
export type ReportedCustomer = {
  id: string
  revision: number
  /** The owner. */
  partnerId: string | null
  email: string | null
  name: string | null
  /** Whether the reported click is earlier than all known referrals of the customer. */
  isClickedFirst: boolean
}

export type DecidedReport = {
  workspaceId: string
  report: Report
  /** Null if the customer's id was neither credited before nor imported. */
  customer: ReportedCustomer | null
  /** Whether sales were reported under the id of the customer, who is not known. */
  adoptsSales: boolean
  click: Click | null
  code?: CodeCredit | null | undefined
  bodyHash: string | null
  /** Whether a payment processor may report the same sale. */
  mayBeDuplicate: boolean
  decision: Decision
  /** How often the customer had paid before, if the decision depends on that. */
  paymentsBefore?: number | undefined
  /** Reported refunds that wait for the sale. */
  refunds: ReportedRefund[]
  /** When it took place, as it was judged: see `judgedAt`. */
  occurredAt: Date
  receivedAt: Date
}

/** What a report changes of a customer that is known. */
export const changesOf = (
  decided: DecidedReport,
  customer: ReportedCustomer,
  { partner, attributedBy: by }: Credit,
  referrer: Referrer | null,
) => {
  const { report } = decided
  const email = report.customerEmail ?? customer.email
  const name = report.customerName ?? customer.name
  const isDated = decided.occurredAt < decided.receivedAt
  // Only a click or a code can change the owner of an existing customer.
  const isMover =
    customer.partnerId === null ||
    ((by === 'click' || by === 'code') && partner.attribution === 'last')
  // A concurrent plan of a purchase depends on the owner, so it has to conflict. After a dated
  // report, later sales of the customer depend on it, too.
  const isReferred =
    (isMover && partner.id !== customer.partnerId) ||
    (customer.isClickedFirst && referrer !== null) ||
    isDated
  // Concurrent sales that are decided by their payment number must not get the same one, and those
  // of one product must not earn its one-time reward twice.
  const usesProducts = (decided.decision.commission?.products.length ?? 0) > 0
  const isRevised = isReferred || isNumbered(decided) || usesProducts
  // To verify an address may mark sales, too.
  const isNamed =
    email !== customer.email || name !== customer.name || report.emailVerified === true
  const isChanged = isRevised || isNamed
  // Others may have referred the customer since a dated report.
  const isMoved = referrer !== null && (isMover || isDated)
  return { email, name, isMoved, isReferred, isRevised, isChanged }
}

/** Whether it is a sale that is decided by what its customer paid before. */
const isNumbered = ({ report, paymentsBefore }: DecidedReport): boolean =>
  report.kind === 'sale' && paymentsBefore !== undefined

/** Whether a sale may have been saved after later ones of its customer, whose number it changes. */
export const renumbers = (decided: DecidedReport): boolean =>
  isNumbered(decided) || (decided.report.kind === 'sale' && decided.occurredAt < decided.receivedAt)

/** Who refers a customer. By a click, it did so when the link was clicked. */
export type Referrer = { partner: PartnerTerms; source: 'click' | 'code'; clickedAt: Date | null }

/** The partner who refers the customer by click or code, also if another one keeps owning it. */
export const referrerOf = ({
  click,
  code,
  decision: { steps },
}: DecidedReport): Referrer | null => {
  const has = (step: Step['code']) => steps.some((taken) => taken.code === step)
  if (click && has('click'))
    return { partner: click.partner, source: 'click', clickedAt: click.createdAt }
  return code?.partner?.status === 'approved' && has('partner_code')
    ? { partner: code.partner, source: 'code', clickedAt: null }
    : null
}

/** The addresses that a report adds. They count for all payments, unlike those of an import. */
export const addressesOf = ({ customerExternalId, customerEmail }: Report): string[] => [
  ...new Set([customerEmail, emailOf(customerExternalId)].filter((email) => email !== null)),
]

/** The identities that a report adds to its customer. */
export const identitiesOf = (
  report: Report,
  customer: ReportedCustomer | null,
): (Identity & { isVerified?: true | undefined })[] => [
  ...(customer ? [] : [identityOf(report.customerExternalId)]),
  ...addressesOf(report).map((value) => ({
    kind: 'email' as const,
    value,
    isVerified: report.emailVerified,
  })),
]
