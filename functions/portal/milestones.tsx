/** What a partner has reached in a program by its sales: its tier and its bonuses. */
import * as m from '../../lib/languages/messages.ts'
import { bonusWords, levelWords, measureWords } from '../../lib/languages/tier-words.ts'
import { pageStyle } from '../../lib/pages/forms/reward-words.ts'
import { Day } from '../../lib/pages/layout/portal.tsx'
import { t } from '../../lib/pages/layout/text.ts'
import { money } from '../../lib/pages/parts/money.tsx'
import type { OwnBonus, Partnership } from '../../lib/portal/portal.queries.ts'
import type { TierFacts } from '../../lib/rules/tiers/tiers.ts'

type TierProps = { tier: TierFacts; tiers: NonNullable<Partnership['tiers']> }

/** The present tier, and what is missing to the next one. */
export const Tier = ({ tier: { tier, by, period, currency, reached, next }, tiers }: TierProps) => {
  const style = pageStyle()
  const measure = (amount: number) => measureWords({ by, amount, currency }, style)
  const missing = (cents: number) =>
    by === 'netSales' ? money(cents, currency ?? '') : measure(cents)
  return (
    <>
      <h3>{t(m.your_tier)}</h3>
      <p>
        <strong>{tier ?? t(m.tier_none)}</strong>
      </p>
      <p>
        {next
          ? t(m.tier_missing, { missing: missing(next.atLeast - reached), tier: next.tier })
          : t(m.tier_highest)}
      </p>
      <p class="hint">{t(m.tier_reached, { reached: measure(reached), period })}</p>
      <details>
        <summary>{t(m.all_tiers)}</summary>
        <ul>
          {levelWords(tiers, style).map((words) => (
            <li>{words}</li>
          ))}
        </ul>
      </details>
    </>
  )
}

type BonusesProps = { bonuses: Partnership['bonuses']; reached: OwnBonus[] }

/** The bonuses that were earned, and those of the program that still can be. */
export const Bonuses = ({ bonuses, reached }: BonusesProps) => {
  const style = pageStyle()
  const earned = reached.flatMap(({ name, amountCents, currency, earnedAt }) =>
    !amountCents || currency === null || earnedAt === null
      ? []
      : t(m.bonus_earned, {
          name,
          amount: money(amountCents, currency),
          day: () => <Day at={earnedAt} />,
        }),
  )
  const ahead = (bonuses ?? [])
    .filter(({ name }) => !reached.some((one) => one.name === name && !one.isUndone))
    .map((bonus) => bonusWords(bonus, style))
  if (earned.length + ahead.length === 0) return null
  return (
    <>
      <h3>{t(m.bonuses)}</h3>
      <ul>
        {[...earned, ...ahead].map((words) => (
          <li>{words}</li>
        ))}
      </ul>
    </>
  )
}
