/** Whether a request comes from Stripe: its signature, by one of the workspace's secrets, made not long ago. */
import Stripe from 'stripe'
import { ApiError } from '../../http/errors.ts'

/** How far Stripe's clock and ours may be apart, and how long a delivery may take, either way. Stripe's own limit. */
const TOLERANCE_SECONDS = 300

const invalidSignature = () =>
  new ApiError(
    'invalid_signature',
    'This is not signed with a signing secret of this workspace, or not within the last five minutes. Check the address of the webhook, and the secret on the page Stripe.',
  )

/**
 * Refuses what can't be right, before anybody is asked for a secret.
 * The package refuses only what is too old; what is dated too far ahead could be repeated for as long.
 *
 * @throws {ApiError} `invalid_signature`
 */
export const checkTimestamp = (header: string | undefined, now: Date): string => {
  // Of two dates the package would check the other one.
  const [date, ...others] = (header ?? '').split(',').filter((part) => part.startsWith('t='))
  const [, seconds] = /^t=(\d{1,12})$/.exec(date ?? '') ?? []
  const apart = Math.abs(Number(seconds) - now.getTime() / 1000)
  if (!header || seconds === undefined || others.length > 0 || apart > TOLERANCE_SECONDS) {
    throw invalidSignature()
  }
  return header
}

/** A body as text, from which its bytes can be told: left to itself, the package drops some and replaces others. */
const readText = (body: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    throw invalidSignature()
  }
}

/** Whether a text is signed with a secret. The package's own reading of events would refuse thin ones. */
const isSignedWith = async (text: string, header: string, secret: string, now: Date): Promise<boolean> => {
  const { signature } = Stripe.webhooks
  if (!signature) throw new Error('The stripe package can check no signatures here.')
  const crypto = Stripe.createSubtleCryptoProvider()
  try {
    return await signature.verifyHeaderAsync(text, header, secret, TOLERANCE_SECONDS, crypto, now.getTime())
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false
    throw error
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError('invalid_body', 'What was signed is no event: it is not JSON.')
  }
}

/**
 * What a body holds, once its signature proves to be Stripe's.
 *
 * @param secrets those of the workspace: while one takes over from another, either will do
 * @throws {ApiError} `invalid_signature`, or `invalid_body` when what was signed is not JSON
 */
export const readSigned = async (
  body: Uint8Array,
  header: string,
  secrets: string[],
  now: Date,
): Promise<unknown> => {
  const text = readText(body)
  for (const secret of secrets) {
    if (await isSignedWith(text, header, secret, now)) return parse(text)
  }
  throw invalidSignature()
}
