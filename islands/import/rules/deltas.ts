/**
 * How a later export differs from the program: names that were changed, and partners that it lacks.
 */
import type { Outcomes } from './outcomes.ts'

/** A partner of the program. */
export type PartnerHere = { email: string; name: string | null; slug: string; test?: boolean }

/**
 * @property renamed partners whose name in the file is another one
 * @property missing partners who are not in the file; none for a file of less than half of them,
 *   which is no export of all
 */
export type Deltas = {
  renamed: { email: string; here: string; file: string }[]
  missing: PartnerHere[]
}

/**
 * Compares a file with the partners of its program. Who has changed addresses is found by the slug.
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
