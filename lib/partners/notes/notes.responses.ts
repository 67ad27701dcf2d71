import * as z from 'zod'
import { timestamp } from '../../http/common.responses.ts'

export const NoteResponse = z
  .strictObject({
    id: z.uuid(),
    content: z.string(),
    author: z.string().meta({ description: 'An email address, or `API key "<name>"`.' }),
    createdAt: timestamp,
  })
  .meta({
    id: 'Note',
    description: 'A note of managers about a partner, which the partner does not see.',
  })
export type NoteResponse = z.infer<typeof NoteResponse>
