import * as m from '../../../lib/languages/messages.ts'
import { LinkLine } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import type { RewardTerms } from '../../../lib/rules/rewards/rewards.ts'

type RulesProps = { path: string; reward: RewardTerms | null }

/** Leads to the rules of a reward. @param path of the page of whose reward it is */
export const RulesLink = ({ path, reward }: RulesProps) => (
  <LinkLine href={`${path}/reward`}>{t(m.rewards_edit_rules, countOf(reward))}</LinkLine>
)

/** The same of a group's reward for leads. */
export const LeadRulesLink = ({ path, reward }: RulesProps) => (
  <LinkLine href={`${path}/lead-reward`}>{t(m.rewards_edit_lead_rules, countOf(reward))}</LinkLine>
)

const countOf = (reward: RewardTerms | null) => ({ count: reward?.rules?.length ?? 0 })
