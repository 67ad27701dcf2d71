/** Recognises the platform of an export, and maps its columns to fields. */
import { inEnglish, type Message } from '../../../../lib/languages/message.ts'
import * as m from '../../../../lib/languages/messages.ts'
import {
  CUSTOMER_SIGN,
  type Field,
  GENERIC,
  NEW_PARTNER_EMAIL,
  type Preset,
  type RowKind,
} from './fields.ts'
import { PRESETS } from './presets.ts'

/** The field of each column, in the file's order; null for an ignored column. */
export type Columns = (Field | null)[]

export type Recognition = {
  platform: string | null
  /** Null if the headers leave it open. */
  rows: RowKind | null
  columns: Columns
}

/** How a file is read. */
export type Mapping = {
  rows: RowKind | null
  columns: Columns
  /** Whether balances and earlier commissions are in minor units; null until that is chosen. */
  inCents: boolean | null
  /** The zone of times without one, such as `Europe/Berlin`. */
  zone: string
}

/** The last column of an error file, which an import ignores. */
export const ERROR_HEADER = 'tributary_error'

/**
 * Normalises a header to letters and digits: `First Name`, `first_name` and `firstName` are equal.
 */
export const headerKey = (header: string): string =>
  header
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** The fields and their labels, in the order of the menu. */
export const FIELD_NAMES: Record<Field, Message> = {
  email: m.import_field_email,
  name: m.import_field_name,
  firstName: m.import_field_first_name,
  lastName: m.import_field_last_name,
  slug: m.import_field_slug,
  couponId: m.import_field_coupon_id,
  couponLabel: m.import_field_coupon_label,
  openingBalance: m.kind_opening_balance,
  balanceCurrency: m.import_field_balance_currency,
  status: m.import_field_status,
  group: m.import_field_group,
  customerExternalId: m.import_field_customer_id,
  customerEmail: m.import_field_customer_email,
  partnerEmail: m.import_field_partner_email,
  startedAt: m.import_field_started_at,
  priorCommissions: m.import_field_prior_commissions,
  priorAmount: m.import_field_prior_amount,
  priorCurrency: m.import_field_prior_currency,
}

/**
 * Recognises the platform of an export by its headers, and maps its columns. A file with signs of
 * customers is never taken for partners, unless the platform's format is known: then its rows are
 * null, and none of its columns is mapped.
 *
 * @param chosen what the rows describe, if the user has said so
 * @example
 * recognise(['stripe_customer_id', 'email', 'first_name', 'last_name', 'token'])
 * // { platform: 'Rewardful', rows: 'both', columns: ['customerExternalId', 'email', 'firstName', 'lastName', 'slug'] }
 */
export const recognise = (headers: string[], chosen: RowKind | null = null): Recognition => {
  const keys = headers.map(headerKey)
  const found = closest(keys)
  const rows = chosen ?? (isSure(found, keys) ? found.rows : null)
  if (rows === null) return { platform: found.platform, rows, columns: headers.map(() => null) }
  const columns = mapColumns(keys, found.rows === rows ? [found, GENERIC[rows]] : [GENERIC[rows]])
  return { platform: found.platform, rows, columns: describesPartners(columns) }
}

const mapColumns = (keys: string[], sources: Preset[]): Columns => {
  const columns: Columns = keys.map(() => null)
  const ignored = ignoredBy(sources[0])
  for (const [place, source] of sources.entries()) {
    for (const field of Object.keys(FIELD_NAMES) as Field[]) {
      if (columns.includes(field)) continue
      for (const header of source.columns[field] ?? []) {
        const column = keys.indexOf(headerKey(header))
        if (column < 0 || columns[column] || (place > 0 && ignored.has(keys[column] ?? '')))
          continue
        columns[column] = field
        break
      }
    }
  }
  // `email` makes each row a partner, so a second partner column is redundant, unless the headers
  // say that only some rows are partners.
  if (columns.includes('email') && !keys.includes(headerKey(NEW_PARTNER_EMAIL)))
    clear(columns, 'partnerEmail')
  return columns
}

const ignoredBy = (preset: Preset | undefined): Set<string> =>
  new Set(preset?.columns.ignored?.map(headerKey))

const isSure = (preset: Preset, keys: string[]): boolean =>
  preset.rows !== 'partners' ||
  !keys.some((key) => CUSTOMER_SIGN.test(key) && !ignoredBy(preset).has(key))

/** The preset with the longest list of signs that the file has in full. */
const closest = (keys: string[]): Preset => {
  let best = GENERIC.partners
  let most = 0
  for (const preset of [...PRESETS, GENERIC.customers, GENERIC.both]) {
    for (const sign of preset.signs) {
      if (sign.length > most && sign.every((header) => keys.includes(headerKey(header)))) {
        best = preset
        most = sign.length
      }
    }
  }
  return best
}

/**
 * A customer file with slugs can import the partners too. Without slugs it must not: the partners
 * would get new ones, and their links would break before the file with the slugs is imported.
 */
const describesPartners = (columns: Columns): Columns =>
  columns.includes('slug') && !columns.includes('email')
    ? columns.map((field) => (field === 'partnerEmail' ? 'email' : field))
    : columns

const clear = (columns: Columns, field: Field): void => {
  for (const [column, value] of columns.entries()) if (value === field) columns[column] = null
}

