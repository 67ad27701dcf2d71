/** A period compared with the one before, with charts. */

import * as m from '../../../lib/languages/messages.ts'
import { t } from '../../../lib/pages/layout/text.ts'
import { figure, money } from '../../../lib/pages/parts/money.tsx'
import { Charts, type Series } from '../../../lib/pages/tables/chart.tsx'
import type { WorkspaceActivity } from '../../../lib/totals/activity.queries.ts'
import { type Change, changeOf, pointsOf, rateOf } from '../../../lib/totals/period-change.ts'
import { type Period, splitPoints } from '../../../lib/values/periods.ts'

type Column = 'clicks' | 'leads' | 'customers' | 'sales' | 'revenueCents' | 'earnedCents'

/** A series of the period, and its sum in the previous period. */
type Compared = Series & { column: Column; before: bigint }

const sum = (values: bigint[]): bigint => values.reduce((total, value) => total + value, 0n)

/** The series of a period: amounts by currency, then counts. */
const seriesOf = (activity: WorkspaceActivity[], period: Period): Compared[] => {
  const compared = (
    label: string,
    column: Column,
    format: Series['format'],
    currency?: string,
  ): Compared => {
    const points = activity
      .filter((point) => currency === undefined || point.currency === currency)
      .map((point) => ({ slot: point.slot, value: point[column] }))
    return { label, column, format, ...splitPoints(period, points) }
  }
  const salesIn = (currency: string) =>
    Number(sum(activity.map((point) => (point.currency === currency ? point.sales : 0n))))
  const currencies = [...new Set(activity.flatMap(({ currency }) => currency ?? []))].sort(
    (a, b) => salesIn(b) - salesIn(a) || a.localeCompare(b),
  )
  const amounts = currencies.flatMap((currency) => {
    const isOne = currencies.length === 1
    const format = (value: bigint) => money(value, currency)
    const revenue = isOne ? t(m.layout_revenue) : t(m.overview_revenue_in, { currency })
    const earned = isOne ? t(m.nav_commissions) : t(m.layout_commissions_in, { currency })
    return [
      compared(revenue, 'revenueCents', format, currency),
      compared(earned, 'earnedCents', format, currency),
    ]
  })
  return [
    ...amounts,
    compared(t(m.sum_sale), 'sales', figure),
    compared(t(m.leads), 'leads', figure),
    compared(t(m.overview_new_customers), 'customers', figure),
    compared(t(m.clicks), 'clicks', figure),
  ]
}

/** A line without axes, scaled to its highest value. */
const Sparkline = ({ values }: { values: bigint[] }) => {
  const most = Number(values.reduce((high, value) => (value > high ? value : high), 1n))
  const points = values
    .map((value, index) => {
      const height = (Math.max(0, Number(value)) / most) * 20
      return `${((index / Math.max(1, values.length - 1)) * 100).toFixed(1)},${(21 - height).toFixed(1)}`
    })
    .join(' ')
  return (
    <svg class="sparkline" viewBox="0 0 100 22" preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points} />
    </svg>
  )
}

type FigureProps = {
  label: string
  value: string
  before: string
  change: Change | null
  values: bigint[] | null
}

const Figure = ({ label, value, before, change, values }: FigureProps) => (
  <div>
    <dt>{label}</dt>
    <dd class="value">{value}</dd>
    <dd class="change">
      {change && <span data-change={change.direction}>{change.words}</span>}{' '}
      {t(m.overview_before, { value: before })}
    </dd>
    {values && (
      <dd>
        <Sparkline values={values} />
      </dd>
    )}
  </div>
)

/** The share of clicks that became customers. */
const Conversion = ({ series }: { series: Compared[] }) => {
  const of = (column: Column) => {
    const one = series.find((found) => found.column === column)
    return { now: sum(one?.values ?? []), before: one?.before ?? 0n }
  }
  const [customers, clicks] = [of('customers'), of('clicks')]
  const [rate, before] = [
    rateOf(customers.now, clicks.now),
    rateOf(customers.before, clicks.before),
  ]
  const words = (percent: number | null) => (percent === null ? '–' : `${figure(percent)}%`)
  return (
    <Figure
      label={t(m.overview_conversion)}
      value={words(rate)}
      before={words(before)}
      change={pointsOf(rate, before, figure)}
      values={null}
    />
  )
}

type FiguresProps = { what: string; activity: WorkspaceActivity[]; period: Period }

/** @param what the subject of the figures */
export const Figures = ({ what, activity, period }: FiguresProps) => {
  const series = seriesOf(activity, period)
  const revenue = series.filter(
    ({ column, values }) => column === 'revenueCents' && sum(values) > 0n,
  )
  const charted = revenue.length > 0 ? revenue : series.filter(({ column }) => column === 'clicks')
  return (
    <>
      <dl class="figures">
        {series.map(({ label, values, before, format }) => (
          <Figure
            label={label}
            value={format(sum(values))}
            before={format(before)}
            change={changeOf(sum(values), before)}
            values={values}
          />
        ))}
        <Conversion series={series} />
      </dl>
      <section class="card">
        <Charts what={what} series={charted} listed={series} time={period} isWide />
      </section>
    </>
  )
}
