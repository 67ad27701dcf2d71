/** Bulk import of partners: the decision for each row. Spec, section 4.3. */
import { formatMoney } from '../../values/money.ts'
import { counted } from '../../values/plural.ts'
import { makeSlug, slugKey, suffixedSlug } from '../../values/slugs.ts'
import type { PartnerImportResponse } from '../imports.responses.ts'
import { groupKey, groupProblem, joinedGroups, type NamedGroups, type NewGroup } from './groups.ts'

/** Per request. Spec, section 8. */
export const MAX_PARTNER_ROWS = 500

/** A valid row. */
export type PartnerRow = {
  email: string
  name: string | null
  /** Null to generate one. */
  slug: string | null
  /** The slugs of further links. */
  otherSlugs: string[]
  coupon: { id: string; label: string | null } | null
  /** In cents of USD. */
  openingBalanceCents: number
  /** The link on the earlier platform. */
  formerLink: string | null
  /** The id or the name of a group. */
  group: string | null
}

/** An invalid row, and what to correct. */
export type BadPartnerRow = {
  email: string
  code:
    | 'email_invalid'
    | 'name_invalid'
    | 'slug_invalid'
    | 'coupon_invalid'
    | 'former_link_invalid'
    | 'group_invalid'
    | 'group_not_found'
    | 'group_ambiguous'
    | 'opening_balance_invalid'
  message: string
}

/** What exists. */
export type PartnerImportFacts = {
  /** Slugs of the program's partners, by email address. */
  partners: ReadonlyMap<string, string>
  /** Taken slugs of the program: the main slug of their partner, by key. */
  slugOwners: ReadonlyMap<string, string>
  /** The main slug of the partner of each taken coupon; blank for another program's partner. */
  couponOwners: ReadonlyMap<string, string>
  /** Opening balances in other programs, in cents of USD, by the addresses of rows with one. */
  balancesElsewhere: ReadonlyMap<string, number>
  /** Existing partners of rows without an opening balance: the main slug, or null if banned. */
  unowed: ReadonlyMap<string, string | null>
  /** Groups that rows name: see findGroups. */
  groups: NamedGroups
}

/** The facts of an import into an empty program. */
export const NOTHING_EXISTS: PartnerImportFacts = {
  partners: new Map(),
  slugOwners: new Map(),
  couponOwners: new Map(),
  balancesElsewhere: new Map(),
  unowed: new Map(),
  groups: new Map(),
}

/** A partner to insert, without a coupon and slugs that another partner has. */
export type NewPartner = Omit<PartnerRow, 'slug' | 'group'> & {
  slug: string
  groupId: string | null
}

/** An existing partner who gets an opening balance. */
export type CompletedPartner = Pick<NewPartner, 'email' | 'slug' | 'openingBalanceCents'>

/** The result of one row, in the response. */
export type PartnerResult = PartnerImportResponse['results'][number]

export type PartnerImportWarning = NonNullable<PartnerImportResponse['warnings']>[number]

export type PartnerImportSummary = PartnerImportResponse['summary']

export type PartnerImportDecision = {
  newPartners: NewPartner[]
  /** The groups to create, which new partners join. */
  newGroups: NewGroup[]
  completed: CompletedPartner[]
  results: PartnerResult[]
  summary: PartnerImportSummary
  warnings: PartnerImportWarning[]
}

export const isPartnerRow = (row: PartnerRow | BadPartnerRow): row is PartnerRow => !('code' in row)

/** The row's slug, or a generated one. A suffix is added if it is taken. */
export const preferredSlug = (row: PartnerRow): string => row.slug ?? makeSlug(row.name, row.email)

/** The first row of each new email address. */
const rowsToCreate = (rows: (PartnerRow | BadPartnerRow)[], { partners }: PartnerImportFacts) => {
  const byEmail = new Map<string, PartnerRow>()
  for (const row of rows) {
    if (isPartnerRow(row) && !partners.has(row.email) && !byEmail.has(row.email))
      byEmail.set(row.email, row)
  }
  return byEmail
}

/**
 * Assigns slugs. Requested slugs come before generated ones, because links use them, and main slugs
 * before further ones.
 *
 * @returns the main slug and the further ones, by email address
 */
const assignSlugs = (
  rows: PartnerRow[],
  { slugOwners }: PartnerImportFacts,
  suffix: () => string,
) => {
  const taken = new Set(slugOwners.keys())
  const assigned = new Map<string, { slug: string; otherSlugs: string[] }>()
  const take = (slug: string): boolean => {
    const key = slugKey(slug)
    const isFree = !taken.has(key)
    taken.add(key)
    return isFree
  }
  const assign = (row: PartnerRow) => {
    const preferred = preferredSlug(row)
    let slug = preferred
    while (!take(slug)) slug = suffixedSlug(preferred, suffix())
    assigned.set(row.email, { slug, otherSlugs: [] })
  }
  for (const row of rows) if (row.slug !== null) assign(row)
  for (const row of rows)
    for (const slug of row.otherSlugs)
      if (take(slug)) assigned.get(row.email)?.otherSlugs.push(slug)
  for (const row of rows) if (row.slug === null) assign(row)
  return assigned
}

/** The row's slugs that the partner does not get. */
const notKept = (wanted: string[], keeps: (slug: string) => boolean) => {
  const slugs = wanted.filter((slug) => !keeps(slug))
  return slugs.length > 0 ? { slugsNotKept: slugs } : {}
}

