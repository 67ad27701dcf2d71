/** Programs and groups: the terms on which partners are rewarded, and what a change does to them. */
import type { RewardInterval, RewardTerms } from './rewards.ts'

export type ProgramTerms = {
  name: string
  siteUrl: string
  reward: RewardTerms
  rewardInterval: RewardInterval
  /** null is for ever. */
  rewardDurationMonths: number | null
  holdingDays: number
  attributionDays: number
  attribution: 'last' | 'first'
  attributeKnownCustomers: boolean
  minimumPayoutCents: number
}

export type GroupTerms = {
  name: string
  /** null leaves the program's. */
  saleReward: RewardTerms | null
  /** null is none. */
  leadReward: RewardTerms | null
}

/** A reward as the API shows it and takes it: a share in per cent. */
export type ShownReward =
  | { kind: 'percent'; percent: number }
  | { kind: 'flat'; amountCents: number; currency: string }

/** A reward as the API shows it. */
export const presentReward = (reward: RewardTerms): ShownReward =>
  reward.kind === 'percent' ? { kind: reward.kind, percent: reward.basisPoints / 100 } : reward

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
