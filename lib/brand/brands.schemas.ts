/** Requests about the branding of programs, for the API and the page's form. */
import * as z from 'zod'
import { email, integer } from '../http/fields.ts'
import { logoRefusal } from './brand.ts'

/** More changes than a brand will ever have. */
const MAX_VERSION = 1_000_000_000

/** An https URL, normalized. */
const logoUrl = z
  .string('Must be a string, or null.')
  .trim()
  .check(({ value, issues }) => {
    const message = logoRefusal(value)
    if (message) issues.push({ code: 'custom', message, input: value })
  })
  .transform((text) => URL.parse(text)?.href ?? text)

/** PUT /api/workspaces/:workspace/programs/:id/brand */
export const BrandChange = z
  .strictObject({
    logoUrl: logoUrl.nullable().meta({
      description:
        'The https URL of an image, of at most 2,000 characters, that is not in a private network; null for none.',
    }),
    accentColor: z
      .string('Must be a string, or null.')
      .trim()
      .regex(/^#[0-9A-Fa-f]{6}$/, 'Must be a color such as #1f5f4a.')
      .toLowerCase()
      .nullable()
      .meta({
        description: 'The color of buttons and links, as `#rrggbb`; null for Tributary’s.',
        example: '#1f5f4a',
      }),
    supportEmail: email('Where partners write to; null for none.').nullable(),
    supportEmailVerified: z.boolean().optional().meta({
      description:
        'As `GET` has it. It is ignored: only a link that is mailed there confirms an address.',
    }),
    version: integer(
      0,
      MAX_VERSION,
      'The version of the branding that you have read. Any other version is a conflict.',
    ),
  })
  .meta({ id: 'BrandChange' })
