import * as z from 'zod'
import { ApiError } from '../../lib/http/errors.ts'
import { emailFilter, filter } from '../../lib/http/fields.ts'
import { found } from '../../lib/http/found-or-404.ts'
import { id } from '../../lib/http/report-fields.ts'
import { partnerResponse } from '../../lib/partners/lists/partner-response.ts'
import {
  findPartner,
  listPartners,
  type PartnerRow,
} from '../../lib/partners/lists/partners.queries.ts'
import { partnerBalanceResponse } from '../../lib/payouts/balances/balance-response.ts'
import { listPartnerBalances } from '../../lib/payouts/balances/balances.queries.ts'
import { SKIP_REASONS } from '../../lib/payouts/balances/skip-reasons.ts'
import { readPayoutSetup } from '../../lib/payouts/details/methods.queries.ts'
import { payoutResponse } from '../../lib/payouts/payout-response.ts'
import { payoutsQuery } from '../../lib/payouts/payouts.queries.ts'
import { findProgram } from '../../lib/programs/programs.queries.ts'
import { nextOccurrence } from '../../lib/rules/programs/schedules.ts'
import { earnedQuery } from '../../lib/totals/balances.queries.ts'
import { earnedResponse } from '../../lib/tracking/ledger/earned-response.ts'
import { slugKey } from '../../lib/values/slugs.ts'
import { type McpContext, tool } from './tools.ts'

/** One person, or one slug, may be a partner of several programs. Each takes three fetches. */
const MAX_PARTNERS = 10
const LAST_PAYOUTS = 5

/**
 * What one partner has earned, is owed and was paid.
 * @param hasKey whether Stripe pays automatically
 */
const standingOf = async (c: McpContext, partner: PartnerRow, hasKey: boolean) => {
  const { db, now, workspace } = c.var
  const { id: partnerId, status } = partner
  const [[earned, payouts], balances, program] = await Promise.all([
    db.batch([
      earnedQuery(workspace.id, now, partnerId).compile(db),
      payoutsQuery(db, workspace.id, { partnerId, limit: LAST_PAYOUTS }).compile(),
    ]),
    listPartnerBalances(db, workspace.id, { partnerId, limit: 1 }, now),
    findProgram(db, workspace.id, partner.programId),
  ])
  const isPaid = hasKey && status === 'approved'
  return {
    ...partnerResponse(partner),
    programName: partner.programName,
    groupName: partner.groupName,
    earned: earned.map(earnedResponse),
    unpaid: balances.map((balance) => ({
      ...partnerBalanceResponse(balance),
      reason: balance.code && SKIP_REASONS[balance.code],
    })),
    nextPayoutAt: isPaid && program ? nextOccurrence(program, now) : null,
    lastPayouts: payouts.map(payoutResponse),
  }
}

export const getPartner = tool(
  'get_partner',
  {
    title: 'Get a partner’s standing',
    description:
      'Finds a partner by id, email address or slug, with its standing: status, group, link, what it has earned by ' +
      'currency, what is unpaid and why a payout run would skip that, when the next scheduled payout is (null if payouts are ' +
      'made by hand or the partner is not active), and its last payouts. A person in several programs is several partners.',
    input: z
      .strictObject({
        id: z.optional(id('The partner’s id: a UUID.')),
        email: emailFilter().optional(),
        slug: filter('The slug of its link, in any case.').optional(),
      })
      .refine((args) => Object.values(args).filter((value) => value !== undefined).length === 1, {
        error: 'Give one of id, email and slug.',
      }),
  },
  async (c, { id, email, slug }) => {
    const { db, workspace } = c.var
    const by = {
      email,
      slugKey: slug === undefined ? undefined : slugKey(slug),
      limit: MAX_PARTNERS,
    }
    const [partners, { hasKey }] = await Promise.all([
      id === undefined
        ? listPartners(db, workspace.id, by)
        : found('partner', id, (uuid) => findPartner(db, workspace.id, uuid)).then((one) => [one]),
      readPayoutSetup(db, workspace.id),
    ])
    if (partners.length === 0) {
      throw new ApiError(
        'not_found',
        'No partner has this address or slug. Check it for typing errors.',
      )
    }
    return { data: await Promise.all(partners.map((partner) => standingOf(c, partner, hasKey))) }
  },
)
