/** Which language a reader gets, and how messages are written in each. */
import compile from 'icu-minify/compile'
import { expect, test } from 'vitest'
import { sayIn } from '../../lib/languages/api-sentences.ts'
import { LANGUAGES, readerOf } from '../../lib/languages/languages.ts'
import { type Message, translator } from '../../lib/languages/message.ts'
import * as m from '../../lib/languages/messages.ts'

test.each([
  { header: undefined, language: 'en', locale: 'en' },
  { header: 'de-AT,de;q=0.9,en;q=0.8', language: 'de', locale: 'de-AT' },
  { header: 'fr', language: 'fr', locale: 'fr' },
  { header: 'es-419', language: 'es', locale: 'es-419' },
  { header: 'pt-PT', language: 'pt', locale: 'pt-PT' },
  { header: 'PT', language: 'pt', locale: 'PT' },
  { header: 'en;q=0.5, fr;q=0.9', language: 'fr', locale: 'fr' },
  // The first one that there is.
  { header: 'ja,de;q=0.5,en;q=0.4', language: 'de', locale: 'de' },
  // Numbers stay those of a reader whose language there is not.
  { header: 'pl', language: 'en', locale: 'pl' },
  { header: 'de;q=0, pl', language: 'en', locale: 'pl' },
  // What was chosen counts more than the browser.
  { header: 'de-CH,fr-CH;q=0.5', chosen: 'fr' as const, language: 'fr', locale: 'fr-CH' },
  { header: 'de-CH', chosen: 'pt' as const, language: 'pt', locale: 'pt-BR' },
  { header: 'de-CH', chosen: 'en' as const, language: 'en', locale: 'en' },
  { header: '../../etc, <script>, d e', language: 'en', locale: 'en' },
])(
  '"$header" with the choice $chosen is $language, with numbers of $locale',
  ({ header, chosen, ...reader }) => {
    expect(readerOf(header, chosen)).toEqual(reader)
  },
)

const DAY = new Date('2026-03-01T23:30:00Z')

test.each([
  { language: 'en' as const, one: '1 day', many: '1,200 days', day: '1 Mar 2026 (UTC)' },
  { language: 'de' as const, one: '1 Tag', many: '1.200 Tage', day: '01.03.2026 (UTC)' },
  { language: 'fr' as const, one: '1 jour', many: '1 200 jours', day: '1 mars 2026 (UTC)' },
  { language: 'es' as const, one: '1 día', many: '1200 días', day: '1 mar 2026 (UTC)' },
  { language: 'pt' as const, one: '1 dia', many: '1.200 dias', day: '1 de mar. de 2026 (UTC)' },
])(
  '$language writes counts, plurals and days as its readers do',
  ({ language, one, many, day }) => {
    const t = translator(language)
    const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ')
    expect(t(m.count_days, { count: 1 })).toBe(one)
    expect(plain(t(m.count_days, { count: 1_200 }))).toBe(many)
    expect(t(m.day_in_utc, { day: DAY })).toBe(day)
  },
)

test('what other rooms say in English is found by its text, with its values', () => {
  expect(sayIn('de', 'Must have at most 255 characters.')).toBe('Darf höchstens 255 Zeichen haben.')
  expect(sayIn('fr', 'Must not be blank.')).toBe('Ne doit pas être vide.')
  expect(sayIn('en', 'Must not be blank.')).toBe('Must not be blank.')
})

test('a sentence that no catalog has stays as it is, whatever it looks like', () => {
  for (const text of ['No such destination: acct_1', 'Must have at most', '$1 {max} <b>', ''])
    expect(sayIn('de', text)).toBe(text)
})

test('a value is no message: braces and tags in it are text', () => {
  expect(translator('de')(m.address_changed_text, { email: '{x}<b>&' })).toContain('{x}<b>&')
  expect(sayIn('de', 'Stripe refuses: {x} <b>$&</b>')).toBe('Stripe lehnt ab: {x} <b>$&</b>')
})

test('a message of managers is in English for every reader, with its counts and days', () => {
  const message: Message<{ count: number; day: Date }> = {
    text: [compile('{count, plural, one {# mail} other {# mails}} since {day, date, medium}')],
  }
  for (const language of LANGUAGES)
    expect(translator(language)(message, { count: 1_200, day: DAY })).toBe(
      '1,200 mails since 1 Mar 2026',
    )
})
