/** Bulk import of partners: what becomes of each row. Spec, section 4.3. */
import { makeSlug, slugKey, suffixedSlug } from '../slugs.ts'

/** In one call. Spec, section 8. */
export const MAX_PARTNER_ROWS = 500

/** A partner of a call, as it came out of its row. */
export type PartnerRow = {
  email: string
  name: string | null
  /** The slug to keep; without one, it is made up. */
  slug: string | null
  coupon: { id: string; label: string | null } | null
  /** What the partner is still owed, in cents of USD; 0 is nothing. */
  openingBalanceCents: number
}

/** A row that can't be imported, and what to correct in it. */
export type BadPartnerRow = {
  email: string
  code: 'email_invalid' | 'name_invalid' | 'slug_invalid' | 'coupon_invalid' | 'opening_balance_invalid'
  message: string
}

/** What of the rows is there already. */
export type PartnerImportFacts = {
  /** The slugs of the program's partners, by e-mail address. */
  partners: ReadonlyMap<string, string>
  /** The keys of the program's slugs. */
  slugKeys: ReadonlySet<string>
  /** The coupons of the workspace. */
  couponIds: ReadonlySet<string>
}

/** A partner to be made. Without the coupon, when that is another partner's. */
export type NewPartner = Omit<PartnerRow, 'slug'> & { slug: string }

/** What became of one row, as the caller hears it. */
export type PartnerResult = {
  email: string
  status: 'created' | 'skipped_existing' | 'error'
  slug: string
  couponMapped: boolean
  /** The slug that the row asked for, when it had to be renamed: links with it lead elsewhere. */
  requestedSlug?: string
  code?: BadPartnerRow['code'] | 'coupon_taken'
  message?: string
}

export type PartnerImportSummary = Record<
  'created' | 'skippedExisting' | 'errors' | 'slugsRenamed' | 'couponsMapped',
  number
>

export type PartnerImportDecision = {
  newPartners: NewPartner[]
  results: PartnerResult[]
  summary: PartnerImportSummary
}

/** Whether a row can be imported. */
export const isPartnerRow = (row: PartnerRow | BadPartnerRow): row is PartnerRow => !('code' in row)

/** The slug that a row asks for, or would be given if nobody else had it. */
export const wantedSlug = (row: PartnerRow): string => row.slug ?? makeSlug(row.name, row.email)

/** The rows that make a partner: the first of each address that the program doesn't know. */
const rowsToCreate = (rows: (PartnerRow | BadPartnerRow)[], { partners }: PartnerImportFacts) => {
  const byEmail = new Map<string, PartnerRow>()
  for (const row of rows) {
    if (isPartnerRow(row) && !partners.has(row.email) && !byEmail.has(row.email)) byEmail.set(row.email, row)
  }
  return byEmail
}

/**
 * Gives each new partner its slug. Those that rows ask for come first, in the order of the rows: a made-up one
 * breaks no link by being another.
 *
 * @returns the slugs by e-mail address
 */
const giveSlugs = (rows: PartnerRow[], { slugKeys }: PartnerImportFacts, suffix: () => string) => {
  const taken = new Set(slugKeys)
  const given = new Map<string, string>()
  for (const row of [
    ...rows.filter(({ slug }) => slug !== null),
    ...rows.filter(({ slug }) => slug === null),
  ]) {
    const wanted = wantedSlug(row)
    let slug = wanted
    while (taken.has(slugKey(slug))) slug = suffixedSlug(wanted, suffix())
    taken.add(slugKey(slug))
    given.set(row.email, slug)
  }
  return given
}

/**
 * Decides what becomes of each row. A partner who is there is left alone in every way, so that an import can be
 * repeated; a row that is wrong, or repeats an earlier one, takes no slug and no coupon from others.
 *
 * @param suffix makes what tells a slug from the one that was taken
 */
export const decidePartnerImport = (
  rows: (PartnerRow | BadPartnerRow)[],
  facts: PartnerImportFacts,
  suffix: () => string,
): PartnerImportDecision => {
  const creating = rowsToCreate(rows, facts)
  const slugs = giveSlugs([...creating.values()], facts, suffix)
  const coupons = new Set(facts.couponIds)
  const newPartners: NewPartner[] = []

  const results = rows.map((row): PartnerResult => {
    const { email } = row
    if (!isPartnerRow(row)) {
      return { email, status: 'error', slug: '', couponMapped: false, code: row.code, message: row.message }
    }
    const slug = facts.partners.get(email) ?? slugs.get(email) ?? ''
    if (creating.get(email) !== row) return { email, status: 'skipped_existing', slug, couponMapped: false }

    const couponMapped = row.coupon !== null && !coupons.has(row.coupon.id)
    if (row.coupon) coupons.add(row.coupon.id)
    newPartners.push({ ...row, slug, coupon: couponMapped ? row.coupon : null })
    return {
      email,
      status: 'created',
      slug,
      couponMapped,
      ...(row.slug !== null && row.slug !== slug && { requestedSlug: row.slug }),
      ...(row.coupon && !couponMapped && couponTaken(row.coupon.id)),
    }
  })
  return { newPartners, results, summary: summarize(results) }
}

const couponTaken = (id: string) => ({
  code: 'coupon_taken' as const,
  message: `The coupon "${id}" belongs to another partner, and stays there. Add it on the partner’s page once it is free.`,
})

const summarize = (results: PartnerResult[]): PartnerImportSummary => {
  const count = (is: (result: PartnerResult) => boolean) => results.filter(is).length
  return {
    created: count(({ status }) => status === 'created'),
    skippedExisting: count(({ status }) => status === 'skipped_existing'),
    errors: count(({ status }) => status === 'error'),
    slugsRenamed: count(({ requestedSlug }) => requestedSlug !== undefined),
    couponsMapped: count(({ couponMapped }) => couponMapped),
  }
}