/**
 * Decides each row. Existing partners are not changed, so an import can be repeated. Invalid and
 * duplicate rows reserve no slug and no coupon.
 *
 * @param suffix generates a suffix for a taken slug
 * @param completeExisting gives existing partners without an opening balance that of their row
 */
export const decidePartnerImport = (
  read: (PartnerRow | BadPartnerRow)[],
  facts: PartnerImportFacts,
  suffix: () => string,
  completeExisting = false,
): PartnerImportDecision => {
  // The group of an existing partner does not matter, because nothing of it is changed.
  const rows = read.map((row): PartnerRow | BadPartnerRow => {
    const problem =
      isPartnerRow(row) && !facts.partners.has(row.email) ? groupProblem(row, facts.groups) : null
    return problem ? { email: row.email, ...problem } : row
  })
  const creating = rowsToCreate(rows, facts)
  const slugs = assignSlugs([...creating.values()], facts, suffix)
  const coupons = new Map(facts.couponOwners)
  const newPartners: NewPartner[] = []
  const completed = new Map<string, CompletedPartner>()
  const completes = ({ email, openingBalanceCents }: PartnerRow): boolean => {
    const slug = completeExisting && openingBalanceCents > 0 ? facts.unowed.get(email) : null
    // If two addresses name one partner, the first row counts.
    if (!slug || completed.has(slug)) return false
    completed.set(slug, { email, slug, openingBalanceCents })
    return true
  }

  const results = rows.map((row): PartnerResult => {
    const { email } = row
    if (!isPartnerRow(row)) {
      return {
        email,
        status: 'error',
        slug: '',
        couponMapped: false,
        code: row.code,
        message: row.message,
      }
    }
    const { slug: newSlug = '', otherSlugs = [] } = slugs.get(email) ?? {}
    const slug = facts.partners.get(email) ?? newSlug
    if (creating.get(email) !== row) {
      const here = new Set([slug, ...otherSlugs].map(slugKey))
      const keeps = (one: string) =>
        here.has(slugKey(one)) || facts.slugOwners.get(slugKey(one)) === slug
      const wanted = [...(row.slug === null ? [] : [row.slug]), ...row.otherSlugs]
      const isCompleted = completes(row)
      return {
        email,
        status: isCompleted ? 'completed' : 'skipped_existing',
        slug,
        couponMapped: false,
        ...notKept(wanted, keeps),
        ...(row.coupon && notAdded(row.coupon.id, coupons.get(row.coupon.id), slug)),
      }
    }

    const couponMapped = row.coupon !== null && !coupons.has(row.coupon.id)
    if (row.coupon && couponMapped) coupons.set(row.coupon.id, slug)
    const { group, ...partner } = row
    const groupId = group === null ? null : (facts.groups.get(groupKey(group))?.id ?? null)
    newPartners.push({
      ...partner,
      groupId,
      slug,
      otherSlugs,
      coupon: couponMapped ? row.coupon : null,
    })
    return {
      email,
      status: 'created',
      slug,
      couponMapped,
      ...(row.slug !== null && row.slug !== slug && { requestedSlug: row.slug }),
      ...notKept(row.otherSlugs, (one) => otherSlugs.includes(one)),
      ...(row.coupon && !couponMapped && couponTaken(row.coupon.id)),
    }
  })
  return {
    newPartners,
    newGroups: joinedGroups(newPartners, facts.groups),
    completed: [...completed.values()],
    results,
    summary: { ...summarize(results), ...(completeExisting && { completed: completed.size }) },
    warnings: warnings(creating, facts, completed),
  }
}

/** Each opening balance is payable, so an import into a second program owes it twice. */
const warnings = (
  creating: ReadonlyMap<string, PartnerRow>,
  { balancesElsewhere, unowed }: PartnerImportFacts,
  completed: ReadonlyMap<string, CompletedPartner>,
): PartnerImportWarning[] => {
  const found = [...balancesElsewhere].filter(([email]) => {
    // An existing partner without a balance gets none, unless it is completed.
    if (unowed.has(email)) return completed.has(unowed.get(email) ?? '')
    // For a repeated address, only the first row creates a balance, which may be zero.
    return creating.get(email)?.openingBalanceCents !== 0
  })
  if (found.length === 0) return []
  const amountCents = found.reduce((sum, [, cents]) => sum + cents, 0)
  const currency = 'USD'
  const partners = counted(found.length, 'partner has', 'partners have')
  const message = `${partners} opening balances in other programs of this workspace too, ${formatMoney(amountCents, currency)} in total. Each balance is payable.`
  return [
    { code: 'balance_in_another_program', count: found.length, amountCents, currency, message },
  ]
}

/** The result for a coupon of an existing partner. `owner` is the slug of who has it. */
const notAdded = (id: string, owner: string | undefined, slug: string) => {
  if (owner === slug) return {}
  if (owner !== undefined) return couponTaken(id)
  const message = `The partner exists and was not changed. Add the coupon "${id}" on the partner’s page.`
  return { code: 'coupon_not_added' as const, message }
}

const couponTaken = (id: string) => ({
  code: 'coupon_taken' as const,
  message: `Another partner has the coupon "${id}". Remove it there, then add it on this partner’s page.`,
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
