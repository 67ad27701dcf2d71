import * as m from '../../languages/messages.ts'
import { PERIODS, type Period, type PeriodDays } from '../../values/periods.ts'
import { QuietButton } from '../forms/buttons.tsx'
import { Field } from '../forms/fields.tsx'
import { t } from '../layout/text.ts'
import { hidden } from '../parts/tags.tsx'

type Props = {
  period: Period
  /** The subject of the links, for screen readers. */
  what: string
  /** The path of the page with another period. */
  hrefOf: (days: PeriodDays) => string
  /** The path of the page, if it takes chosen days as `from` and `to`. */
  action?: string
}

/** Links to the same page with another period, and a form for other days. */
export const PeriodLinks = ({ period, what, hrefOf, action }: Props) => (
  <nav class="periods" aria-label={t(m.period_for, { what })}>
    {PERIODS.map((choice) => (
      <a href={hrefOf(choice)} aria-current={choice === period.days ? 'true' : undefined}>
        {choice === 365 ? t(m.count_months, { count: 12 }) : t(m.count_days, { count: choice })}
      </a>
    ))}
    {action && (
      <details open={period.days === null}>
        <summary aria-current={period.days === null ? 'true' : undefined}>
          {t(m.period_custom)}
        </summary>
        <form method="get" action={action}>
          <Field
            type="date"
            name="from"
            label={t(m.period_first_day)}
            value={period.from}
            required
          />
          <Field type="date" name="to" label={t(m.period_last_day)} value={period.to} required />
          <QuietButton>{t(m.period_show, { what, hidden })}</QuietButton>
        </form>
      </details>
    )}
  </nav>
)
