/**
 * New ids. Rows have a UUIDv7, which sorts by creation time. Ids that must not be guessed are
 * random.
 */
import { v7 } from 'uuid'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export const newId = (): string => v7()

/** The lowest id that a row created at a time can have. */
export const firstIdAt = (time: Date): string => {
  const hex = time.getTime().toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

/** The two last digits of `firstId` count what one request creates. */
const COUNT_LENGTH = 2

/** An id from which those of everything that one request creates follow: see `idOf`. */
export const newFirstId = (): string => `${newId().slice(0, -COUNT_LENGTH)}00`

/**
 * The id of the nth thing that a request creates, up to 255. It is the same when the request is
 * repeated with its Idempotency-Key, so that the repeat finds what the first one has made.
 *
 * @param act without `firstId`, if the request has no key, the id is a new one
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

/**
 * A click id: `clk_` and 24 characters, 142 random bits. Letters, digits and underscores only,
 * because Stripe drops a `client_reference_id` with other characters.
 */
export const newClickId = (): string => `clk_${randomBase62(24)}`

/** Without vowels, which could form words, and without 0, 1 and l, which are misread. */
const SUFFIX_ALPHABET = '23456789bcdfghjkmnpqrstvwxz'

/** A suffix for a slug that is taken: four characters, 531,441 combinations. */
export const newSlugSuffix = (): string =>
  Array.from(
    crypto.getRandomValues(new Uint32Array(4)),
    // The modulo bias of 32 bits is below 1e-8.
    (random) => SUFFIX_ALPHABET[random % SUFFIX_ALPHABET.length],
  ).join('')
