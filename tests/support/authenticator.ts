/** A passkey in software, which signs whatever a test asks for: also what no browser would. */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

const USER_PRESENT = 0x01
const USER_VERIFIED = 0x04
const ATTESTED = 0x40

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest()
const base64url = (data: Buffer) => data.toString('base64url')

/** What a response says, where it isn't as asked. */
type Lies = {
  challenge?: string
  origin?: string
  host?: string
  type?: string
  isVerified?: boolean
  counter?: number
  signature?: string
}

/** @param origin of the site, as the browser reports it */
export const createAuthenticator = (origin: string, { counter: counts = 1 } = {}) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = publicKey.export({ format: 'jwk' })
  const [x, y] = [jwk.x, jwk.y].map((part) => Buffer.from(part ?? '', 'base64url')) as [
    Buffer,
    Buffer,
  ]
  const cose = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    x,
    Buffer.from('225820', 'hex'),
    y,
  ])
  const credentialId = randomBytes(32)
  const id = base64url(credentialId)
  let counter = 0

  const clientData = (type: string, challenge: string, lies: Lies) =>
    Buffer.from(
      JSON.stringify({
        type: lies.type ?? type,
        challenge: lies.challenge ?? challenge,
        origin: lies.origin ?? origin,
        crossOrigin: false,
      }),
    )
  const authData = (
    { host = new URL(origin).hostname, isVerified = true, ...lies }: Lies,
    attested?: Buffer,
  ) => {
    counter += counts
    const count = Buffer.alloc(4)
    count.writeUInt32BE(lies.counter ?? counter)
    const flags = USER_PRESENT | (isVerified ? USER_VERIFIED : 0) | (attested ? ATTESTED : 0)
    return Buffer.concat([sha256(host), Buffer.from([flags]), count, attested ?? Buffer.alloc(0)])
  }

  return {
    id,
    /** Makes the passkey, as `navigator.credentials.create`. */
    register: ({ challenge }: { challenge: string }, lies: Lies = {}) => {
      const length = Buffer.alloc(2)
      length.writeUInt16BE(credentialId.length)
      const data = authData(lies, Buffer.concat([Buffer.alloc(16), length, credentialId, cose]))
      const size = Buffer.alloc(2)
      size.writeUInt16BE(data.length)
      const attestation = Buffer.concat([
        Buffer.from('a363', 'hex'),
        Buffer.from('fmt'),
        Buffer.from('64', 'hex'),
        Buffer.from('none'),
        Buffer.from('67', 'hex'),
        Buffer.from('attStmt'),
        Buffer.from('a068', 'hex'),
        Buffer.from('authData'),
        Buffer.from('59', 'hex'),
        size,
        data,
      ])
      return {
        ...{ id, rawId: id, type: 'public-key' },
        response: {
          clientDataJSON: base64url(clientData('webauthn.create', challenge, lies)),
          attestationObject: base64url(attestation),
          transports: ['internal'],
        },
      }
    },
    /** Signs with it, as `navigator.credentials.get`. */
    sign: ({ challenge }: { challenge: string }, lies: Lies = {}) => {
      const client = clientData('webauthn.get', challenge, lies)
      const data = authData(lies)
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)
      return {
        ...{ id, rawId: id, type: 'public-key' },
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(data),
          signature: lies.signature ?? base64url(signature),
        },
      }
    },
  }
}
export type Authenticator = ReturnType<typeof createAuthenticator>
