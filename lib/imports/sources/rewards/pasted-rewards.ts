/** Rewards in a response of another platform's API that a manager pastes. */
import { jsonOf } from '../../../values/json.ts'
import { fieldsOf } from '../platforms/json.ts'
import { PLATFORMS } from '../platforms/platforms.ts'
import type { SourceReward } from '../source-rows.ts'

/** The platforms whose rewards can be read, with the request that lists them. */
export const REWARD_PLATFORMS = {
  rewardful: 'GET /v1/campaigns',
  dub: 'GET /rewards',
} as const
export type RewardPlatform = keyof typeof REWARD_PLATFORMS

export const isRewardPlatform = (id: string): id is RewardPlatform =>
  Object.hasOwn(REWARD_PLATFORMS, id)

/**
 * Reads a list of rewards, alone or as `data`, or one reward.
 * @returns null if the text has none
 */
export const pastedRewards = (platform: RewardPlatform, text: string): SourceReward[] | null => {
  const json = jsonOf(text)
  const { data } = fieldsOf(json)
  const items = [json, data].find(Array.isArray) ?? [json]
  const page = PLATFORMS[platform].read(
    'rewards',
    platform === 'rewardful' ? { data: items } : items,
    null,
  )
  const rewards = (page?.rows ?? []).filter((row) => row.kind === 'reward')
  return rewards.length > 0 ? rewards : null
}
