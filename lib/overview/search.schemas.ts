/** The search's request. */
import * as z from 'zod'
import { filter } from '../http/fields.ts'

/**
 * The query of /app/:workspace/search. A text that is too long, or can't be stored, matches
 * nothing.
 */
export const SearchQuery = z.object({ q: filter('What is looked for.').optional() })
