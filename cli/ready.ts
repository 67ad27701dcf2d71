/** Checks by its public address whether people can sign in to an installation. */
import { setTimeout as sleep } from 'node:timers/promises'

/** A new host gets its DNS record and its certificate within minutes. */
const PATIENCE_MS = 300_000
const PAUSE_MS = 3_000
/** Longer than the Workers wait for the database. */
const ATTEMPT_TIMEOUT_MS = 15_000

/** The body of GET /readyz, or of an error. */
type Body = { databaseMs?: number; error?: { message: string } }

type Answer = { databaseMs: number } | { reason: string }

/** Calls the installation. @throws when it cannot be reached */
const call = async (url: URL, init: RequestInit = {}) => {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS) })
  const body = (await response.json().catch(() => null)) as Body | null
  const message = body?.error?.message ?? 'from something that is not Tributary.'
  return { ok: response.ok, body, reason: `${response.status} ${message}` }
}

const ask = async (url: URL): Promise<Answer> => {
  try {
    const { ok, body, reason } = await call(url)
    return ok && body?.databaseMs !== undefined ? { databaseMs: body.databaseMs } : { reason }
  } catch (error) {
    const { message, cause } = error as Error
    return { reason: cause instanceof Error ? cause.message : message }
  }
}

/**
 * Waits until the installation is ready.
 *
 * @returns the time of a round trip from its Workers to the database
 * @throws with the last response, if that takes too long
 */
export const waitUntilReady = async (
  publicUrl: string,
  { patienceMs = PATIENCE_MS, pauseMs = PAUSE_MS } = {},
): Promise<number> => {
  const url = new URL('/readyz', publicUrl)
  const deadline = Date.now() + patienceMs
  for (;;) {
    const answer = await ask(url)
    if ('databaseMs' in answer) return answer.databaseMs
    if (Date.now() + pauseMs > deadline)
      throw new Error(
        `All Workers are deployed, but ${url.href} is not ready: ${answer.reason}\nA new host can take some minutes: open that address again later.`,
      )
    await sleep(pauseMs)
  }
}

/** Mails a sign-in link, to prove that mail arrives. @throws if it was not accepted */
export const mailLink = async (publicUrl: string, email: string): Promise<void> => {
  const { ok, reason } = await call(new URL('/api/auth/sign-in/magic-link', publicUrl), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, next: '/app' }),
  })
  if (!ok)
    throw new Error(
      `All Workers are deployed, but no sign-in link could be mailed to ${email}: ${reason}\nSee the log of the Worker mailer in Cloudflare's dashboard, and docs/mail.md.`,
    )
}
