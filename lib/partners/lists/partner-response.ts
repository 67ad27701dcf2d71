import { rewardResponse } from '../../rules/rewards/rewards.ts'
import { partnerLink } from '../../values/slugs.ts'
import type { Link } from '../links/links.queries.ts'
import type { PartnerRow } from './partners.queries.ts'
import type { LinkResponse, PartnerResponse } from './partners.responses.ts'

/** A partner in responses and webhooks. */
export const partnerResponse = (partner: PartnerRow): PartnerResponse => ({
  id: partner.id,
  programId: partner.programId,
  email: partner.email,
  name: partner.name,
  slug: partner.slug,
  groupId: partner.groupId,
  reward: partner.reward && rewardResponse(partner.reward),
  status: partner.status,
  ...(partner.isTest && { test: true }),
  link: partnerLink(partner.siteUrl, partner.slug),
  minimumPayoutCents: partner.minimumPayoutCents,
  documentsReceivedAt: partner.documentsReceivedAt,
  payoutAccount: partner.payoutAccount && {
    ...partner.payoutAccount,
    effectiveAt: partner.payoutAccount.effectiveAt
      ? new Date(partner.payoutAccount.effectiveAt)
      : null,
  },
  coupons: partner.coupons,
})

/** The columns of a CSV file. */
export const PARTNER_COLUMNS: readonly (keyof PartnerResponse)[] = [
  'id',
  'programId',
  'email',
  'name',
  'slug',
  'groupId',
  'status',
  'link',
  'minimumPayoutCents',
  'documentsReceivedAt',
  'payoutAccount',
  'coupons',
  'reward',
]

export const linkResponse = ({ slug, siteUrl, isMain }: Link): LinkResponse => ({
  slug,
  link: partnerLink(siteUrl, slug),
  isMain,
})
