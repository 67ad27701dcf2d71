/**
 * Links by which people unsubscribe from a workspace's mails of UNSUBSCRIBABLE_KINDS. A link names
 * a partner or an invited person's application, and is signed, so that nobody unsubscribes others.
 * It unsubscribes the person with that address.
 */

import { toHex } from '../../platform/sha256.ts'

/** A text that nothing else signed with the same key has. */
const signedText = (subscriberId: string) => new TextEncoder().encode(`unsubscribe ${subscriberId}`)

const importKey = (key: string) =>
  crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode(key),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign', 'verify'],
  )

/** The part of the link after `/unsubscribe/`: the id of a partner or an application, signed. */
export const unsubscribeToken = async (key: string, subscriberId: string): Promise<string> => {
  const signature = await crypto.subtle.sign('HMAC', await importKey(key), signedText(subscriberId))
  return `${subscriberId}.${toHex(signature)}`
}

const TOKEN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([0-9a-f]{64})$/

/** The id in a token; null if its signature is invalid. */
export const readUnsubscribeToken = async (key: string, token: string): Promise<string | null> => {
  const [, subscriberId, signature] = TOKEN.exec(token) ?? []
  if (!subscriberId || !signature) return null
  const isOurs = await crypto.subtle.verify(
    'HMAC',
    await importKey(key),
    Uint8Array.from(signature.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)),
    signedText(subscriberId),
  )
  return isOurs ? subscriberId : null
}

/** The link of a mail. @param here a URL of this installation */
export const unsubscribeUrl = async (
  key: string,
  subscriberId: string,
  here: string,
): Promise<string> =>
  new URL(`/unsubscribe/${await unsubscribeToken(key, subscriberId)}`, here).href

/** The headers by which mail programs show a button that unsubscribes with one click (RFC 8058). */
export const unsubscribeHeaders = (url: string): Record<string, string> => ({
  'List-Unsubscribe': `<${url}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
})
