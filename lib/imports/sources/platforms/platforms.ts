import type { Platform, PlatformId } from '../source.ts'
import { DUB } from './dub.ts'
import { FIRSTPROMOTER } from './firstpromoter.ts'
import { REWARDFUL } from './rewardful.ts'
import { TOLT } from './tolt.ts'

/** How each platform is read, in the order of the menu. */
export const PLATFORMS: Record<PlatformId, Platform> = {
  rewardful: REWARDFUL,
  tolt: TOLT,
  firstpromoter: FIRSTPROMOTER,
  dub: DUB,
}
