/** Calls to the API, repeated until they are answered or there is no sense in it. */

/** Why calls stopped, in words, and whether signing in again helps. */
export class Stopped extends Error {
  signIn: boolean
  constructor(message: string, signIn = false) {
    super(message)
    this.signIn = signIn
  }
}

/** Two minutes of trying in all, so that a train's tunnel is no trouble; then it is for a person to say. */
const WAITS_SECONDS = [1, 2, 4, 8, 15, 30, 60]
/** A call of 500 rows takes under a second. What takes this long will not come. */
const TIMEOUT_MS = 60_000

type Waiting = { seconds: number; why: string }

/**
 * Posts JSON and gives the answer. A lost connection, 429 and 5xx are tried again, later each time, and not before
 * the server says. Repeating is safe: an import skips what it has imported.
 *
 * @throws {Stopped} when the call can't be made, or `signal` was aborted while waiting
 */
export const post = async <Answer>(
  url: string,
  body: object,
  signal: AbortSignal,
  onWait: (waiting: Waiting) => void,
): Promise<Answer> => {
  for (let attempt = 0; ; attempt++) {
    let why = 'The server can’t be reached.'
    let seconds = WAITS_SECONDS[attempt]
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      if (answer.ok) return await answer.json()
      if (answer.status !== 429 && answer.status < 500) throw await refusal(answer)
      why = answer.status === 429 ? 'The server asks to slow down.' : 'The server is busy.'
      const asked = Number(answer.headers.get('Retry-After'))
      // Jitter, so that two tabs don't come back at the same moment for ever.
      if (seconds !== undefined) seconds = Math.max(seconds * (0.5 + Math.random() / 2), asked || 0)
    } catch (error) {
      if (error instanceof Stopped) throw error
    }
    if (seconds === undefined) throw new Stopped(`${why} Nothing is lost: resume when it is back.`)
    await wait(seconds, why, signal, onWait)
  }
}

const wait = async (
  seconds: number,
  why: string,
  signal: AbortSignal,
  onWait: (waiting: Waiting) => void,
): Promise<void> => {
  onWait({ seconds: Math.ceil(seconds), why })
  await new Promise<void>((resolve) => {
    setTimeout(resolve, seconds * 1_000)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  if (signal.aborted) throw new Stopped('Paused.')
}

/** What a refusal means for the person in front of the page. */
const refusal = async (answer: Response): Promise<Stopped> => {
  if (answer.status === 401) return new Stopped('You are not signed in any more.', true)
  const { error } = (await answer.json().catch(() => ({}))) as {
    error?: { message?: string; requestId?: string }
  }
  const said = error?.message ?? `The server answered ${answer.status}.`
  return new Stopped(error?.requestId ? `${said} (Request ${error.requestId})` : said)
}
