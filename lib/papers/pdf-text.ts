/** Text in the characters of PDF's standard fonts. */
import { toLatin } from '../payouts/files/latin.ts'

/** WinAnsiEncoding without controls: Latin-1, and these. */
const OTHERS = '€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ'

const isWritable = (char: string): boolean =>
  /^[ -~\u00A1-\u00AC\u00AE-\u00FF]$/.test(char) || OTHERS.includes(char)

/**
 * Text that the standard fonts can write. Accents that they lack are dropped, Greek and Cyrillic
 * are transliterated, and what is in another alphabet is a question mark: names of parties are
 * refused in it.
 */
export const pdfText = (text: string): string =>
  [...text.normalize('NFC').replace(/\s+/g, ' ')]
    .map((char) => (isWritable(char) ? char : toLatin(char)))
    .join('')
    .replace(/./gsu, (char) => (isWritable(char) ? char : '?'))
