/** Requests about groups, for the API and the pages' forms. */
import * as z from 'zod'
import { name, optional } from '../http/fields.ts'
import { leadReward, reward } from '../rules/rewards/rewards.schemas.ts'

const groupFields = {
  name: name('The group’s name.'),
  saleReward: reward
    .nullable()
    .meta({ description: 'Overrides the program’s reward; null keeps the program’s.' }),
  leadReward: leadReward.nullable().meta({ description: 'The reward for a lead; null for none.' }),
}

/** POST /api/workspaces/:workspace/programs/:id/groups. */
export const NewGroup = z
  .strictObject({
    ...groupFields,
    saleReward: optional(groupFields.saleReward),
    leadReward: optional(groupFields.leadReward),
  })
  .transform(({ name, saleReward, leadReward }) => ({
    name,
    saleReward: saleReward ?? null,
    leadReward: leadReward ?? null,
  }))
  .meta({ id: 'NewGroup' })

/** PATCH /api/workspaces/:workspace/groups/:id. Omitted fields keep their values. */
export const GroupChange = z.strictObject(groupFields).partial().meta({ id: 'GroupChange' })
