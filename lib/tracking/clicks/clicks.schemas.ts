/** Visits through partners' links. */
import * as z from 'zod'
import { id, optional } from '../../http/fields.ts'

/** More than the parameters that a tag reads. */
const MAX_SLUGS = 10

/** POST /api/track/click. */
export const ClickEvent = z
  .object({
    programId: z.uuid().meta({ description: 'The program of the partner.' }),
    slug: optional(
      id('The value of `via` in the landing page’s URL. Case and surrounding space are ignored.'),
    ),
    slugs: optional(z.array(z.string()).max(MAX_SLUGS)).meta({
      description:
        'Instead of `slug`: candidates, the likeliest first, such as the values of `via` and `ref`. The first that is a partner’s counts.',
    }),
    url: optional(
      z
        .string()
        .meta({ description: 'The landing page. Saved without its query string and fragment.' }),
    ),
    referrer: optional(z.string()).meta({
      description: 'The referring page. Saved without its query string and fragment.',
    }),
    clickId: optional(z.string()).meta({
      description:
        'The visitor’s current click, if any. The program’s `attribution` decides between it and the new one. Without a slug, it is checked, and returned if it still counts.',
    }),
    age: optional(z.number()).meta({
      description:
        'Milliseconds since the visit, if it could not be sent immediately. At most five minutes count.',
    }),
  })
  .refine(({ slug, slugs, clickId }) => slug || slugs?.length || clickId, {
    path: ['slug'],
    error: 'Required, unless there are `slugs` or a `clickId`.',
  })
  .meta({ id: 'ClickEvent' })
