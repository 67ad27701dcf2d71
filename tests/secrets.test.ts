import { expect, test } from 'vitest'
import {
  decryptSecret,
  encryptSecret,
  isSecretsKey,
  rotateSecret,
} from '../lib/platform/secrets.ts'

const OLD = 'an-old-key-of-more-than-32-characters'
const NEW = 'a-new-key-of-more-than-32-characters-'
const BOTH = `${NEW}, ${OLD}`

test('a secret is decrypted with the key that encrypted it, in its workspace only', async () => {
  const ciphertext = await encryptSecret(OLD, 'w1', 'sk_live_1')
  expect(await decryptSecret(OLD, 'w1', ciphertext)).toBe('sk_live_1')
  expect(await decryptSecret(BOTH, 'w1', ciphertext)).toBe('sk_live_1')
  expect(await decryptSecret(OLD, 'w2', ciphertext)).toBeNull()
  expect(await decryptSecret(NEW, 'w1', ciphertext)).toBeNull()
})

test('a rotated secret needs the new key only, and is rotated once', async () => {
  const before = await encryptSecret(OLD, 'w1', 'sk_live_1')
  const rotated = await rotateSecret(BOTH, 'w1', before)
  if (typeof rotated === 'string') throw new Error(rotated)
  expect(await decryptSecret(NEW, 'w1', rotated.ciphertext)).toBe('sk_live_1')
  expect(await decryptSecret(OLD, 'w1', rotated.ciphertext)).toBeNull()
  expect(await rotateSecret(BOTH, 'w1', rotated.ciphertext)).toBe('current')
  expect(await rotateSecret(NEW, 'w1', before)).toBe('unreadable')
})

test.each([
  { key: '', isLongEnough: false },
  { key: 'x'.repeat(31), isLongEnough: false },
  { key: 'x'.repeat(32), isLongEnough: true },
  { key: `${NEW},`, isLongEnough: false },
  { key: `${NEW},short`, isLongEnough: false },
  { key: BOTH, isLongEnough: true },
])('a key of SECRETS_KEY must have 32 characters: "$key"', async ({ key, isLongEnough }) => {
  expect(isSecretsKey(key)).toBe(isLongEnough)
  const encrypted = encryptSecret(key, 'w1', 'sk_live_1')
  await (isLongEnough
    ? expect(encrypted).resolves.toBeTypeOf('string')
    : expect(encrypted).rejects.toThrow('32'))
})
