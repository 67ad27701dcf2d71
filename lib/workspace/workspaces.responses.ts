import * as z from 'zod'
import { MODES } from '../purchases/processors.ts'

export const WorkspaceResponse = z
  .strictObject({
    id: z.uuid(),
    slug: z.string(),
    name: z.string(),
    mode: z.enum(MODES),
    role: z.enum(['manager', 'member']),
  })
  .meta({ id: 'Workspace' })
export type WorkspaceResponse = z.infer<typeof WorkspaceResponse>
