/** Sets of roles. A manager is in each of them. */
import { ROLES, type Role } from '../../rules/roles/roles.ts'

export type Roles = readonly Role[]

/** Roles by path and method. */
export type Routes = Record<
  string,
  Partial<Record<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', Roles>>
>

export const ALL: Roles = ROLES
export const FINANCE: Roles = ['manager', 'finance']
export const SUPPORT: Roles = ['manager', 'support']
export const MANAGER: Roles = ['manager']
