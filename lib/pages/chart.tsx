/** Bar charts over time, rendered on the server, with the values in a table below. */
import { Table } from './parts.tsx'

/** One value over time. */
export type Series = {
  label: string
  /** One per slot. */
  values: bigint[]
  /** Formats a value. */
  format: (value: bigint) => string
}

type Slots = { unit: 'day' | 'month'; slots: string[] }
/** With the full names of the slots, which all series share. */
type Named = Slots & { names: string[] }

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const FULL_DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' })

/** The full name of a slot, and a short one for the axis. */
const slotName = (slot: string, unit: Slots['unit']) =>
  (unit === 'month' ? MONTH : FULL_DAY).format(new Date(slot))
const axisName = (slot: string | undefined, unit: Slots['unit']) =>
  slot && (unit === 'month' ? MONTH : DAY).format(new Date(slot))

const sum = (values: bigint[]): bigint => values.reduce((total, value) => total + value, 0n)

/** The width of a slot and of its bar, and the height, in units of the SVG, which stretches to fit. */
const SLOT = 10
const BAR = 8
const HEIGHT = 100
/** Keeps small values visible. */
const MIN_BAR = 2

/** The height of a bar. Negative values have none. */
const barHeight = (value: bigint, most: bigint): number =>
  value > 0n ? Math.max(MIN_BAR, (Number(value) / Number(most)) * HEIGHT) : 0

/** The chart's text alternative. */
const describeChart = ({ values, format }: Series, { unit, names }: Named, most: bigint): string => {
  if (most === 0n) return `Bar chart by ${unit}: no data.`
  const name = names[values.indexOf(most)]
  return `Bar chart by ${unit}. The highest value is ${format(most)}, ${unit === 'month' ? 'in' : 'on'} ${name}.`
}

/** One series: its total, and a bar per slot whose tooltip shows the value. */
const Bars = ({ series, time }: { series: Series; time: Named }) => {
  const { label, values, format } = series
  const { unit, slots, names } = time
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
        <span>{axisName(slots[0], unit)}</span>
        <span>{axisName(slots.at(-1), unit)}</span>
      </p>
    </figure>
  )
}

const classOf = (series: Series[], isWide: boolean): string =>
  ['charts', isWide && 'wide', series.every(({ values }) => sum(values) === 0n) && 'none']
    .filter(Boolean)
    .join(' ')

type ChartsProps = {
  /** Whose series they are. */
  what: string
  series: Series[]
  /** The series in the table of values: the same by default. */
  listed?: Series[]
  time: Slots
  /** Whether each chart has the width of the page. */
  isWide?: boolean
}

/** Charts of several series side by side, and a table of their values. */
export const Charts = ({ what, series, listed = series, time, isWide = false }: ChartsProps) => {
  const { unit, slots } = time
  const names = slots.map((slot) => slotName(slot, unit))
  return (
    <>
      <div class={classOf(series, isWide)}>
        {series.map((one) => (
          <Bars series={one} time={{ ...time, names }} />
        ))}
      </div>
      <details class="numbers">
        <summary>
          Show data by {unit} <span class="hidden"> for {what}</span>
        </summary>
        <Table
          isStacked={false}
          caption={`Data for ${what} by ${unit}`}
          head={[
            unit === 'month' ? 'Month (UTC)' : 'Day (UTC)',
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
