/** The facts that a report is decided from, in one read. */

import { newId } from '../../db/ids.ts'
import { withDates } from '../../db/json-rows.ts'
import type { Client } from '../../db/neon.ts'
import {
  type Attribution,
  type Click,
  type Facts,
  followReportedClick,
  type PartnerTerms,
  withCode,
} from '../../rules/attribution/attribution.ts'
import { clickIdsIn } from '../../rules/attribution/click-ids.ts'
import { followCode } from '../../rules/attribution/partner-codes.ts'
import { identityOf } from '../../rules/identities/identities.ts'
import { ownerInTime, type Referral } from '../../rules/identities/owner.ts'
import { purchaseKeyOf } from '../../rules/purchases/facts.ts'
import { isProcessorId } from '../../rules/purchases/processors.ts'
import type { ReportedRefund } from '../../rules/refunds/refunds.ts'
import type { CapFacts } from '../../rules/rewards/caps.ts'
import type { PaymentHistory } from '../../rules/rewards/conditions.ts'
import { judgedAt } from '../../rules/steps/occurred-at.ts'
import type { Report } from '../../rules/steps/report.ts'
import { type TierFacts, type TierFigures, tierOf } from '../../rules/tiers/tiers.ts'
import { slugKey } from '../../values/slugs.ts'
import type { ReportedCustomer } from './decided-report.ts'
import type { RecordedEvent } from './reports.queries.ts'

export type ReportFacts = Facts & {
  /** The API key's id. */
  keyId: string
  workspaceId: string
  /** The customer of the report, if it is known. */
  customer: ReportedCustomer | null
  /** Reported refunds that wait for this sale, oldest first. */
  refunds: ReportedRefund[]
  /** Whether sales were reported under the id of the customer, who is not known. */
  adoptsSales: boolean
  /** The event of an earlier report with the same id. If it is complete, nothing else is loaded. */
  recorded: RecordedEvent | null
  /** Whether a processor has reported something of this sale: the report is joined with it. */
  hasProcessorEvents: boolean
  /** Whether this sale may be reported twice: by a processor, or under another of its ids. */
  mayBeDuplicate: boolean
}

/** Why a report's API key is refused. A revoked or expired key counts as unknown. */
export type KeyRefusal = 'unknown_key' | 'insufficient_scope'

type ReportKey = Pick<
  Report,
  'kind' | 'externalId' | 'customerExternalId' | 'clickId' | 'occurredAt' | 'code'
>

/** What load_report of schema.sql returns. */
export type LoadedFacts = Omit<
  ReportFacts,
  'click' | 'customerPartner' | 'code' | 'history' | 'earned'
> & {
  /** Null if no reward in question asks for it. */
  history: FromJson<PaymentHistory> | null
  ofCustomer: CapFacts['ofCustomer'] | null
  ofMonth: Pick<CapFacts, 'month' | 'inMonth'> | null
  click: FromJson<Click> | null
  customerPartner: FromJson<PartnerTerms> | null
  /** Of a dated report: everybody who referred the customer, with the terms of that time. */
  referrals: ReferralRow[] | null
  referrers: FromJson<PartnerTerms>[] | null
  /** Who has the slug or coupon that the report names. */
  codeHolders: { isTrusted: boolean; partner: FromJson<PartnerTerms> }[]
}

type ReferralRow = FromJson<
  Pick<Referral, 'origin' | 'partnerId' | 'source' | 'attribution' | 'referredAt' | 'clickedAt'>
>

/**
 * Loads the workspace of the API key, the event of an earlier report, the click's partner and the
 * customer's partner.
 *
 * @returns why the key is refused, if it is
 */
export const loadReportFacts = async (
  db: Client,
  apiKeyHash: string,
  report: ReportKey,
  now: Date,
): Promise<ReportFacts | KeyRefusal> => {
  const wanted = wantedOf(report, now)
  const {
    kind,
    externalId,
    customer,
    clickIds,
    processorKey,
    isOwn,
    occurredAt,
    slugKey,
    couponCode,
  } = wanted
  const [row] = await db.query<{ facts: LoadedFacts | KeyRefusal }>(
    'select load_report($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as facts',
    [
      ...[apiKeyHash, kind, externalId, customer.kind, customer.value],
      ...[clickIds, processorKey, isOwn, now, occurredAt, slugKey, couponCode],
    ],
  )
  const facts = row?.facts ?? 'unknown_key'
  return typeof facts === 'string' ? facts : readFacts(facts, report, now)
}

