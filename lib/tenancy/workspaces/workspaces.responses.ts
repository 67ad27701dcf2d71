import * as z from 'zod'
import { MODES } from '../../rules/purchases/processors.ts'
import { ROLES } from '../../rules/roles/roles.ts'

export const WorkspaceResponse = z
  .strictObject({
    id: z.uuid(),
    slug: z.string(),
    name: z.string(),
    mode: z.enum(MODES),
    role: z.enum(ROLES),
  })
  .meta({ id: 'Workspace' })
export type WorkspaceResponse = z.infer<typeof WorkspaceResponse>
