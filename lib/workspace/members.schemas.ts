/** Requests about members, for the API and the pages' forms. */
import * as z from 'zod'
import { email } from '../http/fields.ts'

const role = z
  .enum(['manager', 'member'], 'Must be manager or member.')
  .meta({ description: 'Managers can change everything; members can only read.' })

/** POST /api/workspaces/:workspace/members. */
export const NewMember = z
  .strictObject({ email: email('The address to invite.'), role })
  .meta({ id: 'NewMember' })

/** PATCH /api/workspaces/:workspace/members/:id. */
export const MemberChange = z
  .strictObject({
    role,
    payoutMails: z
      .boolean('Must be true or false.')
      .meta({ description: 'Whether the member, as a manager, gets mails about payout runs.' }),
  })
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'Must have role or payoutMails.')
  .meta({ id: 'MemberChange' })

/** The form that hands a workspace over. */
export const HandOver = z.strictObject({ email: email('Who becomes a manager.'), stay: z.boolean() })
