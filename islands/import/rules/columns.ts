/** Recognises the platform of an export, and maps its columns to fields. */
import { CUSTOMERS, type Field, PARTNERS, type Preset } from './fields.ts'
import { PRESETS } from './presets.ts'

/** The field of each column, in the file's order; null for an ignored column. */
export type Columns = (Field | null)[]

export type Recognition = { platform: string | null; columns: Columns }

/** The last column of an error file. It is ignored on import. */
export const ERROR_HEADER = 'tributary_error'

/** Normalises a header to letters and digits, so that `First Name` equals `first_name` and `firstName`. */
export const headerKey = (header: string): string =>
  header
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** The fields and their labels, in the order of the menu. */
export const FIELD_NAMES: Record<Field, string> = {
  email: 'Partner email (imports partners)',
  name: 'Partner name',
  firstName: 'Partner first name',
  lastName: 'Partner last name',
  slug: 'Slug or partner link',
  couponId: 'Coupon ID',
  couponLabel: 'Coupon code',
  openingBalance: 'Opening balance',
  balanceCurrency: 'Balance currency',
  customerExternalId: 'Customer ID',
  customerEmail: 'Customer email',
  partnerEmail: 'Email of the customer’s partner',
  startedAt: 'Date of first sale',
}

/** * Recognises the platform of an export by its headers, and maps its columns. *
 * @example
 * recognise(['stripe_customer_id', 'email', 'first_name', 'last_name', 'token'])
 * // { platform: 'Rewardful', columns: ['customerExternalId', 'email', 'firstName', 'lastName', 'slug'] }
 */
export const recognise = (headers: string[]): Recognition => {
  const keys = headers.map(headerKey)
  const preset = closest(keys)
  const generic = preset.rows === 'customers' ? CUSTOMERS : PARTNERS
  const columns: Columns = headers.map(() => null)
  const ignored = new Set(preset.columns.ignored?.map(headerKey))

  for (const source of [preset, generic]) {
    for (const field of Object.keys(FIELD_NAMES) as Field[]) {
      if (columns.includes(field)) continue
      for (const header of source.columns[field] ?? []) {
        const column = keys.indexOf(headerKey(header))
        if (column < 0 || columns[column] || (source !== preset && ignored.has(keys[column] ?? ''))) continue
        columns[column] = field
        break
      }
    }
  }
  // `email` makes each row a partner, so a second partner column would be redundant.
  if (columns.includes('email')) clear(columns, 'partnerEmail')
  return { platform: preset.platform, columns: describesPartners(columns) }
}

/** The preset with the longest list of signs that the file has in full. */
const closest = (keys: string[]): Preset => {
  let best = PARTNERS
  let most = 0
  for (const preset of [...PRESETS, CUSTOMERS]) {
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
 * A customer file with slugs can import the partners too. Without slugs it must not: the partners would get new ones,
 * and their links would break before the file with the slugs is imported.
 */
const describesPartners = (columns: Columns): Columns =>
  columns.includes('slug') && !columns.includes('email')
    ? columns.map((field) => (field === 'partnerEmail' ? 'email' : field))
    : columns

const clear = (columns: Columns, field: Field): void => {
  for (const [column, value] of columns.entries()) if (value === field) columns[column] = null
}

/** The columns after one is mapped. The field is removed from any other column, because each field has one. */
export const remap = (columns: Columns, column: number, field: Field | null): Columns =>
  columns.map((old, index) => (index === column ? field : old === field ? null : old))

/** Whether a header names minor units, such as `opening_balance_cents`. */
export const isInCents = (header: string): boolean => /cents|minor/.test(headerKey(header))

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
  customerExternalId: 'customer_external_id',
  customerEmail: 'customer_email',
  partnerEmail: 'partner_email',
  startedAt: 'started_at',
}

/**
 * Headers from which these columns will be recognised, so that a manually mapped file, or one without a header, needs
 * no mapping again. Headers that are already recognised stay.
 */
export const headersFor = (headers: string[], columns: Columns): string[] => {
  const used = columns.map((field) => (isUnused(field, columns) ? null : field))
  const own = headers.map((header, column) => {
    const field = used[column] ?? null
    if (field === null) return `${header} (ignored)`
    return field === 'openingBalance' && isInCents(header) ? 'opening_balance_cents' : OWN_HEADERS[field]
  })
  const known = recognise(headers).columns
  const some = headers.map((header, column) =>
    known[column] === used[column] ? header : (own[column] ?? header),
  )
  // Renaming one header can match another platform, which would map the rest differently.
  return recognise(some).columns.every((field, column) => field === used[column]) ? some : own
}

/** Fields that other columns make redundant, which `recognise` therefore omits. */
const isUnused = (field: Field | null, columns: Columns): boolean =>
  (field === 'partnerEmail' && columns.includes('email')) ||
  (field === 'slug' && columns.includes('partnerEmail') && !columns.includes('email'))

/** What these columns can import. */
export const imports = (columns: Columns): { partners: boolean; customers: boolean } => {
  const partners = columns.includes('email')
  const customer = columns.includes('customerExternalId') || columns.includes('customerEmail')
  return { partners, customers: customer && (partners || columns.includes('partnerEmail')) }
}

/** Warnings about a mapping: one that blocks the import, and advice. */
export const warnings = (
  headers: string[],
  columns: Columns,
): { blocking: string | null; advice: string[] } => {
  const { partners, customers } = imports(columns)
  const advice: string[] = []
  if (partners && !columns.includes('slug')) {
    advice.push(
      'No column has the partners’ slugs or links. New partners get slugs generated from their names, and their old links will not work. If another export has the links, add them as a column first.',
    )
  }
  if (customers && !columns.includes('customerExternalId')) {
    advice.push(
      'No column has customer IDs, so email addresses are used instead. Renewals are matched by the payment processor’s customer ID. Use a file that has it if possible.',
    )
  }
  const codes = headers[columns.indexOf('couponLabel')]
  if (codes !== undefined && !columns.includes('couponId')) {
    advice.push(
      `“${codes}” is ignored, because a coupon is identified by its ID in the payment processor. Add the ID later on the partner’s page, under “Coupon aliases”.`,
    )
  }
  const blocking =
    partners || customers ? null : 'Select the column with the partner’s email address. It is required.'
  return { blocking, advice }
}
