/**
 * Passkeys (WebAuthn), a second factor: a signed-in person adds one, and confirms a session with
 * it. SimpleWebAuthn checks challenge, origin, relying party, user verification, signature and
 * counter.
 */
import {
  type AuthenticationResponseJSON,
  type AuthenticatorTransport,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { isoBase64URL, isoUint8Array } from '@simplewebauthn/server/helpers'
import type { PasskeyState, User } from '../../auth/session.ts'
import type { Db } from '../../db/connection.ts'
import { timeWords } from '../../values/time-words.ts'
import {
  addPasskey,
  listPasskeys,
  type Purpose,
  type StoredPasskey,
  saveChallenge,
  saveConfirmation,
  takeChallenge,
} from './passkeys.queries.ts'
import { CHALLENGE_MINUTES, countsFrom, passkeyStateOf } from './passkeys.ts'

/** Ed25519, P-256 and RSA. */
const ALGORITHMS = [-8, -7, -257]

export type Ceremony = {
  db: Db
  now: Date
  /** The URL of the request. Browsers use a passkey only on the host where it was added. */
  url: string
  session: { id: string; user: User; passkeyAt: Date | null }
}

const hostOf = ({ url }: Pick<Ceremony, 'url'>): string => new URL(url).hostname

/** The person's passkeys that work on this host. */
export const passkeysOf = ({ db, session, url }: Ceremony) =>
  listPasskeys(db, session.user.id, hostOf({ url }))

export const readPasskeyState = async (ceremony: Ceremony): Promise<PasskeyState> =>
  passkeyStateOf(await passkeysOf(ceremony), ceremony.now)

const described = ({ credentialId, transports }: StoredPasskey) => ({
  id: credentialId,
  transports: transports as AuthenticatorTransport[],
})

const keepChallenge = ({ db, now, session }: Ceremony, purpose: Purpose, challenge: string) =>
  saveChallenge(db, {
    sessionId: session.id,
    purpose,
    challenge,
    expiresAt: new Date(now.getTime() + CHALLENGE_MINUTES * 60_000),
  })

/** The options to create a passkey. */
export const startAdding = async (ceremony: Ceremony) => {
  const { user } = ceremony.session
  const options = await generateRegistrationOptions({
    rpName: 'Tributary',
    rpID: hostOf(ceremony),
    userID: isoUint8Array.fromUTF8String(user.id),
    userName: user.email,
    timeout: CHALLENGE_MINUTES * 60_000,
    attestationType: 'none',
    excludeCredentials: (await passkeysOf(ceremony)).map(described),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  })
  await keepChallenge(ceremony, 'add', options.challenge)
  return options
}

/** The options to sign with a passkey; null if none counts. */
export const startConfirming = async (ceremony: Ceremony) => {
  const counting = (await passkeysOf(ceremony)).filter(
    (passkey) => passkey.countsFrom <= ceremony.now,
  )
  if (counting.length === 0) return null
  const options = await generateAuthenticationOptions({
    rpID: hostOf(ceremony),
    timeout: CHALLENGE_MINUTES * 60_000,
    allowCredentials: counting.map(described),
    userVerification: 'required',
  })
  await keepChallenge(ceremony, 'confirm', options.challenge)
  return options
}

/** The expectations of a response. Deletes its challenge. */
const expected = async (ceremony: Ceremony, purpose: Purpose) => {
  const { db, now, session, url } = ceremony
  const challenge = await takeChallenge(db, { sessionId: session.id, purpose, now })
  return (
    challenge && {
      expectedChallenge: challenge,
      expectedOrigin: new URL(url).origin,
      expectedRPID: hostOf(ceremony),
      requireUserVerification: true,
    }
  )
}

/** The library throws for refused and unreadable responses. */
const unlessRefused = <T>(checked: Promise<T>): Promise<T | null> => checked.catch(() => null)

/** @returns false if the response was refused */
export const finishAdding = async (
  ceremony: Ceremony,
  response: RegistrationResponseJSON,
  { name, browser }: { name: string; browser: string },
): Promise<boolean> => {
  const { db, now, session, url } = ceremony
  const wanted = await expected(ceremony, 'add')
  if (!wanted) return false
  const settings = { response, ...wanted, supportedAlgorithmIDs: ALGORITHMS }
  const checked = await unlessRefused(verifyRegistrationResponse(settings))
  if (!checked?.verified) return false
  const { id, publicKey, counter, transports = [] } = checked.registrationInfo.credential
  const from = countsFrom(session.passkeyAt, now)
  return addPasskey(db, {
    userId: session.user.id,
    email: session.user.email,
    host: hostOf(ceremony),
    name,
    credentialId: id,
    publicKey: isoBase64URL.fromBuffer(publicKey),
    counter,
    transports,
    countsFrom: from,
    now,
    details: {
      change: 'added',
      name,
      browser,
      countsFrom: from > now ? timeWords(from) : null,
      url: new URL('/auth/passkeys', url).href,
    },
  })
}

/** Confirms the session. @returns false if the response was refused */
export const finishConfirming = async (
  ceremony: Ceremony,
  response: AuthenticationResponseJSON,
): Promise<boolean> => {
  const { db, now, session } = ceremony
  const wanted = await expected(ceremony, 'confirm')
  if (!wanted) return false
  const passkey = (await passkeysOf(ceremony)).find(
    ({ credentialId }) => credentialId === response.id,
  )
  if (!passkey || passkey.countsFrom > now) return false
  const checked = await unlessRefused(
    verifyAuthenticationResponse({
      response,
      ...wanted,
      credential: {
        ...described(passkey),
        publicKey: isoBase64URL.toBuffer(passkey.publicKey),
        counter: passkey.counter,
      },
    }),
  )
  if (!checked?.verified) return false
  const counter = checked.authenticationInfo.newCounter
  return saveConfirmation(db, { passkey, counter, sessionId: session.id, now })
}
