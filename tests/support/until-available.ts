import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Answer } from './merchant.ts'

const TRIES = 20

/**
 * Sends a request, and repeats it while its answer is 503, as callers do: on a busy machine, the
 * database misses deadlines. For what may be repeated, in tests of something else.
 */
export const untilAvailable = async <R extends Pick<Response, 'status' | 'headers'>>(
  send: () => Promise<R>,
): Promise<R> => {
  for (let tries = 1; ; tries++) {
    const answer = await send()
    if (answer.status !== 503 || tries === TRIES) return answer
    await pause(Number(answer.headers.get('Retry-After')) * 1_000)
  }
}

/** Sends what a test needs before it begins. @throws unless it is saved */
export const untilSaved = async (send: () => Promise<Answer>): Promise<Answer> => {
  const answer = await untilAvailable(send)
  expect(answer).toMatchObject({ status: 200 })
  return answer
}
