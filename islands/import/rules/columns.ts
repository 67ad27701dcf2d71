/** Which column of a file is what: the platform that it comes from, and the field that each column becomes. */
import { CUSTOMERS, type Field, PARTNERS, type Preset } from './fields.ts'
import { PRESETS } from './presets.ts'

/** The field that each column becomes, in the file's order; null where the column is ignored. */
export type Columns = (Field | null)[]

export type Recognition = { platform: string | null; columns: Columns }

/** The last column of an error file. It is never data, and never written twice. */
export const ERROR_HEADER = 'tributary_error'

/** What two headers are compared by: letters and digits alone, so `First Name` is `first_name` and `firstName`. */
export const headerKey = (header: string): string =>
  header
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

/** Every field, in the order in which a person is offered them, and what it is called. */
export const FIELD_NAMES: Record<Field, string> = {
  email: 'Partner’s e-mail (imports partners)',
  name: 'Partner’s name',
  firstName: 'Partner’s first name',
  lastName: 'Partner’s last name',
  slug: 'Slug, or the link that it is in',
  couponId: 'Coupon id',
  couponLabel: 'Coupon code, as people type it',
  openingBalance: 'Opening balance',
  balanceCurrency: 'Currency of the balance',
  customerExternalId: 'Customer’s id',
  customerEmail: 'Customer’s e-mail',
  partnerEmail: 'E-mail of the customer’s partner',
  startedAt: 'Date of the customer’s first sale',
}

/**
 * Tells which platform's export a file is, from its headers, and what its columns become.
 *
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
  // An e-mail is the partner's or the customer's; a preset that knows the partner's leaves no second one.
  if (columns.includes('email')) clear(columns, 'partnerEmail')
  return { platform: preset.platform, columns: describesPartners(columns) }
}

/** The preset with the most headers in common, by its longest list that the file has in full. */
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
 * A file of customers that has the partners' slugs is enough to import the partners too. One without would give
 * them new slugs, and their links would be gone before the file with the slugs is imported.
 */
const describesPartners = (columns: Columns): Columns =>
  columns.includes('slug') && !columns.includes('email')
    ? columns.map((field) => (field === 'partnerEmail' ? 'email' : field))
    : columns

const clear = (columns: Columns, field: Field): void => {
  for (const [column, value] of columns.entries()) if (value === field) columns[column] = null
}

/**
 * The columns after a person has said what one of them is. A field that another column had moves over, because a
 * field comes from one column.
 */
export const remap = (columns: Columns, column: number, field: Field | null): Columns =>
  columns.map((old, index) => (index === column ? field : old === field ? null : old))

/** Whether a header says that its amounts are minor units: `opening_balance_cents`. */
export const isInCents = (header: string): boolean => /cents|minor/.test(headerKey(header))

/** A header that is recognised as a field in a file of nobody's, whatever stands beside it. */
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
 * Headers by which these columns will be recognised, so that a file that a person mapped by hand, or that had no
 * header, needs no mapping the next time. A header that says so already stays.
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
  // One header renamed can make another platform of the file, with another meaning for the rest.
  return recognise(some).columns.every((field, column) => field === used[column]) ? some : own
}

/** Fields that the columns beside them make meaningless, and that `recognise` leaves out for that reason. */
const isUnused = (field: Field | null, columns: Columns): boolean =>
  (field === 'partnerEmail' && columns.includes('email')) ||
  (field === 'slug' && columns.includes('partnerEmail') && !columns.includes('email'))

/** What a file with these columns can import. */
export const imports = (columns: Columns): { partners: boolean; customers: boolean } => {
  const partners = columns.includes('email')
  const customer = columns.includes('customerExternalId') || columns.includes('customerEmail')
  return { partners, customers: customer && (partners || columns.includes('partnerEmail')) }
}

/** What stands in the way of importing with these columns, or makes it worse than it could be. Each in words. */
export const warnings = (
  headers: string[],
  columns: Columns,
): { blocking: string | null; advice: string[] } => {
  const { partners, customers } = imports(columns)
  const advice: string[] = []
  if (partners && !columns.includes('slug')) {
    advice.push(
      'No column holds the partners’ slugs or links. New partners will get slugs made from their names, and their old links will not count. If another export has the links, add them as a column first.',
    )
  }
  if (customers && !columns.includes('customerExternalId')) {
    advice.push(
      'No column holds the customers’ ids, so their e-mail addresses will stand for them. Renewals are matched by the payment processor’s customer id: use a file that has it if you can.',
    )
  }
  const codes = headers[columns.indexOf('couponLabel')]
  if (codes !== undefined && !columns.includes('couponId')) {
    advice.push(
      `“${codes}” is left out, because coupon codes are only names. To credit a coupon to a partner, its id at the payment processor is needed; add it later on the partner’s page, under “Coupon aliases”.`,
    )
  }
  const blocking =
    partners || customers
      ? null
      : 'Say which column holds the partner’s e-mail. Without it, no row can be imported.'
  return { blocking, advice }
}
