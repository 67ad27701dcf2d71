/** Changes: which fields of something differ from what it was, and how the log tells of them. */
import { presentReward, type RewardTerms } from '../tracking/rewards.ts'

const shown = (value: string | number | boolean | RewardTerms | null) =>
  typeof value === 'object' && value !== null ? presentReward(value) : value

/** What is wanted of some fields; the others stay as they are. */
export type Wanted<T> = { [K in keyof T]?: T[K] | undefined }

/**
 * What a change really changes: the fields that differ, and for the log what each was and becomes. So a form that
 * sends everything says no more than what was touched.
 */
export const changesOf = <T extends { [K in keyof T]: string | number | boolean | RewardTerms | null }>(
  before: T,
  wanted: Wanted<T>,
): { changed: Partial<T>; log: Record<string, { from: unknown; to: unknown }> } | null => {
  const changed: Partial<T> = {}
  const log: Record<string, { from: unknown; to: unknown }> = {}
  for (const field of Object.keys(before) as (keyof T & string)[]) {
    const [from, to] = [before[field], wanted[field]]
    // Rewards are compared as JSON: everywhere, `kind` comes first, and the rest in the order of its type.
    if (to === undefined || JSON.stringify(from) === JSON.stringify(to)) continue
    Object.assign(changed, { [field]: to })
    log[field] = { from: shown(from), to: shown(to) }
  }
  return Object.keys(log).length === 0 ? null : { changed, log }
}
