/** The search's request. */
import * as z from 'zod'
import { filter } from '../http/fields.ts'

/**
 * The query of /app/:workspace/search. An invalid text, such as a very long one, matches nothing.
 */
export const SearchQuery = z.object({ q: filter('What is looked for.').optional() })
