/**
 * Who may do what in a workspace. The tables of routes name the roles of each endpoint and page:
 * access.ts refuses all others, and pages ask them which links and forms to show.
 * tests/attacks/7-roles.test.ts sends every route as each role.
 */
import type { Role } from '../../rules/roles/roles.ts'
import { API_ROUTES } from './api-routes.ts'
import { PAGE_ROUTES } from './page-routes.ts'
import type { Roles } from './role-sets.ts'

export type PageRoute = keyof typeof PAGE_ROUTES

/** The path of a page below that of the workspace. */
type PagePath<Route = PageRoute> = Route extends `GET ${infer Path}` ? Path : never

const API = '/api/workspaces/:workspace'
const PAGES = '/app/:workspace'

const below = (base: string, routes: Record<string, Roles>): [string, Roles][] =>
  Object.entries(routes).map(([route, roles]) => [route.replace(' ', ` ${base}`), roles])

/** The roles of each route, by `METHOD /path` as Hono names it. */
export const ROUTE_ROLES: ReadonlyMap<string, Roles> = new Map([
  ...below(API, API_ROUTES),
  ...below(PAGES, PAGE_ROUTES),
])

/** Whether these roles have the one of a person. An API key has none. */
export const includesRole = (roles: Roles, role: Role | 'key'): boolean =>
  roles.some((allowed) => allowed === role)

/** Whether a person may open a page of the workspace, or send its form. */
export const mayOpen = ({ role }: { role: Role | 'key' }, route: PageRoute): boolean =>
  includesRole(PAGE_ROUTES[route], role)

/** Whether a person may read the page at a path. */
export const mayRead = (workspace: { role: Role | 'key' }, path: PagePath): boolean =>
  mayOpen(workspace, `GET ${path}`)
