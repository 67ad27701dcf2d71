/** Which group the tiers of a program move a partner into. docs/tiers.md, "Groups". */
import type { Tiers } from './tiers.ts'

/** A partner was moved because it reached a tier. */
export type GroupMove = { tier: string; groupId: string; formerGroupId: string | null }

/** The tier of a partner when it was looked at last, and the moves by that tier and lower ones. */
export type TierState = { tier: string | null; moves: GroupMove[] }

export const NO_TIER: TierState = { tier: null, moves: [] }

/**
 * The group of a partner who has a tier now. Each tier that it reached since moves it into the
 * tier's group, the lowest one first, so that several at once do what they do one after the other.
 * Each tier that it lost returns it to the group before, if the tier says so, and unless a manager
 * has moved it elsewhere. A former tier that the program has no longer counts as none.
 */
export const moveByTier = (
  { levels }: Tiers,
  before: TierState,
  tier: string | null,
  groupId: string | null,
): { state: TierState; groupId: string | null } => {
  const placeOf = (name: string | null) => levels.findIndex((level) => level.name === name)
  const [from, to] = [placeOf(before.tier), placeOf(tier)]
  let current = groupId
  let moves = before.moves.filter((move) => placeOf(move.tier) >= 0)
  for (const { name, movesBack } of levels.slice(to + 1, from + 1).toReversed()) {
    const move = moves.find((one) => one.tier === name)
    if (movesBack && move?.groupId === current) current = move.formerGroupId
    moves = moves.filter((one) => one !== move)
  }
  for (const level of levels.slice(from + 1, to + 1)) {
    if (!level.groupId || level.groupId === current) continue
    moves = [...moves, { tier: level.name, groupId: level.groupId, formerGroupId: current }]
    current = level.groupId
  }
  return { state: { tier, moves }, groupId: current }
}
