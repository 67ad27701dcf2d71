/** The headers and mappings of other platforms' exports. docs/imports.md names their sources. */

import { NEW_PARTNER_EMAIL, type Preset } from './fields.ts'

/** Most platforms have two columns for the name. */
const NAMES = { firstName: ['first_name', 'firstname'], lastName: ['last_name', 'lastname'] }

export const PRESETS: Preset[] = [
  // Rows read by API, and their error files.
  {
    platform: null,
    rows: 'both',
    signs: [[NEW_PARTNER_EMAIL, 'partner_email']],
    columns: { email: [NEW_PARTNER_EMAIL], partnerEmail: ['partner_email'] },
  },
  {
    platform: 'Rewardful',
    rows: 'both',
    // A row per customer, in the three versions that Rewardful has documented.
    signs: [
      ['stripe_customer_id', 'email', 'first_name', 'token'],
      ['stripe_customer_id', 'email', 'first_name', 'paypal_email', 'wise_email'],
      ['imported_id', 'email', 'first_name', 'token'],
      ['stripe_customer_id', 'affiliate_email', 'affiliate_first_name'],
      ['link_token', 'customer_email', 'affiliate_email'],
    ],
    columns: {
      email: ['affiliate_email', 'email'],
      firstName: ['affiliate_first_name', 'first_name'],
      lastName: ['affiliate_last_name', 'last_name'],
      slug: ['token', 'link_token', 'link_url'],
      customerExternalId: ['stripe_customer_id', 'imported_id', 'customer_id'],
      customerEmail: ['customer_email'],
      startedAt: ['became_conversion_at'],
    },
  },
  {
    platform: 'Rewardful',
    rows: 'partners',
    signs: [['email', 'first_name', 'visitors', 'leads', 'conversions']],
    columns: {
      ...NAMES,
      email: ['email'],
      slug: ['token', 'link_token', 'link_url', 'links'],
      couponId: ['coupon_external_id'],
      couponLabel: ['coupon_token', 'coupon'],
      // In this export, the affiliate's own customer ID.
      ignored: ['stripe_customer_id'],
    },
  },
  {
    platform: 'FirstPromoter',
    rows: 'customers',
    signs: [
      ['uid', 'customer_since'],
      ['uid', 'promoter_email'],
    ],
    columns: {
      partnerEmail: ['promoter_email'],
      name: ['promoter_name'],
      slug: ['ref_id', 'ref_token', 'referral_link'],
      customerExternalId: ['uid'],
      customerEmail: ['email'],
      startedAt: ['customer_since'],
      ignored: ['name', 'first_name', 'last_name'],
    },
  },
  {
    platform: 'FirstPromoter',
    rows: 'partners',
    signs: [
      ['email', 'default_ref_id'],
      ['email', 'ref_id'],
      ['email', 'ref_token'],
    ],
    columns: {
      ...NAMES,
      email: ['email'],
      name: ['name'],
      slug: ['default_ref_id', 'ref_id', 'ref_token', 'referral_link', 'ref_link'],
      couponLabel: ['promo_code'],
      openingBalance: ['current_balance'],
    },
  },
  {
    platform: 'Tolt',
    rows: 'customers',
    signs: [['customer_id', 'lead_at', 'active_at']],
    columns: {
      partnerEmail: ['partner_email'],
      name: ['partner_name'],
      slug: ['link_value', 'partner_link', 'link'],
      customerExternalId: ['customer_id'],
      customerEmail: ['email'],
      startedAt: ['active_at'],
      ignored: ['name'],
    },
  },
  {
    platform: 'Tolt',
    rows: 'partners',
    signs: [
      ['email', 'payout_method', 'country_code'],
      ['email', 'link_param', 'link_value'],
    ],
    columns: {
      ...NAMES,
      email: ['email'],
      slug: ['link_value', 'link_url', 'link', 'referral_link'],
    },
  },
  {
    platform: 'PartnerStack',
    rows: 'customers',
    signs: [
      ['customer_key', 'partnership_key'],
      ['customer_key', 'partner_key'],
      ['customer_key', 'partner_email'],
    ],
    columns: {
      partnerEmail: ['partner_email', 'partnership_email'],
      customerExternalId: ['provider_key', 'customer_key'],
      customerEmail: ['email', 'customer_email'],
      startedAt: ['created_at', 'submitted_on'],
      // The partner key is not a link. Links are in the partner export.
      ignored: ['name', 'key', 'partner_key', 'partnership_key'],
    },
  },
  {
    platform: 'PartnerStack',
    rows: 'partners',
    signs: [
      ['partner_first', 'partner_last', 'partner_email', 'partner_key'],
      ['partner_key', 'email'],
      ['email', 'key', 'group'],
    ],
    // The key ends the default link.
    columns: {
      email: ['email', 'partner_email'],
      firstName: [...NAMES.firstName, 'partner_first'],
      lastName: [...NAMES.lastName, 'partner_last'],
      slug: ['link_url', 'url', 'link', 'partner_key', 'key'],
    },
  },
  {
    platform: 'Dub',
    rows: 'customers',
    signs: [
      ['partnerEmail', 'externalId', 'subscriptionCanceledAt'],
      ['partnerEmail', 'partnerTenantId'],
      ['partnerEmail', 'stripeCustomerId', 'firstSaleAt'],
      // The default export does not name the partner.
      ['email', 'externalId', 'stripeCustomerId', 'saleAmount'],
    ],
    columns: {
      partnerEmail: ['partnerEmail'],
      name: ['partnerName'],
      slug: ['link'],
      customerExternalId: ['stripeCustomerId', 'externalId'],
      customerEmail: ['email'],
      startedAt: ['firstSaleAt'],
      ignored: ['name'],
    },
  },
  {
    platform: 'Dub',
    rows: 'partners',
    signs: [['Email', 'Enrolled at', 'Payouts enabled at']],
    columns: { email: ['Email'], name: ['Name'], slug: ['link', 'links', 'short link'] },
  },
  {
    platform: 'Tapfiliate',
    rows: 'customers',
    signs: [
      ['customer_id', 'affiliate_email', 'meta_data'],
      ['customer_id', 'affiliate_email', 'program'],
    ],
    columns: {
      partnerEmail: ['affiliate_email'],
      firstName: ['affiliate_firstname'],
      lastName: ['affiliate_lastname'],
      slug: ['referral_code', 'affiliate_referral_link'],
      customerExternalId: ['customer_id'],
      startedAt: ['created_at'],
    },
  },
  {
    platform: 'Tapfiliate',
    rows: 'partners',
    signs: [
      ['email', 'referral_code'],
      ['email', 'referral_link', 'meta_data'],
      ['email', 'referral_link', 'source_id'],
    ],
    columns: {
      ...NAMES,
      email: ['email'],
      slug: ['referral_code', 'referral_link'],
      couponLabel: ['coupon'],
      openingBalance: ['balance'],
      balanceCurrency: ['currency'],
    },
  },
  {
    platform: 'Post Affiliate Pro',
    rows: 'partners',
    signs: [['userid', 'refid']],
    columns: {
      email: ['username', 'notificationemail', 'email'],
      firstName: ['firstname'],
      lastName: ['lastname'],
      slug: ['refid', 'userid'],
      status: ['rstatus'],
    },
  },
  {
    platform: 'LeadDyno',
    rows: 'partners',
    signs: [['email', 'affiliate_code', 'paypal_email']],
    columns: { ...NAMES, email: ['email'], slug: ['affiliate_code'] },
  },
  {
    platform: 'Affonso',
    rows: 'partners',
    signs: [['email', 'tracking parameter']],
    columns: { email: ['email'], name: ['name'], slug: ['tracking parameter'] },
  },
  {
    platform: 'Partnero',
    rows: 'partners',
    signs: [['partner key', 'email', 'joining date']],
    columns: { ...NAMES, email: ['email', 'partner email'], name: ['name'], slug: ['partner key'] },
  },
  {
    platform: 'impact.com Advocate',
    rows: 'partners',
    signs: [['id', 'accountId', 'email', 'firstName', 'lastName']],
    columns: { ...NAMES, email: ['email'], slug: ['referralCode', 'referralCodes'] },
  },
]
