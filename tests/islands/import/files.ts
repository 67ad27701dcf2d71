/**
 * Files of other platforms, as their exports begin. docs/imports.md says which headers their
 * sources confirm.
 */

export type PlatformFile = {
  platform: string | null
  what: string
  /** Where its headers come from. */
  source: string
  lines: string[]
  /** The slug of each partner's address. */
  partners: Record<string, string | undefined>
  /** The partner's address of each customer. */
  customers?: Record<string, string>
}

export const FILES: PlatformFile[] = [
  {
    platform: 'Rewardful',
    what: 'import template',
    source: 'https://help.rewardful.com/en/articles/1988486-how-do-i-import-data-into-rewardful',
    lines: [
      'stripe_customer_id,first_name,last_name,email,paypal_email,wise_email,token',
      'cus_1,Maya,Lindqvist,maya@partners.example,maya.pay@partners.example,,maya',
      ',Léo,Okafor,leo@partners.example,,,léo',
    ],
    partners: { 'maya@partners.example': 'maya', 'leo@partners.example': 'léo' },
    customers: { cus_1: 'maya@partners.example' },
  },
  {
    platform: 'Rewardful',
    what: 'affiliates',
    source: 'https://developers.rewardful.com/rest-api/affiliates/object',
    lines: [
      'id,first_name,last_name,email,state,stripe_customer_id,visitors,leads,conversions,link_token',
      'a1,Maya,Lindqvist,maya@partners.example,active,cus_own,12,3,1,maya',
    ],
    partners: { 'maya@partners.example': 'maya' },
  },
  {
    platform: 'FirstPromoter',
    what: 'promoters',
    source: 'https://docs.firstpromoter.com, guessed',
    lines: [
      'Email,First Name,Last Name,Ref ID,Referral Link,Promo code,Current balance',
      'maya@partners.example,Maya,Lindqvist,maya,https://shop.example/?fpr=maya,,12.50',
    ],
    partners: { 'maya@partners.example': 'maya' },
  },
  {
    platform: 'Dub',
    what: 'partners',
    source: 'https://github.com/dubinc/dub',
    lines: [
      'ID,Name,Email,Country,Status,Group,Enrolled at,Payouts enabled at',
      'pn_1,Maya Lindqvist,maya@partners.example,SE,approved,Default,2026-01-02T03:04:05Z,',
    ],
    partners: { 'maya@partners.example': undefined },
  },
  {
    platform: 'Dub',
    what: 'customers with their partners',
    source: 'https://github.com/dubinc/dub',
    lines: [
      'id,name,email,externalId,createdAt,firstSaleAt,subscriptionCanceledAt,link,partnerName,partnerEmail',
      'c1,Ann,ann@buyer.example,user_1,2026-01-02,2026-02-03,,https://go.shop.example/maya,Maya,maya@partners.example',
    ],
    partners: { 'maya@partners.example': 'maya' },
    customers: { user_1: 'maya@partners.example' },
  },
  {
    platform: 'Post Affiliate Pro',
    what: 'affiliates',
    source: 'the export’s first line and two headers; the others are guessed',
    lines: [
      '!USERID;!REFID;USERNAME;FIRSTNAME;LASTNAME;RSTATUS',
      '11111111;maya;maya@partners.example;Maya;Lindqvist;A',
    ],
    partners: { 'maya@partners.example': 'maya' },
  },
  {
    platform: 'LeadDyno',
    what: 'affiliates',
    source: 'not confirmed',
    lines: [
      'email,first_name,last_name,affiliate_code,paypal_email,parent_affiliate,affiliate_type',
      'maya@partners.example,Maya,Lindqvist,maya,,,Default',
    ],
    partners: { 'maya@partners.example': 'maya' },
  },
  {
    platform: 'Affonso',
    what: 'affiliates',
    source: 'not confirmed',
    lines: [
      'Name,Email,Tracking Parameter,PayPal Email',
      'Maya Lindqvist,maya@partners.example,maya,',
    ],
    partners: { 'maya@partners.example': 'maya' },
  },
  {
    platform: 'Partnero',
    what: 'partners',
    source: 'two headers; the others are guessed',
    lines: [
      'Partner key,Name,Email,Status,Joining date',
      'maya,Maya Lindqvist,maya@partners.example,Approved,2026-01-02',
    ],
    partners: { 'maya@partners.example': 'maya' },
  },
  {
    platform: 'PartnerStack',
    what: 'partners',
    source: 'not confirmed',
    lines: [
      'Partner_first,Partner_last,Partner_email,partner_key,Partner_group,Partner_joined_date',
      'Maya,Lindqvist,maya@partners.example,maya,Default,2026-01-02',
    ],
    partners: { 'maya@partners.example': 'maya' },
  },
  {
    platform: 'Tapfiliate',
    what: 'affiliates',
    source: 'https://tapfiliate.com/docs/rest/',
    lines: [
      'id,firstname,lastname,email,referral_code,referral_link,coupon',
      'maya-1,Maya,Lindqvist,maya@partners.example,maya,https://shop.example/?ref=maya,',
    ],
    partners: { 'maya@partners.example': 'maya' },
  },
  {
    platform: 'impact.com Advocate',
    what: 'users',
    source: 'not confirmed',
    lines: [
      'id,accountId,email,firstName,lastName,imageUrl',
      '1,2,maya@partners.example,Maya,Lindqvist,',
    ],
    partners: { 'maya@partners.example': undefined },
  },
  {
    platform: null,
    what: 'UpPromote’s affiliates',
    source: 'read as any other file',
    lines: [
      'first_name,last_name,email,affiliate_link',
      'Maya,Lindqvist,maya@partners.example,https://shop.example/?sca_ref=4412.Xy',
    ],
    partners: { 'maya@partners.example': '4412.Xy' },
  },
  {
    platform: null,
    what: 'Refersion’s affiliates',
    source: 'read as any other file',
    lines: [
      'first_name,last_name,email,link',
      'Maya,Lindqvist,maya@partners.example,https://shop.example/?rfsn=8451.1a2b3',
    ],
    partners: { 'maya@partners.example': '8451.1a2b3' },
  },
]
