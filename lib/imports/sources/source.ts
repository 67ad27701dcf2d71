/** What is read from the API of another platform, in the same form for all of them. */

/**
 * The lists of a platform. Links and coupons are lists of their own only where a partner does not
 * include them.
 */
export const RESOURCES = [
  'customers',
  'coupons',
  'links',
  'groups',
  'partners',
  'commissions',
] as const
export type Resource = (typeof RESOURCES)[number]

/**
 * Lists without which an import is of use all the same: if a platform refuses one to a token, the
 * others are read.
 */
export const DISPENSABLE: Resource[] = ['coupons', 'groups']

/** The platforms that are read. */
export const PLATFORM_IDS = ['rewardful', 'tolt', 'firstpromoter', 'dub'] as const
export type PlatformId = (typeof PLATFORM_IDS)[number]

/** What is read for: to import a program, or to compare the commissions of a shadow run. */
export const PURPOSES = ['import', 'shadow'] as const
export type Purpose = (typeof PURPOSES)[number]

/** The lists that are read. */
export const listsOf = (platform: Platform, purpose: Purpose): Resource[] =>
  purpose === 'shadow' ? ['commissions'] : platform.imported

/**
 * @property token what the platform calls its API key or secret
 * @property account the id of the account or program, for platforms that ask for it
 */
export type Credentials = { token: string; account: string | null }

/** A balance in minor units. */
export type Balance = { currency: string; cents: number }

/** A link: its slug, and its URL if the platform says it. */
export type SourceLink = { slug: string; url: string | null }

/**
 * `id` is the platform's own, and the same each time the row is read.
 *
 * @property group its name, or its id if groups are a list of their own
 * @property memberships other ids by which coupons name the partner, if there are any
 */
export type SourcePartner = {
  kind: 'partner'
  id: string
  email: string
  name: string | null
  status: string | null
  group: string | null
  memberships?: string[]
  links: SourceLink[]
  /** Coupons that are listed with the partner. */
  coupons: { externalId: string; code: string | null }[]
  /** What the partner has earned and was not paid. */
  balances: Balance[]
}

type SourcePartnerLink = { kind: 'link'; id: string; partnerId: string; link: SourceLink }

/** A group of partners, which name it by its id. */
type SourceGroup = { kind: 'group'; id: string; name: string }

/**
 * @property partnerId the partner's id, or one of its memberships
 * @property externalId the payment processor's id
 */
export type SourceCoupon = {
  kind: 'coupon'
  id: string
  partnerId: string
  externalId: string
  code: string | null
}

/** At least one of `externalId` and `email` is there, and of `partnerId` and `partnerEmail`. */
export type SourceCustomer = {
  kind: 'customer'
  id: string
  externalId: string | null
  email: string | null
  partnerId: string | null
  partnerEmail: string | null
  /** When the partner referred the customer, and when the customer first paid. ISO 8601. */
  referredAt: string | null
  startedAt: string | null
  /**
   * Of the partner's commissions for the customer, if there are any: when the first was earned, and
   * what was paid, by currency.
   */
  firstCommissionAt?: string
  prior?: Record<string, { commissions: number; amountCents: number }>
}

/**
 * What the platform has credited.
 *
 * @property customerId of its row in the list of customers
 * @property saleExternalId the payment processor's id of the payment
 * @property saleAmountCents what the commission was computed from, in `currency`
 */
export type SourceCommission = {
  kind: 'commission'
  id: string
  state: 'pending' | 'due' | 'paid' | 'voided' | 'other'
  amountCents: number
  currency: string
  saleAmountCents: number | null
  saleExternalId: string | null
  customerId: string | null
  customerExternalId: string | null
  customerEmail: string | null
  partnerId: string | null
  partnerEmail: string | null
  /** When the customer paid; ISO 8601. */
  soldAt: string
}

/** Why a row is not imported. */
export const LEFT_OUT = [
  'no_email',
  'no_customer',
  'no_partner',
  'no_processor_id',
  'archived',
  'deactivated',
  'not_money',
  'refused',
  'unreadable',
] as const
export type LeftOutReason = (typeof LEFT_OUT)[number]

/** @property name what the platform's own pages show of it: a name, an address or an id */
type SourceLeftOut = { kind: 'left_out'; id: string; reason: LeftOutReason; name: string }

export type SourceRow =
  | SourcePartner
  | SourcePartnerLink
  | SourceCoupon
  | SourceGroup
  | SourceCustomer
  | SourceCommission
  | SourceLeftOut

/**
 * @property next where the list goes on; null after the last page
 * @property total how many rows the list has, if the platform says so
 */
export type SourcePage = { rows: SourceRow[]; next: string | null; total: number | null }

/**
 * How a platform is read: pure, so that whoever does the I/O decides when.
 *
 * @property paging `number`: a list that grows or shrinks between two pages shifts the later ones
 * @property imported the lists that an import reads, in this order: customers before their
 *   commissions, and partners last, so that each partner of a customer is among them
 * @property owed which list says what partners are owed
 */
export type Platform = {
  id: PlatformId
  name: string
  /** The only address to which its tokens are sent. */
  baseUrl: string
  paging: 'number' | 'cursor'
  pageSize: number
  imported: Resource[]
  owed: 'partners' | 'commissions'
  /** What `Credentials.account` is; null if the platform asks for none. */
  account: string | null
  /** Where the token is found. */
  tokenHint: string
  /** What is to be known before the import; null if nothing is. */
  caution: string | null
  headers: (credentials: Credentials) => Record<string, string>
  /** The path and query of a page. @param cursor of the page before; null for the first */
  path: (resource: Resource, cursor: string | null, credentials: Credentials) => string
  /** @returns null for what is not a page of the list */
  read: (resource: Resource, body: unknown, cursor: string | null) => SourcePage | null
}
