/** Requests about workspaces, for the API and the pages' forms. */
import * as z from 'zod'
import { name, optional } from '../../http/fields.ts'
import { MODES } from '../../rules/purchases/processors.ts'
import { isWorkspaceSlug, toAscii } from '../../values/slugs.ts'

/** POST /api/workspaces. */
export const NewWorkspace = z
  .strictObject({
    name: name('The merchant’s name. Partners see it.'),
    slug: optional(
      z
        .string('Must be a string.')
        .trim()
        .toLowerCase()
        .meta({ description: 'The workspace’s name in URLs. Derived from the name by default.' }),
    ),
    mode: optional(
      z.enum(MODES, 'Must be live or test.').meta({
        description:
          'Whether Stripe’s real payments count, or those of its test mode. `live` by default.',
      }),
    ),
  })
  .transform(({ name, slug, mode }, context) => {
    const chosen = slug ?? toAscii(name)
    if (isWorkspaceSlug(chosen)) return { name, slug: chosen, mode: mode ?? 'live' }
    const message = slug
      ? 'Must have 2 to 63 letters from a to z, digits and single hyphens between them, such as my-shop.'
      : 'Required: the name has too few letters from a to z to derive a slug from.'
    context.issues.push({ code: 'custom', path: ['slug'], input: slug, message })
    return z.NEVER
  })
  .meta({ id: 'NewWorkspace' })
