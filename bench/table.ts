type Row = { what: string; measured: string; bar: string; holds: boolean }

/** The width of a row that is printed before the others are known. */
const WIDTHS = { what: 76, measured: 28, bar: 14 }

const print = ({ what, measured, bar, holds }: Row, widths: typeof WIDTHS): void => {
  const cells = [what.padEnd(widths.what), measured.padEnd(widths.measured), bar.padEnd(widths.bar)]
  console.log(`${cells.join('  ')}${holds ? '' : '  MISSES THE BAR'}`.trimEnd())
}

/**
 * The table of results and bars. Each row is printed as soon as it is measured, and all of them,
 * aligned, at the end.
 */
export const createTable = () => {
  const rows: Row[] = []
  const add = (what: string, value: number, bar: string, holds: boolean, detail: string): void => {
    const text = Number.isInteger(value) ? String(value) : value.toFixed(3)
    const row = { what, measured: detail ? `${text}  (${detail})` : text, bar, holds }
    rows.push(row)
    print(row, WIDTHS)
  }
  return {
    /** A figure with a maximum. */
    atMost: (what: string, value: number, bar: number, detail = ''): void =>
      add(what, value, `${bar} at most`, value <= bar, detail),
    /** A figure with a minimum. */
    atLeast: (what: string, value: number, bar: number, detail = ''): void =>
      add(what, value, `${bar} at least`, value >= bar, detail),
    /** A figure for information. */
    info: (what: string, value: number, detail = ''): void => add(what, value, '', true, detail),
    print: (): void => {
      const all = [{ what: 'What', measured: 'Measured', bar: 'Bar', holds: true }, ...rows]
      const width = (key: 'what' | 'measured' | 'bar') =>
        Math.max(...all.map((row) => row[key].length))
      const widths = { what: width('what'), measured: width('measured'), bar: width('bar') }
      console.log('')
      for (const row of all) print(row, widths)
    },
  }
}

export type Table = ReturnType<typeof createTable>
