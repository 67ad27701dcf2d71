/** What goes wrong with calls, when somebody has planned it. */
import type { Context, MiddlewareHandler } from 'hono'
import type { ApiEnv } from './api.ts'
import { Refusal } from './errors.ts'

/** What may go wrong with a call. */
export type StripeTrouble =
  /** An error of the API. Nothing is done, and nothing kept under the request's key. */
  | { status: 402 | 409 | 429 | 500 | 503; code?: string; message?: string }
  /** An error that is kept under the key: whether the thing was done, the answer doesn't tell. */
  | { status: 500; kept: 'done' | 'undone' }
  /** Nobody ever answers. Nothing is done. */
  | 'silence'
  /** It is done, and nobody ever answers. */
  | 'silence_after'
  /** The connection is cut. Nothing is done. */
  | 'cut_before'
  /** It is done, and the connection is cut before the answer. */
  | 'cut_after'
  /** A proxy answers with a page of its own. Nothing is done. */
  | 'garbage'

/** The troubles as a form names them; `pass` lets a call pass. */
const BY_WORD: Readonly<Record<string, StripeTrouble | null>> = {
  pass: null,
  silence: 'silence',
  silence_after: 'silence_after',
  cut_before: 'cut_before',
  cut_after: 'cut_after',
  garbage: 'garbage',
  '429': { status: 429, code: 'rate_limit' },
  '500': { status: 500 },
  '503': { status: 503 },
  kept_done: { status: 500, kept: 'done' },
  kept_undone: { status: 500, kept: 'undone' },
}

/** Troubles from words: `cut_after 429 pass`. @throws for a word that is none of them */
export const readTroubles = (words: string): (StripeTrouble | null)[] =>
  words
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((word) => {
      const trouble = BY_WORD[word]
      if (trouble !== undefined) return trouble
      throw new Refusal(400, { message: `"${word}" is none of ${Object.keys(BY_WORD).join(', ')}.` })
    })

const failure = ({
  status,
  code,
  message = 'As it was told.',
}: {
  status: 402 | 409 | 429 | 500 | 503
  code?: string
  message?: string
}): Refusal =>
  new Refusal(status, {
    type: status === 402 ? 'card_error' : 'api_error',
    message,
    ...(code && { code }),
  })

const forever = () => new Promise<never>(() => {})

/** Gives a call the trouble that is planned for it, if any. */
export const troubled = (
  next: (c: Context<ApiEnv>) => StripeTrouble | null | undefined,
): MiddlewareHandler<ApiEnv> =>
  async function troubled(c, go) {
    const trouble = next(c)
    if (trouble === 'silence') await forever()
    if (trouble === 'garbage') return c.html('<html>One moment, please</html>', 502)
    if (trouble === 'cut_before') {
      c.env.outgoing.destroy()
      return c.body(null)
    }
    if (trouble && typeof trouble === 'object') {
      if (!('kept' in trouble)) throw failure(trouble)
      c.set('keeps', trouble.kept)
    }
    await go()
    if (trouble === 'silence_after') await forever()
    if (trouble === 'cut_after') c.env.outgoing.destroy()
  }

/** Answers with the error that is to be kept under the request's key: it stands where an endpoint has begun. */
export const keptTrouble = (): MiddlewareHandler<ApiEnv> =>
  async function keptTrouble(c, next) {
    const keeps = c.get('keeps')
    if (keeps !== 'undone') await next()
    if (keeps && !c.error) throw failure({ status: 500 })
  }
