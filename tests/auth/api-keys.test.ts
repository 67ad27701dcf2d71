import { expect, test } from 'vitest'
import { createApiKey, hashApiKey } from '../../lib/auth/keys/api-keys.ts'

test('a new key has the documented form and hash', async () => {
  const { key, hash } = await createApiKey({ mode: 'live' })
  expect(key).toMatch(/^trib_live_[0-9A-Za-z]{32}[0-9a-f]{6}$/)
  expect(hash).toMatch(/^[0-9a-f]{64}$/)
  expect(await hashApiKey(key)).toBe(hash)
})

test('keys are unique', async () => {
  const keys = await Promise.all(Array.from({ length: 100 }, () => createApiKey({ mode: 'live' })))
  expect(new Set(keys.map(({ key }) => key)).size).toBe(100)
})

test('any single mistyped character is detected', async () => {
  const { key } = await createApiKey({ mode: 'live' })
  for (let index = 0; index < key.length; index++) {
    const mistyped = `${key.slice(0, index)}${key[index] === '0' ? '1' : '0'}${key.slice(index + 1)}`
    expect(await hashApiKey(mistyped)).toBeNull()
  }
})
