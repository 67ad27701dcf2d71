/** The sets of roles that the tables of routes name. A manager is in each of them. */
import { ROLES, type Role } from '../../rules/roles/roles.ts'

export type Roles = readonly Role[]

export const ALL: Roles = ROLES
export const FINANCE: Roles = ['manager', 'finance']
export const SUPPORT: Roles = ['manager', 'support']
export const MANAGER: Roles = ['manager']
