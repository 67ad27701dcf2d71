/**
 * Signing secrets of webhooks and keys of Stripe accounts, encrypted: AES-256-GCM under a key that only the
 * stripe-webhook and payouts Workers hold. Each is bound to its workspace, so that a row that is copied to another one
 * opens nothing there.
 */

/** Stripe's are `whsec_` and 32 characters; whatever it may become, it stays one word. */
const SECRET = /^whsec_[A-Za-z0-9+/=_-]{16,200}$/

/** Whether a text can be the signing secret of a webhook. */
export const isSigningSecret = (text: string): boolean => SECRET.test(text)

/** Secret and restricted keys; those that browsers get, `pk_`, can send nobody money. */
const API_KEY = /^(?:sk|rk)_(?:live|test)_[A-Za-z0-9_]{8,240}$/

/** Whether a text can be the key of a Stripe account. */
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
export const sealSecret = async (key: string, workspaceId: string, secret: string): Promise<string> => {
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const algorithm = { name: 'AES-GCM', iv, additionalData: utf8.encode(workspaceId) }
  const sealed = await crypto.subtle.encrypt(algorithm, await importKey(key), utf8.encode(secret))
  return toBase64(new Uint8Array([...iv, ...new Uint8Array(sealed)]))
}

/** Decrypts a secret. @returns null when it was sealed under another key, or for another workspace, or is spoilt */
export const openSecret = async (
  key: string,
  workspaceId: string,
  sealed: string,
): Promise<string | null> => {
  try {
    const bytes = fromBase64(sealed)
    const iv = bytes.slice(0, NONCE_BYTES)
    const algorithm = { name: 'AES-GCM', iv, additionalData: utf8.encode(workspaceId) }
    const opened = await crypto.subtle.decrypt(algorithm, await importKey(key), bytes.slice(NONCE_BYTES))
    return new TextDecoder().decode(opened)
  } catch {
    return null
  }
}
