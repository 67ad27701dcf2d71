/** Which group of the program the partners of each group of a file join. */
import { groupKey } from '../../../lib/imports/partners/groups.ts'
import type { FilePartner } from './reading/records.ts'

/** A group of the program. */
export type GroupHere = { id: string; name: string }

/** A group as the file names it, and how many partners it has. */
export type FileGroup = { name: string; partners: number }

/**
 * The target of each group of the file, by its name: the id of a group of the program, or null to
 * create one of that name. Partners of others join none.
 */
export type GroupChoices = Record<string, string | null>

/** More would be a column of something else. */
export const MAX_GROUPS = 50

/** The groups of a file, the largest first. */
export const groupsIn = (partners: Pick<FilePartner, 'group'>[]): FileGroup[] =>
  [...Map.groupBy(partners, ({ group }) => group ?? '')]
    .flatMap(([name, of]) => (name ? [{ name, partners: of.length }] : []))
    .sort((a, b) => b.partners - a.partners)

/** Groups of the same name, in any case, are taken for one another. */
export const likelyChoices = (groups: FileGroup[], here: GroupHere[]): GroupChoices =>
  Object.fromEntries(
    groups.flatMap(({ name }) => {
      const same = here.filter((one) => groupKey(one.name) === groupKey(name))
      const [found] = same
      return found && same.length === 1 ? [[name, found.id]] : []
    }),
  )

/** The field of a row. */
export const groupOf = (
  { group }: Pick<FilePartner, 'group'>,
  choices: GroupChoices,
): { group?: string } => {
  const choice = group === undefined ? undefined : choices[group]
  return choice === undefined || group === undefined ? {} : { group: choice ?? group }
}

/** Whether a group is created. */
export const createsGroups = (choices: GroupChoices): boolean =>
  Object.values(choices).includes(null)
