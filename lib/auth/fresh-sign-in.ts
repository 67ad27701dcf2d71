/**
 * Changes of money, of where it goes, and of who decides need a recent sign-in, because a session
 * may be stolen or forgotten. Only this file decides whether a sign-in is recent. Other proofs of
 * the person, such as a passkey, move `signedInAt`.
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

/** @throws {ApiError} `fresh_sign_in_required` */
export const freshSignIn = () =>
  createMiddleware<SessionEnv>(async function freshSignIn(c, next) {
    requireFreshSignIn(c.var.signedInAt, c.var.now)
    await next()
  })
