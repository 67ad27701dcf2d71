/** New ids. Rows have a UUIDv7, which sorts by creation time. Secret ids are random. */
import { v7 } from 'uuid'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export const newId = (): string => v7()

/** The lowest id that a row created at a time can have. */
export const firstIdAt = (time: Date): string => {
  const hex = time.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** The last two digits of `firstId` count the rows that one request creates. */
const COUNT_LENGTH = 2

/** The id from which the ids of a request's rows follow: see `idOf`. */
export const newFirstId = (): string => `${newId().slice(0, -COUNT_LENGTH)}00`

/**
 * The id of the nth row that a request creates, up to 255. A repeat with the same Idempotency-Key
 * has the same ids, and so finds the rows of the first request.
 *
 * @param act without `firstId`, if the request has no key, the id is new
 */
export const idOf = ({ firstId }: { firstId?: string | undefined }, nth = 0): string =>
  firstId ? firstId.slice(0, -COUNT_LENGTH) + nth.toString(16).padStart(COUNT_LENGTH, '0') : newId()

/** Random base62, 5.95 bits per character. */
export const randomBase62 = (length: number): string => {
  let text = ''
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // Discards bytes from 248, the largest multiple of 62, to avoid modulo bias.
      if (byte < 248 && text.length < length) text += BASE62[byte % 62]
    }
  }
  return text
}

/** 190 bits. Letters and digits only, because mail programs break links at other characters. */
export const TOKEN_LENGTH = 32

export const newToken = (): string => randomBase62(TOKEN_LENGTH)

/**
 * A click id: `clk_` and 24 characters, 142 random bits. Only letters, digits and underscores,
 * because Stripe drops other values of `client_reference_id`.
 */
export const newClickId = (): string => `clk_${randomBase62(24)}`

/** Without vowels, which could form words, and without 0, 1 and l, which are easily misread. */
const SUFFIX_ALPHABET = '23456789bcdfghjkmnpqrstvwxz'

/** A suffix for a taken slug: four characters, 531,441 combinations. */
export const newSlugSuffix = (): string =>
  Array.from(
    crypto.getRandomValues(new Uint32Array(4)),
    // The modulo bias of 32 bits is below 1e-8.
    (random) => SUFFIX_ALPHABET[random % SUFFIX_ALPHABET.length],
  ).join('')
