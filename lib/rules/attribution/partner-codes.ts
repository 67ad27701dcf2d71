/** Whom a report names by a slug or a coupon. docs/decisions.md, "Slugs and coupons in reports". */

import type { PartnerCode } from '../steps/report.ts'
import type { CodeCredit, PartnerTerms } from './attribution.ts'

/** A partner with the slug or coupon, and whether its program trusts reports that name partners. */
export type CodeHolder = { isTrusted: boolean; partner: PartnerTerms }

/**
 * The partner of the only program that trusts reports and has one of this code.
 *
 * @param holders in all programs of the workspace
 */
export const followCode = (
  code: PartnerCode | undefined,
  holders: CodeHolder[],
): CodeCredit | null => {
  if (!code) return null
  const trusted = holders.filter(({ isTrusted }) => isTrusted)
  const [only] = trusted
  if (trusted.length > 1) return { partner: null, step: { code: 'ambiguous_code', facts: code } }
  if (only) {
    const { id: partnerId, slug } = only.partner
    return {
      partner: only.partner,
      step: { code: 'partner_code', facts: { ...code, slug, partnerId } },
    }
  }
  const [untrusted] = holders
  return untrusted
    ? {
        partner: null,
        step: {
          code: 'code_not_trusted',
          facts: { ...code, programId: untrusted.partner.programId },
        },
      }
    : { partner: null, step: { code: 'unknown_code', facts: code } }
}
