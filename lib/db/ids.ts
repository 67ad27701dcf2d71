/** New ids. Rows get a UUIDv7, whose order is the order of creation; what must not be guessed is random. */
import { v7 } from 'uuid'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A UUIDv7. */
export const newId = (): string => v7()

/** Random base62, about 5.95 bits a character. */
export const randomBase62 = (length: number): string => {
  let text = ''
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      // 248 is the largest multiple of 62 in a byte: beyond it, some letters would be likelier than others.
      if (byte < 248 && text.length < length) text += BASE62[byte % 62]
    }
  }
  return text
}

/**
 * A click id: `clk_` and 24 characters, 142 random bits. Letters, digits and the underscore only,
 * because Stripe drops a `client_reference_id` that holds anything else.
 */
export const newClickId = (): string => `clk_${randomBase62(24)}`

/** Without vowels no words come about, and without 0, 1 and l nobody misreads them. */
const UNMISTAKABLE = '23456789bcdfghjkmnpqrstvwxz'

/** What tells a slug from the one that was taken: four characters, of which there are half a million. */
export const newSlugSuffix = (): string =>
  Array.from(
    crypto.getRandomValues(new Uint32Array(4)),
    // The remainder of 32 bits by 27 favours no character by more than a hundred-millionth.
    (random) => UNMISTAKABLE[random % UNMISTAKABLE.length],
  ).join('')
