/** Bars over time, drawn on the server. Their numbers stand in a table below them. */
import { Table } from './parts.tsx'

/** One number over time. */
export type Series = {
  label: string
  /** One for each slot. */
  values: bigint[]
  /** A number as people read it. */
  format: (value: bigint) => string
}

type Slots = { unit: 'day' | 'month'; slots: string[] }

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const FULL_DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const MONTH = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' })

/** A slot in full, and as short as an axis has room for. */
const slotName = (slot: string, unit: Slots['unit']) =>
  (unit === 'month' ? MONTH : FULL_DAY).format(new Date(slot))
const axisName = (slot: string | undefined, unit: Slots['unit']) =>
  slot && (unit === 'month' ? MONTH : DAY).format(new Date(slot))

const sum = (values: bigint[]): bigint => values.reduce((total, value) => total + value, 0n)

/** In the drawing's own units, which are stretched to the room there is: one slot's width, its bar's, and the height. */
const SLOT = 10
const BAR = 8
const HEIGHT = 100
/** What there was only little of must still be seen. */
const LEAST = 2

/** How high a bar is. What is less than nothing has none. */
const barHeight = (value: bigint, most: bigint): number =>
  value > 0n ? Math.max(LEAST, (Number(value) / Number(most)) * HEIGHT) : 0

/** What a chart shows, for those who don't see it. */
const inWords = ({ values, format }: Series, { unit, slots }: Slots, most: bigint): string => {
  if (most === 0n) return `Bars by ${unit}: none.`
  const slot = slots[values.indexOf(most)] ?? ''
  return `Bars by ${unit}. The highest is ${format(most)}, ${unit === 'month' ? 'in' : 'on'} ${slotName(slot, unit)}.`
}

/** One series: its total, and a bar for each slot. A bar under the pointer tells its number. */
const Bars = ({ series, time }: { series: Series; time: Slots }) => {
  const { label, values, format } = series
  const { unit, slots } = time
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
        aria-label={inWords(series, time, most)}
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
                <title>{`${slotName(slots[index] ?? '', unit)}: ${format(value)}`}</title>
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

/** Several series over the same time, side by side, and all their numbers. @param what whose they are */
export const Charts = ({ what, series, time }: { what: string; series: Series[]; time: Slots }) => {
  const { unit, slots } = time
  return (
    <>
      <div class={series.every(({ values }) => sum(values) === 0n) ? 'charts none' : 'charts'}>
        {series.map((one) => (
          <Bars series={one} time={time} />
        ))}
      </div>
      <details class="numbers">
        <summary>
          All numbers by {unit}
          <span class="hidden"> of {what}</span>
        </summary>
        <Table
          caption={`Numbers of ${what} by ${unit}`}
          head={[unit === 'month' ? 'Month' : 'Day', ...series.map(({ label }) => ({ number: label }))]}
        >
          {slots
            .map((slot, index) => (
              <tr>
                <th scope="row">
                  <time datetime={unit === 'month' ? slot.slice(0, 7) : slot}>{slotName(slot, unit)}</time>
                </th>
                {series.map(({ values, format }) => (
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
