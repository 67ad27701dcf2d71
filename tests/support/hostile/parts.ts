/** The parts of hostile requests: paths, query strings, forms, headers and bytes. */
import {
  type Chooser,
  hostileValue,
  LONG,
  type Parameter,
  type Pools,
  SCRIPT,
  SEGMENTS,
  TEXTS,
} from './values.ts'

/** The table of an id, by the part of the path before it. */
const TABLES: Record<string, string> = {
  'payout-runs': 'payout_runs',
  runs: 'payout_runs',
  coupons: 'coupon_aliases',
  audit: 'audit_entries',
  notes: 'partner_notes',
  secrets: 'stripe_secrets',
}

/**
 * A path whose parameters are filled in: mostly with ids of the right kind, some of them another
 * tenant's.
 */
export const fillPath = ({ chance, pick }: Chooser, pools: Pools, template: string): string =>
  template.replaceAll(
    /(\w[\w-]*)\/(?:\{(\w+)\}|:(\w+)(?:\{[^}]*\})?)/g,
    (_, before: string, documentedName?: string, routed?: string) => {
      const name = documentedName ?? routed
      const table = TABLES[before] ?? before
      const ids = (chance(0.3) ? pools.foreign : pools.own)[table]
      if (chance(0.04)) return `${before}/${pick(SEGMENTS)}`
      if (name === 'workspace') return `${before}/${pick(pools.workspaces)}`
      if (name === 'year') return `${before}/${pick(['2026', '0', '99999', '-1'])}`
      return `${before}/${pick(ids && !chance(0.1) ? ids : pools.ids)}`
    },
  )

/** A query string: what is documented, what pages know, and what nobody expects. */
export const queryOf = (choose: Chooser, pools: Pools, parameters: Parameter[]): string => {
  const { chance, pick } = choose
  const known = parameters.filter((one) => one.in === 'query' && chance(0.4))
  const pairs = known.map(({ name, schema }) => [
    name,
    hostileValue(choose, pools, schema ?? {}, name),
  ])
  if (chance(0.3))
    pairs.push([
      pick([
        'cursor',
        'page',
        'days',
        'status',
        'kind',
        'partnerId',
        'programId',
        'query',
        'year',
        'next',
        'token',
        '__proto__',
        'limit',
        'method',
        'program',
        'payout',
      ]),
      pick([...TEXTS, ...pools.ids]),
    ])
  if (chance(0.1) && pairs[0]) pairs.push([pairs[0][0], pick(TEXTS)], [`${pairs[0][0]}[]`, '1'])
  const encoded = pairs.map(([name, value]) => {
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
    return `${encodeURIComponent(String(name).toWellFormed())}=${chance(0.05) ? pick(SEGMENTS) : encodeURIComponent(text.toWellFormed())}`
  })
  return encoded.length > 0 ? `?${encoded.join('&')}` : ''
}

/** A form whose fields are partly replaced, repeated or left out. */
export const formOf = (choose: Chooser, pools: Pools, fields: Record<string, string>): string => {
  const { chance, pick } = choose
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    if (chance(0.05)) continue
    const changed = chance(0.25) ? pick([...TEXTS, ...pools.ids, ...pools.emails]) : value
    form.append(name, changed.toWellFormed())
    if (chance(0.03)) form.append(name, pick(TEXTS).toWellFormed())
  }
  if (chance(0.1))
    form.append(
      pick(['__proto__', 'role', 'workspaceId', 'actor', 'id']),
      pick(TEXTS).toWellFormed(),
    )
  return form.toString()
}

/** Headers that callers choose. */
export const headersOf = ({ chance, pick }: Chooser): Record<string, string> => {
  const hostile: [string, string[]][] = [
    [
      'Content-Type',
      [
        'text/plain',
        'multipart/form-data',
        'application/json; charset=utf-16',
        'application/x-www-form-urlencoded',
        'a/b',
        'application/json;;;',
      ],
    ],
    ['X-Forwarded-Host', ['evil.example']],
    ['X-Forwarded-Proto', ['http']],
    ['X-Request-Id', [SCRIPT, LONG.slice(0, 2_000)]],
    ['Origin', ['https://evil.example', 'null']],
    ['Referer', ['https://evil.example/x', 'not a url', 'http://[']],
    ['Sec-Fetch-Site', ['cross-site', 'same-site', 'x']],
    ['User-Agent', [SCRIPT, LONG]],
    ['Accept', ['*/*;q=2', 'text/html', LONG]],
    ['Accept-Language', [LONG]],
    ['Range', ['bytes=0-1', 'bytes=-1']],
    ['If-None-Match', ['*']],
    ['Stripe-Signature', ['t=1,v1=00', 't=NaN', LONG, 't=,v1=', 'v1=x,t=99999999999999999999']],
    ['X-HTTP-Method-Override', ['DELETE']],
  ]
  return Object.fromEntries(
    hostile.flatMap(([name, values]) => (chance(0.03) ? [[name, pick(values)]] : [])),
  )
}

/** A body's bytes, some of which are broken. */
export const breakBytes = (
  { chance, pick, below }: Chooser,
  text: string,
): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(new TextEncoder().encode(text))
  if (!chance(0.1)) return bytes
  const kind = pick(['cut', 'flip', 'bom', 'invalid', 'twice', 'large'] as const)
  if (kind === 'cut') return bytes.slice(0, below(bytes.length + 1))
  if (kind === 'twice') return Uint8Array.from([...bytes, ...bytes])
  if (kind === 'bom') return Uint8Array.from([0xef, 0xbb, 0xbf, ...bytes])
  if (kind === 'large') {
    // At the limit of bodies, one below and one above it.
    const padded = new Uint8Array(64 * 1024 - 1 + below(3)).fill(0x20)
    padded.set(bytes.slice(0, padded.length))
    return padded
  }
  if (bytes.length > 0) bytes[below(bytes.length)] = kind === 'flip' ? below(256) : 0xff
  return bytes
}
