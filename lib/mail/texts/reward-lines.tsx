/** What a partner earns, as paragraphs of the mails that say how its program begins. */
import { type Language, LOCALES } from '../../languages/languages.ts'
import { translator } from '../../languages/message.ts'
import * as m from '../../languages/messages.ts'
import { moneyFormat, numberFormat } from '../../languages/number-format.ts'
import { type RewardStyle, rewardWords } from '../../languages/reward-words.ts'
import type { RewardTerms } from '../../rules/rewards/rewards.ts'
import type { RewardInterval } from '../../rules/steps/intervals.ts'
import { paragraph } from './compose.tsx'
import type { Paragraph } from './paragraphs.ts'

/** What a partner earns: for sales, for how long, and for leads. */
export type MailedReward = {
  reward: RewardTerms
  rewardInterval: RewardInterval
  rewardDurationMonths: number | null
  leadReward: RewardTerms | null
}

/** The names of rules are the merchant's, so a reward is shown as a name is. */
export const rewardLines = (terms: MailedReward, language: Language): Paragraph[] => {
  const locale = LOCALES[language]
  const t = translator(language)
  // With currency codes, as all amounts in mails.
  const style: RewardStyle = {
    language,
    t,
    money: moneyFormat(locale, true),
    figure: numberFormat(locale),
  }
  const { rewardInterval, rewardDurationMonths: months, leadReward } = terms
  const reward = { name: rewardWords(terms.reward, 'sale', style) }
  let sales = paragraph(t, m.mail_reward, { reward })
  if (rewardInterval === 'one-time') sales = paragraph(t, m.mail_reward_first, { reward })
  else if (months !== null) sales = paragraph(t, m.mail_reward_months, { reward, months })
  if (!leadReward) return [sales]
  const lead = { name: rewardWords(leadReward, 'lead', style) }
  return [sales, paragraph(t, m.mail_reward_lead, { reward: lead })]
}
