// Written by `npm run docs` from the OpenAPI document. Don't edit it.

type NoParameters = { query?: never; header?: never; path?: never; cookie?: never }

type Failure = { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Error"] } }

/** What an API key may call, with paths relative to the workspace. */
export interface paths {
"/api/track/lead": {
parameters: NoParameters
get?: never
put?: never
/** Report a lead */
post: {
parameters: NoParameters
requestBody: { content: { "application/json": components['schemas']["LeadEvent"] } }
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["TrackingResponse"] } }
400: Failure
401: Failure
403: Failure
413: Failure
415: Failure
429: Failure
500: Failure
503: Failure
}
}
delete?: never
patch?: never
}
"/api/track/sale": {
parameters: NoParameters
get?: never
put?: never
/** Report a sale */
post: {
parameters: NoParameters
requestBody: { content: { "application/json": components['schemas']["SaleEvent"] } }
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["TrackingResponse"] } }
400: Failure
401: Failure
403: Failure
413: Failure
415: Failure
429: Failure
500: Failure
503: Failure
}
}
delete?: never
patch?: never
}
"/api/track/refund": {
parameters: NoParameters
get?: never
put?: never
/** Report a refund */
post: {
parameters: NoParameters
requestBody: { content: { "application/json": components['schemas']["RefundEvent"] } }
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["TrackingResponse"] } }
400: Failure
401: Failure
403: Failure
413: Failure
415: Failure
429: Failure
500: Failure
503: Failure
}
}
delete?: never
patch?: never
}
"/events": {
parameters: NoParameters
/** List events, newest first */
get: {
parameters: { query?: { kind?: undefined | "sale" | "lead" | "refund"; externalId?: undefined | string; partnerId?: undefined | string; attributed?: undefined | string; overdue?: undefined | string; cursor?: undefined | string; limit?: undefined | number }; header?: never; path?: never; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": {
data: Array<components['schemas']["Event"]>
nextCursor: string | null
} } }
400: Failure
401: Failure
403: Failure
404: Failure
429: Failure
500: Failure
503: Failure
}
}
put?: never
post?: never
delete?: never
patch?: never
}
"/events/{id}": {
parameters: NoParameters
/** Get an event and the steps of its decision */
get: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Event"] } }
401: Failure
403: Failure
404: Failure
429: Failure
500: Failure
503: Failure
}
}
put?: never
post?: never
delete?: never
patch?: never
}
"/commissions": {
parameters: NoParameters
/** List commissions */
get: {
parameters: { query?: { partnerId?: undefined | string; customerExternalId?: undefined | string; eventId?: undefined | string; payoutId?: undefined | string; status?: undefined | "held" | "pending" | "payable" | "processing" | "paid"; kind?: undefined | "sale" | "lead" | "opening_balance" | "adjustment" | "reversal"; cursor?: undefined | string; limit?: undefined | number }; header?: never; path?: never; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": {
data: Array<components['schemas']["Commission"]>
nextCursor: string | null
} } }
400: Failure
401: Failure
403: Failure
404: Failure
429: Failure
500: Failure
503: Failure
}
}
put?: never
/** Adjust what a partner has earned */
post: {
parameters: NoParameters
requestBody: { content: { "application/json": components['schemas']["NewAdjustment"] } }
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Commission"] } }
201: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Commission"] } }
400: Failure
401: Failure
403: Failure
404: Failure
413: Failure
415: Failure
429: Failure
500: Failure
503: Failure
}
}
delete?: never
patch?: never
}
"/commissions/{id}": {
parameters: NoParameters
/** Get a commission */
get: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Commission"] } }
401: Failure
403: Failure
404: Failure
429: Failure
500: Failure
503: Failure
}
}
put?: never
post?: never
delete?: never
patch?: never
}
"/commissions/{id}/reverse": {
parameters: NoParameters
get?: never
put?: never
/** Reverse all or a part of a commission */
post: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody: { content: { "application/json": components['schemas']["NewReversal"] } }
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Commission"] } }
201: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Commission"] } }
400: Failure
401: Failure
403: Failure
404: Failure
409: Failure
413: Failure
415: Failure
429: Failure
500: Failure
503: Failure
}
}
delete?: never
patch?: never
}
"/customers": {
parameters: NoParameters
/** List customers */
get: {
parameters: { query?: { externalId?: undefined | string; email?: undefined | string; partnerId?: undefined | string; cursor?: undefined | string; limit?: undefined | number }; header?: never; path?: never; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": {
data: Array<components['schemas']["Customer"]>
nextCursor: string | null
} } }
400: Failure
401: Failure
403: Failure
404: Failure
429: Failure
500: Failure
503: Failure
}
}
put?: never
post?: never
delete?: never
patch?: never
}
"/customers/{id}": {
parameters: NoParameters
/** Get a customer. The id of one who was merged into another finds that one */
get: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Customer"] } }
401: Failure
403: Failure
404: Failure
429: Failure
500: Failure
503: Failure
}
}
put?: never
post?: never
delete?: never
patch?: never
}
"/programs": {
parameters: NoParameters
/** List programs */
get: {
parameters: { query?: { cursor?: undefined | string; limit?: undefined | number }; header?: never; path?: never; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": {
data: Array<components['schemas']["Program"]>
nextCursor: string | null
} } }
400: Failure
401: Failure
403: Failure
404: Failure
429: Failure
500: Failure
503: Failure
}
}
put?: never
post?: never
delete?: never
patch?: never
}
"/programs/{id}": {
parameters: NoParameters
/** Get a program */
get: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Program"] } }
401: Failure
403: Failure
404: Failure
429: Failure
500: Failure
503: Failure
}
}
put?: never
post?: never
delete?: never
patch?: never
}
"/programs/{id}/groups": {
parameters: NoParameters
/** List the groups of a program */
get: {
parameters: { query?: { cursor?: undefined | string; limit?: undefined | number }; header?: never; path: { id: string }; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": {
data: Array<components['schemas']["Group"]>
nextCursor: string | null
} } }
400: Failure
401: Failure
403: Failure
404: Failure
429: Failure
500: Failure
503: Failure
}
}
put?: never
/** Create a group */
post: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody: { content: { "application/json": components['schemas']["NewGroup"] } }
responses: {
201: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Group"] } }
400: Failure
401: Failure
403: Failure
404: Failure
413: Failure
415: Failure
429: Failure
500: Failure
503: Failure
}
}
delete?: never
patch?: never
}
"/groups/{id}": {
parameters: NoParameters
/** Get a group */
get: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Group"] } }
401: Failure
403: Failure
404: Failure
429: Failure
500: Failure
503: Failure
}
}
put?: never
post?: never
delete?: never
/** Update a group */
patch: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody: { content: { "application/json": components['schemas']["GroupChange"] } }
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Group"] } }
400: Failure
401: Failure
403: Failure
404: Failure
413: Failure
415: Failure
429: Failure
500: Failure
503: Failure
}
}
}
"/partners": {
parameters: NoParameters
/** List partners */
get: {
parameters: { query?: { programId?: undefined | string; email?: undefined | string; slug?: undefined | string; groupId?: undefined | string; status?: undefined | "approved" | "banned"; query?: undefined | string; cursor?: undefined | string; limit?: undefined | number }; header?: never; path?: never; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": {
data: Array<components['schemas']["Partner"]>
nextCursor: string | null
} } }
400: Failure
401: Failure
403: Failure
404: Failure
429: Failure
500: Failure
503: Failure
}
}
put?: never
post?: never
delete?: never
patch?: never
}
"/partners/{id}": {
parameters: NoParameters
/** Get a partner */
get: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Partner"] } }
401: Failure
403: Failure
404: Failure
429: Failure
500: Failure
503: Failure
}
}
put?: never
post?: never
delete?: never
/** Update a partner */
patch: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody: { content: { "application/json": components['schemas']["PartnerChange"] } }
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Partner"] } }
400: Failure
401: Failure
403: Failure
404: Failure
413: Failure
415: Failure
429: Failure
500: Failure
503: Failure
}
}
}
"/partners/{id}/balances": {
parameters: NoParameters
/** Get a partner’s balance in each currency */
get: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": {
data: Array<components['schemas']["Balance"]>
} } }
401: Failure
403: Failure
404: Failure
429: Failure
500: Failure
503: Failure
}
}
put?: never
post?: never
delete?: never
patch?: never
}
"/partners/{id}/coupons": {
parameters: NoParameters
/** List a partner’s coupon aliases */
get: {
parameters: { query?: { cursor?: undefined | string; limit?: undefined | number }; header?: never; path: { id: string }; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": {
data: Array<components['schemas']["CouponAlias"]>
nextCursor: string | null
} } }
400: Failure
401: Failure
403: Failure
404: Failure
429: Failure
500: Failure
503: Failure
}
}
put?: never
/** Add a coupon alias to a partner */
post: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody: { content: { "application/json": components['schemas']["NewCoupon"] } }
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["CouponAlias"] } }
201: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["CouponAlias"] } }
400: Failure
401: Failure
403: Failure
404: Failure
409: Failure
413: Failure
415: Failure
429: Failure
500: Failure
503: Failure
}
}
delete?: never
patch?: never
}
"/partners/{id}/coupons/{couponId}": {
parameters: NoParameters
get?: never
put?: never
post?: never
/** Remove a coupon alias */
delete: {
parameters: { query?: never; header?: never; path: { id: string; couponId: string }; cookie?: never }
requestBody?: never
responses: {
204: { headers: Record<string, unknown>; content?: never }
401: Failure
403: Failure
404: Failure
429: Failure
500: Failure
503: Failure
}
}
patch?: never
}
"/balances": {
parameters: NoParameters
/** List what is payable to partners, or owed by them */
get: {
parameters: { query?: { owed?: undefined | "true" | "false"; code?: undefined | "negative_balance" | "partner_banned" | "excluded" | "below_minimum" | "documents_missing" | "other_method" | "not_connected" | "account_changed" | "account_in_review" | "account_restricted" | "country_not_supported" | "amount_too_small" | "amount_too_fine" | "insufficient_funds" | "over_maximum"; partnerId?: undefined | string; cursor?: undefined | string; limit?: undefined | number }; header?: never; path?: never; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": {
data: Array<components['schemas']["PartnerBalance"]>
nextCursor: string | null
} } }
400: Failure
401: Failure
403: Failure
404: Failure
429: Failure
500: Failure
503: Failure
}
}
put?: never
post?: never
delete?: never
patch?: never
}
"/partners/{id}/statement": {
parameters: NoParameters
/** Get the statement of a partner for a month */
get: {
parameters: { query?: { month?: undefined | string; format?: undefined | "json" | "csv" }; header?: never; path: { id: string }; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Statement"]; "text/csv": string } }
400: Failure
401: Failure
404: Failure
429: Failure
500: Failure
503: Failure
}
}
put?: never
post?: never
delete?: never
patch?: never
}
"/settings": {
parameters: NoParameters
/** Read the settings of the workspace */
get: {
parameters: NoParameters
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Settings"] } }
401: Failure
403: Failure
404: Failure
429: Failure
500: Failure
503: Failure
}
}
put?: never
post?: never
delete?: never
patch?: never
}
}

