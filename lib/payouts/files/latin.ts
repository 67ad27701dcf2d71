/**
 * Text in the characters that banks and services take. any-ascii 0.3 knows all alphabets, and is 219
 * kB of gzipped code where this is 1. It writes Japanese names as if they were Chinese, and Arabic
 * ones without vowels: better to refuse such a name (`isSepaName`) than to pay somebody under it.
 */

/**
 * Letters that have no decomposition into a Latin letter and marks. EPC217-08 and common practice.
 */
const LETTERS = new Map(
  Object.entries({
    ß: 'ss',
    ẞ: 'SS',
    æ: 'ae',
    Æ: 'AE',
    œ: 'oe',
    Œ: 'OE',
    ø: 'o',
    Ø: 'O',
    å: 'a',
    Å: 'A',
    đ: 'd',
    Đ: 'D',
    ð: 'd',
    Ð: 'D',
    þ: 'th',
    Þ: 'TH',
    ł: 'l',
    Ł: 'L',
    ħ: 'h',
    Ħ: 'H',
    ı: 'i',
    ŋ: 'n',
    Ŋ: 'N',
    ŧ: 't',
    Ŧ: 'T',
    '&': '+',
    '’': "'",
    '‘': "'",
    '“': "'",
    '”': "'",
    '–': '-',
    '—': '-',
    α: 'a',
    β: 'v',
    γ: 'g',
    δ: 'd',
    ε: 'e',
    ζ: 'z',
    η: 'i',
    θ: 'th',
    ι: 'i',
    κ: 'k',
    λ: 'l',
    μ: 'm',
    ν: 'n',
    ξ: 'x',
    ο: 'o',
    π: 'p',
    ρ: 'r',
    σ: 's',
    ς: 's',
    τ: 't',
    υ: 'y',
    φ: 'f',
    χ: 'ch',
    ψ: 'ps',
    ω: 'o',
    а: 'a',
    б: 'b',
    в: 'v',
    г: 'g',
    д: 'd',
    е: 'e',
    ж: 'zh',
    з: 'z',
    и: 'i',
    й: 'y',
    к: 'k',
    л: 'l',
    м: 'm',
    н: 'n',
    о: 'o',
    п: 'p',
    р: 'r',
    с: 's',
    т: 't',
    у: 'u',
    ф: 'f',
    х: 'h',
    ц: 'ts',
    ч: 'ch',
    ш: 'sh',
    щ: 'sht',
    ъ: 'a',
    ь: 'y',
    ы: 'y',
    э: 'e',
    ю: 'yu',
    я: 'ya',
    і: 'i',
    ї: 'i',
    є: 'ye',
    ґ: 'g',
    ј: 'j',
    љ: 'lj',
    њ: 'nj',
    ђ: 'dj',
    ћ: 'c',
    џ: 'dz',
    ѓ: 'gj',
    ќ: 'kj',
    ѕ: 'dz',
  }),
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
