/** Verifies that a request comes from Stripe: recent, and signed with a workspace's secret. */
import Stripe from 'stripe'
import { ApiError } from '../../http/errors.ts'
import type { SecretPurpose } from './purposes.ts'

/** How far the signature's timestamp may be from now, either way. Stripe's own default. */
const TOLERANCE_SECONDS = 300

const invalidSignature = () =>
  new ApiError(
    'invalid_signature',
    'The request is not signed with a signing secret of this workspace, or was not signed within the last five minutes. Check the URL of the webhook endpoint, and the signing secret on the page “Stripe”.',
  )

/**
 * Refuses a wrong timestamp before the secrets are read. The stripe package refuses only old
 * timestamps; a future one could be replayed until then.
 *
 * @throws {ApiError} `invalid_signature`
 */
export const checkTimestamp = (header: string | undefined, now: Date): string => {
  // Of two timestamps the package would check the other one.
  const [timestamp, ...others] = (header ?? '').split(',').filter((part) => part.startsWith('t='))
  const [, seconds] = /^t=(\d{1,12})$/.exec(timestamp ?? '') ?? []
  const difference = Math.abs(Number(seconds) - now.getTime() / 1000)
  if (!header || seconds === undefined || others.length > 0 || difference > TOLERANCE_SECONDS) {
    throw invalidSignature()
  }
  return header
}

/** Decodes without loss: the package would drop byte order marks and replace invalid bytes. */
const readText = (body: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    throw invalidSignature()
  }
}

/**
 * Whether a text is signed with a secret. The package's constructEvent would refuse thin events.
 */
const isSignedWith = async (
  text: string,
  header: string,
  secret: string,
  now: Date,
): Promise<boolean> => {
  const { signature } = Stripe.webhooks
  if (!signature) throw new Error('The stripe package cannot verify signatures in this runtime.')
  const crypto = Stripe.createSubtleCryptoProvider()
  try {
    return await signature.verifyHeaderAsync(
      text,
      header,
      secret,
      TOLERANCE_SECONDS,
      crypto,
      now.getTime(),
    )
  } catch (error) {
    if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false
    throw error
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError('invalid_body', 'The body is not JSON.')
  }
}

/** A verified body, and whose events its endpoint receives. */
export type Signed = { body: unknown; purpose: SecretPurpose }

/**
 * Parses a body after verifying its signature.
 *
 * @param secrets the workspace's: any of them may have signed
 * @throws {ApiError} `invalid_signature`, or `invalid_body` for a signed body that is not JSON
 */
export const readSigned = async (
  body: Uint8Array,
  header: string,
  secrets: { secret: string; purpose: SecretPurpose }[],
  now: Date,
): Promise<Signed> => {
  const text = readText(body)
  for (const { secret, purpose } of secrets) {
    if (await isSignedWith(text, header, secret, now)) return { body: parse(text), purpose }
  }
  throw invalidSignature()
}
