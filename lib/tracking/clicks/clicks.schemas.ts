/** Visits through partners' links. */
import * as z from 'zod/mini'
import { id } from '../../http/report-fields.ts'

/** More than the parameters that a tag reads. */
const MAX_SLUGS = 10

/** POST /api/track/click. */
export const ClickEvent = z
  .object({
    programId: z.uuid().check(z.describe('The program of the partner.')),
    slug: z.nullish(
      id('The value of `via` in the landing page’s URL. Case and surrounding space are ignored.'),
    ),
    slugs: z
      .nullish(z.array(z.string()).check(z.maxLength(MAX_SLUGS)))
      .check(
        z.describe(
          'Instead of `slug`: candidates, the likeliest first, such as the values of `via` and `ref`. The first that is a partner’s counts.',
        ),
      ),
    url: z.nullish(
      z
        .string()
        .check(z.describe('The landing page. Saved without its query string and fragment.')),
    ),
    referrer: z
      .nullish(z.string())
      .check(z.describe('The referring page. Saved without its query string and fragment.')),
    clickId: z
      .nullish(z.string())
      .check(
        z.describe(
          'The visitor’s current click, if any. The program’s `attribution` decides between it and the new one. Without a slug, it is checked, and returned if it still counts.',
        ),
      ),
    age: z
      .nullish(z.number())
      .check(
        z.describe(
          'Milliseconds since the visit, if it could not be sent immediately. At most five minutes count.',
        ),
      ),
  })
  .check(
    z.refine(({ slug, slugs, clickId }) => slug || slugs?.length || clickId, {
      path: ['slug'],
      error: 'Required, unless there are `slugs` or a `clickId`.',
    }),
    z.meta({ id: 'ClickEvent' }),
  )
