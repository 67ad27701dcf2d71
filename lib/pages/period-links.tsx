import { PERIOD_NAMES, PERIODS, type Period, type PeriodDays } from '../periods.ts'
import { Field } from './fields.tsx'

type Props = {
  period: Period
  /** What the links are about, for screen readers. */
  what: string
  /** The page with another period. */
  hrefOf: (days: PeriodDays) => string
  /** The page, if it takes days that the reader chooses: `from` and `to`. */
  action?: string
}

/** Links to the same page with another period, and a form with days of the reader's choice. */
export const PeriodLinks = ({ period, what, hrefOf, action }: Props) => (
  <nav class="periods" aria-label={`Period for ${what}`}>
    {PERIODS.map((choice) => (
      <a href={hrefOf(choice)} aria-current={choice === period.days ? 'true' : undefined}>
        {PERIOD_NAMES[choice]}
      </a>
    ))}
    {action && (
      <details open={period.days === null}>
        <summary aria-current={period.days === null ? 'true' : undefined}>Custom</summary>
        <form method="get" action={action}>
          <Field type="date" name="from" label="First day" value={period.from} required />
          <Field type="date" name="to" label="Last day" value={period.to} required />
          <button type="submit" class="quiet">
            Show<span class="hidden"> {what} of these days</span>
          </button>
        </form>
      </details>
    )}
  </nav>
)
