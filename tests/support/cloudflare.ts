/** A stand-in for what of Cloudflare's API wrangler calls to deploy a Worker. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A call that changed something: `PUT scripts/tributary-mailer`, and what was sent. */
type Call = { call: string; sent: unknown }

/** What a form of several parts says about a Worker, or the JSON of a body. */
const readSent = async (request: IncomingMessage): Promise<unknown> => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  const body = Buffer.concat(parts)
  const type = request.headers['content-type'] ?? ''
  if (type.startsWith('multipart/')) {
    const form = await new Response(body, { headers: { 'Content-Type': type } }).formData()
    const metadata = form.get('metadata')
    return metadata === null
      ? null
      : JSON.parse(typeof metadata === 'string' ? metadata : await metadata.text())
  }
  return body.length > 0 ? JSON.parse(body.toString()) : null
}

type Binding = { type: string; service?: string }

/** The Workers that an upload binds. */
const boundBy = (sent: unknown): string[] =>
  ((sent as { bindings?: Binding[] } | null)?.bindings ?? []).flatMap(({ type, service }) =>
    type === 'service' && service ? [service] : [],
  )

const VERSION_ID = '0199a1b2-0000-7000-8000-000000000001'

export const FORMER_VERSION_ID = '0199a1b2-0000-7000-8000-000000000000'

/** Of a Worker that was deployed twice, newest first. */
const DEPLOYMENTS = [VERSION_ID, FORMER_VERSION_ID].map((version_id, index) => ({
  id: `deployment-${index}`,
  source: 'wrangler',
  strategy: 'percentage',
  author_email: 'you@acme.com',
  created_on: `2026-11-2${4 - index}T00:00:00Z`,
  versions: [{ version_id, percentage: 100 }],
}))

const describeVersion = (id: string) => ({
  id,
  number: 1,
  metadata: {
    created_on: '2026-11-23T00:00:00Z',
    author_email: 'you@acme.com',
    source: 'wrangler',
  },
  annotations: {},
  resources: { bindings: [], script: { etag: 'a' }, script_runtime: {} },
})

/** What Cloudflare knows of a Worker, for wrangler to compare. */
const describeWorker = (lastDeployedFrom: string) => ({
  default_environment: {
    environment: 'production',
    script: { tag: 'a', tags: [], last_deployed_from: lastDeployedFrom },
  },
})

type Answer = { result?: unknown; code?: number }

/** Cloudflare's code for errors of its own. */
const UNAVAILABLE = 10013

/**
 * Starts the stand-in. It refuses a binding to a Worker that was not uploaded.
 *
 * @param withSubdomain whether the account has a subdomain of workers.dev, without which it takes
 *   no Worker
 * @param secrets the names that each Worker has already
 * @param workers those that exist already
 * @param lastDeployedFrom how these were deployed. wrangler asks before it replaces what was
 *   changed by `api`
 * @param selfAtOnce whether a Worker may bind itself at its first upload
 * @param failing calls that fail once each, such as `PUT scripts/tributary-mailer`
 * @param hanging a call that is never answered
 */
export const startCloudflare = async ({
  withSubdomain = true,
  secrets = [] as string[],
  workers = [] as string[],
  lastDeployedFrom = 'wrangler',
  selfAtOnce = true,
  failing = [] as string[],
  hanging = '',
} = {}) => {
  const calls: Call[] = []
  const failures = new Set(failing)
  const kept = new Set(secrets)
  const existing = new Set(workers)

  const upload = (name: string, sent: unknown): Answer => {
    if (!withSubdomain) return { code: 10063 }
    const isKnown = (bound: string) => existing.has(bound) || (selfAtOnce && bound === name)
    if (!boundBy(sent).every(isKnown)) return { code: 10143 }
    existing.add(name)
    return { result: { id: VERSION_ID, tag: 'a', deployment_id: VERSION_ID.replaceAll('-', '') } }
  }

  const answer = (method: string, path: string, sent: unknown): Answer => {
    if (path === 'subdomain')
      return withSubdomain ? { result: { subdomain: 'acme' } } : { code: 10007 }
    const [, service] = /^services\/([^/]+)$/.exec(path) ?? []
    if (service && method === 'GET')
      return existing.has(service) ? { result: describeWorker(lastDeployedFrom) } : { code: 10090 }
    const [, name = '', script] = /^scripts\/([^/]+)(?:\/(.*))?$/.exec(path) ?? []
    if (method === 'GET' && script === 'secrets')
      return { result: [...kept].map((secret) => ({ name: secret, type: 'secret_text' })) }
    if (method === 'GET' && script === 'deployments')
      return { result: { deployments: existing.has(name) ? DEPLOYMENTS : [] } }
    if (method === 'GET' && script === 'versions')
      return { result: { items: [VERSION_ID, FORMER_VERSION_ID].map(describeVersion) } }
    if (method === 'PATCH' && script === 'secrets-bulk') {
      for (const [deleted] of Object.entries((sent as { secrets: object }).secrets))
        kept.delete(deleted)
    }
    // What `delete` looks for: static files of an old kind.
    if (method === 'GET' && path.endsWith('/storage/kv/namespaces')) return { result: [] }
    const [, version] = /^versions\/([^/]+)$/.exec(script ?? '') ?? []
    if (method === 'GET' && version) return { result: describeVersion(version) }
    if (script === 'assets-upload-session') return { result: { jwt: 'assets', buckets: [] } }
    if (script === 'domains/changeset?replace_state=true')
      return { result: { added: [], removed: [], updated: [], conflicting: [] } }
    if (method === 'PUT' && name && script === undefined) return upload(name, sent)
    if (method === 'POST' && script === 'versions') {
      const { result, code } = upload(name, sent)
      return code
        ? { code }
        : { result: { ...(result as object), resources: { script: { etag: 'a' } } } }
    }
    return {
      result: {
        id: 'a',
        tag: 'a',
        enabled: false,
        previews_enabled: false,
        subdomain: { enabled: false },
      },
    }
  }

  const server = createServer(async (request, response) => {
    const sent = await readSent(request)
    const path = (request.url ?? '')
      .replace('/accounts/acme/workers/', '')
      .replace(/\?(?!replace).*$/, '')
    const method = request.method ?? 'GET'
    const call = `${method} ${path}`
    if (method !== 'GET') calls.push({ call, sent })
    if (call === hanging) return
    const { result = null, code } = failures.delete(call)
      ? { code: UNAVAILABLE }
      : answer(method, path, sent)
    const errors = code ? [{ code, message: 'Refused.' }] : []
    response.writeHead(code ? 400 : 200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify({ success: !code, result, errors, messages: [] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    calls,
    /** What wrangler reads to call it. */
    env: {
      CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}`,
      CLOUDFLARE_API_TOKEN: 'token',
      CLOUDFLARE_ACCOUNT_ID: 'acme',
      WRANGLER_SEND_METRICS: 'false',
    },
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
