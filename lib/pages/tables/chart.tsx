/** Bar charts over time, rendered on the server, with the values in a table below. */

import { LOCALES } from '../../languages/languages.ts'
import * as m from '../../languages/messages.ts'
import { t } from '../layout/text.ts'
import { pageLanguage } from '../parts/money.tsx'
import { hidden } from '../parts/tags.tsx'
import { Table } from './table.tsx'

/** One value over time. */
export type Series = {
  label: string
  /** One value per slot. */
  values: bigint[]
  /** Formats a value. */
  format: (value: bigint) => string
}

type Slots = { unit: 'day' | 'month'; slots: string[] }
/** Slots with full names, which all series share. */
type Named = Slots & { names: string[] }

const MONTH = { month: 'short', year: 'numeric', timeZone: 'UTC' } as const
const FULL_DAY = { dateStyle: 'medium', timeZone: 'UTC' } as const
const DAY = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const

/** Names slots in full, or in short for the axis, in the page's language. */
const slotNames = (unit: Slots['unit'], day: Intl.DateTimeFormatOptions) => {
  const { format } = new Intl.DateTimeFormat(
    LOCALES[pageLanguage()],
    unit === 'month' ? MONTH : day,
  )
  return (slot: string) => format(new Date(slot))
}

const sum = (values: bigint[]): bigint => values.reduce((total, value) => total + value, 0n)

/** The width of a slot and of its bar, and the height, in units of the SVG, which stretches. */
const SLOT = 10
const BAR = 8
const HEIGHT = 100
/** Keeps small values visible. */
const MIN_BAR = 2

/** The height of a bar. Negative values have none. */
const barHeight = (value: bigint, most: bigint): number =>
  value > 0n ? Math.max(MIN_BAR, (Number(value) / Number(most)) * HEIGHT) : 0

/** The chart's text alternative. */
const describeChart = (
  { values, format }: Series,
  { unit, names }: Named,
  most: bigint,
): string => {
  if (most === 0n) return t(unit === 'month' ? m.chart_empty_month : m.chart_empty_day)
  const at = names[values.indexOf(most)] ?? ''
  return t(unit === 'month' ? m.chart_month : m.chart_day, { value: format(most), at })
}

/** One series: its total, and a bar per slot whose tooltip shows the value. */
const Bars = ({ series, time }: { series: Series; time: Named }) => {
  const { label, values, format } = series
  const { unit, slots, names } = time
  const axisName = slotNames(unit, DAY)
  const most = values.reduce((high, value) => (value > high ? value : high), 0n)
  return (
    <figure class="chart">
      <figcaption>
        {label} <strong>{format(sum(values))}</strong>
      </figcaption>
      <p class="most" aria-hidden="true">
        {most > 0n && format(most)}
      </p>
      <svg
        role="img"
        aria-label={describeChart(series, time, most)}
        viewBox={`0 0 ${slots.length * SLOT} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        {values.map((value, index) => {
          const height = barHeight(value, most)
          return (
            height > 0 && (
              <rect
                x={index * SLOT + (SLOT - BAR) / 2}
                y={(HEIGHT - height).toFixed(1)}
                width={BAR}
                height={height.toFixed(1)}
              >
                <title>{`${names[index]}: ${format(value)}`}</title>
              </rect>
            )
          )
        })}
      </svg>
      <p class="axis" aria-hidden="true">
        {[slots[0], slots.at(-1)].map((slot) => (
          <span>{slot && axisName(slot)}</span>
        ))}
      </p>
    </figure>
  )
}

const classOf = (series: Series[], isWide: boolean): string =>
  ['charts', isWide && 'wide', series.every(({ values }) => sum(values) === 0n) && 'none']
    .filter(Boolean)
    .join(' ')

type ChartsProps = {
  /** The subject of the series. */
  what: string
  series: Series[]
  /** The series in the table of values; by default, the same. */
  listed?: Series[]
  time: Slots
  /** Whether each chart spans the page. */
  isWide?: boolean
}

/** Charts of several series side by side, and a table of their values. */
export const Charts = ({ what, series, listed = series, time, isWide = false }: ChartsProps) => {
  const { unit, slots } = time
  const names = slots.map(slotNames(unit, FULL_DAY))
  return (
    <>
      <div class={classOf(series, isWide)}>
        {series.map((one) => (
          <Bars series={one} time={{ ...time, names }} />
        ))}
      </div>
      <details class="numbers">
        <summary>
          {t(unit === 'month' ? m.show_data_month : m.show_data_day, { what, hidden })}
        </summary>
        <Table
          isStacked={false}
          caption={t(unit === 'month' ? m.data_month : m.data_day, { what })}
          head={[
            t(unit === 'month' ? m.month_column : m.day_column),
            ...listed.map(({ label }) => ({ number: label })),
          ]}
        >
          {slots
            .map((slot, index) => (
              <tr>
                <th scope="row">
                  <time datetime={unit === 'month' ? slot.slice(0, 7) : slot}>{names[index]}</time>
                </th>
                {listed.map(({ values, format }) => (
                  <td class="number">{format(values[index] ?? 0n)}</td>
                ))}
              </tr>
            ))
            .reverse()}
        </Table>
      </details>
    </>
  )
}
