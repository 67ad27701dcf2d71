import type { ErrorDetail } from '../../../lib/http/errors.ts'
import * as m from '../../../lib/languages/messages.ts'
import { Select } from '../../../lib/pages/forms/fields.tsx'

/** A program with one of its groups, if it has any. */
export type ProgramAndGroup = {
  programId: string
  programName: string
  groupId: string | null
  groupName: string | null
}

export type Option = { value: string; label: string }

export const programOptions = (choices: ProgramAndGroup[]): Option[] => {
  const names = new Map(choices.map(({ programId, programName }) => [programId, programName]))
  return [...names].map(([value, label]) => ({ value, label }))
}

/** The groups of all programs. */
export const groupOptions = (choices: ProgramAndGroup[]): Option[] => {
  const hasSeveral = programOptions(choices).length > 1
  return choices.flatMap(({ groupId, groupName, programName }) => {
    if (groupId === null || groupName === null) return []
    return { value: groupId, label: hasSeveral ? `${programName}: ${groupName}` : groupName }
  })
}

/** The groups of one program. */
export const groupNames = (groups: { id: string; name: string }[]): Option[] =>
  groups.map(({ id, name }) => ({ value: id, label: name }))

type Props = {
  label: string
  name: string
  value?: string | undefined
  errors?: ErrorDetail[] | undefined
}

/** A select, or a hidden field if there is only one program. */
export const ProgramField = ({ choices, ...control }: Props & { choices: ProgramAndGroup[] }) => {
  const options = programOptions(choices)
  return options.length > 1 ? (
    <Select {...control} options={options} />
  ) : (
    <input type="hidden" name={control.name} value={options[0]?.value} />
  )
}

/** A group, or none. Not shown if there are no groups. */
export const GroupField = ({ groups, ...control }: Props & { groups: Option[]; hint?: string }) =>
  groups.length > 0 ? (
    <Select {...control} options={[{ value: '', label: m.layout_none }, ...groups]} />
  ) : null
