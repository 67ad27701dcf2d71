import { describe, expect, test } from 'vitest'
import { domainInAscii } from '../lib/values/domains.ts'
import { isEmail, normalizeEmail, readEmail } from '../lib/values/emails.ts'

test.each([
  { case: 'space and case', from: ' Ann@Example.COM ', to: 'ann@example.com' },
  { case: 'a combining accent', from: 're\u0301mi@example.com', to: 'rémi@example.com' },
  { case: 'blank', from: '  ', to: null },
  { case: 'undefined', from: undefined, to: null },
  { case: 'what is no address', from: ' Ann ', to: 'ann' },
  { case: 'Punycode', from: 'ann@xn--mnchen-3ya.example', to: 'ann@münchen.example' },
  { case: 'Punycode in capitals', from: 'ann@XN--MNCHEN-3YA.example', to: 'ann@münchen.example' },
  { case: 'one label of several', from: 'ann@xn--mnchen-3ya.a.рф', to: 'ann@münchen.a.рф' },
  { case: 'a dot at the end', from: 'ann@example.com.', to: 'ann@example.com' },
  { case: 'a Japanese keyboard', from: 'ａｎｎ＠ｅxample。com', to: 'ann@example.com' },
  { case: 'a soft hyphen', from: 'a\u00adnn@exam\u00adple.com', to: 'ann@example.com' },
  { case: 'joiners', from: 'a\u200dnn@exam\u200cple.com', to: 'ann@example.com' },
  { case: 'a byte order mark', from: '\ufeff ann@example.com', to: 'ann@example.com' },
  { case: 'the Kelvin sign', from: '\u212aim@\u212aim.example', to: 'kim@kim.example' },
  { case: 'ß, which is not ss', from: 'ann@straße.example', to: 'ann@straße.example' },
  {
    case: 'a joiner that belongs to the name',
    from: 'ann@نامه\u200cای.example',
    to: 'ann@xn--mgba3gch31f060k.example',
  },
  { case: 'a Cyrillic letter among Latin ones', from: 'ann@аpple.com', to: 'ann@xn--pple-43d.com' },
  {
    case: 'Cyrillic letters that look like Latin ones',
    from: 'ann@аррӏе.com',
    to: 'ann@xn--80ak6aa92e.com',
  },
  { case: 'Cyrillic letters', from: 'ann@xn--80a1acny.xn--p1ai', to: 'ann@почта.рф' },
  { case: 'Punycode of nothing', from: 'ann@xn--a.example', to: 'ann@xn--a.example' },
  { case: 'Punycode of ASCII', from: 'ann@xn--abc-.example', to: 'ann@xn--abc-.example' },
  {
    case: 'numbers, which URLs read as IPv4',
    from: 'ann@２１３０７０６４３３',
    to: 'ann@2130706433',
  },
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
    'ann@xn--ü.example',
    'ann@ü:80',
    'ann@ü/1',
    'ann@u@ü.example',
    'ann@ü_x.example',
    'a\u200bnn@example.com',
    'a\u034fnn@example.com',
    'ann\ufe0f@example.com',
    'ann@exam\ufe00ple.com',
    'ann@example\u034f.com',
    'a\u115fnn@example.com',
    'a\u{e0100}nn@example.com',
  ])('%s', (address) => expect(isEmail(address)).toBe(false))
})

test('an address is the same again, and the same in ASCII, whichever character it has', () => {
  const differ: string[] = []
  for (let point = 0x21; point < 0x20000; point++) {
    const character = String.fromCodePoint(point)
    // Letters that normalizing leaves as they are, 90,000 of them, are alike: every hundredth is
    // tried.
    const isPlain =
      /[\p{Lo}\p{Cn}\p{Cs}\p{Co}]/u.test(character) && character === character.normalize('NFKC')
    if (isPlain && point % 100 > 0) continue
    for (const typed of [`a${character}nn@example.com`, `ann@${character}a.example`]) {
      const email = readEmail(typed)
      if (!email) continue
      const [name, domain = ''] = email.split('@')
      if (readEmail(email) !== email || readEmail(`${name}@${domainInAscii(domain)}`) !== email)
        differ.push(typed)
    }
  }
  expect(differ).toEqual([])
})
