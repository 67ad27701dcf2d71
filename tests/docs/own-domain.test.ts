// @module-tag thorough
/**
 * The recipes of docs/snippet.md, "Under your own domain": each runs as it stands there. Vercel's
 * platform itself is not here.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { listen } from '../../dev/runtime/ports.ts'
import { runWorkers } from '../../dev/runtime/workerd.ts'
import { sectionSamples } from '../support/guides.ts'
import { createMerchant } from '../support/merchant.ts'
import { untilAvailable, untilSaved } from '../support/until-available.ts'

/** What a recipe serves: a request of a visitor at an address. */
type Site = {
  send: (path: string, init: RequestInit, address: string) => Promise<Response>
  stop: () => Promise<unknown>
}

const installed = (command: string): boolean => {
  try {
    execFileSync(command, ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const samples = sectionSamples('snippet', 'Under your own domain')
const [shared = '', cloudflare = '', next = '', vercel = ''] = samples.flatMap(
  ({ language, code }) => (language === 'js' ? [code] : []),
)
const nginx = samples.find(({ language }) => language === 'nginx')?.code ?? ''

/** A recipe's code with the function that it imports, as one module. */
const bundle = async (code: string, tributary: string): Promise<string> => {
  const folder = join(inject('folder'), `own-domain-${crypto.randomUUID()}`)
  await mkdir(join(folder, 'app/t/path'), { recursive: true })
  const files: Record<string, string> = {
    'tributary.js': shared.replace('https://track.example', tributary),
    'app/t/path/route.js': code.replace(/'(\.\.?\/)+tributary\.js'/, "'../../../tributary.js'"),
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const { outputFiles } = await build({
    entryPoints: [join(folder, 'app/t/path/route.js')],
    bundle: true,
    format: 'esm',
    write: false,
  })
  return outputFiles[0]?.text ?? ''
}

type Handlers = Record<'GET' | 'POST', (request: Request, context: object) => Promise<Response>>

/** The handlers of a route, as Next.js and Vercel call them. */
const inProcess = async (
  code: string,
  tributary: string,
  key: string,
  call: (handlers: Handlers, request: Request, path: string) => Promise<Response>,
): Promise<Site> => {
  const handlers = (await import(
    `data:text/javascript,${encodeURIComponent(`${await bundle(code, tributary)}\n// ${crypto.randomUUID()}`)}`
  )) as Handlers
  process.env.TRIBUTARY_CLICKS_KEY = key
  return {
    send: (path, init, address) => {
      // The platform sets the address, whatever the visitor has sent.
      const headers = { ...(init.headers as Record<string, string>), 'x-real-ip': address }
      return call(handlers, new Request(`https://shop.example${path}`, { ...init, headers }), path)
    },
    stop: async () => {
      delete process.env.TRIBUTARY_CLICKS_KEY
    },
  }
}

const methodOf = (request: Request) => request.method as 'GET' | 'POST'

const RECIPES: Record<string, (tributary: string, key: string) => Promise<Site>> = {
  Cloudflare: async (tributary, key) => {
    const script = await bundle(cloudflare, tributary)
    const bindings = { TRIBUTARY_CLICKS_KEY: key }
    const workers = await runWorkers(
      [{ name: 'shop', script, compatibilityDate: '2026-10-01', bindings }],
      () => {},
    )
    const url = await workers.urlOf('shop')
    return {
      send: (path, init, address) =>
        fetch(new URL(path, url), {
          ...init,
          headers: { ...(init.headers as Record<string, string>), 'CF-Connecting-IP': address },
        }),
      stop: () => workers.stop(),
    }
  },
  'Next.js': (tributary, key) =>
    inProcess(next, tributary, key, (handlers, request, path) =>
      handlers[methodOf(request)](request, {
        params: Promise.resolve({ path: path.split('/').slice(2) }),
      }),
    ),
  'Vercel, called by its first URL': (tributary, key) =>
    inProcess(vercel, tributary, key, (handlers, request) =>
      handlers[methodOf(request)](request, {}),
    ),
  'Vercel, called by the rewritten URL': (tributary, key) =>
    inProcess(vercel, tributary, key, (handlers, request, path) => {
      const rewritten = `https://shop.example/api/t?path=${path.slice('/t/'.length)}`
      return handlers[methodOf(request)](new Request(rewritten, request), {})
    }),
  ...(installed('nginx') && {
    nginx: async (tributary: string, key: string) => {
      const folder = join(inject('folder'), `nginx-${crypto.randomUUID()}`)
      await mkdir(folder)
      const probe = await listen(createServer())
      const { port } = new URL(probe.url)
      await probe.stop()
      const locations = nginx
        .replaceAll('https://track.example', tributary)
        .replace('trib_live_...', key)
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      )
      await writeFile(
        join(folder, 'nginx.conf'),
        `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log; events {}
         http { access_log off; ${temporary.join(' ')}
                server { listen 127.0.0.1:${port}; ${locations} location / { return 404; } } }`,
      )
      const server = spawn('nginx', ['-c', join(folder, 'nginx.conf'), '-p', folder], {
        stdio: 'ignore',
      })
      const base = `http://127.0.0.1:${port}`
      for (let attempt = 0; attempt < 100; attempt++) {
        if (await fetch(base).catch(() => null)) break
        await pause(50)
      }
      return {
        // Its own address is the only one that a visitor can have here.
        send: (path: string, init: RequestInit) => fetch(base + path, init),
        stop: () => {
          const ended = new Promise((resolve) => server.once('exit', resolve))
          server.kill()
          return ended
        },
      }
    },
  }),
}
if (!RECIPES.nginx) console.log('nginx is not installed, so its recipe is not tried.')

const CLICK = {
  method: 'POST',
  headers: {
    'Content-Type': 'text/plain;charset=UTF-8',
    Origin: 'https://shop.example',
    'Sec-Fetch-Site': 'same-origin',
    'User-Agent': 'Mozilla/5.0 Chrome/147.0.0.0',
    Cookie: 'session=secret',
    // A visitor who knows the header names.
    Authorization: 'Bearer trib_live_theirs',
    'Tributary-Visitor-Address': '203.0.113.99',
  },
}

/** A service that notes what it is sent. */
let received: { path: string | undefined; headers: IncomingHttpHeaders; body: string }[] = []
const service = createServer(async (request, response) => {
  const body = (await request.setEncoding('utf8').toArray()).join('')
  received.push({ path: request.url, headers: request.headers, body })
  response.setHeader('Set-Cookie', ['one=1', 'two=2'])
  response.setHeader('Content-Type', 'application/json')
  response.end(
    JSON.stringify({
      clickId: `clk_${'1'.repeat(24)}`,
      expiresAt: '2027-01-01T00:00:00.000Z',
      maxAge: 60,
    }),
  )
})
beforeAll(() => new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve)))
afterAll(() => new Promise((resolve) => service.close(resolve)))

test('the page has five recipes', () => {
  expect([shared, cloudflare, next, vercel, nginx].every((code) => code.length > 50)).toBe(true)
})

describe.each(Object.entries(RECIPES))('%s', (name, start) => {
  test('passes on the visitor’s address with the key, and neither cookies nor what the visitor says about itself', async () => {
    received = []
    const site = await start(
      `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
      'trib_live_ours',
    )
    try {
      const answer = await site.send(
        '/t/api/track/click',
        { ...CLICK, body: '{"slug":"maya"}' },
        '198.51.100.7',
      )
      expect(answer.status).toBe(200)
      expect(answer.headers.getSetCookie()).toEqual(['one=1', 'two=2'])
      expect(received).toMatchObject([
        {
          path: '/api/track/click',
          body: '{"slug":"maya"}',
          headers: {
            authorization: 'Bearer trib_live_ours',
            'tributary-visitor-address': name === 'nginx' ? '127.0.0.1' : '198.51.100.7',
            origin: 'https://shop.example',
            'sec-fetch-site': 'same-origin',
            'user-agent': 'Mozilla/5.0 Chrome/147.0.0.0',
          },
        },
      ])
      expect(received[0]?.headers.cookie).toBeUndefined()
      for (const path of ['/t/api/track/sale', '/t/app', '/t/', '/t/api/track/click/../sale'])
        expect((await site.send(path, {}, '198.51.100.7')).status).toBe(404)
      expect(received).toHaveLength(1)
    } finally {
      await site.stop()
    }
  })

  test('records a click of the real service, whose cookie comes back, and serves the snippet', async () => {
    const merchant = await createMerchant()
    const key = await merchant.seed.addApiKey(merchant.workspace.id, { scopes: ['clicks'] })
    const site = await start(inject('baseUrl'), key)
    try {
      const body = JSON.stringify({ programId: merchant.programId, slug: 'maya' })
      const answer = await untilAvailable(() =>
        site.send('/t/api/track/click', { ...CLICK, body }, `2001:db8:${name.length}::1`),
      )
      expect(answer.status).toBe(200)
      const { clickId } = (await answer.json()) as { clickId: string }
      expect(answer.headers.getSetCookie()).toEqual([
        expect.stringContaining(`tributary_click=${clickId}`),
      ])
      expect((await untilSaved(() => merchant.sale({ clickId }))).body.attributed).toBe(true)
      const script = await site.send('/t/via.js', {}, '198.51.100.7')
      expect([script.status, script.headers.get('Content-Type')]).toEqual([
        200,
        expect.stringContaining('javascript'),
      ])
      expect(await script.text()).toContain('tributary_click')
    } finally {
      await site.stop()
    }
  })

  test('limits each visitor alone, whatever address the visitor claims', async () => {
    const merchant = await createMerchant()
    const key = await merchant.seed.addApiKey(merchant.workspace.id, { scopes: ['clicks'] })
    const site = await start(inject('baseUrl'), key)
    const body = JSON.stringify({ programId: merchant.programId, slug: 'maya' })
    // 100 clicks are served per ten seconds by the clock. A burst may fall into two of those, and
    // has too many for both.
    const burst = async (addressOf: (index: number) => string) => {
      const answers = await Promise.all(
        Array.from({ length: 230 }, (_, index) => {
          const headers = { ...CLICK.headers, 'Tributary-Visitor-Address': `203.0.${index}.9` }
          return untilAvailable(async () => {
            const answer = await site.send(
              '/t/api/track/click',
              { ...CLICK, headers, body },
              addressOf(index),
            )
            await answer.text()
            return answer
          })
        }),
      )
      return [...new Set(answers.map(({ status }) => status))].sort()
    }
    try {
      // All visitors of nginx have this machine's address.
      if (name !== 'nginx') expect(await burst((index) => `198.51.${index}.7`)).toEqual([200])
      expect(await burst(() => '198.51.100.7')).toEqual([200, 429])
    } finally {
      await site.stop()
    }
  })
})

test('a server that does not know the visitor’s address sends none, so the key shows no use', async () => {
  received = []
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  const site = await inProcess(next, url, 'trib_live_ours', (handlers, request, path) => {
    request.headers.delete('x-real-ip')
    return handlers[methodOf(request)](request, {
      params: Promise.resolve({ path: path.split('/').slice(2) }),
    })
  })
  try {
    await site.send('/t/api/track/click', { ...CLICK, body: '{}' }, '198.51.100.7')
    expect(received).toHaveLength(1)
    expect(received[0]?.headers['tributary-visitor-address']).toBeUndefined()
  } finally {
    await site.stop()
  }
})
