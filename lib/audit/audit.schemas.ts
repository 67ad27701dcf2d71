import * as z from 'zod'
import { Page } from '../http/lists.ts'

/** The filters of GET /audit. */
export const AuditQuery = z.object({
  subjectId: z
    .uuid()
    .optional()
    .meta({ description: 'The id of what was changed, such as a partner or a program.' }),
  ...Page.shape,
})
