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
"/api/track/batch": {
parameters: NoParameters
get?: never
put?: never
/** Report up to 500 sales and leads */
post: {
parameters: NoParameters
requestBody: { content: { "application/json": components['schemas']["Batch"] } }
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["BatchResponse"] } }
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
"/api/track/sale/{externalId}": {
parameters: NoParameters
get?: never
put?: never
post?: never
delete?: never
/** Add a missing click or customer to a reported sale */
patch: {
parameters: { query?: never; header?: never; path: { externalId: string }; cookie?: never }
requestBody: { content: { "application/json": components['schemas']["SaleCorrection"] } }
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["TrackingResponse"] } }
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
parameters: { query?: { kind?: undefined | "sale" | "lead" | "refund"; externalId?: undefined | string; partnerId?: undefined | string; attributed?: undefined | string; overdue?: undefined | string; cursor?: undefined | string; limit?: undefined | number; order?: undefined | "desc" | "asc" }; header?: never; path?: never; cookie?: never }
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
"/mismatches": {
parameters: NoParameters
/** List reports that differ from the event with their ID, newest first */
get: {
parameters: { query?: { eventId?: undefined | string; cursor?: undefined | string; limit?: undefined | number }; header?: never; path?: never; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": {
data: Array<components['schemas']["Mismatch"]>
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
"/events/{id}/credit": {
parameters: NoParameters
get?: never
put?: never
/** Credit an event to a partner by hand */
post: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody: { content: { "application/json": components['schemas']["NewCredit"] } }
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Event"] } }
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
"/commissions": {
parameters: NoParameters
/** List commissions */
get: {
parameters: { query?: { partnerId?: undefined | string; customerExternalId?: undefined | string; eventId?: undefined | string; payoutId?: undefined | string; status?: undefined | "shadow" | "held" | "pending" | "payable" | "processing" | "paid"; kind?: undefined | "sale" | "lead" | "opening_balance" | "adjustment" | "bonus" | "reversal"; cursor?: undefined | string; limit?: undefined | number; order?: undefined | "desc" | "asc" }; header?: never; path?: never; cookie?: never }
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
parameters: { query?: never; header?: { "Idempotency-Key"?: undefined | string }; path?: never; cookie?: never }
requestBody: { content: { "application/json": components['schemas']["NewAdjustment"] } }
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
"/commissions/bulk": {
parameters: NoParameters
get?: never
put?: never
/** Give a bonus to many partners */
post: {
parameters: { query?: never; header?: { "Idempotency-Key"?: undefined | string }; path?: never; cookie?: never }
requestBody: { content: { "application/json": components['schemas']["NewBulkAdjustment"] } }
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["BulkAdjustment"] } }
201: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["BulkAdjustment"] } }
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
/** Reverse a commission in whole or in part */
post: {
parameters: { query?: never; header?: { "Idempotency-Key"?: undefined | string }; path: { id: string }; cookie?: never }
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
parameters: { query?: { externalId?: undefined | string; email?: undefined | string; partnerId?: undefined | string; cursor?: undefined | string; limit?: undefined | number; order?: undefined | "desc" | "asc" }; header?: never; path?: never; cookie?: never }
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
/** Get a customer; the id of a merged one finds the remaining one */
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
"/possible-merges": {
parameters: NoParameters
/** List possible merges of customers, newest first */
get: {
parameters: { query?: { status?: undefined | "open" | "merged" | "dismissed"; cursor?: undefined | string; limit?: undefined | number }; header?: never; path?: never; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": {
data: Array<components['schemas']["PossibleMerge"]>
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
"/programs/{id}/what-if": {
parameters: NoParameters
get?: never
put?: never
/** Preview changed terms of a program */
post: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody: { content: { "application/json": components['schemas']["ProgramChange"] } }
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["WhatIf"] } }
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
"/programs/{id}/brand": {
parameters: NoParameters
/** Get the branding of a program */
get: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Brand"] } }
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
parameters: { query?: never; header?: { "Idempotency-Key"?: undefined | string }; path: { id: string }; cookie?: never }
requestBody: { content: { "application/json": components['schemas']["NewGroup"] } }
responses: {
201: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Group"] } }
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
"/groups/{id}/what-if": {
parameters: NoParameters
get?: never
put?: never
/** Preview changed rewards of a group */
post: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody: { content: { "application/json": components['schemas']["GroupChange"] } }
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["WhatIf"] } }
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
/** Create a partner */
post: {
parameters: { query?: never; header?: { "Idempotency-Key"?: undefined | string }; path?: never; cookie?: never }
requestBody: { content: { "application/json": components['schemas']["NewPartner"] } }
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Partner"] } }
201: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Partner"] } }
400: Failure
401: Failure
403: Failure
404: Failure
409: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["SlugTaken"] } }
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
409: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["SlugTaken"] } }
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
"/partners/{id}/links": {
parameters: NoParameters
/** List a partner’s links, the main one first */
get: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": {
data: Array<components['schemas']["CountedLink"]>
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
/** Add a link to a partner */
post: {
parameters: { query?: never; header?: { "Idempotency-Key"?: undefined | string }; path: { id: string }; cookie?: never }
requestBody: { content: { "application/json": components['schemas']["NewLink"] } }
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Link"] } }
201: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Link"] } }
400: Failure
401: Failure
403: Failure
404: Failure
409: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["SlugTaken"] } }
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
"/partners/{id}/links/{slug}": {
parameters: NoParameters
get?: never
put?: never
post?: never
/** Release a link, whose slug another partner may then use */
delete: {
parameters: { query?: never; header?: never; path: { id: string; slug: string }; cookie?: never }
requestBody?: never
responses: {
204: { headers: Record<string, unknown>; content?: never }
401: Failure
403: Failure
404: Failure
409: Failure
429: Failure
500: Failure
503: Failure
}
}
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
parameters: { query?: never; header?: { "Idempotency-Key"?: undefined | string }; path: { id: string }; cookie?: never }
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
"/partners/{id}/notes": {
parameters: NoParameters
/** List the notes about a partner */
get: {
parameters: { query?: { cursor?: undefined | string; limit?: undefined | number }; header?: never; path: { id: string }; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": {
data: Array<components['schemas']["Note"]>
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
/** Add a note about a partner */
post: {
parameters: { query?: never; header?: { "Idempotency-Key"?: undefined | string }; path: { id: string }; cookie?: never }
requestBody: { content: { "application/json": components['schemas']["NewNote"] } }
responses: {
201: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Note"] } }
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
"/partners/{id}/notes/{noteId}": {
parameters: NoParameters
get?: never
put?: never
post?: never
/** Delete a note about a partner */
delete: {
parameters: { query?: never; header?: never; path: { id: string; noteId: string }; cookie?: never }
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
"/programs/{id}/shadow": {
parameters: NoParameters
/** Get the shadow run of a program */
get: {
parameters: { query?: { from?: undefined | string; to?: undefined | string }; header?: never; path: { id: string }; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["ShadowRun"] } }
400: Failure
401: Failure
403: Failure
404: Failure
409: Failure
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
"/programs/{id}/shadow/commissions": {
parameters: NoParameters
get?: never
put?: never
/** Upload commissions of the other platform */
post: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody: { content: { "application/json": components['schemas']["ShadowCommissions"] } }
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["ShadowCommissionUploadResult"] } }
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
"/programs/{id}/shadow/compare": {
parameters: NoParameters
get?: never
put?: never
/** Compare the changes in a shadow run */
post: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["ShadowCompareResult"] } }
401: Failure
403: Failure
404: Failure
409: Failure
429: Failure
500: Failure
503: Failure
}
}
delete?: never
patch?: never
}
"/programs/{id}/shadow/comparisons": {
parameters: NoParameters
/** List the sales of a shadow run, with what differs and why */
get: {
parameters: { query?: { cursor?: undefined | string; limit?: undefined | number; from?: undefined | string; to?: undefined | string; outcome?: undefined | "same" | "different" | "only_here" | "only_there"; reason?: undefined | "other_day" | "other_partner" | "currency" | "rounding" | "refund_not_seen_there" | "refund_not_seen_here" | "larger_base" | "smaller_base" | "rate" | "amount" | "self_referral_held" | "late_lead_held" | "over_budget_held" | "unverified_address_held" | "possible_duplicate_held" | "held_by_manager" | "no_click" | "unknown_click" | "expired_click" | "later_click" | "known_customer_not_credited" | "customer_not_imported" | "sale_not_reported" | "test_mode" | "partner_inactive" | "one_time_already_rewarded" | "past_reward_duration" | "below_one_time_minimum" | "self_referral_refused" | "proration" | "zero_amount" | "rejected_here" | "other_program" | "sale_expected" | "not_credited" | "second_commission" | "partner_not_there" | "not_uploaded_yet" | "not_reported_there"; partnerId?: undefined | string }; header?: never; path: { id: string }; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": {
data: Array<components['schemas']["ShadowComparison"]>
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
"/applications": {
parameters: NoParameters
/** List applications */
get: {
parameters: { query?: { programId?: undefined | string; status?: undefined | "invited" | "applied" | "approved" | "rejected"; cursor?: undefined | string; limit?: undefined | number }; header?: never; path?: never; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": {
data: Array<components['schemas']["Application"]>
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
"/applications/{id}": {
parameters: NoParameters
/** Get an application */
get: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Application"] } }
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
/** Delete an application that is not approved */
delete: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody?: never
responses: {
204: { headers: Record<string, unknown>; content?: never }
401: Failure
403: Failure
404: Failure
409: Failure
429: Failure
500: Failure
503: Failure
}
}
patch?: never
}
"/applications/{id}/approve": {
parameters: NoParameters
get?: never
put?: never
/** Approve an application: the person becomes a partner */
post: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody: { content: { "application/json": components['schemas']["Approval"] } }
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Application"] } }
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
"/applications/{id}/reject": {
parameters: NoParameters
get?: never
put?: never
/** Reject an application */
post: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody: { content: { "application/json": components['schemas']["Rejection"] } }
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Application"] } }
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
"/invitations": {
parameters: NoParameters
get?: never
put?: never
/** Invite people by email to become partners */
post: {
parameters: { query?: never; header?: { "Idempotency-Key"?: undefined | string }; path?: never; cookie?: never }
requestBody: { content: { "application/json": components['schemas']["NewInvitations"] } }
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Invitations"] } }
201: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Invitations"] } }
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
"/programs/{id}/join-page": {
parameters: NoParameters
/** Get the page on which people apply to a program */
get: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["JoinPage"] } }
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
"/programs/{id}/agreements": {
parameters: NoParameters
/** List the versions of a program’s terms */
get: {
parameters: { query?: { cursor?: undefined | number; limit?: undefined | number }; header?: never; path: { id: string }; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": {
data: Array<{
/** 1 is the first. */
version: number
createdBy: string
createdAt: string
}>
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
"/programs/{id}/agreements/{version}": {
parameters: NoParameters
/** Get a version of a program’s terms */
get: {
parameters: { query?: never; header?: never; path: { id: string; version: number }; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Agreement"] } }
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
"/balances": {
parameters: NoParameters
/** List what is payable to partners, or owed by them */
get: {
parameters: { query?: { owed?: undefined | "true" | "false"; code?: undefined | "program_in_shadow" | "test_partner" | "negative_balance" | "partner_banned" | "excluded" | "below_minimum" | "documents_missing" | "other_method" | "not_connected" | "account_changed" | "account_new" | "account_in_review" | "account_restricted" | "country_not_supported" | "amount_too_small" | "amount_too_fine" | "insufficient_funds" | "over_maximum"; partnerId?: undefined | string; cursor?: undefined | string; limit?: undefined | number }; header?: never; path?: never; cookie?: never }
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
"/webhook-endpoints": {
parameters: NoParameters
/** List webhook endpoints */
get: {
parameters: { query?: { cursor?: undefined | string; limit?: undefined | number }; header?: never; path?: never; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": {
data: Array<components['schemas']["WebhookEndpoint"]>
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
/** Add a webhook endpoint */
post: {
parameters: { query?: never; header?: { "Idempotency-Key"?: undefined | string }; path?: never; cookie?: never }
requestBody: { content: { "application/json": components['schemas']["NewWebhookEndpoint"] } }
responses: {
201: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["WebhookEndpointWithSecret"] } }
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
"/webhook-endpoints/{id}": {
parameters: NoParameters
/** Get a webhook endpoint */
get: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["WebhookEndpoint"] } }
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
/** Remove a webhook endpoint */
delete: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
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
/** Change, enable or disable a webhook endpoint */
patch: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody: { content: { "application/json": components['schemas']["WebhookEndpointChange"] } }
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["WebhookEndpoint"] } }
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
"/webhook-endpoints/{id}/rotate-secret": {
parameters: NoParameters
get?: never
put?: never
/** Replace the signing secret */
post: {
parameters: { query?: never; header?: { "Idempotency-Key"?: undefined | string }; path: { id: string }; cookie?: never }
requestBody: { content: { "application/json": components['schemas']["WebhookSecretRotation"] } }
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["WebhookEndpointWithSecret"] } }
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
"/webhook-endpoints/{id}/test": {
parameters: NoParameters
get?: never
put?: never
/** Send a test event */
post: {
parameters: { query?: never; header?: { "Idempotency-Key"?: undefined | string }; path: { id: string }; cookie?: never }
requestBody?: never
responses: {
201: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["WebhookDeliveryDetail"] } }
400: Failure
401: Failure
403: Failure
404: Failure
409: Failure
429: Failure
500: Failure
503: Failure
}
}
delete?: never
patch?: never
}
"/webhook-endpoints/{id}/resend": {
parameters: NoParameters
get?: never
put?: never
/** Resend the events since a time */
post: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody: { content: { "application/json": components['schemas']["WebhookResend"] } }
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["WebhookResendResult"] } }
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
"/webhook-deliveries": {
parameters: NoParameters
/** List webhook deliveries */
get: {
parameters: { query?: { cursor?: undefined | string; limit?: undefined | number; endpointId?: undefined | string; status?: undefined | "queued" | "retrying" | "delivered" | "failed" }; header?: never; path?: never; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": {
data: Array<components['schemas']["WebhookDelivery"]>
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
"/webhook-deliveries/{id}": {
parameters: NoParameters
/** Get a delivery with its requests and responses */
get: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["WebhookDeliveryDetail"] } }
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
"/webhook-deliveries/{id}/resend": {
parameters: NoParameters
get?: never
put?: never
/** Resend an event */
post: {
parameters: { query?: never; header?: never; path: { id: string }; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["WebhookDeliveryDetail"] } }
401: Failure
403: Failure
404: Failure
409: Failure
429: Failure
500: Failure
503: Failure
}
}
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
"/stats": {
parameters: NoParameters
/** Get statistics of a period, by day, partner, program, landing page, referrer or sub */
get: {
parameters: { query?: { from?: undefined | string; to?: undefined | string; by?: undefined | "day" | "partner" | "program" | "landingPage" | "referrer" | "sub"; programId?: undefined | string; partnerId?: undefined | string; cursor?: undefined | string; limit?: undefined | number }; header?: never; path?: never; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "application/json": components['schemas']["Stats"] } }
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
"/export/partners.csv": {
parameters: NoParameters
/** Export partners as a file, newest first */
get: {
parameters: { query?: { programId?: undefined | string; email?: undefined | string; slug?: undefined | string; groupId?: undefined | string; status?: undefined | "approved" | "banned"; query?: undefined | string; cursor?: undefined | string }; header?: never; path?: never; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "text/csv": string } }
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
"/export/applications.csv": {
parameters: NoParameters
/** Export applications as a file, newest first */
get: {
parameters: { query?: { programId?: undefined | string; status?: undefined | "invited" | "applied" | "approved" | "rejected"; cursor?: undefined | string }; header?: never; path?: never; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "text/csv": string } }
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
"/export/customers.csv": {
parameters: NoParameters
/** Export customers as a file, newest first */
get: {
parameters: { query?: { externalId?: undefined | string; email?: undefined | string; partnerId?: undefined | string; cursor?: undefined | string; order?: undefined | "desc" | "asc" }; header?: never; path?: never; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "text/csv": string } }
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
"/export/events.csv": {
parameters: NoParameters
/** Export events as a file, newest first */
get: {
parameters: { query?: { kind?: undefined | "sale" | "lead" | "refund"; externalId?: undefined | string; partnerId?: undefined | string; attributed?: undefined | string; overdue?: undefined | string; cursor?: undefined | string; order?: undefined | "desc" | "asc" }; header?: never; path?: never; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "text/csv": string } }
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
"/export/mismatches.csv": {
parameters: NoParameters
/** Export mismatches as a file, newest first */
get: {
parameters: { query?: { eventId?: undefined | string; cursor?: undefined | string }; header?: never; path?: never; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "text/csv": string } }
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
"/export/commissions.csv": {
parameters: NoParameters
/** Export commissions as a file, newest first */
get: {
parameters: { query?: { partnerId?: undefined | string; customerExternalId?: undefined | string; eventId?: undefined | string; payoutId?: undefined | string; status?: undefined | "shadow" | "held" | "pending" | "payable" | "processing" | "paid"; kind?: undefined | "sale" | "lead" | "opening_balance" | "adjustment" | "bonus" | "reversal"; cursor?: undefined | string; order?: undefined | "desc" | "asc" }; header?: never; path?: never; cookie?: never }
requestBody?: never
responses: {
200: { headers: Record<string, unknown>; content: { "text/csv": string } }
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
}

/** The payloads of outgoing webhooks, by type. */
export interface webhooks {
/** A partner was added */
"partner.created": {
type: "partner.created"
timestamp: string
data: components['schemas']["Partner"]
}
/** An applicant became a partner, or a partner was reinstated */
"partner.approved": {
type: "partner.approved"
timestamp: string
data: components['schemas']["Partner"]
}
/** A partner was banned */
"partner.banned": {
type: "partner.banned"
timestamp: string
data: components['schemas']["Partner"]
}
/** A lead was recorded */
"lead.created": {
type: "lead.created"
timestamp: string
data: components['schemas']["Event"]
}
/** A sale was recorded */
"sale.created": {
type: "sale.created"
timestamp: string
data: components['schemas']["Event"]
}
/** A refund of a sale was reported, by your backend or by Stripe */
"refund.created": {
type: "refund.created"
timestamp: string
data: components['schemas']["Event"]
}
/** A commission or adjustment was added */
"commission.created": {
type: "commission.created"
timestamp: string
data: components['schemas']["Commission"]
}
/** A commission was reversed, or an amount reinstated */
"commission.reversed": {
type: "commission.reversed"
timestamp: string
data: components['schemas']["Commission"]
}
/** A payout was created */
"payout.created": {
type: "payout.created"
timestamp: string
data: components['schemas']["Payout"]
}
/** A payout was sent, or marked as paid */
"payout.paid": {
type: "payout.paid"
timestamp: string
data: components['schemas']["Payout"]
}
/** A payout failed or was canceled, returned by the bank or reversed */
"payout.failed": {
type: "payout.failed"
timestamp: string
data: components['schemas']["Payout"]
}
/** A request of an import was saved */
"import.finished": {
type: "import.finished"
timestamp: string
data: components['schemas']["AuditEntry"]
}
/** An import was undone */
"import.undone": {
type: "import.undone"
timestamp: string
data: components['schemas']["AuditEntry"]
}
/** An endpoint is tested */
"webhook.test": {
type: "webhook.test"
timestamp: string
data: {
endpointId: string
}
}
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
/** Whether the address is verified. */
emailVerified?: undefined | boolean | null
/** Saved if the lead is attributed. */
customerName?: undefined | string | null
/** The visitor’s click, from `window.tributary.clickId()`. Without it, or with other text, the event is not attributed by a click. */
clickId?: undefined | string | null
/** Your name for the event. */
eventName?: undefined | string | null
/** The customer’s country: ISO 3166, in any case. */
customerCountry?: undefined | string | null
/** At most 16 KiB and 32 levels deep. */
metadata?: undefined | Record<string, unknown> | null
/** When it happened, if not now: ISO 8601 with `Z` or an offset, at most 400 days ago. */
occurredAt?: undefined | string | null
/** A slug of the partner, if the program has `trustedAttribution`. A valid click takes precedence. */
partnerSlug?: undefined | string | null
/** The ID or label of the partner’s coupon, if the program has `trustedAttribution`. */
couponCode?: undefined | string | null
}
SaleEvent: {
/** Your invoice or order id. One sale per id. If a connected payment processor also reports the payment: its invoice id (`in_...`) or else its payment id (`pi_...`). */
externalId: string
/** Your customer id, the same in every lead and sale. If a payment processor is connected, pass this id to it too. */
customerExternalId: string
/** What the customer paid, after discounts and net of tax, in minor units: 4900 is 49.00 USD, or 4,900 JPY. **49.00 is 0.49 USD.** */
amountCents: number
/** ISO 4217 code, in any case. `USD` by default. */
currency?: undefined | string | null
/** The visitor’s click, from `window.tributary.clickId()`. Without it, or with other text, the event is not attributed by a click. */
clickId?: undefined | string | null
/** Your name for the event. */
eventName?: undefined | string | null
/** What was bought. The amounts add up to `amountCents`. The metadata of the sale and of all lines have at most 16 KiB together. */
lines?: undefined | Array<components['schemas']["SaleLine"]> | null
/** The customer’s country: ISO 3166, in any case. */
customerCountry?: undefined | string | null
/** At most 16 KiB and 32 levels deep. */
metadata?: undefined | Record<string, unknown> | null
/** When it happened, if not now: ISO 8601 with `Z` or an offset, at most 400 days ago. */
occurredAt?: undefined | string | null
/** A slug of the partner, if the program has `trustedAttribution`. A valid click takes precedence. */
partnerSlug?: undefined | string | null
/** The ID or label of the partner’s coupon, if the program has `trustedAttribution`. */
couponCode?: undefined | string | null
}
SaleLine: {
/** Your id of the product. */
productId: string
/** Its name, as managers and partners read it. */
name?: undefined | string | null
quantity?: undefined | number | null
/** What the customer paid for the whole line. */
amountCents: number
/** Of the line. A rule reads it before that of the sale. */
metadata?: undefined | Record<string, unknown> | null
}
Batch: {
/** In the order in which they count. */
events: Array<components['schemas']["BatchEvent"]>
}
BatchEvent: components['schemas']["BatchSale"] | components['schemas']["BatchLead"]
BatchSale: {
/** Your invoice or order id. One sale per id. If a connected payment processor also reports the payment: its invoice id (`in_...`) or else its payment id (`pi_...`). */
externalId: string
/** Your customer id, the same in every lead and sale. If a payment processor is connected, pass this id to it too. */
customerExternalId: string
/** What the customer paid, after discounts and net of tax, in minor units: 4900 is 49.00 USD, or 4,900 JPY. **49.00 is 0.49 USD.** */
amountCents: number
/** ISO 4217 code, in any case. `USD` by default. */
currency?: undefined | string | null
/** The visitor’s click, from `window.tributary.clickId()`. Without it, or with other text, the event is not attributed by a click. */
clickId?: undefined | string | null
/** Your name for the event. */
eventName?: undefined | string | null
/** What was bought. The amounts add up to `amountCents`. The metadata of the sale and of all lines have at most 16 KiB together. */
lines?: undefined | Array<components['schemas']["SaleLine"]> | null
/** The customer’s country: ISO 3166, in any case. */
customerCountry?: undefined | string | null
/** At most 16 KiB and 32 levels deep. */
metadata?: undefined | Record<string, unknown> | null
/** When it happened, if not now: ISO 8601 with `Z` or an offset, at most 400 days ago. */
occurredAt?: undefined | string | null
/** A slug of the partner, if the program has `trustedAttribution`. A valid click takes precedence. */
partnerSlug?: undefined | string | null
/** The ID or label of the partner’s coupon, if the program has `trustedAttribution`. */
couponCode?: undefined | string | null
kind: "sale"
}
BatchLead: {
/** Your lead id, usually the user id. One lead per id. It is your customer id too, unless `customerExternalId` is given. */
externalId: string
/** Your customer id, if it differs from `externalId`. If a payment processor is connected, pass this id to it too. */
customerExternalId?: undefined | string | null
/** Saved if the lead is attributed. */
customerEmail?: undefined | string | null
/** Whether the address is verified. */
emailVerified?: undefined | boolean | null
/** Saved if the lead is attributed. */
customerName?: undefined | string | null
/** The visitor’s click, from `window.tributary.clickId()`. Without it, or with other text, the event is not attributed by a click. */
clickId?: undefined | string | null
/** Your name for the event. */
eventName?: undefined | string | null
/** The customer’s country: ISO 3166, in any case. */
customerCountry?: undefined | string | null
/** At most 16 KiB and 32 levels deep. */
metadata?: undefined | Record<string, unknown> | null
/** When it happened, if not now: ISO 8601 with `Z` or an offset, at most 400 days ago. */
occurredAt?: undefined | string | null
/** A slug of the partner, if the program has `trustedAttribution`. A valid click takes precedence. */
partnerSlug?: undefined | string | null
/** The ID or label of the partner’s coupon, if the program has `trustedAttribution`. */
couponCode?: undefined | string | null
kind: "lead"
}
SaleCorrection: {
/** The click of the sale, if its report had none, or an unknown one. */
clickId?: undefined | string | null
/** Your customer id, if the one that was reported is no customer’s, such as an order id. */
customerExternalId?: undefined | string | null
}
RefundEvent: {
/** Your refund or credit note id. One refund per id. */
externalId: string
/** The `externalId` of the sale, or any id of it at a connected payment processor that also reports it. A refund that arrives before its sale waits for it. */
saleExternalId: string
/** The part of the sale’s `amountCents` that was refunded. By default, and at most, what is not refunded yet. */
amountCents?: undefined | number | null
/** ISO 4217 code, in any case. By default that of the sale; no other is accepted. */
currency?: undefined | string | null
/** Your name for the event. */
eventName?: undefined | string | null
/** At most 16 KiB and 32 levels deep. */
metadata?: undefined | Record<string, unknown> | null
}
NewCredit: {
/** The partner to credit; null credits nobody. */
partnerId: string | null
/** Why. The partner sees it. */
reason: string
/** `true`: the customer belongs to the partner from now on. By default only if it belongs to nobody. */
customer?: undefined | boolean
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
NewBulkAdjustment: {
/** Your id for it. One request per id: a repeat changes nothing. */
externalId: string
/** The partners, each of whom earns the amount. A repeated id counts once. */
partnerIds: Array<string>
/** Added to what each partner has earned, in minor units. */
amountCents: number
/** ISO 4217 code, in any case. */
currency: string
/** Why. The partner sees it. */
reason: string
/** When it becomes payable. At once by default. */
payableAt?: undefined | string | null
}
NewReversal: {
/** How much to reverse, in minor units. All that is left by default. */
amountCents?: undefined | number | null
/** Why. The partner sees it. */
reason: string
/** Your id for it. One reversal per id: a repeat returns the first. Required with `amountCents`. */
externalId?: undefined | string | null
}
NewReward: {
kind: "percent"
/** Percentage of the sale, with at most two decimals. */
percent: number
/** The first rule whose conditions hold decides a line of the sale; without one, the base does. */
rules?: undefined | Array<components['schemas']["NewRewardRule"]> | null
/** What is earned at most. Commissions in a currency without a cap have none. */
caps?: undefined | Array<{
/** What earns at most the amount: one sale, one customer, or all sales of a partner in a calendar month (UTC). */
per: "sale" | "customer" | "partner_month"
/** Minor units: 500 is 5.00 USD. */
amountCents: number
/** ISO 4217 code, in any case. */
currency: string
}> | null
} | {
kind: "flat"
/** Minor units: 500 is 5.00 USD. */
amountCents: number
/** ISO 4217 code, in any case. */
currency: string
/** The first rule whose conditions hold decides a line of the sale; without one, the base does. */
rules?: undefined | Array<components['schemas']["NewRewardRule"]> | null
/** What is earned at most. Commissions in a currency without a cap have none. */
caps?: undefined | Array<{
/** What earns at most the amount: one sale, one customer, or all sales of a partner in a calendar month (UTC). */
per: "sale" | "customer" | "partner_month"
/** Minor units: 500 is 5.00 USD. */
amountCents: number
/** ISO 4217 code, in any case. */
currency: string
}> | null
}
NewRewardRule: {
/** What the rule is for. Explanations of commissions name it. Unique in a reward. */
name: string
/** Every condition holds. */
when: {
all: Array<components['schemas']["NewRewardCondition"] | {
any: Array<components['schemas']["NewRewardCondition"]>
}>
} | {
any: Array<components['schemas']["NewRewardCondition"] | {
all: Array<components['schemas']["NewRewardCondition"]>
}>
}
pay: {
kind: "percent"
/** Percentage of the line, with at most two decimals. */
percent: number
} | {
kind: "flat"
/** Minor units: 500 is 5.00 USD. */
amountCents: number
/** ISO 4217 code, in any case. */
currency: string
/** Pays the amount for each unit of a line. If absent, it is paid once for all lines of the sale that the rule decides. */
per?: undefined | "unit"
} | {
kind: "none"
}
/** Months for which the rule pays after the customer’s first rewarded sale; null for no limit, absent for the program’s. */
durationMonths?: undefined | number | null
}
NewRewardCondition: {
fact: "product"
in: Array<string>
} | {
fact: "payment"
of?: undefined | "customer" | "subscription"
/** The first payment that matches: 2 for renewals. */
atLeast?: undefined | number
/** The last payment that matches: 1 for first payments. */
atMost?: undefined | number
} | {
fact: "customerMonths"
/** The first month that matches, from 0. */
atLeast?: undefined | number
/** Months from this one do not match. */
below?: undefined | number
} | {
fact: "lineAmount"
/** ISO 4217 code, in any case. */
currency: string
/** The smallest amount. Minor units. */
atLeastCents?: undefined | number
/** Amounts from this one do not match. Minor units. */
belowCents?: undefined | number
} | {
fact: "saleAmount"
/** ISO 4217 code, in any case. */
currency: string
/** The smallest amount. Minor units. */
atLeastCents?: undefined | number
/** Amounts from this one do not match. Minor units. */
belowCents?: undefined | number
} | {
fact: "quantity"
/** The smallest quantity. */
atLeast?: undefined | number
/** The largest quantity. */
atMost?: undefined | number
} | {
fact: "billingInterval"
in: Array<"day" | "week" | "month" | "quarter" | "half_year" | "year">
} | {
fact: "coupon"
in?: undefined | Array<string>
} | {
fact: "metadata"
key: string
in?: undefined | Array<string>
} | {
fact: "country"
in: Array<string>
} | {
fact: "link"
in: Array<string>
} | {
fact: "sub"
in: Array<string>
} | {
fact: "tier"
in: Array<string>
} | {
fact: "day"
/** The first day that matches. */
from?: undefined | string
/** The last day that matches. */
until?: undefined | string
}
NewTiers: {
by: "netSales"
/** ISO 4217 code, in any case. */
currency: string
/** What counts: the calendar month, the calendar quarter, the last 365 days, or all time. */
period: "month" | "quarter" | "year" | "ever"
/** The time zone of days, months and quarters. */
timeZone?: undefined | string
levels: Array<{
/** Partners see it. Unique in the program. */
name: string
/** The group into which a partner moves that reaches the tier. */
groupId?: undefined | string
/** Whether a partner that falls below the tier returns to its former group. */
movesBack?: undefined | true
/** The net sales at which the tier begins. Minor units. */
atLeastCents: number
}>
} | {
by: "customers" | "sales"
/** What counts: the calendar month, the calendar quarter, the last 365 days, or all time. */
period: "month" | "quarter" | "year" | "ever"
/** The time zone of days, months and quarters. */
timeZone?: undefined | string
levels: Array<{
/** Partners see it. Unique in the program. */
name: string
/** The group into which a partner moves that reaches the tier. */
groupId?: undefined | string
/** Whether a partner that falls below the tier returns to its former group. */
movesBack?: undefined | true
/** The number at which the tier begins. */
atLeast: number
}>
}
ProgramChange: {
/** The program’s name. Partners see it. */
name?: undefined | string
/** The page that partners’ links point to. */
siteUrl?: undefined | string
/** The reward for a sale. A group can override it. */
reward?: undefined | components['schemas']["NewReward"]
/** Whether only a customer’s first sale is rewarded, or every sale. */
rewardInterval?: undefined | "one-time" | "recurring"
/** Months for which a recurring reward is paid; null for no limit. */
rewardDurationMonths?: undefined | number | null
/** The smallest sale that earns a one-time reward, in minor units of its currency. Smaller sales, such as paid trials, earn nothing, and a later sale can still earn the reward. */
oneTimeMinimumCents?: undefined | number
/** Whether a one-time reward is earned once per customer, or once per customer and product. */
oneTimePer?: undefined | "customer" | "product"
/** What partners reach by their sales. Conditions of rewards ask for it. */
tiers?: undefined | components['schemas']["NewTiers"] | null
/** What each partner earns once for a milestone. Replaces the whole list. */
bonuses?: undefined | Array<{
by: "netSales"
/** ISO 4217 code, in any case. */
currency: string
/** The net sales to reach, less refunds. Minor units. */
atLeastCents: number
/** Partners see it. Each partner earns a bonus of this name once. */
name: string
/** The amount of the bonus. */
pays: {
/** Minor units. */
amountCents: number
/** ISO 4217 code, in any case. */
currency: string
}
} | {
by: "customers" | "sales"
/** The number of customers or sales to reach. */
atLeast: number
/** Partners see it. Each partner earns a bonus of this name once. */
name: string
/** The amount of the bonus. */
pays: {
/** Minor units. */
amountCents: number
/** ISO 4217 code, in any case. */
currency: string
}
}>
/** What the program’s commissions of a calendar month (UTC) may come to. What is above it is held for a manager. Commissions in other currencies have no budget. */
monthlyBudget?: undefined | {
/** Minor units. */
amountCents: number
/** ISO 4217 code, in any case. */
currency: string
} | null
/** Whether rewards are calculated with the shipping costs of sales that Stripe reports. */
rewardShipping?: undefined | boolean
/** Whether invoices that Stripe reports as paid without a payment earn commissions: marked as paid, or paid from the customer’s credit balance. */
creditOutOfBand?: undefined | boolean
/** Days before a commission becomes payable. */
holdingDays?: undefined | number
/** Net terms, such as 30: a commission is payable that many days after the last day of its sale’s month (UTC), and not before its holding days are over. null for holding days alone. */
netDays?: undefined | number | null
/** Days before a click expires. */
attributionDays?: undefined | number
/** Whether the partner of a customer’s last attributed event is credited, or of the first. */
attribution?: undefined | "last" | "first"
/** Credits a known customer’s sales without a click, such as renewals. Applies to sales from now on. */
attributeKnownCustomers?: undefined | boolean
/** Days in which a later lead or sale with an earlier click credits a payment that credited nobody. The commission is held for a manager. 0 turns it off. Applies to sales from now on. */
lateLeadDays?: undefined | number
/** Credits sales and leads that your backend reports without a click to the partner whom it names by `partnerSlug` or `couponCode`. */
trustedAttribution?: undefined | boolean
/** Whether a commission whose customer has the partner’s own email address is held for a manager, paid like any other, or not created. */
selfReferrals?: undefined | "hold" | "allow" | "refuse"
/** What happens to a commission that is credited only by an address that no lead has reported as verified (`emailVerified`): paid like any other, or held for a manager. */
unverifiedAddresses?: undefined | "allow" | "hold"
/** The smallest balance that is paid out, in minor units. */
minimumPayoutCents?: undefined | number
/** When more than this is made payable by hand in a day, all managers are mailed. In minor units of any currency. */
manualEarningsNoticeCents?: undefined | number
/** How often partners are paid automatically by Stripe, from midnight UTC; never if `manual`. `payoutDays` has the days. A schedule starts three days after it is set. */
payoutSchedule?: undefined | "manual" | "weekly" | "twice_monthly" | "monthly"
/** The days of the schedule, sent with `payoutSchedule`: a weekday from 1, Monday, or days of the month to 28, or 31 for the last. null for Monday, the 1st, or the 1st and 15th. */
payoutDays?: undefined | Array<number> | null
/** Days between a scheduled run and its sending. Its payouts are fixed and mailed to managers, who can stop it before. */
reviewDays?: undefined | number
/** `shadow` while another platform pays the program’s partners: events are recorded and decided, and nothing is payable. The cut-over makes it `live`. */
mode?: undefined | "live" | "shadow"
}
NewGroup: {
/** The group’s name. */
name: string
/** Overrides the program’s reward; null keeps the program’s. */
saleReward?: undefined | components['schemas']["NewReward"] | null | null
/** The reward for a lead; null for none. */
leadReward?: undefined | {
kind: "percent"
/** Percentage of the sale, with at most two decimals. */
percent: number
/** The first rule whose conditions hold decides a line of the sale; without one, the base does. */
rules?: undefined | Array<components['schemas']["NewRewardRule"]> | null
/** What is earned at most. Commissions in a currency without a cap have none. */
caps?: undefined | Array<{
/** What earns at most the amount: one sale, one customer, or all sales of a partner in a calendar month (UTC). */
per: "sale" | "customer" | "partner_month"
/** Minor units: 500 is 5.00 USD. */
amountCents: number
/** ISO 4217 code, in any case. */
currency: string
}> | null
} | {
kind: "flat"
/** Minor units: 500 is 5.00 USD. */
amountCents: number
/** ISO 4217 code, in any case. */
currency: string
/** The first rule whose conditions hold decides a line of the sale; without one, the base does. */
rules?: undefined | Array<components['schemas']["NewRewardRule"]> | null
/** What is earned at most. Commissions in a currency without a cap have none. */
caps?: undefined | Array<{
/** What earns at most the amount: one sale, one customer, or all sales of a partner in a calendar month (UTC). */
per: "sale" | "customer" | "partner_month"
/** Minor units: 500 is 5.00 USD. */
amountCents: number
/** ISO 4217 code, in any case. */
currency: string
}> | null
} | null | null
}
GroupChange: {
/** The group’s name. */
name?: undefined | string
/** Overrides the program’s reward; null keeps the program’s. */
saleReward?: undefined | components['schemas']["NewReward"] | null
/** The reward for a lead; null for none. */
leadReward?: undefined | {
kind: "percent"
/** Percentage of the sale, with at most two decimals. */
percent: number
/** The first rule whose conditions hold decides a line of the sale; without one, the base does. */
rules?: undefined | Array<components['schemas']["NewRewardRule"]> | null
/** What is earned at most. Commissions in a currency without a cap have none. */
caps?: undefined | Array<{
/** What earns at most the amount: one sale, one customer, or all sales of a partner in a calendar month (UTC). */
per: "sale" | "customer" | "partner_month"
/** Minor units: 500 is 5.00 USD. */
amountCents: number
/** ISO 4217 code, in any case. */
currency: string
}> | null
} | {
kind: "flat"
/** Minor units: 500 is 5.00 USD. */
amountCents: number
/** ISO 4217 code, in any case. */
currency: string
/** The first rule whose conditions hold decides a line of the sale; without one, the base does. */
rules?: undefined | Array<components['schemas']["NewRewardRule"]> | null
/** What is earned at most. Commissions in a currency without a cap have none. */
caps?: undefined | Array<{
/** What earns at most the amount: one sale, one customer, or all sales of a partner in a calendar month (UTC). */
per: "sale" | "customer" | "partner_month"
/** Minor units: 500 is 5.00 USD. */
amountCents: number
/** ISO 4217 code, in any case. */
currency: string
}> | null
} | null
}
NewPartner: {
/** The program that the partner joins. */
programId: string
/** One partner per address and program. */
email: string
/** The partner’s name. */
name?: undefined | string | null
/** The value of `?via=` in the partner’s links, stored unchanged and matched in any case. Generated by default. */
slug?: undefined | string | null
/** A group of the program. */
groupId?: undefined | string | null
/** A coupon or promotion code whose sales are credited to the partner. */
couponId?: undefined | (unknown) & (unknown) | null
/** Sends the partner its link and the portal’s URL. */
sendWelcomeEmail?: undefined | boolean | null
/** Whether a taken slug is refused or gets a suffix. */
onSlugTaken?: undefined | "refuse" | "suffix" | null
}
PartnerChange: {
/** Corrects the address in all programs of the workspace. Unsent mails and the payout account move with it. The partner then signs in to the portal with the new address. */
email?: undefined | string
/** The value of `?via=` in the main link. Links with the former slug still work: see `GET /partners/:id/links`. */
slug?: undefined | string
/** The partner’s name; null for none. */
name?: undefined | string | null
/** A group of the partner’s program; null for none. */
groupId?: undefined | string | null
/** The partner’s own reward for sales, in place of the group’s and the program’s; null for theirs. */
reward?: undefined | components['schemas']["NewReward"] | null
/** Links of a banned partner do not work. Sales that were paid before the ban still earn commissions. */
status?: undefined | "approved" | "banned"
/** The smallest payout to the partner, in minor units of any currency; null for the program’s. */
minimumPayoutCents?: undefined | number | null
/** Whether you have received the partner’s documents, such as a tax form. */
documentsReceived?: undefined | boolean
}
NewLink: {
/** The value of `?via=`, stored unchanged and matched in any case. */
slug: string
}
NewCoupon: {
/** The id of a coupon or promotion code at the payment processor. */
couponId: (unknown) & (unknown)
/** The code that customers enter. */
couponLabel?: undefined | string | null
}
NewNote: {
/** Line breaks are kept. */
content: string
}
ShadowCommissions: {
rows: Array<{
/** The platform’s own id of the commission. A later row with the same id changes it. Without one, the row is known by its content. */
id?: undefined | string | null
/** `pending` and `due` are owed to the partner, `paid` was paid, and nothing is owed for `voided`. */
state?: undefined | "pending" | "due" | "paid" | "voided" | "other" | null
/** The commission, in minor units. */
amountCents: number
/** ISO 4217 code, in any case. */
currency: string
/** What the commission was computed from, in minor units of `currency`. */
saleAmountCents?: undefined | number | null
/** Ids of the sale: your own, as you report it, or Stripe’s of the invoice, payment, charge or checkout. */
saleIds?: undefined | Array<string> | null
/** The customer’s id, as you report it or at Stripe. */
customerExternalId?: undefined | string | null
/** The customer’s email address. */
customerEmail?: undefined | string | null
/** The partner whom the platform credits. */
partnerEmail?: undefined | string | null
/** When the customer paid: a date, or a time with its zone. */
soldAt: string
}>
}
Approval: {
/** The group of the new partner. It must be of the program. Default: the group of the invitation. */
groupId?: undefined | string | null
}
Rejection: {
/** Kept with the application, and in the mail. */
reason?: undefined | string | null
/** Whether the person can’t apply to the program again. */
block?: undefined | boolean | null
/** Whether the person gets an email, with the reason. */
sendEmail?: undefined | boolean | null
}
NewInvitations: {
programId: string
/** The group of the people who accept. It must be of the program. */
groupId?: undefined | string | null
emails: Array<string>
}
NewWebhookEndpoint: {
/** Where events are sent: https, and no address of a private network. */
url: string
/** The types of events to send. */
types: Array<"partner.created" | "partner.approved" | "partner.banned" | "lead.created" | "sale.created" | "refund.created" | "commission.created" | "commission.reversed" | "payout.created" | "payout.paid" | "payout.failed" | "import.finished" | "import.undone">
/** For people. */
description?: undefined | string | null
}
WebhookEndpointChange: {
/** Where events are sent: https, and no address of a private network. */
url?: undefined | string | null
/** The types of events to send. */
types?: undefined | Array<"partner.created" | "partner.approved" | "partner.banned" | "lead.created" | "sale.created" | "refund.created" | "commission.created" | "commission.reversed" | "payout.created" | "payout.paid" | "payout.failed" | "import.finished" | "import.undone"> | null
/** For people. */
description?: undefined | string | null
/** A disabled endpoint is sent nothing, and what happens meanwhile is not kept for it. */
enabled?: undefined | boolean | null
}
WebhookSecretRotation: {
/** How long requests are signed with the former secret too. */
overlapHours?: undefined | number
}
WebhookResend: {
/** Events from this time on. They are kept for 30 days. */
since: string
/** Not those that were delivered. */
onlyFailed?: undefined | boolean
}
Partner: {
id: string
programId: string
email: string
name: string | null
slug: string
groupId: string | null
/** The partner’s own reward for sales; null for the group’s or the program’s. */
reward: components['schemas']["Reward"] | null
status: "approved" | "banned"
/** Present only for the program’s test partner, which is never paid. */
test?: undefined | true
link: string
/** null for the program’s. */
minimumPayoutCents: number | null
documentsReceivedAt: string | null
/** The connected Stripe account, as last read from Stripe; null if there is none. */
payoutAccount: {
status: "onboarding" | "in_review" | "enabled" | "restricted" | "closed"
/** ISO 3166-1 alpha-2. */
country: string
/** null until Stripe has created it. */
stripeAccountId: string | null
/** Whether Stripe pays out to the account’s bank; null if unknown. */
paysBank: boolean | null
/** When payouts to an account that replaced another one start; null for a first account. */
effectiveAt: string | null
} | null
coupons: Array<components['schemas']["CouponAlias"]>
}
Reward: {
kind: "percent"
percent: number
/** In their order; absent if there are none. */
rules?: undefined | Array<components['schemas']["RewardRule"]>
/** What is earned at most; absent if there are none. */
caps?: undefined | Array<{
per: "sale" | "customer" | "partner_month"
amountCents: number
currency: string
}>
} | {
kind: "flat"
amountCents: number
currency: string
/** In their order; absent if there are none. */
rules?: undefined | Array<components['schemas']["RewardRule"]>
/** What is earned at most; absent if there are none. */
caps?: undefined | Array<{
per: "sale" | "customer" | "partner_month"
amountCents: number
currency: string
}>
}
RewardRule: {
name: string
when: {
all: Array<components['schemas']["RewardCondition"] | {
any: Array<components['schemas']["RewardCondition"]>
}>
} | {
any: Array<components['schemas']["RewardCondition"] | {
all: Array<components['schemas']["RewardCondition"]>
}>
}
pay: {
kind: "percent"
percent: number
} | {
kind: "flat"
amountCents: number
currency: string
/** Absent for an amount per sale. */
per?: undefined | "unit"
} | {
kind: "none"
}
/** null for no limit; absent for the program’s. */
durationMonths?: undefined | number | null
}
RewardCondition: {
fact: "product"
in: Array<string>
} | {
fact: "payment"
of?: undefined | "customer" | "subscription"
atLeast?: undefined | number
atMost?: undefined | number
} | {
fact: "customerMonths"
atLeast?: undefined | number
below?: undefined | number
} | {
fact: "lineAmount"
currency: string
atLeastCents?: undefined | number
belowCents?: undefined | number
} | {
fact: "saleAmount"
currency: string
atLeastCents?: undefined | number
belowCents?: undefined | number
} | {
fact: "quantity"
atLeast?: undefined | number
atMost?: undefined | number
} | {
fact: "billingInterval"
in: Array<"day" | "week" | "month" | "quarter" | "half_year" | "year">
} | {
fact: "coupon"
in?: undefined | Array<string>
} | {
fact: "metadata"
key: string
in?: undefined | Array<string>
} | {
fact: "country"
in: Array<string>
} | {
fact: "link"
in: Array<string>
} | {
fact: "sub"
in: Array<string>
} | {
fact: "tier"
in: Array<string>
} | {
fact: "day"
from?: undefined | string
until?: undefined | string
}
CouponAlias: {
couponId: string
couponLabel: string | null
}
Event: {
id: string
kind: "sale" | "lead" | "refund"
externalId: string
eventName: string
attributed: boolean
attributedBy: "coupon" | "click" | "code" | "customer" | "manual" | null
partner: {
id: string
slug: string
name: string | null
email: string
} | null
/** Only if the partner is the program’s test partner. */
test?: undefined | true
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
/** What was bought; null if the sale has no lines. */
lines: Array<components['schemas']["EventLine"]> | null
/** The customer’s country: ISO 3166, in upper case. */
customerCountry: string | null
metadata: Record<string, unknown> | null
occurredAt: string
commission: {
id: string
amountCents: number
/** The amount reversed by refunds, disputes and corrections. */
reversedCents: number
currency: string
status: "shadow" | "held" | "pending" | "payable" | "processing" | "paid"
payableAt: string | null
} | null
steps: Array<{
/** Stable; see docs/decisions.md. */
code: string
/** The step in words. The wording may change. */
text: string
facts: Record<string, unknown>
}>
}
EventLine: {
productId: string | null
/** As the payment processor reports it. */
priceId: string | null
name: string | null
quantity: number
/** After discounts and net of tax. */
amountCents: number
/** As the payment processor reports it. */
billingInterval: "day" | "week" | "month" | "quarter" | "half_year" | "year" | null
/** Whether it charges for a change of a subscription within a period. */
isProration: boolean
metadata: Record<string, unknown> | null
}
Commission: {
id: string
kind: "sale" | "lead" | "opening_balance" | "adjustment" | "bonus" | "reversal"
/** Minor units. A reversal is negative, and positive if it reinstates an amount; an adjustment is either. */
amountCents: number
currency: string
status: "shadow" | "held" | "pending" | "payable" | "processing" | "paid"
/** null of one that is never payable: of shadow mode. */
payableAt: string | null
createdAt: string
partnerId: string
/** Only of the program’s test partner, which is never paid. */
test?: undefined | true
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
/** The name of the bonus, also of what reverses one; null for other commissions. */
bonus: string | null
}
Hold: {
reason: "possible_duplicate" | "self_referral" | "late_lead" | "unverified_address" | "over_budget" | "manual"
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
Payout: {
id: string
/** What bank files and the partner’s portal name it by, unique in the workspace: `PO-000042`. */
reference: string
runId: string
partnerId: string
programId: string
currency: string
amountCents: number
/** The commissions of a `failed`, `canceled` or `returned` payout are payable again, and those of a `reversed` one once they are released. */
status: "processing" | "paid" | "failed" | "canceling" | "canceled" | "reversed" | "returned"
method: "stripe" | "manual"
createdAt: string
paidAt: string | null
failedAt: string | null
/** Since when nothing is sent for it. */
cancelRequestedAt: string | null
/** While it is `canceling`: until when Stripe is asked whether an earlier request made the transfer. Then it is `canceled`; if there is one, `paid`. null if nothing can be on its way. */
lookedUpUntil: string | null
canceledAt: string | null
/** Why it failed or is being retried. */
lastError: string | null
/** The id of the Stripe transfer: `tr_...` */
transferId: string | null
/** Where the money of a Stripe transfer is: `on_its_way` to the partner’s bank, `paid` out to it, or `refused` by it. It follows from the account’s payouts since the transfer, which Stripe bundles. null if nothing is known. */
bankStatus: "on_its_way" | "paid" | "refused" | null
/** What was reversed of the transfer at Stripe, in minor units. */
reversedCents: number
/** When the latest reversal was received. */
reversedAt: string | null
/** When a manager released the commissions of a `reversed` payout. */
releasedAt: string | null
/** Since when Stripe could not be asked for the transfer, after `lookedUpUntil`. A manager may then resolve it. */
unreachableSince: string | null
/** When a manager decided whether it was sent, because Stripe could not be asked. */
resolvedAt: string | null
resolutionReason: string | null
/** A Stripe transfer that should not exist: of a payout that was canceled, failed or marked as not sent, or a second one. */
foundTransferId: string | null
/** When a manager reported that the bank returned it. */
returnedAt: string | null
/** Why the bank returned it. */
returnReason: string | null
}
AuditEntry: {
id: string
/** The email address of the person who made the change, or `API key "<name>"`. */
actor: string
/** Such as `partners.imported`. */
action: string
subjectId: string | null
details: Record<string, unknown>
createdAt: string
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
BatchResponse: {
results: Array<components['schemas']["TrackingResponse"] | components['schemas']["Error"]>
}
Mismatch: {
id: string
/** The event that has the ID. */
eventId: string
kind: "sale" | "lead" | "refund"
externalId: string
/** As text, at most 500 characters each. Empty if only fields differ that are not kept with an event, such as `customerEmail`. */
differences: Array<{
/** Such as `amountCents`, or `metadata.plan`. */
field: string
/** What the event has. */
recorded: string | null
/** What the other report had. */
reported: string | null
}>
/** How often this body was reported. */
reports: number
firstReportedAt: string
lastReportedAt: string
}
BulkAdjustment: {
externalId: string
/** How many adjustments the first request made. */
partners: number
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
/** What a partner was paid for the customer on another platform, as an import says. */
prior: {
partnerId: string
commissions: number | null
amountCents: number | null
currency: string
} | null
/** The first 100, oldest first. Erased addresses are left out. */
identities: Array<{
/** `external` is your own id, `guest` a buyer without an id. An `email` only matches. */
kind: "external" | "stripe" | "guest" | "email"
value: string
/** What named it first, or tied it to the others. */
source: "lead" | "sale" | "import" | "purchase" | "customer"
/** The id of that lead, sale, purchase, or payment processor’s customer. */
evidence: string | null
/** The same in words. The wording may change. */
text: string
}>
}
PossibleMerge: {
id: string
/** `open` until a manager decides. `merged` also if your ids have tied the two since. */
status: "open" | "merged" | "dismissed"
/** Who paid. */
customer: {
id: string
externalId: string
email: string | null
/** Who owns the customer; null if nobody does. */
partnerId: string | null
/** What the customer has paid, by currency. */
paid: Array<{
currency: string
sales: number
amountCents: number
}>
}
/** Whom the checkout names. */
namedCustomer: {
id: string
externalId: string
email: string | null
/** Who owns the customer; null if nobody does. */
partnerId: string | null
/** What the customer has paid, by currency. */
paid: Array<{
currency: string
sales: number
amountCents: number
}>
}
/** The payment processor’s id of the checkout. */
checkoutId: string
/** The event of its sale, once it is known. */
saleId: string | null
createdAt: string
resolvedAt: string | null
resolvedBy: string | null
}
Program: {
id: string
name: string
siteUrl: string
reward: components['schemas']["Reward"]
rewardInterval: "one-time" | "recurring"
rewardDurationMonths: number | null
oneTimeMinimumCents: number
oneTimePer: "customer" | "product"
tiers: components['schemas']["Tiers"] | null
bonuses: Array<components['schemas']["Bonus"]>
monthlyBudget: {
amountCents: number
currency: string
} | null
rewardShipping: boolean
creditOutOfBand: boolean
holdingDays: number
netDays: number | null
attributionDays: number
attribution: "last" | "first"
attributeKnownCustomers: boolean
lateLeadDays: number
trustedAttribution: boolean
selfReferrals: "hold" | "allow" | "refuse"
unverifiedAddresses: "allow" | "hold"
minimumPayoutCents: number
manualEarningsNoticeCents: number
payoutSchedule: "manual" | "weekly" | "twice_monthly" | "monthly"
payoutDays: Array<number>
/** When the schedule starts to pay. */
payoutScheduleSince: string
reviewDays: number
mode: "live" | "shadow"
createdAt: string
}
Tiers: {
by: "netSales"
currency: string
period: "month" | "quarter" | "year" | "ever"
timeZone: string
levels: Array<{
name: string
groupId?: undefined | string
movesBack?: undefined | true
atLeastCents: number
}>
} | {
by: "customers" | "sales"
period: "month" | "quarter" | "year" | "ever"
timeZone: string
levels: Array<{
name: string
groupId?: undefined | string
movesBack?: undefined | true
atLeast: number
}>
}
Bonus: {
by: "netSales"
currency: string
atLeastCents: number
name: string
pays: {
amountCents: number
currency: string
}
/** When the bonus was added. A milestone that was reached before earns nothing. */
since: string
} | {
by: "customers" | "sales"
atLeast: number
name: string
pays: {
amountCents: number
currency: string
}
/** When the bonus was added. A milestone that was reached before earns nothing. */
since: string
}
WhatIf: {
/** Events from this time on are compared: 90 days, or fewer if `isWhole` is false. */
from: string
to: string
/** Whether all events of 90 days are compared. Of more than 20,000, it is the latest. */
isWhole: boolean
currencies: Array<{
currency: string
/** What the events earn under the present terms, in minor units. */
currentCents: number
/** What they would earn under the changed terms. */
changedCents: number
differenceCents: number
/** The partners with the largest differences, 20 at most. */
partners: Array<{
id: string
name: string | null
slug: string
/** What the events earn under the present terms, in minor units. */
currentCents: number
/** What they would earn under the changed terms. */
changedCents: number
differenceCents: number
}>
/** All other partners who earn in this currency, together. */
others: {
count: number
/** What the events earn under the present terms, in minor units. */
currentCents: number
/** What they would earn under the changed terms. */
changedCents: number
differenceCents: number
}
}>
}
Brand: {
logoUrl: string | null
accentColor: string | null
supportEmail: string | null
/** Whether somebody who reads the support address has confirmed it. Then replies to mails go there. */
supportEmailVerified: boolean
version: number
}
Group: {
id: string
programId: string
name: string
saleReward: components['schemas']["Reward"] | null
leadReward: components['schemas']["Reward"] | null
createdAt: string
}
SlugTaken: {
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
suggestion?: undefined | string
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
CountedLink: {
slug: string
link: string
/** Whether its slug is the partner’s. */
isMain: boolean
/** Visits, as in charts. */
clicks: number
/** Sales that are credited by a click on the link. */
sales: number
}
Link: {
slug: string
link: string
/** Whether its slug is the partner’s. */
isMain: boolean
}
Note: {
id: string
content: string
/** An email address, or `API key "<name>"`. */
author: string
createdAt: string
}
ShadowRun: {
startedAt: string
endedAt: string | null
/** Commissions of the other platform. */
uploaded: number
/** Of these, those that are to be compared yet. */
waiting: number
newestSoldAt: string | null
sums: Array<{
outcome: "same" | "different" | "only_here" | "only_there"
currency: string
sales: number
hereCents: number
thereCents: number
}>
}
ShadowCommissionUploadResult: {
summary: {
created: number
updated: number
unchanged: number
errors: number
}
results: Array<{
id: string | null
status: "created" | "updated" | "unchanged" | "error"
/** What to correct. */
message?: undefined | string
}>
}
ShadowCompareResult: {
/** Whether to call it again. */
isMore: boolean
}
ShadowComparison: {
id: string
day: string
outcome: "same" | "different" | "only_here" | "only_there"
reason: "other_day" | "other_partner" | "currency" | "rounding" | "refund_not_seen_there" | "refund_not_seen_here" | "larger_base" | "smaller_base" | "rate" | "amount" | "self_referral_held" | "late_lead_held" | "over_budget_held" | "unverified_address_held" | "possible_duplicate_held" | "held_by_manager" | "no_click" | "unknown_click" | "expired_click" | "later_click" | "known_customer_not_credited" | "customer_not_imported" | "sale_not_reported" | "test_mode" | "partner_inactive" | "one_time_already_rewarded" | "past_reward_duration" | "below_one_time_minimum" | "self_referral_refused" | "proration" | "zero_amount" | "rejected_here" | "other_program" | "sale_expected" | "not_credited" | "second_commission" | "partner_not_there" | "not_uploaded_yet" | "not_reported_there" | null
/** The reason in words. */
text: string | null
here: {
eventId: string
saleExternalId: string | null
partnerEmail: string | null
/** null if it earns nothing. */
amountCents: number | null
currency: string | null
} | null
there: {
id: string
saleIds: Array<string>
partnerEmail: string | null
soldAt: string
/** null if it is voided. */
amountCents: number | null
currency: string | null
} | null
}
Application: {
id: string
programId: string
/** Proved by a sign-in link, unless the person is only invited. */
email: string
/** null until the person answers an invitation. */
name: string | null
status: "invited" | "applied" | "approved" | "rejected"
siteUrl: string | null
/** How the person will promote the program. */
promotion: string | null
/** The questions as the page asked them. */
answers: Array<{
question: string
answer: string
}>
/** The version of the terms that the person has accepted. */
agreementVersion: number | null
appliedAt: string | null
invitedAt: string | null
invitedBy: string | null
/** The group of the invitation. */
groupId: string | null
decidedAt: string | null
/** An email address, or `API key "<name>"`; null if the page approved automatically. */
decidedBy: string | null
/** Why it was rejected. */
reason: string | null
/** Whether the person can’t apply to the program again. */
blocked: boolean
/** The partner that the person has become. */
partnerId: string | null
}
Invitations: {
summary: {
/** People who get an email. */
invited: number
/** People who were invited within the last day, and get no other email. */
invitedBefore: number
/** People who are partners of the program. */
partners: number
/** People whose applications wait. */
applied: number
/** People who are blocked. */
blocked: number
}
results: Array<{
email: string
status: "invited" | "invited_before" | "partner" | "applied" | "blocked"
/** null for a partner who has not applied. */
applicationId: string | null
}>
}
JoinPage: {
/** Where people apply. It exists once settings were saved. */
url: string
open: boolean
intro: string
questions: Array<string>
approves: boolean
groupId: string | null
/** The newest terms; null if there is nothing to accept. */
agreement: {
/** 1 is the first. */
version: number
content: string
} | null
}
Agreement: {
/** 1 is the first. */
version: number
createdBy: string
createdAt: string
/** null if the version ended the terms. */
content: string | null
}
PartnerBalance: {
partnerId: string
currency: string
/** What is payable now. Negative if the partner owes it. */
amountCents: number
/** Why a run would skip it; null if one would pay it, as far as the money suffices. */
code: "program_in_shadow" | "test_partner" | "negative_balance" | "partner_banned" | "excluded" | "below_minimum" | "documents_missing" | "other_method" | "not_connected" | "account_changed" | "account_new" | "account_in_review" | "account_restricted" | "country_not_supported" | "amount_too_small" | "amount_too_fine" | "insufficient_funds" | "over_maximum" | null
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
kind: "sale" | "lead" | "opening_balance" | "adjustment" | "bonus" | "reversal" | "payout" | "returned_payout"
amountCents: number
}>
closingCents: number
}>
}
WebhookEndpoint: {
id: string
url: string
description: string | null
types: Array<"partner.created" | "partner.approved" | "partner.banned" | "lead.created" | "sale.created" | "refund.created" | "commission.created" | "commission.reversed" | "payout.created" | "payout.paid" | "payout.failed" | "import.finished" | "import.undone">
status: "enabled" | "disabled"
/** `failing`: no request had succeeded for three days. */
disabledReason: "manager" | "failing" | null
disabledAt: string | null
/** The first failure after which no request has succeeded; null after a success. */
failingSince: string | null
/** Until when requests are signed with the former secret too; null if it has ended. */
formerSecretUntil: string | null
createdAt: string
}
WebhookEndpointWithSecret: {
id: string
url: string
description: string | null
types: Array<"partner.created" | "partner.approved" | "partner.banned" | "lead.created" | "sale.created" | "refund.created" | "commission.created" | "commission.reversed" | "payout.created" | "payout.paid" | "payout.failed" | "import.finished" | "import.undone">
status: "enabled" | "disabled"
/** `failing`: no request had succeeded for three days. */
disabledReason: "manager" | "failing" | null
disabledAt: string | null
/** The first failure after which no request has succeeded; null after a success. */
failingSince: string | null
/** Until when requests are signed with the former secret too; null if it has ended. */
formerSecretUntil: string | null
createdAt: string
/** Signs the requests: `whsec_...`. Returned only here: it cannot be retrieved later. */
secret: string
}
WebhookDeliveryDetail: {
id: string
endpointId: string
/** The `webhook-id` of the requests. */
eventId: string
type: string
/** The id of what the event is about. */
subjectId: string
status: "queued" | "retrying" | "delivered" | "failed"
/** Since it was last queued. */
attempts: number
createdAt: string
/** null if it has ended. */
nextAttemptAt: string | null
deliveredAt: string | null
failedAt: string | null
/** The body of the requests; null until the first one, and after an erasure. */
payload: string | null
/** The latest 20 requests, the first one first. */
tries: Array<{
at: string
/** Of the response; null without one. */
status: number | null
ms: number
error: "status" | "timeout" | "unreachable" | "refused_url" | "endpoint_disabled" | "unreadable_secret" | "no_subject" | null
/** The beginning of the response’s body. */
response: string | null
}>
}
WebhookResendResult: {
resent: number
/** The `since` of the next request, if there were more than one request resends; else null. */
continueFrom: string | null
}
WebhookDelivery: {
id: string
endpointId: string
/** The `webhook-id` of the requests. */
eventId: string
type: string
/** The id of what the event is about. */
subjectId: string
status: "queued" | "retrying" | "delivered" | "failed"
/** Since it was last queued. */
attempts: number
createdAt: string
/** null if it has ended. */
nextAttemptAt: string | null
deliveredAt: string | null
failedAt: string | null
}
Settings: {
manualPayouts: boolean
approvalAboveCents: number | null
/** A higher `approvalAboveCents`, or null, that another manager has to approve. */
limitRequest: {
id: string
approvalAboveCents: number | null
requestedBy: string
requestedAt: string
} | null
payoutOrder: "smallest_first" | "largest_first"
paypalPayouts: boolean
wisePayouts: boolean
ibanPayouts: boolean
requireDocuments: boolean
payoutsRequirePasskey: boolean
selfBilling: boolean
salesFrom: "both" | "stripe" | "api"
backendCreatesCheckouts: boolean
mode: "live" | "test"
}
Stats: {
from: string
to: string
data: Array<{
/** null unless rows are of days. */
day: string | null
/** null unless rows are of partners. */
partnerId: string | null
/** null unless rows are of programs; null there too for what is credited to nobody. */
programId: string | null
/** null unless rows are of landing pages; null there too for what came without a known one. */
landingPage: string | null
/** A host without `www.`, or `(direct)` if the browser named none. null unless rows are of referrers; null there too for what came without a known one. */
referrer: string | null
/** The `sub` of the link, such as a newsletter. null unless rows are of subs; null there too for all others. */
sub: string | null
/** As charts count them. */
clicks: number
/** Credited or not. */
leads: number
/** New customers of partners, on the day of their first event. null for landing pages, referrers and subs. */
customers: number | null
/** Credited or not. */
sales: number
amounts: Array<{
currency: string
/** What the sales amount to, refunds included. */
revenueCents: number
/** What sales and leads of the period earned, less what was reversed of it by now. */
commissionCents: number
}>
}>
/** Of partners. */
nextCursor: string | null
}
}
}
