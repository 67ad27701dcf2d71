import * as z from 'zod'
import { timestamp } from '../../http/common.responses.ts'
import { ROLES } from '../../rules/roles/roles.ts'

export const MemberResponse = z
  .strictObject({
    id: z.uuid(),
    email: z.string(),
    role: z.enum(ROLES),
    payoutMails: z.boolean(),
    createdAt: timestamp,
  })
  .meta({ id: 'Member' })
export type MemberResponse = z.infer<typeof MemberResponse>
