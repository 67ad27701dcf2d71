/** Uncredited events, and the nearest evidence of a partner who may have referred the customer. */

import type { Translate } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import { isErased } from '../../rules/identities/identities.ts'

/** A partner as the evidence names it. */
export type EvidentPartner = {
  id: string
  slug: string
  name: string | null
  isActive: boolean
}

/**
 * - `click`: the event's own click, which had expired, was of a banned partner, or was recorded
 *   only later
 * - `lead_click`: the click of the customer's lead
 * - `coupon`: the checkout used a coupon, whose partner is null if nobody has it
 * - `customer`: one of the event's ids belongs to a customer of the partner
 * - `address`: an address of the buyer belongs to another customer, who is the partner's
 */
export type Evidence = {
  kind: 'click' | 'lead_click' | 'coupon' | 'customer' | 'address'
  /** The click id, the coupon, the customer's id or the address. */
  value: string
  /** When the click was made. */
  clickedAt: Date | null
  expiresAt: Date | null
  /** The customer whom the id or the address belongs to. */
  customerId: string | null
  partner: EvidentPartner | null
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** The evidence as sentences, for managers. @param occurredAt the time of the event */
export const evidenceWords = (t: Translate, evidence: Evidence, occurredAt: Date): string => {
  const { kind, value, clickedAt, expiresAt, partner } = evidence
  if (!partner) return t(m.events_evidence_unknown_coupon, { coupon: value })
  const hasTimes = clickedAt !== null && expiresAt !== null
  const values = {
    value,
    slug: partner.slug,
    clicked: hasTimes ? DAY.format(clickedAt) : 'none',
    expired: hasTimes && expiresAt <= occurredAt ? DAY.format(expiresAt) : 'none',
    isActive: partner.isActive ? 'yes' : 'no',
    isErased: isErased(value) ? 'yes' : 'no',
  }
  if (kind === 'click') return t(m.events_evidence_click, values)
  if (kind === 'lead_click') return t(m.events_evidence_lead_click, values)
  if (kind === 'coupon') return t(m.events_evidence_coupon, values)
  return t(kind === 'customer' ? m.events_evidence_customer : m.events_evidence_address, values)
}

/** The reason of such a credit. The partner sees it, so it names neither ids nor addresses. */
export const creditReason = ({ kind, clickedAt }: Evidence): string =>
  ({
    click: `The visitor clicked your link${clickedAt ? ` on ${DAY.format(clickedAt)}` : ''}.`,
    lead_click: `The customer signed up after a click on your link${clickedAt ? ` on ${DAY.format(clickedAt)}` : ''}.`,
    coupon: 'The checkout used one of your coupons.',
    customer: 'The customer belongs to you.',
    address: 'The buyer is a customer of yours.',
  })[kind]
