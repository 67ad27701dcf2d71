/** Partners who connect an account, at the Workers and the Stripe of all tests. */
import { inject } from 'vitest'
import { browse } from './pages.ts'
import { openSession } from './people.ts'
import { createPartner } from './portal.ts'
import { stripeKey } from './secrets.ts'

/**
 * Presses a button at the fake of all tests: see dev/fakes/stripe/connect-pages.ts.
 * @param path of its page, or all of it
 */
export const atStripe = async (path: string): Promise<Response> => {
  const origin = inject('stripeUrl')
  const answer = await fetch(new URL(path.replace(/^(?=\/accounts)/, '/dev/stripe'), origin), {
    method: 'POST',
    redirect: 'manual',
    headers: { Origin: origin },
  })
  if (answer.status >= 400) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer
}

/** A merchant who pays by Stripe by default, and its partner "ann" with her pages. */
export const createConnecting = async ({ hasKey = true } = {}) => {
  const partner = await createPartner()
  const { merchant, workspaceId, email } = partner
  const key = stripeKey()
  const manager = await merchant.asManager()
  if (hasKey) {
    const { status, body } = await manager.put('/stripe/key', { key })
    if (status !== 200) throw new Error(JSON.stringify(body))
  }
  const pages = browse(await openSession(email), inject('baseUrl'), '/portal')
  return {
    ...partner,
    key,
    manager,
    pages,
    connect: (fields: Record<string, string> = {}) =>
      pages.post('/connect', { workspace: workspaceId, country: 'DE', ...fields }),
  }
}
export type Connecting = Awaited<ReturnType<typeof createConnecting>>
