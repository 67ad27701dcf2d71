/** Reads a pasted table: CSV with quotes, by comma, semicolon or tab. */

const SEPARATORS = [',', ';', '\t'] as const

/** The separator of the first line. */
const separatorOf = (text: string): string => {
  const [line = ''] = text.split(/\r?\n/, 1)
  const count = (separator: string) => line.split(separator).length
  return SEPARATORS.reduce(
    (best, one) => (count(one) > count(best) ? one : best),
    SEPARATORS[0] as string,
  )
}

/** The rows of a table. Blank lines are left out, and fields are trimmed. */
export const readTable = (pasted: string): string[][] => {
  const text = pasted.replace(/^\uFEFF/, '').trim()
  const separator = separatorOf(text)
  const rows: string[][] = [[]]
  let field = ''
  let isQuoted = false
  const endField = () => {
    rows.at(-1)?.push(field.trim())
    field = ''
  }
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (isQuoted) {
      if (char !== '"') field += char
      else if (text.charAt(at + 1) === '"') {
        field += char
        at++
      } else isQuoted = false
    } else if (char === '"' && field.trim() === '') isQuoted = true
    else if (char === separator) endField()
    else if (char === '\n') {
      endField()
      rows.push([])
    } else if (char !== '\r') field += char
  }
  endField()
  return rows.filter((row) => row.some(Boolean))
}
