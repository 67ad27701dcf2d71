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

/**
 * Starts the stand-in.
 *
 * @param withSubdomain whether the account has a subdomain of workers.dev, without which it takes no Worker
 * @param secrets the names that each Worker has already
 */
export const startCloudflare = async ({ withSubdomain = true, secrets = [] as string[] } = {}) => {
  const calls: Call[] = []

  const answer = (method: string, path: string): { result?: unknown; code?: number } => {
    if (path === 'subdomain') return withSubdomain ? { result: { subdomain: 'acme' } } : { code: 10007 }
    if (path.startsWith('services/') && method === 'GET') return { code: 10090 }
    const [, script] = /^scripts\/(?:[^/]+)(?:\/(.*))?$/.exec(path) ?? []
    if (method === 'GET' && script === 'secrets')
      return { result: secrets.map((name) => ({ name, type: 'secret_text' })) }
    if (method === 'GET' && script === 'deployments') return { result: { deployments: [] } }
    if (script === 'assets-upload-session') return { result: { jwt: 'assets', buckets: [] } }
    if (script === 'domains/changeset?replace_state=true')
      return { result: { added: [], removed: [], updated: [], conflicting: [] } }
    if (method === 'PUT' && script === undefined && !withSubdomain) return { code: 10063 }
    return {
      result: { id: 'a', tag: 'a', enabled: false, previews_enabled: false, subdomain: { enabled: false } },
    }
  }

  const server = createServer(async (request, response) => {
    const sent = await readSent(request)
    const path = (request.url ?? '').replace('/accounts/acme/workers/', '').replace(/\?(?!replace).*$/, '')
    const method = request.method ?? 'GET'
    if (method !== 'GET') calls.push({ call: `${method} ${path}`, sent })
    const { result = null, code } = answer(method, path)
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
    stop: () => server.close(),
  }
}
