type Row = { what: string; measured: string; bar: string; holds: boolean }

/** The table of results and bars. */
export const createTable = () => {
  const rows: Row[] = []
  return {
    /** A figure with a maximum; null means for information only. */
    atMost: (what: string, measured: number, bar: number | null, detail = ''): void => {
      const text = Number.isInteger(measured) ? String(measured) : measured.toFixed(3)
      rows.push({
        what,
        measured: detail ? `${text}  (${detail})` : text,
        bar: bar === null ? '' : `${bar} at most`,
        holds: bar === null || measured <= bar,
      })
    },
    print: (): void => {
      const all = [{ what: 'What', measured: 'Measured', bar: 'Bar', holds: true }, ...rows]
      const width = (key: 'what' | 'measured' | 'bar') => Math.max(...all.map((row) => row[key].length))
      for (const { what, measured, bar, holds } of all) {
        const cells = [
          what.padEnd(width('what')),
          measured.padEnd(width('measured')),
          bar.padEnd(width('bar')),
        ]
        console.log(`${cells.join('  ')}${holds ? '' : '  ABOVE THE BAR'}`.trimEnd())
      }
    },
  }
}
