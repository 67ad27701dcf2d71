/** The six digits that carry a sign-in from the browser with the link to the requesting one. */
import { toHex } from '../../platform/sha256.ts'

const DIGITS = 6
const CODE = /^\d{6}$/

const importKey = (secret: string) =>
  crypto.subtle.importKey('raw', encode(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ])

const encode = (text: string) => new TextEncoder().encode(text)

/** Texts begin with what they are for, so that no signature is valid for another purpose. */
const sign = async (secret: string, text: string): Promise<string> =>
  toHex(await crypto.subtle.sign('HMAC', await importKey(secret), encode(text)))

const codeText = (askId: string, code: string) => `sign-in code ${askId} ${code}`

/** A random code. */
export const newCode = (): string => {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1))
  // The modulo bias of 32 bits is below 1e-3 of a digit.
  return String(random % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** A typed code without the spaces that people type; null if it is none. */
export const readCode = (typed: string | undefined): string | null => {
  const code = typed?.replace(/\s/g, '') ?? ''
  return CODE.test(code) ? code : null
}

/** What is stored of a code. Keyed, because a million codes are tried in no time. */
export const signCode = (secret: string, askId: string, code: string): Promise<string> =>
  sign(secret, codeText(askId, code))

/** Whether a code is the stored one. `verify` compares in constant time. */
export const isCode = async (
  secret: string,
  askId: string,
  code: string,
  codeHash: string,
): Promise<boolean> =>
  crypto.subtle.verify(
    'HMAC',
    await importKey(secret),
    Uint8Array.from(codeHash.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)),
    encode(codeText(askId, code)),
  )

/** What is stored of a network for the minutes of a link. Keyed, because there are few addresses. */
export const hashNetwork = (secret: string, network: string): Promise<string> =>
  sign(secret, `sign-in network ${network}`)
