/** Firefox, driven over WebDriver BiDi. Only where it is installed: npm has none. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const installed = (command: string): string | null => {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' })
    return command
  } catch {
    return null
  }
}

/** The command that starts Firefox; null if there is none. */
export const FIREFOX = installed('firefox') ?? installed('firefox-esr')

/** A cookie as the browser has stored it. */
export type StoredCookie = {
  name: string
  value: string
  domain: string
  path: string
  sameSite: string
  /** In seconds. */
  expires: number
  httpOnly: boolean
}

const STARTED_WITHIN_MS = 30_000

/** The URL that Firefox prints once it listens. */
const bidiUrl = (browser: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let said = ''
    browser.stderr?.setEncoding('utf8').on('data', (text) => {
      said += text
      const [, url] = /WebDriver BiDi listening on (ws:\S+)/.exec(said) ?? []
      if (url) resolve(url)
    })
    browser.once('error', reject)
    browser.once('exit', () => reject(new Error(`Firefox ended: ${said}`)))
    setTimeout(() => reject(new Error(`Firefox did not start: ${said}`)), STARTED_WITHIN_MS).unref()
  })

/** Commands of WebDriver BiDi. An answer that is an error rejects. */
const connect = async (url: string) => {
  const socket = new WebSocket(`${url}/session`)
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = reject
  })
  const waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>()
  socket.onmessage = ({ data }) => {
    const { id, result, message } = JSON.parse(String(data))
    if (result) waiting.get(id)?.resolve(result)
    else waiting.get(id)?.reject(new Error(message))
  }
  let last = 0
  return {
    send: <T>(method: string, params: object): Promise<T> => {
      const answer = Promise.withResolvers<Record<string, unknown>>()
      waiting.set(++last, answer)
      socket.send(JSON.stringify({ id: last, method, params }))
      return answer.promise as Promise<T>
    },
    close: () => socket.close(),
  }
}

/** A page's script is not told that the browser is automated: the snippet ignores such browsers. */
const LOOK_LIKE_A_VISITOR = `() => Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => false })`

type Evaluated = { type: string; result: { value?: unknown }; exceptionDetails?: { text: string } }

/**
 * Starts a headless Firefox with a profile of its own.
 *
 * @param hosts names that lead to this machine
 * @param prefs more settings, as in about:config
 */
export const launchFirefox = async ({
  hosts,
  prefs = {},
}: {
  hosts: string[]
  prefs?: Record<string, string | number | boolean>
}) => {
  const profile = await mkdtemp(join(tmpdir(), 'firefox-'))
  const settings = {
    'network.dns.localDomains': hosts.join(),
    // No requests of the browser's own during a test.
    'app.update.enabled': false,
    'browser.safebrowsing.malware.enabled': false,
    'browser.safebrowsing.phishing.enabled': false,
    'datareporting.policy.dataSubmissionEnabled': false,
    'dom.security.https_first': false,
    'network.captive-portal-service.enabled': false,
    'network.connectivity-service.enabled': false,
    'network.proxy.type': 0,
    'services.settings.server': 'data:,',
    ...prefs,
  }
  const lines = Object.entries(settings).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  )
  await writeFile(join(profile, 'user.js'), lines.join('\n'))
  const args = ['--headless', '--no-remote', '--remote-debugging-port', '0', '--profile', profile]
  const browser = spawn(FIREFOX ?? '', args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    // Firefox refuses a home folder of another user.
    env: { ...process.env, HOME: profile, MOZ_CRASHREPORTER_DISABLE: '1' },
  })
  const { send, close } = await connect(await bidiUrl(browser))
  await send('session.new', { capabilities: {} })
  await send('script.addPreloadScript', { functionDeclaration: LOOK_LIKE_A_VISITOR })
  const { contexts } = await send<{ contexts: { context: string }[] }>(
    'browsingContext.getTree',
    {},
  )
  const context = contexts[0]?.context ?? ''

  return {
    goto: (url: string) => send('browsingContext.navigate', { context, url, wait: 'complete' }),
    /** The value of an expression on the page, awaited. */
    evaluate: async <T>(expression: string): Promise<T> => {
      const target = { context }
      const answer = await send<Evaluated>('script.evaluate', {
        expression,
        target,
        awaitPromise: true,
      })
      if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.text)
      return answer.result.value as T
    },
    cookies: async (): Promise<StoredCookie[]> => {
      const { cookies } = await send<{
        cookies: (StoredCookie & { value: { value: string }; expiry: number })[]
      }>('storage.getCookies', {})
      return cookies.map(({ name, value, domain, path, sameSite, expiry, httpOnly }) => ({
        name,
        value: value.value,
        domain,
        path,
        sameSite,
        expires: expiry,
        httpOnly,
      }))
    },
    deleteCookies: () => send('storage.deleteCookies', {}),
    close: async () => {
      close()
      const ended = new Promise((resolve) => browser.once('exit', resolve))
      browser.kill()
      await ended
      await rm(profile, { recursive: true, force: true })
    },
  }
}
