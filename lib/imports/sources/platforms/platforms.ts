import type { PlatformId } from '../source.ts'
import { DUB } from './dub.ts'
import { FIRSTPROMOTER } from './firstpromoter.ts'
import type { Platform } from './platform.ts'
import { REWARDFUL } from './rewardful.ts'
import { TOLT } from './tolt.ts'

/** The platforms, in the order of the menu. */
export const PLATFORMS: Record<PlatformId, Platform> = {
  rewardful: REWARDFUL,
  tolt: TOLT,
  firstpromoter: FIRSTPROMOTER,
  dub: DUB,
}
