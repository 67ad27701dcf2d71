/**
 * Sentences that other rooms write in English, because the API says them too: errors of fields,
 * refusals, reasons. Pages and mails in another language look them up in the catalog "said", by
 * their English text.
 */
import type { CompiledMessage } from 'icu-minify/format'
import { LANGUAGES, type Language } from './languages.ts'
import { type Message, translator } from './message.ts'
import { SAID } from './messages.ts'

const ENGLISH = LANGUAGES.indexOf('en')

type Sentence = (typeof SAID)[number]

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** What finds the values of a sentence in its English text: placeholders are named groups. */
const patternOf = (compiled: CompiledMessage): RegExp => {
  const parts = (Array.isArray(compiled) ? compiled : [compiled]).map((node) =>
    typeof node === 'string' ? escaped(node) : `(?<${Array.isArray(node) ? node[0] : ''}>[^]+)`,
  )
  return new RegExp(`^${parts.join('')}$`)
}

let patterns: { sentence: Sentence; pattern: RegExp }[] | undefined

/** A sentence in another language; as it is, if the catalog does not have it. */
export const sayIn = (language: Language, english: string): string => {
  if (language === 'en') return english
  patterns ??= SAID.map((sentence) => ({
    sentence,
    pattern: patternOf(sentence.text[ENGLISH] ?? ''),
  }))
  for (const { sentence, pattern } of patterns) {
    const match = pattern.exec(english)
    if (match) return translator(language)(sentence as Message<object>, { ...match.groups })
  }
  return english
}
