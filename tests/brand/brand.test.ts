import { describe, expect, test } from 'vitest'
import { logoOrigins } from '../../lib/brand/brand.ts'
import { BrandChange } from '../../lib/brand/brands.schemas.ts'
import { accentRules } from '../../lib/pages/layout/brand.tsx'

const NONE = { logoUrl: null, accentColor: null, supportEmail: null, version: 0 }

/** What is stored of a change, or the field that is refused. */
const read = (change: object) => {
  const { data, error } = BrandChange.safeParse({ ...NONE, ...change })
  return data ?? error?.issues.map(({ path }) => path.join('.'))
}

describe('a logo', () => {
  test.each([
    ['https://cdn.shop.com/logo.png', 'https://cdn.shop.com/logo.png'],
    [' HTTPS://CDN.Shop.com/a b.png?v=1 ', 'https://cdn.shop.com/a%20b.png?v=1'],
    ['https://bücher.com:8443/l.svg', 'https://xn--bcher-kva.com:8443/l.svg'],
  ])('%s is stored as %s', (logoUrl, stored) => {
    expect(read({ logoUrl })).toMatchObject({ logoUrl: stored })
  })

  test.each([
    'javascript:alert(1)',
    'data:image/svg+xml,<svg onload=alert(1)>',
    'http://shop.com/logo.png',
    'blob:https://shop.com/x',
    '//shop.com/logo.png',
    'logo.png',
    '',
    'https://ann:secret@shop.com/logo.png',
    'https://localhost/logo.png',
    'https://10.0.0.1/logo.png',
    'https://0x7f.1/logo.png',
    'https://[::1]/logo.png',
    'https://8.8.8.8/logo.png',
    'https://[2606:4700::1111]/logo.png',
    'https://shop.internal/logo.png',
    'https://intranet/logo.png',
    // Characters that end a source or a directive of a content security policy.
    "https://shop.com;script-src'unsafe-inline'.com/logo.png",
    'https://a.com;sandbox.com/logo.png',
    'https://a,b.com/logo.png',
    'https://*.com/logo.png',
    'https://shop.com./logo.png',
    `https://shop.com/${'x'.repeat(2_000)}`,
    // Short as it was typed, and long as it is stored.
    `https://shop.com/${'ü'.repeat(400)}`,
  ])('%s is refused', (logoUrl) => {
    expect(read({ logoUrl })).toEqual(['logoUrl'])
  })
})

test.each([
  ['#1F5F4A', '#1f5f4a'],
  [' #ffffff ', '#ffffff'],
])('the color %s is stored as %s', (accentColor, stored) => {
  expect(read({ accentColor })).toMatchObject({ accentColor: stored })
})

test.each([
  'red',
  '#fff',
  '#1f5f4a80',
  '#1f5f4g',
  '#000000}body{display:none',
  '#000000;background:url(//x.com)',
  '#000000\n}',
  '</style><script>alert(1)</script>',
  'var(--ink)',
  '',
])('the color %j is refused', (accentColor) => {
  expect(read({ accentColor })).toEqual(['accentColor'])
})

test.each([
  'help@shop.com\r\nBcc: all@x.com',
  'help@shop.com,all@x.com',
  'Help <help@shop.com>',
  'help@shop.com?bcc=all@x.com',
  'help',
  '',
  `${'x'.repeat(400)}@shop.com`,
])('the address %j is refused', (supportEmail) => {
  expect(read({ supportEmail })).toEqual(['supportEmail'])
})

test('what is missing, unknown or of another type is refused', () => {
  expect(BrandChange.safeParse({ logoUrl: null }).success).toBe(false)
  expect(BrandChange.safeParse({ ...NONE, css: 'x' }).success).toBe(false)
  for (const wrong of [1, true, [], {}, ['#000000']]) {
    expect(read({ logoUrl: wrong })).toEqual(['logoUrl'])
    expect(read({ accentColor: wrong })).toEqual(['accentColor'])
    expect(read({ supportEmail: wrong })).toEqual(['supportEmail'])
  }
})

test('a page loads logos from their origins, each once, and from twenty at most', () => {
  const brands = Array.from({ length: 30 }, (_, index) => ({
    logoUrl: `https://s${index}.com/a.png?x=1;y`,
  }))
  expect(logoOrigins([...brands.slice(0, 2), { logoUrl: null }, ...brands.slice(0, 1)])).toEqual([
    'https://s0.com',
    'https://s1.com',
  ])
  expect(logoOrigins(brands)).toHaveLength(20)
})

test('the rules of a page name each color once', () => {
  const rules = accentRules([
    { accentColor: '#ffd400' },
    { accentColor: null },
    { accentColor: '#ffd400' },
  ])
  expect(rules).toMatch(
    /^\.accent-ffd400\{--accent:light-dark\(#[0-9a-f]{6},#ffd400\);--button:#ffd400;--on-accent:#000000;--tint:var\(--side\)\}$/,
  )
  expect(accentRules([{ accentColor: null }])).toBe('')
})
