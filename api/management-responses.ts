/** What the endpoints of design section 12 answer, for the API's description: no Worker carries these. */
import * as z from 'zod'
import { MAIL_STATUSES } from '../lib/mail/outbox.queries.ts'
import { PAYOUT_METHODS, PAYOUT_SCHEDULES, PAYOUT_STATUSES, SKIP_CODES } from '../lib/payouts/payouts.ts'
import { RUN_STATUSES } from '../lib/payouts/runs.ts'
import { COMMISSION_STATUSES } from '../lib/tracking/commissions.ts'

/** A page of a list. */
export const listOf = (row: z.ZodType) => z.object({ data: z.array(row), nextCursor: z.uuid().nullable() })

const at = z.iso.datetime()

export const WorkspaceResponse = z
  .object({ id: z.uuid(), slug: z.string(), name: z.string(), role: z.enum(['manager', 'member']) })
  .meta({ id: 'Workspace' })

export const MemberResponse = z
  .object({ id: z.uuid(), email: z.string(), role: z.enum(['manager', 'member']), createdAt: at })
  .meta({ id: 'Member' })

export const ApiKeyResponse = z
  .object({ id: z.uuid(), name: z.string(), createdAt: at, revokedAt: at.nullable() })
  .meta({ id: 'ApiKey' })

export const NewApiKeyResponse = z
  .object({
    id: z.uuid(),
    name: z.string(),
    createdAt: at,
    key: z.string().meta({ description: 'The key itself: only here, only now.' }),
  })
  .meta({ id: 'CreatedApiKey' })

const reward = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('percent'), percent: z.number() }),
  z.object({ kind: z.literal('flat'), amountCents: z.int(), currency: z.string() }),
])

export const ProgramResponse = z
  .object({
    id: z.uuid(),
    name: z.string(),
    siteUrl: z.url(),
    reward,
    rewardInterval: z.enum(['one-time', 'recurring']),
    rewardDurationMonths: z.int().nullable(),
    holdingDays: z.int(),
    attributionDays: z.int(),
    attribution: z.enum(['last', 'first']),
    attributeKnownCustomers: z.boolean(),
    minimumPayoutCents: z.int(),
    payoutSchedule: z.enum(PAYOUT_SCHEDULES),
    createdAt: at,
  })
  .meta({ id: 'Program' })

export const GroupResponse = z
  .object({
    id: z.uuid(),
    programId: z.uuid(),
    name: z.string(),
    saleReward: reward.nullable(),
    leadReward: reward.nullable(),
    createdAt: at,
  })
  .meta({ id: 'Group' })

export const CouponResponse = z
  .object({ couponId: z.string(), couponLabel: z.string().nullable() })
  .meta({ id: 'CouponAlias' })

export const PartnerResponse = z
  .object({
    id: z.uuid(),
    programId: z.uuid(),
    email: z.string(),
    name: z.string().nullable(),
    slug: z.string(),
    groupId: z.uuid().nullable(),
    status: z.enum(['approved', 'banned']),
    link: z.url(),
    coupons: z.array(CouponResponse),
  })
  .meta({ id: 'Partner' })

/** What a partner has earned in one currency, less what was taken back. */
export const BalanceResponse = z
  .object({
    currency: z.string(),
    pendingCents: z.int().meta({ description: 'Still held.' }),
    payableCents: z.int().meta({
      description: 'What the next payout run sees. Less than nothing when what was paid is taken back.',
    }),
    processingCents: z.int().meta({ description: 'In payouts on their way.' }),
    paidCents: z.int(),
  })
  .meta({ id: 'Balance' })

export const CommissionResponse = z
  .object({
    id: z.uuid(),
    kind: z.enum(['sale', 'lead', 'opening_balance', 'reversal']),
    amountCents: z.int().meta({
      description: 'Minor units. What a reversal takes back is negative, what it gives again is positive.',
    }),
    currency: z.string(),
    status: z.enum(COMMISSION_STATUSES),
    payableAt: at,
    createdAt: at,
    partnerId: z.uuid(),
    customerExternalId: z.string().nullable(),
    eventId: z.uuid().nullable(),
    reversesId: z.uuid().nullable().meta({ description: 'The commission that a reversal is about.' }),
    payoutId: z.uuid().nullable().meta({ description: 'The payout that has taken it, if one has.' }),
  })
  .meta({ id: 'Commission' })

export const PayoutResponse = z
  .object({
    id: z.uuid(),
    runId: z.uuid(),
    partnerId: z.uuid(),
    programId: z.uuid(),
    currency: z.string(),
    amountCents: z.int(),
    status: z.enum(PAYOUT_STATUSES).meta({
      description: 'A payout that has `failed` or was `canceled` has let go of its commissions.',
    }),
    method: z.enum(PAYOUT_METHODS),
    createdAt: at,
    paidAt: at.nullable(),
    failedAt: at.nullable(),
    canceledAt: at.nullable(),
    lastError: z.string().nullable().meta({ description: 'Why it failed, or waits to be tried again.' }),
    transferId: z.string().nullable().meta({ description: 'Stripe’s id of the transfer: `tr_...`' }),
  })
  .meta({ id: 'Payout' })

