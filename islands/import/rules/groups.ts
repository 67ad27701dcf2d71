/** Maps the groups of a file to groups of the program. */
import { groupKey } from '../../../lib/imports/partners/groups.ts'
import type { FilePartner } from './reading/records.ts'

export type GroupHere = { id: string; name: string }

/** A group's name in the file, and its number of partners. */
export type FileGroup = { name: string; partners: number }

/**
 * The target of each group of the file, by name: the id of a group of the program, or null to
 * create a group of that name. Partners of other groups join none.
 */
export type GroupChoices = Record<string, string | null>

/** With more groups, the column must hold something else. */
export const MAX_GROUPS = 50

/** The groups of a file, the largest first. */
export const groupsIn = (partners: Pick<FilePartner, 'group'>[]): FileGroup[] =>
  [...Map.groupBy(partners, ({ group }) => group ?? '')]
    .flatMap(([name, of]) => (name ? [{ name, partners: of.length }] : []))
    .sort((a, b) => b.partners - a.partners)

/** Maps groups of the same name, ignoring case. */
export const likelyChoices = (groups: FileGroup[], here: GroupHere[]): GroupChoices =>
  Object.fromEntries(
    groups.flatMap(({ name }) => {
      const same = here.filter((one) => groupKey(one.name) === groupKey(name))
      const [found] = same
      return found && same.length === 1 ? [[name, found.id]] : []
    }),
  )

/** The group in the body of a row. */
export const groupOf = (
  { group }: Pick<FilePartner, 'group'>,
  choices: GroupChoices,
): { group?: string } => {
  const choice = group === undefined ? undefined : choices[group]
  return choice === undefined || group === undefined ? {} : { group: choice ?? group }
}

export const createsGroups = (choices: GroupChoices): boolean =>
  Object.values(choices).includes(null)
