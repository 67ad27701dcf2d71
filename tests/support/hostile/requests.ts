/**
 * Hostile requests to every public route: of the OpenAPI document, the pages, their forms, sign-in
 * and Stripe's webhook.
 */
import { inject } from 'vitest'
import dashboard from '../../../functions/dashboard.tsx'
import portal from '../../../functions/portal.tsx'
import { signedHeaders } from '../stripe.ts'
import { breakBytes, fillPath, formOf, headersOf, queryOf } from './parts.ts'
import { type Chooser, documented, hostileValue, type Pools, toJson } from './values.ts'

export type Hostile = {
  method: string
  path: string
  headers: Record<string, string>
  body?: Uint8Array<ArrayBuffer>
}

/** What the attackers have. */
export type Arms = {
  pools: Pools
  /** The slug of their workspace. */
  slug: string
  /** Cookies of people of their workspace. */
  sessions: { managers: string[]; members: string[]; partners: string[]; strangers: string[] }
  keys: string[]
  /** The forms of their pages. */
  forms: { path: string; fields: Record<string, string> }[]
  /** Signs events of their Stripe account. */
  secret: string
}

/** As a shell command, to be sent again by hand. */
export const asCurl = ({ method, path, headers, body }: Hostile): string => {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const bytes = body && [...body].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
  const data = bytes === undefined ? '' : ` --data-binary @<(printf '${bytes.slice(0, 20_000)}')`
  const sent = Object.entries(headers).map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`)
  return `curl -i -X ${method} --path-as-is ${quoted(inject('baseUrl') + path)}${sent.join('')}${data}`
}

export const PAGE_ROUTES = [...dashboard.routes, ...portal.routes]
  .filter(({ method, path }) => method !== 'ALL' && !path.includes('*'))
  .map(({ method, path }) => ({ method, path }))

/** Of the auth Worker, whose code runs in workerd only, and of the router. */
const OTHER_ROUTES = [
  ...[
    'GET /sign-in',
    'POST /sign-in',
    'GET /auth/confirm',
    'POST /auth/confirm',
    'POST /auth/sign-out',
    'GET /auth/sessions',
    'POST /auth/sessions/end',
  ],
  ...[
    'POST /api/auth/sign-in/magic-link',
    'GET /api/auth/get-session',
    'GET /readyz',
    'POST /api/auth/sign-out',
    'GET /',
    'GET /openapi.json',
    'GET /via.js',
    'GET /none',
    'GET /api/none',
  ],
].map((route) => ({ method: route.split(' ')[0] ?? '', path: route.split(' ')[1] ?? '' }))

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** An address of the caller, so that nobody runs into a limit by address. */
export const address = ({ below }: Chooser) => `198.51.${below(256)}.${below(256)}`

/** Who asks: a person by cookie, a program by key, nobody, or somebody with something forged. */
const credentials = (
  { pick, chance }: Chooser,
  { sessions, keys }: Arms,
  path: string,
): Record<string, string> => {
  // A session that is signed out would be of no use to the requests that follow.
  if (/auth/.test(path)) return { Cookie: pick(sessions.strangers) }
  const people = path.startsWith('/portal') ? sessions.partners : sessions.managers
  const kind = chance(0.55)
    ? 'expected'
    : pick(['none', 'member', 'partner', 'stranger', 'key', 'forged', 'both'])
  if (kind === 'none') return {}
  if (kind === 'key' || path.startsWith('/api/track'))
    return { Authorization: `Bearer ${pick(keys)}` }
  if (kind === 'both') return { Authorization: `Bearer ${pick(keys)}`, Cookie: pick(people) }
  if (kind === 'forged')
    return pick<Record<string, string>>([
      { Cookie: 'tributary.session=a.b' },
      { Cookie: `tributary.session=${'%'.repeat(20)}` },
      { Cookie: `__proto__=1; tributary.session=; ${pick(people)}; tributary.session=x` },
      { Authorization: 'Bearer' },
      { Authorization: `Basic ${pick(keys)}` },
      { Authorization: `Bearer ${pick(keys)}x` },
    ])
  const from = {
    member: sessions.members,
    partner: sessions.partners,
    stranger: sessions.strangers,
  }[kind]
  return { Cookie: pick(from ?? people) }
}

const JSON_TYPE = { 'Content-Type': 'application/json' }
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' }

/** The next request of an attack. */
export const generate = async (choose: Chooser, arms: Arms): Promise<Hostile> => {
  const { pools, forms, slug, secret } = arms
  const { chance, pick } = choose
  const method = (usual: string) => (chance(0.05) ? pick(METHODS) : usual)
  const withHeaders = (path: string, type: Record<string, string>) => ({
    ...type,
    ...credentials(choose, arms, path),
    'CF-Connecting-IP': address(choose),
    ...headersOf(choose),
  })
  const kind = pick(['api', 'api', 'form', 'page', 'page', 'other', 'stripe'] as const)
  if (kind === 'stripe') {
    const { path } = documented.find((one) => one.path.includes('webhooks')) ?? { path: '/' }
    const body = toJson({
      id: 'evt_1',
      object: 'event',
      type: pick([
        'invoice.paid',
        'checkout.session.completed',
        'charge.refunded',
        'account.updated',
        'transfer.reversed',
        '__proto__',
      ]),
      created: pick([1, 0, -1, 1e21, 'x', 1_780_000_000]),
      livemode: pick([true, false, null, 'x']),
      account: pick(['acct_1', null, undefined]),
      data: { object: hostileValue(choose, pools, { type: 'object', properties: STRIPE_FIELDS }) },
    })
    const bytes = breakBytes(choose, body)
    const request = { method: 'POST', path: fillPath(choose, pools, path), body: bytes }
    const headers = { ...JSON_TYPE, ...headersOf(choose) }
    // Nothing is chosen after this, so a seed gives the same requests whatever their order.
    const signed = chance(0.8) ? await signedHeaders(new TextDecoder().decode(bytes), secret) : {}
    return { ...request, headers: { ...headers, ...signed } }
  }
  if (kind === 'form' || (kind === 'other' && chance(0.5))) {
    const { path, fields } =
      kind === 'form'
        ? pick(forms)
        : {
            path: pick(OTHER_ROUTES).path,
            fields: { email: pick(pools.emails), next: '/app', token: 'x'.repeat(32) },
          }
    const swapped = chance(0.2)
      ? path.replace(UUID, () => pick(pools.ids)).replace(slug, () => pick(pools.workspaces))
      : path
    const body = breakBytes(choose, formOf(choose, pools, fields))
    return {
      method: 'POST',
      path: swapped,
      headers: { Origin: inject('baseUrl'), ...withHeaders(path, FORM_TYPE) },
      body,
    }
  }
  const operation =
    kind === 'api'
      ? pick(documented)
      : { ...pick(kind === 'page' ? PAGE_ROUTES : OTHER_ROUTES), parameters: [], body: null }
  const path =
    fillPath(choose, pools, operation.path) + queryOf(choose, pools, operation.parameters)
  const used = method(operation.method)
  const hasBody = used !== 'GET' && used !== 'HEAD' && (operation.body !== null || chance(0.3))
  const body = hasBody
    ? breakBytes(choose, toJson(hostileValue(choose, pools, operation.body ?? {})))
    : undefined
  return {
    method: used,
    path,
    headers: withHeaders(operation.path, JSON_TYPE),
    ...(body && { body }),
  }
}

const UUID = /[0-9a-f]{8}-[0-9a-f-]{27}/g

const STRIPE_FIELDS = Object.fromEntries(
  [
    'id',
    'object',
    'customer',
    'customer_email',
    'amount_total',
    'amount',
    'amount_paid',
    'currency',
    'payment_intent',
    'charge',
    'invoice',
    'subscription',
    'lines',
    'discounts',
    'metadata',
    'client_reference_id',
    'created',
    'status',
    'refunds',
    'reversals',
    'payments',
    'status_transitions',
    'mode',
    'payment_status',
    'customer_details',
    'parent',
  ].map((name) => [
    name,
    {
      type: ['string', 'integer', 'object', 'array', 'null'],
      properties: { id: { type: 'string' }, data: { type: 'array' } },
    },
  ]),
)
