import { describe, expect, test } from 'vitest'
import { newId } from '../../lib/db/ids.ts'
import { type Candidate, planMailing } from '../../lib/mail/mailings/mailing.ts'
import {
  readUnsubscribeToken,
  unsubscribeHeaders,
  unsubscribeToken,
  unsubscribeUrl,
} from '../../lib/mail/mailings/unsubscribe.ts'

const KEY = 'a key of at least thirty-two characters'
const ANN = '01900000-0000-7000-8000-00000000000a'
const BEN = '01900000-0000-7000-8000-00000000000b'

describe('a link to unsubscribe', () => {
  test('names its partner, and is the same each time', async () => {
    const token = await unsubscribeToken(KEY, ANN)
    expect(await readUnsubscribeToken(KEY, token)).toBe(ANN)
    expect(await unsubscribeToken(KEY, ANN)).toBe(token)
    expect(await unsubscribeUrl(KEY, ANN, 'https://track.example/portal')).toBe(
      `https://track.example/unsubscribe/${token}`,
    )
  })

  test.each([
    ['another partner with this one’s signature', (token: string) => token.replace(ANN, BEN)],
    [
      'another signature',
      (token: string) => token.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    ],
    ['a shorter signature', (token: string) => token.slice(0, -2)],
    ['no signature', () => ANN],
    ['an empty signature', () => `${ANN}.`],
    ['something before it', (token: string) => `x${token}`],
    ['a line break after it', (token: string) => `${token}\n`],
    ['nothing', () => ''],
  ])('is refused with %s', async (_case, change) => {
    expect(await readUnsubscribeToken(KEY, change(await unsubscribeToken(KEY, ANN)))).toBeNull()
  })

  test('is refused if another key has signed it', async () => {
    expect(await readUnsubscribeToken(KEY, await unsubscribeToken(`${KEY}!`, ANN))).toBeNull()
  })

  test('is in the headers of RFC 8058', () => {
    expect(unsubscribeHeaders('https://track.example/unsubscribe/x')).toEqual({
      'List-Unsubscribe': '<https://track.example/unsubscribe/x>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
  })
})

describe('of the chosen partners', () => {
  const candidate = (changes: Partial<Candidate>): Candidate => ({
    id: newId(),
    email: 'ann@partner.example',
    name: null,
    slug: 'ann',
    status: 'approved',
    programName: 'Friends',
    isUnsubscribed: false,
    ...changes,
  })

  test.each<{ case: string; candidates: Partial<Candidate>[]; reasons: (string | null)[] }>([
    { case: 'an approved one gets the mail', candidates: [{}], reasons: [null] },
    { case: 'a banned one gets none', candidates: [{ status: 'banned' }], reasons: ['banned'] },
    {
      case: 'one that has unsubscribed gets none',
      candidates: [{ isUnsubscribed: true }],
      reasons: ['unsubscribed'],
    },
    {
      case: 'one without an address gets none',
      candidates: [{ email: 'ann' }],
      reasons: ['no_address'],
    },
    {
      case: 'two programs’ partner gets one',
      candidates: [{}, {}],
      reasons: [null, 'same_address'],
    },
    {
      case: 'a partner that is banned in one of two programs gets the other’s',
      candidates: [{ status: 'banned' }, {}],
      reasons: ['banned', null],
    },
  ])('$case', ({ candidates, reasons }) => {
    const chosen = candidates.map(candidate)
    const { recipients, skipped } = planMailing(chosen)
    const reasonOf = (one: Candidate) =>
      recipients.includes(one) ? null : skipped.find(({ partner }) => partner === one)?.reason
    expect(chosen.map(reasonOf)).toEqual(reasons)
    expect(recipients.length + skipped.length).toBe(chosen.length)
  })
})
