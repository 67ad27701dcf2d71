import { describe, expect, test } from 'vitest'
import { senderLine, senderOf } from '../../lib/mail/transport/sender.ts'

const FROM = 'Tributary <mail@track.example>'

test('a mail of a merchant is from it by way of the installation, at the installation’s address', () => {
  expect(senderOf(FROM, 'Pine Notes')).toEqual({
    name: 'Pine Notes via Tributary',
    email: 'mail@track.example',
  })
  expect(senderLine(FROM, 'Pine Notes')).toBe('Pine Notes via Tributary <mail@track.example>')
  expect(senderLine('"Acme Partners" <m@acme.example>', 'Pine Notes')).toBe(
    'Pine Notes via Acme Partners <m@acme.example>',
  )
})

test('a sender without a name gets one only beside a merchant', () => {
  expect(senderOf('mail@track.example')).toEqual({ name: '', email: 'mail@track.example' })
  expect(senderLine('mail@track.example')).toBe('mail@track.example')
  expect(senderLine('mail@track.example', 'Pine Notes')).toBe(
    'Pine Notes via Tributary <mail@track.example>',
  )
})

test.each([
  { case: 'another header', name: 'Pine\r\nBcc: all@victims', shown: 'refused' },
  { case: 'a line break', name: 'Pine\r\nNotes', shown: 'Pine Notes' },
  { case: 'the end of its quotes', name: 'Pine" <evil>, "Notes', shown: 'Pine evil Notes' },
  { case: 'a comment and a group', name: 'Pine (Notes): [x];', shown: 'Pine Notes x' },
  { case: 'a bidirectional override', name: '\u202EPine\u202C', shown: 'Pine' },
  { case: 'invisible characters', name: 'Pi\u200Bne', shown: 'Pine' },
  { case: 'letters of other scripts', name: 'Кофе и книги', shown: 'Кофе и книги' },
  { case: 'a legal form', name: 'Pine Notes Inc.', shown: 'Pine Notes Inc.' },
  { case: '300 characters', name: 'x'.repeat(300), shown: 'x'.repeat(60) },
])('a name with $case is $shown', ({ name, shown }) => {
  expect(senderOf(FROM, name).name).toBe(
    shown === 'refused' ? 'Tributary' : `${shown} via Tributary`,
  )
})

describe('a name under which somebody could be deceived is left out', () => {
  test.each([
    'Stripe',
    'STRIPE Payouts',
    'Str\u0131pe',
    'Strípe',
    'Str1pe',
    'S\u200Btripe',
    'S t r i p e',
    'Stripe'.replace('i', '\u0456'),
    'Ｓｔｒｉｐｅ',
    'PayPaI',
    'Tributary',
    'Tributary Security',
    'security@bank.example',
    'security＠bank.example',
    'bank.example',
    'https://bank',
    'www.bank',
    '\u200B',
    '"" <>',
    '   ',
  ])('%j', (name) => {
    expect(senderLine(FROM, name)).toBe(FROM)
  })

  test('also that of an installation with another name', () => {
    expect(senderLine('Acme Partners <m@acme.example>', 'ACME partners')).toBe(
      'Acme Partners <m@acme.example>',
    )
  })
})
