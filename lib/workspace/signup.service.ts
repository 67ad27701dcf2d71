/** Sign-up: whether anyone who signs in may create a workspace. */
import { ApiError } from '../http/errors.ts'

export type SignupBindings = { ALLOW_SIGNUP?: string }

/** Open unless ALLOW_SIGNUP is `false`. */
export const isSignupOpen = ({ ALLOW_SIGNUP }: SignupBindings): boolean =>
  ALLOW_SIGNUP?.trim().toLowerCase() !== 'false'

export const SIGNUP_CLOSED =
  'Sign-up is closed on this installation. Ask its operator for a workspace, or a manager for an invitation.'

/** @throws {ApiError} `signup_closed` */
export const allowSignup = (env: SignupBindings): void => {
  if (!isSignupOpen(env)) throw new ApiError('signup_closed', SIGNUP_CLOSED)
}

export const slugTaken = (slug: string) => `The slug "${slug}" is taken. Choose another one.`
