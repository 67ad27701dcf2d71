/**
 * Whether a report after a payment credits it, and what is in doubt then: rules without a database.
 */
import { describe, expect, test } from 'vitest'
import {
  attribute,
  type Facts,
  type PartnerTerms,
} from '../../lib/rules/attribution/attribution.ts'
import { isLate, isTooLate, ownerInTime } from '../../lib/rules/identities/owner.ts'

const PAID = new Date('2026-06-15T12:00:00.999Z')
const minutesLater = (minutes: number) => new Date(Number(PAID) + minutes * 60_000)
const DAY = 24 * 60

test.each([
  { case: 'before the payment', minutes: -60, days: 0, is: 'in_time' },
  { case: 'five minutes after it', minutes: 5, days: 0, is: 'in_time' },
  { case: 'later than that', minutes: 5.001, days: 0, is: 'too_late' },
  { case: 'within the days', minutes: 7 * DAY, days: 7, is: 'late' },
  { case: 'after the days', minutes: 7 * DAY + 1, days: 7, is: 'too_late' },
])('a lead $case is $is', ({ minutes, days, is }) => {
  const reported = minutesLater(minutes)
  const late = isLate(reported, PAID) ? 'late' : 'in_time'
  expect(isTooLate(reported, PAID, { lateLeadDays: days }) ? 'too_late' : late).toBe(is)
})

const referral = (partnerId: string, referredAt: number, clickedAt: number | null = -60) => ({
  ...{ origin: partnerId, partnerId, source: 'click' as const, attribution: 'last' as const },
  ...{
    referredAt: minutesLater(referredAt),
    clickedAt: clickedAt === null ? null : minutesLater(clickedAt),
  },
})

describe('whose the customer is', () => {
  const days = (of: Record<string, number>) => (id: string) =>
    id in of ? { lateLeadDays: of[id] ?? 0 } : undefined

  test.each([
    { case: 'referred before', referrals: [referral('maya', -1)], owner: 'maya', later: null },
    { case: 'within minutes', referrals: [referral('maya', 2)], owner: 'maya', later: 2 },
    { case: 'days later', referrals: [referral('maya', DAY)], owner: 'maya', later: DAY },
    { case: 'too late', referrals: [referral('maya', 8 * DAY)], owner: null, later: null },
    {
      case: 'too late for the first one’s program, in time for the other’s',
      referrals: [referral('leo', DAY), referral('maya', 2 * DAY)],
      owner: 'maya',
      later: 2 * DAY,
    },
    { case: 'clicked after it', referrals: [referral('maya', 10, 1)], owner: null, later: null },
    {
      case: 'a late one takes nothing from an earlier one',
      referrals: [referral('leo', -1), referral('maya', 2)],
      owner: 'leo',
      later: null,
    },
    {
      case: 'the address was named later than the customer was referred',
      referrals: [referral('maya', -DAY)],
      namedAt: DAY,
      owner: 'maya',
      later: DAY,
    },
    {
      case: 'the address was named too late',
      referrals: [referral('maya', -DAY)],
      namedAt: 8 * DAY,
      owner: null,
      later: null,
    },
  ])('$case', ({ referrals, namedAt, owner, later }) => {
    const named = namedAt === undefined ? undefined : minutesLater(namedAt)
    expect(ownerInTime(referrals, PAID, days({ maya: 7, leo: 0 }), named)).toEqual({
      ownerId: owner,
      referredLaterAt: later === null ? null : minutesLater(later),
    })
  })
})

describe('what is in doubt', () => {
  const maya: PartnerTerms = {
    ...{ id: 'partner-1', slug: 'maya', emails: [], status: 'approved', programId: 'program-1' },
    ...{ reward: { id: 'r', kind: 'percent', basisPoints: 2_000 }, rewardInterval: 'recurring' },
    ...{
      rewardDurationMonths: null,
      oneTimeMinimumCents: 0,
      oneTimePer: 'customer',
      tier: null,
      budget: null,
      rewardShipping: false,
    },
    ...{ creditOutOfBand: false, holdingDays: 30, netDays: null, attribution: 'last' },
    ...{ attributeKnownCustomers: false, lateLeadDays: 7, selfReferrals: 'hold' },
    ...{ unverifiedAddresses: 'hold', group: null, firstRewardedAt: null },
    ...{ rewardedProducts: [] },
    ownReward: null,
  }
  const purchase = { coupon: null, referredAt: PAID, earnedAt: PAID, isProration: false }
  const decide = (facts: Partial<Facts>) => {
    const { credit, doubts = [] } = attribute(
      { kind: 'sale', clickId: null },
      { click: null, customerPartner: maya, ...facts },
      PAID,
    )
    return { by: credit?.attributedBy ?? null, doubts: doubts.map(({ code }) => code) }
  }
  const byAddress = { namedAt: minutesLater(-60), isVerified: false }

  test.each<{ case: string; facts: Partial<Facts>; doubts: string[] }>([
    { case: 'nothing of a customer who was known before', facts: { purchase }, doubts: [] },
    {
      case: 'nothing within minutes',
      facts: { purchase, referredLaterAt: minutesLater(2) },
      doubts: [],
    },
    {
      case: 'a late lead',
      facts: { purchase, referredLaterAt: minutesLater(DAY) },
      doubts: ['late_lead'],
    },
    {
      case: 'a late lead for a sale by API',
      facts: { referredLaterAt: minutesLater(DAY) },
      doubts: ['late_lead'],
    },
    {
      case: 'a lead within minutes of a sale by API',
      facts: { referredLaterAt: minutesLater(2) },
      doubts: [],
    },
    {
      case: 'an unverified address',
      facts: { purchase, byAddress },
      doubts: ['unverified_address'],
    },
    {
      case: 'nothing by a verified address',
      facts: { purchase, byAddress: { ...byAddress, isVerified: true } },
      doubts: [],
    },
    {
      case: 'nothing by an address where the program does not mind',
      facts: { purchase, byAddress, customerPartner: { ...maya, unverifiedAddresses: 'allow' } },
      doubts: [],
    },
    {
      case: 'both',
      facts: { purchase, byAddress, referredLaterAt: minutesLater(DAY) },
      doubts: ['late_lead', 'unverified_address'],
    },
    {
      case: 'a renewal, as its first payment is',
      facts: {
        purchase: {
          ...purchase,
          renewal: {
            partner: maya,
            because: 'subscription',
            doubt: {
              code: 'late_lead',
              facts: { slug: 'maya', referredAt: minutesLater(DAY).toISOString() },
            },
          },
        },
      },
      doubts: ['late_lead'],
    },
  ])('$case', ({ facts, doubts }) => {
    expect(decide(facts)).toEqual({ by: 'customer', doubts })
  })
})
