import { expect, test } from 'vitest'
import { isSecure } from '../../lib/auth/cookies.ts'

test.each([
  { url: 'https://tributary.example/sign-in', secure: true },
  { url: 'https://localhost:8787/', secure: true },
  { url: 'http://tributary.example/sign-in', secure: true },
  { url: 'http://localhost.evil.example/', secure: true },
  { url: 'http://127.0.0.1.evil.example/', secure: true },
  { url: 'http://192.168.1.5:8787/', secure: true },
  { url: 'http://localhost:8787/', secure: false },
  { url: 'http://app.localhost:8787/', secure: false },
  { url: 'http://127.0.0.1:8787/', secure: false },
  { url: 'http://[::1]:8787/', secure: false },
])('$url has secure cookies: $secure', ({ url, secure }) => {
  expect(isSecure(url)).toBe(secure)
})
