/**
 * What a person may do in a workspace: a manager everything, the others read; finance pays too, and
 * support holds commissions and writes notes. lib/auth/roles has the tables of routes.
 */
export const ROLES = ['manager', 'finance', 'support', 'member'] as const
export type Role = (typeof ROLES)[number]

/**
 * The roles that begin and approve payout runs, and get the mails about them. Managers are mailed
 * about each change of these roles.
 */
export const PAYING_ROLES = ['manager', 'finance'] as const
type PayingRole = (typeof PAYING_ROLES)[number]

/** A role that pays; null for another one. */
const payingRole = (role: Role): PayingRole | null =>
  PAYING_ROLES.find((paying) => paying === role) ?? null

export type RoleNotice = `${PayingRole}_added` | `${PayingRole}_removed`

/** What all managers are mailed about a change of a role. null is no member. */
export const noticesOfRole = (from: Role | null, to: Role | null): RoleNotice[] => {
  const [lost, given] = [from && payingRole(from), to && payingRole(to)]
  if (lost === given) return []
  return [
    ...(lost ? [`${lost}_removed` as const] : []),
    ...(given ? [`${given}_added` as const] : []),
  ]
}
