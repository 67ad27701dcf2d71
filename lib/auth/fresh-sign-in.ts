/**
 * What changes money, where it goes, or who decides needs a recent sign-in: a stolen or forgotten
 * session is not enough. This is the one place that says whether a sign-in is recent. Another proof
 * of the person counts by moving `signedInAt` of its session.
 */
import { createMiddleware } from 'hono/factory'
import { ApiError } from '../http/errors.ts'
import type { SessionEnv } from './session.ts'

/** A working day, so that people confirm once a day at most. */
export const FRESH_HOURS = 12

export const isFresh = (signedInAt: Date, now: Date): boolean =>
  now.getTime() - signedInAt.getTime() < FRESH_HOURS * 3_600_000

/** Requires a recent sign-in. @throws {ApiError} `fresh_sign_in_required` */
export const requireFreshSignIn = (signedInAt: Date, now: Date): void => {
  if (isFresh(signedInAt, now)) return
  throw new ApiError(
    'fresh_sign_in_required',
    `This needs a sign-in within the last ${FRESH_HOURS} hours. Sign in again at /sign-in, and repeat the request with the new session.`,
  )
}

/** Refuses a session whose sign-in is too old. @throws {ApiError} `fresh_sign_in_required` */
export const freshSignIn = () =>
  createMiddleware<SessionEnv>(async function freshSignIn(c, next) {
    requireFreshSignIn(c.var.signedInAt, c.var.now)
    await next()
  })
