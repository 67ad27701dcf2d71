/** The names of platforms, of their lists, and of what they are read for. */

/** The lists of a platform. Links and coupons are lists only where partners do not include them. */
export const RESOURCES = [
  'customers',
  'coupons',
  'links',
  'groups',
  'rewards',
  'partners',
  'commissions',
] as const
export type Resource = (typeof RESOURCES)[number]

/** Lists that an import can do without: if a platform refuses one, the others are read. */
export const DISPENSABLE: Resource[] = ['coupons', 'groups', 'rewards']

export const PLATFORM_IDS = ['rewardful', 'tolt', 'firstpromoter', 'dub'] as const
export type PlatformId = (typeof PLATFORM_IDS)[number]

/** To import a program, or to compare the commissions of a shadow run. */
export const PURPOSES = ['import', 'shadow'] as const
export type Purpose = (typeof PURPOSES)[number]

/** The context that a token is encrypted in: a copied ciphertext does not decrypt elsewhere. */
export const sealContext = (workspaceId: string): string => `${workspaceId} import source`

/** Why a row is not imported. */
export const LEFT_OUT = [
  'no_email',
  'no_customer',
  'no_partner',
  'no_processor_id',
  'archived',
  'deactivated',
  'not_money',
  'refused',
  'unreadable',
] as const
