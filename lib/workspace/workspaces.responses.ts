import * as z from 'zod'

export const WorkspaceResponse = z
  .strictObject({ id: z.uuid(), slug: z.string(), name: z.string(), role: z.enum(['manager', 'member']) })
  .meta({ id: 'Workspace' })
export type WorkspaceResponse = z.infer<typeof WorkspaceResponse>
