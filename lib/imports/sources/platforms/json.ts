/** Reads JSON of another system: a value of the expected type, or null. */
import { normalizeEmail } from '../../../values/emails.ts'

export type Fields = Record<string, unknown>

/** An object's fields; none for anything else. */
export const fieldsOf = (value: unknown): Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : {}

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** A text that is not blank, or a number as text, without characters that Postgres cannot store. */
export const textOf = (value: unknown): string | null => {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value !== 'string') return null
  return value.replaceAll('\0', '').toWellFormed().trim().slice(0, MAX_LENGTH) || null
}

/** Longer than any field of an import, so that validation refuses the text. */
const MAX_LENGTH = 1_000

/** A normalized email address. An invalid one is kept, so that validation refuses it. */
export const addressOf = (value: unknown): string | null => normalizeEmail(textOf(value))

/** A whole number, which some systems send as text. */
export const integerOf = (value: unknown): number | null => {
  const number = typeof value === 'string' && /^-?\d+$/.test(value.trim()) ? Number(value) : value
  return Number.isSafeInteger(number) ? (number as number) : null
}

/** A moment in ISO 8601 with its zone. */
export const momentOf = (value: unknown): string | null => {
  const text = textOf(value)
  const time = text && /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

/** A name in one text. */
export const nameOf = (...parts: unknown[]): string | null =>
  parts.map(textOf).filter(Boolean).join(' ') || null

/** A three-letter currency in upper case. */
export const currencyOf = (value: unknown): string | null => {
  const code = textOf(value)?.toUpperCase()
  return code && /^[A-Z]{3}$/.test(code) ? code : null
}