/** What load_report is to load of a report. */
export const wantedOf = (report: ReportKey, now: Date) => {
  const { kind, externalId, customerExternalId, clickId, code } = report
  const occurredAt = judgedAt(report, now)
  const customer = identityOf(customerExternalId)
  // Only a sale under an id of the merchant's can be a possible duplicate, or depends on who
  // reports the sales that earn.
  const isOwn = kind === 'sale' && !isProcessorId(externalId)
  return {
    kind,
    externalId,
    customer,
    clickIds: clickId && clickIdsIn(clickId).join('\n'),
    processorKey: kind === 'lead' ? null : purchaseKeyOf(externalId),
    isOwn,
    occurredAt: occurredAt < now ? occurredAt : null,
    slugKey: code?.by === 'slug' ? slugKey(code.value) : null,
    couponCode: code?.by === 'coupon' ? slugKey(code.value) : null,
  }
}

/** What it has loaded. */
export const readFacts = (facts: LoadedFacts, report: ReportKey, now: Date): ReportFacts => {
  const occurredAt = judgedAt(report, now)
  const click = facts.click && reviveClick(facts.click)
  const holders = facts.codeHolders.map(({ isTrusted, partner }) => ({
    isTrusted,
    partner: reviveTerms(partner),
  }))
  const code = followCode(report.code, holders)
  const own = withCode(followReportedClick(report.clickId, click, occurredAt), code)
  const history = facts.history ? withDates(facts.history, 'firstSaleAt') : undefined
  const earned = earnedOf(facts)
  return { ...facts, click, code, history, earned, ...ownerOf(facts, own, occurredAt) }
}

const earnedOf = ({ ofCustomer, ofMonth }: LoadedFacts): CapFacts | undefined =>
  ofCustomer || ofMonth
    ? { ofCustomer: ofCustomer ?? [], month: '', inMonth: [], ...ofMonth }
    : undefined

/** The partner who owns the customer, or owned it at the time of a dated report. */
const ownerOf = (
  { customerPartner, referrals, referrers }: LoadedFacts,
  { credit }: Attribution,
  occurredAt: Date,
): Pick<Facts, 'customerPartner' | 'referredLaterAt'> => {
  if (!referrals) return { customerPartner: customerPartner && reviveTerms(customerPartner) }
  const own = credit && {
    // As if the event was saved: of reports of one time, the one received first comes first.
    origin: newId(),
    partnerId: credit.partner.id,
    source: 'click' as const,
    attribution: credit.partner.attribution,
    referredAt: occurredAt,
    clickedAt: null,
  }
  const find = (id: string | null) => referrers?.find((one) => one.id === id)
  const all = [
    ...referrals.map((row) => withDates(row, 'referredAt', 'clickedAt')),
    ...(own ? [own] : []),
  ]
  const { ownerId, referredLaterAt } = ownerInTime(all, occurredAt, find, undefined)
  const owner = find(ownerId)
  return {
    customerPartner: owner ? reviveTerms(owner) : (credit?.partner ?? null),
    referredLaterAt,
  }
}

/** A value as JSON holds it: dates are text. */
export type FromJson<T> = {
  [K in keyof T]: Date extends T[K]
    ? string | Extract<T[K], null>
    : T[K] extends PartnerTerms
      ? FromJson<PartnerTerms>
      : T[K] extends TierFacts | null
        ? TierFigures | Extract<T[K], null>
        : T[K]
}

export const reviveClick = (click: FromJson<Click>): Click => ({
  ...withDates(click, 'createdAt', 'expiresAt'),
  partner: reviveTerms(click.partner),
})

export const reviveTerms = ({ tier, ...terms }: FromJson<PartnerTerms>): PartnerTerms => ({
  ...withDates(terms, 'firstRewardedAt'),
  tier: tier && tierOf(tier),
})
