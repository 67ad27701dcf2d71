/**
 * Encrypts webhook signing secrets and API keys of Stripe accounts: AES-256-GCM under a key that only the
 * stripe-webhook and payouts Workers hold. The workspace is authenticated data: a row copied to another workspace does
 * not decrypt there.
 */

/** Today `whsec_` and 32 characters. Wider, in case Stripe lengthens it. */
const SECRET = /^whsec_[A-Za-z0-9+/=_-]{16,200}$/

/** Whether the text has the form of a webhook signing secret. */
export const isSigningSecret = (text: string): boolean => SECRET.test(text)

/** Secret and restricted keys. Publishable keys, `pk_`, cannot make transfers. */
const API_KEY = /^(?:sk|rk)_(?:live|test)_[A-Za-z0-9_]{8,240}$/

/** Whether the text has the form of a secret or restricted API key of Stripe. */
export const isApiKey = (text: string): boolean => API_KEY.test(text)

const NONCE_BYTES = 12
const utf8 = new TextEncoder()

const importKey = async (key: string) =>
  crypto.subtle.importKey('raw', await crypto.subtle.digest('SHA-256', utf8.encode(key)), 'AES-GCM', false, [
    'encrypt',
    'decrypt',
  ])

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (char) => char.charCodeAt(0))

/**
 * Encrypts a secret.
 *
 * @param key any random text of 32 characters or more
 */
export const encryptSecret = async (key: string, workspaceId: string, secret: string): Promise<string> => {
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const algorithm = { name: 'AES-GCM', iv, additionalData: utf8.encode(workspaceId) }
  const encrypted = await crypto.subtle.encrypt(algorithm, await importKey(key), utf8.encode(secret))
  return toBase64(new Uint8Array([...iv, ...new Uint8Array(encrypted)]))
}

/** Decrypts a secret. @returns null for another key, another workspace, or a corrupt ciphertext */
export const decryptSecret = async (
  key: string,
  workspaceId: string,
  ciphertext: string,
): Promise<string | null> => {
  try {
    const bytes = fromBase64(ciphertext)
    const iv = bytes.slice(0, NONCE_BYTES)
    const algorithm = { name: 'AES-GCM', iv, additionalData: utf8.encode(workspaceId) }
    const decrypted = await crypto.subtle.decrypt(algorithm, await importKey(key), bytes.slice(NONCE_BYTES))
    return new TextDecoder().decode(decrypted)
  } catch {
    return null
  }
}
