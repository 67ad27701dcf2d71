/** Adding a partner, for the API and the page: the sender of the welcome mail, and the errors. */
import type { Context } from 'hono'
import type * as z from 'zod'
import { actOf, type WorkspaceEnv } from '../../auth/access.ts'
import { ApiError } from '../../http/errors.ts'
import { notFound } from '../../http/found-or-404.ts'
import { senderOf } from '../../values/emails.ts'
import type { NewPartner } from '../lists/partners.schemas.ts'
import { createPartner, type PartnerCreation } from './new-partner.queries.ts'
import { slugError } from './partner-changes.service.ts'

type Wanted = z.output<typeof NewPartner>

/** Creates a partner for the caller. @throws {Unavailable} as `createPartner` */
export const addPartner = (c: Context<WorkspaceEnv>, wanted: Wanted): Promise<PartnerCreation> => {
  const { db, workspace, actor } = c.var
  const { couponId, sendWelcomeEmail, onSlugTaken, name, slug, groupId, ...target } = wanted
  const sentBy = senderOf(actor)
  const portalUrl = new URL('/portal', c.req.url).href
  return createPartner(db, actOf(c), {
    ...target,
    name: name ?? null,
    slug: slug ?? null,
    groupId: groupId ?? null,
    coupon: couponId ? { id: couponId, label: null } : null,
    suffixTaken: onSlugTaken === 'suffix',
    welcome: sendWelcomeEmail ? { workspaceName: workspace.name, sentBy, portalUrl } : null,
  })
}

/** The error for a refusal. */
export const creationError = (
  refusal: Exclude<PartnerCreation, { partner: unknown }>,
  { slug, couponId }: Pick<Wanted, 'slug' | 'couponId'>,
): ApiError => {
  if (refusal.outcome === 'slug_taken') return slugError(refusal, slug ?? '')
  if (refusal.outcome === 'coupon_taken')
    return new ApiError(
      'coupon_taken',
      `Another partner has the coupon "${couponId}". Remove it there first.`,
    )
  return notFound(refusal.outcome === 'group_not_found' ? 'group' : 'program')
}
