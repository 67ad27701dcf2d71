/** Requests about members, for the API and the pages' forms. */
import * as z from 'zod'
import { email } from '../../http/fields.ts'
import { ROLES } from '../../rules/roles/roles.ts'

const role = z.enum(ROLES, `Must be one of ${ROLES.join(', ')}.`).meta({
  description:
    '`manager` can change everything. The other roles read. `finance` also pays, and `support` also holds ' +
    'commissions and writes notes.',
})

/** POST /api/workspaces/:workspace/members. */
export const NewMember = z
  .strictObject({ email: email('The address to invite.'), role })
  .meta({ id: 'NewMember' })

/** PATCH /api/workspaces/:workspace/members/:id. */
export const MemberChange = z
  .strictObject({
    role,
    payoutMails: z.boolean('Must be true or false.').meta({
      description:
        'Whether the member gets mails about payout runs, as a manager or with the role `finance`.',
    }),
  })
  .partial()
  .refine((change) => Object.keys(change).length > 0, 'Must have role or payoutMails.')
  .meta({ id: 'MemberChange' })

/** The form that hands over a workspace. */
export const HandOver = z.strictObject({
  email: email('Who becomes a manager.'),
  stay: z.boolean(),
})
