/** Reads the details of mails that the outbox keeps. */

/** Details as stored, possibly by an older version. */
export type Stored = Record<string, unknown>

/** A detail that not every mail of its kind has. */
export const optional = (details: Stored, name: string): string | null => {
  const value = details[name]
  return typeof value === 'string' ? value : null
}

/** Details that every mail of its kind has. @throws if one is missing */
export const required = <Name extends string>(
  details: Stored,
  ...names: Name[]
): Record<Name, string> => {
  const values = names.map((name) => {
    const value = optional(details, name)
    if (value) return [name, value]
    throw new Error(`The mail’s details lack ${name}.`)
  })
  return Object.fromEntries(values)
}

/** A list, whose elements are of the version that stored them. */
export const listIn = <Element>(details: Stored, name: string): Element[] => {
  const value = details[name]
  return Array.isArray(value) ? value : []
}
