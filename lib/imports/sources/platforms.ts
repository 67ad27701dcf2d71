import { REWARDFUL } from './rewardful.ts'
import type { Platform, PlatformId } from './source.ts'

/** How each platform is read. */
export const PLATFORMS: Record<PlatformId, Platform> = {
  rewardful: REWARDFUL,
}
