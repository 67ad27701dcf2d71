/** Whether everyone who signs in may create a workspace. */

export type SignupBindings = { ALLOW_SIGNUP?: string }

/** Open unless ALLOW_SIGNUP is "false". */
export const isSignupOpen = ({ ALLOW_SIGNUP }: SignupBindings): boolean =>
  ALLOW_SIGNUP?.trim().toLowerCase() !== 'false'

export const SIGNUP_CLOSED =
  'Sign-up is closed on this installation. Ask its operator for a workspace, or a manager for an invitation.'

export const slugTaken = (slug: string) => `The slug "${slug}" is taken. Choose another.`
