/**
 * A merchant's site that serves the snippet under its own domain, by the function in
 * docs/snippet.md.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ROOT } from '../../dev/root.ts'

type PassOn = (request: Request, path: string, address: string, key: string) => Promise<Response>

/** @param tributary the URL of the service */
export const startOwnDomain = async (tributary: string) => {
  const guide = readFileSync(`${ROOT}docs/snippet.md`, 'utf8')
  const [, code = ''] = /```js\n(\/\/ tributary\.js\n.*?)```/s.exec(guide) ?? []
  const local = code.replace('https://track.example', tributary)
  const { passOn } = (await import(`data:text/javascript,${encodeURIComponent(local)}`)) as {
    passOn: PassOn
  }
  const site = {
    /** What every page is. */
    html: '',
    /** An API key with the scope `clicks`. */
    key: '',
    url: (path: string) => `http://www.shop.co.uk:${(server.address() as AddressInfo).port}${path}`,
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
  const server = createServer(async (incoming, response) => {
    if (!incoming.url?.startsWith('/t/')) {
      return response.writeHead(200, { 'Content-Type': 'text/html' }).end(site.html)
    }
    const body = incoming.method === 'POST' ? { body: Buffer.concat(await incoming.toArray()) } : {}
    const request = new Request(site.url(incoming.url), {
      method: incoming.method ?? 'GET',
      headers: incoming.headers as Record<string, string>,
      ...body,
    })
    const answer = await passOn(request, incoming.url.slice(3), '198.51.100.7', site.key)
    response.setHeaders(answer.headers)
    response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return site
}
