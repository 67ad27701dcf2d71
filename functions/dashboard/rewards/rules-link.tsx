import * as m from '../../../lib/languages/messages.ts'
import { LinkLine } from '../../../lib/pages/layout/parts.tsx'
import { t } from '../../../lib/pages/layout/text.ts'
import type { RewardTerms } from '../../../lib/rules/rewards/rewards.ts'

/** Leads to the rules of a reward. @param path of the page of whose reward it is */
export const RulesLink = ({ path, reward }: { path: string; reward: RewardTerms | null }) => (
  <LinkLine href={`${path}/reward`}>
    {t(m.rewards_edit_rules, { count: reward?.rules?.length ?? 0 })}
  </LinkLine>
)
