/** Events that nobody was credited with, and the nearest evidence of a partner who may have referred the customer. */

/** A partner as the evidence names it. */
export type EvidentPartner = {
  id: string
  slug: string
  name: string | null
  isActive: boolean
}

/**
 * - `click`: the event's own click, which had expired, was of a banned partner, or was recorded only later
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

/** "on 3 November 2026, and it expired on 1 February 2027". */
const whenClicked = ({ clickedAt, expiresAt }: Evidence, occurredAt: Date): string => {
  if (!clickedAt || !expiresAt) return 'before'
  const expired = expiresAt <= occurredAt ? `. That click expired on ${DAY.format(expiresAt)}` : ''
  return `on ${DAY.format(clickedAt)}${expired}`
}

/** The evidence as sentences, for managers. @param occurredAt the time of the event */
export const evidenceWords = (evidence: Evidence, occurredAt: Date): string => {
  const { kind, value, partner } = evidence
  if (!partner) return `The checkout used the coupon “${value}”, which belongs to no partner.`
  const { slug, isActive } = partner
  const of = {
    click: () => `The visitor clicked the link of “${slug}” ${whenClicked(evidence, occurredAt)}.`,
    lead_click: () =>
      `The customer’s lead came with a click on the link of “${slug}” ${whenClicked(evidence, occurredAt)}.`,
    coupon: () => `The checkout used the coupon “${value}”, which belongs to “${slug}”.`,
    customer: () => `The customer “${value}” belongs to “${slug}”.`,
    address: () => `A customer with the address “${value}” belongs to “${slug}”.`,
  }[kind]()
  return isActive ? of : `${of} The partner is not active.`
}

/** The reason of a credit by this evidence. The partner sees it, so it names neither ids nor addresses. */
export const creditReason = ({ kind, clickedAt }: Evidence): string =>
  ({
    click: `The visitor clicked your link${clickedAt ? ` on ${DAY.format(clickedAt)}` : ''}.`,
    lead_click: `The customer signed up after a click on your link${clickedAt ? ` on ${DAY.format(clickedAt)}` : ''}.`,
    coupon: 'The checkout used one of your coupons.',
    customer: 'The customer belongs to you.',
    address: 'The buyer is a customer of yours.',
  })[kind]