/** The columns after one was mapped. The field is removed from its former column. */
export const remap = (columns: Columns, column: number, field: Field | null): Columns =>
  columns.map((old, index) => (index === column ? field : old === field ? null : old))

/** Whether a header says minor units, such as `opening_balance_cents`; null if it does not say. */
export const unitOf = (header: string): boolean | null => {
  const key = headerKey(header)
  if (/cents|minor/.test(key)) return true
  return /usd|dollars|major/.test(key) ? false : null
}

/** Headers that are recognised in any generic file. */
const OWN_HEADERS: Record<Field, string> = {
  email: 'email',
  name: 'partner_name',
  firstName: 'partner_first_name',
  lastName: 'partner_last_name',
  slug: 'slug',
  couponId: 'coupon_id',
  couponLabel: 'coupon_code',
  openingBalance: 'opening_balance',
  balanceCurrency: 'balance_currency',
  status: 'partner_status',
  group: 'partner_group',
  customerExternalId: 'customer_external_id',
  customerEmail: 'customer_email',
  partnerEmail: 'partner_email',
  startedAt: 'started_at',
  priorCommissions: 'prior_commissions',
  priorAmount: 'prior_amount',
  priorCurrency: 'prior_currency',
}

/**
 * Headers from which these columns are recognised, so that a manually mapped file needs no mapping
 * again. Headers that are already recognised stay.
 */
export const headersFor = (
  headers: string[],
  { columns, inCents }: Pick<Mapping, 'columns' | 'inCents'>,
): string[] => {
  const used = columns.map((field) => (isUnused(field, columns) ? null : field))
  const { partners, customers } = imports(columns)
  const own = headers.map((header, column) => {
    const field = used[column] ?? null
    if (field === null) return `${header} (ignored)`
    if (field === 'openingBalance') return inCents ? 'opening_balance_cents' : 'opening_balance_usd'
    if (field === 'priorAmount') return inCents ? 'prior_amount_cents' : 'prior_amount_major'
    return field === 'email' && partners && customers ? NEW_PARTNER_EMAIL : OWN_HEADERS[field]
  })
  const known = recognise(headers).columns
  const some = headers.map((header, column) => {
    const isAmount = used[column] === 'openingBalance' || used[column] === 'priorAmount'
    const isOfOtherUnit = isAmount && inCents !== null && unitOf(header) !== inCents
    return known[column] === used[column] && !isOfOtherUnit ? header : (own[column] ?? header)
  })
  // Renaming one header can match another platform, which would map the rest differently.
  return recognise(some).columns.every((field, column) => field === used[column]) ? some : own
}

/** The fields, other than ids, that only customers have. */
const OF_CUSTOMERS: Field[] = ['startedAt', 'priorCommissions', 'priorAmount', 'priorCurrency']

/** Whether `recognise` omits a field, because other columns make it redundant or are missing. */
const isUnused = (field: Field | null, columns: Columns): boolean =>
  (field === 'partnerEmail' && columns.includes('email') && !imports(columns).customers) ||
  (field === 'slug' && columns.includes('partnerEmail') && !columns.includes('email')) ||
  (field !== null && OF_CUSTOMERS.includes(field) && !imports(columns).customers)

/** What these columns can import. */
export const imports = (columns: Columns): { partners: boolean; customers: boolean } => {
  const partners = columns.includes('email')
  const customer = columns.includes('customerExternalId') || columns.includes('customerEmail')
  return { partners, customers: customer && (partners || columns.includes('partnerEmail')) }
}

/** Warnings about a mapping: one that blocks the import, and advice. */
export const warnings = (
  headers: string[],
  { rows, columns, inCents }: Omit<Mapping, 'zone'>,
): { blocking: string | null; advice: string[] } => {
  const { partners, customers } = imports(columns)
  const advice: string[] = []
  if (partners && !columns.includes('slug')) {
    advice.push(inEnglish(m.import_no_slugs))
  }
  if (customers && !columns.includes('customerExternalId')) {
    advice.push(inEnglish(m.import_no_customer_ids))
  }
  const codes = headers[columns.indexOf('couponLabel')]
  if (codes !== undefined && !columns.includes('couponId')) {
    advice.push(inEnglish(m.import_codes_ignored, { column: codes }))
  }
  const amounts = (['openingBalance', 'priorAmount'] as const).filter(
    (field) => columns.includes(field) && (field === 'priorAmount' ? customers : partners),
  )
  const units = amounts.map((field) => unitOf(headers[columns.indexOf(field)] ?? ''))
  const unitProblem =
    amounts.length > 0 && inCents === null
      ? inEnglish(m.import_choose_unit)
      : units.includes(!inCents)
        ? inEnglish(m.import_units_differ)
        : null
  return { blocking: blockingOf(rows, { partners, customers }, unitProblem), advice }
}

const blockingOf = (
  rows: RowKind | null,
  { partners, customers }: ReturnType<typeof imports>,
  unitProblem: string | null,
): string | null => {
  if (rows === null) return inEnglish(m.import_choose_rows)
  if (unitProblem) return unitProblem
  if (partners || customers) return null
  return inEnglish(
    rows === 'customers' ? m.import_select_partner_column : m.import_select_email_column,
  )
}
