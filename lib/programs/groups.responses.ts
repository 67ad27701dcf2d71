import * as z from 'zod'
import { timestamp } from '../http/common.responses.ts'
import { RewardResponse } from '../rules/rewards/rewards.responses.ts'

export const GroupResponse = z
  .strictObject({
    id: z.uuid(),
    programId: z.uuid(),
    name: z.string(),
    saleReward: RewardResponse.nullable(),
    leadReward: RewardResponse.nullable(),
    createdAt: timestamp,
  })
  .meta({ id: 'Group' })
export type GroupResponse = z.infer<typeof GroupResponse>
