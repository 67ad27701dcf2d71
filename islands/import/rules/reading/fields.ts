/** The fields of an import, and the headers of generic files. */

/** A field. `email` creates a partner from the row; `partnerEmail` refers to an existing one. */
export type Field =
  | 'email'
  | 'name'
  | 'firstName'
  | 'lastName'
  | 'slug'
  | 'couponId'
  | 'couponLabel'
  | 'openingBalance'
  | 'balanceCurrency'
  | 'status'
  | 'group'
  | 'partnerEmail'
  | 'customerExternalId'
  | 'customerEmail'
  | 'startedAt'
  | 'priorCommissions'
  | 'priorAmount'
  | 'priorCurrency'

/**
 * What each row describes: a partner, a customer with their own address, or a customer with only
 * the partner's address, from which the partner is imported too.
 */
export type RowKind = 'partners' | 'customers' | 'both'

/** The columns of one kind of export. */
export type Preset = {
  /** The platform's name; null for a generic file. */
  platform: string | null
  rows: RowKind
  /** A file with all headers of one of these lists is this export. */
  signs: string[][]
  /**
   * The headers of each field, of which the first in the file wins. `ignored` headers stay unused,
   * although generic files use them.
   */
  columns: Partial<Record<Field | 'ignored', string[]>>
}

/** The headers of generic files, which also apply to columns that a preset does not name. */
const PARTNER_WORDS: Preset['columns'] = {
  name: ['name', 'full_name', 'partner_name', 'affiliate_name', 'promoter_name'],
  firstName: [
    'first_name',
    'firstname',
    'partner_first_name',
    'affiliate_first_name',
    'given_name',
  ],
  lastName: [
    'last_name',
    'lastname',
    'partner_last_name',
    'affiliate_last_name',
    'surname',
    'family_name',
  ],
  slug: [
    ...[
      'slug',
      'via',
      'token',
      'link_token',
      'ref_id',
      'ref',
      'referral_code',
      'affiliate_code',
      'partner_slug',
    ],
    ...['referral_link', 'affiliate_link', 'partner_link', 'tracking_link', 'link_url', 'link'],
  ],
  couponId: ['coupon_id', 'stripe_coupon_id', 'promotion_code_id', 'coupon_external_id'],
  couponLabel: [
    'coupon_label',
    'coupon',
    'coupon_code',
    'promo_code',
    'promotion_code',
    'discount_code',
  ],
  openingBalance: [
    ...[
      'opening_balance_cents',
      'opening_balance_usd',
      'opening_balance',
      'balance_cents',
      'unpaid_cents',
      'due_cents',
      'balance',
    ],
    ...[
      'unpaid',
      'unpaid_balance',
      'unpaid_commissions',
      'unpaid_earnings',
      'amount_owed',
      'amount_due',
      'due',
    ],
  ],
  balanceCurrency: ['balance_currency', 'opening_balance_currency', 'currency', 'currency_code'],
  status: ['partner_status', 'affiliate_status', 'promoter_status'],
  group: ['partner_group', 'group_name', 'group', 'campaign_name', 'campaign'],
}

const CUSTOMER_WORDS: Preset['columns'] = {
  customerExternalId: [
    'stripe_customer_id',
    'customer_external_id',
    'customer_id',
    'external_customer_id',
  ],
  customerEmail: ['customer_email'],
  priorCommissions: ['prior_commissions', 'commissions_count', 'commission_count'],
  priorAmount: [
    ...['prior_amount_cents', 'prior_amount_major', 'prior_amount'],
    ...['commission_amount_cents', 'commission_amount', 'commission_cents'],
  ],
  priorCurrency: ['prior_currency', 'commission_currency'],
  startedAt: [
    'started_at',
    'customer_since',
    'first_sale_at',
    'first_paid_at',
    'became_conversion_at',
  ],
}

const EMAIL = ['email', 'e-mail', 'email_address']
const PARTNER_EMAIL = ['partner_email', 'affiliate_email', 'promoter_email', 'referrer_email']

/** In error files: the address of a partner who is imported, beside a customer. */
export const NEW_PARTNER_EMAIL = 'new_partner_email'

/** Generic files, by what their rows describe. */
export const GENERIC: Record<RowKind, Preset> = {
  partners: {
    platform: null,
    rows: 'partners',
    signs: [],
    columns: {
      ...PARTNER_WORDS,
      email: [...EMAIL, ...PARTNER_EMAIL],
      status: ['status', 'state', 'approval_status', ...(PARTNER_WORDS.status ?? [])],
    },
  },
  both: {
    platform: null,
    rows: 'both',
    signs: [[NEW_PARTNER_EMAIL]],
    columns: {
      ...PARTNER_WORDS,
      ...CUSTOMER_WORDS,
      email: [NEW_PARTNER_EMAIL, ...EMAIL, ...PARTNER_EMAIL],
    },
  },
  // The partner has a column of its own, so `email` is the customer's.
  customers: {
    platform: null,
    rows: 'customers',
    signs: PARTNER_EMAIL.map((header) => [header]),
    columns: {
      ...PARTNER_WORDS,
      ...CUSTOMER_WORDS,
      name: ['partner_name', 'affiliate_name', 'promoter_name'],
      firstName: ['partner_first_name', 'affiliate_first_name'],
      lastName: ['partner_last_name', 'affiliate_last_name'],
      partnerEmail: PARTNER_EMAIL,
      customerEmail: ['customer_email', ...EMAIL],
    },
  },
}

/** Normalized headers that only files about customers have. Error files mark the ignored ones. */
export const CUSTOMER_SIGN =
  /^(?!.*ignored$)((stripe|external)?customer(external|uu)?(id|key|uid|email|since)$|first(sale|paid|payment|purchase|order)|subscri(ption|bed)|(mrr|ltv|trialendsat|churnedat)$)/
