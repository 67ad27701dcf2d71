/** A reward while it is edited: its rules and their conditions as the fields of a form. */
import type { Fields } from '../../../lib/http/validate.ts'
import { editRows, rowsIn } from '../fields/rows.ts'
import { FACTS, isFact } from './facts.ts'

/**
 * A rule, a condition, or a group of conditions of the second level. Its field `is` says which: a
 * fact is a condition on it, and what the form cannot show is `kept`.
 */
export type Part = { fields: Fields; parts: Part[] }

export type Draft = {
  /** The fields of the base: `reward.kind` and so on. */
  base: Fields
  rules: Part[]
  caps: Fields[]
}

/** The start of the names of the caps' fields. */
export const CAPS = 'caps'

/** `rules.2.when.0.when.1.in`: a part of the form, and one of its fields. */
const NAME = /^(rules\.\d+(?:\.when\.\d+){0,2})\.(.+)$/

export const readDraft = (fields: Fields): Draft => {
  const byPart = new Map<string, Record<string, string>>()
  const base: Record<string, string> = {}
  for (const [name, value] of Object.entries(fields)) {
    const [, path, field] = NAME.exec(name) ?? []
    if (path === undefined || field === undefined) {
      if (name.startsWith('reward.')) base[name] = value
    } else byPart.set(path, { ...byPart.get(path), [field]: value })
  }
  const partsOf = (list: string): Part[] => {
    const parts: Part[] = []
    for (
      let own = byPart.get(`${list}.0`);
      own?.is !== undefined;
      own = byPart.get(`${list}.${parts.length}`)
    )
      parts.push({ fields: own, parts: partsOf(`${list}.${parts.length}.when`) })
    return parts
  }
  return { base, rules: partsOf('rules'), caps: rowsIn(fields, CAPS) }
}

const NEW_RULE: Part = {
  fields: { is: 'rule', match: 'all', 'pay.kind': 'percent', duration: 'program' },
  parts: [],
}

/** The draft after a button was pressed, and the name of what gets the focus. */
export type Edited = { draft: Draft; focus: string | null }

/** What a button of the form says: which part, and what becomes of it. */
const PRESSED = /^(rules(?:\.\d+(?:\.when\.\d+){0,2})?)\.(add|remove|up|down)$/

/** A rule that was dragged: from where, and to where. */
const DRAGGED = /^rules\.(\d+)\.to\.(\d+)$/

/** Changes a draft as a button says. A button that no form has changes nothing. */
export const edit = (draft: Draft, pressed: string | undefined): Edited => {
  const [, from, to] = DRAGGED.exec(pressed ?? '') ?? []
  if (to !== undefined) return move(draft, Number(from), Number(to))
  const [, path = '', action] = PRESSED.exec(pressed ?? '') ?? []
  if (!action) {
    const { rows: caps, focus } = editRows(draft.caps, CAPS, pressed)
    return { draft: { ...draft, caps }, focus }
  }
  if (path === 'rules') {
    if (action !== 'add') return { draft, focus: null }
    const rules = [...draft.rules, NEW_RULE]
    return { draft: { ...draft, rules }, focus: `rules.${draft.rules.length}` }
  }
  const steps = path.split('.').flatMap((step) => (/^\d+$/.test(step) ? [Number(step)] : []))
  const at = steps.at(-1) ?? 0
  const list = path.slice(0, path.lastIndexOf('.'))
  const change = (changed: (parts: Part[]) => Part[], focus: string | null): Edited => ({
    draft: { ...draft, rules: changeAt(draft.rules, steps.slice(0, -1), changed) },
    focus,
  })
  if (action === 'remove')
    return change((parts) => parts.toSpliced(at, 1), list === 'rules' ? 'rules.add' : `${list}.add`)
  if (action === 'add') {
    const part = partAt(draft.rules, steps)
    const is = part?.fields.add
    if (!part || !is || !(isFact(is) || (is === 'group' && steps.length === 1)))
      return { draft, focus: null }
    const added = { ...part, parts: [...part.parts, { fields: fresh(is), parts: [] }] }
    return change((parts) => parts.with(at, added), `${path}.when.${part.parts.length}`)
  }
  if (list !== 'rules') return { draft, focus: null }
  return move(draft, at, action === 'up' ? at - 1 : at + 1)
}

/** Moves a rule. The focus goes to the button that moves it on, or back from an end of the list. */
const move = (draft: Draft, from: number, to: number): Edited => {
  const { rules } = draft
  const rule = rules[from]
  if (!rule || to < 0 || to >= rules.length) return { draft, focus: null }
  const isOnUp = to === rules.length - 1 || (to < from && to > 0)
  return {
    draft: { ...draft, rules: rules.toSpliced(from, 1).toSpliced(to, 0, rule) },
    focus: `rules.${to}.${isOnUp ? 'up' : 'down'}`,
  }
}

/** A new condition, or a new group. */
const fresh = (is: string): Fields => ({
  is,
  ...(isFact(is) && 'currency' in FACTS[is] && { currency: 'USD' }),
})

const changeAt = (parts: Part[], steps: number[], changed: (parts: Part[]) => Part[]): Part[] => {
  const [first, ...rest] = steps
  if (first === undefined) return changed(parts)
  return parts.map((part, i) =>
    i === first ? { ...part, parts: changeAt(part.parts, rest, changed) } : part,
  )
}

const partAt = (parts: Part[], [first, ...rest]: number[]): Part | undefined => {
  const part = parts[first ?? -1]
  return rest.length > 0 && part ? partAt(part.parts, rest) : part
}
