import { expect, test } from 'vitest'
import { NOT_MEASURED, requestsOf } from '../bench/pages-list.ts'
import dashboard from '../functions/dashboard.tsx'
import manage from '../functions/manage.ts'
import portal from '../functions/portal.tsx'
import { newId } from '../lib/db/ids.ts'

const place = {
  workspaceId: newId(),
  slug: 'acme',
  email: 'maya@partner.example',
  partnerId: newId(),
  runId: newId(),
  payoutId: newId(),
  programId: newId(),
}
const measured = [...requestsOf(place).values()]

/**
 * A route's path as an expression: its parameters may be anything, but for the pattern that one
 * states.
 */
const expressionOf = (route: string) =>
  new RegExp(`^${route.replace(/:\w+(?:\{([^}]*)\})?/g, (_, pattern = '[^/]+') => pattern)}$`)

test.each([
  { worker: 'dashboard', app: dashboard },
  { worker: 'manage', app: manage },
  { worker: 'portal', app: portal },
] as const)(
  'the bench measures every page and list of $worker, or says why not',
  ({ worker, app }) => {
    const routes = [
      ...new Set(app.routes.filter(({ method }) => method === 'GET').map(({ path }) => path)),
    ]
    const paths = measured
      .filter((request) => request.worker === worker)
      .map(({ path }) => new URL(path, 'https://tributary.example').pathname)
    const excluded = Object.keys(NOT_MEASURED[worker])
    const isMeasured = (route: string) => paths.some((path) => expressionOf(route).test(path))

    expect(routes.filter((route) => !excluded.includes(route) && !isMeasured(route))).toEqual([])
    expect(excluded.filter((route) => !routes.includes(route))).toEqual([])
  },
)
