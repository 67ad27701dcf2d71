/**
 * Who may do what in a workspace. Two tables name the roles of each endpoint and page. access.ts
 * refuses all others, and pages show only the links and forms that the reader's role may use.
 * tests/attacks/7-roles.test.ts sends every route as each role.
 */
import type { Role } from '../../rules/roles/roles.ts'
import { API_ROUTES } from './api-routes.ts'
import { PAGE_ROUTES } from './page-routes.ts'
import type { Roles, Routes } from './role-sets.ts'

type Paths = typeof PAGE_ROUTES
export type PageRoute = {
  [Path in keyof Paths]: `${keyof Paths[Path] & string} ${Path}`
}[keyof Paths]

/** The path of a page below that of the workspace. */
type PagePath<Route = PageRoute> = Route extends `GET ${infer Path}` ? Path : never

const API = '/api/workspaces/:workspace'
const PAGES = '/app/:workspace'

const below = (base: string, routes: Routes): [string, Roles][] =>
  Object.entries(routes).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, roles]): [string, Roles] => [
      `${method} ${base}${path}`,
      roles,
    ]),
  )

/** The roles of each route, by `METHOD /path` as Hono names it. */
export const ROUTE_ROLES: ReadonlyMap<string, Roles> = new Map([
  ...below(API, API_ROUTES),
  ...below(PAGES, PAGE_ROUTES),
])

/** Whether a role is among these. An API key has none. */
export const includesRole = (roles: Roles, role: Role | 'key'): boolean =>
  roles.some((allowed) => allowed === role)

export const mayOpen = ({ role }: { role: Role | 'key' }, route: PageRoute): boolean =>
  includesRole(ROUTE_ROLES.get(route.replace(' ', ` ${PAGES}`)) ?? [], role)

export const mayRead = (workspace: { role: Role | 'key' }, path: PagePath): boolean =>
  mayOpen(workspace, `GET ${path}`)
