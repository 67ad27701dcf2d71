/** Names with commas. A long list is cut. */
export const listed = (names: string[], most: number): string =>
  [...names.slice(0, most), ...(names.length > most ? ['…'] : [])].join(', ')

/** Joins parts of a sentence: "2 new partners and 3 customers". */
export const joined = (parts: string[]): string =>
  new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(parts)
