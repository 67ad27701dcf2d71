/** How a later export differs from the program. */
import type { Outcomes } from './outcomes.ts'

/** A partner of the program. */
export type PartnerHere = { email: string; name: string | null; slug: string; test?: boolean }

/**
 * @property renamed partners with another name in the file
 * @property missing partners who are not in the file; none if the file has less than half of the
 * partners, and so is no full export
 */
export type Deltas = {
  renamed: { email: string; here: string; file: string }[]
  missing: PartnerHere[]
}

/**
 * Compares a file with the partners of its program. The slug identifies partners with a new
 * address.
 */
export const deltasOf = ({ partners }: Outcomes, here: PartnerHere[]): Deltas => {
  const bySlug = new Map(here.map((partner) => [partner.slug, partner]))
  const found = partners.flatMap(({ row, result }) => {
    const partner = result?.status === 'created' ? undefined : bySlug.get(result?.slug ?? '')
    return partner ? [{ row, partner }] : []
  })
  const inFile = new Set(found.map(({ partner }) => partner))
  const missing = here.filter((partner) => !inFile.has(partner) && !partner.test)
  return {
    renamed: found.flatMap(({ row: { email, name }, partner }) =>
      name && name !== partner.name ? [{ email, here: partner.name ?? '', file: name }] : [],
    ),
    missing: missing.length <= inFile.size ? missing : [],
  }
}
