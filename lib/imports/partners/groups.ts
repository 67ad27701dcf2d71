/** The groups that rows of an import name. */

type NamesGroup = { group: string | null }

/** A group; `isNew` if the import creates it, `isAmbiguous` if another group has its name too. */
type NamedGroup = { id: string; name: string; isNew: boolean; isAmbiguous: boolean }

/** Groups by `groupKey` of an id or a name. */
export type NamedGroups = ReadonlyMap<string, NamedGroup>

export type NewGroup = { id: string; name: string }

/** Ids and names match in any case. */
export const groupKey = (text: string): string => text.toLowerCase()

/**
 * The groups that rows name. `newId` returns the id of a group to create, or is null to create
 * none.
 */
export const findGroups = (
  rows: NamesGroup[],
  existing: { id: string; name: string }[],
  newId: (() => string) | null,
): NamedGroups => {
  const found = new Map<string, NamedGroup>()
  for (const { id, name } of existing) {
    const key = groupKey(name)
    found.set(key, { id, name, isNew: false, isAmbiguous: found.has(key) })
  }
  // A group whose name is the id of another one is found by its own id only.
  for (const { id, name } of existing) found.set(id, { id, name, isNew: false, isAmbiguous: false })
  for (const { group: name } of rows) {
    if (name === null || !newId || found.has(groupKey(name))) continue
    found.set(groupKey(name), { id: newId(), name, isNew: true, isAmbiguous: false })
  }
  return found
}

/** What is wrong with the group of a row; null if nothing is. */
export const groupProblem = ({ group }: NamesGroup, groups: NamedGroups) => {
  if (group === null) return null
  const found = groups.get(groupKey(group))
  if (!found) {
    const message = `The program has no group "${group}". Create it first, set createGroups, or leave the group out.`
    return { code: 'group_not_found', message } as const
  }
  if (!found.isAmbiguous) return null
  const message = `Several groups of the program are named "${group}". Enter the id of one of them.`
  return { code: 'group_ambiguous', message } as const
}

/** The new groups that partners join. */
export const joinedGroups = (
  partners: { groupId: string | null }[],
  groups: NamedGroups,
): NewGroup[] => {
  const joined = new Set(partners.map(({ groupId }) => groupId))
  return [...groups.values()].flatMap(({ id, name, isNew }) =>
    isNew && joined.has(id) ? [{ id, name }] : [],
  )
}
