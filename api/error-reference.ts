/** The reference of error codes, for the errors page and OpenAPI. No Worker may bundle it. */
import type { ErrorCode } from '../lib/http/errors.ts'

type Reference = { when: string; remedy: string }

/** When each code occurs, and the remedy. */
export const ERROR_REFERENCE: Record<ErrorCode, Reference> = {
  invalid_body: {
    when: 'The body is not valid JSON, or a field is missing or invalid.',
    remedy: 'Correct the fields listed in `details`. Retrying the same request fails again.',
  },
  invalid_query: {
    when: 'A query parameter is invalid.',
    remedy: 'Correct the parameters listed in `details`.',
  },
  too_many_rows: {
    when: 'The import has more rows than one request accepts.',
    remedy: 'Split the import into several requests.',
  },
  currency_mismatch: {
    when: 'A refund has another currency than its sale.',
    remedy: 'Leave `currency` out, and send `amountCents` in the currency of the sale.',
  },
  invalid_idempotency_key: {
    when: 'The header `Idempotency-Key` is blank, longer than 255 characters, or not printable ASCII.',
    remedy: 'Send a random one, such as a UUID, with each new request.',
  },
  invalid_signature: {
    when: 'A webhook of Stripe or Resend is not signed with a saved signing secret, or its timestamp is too old.',
    remedy:
      'Check the URL of the endpoint, and that its signing secret is saved: Stripe’s on the Stripe page, Resend’s as `RESEND_WEBHOOK_SECRET`.',
  },
  invalid_api_key: {
    when: 'The API key is missing, malformed, unknown, revoked or expired.',
    remedy: 'Send an active API key of the workspace: `Authorization: Bearer trib_live_...`.',
  },
  not_signed_in: {
    when: 'There is no session, or it has expired.',
    remedy: 'Sign in at `/sign-in` and send the session cookie.',
  },
  manager_required: {
    when: 'Your role in the workspace does not allow this.',
    remedy: 'Ask a manager to do it, or to change your role.',
  },
  insufficient_scope: {
    when: 'The API key lacks the scope of the endpoint.',
    remedy: 'Create a key with the scope that the message names.',
  },
  fresh_sign_in_required: {
    when: 'The session’s sign-in is older than 12 hours, and the request changes something or downloads payment details.',
    remedy: 'Sign in again at `/sign-in`, and repeat the request with the new session cookie.',
  },
  passkey_required: {
    when: 'The setting `payoutsRequirePasskey` is on or changed, and no passkey has confirmed the session within 12 hours.',
    remedy: 'Confirm at `/auth/passkeys` in the browser of the session, and repeat the request.',
  },
  signup_closed: {
    when: 'Sign-up is closed on this installation, and this is not its owner’s first workspace.',
    remedy: 'Ask the administrator of this installation.',
  },
  cross_site_request: {
    when: 'The request came from a page of another site.',
    remedy: 'Send it from a page of this site, or without an `Origin` header.',
  },
  not_found: {
    when: 'The resource does not exist, or belongs to another workspace.',
    remedy: 'Check the URL, the workspace and the ID.',
  },
  partner_not_found: {
    when: 'The program has no active partner with this slug.',
    remedy: 'Check the link. The partner may be banned, or the slug misspelled.',
  },
  conflict: {
    when: 'The request conflicts with an existing resource.',
    remedy: 'Resolve the conflict that the message describes, and retry.',
  },
  links_unconfirmed: {
    when: 'An import would mail new partners, and it is unknown whether their links on the earlier platform still work.',
    remedy:
      'Open such a link on your site, or send `options.linkForms`. The message names the forms.',
  },
  idempotency_key_reused: {
    when: 'A request with this `Idempotency-Key` and another body was sent to the endpoint within 24 hours.',
    remedy: 'Send a new key with a new request. To repeat a request, send the same key and body.',
  },
  preview_changed: {
    when: 'A payout run would pay more than `expected`. Nothing was paid. `preview` is what it would pay now.',
    remedy: 'Check the new preview, and retry with its `previewedAt` and `totals`.',
  },
  commission_id_required: {
    when: 'A commission of a shadow run has no `id`, and the other platform is read by its API, so it cannot be matched with the commissions that were read.',
    remedy: 'Send the platform’s own ids, or read the platform by its API again.',
  },
  coupon_taken: {
    when: 'The coupon belongs to another partner of the workspace.',
    remedy: 'Remove it from that partner first.',
  },
  slug_taken: {
    when: 'Another partner of the program has the slug. `suggestion` is a free one.',
    remedy: 'Send another slug, or `"onSlugTaken": "suffix"`.',
  },
  body_too_large: {
    when: 'The body is larger than the endpoint accepts.',
    remedy:
      'Send at most 64 KiB to a tracking endpoint, 256 KiB as a sale, and 1 MiB as a batch or an import.',
  },
  unsupported_media_type: {
    when: 'The content type is not JSON.',
    remedy: 'Send the header `Content-Type: application/json`.',
  },
  unreadable_event: {
    when: 'A signed event of Stripe has an unknown form, or an amount above the limit. It does not count.',
    remedy:
      'Read the reason on the Stripe page. Stripe repeats the event for three days, and *Resend* repeats it later. It counts once it can be read.',
  },
  rate_limited: {
    when: 'Too many requests.',
    remedy: 'Retry after the seconds in `Retry-After`.',
  },
  internal: {
    when: 'An unexpected error occurred on the server. It has been logged.',
    remedy: 'Retry later. If the error persists, report the `requestId`.',
  },
  try_again: {
    when: 'The server could not confirm in time that the request was saved, or a row that it names was deleted meanwhile.',
    remedy:
      'Retry the same request after `Retry-After` seconds. Reports with an `externalId` and imports are idempotent.',
  },
}
