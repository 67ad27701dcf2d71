import { PERIOD_NAMES, PERIODS, type PeriodDays } from '../periods.ts'

type Props = {
  days: PeriodDays
  /** What the links are about, for screen readers. */
  what: string
  /** The page with another period. */
  hrefOf: (days: PeriodDays) => string
}

/** Links to the same page with another period. */
export const PeriodLinks = ({ days, what, hrefOf }: Props) => (
  <nav class="periods" aria-label={`Period for ${what}`}>
    {PERIODS.map((choice) => (
      <a href={hrefOf(choice)} aria-current={choice === days ? 'true' : undefined}>
        {PERIOD_NAMES[choice]}
      </a>
    ))}
  </nav>
)
