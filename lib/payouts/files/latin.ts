/**
 * Text in the characters that banks and services take. any-ascii 0.3 knows all alphabets, and is 219
 * kB of gzipped code where this is 1. It writes Japanese names as if they were Chinese, and Arabic
 * ones without vowels: better to refuse such a name (`isSepaName`) than to pay somebody under it.
 */

/**
 * Letters that have no decomposition into a Latin letter and marks, each with what replaces it.
 * EPC217-08 and common practice.
 */
const LETTERS = new Map(
  `
  ßss ẞSS æae ÆAE œoe ŒOE øo ØO åa ÅA đd ĐD ðd ÐD þth ÞTH łl ŁL ħh ĦH ıi ŋn ŊN ŧt ŦT
  &+ ’' ‘' “' ”' –- —-
  αa βv γg δd εe ζz ηi θth ιi κk λl μm νn ξx οo πp ρr σs ςs τt υy φf χch ψps ωo
  аa бb вv гg дd еe жzh зz иi йy кk лl мm нn оo пp рr сs тt уu фf хh цts чch шsh щsht ъa
  ьy ыy эe юyu яya іi їi єye ґg јj љlj њnj ђdj ћc џdz ѓgj ќkj ѕdz`
    .trim()
    .split(/\s+/)
    .map((pair) => [pair.charAt(0), pair.slice(1)]),
)

const MARKS = /\p{M}/gu

/** One character in Latin letters; a letter of another alphabet keeps its case. */
export const toLatin = (char: string): string => {
  const known = LETTERS.get(char)
  if (known !== undefined) return known
  const lower = LETTERS.get(char.toLowerCase())
  if (lower !== undefined) return lower.slice(0, 1).toUpperCase() + lower.slice(1)
  const plain = char.normalize('NFD').replace(MARKS, '')
  return plain === char ? char : [...plain].map(toLatin).join('')
}

/**
 * Text in the character set of SEPA messages (EPC217-08): Latin letters, digits and `/-?:().,'+`
 * and spaces. Greek and Cyrillic are transliterated; a character that cannot be is a full stop.
 */
export const sepaText = (text: string, maxLength: number): string =>
  [...text.normalize('NFC')]
    .map(toLatin)
    .join('')
    .replace(/[^A-Za-z0-9/\-?:().,'+ ]/gu, (char) => (/\s/.test(char) ? ' ' : '.'))
    .replace(/ +/g, ' ')
    .trim()
    .slice(0, maxLength)
    .trim()

/** Whether a name is still one in the characters of SEPA: most of its letters can be written. */
export const isSepaName = (name: string): boolean => {
  const written = sepaText(name, 70)
  return (written.match(/[A-Za-z0-9]/g)?.length ?? 0) > (written.match(/\./g)?.length ?? 0)
}

/**
 * A line of text for a file that a service parses: no control characters, and nothing at its start
 * that a spreadsheet would evaluate. The text is shortened instead of escaped, because a service
 * would read an escape as a part of it.
 */
export const plainText = (text: string, maxLength: number): string =>
  [
    ...text
      .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
      .replace(/ +/g, ' ')
      .replace(/^[=+\-@\s'"]+/, ''),
  ]
    .slice(0, maxLength)
    .join('')
    .trim()
