/** Compares a record with a requested update, for the update itself and for the audit log. */
import { type RewardTerms, rewardResponse } from '../rules/rewards/rewards.ts'

/** What a field may be: a reward, or something that is logged as it is. */
type Value = string | number | boolean | object | null

const logValue = (value: Value) => (isReward(value) ? rewardResponse(value) : value)

const isReward = (value: Value): value is RewardTerms =>
  typeof value === 'object' && value !== null && 'kind' in value

/** The requested values. An undefined field is not changed. */
export type Patch<T> = { [K in keyof T]?: T[K] | undefined }

/**
 * The fields that differ, and their old and new values for the audit log. A form that submits every
 * field logs only what its user changed.
 *
 * @returns null when nothing differs
 */
export const diff = <T extends { [K in keyof T]: Value }>(
  before: T,
  patch: Patch<T>,
): { changed: Partial<T>; log: Record<string, { from: unknown; to: unknown }> } | null => {
  const changed: Partial<T> = {}
  const log: Record<string, { from: unknown; to: unknown }> = {}
  for (const field of Object.keys(before) as (keyof T & string)[]) {
    const [from, to] = [before[field], patch[field]]
    // Rewards and lists compare as JSON because all are built with the keys of their type in the
    // same order.
    if (to === undefined || JSON.stringify(from) === JSON.stringify(to)) continue
    Object.assign(changed, { [field]: to })
    log[field] = { from: logValue(from), to: logValue(to) }
  }
  return Object.keys(log).length === 0 ? null : { changed, log }
}
