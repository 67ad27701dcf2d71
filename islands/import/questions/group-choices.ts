/** The part of a preview that maps the groups of the file to groups of the program. */
import { groupKey } from '../../../lib/imports/partners/groups.ts'
import * as m from '../../../lib/languages/messages.ts'
import { t } from '../../text.ts'
import { get } from '../api.ts'
import { h, select } from '../dom.ts'
import {
  type FileGroup,
  type GroupChoices,
  type GroupHere,
  groupsIn,
  likelyChoices,
  MAX_GROUPS,
} from '../rules/groups.ts'
import type { FilePartner } from '../rules/reading/records.ts'

/** More than any program has. */
const LIMIT = '200'

/** The groups of a program; none if they cannot be read. */
export const groupsHere = async (workspace: string, programId: string): Promise<GroupHere[]> =>
  (
    await get<{ data: GroupHere[] }>(
      `/api/workspaces/${encodeURIComponent(workspace)}/programs/${programId}/groups?limit=${LIMIT}`,
    )
  )?.data ?? []

/** Values of the menu in addition to the ids of groups. */
const NONE = ''
const CREATE = 'create'

const menu = (
  { name, partners }: FileGroup,
  here: GroupHere[],
  index: number,
  choice: string | undefined,
) => {
  const id = `import-group-${index}`
  const isHere = here.some((one) => groupKey(one.name) === groupKey(name))
  const options = here.map((group): [string, string] => [group.id, group.name])
  // Rows refer to groups by name, so a second group of the same name would be ambiguous.
  if (!isHere) options.push([CREATE, t(m.import_create_group, { name })])
  const target = select({ id }, [[NONE, t(m.partners_no_group)], ...options])
  target.value = choice ?? NONE
  const label = h('label', { for: id }, t(m.import_group_of_file, { name, partners }))
  return { name, select: target, part: h('div', { class: 'field' }, label, target) }
}

/** Maps the groups of the file. @property part null if the file names no groups */
export const groupChoices = (partners: FilePartner[], here: GroupHere[]) => {
  const groups = groupsIn(partners)
  const isTooMany = groups.length > MAX_GROUPS
  const likely = likelyChoices(groups, here)
  const menus = (isTooMany ? [] : groups).map((group, index) =>
    menu(group, here, index, likely[group.name] ?? undefined),
  )
  return {
    part:
      groups.length === 0
        ? null
        : h(
            'fieldset',
            {},
            h('legend', {}, t(m.import_groups)),
            h(
              'p',
              { class: 'hint' },
              isTooMany
                ? t(m.import_too_many_groups, { count: groups.length })
                : t(m.import_groups_hint),
            ),
            ...menus.map(({ part }) => part),
          ),
    choices: (): GroupChoices =>
      Object.fromEntries(
        menus.flatMap(({ name, select: { value } }) =>
          value === NONE ? [] : [[name, value === CREATE ? null : value]],
        ),
      ),
  }
}
