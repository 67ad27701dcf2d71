import { type RewardedEvent, type RewardStyle, rewardWords } from '../../languages/reward-words.ts'
import type { RewardTerms } from '../../rules/rewards/rewards.ts'
import { t } from '../layout/text.ts'
import { figure, money, pageLanguage } from '../parts/money.tsx'

/** How the page that is rendered writes rewards. */
export const pageStyle = (): RewardStyle => ({ language: pageLanguage(), t, money, figure })

/** A reward as text, in the language of the page: "20% of each sale". */
export const describeReward = (reward: RewardTerms, event: RewardedEvent = 'sale'): string =>
  rewardWords(reward, event, pageStyle())