/** The payloads of outgoing webhooks, by type. */
export interface webhooks {

}

export interface components {
schemas: {
LeadEvent: {
/** Your lead id, usually the user id. One lead per id. It is your customer id too, unless `customerExternalId` is given. */
externalId: string
/** Your customer id, if it differs from `externalId`. If a payment processor is connected, pass this id to it too. */
customerExternalId?: undefined | string | null
/** Saved if the lead is attributed. */
customerEmail?: undefined | string | null
/** Saved if the lead is attributed. */
customerName?: undefined | string | null
/** The visitor’s click, from `window.tributary.clickId()`. Without it, the event is not attributed. Any other text counts as an unknown click, and a blank one as none. */
clickId?: undefined | string | null
/** Your name for the event. */
eventName?: undefined | string | null
/** Free-form JSON object, at most 16 KiB and 32 levels deep. */
metadata?: undefined | Record<string, unknown> | null
}
SaleEvent: {
/** Your invoice or order id. One sale per id. For a payment that a connected payment processor reports too: its id of the invoice (`in_...`) or, without one, of the payment (`pi_...`). */
externalId: string
/** Your customer id, the same in every lead and sale. If a payment processor is connected, pass this id to it too. */
customerExternalId: string
/** What the customer paid, after discounts and net of tax, in minor units: 4900 is 49.00 USD, or 4,900 JPY. */
amountCents: number
/** ISO 4217 code, in any case. `USD` by default. */
currency?: undefined | string | null
/** The visitor’s click, from `window.tributary.clickId()`. Without it, the event is not attributed. Any other text counts as an unknown click, and a blank one as none. */
clickId?: undefined | string | null
/** Your name for the event. */
eventName?: undefined | string | null
/** Free-form JSON object, at most 16 KiB and 32 levels deep. */
metadata?: undefined | Record<string, unknown> | null
}
RefundEvent: {
/** Your refund or credit note id. One refund per id. */
externalId: string
/** The `externalId` of the sale. A refund that arrives before its sale waits for it. For a sale that a connected payment processor reports too, any of the processor’s ids of it works as well. */
saleExternalId: string
/** The part of the sale’s `amountCents` that was refunded. Without it, all that is left of the sale. More than is left counts as what is left. */
amountCents?: undefined | number | null
/** ISO 4217 code, in any case. That of the sale by default, and no other. */
currency?: undefined | string | null
/** Your name for the event. */
eventName?: undefined | string | null
/** Free-form JSON object, at most 16 KiB and 32 levels deep. */
metadata?: undefined | Record<string, unknown> | null
}
NewAdjustment: {
/** Your id for it. One adjustment per id: a repeat returns the first. */
externalId: string
/** The partner whose earnings change. */
partnerId: string
/** Added to what the partner has earned, or deducted if negative, in minor units. */
amountCents: number
/** ISO 4217 code, in any case. */
currency: string
/** Why. The partner sees it. */
reason: string
/** When it becomes payable. At once by default. */
payableAt?: undefined | string | null
/** The event that it is about. */
eventId?: undefined | string | null
/** The commission that it is about, of the same partner and currency. */
commissionId?: undefined | string | null
}
NewReversal: {
/** How much to reverse, in minor units. All that is left by default. */
amountCents?: undefined | number | null
/** Why. The partner sees it. */
reason: string
/** Your id for it. One reversal per id: a repeat returns the first. Required with `amountCents`. */
externalId?: undefined | string | null
}
NewGroup: {
/** The group’s name. */
name: string
/** Overrides the program’s reward; null for the program’s. */
saleReward?: undefined | {
kind: "percent"
/** Percentage of the sale, with at most two decimals. */
percent: number
} | {
kind: "flat"
/** Minor units: 500 is 5.00 USD. */
amountCents: number
/** ISO 4217 code, in any case. */
currency: string
} | null | null
/** The reward for a lead; null for none. */
leadReward?: undefined | {
kind: "percent"
/** Percentage of the sale, with at most two decimals. */
percent: number
} | {
kind: "flat"
/** Minor units: 500 is 5.00 USD. */
amountCents: number
/** ISO 4217 code, in any case. */
currency: string
} | null | null
}
GroupChange: {
/** The group’s name. */
name?: undefined | string
/** Overrides the program’s reward; null for the program’s. */
saleReward?: undefined | {
kind: "percent"
/** Percentage of the sale, with at most two decimals. */
percent: number
} | {
kind: "flat"
/** Minor units: 500 is 5.00 USD. */
amountCents: number
/** ISO 4217 code, in any case. */
currency: string
} | null
/** The reward for a lead; null for none. */
leadReward?: undefined | {
kind: "percent"
/** Percentage of the sale, with at most two decimals. */
percent: number
} | {
kind: "flat"
/** Minor units: 500 is 5.00 USD. */
amountCents: number
/** ISO 4217 code, in any case. */
currency: string
} | null
}
PartnerChange: {
/** The partner’s name; null for none. */
name?: undefined | string | null
/** A group of the partner’s program; null for none. */
groupId?: undefined | string | null
/** A banned partner’s links no longer work. Sales that were paid before are still earned. */
status?: undefined | "approved" | "banned"
/** The smallest sum that the partner is paid, in minor units of every currency; null for the program’s. */
minimumPayoutCents?: undefined | number | null
/** Whether you have the documents that you need from the partner, such as a tax form. */
documentsReceived?: undefined | boolean
}
NewCoupon: {
/** The id of a coupon or promotion code at the payment processor. */
couponId: (unknown) & (unknown)
/** The code that customers enter. */
couponLabel?: undefined | string | null
}
Error: {
error: {
code: string
message: string
details?: undefined | Array<{
path: string
message: string
}>
requestId: string
docUrl: string
}
}
TrackingResponse: {
/** null if the event is not attributed. */
eventId: string | null
attributed: boolean
}
Event: {
id: string
kind: "sale" | "lead" | "refund"
externalId: string
eventName: string
attributed: boolean
attributedBy: "coupon" | "click" | "customer" | null
partner: {
id: string
slug: string
name: string | null
email: string
} | null
customer: {
/** null until an event of the customer is attributed. */
id: string | null
/** Empty while a refund waits for its sale. */
externalId: string
email: string | null
name: string | null
}
/** Of a refund, what counts; null while it waits for its sale. A lead has none. */
amountCents: number | null
currency: string | null
/** The sale of a refund. Its id is null until the sale is known. */
sale: {
id: string | null
externalId: string
} | null
metadata: Record<string, unknown> | null
occurredAt: string
commission: {
id: string
amountCents: number
/** The amount reversed by refunds, disputes and corrections. */
reversedCents: number
currency: string
status: "held" | "pending" | "payable" | "processing" | "paid"
payableAt: string
} | null
steps: Array<{
/** Stable; see docs/decisions.md. */
code: string
/** The step in words. The wording may change. */
text: string
facts: Record<string, unknown>
}>
}
Commission: {
id: string
kind: "sale" | "lead" | "opening_balance" | "adjustment" | "reversal"
/** Minor units. A reversal is negative, and positive if it reinstates an amount; an adjustment is either. */
amountCents: number
currency: string
status: "held" | "pending" | "payable" | "processing" | "paid"
payableAt: string
createdAt: string
partnerId: string
customerExternalId: string | null
eventId: string | null
/** The commission that a reversal reverses. */
reversesId: string | null
/** The payout that includes it, if any. */
payoutId: string | null
/** Why the commission is or was held; null if it never was. */
hold: components['schemas']["Hold"] | null
/** Who adjusted the earnings or reversed the commission by hand, and why; null for other commissions. */
adjustment: components['schemas']["Adjustment"] | null
}
Hold: {
reason: "possible_duplicate" | "self_referral" | "manual"
/** The manager’s reason, which the partner sees; null unless the reason is `manual`. */
note: string | null
/** The manager’s email address; null if a rule holds the commission. */
createdBy: string | null
/** The other event, which may be the same purchase. */
evidenceEventId: string | null
createdAt: string
/** null while the commission is held. */
resolution: "released" | "rejected" | null
resolvedAt: string | null
/** The manager’s email address; null if a later event settled it. */
resolvedBy: string | null
}
Adjustment: {
externalId: string
/** The partner sees it. */
reason: string
/** The manager’s email address, or the name of the API key. */
createdBy: string
/** The event that it is about, if any. */
eventId: string | null
/** The commission that it is about, if any. */
commissionId: string | null
}
Customer: {
id: string
externalId: string
email: string | null
name: string | null
/** null if no partner has referred the customer. */
partnerId: string | null
importedAt: string | null
startedAt: string | null
/** The first 100, oldest first. */
identities: Array<{
/** `external` is your own id, `guest` a buyer without an id. An `email` only matches. */
kind: "external" | "stripe" | "guest" | "email"
value: string
/** Whether only an address that a buyer typed binds it. */
byAddress: boolean
/** What named it first, or tied it to the others. */
source: "lead" | "sale" | "import" | "purchase" | "customer"
/** The id of that lead, sale, purchase, or payment processor’s customer. */
evidence: string | null
/** The same in words. The wording may change. */
text: string
}>
}
Program: {
id: string
name: string
siteUrl: string
reward: {
kind: "percent"
percent: number
} | {
kind: "flat"
amountCents: number
currency: string
}
rewardInterval: "one-time" | "recurring"
rewardDurationMonths: number | null
oneTimeMinimumCents: number
rewardShipping: boolean
creditOutOfBand: boolean
holdingDays: number
netDays: number | null
attributionDays: number
attribution: "last" | "first"
attributeKnownCustomers: boolean
selfReferrals: "hold" | "allow" | "refuse"
minimumPayoutCents: number
payoutSchedule: "manual" | "weekly" | "twice_monthly" | "monthly"
payoutDays: Array<number>
reviewDays: number
createdAt: string
}
Group: {
id: string
programId: string
name: string
saleReward: {
kind: "percent"
percent: number
} | {
kind: "flat"
amountCents: number
currency: string
} | null
leadReward: {
kind: "percent"
percent: number
} | {
kind: "flat"
amountCents: number
currency: string
} | null
createdAt: string
}
Partner: {
id: string
programId: string
email: string
name: string | null
slug: string
groupId: string | null
status: "approved" | "banned"
link: string
/** null for the program’s. */
minimumPayoutCents: number | null
documentsReceivedAt: string | null
/** The Stripe account that the person has connected to the workspace, as last read from Stripe; null without one. */
payoutAccount: {
status: "onboarding" | "in_review" | "enabled" | "restricted" | "closed"
/** ISO 3166-1 alpha-2. */
country: string
/** null until Stripe has created it. */
stripeAccountId: string | null
/** Whether Stripe pays out to the account’s bank; null if that is not known. */
paysBank: boolean | null
/** When payouts to an account that replaced another one start, or have started; null for a first account. */
effectiveAt: string | null
} | null
coupons: Array<components['schemas']["CouponAlias"]>
}
CouponAlias: {
couponId: string
couponLabel: string | null
}
Balance: {
currency: string
/** Held for a manager’s review. */
heldCents: number
/** In the holding period. */
pendingCents: number
/** Included in the next payout run. Negative if commissions were reversed after they were paid. */
payableCents: number
/** In payouts that are being sent. */
processingCents: number
paidCents: number
}
PartnerBalance: {
partnerId: string
currency: string
/** What is payable now. Negative if the partner owes it. */
amountCents: number
/** Why a run would skip it; null if one would pay it, as far as the money suffices. */
code: "negative_balance" | "partner_banned" | "excluded" | "below_minimum" | "documents_missing" | "other_method" | "not_connected" | "account_changed" | "account_in_review" | "account_restricted" | "country_not_supported" | "amount_too_small" | "amount_too_fine" | "insufficient_funds" | "over_maximum" | null
/** Since when the balance has been negative; null if it is not. */
owedSince: string | null
}
Statement: {
partnerId: string
/** In UTC: `2026-10`. */
month: string
balances: Array<{
currency: string
/** What was owed when the month began. */
openingCents: number
sums: Array<{
kind: "sale" | "lead" | "opening_balance" | "adjustment" | "reversal" | "payout" | "returned_payout"
amountCents: number
}>
closingCents: number
}>
}
Settings: {
manualPayouts: boolean
approvalAboveCents: number | null
payoutOrder: "smallest_first" | "largest_first"
paypalPayouts: boolean
wisePayouts: boolean
ibanPayouts: boolean
requireDocuments: boolean
selfBilling: boolean
salesFrom: "both" | "stripe" | "api"
mode: "live" | "test"
}
}
}
