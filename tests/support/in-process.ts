import { beforeAll, inject, vi } from 'vitest'
import dashboard from '../../functions/dashboard.tsx'
import manage from '../../functions/manage.ts'

/** What a Worker may be told otherwise than in wrangler.toml, or to which database it is sent. */
type Bindings = { SQL_ENDPOINT?: string; ALLOW_SIGNUP?: string }

// The apps log each request, which says nothing that the tests don't.
beforeAll(() => void vi.spyOn(console, 'log').mockReturnValue(undefined))

const APPS = { manage, dashboard }

/**
 * Asks a Worker's app in this process, as somebody who has signed in: for settings and databases that the Workers of
 * all tests don't have, without starting a set of one's own.
 */
export const askAs = async (
  worker: keyof typeof APPS,
  email: string,
  path: string,
  init: RequestInit = {},
  bindings: Bindings = {},
): Promise<Response> => {
  const user = { id: email, email, name: '' }
  const env = {
    ...inject('database'),
    ...bindings,
    AUTH: { getSession: async () => ({ user, setCookie: [] }) },
    RATE_LIMIT: { limit: async () => ({ success: true }) },
  }
  const headers = { Cookie: 'tributary.session=any', ...init.headers }
  return APPS[worker].request(`http://tributary.example${path}`, { ...init, headers }, env)
}