export const PayoutRunResponse = z
  .object({
    id: z.uuid(),
    method: z.enum(PAYOUT_METHODS),
    programId: z.uuid().nullable().meta({ description: 'null is all programs.' }),
    status: z.enum(RUN_STATUSES).meta({
      description: 'Of a run by Stripe: `paid` once nothing of it is on its way, whatever has failed.',
    }),
    createdBy: z.string().nullable().meta({ description: 'An e-mail address; null for the schedule.' }),
    scheduledFor: at.nullable(),
    createdAt: at,
    claimedAt: at.nullable().meta({ description: 'When the run had taken all that it pays.' }),
    markedPaidAt: at.nullable(),
    confirmedAt: at.nullable(),
    canceledAt: at.nullable(),
    totals: z.array(
      z.object({
        currency: z.string(),
        status: z.enum(PAYOUT_STATUSES),
        payouts: z.int(),
        amountCents: z.int(),
      }),
    ),
  })
  .meta({ id: 'PayoutRun' })

const owed = { partnerId: z.uuid(), currency: z.string(), amountCents: z.int() }

export const RunResultResponse = z
  .object({
    runId: z.uuid().nullable().meta({ description: 'null for a dry run.' }),
    payouts: z.array(
      z.object({
        id: z.uuid().nullable().meta({ description: 'null for a dry run.' }),
        ...owed,
        status: z.enum(['payable', ...PAYOUT_STATUSES]).meta({ description: '`payable` in a dry run.' }),
      }),
    ),
    skipped: z.array(z.object({ ...owed, code: z.enum(SKIP_CODES) })),
  })
  .meta({ id: 'PayoutRunResult' })

export const CustomerResponse = z
  .object({
    id: z.uuid(),
    externalId: z.string(),
    email: z.string().nullable(),
    name: z.string().nullable(),
    partnerId: z.uuid(),
    importedAt: at.nullable(),
    startedAt: at.nullable(),
  })
  .meta({ id: 'Customer' })

export const MailResponse = z
  .object({
    id: z.uuid(),
    kind: z.enum(['moved', 'invitation', 'connect_account', 'payout_sent', 'payout_failed']),
    to: z.string(),
    partnerId: z.uuid().nullable(),
    status: z.enum(MAIL_STATUSES),
    attempts: z.int(),
    lastError: z.string().nullable(),
    createdAt: at,
    nextAttemptAt: at.nullable(),
    sentAt: at.nullable(),
    failedAt: at.nullable(),
  })
  .meta({ id: 'Mail' })

export const StripeSecretResponse = z
  .object({
    id: z.uuid(),
    last4: z.string().meta({ description: 'The last four characters of the secret.' }),
    createdAt: at,
  })
  .meta({ id: 'StripeSecret' })

export const StripeKeyResponse = z
  .object({
    last4: z.string().meta({ description: 'The last four characters of the key.' }),
    stripeAccountId: z.string().meta({ description: 'Whose key it is: `acct_...`' }),
    livemode: z.boolean().meta({ description: 'false for a key of Stripe’s test mode.' }),
    createdAt: at,
  })
  .meta({ id: 'StripeKey' })

export const StripeResponse = z
  .object({
    webhookUrl: z.url().meta({ description: 'The address to which Stripe is to send events.' }),
    events: z.array(z.string()).meta({ description: 'The events that it is to send.' }),
    connectEvents: z.array(z.string()).meta({
      description:
        'The events of connected accounts, which a second endpoint is to send; see docs/stripe.md.',
    }),
    key: StripeKeyResponse.nullable().meta({
      description: 'The key from whose Stripe account partners are paid; null while there is none.',
    }),
    secrets: z.array(StripeSecretResponse),
    firstEventAt: at.nullable().meta({ description: 'When the first event arrived; null while none has.' }),
    lastEventAt: at.nullable(),
  })
  .meta({ id: 'Stripe' })

export const StripeEventResponse = z
  .object({
    id: z.uuid(),
    stripeId: z.string().meta({ description: 'Stripe’s id of the event: `evt_...`' }),
    type: z.string(),
    livemode: z.boolean().meta({ description: 'false for what happened in Stripe’s test mode.' }),
    occurredAt: at.meta({ description: 'By Stripe’s clock.' }),
    receivedAt: at,
    eventId: z
      .uuid()
      .nullable()
      .meta({ description: 'The sale that the event is about, once there is one.' }),
    outcome: z
      .object({
        code: z.string().meta({ description: 'Stable; see docs/stripe.md.' }),
        text: z.string().meta({ description: 'The same in words, for people. The wording may change.' }),
        facts: z.record(z.string(), z.unknown()),
      })
      .nullable()
      .meta({ description: 'What the event led to; null until that is saved.' }),
  })
  .meta({ id: 'StripeEvent' })

export const AuditEntryResponse = z
  .object({
    id: z.uuid(),
    actor: z.string().meta({ description: 'The e-mail address of whoever did it.' }),
    action: z.string().meta({ description: 'Such as `partners.imported`.' }),
    subjectId: z.uuid().nullable(),
    details: z.record(z.string(), z.unknown()),
    createdAt: at,
  })
  .meta({ id: 'AuditEntry' })
