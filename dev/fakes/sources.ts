/**
 * Fakes of the platforms that programs are imported from: the lists of their APIs, their limits and
 * their failures.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from '../runtime/ports.ts'
import { type Account, type AccountOptions, createAccount } from './sources/account.ts'
import type { PlatformApi } from './sources/api.ts'
import { DUB_API } from './sources/dub.ts'
import { FIRSTPROMOTER_API } from './sources/firstpromoter.ts'
import type { OldProgram } from './sources/program.ts'
import { REWARDFUL_API } from './sources/rewardful.ts'
import { TOLT_API } from './sources/tolt.ts'

const APIS: Record<string, PlatformApi> = {
  rewardful: REWARDFUL_API,
  tolt: TOLT_API,
  firstpromoter: FIRSTPROMOTER_API,
  dub: DUB_API,
}

const respond = (response: ServerResponse, status: number, body: unknown, headers = {}) => {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

/**
 * Starts the fakes on a free port: each platform's API is at `<url>/<platform>`.
 *
 * @example
 * ```ts
 * const sources = await startSources()
 * const account = sources.addAccount('rewardful', 'secret', oldProgram({ partners: 3, links: 5, customers: 9 }))
 * account.plan('hang', { status: 503 })
 * ```
 */
export const startSources = async () => {
  const accounts = new Map<string, Account>()
  /** Where redirects lead: a token must never arrive there. */
  const strayed: { path: string; authorization: string | undefined }[] = []
  const elsewhere = await listen(
    createServer((request, response) => {
      strayed.push({ path: request.url ?? '', authorization: request.headers.authorization })
      respond(response, 200, { data: [], pagination: {} })
    }),
  )

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const [, platform = '', ...path] = url.pathname.split('/')
    url.pathname = `/${path.join('/')}`
    const api = APIS[platform]
    if (!api) return respond(response, 404, {})
    const account = accounts.get(`${platform} ${api.tokenOf(request)}`)
    if (!account) return respond(response, api.refusal.status, api.refusal.body)
    account.requests.push({ method: request.method ?? '', path: `${url.pathname}${url.search}` })
    await account.hooks.onRequest?.(url, account.requests.length)
    const failure = account.nextFailure()
    if (failure === 'hang') return
    if (failure === 'cut') return void request.socket.destroy()
    if (failure === 'garbage') return void response.end('<html>One moment, please</html>')
    if (failure === 'redirect')
      return void response.writeHead(302, { Location: `${elsewhere.url}/${path.join('/')}` }).end()
    if (failure)
      return respond(response, failure.status, { error: 'Simulated failure.' }, failure.headers)
    const limit = account.take()
    const headers = api.limitHeaders(limit)
    if (limit.isExceeded) return respond(response, 429, { error: 'Too many requests.' }, headers)
    if (request.method !== 'GET') return respond(response, 405, { error: 'Method not allowed.' })
    if (account.forbidden.includes(url.pathname))
      return respond(response, 403, { error: { code: 'forbidden' } }, headers)
    const found = api.answer(url, account, request)
    respond(response, found?.status ?? 404, found?.body ?? { error: 'Not found.' }, headers)
  }
  const listening = await listen(
    createServer((request, response) => void answer(request, response)),
  )

  return {
    url: listening.url,
    stop: async () => {
      await listening.stop()
      await elsewhere.stop()
    },
    /** Adds an account with its token, which may be read until it is revoked. */
    addAccount: (
      platform: string,
      token: string,
      program: OldProgram,
      options: AccountOptions = {},
    ): Account => {
      const account = createAccount(program, options)
      accounts.set(`${platform} ${token}`, account)
      return account
    },
    platforms: Object.keys(APIS),
    revoke: (platform: string, token: string) => accounts.delete(`${platform} ${token}`),
    strayed,
  }
}

export type SourcesFake = Awaited<ReturnType<typeof startSources>>
