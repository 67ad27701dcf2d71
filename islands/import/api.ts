/** Calls to the API, with retries and backoff. */
import * as m from '../../lib/languages/messages.ts'
import { t } from '../text.ts'

/** What the user must do before the calls can continue: `switch` if another person is signed in. */
type SignIn = 'sign_in' | 'switch'

/** Why the calls stopped, and whether the user must sign in again. */
export class Stopped extends Error {
  signIn: SignIn | null
  constructor(message: string, signIn: SignIn | null = null) {
    super(message)
    this.signIn = signIn
  }
}

/** The person who opened the page. */
const opener = (): { user: string; email: string } => {
  const { user = '', email = '' } =
    document.querySelector<HTMLElement>('[data-user]')?.dataset ?? {}
  return { user, email }
}

/** The header with which the server refuses a call if another person has signed in since. */
export const asOpener = () => ({ 'Tributary-User': opener().user })

type Session = { user: { id: string; email: string } } | null

/** Whether the person who opened the page is signed in. */
export const isOpenerSignedIn = async (): Promise<boolean> =>
  (await get<Session>('/api/auth/get-session'))?.user.id === opener().user

/** Retries for two minutes, long enough for a short loss of connection. Then the user decides. */
const WAITS_SECONDS = [1, 2, 4, 8, 15, 30, 60]
/** A call of 500 rows takes less than a second. */
const TIMEOUT_MS = 60_000

/** Reads JSON. @returns undefined on failure: the caller polls */
export const get = async <Answer>(url: string): Promise<Answer | undefined> => {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
    return answer.ok ? await answer.json() : undefined
  } catch {
    return undefined
  }
}

/**
 * Sends JSON and returns the response. Retries lost connections, 429 and 5xx with backoff, and
 * honours Retry-After. Retries are safe: a repeated call gets the response of the first.
 *
 * @param onWait is called before each wait, with a text for the user
 * @throws {Stopped} when the call fails permanently, or `signal` is aborted during a wait
 */
export const send = async <Answer>(
  method: 'POST' | 'PATCH',
  url: string,
  body: object,
  signal: AbortSignal,
  onWait: (text: string) => void,
): Promise<Answer> => {
  for (let attempt = 0; ; attempt++) {
    let why = 'unreachable'
    let seconds = WAITS_SECONDS[attempt]
    try {
      const answer = await fetch(url, {
        method,
        headers: { 'Content-Type': 'application/json', ...asOpener() },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      if (answer.ok) return await answer.json()
      if (answer.status !== 429 && answer.status < 500) throw await refusal(answer)
      why = answer.status === 429 ? 'too_many' : 'busy'
      const asked = Number(answer.headers.get('Retry-After'))
      // Jitter keeps two tabs from retrying in step.
      if (seconds !== undefined) seconds = Math.max(seconds * (0.5 + Math.random() / 2), asked || 0)
    } catch (error) {
      if (error instanceof Stopped) throw error
    }
    if (seconds === undefined) throw new Stopped(t(m.import_gave_up, { why }))
    onWait(t(m.import_retrying, { why, seconds: Math.ceil(seconds) }))
    await wait(seconds, signal)
  }
}

const wait = async (seconds: number, signal: AbortSignal): Promise<void> => {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, seconds * 1_000)
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  if (signal.aborted) throw new Stopped(t(m.import_paused))
}

/** The error for a rejected call. */
const refusal = async (answer: Response): Promise<Stopped> => {
  if (answer.status === 401) return signedOut()
  const { error } = (await answer.json().catch(() => ({}))) as {
    error?: { code?: string; message?: string; requestId?: string }
  }
  if (error?.code === 'fresh_sign_in_required')
    return new Stopped(t(m.import_confirm_identity), 'sign_in')
  const message = error?.message ?? t(m.import_responded_with, { status: String(answer.status) })
  return new Stopped(
    error?.requestId ? t(m.import_of_request, { message, requestId: error.requestId }) : message,
  )
}

/** Says who is signed in now. */
const signedOut = async (): Promise<Stopped> => {
  const now = await get<Session>('/api/auth/get-session')
  const { user, email } = opener()
  return now && now.user.id !== user
    ? new Stopped(t(m.import_other_person, { now: now.user.email, opener: email }), 'switch')
    : new Stopped(t(m.import_session_expired), 'sign_in')
}
