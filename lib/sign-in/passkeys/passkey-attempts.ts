/** Requests about passkeys, with rate limits and log facts. */
import type { Context } from 'hono'
import { requireFreshSignIn } from '../../auth/fresh-sign-in.ts'
import { limitFailures } from '../../auth/keys/failed-attempts.ts'
import { ApiError } from '../../http/errors.ts'
import { noteForLog } from '../../http/logging.ts'
import type { OwnSessionEnv } from '../own-session.ts'
import {
  type Ceremony,
  finishAdding,
  finishConfirming,
  startAdding,
  startConfirming,
} from './passkeys.service.ts'

type SessionContext = Context<OwnSessionEnv>

export const ceremonyOf = ({
  req,
  var: { db, now, user, sessionId, passkeyAt },
}: SessionContext): Ceremony => ({
  ...{ db, now, url: req.url },
  session: { id: sessionId, user, passkeyAt },
})

/** The options for the browser. @throws {ApiError} `fresh_sign_in_required`, `conflict` */
export const askPasskey = async (c: SessionContext, purpose: 'add' | 'confirm') => {
  if (purpose === 'add') {
    requireFreshSignIn(c.var.signedInAt, c.var.now)
    return startAdding(ceremonyOf(c))
  }
  const options = await startConfirming(ceremonyOf(c))
  if (!options)
    throw new ApiError('conflict', 'You have no passkey that counts. Add one at /auth/passkeys.')
  return options
}

/** An invalid response counts as the address's failure. @throws {ApiError} `rate_limited` */
const attempt = async (
  c: SessionContext,
  what: string,
  finish: () => Promise<boolean>,
): Promise<boolean> => {
  let isDone = false
  await limitFailures(c, `passkey ${c.var.sessionId}`, async () => {
    isDone = await finish()
    return isDone
  })
  noteForLog(c, {
    actor: `user ${c.var.user.id}`,
    outcome: isDone ? `passkey_${what}` : 'passkey_refused',
  })
  return isDone
}

type Without<T> = Omit<T, 'clientExtensionResults'>

/** @returns false if it was refused */
export const addByResponse = (
  c: SessionContext,
  response: Without<Parameters<typeof finishAdding>[1]>,
  about: Parameters<typeof finishAdding>[2],
): Promise<boolean> =>
  attempt(c, 'added', () =>
    finishAdding(ceremonyOf(c), { ...response, clientExtensionResults: {} }, about),
  )

/** @throws {ApiError} `conflict` if the response was refused */
export const confirmByResponse = async (
  c: SessionContext,
  response: Without<Parameters<typeof finishConfirming>[1]>,
): Promise<void> => {
  const full = { ...response, clientExtensionResults: {} }
  if (!(await attempt(c, 'confirmed', () => finishConfirming(ceremonyOf(c), full))))
    throw new ApiError('conflict', 'The passkey was not accepted. Ask for another challenge.')
}
