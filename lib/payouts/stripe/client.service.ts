/** The stripe package, set up for Workers. */
import Stripe from 'stripe'

export type ConnectEnv = {
  /** The base URL of Stripe's API, for tests and the local runtime. */
  STRIPE_URL?: string
}

/** Stripe responds within a second or two; a Worker's run has less than a minute. */
const CALL_TIMEOUT_MS = 8_000

/** Empties bodies that are not JSON objects: on a `null`, the stripe package would hang. */
const fetchObject = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
  const response = await fetch(url, init)
  const headers = new Headers(response.headers)
  // The text is decoded already.
  headers.delete('Content-Encoding')
  headers.delete('Content-Length')
  const text = await response.text()
  return new Response(text.trimStart().startsWith('{') ? text : '', {
    status: response.status,
    headers,
  })
}

/** The base URL as the stripe package takes it. */
const addressOf = (url: string | undefined) => {
  if (!url) return {}
  const { hostname: host, port, protocol } = new URL(url)
  return { host, port, protocol: protocol === 'http:' ? ('http' as const) : ('https' as const) }
}

/** The stripe package for a key. */
export const stripeOf = (env: ConnectEnv, key: string): Stripe =>
  new Stripe(key, {
    ...addressOf(env.STRIPE_URL),
    httpClient: Stripe.createFetchHttpClient(fetchObject),
    timeout: CALL_TIMEOUT_MS,
    // Callers retry themselves, and count the calls.
    maxNetworkRetries: 0,
    telemetry: false,
  })

/** The id in a response. @throws if it has none, as a proxy's `{}` */
export const idIn = ({ id }: { id?: unknown }): string => {
  if (typeof id === 'string' && id !== '') return id
  throw new Error('Stripe’s response has no id.')
}
