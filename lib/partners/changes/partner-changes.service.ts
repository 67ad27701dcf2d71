/** Changes of a partner, for the API and the pages: who may change the address, and the errors. */
import type { Context } from 'hono'
import { isFreshPerson, type WorkspaceEnv } from '../../auth/access.ts'
import { ApiError } from '../../http/errors.ts'
import { notFound } from '../../http/found-or-404.ts'
import { MAX_FURTHER_LINKS, type SlugRefusal } from '../links/links.queries.ts'
import type { NewAddress, PartnerRefusal } from './change-partner.queries.ts'

/** A new address, and whether the caller may change the address of a paid person. */
export const newAddress = (c: Context<WorkspaceEnv>, to: string): NewAddress => ({
  to,
  mayMoveMoney: isFreshPerson(c),
  workspaceName: c.var.workspace.name,
  portalUrl: new URL('/portal', c.req.url).href,
})

/** @param slug the requested one */
export const slugError = (refusal: SlugRefusal, slug: string): ApiError =>
  refusal.outcome === 'slug_taken'
    ? new ApiError('slug_taken', `Another partner of this program has the slug "${slug}".`, {
        more: { suggestion: refusal.suggestion },
      })
    : new ApiError(
        'conflict',
        `The partner has ${MAX_FURTHER_LINKS} links in addition to its main one, which is the limit. Release one first.`,
      )

const ADDRESS_ERRORS = {
  address_taken: 'Another partner of this program has this address.',
  both_paid:
    'A person with this address has payment details too, and two paid people can’t be merged. Ask the partner which address to keep.',
  erased: 'This partner’s personal data was erased.',
}

/** @param slug the requested one */
export const partnerError = (refusal: PartnerRefusal, slug: string | undefined): ApiError => {
  switch (refusal.outcome) {
    case 'slug_taken':
    case 'too_many_links':
      return slugError(refusal, slug ?? '')
    case 'group_not_found':
      return notFound('group')
    case 'is_paid':
      return new ApiError(
        'fresh_sign_in_required',
        'The partner has earnings or payment details, and its address decides who receives the money. Only a manager who has signed in within the last 12 hours can change it.',
      )
    default:
      return new ApiError('conflict', ADDRESS_ERRORS[refusal.outcome])
  }
}
