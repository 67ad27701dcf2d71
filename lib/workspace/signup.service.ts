/** Whether whoever signs in may make a workspace, or only whoever runs the installation. */
import { ApiError } from '../http/errors.ts'

export type SignupBindings = { ALLOW_SIGNUP?: string }

/** Anything but a plain no leaves the door open, as it is when nothing is said. */
export const isSignupOpen = ({ ALLOW_SIGNUP }: SignupBindings): boolean =>
  ALLOW_SIGNUP?.trim().toLowerCase() !== 'false'

/** What is said where no workspaces are made. */
export const SIGNUP_CLOSED =
  'New workspaces are not made here. Ask whoever runs this installation, or a manager to invite you to theirs.'

/** @throws {ApiError} `signup_closed` */
export const allowSignup = (env: SignupBindings): void => {
  if (!isSignupOpen(env)) throw new ApiError('signup_closed', SIGNUP_CLOSED)
}

/** What is said of a workspace's slug that somebody else has. */
export const slugTaken = (slug: string) => `Another workspace is called "${slug}". Choose another slug.`
