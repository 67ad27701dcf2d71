/**
 * Encrypts webhook signing secrets, API keys of Stripe accounts and other secrets: AES-256-GCM
 * under a key that only some Workers hold. The workspace is authenticated data, so a row that is
 * copied to another workspace does not decrypt.
 */
import { sha256 } from './sha256.ts'

/** `whsec_` and currently 32 characters. Wider, in case Stripe lengthens it. */
const SECRET = /^whsec_[A-Za-z0-9+/=_-]{16,200}$/

/** Whether the text has the form of a webhook signing secret. */
export const isSigningSecret = (text: string): boolean => SECRET.test(text)

/** Secret and restricted keys. Publishable keys, `pk_`, cannot make transfers. */
const API_KEY = /^(?:sk|rk)_(?:live|test)_[A-Za-z0-9_]{8,240}$/

/** Whether the text has the form of a secret or restricted API key of Stripe. */
export const isApiKey = (text: string): boolean => API_KEY.test(text)

/** A shorter AUTH_SECRET or SECRETS_KEY could be guessed. */
export const MIN_SECRET_LENGTH = 32

const NONCE_BYTES = 12
const utf8 = new TextEncoder()

/** Names the key within a ciphertext. */
const KEY_ID_LENGTH = 8

type Key = { id: string; text: string }

const nameKey = async (text: string): Promise<Key> => ({
  id: (await sha256(`key id of ${text}`)).slice(0, KEY_ID_LENGTH),
  text,
})

/**
 * The keys of SECRETS_KEY: first the one that encrypts, then former ones. @throws if one is too
 * short
 */
const readKeys = (setting: string): Promise<Key[]> => {
  const keys = setting.split(',').map((key) => key.trim())
  if (!isSecretsKey(setting))
    throw new Error(`SECRETS_KEY must have at least ${MIN_SECRET_LENGTH} characters.`)
  return Promise.all(keys.map(nameKey))
}

/** Whether the setting is one key, or several separated by commas, each of them long enough. */
export const isSecretsKey = (setting: string): boolean =>
  setting.split(',').every((key) => key.trim().length >= MIN_SECRET_LENGTH)

const importKey = async ({ text }: Key) =>
  crypto.subtle.importKey(
    'raw',
    await crypto.subtle.digest('SHA-256', utf8.encode(text)),
    'AES-GCM',
    false,
    ['encrypt', 'decrypt'],
  )

const toBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))
const fromBase64 = (text: string): Uint8Array =>
  Uint8Array.from(atob(text), (char) => char.charCodeAt(0))

const encryptBy = async (key: Key, workspaceId: string, secret: string): Promise<string> => {
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
  const algorithm = { name: 'AES-GCM', iv, additionalData: utf8.encode(workspaceId) }
  const encrypted = await crypto.subtle.encrypt(
    algorithm,
    await importKey(key),
    utf8.encode(secret),
  )
  return `${key.id}.${toBase64(new Uint8Array([...iv, ...new Uint8Array(encrypted)]))}`
}

/**
 * Encrypts a secret with the first key of SECRETS_KEY.
 *
 * @param setting SECRETS_KEY: random text of 32 characters or more; while keys are rotated, the new
 *   one, a comma, and the old one
 * @returns the key's id, a dot, and the encrypted secret in base64
 * @throws when a key is too short
 */
export const encryptSecret = async (
  setting: string,
  workspaceId: string,
  secret: string,
): Promise<string> => {
  const [key] = await readKeys(setting)
  if (!key) throw new Error('SECRETS_KEY is empty.')
  return encryptBy(key, workspaceId, secret)
}

/**
 * Decrypts a secret with the key of SECRETS_KEY that encrypted it.
 *
 * @returns null for another key, another workspace, or a corrupt ciphertext
 * @throws when a key is too short
 */
export const decryptSecret = async (
  setting: string,
  workspaceId: string,
  ciphertext: string,
): Promise<string | null> => {
  const [id, encrypted = ''] = ciphertext.split('.')
  const key = (await readKeys(setting)).find((one) => one.id === id)
  if (!key) return null
  try {
    const bytes = fromBase64(encrypted)
    const iv = bytes.slice(0, NONCE_BYTES)
    const algorithm = { name: 'AES-GCM', iv, additionalData: utf8.encode(workspaceId) }
    const decrypted = await crypto.subtle.decrypt(
      algorithm,
      await importKey(key),
      bytes.slice(NONCE_BYTES),
    )
    return new TextDecoder().decode(decrypted)
  } catch {
    return null
  }
}

/**
 * Encrypts a secret again, unless the first key of SECRETS_KEY encrypted it.
 * @returns the new ciphertext, `current` if the first key encrypted it, or `unreadable`
 */
export const rotateSecret = async (
  setting: string,
  workspaceId: string,
  ciphertext: string,
): Promise<{ ciphertext: string } | 'current' | 'unreadable'> => {
  const [current] = await readKeys(setting)
  const secret = await decryptSecret(setting, workspaceId, ciphertext)
  if (secret === null || !current) return 'unreadable'
  if (ciphertext.startsWith(`${current.id}.`)) return 'current'
  return { ciphertext: await encryptBy(current, workspaceId, secret) }
}
