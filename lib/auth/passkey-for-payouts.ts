/** If payouts require a passkey, only sessions with one may pay, or change who may pay. */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { ApiError } from '../http/errors.ts'
import type { WorkspaceEnv } from './access.ts'
import { FRESH_HOURS, isFresh } from './fresh-sign-in.ts'

type Paying = Pick<Context<WorkspaceEnv>, 'var'>

/** Whether a passkey has confirmed the session recently. */
export const isConfirmedByPasskey = ({ var: { passkeyAt, now } }: Paying): boolean =>
  passkeyAt !== null && isFresh(passkeyAt, now)

/** Whether the passkey that the workspace requires is missing. */
export const isPasskeyMissing = (c: Paying): boolean =>
  c.var.workspace.payoutsRequirePasskey === true && !isConfirmedByPasskey(c)

export const passkeyRequired = (): ApiError =>
  new ApiError(
    'passkey_required',
    `This needs a confirmation with a passkey within the last ${FRESH_HOURS} hours. Confirm at /auth/passkeys with the same session, and repeat the request.`,
  )

/** Requires a passkey if the workspace does. @throws {ApiError} `passkey_required` */
export const requirePasskeyToPay = (c: Paying): void => {
  if (isPasskeyMissing(c)) throw passkeyRequired()
}

/** The same as middleware, after the role and the recent sign-in. */
export const passkeyToPay = () =>
  createMiddleware<WorkspaceEnv>(async function passkeyToPay(c, next) {
    requirePasskeyToPay(c)
    await next()
  })
