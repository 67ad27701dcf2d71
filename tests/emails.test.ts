import { describe, expect, test } from 'vitest'
import { isEmail, normalizeEmail } from '../lib/emails.ts'

test.each([
  { case: 'space and case', from: ' Ann@Example.COM ', to: 'ann@example.com' },
  { case: 'a combining accent', from: 're\u0301mi@example.com', to: 'rémi@example.com' },
  { case: 'blank', from: '  ', to: null },
  { case: 'undefined', from: undefined, to: null },
])('normalizes $case', ({ from, to }) => {
  expect(normalizeEmail(from)).toBe(to)
})

describe('valid addresses', () => {
  test.each([
    'ann@example.com',
    'r&d@localhost',
    "o'neil+x@sub.example.co.uk",
    'ann@münchen.example',
    'ann@例え.jp',
  ])('%s', (address) => expect(isEmail(address)).toBe(true))
})

describe('invalid addresses, and other spellings of the same mailbox', () => {
  test.each([
    'ann',
    'ann@',
    '@example.com',
    'ann@example..com',
    'ann@example.com,bob@example.com',
    'ann smith@example.com',
    'ann@example.com#1',
    'ann@example.com/1',
    'ann@example.com?1',
    'ann@example%2ecom',
    'ann@ｅxample.com',
    'ann@ⓔxample.com',
    'ann@example。com',
    'ann@２１３０７０６４３３',
    'a\u200bnn@example.com',
    'a\u034fnn@example.com',
    'ann\ufe0f@example.com',
    'ann@exam\ufe00ple.com',
    'ann@example\u034f.com',
    'a\u115fnn@example.com',
    'a\u{e0100}nn@example.com',
  ])('%s', (address) => expect(isEmail(address)).toBe(false))
})
