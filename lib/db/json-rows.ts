/** Rows that leave the database as JSON, whose dates are text. */

/** The row with its dates. */
export const withDates = <Row extends object, Name extends keyof Row>(
  row: Row,
  ...names: Name[]
): Omit<Row, Name> & { [N in Name]: Date | Extract<Row[N], null> } => {
  const dates = names.map((name) => {
    const time = row[name]
    return [name, time === null ? null : new Date(time as string)]
  })
  return { ...row, ...Object.fromEntries(dates) }
}
