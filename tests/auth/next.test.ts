import { expect, test } from 'vitest'
import { safePath } from '../../lib/sign-in/requests/next-url.ts'

test.each([
  { case: 'a page', next: '/app/acme/partners', goes: '/app/acme/partners' },
  { case: 'its query and fragment', next: '/app?page=2#rows', goes: '/app?page=2#rows' },
  { case: 'letters beyond ASCII, as a header can hold them', next: '/app/ü', goes: '/app/%C3%BC' },
  {
    case: 'an address within a query',
    next: '/app?u=https://x.example',
    goes: '/app?u=https://x.example',
  },
])('allows $case', ({ next, goes }) => {
  expect(safePath(next)).toBe(goes)
})

test.each([
  undefined,
  '',
  'app',
  'https://evil.example/app',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '\t//evil.example',
  ' //evil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/%2e//evil.example',
  'javascript:alert(1)',
  '//[',
  `/${'a'.repeat(2_001)}`,
])('replaces %j by /app', (next) => {
  expect(safePath(next)).toBe('/app')
})

test('always returns a path of this site that fits a header', () => {
  for (const next of ['/\0', '/\ud800', '/\r\nSet-Cookie: x=1', '/\x7f', '/\u2028']) {
    const path = safePath(next)
    expect(new URL(path, 'https://here.example').origin).toBe('https://here.example')
    expect(new Headers({ Location: path }).get('Location')).toBe(path)
  }
})
